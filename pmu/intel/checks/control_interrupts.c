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

/* Interrupts for nothing while a counter's overflow is moved past another's. Each move has some that find
 * what has overflowed. */
static unsigned moved_past(struct control_fixture *h, unsigned moved, const struct pmu_config *how,
			   unsigned other)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	unsigned empties = 0;

	for (unsigned by = 0; by < 2 * BEFORE; by++) {
		unsigned empty, all;

		control_program(h, moved, how, below_top(h->pmu, moved, by));
		control_program(h, other, &config, below_top(h->pmu, other, BEFORE / 8));
		all = h->run_open(h, 1ull << moved | 1ull << other, &empty);
		h->within(h, "interrupts after which something has overflowed", 1, ~0ull, all - empty);
		empties += empty;
	}
	return empties;
}

/* First what must be right: FIXED_CTR2 alone, and, where there is something to tell apart, two others. */
void intel_pair_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	const struct pmu_config cycles = {.code = CODE_CYCLES, .levels = LEVELS_ALL, .interrupt = true};
	unsigned core = fixed(h->pmu, 1), reference = fixed(h->pmu, 2), empties;

	(void)i, (void)e;
	/* As near as can be: a short kernel has few clocks of the bus. */
	control_program(h, reference, &config, below_top(h->pmu, reference, 0));
	run_once(h, 1ull << reference, "of FIXED_CTR2 alone, interrupts for nothing");
	empties = moved_past(h, core, &config, reference);
	if (empties && intel_first_counters(h->pmu, 1) && intel_offers(h->pmu, CODE_CYCLES)) {
		h->works(h, "releasing it", h->pmu->driver->release(h->pmu, reference));
		h->equal(h, "of two counters without FIXED_CTR2, interrupts for nothing", 0,
			 moved_past(h, 0, &cycles, core));
	}
	h->equal(h, empty_interrupts, 0, empties);
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
