/*
 * Sampling by overflow interrupts, in ring 3, where the handler is not counted: how far from the occurrence
 * that made the counter overflow each interrupt finds the kernel, and how what a period has in common with a
 * loop decides which instructions are seen at all.
 */
#include "tests/suites/sampling.h"
#include "tests/judge/attribution_path.h"
#include "tests/judge/sample_judge.h"
#include "tests/measure/sampling.h"

#include "arch/levels.h"
#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_LEVEL      ((uint8_t)level_user())
#define EVENTS          64
#define SKIDS           4 /* events of which skid is shown */
#define SAMPLES         100
#define PERIOD_VIRTUAL  7
#define PERIOD_HARDWARE 503 /* a prime, too, and longer than skid */
#define STEPS_HARDWARE  100000
#define BIAS_KERNEL     "mix"
#define SEED            0x9e3779b97f4a7c15

static struct sampling_suite *suite;

static struct path own_path, *path; /* what is sampled on silicon is longer than records want */

static bool is_deterministic(void)
{
	return suite->run->pmu->deterministic;
}

/* --- sampling --------------------------------------------------------------------------------------- */

struct pmi_run {
	struct sampling s;
	struct sample_expectation x;
};

static bool begin(struct pmi_run *p, const struct sampling_choice *c, const struct kernel *k, uint64_t n,
		  uint64_t period)
{
	p->s = (struct sampling){
		.pmu = suite->run->pmu,
		.kernel = k,
		.level = USER_LEVEL,
		.counter = c->counter,
		.config = c->config,
		.n = n,
		.period = period,
		.reps = 1,
		.at = calloc(sampling_size(k), sizeof *p->s.at),
		.seed = SEED,
		.address = calloc(SAMPLING_RECORDS, sizeof *p->s.address),
		.room = SAMPLING_RECORDS,
	};
	p->s.config.levels = LEVELS_USER;
	return p->s.at && p->s.address;
}

static void finish(struct pmi_run *p)
{
	free(p->s.at);
	free(p->s.address);
}

static bool sample(struct pmi_run *p, const struct sampling_choice *c, struct result *r)
{
	const struct window w = {.kernel = p->s.kernel, .bracket = &p->s.bracket, .level = USER_LEVEL};

	if (!suite->run->call(suite->run, sampling_run, &p->s, SAMPLING_MS, r)) {
		sampling_end();
		return false;
	}
	if (p->s.failure) {
		judgement_set(&r->judgement, VERDICT_WRONG, "%s", p->s.failure);
		return false;
	}
	p->x = (struct sample_expectation){
		.path = path, .event = c->event, .levels = LEVELS_USER, .period = p->s.period, .windows = 1};
	if (!sampling_path(suite, c, &w, p->s.n, path, r))
		return false;
	p->x.each = attribution_of_interrupt(&path->rule, c->event);
	p->x.every = 1;
	return true;
}

/* --- skid ------------------------------------------------------------------------------------------- */

/* Whether what follows is the delivery that the step asked for. */
static bool delivers(const struct path *p, unsigned step)
{
	return step + 1 < p->n_steps && !p->step[step + 1].length;
}

/* Instructions of the kernel's ring between the step that overflowed and where the interrupt was taken; -1 if
 * it was taken nowhere behind. */
static int64_t skid_of(const struct path *p, unsigned step, uint64_t address)
{
	int64_t skid = 0;

	for (unsigned i = step; i < p->n_steps; i++) {
		if (p->step[i].next == address)
			return skid;
		/* An INT and its delivery are one: nothing is taken between them. Nor is anything behind a
		 * call of the system, where its handler holds interrupts off. */
		skid += p->step[i].length && p->step[i].level && p->step[i].level_after && !delivers(p, i);
	}
	return -1;
}

