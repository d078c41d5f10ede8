/*
 * What the control registers of IBS keep of what is written.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define SAMPLES   16
#define OP_RANDOM 127
#define FETCHES   1000ull /* in units of 16: more than there are in a few lines of code */
#define PAIRS     50

bool amd_ibs_registers_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const struct {
		const char *name;
		uint32_t feature;
	} rows[] = {{"operations", IBS_OP}, {"fetches", IBS_FETCH}};

	if (pmu->under_hypervisor || !amd_pmu(pmu)->ibs)
		return false;
	for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
		if (!(amd_pmu(pmu)->ibs & rows[row].feature) || i--)
			continue;
		*out = (struct pmu_control_instance){0};
		snprintf(out->name, sizeof out->name, "%s", rows[row].name);
		return true;
	}
	return false;
}

static uint64_t written(struct control_fixture *h, uint32_t address, uint64_t value)
{
	h->works(h, "writing a control register of IBS", msr_write(address, value));
	return control_register(h, address);
}

/* After a sample the count goes on from a random number below 128. */
static void ibs_begins_anew(struct control_fixture *h)
{
	uint64_t control, any = 0, samples = 0;

	for (unsigned i = 0; i < SAMPLES; i++) {
		if (!h->works(h, "sampling", msr_write(IBS_OP_CTL, 1) && msr_write(IBS_OP_CTL, 1 | OP_EN)))
			return;
		amd_flops(PAIRS);
		control = control_register(h, IBS_OP_CTL);
		samples += control & OP_VAL ? 1 : 0;
		any |= (control & OP_COUNT) >> OP_COUNT_SHIFT;
		h->works(h, "sampling no more", msr_write(IBS_OP_CTL, 0));
	}
	h->within(h, "samples", 1, SAMPLES, samples);
	h->within(h, "all counts after samples together", 1, OP_RANDOM, any);
}

static void ibs_op(struct control_fixture *h)
{
	uint32_t features = amd_pmu(h->pmu)->ibs;
	uint64_t high = features & IBS_COUNT_27 ? OP_MAX_HIGH : 0;

	h->equal(h, "the upper bits of the maximum, where there are any", high,
		 written(h, IBS_OP_CTL, OP_MAX_HIGH));
	h->equal(h, "the filter of latencies, where there is one",
		 features & IBS_LATENCY ? OP_LATENCY_EN | OP_LATENCY_MIN : 0,
		 written(h, IBS_OP_CTL, OP_LATENCY_EN | OP_LATENCY_MIN) & (OP_LATENCY_EN | OP_LATENCY_MIN));
	if (features & IBS_RW_COUNT) {
		h->equal(h, "the count, as wide as it is", (1ull << ibs_count_bits(features)) - 1,
			 (written(h, IBS_OP_CTL, OP_COUNT) & OP_COUNT) >> OP_COUNT_SHIFT);
		h->works(h, "clearing it", msr_write(IBS_OP_CTL, 0));
		ibs_begins_anew(h);
	}
	h->works(h, "clearing it", msr_write(IBS_OP_CTL, 0));
}

/* Up to family 15H and from Zen 3 on each write loads the count; on those between only the enable's rising
 * edge (Linux: fetch_count_reset_broken). */
static void ibs_fetch(struct control_fixture *h)
{
	bool keeps = amd_pmu(h->pmu)->generation & (AMD_16H | AMD_ZEN1 | AMD_ZEN2);
	uint64_t first = FETCHES << FETCH_COUNT_SHIFT, count;

	h->equal(h, "the filter of last-level misses, where there is one",
		 amd_pmu(h->pmu)->ibs & IBS_ZEN4 ? FETCH_L3_MISS_ONLY : 0,
		 written(h, IBS_FETCH_CTL, FETCH_L3_MISS_ONLY) & FETCH_L3_MISS_ONLY);
	h->works(h, "clearing it", msr_write(IBS_FETCH_CTL, 0));
	count = written(h, IBS_FETCH_CTL, FETCH_MAX | FETCH_EN | first) & FETCH_COUNT;
	h->within(h, "the count that is loaded with the enable", first, 2 * first - 1, count);
	count = written(h, IBS_FETCH_CTL, FETCH_MAX | FETCH_EN) & FETCH_COUNT;
	h->within(h, "the count that is loaded while enabled", keeps ? first : 0,
		  keeps ? 2 * first - 1 : first - 1, count);
	h->works(h, "clearing it", msr_write(IBS_FETCH_CTL, 0));
}

void amd_ibs_registers_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t control = control_register(h, IBS_CTL);

	(void)e;
	h->equal(h, "IBS_CTL, which is read-only", control, written(h, IBS_CTL, control ^ IBS_LVT_OFFSET));
	h->works(h, "writing it back", msr_write(IBS_CTL, control));
	if (instance == 0 && amd_pmu(h->pmu)->ibs & IBS_OP)
		ibs_op(h);
	else
		ibs_fetch(h);
}
