/*
 * Noise on purpose: k interrupts, NMIs, faults inside the window, from none to a hundred. The slope over k is
 * what one of them adds to a count. Its handler is a few instructions, known beforehand, and part of the
 * kernel's signature; what is counted beyond them is the event's overcount per interrupt, a measured property
 * of the CPU.
 *
 * Counted at both levels, all of it is expected; at the user's alone, what the handler does is not; and of a
 * window in ring 0 ring 3 sees nothing. A window in ring 3 that is counted in both rings has the harness's
 * own way there and back in it, which is the same for every k: there only the slope is judged.
 */
#include "arch/levels.h"
#include "tests/suites/noise_masking.h"
#include "tests/suites/suites.h"
#include "tests/judge/attribution.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/expectation.h"
#include "tests/judge/ladder.h"
#include "tests/measure/passes.h"
#include "tests/judge/truth.h"
#include "tests/kernels/handled.h"
#include "tests/kernels/roles.h"

#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NOISE_MS     20000
#define K_HARDWARE   100
#define REPS_VIRTUAL 3
#define REPS_MAX     100
#define NAME_SIZE    128

/* The virtual PMU does the same each time, so a few will do: none, some, and many. */
static const uint8_t k_virtual[] = {0, 1, 2, 100};

struct noise {
	struct run *run;
	const struct kernel_disturbance *source;
	const struct kernel *kernel;
	uint8_t level;  /* that the kernel runs at */
	uint8_t levels; /* enum pmu_levels */
	unsigned reps, n_k;
	struct pmu_bracket bracket; /* of the pass that was measured last */
	uint64_t k[K_HARDWARE + 1]; /* from 0 */

	struct passes passes; /* what is counted */
};

/* What one counter of a pass showed. */
struct count {
	const struct noise *noise;
	const struct pmu_event *event;
	unsigned counter;
	struct observation *seen; /* by k */
	struct result r;
	char name[NAME_SIZE];
};

static struct observation seen[PMU_COUNTERS_MAX][K_HARDWARE + 1];
static uint64_t raw[PASS_N_MAX * REPS_MAX * PMU_COUNTERS_MAX];

/* What is expected to be counted of one quantity. @return false if nobody says */
static bool amount(const struct noise *s, enum quantity q, uint64_t k, int64_t *out)
{
	struct amount all = kernel_amount(s->kernel, q, k), handled = {.defined = true};

	if (s->level && s->levels != LEVELS_ALL)
		handled = kernel_handled(s->kernel, q, k);
	if (!all.defined || all.overflow || all.low != all.high || !handled.defined)
		return false;
	*out = s->levels == LEVELS_ALL || s->level ? all.low - handled.low : 0;
	return true;
}

static bool expected(const struct noise *s, const struct pmu_event *e, uint64_t k, int64_t *out)
{
	*out = 0;
	if (e->judgement != EVENT_EXACT)
		return false;
	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++) {
		int64_t part;

		if (!amount(s, e->terms[i].quantity, k, &part))
			return false;
		*out += part * e->terms[i].coefficient;
	}
	*out += attribution_beyond(s->run->pmu->attribution, e, s->kernel, s->levels, k);
	return true;
}

/* The most that hardware may count: what is delivered may count, of which no manual tells. */
static int64_t allowed(const struct noise *s, const struct pmu_event *e, uint64_t k, int64_t exact)
{
	struct expectation x = {.status = EXPECTATION_OK, .low = exact, .high = exact};

	if (s->run->pmu->deterministic || (s->levels != LEVELS_ALL && !s->level))
		return exact;
	expectation_allow_more(&x, e, s->kernel, s->levels == LEVELS_ALL ? 0 : s->level, k);
	return x.high;
}

/* The harness's way to ring 3 and back is counted as well. */
static bool slope_only(const struct noise *s)
{
	return s->level && s->levels == LEVELS_ALL;
}

/* The line through what was counted beyond the expectation, per interrupt. @return false if there is none */
static bool overcount(const struct count *c, struct line *line)
{
	static int64_t beyond[K_HARDWARE + 1];

	for (unsigned i = 0; i < c->noise->n_k; i++)
		beyond[i] = histogram_mode(&c->seen[i].seen) - c->seen[i].low;
	return line_fit(c->noise->k, beyond, c->noise->n_k, line);
}

static const char *levels_of(const struct noise *s)
{
	return s->levels == LEVELS_ALL ? "OS+USR" : "USR";
}

