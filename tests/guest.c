#include "tests/guest.h"

bool guest_lacks(const struct pmu *pmu, struct judgement *j, const char *what)
{
	if (!pmu->guest)
		return false;
	judgement_set(j, VERDICT_SKIPPED,
		      "the hypervisor%s%s does not provide %s, which CPUID does not promise",
		      *pmu->hypervisor ? " " : "", pmu->hypervisor, what);
	return true;
}
