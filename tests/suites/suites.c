#include "tests/suites/suites.h"

#include <stddef.h>

/* clang-format off */
const struct suite *const suites[] = {
	&suite_machine,
	&suite_step,
	&suite_control,
	&suite_events,
	&suite_identities,
	&suite_sweep,
	&suite_noise,
	&suite_strings,
	&suite_opcodes,
	&suite_skid,
	&suite_trace,
	&suite_sampling,
	&suite_experiments,
	&suite_scan,
	&suite_errata,
	&suite_overhead,
	&suite_truth,
	&suite_bench,
	&suite_selftest,
#ifdef MODEL_MUTANTS
	&suite_mutants,
	&suite_catches,
#endif
	NULL,
};

const struct suite *const suites_of_research[] = {
	&suite_strings,
	&suite_opcodes,
	&suite_skid,
	&suite_scan,
	&suite_bench,
	NULL,
};
/* clang-format on */
