#include "tests/measure/pass.h"
#include "arch/masking.h"
#include "tests/kernels/services.h"

#include "arch/step.h"
#include "arch/time.h"
#include "pmu/contract/counter_values.h"
#include "pmu/virtual/vpmu.h"
#include "pmu/contract/manual.h"

#include <stdio.h>
#include <string.h>

#define SHARE_WINDOWS         1000 /* on hardware */
#define SHARE_WINDOWS_STEPPED 20

/* Since the last report. */
static unsigned samples, retaken;
static unsigned held, moved; /* retaken ones whose counters an SMI should not have moved; did move */
static unsigned held_before, moved_before; /* pass_held_begin() */
static enum intrusion_source retaken_by;

struct slot pass_slot(const struct pmu_event *e, unsigned c, enum pmu_levels levels)
{
	return (struct slot){.counter = c,
			     .event = e,
			     .config = {.code = e->code,
					.levels = levels,
					.extra_register = e->extra_register,
					.extra_value = e->extra_value}};
}

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

static uint64_t mask_of(const struct pass *p)
{
	uint64_t mask = 0;

	for (unsigned s = 0; s < p->n_slots; s++)
		mask |= UINT64_C(1) << p->slot[s].counter;
	return mask;
}

static bool fail(struct pass *p, unsigned counter, const char *what)
{
	p->failure = what;
	p->failed_counter = counter;
	return false;
}

static bool program(struct pass *p)
{
	const struct pmu_driver *d = p->pmu->driver;

	for (unsigned s = 0; s < p->n_slots; s++) {
		const struct slot *slot = &p->slot[s];
		uint64_t start = slot->start ? slot->start : p->preset;

		if (!d->program(p->pmu, slot->counter, &slot->config))
			return fail(p, slot->counter, "programming was refused");
		if (start && !d->write(p->pmu, slot->counter, start))
			return fail(p, slot->counter, "writing the counter was refused");
	}
	return true;
}

/* Started and stopped by C code around the window, not by its bracket. */
static bool started_outside(const struct pass *p)
{
	return p->level || p->bracketing == BRACKET_READ;
}

static bool choose_bracket(struct pass *p)
{
	const struct pmu_driver *d = p->pmu->driver;

	if (p->bracketing == BRACKET_READ) {
		if (p->n_slots != 1 || !d->bracket_read(p->pmu, p->slot[0].counter, &p->bracket))
			return fail(p, p->slot[0].counter, "the PMU has no bracket by reading");
	} else if (p->level) {
		p->bracket = bracket_user;
	} else if (!d->bracket_enable(p->pmu, mask_of(p), &p->bracket)) {
		return fail(p, p->slot[0].counter, "the PMU cannot start and stop these counters together");
	}
	return true;
}

/* Of the pass that runs: its counters. */
static uint64_t counters;

/* The last window, if they are wanted: ticks. */
static uint64_t took;

/* What counters hold, by slot, all read in a row. */
static bool read_slots(struct pass *p, uint64_t *value)
{
	uint64_t by_counter[PMU_COUNTERS_MAX], ignored;

	if (p->pmu->driver->read_all(p->pmu, counters, by_counter)) {
		for (unsigned s = 0; s < p->n_slots; s++)
			value[s] = by_counter[p->slot[s].counter];
		return true;
	}
	for (unsigned s = 0; s < p->n_slots; s++)
		if (!p->pmu->driver->read(p->pmu, p->slot[s].counter, &ignored))
			return fail(p, p->slot[s].counter, "reading the counter was refused");
	return fail(p, p->slot[0].counter, "reading the counters in a row was refused");
}

static bool sample(struct pass *p, const void *entry, const struct window *w, uint64_t n, uint64_t *last,
		   uint64_t *out)
{
	const struct pmu_driver *d = p->pmu->driver;
	uint64_t result, value[PMU_COUNTERS_MAX], began = 0;

	if (started_outside(p) && !d->start(p->pmu, counters))
		return fail(p, p->slot[0].counter, "starting was refused");
	if (p->ticks)
		began = clock_read();
	result = window_run(entry, w, n);
	if (p->ticks)
		took = clock_read() - began;
	if (started_outside(p) && !d->stop(p->pmu))
		return fail(p, p->slot[0].counter, "stopping was refused");
	if (p->bracketing == BRACKET_READ) {
		*out = result;
		return true;
	}
	if (!read_slots(p, value))
		return false;
	step_pause(); /* arithmetic is no part of the experiment */
	for (unsigned s = 0; s < p->n_slots; s++) {
		out[s] = counter_moved(&p->pmu->counter[p->slot[s].counter], last[s], value[s]);
		last[s] = value[s];
	}
	step_resume();
	return true;
}

