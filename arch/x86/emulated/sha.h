/*
 * The SHA instructions, as SDM vol. 2 defines each under its name.
 */
#ifndef ARCH_X86_EMULATED_SHA_H
#define ARCH_X86_EMULATED_SHA_H

#include <stdint.h>

enum sha_operation {
	SHA1NEXTE,
	SHA1MSG1,
	SHA1MSG2,
	SHA256RNDS2,
	SHA256MSG1,
	SHA256MSG2,
	SHA1RNDS4,
};

/**
 * Carry one out.
 * @param to      the first operand, lowest doubleword first; gets the result
 * @param from    the second
 * @param message XMM0, which SHA256RNDS2 takes without naming it
 * @param rounds  the immediate of SHA1RNDS4
 */
void sha_operate(enum sha_operation operation, uint32_t to[4], const uint32_t from[4],
		 const uint32_t message[4], uint8_t rounds);

#endif
