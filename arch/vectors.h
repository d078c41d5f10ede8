/*
 * Vector and floating-point registers, which trap handlers leave alone, around code that may use them: the C
 * library's.
 *
 * Example: vectors_keep(&v); vsnprintf(...); vectors_put_back(&v); in a handler changes no register of the
 * interrupted code.
 */
#ifndef ARCH_VECTORS_H
#define ARCH_VECTORS_H

#include <stdint.h>

/** Room for the registers that C code may change: AArch64 has 32 of 128 bits, with two of status. */
struct vectors {
	uint8_t bytes[544];
} __attribute__((aligned(16)));

void vectors_keep(struct vectors *out);
void vectors_put_back(const struct vectors *v);

#endif