static void judge_skid(const struct pmi_run *p, struct result *r)
{
	struct observation *o = result_observe_only(r, p->s.n, 0, is_deterministic() ? 0 : INT64_MAX);
	unsigned n = sample_steps(&p->x, suite->steps, SAMPLING_RECORDS);
	char value[64];

	for (unsigned i = 0; i < n && i < p->s.total && i < SAMPLING_RECORDS; i++)
		histogram_add(&o->seen, skid_of(path, suite->steps[i], p->s.address[i]));
	result_conclude(r);
	if (o->seen.total && o->seen.min < 0)
		judgement_set(&r->judgement, VERDICT_WRONG, "an interrupt came off the path");
	else if (p->s.total > n || (p->s.total != n && is_deterministic()))
		judgement_set(&r->judgement, VERDICT_WRONG, "%u interrupts, and %u periods", p->s.total, n);
	if (!o->seen.total)
		return;
	snprintf(value, sizeof value, "%" PRId64 " (%" PRId64 " to %" PRId64 ")", histogram_mode(&o->seen),
		 o->seen.min, o->seen.max);
	suite->run->value(suite->run, "sampling", r->name, value, "instructions of skid");
}

/* A kernel whose every turn has the event happen: where its end alone does, no period ends. */
static const struct kernel *kernel_of_skid(const struct sampling_choice *c, uint64_t n, uint64_t *often)
{
	const struct kernel *k;
	uint64_t twice;

	for (unsigned i = 0; (k = sampling_kernel(suite, c, USER_LEVEL, n, i, often)); i++)
		if (sampling_kernel(suite, c, USER_LEVEL, 2 * n, i, &twice) == k && twice > *often)
			return k;
	return NULL;
}

static bool check_skid(const struct sampling_choice *c)
{
	uint64_t n = is_deterministic() ? 100 : 100000, often, most,
		 period = is_deterministic() ? PERIOD_VIRTUAL : PERIOD_HARDWARE;
	const struct kernel *k = kernel_of_skid(c, 10, &often);
	struct pmi_run p;
	struct result r;
	char name[SAMPLING_NAME];

	if (!k)
		return false;
	/* As many turns as give that many samples. */
	if (n > SAMPLES * period * 10 / often + 1)
		n = SAMPLES * period * 10 / often + 1;
	most = sampling_turns(k, path->room / 10 * 9);
	if (n > most)
		n = most;
	r = sampling_result(suite, name, c, "PMI skid", k, USER_LEVEL);
	trap_set_context(name);
	if (!begin(&p, c, k, n, period))
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for samples");
	else if (sample(&p, c, &r))
		judge_skid(&p, &r);
	finish(&p);
	suite->run->report(suite->run, &r);
	return true;
}

/* --- bias ------------------------------------------------------------------------------------------- */

/* Places that samples with these periods find: offsets in the kernel, of which each is counted once. */
static unsigned places_expected(const struct pmi_run *p, uint64_t kernel_at, unsigned *at)
{
	uint64_t left = p->s.period, seed = SEED, next;
	unsigned own;
	unsigned places = 0;

	memset(at, 0, sampling_size(p->s.kernel) * sizeof *at);
	for (unsigned i = 0; i < path->n_steps; i++) {
		uint64_t here = path_occurrences(path, i, p->x.event, LEVELS_USER);
		uint64_t offset = path->step[i].next - kernel_at;

		for (; here >= left; left = next > own ? next - own : 1) {
			own = path_level_after(path, i) ? p->x.each : 0;
			next = p->s.period + (p->s.spread ? sampling_draw(&seed, p->s.spread) : 0);
			here -= left;
			if (offset < sampling_size(p->s.kernel))
				places += !at[offset]++;
		}
		left -= here;
	}
	return places;
}

static void show_bias(const struct pmi_run *p, const char *what, unsigned turn)
{
	unsigned places = 0, most = 0, total = 0;
	char text[96], name[48];

	for (unsigned i = 0; i < sampling_size(p->s.kernel); i++) {
		places += p->s.at[i] != 0;
		total += p->s.at[i];
		most = p->s.at[i] > most ? p->s.at[i] : most;
	}
	snprintf(name, sizeof name, "bias of %s", what);
	snprintf(text, sizeof text,
		 "%u places in a loop of %u instructions, the most frequent in %u%% of %u samples", places,
		 turn, total ? (100 * most + total / 2) / total : 0, total);
	suite->run->value(suite->run, "sampling", name, text, "");
}

