/*
 * Tagging made by hand: one event of an experiment tags, another one counts the tags. What the second one
 * counts follows from the first, by the manual's tables of metrics where they have the two. SDM vol. 3,
 * 18.15.6, tables 19-31 to 19-33.
 */
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"

#define NBOGUS         1u
#define NBOGUS_COLOURS 0xfu /* of execution_event: NBOGUS0 to NBOGUS3 */

struct asked {
	enum netburst_event_id event;
	uint32_t escr;
	unsigned mask;
};

static struct asked asked_of(const struct pmu *pmu, const struct event_request *r)
{
	const unsigned model = netburst_cpu(pmu)->model;
	uint32_t escr = netburst_escr_of(pmu, &r->config);
	unsigned wire = (CODE_CCCR(r->config.code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT;
	struct asked a = {NB_EVENTS, escr, (escr & ESCR_MASK) >> ESCR_MASK_SHIFT};

	for (unsigned c = 0; c < NETBURST_COUNTERS && a.event == NB_EVENTS; c++) {
		enum netburst_escr_id e = netburst_wire(c, wire, model);

		if (e != ESCR_NONE && (!r->counter || r->counter == c + 1) &&
		    (!r->event || r->event->counters >> c & 1))
			a.event = netburst_event_of(e, (escr & ESCR_EVENT) >> ESCR_EVENT_SHIFT, model);
	}
	return a;
}

bool netburst_ignores_tags(unsigned event, uint32_t escr)
{
	const uint32_t both = 3u << ESCR_MASK_SHIFT; /* NBOGUSNTAG, NBOGUSTAG */

	return event == NB_INSTR_RETIRED && (escr & both) == both && !(escr & ESCR_MASK & ~both);
}

static enum netburst_mechanism counts_tags_of(const struct pmu *pmu, const struct event_request *r)
{
	const struct asked a = asked_of(pmu, r);

	if (netburst_code_recipe(r->config.code) || netburst_ignores_tags(a.event, a.escr))
		return TAG_NOTHING;
	switch (a.event) {
	case NB_FRONT_END_EVENT:
	case NB_INSTR_RETIRED:
		return TAG_FRONT_END;
	case NB_EXECUTION_EVENT:
		return TAG_EXECUTION;
	case NB_REPLAY_EVENT:
		return TAG_REPLAY;
	default:
		return TAG_NOTHING;
	}
}

static bool makes_tags(const struct pmu *pmu, const struct event_request *r,
		       enum netburst_mechanism mechanism)
{
	struct asked a = asked_of(pmu, r);

	if (netburst_code_recipe(r->config.code) || a.event == NB_EVENTS)
		return false;
	switch (mechanism) {
	case TAG_FRONT_END:
		return a.event == NB_UOP_TYPE;
	case TAG_EXECUTION:
		return netburst_event[a.event].flags & NB_TAG_SOURCE && a.escr & ESCR_TAG_ENABLE;
	case TAG_REPLAY:
		return r->config.extra_value;
	default:
		return false;
	}
}

/* The metric's row of the PMU's table. */
static const struct pmu_event *row_of(const struct pmu *pmu, const struct netburst_recipe *metric)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (netburst_code_recipe(pmu->events[i]->code) == metric)
			return pmu->events[i];
	return NULL;
}

/* Whether an event that tags, or that a replay metric needs besides, is what the metric has for it, in the
 * same rings, and on the ESCR that it must be on. */
static bool is_source(const struct event_request *r, const struct asked *a,
		      const struct netburst_recipe *metric, uint32_t rings)
{
	return a->event == (enum netburst_event_id)metric->source && a->mask == metric->source_mask &&
	       !((a->escr ^ rings) & NETBURST_RINGS) &&
	       (metric->source_escr == ESCR_NONE ||
		(r->counter && netburst_escr[metric->source_escr].counters >> (r->counter - 1) & 1));
}

static bool is_metric(const struct pmu *pmu, const struct event_request *all, unsigned n,
		      const struct asked *sink, uint64_t replay, const struct netburst_recipe *metric)
{
	unsigned sources = 0, right = metric->source == NB_EVENTS;
	uint64_t wanted = metric->pebs | (uint64_t)metric->pebs_vert << 32;

	if (metric->mechanism >= TAG_NOTHING || metric->count != sink->event)
		return false;
	if (metric->mechanism == TAG_REPLAY && replay != wanted)
		return false;
	for (unsigned i = 0; i < n; i++) {
		struct asked a = asked_of(pmu, &all[i]);
		bool tags = makes_tags(pmu, &all[i], metric->mechanism);
		unsigned colours = (a.escr & ESCR_TAG) >> ESCR_TAG_SHIFT;

		if (metric->mechanism == TAG_EXECUTION)
			tags = tags && colours & sink->mask;
		sources += metric->mechanism != TAG_REPLAY && tags;
		right += is_source(&all[i], &a, metric, sink->escr) &&
			 (tags || metric->mechanism == TAG_REPLAY);
	}
	/* What did not retire is counted, too: no metric has that. */
	if (metric->mechanism == TAG_EXECUTION)
		return sources == 1 && right == 1 && !(sink->mask & ~NBOGUS_COLOURS);
	return sink->mask == NBOGUS && right == 1 && sources <= 1;
}

/* The metric among the events whose tags one by hand counts, too. Untagged instructions are counted apart. */
static const struct netburst_recipe *metric_of(const struct pmu *pmu, const struct event_request *all,
					       unsigned n, const struct asked *sink,
					       enum netburst_mechanism mechanism)
{
	const struct netburst_recipe *found = NULL;

	for (unsigned i = 0; i < n && sink->event != NB_INSTR_RETIRED; i++) {
		const struct netburst_recipe *r = netburst_code_recipe(all[i].config.code);

		if (r && r->mechanism == mechanism && r->count == sink->event &&
		    !((netburst_escr_of(pmu, &all[i].config) ^ sink->escr) & NETBURST_RINGS))
			found = r;
	}
	return found;
}

bool netburst_join(const struct pmu *pmu, struct event_request *all, unsigned n)
{
	uint64_t replay = 0;
	bool some = false;

	for (unsigned i = 0; i < n; i++)
		replay |= all[i].config.extra_value;
	for (unsigned i = 0; i < n; i++) {
		enum netburst_mechanism mechanism = counts_tags_of(pmu, &all[i]);
		struct asked sink = asked_of(pmu, &all[i]);
		const struct netburst_recipe *metric =
			mechanism == TAG_NOTHING ? NULL : metric_of(pmu, all, n, &sink, mechanism);
		bool tagged = false;

		for (unsigned k = 0; k < n && mechanism != TAG_NOTHING; k++)
			tagged |= makes_tags(pmu, &all[k], mechanism);
		if (tagged)
			metric = NULL;
		if (!tagged && !metric)
			continue;
		some = all[i].joined = true;
		/* Of execution tags the metric's colour is known when it has its ESCR. */
		if (metric && mechanism != TAG_EXECUTION && sink.mask == NBOGUS)
			all[i].counts_as = row_of(pmu, metric);
		for (unsigned m = 0; m < NETBURST_RECIPES && !all[i].counts_as; m++)
			if (is_metric(pmu, all, n, &sink, replay, &netburst_recipe[m]))
				all[i].counts_as = row_of(pmu, &netburst_recipe[m]);
	}
	return some;
}
