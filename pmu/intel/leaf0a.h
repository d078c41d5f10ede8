/*
 * CPUID leaf 0AH decoded: SDM 18.2 and SDM vol. 2, CPUID. Shared by driver and model, which get the leaf from
 * different places.
 */
#ifndef PMU_INTEL_LEAF0A_H
#define PMU_INTEL_LEAF0A_H

#include <stdbool.h>
#include <stdint.h>

struct intel_leaf0a {
	unsigned version;
	unsigned n_general, general_width;
	uint32_t fixed; /* bit i: fixed counter i exists */
	unsigned fixed_width;
	bool any_thread; /* version 3 or later and not deprecated (EDX[15]) */
	uint32_t eax, ebx;
};

static inline struct intel_leaf0a intel_decode_leaf0a(uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	struct intel_leaf0a l = {
		.version = eax & 0xff,
		.n_general = eax >> 8 & 0xff,
		.general_width = eax >> 16 & 0xff,
		.eax = eax,
		.ebx = ebx,
	};
	if (l.version >= 2) {
		unsigned contiguous = edx & 31;
		l.fixed = contiguous ? 0xffffffffu >> (32 - contiguous) : 0;
		l.fixed_width = edx >> 5 & 0xff;
	}
	if (l.version >= 5)
		l.fixed |= ecx;
	l.any_thread = l.version >= 3 && !(edx >> 15 & 1);
	return l;
}

#endif
