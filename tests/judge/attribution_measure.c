/*
 * Measuring an attribution: kernels that make a round trip per turn, in each setting of the ring filter, at
 * some N. What the kernel and its handler execute besides follows from their code.
 */
#include "tests/judge/attribution_windows.h"
#include "tests/measure/pass.h"
#include "tests/judge/truth.h"

#include "arch/levels.h"
#include "arch/exceptions.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"

#include <stdio.h>
#include <string.h>

#define ATTRIBUTION_MS 20000
#define REPS_VIRTUAL   1
#define REPS_HARDWARE  100
#define REQUESTS       (2 * TRIP_CLASSES)

/* Round trips in a window; on the virtual PMU, which does the same each time, the first three. */
static const uint8_t turns[TRIP_TURNS] = {1, 2, 10, 100};

static const uint8_t levels[TRIP_FILTERS] = {
	[TRIP_FILTER_OS] = LEVELS_SYSTEM, [TRIP_FILTER_USR] = LEVELS_USER, [TRIP_FILTER_ALL] = LEVELS_ALL};

/* Whether a counter ticks on an event: one that always reads 0 says nothing of round trips. */
enum ticking { TICKS_UNKNOWN, TICKS, TICKS_NOT };

/* What stands for a class. */
struct subject {
	enum trip_class class;
	unsigned first, n; /* of the requests */
	uint8_t ticks;     /* enum ticking */
};

struct measuring {
	struct run *run;
	struct attribution *table;
	unsigned n_subjects, n_requests, n_passes, n_turns, reps;
	struct subject subject[TRIP_CLASSES];
	struct event_request request[REQUESTS];
	struct sched_place place[REQUESTS];
};

static struct attribution table;
static uint64_t raw[PMU_COUNTERS_MAX * TRIP_TURNS * REPS_HARDWARE];
static struct trip_event counted[REQUESTS];

/* --- events ------------------------------------------------------------------------------------------ */

static bool countable(const struct pmu *pmu, const struct pmu_event *e)
{
	struct event_request r = {.event = e, .config.code = e->code};

	return e->judgement != EVENT_TIME && !e->extra_register &&
	       !(e->flags & (EVENT_ANY_LEVEL | EVENT_BY_NAME)) && event_counters(pmu, &r);
}

/* The exact event of one quantity and nothing else. */
static const struct pmu_event *event_of(const struct pmu *pmu, unsigned quantity)
{
	for (unsigned i = 0; i < pmu->n_events; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (e->terms[0].quantity == quantity && e->terms[0].coefficient == 1 &&
		    !e->terms[1].coefficient && e->judgement == EVENT_EXACT && countable(pmu, e))
			return e;
	}
	return NULL;
}

/* How well an event stands for a class: by counting its quantity and nothing else but what is delivered, best
 * of all exactly; or, with *also, if that is what it leaves out. */
static unsigned merit(const struct pmu *pmu, const struct pmu_event *e, enum trip_class class,
		      const struct pmu_event **also)
{
	bool fixed = !e->counters && e->fixed >= 0;

	*also = NULL;
	if (fixed != (class == TRIP_INSTRUCTIONS_FIXED) || !countable(pmu, e))
		return 0;
	if (trip_stands_for(class, e, NULL, NULL))
		return e->judgement == EVENT_EXACT ? 3 : 2;
	*also = e->terms[2].coefficient ? event_of(pmu, e->terms[2].quantity) : NULL;
	return *also && trip_stands_for(class, e, *also, NULL);
}

static void add_request(struct measuring *m, const struct pmu_event *e)
{
	counted[m->n_requests].event = e;
	m->request[m->n_requests++] = (struct event_request){.event = e, .config.code = e->code};
}

