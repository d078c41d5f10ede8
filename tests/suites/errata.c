/*
 * Every erratum of the PMU's family: whether this CPU shows it. What looks for one are checks of the suites
 * control, events and sampling that are about it; they are carried out here, and told by erratum in place of
 * by check.
 */
#include "tests/suites/suites.h"
#include "tests/judge/errata.h"
#include "tests/judge/expectation.h"
#include "tests/judge/ladder.h"
#include "tests/kernels/kernel.h"
#include "tests/kernels/services.h"

#include "pmu/contract/workaround.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLOBS_MAX  1536
#define TRIAL_N    5
#define VAGUE_N    40 /* on the virtual PMU: intervals have room for a few */
#define DETECTABLE 3  /* n trials without one: a rate of 3/n would have shown with a probability of 95 % */

struct capture {
	struct run run; /* first: the callbacks get its address */
	struct run *outer;
};

#ifdef MODEL_MUTANTS
void (*errata_single)(struct run *run, const struct result *r);
#define TELL_SINGLE(run, r) (errata_single ? errata_single((run), (r)) : (void)0)
#else
#define TELL_SINGLE(run, r) ((void)(run), (void)(r))
#endif

/* Results are judged and forgotten: what they say of errata stays. */
static void take(struct run *run, const struct result *r)
{
	struct result own = *r;

	errata_judge(run->pmu, &own);
	TELL_SINGLE(((struct capture *)run)->outer, &own);
}

static void drop_value(struct run *run, const char *suite, const char *name, const char *value,
		       const char *unit)
{
	(void)run, (void)suite, (void)name, (void)value, (void)unit;
}

static void drop_fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run, (void)suite, (void)name, (void)text;
}

static void drop_share(struct run *run, const struct share_report *share)
{
	(void)run, (void)share;
}

static void drop_attribution(struct run *run, const struct attribution_report *r)
{
	(void)run, (void)r;
}

static void add_glob(char *globs, const char *more)
{
	size_t used = strlen(globs);

	/* Whole alternatives alone: names that begin alike are no reason to leave one out. */
	snprintf(globs + used, GLOBS_MAX - used, "%s%s", used ? "," : "", more);
}

static bool wanted(const struct run *run, const char *number)
{
	return errata_asked(run, run->pmu->errata, number);
}

static void carry_out(struct run *run, const struct suite *suite, const struct run_options *options)
{
	static struct capture c;

	c = (struct capture){.run = *run, .outer = run};
	c.run.options = options;
	c.run.checks = NULL;
	c.run.report = take;
	c.run.value = c.run.detail = drop_value;
	c.run.fact = drop_fact;
	c.run.share = drop_share;
	c.run.attribution = drop_attribution;
	suite->run(&c.run);
}

/* Where a family does not say otherwise. */
static const struct erratum_place usual_places[] = {
	{"control", NULL, NULL, NULL, true},   {"identities", NULL, "calls", NULL, true},
	{"trace", NULL, "calls", NULL, false}, {"sampling", NULL, "calls", NULL, false},
	{NULL, NULL, NULL, NULL, false},
};

static const struct suite *suite_of(const char *name)
{
	static const struct suite *const looking[] = {&suite_control, &suite_events, &suite_identities,
						      &suite_sampling, &suite_trace};

	for (unsigned i = 0; i < sizeof looking / sizeof looking[0]; i++)
		if (!strcmp(looking[i]->name, name))
			return looking[i];
	return NULL;
}

static void try_checks(struct run *run, const struct erratum_place *place)
{
	char globs[GLOBS_MAX] = "";
	const struct suite *suite = suite_of(place->suite);
	struct run_options o = *run->options;

	for (const struct erratum_symptom *s = run->pmu->errata->symptoms; s->number; s++)
		if (!strcmp(s->suite, place->suite) && (!place->about || strstr(s->check, place->about)) &&
		    wanted(run, s->number))
			add_glob(globs, s->check);
	o.check_glob = place->by_name ? globs : NULL;
	if (place->kernel)
		o.kernel_glob = place->kernel;
	if (place->events)
		o.event_glob = place->events;
	if (*globs && suite)
		carry_out(run, suite, &o);
}

