/*
 * Whether tests and kernels would notice a wrong machine model.
 *
 * Every kernel that may run in user mode is single-stepped once on this processor, and what it did is kept;
 * of one with a ring of code its path is read off the code. The machine of each virtual CPU then runs it
 * again: warmed by the largest N, at N, 2N and 3N. All quantities that the machine gives must lie within what
 * the kernel declares, or within the family-wide bounds. Then the machine is broken, in each of the ways that
 * inject= offers and by each mutant of its rules: some kernel must leave its interval, or, for mutants, a
 * test of the rules must fail.
 */
#include "mutants/pmu/virtual/uarch.c"
#include "mutants/uarch_mutants.h"

#include "tests/self/host/uarch_rule_tests.h"

#include "pmu/virtual/injections.h"
#include "pmu/virtual/machine_model.h"
#include "tests/judge/bounds.h"
#include "tests/self/host/support/mutation.h"
#include "tests/self/host/support/replay.h"
#include "tests/self/host/support/skip.h"
#include "tests/self/host/support/stepper.h"

#include <stdio.h>

int model_mutant;

static const char *fault_name(unsigned fault)
{
	struct injection known;
	unsigned i = 0;

	while (injection_at(model_profile(0)->model, i, &known) &&
	       !(known.owner == INJECTION_MACHINE && known.bit == fault))
		i++;
	return known.name;
}

static const char *const mutants[] = {"none",
#define TEXT(id, text) text,
				      UARCH_MUTANTS(TEXT)};

#define CAUGHT_BY_KERNELS 25 /* of the mutants, at least */

/* --- what kernels do -------------------------------------------------------------------------------- */

#define MULTIPLES 3
#define TURNS     5

static struct traced_kernel {
	const struct kernel *kernel;
	struct trace trace[MULTIPLES];
	struct trace round; /* of a ring of code: once through all of it */
} * traced;
static unsigned n_traced;

static void record_all(void)
{
	traced = calloc((size_t)(kernels_end - kernels_begin), sizeof *traced);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		unsigned turns = trace_ring_turns(k); /* of a path that is read off the code */
		const char *why =
			turns ? trace_record(&traced[n_traced].round, k, turns, 0) : stepper_unfit(k);

		for (unsigned i = 0; i < MULTIPLES && !why; i++) {
			why = trace_record(&traced[n_traced].trace[i], k, TURNS * (i + 1), turns);
			turns += TURNS * (i + 1);
		}
		traced[n_traced].kernel = k;
		n_traced += !why;
	}
}

/* @return the first quantity of which the machine shows an amount that kernel k cannot produce; Q_COUNT if
 * none */
static enum quantity leaves_interval(struct traced_kernel *t, struct uarch *machine,
				     const struct machine_geometry *g, char *text, size_t size)
{
	quantity_number given[MACHINE_QUANTITIES];
	struct replay r;

	if (!replay_begin(&r, machine, g, t->kernel))
		return Q_COUNT; /* there is no such cache */
	unsigned n_given = machine_quantities(given);
	replay_run(&r, t->round.count ? &t->round : &t->trace[MULTIPLES - 1]);
	for (unsigned i = 0; i < MULTIPLES; i++) {
		const struct qvec *total = replay_run(&r, &t->trace[i]);
		uint64_t n = TURNS * (i + 1);

		for (const quantity_number *q = given; q < given + n_given; q++) {
			struct amount a = bounds_amount(t->kernel, (enum quantity) * q, n);
			int64_t seen = (int64_t)total->v[*q];

			assert_true(a.defined && !a.overflow);
			if (seen >= a.low && seen <= a.high)
				continue;
			snprintf(text, size, "%s, N = %lu: %ld %s, not %ld to %ld", t->kernel->name, n, seen,
				 quantity_info[*q].name, a.low, a.high);
			return (enum quantity) * q;
		}
	}
	return Q_COUNT;
}

/* @return how many kernels leave an interval, one is enough if `first`; text says of the last how */
static unsigned kernels_outside(const struct model_profile *profile, uint32_t faults, bool first, char *text,
				size_t size)
{
	struct machine_geometry g = machine_geometry(profile);
	struct uarch *machine = replay_machine(&g);
	unsigned outside = 0;

	uarch_break(machine, faults);
	for (unsigned i = 0; i < n_traced && !(first && outside); i++)
		if (leaves_interval(&traced[i], machine, &g, text, size) != Q_COUNT) {
			outside++;
			if (!first)
				printf("%s: %s\n", profile->name, text);
		}
	free(machine);
	return outside;
}

static void kernels_are_inside(void **state)
{
	unsigned outside = 0;
	char text[160];

	(void)state;
	if (n_traced == 0)
		skip_because("no kernel could be traced on this machine");
	assert_in_range(n_traced, 90, 10000);
	const struct model_profile *p;
	for (unsigned at = 0; (p = model_profile(at)); at++)
		outside += kernels_outside(p, 0, false, text, sizeof text);
	assert_int_equal(outside, 0);
}

static void kernels_notice_faults(void **state)
{
	unsigned survivors = 0;

	(void)state;
	if (n_traced == 0)
		skip_because("no kernel could be traced on this machine");
	for (unsigned f = 0; f < UARCH_FAULTS; f++) {
		char text[160] = "";
		bool caught = kernels_outside(model_profile_by_name("intel-nehalem"), 1u << f, true, text,
					      sizeof text);

		printf("%s %s: %s\n", caught ? "caught  " : "SURVIVES", fault_name(f), text);
		survivors += !caught;
	}
	assert_int_equal(survivors, 0);
}

/* --- mutants ---------------------------------------------------------------------------------------- */

static void every_mutant_is_caught(void **state)
{
	const struct CMUnitTest tests[] = {UARCH_RULE_TESTS};
	const size_t n_tests = sizeof tests / sizeof tests[0];
	unsigned survivors = 0, by_kernels = 0;

	(void)state;
	assert_int_equal(mutation_failures(&model_mutant, UARCH_UNBROKEN, tests, n_tests), 0);
	for (int m = 1; m < UARCH_MUTANTS_END; m++) {
		char text[160] = "no kernel notices";
		int rules = mutation_failures(&model_mutant, m, tests, n_tests);

		model_mutant = m;
		bool kernel =
			kernels_outside(model_profile_by_name("intel-nehalem"), 0, true, text, sizeof text);
		model_mutant = UARCH_UNBROKEN;
		printf("%s %2d %s (%d rules; %s)\n", rules > 0 || kernel ? "caught  " : "SURVIVES", m,
		       mutants[m], rules, text);
		by_kernels += kernel;
		survivors += rules <= 0 && !kernel;
	}
	printf("mutants of the machine model: %d, caught: %d, by kernels: %u\n", UARCH_MUTANTS_END - 1,
	       UARCH_MUTANTS_END - 1 - (int)survivors, by_kernels);
	assert_int_equal(survivors, 0);
	if (n_traced)
		assert_in_range(by_kernels, CAUGHT_BY_KERNELS, UARCH_MUTANTS_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_inside),
		cmocka_unit_test(kernels_notice_faults),
		cmocka_unit_test(every_mutant_is_caught),
	};
	const char *why;
	int failed;

	kernels_unpack();
	why = stepper_start();

	if (why) {
		printf("kernels cannot be stepped here: %s\n", why);
	} else {
		record_all();
		stepper_stop();
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (unsigned i = 0; i < n_traced; i++) {
		trace_free(&traced[i].round);
		for (unsigned n = 0; n < MULTIPLES; n++)
			trace_free(&traced[i].trace[n]);
	}
	free(traced);
	return failed;
}
