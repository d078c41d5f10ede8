/*
 * More steps of the grid of REP-prefixed string instructions (tests/kernels/x86/string_grid.h) than the image
 * has kernels: any count, direction and alignment, made from the kernel of seven elements upwards from a
 * line's start.
 */
#ifndef TESTS_KERNELS_X86_STRING_STEP_H
#define TESTS_KERNELS_X86_STRING_STEP_H

#include "tests/kernels/x86/kernel.h"

/* Elements of the kernel that others are made from. */
#define STRING_STEP_BASE 7
/* More elements of eight bytes do not fit the kernels' pages. */
#define STRING_STEP_MOST 256

struct string_step {
	unsigned count; /* RCX at the start, 0 to STRING_STEP_MOST */
	bool down;      /* DF = 1: from the last element to the first */
	unsigned align; /* of the first element, bytes behind a line's start: 0 to 63 */
};

/** A kernel of the grid that is not in the image. */
struct string_kernel {
	struct kernel kernel;
	char name[48];
	uint8_t code[64];
	struct signature_exact exact[24];
};

/**
 * Make the kernel that `base` is at another step: its code with other operands, its signature with what
 * depends on them computed anew, in the way of macro SIG_REP.
 * @param base  a kernel of the grid, INSTRUCTION_c7_up_a0
 * @param out   gets it; .kernel points into it, so it must stay where it is
 * @return false if base is no such kernel or there is no such step
 */
bool string_step(const struct kernel *base, const struct string_step *at, struct string_kernel *out);

#endif
