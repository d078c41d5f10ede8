/*
 * Which of the two writes of a bracket a counter counts, and how often a reading of a counter. The sum of
 * both writes is what an empty window has beyond the implied share. A reading inside the window tells the
 * start apart from the stop; a second enabling write, while the counter runs, what such a write counts at
 * all. Where a counter has two switches, windows that start by either and stop by either tell the writes
 * apart as well, unless all four count alike, and whether a write to the one counts otherwise than a write to
 * the other.
 */
#include "tests/measure/pass.h"
#include "tests/judge/shares.h"
#include "pmu/contract/counter_values.h"

#include "arch/code.h"
#include "arch/levels.h"
#include "arch/step.h"
#include "arch/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LEARN_MS        20000
#define WINDOWS         1000 /* on hardware */
#define WINDOWS_VIRTUAL 3
#define START_MAX       1024 /* bytes of a bracket's start, twice */
#define NAMES           96

static struct kernel reader; /* reads the counter whose selector N is */

struct learning {
	const struct pmu *pmu;
	unsigned counter;
	const struct pmu_event *event;
	uint64_t selector; /* of the counter */
	unsigned windows;
	bool twice; /* the start is executed twice */
	const char *failure;
	int64_t low, high; /* of what was counted: up to the reading, or in the whole window */
	unsigned start_instructions;
};

/* Forwards or, of a reading that lags, backwards. */
static int64_t moved(const struct learning *l, uint64_t before, uint64_t after)
{
	return counter_step(&l->pmu->counter[l->counter], before, after);
}

/* The bracket with its start twice over. */
static bool start_twice(struct pmu_bracket *b, struct learning *l)
{
	static uint8_t code[START_MAX];
	static uint32_t version;
	size_t size = (size_t)(b->start_end - b->start);

	if (2 * size > sizeof code)
		return false;
	memcpy(code, b->start, size);
	memcpy(code + size, b->start, size);
	l->start_instructions = code_instructions(b->start, b->start_end);
	b->start = code;
	b->start_end = code + 2 * size;
	b->version = ++version | UINT32_C(1) << 31;
	return true;
}

static void take(struct learning *l, int64_t count, bool first)
{
	if (first || count < l->low)
		l->low = count;
	if (first || count > l->high)
		l->high = count;
}

static void run_windows(void *arg)
{
	struct learning *l = arg;
	const struct pmu_driver *d = l->pmu->driver;
	const struct slot slot = pass_slot(l->event, l->counter, LEVELS_ALL);
	struct pmu_bracket bracket;
	struct window w = {.kernel = l->twice ? share_kernel(0) : &reader, .bracket = &bracket};
	uint64_t before, after;
	bool composed = false;
	const void *entry = NULL;

	l->failure = "it could not be programmed";
	if (!d->program(l->pmu, l->counter, &slot.config) ||
	    !d->bracket_enable(l->pmu, UINT64_C(1) << l->counter, &bracket))
		return;
	step_pause();
	if (!l->twice || start_twice(&bracket, l))
		composed = true;
	step_resume();
	if (composed)
		entry = window_compose(&w);
	l->failure = entry ? NULL : "the bracket does not fit";
	for (unsigned i = 0; i <= l->windows && !l->failure; i++) { /* the first one warms up */
		l->failure = "it could not be read";
		if (!d->read(l->pmu, l->counter, &before))
			return;
		window_run(entry, &w, l->selector);
		if (l->twice) {
			if (!d->read(l->pmu, l->counter, &after))
				return;
		} else {
			memcpy(&after, window_data(), sizeof after);
		}
		l->failure = NULL;
		if (i)
			take(l, moved(l, before, after), i == 1);
	}
	if (!d->release(l->pmu, l->counter))
		l->failure = "it could not be taken out of use";
}

/* @return whether all windows counted the same, *count */
static bool steady_count(struct run *run, unsigned c, const struct pmu_event *e, bool twice, int64_t *count,
			 unsigned *start)
{
	struct learning l = {.pmu = run->pmu,
			     .counter = c,
			     .event = e,
			     .twice = twice,
			     .selector = run->pmu->counter[c].selector,
			     .windows = run->pmu->virtual ? WINDOWS_VIRTUAL : WINDOWS};
	struct result fault = {0};

	if (!twice && !code_counter_reading_size)
		return false;
	reader = (struct kernel){.name = code_counter_reading_name,
				 .code = code_counter_reading,
				 .code_end = code_counter_reading + code_counter_reading_size};
	if (!run->call(run, run_windows, &l, LEARN_MS, &fault) || l.failure || l.low != l.high)
		return false;
	*count = l.low;
	*start = l.start_instructions;
	return true;
}

