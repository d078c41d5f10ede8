/*
 * Skid: how many instructions still retire between the one that makes a counter overflow and the interrupt.
 * The window is a ladder of equal instructions, each at an address of its own; a counter of instructions is
 * set to overflow at the p-th, and the handler notes where it has interrupted.
 *
 * The virtual PMU has no skid (pmu/virtual/vpmu.h), but for NetBurst's, which interrupts at the next
 * occurrence. Hardware has some, which no manual bounds: it is shown as measured, and only what cannot be is
 * wrong: an interrupt before the overflow, none at all, or one that the whole ladder does not see.
 *
 * There is a ladder for each class of instruction. How long it takes is shown, too: a clock of core cycles is
 * set to overflow somewhere on the ladder, and the first thing that the handler does is to read it.
 */
#include "arch/levels.h"
#include "tests/suites/overhead.h"
#include "tests/suites/suites.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"
#include "tests/measure/pmi.h"
#include "arch/masking.h"

#include "arch/code.h"
#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SKID_MS        20000
#define RUNGS_VIRTUAL  64
#define RUNGS_HARDWARE 3072
#define P_VIRTUAL      12
#define P_HARDWARE     64
#define REPS_VIRTUAL   1
#define REPS_MAX       100
#define CODE_MAX       (CODE_RUNG_SIZE_MOST * RUNGS_HARDWARE)
#define NOT_SEEN       INT16_MIN
/* Cycles to the overflow of a clock: behind the bracket's own, before the end of the shortest ladder. */
#define CYCLES_VIRTUAL  8
#define CYCLES_HARDWARE 192

struct skid {
	const struct pmu *pmu;
	unsigned counter, ladder;
	enum overflow_way way;
	const struct pmu_event *event;
	bool clock;      /* it counts core cycles ... */
	unsigned cycles; /* ... and overflows after more than so many */
	unsigned rungs, last_p, reps;
	struct pmi pmi;
	const char *failure;
	int16_t seen[P_HARDWARE * REPS_MAX]; /* instructions between overflow and interrupt */
};

static uint8_t code[CODE_MAX];
static struct kernel kernels[CODE_RUNGS_MOST]; /* one each: a window is known by its kernel */

/* Put up a ladder, in place of the one that stood there. */
static void build(unsigned ladder, unsigned rungs)
{
	unsigned length = code_rungs[ladder].size;

	for (unsigned i = 0; i < rungs; i++)
		memcpy(code + i * length, code_rungs[ladder].code, length);
	kernels[ladder] = (struct kernel){.name = "ladder", .code = code, .code_end = code + rungs * length};
}

/* Which rung the interrupt found, as far as there are any; NOT_SEEN if there was not one interrupt. */
static int16_t rung_found(const struct skid *s)
{
	uint64_t at = s->pmi.address - window_kernel_address(0);

	if (s->pmi.maskable + s->pmi.nmi != 1)
		return NOT_SEEN;
	/* Behind the ladder there is no telling any more. */
	if (at > (uint64_t)s->rungs * code_rungs[s->ladder].size)
		return (int16_t)s->rungs;
	return (int16_t)(at / code_rungs[s->ladder].size);
}

static int16_t distance(const struct skid *s, unsigned p)
{
	int16_t rung = rung_found(s);

	return rung == NOT_SEEN ? rung : (int16_t)(rung - (int)p);
}

/* A clock that has stopped behind the ladder tells nothing. */
static int16_t cycles_gone(const struct skid *s)
{
	int16_t rung = rung_found(s);

	return rung == NOT_SEEN || rung == (int16_t)s->rungs || s->pmi.clocked > INT16_MAX
		       ? NOT_SEEN
		       : (int16_t)s->pmi.clocked;
}

static bool take_sample(struct skid *s, const void *entry, const struct window *w, uint64_t counts)
{
	const struct pmu_driver *d = s->pmu->driver;
	bool maskable = s->way == OVERFLOW_MASKABLE;

	if (!d->write(s->pmu, s->counter, -counts))
		return false;
	pmi_arm(&s->pmi, s->way);
	if (maskable)
		interrupts_open();
	window_run(entry, w, 1);
	if (maskable)
		interrupts_close();
	return d->acknowledge(s->pmu, UINT64_C(1) << s->counter);
}

static void take_samples(void *arg)
{
	struct skid *s = arg;
	const struct pmu_driver *d = s->pmu->driver;
	const struct pmu_config config = {.code = s->event->code, .levels = LEVELS_ALL, .interrupt = true};
	struct pmu_bracket bracket;
	struct window w = {.kernel = &kernels[s->ladder], .bracket = &bracket};
	const void *entry;
	int16_t *out = s->seen;

	if (!d->program(s->pmu, s->counter, &config) ||
	    !d->bracket_enable(s->pmu, UINT64_C(1) << s->counter, &bracket)) {
		s->failure = "programming it to interrupt was refused";
		return;
	}
	entry = window_compose(&w);
	if (!entry) {
		s->failure = "the ladder does not fit the code arena";
		return;
	}
	masking_begin(true);
	for (unsigned p = 1; p <= s->last_p && !s->failure; p++)
		for (unsigned rep = 0; rep < s->reps && !s->failure; rep++) {
			/* Where the write that starts counting is counted, the p-th rung comes one later; and
			 * what the bracket has in front of the ladder comes first. */
			uint64_t counts = s->clock ? s->cycles + p
						   : p + (s->pmu->counts_start >> s->counter & 1) +
							     bracket.ahead[s->counter];

			if (!take_sample(s, entry, &w, counts))
				s->failure = "writing or acknowledging it was refused";
			*out++ = s->clock ? cycles_gone(s) : distance(s, p);
		}
	masking_end();
	if (!d->release(s->pmu, s->counter))
		s->failure = "taking it out of use was refused";
}

