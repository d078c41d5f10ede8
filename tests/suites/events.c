/*
 * Every event of the PMU, on every counter that may count it, against every kernel: at N, 2N and 3N the count
 * must be what event and kernel declare, to the last unit, so that slope and intercept both are.
 */
#include "arch/levels.h"
#include "tests/suites/held_results.h"
#include "tests/suites/movers.h"
#include "tests/suites/response.h"
#include "tests/suites/suites.h"
#include "tests/judge/expectation_level.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/judge/truth.h"

#include "arch/exceptions.h"
#include "pmu/contract/counter_values.h"
#include "pmu/events/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MS     20000
#define MULTIPLES     3
#define N_VIRTUAL     5
#define N_HARDWARE    1000
#define REPS_VIRTUAL  3
#define REPORTED_NAME 160

/* Kernels that do not define what an event counts: said once per event, when all have been seen. */
struct undefined {
	unsigned kernels;
	char names[80];
	bool cut; /* there was no room for all names */
	enum quantity quantity;
};

/* What is measured in one kernel and ring: per counter the events that it may count. */
struct plan {
	struct run *run;
	struct held_results held;
	const struct kernel *kernel;
	uint8_t level;
	uint64_t n;
	unsigned reps;
	unsigned turn; /* of the kernels */
	unsigned n_events[PMU_COUNTERS_MAX];
	uint16_t *event[PMU_COUNTERS_MAX];  /* each has room for all that the PMU has */
	struct undefined *undefined;        /* by event */
	struct movers *movers;              /* likewise */
	uint16_t current[PMU_COUNTERS_MAX]; /* the event that each counter counts in this pass */
};

static const char *level_of(uint8_t level)
{
	return level_name(level);
}

static struct result result_for(const struct plan *plan, const struct pmu_event *e, const char *counter,
				char *name)
{
	snprintf(name, REPORTED_NAME, "%s/%s/%s/%s", e->name, counter, plan->kernel->name,
		 level_of(plan->level));
	return (struct result){
		.suite = "events",
		.name = name,
		.event = e->name,
		.kernel = plan->kernel->name,
		.counter = counter,
		.level = level_of(plan->level),
		.encoding = e->code,
		.manual = e->source,
		.virtual = plan->run->pmu->virtual,
		.machine_model = plan->run->pmu->virtual && event_is_micro(e),
	};
}

static uint64_t top_n(const struct plan *plan)
{
	uint64_t n;

	return __builtin_mul_overflow(plan->n, MULTIPLES, &n) ? UINT64_MAX : n;
}

/* Whether the event has an expectation at the largest N; if not, that is the result. */
static bool expectable(const struct plan *plan, const struct pmu_event *e, unsigned c)
{
	const struct pmu *pmu = plan->run->pmu;
	char name[REPORTED_NAME];
	struct result r = result_for(plan, e, pmu->counter[c].name, name);
	struct expectation x;

	if (expectation_at_level(e, plan->kernel, plan->level, top_n(plan), pmu->attribution, &x) ==
		    EXPECTATION_OK &&
	    expectation_fits(&x, 0, counter_highest(&pmu->counter[c])) == EXPECTATION_OK)
		return true;
	r.judgement.verdict = VERDICT_ERROR;
	expectation_explain(&x, plan->kernel, top_n(plan), r.judgement.text, sizeof(r.judgement.text));
	plan->run->report(plan->run, &r);
	return false;
}

static void note_undefined(const struct plan *plan, unsigned event, enum quantity q)
{
	struct undefined *u = &plan->undefined[event];
	size_t used = strlen(u->names);

	if (plan->level && !(plan->kernel->flags & KERNEL_USER_ONLY))
		return; /* noted in ring 0 */
	u->quantity = q;
	u->kernels++;
	if (u->cut)
		return;
	u->cut = used + strlen(plan->kernel->name) + 8 >= sizeof(u->names);
	snprintf(u->names + used, sizeof(u->names) - used, "%s%s", used ? ", " : "",
		 u->cut ? "..." : plan->kernel->name);
}