/* --- mixing switches -------------------------------------------------------------------------------- */

struct mixing {
	const struct pmu *pmu;
	unsigned counter, windows;
	const struct pmu_event *event;
	const char *failure;
	bool steady;
	int64_t extra[SWITCHES][SWITCHES]; /* beyond what lies between, by what starts and what stops */
};

/* What starts and stops is programmed anew for each window. @return whether a window ran */
static bool mixed_window(struct mixing *m, const struct slot *slot, enum pmu_switch start,
			 enum pmu_switch stop, bool first)
{
	const struct pmu_driver *d = m->pmu->driver;
	struct pmu_bracket bracket;
	struct window w = {.kernel = share_kernel(0), .bracket = &bracket};
	int64_t *extra = &m->extra[start][stop], counted;
	uint64_t before, after;
	const void *entry;

	if (!d->program(m->pmu, m->counter, &slot->config) ||
	    !d->bracket_mixed(m->pmu, m->counter, start, stop, &bracket) ||
	    !d->read(m->pmu, m->counter, &before))
		return false;
	entry = window_compose(&w);
	if (!entry)
		return false;
	window_run(entry, &w, 0);
	if (!d->read(m->pmu, m->counter, &after))
		return false;
	counted =
		counter_step(&m->pmu->counter[m->counter], before, after) - bracket_share(&bracket, m->event);
	m->steady = m->steady && (first || counted == *extra);
	*extra = counted;
	return true;
}

static void run_mixed(void *arg)
{
	struct mixing *m = arg;
	const struct slot slot = pass_slot(m->event, m->counter, LEVELS_ALL);

	m->steady = true;
	m->failure = "a mixed window did not run";
	for (unsigned at = 0; at < SWITCHES * SWITCHES; at++)
		for (unsigned i = 0; i <= m->windows; i++) /* the first one warms up */
			if (!mixed_window(m, &slot, at / SWITCHES, at % SWITCHES, i <= 1))
				return;
	if (m->pmu->driver->release(m->pmu, m->counter))
		m->failure = NULL;
}

/* What each write counts, 0 or 1, by the switch that it turns. */
struct writes {
	int8_t start[SWITCHES], stop[SWITCHES];
	bool sure; /* nothing else makes these counts */
};

/* @return whether the four counts are those of four writes that count themselves or do not */
static bool solve(int64_t extra[SWITCHES][SWITCHES], struct writes *out)
{
	unsigned solutions = 0;

	for (unsigned bits = 0; bits < 16; bits++) {
		struct writes w = {{bits & 1, bits >> 1 & 1}, {bits >> 2 & 1, bits >> 3 & 1}, false};
		bool fits = true;

		for (unsigned at = 0; at < SWITCHES * SWITCHES; at++)
			fits = fits && extra[at / SWITCHES][at % SWITCHES] ==
					       w.start[at / SWITCHES] + w.stop[at % SWITCHES];
		if (!fits)
			continue;
		*out = w;
		solutions++;
	}
	out->sure = solutions == 1;
	return solutions != 0;
}

/* @return whether counter c has two switches, and windows that mix them are as writes make them */
static bool mixed_writes(struct run *run, unsigned c, const struct pmu_event *e, struct writes *out,
			 bool *inexplicable)
{
	struct mixing m = {.pmu = run->pmu,
			   .counter = c,
			   .event = e,
			   .windows = run->pmu->virtual ? WINDOWS_VIRTUAL : WINDOWS};
	struct result fault = {0};

	*inexplicable = false;
	if (!run->pmu->driver->bracket_mixed || !run->call(run, run_mixed, &m, LEARN_MS, &fault) || m.failure)
		return false;
	*inexplicable = !m.steady || !solve(m.extra, out);
	return !*inexplicable;
}

/* A pass of one window is enough: it measures the share before. */
static struct share share_behind(struct run *run, unsigned c, const struct pmu_event *e, enum mechanism m,
				 struct share_place *at)
{
	static uint64_t raw[1];
	static struct pass p;
	struct result fault = {0};

