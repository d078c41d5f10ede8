/*
 * Equations between events, from the driver's rows, on every kernel in every ring at once. The counts hold
 * each other in place: of the kernel's signature nothing is needed but what a rule has one of the events
 * count besides.
 */
#include "arch/levels.h"
#include "tests/suites/suites.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/judge/expectation_level.h"
#include "tests/judge/ladder.h"
#include "tests/measure/pass.h"

#include "arch/exceptions.h"
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IDENTITIES_MS 20000
#define N_VIRTUAL     5
#define N_HARDWARE    1000
#define REPS_VIRTUAL  3
#define REPS_MAX      1000
#define NAME_SIZE     128

/* One identity made ready for this PMU. */
struct equation {
	const struct pmu_identity *identity;
	unsigned n_terms, n_passes;
	struct event_request request[IDENTITY_TERMS];
	struct sched_place place[IDENTITY_TERMS];
};

struct setting {
	struct run *run;
	const struct kernel *kernel;
	uint8_t level;
	uint64_t n;
	unsigned reps;
};

/* Which operations an event counts is unknown, but the same each time; all else of the micro-architecture may
 * differ from run to run. */
static bool varies(const struct pmu_event *e)
{
	for (unsigned t = 0; t < EVENT_TERMS && e->terms[t].coefficient; t++)
		if (quantity_info[e->terms[t].quantity].class == QUANTITY_MICRO &&
		    e->terms[t].quantity != Q_FLOPS_OTHER)
			return true;
	return false;
}

/* Whether counts of different runs may be compared: the events are no clocks and look at no single cycle. */
static bool repeatable(const struct equation *q)
{
	for (unsigned i = 0; i < q->n_terms; i++) {
		const struct event_request *r = &q->request[i];

		if (!r->event || r->event->judgement != EVENT_EXACT || varies(r->event) || r->config.cmask ||
		    r->config.edge)
			return false;
	}
	return true;
}

static bool offered(const struct pmu *pmu, const struct pmu_identity *identity)
{
	struct event_request request;
	uint64_t code[IDENTITY_TERMS];
	unsigned n = 0;

	for (; n < IDENTITY_TERMS && identity->term[n].coefficient; n++) {
		if (!event_parse(pmu, identity->term[n].event, &request, 1, NULL))
			return false;
		code[n] = request.config.code;
	}
	return !(identity->relation & IDENTITY_UNION) || identity_is_union(code, n);
}

/* @return NULL, or why the identity cannot be tried on this PMU */
static const char *make_equation(const struct run *run, const struct pmu_identity *identity,
				 struct equation *q)
{
	static struct event_error error;
	struct sched_result schedule;
	const char *why;

	*q = (struct equation){.identity = identity};
	for (; q->n_terms < IDENTITY_TERMS && identity->term[q->n_terms].coefficient; q->n_terms++) {
		const char *event = identity->term[q->n_terms].event;
		unsigned found = event_parse(run->pmu, event, &q->request[q->n_terms], 1, &error);

		if (found > 1)
			snprintf(error.text, sizeof(error.text), "%s stands for %u events", event, found);
		if (found != 1)
			return error.text;
	}
	if (!schedule_events(run->pmu, q->request, q->n_terms, q->place, &schedule, &why))
		return why;
	q->n_passes = schedule.passes;
	/* Counters that cannot start together have a window each. */
	if (!run->pmu->joint) {
		q->n_passes = q->n_terms;
		for (unsigned i = 0; i < q->n_terms; i++)
			q->place[i].pass = (uint16_t)i;
	}
	for (unsigned i = 0; i < q->n_terms; i++)
		if (!ladder_allows(run->ladder, q->place[i].alternative, RUNG_EXACT_ON_NOPS))
			return "a counter that it needs is not to be believed";
	if (q->n_passes > 1 && !run->pmu->deterministic && !repeatable(q))
		return "its events do not fit the counters at once, and differ from run to run";
	return NULL;
}

