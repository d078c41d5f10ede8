/* Rules of extreme machines (extremes.h): cycles. */
#include "tests/self/host/support/extremes_rules.h"
#include "tests/kernels/x86/kernel.h"

#define SIBLING    2  /* a sibling thread takes every other cycle */
#define MULTIPLY   12 /* IMUL of 64 bits */
#define L1_HIT     8  /* or a store that forwards */
#define L2_HIT     50
#define MEMORY     1000 /* 200 ns at 5 GHz; an entry of a page table as well */
#define MISPREDICT 31
#define BRACKET    (4 * 300) /* instructions outside of the kernel that count, and what WRMSR takes */
#define PAGES                                                                                                \
	(KERNEL_SERVICE_CHAIN_LLC | KERNEL_SERVICE_CHAIN_4K | KERNEL_SERVICE_CHAIN_2M |                      \
	 KERNEL_SERVICE_CHAIN_1G)
#define LARGE (KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G)

uint64_t count_quick(const struct extreme_run *r)
{
	uint64_t multiplied = extreme_total(r, Q_INSN_MUL);

	return multiplied ? multiplied : extreme_total(r, Q_LOADS);
}

static uint64_t load_cycles(uint64_t flags)
{
	if (flags & KERNEL_SERVICE_CHAIN_FITS || !(flags & KERNEL_SERVICE_CHAINS))
		return L1_HIT;
	return flags & KERNEL_SERVICE_CHAIN_L1 ? L2_HIT : MEMORY;
}

/* One instruction after the other. */
uint64_t count_slow(const struct extreme_run *r)
{
	uint64_t flags = r->trace->kernel->flags, cycles = 0, loads = extreme_total(r, Q_LOADS);

	for (size_t i = 0; i < r->trace->count; i++) {
		struct trace_step *s = &r->trace->step[i];

		cycles += trace_amount(s, Q_INSN_MUL) ? MULTIPLY
			  : trace_amount(s, Q_LOADS)  ? load_cycles(flags)
						      : 1;
	}
	if (flags & PAGES)
		cycles += MEMORY * (flags & LARGE ? count_large_pages(r) : loads);
	return SIBLING * (cycles + MISPREDICT * count_forgetful(r)) + BRACKET;
}