	p = (struct pass){.pmu = run->pmu,
			  .kernel = share_kernel(0),
			  .level = m == MECHANISM_USER ? (uint8_t)level_user() : 0,
			  .bracketing = m == MECHANISM_READ ? BRACKET_READ : BRACKET_ENABLE,
			  .n_slots = 1,
			  .slot = {pass_slot(e, c, m == MECHANISM_USER ? LEVELS_USER : LEVELS_ALL)},
			  .n_count = 1,
			  .n = {1},
			  .reps = 1,
			  .raw = raw};
	if (!run->call(run, pass_run, &p, LEARN_MS, &fault) || p.failure)
		return (struct share){0};
	*at = pass_share_place(&p, 0);
	return share_find(at);
}

struct finding {
	struct pmu *pmu;
	uint64_t start, stop, unsure, not_one; /* counters */
	uint64_t lags; /* of them: RDPMC shows less than is sure to have been counted */
	int64_t share[PMU_COUNTERS_MAX], implied[PMU_COUNTERS_MAX];
	int64_t running[PMU_COUNTERS_MAX]; /* what a write in a running window counts, if not 1 */
	uint64_t twice;                    /* counters that count RDPMC otherwise than once */
	/* By what the mixing of switches says: of the other switch's writes those that count otherwise. */
	uint64_t other_start[2], other_stop[2]; /* not counted, counted */
	uint64_t inexplicable;                  /* no writes make such counts */
};

/* Of the writes that the mixing of switches tells apart. @return whether it tells the usual ones apart */
static bool take_mixed(struct finding *f, uint64_t bit, const struct writes *w)
{
	/* Where all count alike, it may be the starts or the stops. */
	if (!w->sure)
		return false;
	if (w->start[SWITCH_OTHER] != w->start[SWITCH_USUAL])
		f->other_start[w->start[SWITCH_OTHER]] |= bit;
	if (w->stop[SWITCH_OTHER] != w->stop[SWITCH_USUAL])
		f->other_stop[w->stop[SWITCH_OTHER]] |= bit;
	f->start |= w->start[SWITCH_USUAL] ? bit : 0;
	f->stop |= w->stop[SWITCH_USUAL] ? bit : 0;
	return true;
}

static void learn_writes(struct run *run, struct finding *f, unsigned c, const struct pmu_event *e)
{
	struct share_place at;
	struct share s = share_behind(run, c, e, MECHANISM_WRITE, &at);
	uint64_t bit = UINT64_C(1) << c;
	int64_t extra = s.value - s.implied, inside = 0, again = 0;
	struct writes writes;
	unsigned start;
	bool read, inexplicable;

	f->share[c] = s.value;
	f->implied[c] = s.implied;
	if (s.state != SHARE_STEADY || extra < 0 || extra > 2)
		return;
	if (steady_count(run, c, e, true, &again, &start) && again - s.value != start) {
		f->not_one |= bit;
		f->running[c] = again - s.value - start + 1;
	}
	if (mixed_writes(run, c, e, &writes, &inexplicable)) {
		inexplicable = writes.start[SWITCH_USUAL] + writes.stop[SWITCH_USUAL] != extra;
		if (!inexplicable && take_mixed(f, bit, &writes))
			return;
	}
	if (inexplicable)
		f->inexplicable |= bit;
	if (!extra)
		return;
	read = steady_count(run, c, e, false, &inside, &start);
	inside -= code_counter_reading_before;
	if (extra == 2 || !read || inside != 0)
		f->start |= bit;
	if (extra == 2 || (read && inside == 0))
		f->stop |= bit;
	if (extra == 1 && (!read || inside == 1))
		f->unsure |= bit;
	if (extra == 1 && read && inside < 0)
		f->lags |= bit;
}

static void learn_reading(struct run *run, struct finding *f, unsigned c, const struct pmu_event *e)
{
	struct share_place at;
	struct share s = share_behind(run, c, e, MECHANISM_READ, &at);
	int64_t extra = s.value - s.implied;

	if (s.state != SHARE_STEADY || !extra || extra < -1 || extra > 1)
		return;
	run->pmu->counts_reading[c] = (int8_t)extra;
	f->twice |= UINT64_C(1) << c;
}

/* "PMC0, PMC1, FIXED_CTR0"; "each counter" if all of `of` are meant. */
static const char *names(const struct pmu *pmu, uint64_t mask, uint64_t of, char *out)
{
	size_t used = 0;

	if (mask == of)
		return "each counter";
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (!(mask >> c & 1))
			continue;
		int n = snprintf(out + used, NAMES - used, "%s%s", used ? ", " : "", pmu->counter[c].name);
		if (n < 0 || (size_t)n >= NAMES - used)
			break;
		used += (size_t)n;
	}
	return out;
}

