/*
 * Names for code addresses, for dumps and reports. The table is made from the linked image at build time.
 */
#ifndef ARCH_X86_EXCEPTIONS_SYMBOLS_H
#define ARCH_X86_EXCEPTIONS_SYMBOLS_H

#include <stdint.h>

/** The function that holds `address`, with *offset into it; NULL if the address is not in the image's code.
 */
const char *symbol_at(uint64_t address, uint64_t *offset);

#endif
