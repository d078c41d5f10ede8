/* clang-format off */
/*
 * Suite `catches` of the test image: every erratum that a virtual CPU can be given, against what the suite
 * errata makes of it, in one boot.
 *
 *	caught/HSD73          it is given: it is told, with those that look like it; no other is present, but rows
 *	                      without an amount may be consistent
 *	variant/HSD73/3       it is given in another amount, phase or distance, drawn by seed=: likewise
 *	near/HSD73/double     it is given wrongly: no row is present
 *	worked/AMD-420        it is given, and the driver works around it: what the row of the list says, no more
 *	clean/PROFILE[/FAULT] none is given, or another fault: no row is present
 *
 * check= takes some of them. n= is how many of the caught are drawn, by seed=, with one variant of each and
 * some of the near misses and of the clean; they are then looked for among few rows. An n= of more than there
 * are draws none: it takes all, among few rows. Without it, all among all rows. verbose=1 tells of each that is caught which ordinary checks notice it.
 */
/* clang-format on */
#include "tests/judge/errata.h"
#include "tests/judge/ladder.h"
#include "tests/measure/virtual.h"
#include "tests/suites/suites.h"

#include "pmu/contract/model.h"
#include "pmu/contract/variation.h"
#include "pmu/contract/workaround.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

struct variation variation = VARIATION_NONE;

#define TEXT        400
#define VARIANTS    20 /* of each that has any */
#define FEW         1  /* others are looked for besides */
#define NEAR_SHARE  8  /* one of so many is drawn */
#define CLEAN_SHARE 512
#define CLEAN_ROWS  6 /* of the family, that are looked for where nothing is to be found */

/** Ways to give an erratum wrongly. */
enum near_miss {
	NEAR_OPPOSITE = 1 << 0, /* the opposite sign */
	NEAR_DOUBLE = 1 << 1,   /* twice as much */
	NEAR_COUNTER = 1 << 2,  /* on one counter alone */
	NEAR_LEVEL = 1 << 3,    /* in the outer rings alone */
	NEAR_FIXED = 1 << 4,    /* on another fixed counter */
};

static const struct {
	const char *name;
	struct variation variation;
} near_misses[] = {
	{"opposite", {.amount = -1, .counters = UINT32_MAX, .levels = 3}},
	{"double", {.amount = 2, .counters = UINT32_MAX, .levels = 3}},
	{"another counter", {.amount = 1, .counters = 2, .levels = 3}},
	{"another level", {.amount = 1, .counters = UINT32_MAX, .levels = 2}},
	{"another fixed counter", {.amount = 1, .counters = UINT32_MAX, .levels = 3, .fixed = -1}},
};

#define NEAR_COUNTS (NEAR_OPPOSITE | NEAR_DOUBLE | NEAR_COUNTER | NEAR_LEVEL)

/** What is given, and all that must be told. */
struct trial {
	const char *profile, *inject;
	const char *told;   /* "HSD73 present" and so on, in the order of the rows */
	unsigned near;      /* enum near_miss */
	uint16_t low, high; /* steps of its variants; 0: it has none */
};

static const struct trial trials[] = {
#define ERRATUM_TRIAL(...) {__VA_ARGS__},
#define ERRATUM_OF_RULE(profile, told)
#define ERRATUM_WORKED(profile, inject, told)
#include "mutants/catches.def"
#undef ERRATUM_TRIAL
#undef ERRATUM_OF_RULE
#undef ERRATUM_WORKED
};
#define TRIALS (sizeof trials / sizeof trials[0])

/** What the driver works around; everywhere else it must not. */
static const struct trial worked[] = {
#define ERRATUM_TRIAL(...)
#define ERRATUM_OF_RULE(profile, told)
#define ERRATUM_WORKED(profile, inject, told) {profile, inject, told, 0, 0, 0},
#include "mutants/catches.def"
#undef ERRATUM_TRIAL
#undef ERRATUM_OF_RULE
#undef ERRATUM_WORKED
	{NULL, NULL, NULL, 0, 0, 0},
};

/** Faults that are no erratum's, and premises that are the other way round. */
static const char *const faults[] = {
	NULL,
	"late-pmi",
	"noisy",
	"smi",
	"sibling-leak",
	"others-leak",
	"off-by-one",
	"ring-leak",
	"odd-counter",
	"dead-counter",
	"lost-status",
	"stuck-status",
	"no-pmi",
	"overcount-x16",
	"start-counted",
	"return-in-new-level",
	"exits-uncounted",
	"absent-zero",
	"event-filter",
	"start-emulated",
	"lvt-stays",
	"pebs-off",
};

/* --- one run of the suite errata ---------------------------------------------------------------------- */