static unsigned first_of(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}

static void tell_writes(struct run *run, const struct finding *f, uint64_t mask, uint64_t of,
			const char *which)
{
	char text[320], list[NAMES], doubt[96] = "";
	unsigned c;

	if (!mask)
		return;
	c = first_of(mask);
	if (f->unsure & mask)
		snprintf(doubt, sizeof doubt,
			 " (or the write that stops it, if %s reads what it counts itself)",
			 code_counter_reading_name);
	else if (f->lags & mask)
		snprintf(doubt, sizeof doubt,
			 " (or the write that stops it: %s shows less than has been counted)",
			 code_counter_reading_name);
	snprintf(text, sizeof text,
		 "%s counts %s%s: a window has %" PRId64
		 " instructions of the bracket, where its code has %" PRId64 "%s",
		 names(run->pmu, mask, of, list), which,
		 run->pmu->under_hypervisor ? ", which the hypervisor may carry out" : "", f->share[c],
		 f->implied[c], doubt);
	run->fact(run, "shares", "writes", text);
}

/* What of one kind the writes to the other switch do that those to the usual one do not, or the reverse. */
static void tell_other(struct run *run, const uint64_t other[2], uint64_t of, const char *does)
{
	const char *const *name = run->pmu->driver->switch_name;
	char text[256], list[NAMES];

	for (unsigned counted = 0; counted < 2; counted++) {
		if (!other[counted])
			continue;
		snprintf(text, sizeof text,
			 "%s counts the write that %s it if that is to %s, but not if it is to %s",
			 names(run->pmu, other[counted], of, list), does,
			 name[counted ? SWITCH_OTHER : SWITCH_USUAL],
			 name[counted ? SWITCH_USUAL : SWITCH_OTHER]);
		run->fact(run, "shares", "switches", text);
	}
}

static void tell(struct run *run, const struct finding *f, uint64_t of)
{
	char text[256], list[NAMES];

	tell_writes(run, f, f->start & ~f->stop, of, "the write that starts it");
	tell_writes(run, f, f->stop & ~f->start, of, "the write that stops it");
	tell_writes(run, f, f->start & f->stop, of, "the write that starts it and the one that stops it");
	tell_other(run, f->other_start, of, "starts");
	tell_other(run, f->other_stop, of, "stops");
	if (f->inexplicable) {
		snprintf(text, sizeof text, "%s counts what no counted writes explain, between %s and %s",
			 names(run->pmu, f->inexplicable, of, list),
			 run->pmu->driver->switch_name[SWITCH_USUAL],
			 run->pmu->driver->switch_name[SWITCH_OTHER]);
		run->fact(run, "shares", "switches", text);
	}
	if (f->not_one) {
		snprintf(text, sizeof text,
			 "%s counts an enabling write in a running window as %" PRId64 " instructions",
			 names(run->pmu, f->not_one, of, list), f->running[first_of(f->not_one)]);
		run->fact(run, "shares", "redundant write", text);
	}
	if (f->twice) {
		snprintf(text, sizeof text, "%s counts %s as %d instructions",
			 names(run->pmu, f->twice, of, list), code_counter_reading_name,
			 1 + run->pmu->counts_reading[first_of(f->twice)]);
		run->fact(run, "shares", code_counter_reading_name, text);
	}
}

void shares_learn(struct run *run)
{
	static struct finding f;
	struct pmu *pmu = run->pmu;
	uint64_t of = 0;

	f = (struct finding){.pmu = pmu};
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct pmu_event *e = counter_yardstick(pmu, c);
		struct share_place at;

		if (pmu->left_out >> c & 1 || !e || e->judgement != EVENT_EXACT ||
		    !event_counts_instructions(e))
			continue;
		of |= UINT64_C(1) << c;
		learn_writes(run, &f, c, e);
		learn_reading(run, &f, c, e);
		share_behind(run, c, e, MECHANISM_USER, &at);
	}
	pmu->counts_start = f.start == of ? UINT64_MAX : f.start;
	pmu->counts_stop = f.stop == of ? UINT64_MAX : f.stop;
	tell(run, &f, of);
	shares_report(run, "ladder");
}
