/*
 * Kernels that suites ask for by what they do. Each instruction set has its own answers, in a file of its
 * folder: tests/kernels/X/roles.c. A kernel that is named and that no linker set has is passed over; a list
 * may be empty, then there is nothing to measure of it.
 *
 * Example: what interrupts a window on the toy machine, which has a timer and nothing else.
 *
 *     const struct kernel_disturbance disturbances[] = {{"timer interrupt", "timer", false}, {0}};
 */
#ifndef TESTS_KERNELS_ROLES_H
#define TESTS_KERNELS_ROLES_H

#include <stdbool.h>
#include <stdint.h>

/** Ways into a handler and back. */
enum trip {
	TRIP_INTERRUPT_BY_CODE, /* an instruction asks for an interrupt (x86: INT n) */
	TRIP_CALL,              /* a system call (x86: SYSCALL) */
	TRIP_CALL_OTHER,        /* the other one (x86: SYSENTER): kernels with KERNEL_SERVICE_CALL_OTHER */
	TRIP_FAULT,
	TRIP_INTERRUPT,
	TRIP_NMI,
	TRIPS
};

/** What is counted, apart: a fixed counter of instructions may do other than the general ones. */
enum trip_class {
	TRIP_INSTRUCTIONS,
	TRIP_INSTRUCTIONS_FIXED,
	TRIP_BRANCHES,
	TRIP_SYSTEM_BRANCHES,
	TRIP_LOADING, /* instructions that load */
	TRIP_LOADS,
	TRIP_STORING,
	TRIP_STORES,
	TRIP_CLASSES
};

/** What the instruction set calls the instructions of a round trip, and what they contribute. */
struct trip_ways {
	const char *name[TRIPS];      /* of the way in, as reports have it */
	const char *return_into_user; /* of the way to the user's level by itself */
	const char *user_alone;       /* that a count is known at the user's level alone */
	struct {
		uint8_t call;        /* the instruction of TRIP_INTERRUPT_BY_CODE and of the calls */
		uint8_t returns;     /* the return from a handler (x86: IRET) */
		uint8_t call_return; /* that from a system call (x86: SYSRET, SYSEXIT) */
	} of[TRIP_CLASSES];
};
extern const struct trip_ways trip_ways;

/** A kernel that makes one round trip in each turn; from the user's level if it runs there alone. */
struct trip_source {
	char kernel[15];
	uint8_t trip; /* enum trip */
	bool asks;    /* it makes a TRIP_CALL as well, to ask for what comes */
};

/** All of them, in the order in which they are to be measured: what one that .asks rests on comes first. The
 * last one has no name. */
extern const struct trip_source trip_sources[];

/** A kernel in each turn of which one interrupt, fault or call comes. */
struct kernel_disturbance {
	const char *kind;   /* "page fault" */
	const char *kernel; /* of two rows for one kind and level, the one that suits the machine */
	bool user;          /* it runs at the user's level */
};

/** All of them; the last one has no kind. */
extern const struct kernel_disturbance disturbances[];

/** Kernels that are sampled, in the order in which they are looked at for an event: events of memory find
 * addresses first, others something that is theirs. The last one is NULL. */
extern const char *const kernels_sampled[];

/** Kernels for what records tell if they are asked: one that changes vector registers, one with branches. The
 * last one is NULL. */
extern const char *const kernels_sampled_more[];

/** Each turn of it loads what it has flushed from all caches; "": there is none. */
extern const char kernel_flushes[];

/** As the option kernel=: kernels whose branches are traced; kernels that force misses and mispredictions, or
 * their absence. */
extern const char kernels_traced[], kernels_of_misses[];

#endif
