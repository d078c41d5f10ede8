#include "tests/self/host/support/extremes_decoded.h"
#include "tests/kernels/x86/kernel.h"

#define DECODER 4 /* micro-operations at most */

static uint64_t ring_lines(const struct extreme_run *r)
{
	return extreme_total(r, Q_BR_JMP_DIRECT) + extreme_total(r, Q_BR_RET);
}

/* Instructions that are not in the ring. */
static uint64_t loop_instructions(const struct extreme_run *r)
{
	return extreme_total(r, Q_INSTRUCTIONS) - ring_lines(r) * KERNEL_FULL_LINE;
}

uint64_t count_half_lines(const struct extreme_run *r)
{
	return ring_lines(r) / 2;
}

uint64_t count_half_decoded(const struct extreme_run *r)
{
	return ring_lines(r) / 2 * KERNEL_FULL_LINE;
}

uint64_t count_half_held(const struct extreme_run *r)
{
	return ring_lines(r) / 2 * (KERNEL_FULL_LINE - 1 + DECODER) + DECODER * loop_instructions(r);
}

uint64_t count_instructions(const struct extreme_run *r)
{
	return extreme_total(r, Q_INSTRUCTIONS);
}

uint64_t count_four_each(const struct extreme_run *r)
{
	return DECODER * extreme_total(r, Q_INSTRUCTIONS);
}

uint64_t count_loop_decoded(const struct extreme_run *r)
{
	return DECODER * loop_instructions(r) + EXTREME_DISTURBED * (KERNEL_FULL_LINE - 1 + DECODER);
}

uint64_t count_loop_looked_up(const struct extreme_run *r)
{
	return loop_instructions(r) + EXTREME_DISTURBED * KERNEL_FULL_LINE;
}

uint64_t count_lines_held(const struct extreme_run *r)
{
	uint64_t all = ring_lines(r) * KERNEL_FULL_LINE,
		 taken = EXTREME_DISTURBED * (KERNEL_FULL_LINE - 1 + DECODER);

	return all > taken ? all - taken : 0;
}