static bool defined(const struct plan *plan, unsigned event)
{
	struct expectation x;

	if (expectation_at_level(plan->run->pmu->events[event], plan->kernel, plan->level, plan->n, NULL,
				 &x) != EXPECTATION_UNDEFINED)
		return true;
	note_undefined(plan, event, x.quantity);
	return false;
}

static void report_undefined(const struct plan *plan)
{
	const struct pmu *pmu = plan->run->pmu;

	for (unsigned i = 0; i < pmu->n_events; i++) {
		const struct undefined *u = &plan->undefined[i];
		const struct pmu_event *e = pmu->events[i];
		struct result r = {.suite = "events", .name = e->name, .event = e->name, .encoding = e->code};

		if (!u->kernels)
			continue;
		r.manual = e->source;
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s: not defined by %u kernel%s (%s)",
			      quantity_info[u->quantity].name, u->kernels, u->kernels > 1 ? "s" : "",
			      u->names);
		plan->run->report(plan->run, &r);
	}
}

static bool usable(const struct run *run, unsigned c)
{
	return ladder_allows(run->ladder, c, RUNG_EXACT_ON_NOPS);
}

/*
 * Counters that start together are judged together. Where each takes a run of its own, and of the hundreds
 * of events that one microarchitecture has for itself, an event goes to one counter per kernel, each time to
 * another one, so that it sees all of them.
 */
static bool has_turn(const struct plan *plan, unsigned event, unsigned c)
{
	const struct pmu *pmu = plan->run->pmu;
	unsigned n = 0, at = 0;

	if (pmu->has_global && !(pmu->events[event]->flags & EVENT_OF_CORE))
		return true;
	for (unsigned i = 0; i < pmu->n_counters; i++) {
		if (i == c)
			at = n;
		n += usable(plan->run, i) && pmu->driver->can_count(pmu, pmu->events[event], i);
	}
	return n && (plan->turn + event) % n == at;
}

static void make_plan(struct plan *plan)
{
	struct run *run = plan->run;
	const struct pmu *pmu = run->pmu;

	for (unsigned c = 0; c < pmu->n_counters; c++)
		plan->n_events[c] = 0;
	for (unsigned i = 0; i < pmu->n_events; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (!event_selected(e, run->options->event_glob) || !defined(plan, i))
			continue;
		for (unsigned c = 0; c < pmu->n_counters; c++)
			if (usable(run, c) && pmu->driver->can_count(pmu, e, c) && has_turn(plan, i, c) &&
			    expectable(plan, e, c))
				plan->event[c][plan->n_events[c]++] = (uint16_t)i;
	}
}

static bool joins(const struct pass *p, const struct pmu_event *e)
{
	for (unsigned s = 0; s < p->n_slots; s++)
		if (event_clashes(p->slot[s].event, e))
			return false;
	return true;
}

/* Counters start at different places in their lists, so that neighbours count different events. Those of
 * `pending` that can be counted together are taken out of it. */
static void fill_pass(struct plan *plan, unsigned number, uint64_t *pending, struct pass *p)
{
	const struct pmu *pmu = plan->run->pmu;
	uint64_t taken = 0;

	p->n_slots = 0;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (!(*pending >> c & 1))
			continue;
		uint16_t event = plan->event[c][(number + c) % plan->n_events[c]];
		const struct pmu_event *e = pmu->events[event];
		uint64_t takes = pmu->has_global ? event_takes(pmu, e, c) : 0;

		if (!joins(p, e) || takes & taken)
			continue;
		taken |= takes;
		plan->current[c] = event;
		p->slot[p->n_slots++] = pass_slot(e, c, plan->level ? LEVELS_USER : LEVELS_ALL);
		*pending &= ~(UINT64_C(1) << c);
	}
}

/* Counters whose lists have so many events. */
static uint64_t counters_with(const struct plan *plan, unsigned number)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < plan->run->pmu->n_counters; c++)
		mask |= (uint64_t)(number < plan->n_events[c]) << c;
	return mask;
}

