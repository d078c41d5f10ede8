/*
 * Running and judging one snippet of the suite `step`; its parts share this.
 */
#ifndef TESTS_SUITES_X86_STEP_RUN_H
#define TESTS_SUITES_X86_STEP_RUN_H

#include "pmu/quantity/quantity.h"
#include "tests/suites/x86/step.h"

struct step_outcome {
	struct qvec total; /* by the oracle */
	int64_t rax;
	int64_t native_rax; /* without stepping */
	char why[120];      /* it did not come to its end */
};

struct step_case_run {
	const struct step_case *which;
	int64_t seen;
};

/** Run a snippet. @return false if it was abandoned; out->why says why */
bool step_observe(const struct step_snippet *s, uint8_t ring, struct step_outcome *out);

/** Judge what was seen; `instructions` is what is expected. */
void step_judge(const struct step_snippet *s, const struct step_outcome *out, int64_t instructions,
		struct result *r);

#endif
