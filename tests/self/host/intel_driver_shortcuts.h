/*
 * An Intel CPU with its driver: what tests of the driver begin with.
 */
#ifndef TESTS_HOST_INTEL_DRIVER_SHORTCUTS_H
#define TESTS_HOST_INTEL_DRIVER_SHORTCUTS_H

#include "pmu/intel/intel.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &intel_driver;

static inline void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;
	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(fake_cpu_strays(), 0);
}

static inline const struct pmu_event *event(const char *name)
{
	const struct pmu_event *e = event_by_name(pmu.events, pmu.n_events, name);
	assert_non_null(e);
	return e;
}

static inline uint64_t count(unsigned c)
{
	uint64_t value;
	assert_true(drv->read(&pmu, c, &value));
	return value;
}

static inline uint64_t overflows(void)
{
	uint64_t mask;
	assert_true(drv->overflowed(&pmu, &mask));
	return mask;
}

/* Count instructions on counter c. */
static inline void arm(unsigned c, uint8_t ring, bool interrupt)
{
	struct pmu_config config = {.code = 0xc0, .levels = ring, .interrupt = interrupt};
	assert_true(drv->program(&pmu, c, &config));
}

static inline bool counts_instructions(unsigned c)
{
	return pmu.counter[c].kind == COUNTER_GENERAL || pmu.counter[c].index == 0;
}

static inline int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
}

#endif
