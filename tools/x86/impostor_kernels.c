/*
 * What x86's kernels are for impostors.
 */
#include "tests/kernels/x86/needs.h"
#include "tools/impostors.h"

#include <string.h>

const struct impostor_of_kernel impostors_of_kernel[IMPOSTORS - IMPOSTOR_OF_KERNEL] = {
	IMPOSTOR_CONSTANT("always 1", false, 1),
	IMPOSTOR_CONSTANT("a hundred", false, 100),
	IMPOSTOR_CONSTANT("a thousand million", false, 1000000000),
	IMPOSTOR_CONSTANT("turns of the loop", true, 0),
	IMPOSTOR_OF("cycles", 1, 1, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("cycles / 4", 1, 4, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("cycles / 20", 1, 20, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("TSC, half as fast again", 3, 2, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("slots, four a cycle", 4, 1, IMPOSTOR_Q(CYCLES)),
	IMPOSTOR_OF("instructions", 1, 1, IMPOSTOR_Q(INSTRUCTIONS)),
	IMPOSTOR_OF("instructions / 4", 1, 4, IMPOSTOR_Q(INSTRUCTIONS)),
	IMPOSTOR_OF("micro-operations", 1, 1, IMPOSTOR_Q(INSTRUCTIONS), IMPOSTOR_Q(STORES)),
	IMPOSTOR_OF("loads", 1, 1, IMPOSTOR_Q(LOADS)),
	IMPOSTOR_OF("stores", 1, 1, IMPOSTOR_Q(STORES)),
	IMPOSTOR_OF("loads and stores", 1, 1, IMPOSTOR_Q(LOADS), IMPOSTOR_Q(STORES)),
	IMPOSTOR_OF("bytes loaded", 1, 1, IMPOSTOR_Q(LOAD_BYTES)),
	IMPOSTOR_OF("branches", 1, 1, IMPOSTOR_Q(BRANCHES)),
	IMPOSTOR_OF("conditional branches", 1, 1, IMPOSTOR_Q(BR_COND)),
	IMPOSTOR_OF("branches taken", 1, 1, IMPOSTOR_Q(BR_COND_TAKEN), IMPOSTOR_Q(BR_JMP_DIRECT),
		    IMPOSTOR_Q(BR_RET)),
	IMPOSTOR_OF("branches not taken", 1, 1, IMPOSTOR_Q(BR_COND_NTAKEN)),
	IMPOSTOR_OF("iterations of REP", 1, 1, IMPOSTOR_Q(REP_ITERATIONS)),
	IMPOSTOR_OF("SSE instructions", 1, 1, IMPOSTOR_Q(INSN_SSE)),
	IMPOSTOR_OF("x87 instructions", 1, 1, IMPOSTOR_Q(INSN_X87)),
	IMPOSTOR_OF("exceptions and far branches", 1, 1, IMPOSTOR_Q(EXCEPTIONS), IMPOSTOR_Q(BR_FAR)),
};

const char *const impostors_of_truth[IMPOSTOR_OF_KERNEL] = {
	[IMPOSTOR_DEAD] = "dead",
	[IMPOSTOR_TWICE] = "twice the truth",
	[IMPOSTOR_HALF] = "half the truth",
	[IMPOSTOR_ONE_MORE] = "one more than the truth",
	[IMPOSTOR_DELAYED] = "the window before",
	[IMPOSTOR_OTHER_LEVEL] = "the other ring",
	[IMPOSTOR_NEXT_MASK] = "the next unit mask",
	[IMPOSTOR_PREVIOUS_MASK] = "the unit mask before",
};
uint64_t impostors_need(const char *name, size_t n)
{
	const struct kernel_need *k = kernel_needs;

	while (k->bit && (strlen(k->name) != n || strncmp(k->name, name, n)))
		k++;
	return k->bit;
}

bool impostors_leave_user_level(const struct kernel *k)
{
	return kernel_amount(k, Q_RING_TO_KERNEL, 1).high;
}

/* Other processors, or the other logical one, need not be there; what leaves ring 3 on its way counts partly
 * elsewhere. */
bool impostors_suit(const struct kernel *k)
{
	if (k->flags & (KERNEL_SERVICE_RIVAL | KERNEL_SERVICE_SIBLING))
		return false;
	return !(k->flags & KERNEL_USER_ONLY) || !impostors_leave_user_level(k);
}
