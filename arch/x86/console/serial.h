/*
 * 16550 serial console, polled, 115200 8N1: arch/serial.h, and what only x86's own code needs of it. After
 * serial_give_back(), serial_init() must come before the next write. The first port that answers (scratch
 * register) is 3F8H or 2F8H.
 */
#ifndef ARCH_X86_CONSOLE_SERIAL_H
#define ARCH_X86_CONSOLE_SERIAL_H

#include "arch/serial.h"

#include <stdbool.h>
#include <stdint.h>

bool serial_present(void);
uint16_t serial_port(void);

#endif
