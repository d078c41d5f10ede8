/*
 * Experiments that sample by interrupts: each period-th occurrence of an event, or the one of a cascade; with
 * what other counters counted meanwhile.
 */
#include "tests/suites/experiments.h"
#include "tests/measure/known_path.h"
#include "tests/measure/pass.h"
#include "tests/measure/sampling.h"
#include "pmu/contract/counter_values.h"
#include "pmu/virtual/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROWS       20000
#define LATE_STEPS 200 /* on hardware an interrupt may come that much later than its occurrence */

static bool cascades(const struct experiment_plan *p)
{
	return p->cascade_from != p->cascade_to;
}

/* --- what was counted meanwhile --------------------------------------------------------------------- */

void experiment_beside(const struct experiment_run *e, const uint64_t *raw, const struct pmu_bracket *bracket,
		       struct report_count *out, struct observation *seen)
{
	const struct experiment_plan *plan = e->plan;
	unsigned n = plan->n_requests - plan->n_sampled;

	for (unsigned i = 0; i < n; i++) {
		unsigned request = plan->n_sampled + i;
		char name[EXPERIMENT_CHECK];
		struct result r = e->result_of(name, request);
		int64_t share = experiment_share(plan, request, bracket);
		struct observation *o = &seen[i];
		struct expectation x;
		struct reason why;
		bool judged = experiment_expects(plan, request, e->kernel,
						 experiment_counts_window(plan, request) ? bracket : NULL,
						 plan->n, &x, &why);

		if (judged && !plan->pmu->deterministic) {
			judged = false;
			why.line =
				"counted, not judged: an interrupt may count at the level that it strikes in";
		}
		*o = (struct observation){.n = plan->n, .low = x.low, .high = x.high};
		for (unsigned rep = 0; rep < plan->reps; rep++)
			histogram_add(&o->seen, (int64_t)raw[rep * n + i] - share);
		out[i] = (struct report_count){
			.event = e->event[request],
			.counter = plan->pmu->counter[plan->place[request].alternative].name,
			.pass = 1,
			.encoding = plan->request[request].config.code,
			.judged = judged,
			.n_observations = 1,
			.observation = o};
		if (judged) {
			result_take(&r, o, 1);
			result_conclude(&r);
		} else {
			judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why.line);
		}
		e->run->report(e->run, &r);
	}
}

/* --- judging ---------------------------------------------------------------------------------------- */

/* As many samples as the event occurs periods. In ring 0 more: the handler's way back counts, too. On
 * hardware the last one may be late. */
static void judge_samples(const struct experiment_run *e, unsigned i, const struct sampling *s,
			  struct result *r)
{
	const struct experiment_plan *plan = e->plan;
	struct expectation x;
	int64_t share = experiment_share(plan, i, &s->bracket), period = (int64_t)s->period, low, high;
	struct reason why;

	if (!experiment_expects(plan, i, e->kernel, &s->bracket, s->n, &x, &why)) {
		judgement_set(&r->judgement, VERDICT_SKIPPED, "%s", why.line);
		return;
	}
	low = (x.low + share) / period;
	high = !plan->level || x.high == INT64_MAX ? INT64_MAX : (x.high + share) / period;
	if (!plan->pmu->deterministic && low)
		low = plan->level ? low - 1 : 1;
	result_observe_only(r, s->n, low, high)->seen = s->taken;
	result_conclude(r);
}

/* The step of the known path in which the second event occurs for the then-th time since the first one did
 * for the period-th time. @return path->to: it does not */
static unsigned step_of_cascade(const struct experiment_plan *plan, const struct path *path)
{
	const struct experiment *x = plan->experiment;
	const struct pmu_event *first = experiment_row(plan, plan->cascade_from),
			       *second = experiment_row(plan, plan->cascade_to);
	uint64_t before = 0, behind = 0;
	unsigned levels[] = {plan->request[plan->cascade_from].config.levels,
			     plan->request[plan->cascade_to].config.levels};

	for (unsigned i = path->from; i < path->to; i++) {
		if (before >= x->period)
			behind += path_occurrences(path, i, second, levels[1]);
		else
			before += path_occurrences(path, i, first, levels[0]);
		if (behind >= x->then)
			return i;
	}
	return path->to;
}

