#include "tests/measure/experiment_planner.h"
#include "pmu/contract/counter_values.h"
#include "pmu/events/text.h"
#include "tests/judge/check.h"
#include "tests/report/level_words.h"

#include "arch/levels.h"
#include "arch/time.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool planner_refuse(const struct planner *p, struct text_place at, const char *format, ...)
{
	va_list args;
	int n;

	if (!at.line)
		at = p->x->at;
	n = snprintf(p->why, p->size, "%.48s:%u:%u: ", p->all->file, at.line, at.column);
	va_start(args, format);
	vsnprintf(p->why + n, p->size - (size_t)n, format, args);
	va_end(args);
	return false;
}

/* --- kernels and events ----------------------------------------------------------------------------- */

static bool no_such_kernel(const struct planner *p, struct text_place at, const char *name)
{
	const struct kernel *best = NULL;
	unsigned least = 99;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		unsigned d = edit_distance(name, k->name);

		if (d < least) {
			least = d;
			best = k;
		}
	}
	if (strpbrk(name, "*?") || !best || !is_near(least, name))
		return planner_refuse(p, at, "no kernel is called %s; kernel=* stands for all that there are",
				      name);
	return planner_refuse(p, at, "no kernel %s: did you mean %s?", name, best->name);
}

/* Every name must be one. */
static bool check_kernels(const struct planner *p)
{
	if (p->x->own_why)
		return planner_refuse(p, *p->x->code ? planner_key(p, KEY_CODE) : p->x->bytes.item[0].at,
				      "%s%s%s", *p->x->code ? p->x->code : "",
				      *p->x->code ? ": " : "bytes=: ", p->x->own_why);
	for (const char *from = p->x->kernel; *from;) {
		char name[sizeof p->x->kernel];
		size_t n = strcspn(from, ",");
		struct text_place at = planner_key(p, KEY_KERNEL);
		const struct kernel *k = kernels_begin;

		snprintf(name, sizeof name, "%.*s", (int)n, from);
		while (k < kernels_end && !kernel_selected(k, name))
			k++;
		at.column += (unsigned)(from - p->x->kernel);
		if (k == kernels_end)
			return no_such_kernel(p, at, name);
		from += n + (from[n] == ',');
	}
	return true;
}

uint64_t planner_words(const struct pmu *pmu, const struct pmu_config *config)
{
	const struct event_grammar *g = pmu->driver->grammar;

	return g && g->written ? g->written(config) : 0;
}

/* At the user's level only that level is counted: the code around the window runs at the harness's. */
static bool fit_level(const struct planner *p, unsigned i)
{
	struct pmu_config *config = &p->plan->request[i].config;
	const struct option_item *item = &p->x->events.item[p->plan->item[i]];

	if (!p->plan->level)
		return true;
	/* The user's own words stay as they are. */
	if (planner_words(p->plan->pmu, config) && config->levels & LEVELS_USER)
		return true;
	if (!(config->levels & LEVELS_USER))
		return planner_refuse(p, item->at,
				      "%s counts %s alone, and the kernel runs in %s: take %s=0, or u for k",
				      item->text, level_name(0), level_name(level_user()), level_heading());
	config->levels = LEVELS_USER;
	return true;
}

/* Whether counters that fell short of the ladder are all that it could be counted on. */
static bool excluded(const struct pmu *pmu, const struct event_request *r)
{
	struct pmu all = *pmu;

	all.left_out = 0;
	return pmu->left_out && !event_counters(pmu, r) && event_counters(&all, r);
}

/* Set the first n requests behind those that are taken aside if they are excluded. @return how many are left
 */
static unsigned set_aside(struct experiment_plan *plan, unsigned n)
{
	struct event_request *r = &plan->request[plan->n_requests];
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (!excluded(plan->pmu, &r[i]))
			r[kept++] = r[i];
		else if (plan->n_excluded < EXPERIMENT_REQUESTS)
			plan->excluded[plan->n_excluded++] = r[i];
	return kept;
}

