/*
 * The suites that run on AArch64, and its own part of one.
 */
#include "tests/suites/control.h"
#include "tests/suites/suites.h"

#include <stddef.h>

/* clang-format off */
const struct suite *const suites[] = {
	&suite_machine,
	&suite_control,
	&suite_events,
	&suite_identities,
	&suite_sweep,
	&suite_noise,
	&suite_skid,
	&suite_sampling,
	&suite_experiments,
	&suite_overhead,
	&suite_truth,
	&suite_selftest,
	NULL,
};

/* clang-format on */

const struct suite *const suites_of_research[] = {&suite_skid, NULL};

const struct control_check control_instruction_set[] = {{.name = NULL}};
