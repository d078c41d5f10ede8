#include "tests/kernels/x86/chains.h"
#include "tests/kernels/x86/cache_geometry.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/paging.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/x86/kernel.h"

#define PAGE 4096

typedef struct cpuid_regs query_fn(uint32_t leaf, uint32_t subleaf);

#define RETURN           0xc3
#define RETURN_AT        32 /* of a line of which chains have the first half */
#define POOL_MIN         (4u << 20)
#define POOL_MAX         (128u << 20)
#define POOL             (32u << 20) /* two lines per way of a 16 MiB last-level cache, two pages per entry of 4096 */
#define LINE             64
#define LINES_PER_WAY    4 /* of a set: wanted */
#define LINES_PER_WAY_OK 2 /* enough */
#define LEAST_WAYS       4 /* for a chain that fits with room to spare */

static uint8_t *pool, *view_2m, *view_1g, *code_2m, *code_1g;
static uint32_t pool_size;

/* A ring of pointers through `lines` places. */
struct chain {
	uint8_t *base;
	uint32_t stride; /* bytes between places */
	uint32_t skew;   /* bytes more from each to the next, modulo a page */
	uint32_t lines;
};

/* What it takes to fill the level's set with lines, or for the last level, whose sets silicon chooses by a
 * hash of the address, all of it. */
static const char *cache_chain(unsigned level, query_fn *query, bool fits, struct chain *c)
{
	static const char too_large[] = "the cache is too large for the memory there is";
	struct cache_geometry g;
	uint64_t most, lines;

	if (!cache_geometry(level, query, &g))
		return "CPUID does not tell the cache's geometry";
	c->stride = level == 3 ? g.line : g.line * g.sets;
	most = pool_size / c->stride;
	if (fits) {
		c->lines = g.ways * 3 / 4;
		return g.ways < LEAST_WAYS ? "the cache has too few ways" : most < g.ways ? too_large : NULL;
	}
	lines = (uint64_t)LINES_PER_WAY * g.ways * (level == 3 ? g.sets : 1);
	c->lines = lines < most ? lines : most;
	return c->lines < lines / LINES_PER_WAY * LINES_PER_WAY_OK ? too_large : NULL;
}

/* Of the CPU that counts: where a profile's CPUID does not tell, the machine model takes sizes of its own. */
static struct tlb_geometry tlbs(void)
{
	struct machine_geometry g;

	if (!vpmu_profile())
		return tlb_geometry(cpuid);
	g = machine_geometry(vpmu_profile());
	return (struct tlb_geometry){g.dtlb, g.stlb_sets * g.stlb_ways};
}

/* Twice the pages that all TLBs hold, a line of each. */
static const char *page_chain(uint64_t flags, struct chain *c)
{
	struct tlb_geometry g = tlbs();
	unsigned entries = g.first + g.second;

	c->base = flags & KERNEL_SERVICE_CHAIN_2M   ? view_2m
		  : flags & KERNEL_SERVICE_CHAIN_1G ? view_1g
						    : pool;
	c->stride = PAGE;
	c->skew = LINE;
	c->lines = 2 * entries;
	if (!entries)
		return "CPUID does not tell how many pages the TLBs hold";
	if (c->lines > pool_size / PAGE)
		return "the TLBs hold too many pages for the memory there is";
	return c->base && (flags & KERNEL_SERVICE_CHAIN_2M   ? code_2m
			   : flags & KERNEL_SERVICE_CHAIN_1G ? code_1g
							     : c->base)
		       ? NULL
		       : "there are no pages of this size, or none with memory of one type";
}

/* Twice the pages that the first level holds. Pages that lie side by side are in sets side by side. */
static const char *first_tlb_chain(struct chain *c)
{
	struct tlb_geometry g = tlbs();

	c->stride = PAGE;
	c->skew = LINE;
	c->lines = 2 * g.first;
	if (!g.first)
		return "CPUID does not tell how many pages the first-level TLB holds";
	if (g.second < 2 * c->lines)
		return "there is no second-level TLB that is four times as large as the first";
	return c->lines > pool_size / PAGE ? "the TLB holds too many pages for the memory there is" : NULL;
}

