#include "pmu/contract/workaround.h"

static bool allowed = true;

void pmu_allow_workarounds(bool on)
{
	allowed = on;
}

bool pmu_workarounds_allowed(void)
{
	return allowed;
}

static bool documented(const struct pmu *pmu, const char *number)
{
	int row = pmu->errata ? errata_find(pmu->errata, number) : -1;

	return row >= 0 && errata_documented(pmu->errata, (unsigned)row, &pmu->processor, NULL);
}

void pmu_choose_workarounds(struct pmu *pmu)
{
	const struct pmu_workaround *w = pmu->driver->workarounds;

	pmu->workarounds_due = 0;
	for (unsigned i = 0; w && w[i].number && i < PMU_WORKAROUNDS_MAX; i++)
		if (w[i].due ? w[i].due(pmu) : documented(pmu, w[i].number))
			pmu->workarounds_due |= 1u << i;
	pmu->works_around = allowed ? pmu->workarounds_due : 0;
}
