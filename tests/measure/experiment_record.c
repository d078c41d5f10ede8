/*
 * Experiments that have hardware write records: what the source can do, and refusals of what it cannot.
 */
#include "tests/measure/experiment_planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PERIOD_OPERATIONS 1024 /* IBS knows no rings: a handler's way back must not use up the period */

static bool is_trace(const struct experiment *x)
{
	return x->record == RECORD_BRANCH_TRACE || x->record == RECORD_LAST_BRANCHES;
}

static bool check_period(const struct planner *p, const struct pmu_record_source *s)
{
	const struct experiment *x = p->x;
	uint64_t unit = s->period_unit ? s->period_unit : 1, near;

	if (is_trace(x))
		return !x->period || planner_refuse(p, x->key[KEY_PERIOD],
						    "record=%s takes every branch: leave period= out",
						    record_kind_names[x->record]);
	if (!x->period)
		return planner_refuse(p, x->key[KEY_RECORD], "it needs period=, the number of %s",
				      s->depth      ? "events before the branches"
				      : s->counters ? "events from record to record"
						    : "operations from record to record");
	if (!s->counters && x->period < PERIOD_OPERATIONS)
		return planner_refuse(p, x->key[KEY_PERIOD],
				      "period=%" PRIu64
				      " is too short: the interrupt's handler is sampled, too: at "
				      "least %d",
				      x->period, PERIOD_OPERATIONS);
	near = x->period < unit ? unit : (x->period + unit / 2) / unit * unit;
	return near == x->period ||
	       planner_refuse(p, x->key[KEY_PERIOD],
			      "period=%" PRIu64 ": record=%s has periods that are multiples of "
			      "%" PRIu64 ": take %" PRIu64,
			      x->period, record_kind_names[x->record], unit, near);
}

bool planner_check_source(const struct planner *p)
{
	const struct experiment *x = p->x;
	const struct pmu_record_source *s = p->sources ? p->sources->source[x->record] : NULL;
	const char *absent = p->sources ? p->sources->absent[x->record] : NULL;

	if (!s && absent)
		return planner_refuse(p, x->key[KEY_RECORD], "record=%s: %s; take record=pmi",
				      record_kind_names[x->record], absent);
	if (!s)
		return planner_refuse(p, x->key[KEY_RECORD],
				      "record=%s: %s makes no such records; take record=pmi",
				      record_kind_names[x->record], p->plan->pmu->name);
	if (!s->counters && x->events.count)
		return planner_refuse(p, x->events.item[0].at,
				      "record=%s takes %s, not events: leave events= out",
				      record_kind_names[x->record], is_trace(x) ? "branches" : "operations");
	if (s->counters && !x->events.count)
		return planner_refuse(p, x->at,
				      "record=%s samples events: add events=", record_kind_names[x->record]);
	p->plan->source = s;
	return check_period(p, s);
}

/* Names of the counters of a mask, "PMC0 or PMC1". */
static void name_counters(const struct pmu *pmu, uint64_t mask, char *out, size_t size)
{
	size_t n = 0;

	snprintf(out, size, "none");
	for (unsigned c = 0; c < pmu->n_counters && n < size; c++)
		if (mask >> c & 1)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? " or " : "",
					      pmu->counter[c].name);
}

static bool can_sample(const struct planner *p, unsigned request, unsigned counter, struct pmu_config config,
		       const char **why)
{
	const struct pmu_recording r = {.source = p->plan->source,
					.levels = p->plan->request[request].config.levels,
					.counter = counter,
					.config = config,
					.period = p->x->period};

	return !p->sources->can_sample || p->sources->can_sample(p->sources->ctx, &r, why);
}

/* With those that are counted meanwhile. */
static bool schedule_on(const struct planner *p, unsigned i, const struct event_request *here,
			const char **why)
{
	struct experiment_plan *plan = p->plan;
	struct event_request all[EXPERIMENT_REQUESTS];
	struct sched_result result;

	if (plan->n_requests == plan->n_sampled)
		return schedule_events(plan->pmu, here, 1, &plan->place[i], &result, why);
	memcpy(all, plan->request, plan->n_requests * sizeof *all);
	all[0] = *here;
	if (!schedule_events(plan->pmu, all, plan->n_requests, plan->place, &result, why))
		return false;
	*why = "with what beside= counts it takes more than one pass: leave some out";
	return result.passes == 1;
}

/* On the first counter that can; else the last reason that one could not. */
static bool place_sample(const struct planner *p, unsigned i)
{
	struct experiment_plan *plan = p->plan;
	const struct pmu *pmu = plan->pmu;
	struct event_request *q = &plan->request[i];
	struct text_place at = p->x->events.item[plan->item[i]].at;
	const char *why = NULL;
	char names[96];

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		struct event_request here = *q;

		if (!(plan->source->counters >> c & 1) || (q->counter && q->counter != c + 1))
			continue;
		here.counter = (uint8_t)(c + 1);
		if (schedule_on(p, i, &here, &why) &&
		    can_sample(p, i, c, event_placed(&here, &plan->place[i]), &why)) {
			plan->place[i].pass = (uint16_t)i;
			return true;
		}
	}
	if (why)
		return planner_refuse(p, at, "%s", why);
	name_counters(pmu, plan->source->counters, names, sizeof names);
	return planner_refuse(p, at, "%s does not sample: take %s", pmu->counter[q->counter - 1].name, names);
}

bool planner_place_samples(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;

	for (unsigned i = 0; i < plan->n_sampled; i++)
		if (!place_sample(p, i))
			return false;
	if (plan->n_requests > plan->n_sampled) {
		plan->passes = plan->bound = 1;
		plan->proof = "one event is sampled, the others are counted meanwhile";
		return true;
	}
	plan->passes = plan->bound = plan->n_requests ? plan->n_requests : 1;
	plan->proof = plan->n_requests ? "each event is sampled alone" : "it takes no counter";
	return true;
}