static bool is_exact(const struct experiment_plan *plan, unsigned request)
{
	const struct pmu_event *row = experiment_row(plan, request);

	const struct pmu_config *config = &plan->request[request].config;
	const struct event_grammar *g = plan->pmu->driver->grammar;

	return row && row->judgement == EVENT_EXACT && !event_is_filtered(&plan->request[request]) &&
	       !config->other_alone && (!config->any_thread || plan->pmu->deterministic) &&
	       !(g && (config->code ^ row->code) & g->code_threads);
}

/* One sample in each run whose path has so many occurrences, at the place behind the last one; hardware may
 * be late. */
static void judge_cascade(const struct experiment_run *e, const struct sampling *s, struct result *r)
{
	static struct path path;
	const struct experiment_plan *plan = e->plan;
	const struct window w = {.kernel = e->kernel, .bracket = &s->bracket, .level = s->level};
	unsigned step, steps;
	uint64_t at;
	bool late;

	if (!is_exact(plan, plan->cascade_from) || !is_exact(plan, plan->cascade_to)) {
		judgement_set(&r->judgement, VERDICT_SKIPPED,
			      "told, not judged: not both events are known step by step");
		return;
	}
	if (!path_create(&path, KNOWN_PATH_STEPS, false)) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no memory for the kernel's path");
	} else if (known_path(&w, s->n, &path, r)) {
		step = step_of_cascade(plan, &path);
		steps = path.to - step;
		late = !plan->pmu->deterministic && steps < LATE_STEPS;
		result_observe_only(r, s->n, steps > 0 && !late, steps > 0)->seen = s->taken;
		result_conclude(r);
		at = steps ? path.step[step].next - window_code_address(e->kernel, s->level) : 0;
		if (plan->pmu->deterministic && steps && at < sampling_size(e->kernel) &&
		    s->at[at] != s->total)
			judgement_set(&r->judgement, VERDICT_WRONG,
				      "%u of %u samples lie at +0x%" PRIx64 ", where the cascade ends",
				      s->at[at], s->total, at);
	}
	path_free(&path);
}

/* --- telling ---------------------------------------------------------------------------------------- */

static void report(const struct experiment_run *e, const struct sampling *s, unsigned request,
		   struct report_experiment *x)
{
	unsigned n = s->row && s->total < s->room ? s->total : s->row ? s->room : 0;
	struct report_sample *list = n ? calloc(n, sizeof *list) : NULL;
	uint64_t code = window_code_address(e->kernel, s->level);
	const struct report_samples samples = {
		.event = e->event[request],
		.counter = e->plan->pmu->counter[s->counter].name,
		.period = s->period,
		.runs = s->reps,
		.elsewhere = s->elsewhere,
		.at = s->at,
		.size = sampling_size(e->kernel),
		.record = record_kind_names[RECORD_PMI],
		.n_list = list ? n : 0,
		.n_listed_registers = s->n_registers,
		.list = list,
	};

	for (unsigned i = 0; list && i < n; i++) {
		uint64_t offset = s->row[i].address - code;

		list[i] = (struct report_sample){.offset = offset < samples.size ? (int32_t)offset : -1,
						 .timed = true,
						 .clock = s->row[i].ticks,
						 .count = x->n_counts ? s->row[i].count : NULL,
						 .registers = s->n_registers ? s->row[i].registers : NULL};
	}
	x->samples = &samples;
	x->n_samples = 1;
	report_experiment(x);
	free(list);
}

/* --- sampling --------------------------------------------------------------------------------------- */

