/*
 * The suites that run on AArch64, and its own part of one.
 */
#include "tests/suites/control.h"
#include "tests/suites/suites.h"

#include <stddef.h>

const struct suite *const suites[] = {&suite_machine,     &suite_control, &suite_events, &suite_identities,
				      &suite_experiments, &suite_noise,   NULL};
const struct suite *const suites_of_research[] = {NULL};

const struct control_check control_instruction_set[] = {{.name = NULL}};
