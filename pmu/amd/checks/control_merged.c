/*
 * Two counters as one, for what occurs more than once in a cycle, and the threshold of such an event.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define TOP   ((1ull << AMD_WIDTH) - 1)
#define START 1000
#define PAIRS 50

static bool counts_additions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return (e->code & CTL_EVENT) == EVENT_LARGE && pmu->driver->can_count(pmu, e, c) &&
	       (e->terms[0].quantity == Q_FLOPS_SP_ADD || e->terms[0].quantity == Q_FLOPS_SP);
}

/* A hypervisor may let the event of large increments count nothing. */
bool amd_pair_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned c = 2 * i;

	if (pmu->under_hypervisor || !amd_merges(amd_pmu(pmu)->generation) || c + 1 >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 3ull << c};
	snprintf(out->name, sizeof out->name, "%s and %s", pmu->counter[c].name, pmu->counter[c + 1].name);
	return true;
}

static const struct pmu_event *first_that(const struct pmu *pmu, unsigned c,
					  bool (*suits)(const struct pmu *, unsigned,
							const struct pmu_event *))
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (suits(pmu, c, pmu->events[i]))
			return pmu->events[i];
	return NULL;
}

/* The upper counter takes the carry, and only where it wraps itself the pair overflows. */
void amd_merged_check(struct control_fixture *h, unsigned instance, const struct pmu_event *unused)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned c = 2 * instance;
	const struct pmu_event *e = first_that(h->pmu, c, counts_additions);
	uint64_t overflows = 0;

	(void)unused;
	if (!h->works(h, "finding an event of large increments", e != NULL))
		return;
	for (uint64_t upper = MERGE_TOP - 1; upper <= MERGE_TOP; upper++) {
		if (!amd_set_counter(h, c, e->code, LEVELS_ALL, false, TOP - 1) ||
		    !h->works(h, "writing the upper half",
			      msr_write(amd_counter_msr(h->pmu, c + 1), upper) &&
				      d->start(h->pmu, 1ull << c)))
			return;
		amd_flops(PAIRS);
		h->works(h, "stopping", d->stop(h->pmu));
		h->equal(h, "the lower half goes on by", 4 * PAIRS - 2, control_value(h, c));
		h->equal(h, "the upper half becomes", (upper + 1) & MERGE_TOP, control_value(h, c + 1));
		h->works(h, "reading the status", !h->pmu->has_global || d->overflowed(h->pmu, &overflows));
		if (h->pmu->has_global)
			h->equal(h, "overflows", upper == MERGE_TOP ? 1ull << c : 0, overflows);
	}
	h->works(h, "taking it out of use", d->release(h->pmu, c));
}

/* Each turn of amd_flops() is one instruction of four operations, so no more cycles than turns have any. */
void amd_threshold_check(struct control_fixture *h, unsigned instance, const struct pmu_event *unused)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned c = 2 * instance;
	const struct pmu_event *e = first_that(h->pmu, c, counts_additions);

	(void)unused;
	if (!h->works(h, "finding an event of large increments", e != NULL))
		return;
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL, .cmask = 1};
	if (!control_program(h, c, &config, START) || !h->works(h, "starting", d->start(h->pmu, 1ull << c)))
		return;
	amd_flops(PAIRS);
	h->works(h, "stopping", d->stop(h->pmu));
	h->within(h, "cycles with operations", 1, PAIRS, control_value(h, c) - START);
	h->works(h, "taking it out of use", d->release(h->pmu, c));
}
