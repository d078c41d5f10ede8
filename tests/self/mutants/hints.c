/*
 * The mutants of each model, and which trial tells which: as the lists beside the models have them
 * (scripts/gen-mutants). The trials were found by running the suites on each mutant (verbose=1 does that for
 * those without one).
 */
#include "tests/self/mutants/mutants.h"

#include "mutants/families.h"

#include <stddef.h>
#include <string.h>

#define ROW(id, text) {#id, text},

#define FAMILY(family, mutants) static const struct model_mutant of_##family[] = {mutants(ROW){NULL, NULL}};
MUTANT_FAMILIES(FAMILY)
#undef FAMILY

const struct model_mutant *model_mutants(const char *model)
{
#define FAMILY(family, mutants)                                                                              \
	if (!strcmp(model, #family))                                                                         \
		return of_##family;
	MUTANT_FAMILIES(FAMILY)
#undef FAMILY
	return NULL;
}

/* What the lists have behind "told by". */
#define CONTROL(profile, checks)       {profile, "control", checks, NULL, NULL}, NULL
#define SUITE(profile, suite, kernels) {profile, suite, NULL, kernels, NULL}, NULL
#define SMI_DURING(profile, events)    {profile, "events", events, "core", "smi"}, NULL
#define OUT_OF_REACH(why)              {NULL, NULL, NULL, NULL, NULL}, why

#define NO_CONTROL2 "no CPU whose CPUID is known has the second control registers of IBS"

const struct mutant_hint mutant_hints[] = {
	MUTANT_HINTS{NULL, NULL, OUT_OF_REACH(NULL)},
};