/* Add what an event's rule has it count besides, so many times. @return false if that is too much to hold */
static bool add_rule(struct pmu_event *sum, const struct pmu_event *e, int coefficient)
{
	for (const struct event_term *t = e->rule ? e->rule->also : NULL; t && t->coefficient; t++) {
		unsigned at = 0;

		while (at < EVENT_TERMS && sum->terms[at].coefficient &&
		       sum->terms[at].quantity != t->quantity)
			at++;
		if (at == EVENT_TERMS)
			return false;
		sum->terms[at].quantity = t->quantity;
		sum->terms[at].coefficient += coefficient * t->coefficient;
		if (!sum->terms[at]
			     .coefficient) { /* the last one takes the place of what has cancelled out */
			unsigned last = at;

			while (last + 1 < EVENT_TERMS && sum->terms[last + 1].coefficient)
				last++;
			sum->terms[at] = sum->terms[last];
			sum->terms[last] = (struct event_term){0};
		}
	}
	return true;
}

/* @return the amount in a window of the kernel, of which counters see that ring; 0 if it is not certain */
static int64_t amount(const struct setting *s, const struct pmu_event *sum, uint8_t level)
{
	struct expectation x;

	if (!sum->terms[0].coefficient)
		return 0;
	if (expectation_at_level(sum, s->kernel, level, s->n, NULL, &x) == EXPECTATION_NEGATIVE) {
		/* No event counts less than nothing, but the events that an equation takes away may. */
		struct pmu_event away = *sum;

		for (unsigned i = 0; i < EVENT_TERMS; i++)
			away.terms[i].coefficient = (int8_t)-away.terms[i].coefficient;
		return expectation_at_level(&away, s->kernel, level, s->n, NULL, &x) == EXPECTATION_OK &&
				       x.low == x.high
			       ? -x.low
			       : 0;
	}
	return x.status == EXPECTATION_OK && x.low == x.high ? x.low : 0;
}

/*
 * What rules say that some of the events count too, and the others do not: so much their sum may differ from
 * 0. Of filters by amount, whose sum is that without one, nothing is left over.
 * @return an amount that the kernel's signature gives, 0 if the rules cancel out or it gives none
 */
static int64_t exceptions(const struct setting *s, const struct equation *q)
{
	struct pmu_event kernel_mode = {0}, user_mode = {0}; /* sums over the events that count there */

	for (unsigned i = 0; i < q->n_terms; i++) {
		const struct event_request *r = &q->request[i];
		int coefficient = q->identity->term[i].coefficient;

		if (r->config.cmask || r->config.edge || r->config.invert)
			return 0;
		if (r->event &&
		    ((r->config.levels & LEVELS_SYSTEM && !add_rule(&kernel_mode, r->event, coefficient)) ||
		     (r->config.levels & LEVELS_USER && !add_rule(&user_mode, r->event, coefficient))))
			return 0;
	}
	if (!s->level)
		return amount(s, &kernel_mode, 0);
	/* Counters that start together see what handlers do in ring 0, too. */
	return amount(s, &user_mode, s->level) +
	       (s->run->pmu->has_global ? amount(s, &kernel_mode, 0) - amount(s, &kernel_mode, s->level) : 0);
}

/* What deliveries and returns count beyond the manual, as was measured, those of the way to ring 3 and back
 * included: of a fixed counter and a general one it may differ. */
static int64_t attributed(const struct setting *s, const struct equation *q)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < q->n_terms; i++) {
		const struct event_request *r = &q->request[i];
		uint8_t levels = r->config.levels;

		if (r->config.cmask || r->config.edge || r->config.invert)
			return 0;
		if (s->level && !s->run->pmu->has_global)
			levels &= LEVELS_USER;
		if (r->event)
			sum += q->identity->term[i].coefficient *
			       (attribution_beyond(s->run->pmu->attribution, r->event, s->kernel, levels,
						   s->n) +
				(s->level ? attribution_beyond_way(s->run->pmu->attribution, r->event, levels)
					  : 0));
	}
	return sum;
}