/* A slope is a line on the console only where it is not what it must be. */
static void report_slope(const struct count *c, const struct line *line, const char *unit, bool detail)
{
	struct run *run = c->noise->run;
	char name[NAME_SIZE], value[48];

	snprintf(name, sizeof(name), "%s per %s, %s, %s", c->event->name, c->noise->source->kind,
		 level_name(c->noise->level), levels_of(c->noise));
	if (line->den == 1)
		snprintf(value, sizeof(value), "%+" PRId64, line->slope_num);
	else
		snprintf(value, sizeof(value), "%+" PRId64 "/%" PRId64, line->slope_num, line->den);
	(detail ? run->detail : run->value)(run, "noise", name, value, unit);
}

/* As ever, but an overcount that is the same for each interrupt is a bias, and its size is the result. */
static void conclude(struct count *c)
{
	const struct noise *s = c->noise;
	struct judgement *j = &c->r.judgement;
	struct line line;
	bool fits = overcount(c, &line);

	judge(c->seen, s->n_k, j);
	if (fits && line.straight && (j->verdict == VERDICT_WRONG || j->verdict == VERDICT_BIASED) &&
	    line.den == 1) {
		judgement_set(j, VERDICT_BIASED, "%+" PRId64 " per %s", line.slope_num, s->source->kind);
		if (line.offset_num && !slope_only(s))
			snprintf(j->text + strlen(j->text), sizeof(j->text) - strlen(j->text),
				 ", %+" PRId64 " besides", line.offset_num);
		j->bias = line.slope_num;
	}
	hypervisor_exits_excuse(&(struct hypervisor_exits_place){s->run->pmu, c->event, s->kernel,
								 &s->bracket, s->level,
								 s->levels == LEVELS_USER, false},
				c->seen, s->n_k, j);
	if (fits && (line.slope_num || s->levels == LEVELS_ALL || s->level))
		report_slope(c, &line,
			     line.straight ? "overcount per interrupt"
					   : "overcount per interrupt, about: no straight line",
			     line.slope_num == 0);
	result_take(&c->r, c->seen, s->n_k);
}

static void take_off(int64_t way, struct observation *o, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		histogram_shift(&o[i].seen, -way);
}

static struct count count_of(const struct noise *s, const struct slot *slot)
{
	struct result r = {
		.suite = "noise",
		.event = slot->event->name,
		.kernel = s->kernel->name,
		.counter = s->run->pmu->counter[slot->counter].name,
		.level = level_name(s->level),
		.encoding = slot->event->code,
		.manual = slot->event->source,
		.virtual = s->run->pmu->virtual,
	};

	return (struct count){
		.noise = s,
		.event = slot->event,
		.counter = slot->counter,
		.seen = seen[slot->counter],
		.r = r,
	};
}

static void report(struct count *c)
{
	const struct noise *s = c->noise;

	snprintf(c->name, sizeof(c->name), "%s/%s, %s, %s", c->event->name, s->source->kind,
		 level_name(s->level), levels_of(s));
	c->r.name = c->name;
	s->run->report(s->run, &c->r);
}

static void judge_slot(const struct noise *s, const struct slot *slot)
{
	static struct count c;
	struct line line;
	bool judged = true;

	c = count_of(s, slot);
	for (unsigned i = 0; i < s->n_k; i++) {
		judged &= expected(s, c.event, s->k[i], &c.seen[i].low);
		c.seen[i].high = allowed(s, c.event, s->k[i], c.seen[i].low);
	}
	if (!judged) { /* clocks, caches: no number is right or wrong */
		for (unsigned i = 0; i < s->n_k; i++)
			c.seen[i].low = 0;
		if (overcount(&c, &line) && line.slope_num)
			report_slope(&c, &line,
				     line.straight ? "per interrupt, handler and all"
						   : "per interrupt, handler and all, about",
				     true);
		return;
	}
	if (slope_only(s))
		take_off(histogram_mode(&c.seen[0].seen) - c.seen[0].low, c.seen, s->n_k);
	conclude(&c);
	report(&c);
}

