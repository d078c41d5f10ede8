/*
 * Checks of the registers that hold for all counters: freezing on an interrupt, setting status, what is in
 * use, and the clock that halts.
 */
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

/* --- fixed counters that overflow while an interrupt freezes ---------------------------------------- */

bool intel_together_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_fixed < 2)
		return false;
	snprintf(out->name, sizeof out->name, "fixed counters");
	out->lacking = intel_found(pmu)->no_freeze;
	for (unsigned n = 0; n < 3; n++)
		if (intel_find_counter(pmu, COUNTER_FIXED, n) != NO_COUNTER)
			out->counters |= 1ull << intel_find_counter(pmu, COUNTER_FIXED, n);
	return true;
}

/* All stand one below the top. Whichever has wrapped after a run has its status, and the others stand where
 * they stood. */
static void together(struct control_fixture *h, const char *what)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	uint64_t mask = 0, status = 0;

	for (unsigned n = 0; n < 3; n++) {
		uint64_t c = intel_find_counter(h->pmu, COUNTER_FIXED, n);

		if (c == NO_COUNTER)
			continue;
		control_program(h, (unsigned)c, &config, intel_counter_top(h->pmu, (unsigned)c));
		mask |= 1ull << c;
	}
	h->arm(h);
	h->run(h, mask);
	h->works(h, "reading the overflow status", h->pmu->driver->overflowed(h->pmu, &status));
	h->within(h, "counters with overflow status", 1, mask, status & mask);
	for (unsigned c = 0; c < h->pmu->n_counters; c++) {
		uint64_t top = intel_counter_top(h->pmu, c);

		if (!(mask >> c & 1))
			continue;
		if (control_value(h, c) > top / 2)
			h->equal(h, "a counter that has not wrapped is", top, control_value(h, c));
		h->equal(h, what, control_value(h, c) < top, status >> c & 1);
	}
	h->equal(h, "interrupts", 1, h->interrupts(h));
	h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, mask));
}

/* First without the freeze, where no status is lost by it. */
void intel_together_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i, (void)e;
	together(h, "without a freeze, overflow status of one that has wrapped, or not");
	h->works(h, "asking for the freeze",
		 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	together(h, "overflow status of a counter that has wrapped, or not");
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	if (h->pmu->version >= 4)
		h->works(h, "acknowledging", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
}

/* --- counters freeze with an interrupt --------------------------------------------------------------- */

#define BELOW 8 /* instructions before the overflow */

bool intel_freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !intel_offers(pmu, CODE_INSTRUCTIONS))
		return false;
	snprintf(out->name, sizeof out->name, "counters");
	out->lacking = intel_found(pmu)->no_freeze;
	out->counters = intel_first_counters(pmu, 2);
	return out->counters != 0;
}

static __attribute__((noinline)) void linger(void)
{
	for (volatile unsigned n = 0; n < 64; n++)
		;
}

/* One counter overflows, another one just counts. Frozen, both stand: versions 2 and 3 take their enables
 * back, later ones set a status and leave the enables. */
static void freeze(struct control_fixture *h, bool asked)
{
	const struct pmu_config watched = {
		.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL, .interrupt = true};
	const struct pmu_config other = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	const bool streamlined = h->pmu->version >= 4;
	uint64_t enables, first[2];

	if (asked)
		h->works(h, "asking for the freeze",
			 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	control_program(h, 0, &watched, intel_counter_top(h->pmu, 0) - BELOW);
	control_program(h, 1, &other, START);
	h->arm(h);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 3));
	linger();
	enables = control_register(h, IA32_PERF_GLOBAL_CTRL);
	for (unsigned c = 0; c < 2; c++)
		first[c] = control_value(h, c);
	linger();
	for (unsigned c = 0; c < 2; c++) {
		uint64_t on = control_value(h, c) - first[c];

		if (asked)
			h->equal(h, "a frozen counter goes on by", 0, on);
		else
			h->within(h, "a counter that nothing freezes goes on by", 1, UINT64_MAX, on);
	}
	h->equal(h, "IA32_PERF_GLOBAL_CTRL after the interrupt", asked && !streamlined ? 0 : 3, enables);
	if (streamlined)
		h->equal(h, "CTR_FRZ after the interrupt", asked,
			 (control_register(h, IA32_PERF_GLOBAL_STATUS) & STATUS_CTR_FRZ) != 0);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->equal(h, "bits of a counter that has wrapped, above its width", 0,
		 control_register(h, IA32_PMC0) & ~intel_counter_top(h->pmu, 0));
	h->equal(h, "interrupts", 1, h->interrupts(h));
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	h->works(h, "acknowledging",
		 msr_write(IA32_PERF_GLOBAL_OVF_CTRL, streamlined ? STATUS_CTR_FRZ | 3 : 3));
}

