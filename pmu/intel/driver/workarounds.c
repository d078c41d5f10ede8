#include "pmu/intel/driver/workarounds.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/contract/counter_values.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/registers.h"

#include <stddef.h>

/* The erratum's rows name the first four. Linux flushes the multiprocessor parts of both generations, 2EH and
 * 2FH, too (arch/x86/events/intel/core.c). */
static bool needs_flush(const struct pmu *pmu)
{
	static const uint8_t models[] = {0x1a, 0x1e, 0x25, 0x2c, 0x2e, 0x2f};

	for (unsigned i = 0; i < sizeof models; i++)
		if (pmu->processor.family == 6 && pmu->processor.model == models[i])
			return intel_found(pmu)->genuine && pmu->n_general == 4 && pmu->has_global;
	return false;
}

const struct pmu_workaround intel_workarounds[] = {
	[WORK_AAJ91] = {"AAJ91", "left-over event selection is flushed before events are programmed",
			needs_flush},
	[WORK_BJ103] = {"BJ103", "precise distribution is refused with a period below 100", NULL},
	[WORK_BDD53] = {"BDD53",
			"precise distribution is refused with a reset value whose low 6 bits are not 0",
			NULL},
	[WORK_LOADS_AUX] = {"SPR-MEMLOADS-AUX", "event 03H/82H runs beside what samples load latency", NULL},
	[WORK_BIGPEBS] = {"C2-BIGPEBS", "a PEBS buffer is no larger than a page", NULL},
	{NULL, NULL, NULL},
};

/* The fourth value is Linux's, which found that it takes one for each counter. */
static const uint32_t flushing[] = {0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1};
#define FLUSHED (sizeof flushing / sizeof flushing[0])

/* A write copies bit 31 into the upper bits (SDM 18.2.1, 18.22.2). */
static bool can_write_back(const struct pmu *pmu, unsigned i, uint64_t value)
{
	return value == ((uint64_t)(int32_t)value & counter_ones(&pmu->counter[i]));
}

bool intel_flush_selectors(const struct pmu *pmu)
{
	uint64_t select[FLUSHED], value[FLUSHED], global;
	bool ok;

	if (!pmu_works_around(pmu, WORK_AAJ91))
		return true;
	if (!msr_read(IA32_PERF_GLOBAL_CTRL, &global))
		return false;
	for (unsigned i = 0; i < FLUSHED; i++)
		if (!msr_read(IA32_PERFEVTSEL0 + i, &select[i]) || !msr_read(IA32_PMC0 + i, &value[i]) ||
		    (select[i] && !can_write_back(pmu, i, value[i])))
			return false;
	ok = msr_write(IA32_PERF_GLOBAL_CTRL, 0);
	for (unsigned i = 0; i < FLUSHED; i++)
		ok = ok && msr_write(IA32_PERFEVTSEL0 + i, flushing[i]) && msr_write(IA32_PMC0 + i, 0);
	ok = ok && msr_write(IA32_PERF_GLOBAL_CTRL, (1u << FLUSHED) - 1);
	/* What has been changed is changed back, whatever faulted. */
	ok &= msr_write(IA32_PERF_GLOBAL_CTRL, 0);
	for (unsigned i = 0; i < FLUSHED; i++) {
		ok &= msr_write(IA32_PERFEVTSEL0 + i, select[i]);
		ok &= msr_write(IA32_PMC0 + i, value[i]);
	}
	return msr_write(IA32_PERF_GLOBAL_CTRL, global) && ok;
}