/* Counts at the i-th k and the next few. */
static bool measure(struct noise *s, struct pass *p, unsigned i, struct result *r)
{
	for (p->n_count = 0; p->n_count < PASS_N_MAX && i + p->n_count < s->n_k; p->n_count++)
		p->n[p->n_count] = s->k[i + p->n_count];
	if (!s->run->call(s->run, pass_run, p, NOISE_MS, r))
		return false;
	if (p->failure) {
		judgement_set(&r->judgement, pass_failure_verdict(p), "%s", p->failure);
		return false;
	}
	s->bracket = p->bracket;
	for (unsigned slot = 0; slot < p->n_slots; slot++) {
		const struct slot *with = &p->slot[slot];
		int64_t share = pass_share(p, slot);

		for (unsigned at = 0; at < p->n_count; at++) {
			struct observation *o = &seen[with->counter][i + at];

			*o = (struct observation){.n = p->n[at]};
			for (unsigned rep = 0; rep < p->reps; rep++)
				histogram_add(&o->seen, (int64_t)pass_raw(p, at, rep, slot) - share);
		}
	}
	return true;
}

static void run_pass(struct noise *s, unsigned number)
{
	static struct count failed;
	struct pass p = {
		.pmu = s->run->pmu,
		.kernel = s->kernel,
		.level = s->level,
		.reps = s->reps,
		.raw = raw,
	};

	passes_fill(&s->passes, number, s->levels, &p);
	failed = count_of(s, &p.slot[0]);
	for (unsigned i = 0; i < s->n_k; i += PASS_N_MAX)
		if (!measure(s, &p, i, &failed.r)) {
			report(&failed);
			return;
		}
	for (unsigned slot = 0; slot < p.n_slots; slot++)
		judge_slot(s, &p.slot[slot]);
}

static void run_source(struct noise *s)
{
	struct result truth = {.suite = "noise", .name = s->kernel->name};
	char context[NAME_SIZE];

	truth_check(s->kernel, s->level, 1, &truth);
	if (verdict_is_bad(truth.judgement.verdict)) {
		s->run->report(s->run, &truth);
		return;
	}
	attribution_measure(s->run, s->kernel);
	for (s->levels = LEVELS_ALL; s->levels >= LEVELS_USER; s->levels--) {
		snprintf(context, sizeof(context), "%s, %s, %s", s->source->kind, level_name(s->level),
			 levels_of(s));
		trap_set_context(context);
		for (unsigned number = 0; number < s->passes.n_passes; number++)
			run_pass(s, number);
	}
}

static void choose_k(struct noise *s)
{
	const struct run_options *o = s->run->options;
	unsigned last = !o->n || o->n > K_HARDWARE ? K_HARDWARE : o->n < 2 ? 2 : o->n;

	if (!o->n && s->run->pmu->deterministic) {
		s->n_k = sizeof(k_virtual);
		for (unsigned i = 0; i < s->n_k; i++)
			s->k[i] = k_virtual[i];
		return;
	}
	for (s->n_k = 0; s->n_k <= last; s->n_k++)
		s->k[s->n_k] = s->n_k;
}

/* Whether two rows are for one kind and level. */
static bool alternatives(const struct kernel_disturbance *a, const struct kernel_disturbance *b)
{
	return a && b && a->user == b->user && !strcmp(a->kind, b->kind);
}

static const struct kernel_disturbance *next_source(const struct kernel_disturbance *s)
{
	return s[1].kind ? s + 1 : NULL;
}

static void run_noise(struct run *run)
{
	static struct noise s;
	const struct kernel_disturbance *last = NULL; /* that ran */
	const char *why;

	if (!run->pmu) {
		run_skip(run, "noise", "noise", NULL, "there is no PMU");
		return;
	}
	s = (struct noise){.run = run};
	choose_k(&s);
	s.reps = run_repetitions(run, "noise", REPS_VIRTUAL, REPS_MAX);
	why = passes_begin(&s.passes, run);
	if (why)
		run_skip(run, "noise", "noise", NULL, why);
	for (s.source = disturbances; !why && s.source && s.source->kind; s.source = next_source(s.source)) {
		s.level = s.source->user ? (uint8_t)level_user() : 0;
		s.kernel = kernel_by_name(s.source->kernel);
		if (!s.kernel || alternatives(last, s.source))
			continue;
		if (kernel_unfit(s.kernel, s.level)) {
			if (!alternatives(s.source, next_source(s.source)))
				run_skip(run, "noise", s.source->kind, NULL, kernel_unfit(s.kernel, s.level));
			continue;
		}
		last = s.source;
		run_source(&s);
	}
	passes_end(&s.passes);
	noise_masking(run);
}

const struct suite suite_noise = {"noise", "what interrupts, NMIs and faults inside a window add to a count",
				  run_noise, NULL};
