/*
 * How the suite `control` tries a check: again where an SMI broke in, and a second time where only time tells
 * of SMIs; and what it leaves out where something is lacking. The PMU is by script, the watch for SMIs the
 * test's.
 */
#include "tests/suites/control.c"

#include "tests/self/host/support/scripted_pmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define GAP 1000

static struct trial {
	bool fails, refused, smi;
	uint64_t took;
} tries[INTRUSION_TRIES];
static unsigned n_tries, resets, stale_seen;
static enum intrusion_source source;
static int watches;
static bool refuse_reset;

void intrusion_watch_open(struct intrusion_watch *w, bool virtual)
{
	(void)virtual;
	*w = (struct intrusion_watch){.source = (uint8_t)source, .gap = GAP};
	watches++;
}

void intrusion_watch_close(const struct intrusion_watch *w)
{
	(void)w;
	watches--;
}

void intrusion_watch_kind(struct intrusion_watch *w)
{
	(void)w;
}

void intrusion_watch_begin(struct intrusion_watch *w)
{
	(void)w;
}

bool intrusion_watch_end(struct intrusion_watch *w)
{
	w->took = tries[n_tries - 1].took;
	return tries[n_tries - 1].smi;
}

const char *intrusion_source_name(enum intrusion_source s)
{
	(void)s;
	return "";
}

bool intrusion_gap(uint64_t *fastest, uint64_t took, uint64_t gap)
{
	(void)fastest;
	return took > gap;
}

void intrusion_imitate(void)
{
}

unsigned intrusion_imitated(void)
{
	return 0;
}

/* --- what no test here comes to --------------------------------------------------------------------- */

const char overflow_absent[] = "there is no line", overflow_entry[] = "entry";

bool register_read(enum register_space space, uint64_t number, uint64_t *value)
{
	(void)space;
	(void)number;
	*value = 0;
	return false;
}

bool register_write(enum register_space space, uint64_t number, uint64_t value)
{
	(void)space;
	(void)number;
	(void)value;
	return false;
}

void vpmu_power_up(void)
{
}

void trap_abort(int vector)
{
	(void)vector;
	abort();
}

void control_of_the_family(struct run *run)
{
	(void)run;
}

/* --- tests ------------------------------------------------------------------------------------------ */

bool must_work(struct probe *p, const char *what, bool ok)
{
	if (!ok)
		p->refused = what;
	return ok;
}

uint64_t status_of(struct probe *p)
{
	(void)p;
	return 6;
}

static void scripted_check(struct probe *p)
{
	const struct trial *t;

	assert_true(n_tries < INTRUSION_TRIES);
	t = &tries[n_tries++];
	/* Each try begins afresh. */
	assert_int_equal(p->compared, 0);
	assert_false(p->failed);
	assert_null(p->refused);
	stale_seen += p->stale != 0;
	p->compared = 1;
	p->failed = t->fails;
	p->observed = n_tries;
	if (t->refused)
		p->refused = "something";
}

static const struct control_check check = {.name = "of this test", .scope = PER_PMU, .check = scripted_check};
const struct control_check control_counting[] = {{.name = NULL}}, control_overflow[] = {{.name = NULL}},
			   control_instruction_set[] = {{.name = NULL}};

static bool reset(const struct pmu *pmu, const char **why)
{
	(void)pmu;
	*why = "";
	resets++;
	return !refuse_reset;
}

static struct pmu_driver driver;

/* @return what the tries left */
static struct stepped carry(enum intrusion_source by, const struct trial *of, unsigned n)
{
	struct stepped s = {.check = &check};

	scripted_start("I");
	driver = *scripted.pmu.driver;
	driver.reset = reset;
	scripted.pmu.driver = &driver;
	s.probe.pmu = &scripted.pmu;
	source = by;
	n_tries = resets = stale_seen = 0;
	watches = 0;
	memset(tries, 0, sizeof tries);
	memcpy(tries, of, n * sizeof *of);
	run_check(&s);
	assert_int_equal(resets, n_tries);
	assert_int_equal(watches, 0);
	return s;
}

static void undisturbed_checks_are_tried_once(void **state)
{
	static const struct trial good = {.took = 10}, bad = {.fails = true, .took = 10};

	(void)state;
	for (unsigned by = INTRUSION_NONE; by <= INTRUSION_COUNTER; by++)
		for (unsigned fails = 0; fails < 2; fails++) {
			struct stepped s = carry(by, fails ? &bad : &good, 1);

			assert_int_equal(n_tries, 1);
			assert_int_equal(s.tries, 1);
			assert_false(s.disturbed);
			assert_int_equal(s.probe.failed, fails);
		}
	carry(INTRUSION_CLOCK, &good, 1);
	assert_int_equal(n_tries, 1);
}

static void what_an_smi_broke_into_is_tried_again(void **state)
{
	struct trial by_turns[INTRUSION_TRIES];

	(void)state;
	for (unsigned n = 1; n <= INTRUSION_TRIES; n++) {
		for (unsigned i = 0; i < INTRUSION_TRIES; i++)
			by_turns[i] = (struct trial){.fails = i < n, .smi = i < n};
		struct stepped s = carry(INTRUSION_COUNTER, by_turns, INTRUSION_TRIES);
		bool came_clean = n < INTRUSION_TRIES;

		assert_int_equal(n_tries, n + came_clean);
		assert_int_equal(s.tries, n_tries);
		assert_int_equal(s.disturbed, !came_clean);
		assert_int_equal(s.probe.failed, !came_clean);
		assert_int_equal(s.probe.observed, n_tries);
	}
}

/* Where only time tells: a failure that took longer by more than an SMI takes than the second try is not
 * believed; every other one is. */
