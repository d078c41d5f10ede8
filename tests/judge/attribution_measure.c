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

#define ATTRIBUTION_MS 20000
#define REPS_VIRTUAL   1
#define REPS_HARDWARE  100
#define REQUESTS       (2 * TRIP_CLASSES)

/* Round trips in a window; on the virtual PMU, which does the same each time, the first three. */
static const uint8_t turns[TRIP_TURNS] = {1, 2, 10, 100};

static const uint8_t levels[TRIP_FILTERS] = {
	[TRIP_FILTER_OS] = LEVELS_SYSTEM, [TRIP_FILTER_USR] = LEVELS_USER, [TRIP_FILTER_ALL] = LEVELS_ALL};

/* What stands for a class. */
struct subject {
	enum trip_class class;
	unsigned first, n; /* of the requests */
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
		       enum trip_filter filter, unsigned number)
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
			struct observation *o = &counted[of[s]].seen[filter][i];

			*o = (struct observation){.n = p.n[i]};
			for (unsigned rep = 0; rep < p.reps; rep++)
				histogram_add(&o->seen, (int64_t)pass_raw(&p, i, rep, s));
		}
	return true;
}

static void judge_subject(const struct measuring *m, const struct trip_source *s, const struct subject *of)
{
	struct attribution_report r = {.class = of->class,
				       .virtual = m->run->pmu->virtual,
				       .windows = {.source = s,
						   .class = of->class,
						   .n_events = of->n,
						   .n_turns = m->n_turns,
						   .events = &counted[of->first]}};

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

static void run_source(const struct measuring *m, const struct trip_source *s)
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
			if (!count_pass(m, k, level, (enum trip_filter)l, number))
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