static void conclude(struct run *run, const struct skid *s, struct result *r)
{
	int64_t late = s->pmu->pmi_late, most = (int64_t)(s->rungs - s->last_p - 1);
	struct observation *o = result_observe_only(r, 1, late, s->pmu->deterministic ? late : most);
	struct judgement *j = &r->judgement;
	unsigned missing = 0;
	char value[64];

	for (unsigned i = 0; i < s->last_p * s->reps; i++)
		if (s->seen[i] == NOT_SEEN)
			missing++;
		else
			histogram_add(&o->seen, s->seen[i]);
	if (missing) {
		judgement_set(j, VERDICT_WRONG, "%u of %u overflows did not give one interrupt", missing,
			      s->last_p * s->reps);
		return;
	}
	result_conclude(r);
	snprintf(j->text, sizeof(j->text), "%" PRId64 " to %" PRId64 " instructions, most often %" PRId64,
		 o->seen.min, o->seen.max, histogram_mode(&o->seen));
	snprintf(value, sizeof(value), "%" PRId64 " (%" PRId64 " to %" PRId64 ")", histogram_mode(&o->seen),
		 o->seen.min, o->seen.max);
	run->value(run, "skid", r->name, value, "instructions");
	if (j->verdict == VERDICT_EXACT)
		j->text[0] = '\0';
}

/* What the clock showed in the handler. No manual bounds it: a value, and no verdict. */
static void show_cycles(struct run *run, const struct skid *s, const struct result *r)
{
	struct histogram h = {0};
	char value[64];

	for (unsigned i = 0; i < s->last_p * s->reps; i++)
		if (s->seen[i] != NOT_SEEN)
			histogram_add(&h, s->seen[i]);
	if (!h.total)
		return;
	snprintf(value, sizeof(value), "%" PRId64 " (%" PRId64 " to %" PRId64 ")", histogram_mode(&h), h.min,
		 h.max);
	run->value(run, "skid", r->name, value, "cycles to the handler's reading");
}

static void measure(struct run *run, struct skid *s)
{
	char name[64];
	struct result r = {
		.suite = "skid",
		.name = name,
		.event = s->event->name,
		.counter = s->pmu->counter[s->counter].name,
		.level = level_name(0),
		.encoding = s->event->code,
		.manual = overflow_way_name[s->way].manual,
		.virtual = s->pmu->virtual,
		.machine_model = s->pmu->virtual && event_is_micro(s->event),
	};
	bool done;

	snprintf(name, sizeof(name), "%s/%s ladder/%s%s", overflow_way_name[s->way].name,
		 code_rungs[s->ladder].name, r.counter, s->clock ? ", cycles" : "");
	trap_set_context(name);
	build(s->ladder, s->rungs);
	s->failure = NULL;
	pmi_claim(&s->pmi, s->pmu);
	s->pmi.has_clock = s->clock;
	s->pmi.clock = s->counter;
	done = run->call(run, take_samples, s, SKID_MS, &r);
	pmi_unclaim();
	if (done && s->failure)
		judgement_set(&r.judgement, VERDICT_WRONG, "%s", s->failure);
	else if (done && s->clock)
		show_cycles(run, s, &r);
	else if (done)
		conclude(run, s, &r);
	if (!s->clock || verdict_is_bad(r.judgement.verdict))
		run->report(run, &r);
}

static void measure_ladders(struct run *run, struct skid *s)
{
	static const enum overflow_way ways[] = {OVERFLOW_NMI, OVERFLOW_MASKABLE};

	for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++)
		for (s->way = ways[i], s->ladder = 0; code_rungs[s->ladder].name; s->ladder++)
			measure(run, s);
}

/* A counter of instructions alone: then the p-th count is the p-th rung. */
static bool counts_instructions(const struct pmu_event *e)
{
	return e && e->judgement == EVENT_EXACT && e->terms[0].quantity == Q_INSTRUCTIONS &&
	       e->terms[0].coefficient == 1 && event_own_terms(e) == 1;
}

static bool interrupts(const struct run *run, unsigned c)
{
	return run->pmu->has_pmi && run->pmu->counter[c].has_interrupt &&
	       overflow_present(OVERFLOW_COUNTERS) && ladder_allows(run->ladder, c, RUNG_INTERRUPTS);
}

static void run_skid(struct run *run)
{
	static struct skid s;
	bool deterministic = run->pmu && run->pmu->deterministic;
	unsigned measured = 0;

	s = (struct skid){.pmu = run->pmu,
			  .rungs = deterministic ? RUNGS_VIRTUAL : RUNGS_HARDWARE,
			  .last_p = deterministic ? P_VIRTUAL : P_HARDWARE,
			  .cycles = deterministic ? CYCLES_VIRTUAL : CYCLES_HARDWARE};
	s.reps = run_repetitions(run, "skid", REPS_VIRTUAL, REPS_MAX);
	for (s.counter = 0; run->pmu && s.counter < run->pmu->n_counters; s.counter++) {
		s.event = counter_yardstick(run->pmu, s.counter);
		if (!interrupts(run, s.counter) || !counts_instructions(s.event))
			continue;
		measured++;
		measure_ladders(run, &s);
	}
	s.event = run->pmu ? overhead_clock(run, RUNG_INTERRUPTS, &s.counter) : NULL;
	s.clock = true;
	if (s.event && interrupts(run, s.counter))
		measure_ladders(run, &s);
	if (!measured) {
		struct result none = {.suite = "skid", .name = "skid"};

		judgement_set(&none.judgement, VERDICT_SKIPPED, "no counter of instructions can interrupt");
		run->report(run, &none);
	}
}

const struct suite suite_skid = {"skid", "how far behind an overflow its interrupt comes", run_skid, NULL};