/* A sample that an SMI broke into against one without: what is counted exactly must be the same in both if
 * the counters were held. */
static void compare_broken(const struct pass *p, const uint64_t *broken, const uint64_t *clean)
{
	bool any = false, same = true;

	for (unsigned s = 0; s < p->n_slots; s++) {
		if (!p->slot[s].event || p->slot[s].event->judgement != EVENT_EXACT)
			continue;
		any = true;
		same &= broken[s] == clean[s];
	}
	held += any;
	moved += !same;
}

/* A sample during which no SMI came. */
static bool clean_sample(struct pass *p, struct intrusion_watch *watch, const void *entry,
			 const struct window *w, uint64_t n, uint64_t *last, uint64_t *out)
{
	uint64_t broken[PMU_COUNTERS_MAX];
	bool by_intrusion = false;

	for (unsigned i = 0; i < INTRUSION_TRIES; i++) {
		intrusion_watch_begin(watch);
		if (!sample(p, entry, w, n, last, out))
			return false;
		samples++;
		if (!intrusion_watch_end(watch)) {
			if (by_intrusion && watch->holds)
				compare_broken(p, broken, out);
			return true;
		}
		for (unsigned s = 0; s < p->n_slots; s++)
			broken[s] = out[s];
		by_intrusion = !watch->interrupted;
		p->retaken++;
		retaken++;
	}
	if (watch->source != INTRUSION_COUNTER)
		return true;
	p->disturbed = true;
	return fail(p, p->slot[0].counter,
		    "an SMI came during each of " STRING(INTRUSION_TRIES) " tries, or an interrupt that "
									  "nobody asked for");
}

static bool wants_interrupt(const struct pass *p)
{
	bool any = false;

	for (unsigned s = 0; s < p->n_slots; s++)
		any |= p->slot[s].config.interrupt;
	return any;
}

static struct window window_of(const struct pass *p)
{
	return (struct window){
		.kernel = p->kernel, .bracket = &p->bracket, .alignment = p->alignment, .level = p->level};
}

/* Caches, TLBs and predictors have to know the kernel; a model of the PMU alone does not care. */
static bool needs_warmth(const struct pass *p)
{
	for (unsigned s = 0; s < p->n_slots; s++)
		if (p->slot[s].event && event_is_micro(p->slot[s].event) &&
		    p->slot[s].event->judgement != EVENT_TIME)
			return true;
	return !p->pmu->deterministic;
}

static uint64_t turns_to_warm(const struct pass *p, uint64_t n)
{
	uint64_t round;

	step_pause();
	round = chain_round(p->kernel);
	step_resume();
	return n > round ? n : round;
}

/* A counter that is to overflow may do so once only. */
static bool starts_near_overflow(const struct pass *p)
{
	for (unsigned s = 0; s < p->n_slots; s++)
		if (p->slot[s].start)
			return true;
	return false;
}

/* With the counters on, as the machine model sees what is counted and nothing else. */
static void warm_up(struct pass *p, const void *entry, const struct window *w, uint64_t *last)
{
	uint64_t thrown_away[PMU_COUNTERS_MAX];

	sample(p, entry, w, turns_to_warm(p, p->n[p->n_count - 1]), last, thrown_away);
}

static enum mechanism mechanism_of(const struct pass *p)
{
	if (p->bracketing == BRACKET_READ)
		return p->level ? MECHANISM_USER_READ : MECHANISM_READ;
	return p->level ? MECHANISM_USER : MECHANISM_WRITE;
}

struct share_place pass_share_place(const struct pass *p, unsigned s)
{
	return (struct share_place){.pmu = p->pmu,
				    .event = p->slot[s].event,
				    .config = &p->slot[s].config,
				    .counter = (uint8_t)p->slot[s].counter,
				    .mechanism = mechanism_of(p),
				    .bracket = &p->bracket};
}

int64_t pass_share(const struct pass *p, unsigned s)
{
	const struct share_place at = pass_share_place(p, s);

	return at.event ? share_of(&at) : 0;
}

int64_t pass_share_measured(const struct pass *p, unsigned s)
{
	const struct share_place at = pass_share_place(p, s);
	const struct share found = at.event ? share_find(&at) : (struct share){.state = SHARE_UNKNOWN};

	return found.state == SHARE_STEADY ? found.value : 0;
}

/* What is not exact a model counts by the machine model's rules alone. */
static bool share_missing(const struct pass *p, unsigned s)
{
	const struct share_place at = pass_share_place(p, s);

	return at.event && share_measurable(&at) &&
	       (!p->pmu->deterministic ||
		(at.event->judgement == EVENT_EXACT && !event_is_micro(at.event))) &&
	       share_find(&at).state == SHARE_UNKNOWN;
}

