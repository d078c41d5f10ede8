/*
 * Every PMU family, as pmu/families.def lists them: its driver and its virtual CPUs.
 */
#include "arch/courage.h"
#include "arch/identity.h"
#include "pmu/contract/family.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"
#include "pmu/contract/state.h"
#include "pmu/events/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PMU_FAMILY(family) extern const struct pmu_family family;
#include "pmu/families.def"
#undef PMU_FAMILY

static const struct pmu_family *const families[] = {
#define PMU_FAMILY(family) &family,
#include "pmu/families.def"
#undef PMU_FAMILY
	NULL,
};

const struct pmu_family *pmu_family(unsigned i)
{
	return i < sizeof families / sizeof families[0] ? families[i] : NULL;
}

void pmu_allow_registers(const struct pmu *pmu)
{
	const struct register_range *lists[COURAGE_LISTS];
	unsigned n = 0;

	for (unsigned i = 0; !pmu && families[i] && n < COURAGE_LISTS; i++)
		lists[n++] = families[i]->driver->registers;
	if (pmu)
		lists[n++] = pmu->driver->registers;
	courage_lists(lists, n);
}

const char *pmu_default_profile(void)
{
	for (unsigned i = 0; families[i]; i++)
		if (families[i]->default_profile)
			return families[i]->default_profile;
	return "";
}

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
	for (unsigned i = 0; families[i]; i++) {
		const struct pmu_driver *driver = families[i]->driver;

		if (name && strcmp(name, driver->name))
			continue;
		const char *reason = "";
		known = true;
		bool (*identify)(struct pmu *, const char **) = driver->identify;

		if (force)
			identify = driver->force ? driver->force : no_force;
		if (identify(pmu, &reason)) {
			pmu->under_hypervisor = identity_hypervisor(pmu->hypervisor);
			pmu->errata = families[i]->errata;
			if (pmu->errata)
				pmu->processor = pmu->errata->processor();
			return true;
		}
		size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s: %s", used ? "; " : "", driver->name, reason);
	}
	if (!known) {
		snprintf(text, sizeof text, "no PMU driver is called '%.40s'; there are auto, virtual", name);
		for (unsigned i = 0; families[i]; i++)
			if (!text_list_add(text, sizeof text, families[i]->driver->name, false))
				break;
	}
	/* It takes a state to keep the reason. */
	if (pmu->state || pmu_begin(pmu, families[0]->driver, why))
		*why = pmu_reason(pmu, "%s", text);
	return false;
}

const struct model_profile *model_profile(unsigned i)
{
	for (unsigned f = 0; families[f]; f++)
		for (const struct model_profile *const *p = families[f]->profiles; *p; p++)
			if (!i--)
				return *p;
	return NULL;
}

const struct model_profile *model_profile_by_name(const char *name)
{
	const struct model_profile *p;

	for (unsigned i = 0; (p = model_profile(i)); i++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const struct model_hybrid *model_hybrid(unsigned i)
{
	for (unsigned f = 0; families[f]; f++)
		for (const struct model_hybrid *h = families[f]->hybrids; h && h->name; h++)
			if (!i--)
				return h;
	return NULL;
}

const struct model_hybrid *model_hybrid_by_name(const char *name)
{
	const struct model_hybrid *h;

	for (unsigned i = 0; (h = model_hybrid(i)); i++)
		if (!strcmp(h->name, name))
			return h;
	return NULL;
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
