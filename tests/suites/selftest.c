/*
 * The harness judged: each injected fault must be caught by the checks that are about it, and by no others; a
 * virtual CPU without a fault must raise none; a kernel with a wrong signature must judge nothing. On the
 * default virtual CPU all of that is done (with kernel=full what is dear, too), on another what is about that
 * one.
 */
#include "tests/suites/suites.h"
#include "tests/judge/ladder.h"
#include "tests/judge/shares.h"
#include "tests/measure/virtual.h"
#include "tests/kernels/kernel.h"

#include "pmu/contract/family.h"
#include "pmu/virtual/vpmu.h"
#include "tests/kernels/roles.h"

#include <stdio.h>
#include <string.h>

/* Of a fault that names none. */
#define KERNELS "empty,nop_loop,calls,movs_rep"

/* Those that no single core defines. */
#define EVENTS "arch"

/* As many as show that counts differ from run to run. */
#define REPS 2

/* Records: of branches, loads and stores. */
#define RECORD_KERNELS "calls,loads"

/* Whether a verdict is what is said of a fault. */
static bool is_told(enum verdict verdict, uint8_t told)
{
	static const uint8_t verdicts[] = {
		[TOLD_WRONG] = VERDICT_WRONG, [TOLD_DEAD] = VERDICT_DEAD,   [TOLD_BIASED] = VERDICT_BIASED,
		[TOLD_NOISY] = VERDICT_NOISY, [TOLD_ERROR] = VERDICT_ERROR,
	};

	return told != TOLD_FACT && verdicts[told] == verdict;
}

static const char *told_name(uint8_t told)
{
	static const char *const names[] = {
		[TOLD_WRONG] = "wrong", [TOLD_DEAD] = "dead",   [TOLD_BIASED] = "biased",
		[TOLD_NOISY] = "noisy", [TOLD_ERROR] = "error", [TOLD_FACT] = "a fact",
	};

	return names[told];
}

/* Names of checks have commas of their own, which part the alternatives of a glob. */
static bool matches(const char *glob, const char *name)
{
	char pattern[160];
	char *comma = pattern;

	snprintf(pattern, sizeof(pattern), "%s", glob);
	while ((comma = strchr(comma, ',')))
		*comma = '?';
	return glob_match(pattern, name);
}

struct capture {
	struct run run; /* first: the report callback gets its address */
	const struct pmu_fault *expected;
	unsigned checks, caught[FAULT_CATCHES];
	char stranger[240]; /* the first result that should not be there */
};

static void take(struct run *run, const struct result *r)
{
	struct capture *c = (struct capture *)run;
	const struct fault_catch *catches = c->expected->catches;
	bool bad = verdict_is_bad(r->judgement.verdict), known = false;
	char name[160];

	c->checks++;
	snprintf(name, sizeof(name), "%s/%s", r->suite, r->name);
	for (unsigned i = 0; i < FAULT_CATCHES && catches[i].checks; i++)
		if (is_told(r->judgement.verdict, catches[i].told) && matches(catches[i].checks, name)) {
			c->caught[i]++;
			known = true;
		}
	if (c->expected->unjudged && matches(c->expected->unjudged, name))
		known = false, bad = true;
	if (bad && !known && !c->stranger[0])
		snprintf(c->stranger, sizeof(c->stranger), "%.90s is %s: %s", name,
			 verdict_name(r->judgement.verdict), r->judgement.text);
}