static void report_slot(struct plan *plan, const struct pass *p, unsigned s)
{
	const struct slot *slot = &p->slot[s];
	const struct event_place place = pass_place(p, s);
	char name[REPORTED_NAME];
	struct result r = result_for(plan, slot->event, p->pmu->counter[slot->counter].name, name);
	struct expectation x;
	unsigned at = 0;

	if (pass_observe(p, s, r.observation, &x, &at) == EXPECTATION_OK) {
		r.n_observations = p->n_count;
		r.share = place.share;
		r.has_share = true;
		event_judge(&place, r.observation, p->n_count, &x, &r.judgement);
		movers_note(&plan->movers[plan->current[slot->counter]], p->kernel,
			    r.observation[p->n_count - 1].seen.max != 0, &r.judgement);
	} else {
		r.judgement.verdict = VERDICT_ERROR;
		expectation_explain(&x, p->kernel, p->n[at], r.judgement.text, sizeof(r.judgement.text));
	}
	held_results_take(&plan->held, plan->run, &r);
}

/* What befell a whole pass is reported once, under its first counter. */
static void report_failure(const struct plan *plan, const struct pass *p, const struct judgement *why)
{
	const struct slot *slot = &p->slot[0];
	char name[REPORTED_NAME];
	struct result r;

	for (unsigned s = 0; s < p->n_slots; s++)
		if (p->failure && p->slot[s].counter == p->failed_counter)
			slot = &p->slot[s];
	r = result_for(plan, slot->event, p->pmu->counter[slot->counter].name, name);
	r.judgement = *why;
	plan->run->report(plan->run, &r);
}

/* @return false if it could not be carried out: then the other passes of this kernel and ring would not fare
 * better */
static bool measure(struct plan *plan, struct pass *p)
{
	struct result r = {0};

	p->raw = calloc(pass_size(p), sizeof(*p->raw));
	if (!p->raw && plan->held.first) {
		held_results_report(&plan->held, plan->run);
		p->raw = calloc(pass_size(p), sizeof(*p->raw));
	}
	if (!p->raw) {
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for %u counts: ask for fewer reps",
			      pass_size(p));
	} else if (plan->run->call(plan->run, pass_run, p, EVENTS_MS, &r)) {
		if (p->failure)
			judgement_set(&r.judgement, pass_failure_verdict(p), "%s", p->failure);
		else
			for (unsigned s = 0; s < p->n_slots; s++)
				report_slot(plan, p, s);
	}
	free(p->raw);
	if (r.judgement.verdict != VERDICT_EXACT)
		report_failure(plan, p, &r.judgement);
	return r.judgement.verdict == VERDICT_EXACT;
}

/* Without a global enable, counters cannot be started together: one at a time. */
static bool measure_one_by_one(struct plan *plan, const struct pass *all)
{
	for (unsigned s = 0; s < all->n_slots; s++) {
		struct pass one = *all;

		one.n_slots = 1;
		one.slot[0] = all->slot[s];
		if (!measure(plan, &one))
			return false;
	}
	return true;
}

/* In ring 3 the share of what is not counted exactly follows from what the way there and back counts. */
static bool leans_on_the_way(const struct plan *plan)
{
	const struct pmu *pmu = plan->run->pmu;

	for (unsigned c = 0; plan->level && c < pmu->n_counters; c++)
		for (unsigned i = 0; i < plan->n_events[c]; i++) {
			const struct pmu_event *e = pmu->events[plan->event[c][i]];

			if (e->judgement == EVENT_AT_LEAST && attribution_bears_on(e))
				return true;
		}
	return false;
}

