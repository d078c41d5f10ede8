/*
 * Counts of the core's clock, what its modulation leaves of records, and what firmware's
 * interrupt does: published errata are about each of them.
 */
#include "pmu/intel/checks/control_parts.h"

#include "arch/memory.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/ds.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define HALF_CLOCK 0x18 /* of IA32_CLOCK_MODULATION: on, half of the time */
#define HALT_US    20000
#define FASTEST    8 /* core clock to time-stamp counter, at most */
#define FAR_ON     (1ull << 40)
#define HALT_TICKS 100000 /* that all else may take */
#define NEAR_TOP   (UINT64_MAX - 15)

enum { CLOCK_WRAP, CLOCK_MODULATED, CLOCK_PRODUCTIVE, CLOCKS };

bool intel_clock_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[CLOCKS] = {"wrap", "modulated", "productive"};

	out->counters = intel_first_counters(pmu, 1);
	if (pmu->under_hypervisor || !intel_found(pmu)->counts_clocks ||
	    !intel_offers(pmu, CODE_INSTRUCTIONS) || !out->counters ||
	    i >= (intel_found(pmu)->counts_productive ? CLOCKS : CLOCK_PRODUCTIVE))
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	return true;
}

static void a_while(void)
{
	for (volatile unsigned n = 0; n < 100; n++)
		;
}

static bool clocks(uint64_t mperf, uint64_t aperf)
{
	return msr_write(IA32_MPERF, mperf) && msr_write(IA32_APERF, aperf);
}

void intel_clock_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	uint64_t before, took;

	(void)e;
	h->works(h, "writing the counts", clocks(FAR_ON, i == CLOCK_WRAP ? NEAR_TOP : FAR_ON));
	control_program(h, 0, &config, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	if (i == CLOCK_WRAP) {
		a_while();
		h->within(h, "when IA32_APERF wraps, IA32_MPERF becomes", 0, FAR_ON - 1,
			  control_register(h, IA32_MPERF));
	} else if (i == CLOCK_MODULATED) {
		uint64_t was = control_register(h, IA32_CLOCK_MODULATION);

		h->works(h, "halving the clock", msr_write(IA32_CLOCK_MODULATION, HALF_CLOCK));
		before = control_register(h, IA32_MPERF);
		a_while();
		took = control_register(h, IA32_MPERF) - before;
		h->works(h, "restoring the clock", msr_write(IA32_CLOCK_MODULATION, was));
		h->within(h, "with the clock halved IA32_MPERF goes on by", 1, UINT64_MAX / 2, took);
	} else {
		before = control_register(h, MSR_PPERF);
		took = h->halt(h, HALT_US) + HALT_TICKS;
		h->within(h, "over a halt MSR_PPERF goes on by", 0, took * FASTEST,
			  control_register(h, MSR_PPERF) - before);
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->works(h, "clearing the counts", clocks(0, 0));
}

/* --- branches --------------------------------------------------------------------------------------------
 */

#define BRANCHES 64

bool intel_slow_trace_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !intel_found(pmu)->traces_branches || !intel_found(pmu)->modulates)
		return false;
	snprintf(out->name, sizeof out->name, "BTS");
	return true;
}

static __attribute__((noinline)) unsigned traced(struct control_fixture *h, uint64_t modulation)
{
	static _Alignas(64) uint8_t memory[sizeof(struct ds_area) + BRANCHES * sizeof(struct ds_branch)];
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_BRANCH_TRACE),
				  .levels = LEVELS_ALL,
				  .memory = memory,
				  .size = sizeof memory,
				  .records = BRANCHES};
	struct pmu_record out[BRANCHES];
	const char *why;
	unsigned n;

	if (!h->works(h, "setting the trace up", r.source && record_setup(h->pmu, &r, &why)))
		return 0;
	h->works(h, "modulating the clock", msr_write(IA32_CLOCK_MODULATION, modulation));
	h->works(h, "tracing", record_start(h->pmu, &r));
	for (volatile unsigned k = 0; k < BRANCHES / 2; k++)
		;
	h->works(h, "stopping", record_stop(h->pmu, &r));
	n = record_drain(h->pmu, &r, out, BRANCHES);
	h->works(h, "releasing", record_release(h->pmu, &r));
	return n;
}

void intel_slow_trace_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t was = control_register(h, IA32_CLOCK_MODULATION);
	unsigned n = traced(h, was);

	(void)i, (void)e;
	h->equal(h, "branches traced with the clock halved", n, traced(h, HALF_CLOCK));
	h->works(h, "restoring the clock", msr_write(IA32_CLOCK_MODULATION, was));
}

/* --- firmware's interrupt ---------------------------------------------------------------------------------
 */

#define LOOKS_VIRTUAL 2048
#define LOOKS         (1u << 22)

enum { SMI_FREEZE, SMI_RECORDS, SMIS };

bool intel_smi_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[SMIS] = {"the freeze", "records"};
	const struct intel_found *f = intel_found(pmu);
	uint64_t value;

	if (i >= SMIS || pmu->under_hypervisor || f->no_freeze || !f->records_branches ||
	    !intel_offers(pmu, CODE_INSTRUCTIONS) || !pmu->has_global || !msr_read(MSR_SMI_COUNT, &value))
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	out->counters = intel_first_counters(pmu, 1);
	return out->counters != 0;
}

/* None is asked for: firmware may do with one what it likes. Few branches pass between one and the end of
 * what is recorded.
 * @param debugctl what was asked for then
 * @return whether one came */
static bool comes(struct control_fixture *h, uint64_t *debugctl)
{
	uint64_t before, now = 0;
	bool good = msr_read(MSR_SMI_COUNT, &before);

	for (unsigned n = h->pmu->virtual ? LOOKS_VIRTUAL : LOOKS; good && n; n--)
		if (msr_read(MSR_SMI_COUNT, &now) && now != before)
			return msr_read(IA32_DEBUGCTL, debugctl) && msr_write(IA32_DEBUGCTL, 0);
	h->leave(h, "no SMI came");
	return false;
}

void intel_smi_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
				  .levels = LEVELS_ALL};
	struct pmu_record out[INTEL_LBR_DEPTH_MAX];
	uint64_t debugctl, physical;
	unsigned strange = 0, shift;
	const char *why;

	(void)e;
	control_program(h, 0, &config, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	if (i == SMI_FREEZE) {
		h->works(h, "asking for the freeze",
			 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
		if (comes(h, &debugctl))
			h->equal(h, "after an SMI the freeze is asked for", true,
				 (debugctl & DEBUGCTL_FREEZE_PERFMON_ON_PMI) != 0);
		h->works(h, "taking it back",
			 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	} else if (r.source) {
		h->works(h, "recording", record_setup(h->pmu, &r, &why) && record_start(h->pmu, &r));
		bool came = comes(h, &debugctl);

		h->works(h, "stopping", record_stop(h->pmu, &r));
		unsigned n = record_drain(h->pmu, &r, out, INTEL_LBR_DEPTH_MAX);

		for (unsigned k = 0; k < n; k++)
			strange += !page_translate(out[k].from, &physical, &shift);
		if (came)
			h->equal(h, "after an SMI, branches recorded from where no code is", 0, strange);
		h->works(h, "releasing", record_release(h->pmu, &r));
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
}
