/*
 * The serial line, and what an emulator's debugger offers.
 */
#ifndef ARCH_AARCH64_SERIAL_H
#define ARCH_AARCH64_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Registers of a PL011 that firmware has set up; 0: there is none, and text is lost. Set before anything is
 * printed. */
extern uint64_t serial_base;

void serial_write(const char *text, size_t size);

/** Wait until all is sent. */
void serial_drain(void);

/** Whether a debugger takes semihosting calls: only where the entry knows of it, as HLT faults elsewhere. */
extern bool semihosting;

/** To its console. */
void semihosting_write(const char *text, size_t size);

/** End the emulator with this status. Returns where there is no debugger. */
void semihosting_exit(int status);

#endif
