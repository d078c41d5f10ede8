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
#include <string.h>

static const uint64_t turns[] = {1, 7, 30};
#define TURNS (sizeof(turns) / sizeof(turns[0]))

static unsigned compared;

/* What the model showed of a kernel's quantity, over all virtual CPUs and N: how near it came to the bounds,
 * and where. */
struct nearness {
	unsigned samples;
	struct {
		int64_t room;
		uint64_t n, seen;
	} low, high;
	uint64_t least, most, most_allowed; /* for the largest N */
};
static struct nearness *nearness; /* [kernel][quantity] */

static struct nearness *near(const struct kernel *k, enum quantity q)
{
	return &nearness[(size_t)(k - kernels_begin) * Q_COUNT + q];
}

static void note_nearness(const struct kernel *k, enum quantity q, uint64_t n, uint64_t seen,
			  const struct amount *a)
{
	struct nearness *near_it = near(k, q);
	int64_t low = (int64_t)seen - a->low, high = a->high - (int64_t)seen;

	if (!near_it->samples)
		near_it->least = UINT64_MAX;
	if (!near_it->samples || low < near_it->low.room)
		near_it->low.room = low, near_it->low.n = n, near_it->low.seen = seen;
	if (!near_it->samples || high < near_it->high.room)
		near_it->high.room = high, near_it->high.n = n, near_it->high.seen = seen;
	if (n == turns[TURNS - 1] && seen >= near_it->most)
		near_it->most = seen, near_it->most_allowed = (uint64_t)a->high;
	if (n == turns[TURNS - 1] && seen < near_it->least)
		near_it->least = seen;
	near_it->samples++;
}

/* Machines that follow what is stepped, which costs more than all of them. */
#define FOLLOWERS 64
static struct uarch *followers[FOLLOWERS];
static struct qvec followed[FOLLOWERS];
static unsigned n_followers;

static void follow(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next)
{
	struct qterm terms[ACCOUNT_TERMS], effects[MACHINE_TERMS];
	unsigned n = account_retired(did, terms);
	bool denormal = stepper_denormal(did, code, terms, n);

	for (unsigned i = 0; i < n_followers; i++)
		account_add(&followed[i], effects,
			    machine_retired(followers[i], did, code, rip, next, terms, n, denormal, effects));
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
		note_nearness(k, *q, n, seen->v[*q], &a);
		if ((int64_t)seen->v[*q] >= a.low && (int64_t)seen->v[*q] <= a.high)
			continue;
		count++;
		printf("%s, N = %lu: %s: %ld to %ld declared, the model says %lu\n", k->name, n,
		       quantity_info[*q].name, a.low, a.high, seen->v[*q]);
	}
	return count;
}

/* The second run is looked at, as the harness touches code and data before it measures. What each follower
 * saw is in followed[]. */
static void run_warm(const struct kernel *k, uint64_t n)
{
	struct qvec seen;

	assert_null(stepper_run(k, n, &seen));
	memset(followed, 0, sizeof followed);
	assert_null(stepper_run(k, n, &seen));
}

static struct uarch *machine_of(const struct model_profile *profile)
{
	struct uarch_geometry g = machine_geometry(profile);
	void *memory = malloc(uarch_size(&g));
	uint64_t start, end, distance;
	struct uarch *machine;

	assert_non_null(memory);
	machine = uarch_create(memory, &g);
	stepper_code_alias(&start, &end, &distance);
	uarch_code_alias(machine, start, end, distance);
	return machine;
}

/* Most kernels have but one interval, that of the branch which closes the loop: the first machine follows
 * those, at one N. */
static bool brief(const struct kernel *k)
{
	return k->range_end - k->range == 1;
}

static bool followed_at_all(const struct kernel *k)
{
	return !stepper_unfit(k) && !(k->flags & KERNEL_SERVICE_CHAINS) && k->range != k->range_end;
}

static void every_interval_holds(void **state)
{
	unsigned bad = 0, machines = 0;

	(void)state;
	for (; model_profiles[machines]; machines++) {
		assert_true(machines < FOLLOWERS);
		followers[machines] = machine_of(model_profiles[machines]);
	}
	stepper_watch(follow);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		n_followers = brief(k) ? 1 : machines;
		for (unsigned i = brief(k) ? TURNS - 1 : 0; i < TURNS && followed_at_all(k); i++) {
			run_warm(k, turns[i]);
			for (unsigned m = 0; m < n_followers; m++)
				bad += outside(k, turns[i], &followed[m]);
		}
	}
	stepper_watch(NULL);
	while (machines--)
		free(followers[machines]);
	assert_int_equal(bad, 0);
	assert_true(compared > 500);
}