/* @param known rows that say how much, or the others */
static void try_events(struct run *run, bool known)
{
	char events[GLOBS_MAX] = "", kernels[GLOBS_MAX] = "";
	struct run_options o = *run->options;

	for (const struct erratum_count *c = run->pmu->errata->counts; c->number; c++)
		if (!c->coefficient != known && wanted(run, c->number)) {
			add_glob(events, c->events);
			add_glob(kernels, c->trial);
		}
	o.event_glob = events;
	o.kernel_glob = kernels;
	if (!known && run->pmu->deterministic && o.n < VAGUE_N)
		o.n = VAGUE_N;
	if (*events)
		carry_out(run, &suite_events, &o);
}

/* What a count that must be as expected can show: enum erratum_effects. */
static unsigned showable(const struct expectation *x)
{
	return (x->low > 0 ? ERRATUM_COUNTS_LESS : 0u) | (x->high != INT64_MAX ? ERRATUM_COUNTS_MORE : 0u);
}

/* How good a kernel is for showing some effects, 0: it shows none. What is too much shows best where the
 * count is one number, if need be 0. */
static unsigned shown_by(const struct expectation *x, unsigned effects)
{
	bool moves = x->low > 0, all = !(effects & ~showable(x)), one = x->low == x->high;

	if (moves && all && one)
		return 4;
	if (effects == ERRATUM_COUNTS_MORE && one)
		return 3;
	return moves && all ? 2 : (effects & showable(x)) != 0;
}

/* The best kernel for showing some effects of an erratum of the event, one that is chosen if it is as good.
 * @return NULL: there is none */
static const struct kernel *mover(const struct pmu_event *e, unsigned effects, const char *chosen)
{
	const struct kernel *best = NULL;
	unsigned most = 0;

	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		struct expectation x;

		if (kernel_unfit(k, 0) || k->flags & (KERNEL_USER_ONLY | KERNEL_SERVICES) ||
		    expectation(e, k, TRIAL_N, &x) != EXPECTATION_OK)
			continue;
		unsigned good = 2 * shown_by(&x, effects);

		good += good && *chosen && glob_match(chosen, k->name);
		if (good > most) {
			most = good;
			best = k;
		}
	}
	return best;
}

/* Rows that some event of this PMU names, of those that tell of no amount. */
#define ROWS_MAX 256
static uint8_t named[ROWS_MAX / 8];

static bool is_named(unsigned row)
{
	return row < ROWS_MAX && named[row / 8] >> row % 8 & 1;
}

/* What errata that are asked for make of the event: enum erratum_effects. */
static unsigned asked_of(struct run *run, const struct pmu_event *event)
{
	const struct errata *e = run->pmu->errata;
	const char *at = event->errata;
	unsigned effects = 0;

	while (at && *at) {
		char number[ERRATUM_NUMBER];
		int row = errata_next(e, &at);

		if (row < 0 || row >= ROWS_MAX || !errata_vague(e, (unsigned)row))
			continue;
		named[row / 8] |= (uint8_t)(1 << row % 8);
		errata_number(e, (unsigned)row, 0, number, sizeof number);
		if (wanted(run, number))
			effects |= e->row[row].effects;
	}
	return effects;
}

/* Events that have such errata, each on a kernel that moves it. */
static void try_vague(struct run *run)
{
	static char kernels[GLOBS_MAX];
	struct run_options o = *run->options;
	struct result r = {.suite = "errata", .name = "errata"};
	struct pmu few = *run->pmu, *all = run->pmu;
	const struct pmu_event **list = malloc((few.n_events + 1) * sizeof *list);

	if (!list) {
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for a list of %u events", few.n_events);
		run->report(run, &r);
	}
	*kernels = '\0';
	memset(named, 0, sizeof named);
	few.n_events = 0;
	few.events = list;
	for (unsigned i = 0; i < all->n_events; i++) {
		const struct pmu_event *event = all->events[i];
		unsigned effects = asked_of(run, event);
		const struct kernel *k = effects ? mover(event, effects, kernels) : NULL;

		if (!k || !list)
			continue;
		if (!*kernels || !glob_match(kernels, k->name))
			add_glob(kernels, k->name);
		list[few.n_events++] = event;
	}
	o.event_glob = NULL;
	o.kernel_glob = kernels;
	if (all->deterministic && o.n < VAGUE_N)
		o.n = VAGUE_N;
	run->pmu = &few;
	if (few.n_events)
		carry_out(run, &suite_events, &o);
	run->pmu = all;
	free(list);
}

