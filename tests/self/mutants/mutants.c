/*
 * Suite `mutants` of the test image: every rule of every model is broken once, and the suites must tell. Each
 * mutant has a trial that is known to tell it (hints.c), or a reason why none can. Others are skipped; with
 * verbose=1 they are looked for through all suites, which takes long. The same trials on the unbroken model
 * must find nothing: each fourth of those of the suite control, and with kernel=full all, which take long.
 */
#include "tests/self/mutants/mutants.h"
#include "tests/judge/ladder.h"
#include "tests/suites/suites.h"
#include "tests/measure/virtual.h"

#include "pmu/contract/model.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

#define FEW_KERNELS  "nop_loop,calls,stores,movs_rep"
#define CLEAN_MAX    256
#define CLEAN_EACH   4 /* kernel=full, as make soak has it: all */
#define PROFILES_MAX 64

/* What a broken model may never come to its end with is ended sooner than on a CPU. */
#define BROKEN_MS 20000

int model_mutant;

/* A run that remembers the first bad result, and does nothing more after it. */
struct capture {
	struct run run; /* first: the report callback gets its address */
	bool (*call)(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r);
	unsigned checks;
	char caught[120]; /* "control/wrap/PMC0 (wrong)" */
};

static bool call_until_caught(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	struct capture *c = (struct capture *)run;

	if (c->caught[0]) {
		if (r)
			judgement_set(&r->judgement, VERDICT_SKIPPED, "caught");
		return false;
	}
	return c->call(run, fn, arg, model_mutant && ms > BROKEN_MS ? BROKEN_MS : ms, r);
}