static void check_bias(const struct sampling_choice *c, const char *what, uint64_t period, uint32_t spread,
		       unsigned turn)
{
	const struct kernel *k = kernel_by_name(BIAS_KERNEL);
	uint64_t n = SAMPLES * (period + spread / 2) / turn + 1;
	struct pmi_run p;
	char name[SAMPLING_NAME];
	struct result r = sampling_result(suite, name, c, what, k, USER_LEVEL);
	unsigned *at = calloc(sampling_size(k), sizeof *at), expected, seen = 0;

	trap_set_context(name);
	if (!begin(&p, c, k, n, period) || !at) {
		judgement_set(&r.judgement, VERDICT_ERROR, "no memory for samples");
	} else {
		p.s.spread = spread;
		if (sample(&p, c, &r)) {
			expected = places_expected(&p, window_kernel_address(USER_LEVEL), at);
			for (unsigned i = 0; i < sampling_size(k); i++)
				seen += p.s.at[i] != 0;
			/* Skid may be another at each sample, so on silicon a place may become several. */
			result_judge(&r, n, is_deterministic() ? expected : 1,
				     is_deterministic() ? expected : turn, seen);
			show_bias(&p, what, turn);
		}
	}
	finish(&p);
	free(at);
	suite->run->report(suite->run, &r);
}

/* Some count what sampling itself causes. */
static bool counts_interrupts(const struct pmu_event *e)
{
	return event_coefficient(e, Q_INTERRUPTS_NMI) || event_coefficient(e, Q_LEVEL_TO_SYSTEM) ||
	       event_coefficient(e, Q_LEVEL_TO_USER);
}

static bool counts_instructions(const struct pmu_event *e)
{
	return e->terms[0].quantity == Q_INSTRUCTIONS && e->terms[0].coefficient == 1 &&
	       event_own_terms(e) == 1;
}

/* Periods of whole turns see one instruction; ones that have no divisor in common with a turn see all, in
 * their turn; random ones see them as they come. */
static void check_biases(const struct sampling_choice *c)
{
	const struct kernel *k = kernel_by_name(BIAS_KERNEL);
	unsigned turn, least = is_deterministic() ? 20 : PERIOD_HARDWARE;
	uint64_t whole, coprime;

	if (!k || kernel_unfit(k, USER_LEVEL))
		return;
	turn = (unsigned)(kernel_amount(k, Q_INSTRUCTIONS, 2).low - kernel_amount(k, Q_INSTRUCTIONS, 1).low);
	whole = (least + turn - 1) / turn * turn;
	coprime = whole + 1;
	check_bias(c, "a period of whole turns", whole, 0, turn);
	check_bias(c, "a period of no divisor in common", coprime, 0, turn);
	check_bias(c, "a random period", whole, (uint32_t)whole, turn);
}

void sampling_pmi(struct sampling_suite *s)
{
	static struct sampling_choice choice[EVENTS];
	unsigned n, shown = 0;

	suite = s;
	if (!s->run->pmu->has_pmi) {
		sampling_skip(s, "PMI", "the PMU raises no overflow interrupt");
		return;
	}
	path = is_deterministic() ? &s->path : &own_path;
	if (!is_deterministic() && !path_create(path, STEPS_HARDWARE, false)) {
		sampling_skip(s, "PMI", "not enough memory for so long a path");
		return;
	}
	n = sampling_choices(s, NULL, choice, EVENTS);
	if (!n)
		sampling_skip(s, "PMI", "no event that is known exactly is on a counter that interrupts");
	for (unsigned i = 0; i < n && shown < SKIDS; i++)
		shown += !counts_interrupts(choice[i].event) && check_skid(&choice[i]);
	for (unsigned i = 0; i < n; i++)
		if (counts_instructions(choice[i].event)) {
			check_biases(&choice[i]);
			break;
		}
	path_free(&own_path);
}