/* --- what is told
 * ------------------------------------------------------------------------------------------- */

static const char *const states[] = {
	[ERRATUM_PRESENT] = "present",
	[ERRATUM_CONSISTENT] = "consistent",
	[ERRATUM_OTHERWISE] = "wrong otherwise",
	[ERRATUM_NOT_OBSERVED] = "not observed",
	[ERRATUM_NOT_APPLICABLE] = "not applicable",
	[ERRATUM_UNPROVOKED] = "cannot be provoked here",
};

static bool has_detector(const struct errata *e, unsigned row)
{
	if (errata_foretold(e, row))
		return true;
	for (const struct erratum_symptom *s = e->symptoms; s->number; s++)
		if (errata_find(e, s->number) == (int)row && suite_of(s->suite))
			return true;
	return false;
}

static const char *unprovoked(const struct errata *e, unsigned at)
{
	const struct erratum *row = &e->row[at];
	static const char *const needs[] = {
		[ERRATUM_NEEDS_SIBLING] = "takes the core's other logical processor at work",
		[ERRATUM_NEEDS_CORE] = "takes another core at work",
		[ERRATUM_NEEDS_OUTSIDE] = "takes what no program can do",
		[ERRATUM_NEEDS_KERNEL] = "takes instructions that no kernel has",
		[ERRATUM_NEEDS_POWER] = "takes power states of the core",
		[ERRATUM_NEEDS_FIRMWARE] = "takes firmware's interrupt",
		[ERRATUM_NEEDS_TRACE] = "takes a processor trace",
		[ERRATUM_NEEDS_ABORT] = "takes transactions that abort",
		[ERRATUM_NEEDS_DEBUG] = "takes debug registers",
		[ERRATUM_NEEDS_TEXT] = "there is no text",
		[ERRATUM_NEEDS_MAPPING] = "takes memory mapped otherwise",
		[ERRATUM_NEEDS_BOUND] = "no bound is published",
		[ERRATUM_NEEDS_DELAY] = "of an interrupt's delay",
		[ERRATUM_NEEDS_MEASURE] = "measured as a premise",
	};
	const char *reason = erratum_mechanism_reason((enum erratum_mechanism)row->mechanism);

	if (!reason)
		reason = needs[row->needs];
	if (!reason && errata_vague(e, at))
		reason = is_named(at) ? "no count of its events here could tell"
				      : "none of this CPU's events is known to have it";
	return reason ? reason : "no check looks for it";
}

static bool worked_around(const struct pmu *pmu, unsigned row)
{
	for (unsigned i = 0; i < PMU_WORKAROUNDS_MAX; i++)
		if (pmu_works_around(pmu, i) &&
		    errata_find(pmu->errata, pmu->driver->workarounds[i].number) == (int)row)
			return true;
	return false;
}

static enum erratum_state state_of(const struct run *run, unsigned row, struct erratum_report *out, char *why,
				   size_t size)
{
	const struct errata *e = run->pmu->errata;
	const struct erratum_found *f = errata_found(row);

	*why = '\0';
	out->trials = f->tried;
	/* What an erratum makes of a count it makes of it on each counter. What is part of an event's meaning
	 * need not be of another one's. */
	if (f->present && !(f->told && f->denied))
		return ERRATUM_PRESENT;
	if (f->agree && !f->otherwise)
		return ERRATUM_CONSISTENT;
	if (f->present || f->otherwise)
		return ERRATUM_OTHERWISE;
	if (f->tried) {
		snprintf(why, size, "a rate of %u in %u would have shown%s", DETECTABLE, f->tried,
			 worked_around(run->pmu, row) ? ", but it is worked around: workaround=off" : "");
		return ERRATUM_NOT_OBSERVED;
	}
	if (has_detector(e, row)) {
		snprintf(why, size, "nothing here could show it: a counter, an event or a record is missing");
		return ERRATUM_NOT_APPLICABLE;
	}
	snprintf(why, size, "%s", unprovoked(e, row));
	return ERRATUM_UNPROVOKED;
}