/* A fact that nobody expects is as bad as a verdict: a virtual CPU without a fault has none. */
static void take_fact(struct run *run, const char *suite, const char *name, const char *text)
{
	struct capture *c = (struct capture *)run;
	const struct fault_catch *catches = c->expected->catches;
	char full[160];
	bool known = false;

	(void)text;
	snprintf(full, sizeof(full), "%s/%s", suite, name);
	for (unsigned i = 0; i < FAULT_CATCHES && catches[i].checks; i++)
		if (catches[i].told == TOLD_FACT && matches(catches[i].checks, full)) {
			c->caught[i]++;
			known = true;
		}
	if (!known && !c->stranger[0])
		snprintf(c->stranger, sizeof(c->stranger), "%.90s is a fact", full);
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

static void judge_records(struct capture *c, struct ladder *ladder)
{
	const char *kernels = c->expected->kernels ? c->expected->kernels : RECORD_KERNELS;
	const struct run_options brief = {.kernel_glob = kernels, .event_glob = c->expected->records};
	const struct run_options *usual = c->run.options;

	c->run.ladder = ladder;
	c->run.options = &brief;
	suite_trace.run(&c->run);
	suite_sampling.run(&c->run);
	c->run.options = usual;
}

static void run_one_suite(struct capture *c)
{
	for (const struct suite *const *s = suites; *s; s++)
		if (!strcmp((*s)->name, c->expected->suite))
			(*s)->run(&c->run);
}

/* One whole little run: ladder, control, events, identities. */
static void judge_once(struct capture *c, struct ladder *ladder)
{
	if (c->expected->only) {
		suite_control.run(&c->run);
		return;
	}
	c->run.ladder = ladder;
	if (ladder_climb(&c->run, ladder) == LADDER_DEAD)
		return; /* as in a real run: another PMU is judged instead */
	if (c->expected->records) {
		judge_records(c, ladder);
		return;
	}
	if (c->expected->suite) {
		run_one_suite(c);
		return;
	}
	if (c->expected->control) {
		suite_control.run(&c->run);
		return;
	}
	if (!c->expected->machine)
		suite_control.run(&c->run);
	suite_events.run(&c->run);
	shares_report(&c->run, "events");
	if (!c->expected->machine)
		suite_identities.run(&c->run);
	if (c->expected->noise)
		suite_noise.run(&c->run);
}

static void conclude(const struct capture *c, struct result *r)
{
	unsigned missing = 0, rows = 0;

	for (; rows < FAULT_CATCHES && c->expected->catches[rows].checks; rows++)
		if (!c->caught[rows] && !c->expected->catches[rows].may && !missing)
			missing = rows + 1;
	result_judge(r, 0, rows, rows, rows - (missing != 0));
	if (c->stranger[0])
		judgement_set(&r->judgement, VERDICT_WRONG, "unexpected: %s", c->stranger);
	else if (missing)
		judgement_set(&r->judgement, VERDICT_WRONG, "not caught: %s as %s",
			      c->expected->catches[missing - 1].checks,
			      told_name(c->expected->catches[missing - 1].told));
	else if (c->checks == 0)
		judgement_set(&r->judgement, VERDICT_ERROR, "nothing was judged");
}

static void describe(const struct pmu_fault *c, const char *profile, char *name, size_t size)
{
	if (c->kernel)
		snprintf(name, size, "wrong %s of %s on %s", quantity_info[c->quantity].name, c->kernel,
			 profile);
	else
		snprintf(name, size, "%s%s on %s",
			 c->machine   ? "machine: "
			 : c->records ? "records: "
				      : "",
			 c->inject ? c->inject : "no fault", profile);
}

/* One run with the faults of `made`, held against what `expected` says. */
static void hold_against(struct run *run, const char *profile, const struct pmu_fault *made,
			 const struct pmu_fault *expected, struct result *r)
{
	struct run_options options = {.kernel_glob = expected->kernels   ? expected->kernels
						     : expected->machine ? kernels_of_misses
									 : KERNELS,
				      .event_glob = expected->events ? expected->events : EVENTS,
				      .reps = expected->records ? 0 : REPS,
				      .check_glob = expected->only};
	static struct ladder ladder;
	static struct pmu pmu;
	static struct capture c;
	struct reason why;

	c = (struct capture){.run = {.options = &options,
				     .call = run->call,
				     .report = take,
				     .value = drop_value,
				     .detail = drop_value,
				     .fact = take_fact,
				     .share = drop_share,
				     .attribution = drop_attribution},
			     .expected = expected};
	if (made->kernel)
		kernel_falsify(kernel_by_name(made->kernel), made->quantity, made->delta_a, made->delta_b);
	if (virtual_pmu_create(&c.run, &pmu, profile, made->inject, &why)) {
		judge_once(&c, &ladder);
		conclude(&c, r);
	} else {
		judgement_set(&r->judgement, VERDICT_ERROR, "%s", why.line);
	}
	kernel_restore();
}

static void carry_out(struct run *run, const char *profile, const struct pmu_fault *c)
{
	char name[96];
	struct result r = {.suite = "selftest", .name = name};

	describe(c, profile, name, sizeof(name));
	if (!check_wanted(run, name))
		return;
	hold_against(run, profile, c, c, &r);
	run->report(run, &r);
}

/* The other side: of these, what is expected of another fault must not pass. */
static void carry_out_crossed(struct run *run, const char *profile, const struct pmu_fault *made,
			      const struct pmu_fault *expected)
{
	char made_name[64], expected_name[64], name[160];
	struct result r = {.suite = "selftest", .name = name};

	describe(made, profile, made_name, sizeof(made_name));
	describe(expected, profile, expected_name, sizeof(expected_name));
	snprintf(name, sizeof(name), "%s %s for %s", made_name, made == expected ? "passes" : "does not pass",
		 expected_name);
	if (!check_wanted(run, name))
		return;
	hold_against(run, profile, made, expected, &r);
	if (made == expected) {
		run->report(run, &r);
		return;
	}
	if (r.judgement.verdict == VERDICT_WRONG)
		r.judgement = (struct judgement){.verdict = VERDICT_EXACT};
	else
		judgement_set(&r.judgement, VERDICT_WRONG, "it passes");
	r.n_observations = 0;
	run->report(run, &r);
}

/* The faults of a family: all of them, or those of one virtual CPU. @return how many that were */
static unsigned carry_out_family(struct run *run, const struct pmu_faults *f, const char *only, bool full)
{
	unsigned chosen = 0;

	for (unsigned i = 0; i < f->n; i++) {
		const char *profile = f->fault[i].profile ? f->fault[i].profile : f->profile;

		if ((f->fault[i].full && !only && !full) || (only && strcmp(profile, only)))
			continue;
		carry_out(run, profile, &f->fault[i]);
		chosen++;
	}
	for (unsigned i = 0; !only && i < f->n_crossed; i++)
		for (unsigned j = 0; j < f->n_crossed; j++)
			carry_out_crossed(run, f->profile, &f->crossed[i], &f->crossed[j]);
	return chosen;
}

static void run_selftest(struct run *run)
{
	const char *usual = pmu_default_profile();
	char original[48], why_not[128];
	struct reason why;
	unsigned chosen = 0;

	if (!run->pmu || !run->pmu->virtual) {
		run_skip(run, "selftest", "selftest", NULL, "needs the virtual PMU: pmu=virtual");
		return;
	}
	snprintf(original, sizeof(original), "%s", run->pmu->model);
	bool full = run->options->kernel_glob && !strcmp(run->options->kernel_glob, "full");
	const char *only = strcmp(original, usual) ? original : NULL;
	const struct pmu_family *family;
	for (unsigned i = 0; (family = pmu_family(i)); i++)
		if (family->faults)
			chosen += carry_out_family(run, family->faults, only, full);
	if (!chosen) {
		snprintf(why_not, sizeof why_not,
			 "no fault is put into this virtual CPU: pmu=virtual:%s tries those of all others",
			 usual);
		run_skip(run, "selftest", "selftest", NULL, why_not);
	}
	virtual_pmu_create(run, run->pmu, original, NULL, &why);
}

const struct suite suite_selftest = {
	"selftest", "the harness itself: injected faults are caught, clean models raise none", run_selftest,
	NULL};
