/*
 * CPUID leaf 0AH decoded: SDM 18.2 and SDM vol. 2, CPUID; and leaf 23H, which from version 6 on tells a
 * core's own counters and events (hybrid parts give all cores the same leaf 0AH). Shared by driver and model,
 * which get the leaves from different places.
 */
#ifndef PMU_INTEL_LEAF0A_H
#define PMU_INTEL_LEAF0A_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_leaf0a {
	unsigned version;
	unsigned n_general, general_width;
	uint32_t general; /* bit i: general counter i exists */
	uint32_t fixed;   /* bit i: fixed counter i exists */
	unsigned fixed_width;
	bool any_thread; /* version 3 or later and not deprecated (EDX[15]) */
	uint32_t eax, ebx;
	/* What the leaves say of counters of this kind makes no sense: none is taken to be there, and nothing
	 * is known of what is missing. */
	bool general_unknown, fixed_unknown;
	/* Leaf 23H. */
	bool umask2, equal; /* selectors have a second unit mask, and a comparison for equality */
	bool rdpmc_user;    /* counters can be kept from RDPMC outside of ring 0 */
	uint64_t reloaded;  /* counters that another one's overflow can reload, as in the global registers */
	uint64_t reloads;   /* counters whose overflow can reload others */
	/* Architectural PEBS; 0: there is none. */
	uint64_t record_groups; /* that records can have: pmu/intel/records/apebs.h */
	uint64_t pebs_counters; /* that can sample, as in the global registers */
	uint64_t pebs_exact;    /* of them, those with precise distribution (PDIST) */
};

/** A subleaf. */
struct intel_leaf23 {
	uint32_t eax, ebx, ecx, edx;
};
#define INTEL_LEAF23_SUBLEAVES 6

/**
 * Take out what makes no sense: all counters of a kind whose number or width cannot be.
 * @param text gets a line for each thing that was taken out, and says so; may be NULL
 * @param room lines, of size bytes each
 * @return how many things there were
 */
unsigned intel_sift_leaf0a(struct intel_leaf0a *l, char *text, unsigned room, size_t size);

static inline struct intel_leaf0a intel_decode_leaf0a(uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
	struct intel_leaf0a l = {
		.version = eax & 0xff,
		.n_general = eax >> 8 & 0xff,
		.general_width = eax >> 16 & 0xff,
		.general = (eax >> 8 & 0xff) < 32 ? (1u << (eax >> 8 & 0xff)) - 1 : ~0u,
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

/** What leaf 23H says more exactly than leaf 0AH; its subleaf 0 tells which of its subleaves are valid (bits
 * of EAX). */
static inline void intel_apply_leaf23(struct intel_leaf0a *l,
				      const struct intel_leaf23 sub[INTEL_LEAF23_SUBLEAVES])
{
	uint32_t valid = sub[0].eax;

	l->umask2 = sub[0].ebx & 1;
	l->equal = sub[0].ebx >> 1 & 1;
	l->rdpmc_user = sub[0].ebx >> 2 & 1;
	if (valid >> 1 & 1) {
		l->general = sub[1].eax;
		l->fixed = sub[1].ebx;
		l->n_general = (unsigned)__builtin_popcount(l->general);
	}
	if (valid >> 2 & 1) {
		l->reloaded = sub[2].eax | (uint64_t)sub[2].ebx << 32;
		l->reloads = sub[2].ecx | (uint64_t)sub[2].edx << 32;
	}
	if ((valid >> 4 & 3) == 3) {
		l->record_groups = (uint64_t)sub[4].ebx << 32;
		l->pebs_counters = sub[5].eax | (uint64_t)sub[5].ecx << 32;
		l->pebs_exact = sub[5].ebx | (uint64_t)sub[5].edx << 32;
	}
	/* Architectural events: a 1 where there is one, in place of leaf 0AH's 0. */
	if (valid >> 3 & 1) {
		l->eax = (l->eax & 0xffffff) | 32u << 24;
		l->ebx = ~sub[3].eax;
	}
}

#endif
