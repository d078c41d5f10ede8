#include "tests/kernels/x86/cache_geometry.h"

#define DATA          1
#define UNIFIED       3
#define SUBLEAVES_MAX 8
#define TOPOEXT       (1u << 22) /* CPUID.80000001H:ECX, leaf 8000001DH exists */

typedef struct cpuid_regs query_fn(uint32_t leaf, uint32_t subleaf);

/* Leaves 4 and 8000001DH have the same layout: one cache per subleaf, type 0 ends. */
static bool deterministic(query_fn *query, uint32_t leaf, unsigned level, struct cache_geometry *out)
{
	for (uint32_t i = 0; i < SUBLEAVES_MAX; i++) {
		struct cpuid_regs r = query(leaf, i);
		unsigned type = r.eax & 0x1f;

		if (type == 0)
			break;
		if ((type != DATA && type != UNIFIED) || (r.eax >> 5 & 7) != level)
			continue;
		*out = (struct cache_geometry){
			.line = (r.ebx & 0xfff) + 1,
			.ways = (r.ebx >> 22) + 1,
			.sets = r.ecx + 1,
		};
		return true;
	}
	return false;
}

/* AMD's older leaves give size, associativity and line; 0 and FFH stand for no cache and for a fully
 * associative one. */
static bool classic(query_fn *query, unsigned level, struct cache_geometry *out)
{
	static const uint8_t encoded_ways[16] = {
		[1] = 1,  [2] = 2,   [3] = 3,   [4] = 4,   [5] = 6,   [6] = 8,
		[8] = 16, [10] = 32, [11] = 48, [12] = 64, [13] = 96, [14] = 128};
	struct cpuid_regs second = query(0x80000006, 0);
	uint32_t reg = level == 1 ? query(0x80000005, 0).ecx : level == 2 ? second.ecx : second.edx;
	uint32_t line = reg & 0xff;
	uint32_t ways = level == 1 ? reg >> 16 & 0xff : encoded_ways[reg >> 12 & 15];
	uint32_t bytes = level == 1   ? (reg >> 24) * 1024
			 : level == 2 ? (reg >> 16) * 1024
				      : (reg >> 18) * (512 * 1024);

	if (!line || !ways || ways == 0xff || bytes < line * ways)
		return false;
	*out = (struct cache_geometry){.line = line, .ways = ways, .sets = bytes / (line * ways)};
	return true;
}

bool cache_geometry(unsigned level, query_fn *query, struct cache_geometry *out)
{
	uint32_t basic = query(0, 0).eax, extended = query(0x80000000, 0).eax;

	if (basic >= 4 && deterministic(query, 4, level, out))
		return true;
	if (extended >= 0x8000001d && extended <= 0x8000ffff && (query(0x80000001, 0).ecx & TOPOEXT) &&
	    deterministic(query, 0x8000001d, level, out))
		return true;
	return extended >= 0x80000006 && extended <= 0x8000ffff && classic(query, level, out);
}

static uint64_t bytes(const struct cache_geometry *g)
{
	return (uint64_t)g->line * g->ways * g->sets;
}

bool third_level_exceeds(unsigned times, query_fn *query)
{
	struct cache_geometry second, third;

	return cache_geometry(2, query, &second) && cache_geometry(3, query, &third) &&
	       bytes(&third) >= times * bytes(&second);
}

/* --- TLBs ------------------------------------------------------------------------------------------- */

#define L2_TLB_X32  (1u << 14) /* CPUID.80000021H:EAX, sizes of second-level TLBs are in units of 32 */
#define TLB_DATA    1
#define TLB_UNIFIED 3
#define TLB_LOADS   4

static struct tlb_geometry tlb_deterministic(query_fn *query)
{
	struct tlb_geometry g = {0, 0};
	unsigned last = query(0x18, 0).eax;

	for (unsigned i = 0; i <= last && i < SUBLEAVES_MAX; i++) {
		struct cpuid_regs r = query(0x18, i);
		unsigned type = r.edx & 0x1f, level = r.edx >> 5 & 7;

		if ((r.ebx & 1) && (type == TLB_DATA || type == TLB_UNIFIED || type == TLB_LOADS))
			*(level < 2 ? &g.first : &g.second) += (r.ebx >> 16) * r.ecx;
	}
	return g;
}

static struct tlb_geometry tlb_descriptors(query_fn *query)
{
	static const struct {
		uint8_t descriptor, level;
		uint16_t entries;
	} known[] = {
		{0x03, 1, 64},  {0x57, 1, 16},   {0x59, 1, 16}, {0x5a, 1, 32},   {0x5b, 1, 64},
		{0x5c, 1, 128}, {0x5d, 1, 256},  {0xa0, 1, 32}, {0xb3, 1, 128},  {0xb4, 2, 256},
		{0xba, 2, 64},  {0xc1, 2, 1024}, {0xc2, 1, 16}, {0xc3, 2, 1536}, {0xc4, 1, 32},
		{0xca, 2, 512}, {0x64, 2, 512},
	};
	struct cpuid_regs r = query(2, 0);
	const uint32_t regs[] = {r.eax & ~0xffu, r.ebx, r.ecx, r.edx};
	struct tlb_geometry g = {0, 0};

	for (unsigned at = 0; at < 16; at++)
		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]) && !(regs[at / 4] >> 31); i++)
			if ((regs[at / 4] >> at % 4 * 8 & 0xff) == known[i].descriptor)
				*(known[i].level == 1 ? &g.first : &g.second) += known[i].entries;
	return g;
}

struct tlb_geometry tlb_geometry(query_fn *query)
{
	uint32_t basic = query(0, 0).eax, extended = query(0x80000000, 0).eax;
	struct tlb_geometry g = {0, 0};

	if (basic >= 0x18)
		g = tlb_deterministic(query);
	if (!(g.first + g.second) && basic >= 2)
		g = tlb_descriptors(query);
	if (!(g.first + g.second) && extended >= 0x80000006 && extended <= 0x8000ffff) {
		bool in_32s = extended >= 0x80000021 && query(0x80000021, 0).eax & L2_TLB_X32;

		g.first = query(0x80000005, 0).ebx >> 16 & 0xff;
		g.second = (query(0x80000006, 0).ebx >> 16 & 0xfff) * (in_32s ? 32 : 1);
	}
	return g;
}
