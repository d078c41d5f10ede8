/*
 * Vector registers as paths and records keep them: the XMM registers as one number, the upper halves of the
 * YMM registers as another, by which two states are told apart.
 */
#ifndef PMU_CONTRACT_VECTORS_H
#define PMU_CONTRACT_VECTORS_H

#include <stdint.h>
#include <string.h>

/** XMM0 to XMM15, or as many upper halves of YMM registers, 16 bytes each. */
#define VECTORS_SIZE 256
/** Both, the XMM registers first. */
#define VECTORS_BOTH (2 * VECTORS_SIZE)

/** FNV-1a over quadwords, so that each bit of each register counts. */
static inline uint64_t vectors_digest(const uint8_t half[VECTORS_SIZE])
{
	uint64_t digest = 0xcbf29ce484222325, word;

	for (unsigned i = 0; i < VECTORS_SIZE; i += sizeof word) {
		memcpy(&word, half + i, sizeof word);
		digest = (digest ^ word ^ word >> 32) * 0x100000001b3;
	}
	return digest;
}

#endif
