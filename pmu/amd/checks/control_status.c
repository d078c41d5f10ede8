/*
 * The overflow status, also as software sets it, and what an overflow freezes.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define TOP   ((1ull << AMD_WIDTH) - 1)
#define START 1000
#define PAIRS 50

bool amd_status_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global)
		return false;
	*out = (struct pmu_control_instance){.name = "set and clear", .lacking = amd_no_status_set(pmu)};
	return true;
}

static uint64_t set_status(struct control_fixture *h, uint64_t bits)
{
	h->works(h, "setting the status", msr_write(PERF_GLOBAL_STATUS_SET, bits));
	return control_register(h, PERF_GLOBAL_STATUS);
}

/* What is set stays until it is cleared; of counters that are not there nothing is set. */
void amd_status_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	(void)instance, (void)e;
	h->works(h, "clearing the status", msr_write(PERF_GLOBAL_STATUS_CLR, ~0ull >> (64 - AMD_CORE_MAX)));
	h->equal(h, "the status after bit 0 was set", 1, set_status(h, 1));
	h->equal(h, "the status after bit 1 was set", 3, set_status(h, 2));
	h->equal(h, "the status after a missing counter's bit was set", 3,
		 set_status(h, 1ull << h->pmu->n_counters));
	h->equal(h, "the register that clears reads", 0, control_register(h, PERF_GLOBAL_STATUS_CLR));
	h->works(h, "clearing bit 0", msr_write(PERF_GLOBAL_STATUS_CLR, 1));
	h->equal(h, "the status after bit 0 was cleared", 2, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "writing the status", msr_write(PERF_GLOBAL_STATUS, 0));
	h->equal(h, "the status after it was written", 2, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "clearing bit 1", msr_write(PERF_GLOBAL_STATUS_CLR, 2));
}

bool amd_settable_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[] = {"overflow", "freeze"};

	if (!pmu->has_global || i >= (amd_pmu(pmu)->freezes ? 2 : 1))
		return false;
	*out = (struct pmu_control_instance){
		.counters = 1, .lacking = amd_no_status_set(pmu), .suits = amd_counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	return true;
}

/* An overflow that software sets does nothing, a freeze does what it says until it is cleared. */
void amd_settable_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t bit = instance ? STATUS_PMC_FROZEN : 1, first, second;

	if (!amd_set_counter(h, 0, e->code, LEVELS_ALL, true, START))
		return;
	h->arm(h);
	h->works(h, "starting", d->start(h->pmu, 1));
	h->equal(h, "the status after it was set", bit, set_status(h, bit));
	first = control_value(h, 0);
	second = control_value(h, 0);
	h->equal(h, "the counter goes on", !instance, first != second);
	h->works(h, "clearing the status", msr_write(PERF_GLOBAL_STATUS_CLR, bit));
	first = control_value(h, 0);
	second = control_value(h, 0);
	h->works(h, "stopping", d->stop(h->pmu));
	h->equal(h, "the counter goes on after the status was cleared", true, first != second);
	h->equal(h, "interrupts", 0, h->interrupts(h));
}

bool amd_freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !amd_pmu(pmu)->freezes)
		return false;
	*out = (struct pmu_control_instance){
		.name = "on an interrupt", .counters = 1, .suits = amd_counts_instructions};
	return true;
}

/* Where the last branch led that the stack has. */
static uint64_t newest(struct control_fixture *h)
{
	return control_register(h, BRANCH_TO0) & BRANCH_ADDRESS;
}

/* An overflow in the loop of amd_flops(), with what DebugCtl is told to freeze. Behind it the counter counts,
 * and branches are recorded, or not. */
static void freeze_with(struct control_fixture *h, const struct pmu_event *e, uint64_t bits)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t loop = (uintptr_t)amd_flops, first, second, control, seen, frozen = 0;

	if (bits & DEBUGCTL_FREEZE_PMC)
		frozen |= STATUS_PMC_FROZEN;
	if (bits & DEBUGCTL_FREEZE_LBR)
		frozen |= STATUS_LBR_FROZEN;
	if (!amd_set_counter(h, 0, e->code, LEVELS_ALL, true, TOP - PAIRS) ||
	    !h->works(h, "setting the freeze up",
		      msr_write(DEBUGCTL, bits) && msr_write(DBG_EXTN_CFG, DBG_EXTN_LBR)))
		return;
	h->arm(h);
	if (!h->works(h, "starting", d->start(h->pmu, 1)))
		return;
	amd_flops(PAIRS);
	first = control_value(h, 0);
	second = control_value(h, 0);
	control = control_register(h, PERF_GLOBAL_CTL);
	seen = newest(h);
	h->equal(h, "the status of what is frozen", frozen | 1, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "stopping", d->stop(h->pmu) && msr_write(DBG_EXTN_CFG, 0));
	h->equal(h, "the counter goes on", !(bits & DEBUGCTL_FREEZE_PMC), first != second);
	h->equal(h, "the common enables", 1, control);
	h->equal(h, "branches are recorded on", !(bits & DEBUGCTL_FREEZE_LBR),
		 seen < loop || seen >= (uintptr_t)amd_flops_end);
	h->works(h, "thawing", msr_write(DEBUGCTL, 0) && msr_write(PERF_GLOBAL_STATUS_CLR, frozen | 1));
	h->equal(h, "the status after it was cleared", 0, control_register(h, PERF_GLOBAL_STATUS));
	h->equal(h, "interrupts", 1, h->interrupts(h));
}

void amd_freeze_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	freeze_with(h, e, 0);
	freeze_with(h, e, DEBUGCTL_FREEZE_PMC);
	freeze_with(h, e, DEBUGCTL_FREEZE_LBR);
	freeze_with(h, e, DEBUGCTL_FREEZE_PMC | DEBUGCTL_FREEZE_LBR);
}
