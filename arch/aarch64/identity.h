/*
 * What the entry knows of the machine besides what the processor says.
 */
#ifndef ARCH_AARCH64_IDENTITY_H
#define ARCH_AARCH64_IDENTITY_H

#include "arch/identity.h"

#include <stdint.h>

/** What firmware's tables call the board, "" if they do not. */
extern char identity_board[IDENTITY_VALUE];

/** They say that it is a guest's: of an emulator, or of a hypervisor, whose counters are the processor's. */
extern bool identity_is_guest;

/** Besides that, SMBIOS says that it is an emulator's. */
extern bool identity_smbios_emulated;

/** What another processor holds in an identification register; false: the same as this one. */
typedef bool identity_answer_to(uint32_t number, uint64_t *value);

/** Hand over all identification registers but those that tell one processor from another. @param answer
 * NULL: this processor's */
void identity_registers(identity_each *each, void *to, identity_answer_to *answer);

/** Processors that they list; 0: they do not. */
extern unsigned machine_cpus;

#endif