static void report_check(struct run *run, unsigned row, const struct erratum_report *x)
{
	const struct erratum_found *f = errata_found(row);
	struct result r = {.suite = "errata", .name = x->number, .virtual = run->pmu->virtual};
	const char *here = x->here;

	if (x->state == ERRATUM_OTHERWISE && f->present)
		judgement_set(&r.judgement, VERDICT_WRONG,
			      "%u checks are wrong as it says, and %u are right where it would show; %s",
			      f->told, f->denied, here);
	else if (x->state == ERRATUM_CONSISTENT)
		judgement_set(&r.judgement, VERDICT_WRONG,
			      "%u checks are wrong as far as it says, which is not how much; %s", f->agree,
			      here);
	else if (x->state == ERRATUM_OTHERWISE)
		judgement_set(&r.judgement, VERDICT_WRONG, "%u checks are wrong, and not as it says; %s",
			      f->otherwise, here);
	else if (x->state == ERRATUM_NOT_OBSERVED)
		judgement_set(&r.judgement, VERDICT_EXACT, "%s", x->documented && x->fixed ? here : "");
	else if (!f->told)
		judgement_set(&r.judgement, VERDICT_EXACT, "present: part of what the event means; %s", here);
	else if (errata_judges(run->pmu->errata, row))
		judgement_set(&r.judgement, VERDICT_ERRATUM, "present: %u checks are wrong as it says; %s",
			      f->told, here);
	else
		judgement_set(&r.judgement, VERDICT_WRONG,
			      "%u checks are wrong as was observed elsewhere; %s", f->told, here);
	run->report(run, &r);
}

/* Whether it is documented for this processor, and with the microcode that it has. */
static void tell_here(const struct run *run, const struct erratum_report *x, char *out, size_t size)
{
	uint32_t has = run->pmu->loaded;

	if (x->documented && x->fixed)
		snprintf(out, size, "documented, fixed from microcode %#lx%s", (unsigned long)x->fixed,
			 !has              ? ""
			 : has >= x->fixed ? ": expected absent"
					   : ": not yet here");
	else
		snprintf(out, size, "%sdocumented for this processor", x->documented ? "" : "not ");
}

static void report_row(struct run *run, unsigned row)
{
	const struct errata *e = run->pmu->errata;
	char number[ERRATUM_NUMBER], why[96], here[80];
	struct erratum_report x = {.number = number, .why = why, .here = here};

	errata_number(e, row, 0, number, sizeof number);
	if (!wanted(run, number))
		return;
	x.mechanism = erratum_mechanism_name((enum erratum_mechanism)e->row[row].mechanism);
	x.documented = errata_documented(e, row, &run->pmu->processor, &x.fixed);
	tell_here(run, &x, here, sizeof here);
	x.state = state_of(run, row, &x, why, sizeof why);
	x.state_name = states[x.state];
	if (run->erratum)
		run->erratum(run, &x);
	if (x.state <= ERRATUM_NOT_OBSERVED)
		report_check(run, row, &x);
}

static void run_errata(struct run *run)
{
	struct result r = {.suite = "errata", .name = "errata"};

	if (!run->pmu || !run->pmu->errata) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s",
			      run->pmu ? "no errata are known of this family" : "there is no PMU");
		run->report(run, &r);
		return;
	}
	const struct erratum_place *p = run->pmu->errata->places;

	for (p = p ? p : usual_places; p->suite; p++)
		try_checks(run, p);
	try_events(run, true);
	try_events(run, false);
	try_vague(run);
	for (unsigned row = 0; row < *run->pmu->errata->count; row++)
		report_row(run, row);
}

const struct suite suite_errata = {"errata", "published errata of this family, one by one", run_errata, NULL};