void intel_freeze_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i, (void)e;
	freeze(h, false);
	freeze(h, true);
}

/* --- the clock halts with the core -------------------------------------------------------------------- */

#define HALT_US     20000
#define HALT_US_MAX 320000
#define ACTIVE_PART 8 /* of the time: waking and the handler take microseconds */

bool intel_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_offers(pmu, CODE_CYCLES))
		return false;
	snprintf(out->name, sizeof out->name, "timer");
	out->counters = intel_first_counters(pmu, 1);
	return out->counters != 0;
}

/* Little more than the way there and back. */
void intel_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_CYCLES, .levels = LEVELS_ALL};
	uint64_t took = 0;

	(void)i, (void)e;
	for (unsigned us = HALT_US; !took && us <= HALT_US_MAX; us *= 4) {
		control_program(h, 0, &config, START);
		h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
		took = h->halt(h, us);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	}
	h->equal(h, "it halted", true, took != 0);
	h->within(h, "over a halt the core's cycles go on by", 1, took / ACTIVE_PART,
		  control_value(h, 0) - START);
}

/* --- version 4: setting status, and what is in use ---------------------------------------------------- */

static bool version_4(const struct pmu *pmu, unsigned i, const char *name, struct pmu_control_instance *out)
{
	if (i || pmu->version < 4)
		return false;
	snprintf(out->name, sizeof out->name, "%s", name);
	out->counters = intel_first_counters(pmu, 2);
	return out->counters != 0;
}

bool intel_set_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return version_4(pmu, i, "IA32_PERF_GLOBAL_STATUS_SET", out);
}

/* What is written is set, and nothing is cleared by it. */
void intel_set_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i, (void)e;
	for (unsigned c = 0; c < 2; c++)
		h->works(h, "setting status", msr_write(IA32_PERF_GLOBAL_STATUS_SET, 1ull << c));
	h->equal(h, "status of both counters", 3, control_register(h, IA32_PERF_GLOBAL_STATUS) & 3);
	h->works(h, "clearing status", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, 1));
	h->equal(h, "status after one was cleared", 2, control_register(h, IA32_PERF_GLOBAL_STATUS) & 3);
	h->works(h, "clearing status", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, 3));
}

bool intel_use_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return version_4(pmu, i, "IA32_PERF_GLOBAL_INUSE", out);
}

/* A counter is in use when an event is selected, whether it runs or not; interrupts are when one is asked
 * for. */
void intel_use_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static const uint64_t selects[] = {0, CODE_INSTRUCTIONS, CODE_INSTRUCTIONS | EVTSEL_INT, EVTSEL_INT};

	(void)i, (void)e;
	for (unsigned n = 0; n < sizeof selects / sizeof selects[0]; n++) {
		h->works(h, "selecting an event", msr_write(IA32_PERFEVTSEL0, selects[n]));
		uint64_t used = control_register(h, IA32_PERF_GLOBAL_INUSE);
		h->equal(h, "counter 0 is in use", (selects[n] & 0xff) != 0, used & 1);
		h->equal(h, "interrupts are in use", (selects[n] & EVTSEL_INT) != 0, (used & INUSE_PMI) != 0);
	}
	h->works(h, "selecting nothing", msr_write(IA32_PERFEVTSEL0, 0));
}
