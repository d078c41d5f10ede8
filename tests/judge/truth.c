#include "tests/judge/truth.h"
#include "arch/levels.h"
#include "tests/measure/measure.h"

#include <inttypes.h>
#include <stdio.h>

#define TURNS_MAX 10
#define MULTIPLES 3

static void disagree(const struct kernel *k, uint64_t n, enum quantity q, const struct amount *declared,
		     uint64_t seen, struct judgement *out)
{
	if (declared->overflow)
		judgement_set(out, VERDICT_ERROR,
			      "kernel %s declares a number of %s that does not fit 64 bits at N = %" PRIu64,
			      k->name, quantity_info[q].name, n);
	else if (declared->low == declared->high)
		judgement_set(out, VERDICT_ERROR,
			      "kernel %s declares %" PRId64 " %s at N = %" PRIu64
			      ", single-stepping shows %" PRIu64,
			      k->name, declared->low, quantity_info[q].name, n, seen);
	else
		judgement_set(out, VERDICT_ERROR,
			      "kernel %s declares %" PRId64 " to %" PRId64 " %s at N = %" PRIu64
			      ", single-stepping shows %" PRIu64,
			      k->name, declared->low, declared->high, quantity_info[q].name, n, seen);
}

void truth_check(const struct kernel *k, uint8_t level, uint64_t n, struct result *r)
{
	uint64_t first = n < TURNS_MAX ? n : TURNS_MAX;

	r->kernel = k->name;
	r->level = level_name(level);
	r->manual = "the kernel's signature";
	r->n_observations = 0;
	for (unsigned i = 0; i < MULTIPLES; i++) {
		struct qvec seen = {{0}};
		struct amount declared;
		uint64_t trial = kernel_trial_n(k, first, i);

		for (unsigned outcome = outcomes_of(k); outcome-- > 0;) {
			enum quantity q;

			if (!ground_truth(k, level, trial, outcome, &seen, r))
				return;
			q = truth_disagrees(k, trial, outcome, &seen, &declared);
			if (q != Q_COUNT) {
				disagree(k, trial, q, &declared, seen.v[q], &r->judgement);
				return;
			}
		}
		declared = kernel_amount(k, Q_INSTRUCTIONS, trial);
		histogram_add(&result_observe(r, trial, declared.low, declared.high)->seen,
			      (int64_t)seen.v[Q_INSTRUCTIONS]);
	}
	result_conclude(r);
}
