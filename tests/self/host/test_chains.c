/* Chains of cache lines and pages: each is the ring that its flags ask for, whichever was there before it. */
#include "tests/kernels/x86/chains.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

/* --- the machine -------------------------------------------------------------------------------------- */

#define TLB_FIRST  64
#define TLB_SECOND 1536

/* 32 KiB in 8 ways, 256 KiB in 4, 2 MiB in 16. */
static const struct cache_geometry levels[] = {{64, 8, 64}, {64, 4, 1024}, {64, 16, 2048}};

bool cache_geometry(unsigned level, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf),
		    struct cache_geometry *out)
{
	(void)query;
	*out = levels[level - 1];
	return true;
}

bool third_level_exceeds(unsigned times, struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf))
{
	(void)times, (void)query;
	return true;
}

struct tlb_geometry tlb_geometry(struct cpuid_regs (*query)(uint32_t leaf, uint32_t subleaf))
{
	(void)query;
	return (struct tlb_geometry){TLB_FIRST, TLB_SECOND};
}

void *data_take(size_t size)
{
	return aligned_alloc(1u << 21, size);
}

/* Other memory will do. */
void *page_view(void *start, size_t size, unsigned shift, bool code)
{
	(void)start, (void)shift, (void)code;
	return data_take(size);
}

const struct model_profile *vpmu_profile(void)
{
	return NULL;
}

void vpmu_large_pages(uint64_t start, uint64_t end, uint8_t shift)
{
	(void)start, (void)end, (void)shift;
}

/* --- tests -------------------------------------------------------------------------------------------- */

/* Of a set four lines for each way, and three for four ways where all are to stay; of the last level all
 * sets; twice the pages that a level, or all, have entries for. */
static const struct {
	uint64_t flags;
	uint32_t lines, stride;
} chains[] = {
	{KERNEL_SERVICE_CHAIN_L1, 32, 4096},
	{KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_FITS, 6, 4096},
	{KERNEL_SERVICE_CHAIN_L2, 16, 65536},
	{KERNEL_SERVICE_CHAIN_L2 | KERNEL_SERVICE_CHAIN_FITS, 3, 65536},
	{KERNEL_SERVICE_CHAIN_LLC, 131072, 64},
	{KERNEL_SERVICE_CHAIN_DTLB, 128, 64},
	{KERNEL_SERVICE_CHAIN_4K, 3200, 64},
	{KERNEL_SERVICE_CHAIN_2M, 3200, 64},
	{KERNEL_SERVICE_CHAIN_1G, 3200, 64},
};
#define CHAINS (sizeof chains / sizeof chains[0])

static void walk(uint64_t from, uint32_t lines, uint32_t stride)
{
	uint64_t at = from, lowest = from;
	uint32_t n = 0;

	do {
		lowest = at < lowest ? at : lowest;
		assert_int_equal((at - from) % stride, 0);
		at = *(const uint64_t *)at;
		n++;
	} while (at != from && n <= lines);
	assert_int_equal(n, lines);
	assert_int_equal(lowest % 4096, 0);
}

static void each_is_its_own_behind_any_other(void **state)
{
	struct kernel_params params = {0};

	(void)state;
	chains_create();
	for (unsigned before = 0; before < CHAINS; before++)
		for (unsigned i = 0; i < CHAINS; i++) {
			assert_null(chain_missing(chains[i].flags));
			chain_provide(chains[before].flags, &params);
			chain_provide(chains[i].flags, &params);
			walk(params.chain, chains[i].lines, chains[i].stride);
		}
}

/* A kernel that goes on in a chain finds the lines where it left them: it is not made anew. */
static void one_that_is_there_stays(void **state)
{
	struct kernel_params params = {0};

	(void)state;
	chain_provide(chains[0].flags, &params);
	params.chain = *(const uint64_t *)params.chain;
	uint64_t at = params.chain;
	chain_provide(chains[0].flags, &params);
	assert_true(params.chain == at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_its_own_behind_any_other),
		cmocka_unit_test(one_that_is_there_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
