/*
 * What AArch64's kernels are for impostors.
 */
#include "tests/kernels/aarch64/kernel.h"
#include "tools/impostors.h"

#include <string.h>

const struct impostor_of_kernel impostors_of_kernel[IMPOSTORS - IMPOSTOR_OF_KERNEL] = {
	IMPOSTOR_CONSTANT("always 1", false, 1),
	IMPOSTOR_CONSTANT("a hundred", false, 100),
	IMPOSTOR_CONSTANT("a thousand million", false, 1000000000),
	IMPOSTOR_CONSTANT("turns of the loop", true, 0),
	IMPOSTOR_OF("cycles", 1, 1, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("cycles / 4", 1, 4, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("cycles / 64", 1, 64, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("the generic timer, half as fast again", 3, 2, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("slots, eight a cycle", 8, 1, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("instructions", 1, 1, IMPOSTOR_Q(INSTRUCTIONS)),
	IMPOSTOR_OF("instructions / 4", 1, 4, IMPOSTOR_Q(INSTRUCTIONS)),
	IMPOSTOR_OF("operations", 1, 1, IMPOSTOR_Q(INSTRUCTIONS), IMPOSTOR_Q(INSN_PAIR)),
	IMPOSTOR_OF("load instructions", 1, 1, IMPOSTOR_Q(INSN_LOAD)),
	IMPOSTOR_OF("store instructions", 1, 1, IMPOSTOR_Q(INSN_STORE)),
	IMPOSTOR_OF("loads and stores", 1, 1, IMPOSTOR_Q(LOADS), IMPOSTOR_Q(STORES)),
	IMPOSTOR_OF("bytes loaded", 1, 1, IMPOSTOR_Q(LOAD_BYTES)),
	IMPOSTOR_OF("branches", 1, 1, IMPOSTOR_Q(BRANCHES)),
	IMPOSTOR_OF("conditional branches", 1, 1, IMPOSTOR_Q(BR_COND)),
	IMPOSTOR_OF("branches taken", 1, 1, IMPOSTOR_Q(BR_COND_TAKEN), IMPOSTOR_Q(BR_JMP_DIRECT),
		    IMPOSTOR_Q(BR_RET)),
	IMPOSTOR_OF("branches not taken", 1, 1, IMPOSTOR_Q(BR_COND_NTAKEN)),
	IMPOSTOR_OF("exclusive accesses", 1, 1, IMPOSTOR_Q(INSN_LDX), IMPOSTOR_Q(INSN_STX)),
	IMPOSTOR_OF("Advanced SIMD instructions", 1, 1, IMPOSTOR_Q(INSN_SIMD)),
	IMPOSTOR_OF("floating-point instructions", 1, 1, IMPOSTOR_Q(INSN_FP)),
	IMPOSTOR_OF("exceptions and their returns", 1, 1, IMPOSTOR_Q(EXCEPTIONS), IMPOSTOR_Q(EXC_RETURNS)),
};

const char *const impostors_of_truth[IMPOSTOR_OF_KERNEL] = {
	[IMPOSTOR_DEAD] = "dead",
	[IMPOSTOR_TWICE] = "twice the truth",
	[IMPOSTOR_HALF] = "half the truth",
	[IMPOSTOR_ONE_MORE] = "one more than the truth",
	[IMPOSTOR_DELAYED] = "the window before",
	[IMPOSTOR_OTHER_LEVEL] = "the other level",
	[IMPOSTOR_NEXT_MASK] = "the next event",
	[IMPOSTOR_PREVIOUS_MASK] = "the event before",
};

static const struct {
	const char *name;
	uint64_t bit;
} needs[] = {{"LSE", KERNEL_NEEDS_LSE},   {"CRC", KERNEL_NEEDS_CRC}, {"AES", KERNEL_NEEDS_AES},
	     {"RCPC", KERNEL_NEEDS_RCPC}, {"PMU", KERNEL_NEEDS_PMU}, {"SVE", KERNEL_NEEDS_SVE},
	     {"FP16", KERNEL_NEEDS_FP16}, {"IC", KERNEL_NEEDS_IC}};

uint64_t impostors_need(const char *name, size_t n)
{
	for (unsigned i = 0; i < sizeof needs / sizeof *needs; i++)
		if (strlen(needs[i].name) == n && !strncmp(needs[i].name, name, n))
			return needs[i].bit;
	return 0;
}

bool impostors_leave_user_level(const struct kernel *k)
{
	return kernel_amount(k, Q_EXCEPTIONS, 1).high;
}

bool impostors_suit(const struct kernel *k)
{
	return !(k->flags & KERNEL_USER_ONLY) || !impostors_leave_user_level(k);
}