/* @return NULL, or why there is no such chain to be had */
static const char *find(uint64_t flags, struct chain *c)
{
	/* The virtual CPU's machine model has its profile's caches, not the real CPU's. */
	query_fn *query = vpmu_profile() ? presented_ask : cpuid;
	bool fits = flags & KERNEL_SERVICE_CHAIN_FITS;

	*c = (struct chain){.base = pool};
	if (!pool)
		return "there is too little memory for a chain of cache lines";
	/* A chain in the second level lies in LINES_PER_WAY times its size: twice that leaves room for any
	 * way to choose sets. */
	if (flags & KERNEL_SERVICE_CHAIN_HELD && !third_level_exceeds(2 * LINES_PER_WAY, query))
		return "there is no third-level cache that is eight times as large as the second";
	if (flags & KERNEL_SERVICE_CHAIN_L1)
		return cache_chain(1, query, fits, c);
	if (flags & KERNEL_SERVICE_CHAIN_L2)
		return cache_chain(2, query, fits, c);
	if (flags & KERNEL_SERVICE_CHAIN_LLC)
		return cache_chain(3, query, fits, c);
	if (flags & KERNEL_SERVICE_CHAIN_DTLB)
		return first_tlb_chain(c);
	return page_chain(flags, c);
}

static unsigned common_divisor(unsigned a, unsigned b)
{
	while (b) {
		unsigned rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static uint64_t *place_of(const struct chain *c, uint32_t i)
{
	return (uint64_t *)(c->base + (size_t)i * c->stride + i * c->skew % PAGE);
}

/* A ring through all lines in an order that no stride prefetcher foresees. One that is there already is left
 * alone: where the last kernel stopped in it, its lines and pages are those that were used longest ago. */
static void make(const struct chain *c, struct kernel_params *params)
{
	static struct chain made;
	unsigned step = c->lines / 2 + 1;

	if (made.base == c->base && made.stride == c->stride && made.lines == c->lines && params->chain)
		return;
	while (common_divisor(c->lines, step) != 1)
		step++;
	for (uint32_t i = 0; i < c->lines; i++)
		*place_of(c, i) = (uintptr_t)place_of(c, (uint32_t)(((uint64_t)i + step) % c->lines));
	made = *c;
	params->chain = (uintptr_t)place_of(c, 0);
}

static void tell_page_size(uint64_t flags)
{
	if (flags & KERNEL_SERVICE_CHAIN_2M)
		vpmu_large_pages((uintptr_t)view_2m, (uintptr_t)view_2m + pool_size, 21);
	if (flags & KERNEL_SERVICE_CHAIN_1G)
		vpmu_large_pages((uintptr_t)view_1g, (uintptr_t)view_1g + pool_size, 30);
}

void chains_create(void)
{
	struct cache_geometry g;
	uint64_t size = POOL;

	if (cache_geometry(3, cpuid, &g) && size < 2ull * g.line * g.ways * g.sets)
		size = 2ull * g.line * g.ways * g.sets;
	for (size = size < POOL_MAX ? size : POOL_MAX; !pool && size >= POOL_MIN; size /= 2) {
		pool = data_take(size);
		pool_size = size;
	}
	if (!pool)
		return;
	view_2m = page_view(pool, pool_size, 21, false);
	view_1g = page_view(pool, pool_size, 30, false);
	code_2m = page_view(pool, pool_size, 21, true);
	code_1g = page_view(pool, pool_size, 30, true);
	pool[RETURN_AT] = RETURN;
}

const char *chain_missing(uint64_t flags)
{
	struct chain chain;

	return find(flags, &chain);
}

void chain_provide(uint64_t flags, struct kernel_params *params)
{
	struct chain chain;

	if (find(flags, &chain))
		return;
	make(&chain, params);
	if (flags & (KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G))
		params->code = (uintptr_t)(flags & KERNEL_SERVICE_CHAIN_2M ? code_2m : code_1g) + RETURN_AT;
	tell_page_size(flags);
}

uint64_t chain_round(const struct kernel *k)
{
	const uint64_t held = KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_L2 | KERNEL_SERVICE_CHAIN_DTLB;
	struct chain chain;

	if (!(k->flags & held) || find(k->flags, &chain))
		return 0;
	return (chain.lines + KERNEL_CHAIN_LINKS - 1) / KERNEL_CHAIN_LINKS;
}
