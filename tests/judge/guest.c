#include "tests/judge/guest.h"

#include <string.h>

bool guest_answers(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s answers for what does not exist, and may",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool guest_loses(const struct pmu *pmu, struct judgement *j, const char *what)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s gave no %s, and may take them away",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, what);
	return true;
}

bool guest_takes(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s takes it, where silicon raises #GP",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool guest_lacks(const struct pmu *pmu, struct judgement *j, const char *what)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED,
		      "the hypervisor%s%s does not provide %s, which the processor does not promise",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, what);
	return true;
}

bool guest_causes(const struct pmu *pmu, struct judgement *j)
{
	if (!pmu->under_hypervisor)
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor%s%s itself causes what it counts",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor);
	return true;
}

bool guest_counts_host(const struct pmu *pmu)
{
	return pmu->under_hypervisor && !strcmp(pmu->hypervisor, "VMwareVMware");
}

bool guest_adds(const struct pmu *pmu, struct judgement *j)
{
	if (!guest_counts_host(pmu))
		return false;
	judgement_set(j, VERDICT_SKIPPED, "the hypervisor %s counts what it executes itself, too",
		      pmu->hypervisor);
	return true;
}