struct capture {
	struct run run; /* first: the callbacks get its address */
	char told[TEXT];
	char noticed[TEXT];  /* ordinary checks that are wrong */
	char verdicts[TEXT]; /* errata that single checks have as their verdict: "BJ58 or AAJ143, ..." */
	unsigned looked_for, otherwise;
};

static void add(char *text, const char *format, const char *a, const char *b)
{
	size_t used = strlen(text);

	snprintf(text + used, TEXT - used, format, used ? ", " : "", a, b);
}

/* A single check: "as erratum BJ58 or AAJ143 says, ...". */
static void single(struct run *run, const struct result *r)
{
	static const char before[] = "as erratum ", behind[] = " says";
	struct capture *c = (struct capture *)run;
	const char *at = r->judgement.text + sizeof before - 1, *end = strstr(at, behind);
	char one[64];

	if (r->judgement.verdict != VERDICT_ERRATUM || !end)
		return;
	snprintf(one, sizeof one, "%.*s, ", (int)(end - at), at);
	if (!strstr(c->verdicts, one))
		snprintf(c->verdicts + strlen(c->verdicts), TEXT - strlen(c->verdicts), "%s", one);
}

static void take_erratum(struct run *run, const struct erratum_report *x)
{
	struct capture *c = (struct capture *)run;

	c->looked_for += x->state <= ERRATUM_NOT_OBSERVED;
	c->otherwise += x->state == ERRATUM_OTHERWISE;
	if (x->state <= ERRATUM_CONSISTENT)
		add(c->told, "%s%s %s", x->number, x->state_name);
}

static void notice(struct run *run, const struct result *r)
{
	struct capture *c = (struct capture *)run;
	struct result own = *r;
	char name[80];

	errata_judge(run->pmu, &own);
	single(run, &own);
	snprintf(name, sizeof name, "%s/%.60s", r->suite, r->name ? r->name : "");
	name[strcspn(name, ":")] = '\0';
	if (verdict_is_bad(own.judgement.verdict) && strlen(c->noticed) < TEXT / 2)
		add(c->noticed, "%s%s%s", name, "");
}