static bool shares_missing(const struct pass *p)
{
	bool missing = false;

	step_pause();
	for (unsigned s = 0; s < p->n_slots && !missing; s++)
		missing = share_missing(p, s);
	step_resume();
	return missing;
}

/* Windows of each length: many where they may differ. Single-stepping takes its time. */
static unsigned share_windows(const struct pmu *pmu, unsigned length)
{
	if (!pmu->virtual)
		return SHARE_WINDOWS;
	return pmu->deterministic ? length ? 1 : 3 : SHARE_WINDOWS_STEPPED;
}

/* The same counters around nothing, and around NOPs in a row. */
static bool learn_shares(struct pass *p)
{
	static struct histogram seen[PMU_COUNTERS_MAX][SHARE_LENGTHS];
	static uint64_t raw[PMU_COUNTERS_MAX * SHARE_WINDOWS];
	static struct pass probe;

	step_pause();
	memset(seen, 0, sizeof seen);
	probe = *p;
	probe.raw = raw;
	probe.ticks = NULL;
	probe.n_count = 1;
	probe.n[0] = 1;
	probe.preset = 0;
	for (unsigned s = 0; s < probe.n_slots; s++) {
		probe.slot[s].start = 0;
		probe.slot[s].config.interrupt = false;
	}
	step_resume();
	for (unsigned i = 0; i < SHARE_LENGTHS; i++) {
		probe.kernel = share_kernel(i);
		probe.reps = share_windows(p->pmu, i);
		pass_run_plain(&probe);
		if (probe.failure) {
			p->disturbed = probe.disturbed;
			return fail(p, probe.failed_counter, probe.failure);
		}
		step_pause();
		for (unsigned s = 0; s < probe.n_slots; s++)
			for (unsigned rep = 0; rep < probe.reps; rep++)
				histogram_add(&seen[s][i], (int64_t)pass_raw(&probe, 0, rep, s));
		step_resume();
	}
	step_pause();
	for (unsigned s = 0; s < p->n_slots; s++) {
		const struct share_place at = pass_share_place(&probe, s);

		if (share_missing(&probe, s))
			share_keep(&at, seen[s]);
	}
	step_resume();
	return true;
}

void pass_run(void *arg)
{
	struct pass *p = arg;

	p->failure = NULL;
	p->disturbed = false;
	if (!program(p) || !choose_bracket(p) || (shares_missing(p) && !learn_shares(p)))
		return;
	pass_run_plain(p);
}

void pass_run_plain(struct pass *p)
{
	struct window w = window_of(p);
	uint64_t last[PMU_COUNTERS_MAX], *out = p->raw;
	struct intrusion_watch watch;
	const void *entry;

	p->failure = NULL;
	p->disturbed = false;
	p->retaken = 0;
	if (!program(p) || !choose_bracket(p))
		return;
	entry = window_compose(&w);
	if (!entry) {
		fail(p, p->slot[0].counter, "the kernel does not fit the code arena");
		return;
	}
	if (p->pmu->virtual)
		vpmu_cool();
	if (p->preset && needs_warmth(p)) /* no sample may be thrown away: it would count */
		window_run(entry, &w, turns_to_warm(p, p->n[0]));
	counters = mask_of(p);
	if (!read_slots(p, last))
		return;
	intrusion_watch_open(&watch, p->pmu->virtual);
	p->intrusion_source = watch.source;
	retaken_by = watch.source;
	masking_begin(wants_interrupt(p));
	if (!p->preset && !starts_near_overflow(p) && needs_warmth(p))
		warm_up(p, entry, &w, last);
	for (unsigned i = 0; i < p->n_count && !p->failure; i++) {
		intrusion_watch_kind(&watch);
		for (unsigned rep = 0; rep < p->reps && !p->failure; rep++, out += p->n_slots) {
			clean_sample(p, &watch, entry, &w, p->n[i], last, out);
			if (p->ticks)
				p->ticks[i * p->reps + rep] = took;
		}
	}
	masking_end();
	intrusion_watch_close(&watch);
	if (p->failure)
		return;
	for (unsigned s = 0; s < p->n_slots; s++)
		if (!p->pmu->driver->release(p->pmu, p->slot[s].counter))
			fail(p, p->slot[s].counter, "taking the counter out of use was refused");
}

enum verdict pass_failure_verdict(const struct pass *p)
{
	return p->disturbed ? VERDICT_ERROR : VERDICT_WRONG;
}

void pass_count_samples(const struct intrusion_watch *watch, unsigned taken, unsigned again)
{
	retaken_by = watch->source;
	samples += taken;
	retaken += again;
}

