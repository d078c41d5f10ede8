/* What tests of the AMD driver share: every profile that it is for, and a start on one of them. */
#ifndef TESTS_SELF_HOST_AMD_DRIVER_SHORTCUTS_H
#define TESTS_SELF_HOST_AMD_DRIVER_SHORTCUTS_H

#include "pmu/amd/amd.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"
#include "tests/self/host/support/fake_cpu.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct pmu pmu;
static const struct pmu_driver *const drv = &amd_driver;

static const struct {
	const struct model_profile *profile;
	const char *name;
	unsigned version, counters;
} parts[] = {
	{&amd_k7, "AMD K7 PMU, legacy counters", 1, 4},
	{&amd_k8, "AMD K8 PMU, legacy counters", 1, 4},
	{&amd_fam10h, "AMD family 10H PMU, legacy counters", 1, 4},
	{&amd_fam11h, "AMD family 11H PMU, legacy counters", 1, 4},
	{&amd_fam12h, "AMD family 12H PMU, legacy counters", 1, 4},
	{&amd_fam14h, "AMD family 14H PMU, legacy counters", 1, 4},
	{&amd_fam16h, "AMD family 16H PMU, legacy counters", 1, 4},
	{&amd_fam15h, "AMD family 15H PMU, core extension", 2, 6},
	{&amd_zen1, "AMD Zen 1 PMU, core extension", 2, 6},
	{&amd_zen2, "AMD Zen 2 PMU, core extension", 2, 6},
	{&amd_zen3, "AMD Zen 3 PMU, core extension", 2, 6},
	{&amd_zen3_epyc, "AMD Zen 3 PMU, core extension", 2, 6},
	{&amd_zen4, "AMD Zen 4 PMU, PerfMonV2", 3, 6},
	{&amd_zen4_guest, "AMD Zen 4 PMU, PerfMonV2", 3, 6},
	{&amd_zen5, "AMD Zen 5 PMU, PerfMonV2", 3, 6},
};
#define PARTS (sizeof parts / sizeof parts[0])

static inline void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;
	fake_cpu_start(p, inject);
	assert_true(fake_cpu_identify(drv, &pmu, &why));
	assert_true(drv->reset(&pmu, &why));
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
static inline int cleanup(void **unused)
{
	(void)unused;
	fake_cpu_stop();
	return 0;
}

#endif