/* The ladder, and the suite's own check of a row, which says what its state says. */
static void take(struct run *run, const struct result *r)
{
	struct result own = *r;

	errata_judge(run->pmu, &own);
	if (strcmp(r->suite, "errata"))
		single(run, &own);
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

/* What is told by what the ladder leaves out. */
static bool climbs(const char *inject)
{
	return inject &&
	       (!strcmp(inject, "cccr1") || !strcmp(inject, "AAJ91") || !strcmp(inject, "dead-counter"));
}

/* Carry out the suite errata on this CPU, or with `ordinary` those that are not about errata. @return false
 * with *why if there is no such CPU */
static bool look(struct capture *c, struct run *outer, const char *profile, const char *inject,
		 const char *rows, bool ordinary, struct reason *why)
{
	static struct ladder ladder;
	static struct pmu pmu;
	const struct run_options options = {
		.n = 2, .reps = 1, .kernel_glob = ordinary ? "calls" : NULL, .check_glob = rows};

	*c = (struct capture){.run = {.options = &options,
				      .call = outer->call,
				      .report = ordinary ? notice : take,
				      .erratum = take_erratum,
				      .value = drop_value,
				      .detail = drop_value,
				      .fact = drop_fact,
				      .share = drop_share,
				      .attribution = drop_attribution}};
	if (!virtual_pmu_create(&c->run, &pmu, profile, inject, why))
		return false;
	errata_begin();
	errata_single = single;
	/* The climb takes longer than all else, and few errata show in it. */
	if (ordinary || climbs(inject))
		ladder_climb(&c->run, &ladder);
	else
		ladder_presume(&c->run, &ladder);
	c->run.ladder = &ladder;
	if (!ordinary) {
		suite_errata.run(&c->run);
		return true;
	}
	suite_control.run(&c->run);
	suite_events.run(&c->run);
	suite_identities.run(&c->run);
	suite_sampling.run(&c->run);
	suite_trace.run(&c->run);
	return true;
}

/* --- trials ------------------------------------------------------------------------------------------- */

static void report(struct run *run, const char *name, const struct judgement *j)
{
	struct result r = {.suite = "catches", .name = name, .judgement = *j};

	run->report(run, &r);
}

/* What an event means by its rule is told of a CPU that is sound, too. */
static const char *by_rule(const char *profile)
{
	static const struct {
		const char *profile, *told;
	} rules[] = {
#define ERRATUM_TRIAL(...)
#define ERRATUM_OF_RULE(profile, told) {profile, told},
#define ERRATUM_WORKED(profile, inject, told)
#include "mutants/catches.def"
#undef ERRATUM_TRIAL
#undef ERRATUM_OF_RULE
#undef ERRATUM_WORKED
		{NULL, NULL},
	};

	for (unsigned i = 0; rules[i].profile; i++)
		if (!strncmp(profile, rules[i].profile, strlen(rules[i].profile)))
			return rules[i].told;
	return "";
}

/* Take what a list has off another one. @return whether all of it was there */
static bool strike(char *from, const char *list)
{
	bool all = true;

	while (*list) {
		size_t length = strcspn(list, ",");
		char one[64], *at;

		snprintf(one, sizeof one, "%.*s, ", (int)length, list);
		at = strstr(from, one);
		all &= at != NULL;
		if (at)
			memmove(at, at + strlen(one), strlen(at + strlen(one)) + 1);
		list += length;
		list += strspn(list, ", ");
	}
	return all;
}

static bool as_expected(const char *told, const char *expected, const char *rule)
{
	char rest[TEXT + 2];

	snprintf(rest, sizeof rest, "%s, ", told);
	if (!strike(rest, expected))
		return false;
	strike(rest, rule);
	/* Rows without an amount agree with much, and give no verdict. */
	return !strstr(rest, " present");
}

/* Whether each single check names one that is to be told. It may name others that look alike in it. */
static bool singles_agree(const char *verdicts, const char *expected, const char *rule)
{
	char all[2 * TEXT];

	snprintf(all, sizeof all, "%s, %s, ", expected, rule);
	for (const char *at = verdicts; *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
		bool any = false;

		for (const char *name = at; *name && *name != ',';) {
			char one[64];

			snprintf(one, sizeof one, "%.*s present, ", (int)strcspn(name, " ,"), name);
			any |= strstr(all, one) != NULL;
			name += strcspn(name, " ,");
			name += strncmp(name, " or ", 4) ? 0 : 4;
		}
		if (!any)
			return false;
	}
	return true;
}

static uint32_t drawn;

static uint32_t draw(uint32_t n)
{
	drawn = drawn * 1664525 + 1013904223;
	return n ? (drawn >> 8) % n : 0;
}

/* A few rows besides those of a list, drawn as well: what is drawn by n= is looked for among these, as all
 * take long. */
static const char *few(char *globs, const char *list)
{
	size_t used = 0;

	for (unsigned i = 0; i < FEW; i++) {
		const struct trial *t = &trials[draw(TRIALS)];

		used += (size_t)snprintf(globs + used, TEXT - used, "%s%.*s", i ? "," : "",
					 (int)strcspn(t->told, " "), t->told);
	}
	for (; *list; list += strcspn(list, ","), list += strspn(list, ", ")) {
		used += (size_t)snprintf(globs + used, TEXT - used, ",%.*s", (int)strcspn(list, " "), list);
	}
	return globs;
}

/* Rows that are told of some virtual CPU of the same family: "*,BJ58 present, HSD91 present". */
static const char *few_of_family(char *list, const char *profile)
{
	size_t family = strcspn(profile, "-"), used = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < TRIALS; i++)
		n += !strncmp(trials[i].profile, profile, family + 1);
	list[0] = '\0';
	for (unsigned i = 0, left = CLEAN_ROWS; i < TRIALS; i++)
		if (!strncmp(trials[i].profile, profile, family + 1) && draw(n--) < left) {
			left--;
			used += (size_t)snprintf(list + used, TEXT / 2 - used, "%s%.*s", used ? ", " : "",
						 (int)strcspn(trials[i].told, ","), trials[i].told);
		}
	return list;
}

static void try(struct run *run, const char *name, const char *profile, const char *inject,
		const char *expected, const char *about, bool wrong, bool ordinary)
{
	static struct capture c;
	bool singles = true;
	char globs[TEXT];
	const char *rows = run->options->n ? few(globs, about) : NULL;
	struct judgement j = {.verdict = VERDICT_EXACT};
	char noticed[TEXT] = "", given[48];
	struct reason why = {0};

	snprintf(given, sizeof given, "%s", inject ? inject : "");
	if (!check_wanted(run, name))
		return;
	if (ordinary && look(&c, run, profile, inject ? given : NULL, NULL, true, &why)) {
		snprintf(noticed, sizeof noticed, "; noticed by %s",
			 *c.noticed ? c.noticed : "no ordinary check");
		singles = singles_agree(c.verdicts, expected, by_rule(profile));
	}
	if (!look(&c, run, profile, inject ? given : NULL, rows, false, &why))
		/* Not every virtual CPU has each fault; what a trial names there must be. */
		judgement_set(&j, strncmp(name, "clean/", 6) ? VERDICT_ERROR : VERDICT_SKIPPED, "%s",
			      why.line);
	else if (!c.otherwise && !c.looked_for && rows && !strncmp(name, "clean/", 6))
		judgement_set(&j, VERDICT_SKIPPED, "%s: none of the rows that were drawn is looked for on it",
			      profile);
	else if (!c.otherwise && (!c.looked_for || wrong))
		judgement_set(&j, VERDICT_ERROR, "nothing was looked for, or is wrong");
	else if (!as_expected(c.told, expected, by_rule(profile)))
		judgement_set(&j, VERDICT_WRONG, "%s: told: %.100s; expected: %.100s", profile, c.told,
			      expected);
	else if (!singles || !singles_agree(c.verdicts, expected, by_rule(profile)))
		judgement_set(&j, VERDICT_WRONG, "%s: single checks have as their verdict: %.100s", profile,
			      c.verdicts);
	else
		judgement_set(&j, VERDICT_EXACT, "%s: %.100s%.120s", profile, *c.told ? c.told : "nothing",
			      noticed);
	report(run, name, &j);
}

