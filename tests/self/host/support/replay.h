/*
 * The machine model (pmu/virtual/machine_model.h) runs a kernel's trace (trace.h).
 */
#ifndef TESTS_HOST_REPLAY_H
#define TESTS_HOST_REPLAY_H

#include "pmu/virtual/machine_model.h"
#include "tests/self/host/support/trace.h"

/** As tests/kernels/x86/services.c makes the chain of a kernel: lines of one set, or a ring that is too large
 * for a cache or the TLBs. */
struct replay_chain {
	uint64_t stride;
	unsigned lines, at;
	uint8_t large; /* shift of the large pages that it lies in, 0: none */
	bool code;     /* it is called, and its links are not followed */
};

struct replay {
	struct uarch *machine;
	struct replay_chain chain;
	struct qvec total;
};

/** A machine of this geometry in memory of its own; free() ends it. */
struct uarch *replay_machine(const struct machine_geometry *g);

/** Begin with kernel k: the machine (of geometry g) is cold. @return false if there is no such cache as the
 * kernel's chain is for */
bool replay_begin(struct replay *r, struct uarch *machine, const struct machine_geometry *g,
		  const struct kernel *k);

/** Let it run a trace of that kernel; a chain goes on where the last one stopped. @return what it shows, in
 * r->total */
const struct qvec *replay_run(struct replay *r, struct trace *t);

#endif
