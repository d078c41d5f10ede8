/*
 * Experiments of the configuration: what a person wants to have counted or sampled, on the counters that the
 * scheduler gives it. Counts of which event and kernel say what they must be are judged.
 */
#include "tests/suites/experiments.h"
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/measure/experiment.h"
#include "tests/measure/pass.h"
#include "tests/report/report.h"
#include "tests/measure/sampling.h"
#include "tests/judge/truth.h"
#include "pmu/contract/counter_values.h"

#include "arch/exceptions.h"
#include "arch/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_VIRTUAL    5
#define N_HARDWARE   1000
#define REPS_VIRTUAL 3

#define POINTS EXPERIMENT_MULTIPLES

static struct experiment_plan plan;
static const struct kernel *kernel;
static struct run *run;
static unsigned points; /* values of N */
static uint64_t *raw;   /* [request][point][repetition], without the bracket's share */
/* Behind the last request: the clock. */
static struct observation counts[(EXPERIMENT_REQUESTS + 1) * POINTS], deltas[OPTION_ITEMS][POINTS],
	metrics[OPTION_ITEMS][POINTS];
static bool judged[EXPERIMENT_REQUESTS + 1];
static struct pmu_bracket brackets[EXPERIMENT_REQUESTS]; /* of the windows that each was counted in */
static char event[EXPERIMENT_REQUESTS][EXPERIMENT_EVENT];

static const char *level_of(void)
{
	return level_name(plan.level);
}

static struct result result_for(char *name, const char *what)
{
	snprintf(name, EXPERIMENT_CHECK, "%s/%s/%s/%s", plan.experiment->name, what, kernel->name,
		 level_of());
	return (struct result){
		.suite = "experiments", .name = name, .kernel = kernel->name, .level = level_of()};
}

/* An event that is counted more than once is told apart by its number. */
static struct result result_of(char *name, unsigned request)
{
	const struct event_request *q = &plan.request[request];
	char what[EXPERIMENT_EVENT + 8];
	unsigned number = 1;
	struct result r;

	for (unsigned i = 0; i < request; i++)
		number += !strcmp(event[i], event[request]);
	snprintf(what, sizeof(what), number > 1 ? "%s#%u" : "%s", event[request], number);
	r = result_for(name, what);

	r.event = event[request];
	r.counter = plan.pmu->counter[plan.place[request].alternative].name;
	r.encoding = q->config.code;
	r.machine_model = plan.pmu->virtual && q->event && event_is_micro(q->event);
	r.manual = q->event ? q->event->source : NULL;
	return r;
}

/* What concerns a whole experiment. */
static void say(const char *name, const char *level, enum verdict verdict, const char *text)
{
	struct result r = {.suite = "experiments", .name = name, .level = level};

	judgement_set(&r.judgement, verdict, "%s", text);
	run->report(run, &r);
}

/* --- counting --------------------------------------------------------------------------------------- */

static uint64_t *raw_of(unsigned request, unsigned point)
{
	return raw + (request * points + point) * plan.reps;
}

static struct observation *counts_of(unsigned request)
{
	return counts + request * points;
}

static bool cascades(void)
{
	return plan.cascade_from != plan.cascade_to;
}

static void set_slot(struct pass *p, unsigned request)
{
	const struct pmu_counter *c = &plan.pmu->counter[plan.place[request].alternative];
	struct slot *slot = &p->slot[p->n_slots++];

	*slot = (struct slot){.counter = plan.place[request].alternative,
			      .event = experiment_row(&plan, request),
			      .config = event_placed(&plan.request[request], &plan.place[request])};
	if (cascades() && request == plan.cascade_from)
		slot->start = counter_before(c, 0, plan.experiment->period);
}

/* The pass's counts, from repetition `first` on, where raw[] has them. */
static void keep_counts(const struct pass *p, unsigned number, unsigned first)
{
	for (unsigned i = 0, slot = 0; i < plan.n_requests; i++) {
		int64_t share;

		if (plan.place[i].pass != number)
			continue;
		brackets[i] = p->bracket;
		share = experiment_share(&plan, i, &p->bracket);
		if (share && p->slot[slot].event)
			share = pass_share(p, slot);
		else if (experiment_share_is_measured(&plan, i))
			share = pass_share_measured(p, slot);
		/* What waits for an overflow counts nothing in front of the kernel. */
		if (cascades() && i == plan.cascade_to)
			share -= experiment_share_ahead(&plan, i, &p->bracket);
		for (unsigned point = 0; point < points; point++) {
			for (unsigned rep = 0; rep < p->reps; rep++)
				raw_of(i, point)[first + rep] =
					pass_raw(p, point, rep, slot) - (uint64_t)share;
		}
		slot++;
	}
}

