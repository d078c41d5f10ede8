/*
 * What a request takes besides a counter, for the scheduler: the ESCR that the counter listens to, shared by
 * those who want the same of it; for tagging the ESCR that tags, a counter that keeps its group awake, and
 * the registers of replay tagging.
 */
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"

#include <stdio.h>

#define ESCR_RESOURCE(e) (PMU_COUNTERS_MAX + (e))
#define REPLAY_RESOURCE  ESCR_RESOURCE(ESCR_COUNT)
#define FRONT_RESOURCE   ESCR_RESOURCE(ESCR_COUNT + 1)
#define COLOUR_RESOURCE  ESCR_RESOURCE(ESCR_COUNT + 2)

/* What counts tags, or the lack of them, shares its mechanism with those who tag alike. */
#define UNTAGGED 1

static void use(struct sched_alternative *way, unsigned resource, uint64_t value)
{
	way->use[way->n_uses++] = (struct sched_use){.resource = (uint8_t)resource, .value = value};
}

/* The mechanism of tagging that an event has to do with, taken in the way that it needs. */
static void use_mechanism(struct sched_alternative *way, const struct netburst_recipe *r,
			  enum netburst_event_id event, uint32_t escr, uint64_t replay)
{
	uint32_t rings = escr & NETBURST_RINGS;

	switch (event) {
	case NB_REPLAY_EVENT:
		if (!replay)
			use(way, REPLAY_RESOURCE, r ? r->pebs | (uint64_t)r->pebs_vert << 32 : UNTAGGED);
		break;
	case NB_FRONT_END_EVENT:
		use(way, FRONT_RESOURCE, r ? (uint64_t)r->source_mask << 8 | rings : UNTAGGED);
		break;
	case NB_UOP_TYPE:
		use(way, FRONT_RESOURCE, (uint64_t)((escr & ESCR_MASK) >> ESCR_MASK_SHIFT) << 8 | rings);
		break;
	case NB_INSTR_RETIRED:
		if (!netburst_ignores_tags(event, escr))
			use(way, FRONT_RESOURCE, UNTAGGED);
		break;
	case NB_EXECUTION_EVENT:
		use(way, COLOUR_RESOURCE, r ? UNTAGGED + 1 : UNTAGGED);
		break;
	default:
		break;
	}
}

/* Ways to feed the tags that a recipe counts, each a continuation of `base`. */
static unsigned with_sources(const struct pmu *pmu, const struct netburst_recipe *r, unsigned c,
			     unsigned rings, const struct sched_alternative *base,
			     struct sched_alternative *out, unsigned room)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++) {
		uint8_t e = netburst_event[r->source].escr[i];

		if (e == ESCR_NONE || (r->source_escr != ESCR_NONE && r->source_escr != e))
			continue;
		bool awake = netburst_escr[e].group == netburst_counter[c].group;

		for (unsigned h = 0; h < NETBURST_COUNTERS; h++) {
			if (awake ? h : !(netburst_escr[e].counters >> h & 1))
				continue;
			if (n == room)
				return n;
			out[n] = *base;
			out[n].use[1].value = (base->use[1].value & ~(uint64_t)ESCR_MASK) |
					      netburst_count_mask(r, e) << ESCR_MASK_SHIFT;
			use(&out[n], ESCR_RESOURCE(e), netburst_source_value(pmu, r, e, rings));
			if (!awake)
				use(&out[n], h, 0);
			out[n++].choice = CHOICE(e, awake ? NETBURST_NOBODY : h);
		}
	}
	return n;
}

/* Counters of a raw selector: where it is a documented event, or, if it is none anywhere, where there is a
 * wire. */
static uint32_t raw_counters(unsigned model, unsigned select, unsigned event)
{
	uint32_t documented = 0, wired = 0;

	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		enum netburst_escr_id e = netburst_wire(c, select, model);

		if (e == ESCR_NONE)
			continue;
		wired |= 1u << c;
		if (netburst_event_of(e, event, model) != NB_EVENTS)
			documented |= 1u << c;
	}
	return documented ? documented : wired;
}

/* Several units have events of one number, and their ESCRs go by one number in CCCRs. @return whether words
 * are two events, with the reason */
static bool is_ambiguous(const struct pmu *pmu, unsigned model, unsigned select, unsigned event,
			 const char **why)
{
	enum netburst_event_id first = NB_EVENTS;

	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		enum netburst_escr_id e = netburst_wire(c, select, model);
		enum netburst_event_id id = e == ESCR_NONE ? NB_EVENTS : netburst_event_of(e, event, model);

		if (id != NB_EVENTS && first != NB_EVENTS && id != first) {
			*why = pmu_reason(pmu,
					  "these words are %s and %s: say which by its counter, as in @%s",
					  netburst_event[first].name, netburst_event[id].name,
					  netburst_counter[c].name);
			return true;
		}
		if (id != NB_EVENTS)
			first = id;
	}
	return false;
}