static bool take_events(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;

	for (unsigned i = 0; i < p->x->events.count; i++) {
		const struct option_item *item = &p->x->events.item[i];
		unsigned room = EXPERIMENT_REQUESTS - plan->n_requests, n;
		struct text_place at = item->at;
		struct event_error error;

		if (metric_is_clock(item->text, strlen(item->text))) {
			plan->clock = true;
			continue;
		}
		n = event_parse(plan->pmu, item->text, &plan->request[plan->n_requests], room, &error);
		if (n > room)
			return planner_refuse(
				p, at, "%s makes them more than %d events: share them among experiments",
				item->text, EXPERIMENT_REQUESTS);
		at.column += error.column;
		if (!n)
			return planner_refuse(p, at, "%s", error.text);
		for (n = set_aside(plan, n); n; n--) {
			plan->item[plan->n_requests++] = (uint8_t)i;
			plan->n_sampled += i < p->x->n_sampled;
			if (!fit_level(p, plan->n_requests - 1))
				return false;
		}
	}
	return plan->n_requests || plan->n_excluded || !p->x->events.count ||
	       planner_refuse(p, p->x->events.item[0].at, "%s takes no counter: name an event beside it",
			      clock_name);
}

/* The request that a word of delta= or cascade= means: the same text as in events=, or its number from 1. */
static bool resolve(const struct planner *p, const char *text, size_t n, uint8_t *request)
{
	const struct experiment_plan *plan = p->plan;
	unsigned number = 0, found = 0;

	for (size_t i = 0; i < n && number < 1000; i++)
		number = text[i] >= '0' && text[i] <= '9' ? 10 * number + (unsigned)(text[i] - '0') : 1000;
	if (n && number >= 1 && number <= plan->n_requests) {
		*request = (uint8_t)(number - 1);
		return true;
	}
	for (unsigned i = 0; i < plan->n_requests; i++) {
		const char *own = p->x->events.item[plan->item[i]].text;

		if (strlen(own) == n && !strncmp(own, text, n)) {
			*request = (uint8_t)i;
			found++;
		}
	}
	return found == 1;
}

static bool take_pair(const struct planner *p, const struct option_item *item, char between, const char *name,
		      uint8_t *first, uint8_t *second)
{
	for (const char *c = item->text; (c = strchr(c, between)); c++)
		if (resolve(p, item->text, (size_t)(c - item->text), first) &&
		    resolve(p, c + 1, strlen(c + 1), second) && *first != *second)
			return true;
	return planner_refuse(
		p, item->at,
		"%s=%s: it wants two events of events=, as they are written there or by number, 2%c1", name,
		item->text, between);
}

static bool take_deltas(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;

	if (plan->n_excluded && (p->x->deltas.count || p->x->cascades.count))
		return planner_refuse(
			p, p->x->deltas.count ? p->x->deltas.item[0].at : p->x->cascades.item[0].at,
			"%s is left out, as its counters fell short of the ladder: leave delta= and "
			"cascade= out",
			plan->excluded[0].event ? plan->excluded[0].event->name : "a raw event");

	for (unsigned i = 0; i < p->x->deltas.count; i++) {
		const struct option_item *item = &p->x->deltas.item[i];

		if (!take_pair(p, item, '-', "delta", &plan->delta[i].minuend, &plan->delta[i].subtrahend))
			return false;
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(p->x->deltas.item[k].text, item->text))
				return planner_refuse(p, item->at, "delta=%s is there already: leave one out",
						      item->text);
	}
	plan->n_deltas = p->x->deltas.count;
	return true;
}

static bool operand_of(void *ctx, const char *word, size_t n, uint8_t *operand)
{
	const struct planner *p = ctx;
	bool number = *word == '#';

	if (metric_is_clock(word, n)) {
		*operand = METRIC_CLOCK;
		p->plan->clock = true;
		return true;
	}
	return resolve(p, word + number, n - number, operand);
}

