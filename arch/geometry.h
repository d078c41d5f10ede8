/*
 * Geometry: what a processor tells of its caches and TLBs, for a model of them and for kernels that are to
 * miss.
 *
 * Example: how large is the first-level data cache of a profile's processor?
 *
 *     struct machine_geometry g = {0};
 *     identity_geometry(profile->identity, &g);
 *     bytes = (uint64_t)g.l1d.sets * g.l1d.ways * g.l1d.line;
 */
#ifndef ARCH_GEOMETRY_H
#define ARCH_GEOMETRY_H

#include <stdbool.h>
#include <stdint.h>

struct machine_cache {
	uint32_t sets; /* 0: no such cache. A power of two but for the last level, of which slices make any
			  number */
	uint16_t ways;
	uint16_t line; /* bytes, power of two */
};

struct machine_geometry {
	struct machine_cache l1d, l1i, l2, llc;
	uint16_t dtlb, itlb; /* entries, fully associative */
	uint32_t stlb_sets;  /* second-level TLB, any number; 0: none */
	uint16_t stlb_ways;
	struct machine_cache decoded; /* of decoded instructions: .line is the window of code of one way */
	uint8_t page_shift;           /* 12: translations are of 4 KiB pages, but for uarch_large_pages() */
	uint8_t history_bits;         /* of global history, at most 12 */
	uint8_t return_stack;         /* entries */
	uint8_t store_buffer;         /* entries that a load can see */
};

/**
 * Fill in what an identity (pmu/contract/model.h) tells: caches, TLBs for the smallest pages, a cache of
 * decoded instructions. What it does not tell is left as it is. Of a second-level TLB for data and code
 * apart, the data side is taken for both. x86: caches as CPUID leaf 4 has them, TLBs as leaf 2 has (SDM vol.
 * 2, CPUID); of AMD's as leaves 8000001DH, 80000005H and 80000006H have them (APM vol. 3, E.4).
 * @return whether it tells of TLBs: then there is no second level of them if .stlb_sets is 0
 */
bool identity_geometry(const void *identity, struct machine_geometry *g);

#endif
