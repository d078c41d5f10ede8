/*
 * The rows of equations between events. Each can be tried on silicon somewhere: its events fit the counters
 * of some virtual CPU at once, or may be compared between runs. Those about counter masks hold for a cycle in
 * which any number of instructions retires, and fail where a counter mask does not do what it should.
 */
#include "pmu/events/grammar.h"
#include "pmu/events/schedule.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define AT_ONCE_MOST 32 /* instructions of one cycle */

/* What may be wrong with a counter mask. */
enum fault { SOUND, GREATER, IGNORED, VALUE, FAULTS };

struct found {
	const struct pmu_identity *identity;
	struct event_request request[IDENTITY_TERMS];
	unsigned n;
};

static bool find(const struct pmu *pmu, const struct pmu_identity *identity, struct found *out)
{
	*out = (struct found){.identity = identity};
	for (; out->n < IDENTITY_TERMS && identity->term[out->n].coefficient; out->n++)
		if (event_parse(pmu, identity->term[out->n].event, &out->request[out->n], 1, NULL) != 1)
			return false;
	return true;
}

static bool counts(const struct event_request *r, enum quantity q)
{
	const struct event_term *t = r->event->terms;

	return t[0].quantity == q && t[0].coefficient == 1 && (EVENT_TERMS == 1 || !t[1].coefficient);
}

/* What a counter adds in a cycle in which so many instructions retire. */
static int64_t added(const struct event_request *r, int64_t retired, enum fault fault)
{
	int64_t value = counts(r, Q_CYCLES) ? 1 : retired, least = r->config.cmask;
	bool met = fault == GREATER ? value > least : value >= least;

	if (!least || fault == IGNORED)
		return value;
	met = met != r->config.invert;
	return met && fault == VALUE ? value : met;
}

/* Whether it is about counter masks, of instructions or cycles, at no edges. */
static bool is_ladder(const struct found *f)
{
	bool filtered = false;

	for (unsigned i = 0; i < f->n; i++) {
		if (f->request[i].config.edge ||
		    !(counts(&f->request[i], Q_INSTRUCTIONS) || counts(&f->request[i], Q_CYCLES)))
			return false;
		filtered |= f->request[i].config.cmask != 0;
	}
	return filtered;
}

/* How many instructions must retire in a cycle for the equation not to hold, -1: it holds for any. */
static int breaks(const struct found *f, enum fault fault)
{
	for (int retired = 0; retired <= AT_ONCE_MOST; retired++) {
		int64_t sum = 0;

		for (unsigned i = 0; i < f->n; i++)
			sum += f->identity->term[i].coefficient * added(&f->request[i], retired, fault);
		if (f->identity->relation & IDENTITY_NOT_NEGATIVE ? sum < 0 : sum != 0)
			return retired;
	}
	return -1;
}

/* Whether its counts can only be compared within one run: clocks, and what looks at single cycles. */
static bool needs_one_run(const struct found *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (event_is_filtered(&f->request[i]) || f->request[i].event->judgement != EVENT_EXACT)
			return true;
	return false;
}

static bool fits_at_once(const struct pmu *pmu, const struct found *f)
{
	struct sched_place place[IDENTITY_TERMS];
	struct sched_result result;
	const char *why;

	return schedule_events(pmu, f->request, f->n, place, &result, &why) && result.passes == 1;
}

typedef void visit_fn(const struct pmu *pmu, const struct found *f);

static void visit_all(visit_fn *visit)
{
	static struct pmu pmu;
	struct found f;
	const char *why;

	for (unsigned i = 0; model_profile(i); i++) {
		fake_cpu_start(model_profile(i), NULL);
		assert_true(pmu_find(NULL, &pmu, &why));
		pmu.driver->list_events(&pmu);
		for (const struct pmu_identity *e = pmu.driver->identities; e && e->name; e++)
			if (find(&pmu, e, &f))
				visit(&pmu, &f);
		fake_cpu_stop();
	}
}

#define EQUATIONS_MAX 256

static const struct pmu_identity *met[EQUATIONS_MAX];
static bool possible[EQUATIONS_MAX];
static unsigned n_met;

static void note_whether_possible(const struct pmu *pmu, const struct found *f)
{
	unsigned i = 0;

	while (i < n_met && met[i] != f->identity)
		i++;
	if (i == n_met) {
		assert_true(n_met < EQUATIONS_MAX);
		met[n_met++] = f->identity;
	}
	possible[i] |= !needs_one_run(f) || fits_at_once(pmu, f);
}

static void each_can_be_tried_on_silicon_somewhere(void **state)
{
	unsigned missing = 0;

	(void)state;
	visit_all(note_whether_possible);
	for (unsigned i = 0; i < n_met; i++)
		if (!possible[i]) {
			print_message("no counters of any CPU hold: %s\n", met[i]->name);
			missing++;
		}
	assert_int_equal(missing, 0);
	assert_true(n_met > 60);
}

static unsigned ladders, told[FAULTS];