static bool run_once(struct pass *p, struct result *r)
{
	if (!run->call(run, pass_run, p, EXPERIMENT_MS, r))
		return false;
	if (p->failure)
		judgement_set(&r->judgement, pass_failure_verdict(p), "%s: %s",
			      plan.pmu->counter[p->failed_counter].name, p->failure);
	return !p->failure;
}

/* What the bracket counts in front of the kernel must not use up the period. It is known once the bracket is.
 */
static void start_behind_bracket(struct pass *p, unsigned number)
{
	unsigned slot = 0;

	for (unsigned i = 0; i < plan.cascade_from; i++)
		slot += plan.place[i].pass == number;
	p->slot[slot].start =
		counter_before(&plan.pmu->counter[p->slot[slot].counter], 0,
			       plan.experiment->period + (uint64_t)experiment_share_ahead(
								 &plan, plan.cascade_from, &p->bracket));
}

/* A cascade is wound up anew for each repetition, by programming it. */
static bool run_pass(unsigned number, struct result *r)
{
	static struct pass p;
	unsigned rounds = cascades() ? plan.reps : 1;
	bool good = true;

	p = (struct pass){.pmu = plan.pmu, .kernel = kernel, .level = plan.level, .n_count = points};
	p.reps = plan.reps / rounds;
	for (unsigned i = 0; i < points; i++)
		p.n[i] = plan.n * (i + 1);
	for (unsigned i = 0; i < plan.n_requests; i++)
		if (plan.place[i].pass == number)
			set_slot(&p, i);
	p.raw = calloc(pass_size(&p), sizeof(*p.raw));
	if (!p.raw) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no memory for %u counts: ask for fewer reps",
			      pass_size(&p));
		return false;
	}
	if (plan.clock && !number)
		p.ticks = raw_of(plan.n_requests, 0);
	if (cascades() && (good = run_once(&p, r)))
		start_behind_bracket(&p, number);
	for (unsigned round = 0; round < rounds && good; round++) {
		good = run_once(&p, r);
		if (good)
			keep_counts(&p, number, round);
	}
	free(p.raw);
	return good;
}

static void judge_count(unsigned i)
{
	char name[EXPERIMENT_CHECK];
	struct result r = result_of(name, i);
	const char *reason = NULL;
	struct reason why;

	judged[i] = true;
	for (unsigned point = 0; point < points; point++) {
		struct observation *o = counts_of(i) + point;
		struct expectation x;

		*o = (struct observation){.n = plan.n * (point + 1)};
		judged[i] &= experiment_expects(&plan, i, kernel,
						experiment_counts_window(&plan, i) ? &brackets[i] : NULL,
						o->n, &x, &why);
		o->low = x.low;
		o->high = x.high;
		reason = x.reason;
		for (unsigned rep = 0; rep < plan.reps; rep++)
			histogram_add(&o->seen, (int64_t)raw_of(i, point)[rep]);
	}
	if (judged[i]) {
		result_take(&r, counts_of(i), points);
		result_conclude(&r);
		if (r.judgement.verdict == VERDICT_WITHIN && reason)
			snprintf(r.judgement.text, sizeof(r.judgement.text), "%s", reason);
	} else {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why.line);
	}
	run->report(run, &r);
}

static int64_t minus(int64_t a, int64_t b)
{
	return a == INT64_MAX ? a : b == INT64_MAX ? INT64_MIN : a - b;
}

static bool delta_is_judged(unsigned d)
{
	return judged[plan.delta[d].minuend] && judged[plan.delta[d].subtrahend];
}

static void judge_delta(unsigned d)
{
	unsigned a = plan.delta[d].minuend, b = plan.delta[d].subtrahend;
	char name[EXPERIMENT_CHECK];
	struct result r = result_for(name, plan.experiment->deltas.item[d].text);

	for (unsigned point = 0; point < points; point++) {
		struct observation *o = &deltas[d][point];

		*o = (struct observation){.n = plan.n * (point + 1),
					  .low = minus(counts_of(a)[point].low, counts_of(b)[point].high),
					  .high = minus(counts_of(a)[point].high, counts_of(b)[point].low)};
		for (unsigned rep = 0; rep < plan.reps; rep++)
			histogram_add(&o->seen, (int64_t)(raw_of(a, point)[rep] - raw_of(b, point)[rep]));
	}
	if (!delta_is_judged(d))
		return;
	result_take(&r, deltas[d], points);
	result_conclude(&r);
	run->report(run, &r);
}

/* How fast the clock runs is the machine's business. */
static void observe_clock(void)
{
	judged[plan.n_requests] = false;
	for (unsigned point = 0; point < points; point++) {
		struct observation *o = counts_of(plan.n_requests) + point;

		*o = (struct observation){.n = plan.n * (point + 1)};
		for (unsigned rep = 0; rep < plan.reps; rep++)
			histogram_add(&o->seen, (int64_t)raw_of(plan.n_requests, point)[rep]);
	}
}

