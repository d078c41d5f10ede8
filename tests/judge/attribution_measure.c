/*
 * Measuring an attribution: kernels that make a round trip per turn, in each setting of the ring filter, at
 * some N. What the kernel and its handler execute besides follows from their code.
 */
#include "tests/judge/attribution.h"
#include "tests/judge/expectation_ring.h"
#include "tests/measure/pass.h"
#include "tests/judge/truth.h"

#include "arch/x86/exceptions/trap.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ATTRIBUTION_MS 20000
#define REPS_VIRTUAL   1
#define REPS_HARDWARE  100
#define N_MAX          4
#define TEXT           400
#define REQUESTS       (2 * TRIP_CLASSES)

/* Round trips in a window; on the virtual PMU, which does the same each time, the first three. */
static const uint8_t turns[N_MAX] = {1, 2, 10, 100};

static const struct source {
	char kernel[15]; /* of two for one kind and ring, the one that suits the machine */
	uint8_t trip;    /* enum trip */
	bool asks;       /* it makes a SYSCALL as well, to ask for what comes */
} sources[] = {
	{"int_ring0", TRIP_INT, false},        {"int_ring3", TRIP_INT, false},
	{"syscall", TRIP_SYSCALL, false},      {"sysenter", TRIP_SYSENTER, false},
	{"fault_pf_ring0", TRIP_FAULT, false}, {"fault_gp_ring0", TRIP_FAULT, false},
	{"fault_ud_ring0", TRIP_FAULT, false}, {"fault_pf_ring3", TRIP_FAULT, false},
	{"fault_gp_ring3", TRIP_FAULT, false}, {"fault_ud_ring3", TRIP_FAULT, false},
	{"hlt_xapic", TRIP_INTERRUPT, false},  {"hlt_x2apic", TRIP_INTERRUPT, false},
	{"ipi_xapic", TRIP_INTERRUPT, true},   {"ipi_x2apic", TRIP_INTERRUPT, true},
	{"nmi_xapic", TRIP_NMI, false},        {"nmi_x2apic", TRIP_NMI, false},
};

static const struct {
	char name[7];
	uint8_t rings; /* enum pmu_ring */
} settings[] = {{"OS", RING_OS}, {"USR", RING_USR}, {"OS+USR", RING_ALL}};
#define SETTINGS 3

