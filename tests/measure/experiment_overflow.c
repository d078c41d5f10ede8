/*
 * Experiments in which counters overflow, to be sampled or to start each other: refusals of what is missing,
 * contradicts itself, or does not fit the counters.
 */
#include "tests/measure/experiment_planner.h"
#include "pmu/contract/counter_values.h"
#include "tests/measure/sampling.h"
#include "tests/report/level_words.h"

#include "arch/levels.h"

#include <inttypes.h>

#define PERIOD_HARNESS 200 /* a handler's way back counts as well: it must not use up the period */

/* What is said of samples, where there are none of that kind. */
static bool check_sample_keys(const struct planner *p)
{
	const struct experiment *x = p->x;
	bool samples = x->record && x->record != RECORD_BRANCH_TRACE && x->record != RECORD_LAST_BRANCHES &&
		       x->record != RECORD_NEXT_BRANCHES;

	if ((x->sample || x->most) && !samples)
		return planner_refuse(p, planner_key(p, x->sample ? KEY_SAMPLE : KEY_MAX),
				      "it is of samples: add record=pmi, pebs or ibs-op");
	if (x->buffer && x->record != RECORD_PRECISE)
		return planner_refuse(p, planner_key(p, KEY_BUFFER),
				      "buffer= is of records in memory: take record=pebs, or leave it out");
	return true;
}

static bool check_beside(const struct planner *p)
{
	const struct experiment *x = p->x;

	if (!x->beside.count)
		return true;
	if ((x->record != RECORD_PMI && x->record != RECORD_PRECISE) || x->cascades.count)
		return planner_refuse(p, x->beside.item[0].at,
				      "beside= counts while record=pmi or record=pebs samples%s",
				      x->cascades.count ? ", not beside a cascade" : "");
	if (!p->plan->level)
		return planner_refuse(
			p, x->beside.item[0].at,
			"in %s what beside= counts would have the harness's own in it: take %s=%u",
			level_name(0), level_heading(), level_user());
	if (p->plan->n_excluded)
		return planner_refuse(
			p, x->beside.item[0].at,
			"%s is left out, as its counters fell short of the ladder: leave beside= out",
			p->plan->excluded[0].event ? p->plan->excluded[0].event->name : "a raw event");
	if (p->plan->n_sampled != 1)
		return planner_refuse(
			p, x->beside.item[0].at,
			"beside= counts while one event is sampled, and events= has %u: share them "
			"among experiments",
			p->plan->n_sampled);
	return p->plan->n_requests - 1 <= SAMPLING_BESIDE ||
	       planner_refuse(p, x->beside.item[0].at,
			      "beside= has more than %d events: share them among experiments",
			      SAMPLING_BESIDE);
}

static bool check_cascade(const struct planner *p)
{
	const struct experiment *x = p->x;
	unsigned least = p->plan->pmu->pmi_late ? 2 : 1;

	if (x->cascades.count && !p->plan->pmu->driver->cascade)
		return planner_refuse(p, x->cascades.item[0].at,
				      "the counters of %s do not start each other: leave cascade= out",
				      p->plan->pmu->name);
	if (x->cascades.count > 1)
		return planner_refuse(p, x->cascades.item[x->cascades.count - 1].at,
				      "an experiment has one cascade: share them among experiments");
	if (x->then && !x->cascades.count)
		return planner_refuse(p, planner_key(p, KEY_THEN),
				      "then= says nothing without cascade=A>B: add it");
	if (x->cascades.count && (x->record ? x->record != RECORD_PMI || !x->then : x->then != 0))
		return planner_refuse(
			p, x->record ? planner_key(p, KEY_RECORD) : planner_key(p, KEY_THEN),
			"a cascade interrupts with record=pmi and then=, the number of its second "
			"event: give both, or none");
	if (x->then && x->then < least)
		return planner_refuse(p, planner_key(p, KEY_THEN),
				      "then=%" PRIu64 ": these counters interrupt with the event behind the "
				      "overflow: at least %u",
				      x->then, least);
	return true;
}

bool planner_check_record(const struct planner *p)
{
	const struct experiment *x = p->x;

	if (!check_cascade(p) || !check_sample_keys(p) || !check_beside(p))
		return false;
	if (x->record > RECORD_PMI)
		return planner_check_source(p);
	if ((x->record || x->cascades.count) && !x->period)
		return planner_refuse(p, x->record ? planner_key(p, KEY_RECORD) : x->cascades.item[0].at,
				      "it needs period=, the number of events up to an overflow");
	if (x->period && !x->record && !x->cascades.count)
		return planner_refuse(
			p, planner_key(p, KEY_PERIOD),
			"period= says nothing without record= or cascade=: add one, or leave it out");
	if (x->record && !p->plan->pmu->has_pmi)
		return planner_refuse(p, planner_key(p, KEY_RECORD),
				      "%s raises no overflow interrupt: leave record= out",
				      p->plan->pmu->name);
	if (x->record && !x->cascades.count && !p->plan->level && x->period < PERIOD_HARNESS)
		return planner_refuse(
			p, planner_key(p, KEY_PERIOD),
			"period=%" PRIu64
			" is too short in %s, where the interrupt's handler is counted as well: at "
			"least %d, or %s=%u",
			x->period, level_name(0), PERIOD_HARNESS, level_heading(), level_user());
	return true;
}

bool planner_check_counter(const struct planner *p, unsigned c, uint64_t period, enum experiment_key from,
			   bool interrupts)
{
	const struct pmu_counter *k = &p->plan->pmu->counter[c];
	unsigned bits = k->write_width < k->width ? k->write_width - 1u : k->width - 1u;
	uint64_t most = bits < 63 ? UINT64_C(1) << bits : counter_highest(k);

	if (most > counter_highest(k))
		most = counter_highest(k);

	if (interrupts && !k->has_interrupt)
		return planner_refuse(p, planner_key(p, KEY_RECORD),
				      "%s raises no interrupt: take another counter", k->name);
	if (period > most)
		return planner_refuse(p, planner_key(p, from),
				      "%s=%" PRIu64 " does not fit %s: at most %" PRIu64,
				      from == KEY_THEN ? "then" : "period", period, k->name, most);
	return true;
}

bool planner_check_period(const struct planner *p, unsigned c)
{
	return planner_check_counter(p, c, p->x->period, KEY_PERIOD, p->x->record);
}

bool planner_check_waiting(const struct planner *p)
{
	const struct experiment_plan *plan = p->plan;
	const struct event_grammar *g = plan->pmu->driver->grammar;

	for (unsigned i = 0; g && i < plan->n_requests; i++) {
		const struct option_item *item = &p->x->events.item[plan->item[i]];
		bool starts = plan->cascade_from != plan->cascade_to && i == plan->cascade_to;

		if (plan->request[i].config.code & g->code_waits && !starts)
			return planner_refuse(
				p, item->at,
				"%s waits for another counter's overflow: name both in cascade=A>B, "
				"or take the cascade out",
				item->text);
		if (plan->request[i].config.code & g->code_overflows_always && p->x->record &&
		    (!plan->level || p->x->period != 1))
			return planner_refuse(
				p, item->at,
				"%s overflows with each increment: record= takes it with %s=%u and period=1",
				item->text, level_heading(), level_user());
	}
	return true;
}
