/*
 * 16550 serial console, polled, 115200 8N1: arch/serial.h, and what only x86's own code needs of it. After
 * serial_give_back(), serial_init() must come before the next write.
 */
#ifndef ARCH_X86_CONSOLE_SERIAL_H
#define ARCH_X86_CONSOLE_SERIAL_H

#include "arch/serial.h"

#include <stdbool.h>
#include <stdint.h>

/** Find and set up a port: the given one, or with 0 the first that answers (scratch register) of 3F8H and
 * 2F8H. */
bool serial_init(uint16_t port);

bool serial_present(void);
uint16_t serial_port(void);

/** A byte that has come in, if there is one. @return whether there was */
bool serial_read(uint8_t *byte);

#endif
