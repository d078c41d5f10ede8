/*
 * The intervals that kernels declare for caches, TLBs, prediction and forwarding, against the machine model:
 * this processor runs each kernel step by step and the model of each virtual CPU follows.
 */
#include "pmu/account.h"
#include "pmu/machine_model.h"
#include "tests/host/support/stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

static const uint64_t turns[] = {1, 7, 30};
#define TURNS (sizeof(turns) / sizeof(turns[0]))

/* Real chains are made from the real processor's geometry, and only in the image. */

static unsigned compared;

static struct uarch *follower;
static struct qvec followed;

static void follow(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next)
{
	struct qterm terms[ACCOUNT_TERMS], effects[MACHINE_TERMS];
	unsigned n = account_retired(did, terms);

	account_add(&followed, effects, machine_retired(follower, did, code, rip, next, terms, n, effects));
}

/* How many of the kernel's intervals the model leaves at N = n. */
static unsigned outside(const struct kernel *k, uint64_t n, const struct qvec *seen)
{
	unsigned count = 0;

	for (const uint8_t *q = machine_quantities; *q != Q_COUNT; q++) {
		struct amount a = kernel_amount(k, *q, n);

		if (!a.defined)
			continue;
		compared++;
		if ((int64_t)seen->v[*q] >= a.low && (int64_t)seen->v[*q] <= a.high)
			continue;
		count++;
		printf("%s, N = %lu: %s: %ld to %ld declared, the model says %lu\n", k->name, n,
		       quantity_info[*q].name, a.low, a.high, seen->v[*q]);
	}
	return count;
}

/* The second run is looked at, as the harness touches code and data before it measures. */
static void run_warm(const struct kernel *k, uint64_t n, struct qvec *seen)
{
	assert_null(stepper_run(k, n, seen));
	followed = (struct qvec){{0}};
	assert_null(stepper_run(k, n, seen));
	for (const uint8_t *q = machine_quantities; *q != Q_COUNT; q++)
		seen->v[*q] = followed.v[*q];
}

static struct uarch *machine_of(const struct model_profile *profile)
{
	struct uarch_geometry g = machine_geometry(profile);
	void *memory = malloc(uarch_size(&g));

	assert_non_null(memory);
	return uarch_create(memory, &g);
}

/* Most kernels have but one interval, that of the branch which closes the loop: those run once, to save time.
 */
static unsigned runs_of(const struct kernel *k, const struct model_profile *const *p)
{
	if (stepper_unfit(k) || (k->flags & KERNEL_SERVICE_CHAINS) || k->range == k->range_end)
		return 0;
	return k->range_end - k->range > 1 ? TURNS : p == model_profiles;
}

static void every_interval_holds(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (const struct model_profile *const *p = model_profiles; *p; p++) {
		struct uarch *machine = machine_of(*p);

		follower = machine;
		stepper_watch(follow);
		for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
			unsigned runs = runs_of(k, p);

			for (unsigned i = TURNS - runs; i < TURNS; i++) {
				struct qvec seen;

				run_warm(k, turns[i], &seen);
				bad += outside(k, turns[i], &seen);
			}
		}
		stepper_watch(NULL);
		free(machine);
	}
	assert_int_equal(bad, 0);
	assert_true(compared > 500);
}

static void a_wrong_interval_shows(void **state)
{
	const struct kernel *k = kernel_by_name("branches_random");
	struct uarch *machine = machine_of(model_profiles[0]);
	struct qvec seen;

	(void)state;
	assert_non_null(k);
	follower = machine;
	stepper_watch(follow);
	run_warm(k, 30, &seen);
	assert_int_equal(outside(k, 30, &seen), 0);
	assert_true(kernel_falsify(k, Q_BR_MISPRED, 0, -1000000));
	assert_int_equal(outside(k, 30, &seen), 1);
	kernel_restore();
	assert_true(kernel_falsify(k, Q_BR_MISPRED, 0, 1000000));
	assert_int_equal(outside(k, 30, &seen), 1);
	kernel_restore();
	stepper_watch(NULL);
	free(machine);
}

static int set_up(void **state)
{
	const char *why;

	(void)state;
	kernels_unpack();
	why = stepper_start();
	if (why)
		printf("%s\n", why);
	return why ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	stepper_stop();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_interval_holds),
		cmocka_unit_test(a_wrong_interval_shows),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