static void judge_kernel(struct plan *plan)
{
	const struct pmu *pmu = plan->run->pmu;
	static struct pass p;

	char context[REPORTED_NAME];

	make_plan(plan);
	attribution_measure(plan->run, leans_on_the_way(plan) ? NULL : plan->kernel);
	snprintf(context, sizeof(context), "events on kernel %s, %s", plan->kernel->name,
		 level_of(plan->level));
	trap_set_context(context);
	p = (struct pass){.pmu = pmu,
			  .kernel = plan->kernel,
			  .level = plan->level,
			  .n_count = MULTIPLES,
			  .reps = plan->reps};
	for (unsigned i = 0; i < MULTIPLES; i++)
		p.n[i] = plan->n * (i + 1);

	bool good = true;
	for (unsigned number = 0; good; number++) {
		uint64_t pending = counters_with(plan, number);

		if (!pending)
			break;
		while (good && pending) {
			fill_pass(plan, number, &pending, &p);
			good = pmu->has_global ? measure(plan, &p) : measure_one_by_one(plan, &p);
		}
	}
}

/* @return whether the kernel may judge: its signature agrees with what single-stepping shows */
static bool confirmed(const struct plan *plan)
{
	char name[REPORTED_NAME];
	struct result r = {.suite = "events", .name = name};

	snprintf(name, sizeof(name), "ground truth/%s/%s", plan->kernel->name, level_of(plan->level));
	trap_set_context(name);
	truth_check(plan->kernel, plan->level, plan->n, &r);
	plan->run->report(plan->run, &r);
	return !verdict_is_bad(r.judgement.verdict);
}

static void run_kernel(struct plan *plan)
{
	uint64_t other_level[] = {[0] = KERNEL_USER_ONLY, [1] = KERNEL_PRIVILEGED};

	for (unsigned i = 0; i < 2; i++) {
		const char *unfit;

		plan->level = i ? (uint8_t)level_user() : 0;
		if (plan->kernel->flags & other_level[i])
			continue;
		unfit = kernel_unfit(plan->kernel, plan->level);
		if (unfit) {
			run_skip(plan->run, "events", plan->kernel->name, NULL, unfit);
			return;
		}
		if (!confirmed(plan))
			continue;
		if (!plan->level)
			response_measure(plan->kernel);
		judge_kernel(plan);
		held_results_report(&plan->held, plan->run);
	}
}

/* @return false if memory is short */
static bool plan_create(struct plan *plan, struct run *run)
{
	const struct pmu *pmu = run->pmu;
	size_t each = pmu->n_events;
	uint16_t *events = malloc((pmu->n_counters * each + 1) * sizeof *events);

	*plan = (struct plan){.run = run,
			      .undefined = calloc(each + 1, sizeof *plan->undefined),
			      .movers = calloc(each + 1, sizeof *plan->movers)};
	plan->event[0] = events;
	for (unsigned c = 1; events && c < pmu->n_counters; c++)
		plan->event[c] = events + c * each;
	return events && plan->undefined && plan->movers;
}

static void plan_free(struct plan *plan)
{
	free(plan->event[0]);
	free(plan->undefined);
	free(plan->movers);
}

static void run_events(struct run *run)
{
	static struct plan plan;
	const struct run_options *o = run->options;
	bool deterministic = run->pmu && run->pmu->deterministic;

	if (!run->pmu) {
		run_skip(run, "events", "events", NULL, "there is no PMU");
		return;
	}
	if (!plan_create(&plan, run)) {
		struct result r = {.suite = "events", .name = "plan"};

		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for %u events on %u counters",
			      run->pmu->n_events, run->pmu->n_counters);
		run->report(run, &r);
		plan_free(&plan);
		return;
	}
	plan.n = o->n ? o->n : deterministic ? N_VIRTUAL : N_HARDWARE;
	plan.reps = run_repetitions(run, "events", REPS_VIRTUAL, UINT32_MAX);
	response_begin(run, plan.n, plan.reps);
	pass_held_begin();
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		if (!kernel_selected(k, o->kernel_glob))
			continue;
		plan.kernel = k;
		plan.turn++;
		run_kernel(&plan);
	}
	report_undefined(&plan);
	movers_report(run, plan.movers);
	plan_free(&plan);
	response_report();
	pass_held_report(run, "events");
}

const struct suite suite_events = {"events", "every event on every counter against every kernel", run_events,
				   NULL};
