/*
 * Checks of Intel's own PMU: what PEBS records are made of.
 */
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record_ds.h"
#include "pmu/intel/records/record_pebs.h"
#include "pmu/intel/registers.h"

#include <stdio.h>
#include <string.h>

#define PERIOD 8
#define COPIES 64

static _Alignas(4096) uint8_t memory[8192];

bool intel_pebs_groups_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const uint64_t values = APEBS_ALLOW | APEBS_GENERAL | APEBS_FIXED;
	const struct intel_pebs *p = &intel_found(pmu)->pebs;

	out->counters = intel_first_counters(pmu, 1);
	if (i || !out->counters || !intel_offers(pmu, CODE_INSTRUCTIONS) || !intel_found(pmu)->samples ||
	    !(p->architectural ? (p->groups & values) == values : p->adaptive))
		return false;
	snprintf(out->name, sizeof out->name, "PEBS");
	return true;
}

static __attribute__((noinline)) void some_instructions(void)
{
	for (volatile unsigned n = 0; n < COPIES; n++)
		;
}

static void record(struct control_fixture *h, const struct pmu_recording *r)
{
	h->works(h, "sampling", record_start(h->pmu, r));
	some_instructions();
	h->works(h, "stopping", record_stop(h->pmu, r));
}

/* A counter without Adaptive_Record (bit 34 of its selector) has the basic group alone, whatever
 * IA32_PEBS_DATA_CFG says. */
static void adaptive(struct control_fixture *h, struct pmu_recording *r)
{
	const volatile struct pebs_basic *basic = (void *)(memory + sizeof(struct ds_area));
	const uint32_t all = PEBS_CFG_MEMORY | PEBS_CFG_GPRS;
	const char *why;

	for (unsigned groups = 0; groups < 2; groups++) {
		h->works(h, "setting PEBS up", record_setup(h->pmu, r, &why));
		h->works(h, "writing Adaptive_Record",
			 intel_change_msr(IA32_PERFEVTSEL0, groups ? 0 : EVTSEL_ADAPTIVE,
					  groups ? EVTSEL_ADAPTIVE : 0));
		record(h, r);
		h->equal(h, groups ? "groups of a record" : "groups of a record that is not adaptive",
			 groups ? all : 0, (uint32_t)basic->format);
		h->equal(h, "its size", intel_pebs_adaptive_size(groups ? all : 0),
			 basic->format >> PEBS_SIZE_SHIFT);
		h->works(h, "releasing", record_release(h->pmu, r));
	}
}

/* A counter is in another one's records if its own IA32_PMC_GPn_CFG_C or IA32_PMC_FXn_CFG_C allows it. */
static void architectural(struct control_fixture *h, struct pmu_recording *r)
{
	struct pmu_record got;
	const char *why;

	r->more = RECORD_MORE_INSTRUCTIONS;
	const struct pmu_counter *other =
		&h->pmu->counter[__builtin_ctzll(intel_pebs_groups_counter(h->pmu, r))];
	uint32_t config = intel_reload_mask((unsigned)__builtin_ctzll(intel_pebs_bit(other))) + 1;
	for (unsigned allowed = 0; allowed < 2; allowed++) {
		h->works(h, "setting PEBS up", record_setup(h->pmu, r, &why));
		if (!allowed)
			h->works(h, "forbidding it", msr_write(config, 0));
		record(h, r);
		memset(&got, 0, sizeof got);
		h->equal(h, "records", 1, record_drain(h->pmu, r, &got, 1));
		h->equal(h,
			 allowed ? "a counter that allows it is in the record"
				 : "a counter that does not allow it is in the record",
			 allowed, got.more & RECORD_MORE_INSTRUCTIONS ? 1 : 0);
		h->works(h, "releasing", record_release(h->pmu, r));
	}
}

void intel_pebs_groups_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .config.code = CODE_INSTRUCTIONS,
				  .memory = memory,
				  .period = PERIOD,
				  .records = 1};

	(void)i, (void)e;
	while (!(intel_first_counters(h->pmu, 1) >> r.counter & 1))
		r.counter++;
	if (!r.source)
		return;
	r.size = record_memory(h->pmu, &r);
	if (intel_found(h->pmu)->pebs.adaptive)
		adaptive(h, &r);
	else
		architectural(h, &r);
}