static bool take_metrics(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;

	for (unsigned i = 0; i < p->x->metrics.count; i++) {
		const struct option_item *item = &p->x->metrics.item[i];
		struct text_place at = item->at;
		char why[120];
		const char *wrong;

		if (plan->n_excluded)
			return planner_refuse(p, at,
					      "%s is left out, as its counters fell short of the ladder: "
					      "leave metric= out",
					      plan->excluded[0].event ? plan->excluded[0].event->name
								      : "a raw event");
		wrong = metric_parse(item->text, operand_of, (void *)p, &plan->metric[i], why, sizeof why);
		at.column += (unsigned)(wrong - item->text);
		if (wrong)
			return planner_refuse(p, at, "metric=%s: %s", item->text, why);
	}
	plan->n_metrics = p->x->metrics.count;
	if ((plan->clock || plan->n_metrics) && (p->x->record || p->x->cascades.count))
		return planner_refuse(p, plan->n_metrics ? p->x->metrics.item[0].at : p->x->events.item[0].at,
				      "%s and metric= are of counts: leave record= or cascade= out",
				      clock_name);
	return true;
}

/* --- scheduling ------------------------------------------------------------------------------------- */

static struct text_place place_of(const struct planner *p, unsigned request)
{
	return p->x->events.item[p->plan->item[request]].at;
}

/* Each event in a pass of its own. */
static bool one_by_one(const struct planner *p, const char *proof)
{
	struct experiment_plan *plan = p->plan;
	struct sched_result result;
	const char *why;

	for (unsigned i = 0; i < plan->n_requests; i++) {
		if (!schedule_events(plan->pmu, &plan->request[i], 1, &plan->place[i], &result, &why))
			return planner_refuse(p, place_of(p, i), "%s", why);
		if (p->x->record && !planner_check_period(p, plan->place[i].alternative))
			return false;
		plan->place[i].pass = (uint16_t)i;
	}
	plan->passes = plan->bound = plan->n_requests;
	plan->proof = proof;
	return true;
}

static bool together(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;
	struct sched_result result;
	const char *why;

	if (!schedule_events(plan->pmu, plan->request, plan->n_requests, plan->place, &result, &why)) {
		unsigned i = 0;

		while (i + 1 < plan->n_requests && event_counters(plan->pmu, &plan->request[i]))
			i++;
		return planner_refuse(p, place_of(p, i), "%s", why);
	}
	if (result.passes > 1 &&
	    (p->x->passes == EXPERIMENT_ONE || p->x->cascades.count || p->x->beside.count || plan->joined)) {
		char text[200];

		schedule_explain(plan->pmu, plan->request, plan->n_requests, text, sizeof text);
		if (p->x->beside.count)
			return planner_refuse(p, p->x->beside.item[0].at, "%s: leave some out", text);
		return planner_refuse(p, planner_key(p, KEY_PASSES),
				      "%s: take passes=split, or leave some out", text);
	}
	plan->passes = result.passes;
	plan->bound = result.bound;
	plan->proof = result.proof;
	return true;
}

/* Counters whose overflow starts one of those of a request. */
static void name_starters(const struct pmu *pmu, const struct event_request *to, char *out, size_t size)
{
	unsigned names = 0;

	out[0] = '\0';
	for (unsigned a = 0; a < pmu->n_counters; a++) {
		bool starts = false;

		for (unsigned b = 0; b < pmu->n_counters; b++) {
			struct pmu_config config = to->config;

			starts = starts || (a != b && event_counters(pmu, to) >> b & 1 &&
					    pmu->driver->cascade(pmu, a, b, &config));
		}
		if (!starts)
			continue;
		if (!names++)
			snprintf(out, size, ": take");
		if (!text_list_add(out, size, pmu->counter[a].name, names == 1))
			return;
	}
}

