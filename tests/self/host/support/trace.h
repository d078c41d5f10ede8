/*
 * What a kernel does, instruction by instruction, kept: for machines that run it again
 * (pmu/virtual/machine_model.h, tests/self/host/support/extremes.h).
 */
#ifndef TESTS_HOST_TRACE_H
#define TESTS_HOST_TRACE_H

#include "arch/x86/step/retired.h"
#include "pmu/quantity/quantity.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_step {
	struct insn_retired did; /* .insn is not set: it is the one below */
	struct insn insn;
	uint8_t code[16];
	uint64_t rip, next;
	bool denormal; /* arch/x86/step/denormals.h */
};

struct trace {
	const struct kernel *kernel;
	uint64_t n;
	struct trace_step *step;
	size_t count, room;
	bool stepped; /* by this machine's processor; else read off the code */
	/* All architectural quantities, handlers' included; of kernels without transactions, for both
	 * outcomes. The steps are those of OUTCOME_ABORT. */
	struct qvec total[OUTCOMES];
};

/**
 * Step a kernel (tests/self/host/support/stepper.h), or, where that is not possible, or would begin a ring of
 * code anew, read its path off its code: straight on, along direct jumps, back at the branch that closes the
 * loop as often as there are turns. Then addresses of data are made up, but two operands have one address if
 * they are written alike; and what handlers of its interrupts and faults, or guests, do is not seen, nor how
 * many elements a gather or scatter accesses (trace_is_whole()).
 * @param t    zeroed, or of an earlier call, whose memory is used again
 * @param from kernels with the ring of code: how many turns were before
 * @return NULL, or one line that says what went wrong
 */
const char *trace_record(struct trace *t, const struct kernel *k, uint64_t n, uint64_t from);
void trace_free(struct trace *t);

/** How many turns take a kernel once through its ring of code; 0: it has none. */
unsigned trace_ring_turns(const struct kernel *k);

/** Whether a trace of this kernel has all that the kernel causes: it is stepped, or has neither handlers nor
 * guests nor gathers. */
bool trace_is_whole(const struct kernel *k);

/** The step's terms (arch/x86/step/account.h). @return how many */
unsigned trace_terms(struct trace_step *s, struct qterm *terms);

/** Amount of an architectural quantity in one step. */
uint64_t trace_amount(struct trace_step *s, enum quantity q);

#endif
