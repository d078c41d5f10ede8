/*
 * Branch records about what interrupts them: a sample whose interrupt freezes the stack, and a change of the
 * core's clock.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/records/record_ds.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

/* --- a sample's interrupt ------------------------------------------------------------------------------- */

#define RUNGS  128
#define RUNG   2  /* bytes of one */
#define PERIOD 96 /* of a rung, if no more than that comes before the ladder */

static _Alignas(4096) uint8_t memory[2 * 4096];

bool intel_sample_freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct intel_found *f = intel_found(pmu);

	if (i || pmu->under_hypervisor || f->no_freeze || !f->records_branches || !f->samples ||
	    f->pebs.architectural || f->pebs.adaptive)
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	out->counters = intel_first_counters(pmu, 1);
	return out->counters && intel_offers(pmu, CODE_INSTRUCTIONS);
}

/* Each rung is a jump to the next one. @return the first one's address */
static __attribute__((noinline)) uint64_t climb(void)
{
	uintptr_t first;

#ifdef __x86_64__
	__asm__ volatile("lea 2f(%%rip), %0\n"
#else
	__asm__ volatile("mov $2f, %0\n"
#endif
			 "2:\t.rept 128\n\tjmp 1f\n1:\n\t.endr"
			 : "=r"(first));
	return first;
}

/* The rung of an address; RUNGS: none. */
static uint64_t rung(uint64_t first, uint64_t address)
{
	return address - first < RUNGS * RUNG ? (address - first) / RUNG : RUNGS;
}

/* The last branch before the sample is in the stack that its interrupt freezes; later ones may be. */
void intel_sample_freeze_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording sample = {.source = record_source(h->pmu, RECORD_PRECISE),
				       .levels = LEVELS_ALL,
				       .config.code = CODE_INSTRUCTIONS,
				       .period = PERIOD,
				       .memory = memory,
				       .records = 2,
				       .threshold = 1};
	const struct pmu_recording branches = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					       .levels = LEVELS_ALL};
	static struct pmu_record got[INTEL_LBR_DEPTH_MAX], of[2];
	const char *why = "records take more memory than there is here";

	(void)i, (void)e;
	if (!sample.source || !branches.source)
		return;
	sample.size = record_memory(h->pmu, &sample);
	if (!record_can_sample(h->pmu, &sample, &why))
		sample.config.code = CODE_INSTRUCTIONS_PRECISE;
	if (sample.size > sizeof memory || !record_can_sample(h->pmu, &sample, &why)) {
		h->leave(h, why);
		return;
	}
	if (!h->works(h, "setting up",
		      record_setup(h->pmu, &branches, &why) && record_setup(h->pmu, &sample, &why)))
		return;
	h->works(h, "asking for the freeze", intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_LBRS_ON_PMI));
	h->arm(h);
	h->works(h, "recording", record_start(h->pmu, &branches) && record_start(h->pmu, &sample));
	uint64_t first = climb();

	h->works(h, "stopping", record_stop(h->pmu, &sample) && record_stop(h->pmu, &branches));
	unsigned n = record_drain(h->pmu, &branches, got, INTEL_LBR_DEPTH_MAX);
	unsigned samples = record_drain(h->pmu, &sample, of, 2);

	h->works(h, "releasing",
		 record_release(h->pmu, &sample) && record_release(h->pmu, &branches) &&
			 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_LBRS_ON_PMI, 0));
	h->works(h, "acknowledging", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, UINT64_C(1) << 62 | 1));
	if (!h->within(h, "samples", 1, 2, samples) ||
	    !h->within(h, "records of a frozen stack", 1, INTEL_LBR_DEPTH_MAX, n))
		return;
	uint64_t sampled = rung(first, of[0].has & RECORD_HAS_IP ? of[0].ip : of[0].next_ip - RUNG),
		 newest = rung(first, got[n - 1].from);

	/* Silicon may sample behind the ladder, or freeze there. */
	if (sampled == RUNGS || (newest == RUNGS && !h->pmu->virtual))
		h->leave(h, "the sample is not of the ladder");
	h->within(h, "rung of the newest branch in a stack that a sample froze", sampled ? sampled - 1 : 0,
		  RUNGS, newest);
}

/* --- another clock --------------------------------------------------------------------------------- */

#define BRANCHES 2 /* behind the change */

bool intel_clock_branches_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !intel_found(pmu)->records_branches || !intel_found(pmu)->modulates)
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	return true;
}

static __attribute__((noinline)) unsigned recorded(struct control_fixture *h, uint64_t modulation,
						   struct pmu_record *out)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_ALL};
	const char *why;

	if (!h->works(h, "recording", r.source && record_setup(h->pmu, &r, &why) && record_start(h->pmu, &r)))
		return 0;
	bool changed = msr_write(IA32_CLOCK_MODULATION, modulation);

	for (volatile unsigned k = 0; k < BRANCHES; k++)
		;
	/* By one write, which leaves the records of before in the stack. */
	changed = changed &&
		  msr_write(intel_found(h->pmu)->lbr.format == LBR_ARCH ? IA32_LBR_CTL : IA32_DEBUGCTL, 0);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	h->works(h, "changing the clock", changed);
	unsigned n = record_drain(h->pmu, &r, out, INTEL_LBR_DEPTH_MAX);

	h->works(h, "releasing", record_release(h->pmu, &r));
	return n;
}

/* The same code records the same branches, whether what it writes changes the clock or not. */
void intel_clock_branches_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record same[INTEL_LBR_DEPTH_MAX], other[INTEL_LBR_DEPTH_MAX];
	uint64_t was = control_register(h, IA32_CLOCK_MODULATION);
	unsigned differ = 0;

	(void)i, (void)e;
	if (!h->works(h, "reading the clock's modulation", intel_lend(h->pmu, IA32_CLOCK_MODULATION)))
		return;
	unsigned n = recorded(h, was, same), m = recorded(h, CLOCK_HALF, other);

	h->works(h, "restoring the clock", intel_give_back(h->pmu));
	h->within(h, "records", BRANCHES, INTEL_LBR_DEPTH_MAX, n);
	if (!h->equal(h, "records with the clock changed", n, m))
		return;
	for (unsigned k = 0; k < n; k++)
		differ += same[k].from != other[k].from;
	h->equal(h, "branches that are recorded from elsewhere when the clock changes", 0, differ);
}