void pass_held_begin(void)
{
	held_before = held;
	moved_before = moved;
}

void pass_held_report(struct run *run, const char *suite)
{
	unsigned broken = held - held_before, counted = moved - moved_before;
	struct result r = {.suite = suite,
			   .name = "counters held in system-management mode",
			   .manual = pmu_manual(run->pmu, "counters held"),
			   .virtual = run->pmu->virtual};

	if (!broken)
		return;
	if (counted)
		judgement_set(&r.judgement, VERDICT_WRONG,
			      "%u of %u samples that an SMI broke into counted on", counted, broken);
	run->report(run, &r);
}

void pass_report_retaken(struct run *run, const char *suite)
{
	unsigned imitated = intrusion_imitated();
	char value[16], unit[64];

	if (!samples)
		return;
	snprintf(value, sizeof(value), "%u", retaken);
	snprintf(unit, sizeof(unit), "of %u samples (SMIs are seen by: %s)", samples,
		 intrusion_source_name(retaken_by));
	run->value(run, suite, "taken again after an SMI", value, unit);
	if (imitated) {
		snprintf(value, sizeof(value), "%u", imitated);
		run->value(run, suite, "SMIs imitated", value, "windows");
	}
	if (held) {
		snprintf(value, sizeof(value), "%u", moved);
		snprintf(unit, sizeof(unit), "of %u samples that an SMI broke into", held);
		run->value(run, suite, "counted on in spite of FREEZE_WHILE_SMM", value, unit);
	}
	samples = retaken = held = moved = held_before = moved_before = 0;
}

struct event_place pass_place(const struct pass *p, unsigned s)
{
	const struct slot *slot = &p->slot[s];

	return (struct event_place){.pmu = p->pmu,
				    .event = slot->event,
				    .kernel = p->kernel,
				    .bracket = &p->bracket,
				    .level = p->level,
				    .highest = counter_highest(&p->pmu->counter[slot->counter]),
				    .share = pass_share(p, s)};
}

enum expectation_status pass_observe(const struct pass *p, unsigned s, struct observation *o,
				     struct expectation *x, unsigned *at)
{
	const struct event_place place = pass_place(p, s);

	for (unsigned i = 0; i < p->n_count; i++) {
		*at = i;
		if (event_expected(&place, p->n[i], x))
			return x->status;
		o[i] = (struct observation){.n = p->n[i], .low = x->low, .high = x->high};
		for (unsigned rep = 0; rep < p->reps; rep++)
			histogram_add(&o[i].seen, (int64_t)pass_raw(p, i, rep, s) - place.share);
	}
	return EXPECTATION_OK;
}

bool pass_judge(const struct pass *p, unsigned s, struct result *r)
{
	struct expectation x;
	unsigned at;

	if (pass_observe(p, s, r->observation, &x, &at)) {
		judgement_set(&r->judgement, VERDICT_ERROR, "no expectation for its yardstick");
		return false;
	}
	r->n_observations = p->n_count;
	result_conclude(r);
	return true;
}

#define MOST_USEFUL 5

/* How well an event serves to try a counter: exact ones count a number known beforehand, clocks tick with
 * every kernel, what programs cause can be had from some kernel; what speculation adds to, likewise. */
static unsigned usefulness(const struct pmu_event *e)
{
	bool one_term = e->terms[0].coefficient == 1 && e->terms[1].coefficient == 0;
	unsigned q = e->terms[0].quantity;

	if (e->flags & EVENT_ANY_LEVEL)
		return 0;
	if (e->judgement == EVENT_EXACT && event_counts_instructions(e))
		return MOST_USEFUL;
	if (e->judgement == EVENT_TIME)
		return 4;
	if (!one_term || quantity_info[q].class != QUANTITY_ARCH || q == Q_NOT_PROVOKED)
		return 1;
	return e->judgement == EVENT_EXACT ? 3 : 2;
}

const struct pmu_event *counter_yardstick(const struct pmu *pmu, unsigned c)
{
	const struct pmu_event *best = NULL;
	unsigned most = 0;

	step_pause(); /* looking through a table of hundreds is no part of an experiment */
	/* There are hundreds of these, and checks ask over and over. */
	for (unsigned i = 0; i < pmu->n_events && most < MOST_USEFUL; i++) {
		const struct pmu_event *e = pmu->events[i];
		unsigned useful;

		if ((best && e->flags & EVENT_OF_CORE) || !pmu->driver->can_count(pmu, e, c))
			continue;
		useful = usefulness(e);
		if (best && useful <= most)
			continue;
		best = e;
		most = useful;
	}
	step_resume();
	return best;
}
