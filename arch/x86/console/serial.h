/*
 * 16550 serial console, polled, 115200 8N1.
 */
#ifndef ARCH_X86_CONSOLE_SERIAL_H
#define ARCH_X86_CONSOLE_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Find and set up a port: the given one, or with 0 the first that answers (scratch register) of 3F8H and
 * 2F8H. */
bool serial_init(uint16_t port);

/** Firmware's set-up of the port again, when all is sent; serial_init() must come before the next write. */
void serial_give_back(void);

bool serial_present(void);
uint16_t serial_port(void);

/** Write bytes as they are; returns without waiting for ever if the port stops answering. */
void serial_write(const char *text, size_t size);

/** A byte that has come in, if there is one. @return whether there was */
bool serial_read(uint8_t *byte);

#endif