static void a_failure_is_held_against_the_clock(void **state)
{
	static const struct {
		struct trial first, second;
		unsigned believed;
	} cases[] = {
		{{.fails = true, .took = 5 + GAP + 1}, {.took = 5}, 2},
		{{.fails = true, .took = 5 + GAP}, {.took = 5}, 1},
		{{.fails = true, .took = 5}, {.took = 5}, 1},
		{{.fails = true, .took = 5}, {.took = 5 + 3 * GAP}, 1},
		{{.refused = true, .took = 5 + 2 * GAP}, {.took = 5}, 2},
		{{.refused = true, .took = 5}, {.took = 5}, 1},
		{{.fails = true, .took = 5 + 2 * GAP}, {.fails = true, .took = 5}, 2},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct trial both[2] = {cases[i].first, cases[i].second};
		struct stepped s = carry(INTRUSION_CLOCK, both, 2);

		assert_int_equal(n_tries, 2);
		assert_int_equal(s.tries, 2);
		assert_int_equal(s.probe.observed, cases[i].believed);
		assert_int_equal(s.probe.failed, both[cases[i].believed - 1].fails);
	}
}

static void what_cannot_be_reset_is_told(void **state)
{
	static const struct trial good = {.took = 10};

	(void)state;
	refuse_reset = true;
	struct stepped s = {.check = &check, .probe.pmu = &scripted.pmu};
	n_tries = resets = 0;
	run_check(&s);
	refuse_reset = false;
	assert_int_equal(n_tries, 0);
	assert_non_null(s.probe.refused);
	carry(INTRUSION_NONE, &good, 1);
}

/* The verdict. */
static void seen_is_concluded(void **state)
{
	(void)state;
	for (unsigned what = 0; what < 4; what++) {
		struct result r = {.n_observations = 0};
		struct probe p = {.pmu = &scripted.pmu,
				  .compared = what != 3,
				  .expected = 5,
				  .observed = what == 1 ? 7 : 5,
				  .failed = what == 1,
				  .what = "it was",
				  .refused = what == 2 ? "starting" : NULL};

		probe_conclude(&p, &r);
		assert_int_equal(r.judgement.verdict, what == 0   ? VERDICT_EXACT
						      : what == 3 ? VERDICT_ERROR
								  : VERDICT_WRONG);
		if (what == 1)
			assert_string_equal(r.judgement.text, "it was 0x5, observed 0x7");
		if (what == 2)
			assert_string_equal(r.judgement.text, "starting was answered with a fault");
	}
}

/* Each thing that a check needs, and what is said where it is missing. */
static void what_is_lacking_is_told(void **state)
{
	struct control_check c = check;

	(void)state;
	scripted_start("I");
	driver = *scripted.pmu.driver;
	scripted.pmu.driver = &driver;
	c.rung = 0;
	scripted.pmu.has_global = scripted.pmu.has_pmi = true;
	driver.cascade = NULL;
	c.needs = NEED_GLOBAL;
	assert_null(pmu_lacks(&scripted.run, &c));
	scripted.pmu.has_global = false;
	assert_string_equal(pmu_lacks(&scripted.run, &c), "the PMU has no global enable");
	c.needs = NEED_CASCADE;
	assert_string_equal(pmu_lacks(&scripted.run, &c), "no counter starts another");
	c.needs = NEED_INTERRUPT;
	assert_null(pmu_lacks(&scripted.run, &c));
	scripted.pmu.has_pmi = false;
	assert_string_equal(pmu_lacks(&scripted.run, &c), "the PMU has no overflow interrupt");
	c.needs = NEED_NEIGHBOUR | NEED_INTERRUPT;
	assert_string_equal(pmu_lacks(&scripted.run, &c), "the PMU has no overflow interrupt");
	c.needs = NEED_NEIGHBOUR;
	assert_null(pmu_lacks(&scripted.run, &c));
	scripted.pmu.n_counters = 1;
	assert_string_equal(pmu_lacks(&scripted.run, &c), "there are no two counters to try it with");

	for (unsigned i = 0; i < 4; i++) {
		struct pmu_counter *counter = &scripted.pmu.counter[i];

		scripted.pmu.n_counters = SCRIPTED_COUNTERS;
		counter->has_status = counter->has_interrupt = true;
		c.needs = NEED_STATUS | NEED_INTERRUPT | NEED_EXACT;
		assert_null(counter_lacks(&scripted.run, &c, i));
		counter->has_interrupt = false;
		assert_string_equal(counter_lacks(&scripted.run, &c, i), "it cannot interrupt");
		counter->has_status = false;
		assert_string_equal(counter_lacks(&scripted.run, &c, i), "it has no overflow status");
		c.needs = NEED_CLOCK;
		assert_string_equal(counter_lacks(&scripted.run, &c, i), "what it counts is no clock");
		c.needs = NEED_CASCADE;
		assert_string_equal(counter_lacks(&scripted.run, &c, i),
				    "no other counter's overflow can start it");
	}
	scripted_start("C");
	c.needs = NEED_CLOCK;
	assert_null(counter_lacks(&scripted.run, &c, 0));
	c.needs = NEED_EXACT;
	assert_string_equal(counter_lacks(&scripted.run, &c, 0), "what it counts is not known as a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(undisturbed_checks_are_tried_once),
		cmocka_unit_test(what_an_smi_broke_into_is_tried_again),
		cmocka_unit_test(a_failure_is_held_against_the_clock),
		cmocka_unit_test(what_cannot_be_reset_is_told),
		cmocka_unit_test(seen_is_concluded),
		cmocka_unit_test(what_is_lacking_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
