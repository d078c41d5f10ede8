#include "tests/self/host/support/recording_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

void recording_cpu(struct pmu *pmu, const struct pmu_driver *driver, const struct model_profile *p,
		   const char *inject)
{
	const char *why = NULL;

	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(driver, pmu, &why));
	assert_true(driver->reset(pmu, &why));
	assert_int_equal(fake_cpu_strays(), 0);
	fake_cpu_path()->regs.ip = CODE;
}

void recording_begin(const struct pmu *pmu, const struct pmu_recording *r)
{
	const char *why = NULL;

	if (!record_setup(pmu, r, &why))
		fail_msg("%s: %s", r->source->name, why);
	assert_true(record_start(pmu, r));
}