static struct report_experiment report_of(void)
{
	return (struct report_experiment){
		.name = plan.experiment->name,
		.kernel = kernel->name,
		.level = level_of(),
		.n = plan.n,
		.reps = plan.reps,
		.passes = plan.passes,
		.bound = plan.bound,
		.proof = plan.proof,
	};
}

static void report_counts(void)
{
	static struct report_count count[EXPERIMENT_REQUESTS + 1];
	static struct report_delta delta[OPTION_ITEMS], metric[OPTION_ITEMS];
	const struct experiment_counts all = {&plan, points, raw, counts, judged};
	struct report_experiment x = report_of();

	x.count = count;
	x.n_counts = plan.n_requests + plan.clock;
	x.delta = delta;
	x.n_deltas = plan.n_deltas;
	x.metric = metric;
	x.n_metrics = plan.n_metrics;
	for (unsigned i = 0; i < plan.n_requests; i++)
		count[i] = (struct report_count){
			.event = event[i],
			.counter = plan.pmu->counter[plan.place[i].alternative].name,
			.pass = plan.place[i].pass + 1u,
			.encoding = plan.request[i].config.code,
			.judged = judged[i],
			.n_observations = points,
			.observation = counts_of(i),
		};
	count[plan.n_requests] = (struct report_count){.event = clock_name,
						       .counter = "",
						       .pass = 1,
						       .n_observations = points,
						       .observation = counts_of(plan.n_requests)};
	for (unsigned d = 0; d < plan.n_deltas; d++)
		delta[d] = (struct report_delta){
			.name = plan.experiment->deltas.item[d].text,
			.across_passes = plan.place[plan.delta[d].minuend].pass !=
					 plan.place[plan.delta[d].subtrahend].pass,
			.judged = delta_is_judged(d),
			.n_observations = points,
			.observation = deltas[d],
		};
	for (unsigned m = 0; m < plan.n_metrics; m++) {
		char what[METRIC_NAME + 16], name[EXPERIMENT_CHECK];
		struct result r;

		snprintf(what, sizeof what, "%s in millionths", plan.metric[m].name);
		r = result_for(name, what);
		experiment_metric(&all, m, metrics[m], &metric[m], &r);
		run->report(run, &r);
	}
	report_experiment(&x);
}

static void count_events(void)
{
	char name[EXPERIMENT_CHECK];
	struct result r = result_for(name, "counting");

	points = cascades() ? 1 : POINTS;
	raw = calloc((size_t)(plan.n_requests + plan.clock) * points * plan.reps, sizeof(*raw));
	if (!raw)
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for %u repetitions: ask for fewer reps",
			      plan.reps);
	for (unsigned number = 0; raw && number < plan.passes; number++)
		if (!run_pass(number, &r))
			break;
	if (r.judgement.verdict != VERDICT_EXACT) {
		run->report(run, &r);
	} else {
		for (unsigned i = 0; i < plan.n_requests; i++)
			judge_count(i);
		for (unsigned d = 0; d < plan.n_deltas; d++)
			judge_delta(d);
		if (plan.clock)
			observe_clock();
		report_counts();
	}
	free(raw);
	raw = NULL;
}

/* --- sampling --------------------------------------------------------------------------------------- */

static struct experiment_run under_way(void)
{
	return (struct experiment_run){run, &plan, kernel, result_of, event};
}

static void sample_events(void)
{
	const struct experiment_run e = under_way();

	for (unsigned i = 0; i < (cascades() ? 1 : plan.n_sampled); i++) {
		struct report_experiment x = report_of();

		experiment_sample(&e, cascades() ? plan.cascade_to : i, &x);
	}
}

/* The source writes the records, of each event or of all that runs. */
static void record_events(void)
{
	const struct experiment_run e = under_way();
	char name[EXPERIMENT_CHECK];
	struct report_experiment x;

	for (unsigned i = 0; i < plan.n_sampled; i++) {
		struct result r = result_of(name, i);

		x = report_of();
		experiment_record(&e, i, &r, &x);
	}
	if (!plan.n_requests) {
		struct result r = result_for(name, record_kind_names[plan.source->kind]);

		x = report_of();
		experiment_record(&e, EXPERIMENT_ALL, &r, &x);
	}
}

/* --- experiments ------------------------------------------------------------------------------------ */