static void a_wrong_interval_shows(void **state)
{
	const struct kernel *k = kernel_by_name("branches_random");

	(void)state;
	assert_non_null(k);
	followers[0] = machine_of(model_profiles[0]);
	n_followers = 1;
	stepper_watch(follow);
	run_warm(k, 30);
	assert_int_equal(outside(k, 30, &followed[0]), 0);
	assert_true(kernel_falsify(k, Q_BR_MISPRED, 0, -1000000));
	assert_int_equal(outside(k, 30, &followed[0]), 1);
	kernel_restore();
	assert_true(kernel_falsify(k, Q_BR_MISPRED, 0, 1000000));
	assert_int_equal(outside(k, 30, &followed[0]), 1);
	kernel_restore();
	stepper_watch(NULL);
	free(followers[0]);
}

#define TOUCHED 15 /* bounds, at least */

/* Where the model sits on a bound, the bound moved by one must be noticed. */
static unsigned missed_moves(const struct kernel *k, enum quantity q, unsigned *touched)
{
	const struct nearness *it = near(k, q);
	unsigned missed = 0;

	if (it->samples && it->low.room == 0) {
		(*touched)++;
		assert_true(kernel_falsify(k, q, 0, 1));
		missed += (int64_t)it->low.seen >= kernel_amount(k, q, it->low.n).low;
		kernel_restore();
	}
	if (it->samples && it->high.room == 0) {
		(*touched)++;
		assert_true(kernel_falsify(k, q, 0, -1));
		missed += (int64_t)it->high.seen <= kernel_amount(k, q, it->high.n).high;
		kernel_restore();
	}
	return missed;
}

static void a_bound_moved_by_one_shows(void **state)
{
	unsigned touched = 0, missed = 0;

	(void)state;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		for (const uint8_t *q = machine_quantities; *q != Q_COUNT; q++)
			missed += missed_moves(k, *q, &touched);
	printf("the model sits on %u bounds; moved by one, %u go unnoticed\n", touched, missed);
	assert_true(touched >= TOUCHED);
	assert_int_equal(missed, 0);
}

#define LOOSE       16 /* intervals, at most: one more is a reason to look at all of them */
#define ROOM_FACTOR 10
#define ROOM_FIXED  64 /* what is learnt or fetched once */

/* Bounds that the model cannot test are listed. Silicon may need the room; then the signature says why. */
static bool loose(const struct kernel *k, enum quantity q)
{
	const struct nearness *it = near(k, q);
	struct amount a = kernel_amount(k, q, turns[TURNS - 1]);
	bool low = it->samples && a.low == 0 && it->least >= turns[TURNS - 1] / 2;
	bool high = it->samples && it->most_allowed > ROOM_FACTOR * it->most + ROOM_FIXED;

	if (!low && !high)
		return false;
	printf("loose: %s, %s: %s%s%s: %s\n", k->name, quantity_info[q].name,
	       low ? "may be 0, but the model shows some in every turn" : "", low && high ? "; " : "",
	       high ? "more than ten times what the model shows" : "", a.reason ? a.reason : "no reason");
	assert_non_null(a.reason);
	return true;
}

static void loose_bounds_have_a_reason(void **state)
{
	unsigned count = 0;

	(void)state;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		for (const uint8_t *q = machine_quantities; *q != Q_COUNT; q++)
			count += loose(k, *q);
	printf("%u intervals are loose\n", count);
	assert_true(count <= LOOSE);
}

static int set_up(void **state)
{
	const char *why;

	(void)state;
	kernels_unpack();
	why = stepper_start();
	if (why)
		printf("%s\n", why);
	nearness = calloc((size_t)(kernels_end - kernels_begin) * Q_COUNT, sizeof *nearness);
	return why || !nearness ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	stepper_stop();
	free(nearness);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_interval_holds),
		cmocka_unit_test(a_bound_moved_by_one_shows),
		cmocka_unit_test(loose_bounds_have_a_reason),
		cmocka_unit_test(a_wrong_interval_shows),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
