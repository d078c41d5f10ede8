/*
 * XMM registers as paths and records keep them: as one number, by which two states are told apart.
 */
#ifndef PMU_VECTORS_H
#define PMU_VECTORS_H

#include <stdint.h>
#include <string.h>

/** XMM0 to XMM15, 16 bytes each. */
#define VECTORS_SIZE 256

/** FNV-1a over quadwords, so that each bit of each register counts. */
static inline uint64_t vectors_digest(const uint8_t xmm[VECTORS_SIZE])
{
	uint64_t digest = 0xcbf29ce484222325, word;

	for (unsigned i = 0; i < VECTORS_SIZE; i += sizeof word) {
		memcpy(&word, xmm + i, sizeof word);
		digest = (digest ^ word ^ word >> 32) * 0x100000001b3;
	}
	return digest;
}

#endif
