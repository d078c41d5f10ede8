/*
 * Counters that run by themselves: IRPERF, MPERF and APERF.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "arch/x86/time/tsc.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"

#define PAIRS   50
#define FAR_ON  (1ull << 40) /* for a counter that began at 0 */
#define FASTEST 8            /* core clock to time-stamp counter, at most */

bool amd_irperf_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_pmu(pmu)->has_irperf)
		return false;
	*out = (struct pmu_control_instance){.name = "compare and branch"};
	return true;
}

static uint64_t pairs(struct control_fixture *h, uint64_t turns)
{
	uint64_t control, seen;

	if (!h->works(h, "switching IRPERF on",
		      msr_read(HWCR, &control) && msr_write(HWCR, control | HWCR_IRPERF)))
		return 0;
	seen = amd_irperf_pairs(turns);
	msr_write(HWCR, control);
	return seen;
}

/* Erratum 1267. */
void amd_irperf_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t control, seen = 0;

	(void)instance, (void)e;
	for (unsigned i = 0; i < 3; i++)
		h->equal(h, "over pairs of compare and branch IRPERF goes on by", 4 * PAIRS * i + 7,
			 pairs(h, PAIRS * i));
	if (!h->works(h, "switching IRPERF off",
		      msr_read(HWCR, &control) && msr_write(HWCR, control & ~HWCR_IRPERF)))
		return;
	seen = amd_irperf_pairs(PAIRS);
	msr_write(HWCR, control);
	h->equal(h, "switched off, IRPERF goes on by", 0, seen);
	/* Where firmware has locked it. Before Zen 4 no guide says more than that it is read-only. */
	if (!(control & HWCR_LOCK))
		return;
	bool taken = msr_write(IRPERF, FAR_ON);

	h->equal(h, "IRPERF goes on from what was written", false, control_register(h, IRPERF) >= FAR_ON);
	if (amd_pmu(h->pmu)->generation >= AMD_ZEN4)
		h->equal(h, "a write to the locked IRPERF is taken", false, taken);
}

bool amd_aperf_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_pmu(pmu)->has_aperf)
		return false;
	*out = (struct pmu_control_instance){.name = "busy"};
	return true;
}

void amd_aperf_check(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t m, a, begin = tsc_read(), took;

	(void)instance, (void)e;
	m = control_register(h, MPERF);
	a = control_register(h, APERF);
	h->run_user(h, 0);
	m = control_register(h, MPERF) - m;
	a = control_register(h, APERF) - a;
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on by no more than the time, and by", 1, took, m);
	h->within(h, "APERF goes on by", 1, took * FASTEST, a);
	begin = tsc_read();
	h->works(h, "writing MPERF and APERF", msr_write(MPERF, FAR_ON) && msr_write(APERF, FAR_ON));
	m = control_register(h, MPERF);
	a = control_register(h, APERF);
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on from what was written", FAR_ON, FAR_ON + took, m);
	h->within(h, "APERF goes on from what was written", FAR_ON, FAR_ON + took * FASTEST, a);
}
