#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/meanings.h"
#include "pmu/intel/registers.h"

#include <string.h>

#define ALL(...)  .all = {__VA_ARGS__}
#define USER(...) .user = {__VA_ARGS__}
#define INTEL_DELIVERIES(id, what, words, in_all, in_user)                                                   \
	static const struct event_deliveries id = {                                                          \
		words, "V. Weaver, deater/deterministic; Intel's engineers there", what, in_all, in_user};
#include "pmu/intel/events/deliveries.def"
#undef INTEL_DELIVERIES

const struct event_rule intel_rules[] = {
#define INTEL_RULE(id, words, ...) [id] = {.text = words, ##__VA_ARGS__},
#include "pmu/intel/events/rules.def"
#undef INTEL_RULE
};

const struct event_floor intel_floors[] = {
#define INTEL_FLOOR(id, divisor, words, ...)                                                                 \
	[FLOOR_##id] = {.text = words, .per = divisor, .of = {__VA_ARGS__}},
#define Q(quantity, times)                                                                                   \
	{                                                                                                    \
		Q_##quantity, times                                                                          \
	}
#include "pmu/intel/events/floors.def"
};

void intel_mean(const struct intel_meaning_row *m, struct pmu_event *out)
{
	event_unpack_terms(m->terms, EVENT_TERMS, out->terms);
	out->judgement = m->judgement;
	event_follow(out, m->rule ? &intel_rules[m->rule] : NULL);
	out->floor = m->floor ? &intel_floors[m->floor] : NULL;
}

static uint64_t code_of(const struct intel_core_event *e)
{
	return e->select | (uint64_t)e->umask << 8 | (uint64_t)e->umask2 << EVTSEL_UMASK2_SHIFT |
	       (uint64_t)e->cmask << EVTSEL_CMASK_SHIFT | (e->flags & INTEL_EDGE ? EVTSEL_E : 0) |
	       (e->flags & INTEL_INV ? EVTSEL_INV : 0) | (e->flags & INTEL_ANY ? EVTSEL_ANY : 0) |
	       (e->flags & INTEL_EQ ? EVTSEL_EQ : 0);
}

void intel_row(const struct intel_core_event *e, struct pmu_event *out)
{
	const struct intel_event_extra *extra = &intel_event_extras[e->extra];

	*out = (struct pmu_event){
		.name = intel_event_names + e->name,
		.code = code_of(e),
		.counters = e->counters & INTEL_ON_FIXED ? 0 : e->counters,
		.fixed = e->counters & INTEL_ON_FIXED ? e->counters & 0xff : -1,
		.flags = EVENT_OF_CORE | (e->flags & INTEL_PEBS ? EVENT_PRECISE : 0) |
			 (e->cmask ? EVENT_MASKED : 0) | (e->flags & INTEL_EDGE ? EVENT_EDGES : 0),
		.source = "Intel's event list of the core",
		.errata = e->errata ? intel_errata[e->errata] : NULL,
		.extra_register = extra->msr,
		.extra_value = extra->value,
	};
	/* Of the events that share such a register one counter at most may count, so that no two of them
	 * meet. */
	if (extra->msr)
		out->counters &= -out->counters;
	intel_mean(&intel_meanings[e->meaning], out);
}

/* Whether a row of the core says more of an event than its definition does. */
static bool differs(const struct event_rule *rule)
{
	return rule->also[0].coefficient || rule->deliveries;
}

/* The row of a core with a code on general counters; NULL if there is none. */
static const struct intel_core_event *of_code(int core, uint64_t code)
{
	for (unsigned i = 0; core != INTEL_NO_CORE && i < intel_core_event_count; i++) {
		const struct intel_core_event *e = &intel_core_events[i];

		if (e->select == (code & 0xff) && code_of(e) == code && !(e->counters & INTEL_ON_FIXED) &&
		    intel_core_sets[e->cores] >> core & 1)
			return e;
	}
	return NULL;
}

bool intel_of_core(int core, struct pmu_event *e)
{
	const struct intel_core_event *own = e->fixed < 0 ? of_code(core, e->code) : NULL;
	const struct event_rule *rule = own ? &intel_rules[intel_meanings[own->meaning].rule] : NULL;

	if (own && own->errata)
		e->errata = intel_errata[own->errata];
	for (const struct intel_fixed_errata *f = intel_fixed_errata; e->fixed >= 0 && f->errata; f++)
		if (f->fixed == e->fixed && core != INTEL_NO_CORE && intel_core_sets[f->cores] >> core & 1)
			e->errata = intel_errata[f->errata];
	if (rule && differs(rule) && rule != e->rule)
		event_follow(e, rule);
	else
		rule = NULL;
	return rule || e->errata;
}

unsigned intel_unpack(int core, char *names, struct pmu_event *out, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; core != INTEL_NO_CORE && i < intel_core_event_count && n < max; i++)
		if (intel_core_sets[intel_core_events[i].cores] >> core & 1)
			intel_row(&intel_core_events[i], &out[n++]);
	return n + intel_offcore_unpack(core, false, names, out + n, max - n);
}
