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
#include "pmu/intel/records/record_ds.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define HALT_US    20000
#define FASTEST    8 /* core clock to time-stamp counter, at most */
#define FAR_ON     (1ull << 40)
#define HALT_TICKS 100000 /* that all else may take */
#define NEAR_TOP   (UINT64_MAX - 15)

enum { CLOCK_WRAP, CLOCK_MODULATED, CLOCK_PRODUCTIVE, CLOCKS };

/* The i-th of those that this CPU has; CLOCKS: there is none. */
static unsigned nth_clock(const struct pmu *pmu, unsigned i)
{
	const bool has[CLOCKS] = {true, intel_found(pmu)->modulates, intel_found(pmu)->counts_productive};
	unsigned clock = 0;

	for (i += 1; clock < CLOCKS; clock++)
		if (has[clock] && !--i)
			break;
	return clock;
}

bool intel_clock_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[CLOCKS] = {"wrap", "modulated", "productive"};
	unsigned clock = nth_clock(pmu, i);

	out->counters = intel_first_counters(pmu, 1);
	if (pmu->under_hypervisor || !intel_found(pmu)->counts_clocks ||
	    !intel_offers(pmu, CODE_INSTRUCTIONS) || !out->counters || clock == CLOCKS)
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[clock]);
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
	i = nth_clock(h->pmu, i);
	if (!h->works(h, "reading the counts",
		      intel_lend(h->pmu, IA32_MPERF) && intel_lend(h->pmu, IA32_APERF)))
		return;
	h->works(h, "writing the counts", clocks(FAR_ON, i == CLOCK_WRAP ? NEAR_TOP : FAR_ON));
	control_program(h, 0, &config, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	if (i == CLOCK_WRAP) {
		a_while();
		h->within(h, "when IA32_APERF wraps, IA32_MPERF becomes", 0, FAR_ON - 1,
			  control_register(h, IA32_MPERF));
	} else if (i == CLOCK_MODULATED) {
		h->works(h, "halving the clock",
			 intel_lend(h->pmu, IA32_CLOCK_MODULATION) &&
				 msr_write(IA32_CLOCK_MODULATION, CLOCK_HALF));
		before = control_register(h, IA32_MPERF);
		a_while();
		took = control_register(h, IA32_MPERF) - before;
		h->within(h, "with the clock halved IA32_MPERF goes on by", 1, UINT64_MAX / 2, took);
	} else {
		before = control_register(h, MSR_PPERF);
		took = h->halt(h, HALT_US) + HALT_TICKS;
		h->within(h, "over a halt MSR_PPERF goes on by", 0, took * FASTEST,
			  control_register(h, MSR_PPERF) - before);
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->works(h, "restoring the clock and its counts", intel_give_back(h->pmu));
}

/* --- branches -------------------------------------------------------------------------------------- */

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

	(void)i, (void)e;
	if (!h->works(h, "reading the clock's modulation", intel_lend(h->pmu, IA32_CLOCK_MODULATION)))
		return;
	unsigned n = traced(h, was);

	h->equal(h, "branches traced with the clock halved", n, traced(h, CLOCK_HALF));
	h->works(h, "restoring the clock", intel_give_back(h->pmu));
}

/* --- firmware's interrupt -------------------------------------------------------------------------- */

#define LOOKS_VIRTUAL 512 /* some twenty steps each */
#define LOOKS         (1u << 22)
#define HELD_IN_SMM   (1ull << 12) /* of IA32_PERF_CAPABILITIES: SDM 17.4.1 */

enum { SMI_FREEZE, SMI_RECORDS, SMI_SAMPLE, SMIS };

bool intel_smi_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[SMIS] = {"the freeze", "records", "a sample"};
	const struct intel_found *f = intel_found(pmu);

	if (i >= SMIS || pmu->under_hypervisor || f->no_freeze || !f->records_branches ||
	    !intel_offers(pmu, CODE_INSTRUCTIONS) || !pmu->has_global || !f->counts_smis)
		return false;
	if (i == SMI_SAMPLE &&
	    (!f->samples || f->pebs.architectural || f->pebs.adaptive || !(f->capabilities & HELD_IN_SMM)))
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

#define CODE_CALLS 0x02c4
#define SAMPLES    16
#define CALLS      4 /* that arm it, at most */

/* Without a call: that is what is counted. */
static inline __attribute__((always_inline)) uint64_t register_inline(uint32_t address)
{
	uint32_t low, high;

	__asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(address));
	return (uint64_t)high << 32 | low;
}

static __attribute__((noinline)) void called(void)
{
	__asm__ volatile("");
}

/* @return whether an SMI came; *more: by how much the buffer's index moved over it */
static bool waited(const struct pmu *pmu, const volatile struct ds_area *area, uint64_t *more)
{
	uint64_t before = register_inline(MSR_SMI_COUNT), index;
	bool came = false;

	for (unsigned n = 0; n < CALLS && !(register_inline(IA32_PERF_GLOBAL_STATUS) & 1); n++)
		called();
	index = area->pebs.index;
	for (unsigned n = pmu->virtual ? 4 * LOOKS_VIRTUAL : LOOKS; n && !came; n--)
		came = register_inline(MSR_SMI_COUNT) != before;
	*more = area->pebs.index - index;
	return came;
}

/* A counter of calls is armed by one, and none follows but those of firmware's handler, for which it is held.
 */
static void sampled_over(struct control_fixture *h)
{
	static _Alignas(4096) uint8_t memory[2 * 4096];
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .config.code = CODE_CALLS,
				  .period = 2,
				  .memory = memory,
				  .records = SAMPLES};
	const char *why = "there is no such record";
	uint64_t more = 0;

	r.size = r.source ? record_memory(h->pmu, &r) : 0;
	if (r.size > sizeof memory)
		why = "records take more memory than there is here";
	if (!r.source || r.size > sizeof memory || !record_can_sample(h->pmu, &r, &why)) {
		h->leave(h, why);
		return;
	}
	if (!h->works(h, "setting PEBS up", record_setup(h->pmu, &r, &why)))
		return;
	h->works(h, "holding counters in SMM", intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_WHILE_SMM));
	h->works(h, "sampling", record_start(h->pmu, &r));
	bool came = waited(h->pmu, intel_ds_area(&r), &more);

	h->works(h, "stopping",
		 record_stop(h->pmu, &r) && record_release(h->pmu, &r) &&
			 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_WHILE_SMM, 0));
	if (came)
		h->equal(h, "records that an SMI wrote of a counter that is held, in bytes", 0, more);
	else
		h->leave(h, "no SMI came");
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
	if (i == SMI_SAMPLE) {
		sampled_over(h);
		return;
	}
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
