/*
 * Events of Intel's own files: selector layout SDM 18.2.1.1; unit mask 2 and equality are of version 6 (SDM
 * of 2024, 20.2.6). What they count, by the names that the files give them.
 */
#include "pmu/intel/core_events.h"
#include "pmu/intel/driver.h"
#include "pmu/intel/events.h"
#include "pmu/intel/extra.h"
#include "pmu/intel/offcore.h"
#include "pmu/intel/registers.h"
#include "pmu/vendor_json.h"

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
	if (v->msr && !is_extra(v->msr))
		return false;
	out->code = v->select | (uint64_t)v->umask << 8 | (v->edge ? EVTSEL_E : 0) |
		    (v->any_thread ? EVTSEL_ANY : 0) | (v->invert ? EVTSEL_INV : 0) |
		    (uint64_t)v->cmask << EVTSEL_CMASK_SHIFT | (v->equal ? EVTSEL_EQ : 0) |
		    (uint64_t)v->umask2 << EVTSEL_UMASK2_SHIFT;
	out->counters = v->counters;
	out->fixed = v->fixed;
	out->extra_msr = v->msr;
	out->extra_value = v->msr ? v->msr_value : 0;
	out->flags = v->pebs ? EVENT_PEBS : 0;
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

/* Of the names that single cores have, those that mean the same on all. */
static bool meaning_on_cores(const char *name, struct pmu_event *out)
{
	const struct intel_core_event *known = NULL;

	for (const struct event_alias *a = intel_core_aliases; a->alias; a++)
		if (!strcasecmp(a->alias, name)) {
			name = a->name;
			break;
		}
	for (unsigned i = 0; i < intel_core_event_count; i++) {
		const struct intel_core_event *e = &intel_core_events[i];
		if (strcasecmp(intel_event_names + e->name, name))
			continue;
		if (known && known->meaning != e->meaning)
			return false;
		known = e;
	}
	if (!known)
		return intel_offcore_meaning(name, out);
	struct pmu_event from;
	intel_row(known, &from);
	from.flags = 0; /* who brings a file wants its events judged */
	event_mean(out, &from);
	return true;
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
