#include "arch/geometry.h"

#include "arch/x86/cpu/cpuid_table.h"

#include <stddef.h>

enum { CACHE_DATA = 1, CACHE_CODE, CACHE_UNIFIED };

static const struct cpuid_row *leaf(const struct cpuid_table *t, uint32_t number)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->row[i].leaf == number)
			return &t->row[i];
	return NULL;
}

/* Leaf 4 and AMD's 8000001DH: one cache per subleaf. */
static void find_deterministic(const struct cpuid_table *t, struct machine_geometry *g)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct cpuid_row *c = &t->row[i];
		unsigned type = c->eax & 31, level = c->eax >> 5 & 7;
		struct machine_cache cache = {
			.sets = c->ecx + 1,
			.ways = (uint16_t)((c->ebx >> 22) + 1),
			.line = (uint16_t)((c->ebx & 0xfff) + 1),
		};

		if ((c->leaf != 4 && c->leaf != 0x8000001d) || !type)
			continue;
		if (level == 1 && type != CACHE_CODE)
			g->l1d = cache;
		if (level == 1 && type != CACHE_DATA)
			g->l1i = cache;
		if (level == 2 && type == CACHE_UNIFIED)
			g->l2 = cache;
		if (level == 3)
			g->llc = cache;
	}
}

/* Ways of a second or third level by their code in leaf 80000006H, as far as profiles have them: AMD APM
 * vol. 3, E.4.4. */
static const uint8_t coded_ways[16] = {[4] = 4, [6] = 8, [8] = 16, [11] = 48, [12] = 64};

static struct machine_cache cache_of(uint32_t kib, unsigned ways, unsigned line)
{
	if (!kib || !ways || !line)
		return (struct machine_cache){0};
	return (struct machine_cache){
		.sets = kib * 1024 / (ways * line), .ways = (uint16_t)ways, .line = (uint16_t)line};
}

/* AMD's older leaves: size, ways, line. */
static void find_classic(const struct cpuid_table *t, struct machine_geometry *g)
{
	const struct cpuid_row *first = leaf(t, 0x80000005), *outer = leaf(t, 0x80000006);

	if (first) {
		g->l1d = cache_of(first->ecx >> 24, first->ecx >> 16 & 0xff, first->ecx & 0xff);
		g->l1i = cache_of(first->edx >> 24, first->edx >> 16 & 0xff, first->edx & 0xff);
	}
	if (outer) {
		g->l2 = cache_of(outer->ecx >> 16, coded_ways[outer->ecx >> 12 & 15], outer->ecx & 0xff);
		g->llc = cache_of((outer->edx >> 18) * 512, coded_ways[outer->edx >> 12 & 15],
				  outer->edx & 0xff);
	}
}

enum tlb { DTLB, ITLB, SECOND_TLB };

/* Descriptors of leaf 2 that tell of translations of 4 KiB pages: SDM vol. 2, CPUID, table 3-12. Of those
 * behind a first one (6BH, B4H, BAH) the model makes its second level. */
static const struct {
	uint8_t descriptor, tlb;
	uint16_t entries, ways;
} descriptors[] = {
	{0x03, DTLB, 64, 4},         {0x50, ITLB, 64, 64},       {0x57, DTLB, 16, 4},
	{0x5b, DTLB, 64, 64},        {0xb0, ITLB, 128, 4},       {0xb2, ITLB, 64, 4},
	{0xb3, DTLB, 128, 4},        {0xb4, SECOND_TLB, 256, 4}, {0xb5, ITLB, 64, 8},
	{0xc3, SECOND_TLB, 1536, 6}, {0xca, SECOND_TLB, 512, 4}, {0xc1, SECOND_TLB, 1024, 8},
	{0x61, ITLB, 48, 48},        {0x64, SECOND_TLB, 512, 4}, {0xa0, DTLB, 32, 32},
	{0xc2, DTLB, 16, 4},         {0x51, ITLB, 128, 128},     {0x01, ITLB, 32, 4},
	{0x4f, ITLB, 32, 32},        {0x52, ITLB, 256, 256},     {0x59, DTLB, 16, 16},
	{0x5c, DTLB, 128, 128},      {0x5d, DTLB, 256, 256},     {0x6a, DTLB, 64, 8},
	{0x6b, SECOND_TLB, 256, 8},  {0xb6, ITLB, 128, 8},       {0xba, SECOND_TLB, 64, 4},
	{0xc0, DTLB, 8, 4},
};

/* The trace cache that profiles have: 12 K micro-operations, eight ways (SDM vol. 2, CPUID, table 3-12), in
 * lines of six (Optimization Reference Manual of NetBurst), of which each holds a window here. */
#define TRACE_CACHE      0x70
#define TRACE_CACHE_SETS (12 * 1024 / 6 / 8)

static bool find_tlb(uint8_t descriptor, struct machine_geometry *g)
{
	for (unsigned i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
		uint16_t entries = descriptors[i].entries;

		if (descriptors[i].descriptor != descriptor)
			continue;
		if (descriptors[i].tlb == DTLB)
			g->dtlb = entries;
		else if (descriptors[i].tlb == ITLB)
			g->itlb = entries;
		else
			g->stlb_sets = entries / (g->stlb_ways = descriptors[i].ways);
		return true;
	}
	return false;
}

/* The leaf of Intel's descriptors. */
static bool find_described_tlbs(const struct cpuid_table *t, struct machine_geometry *g)
{
	bool known = false;

	for (unsigned i = 0; i < t->n; i++) {
		const struct cpuid_row *c = &t->row[i];
		const uint32_t regs[] = {c->eax & ~0xffu, c->ebx, c->ecx, c->edx};

		for (unsigned r = 0; r < 4 && c->leaf == 2; r++)
			for (unsigned shift = 0; shift < 32 && !(regs[r] >> 31); shift += 8) {
				known |= find_tlb(regs[r] >> shift & 0xff, g);
				if ((regs[r] >> shift & 0xff) == TRACE_CACHE)
					g->decoded.sets = TRACE_CACHE_SETS;
			}
	}
	return known;
}

#define TLB_ENTRIES(reg) ((reg)&0xfff)
#define L2_TLB_X32       (1u << 14) /* CPUID.80000021H:EAX, sizes are in units of 32 entries */

/* AMD's: of the second level the data side, which the model uses for both. */
static bool find_classic_tlbs(const struct cpuid_table *t, struct machine_geometry *g)
{
	const struct cpuid_row *first = leaf(t, 0x80000005), *second = leaf(t, 0x80000006),
			       *unit = leaf(t, 0x80000021);
	uint32_t entries;

	if (!first || !second)
		return false;
	g->dtlb = first->ebx >> 16 & 0xff;
	if (first->ebx & 0xff) /* Bobcat tells of none on the first level */
		g->itlb = first->ebx & 0xff;
	entries = TLB_ENTRIES(second->ebx >> 16) * (unit && unit->eax & L2_TLB_X32 ? 32 : 1);
	g->stlb_ways = coded_ways[second->ebx >> 28];
	g->stlb_sets = g->stlb_ways ? entries / g->stlb_ways : 0;
	return true;
}

bool identity_geometry(const void *identity, struct machine_geometry *g)
{
	const struct cpuid_table *t = cpuid_table_of(identity);

	find_deterministic(t, g);
	if (!g->l1d.sets)
		find_classic(t, g);
	return find_described_tlbs(t, g) || find_classic_tlbs(t, g);
}
