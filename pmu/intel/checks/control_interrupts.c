/*
 * One overflow, one interrupt: where errata have told of more (AAJ119, AAJ125). A handler that has
 * acknowledged what it found and unmasked the local APIC's entry is to find something each time that it is
 * called.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_interrupts.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"

#include <stdio.h>

#define BEFORE 24 /* clocks before the overflow of the counter that the others are moved against */
#define NONE   (~0u)

static unsigned fixed(const struct pmu *pmu, unsigned index)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->counter[c].kind == COUNTER_FIXED && pmu->counter[c].index == index)
			return c;
	return NONE;
}

static uint64_t below_top(const struct pmu *pmu, unsigned c, uint64_t by)
{
	return counter_ones(&pmu->counter[c]) - by;
}

/* One that comes for nothing is one more than those that find what has overflowed: where none finds anything,
 * it is the status that is lost. */
static void run_once(struct control_fixture *h, uint64_t mask, const char *what)
{
	unsigned empty, all = h->run_open(h, mask, &empty);

	h->within(h, "interrupts after which something has overflowed", 1, ~0ull, all - empty);
	h->equal(h, what, 0, empty);
}

static const char empty_interrupts[] = "interrupts after which nothing has overflowed";

/* Where the clocks of two counters meet is not known, so the second one is moved past the first. */
bool intel_pair_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || fixed(pmu, 1) == NONE || fixed(pmu, 2) == NONE)
		return false;
	snprintf(out->name, sizeof out->name, "FIXED_CTR1 and FIXED_CTR2");
	out->counters = 1ull << fixed(pmu, 1) | 1ull << fixed(pmu, 2) | intel_first_counters(pmu, 1);
	return true;
}

/* The same of one of them alone, and of two others that overflow with one clock. */
static void other_overflows(struct control_fixture *h, unsigned core, unsigned reference)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	const struct pmu_config cycles = {.code = CODE_CYCLES, .levels = LEVELS_ALL, .interrupt = true};

	/* As near as can be: a short kernel has few clocks of the bus. */
	control_program(h, reference, &config, below_top(h->pmu, reference, 0));
	run_once(h, 1ull << reference, "of FIXED_CTR2 alone, interrupts for nothing");
	if (!intel_first_counters(h->pmu, 1) || !intel_offers(h->pmu, CODE_CYCLES))
		return;
	control_program(h, 0, &cycles, below_top(h->pmu, 0, BEFORE / 8));
	control_program(h, core, &config, below_top(h->pmu, core, BEFORE / 8));
	run_once(h, 1ull << core | 1, "of two counters without FIXED_CTR2, interrupts for nothing");
	h->works(h, "releasing it", h->pmu->driver->release(h->pmu, 0));
}

void intel_pair_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	unsigned core = fixed(h->pmu, 1), reference = fixed(h->pmu, 2);

	(void)i, (void)e;
	other_overflows(h, core, reference);
	for (unsigned by = 0; by < 2 * BEFORE; by++) {
		control_program(h, core, &config, below_top(h->pmu, core, by));
		control_program(h, reference, &config, below_top(h->pmu, reference, BEFORE / 8));
		run_once(h, 1ull << core | 1ull << reference, empty_interrupts);
	}
}

bool intel_frozen_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || fixed(pmu, 0) == NONE)
		return false;
	snprintf(out->name, sizeof out->name, "FIXED_CTR0");
	out->lacking = intel_found(pmu)->no_freeze;
	out->counters = 1ull << fixed(pmu, 0);
	return true;
}

void intel_frozen_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	unsigned c = fixed(h->pmu, 0);

	(void)i, (void)e;
	control_program(h, c, &config, below_top(h->pmu, c, 3));
	run_once(h, 1ull << c, "without a freeze, interrupts for nothing");
	h->works(h, "asking for the freeze",
		 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	control_program(h, c, &config, below_top(h->pmu, c, 3));
	run_once(h, 1ull << c, empty_interrupts);
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	if (h->pmu->version >= 4)
		h->works(h, "acknowledging", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
}
