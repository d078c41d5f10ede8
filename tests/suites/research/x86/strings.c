/*
 * REP-prefixed string instructions over a dense grid of count, direction and alignment: each step is judged,
 * and the rule by which an event counts along the count is found from the counts alone.
 *
 * CPUs have other ways for few elements than for many, for aligned ones than for others, upwards than
 * downwards, and what an event counts may go by them: manuals give no such rules, so they are measured.
 */
#include "tests/suites/suites.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/kernels/x86/string_step.h"
#include "tests/measure/passes.h"
#include "tests/judge/piecewise.h"
#include "tests/judge/truth.h"

#include "arch/exceptions.h"
#include "pmu/events/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STRINGS_MS   20000
#define N_VIRTUAL    1
#define N_HARDWARE   100
#define REPS_VIRTUAL 1
#define REPS_MAX     10
#define MULTIPLES    2
#define RULES_MAX    8
#define RULE_TEXT    200

/* Neighbours of powers of two, up to where memory ends; few for a model, which has one way for all. */
static const uint64_t counts[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,  13,  14,  15,  16,
				  17, 18, 19, 20, 21, 22, 23, 24, 25, 26,  27,  28,  29,  30,  31,  32,  33,
				  47, 48, 49, 63, 64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 193, 255, 256};
static const uint64_t counts_virtual[] = {0, 1, 9, 33};
static const uint8_t alignments[] = {0,  1,  2,  3,  4,  7,  8,  12, 15, 16, 17,
				     24, 31, 32, 33, 40, 48, 56, 60, 61, 62, 63};
static const uint8_t alignments_virtual[] = {0, 61};
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
_Static_assert(LENGTH(counts) <= PIECEWISE_POINTS, "piecewise_fit()");

static const char *const instructions[] = {"rep_movs", "rep_stos", "rep_lods", "repe_cmps", "repne_scas"};
static const char sizes[] = "bwlq";

/* A rule, and where it holds. */
struct rule {
	char text[RULE_TEXT];
	char first[24]; /* direction and alignment */
	unsigned places;
};

/* One event of the pass, over all steps. */
struct track {
	struct result r;
	unsigned steps, deviating;
	unsigned excused;        /* of those that deviate, in a guest ... */
	struct judgement excuse; /* ... and why */
	bool unsteady;           /* somewhere a repetition differs from another */
	bool unruly;             /* along some line counts are not steady, or are no whole number per turn */
	char first[112];         /* the first step that deviates */
	int64_t per_turn[PIECEWISE_POINTS]; /* along the line of counts that is being gone */
	bool line_broken;
	struct rule rule[RULES_MAX];
	unsigned n_rules, places;
};

struct strings {
	struct run *run;
	const struct kernel *base;
	char insn[24]; /* the base's name without its parameters */
	struct passes passes;
	const uint64_t *count;
	const uint8_t *alignment;
	unsigned n_counts, n_alignments, reps;
	uint64_t n;
};

static uint64_t raw[MULTIPLES * REPS_MAX * PMU_COUNTERS_MAX];
static struct track track[PMU_COUNTERS_MAX];

/* --- one step ----------------------------------------------------------------------------------------- */

/* Two, since what is composed is known by the kernel's address. */
static const struct kernel *make(const struct strings *s, const struct string_step *at)
{
	static struct string_kernel room[2];
	static unsigned turn;

	turn = !turn;
	return string_step(s->base, at, &room[turn]) ? &room[turn].kernel : NULL;
}

static void keep_rule_point(struct track *t, const struct observation *seen, uint64_t n, unsigned at)
{
	int64_t more = histogram_mode(&seen[1].seen) - histogram_mode(&seen[0].seen);

	for (unsigned i = 0; i < MULTIPLES; i++)
		t->line_broken |= seen[i].seen.min != seen[i].seen.max;
	t->line_broken |= more % (int64_t)n != 0;
	t->per_turn[at] = more / (int64_t)n;
}

