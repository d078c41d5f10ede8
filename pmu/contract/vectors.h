/*
 * Vector registers as paths and records keep them: each half of what a step shows (arch/step.h) as one
 * number, by which two states are told apart. On x86: the XMM registers, and the upper halves of the YMM
 * registers.
 *
 * Example: whether a record shows the vector registers that the step left.
 *
 *     bool same = record.vectors == vectors_digest(step.vectors);
 */
#ifndef PMU_CONTRACT_VECTORS_H
#define PMU_CONTRACT_VECTORS_H

#include "arch/step.h"

#include <stdint.h>
#include <string.h>

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