static void try_catch(struct run *run, const struct trial *t)
{
	char name[96];

	snprintf(name, sizeof name, "caught/%s", t->inject);
	pmu_allow_workarounds(false);
	try(run, name, t->profile, t->inject, t->told, t->told, false, run->options->verbose);
	pmu_allow_workarounds(true);
}

/* What is told of it without a workaround is what is to be looked for. */
static void try_worked(struct run *run, const struct trial *t)
{
	char name[96];
	unsigned i = 0;

	while (i < TRIALS && strcmp(trials[i].inject, t->inject))
		i++;
	snprintf(name, sizeof name, "worked/%s", t->inject);
	try(run, name, t->profile, t->inject, t->told, i < TRIALS ? trials[i].told : t->inject, false, false);
}

static void try_variant(struct run *run, const struct trial *t, unsigned i)
{
	char name[96];

	variation = (struct variation)VARIATION_NONE;
	variation.steps = (uint16_t)(t->low + draw(t->high - t->low + 1u));
	snprintf(name, sizeof name, "variant/%s/%u: %u", t->inject, i, variation.steps);
	pmu_allow_workarounds(false);
	try(run, name, t->profile, t->inject, t->told, t->told, false, false);
	pmu_allow_workarounds(true);
	variation = (struct variation)VARIATION_NONE;
}

static void try_near(struct run *run, const struct trial *t, unsigned kind)
{
	char name[96];

	variation = near_misses[kind].variation;
	pmu_allow_workarounds(false);
	snprintf(name, sizeof name, "near/%s/%s", t->inject, near_misses[kind].name);
	try(run, name, t->profile, t->inject, "", t->told, NEAR_COUNTS >> kind & 1, false);
	pmu_allow_workarounds(true);
	variation = (struct variation)VARIATION_NONE;
}

/* Whether only some are taken. */
static bool some(const struct run_options *o)
{
	return o->n && o->n < TRIALS;
}

static void try_clean(struct run *run)
{
	const struct model_profile *p;
	char name[120], rows[TEXT];

	for (unsigned at = 0; (p = model_profile(at)); at++)
		for (unsigned f = 0; f < sizeof faults / sizeof faults[0]; f++) {
			/* The climb alone takes as long as the others that are drawn. */
			if (some(run->options) && (climbs(faults[f]) || draw(CLEAN_SHARE)))
				continue;
			snprintf(name, sizeof name, "clean/%s%s%s", p->name, faults[f] ? "/" : "",
				 faults[f] ? faults[f] : "");
			try(run, name, p->name, faults[f], "", few_of_family(rows, p->name), false, false);
		}
}

static void run_catches(struct run *run)
{
	const struct run_options *o = run->options;
	char original[48];
	struct reason why = {0};

	snprintf(original, sizeof original, "%s", run->pmu ? run->pmu->model : "");
	drawn = (uint32_t)o->seed;
	for (unsigned i = 0, left = some(o) ? (unsigned)o->n : TRIALS; i < TRIALS; i++)
		if (draw((uint32_t)(TRIALS - i)) < left) {
			left--;
			try_catch(run, &trials[i]);
		}
	for (unsigned i = 0; i < TRIALS; i++)
		for (unsigned v = 0; trials[i].high && v < (some(o) ? 1 : VARIANTS); v++)
			try_variant(run, &trials[i], v);
	for (unsigned i = 0; i < TRIALS; i++)
		for (unsigned kind = 0; kind < sizeof near_misses / sizeof near_misses[0]; kind++)
			if (trials[i].near >> kind & 1 && (!some(o) || !draw(NEAR_SHARE)))
				try_near(run, &trials[i], kind);
	for (const struct trial *t = worked; t->profile && !some(o); t++)
		try_worked(run, t);
	try_clean(run);
	if (original[0])
		virtual_pmu_create(run, run->pmu, original, NULL, &why);
}

const struct suite suite_catches = {"catches", "errata that are given are told, and no others", run_catches,
				    NULL};