static void gather(struct track *t, const struct pass *p, unsigned slot, unsigned at)
{
	struct observation seen[MULTIPLES];
	struct expectation x;
	enum expectation_status status;
	bool deviates = false;
	unsigned where;

	t->steps++;
	status = pass_observe(p, slot, seen, &x, &where);
	if (status) {
		t->line_broken = true;
		t->r.judgement.verdict = status == EXPECTATION_UNDEFINED ? VERDICT_SKIPPED : VERDICT_ERROR;
		expectation_explain(&x, p->kernel, p->n[where], t->r.judgement.text,
				    sizeof t->r.judgement.text);
		return;
	}
	keep_rule_point(t, seen, p->n[0], at);
	for (unsigned i = 0; i < MULTIPLES; i++) {
		const struct histogram *h = &seen[i].seen;

		t->unsteady |= h->min != h->max;
		if (deviates || (h->min >= seen[i].low && h->max <= seen[i].high))
			continue;
		deviates = true;
		if (!t->deviating)
			snprintf(t->first, sizeof t->first,
				 "%s: %" PRId64 " instead of %" PRId64 " at N = %" PRIu64, p->kernel->name,
				 histogram_mode(h), seen[i].low, p->n[i]);
	}
	/* What is reported in full is the first step that deviates, or else the last one. */
	if (!t->deviating)
		result_take(&t->r, seen, MULTIPLES);
	t->deviating += deviates;
	if (deviates)
		t->excuse.verdict = VERDICT_WRONG;
	t->excused += deviates &&
		      hypervisor_exits_excuse(
			      &(struct hypervisor_exits_place){p->pmu, p->slot[slot].event, p->kernel,
							       &p->bracket, p->level, p->level != 0, false},
			      seen, MULTIPLES, &t->excuse);
}

/* --- along the counts --------------------------------------------------------------------------------- */

static void add_rule(const struct strings *s, struct track *t, const struct string_step *at)
{
	struct piece piece[PIECEWISE_POINTS];
	char text[RULE_TEXT];
	unsigned n = piecewise_fit(s->count, t->per_turn, s->n_counts, piece), i = 0;

	t->places++;
	if (t->line_broken || !n) {
		t->unruly = true;
		return;
	}
	if (piecewise_text(piece, n, text, sizeof text) >= sizeof text - 1) {
		t->unruly = true;
		return;
	}
	while (i < t->n_rules && strcmp(t->rule[i].text, text))
		i++;
	if (i == RULES_MAX) {
		t->unruly = true;
		return;
	}
	if (i == t->n_rules) {
		struct rule *r = &t->rule[t->n_rules++];

		memcpy(r->text, text, sizeof text);
		snprintf(r->first, sizeof r->first, "%s, alignment %u", at->down ? "down" : "up", at->align);
	}
	t->rule[i].places++;
}

/* @return false if it could not be carried out; then *r says why */
static bool run_line(struct strings *s, struct pass *p, struct string_step *at, struct result *r)
{
	for (unsigned i = 0; i < p->n_slots; i++)
		track[i].line_broken = false;
	for (unsigned i = 0; i < s->n_counts; i++) {
		at->count = (unsigned)s->count[i];
		p->kernel = make(s, at);
		if (!p->kernel) {
			judgement_set(&r->judgement, VERDICT_ERROR, "%s is not made as its grid is",
				      s->base->name);
			return false;
		}
		if (!s->run->call(s->run, pass_run, p, STRINGS_MS, r))
			return false;
		if (p->failure) {
			judgement_set(&r->judgement, pass_failure_verdict(p), "%s", p->failure);
			return false;
		}
		for (unsigned slot = 0; slot < p->n_slots; slot++)
			gather(&track[slot], p, slot, i);
	}
	for (unsigned slot = 0; slot < p->n_slots; slot++)
		add_rule(s, &track[slot], at);
	return true;
}

/* --- the report --------------------------------------------------------------------------------------- */

static void conclude(struct track *t)
{
	struct judgement *j = &t->r.judgement;

	if (j->verdict != VERDICT_EXACT) /* there was no expectation */
		return;
	result_conclude(&t->r);
	if (verdict_is_bad(j->verdict) && t->excused && t->excused == t->deviating) {
		*j = t->excuse;
		return;
	}
	/* Different from step to step, and steady in each of them: that is no noise. */
	if (verdict_is_bad(j->verdict) && t->deviating && !t->unsteady)
		judgement_set(j, VERDICT_WRONG, "%u of %u steps deviate; %s", t->deviating, t->steps,
			      t->first);
}

static void report_rules(const struct strings *s, const struct track *t)
{
	struct run *run = s->run;
	/* A model's mispredictions tell nothing either. */
	bool expected = t->r.judgement.verdict == VERDICT_EXACT ||
			(run->pmu->virtual && !verdict_is_bad(t->r.judgement.verdict));

	for (unsigned i = 0; i < t->n_rules; i++) {
		const struct rule *r = &t->rule[i];
		char name[128];

		if (r->places == t->places)
			snprintf(name, sizeof name, "%s of %s", t->r.event, s->insn);
		else
			snprintf(name, sizeof name, "%s of %s, %u of %u ways, as %s", t->r.event, s->insn,
				 r->places, t->places, r->first);
		(expected ? run->detail : run->value)(run, "strings", name, r->text, "per turn, c elements");
	}
	if (t->unruly) {
		char name[128];

		snprintf(name, sizeof name, "%s of %s%s", t->r.event, s->insn,
			 t->n_rules ? ", other ways" : "");
		(expected ? run->detail : run->value)(run, "strings", name, "no rule",
						      "(counts are not steady, or follow too many lines)");
	}
}

