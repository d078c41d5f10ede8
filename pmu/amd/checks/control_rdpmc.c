/*
 * The map of RDPMC above the core's counters: each index reads its counter, and an index that has none raises
 * #GP. APM vol. 3, RDPMC; for which indices are whose, Linux 6.12, arch/x86/events/amd/uncore.c.
 */
#include "pmu/amd/checks/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define INDICES 64 /* that are tried */
#define APART   0x123456789ull

/* The i-th run that has counters; NULL if there are not so many. */
static const struct amd_uncore_run *run_of(const struct pmu *pmu, unsigned i)
{
	const struct amd_uncore_run *runs = amd_uncore_runs(pmu);

	for (unsigned r = 0; r < AMD_UNCORE_RUNS; r++)
		if (runs[r].n && !i--)
			return &runs[r];
	return NULL;
}

bool amd_rdpmc_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct amd_uncore_run *run = run_of(pmu, i);

	/* Where the core's own go further nobody says how the others are numbered. */
	if (pmu->n_counters > RDPMC_NB)
		return false;
	*out = (struct pmu_control_instance){.name = "reserved indices"};
	if (run)
		snprintf(out->name, sizeof out->name, "%s %u to %u", run->name, run->first,
			 run->first + run->n - 1u);
	/* Of what is not there a hypervisor may answer 0. */
	return run || (!pmu->under_hypervisor && !amd_pmu(pmu)->uncore.untold && (!i || run_of(pmu, i - 1)));
}

/* Other cores may share the counters: they are left as they were found. */
static void reads_its_own(struct control_fixture *h, const struct amd_uncore_run *run)
{
	uint64_t select[AMD_UNCORE_MAX], value[AMD_UNCORE_MAX], read = 0;
	bool good = true;

	for (unsigned i = 0; i < run->n; i++) {
		select[i] = control_register(h, run->select + 2 * i);
		good = good && msr_write(run->select + 2 * i, 0);
		value[i] = control_register(h, run->select + 2 * i + 1);
		good = good && msr_write(run->select + 2 * i + 1, APART * (i + 1));
	}
	h->works(h, "stopping and writing the counters", good);
	for (unsigned i = 0; i < run->n; i++) {
		h->equal(h, "what was written is", APART * (i + 1),
			 control_register(h, run->select + 2 * i + 1));
		h->works(h, "RDPMC", pmc_read(run->rdpmc + i, &read));
		h->equal(h, "RDPMC gives", APART * (i + 1), read);
	}
	good = true;
	for (unsigned i = 0; i < run->n; i++)
		good = msr_write(run->select + 2 * i + 1, value[i]) &&
		       msr_write(run->select + 2 * i, select[i]) && good;
	h->works(h, "putting the counters back", good);
}

static bool reserved(const struct pmu *pmu, uint32_t index)
{
	const struct amd_uncore_run *run;

	for (unsigned i = 0; (run = run_of(pmu, i)); i++)
		if (index >= run->rdpmc && index < run->rdpmc + run->n)
			return false;
	return index >= pmu->n_counters;
}

void amd_rdpmc_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint32_t index = 0;
	uint64_t value;

	(void)e;
	if (run_of(h->pmu, i)) {
		reads_its_own(h, run_of(h->pmu, i));
		return;
	}
	while (index < INDICES && !(reserved(h->pmu, index) && pmc_read(index, &value)))
		index++;
	h->equal(h, "the first reserved index that RDPMC reads, or how many were tried", INDICES, index);
}
