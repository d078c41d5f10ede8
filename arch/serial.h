/*
 * The serial line, for arch/console.c. Who has a console of another kind needs none of this.
 *
 * Example: serial_write("ok 1\r\n", 6) sends six bytes.
 */
#ifndef ARCH_SERIAL_H
#define ARCH_SERIAL_H

#include <stddef.h>

/** Write bytes as they are; returns without waiting for ever if the line stops answering, and at once if
 * there is none. */
void serial_write(const char *text, size_t size);

/** When all is sent, put the line back to how firmware had set it up. */
void serial_give_back(void);

#endif