static struct track track_of(const struct strings *s, const struct slot *slot)
{
	return (struct track){.r = {
				      .suite = "strings",
				      .event = slot->event->name,
				      .kernel = s->base->name,
				      .counter = s->run->pmu->counter[slot->counter].name,
				      .level = "ring 0",
				      .encoding = slot->event->code,
				      .manual = slot->event->source,
				      .virtual = s->run->pmu->virtual,
			      }};
}

static void report(const struct strings *s, struct track *t)
{
	char name[112];

	snprintf(name, sizeof name, "%s/%s", s->insn, t->r.event);
	t->r.name = name;
	s->run->report(s->run, &t->r);
}

static void run_pass(struct strings *s, unsigned number)
{
	struct pass p = {
		.pmu = s->run->pmu, .n_count = MULTIPLES, .n = {s->n, 2 * s->n}, .reps = s->reps, .raw = raw};
	struct string_step at;

	passes_fill(&s->passes, number, LEVELS_ALL, &p);
	for (unsigned i = 0; i < p.n_slots; i++)
		track[i] = track_of(s, &p.slot[i]);
	for (unsigned down = 0; down < 2; down++)
		for (unsigned i = 0; i < s->n_alignments; i++) {
			at = (struct string_step){.down = down, .align = s->alignment[i]};
			if (!run_line(s, &p, &at, &track[0].r)) {
				report(s, &track[0]);
				return;
			}
		}
	for (unsigned i = 0; i < p.n_slots; i++) {
		conclude(&track[i]);
		report(s, &track[i]);
		report_rules(s, &track[i]);
	}
}

/* --- the suite ---------------------------------------------------------------------------------------- */

/* The steps are not in the image, so no witness has seen them: the longest of them is stepped first. */
static bool is_true(struct strings *s)
{
	struct string_step last = {.count = (unsigned)s->count[s->n_counts - 1],
				   .down = true,
				   .align = s->alignment[s->n_alignments - 1]};
	struct result r = {.suite = "strings"};
	const struct kernel *k = make(s, &last);

	if (!k) {
		judgement_set(&r.judgement, VERDICT_ERROR, "%s is not made as its grid is", s->base->name);
	} else {
		r.name = k->name;
		truth_check(k, 0, 1, &r);
	}
	if (verdict_is_bad(r.judgement.verdict)) {
		r.name = s->insn;
		s->run->report(s->run, &r);
	}
	return !verdict_is_bad(r.judgement.verdict);
}

static void run_instruction(struct strings *s, const char *insn, char size)
{
	char name[48];

	snprintf(s->insn, sizeof s->insn, "%s%c", insn, size);
	snprintf(name, sizeof name, "%s_c%u_up_a0", s->insn, STRING_STEP_BASE);
	s->base = kernel_by_name(name);
	const char *glob = s->run->options->kernel_glob;
	if (!s->base || (glob && *glob && strcmp(glob, "core") && !kernel_selected(s->base, glob)))
		return;
	trap_set_context(s->insn);
	if (!is_true(s))
		return;
	for (unsigned number = 0; number < s->passes.n_passes; number++)
		run_pass(s, number);
}

static void run_strings(struct run *run)
{
	static struct strings s;
	const char *why;

	if (!run->pmu) {
		run_skip(run, "strings", "strings", NULL, "there is no PMU");
		return;
	}
	bool few = run->pmu->deterministic && !run->options->verbose;
	s = (struct strings){.run = run,
			     .count = few ? counts_virtual : counts,
			     .n_counts = few ? LENGTH(counts_virtual) : LENGTH(counts),
			     .alignment = few ? alignments_virtual : alignments,
			     .n_alignments = few ? LENGTH(alignments_virtual) : LENGTH(alignments),
			     .n = run->options->n           ? run->options->n
				  : run->pmu->deterministic ? N_VIRTUAL
							    : N_HARDWARE};
	s.reps = run_repetitions(run, "strings", REPS_VIRTUAL, REPS_MAX);
	why = passes_begin(&s.passes, run);
	if (why)
		run_skip(run, "strings", "strings", NULL, why);
	for (unsigned i = 0; !why && i < LENGTH(instructions); i++)
		for (const char *size = sizes; *size; size++)
			run_instruction(&s, instructions[i], *size);
	passes_end(&s.passes);
}

const struct suite suite_strings = {
	"strings", "REP string instructions by count, direction and alignment, and the rules events follow",
	run_strings, NULL};
