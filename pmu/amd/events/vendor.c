/*
 * Events of the files that perf has for AMD's cores. Selector layout: APM vol. 2, 13.2.1.
 */
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/events/events.h"
#include "pmu/amd/driver/nodes.h"
#include "pmu/amd/registers.h"
#include "pmu/events/vendor_json.h"

#include <strings.h>

bool amd_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out, const char **why)
{
	(void)pmu;
	*why = "it names what AMD's selectors do not have";
	if (v->umask2 || v->equal || v->any_thread || v->fixed >= 0 || v->extra_register)
		return false;
	out->code = (v->select & 0xffull) | (uint64_t)(v->select & 0xf00) << 24 | (uint64_t)v->umask << 8 |
		    (v->edge ? CTL_EDGE : 0) | (v->invert ? CTL_INV : 0) |
		    (uint64_t)v->cmask << CTL_CMASK_SHIFT;
	out->counters = v->counters;
	out->fixed = -1;
	return true;
}

bool amd_meaning(const char *name, struct pmu_event *out)
{
	static struct pmu_event rows[AMD_EVENTS_MAX];

	for (const struct event_alias *a = amd_grammar.aliases; a->alias; a++)
		if (!strcasecmp(a->alias, name)) {
			name = a->name;
			break;
		}
	/* What the newest generation that has the name counts by it. */
	for (unsigned generation = AMD_ZEN5; generation; generation >>= 1) {
		unsigned n = amd_unpack(generation, amd_one_node(), rows, AMD_EVENTS_MAX);
		for (unsigned i = 0; i < n; i++)
			if (!strcasecmp(rows[i].name, name)) {
				event_mean(out, &rows[i]);
				return true;
			}
	}
	return false;
}