/* The first pair of counters of which one can start the other and that leaves room for the rest. */
static bool cascade(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;
	const struct pmu *pmu = plan->pmu;
	const struct option_item *item = &p->x->cascades.item[0];
	struct event_request *from, *to, as_written;
	char starters[96];
	bool fits = false;

	if (!take_pair(p, item, '>', "cascade", &plan->cascade_from, &plan->cascade_to))
		return false;
	from = &plan->request[plan->cascade_from];
	to = &plan->request[plan->cascade_to];
	as_written = *to;
	for (unsigned c = 0; c < pmu->n_counters * pmu->n_counters; c++) {
		struct event_request first = *from;
		unsigned a = c / pmu->n_counters, b = c % pmu->n_counters;
		struct pmu_config config = as_written.config;

		if (a == b || !(event_counters(pmu, from) >> a & 1) ||
		    !(event_counters(pmu, &as_written) >> b & 1) || !pmu->driver->cascade(pmu, a, b, &config))
			continue;
		fits = true;
		from->counter = (uint8_t)(a + 1);
		*to = as_written;
		to->config = config;
		to->counter = (uint8_t)(b + 1);
		if (together(p))
			return planner_check_counter(p, a, p->x->period, KEY_PERIOD, false) &&
			       (!p->x->then || planner_check_counter(p, b, p->x->then, KEY_THEN, true));
		*from = first;
		*to = as_written;
	}
	if (fits)
		return false;
	name_starters(pmu, to, starters, sizeof starters);
	return planner_refuse(p, item->at,
			      "%s: no counter of the second event can be started by one of the first%s",
			      item->text, starters);
}

static bool place_events(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;
	const struct pmu_driver *driver = plan->pmu->driver;
	bool alone = !plan->level && !plan->pmu->has_global && !plan->pmu->joint && plan->n_requests > 1;

	plan->joined = driver->join && driver->join(plan->pmu, plan->request, plan->n_requests);
	if (plan->source)
		return planner_place_samples(p);
	if (p->x->beside.count)
		return together(p) && planner_check_period(p, plan->place[0].alternative);
	if (p->x->record && !p->x->cascades.count)
		return one_by_one(p, "each event is sampled alone");
	if (alone && (p->x->passes == EXPERIMENT_ONE || p->x->cascades.count))
		return planner_refuse(p, planner_key(p, KEY_PASSES),
				      "%s starts its counters one by one, so in %s events have no window in "
				      "common: take "
				      "passes=split, or %s=%u",
				      plan->pmu->name, level_name(0), level_heading(), level_user());
	if (alone)
		return one_by_one(p, "counters start one by one");
	return p->x->cascades.count ? cascade(p) : together(p);
}

/* --- N ---------------------------------------------------------------------------------------------- */

static bool check_n(const struct planner *p)
{
	const struct experiment_plan *plan = p->plan;
	unsigned multiples = p->x->record || p->x->cascades.count ? 1 : EXPERIMENT_MULTIPLES;
	uint64_t top;

	if (__builtin_mul_overflow(plan->n, multiples, &top) || top > INT64_MAX)
		return planner_refuse(p, planner_key(p, KEY_N),
				      "n=%" PRIu64 ": %u times that is measured, too: take a smaller one",
				      plan->n, multiples);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		for (unsigned i = 0; i < plan->n_requests && !p->x->own && kernel_selected(k, p->x->kernel);
		     i++) {
			const struct pmu_counter *c = &plan->pmu->counter[plan->place[i].alternative];
			struct expectation x;
			struct reason why;
			char text[120];

			if (!experiment_expects(plan, i, k, NULL, top, &x, &why) &&
			    x.status != EXPECTATION_OVERFLOW)
				continue;
			if (x.status == EXPECTATION_OK &&
			    expectation_fits(&x, 0, counter_highest(c)) == EXPECTATION_OK)
				continue;
			expectation_explain(&x, k, top, text, sizeof text);
			return planner_refuse(p, planner_key(p, KEY_N), "%s (%s): take a smaller n", text,
					      c->name);
		}
	return true;
}

bool experiment_plan(const struct experiments *all, const struct experiment *x, const struct pmu *pmu,
		     const struct experiment_sources *sources, uint8_t level, uint64_t n, unsigned reps,
		     struct experiment_plan *out, char *why, size_t size)
{
	const struct planner p = {all, x, sources, out, why, size};

	*out = (struct experiment_plan){.experiment = x,
					.pmu = pmu,
					.level = level,
					.n = x->n ? x->n : n,
					.reps = x->reps ? x->reps : reps};
	if (!check_kernels(&p) || !take_events(&p) || !take_deltas(&p) || !take_metrics(&p) ||
	    !planner_check_record(&p) || !place_events(&p) || !planner_check_waiting(&p))
		return false;
	planner_find_rows(&p);
	return check_n(&p);
}