static void take(struct run *run, const struct result *r)
{
	struct capture *c = (struct capture *)run;

	c->checks++;
	if (!c->caught[0] && verdict_is_bad(r->judgement.verdict))
		snprintf(c->caught, sizeof c->caught, "%s/%.80s (%s)", r->suite, r->name,
			 verdict_name(r->judgement.verdict));
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

static void drop_value(struct run *run, const char *suite, const char *name, const char *value,
		       const char *unit)
{
	(void)run, (void)suite, (void)name, (void)value, (void)unit;
}

static const struct suite *suite_by_name(const char *name)
{
	for (unsigned i = 0; suites[i]; i++)
		if (strcmp(suites[i]->name, name) == 0)
			return suites[i];
	return NULL;
}

/* What an unbroken CPU's counters are tried with, by profile. */
static const struct ladder *presumed(struct run *run, const char *profile)
{
	static struct {
		const char *profile;
		struct ladder ladder;
	} known[PROFILES_MAX];
	static struct pmu pmu;
	struct reason why;

	for (unsigned i = 0; i < PROFILES_MAX; i++) {
		if (known[i].profile && strcmp(known[i].profile, profile) == 0)
			return &known[i].ladder;
		if (!known[i].profile && virtual_pmu_create(run, &pmu, profile, NULL, &why)) {
			known[i].profile = profile;
			ladder_presume(run, &known[i].ladder);
			return &known[i].ladder;
		}
	}
	return NULL;
}

/* Carry a trial out with the mutant; c->caught says what told. @return false with *why if it could not be
 * done */
static bool try(struct capture *c, const struct run *outer, const struct mutant_trial *t, int mutant,
		struct reason *why)
{
	static struct ladder ladder;
	static struct pmu pmu;
	struct run_options options = {.kernel_glob = t->kernel ? t->kernel : FEW_KERNELS,
				      .check_glob = t->checks,
				      .event_glob = strcmp(t->suite, "control") ? t->checks : NULL};
	const struct suite *suite = suite_by_name(t->suite);
	bool climbs = strcmp(t->suite, "ladder") == 0;

	*c = (struct capture){.run = {.options = &options,
				      .call = call_until_caught,
				      .report = take,
				      .value = drop_value,
				      .detail = drop_value,
				      .fact = drop_fact,
				      .share = drop_share,
				      .attribution = drop_attribution},
			      .call = outer->call};
	if (!suite && !climbs) {
		why->line = "no suite of this name";
		return false;
	}
	if (!climbs)
		c->run.ladder = presumed(&c->run, t->profile);
	model_mutant = mutant;
	bool made = virtual_pmu_create(&c->run, &pmu, t->profile, t->inject, why);

	if (!made && mutant) { /* a driver that does not know the CPU any more: that tells, too */
		snprintf(c->caught, sizeof c->caught, "identification: %.100s", why->line);
		made = true;
	} else if (made && climbs) {
		ladder_climb(&c->run, &ladder);
	} else if (made) {
		suite->run(&c->run);
	}
	model_mutant = 0;
	return made;
}

static void report(struct run *run, const char *name, const struct judgement *j)
{
	struct result r = {.suite = "mutants", .name = name, .judgement = *j};

	run->report(run, &r);
}

/* --- the unbroken model ------------------------------------------------------------------------------ */

static struct mutant_trial clean[CLEAN_MAX];
static unsigned n_clean;

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool tried_clean(const struct mutant_trial *t)
{
	for (unsigned i = 0; i < n_clean; i++)
		if (same_text(clean[i].profile, t->profile) && same_text(clean[i].suite, t->suite) &&
		    same_text(clean[i].checks, t->checks) && same_text(clean[i].kernel, t->kernel) &&
		    same_text(clean[i].inject, t->inject))
			return true;
	return false;
}

/* Nothing may be found where nothing is broken, and something must have been looked at. */
static void try_clean(struct run *run, const struct mutant_trial *t)
{
	static struct capture c;
	struct judgement j = {.verdict = VERDICT_EXACT};
	struct reason why;
	const char *kernels = run->options->kernel_glob;
	bool all = kernels && !strcmp(kernels, "full");
	char name[160];

	if (tried_clean(t) || n_clean == CLEAN_MAX || (strcmp(t->suite, "control") && !all))
		return;
	clean[n_clean++] = *t;
	if (n_clean % CLEAN_EACH && !all)
		return;
	if (!try(&c, run, t, 0, &why))
		judgement_set(&j, VERDICT_ERROR, "%s", why.line);
	else if (c.caught[0])
		judgement_set(&j, VERDICT_WRONG, "found: %s", c.caught);
	else if (!c.checks)
		judgement_set(&j, VERDICT_ERROR, "nothing was judged");
	snprintf(name, sizeof name, "nothing broken/%s/%s/%s%s%s", t->profile, t->suite,
		 t->checks ? t->checks : "*", t->kernel ? "/" : "", t->kernel ? t->kernel : "");
	report(run, name, &j);
}

/* --- mutants ----------------------------------------------------------------------------------------- */

static const struct mutant_hint *hint_for(const char *model, const char *mutant)
{
	for (const struct mutant_hint *h = mutant_hints; h->model; h++)
		if (strcmp(h->model, model) == 0 && strcmp(h->mutant, mutant) == 0)
			return h;
	return NULL;
}

/* Through all suites on all virtual CPUs of the model; *t is what told. */
static bool search(struct run *run, struct capture *c, const struct pmu_model *model, int mutant,
		   struct mutant_trial *t)
{
	static const char *const order[] = {"control", "trace", "sampling", "ladder", "identities", "events"};
	const struct model_profile *p;
	struct reason why;

	for (unsigned s = 0; s < sizeof order / sizeof order[0]; s++)
		for (unsigned at = 0; (p = model_profile(at)); at++) {
			*t = (struct mutant_trial){.profile = p->name, .suite = order[s]};
			if (p->model == model && try(c, run, t, mutant, &why) && c->caught[0])
				return true;
		}
	return false;
}

static void try_mutant(struct run *run, const struct pmu_model *model, int mutant)
{
	const struct model_mutant *m = &model_mutants(model->name)[mutant - 1];
	const struct mutant_hint *hint = hint_for(model->name, m->id);
	struct judgement j = {.verdict = VERDICT_EXACT};
	static struct capture c;
	struct mutant_trial t;
	char name[200];
	struct reason why;

	snprintf(name, sizeof name, "%s/%s: %s", model->name, m->id, m->text);
	if (hint && hint->out_of_reach) {
		judgement_set(&j, VERDICT_SKIPPED, "%s", hint->out_of_reach);
		report(run, name, &j);
		return;
	}
	c.caught[0] = '\0';
	if (hint) {
		t = hint->trial;
		if (!try(&c, run, &t, mutant, &why))
			judgement_set(&j, VERDICT_ERROR, "%s", why.line);
		else
			try_clean(run, &t);
	} else if (run->options->verbose) {
		search(run, &c, model, mutant, &t);
	}
	if (!hint && !c.caught[0])
		judgement_set(&j, VERDICT_SKIPPED,
			      "no suite is known to tell it; the host's tests of the model do");
	else if (j.verdict == VERDICT_EXACT && !c.caught[0])
		judgement_set(&j, VERDICT_WRONG, "no suite tells it");
	else if (j.verdict == VERDICT_EXACT)
		judgement_set(&j, VERDICT_EXACT, "%s: %s", t.profile, c.caught);
	report(run, name, &j);
}

static void run_mutants(struct run *run)
{
	const struct pmu_model *done = NULL;
	const struct model_mutant *mutants;
	char original[48];
	struct reason why;

	snprintf(original, sizeof original, "%s", run->pmu ? run->pmu->model : "");
	n_clean = 0;
	const struct model_profile *p;
	for (unsigned at = 0; (p = model_profile(at)); at++) {
		const struct pmu_model *model = p->model;

		/* The registry has the virtual CPUs of a model in a row. check= takes single mutants. */
		if (model == done)
			continue;
		done = model;
		mutants = model_mutants(model->name);
		for (int m = 1; mutants && mutants[m - 1].id; m++) {
			char name[96];

			snprintf(name, sizeof name, "%s/%s", model->name, mutants[m - 1].id);
			if (check_wanted(run, name))
				try_mutant(run, model, m);
		}
	}
	if (original[0])
		virtual_pmu_create(run, run->pmu, original, NULL, &why);
}

const struct suite suite_mutants = {"mutants", "every rule of the models, broken: the suites tell",
				    run_mutants, NULL};
