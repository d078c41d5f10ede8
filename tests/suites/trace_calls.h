/*
 * Call-stack mode of a last-branch stack where calls are open: part of the suite `trace`.
 */
#ifndef TESTS_SUITES_TRACE_CALLS_H
#define TESTS_SUITES_TRACE_CALLS_H

#include "pmu/contract/record.h"
#include "tests/suites/suites.h"

/** Stop a recording some calls deep: these calls are on the stack, in their order, and those that came back
 * are not. `source` has .call_stack. */
void trace_open_calls(struct run *run, const struct pmu_record_source *source);

#endif