static void add_subject(struct measuring *m, enum trip_class class)
{
	const struct pmu *pmu = m->run->pmu;
	const struct pmu_event *found = NULL, *with = NULL, *also;
	struct subject *s = &m->subject[m->n_subjects];
	unsigned best = 0;

	for (unsigned i = 0; i < pmu->n_events && best < 3; i++) {
		unsigned now = merit(pmu, pmu->events[i], class, &also);

		if (now > best) {
			best = now;
			found = pmu->events[i];
			with = also;
		}
	}
	if (!found)
		return;
	m->n_subjects++;
	*s = (struct subject){.class = class, .first = m->n_requests, .n = with ? 2 : 1};
	add_request(m, found);
	if (with)
		add_request(m, with);
}

static bool choose_events(struct measuring *m)
{
	const struct pmu *pmu = m->run->pmu;
	struct sched_result schedule;
	const char *why;

	for (unsigned c = 0; c < TRIP_CLASSES; c++)
		add_subject(m, (enum trip_class)c);
	if (!m->n_requests || !schedule_events(pmu, m->request, m->n_requests, m->place, &schedule, &why))
		return false;
	m->n_passes = pmu->joint ? schedule.passes : m->n_requests;
	return true;
}

/* --- counts ------------------------------------------------------------------------------------------ */

/* What the bracket adds falls out of a slope. */
static void run_pass(void *pass)
{
	pass_run_plain(pass);
}

static bool count_pass(const struct measuring *m, const struct kernel *k, uint8_t level,
		       enum trip_filter filter, unsigned number, struct trip_event *counts)
{
	static struct pass p;
	unsigned of[REQUESTS];

	p = (struct pass){.pmu = m->run->pmu,
			  .kernel = k,
			  .level = level,
			  .reps = m->reps,
			  .n_count = m->n_turns,
			  .raw = raw};
	for (unsigned i = 0; i < p.n_count; i++)
		p.n[i] = turns[i];
	for (unsigned i = 0; i < m->n_requests; i++)
		if ((p.pmu->joint ? m->place[i].pass : i) == number) {
			struct slot *slot = &p.slot[p.n_slots];

			of[p.n_slots++] = i;
			*slot = (struct slot){.counter = m->place[i].alternative,
					      .event = m->request[i].event,
					      .config = event_placed(&m->request[i], &m->place[i])};
			slot->config.levels = levels[filter];
		}
	if (!m->run->call(m->run, run_pass, &p, ATTRIBUTION_MS, NULL) || p.failure)
		return false;
	for (unsigned s = 0; s < p.n_slots; s++)
		for (unsigned i = 0; i < p.n_count; i++) {
			struct observation *o = &counts[of[s]].seen[filter][i];

			*o = (struct observation){.n = p.n[i]};
			for (unsigned rep = 0; rep < p.reps; rep++)
				histogram_add(&o->seen, (int64_t)pass_raw(&p, i, rep, s));
		}
	return true;
}

/* --- events that tick -------------------------------------------------------------------------------- */

#define MOVER_UNFIT (KERNEL_SERVICES | KERNEL_USER_ONLY | KERNEL_CLOBBERS_CR | KERNEL_TRANSACTS)

static bool grows(const struct measuring *m, const struct trip_event *e, enum trip_filter filter)
{
	return histogram_mode(&e->seen[filter][m->n_turns - 1].seen) >
	       histogram_mode(&e->seen[filter][0].seen);
}

/* A kernel with more of the event in each turn; NULL: there is none. */
static const struct kernel *mover_of(const struct pmu_event *e)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		struct result truth = {0};
		struct expectation few, many;

		if (k->flags & MOVER_UNFIT || k->needs || expectation(e, k, turns[0], &few) ||
		    expectation(e, k, turns[TRIP_TURNS - 2], &many) || few.low >= many.low ||
		    kernel_unfit(k, 0))
			continue;
		truth_check(k, 0, turns[0], &truth);
		if (!verdict_is_bad(truth.judgement.verdict))
			return k;
	}
	return NULL;
}

