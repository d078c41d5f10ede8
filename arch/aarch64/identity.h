/*
 * What the entry knows of the machine besides what the processor says.
 */
#ifndef ARCH_AARCH64_IDENTITY_H
#define ARCH_AARCH64_IDENTITY_H

#include "arch/identity.h"

/** What firmware's tables call the board, "" if they do not. */
extern char identity_board[IDENTITY_VALUE];

/** They say that it is an emulator's. */
extern bool identity_is_emulated;

/** Processors that they list; 0: they do not. */
extern unsigned machine_cpus;

#endif