/* What counters count of their common bracket cancels out in an equation, the writes included, as long as all
 * of them count these alike. A hypervisor that counts the write that starts counting does so whatever a
 * counter filters by: Linux, kvm_pmu_trigger_event(). */
static int64_t unexpected_share(const struct pass *p, unsigned slot)
{
	const struct slot *s = &p->slot[slot];
	bool alike = (!p->pmu->counts_start || p->pmu->counts_start == UINT64_MAX) &&
		     (!p->pmu->counts_stop || p->pmu->counts_stop == UINT64_MAX);

	if (!s->event)
		return 0;
	if (p->pmu->under_hypervisor && p->pmu->counts_start >> s->counter & 1)
		return event_counts_instructions(s->event) && s->config.levels & LEVELS_SYSTEM;

	const struct share_place at = pass_share_place(p, slot);

	if (!share_measurable(&at))
		return 0;
	return share_of(&at) - (alike ? share_predicted(&at)
				      : share_find(&at).implied +
						(p->level ? attribution_beyond_way(p->pmu->attribution,
										   s->event, s->config.levels)
							  : 0));
}

/* Run one pass of the equation, and add its part to the sum of each repetition. */
static bool run_pass(const struct setting *s, const struct equation *q, unsigned number, int64_t *sums,
		     struct pmu_bracket *bracket, struct result *r)
{
	static uint64_t raw[IDENTITY_TERMS * REPS_MAX];
	int8_t coefficient[IDENTITY_TERMS];
	struct pass p = {
		.pmu = s->run->pmu,
		.kernel = s->kernel,
		.level = s->level,
		.n_count = 1,
		.n = {s->n},
		.reps = s->reps,
		.raw = raw,
	};

	for (unsigned i = 0; i < q->n_terms; i++) {
		if (q->place[i].pass != number)
			continue;
		coefficient[p.n_slots] = q->identity->term[i].coefficient;
		p.slot[p.n_slots++] = (struct slot){.counter = q->place[i].alternative,
						    .event = q->request[i].event,
						    .config = event_placed(&q->request[i], &q->place[i])};
		/* Counters that start one after the other agree on what lies between: on the kernel's ring.
		 */
		if (s->level && !s->run->pmu->has_global)
			p.slot[p.n_slots - 1].config.levels &= LEVELS_USER;
	}
	if (!s->run->call(s->run, pass_run, &p, IDENTITIES_MS, r))
		return false;
	if (p.failure) {
		judgement_set(&r->judgement, pass_failure_verdict(&p), "%s", p.failure);
		return false;
	}
	*bracket = p.bracket;
	for (unsigned rep = 0; rep < s->reps; rep++)
		for (unsigned slot = 0; slot < p.n_slots; slot++)
			sums[rep] += coefficient[slot] *
				     ((int64_t)pass_raw(&p, 0, rep, slot) - unexpected_share(&p, slot));
	return true;
}

/* In a guest each of the counts may lack what a hypervisor carries out. */
static void excuse(const struct setting *s, const struct equation *q, const struct pmu_bracket *bracket,
		   struct result *r)
{
	struct hypervisor_exits_place place[IDENTITY_TERMS];
	int8_t coefficient[IDENTITY_TERMS];

	for (unsigned i = 0; i < q->n_terms; i++) {
		const struct event_request *request = &q->request[i];

		if (!request->event)
			return;
		place[i] =
			(struct hypervisor_exits_place){s->run->pmu,
							request->event,
							s->kernel,
							&bracket[q->place[i].pass],
							s->level,
							s->level && !(request->config.levels & LEVELS_SYSTEM),
							event_is_filtered(request)};
		coefficient[i] = q->identity->term[i].coefficient;
	}
	hypervisor_exits_excuse_sum(place, coefficient, q->n_terms, &r->observation[0], &r->judgement);
}

