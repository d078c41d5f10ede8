/*
 * The serial line, for arch/console.c. Who has a console of another kind needs none of this.
 *
 * Example: serial_write("ok 1\r\n", 6) sends six bytes.
 */
#ifndef ARCH_SERIAL_H
#define ARCH_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Find and set up a line: the given one (x86: its port), or with 0 the first that answers. @return false if
 * there is none */
bool serial_init(uint16_t line);

/** A byte that has come in, if there is one. @return whether there was */
bool serial_read(uint8_t *byte);

/** Write bytes as they are; returns without waiting for ever if the line stops answering, and at once if
 * there is none. @return whether the line took all of them */
bool serial_write(const char *text, size_t size);

/** When all is sent, put the line back to how firmware had set it up. */
void serial_give_back(void);

#endif
