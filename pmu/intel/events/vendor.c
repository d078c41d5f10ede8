/*
 * Events of Intel's own files: selector layout SDM 18.2.1.1; unit mask 2 and equality are of version 6 (SDM
 * of 2024, 20.2.6). What they count, by the names that the files give them.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/events/offcore.h"
#include "pmu/intel/registers.h"
#include "pmu/events/vendor_json.h"

#include <strings.h>

/* A file may name no others: what else lies in a CPU's registers is not for it to set. */
static bool is_extra(uint32_t msr)
{
	return msr == MSR_OFFCORE_RSP_0 || msr == MSR_OFFCORE_RSP_1 || msr == MSR_PEBS_LD_LAT ||
	       msr == MSR_PEBS_FRONTEND;
}

bool intel_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out,
		  const char **why)
{
	*why = "its code has more bits than Intel's selectors";
	if (v->select > 0xff)
		return false;
	*why = "it needs a unit mask of 16 bits or a comparison for equality, which came with version 6";
	if ((v->umask2 || v->equal) && pmu->version < 6)
		return false;
	*why = "it needs AnyThread, which came with version 3";
	if (v->any_thread && pmu->version < 3)
		return false;
	*why = "the register that it needs besides the selector is none for events";
	if (v->extra_register && !is_extra(v->extra_register))
		return false;
	out->code = v->select | (uint64_t)v->umask << 8 | (v->edge ? EVTSEL_E : 0) |
		    (v->any_thread ? EVTSEL_ANY : 0) | (v->invert ? EVTSEL_INV : 0) |
		    (uint64_t)v->cmask << EVTSEL_CMASK_SHIFT | (v->equal ? EVTSEL_EQ : 0) |
		    (uint64_t)v->umask2 << EVTSEL_UMASK2_SHIFT;
	out->counters = v->counters;
	out->fixed = v->fixed;
	out->extra_register = v->extra_register;
	out->extra_value = v->extra_register ? v->extra_value : 0;
	out->flags = v->precise ? EVENT_PRECISE : 0;
	return true;
}

/* Names in the files for what the architectural rows call otherwise. */
static const struct event_alias names[] = {
	{"CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.REF"},
	{"CPU_CLK_UNHALTED.CORE", "CPU_CLK_UNHALTED.THREAD"},
	{"CPU_CLK_UNHALTED.CORE_P", "CPU_CLK_UNHALTED.THREAD_P"},
	{"CPU_CLK_THREAD_UNHALTED.REF_XCLK", "CPU_CLK_UNHALTED.REF_P"},
	{"CPU_CLK_UNHALTED.REF_XCLK", "CPU_CLK_UNHALTED.REF_P"},
	{NULL, NULL},
};

#define MEANINGS 4 /* of one name: more than cores give any */

static const char *name_on_cores(const char *name)
{
	for (const struct event_alias *a = intel_core_aliases; a->alias; a++)
		if (!strcasecmp(a->alias, name))
			return a->name;
	return name;
}

static void mean(struct pmu_event *out, const struct intel_core_event *e)
{
	struct pmu_event from;

	intel_row(e, &from);
	from.flags = 0; /* who brings a file wants its events judged */
	event_mean(out, &from);
}

static bool same_encoding(const struct intel_core_event *e, const struct pmu_event *as)
{
	struct pmu_event row;

	intel_row(e, &row);
	return row.fixed == as->fixed && (as->fixed >= 0 || row.code == as->code) &&
	       row.extra_register == as->extra_register && row.extra_value == as->extra_value;
}

/* Rows of a name that single cores have, one for each meaning that they give to it.
 * @param as of those encoded like this one; NULL: of all */
static unsigned collect(const char *name, const struct pmu_event *as,
			const struct intel_core_event *found[MEANINGS])
{
	unsigned n = 0, known;

	for (unsigned i = 0; i < intel_core_event_count && n < MEANINGS; i++) {
		const struct intel_core_event *e = &intel_core_events[i];
		if (strcasecmp(intel_event_names + e->name, name) || (as && !same_encoding(e, as)))
			continue;
		for (known = 0; known < n && found[known]->meaning != e->meaning; known++)
			;
		if (known == n)
			found[n++] = e;
	}
	return n;
}

/* Where cores differ, the encoding may say whose meaning it is. */
static unsigned meanings(const char *name, const struct pmu_event *as,
			 const struct intel_core_event *found[MEANINGS])
{
	unsigned n = collect(name, NULL, found), alike;
	const struct intel_core_event *encoded[MEANINGS];

	alike = n > 1 ? collect(name, as, encoded) : 0;
	for (unsigned i = 0; i < alike; i++)
		found[i] = encoded[i];
	return alike ? alike : n;
}

/* Of the names that single cores have, those of one meaning. */
static bool meaning_on_cores(const char *name, struct pmu_event *out)
{
	const struct intel_core_event *found[MEANINGS];
	unsigned n = meanings(name_on_cores(name), out, found);

	if (n == 1)
		mean(out, found[0]);
	return n == 1 || (!n && intel_offcore_meaning(name, out));
}

bool intel_candidate(const struct pmu_event *e, unsigned i, struct pmu_event *out, const char **core)
{
	const struct intel_core_event *found[MEANINGS];
	unsigned n = meanings(name_on_cores(e->name), e, found);

	if (n < 2 || i >= n)
		return false;
	*out = *e;
	mean(out, found[i]);
	*core = intel_core_names[__builtin_ctzll(intel_core_sets[found[i]->cores])];
	return true;
}

const struct pmu_event *intel_disputed_event(const struct pmu *pmu, unsigned i, struct pmu_event *vendors,
					     struct pmu_event *peers)
{
	int core = intel_found(pmu)->core;

	for (const struct intel_disputed *d = intel_disputed;
	     core != INTEL_NO_CORE && d < intel_disputed + intel_disputed_count; d++) {
		const struct pmu_event *row =
			intel_core_sets[d->cores] >> core & 1
				? event_by_name(pmu->events, pmu->n_events, intel_event_names + d->name)
				: NULL;
		if (!row || i--)
			continue;
		*vendors = *peers = *row;
		vendors->code = d->ours;
		peers->code = d->theirs;
		/* Theirs is a selector alone. */
		peers->extra_register = 0;
		return row;
	}
	return NULL;
}

bool intel_meaning(const char *name, struct pmu_event *out)
{
	for (const struct event_alias *a = names; a->alias; a++)
		if (!strcasecmp(a->alias, name))
			name = a->name;
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		const struct pmu_event *e = &intel_arch_events[i].event;
		if (!strcasecmp(e->name, name)) {
			event_mean(out, e);
			return true;
		}
	}
	return meaning_on_cores(name, out);
}
