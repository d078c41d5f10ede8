#include "pmu/contract/manual.h"

#include <string.h>

const char *pmu_manual(const struct pmu *pmu, const char *check)
{
	const struct pmu_manual *m = pmu ? pmu->driver->manual : NULL;

	while (m && m->check && strcmp(m->check, check))
		m++;
	return m ? m->section : NULL;
}