static bool ticks_on_mover(const struct measuring *m, unsigned request)
{
	static struct trip_event apart[REQUESTS];
	const struct kernel *k = mover_of(counted[request].event);
	unsigned number = m->run->pmu->joint ? m->place[request].pass : request;

	if (!k)
		return false;
	memset(apart, 0, sizeof apart);
	return count_pass(m, k, 0, TRIP_FILTER_ALL, number, apart) &&
	       grows(m, &apart[request], TRIP_FILTER_ALL);
}

/* Round trips show it where they count, else a kernel that has what they lack. */
static bool ticks(struct measuring *m, struct subject *of)
{
	char text[ATTRIBUTION_FACT];

	for (unsigned i = of->first; i < of->first + of->n && of->ticks != TICKS_NOT; i++) {
		const struct trip_event *e = &counted[i];

		if (grows(m, e, TRIP_FILTER_ALL) || of->ticks == TICKS || ticks_on_mover(m, i))
			continue;
		of->ticks = TICKS_NOT;
		snprintf(text, sizeof text, "not measured: no kernel showed %s to count", e->event->name);
		m->run->fact(m->run, "attribution", trip_class_name(of->class), text);
	}
	if (of->ticks != TICKS_NOT)
		of->ticks = TICKS;
	return of->ticks == TICKS;
}

/* --- entries ----------------------------------------------------------------------------------------- */

static void judge_subject(struct measuring *m, const struct trip_source *s, struct subject *of)
{
	struct attribution_report r = {.class = of->class,
				       .virtual = m->run->pmu->virtual,
				       .windows = {.source = s,
						   .class = of->class,
						   .n_events = of->n,
						   .n_turns = m->n_turns,
						   .events = &counted[of->first]}};

	if (!ticks(m, of))
		return;
	attribution_take(m->table, &r.windows, &r.count);
	m->run->attribution(m->run, &r);
}

static void tell_irets(const struct measuring *m)
{
	struct attribution_report r = {.virtual = m->run->pmu->virtual};

	for (unsigned i = 0; i < m->n_subjects; i++) {
		r.class = m->subject[i].class;
		if (attribution_return(m->table, r.class, &r.count))
			m->run->attribution(m->run, &r);
	}
}

static void run_source(struct measuring *m, const struct trip_source *s)
{
	const struct kernel *k = kernel_by_name(s->kernel);
	uint8_t level = k && k->flags & KERNEL_USER_ONLY ? (uint8_t)level_user() : 0;
	struct result truth = {0};

	if (!k || kernel_unfit(k, level))
		return;
	truth_check(k, level, 1, &truth);
	if (verdict_is_bad(truth.judgement.verdict))
		return;
	for (unsigned number = 0; number < m->n_passes; number++)
		for (unsigned l = 0; l < TRIP_FILTERS; l++)
			if (!count_pass(m, k, level, (enum trip_filter)l, number, counted))
				return;
	for (unsigned i = 0; i < m->n_subjects; i++)
		judge_subject(m, s, &m->subject[i]);
}

static bool makes_trips(const struct kernel *k)
{
	for (unsigned t = 0; k && t < TRIPS; t++)
		if (trips_of(k, (enum trip)t, 1))
			return true;
	return !k;
}

void attribution_measure(struct run *run, const struct kernel *k)
{
	static struct measuring m;
	char name[ATTRIBUTION_FACT], text[ATTRIBUTION_FACT];
	unsigned next = 0;

	if (!run->pmu || run->pmu->attribution || !makes_trips(k))
		return;
	table = (struct attribution){0};
	m = (struct measuring){.run = run,
			       .table = &table,
			       .n_turns = run->pmu->deterministic ? TRIP_TURNS - 1 : TRIP_TURNS,
			       .reps = run->pmu->virtual ? REPS_VIRTUAL : REPS_HARDWARE};
	trap_set_context("attribution");
	if (choose_events(&m))
		for (const struct trip_source *s = trip_sources; *s->kernel; s++)
			run_source(&m, s);
	tell_irets(&m);
	trap_set_context(NULL);
	run->pmu->attribution = &table;
	while (attribution_fact(&table, &next, name, text))
		run->fact(run, "attribution", name, text);
}
