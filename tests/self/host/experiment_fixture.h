/*
 * An experiment from the words of its section, made ready for a PMU or refused: for tests of both.
 */
#ifndef TESTS_SELF_HOST_EXPERIMENT_FIXTURE_H
#define TESTS_SELF_HOST_EXPERIMENT_FIXTURE_H

#include "boot/experiments.h"
#include "tests/measure/experiment_planner.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

FAKE_KERNEL(kernel_ten, "nop_loop", KERNEL_CORE, FAKE_EXACT(INSTRUCTIONS, 12, 0), FAKE_EXACT(BRANCHES, 1, 0));
FAKE_KERNEL(kernel_big, "big_loop", 0, FAKE_EXACT(INSTRUCTIONS, 1 << 20, 5), FAKE_EXACT(BRANCHES, 1, 0));
FAKE_KERNEL(kernel_gate, "gate", 0, FAKE_EXACT(INSTRUCTIONS, 4, 0), FAKE_EXACT(RING_TO_KERNEL, 1, 0));

static struct options o;
static struct experiments all;
static struct experiment_plan plan;
static struct pmu pmu;
static const struct experiment_sources *sources;
static char why[256];

static inline void power_up(const char *profile)
{
	const char *reason;

	fake_cpu_start(model_profile_by_name(profile), NULL);
	/* A model that no table knows: architectural events alone. */
	if (!strncmp(profile, "intel", 5))
		fake_cpu_set_leaf(1, 0, 0x00ff06f6, 0, 1u << 15, 1u << 9);
	assert_true(pmu_find(NULL, &pmu, &reason));
	pmu.driver->list_events(&pmu);
	pmu.virtual = true;
}

static inline bool make(const char *keys, uint8_t ring)
{
	struct option_error error;
	char text[400];

	snprintf(text, sizeof text, "[experiment x]\n%s", keys);
	options_default(&o);
	if (!experiments_parse(&o, &all, text, strlen(text), "assay.cfg", &error))
		fail_msg("%s", error.text);
	return experiment_plan(&all, &all.experiment[0], &pmu, sources, ring, 5, 3, &plan, why, sizeof why);
}

static inline void taken(const char *keys, uint8_t ring, unsigned passes)
{
	if (!make(keys, ring))
		fail_msg("%s", why);
	assert_int_equal(plan.passes, passes);
}

/* Of the i-th event, at N = 10; if not, why[] has the reason. */
static inline bool expects(unsigned i, const struct kernel *k, struct expectation *x)
{
	struct pmu_bracket bracket = {.own = {{Q_INSTRUCTIONS, 4}}};
	struct reason reason;
	bool judged = experiment_expects(&plan, i, k, &bracket, 10, x, &reason);

	snprintf(why, sizeof why, "%s", reason.line);
	return judged;
}

static inline void refused(const char *keys, uint8_t ring, const char *message)
{
	assert_false(make(keys, ring));
	assert_string_equal(why, message);
}

#define K "kernel=nop_loop "
#define E K "events=INST_RETIRED.ANY_P "

#endif
