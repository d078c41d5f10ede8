#include "tests/measure/virtual.h"
#include "tests/measure/counterless.h"
#include "tests/judge/silicon_rules.h"
#include "tests/judge/shares.h"

#include "pmu/contract/family.h"
#include "pmu/contract/state.h"
#include "pmu/contract/workaround.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

#define IDENTIFY_MS 10000

struct identification {
	struct pmu *pmu;
	const char *why;
	bool found;
};

static void identify(void *arg)
{
	struct identification *id = arg;

	id->found = pmu_find(NULL, id->pmu, &id->why);
}

bool virtual_pmu_create(struct run *run, struct pmu *pmu, const char *profile, const char *inject,
			struct reason *why)
{
	struct identification id = {.pmu = pmu, .why = ""};
	struct result fault = {0};

	if (!vpmu_create(profile, inject, why))
		return false;
	shares_forget();
	pmu_allow_registers(NULL);
	/* From here on run->call goes to the virtual CPU, whose CPUID is what the drivers must see. */
	*pmu = (struct pmu){.state = pmu->state, .virtual = true};
	run->pmu = pmu;
	if (!run->call(run, identify, &id, IDENTIFY_MS, &fault))
		return reason_give(why, "identifying the virtual PMU failed: %s", fault.judgement.text);
	if (!id.found)
		return reason_give(why, "no driver fits the virtual CPU %s: %s", profile, id.why);
	pmu_allow_registers(pmu);
	pmu->driver->list_events(pmu);
	pmu_choose_workarounds(pmu);
	counterless_apply(pmu);
	pmu->virtual = true;
	pmu->deterministic = !judged_by_silicon_rules();
	snprintf(pmu->model, sizeof(pmu->model), "%s", vpmu_profile()->name);
	return true;
}