/* What stands for a class: one event, or two whose sum has nothing of the micro-architecture left. */
struct subject {
	enum trip_class class;
	unsigned first, n;    /* of the requests */
	struct pmu_event sum; /* their terms */
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
static uint64_t raw[PMU_COUNTERS_MAX * N_MAX * REPS_HARDWARE];
static struct histogram seen[REQUESTS][SETTINGS][N_MAX];

/* --- events ------------------------------------------------------------------------------------------ */

static unsigned delivered_as(const struct pmu_event *e)
{
	int times = event_coefficient(e, Q_EXCEPTIONS);

	return times == event_coefficient(e, Q_INTERRUPTS_HW) &&
			       times == event_coefficient(e, Q_INTERRUPTS_NMI) && times > 0
		       ? (unsigned)times
		       : 0;
}

static bool countable(const struct pmu *pmu, const struct pmu_event *e)
{
	struct event_request r = {.event = e, .config.code = e->code};

	return e->judgement != EVENT_TIME && !e->extra_msr &&
	       !(e->flags & (EVENT_ANY_RING | EVENT_BY_NAME)) && event_counters(pmu, &r);
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
	unsigned last = event_own_terms(e);

	*also = NULL;
	if (event_coefficient(e, trip_quantity(class)) != 1 || fixed != (class == TRIP_INSTRUCTIONS_FIXED) ||
	    !countable(pmu, e))
		return 0;
	if (last == 1 + 3 * (delivered_as(e) == 1))
		return e->judgement == EVENT_EXACT ? 3 : 2;
	if (e->judgement != EVENT_EXACT || last != 3 || e->terms[1].quantity != Q_BR_COND_NTAKEN ||
	    e->terms[2].coefficient != -1)
		return 0;
	*also = event_of(pmu, e->terms[2].quantity);
	return *also != NULL;
}

static void add_request(struct measuring *m, const struct pmu_event *e)
{
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
	*s = (struct subject){.class = class, .first = m->n_requests, .n = 1, .sum = *found};
	add_request(m, found);
	if (with) {
		s->n = 2;
		s->sum.terms[2].coefficient = 0;
		add_request(m, with);
	}
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

static bool count_pass(const struct measuring *m, const struct kernel *k, uint8_t ring, unsigned setting,
		       unsigned number)
{
	static struct pass p;
	unsigned of[REQUESTS];

	p = (struct pass){.pmu = m->run->pmu,
			  .kernel = k,
			  .ring = ring,
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
			slot->config.ring = settings[setting].rings;
		}
	if (!m->run->call(m->run, run_pass, &p, ATTRIBUTION_MS, NULL) || p.failure)
		return false;
	for (unsigned s = 0; s < p.n_slots; s++)
		for (unsigned i = 0; i < p.n_count; i++) {
			struct histogram *h = &seen[of[s]][setting][i];

			*h = (struct histogram){0};
			for (unsigned rep = 0; rep < p.reps; rep++)
				histogram_add(h, (int64_t)pass_raw(&p, i, rep, s));
		}
	return true;
}

/* The whole number by which the counts of a subject grow with each trip. */
static bool slope_of(const struct measuring *m, const struct subject *s, unsigned setting, int64_t *slope)
{
	uint64_t n[N_MAX];
	int64_t value[N_MAX];
	struct line line;

	for (unsigned i = 0; i < m->n_turns; i++) {
		n[i] = turns[i];
		value[i] = 0;
		for (unsigned r = s->first; r < s->first + s->n; r++)
			value[i] += histogram_mode(&seen[r][setting][i]);
	}
	if (!line_fit(n, value, m->n_turns, &line) || !line.straight || line.den != 1)
		return false;
	*slope = line.slope_num;
	return true;
}

/* Of one trip, in both levels and in ring 3, as the manual has it. */
static bool by_manual(const struct pmu_event *e, const struct kernel *k, uint8_t ring, int64_t *all,
		      int64_t *user)
{
	struct expectation x[4];

	for (unsigned i = 0; i < 4; i++)
		if (expectation_in_ring(e, k, i < 2 ? 0 : ring, i % 2 ? 2 : 1, NULL, &x[i]) ||
		    x[i].low != x[i].high)
			return false;
	*all = x[1].low - x[0].low;
	*user = ring ? x[3].low - x[2].low : 0;
	return true;
}

static void tell_raw(const struct measuring *m, unsigned request, char text[TEXT])
{
	int used = 0;

	for (unsigned l = 0; l < SETTINGS; l++)
		for (unsigned i = 0; i < m->n_turns; i++) {
			const struct histogram *h = &seen[request][l][i];

			if (used >= 0 && used < TEXT)
				used += snprintf(text + used, (size_t)(TEXT - used),
						 h->distinct > 1 ? "%s%s %" PRId64 " (%u values to %" PRId64
								   ")"
								 : "%s%s %" PRId64,
						 i ? "," : "; ", i ? "" : settings[l].name, histogram_mode(h),
						 h->distinct, h->max);
		}
}

static void tell(const struct measuring *m, const struct source *s, const struct subject *of,
		 const struct trip_count *t)
{
	static const char states[][24] = {
		[TRIP_NO_LINE] = "no line",
		[TRIP_NO_SUM] = "levels do not add up",
		[TRIP_OUTSIDE] = "no attribution",
	};
	char name[128], value[64], unit[TEXT + 96], counts[TEXT];

	if (t->state == TRIP_COUNTED)
		snprintf(value, sizeof value, "OS %d, USR %d", t->counted.os, t->counted.usr);
	else if (t->state == TRIP_IN_USER)
		snprintf(value, sizeof value, "USR %d", t->counted.usr);
	else
		snprintf(value, sizeof value, "%s", states[t->state]);
	for (unsigned r = of->first; r < of->first + of->n; r++) {
		tell_raw(m, r, counts);
		snprintf(name, sizeof name, "%s/%s", m->request[r].event->name, s->kernel);
		snprintf(unit, sizeof unit, "per round trip, by the manual OS %d, USR %d; raw counts%s",
			 t->manual.os, t->manual.usr, counts);
		m->run->detail(m->run, "attribution", name, value, unit);
	}
}

/* An exception of another vector has to agree with those before it. */
static void enter(struct trip_count *place, const struct trip_count *t)
{
	if (place->state == TRIP_UNKNOWN || (place->state == TRIP_IN_USER && t->state == TRIP_COUNTED &&
					     place->counted.usr == t->counted.usr))
		*place = *t;
	else if (trip_known(place) && trip_known(t) && place->counted.usr == t->counted.usr &&
		 (t->state == TRIP_IN_USER || place->counted.os == t->counted.os))
		return;
	else if (place->state != t->state || place->counted.os != t->counted.os ||
		 place->counted.usr != t->counted.usr)
		place->state = TRIP_DIFFERS;
}

static void judge_subject(const struct measuring *m, const struct source *s, const struct kernel *k,
			  uint8_t ring, const struct subject *of)
{
	const struct trip_count *asking = &m->table->trip[of->class][TRIP_SYSCALL][1];
	struct trip_slopes slopes = {.trip = (enum trip)s->trip,
				     .class = of->class,
				     .from_user = ring != 0,
				     .delivery = (uint8_t)delivered_as(&of->sum)};
	int64_t all, user;
	struct trip_count t;

	if (!by_manual(&of->sum, k, ring, &all, &user) || (s->asks && !trip_known(asking)))
		return;
	slopes.rest_usr = user;
	slopes.rest_os = all - user;
	if (s->asks) {
		slopes.rest_usr += asking->counted.usr - asking->manual.usr;
		slopes.rest_os += asking->counted.os - asking->manual.os;
	}
	slopes.usr_straight = slope_of(m, of, 1, &slopes.usr);
	slopes.straight = slope_of(m, of, 0, &slopes.os) && slope_of(m, of, 2, &slopes.all);
	t = trip_judge(&slopes);
	tell(m, s, of, &t);
	enter(&m->table->trip[of->class][s->trip][ring != 0], &t);
}

static void run_source(const struct measuring *m, const struct source *s)
{
	const struct kernel *k = kernel_by_name(s->kernel);
	uint8_t ring = k && k->flags & KERNEL_RING3_ONLY ? 3 : 0;
	struct result truth = {0};

	if (!k || kernel_unfit(k, ring))
		return;
	truth_check(k, ring, 1, &truth);
	if (verdict_is_bad(truth.judgement.verdict))
		return;
	for (unsigned number = 0; number < m->n_passes; number++)
		for (unsigned l = 0; l < SETTINGS; l++)
			if (!count_pass(m, k, ring, l, number))
				return;
	for (unsigned i = 0; i < m->n_subjects; i++)
		judge_subject(m, s, k, ring, &m->subject[i]);
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
			       .n_turns = run->pmu->deterministic ? N_MAX - 1 : N_MAX,
			       .reps = run->pmu->virtual ? REPS_VIRTUAL : REPS_HARDWARE};
	trap_set_context("attribution");
	if (choose_events(&m))
		for (unsigned i = 0; i < sizeof sources / sizeof sources[0]; i++)
			run_source(&m, &sources[i]);
	trap_set_context(NULL);
	run->pmu->attribution = &table;
	while (attribution_fact(&table, &next, name, text))
		run->fact(run, "attribution", name, text);
}
