/*
 * One overflow, one record: where errata have told of more. Periods are those that errata name; what the
 * driver refuses, as it works around one, is tried with a period that it takes.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record_ds.h"
#include "pmu/intel/records/record_pebs.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define GOOD_PERIOD 193 /* 3 times 64 to the overflow, and the occurrence behind it */
#define RECORDS     24
#define THRESHOLD   16 /* of the inverted comparison */

static const struct {
	const char *name;
	uint16_t period;
	bool freeze, second, inverted;
} ways[] = {
	{"good period", GOOD_PERIOD, false, false, false},
	{"short period", 65, false, false, false},
	{"low bits", 151, false, false, false},
	{"freeze", GOOD_PERIOD, true, false, false},
	{"second event", GOOD_PERIOD, false, true, false},
	{"inverted", GOOD_PERIOD, false, false, true},
};
#define WAYS (sizeof ways / sizeof ways[0])

static _Alignas(4096) uint8_t memory[3 * 4096];

bool intel_one_record_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct intel_pebs *p = &intel_found(pmu)->pebs;

	if (i >= WAYS || !intel_found(pmu)->samples || !p->exact_code || p->adaptive || pmu->n_general < 4)
		return false;
	snprintf(out->name, sizeof out->name, "%s", ways[i].name);
	out->counters = intel_first_counters(pmu, 3);
	if (ways[i].freeze)
		out->lacking = intel_found(pmu)->no_freeze;
	return out->counters != 0;
}

/* What is sampled, counted by another counter. @return which */
static unsigned beside(struct control_fixture *h, unsigned i, const struct pmu_recording *r)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS,
					  .levels = LEVELS_ALL,
					  .invert = ways[i].inverted,
					  .cmask = ways[i].inverted ? THRESHOLD : 0};
	unsigned c = r->counter ? 0 : 2;

	control_program(h, c, &config, 0);
	return c;
}

static bool set_up(struct control_fixture *h, unsigned i, struct pmu_recording *r)
{
	const char *why;

	r->period = ways[i].period;
	if (record_setup(h->pmu, r, &why))
		return true;
	r->period = GOOD_PERIOD;
	return h->works(h, "setting PEBS up", record_setup(h->pmu, r, &why));
}

/* Count on until so much has been counted: each run must add something. From version 4 on an interrupt that
 * freezes leaves the counters frozen until it is acknowledged (SDM 18.2.4). */
static void run_up_to(struct control_fixture *h, unsigned i, uint64_t mask, unsigned other, uint64_t end)
{
	uint64_t before, now = 0;

	do {
		before = now;
		h->run(h, mask);
		now = control_value(h, other);
		if (ways[i].freeze && h->pmu->version >= 4)
			h->works(h, "acknowledging the freeze",
				 msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
	} while (h->within(h, "occurrences of a run", 1, UINT64_MAX, now > before ? now - before : 0) &&
		 now < end);
}

void intel_one_record_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct intel_pebs *p = &intel_found(h->pmu)->pebs;
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .config.code = p->exact_code,
				  .counter = (unsigned)__builtin_ctzll(p->exact),
				  .memory = memory,
				  .records = RECORDS};
	struct pmu_record got[RECORDS];

	(void)e;
	if (!r.source)
		return;
	r.size = record_memory(h->pmu, &r);
	if (!set_up(h, i, &r))
		return;
	unsigned other = beside(h, i, &r);

	if (ways[i].inverted)
		h->works(h, "asking for the comparison",
			 intel_change_msr(IA32_PERFEVTSEL0 + r.counter, 0,
					  EVTSEL_INV | (uint64_t)THRESHOLD << EVTSEL_CMASK_SHIFT));
	if (ways[i].second)
		h->works(h, "asking for a second one", intel_change_msr(IA32_PEBS_ENABLE, 0, 1u << other));
	if (ways[i].freeze)
		h->works(h, "asking for the freeze",
			 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	run_up_to(h, i, 1ull << r.counter | 1ull << other, other, 4u * r.period);
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	h->works(h, "taking the second one back", intel_change_msr(IA32_PEBS_ENABLE, 1u << other, 0));
	unsigned most = (unsigned)(control_value(h, other) / r.period);
	unsigned n = record_drain(h->pmu, &r, got, RECORDS);

	h->within(h, "records", 1, RECORDS, n);
	h->equal(h, "records beyond one for each overflow", 0, n > most ? n - most : 0);
	h->works(h, "releasing", record_release(h->pmu, &r) && h->pmu->driver->release(h->pmu, other));
}

/* --- what hangs CPUs that have an erratum --------------------------------------------------------------- */

#define SWITCHES 100

/* Events that one CPU or another samples on its first counter: instructions, branches. */
static bool sampled(const struct pmu *pmu, struct pmu_recording *r)
{
	static const uint16_t codes[] = {CODE_INSTRUCTIONS, CODE_BRANCHES, 0x04c4};
	const char *why;

	*r = (struct pmu_recording){.source = record_source(pmu, RECORD_PRECISE),
				    .levels = LEVELS_ALL,
				    .period = GOOD_PERIOD,
				    .memory = memory,
				    .size = sizeof memory,
				    .records = RECORDS / 2};
	for (unsigned i = 0; r->source && i < sizeof codes / sizeof codes[0]; i++) {
		r->config.code = codes[i];
		if (record_can_sample(pmu, r, &why))
			return true;
	}
	return false;
}

bool intel_hanging_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found(pmu)->samples || intel_found(pmu)->pebs.architectural || !pmu->n_general)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[0].name);
	out->counters = 1;
	return true;
}

static bool sampling(struct control_fixture *h, struct pmu_recording *r)
{
	const char *why;

	return h->works(h, "setting PEBS up", sampled(h->pmu, r) && record_setup(h->pmu, r, &why));
}

/* The driver may keep to a page: the buffer's end is moved behind its back. */
void intel_big_buffer_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r;

	(void)i, (void)e;
	if (!sampling(h, &r))
		return;
	intel_ds_area(&r)->pebs.max = intel_ds_area(&r)->pebs.threshold = (uintptr_t)memory + sizeof memory;
	uint64_t before = control_value(h, r.counter);

	h->works(h, "starting", record_start(h->pmu, &r));
	h->works(h, "stopping", record_stop(h->pmu, &r));
	h->equal(h, "whether the counter stands still", false, control_value(h, r.counter) == before);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

void intel_switched_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r;
	bool written = true;

	(void)i, (void)e;
	if (!sampling(h, &r))
		return;
	uint64_t on = control_register(h, IA32_PEBS_ENABLE);

	h->works(h, "starting", record_start(h->pmu, &r));
	for (unsigned n = 0; n < SWITCHES; n++)
		written = written && msr_write(IA32_PEBS_ENABLE, 0) && msr_write(IA32_PEBS_ENABLE, on);
	h->works(h, "switching", written);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	h->equal(h, "IA32_PEBS_ENABLE reads as written", on, control_register(h, IA32_PEBS_ENABLE));
	h->works(h, "releasing", record_release(h->pmu, &r));
}
