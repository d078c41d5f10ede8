/*
 * A NetBurst CPU with its driver: what tests of the driver begin with.
 */
#ifndef TESTS_HOST_NETBURST_DRIVER_SHORTCUTS_H
#define TESTS_HOST_NETBURST_DRIVER_SHORTCUTS_H

#include "pmu/events/grammar.h"
#include "pmu/netburst/netburst.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &netburst_driver;

static inline void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;

	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
	assert_int_equal(fake_cpu_strays(), 0);
}

static struct pmu_config config_of(const char *text)
{
	struct event_request request;
	struct event_error error;

	if (event_parse(&pmu, text, &request, 1, &error) != 1)
		fail_msg("%s: %s", text, error.text);
	return request.config;
}

static inline bool program(unsigned c, const char *text)
{
	struct pmu_config config = config_of(text);

	return drv->program(&pmu, c, &config);
}

static inline uint64_t count(unsigned c)
{
	uint64_t value;

	assert_true(drv->read(&pmu, c, &value));
	return value;
}

static inline uint64_t msr(uint32_t address)
{
	uint64_t value;

	assert_true(msr_read(address, &value));
	return value;
}

static inline int cleanup(void **state)
{
	(void)state;
	fake_cpu_stop();
	return 0;
}

#endif