static void set_beside(struct sampling *s, const struct experiment_plan *plan)
{
	for (unsigned i = plan->n_sampled; i < plan->n_requests; i++)
		s->beside[s->n_beside++] =
			(struct sampling_beside){.counter = plan->place[i].alternative,
						 .config = event_placed(&plan->request[i], &plan->place[i])};
}

/* What the bracket counts in front of the kernel must not use up the period. It is known once the bracket is.
 */
static void set_first(struct sampling *s, const struct experiment_plan *plan)
{
	unsigned i = plan->cascade_from, c = plan->place[i].alternative;
	int64_t ahead = experiment_share_ahead(plan, i, &s->bracket);

	s->once = true;
	s->n_beside = 1;
	s->beside[0] =
		(struct sampling_beside){.counter = c,
					 .config = event_placed(&plan->request[i], &plan->place[i]),
					 .start = counter_before(&plan->pmu->counter[c], 0,
								 plan->experiment->period + (uint64_t)ahead)};
}

static bool carry_out(const struct experiment_run *e, struct sampling *s, struct result *r)
{
	if (!e->run->call(e->run, sampling_run, s, EXPERIMENT_MS, r)) {
		sampling_end();
		return false;
	}
	if (s->failure)
		judgement_set(&r->judgement, VERDICT_WRONG, "%s", s->failure);
	return !s->failure;
}

/* The first time is for the bracket alone. */
static bool carry_out_cascade(const struct experiment_run *e, struct sampling *s, struct result *r)
{
	unsigned reps = s->reps;

	s->bracket = bracket_user;
	set_first(s, e->plan);
	s->reps = 1;
	if (!carry_out(e, s, r))
		return false;
	memset(s->at, 0, sampling_size(e->kernel) * sizeof *s->at);
	s->taken = (struct histogram){0};
	s->reps = reps;
	set_first(s, e->plan);
	return carry_out(e, s, r);
}

void experiment_sample(const struct experiment_run *e, unsigned request, struct report_experiment *x)
{
	static struct report_count count[EXPERIMENT_REQUESTS];
	static struct observation seen[EXPERIMENT_REQUESTS];
	const struct experiment_plan *plan = e->plan;
	char name[EXPERIMENT_CHECK];
	struct result r = e->result_of(name, request);
	struct sampling s = {
		.pmu = plan->pmu,
		.kernel = e->kernel,
		.level = plan->level,
		.counter = plan->place[request].alternative,
		.config = event_placed(&plan->request[request], &plan->place[request]),
		.n = plan->n,
		.period = cascades(plan) ? plan->experiment->then : plan->experiment->period,
		.reps = plan->reps,
		.at = calloc(sampling_size(e->kernel), sizeof *s.at),
		.row = plan->experiment->sample ? calloc(ROWS, sizeof *s.row) : NULL,
		.room = ROWS,
		.most = plan->experiment->most,
	};
	unsigned beside = cascades(plan) ? 0 : plan->n_requests - plan->n_sampled;
	bool good = false;

	if (beside) {
		set_beside(&s, plan);
		s.counts = calloc((size_t)plan->reps * beside, sizeof *s.counts);
	}
	if (!s.at || (plan->experiment->sample && !s.row) || (beside && !s.counts))
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for a histogram of samples");
	else
		good = cascades(plan) ? carry_out_cascade(e, &s, &r) : carry_out(e, &s, &r);
	if (good && s.full)
		judgement_set(&r.judgement, VERDICT_ERROR,
			      "there are more than max=%u samples: take a longer period", s.most);
	else if (good && cascades(plan))
		judge_cascade(e, &s, &r);
	else if (good)
		judge_samples(e, request, &s, &r);
	e->run->report(e->run, &r);
	if (good && beside && !s.full) {
		memset(seen, 0, sizeof seen);
		experiment_beside(e, s.counts, &s.bracket, count, seen);
		x->count = count;
		x->n_counts = beside;
	}
	if (good)
		report(e, &s, request, x);
	free(s.at);
	free(s.row);
	free(s.counts);
}