/* Whether another counter's overflow starts this one, if its CCCR has it wait for one. */
static bool can_wait(unsigned c, uint32_t cccr, unsigned model)
{
	bool waits = cccr & CCCR_CASCADE, extended = cccr & CCCR_EXTENDED_CASCADE;

	for (unsigned from = 0; from < NETBURST_COUNTERS; from++) {
		waits = waits && !netburst_cascade(from, c, false, model);
		extended = extended && !netburst_cascade(from, c, true, model);
	}
	return !waits && !extended;
}

unsigned netburst_alternatives(const struct pmu *pmu, const struct event_request *request,
			       struct sched_alternative *out, const char **why)
{
	const struct netburst_cpu *cpu = netburst_cpu(pmu);
	const unsigned model = cpu->model;
	uint32_t code_escr = CODE_ESCR(request->config.code), escr = netburst_escr_of(pmu, &request->config);
	unsigned select = (CODE_CCCR(request->config.code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT, n = 0;
	const struct netburst_recipe *r = netburst_code_recipe(request->config.code);
	bool wired = false;

	uint32_t counters =
		request->event ? request->event->counters
			       : raw_counters(model, select, (code_escr & ESCR_EVENT) >> ESCR_EVENT_SHIFT);

	*why = NULL;
	if ((request->config.any_thread || request->config.other_alone) && !cpu->hyper_threading) {
		*why = "t and o count the other logical processor, and this CPU has one: leave it out";
		return 0;
	}
	if (request->config.extra_value & (PEBS_ENABLE_MINE | PEBS_ENABLE_OTHER)) {
		*why = "bits 25 and 26 of MSR_PEBS_ENABLE are PEBS itself: clear them; record=pebs samples";
		return 0;
	}
	if (r && request->config.extra_value) {
		*why = pmu_reason(pmu,
				  "%s has values of its own for p4pe and p4pmv: leave them out, or take "
				  "replay_event",
				  r->name);
		return 0;
	}
	if (!request->event && !request->counter &&
	    is_ambiguous(pmu, model, select, (code_escr & ESCR_EVENT) >> ESCR_EVENT_SHIFT, why))
		return 0;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		enum netburst_escr_id e = netburst_wire(c, select, model);
		struct sched_alternative way = {0};

		if (e == ESCR_NONE || !(counters >> c & 1) ||
		    (e == FSB_ESCR1 && cpu->ioq_in_one && netburst_is_ioq_allocation(request->config.code)))
			continue;
		wired = true;
		if (!can_wait(c, CODE_CCCR(request->config.code), model))
			continue;
		use(&way, c, 0);
		use(&way, ESCR_RESOURCE(e), escr | 1ull << 32);
		if (!request->joined)
			use_mechanism(
				&way, r,
				netburst_event_of(e, (code_escr & ESCR_EVENT) >> ESCR_EVENT_SHIFT, model),
				escr, request->config.extra_value);
		if (request->config.extra_value)
			use(&way, REPLAY_RESOURCE, request->config.extra_value);
		if (r && r->source != NB_EVENTS)
			n += with_sources(pmu, r, c, netburst_rings_of(&request->config), &way, out + n,
					  SCHEDULE_ALTERNATIVES - n);
		else if (n < SCHEDULE_ALTERNATIVES)
			out[n++] = way;
	}
	if (!n && wired) {
		*why = "no counter of the event has a partner whose overflow could start it: leave the "
		       "cascade out";
	} else if (!n) {
		*why = pmu_reason(
			pmu, "ESCR_SELECT %u is no wire of any counter that the event may use on model %u",
			select, model);
	}
	return n;
}

const char *netburst_resource_name(const struct pmu *pmu, unsigned resource)
{
	(void)pmu;
	if (resource == REPLAY_RESOURCE)
		return "MSR_PEBS_ENABLE and MSR_PEBS_MATRIX_VERT";
	if (resource == FRONT_RESOURCE)
		return "colour of front-end tags (there is one)";
	if (resource == COLOUR_RESOURCE)
		return "pair of ESCRs for execution tags (FIRM_ESCR0 and 1)";
	return netburst_escr[resource - PMU_COUNTERS_MAX].name;
}

bool netburst_cascade_to(const struct pmu *pmu, unsigned from, unsigned to, struct pmu_config *config)
{
	for (unsigned extended = 0; extended < 2; extended++)
		if (netburst_cascade(from, to, extended, netburst_cpu(pmu)->model)) {
			config->code |= extended ? CCCR_EXTENDED_CASCADE : CCCR_CASCADE;
			return true;
		}
	return false;
}