static void hold_against_faults(const struct pmu *pmu, const struct found *f)
{
	if (!is_ladder(f))
		return;
	ladders++;
	if (breaks(f, SOUND) >= 0)
		fail_msg("%s: %s does not hold for %d instructions in a cycle", pmu->model, f->identity->name,
			 breaks(f, SOUND));
	for (enum fault fault = GREATER; fault < FAULTS; fault++)
		told[fault] += breaks(f, fault) >= 0;
}

static void ladders_hold_for_any_width_and_tell_faults(void **state)
{
	(void)state;
	visit_all(hold_against_faults);
	assert_true(ladders > 100);
	for (enum fault fault = GREATER; fault < FAULTS; fault++)
		assert_true(told[fault] > 0);
}

/* --- by what the events mean ---------------------------------------------------------------------------- */

/* Shares of each quantity in each ring, with sums of kinds taken apart. */
struct shares {
	int of[Q_COUNT][2];
};

static void share(struct shares *s, enum quantity q, unsigned rings, int coefficient)
{
	static const struct {
		quantity_number whole, part[7];
	} sums[] = {{Q_BRANCHES,
		     {Q_BR_COND, Q_BR_JMP_DIRECT, Q_BR_JMP_INDIRECT, Q_BR_CALL_DIRECT, Q_BR_CALL_INDIRECT,
		      Q_BR_RET, Q_BR_FAR}},
		    {Q_BR_COND, {Q_BR_COND_TAKEN, Q_BR_COND_NTAKEN}},
		    {Q_BR_MISPRED, {Q_BR_MISPRED_TAKEN, Q_BR_MISPRED_NTAKEN}}};

	for (unsigned i = 0; i < sizeof sums / sizeof sums[0]; i++)
		if (sums[i].whole == q) {
			for (unsigned k = 0; k < 7 && sums[i].part[k]; k++)
				share(s, (enum quantity)sums[i].part[k], rings, coefficient);
			return;
		}
	for (unsigned ring = 0; ring < 2; ring++)
		s->of[q][ring] += rings >> ring & 1 ? coefficient : 0;
}

static unsigned vanishing;

/* Where nothing is left of an equation it is one, not a bound. */
static void hold_against_meanings(const struct pmu *pmu, const struct found *f)
{
	static const struct shares none;
	struct shares s = {0};

	for (unsigned i = 0; i < f->n; i++) {
		const struct event_request *r = &f->request[i];

		if (event_is_filtered(r) || event_is_micro(r->event) || r->event->judgement != EVENT_EXACT ||
		    r->config.code != r->event->code || r->config.any_thread)
			return;
		for (unsigned k = 0; k < EVENT_TERMS && r->event->terms[k].coefficient; k++)
			share(&s, (enum quantity)r->event->terms[k].quantity, r->config.levels,
			      f->identity->term[i].coefficient * r->event->terms[k].coefficient);
	}
	if (memcmp(&s, &none, sizeof s))
		return;
	vanishing++;
	if (f->identity->relation & IDENTITY_NOT_NEGATIVE)
		fail_msg("%s: %s is an equation, not a bound", pmu->name, f->identity->name);
}

static void equations_are_no_bounds(void **state)
{
	(void)state;
	visit_all(hold_against_meanings);
	assert_true(vanishing > 20);
}

/* The other side: an equation with a top that is too low does not hold, and nine events fit no counters. */
static void one_that_asks_too_much_is_found(void **state)
{
	static const struct pmu_identity low_top = {
		"two are the most",
		"",
		IDENTITY_ZERO,
		{{1, "INST_RETIRED.ANY_P:c=1"}, {1, "INST_RETIRED.ANY_P:c=2"}, {-1, "INST_RETIRED.ANY_P"}}};
	static const struct pmu_identity wide = {"nine",
						 "",
						 IDENTITY_NOT_NEGATIVE,
						 {{1, "INST_RETIRED.ANY_P"},
						  {-1, "INST_RETIRED.ANY_P:c=1"},
						  {-1, "INST_RETIRED.ANY_P:c=2"},
						  {-1, "INST_RETIRED.ANY_P:c=3"},
						  {-1, "INST_RETIRED.ANY_P:c=4"},
						  {-1, "INST_RETIRED.ANY_P:c=5"},
						  {-1, "INST_RETIRED.ANY_P:c=6"},
						  {-1, "INST_RETIRED.ANY_P:c=7"},
						  {-1, "INST_RETIRED.ANY_P:c=8"}}};
	static struct pmu pmu;
	struct found f;
	const char *why;

	(void)state;
	fake_cpu_start(model_profile_by_name("intel-icelake"), NULL);
	assert_true(pmu_find(NULL, &pmu, &why));
	pmu.driver->list_events(&pmu);
	assert_true(find(&pmu, &low_top, &f));
	assert_true(is_ladder(&f) && fits_at_once(&pmu, &f));
	assert_int_equal(breaks(&f, SOUND), 3);
	assert_true(find(&pmu, &wide, &f));
	assert_true(needs_one_run(&f) && !fits_at_once(&pmu, &f));
	assert_int_equal(breaks(&f, SOUND), -1);
	fake_cpu_stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equations_are_no_bounds),
		cmocka_unit_test(each_can_be_tried_on_silicon_somewhere),
		cmocka_unit_test(ladders_hold_for_any_width_and_tell_faults),
		cmocka_unit_test(one_that_asks_too_much_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
