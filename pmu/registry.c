/*
 * Every PMU family: its driver and its virtual CPUs. Adding a family adds a line here and nothing elsewhere.
 */
#include "arch/identity.h"
#include "pmu/amd/amd.h"
#include "pmu/intel/intel.h"
#include "pmu/contract/model.h"
#include "pmu/netburst/netburst.h"
#include "pmu/contract/pmu.h"
#include "pmu/contract/state.h"
#include "pmu/events/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_MAX 220 /* longer reasons are cut */

const struct pmu_driver *const pmu_drivers[] = {
	&intel_driver,
	&netburst_driver,
	&amd_driver,
	NULL,
};

const struct model_profile *const model_profiles[] = {
	&intel_yonah,
	&intel_core2,
	&intel_nehalem,
	&intel_westmere,
	&intel_sandybridge,
	&intel_ivybridge,
	&intel_haswell,
	&intel_broadwell,
	&intel_skylake,
	&intel_icelake,
	&intel_icelake_guest,
	&intel_tigerlake,
	&intel_alderlake_p,
	&intel_sapphirerapids,
	&intel_graniterapids,
	&intel_meteorlake_p,
	&intel_lunarlake_p,
	&intel_pantherlake_p,
	&intel_version6,
	&intel_silvermont,
	&intel_goldmont,
	&intel_goldmontplus,
	&intel_tremont,
	&intel_alderlake_e,
	&intel_meteorlake_e,
	&intel_lunarlake_e,
	&intel_pantherlake_e,
	&netburst_willamette,
	&netburst_northwood,
	&netburst_northwood_ht,
	&netburst_prescott,
	&netburst_prescott_guest,
	&netburst_potomac,
	&amd_k7,
	&amd_k8,
	&amd_fam10h,
	&amd_fam11h,
	&amd_fam12h,
	&amd_fam14h,
	&amd_fam15h,
	&amd_fam16h,
	&amd_zen1,
	&amd_zen2,
	&amd_zen3,
	&amd_zen3_epyc,
	&amd_zen4,
	&amd_zen5,
	&amd_zen4_guest,
	NULL,
};

const struct model_hybrid model_hybrids[] = {
	{"intel-alderlake", {&intel_alderlake_p, &intel_alderlake_e}},
	{"intel-meteorlake", {&intel_meteorlake_p, &intel_meteorlake_e}},
	{"intel-lunarlake", {&intel_lunarlake_p, &intel_lunarlake_e}},
	{"intel-pantherlake", {&intel_pantherlake_p, &intel_pantherlake_e}},
	{NULL, {NULL, NULL}},
};

static bool no_force(struct pmu *pmu, const char **why)
{
	(void)pmu;
	*why = "it cannot be forced onto a CPU";
	return false;
}

bool pmu_find(const char *name, struct pmu *pmu, const char **why)
{
	static const char prefix[] = "force:";
	char text[PMU_REASON_SIZE];
	bool known = false, force = name && !strncmp(name, prefix, sizeof prefix - 1);

	text[0] = '\0';
	if (force)
		name += sizeof prefix - 1;
	for (unsigned i = 0; pmu_drivers[i]; i++) {
		if (name && strcmp(name, pmu_drivers[i]->name))
			continue;
		const char *reason = "";
		known = true;
		bool (*identify)(struct pmu *, const char **) = pmu_drivers[i]->identify;

		if (force)
			identify = pmu_drivers[i]->force ? pmu_drivers[i]->force : no_force;
		if (identify(pmu, &reason)) {
			pmu->guest = identity_guest(pmu->hypervisor);
			return true;
		}
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s: %s", used ? "; " : "", pmu_drivers[i]->name,
			 reason);
	}
	if (!known) {
		snprintf(text, sizeof text, "no PMU driver is called '%.40s'; there are auto, virtual", name);
		for (unsigned i = 0; pmu_drivers[i]; i++)
			if (!text_list_add(text, sizeof text, pmu_drivers[i]->name, false))
				break;
	}
	/* It takes a state to keep the reason. */
	if (pmu->state || pmu_begin(pmu, pmu_drivers[0], why))
		*why = pmu_reason(pmu, "%s", text);
	return false;
}

const struct model_profile *model_profile_by_name(const char *name)
{
	for (unsigned i = 0; model_profiles[i]; i++)
		if (!strcmp(model_profiles[i]->name, name))
			return model_profiles[i];
	return NULL;
}

const struct model_hybrid *model_hybrid_by_name(const char *name)
{
	for (const struct model_hybrid *h = model_hybrids; h->name; h++)
		if (!strcmp(h->name, name))
			return h;
	return NULL;
}

bool model_injections_parse(const struct pmu_model *model, const char *list, struct model_injected *set,
			    const char **why)
{
	static char text[REASON_MAX];

	*set = (struct model_injected){{0}};
	for (const char *p = list ? list : ""; *p;) {
		size_t length = strcspn(p, "+");
		unsigned i = 0;
		while (model->injections[i].name && (strlen(model->injections[i].name) != length ||
						     strncmp(model->injections[i].name, p, length)))
			i++;
		if (!model->injections[i].name) {
			snprintf(text, sizeof text, "model '%s' has no injection '%.*s'; there are",
				 model->name, length > 48 ? 48 : (int)length, p);
			for (i = 0; model->injections[i].name; i++)
				if (!text_list_add(text, sizeof text, model->injections[i].name, i == 0))
					break;
			*why = text;
			return false;
		}
		set->word[i / 64] |= 1ull << i % 64;
		p += length + (p[length] == '+');
	}
	return true;
}

void pmu_remark(struct pmu *pmu, const char *format, ...)
{
	unsigned line = 0;
	va_list args;

	while (line < PMU_REMARKS && *pmu->remark[line])
		line++;
	if (line == PMU_REMARKS)
		return;
	va_start(args, format);
	vsnprintf(pmu->remark[line], PMU_REMARK_SIZE, format, args);
	va_end(args);
}
