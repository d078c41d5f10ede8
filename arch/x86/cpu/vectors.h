/*
 * XMM registers by their number.
 */
#ifndef ARCH_X86_CPU_VECTORS_H
#define ARCH_X86_CPU_VECTORS_H

#include <stdint.h>

/** Of the code that runs: to be called where that is the code whose registers are asked for, and the compiler
 * uses none of them itself. A number above 15 names no register: nothing is done. */
void vector_read(unsigned number, uint32_t words[4]);
void vector_write(unsigned number, const uint32_t words[4]);

#endif
