#include "tests/judge/under_hypervisor.h"

#include <string.h>

bool hypervisor_answers(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s answers for what does not exist, and may",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool hypervisor_takes_away(const struct pmu *pmu, struct judgement *j, const char *what)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s gave no %s, and may take them away",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, what);
	return true;
}

bool hypervisor_takes_reserved(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s takes it, where silicon raises #GP",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool hypervisor_withholds(const struct pmu *pmu, struct judgement *j, const char *what)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED,
		      "the hypervisor%s%s does not provide %s, which the processor does not promise",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, what);
	return true;
}

bool hypervisor_causes(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s itself causes what it counts",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool hypervisor_counts_itself(const struct pmu *pmu)
{
	return pmu->under_hypervisor && !strcmp(pmu->hypervisor, "VMwareVMware");
}

bool hypervisor_adds(const struct pmu *pmu, struct judgement *j)
{
	if (!hypervisor_counts_itself(pmu))
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor %s counts what it executes itself, too",
		      pmu->hypervisor);
	return true;
}