static void try_equation(const struct setting *s, const struct equation *q)
{
	const char *level = level_name(s->level);
	static struct pmu_bracket bracket[IDENTITY_TERMS]; /* of each pass */
	static int64_t sums[REPS_MAX];
	char name[NAME_SIZE];
	struct result r = {
		.suite = "identities",
		.name = name,
		.event = q->identity->name,
		.kernel = s->kernel->name,
		.level = level,
		.manual = q->identity->manual,
		.virtual = s->run->pmu->virtual,
	};
	struct observation *o;

	snprintf(name, sizeof(name), "%s/%s/%s", q->identity->name, s->kernel->name, level);
	for (unsigned i = 0; i < q->n_terms; i++)
		r.machine_model |= r.virtual && event_is_micro(q->request[i].event);
	trap_set_context(name);
	memset(sums, 0, sizeof(sums));
	for (unsigned number = 0; number < q->n_passes; number++)
		if (!run_pass(s, q, number, sums, &bracket[number], &r)) {
			s->run->report(s->run, &r);
			return;
		}
	o = result_observe_only(&r, s->n, 0, INT64_MAX);
	if (!(q->identity->relation & IDENTITY_NOT_NEGATIVE))
		o->high = o->low += exceptions(s, q) + attributed(s, q);
	for (unsigned rep = 0; rep < s->reps; rep++)
		histogram_add(&o->seen, sums[rep]);
	result_conclude(&r);
	excuse(s, q, bracket, &r);
	s->run->report(s->run, &r);
}

/* All equations in one ring of one kernel: so the window is composed once. */
static void try_all(struct setting *s, const struct equation *q, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		try_equation(s, &q[i]);
}

static void try_on_kernels(struct run *run, const struct equation *q, unsigned n, unsigned reps)
{
	const struct run_options *o = run->options;
	bool deterministic = run->pmu->deterministic;
	struct setting s = {.run = run,
			    .reps = reps,
			    .n = o->n            ? o->n
				 : deterministic ? N_VIRTUAL
						 : N_HARDWARE};

	for (s.kernel = kernels_begin; s.kernel < kernels_end; s.kernel++) {
		if (!kernel_selected(s.kernel, o->kernel_glob))
			continue;
		for (s.level = 0; s.level <= level_user(); s.level += (uint8_t)level_user())
			if (!kernel_unfit(s.kernel, s.level)) {
				attribution_measure(run, s.kernel);
				try_all(&s, q, n);
			}
	}
}

/* Kernels that were asked for and run in no ring. */
static void tell_unfit(struct run *run)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		if (kernel_selected(k, run->options->kernel_glob) && kernel_unfit(k, 0) &&
		    kernel_unfit(k, (uint8_t)level_user()))
			run_skip(run, "identities", k->name, NULL,
				 kernel_unfit(k, k->flags & KERNEL_USER_ONLY ? (uint8_t)level_user() : 0));
}

static void run_identities(struct run *run)
{
	const struct pmu_identity *identity = run->pmu ? run->pmu->driver->identities : NULL;
	struct equation *q;
	unsigned n = 0, n_all = 0;

	if (!identity) {
		run_skip(run, "identities", "identities", NULL,
			 run->pmu ? "the driver lists none" : "there is no PMU");
		return;
	}
	while (identity[n_all].name)
		n_all++;
	q = malloc((n_all + 1) * sizeof *q);
	if (!q) {
		run_skip(run, "identities", "identities", NULL, "there is no memory for so many");
		return;
	}
	tell_unfit(run);
	for (; identity->name; identity++) {
		const char *why;

		if (!check_wanted(run, identity->name) ||
		    (identity->relation & IDENTITY_MARKS && !offered(run->pmu, identity)))
			continue;
		why = make_equation(run, identity, &q[n]);
		if (why)
			run_skip(run, "identities", identity->name, identity->manual, why);
		else
			n++;
	}
	try_on_kernels(run, q, n, run_repetitions(run, "identities", REPS_VIRTUAL, REPS_MAX));
	free(q);
}

const struct suite suite_identities = {"identities", "equations between events, on every kernel",
				       run_identities, NULL};