/* What the counts are compared with is the signature: it must agree with what single-stepping shows. */
static bool confirmed(void)
{
	char name[EXPERIMENT_CHECK];
	struct result r = result_for(name, "ground truth");

	truth_check(kernel, plan.level, plan.n, &r);
	if (verdict_is_bad(r.judgement.verdict))
		run->report(run, &r);
	return !verdict_is_bad(r.judgement.verdict);
}

/* What a user's own code does is what single-stepping shows, for each N that is measured. */
static bool observed(void)
{
	static struct qvec seen;
	char name[EXPERIMENT_CHECK];
	struct result r = result_for(name, "ground truth");
	unsigned multiples = plan.experiment->record || cascades() ? 1 : POINTS;

	kernel_observe(kernel, 0, NULL);
	for (unsigned i = 1; i <= multiples; i++) {
		memset(&seen, 0, sizeof seen);
		if (!ground_truth(kernel, plan.level, plan.n * i, OUTCOME_ABORT, &seen, &r)) {
			run->report(run, &r);
			return false;
		}
		kernel_observe(kernel, plan.n * i, &seen);
		histogram_add(&result_observe(&r, plan.n * i, 1, INT64_MAX)->seen,
			      (int64_t)seen.v[Q_INSTRUCTIONS]);
	}
	judgement_set(&r.judgement, VERDICT_WITHIN, "instructions, as single-stepping shows them");
	run->report(run, &r);
	return true;
}

static void try_on_kernel(void)
{
	char name[EXPERIMENT_CHECK];
	struct result r = result_for(name, "fit");
	const char *unfit = kernel_unfit(kernel, plan.level);

	trap_set_context(plan.experiment->name);
	if (unfit) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", unfit);
		run->report(run, &r);
		return;
	}
	if (!(kernel->flags & KERNEL_OWN ? observed() : confirmed()))
		return;
	if (plan.experiment->record == RECORD_NONE)
		count_events();
	else if (plan.source)
		record_events();
	else
		sample_events();
}

/* Events that cannot be had are said, and the rest is carried out. */
static void report_excluded(const char *level)
{
	char what[EXPERIMENT_EVENT], name[EXPERIMENT_CHECK];

	for (unsigned i = 0; i < plan.n_excluded; i++) {
		event_format(plan.pmu, &plan.excluded[i], what, sizeof(what));
		snprintf(name, sizeof(name), "%s/%s/%s", plan.experiment->name, what, level);
		say(name, level, VERDICT_SKIPPED,
		    "the counters that can count it are not to be believed: see the ladder");
	}
}

static void run_at_level(const struct experiment *x, uint8_t level)
{
	const struct run_options *o = run->options;
	bool deterministic = run->pmu->deterministic;
	char why[JUDGEMENT_TEXT], name[EXPERIMENT_NAME + 8];

	snprintf(name, sizeof(name), "%s/%s", x->name, level_name(level));
	if (!experiment_plan(o->experiments, x, run->pmu,
			     x->record > RECORD_PMI ? experiment_sources(run) : NULL, level,
			     o->n            ? o->n
			     : deterministic ? N_VIRTUAL
					     : N_HARDWARE,
			     run_repetitions(run, "experiments", REPS_VIRTUAL, UINT32_MAX), &plan, why,
			     sizeof(why))) {
		say(name, level_name(level), VERDICT_ERROR, why);
		return;
	}
	report_excluded(level_name(level));
	if (plan.n_excluded && !plan.n_requests)
		return;
	for (unsigned i = 0; i < plan.n_requests; i++)
		event_format(plan.pmu, &plan.request[i], event[i], sizeof(event[i]));
	if (x->own) {
		kernel = x->own;
		try_on_kernel();
		return;
	}
	for (kernel = kernels_begin; kernel < kernels_end; kernel++)
		if (kernel_selected(kernel, x->kernel))
			try_on_kernel();
}

static void run_experiments(struct run *the_run)
{
	const struct experiments *all = the_run->options->experiments;

	run = the_run;
	if (!run->pmu) {
		say("experiments", NULL, VERDICT_SKIPPED, "there is no PMU");
		return;
	}
	if (!all || !all->count)
		say("experiments", NULL, VERDICT_SKIPPED, "assay.cfg has no [experiment NAME] section");
	for (unsigned i = 0; all && i < all->count; i++) {
		const struct experiment *x = &all->experiment[i];

		if (!glob_match(x->pmu, run->pmu->driver->name) && !glob_match(x->pmu, run->pmu->model)) {
			say(x->name, NULL, VERDICT_SKIPPED, "it is meant for another PMU, as its pmu= says");
			continue;
		}
		if (x->level != EXPERIMENT_USER)
			run_at_level(x, 0);
		if (x->level != EXPERIMENT_HARNESS)
			run_at_level(x, level_user());
	}
}

const struct suite suite_experiments = {"experiments", "experiments of the configuration", run_experiments,
					NULL};
