/*
 * Impostors: counters that count something else than an event says, or nothing, held against what the suites
 * expect of the event on hardware. A row that lets them pass says little.
 *
 * A row's expectations are those of the suite events on every kernel that the microarchitecture can run, at N
 * and 2N, narrowed by the equations of the suite identities, whose other terms are inside their own
 * expectations. What an impostor that follows the truth (twice of it, one more) counts is not known, as the
 * truth is not: it passes if some truth that the row allows would let it pass. The others count what an
 * undisturbed machine would give them: every interval at its low end, one cycle for each instruction or
 * iteration.
 */
#ifndef TOOLS_IMPOSTORS_H
#define TOOLS_IMPOSTORS_H

#include "pmu/contract/pmu.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#define IMPOSTORS 32

/** Each has a bit in struct impostor_result. */
enum impostor {
	IMPOSTOR_DEAD,
	IMPOSTOR_TWICE,
	IMPOSTOR_HALF,
	IMPOSTOR_ONE_MORE,
	IMPOSTOR_DELAYED,
	IMPOSTOR_OTHER_LEVEL,
	IMPOSTOR_NEXT_MASK,
	IMPOSTOR_PREVIOUS_MASK,
	IMPOSTOR_OF_KERNEL, /* from here on the kernel alone tells what they count */
};

#define IMPOSTORS_TIGHT   3  /* at most so many pass */
#define IMPOSTORS_VACUOUS 25 /* at least so many pass */
#define IMPOSTORS_NEAR_0  10

struct impostor_result {
	bool judged; /* some kernel has an expectation */
	bool never;  /* on all of them it must stay 0 */
	bool lower;  /* some kernel must make it tick */
	const char
		*contradiction; /* a kernel on which its least is more than its most; NULL: there is none */
	uint32_t passed;        /* bit n: impostor n */
	const char *near_0;     /* a kernel on which it must stay near 0: at most one in IMPOSTORS_NEAR_0 of
				   the instructions that it runs; NULL: there is none */
};

/** An equation whose events are all offered, and their rows. */
struct impostor_equation {
	const struct pmu_identity *identity;
	unsigned n;
	const struct pmu_event *row[IDENTITY_TERMS];
};

/** What is offered together: rows, and the equations that hold among them. */
struct impostor_offer {
	const struct pmu_event *row;
	unsigned n;
	const struct impostor_equation *equation;
	unsigned n_equations;
	uint64_t needs; /* KERNEL_NEEDS_* that its kernels may have */
};

/* --- what the instruction set says of its kernels
 * ------------------------------------------------------------ */

/** What a counter that only the kernel decides on counts of it: the sum of some quantities, times / per, and
 * a constant. */
struct impostor_of_kernel {
	const char *name;
	quantity_number quantity[3]; /* + 1; 0 ends */
	uint8_t times, per;
	bool turns; /* N besides */
	int64_t constant;
};
extern const struct impostor_of_kernel impostors_of_kernel[IMPOSTORS - IMPOSTOR_OF_KERNEL];
extern const char *const impostors_of_truth[IMPOSTOR_OF_KERNEL]; /* names of the others */

#define IMPOSTOR_OF(name, times, per, ...)                                                                   \
	{                                                                                                    \
		name, {__VA_ARGS__}, times, per, false, 0                                                    \
	}
#define IMPOSTOR_CONSTANT(name, turns, constant)                                                             \
	{                                                                                                    \
		name, {0}, 0, 1, turns, constant                                                             \
	}
#define IMPOSTOR_Q(q) (Q_##q + 1)

/** The KERNEL_NEEDS_* bit of a name of n characters. @return 0: there is none */
uint64_t impostors_need(const char *name, size_t n);

/** Whether a kernel needs nothing that a machine may not have (other processors), and what it does counts all
 * in one place. */
bool impostors_suit(const struct kernel *k);

/** Whether a kernel that runs at the user's level leaves it. */
bool impostors_leave_user_level(const struct kernel *k);

/* --- the impostors
 * -------------------------------------------------------------------------------------------- */

/** KERNEL_NEEDS_* of their names, between blanks. A name that there is not ends the program, with a message.
 */
uint64_t impostors_needs(const char *names);

/** Name of an impostor. */
const char *impostor_name(unsigned impostor);

/** To be called once. @param no_lower, no_upper leave these ends of all intervals out, for tests */
void impostors_begin(bool no_lower, bool no_upper);

/** Let all impostors stand in for a row: one of those offered, or another one that has no neighbours. */
struct impostor_result impostors_try(const struct impostor_offer *o, const struct pmu_event *e);

#endif
