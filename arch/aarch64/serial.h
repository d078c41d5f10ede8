/*
 * The serial line (arch/serial.h), a PL011, and what an emulator's debugger offers.
 */
#ifndef ARCH_AARCH64_SERIAL_H
#define ARCH_AARCH64_SERIAL_H

#include "arch/serial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Registers of a PL011 that firmware has set up; 0: there is none, and text is lost. Set before anything is
 * printed. */
extern uint64_t serial_base;

/** Whether a debugger takes semihosting calls (IHI 0053), as console_debug() makes them: only where the entry
 * knows of it, as HLT faults elsewhere. */
extern bool semihosting;

/** End the emulator with this status. Returns where there is no debugger. */
void semihosting_exit(int status);

#endif
