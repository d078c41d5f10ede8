/*
 * Every number of every signature.
 *
 * This processor runs each kernel step by step (where it cannot, the path is read off the code). What is
 * architectural must be as declared. What depends on the micro-architecture (cycles, caches, TLBs,
 * prediction, forwarding, clears, assists, transitions) is shown by machines that run the trace: the model of
 * each virtual CPU, which must stay inside each interval, and for both ends of the interval its extreme
 * machine (tests/self/host/support/extremes.h), which must come to that end and not beyond. Then every number
 * is changed by one, up and down, slope and fixed part: each change must make that kernel fail, and no other.
 *
 * `test_bounds` leaves out, and names, those architectural numbers whose kernels have handlers or guests,
 * which a host process has not; `test_bounds FILE` has them from a file (kernel_counts_read()), so that it
 * changes all numbers, for tests/self/boot/signatures.t; `test_bounds --left` prints the names of those
 * kernels.
 */
#include "tests/self/host/support/extremes.h"
#include "tests/self/host/support/kernel_counts.h"
#include "tests/self/host/support/replay.h"
#include "tests/self/host/support/other_cpu.h"
#include "tests/self/host/support/stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run has N turns: few, where chance has most room; a square, for what goes by its root; enough for twelve
 * mispredictions; many. */
static const uint64_t sizes[] = {1, 4, 12, 30};
#define SIZES   (sizeof sizes / sizeof sizes[0])
#define LARGEST (SIZES - 1)
#define ROUND   SIZES /* the trace of once through a ring of code */

/* What machines show of one quantity of one kernel. */
struct bounded {
	const struct kernel *kernel;
	enum quantity quantity;
	const struct extreme *extreme;
	unsigned first; /* of the sizes that were run */
	struct {
		uint64_t low, high;             /* the extreme machines */
		uint64_t model_low, model_high; /* the model of all virtual CPUs */
	} seen[SIZES];
};
static struct bounded *intervals;
static unsigned n_intervals;

/* One entry per kernel, in their order; those that nobody could step have no points. */
static struct kernel_counts *counts;
static const char *stepped_elsewhere; /* the file, NULL: none */
_Static_assert(SIZES <= KERNEL_COUNTS_POINTS, "what a kernel does at each size has room");

static bool is_modelled(enum quantity q)
{
	quantity_number machine[MACHINE_QUANTITIES];
	unsigned n_machine = machine_quantities(machine);

	for (const quantity_number *m = machine; m < machine + n_machine; m++)
		if (*m == q)
			return true;
	return false;
}

/* Whether no interval grows with N: then one N tells all, and one model. */
static bool brief(const struct kernel *k)
{
	for (const struct signature_range *r = k->range; r < k->range_end; r++)
		if (r->a_high || quantity_info[r->quantity].class == QUANTITY_ARCH)
			return false;
	return true;
}

/* --- what machines show -------------------------------------------------------------------------------- */

#define MACHINES 64
static struct {
	struct machine_geometry geometry;
	struct uarch *machine;
} machines[MACHINES];
static unsigned n_machines;

/* The run before them: once through the ring of code, or the largest. */
static struct trace *warm(struct trace *traces)
{
	return &traces[trace_ring_turns(traces[LARGEST].kernel) ? ROUND : LARGEST];
}

static void run_extremes(struct bounded *it, struct trace *traces)
{
	for (unsigned i = it->first; i < SIZES; i++) {
		struct extreme_run run = {&traces[i], warm(traces), it->quantity};

		it->seen[i].low = it->extreme->low->count(&run);
		it->seen[i].high = it->extreme->high->count(&run);
		it->seen[i].model_low = UINT64_MAX;
	}
}

static void run_model(struct bounded *its, unsigned n, unsigned machine, struct trace *traces)
{
	struct replay r;

	if (!replay_begin(&r, machines[machine].machine, &machines[machine].geometry, its->kernel))
		return;
	replay_run(&r, warm(traces));
	for (unsigned i = its->first; i < SIZES; i++) {
		const struct qvec *total = replay_run(&r, &traces[i]);

		for (struct bounded *it = its; it < its + n; it++) {
			uint64_t count = total->v[it->quantity];

			if (count < it->seen[i].model_low)
				it->seen[i].model_low = count;
			if (count > it->seen[i].model_high)
				it->seen[i].model_high = count;
		}
	}
}

static const char *reason_of(const struct kernel *k, enum quantity q)
{
	return kernel_amount(k, q, 1).reason;
}

/* @return how many intervals kernel k has; a reason that no extreme knows is printed and counted in *unknown
 */
static unsigned find_intervals(const struct kernel *k, struct bounded *its, unsigned *unknown)
{
	unsigned n = 0;

	for (enum quantity q = 0; q < Q_COUNT; q++) {
		const struct extreme *extreme = extreme_of(q, reason_of(k, q));

		if (quantity_info[q].class == QUANTITY_ARCH || !kernel_amount(k, q, 1).defined)
			continue;
		if (!extreme || (!reason_of(k, q) && !is_modelled(q))) {
			printf("%s, %s: no extreme machine for \"%s\"\n", k->name, quantity_info[q].name,
			       reason_of(k, q));
			(*unknown)++;
			continue;
		}
		its[n++] = (struct bounded){
			.kernel = k, .quantity = q, .extreme = extreme, .first = brief(k) ? LARGEST : 0};
	}
	return n;
}

static void record(struct trace *t, const struct kernel *k, uint64_t n, uint64_t turns_before)
{
	const char *why = trace_record(t, k, n, turns_before);

	if (why)
		printf("%s: %s\n", k->name, why);
	assert_null(why);
}

static void keep_counts(const struct kernel *k, const struct trace *t)
{
	struct kernel_counts *d = &counts[k - kernels_begin];

	d->kernel = k;
	d->point[d->n_points].n = t->n;
	d->point[d->n_points].outcomes = (1u << OUTCOMES) - 1;
	memcpy(d->point[d->n_points++].seen, t->total, sizeof t->total);
}

static void run_kernel(const struct kernel *k, struct trace *traces, unsigned *unknown)
{
	struct bounded *its = intervals + n_intervals;
	unsigned n = find_intervals(k, its, unknown);
	uint64_t ring = trace_ring_turns(k), turns = 0;

	if (ring)
		record(&traces[ROUND], k, ring, 0);
	for (unsigned i = brief(k) ? LARGEST : 0; i < SIZES; i++) {
		record(&traces[i], k, sizes[i], ring + turns);
		turns += sizes[i];
		if (trace_is_whole(k))
			keep_counts(k, &traces[i]);
	}
	for (unsigned i = 0; i < n; i++)
		run_extremes(&its[i], traces);
	for (unsigned m = 0; m < (!n ? 0 : brief(k) ? 1 : n_machines); m++)
		run_model(its, n, m, traces);
	n_intervals += n;
}

static void machines_run(void **state)
{
	struct trace traces[SIZES + 1] = {0};
	unsigned unknown = 0;

	(void)state;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		run_kernel(k, traces, &unknown);
	for (unsigned i = 0; i <= ROUND; i++)
		trace_free(&traces[i]);
	assert_int_equal(unknown, 0);
	assert_in_range(n_intervals, 500, 100000);
}

/* --- whether they are where the signature says --------------------------------------------------------- */

static bool inside(const struct bounded *it, unsigned i, const struct amount *a, bool verbose)
{
	uint64_t low = it->seen[i].low, high = it->seen[i].high;
	bool modelled = is_modelled(it->quantity) && it->seen[i].model_low != UINT64_MAX;

	if (modelled && it->seen[i].model_low < low)
		low = it->seen[i].model_low;
	if (modelled && it->seen[i].model_high > high)
		high = it->seen[i].model_high;
	if (!a->overflow && (int64_t)low >= a->low && (int64_t)high <= a->high)
		return true;
	if (verbose)
		printf("%s, N = %lu: %s: %ld to %ld declared, machines show %lu to %lu\n", it->kernel->name,
		       sizes[i], quantity_info[it->quantity].name, a->low, a->high, low, high);
	return false;
}

/* Turns that a machine needs besides, before it counts anything. */
static uint64_t not_run(const struct extreme_machine *m, uint64_t n)
{
	return m->count == count_not_yet ? TURNS_TO_KNOW - n : 0;
}

/* Whether all machines are inside, and the extreme machines come to both ends. */
static bool holds(const struct bounded *it, bool verbose)
{
	bool in = true, low = false, high = false;

	for (unsigned i = it->first; i < SIZES; i++) {
		struct amount a = kernel_amount(it->kernel, it->quantity, sizes[i]);

		in &= inside(it, i, &a, verbose);
		low |= (int64_t)it->seen[i].low - (int64_t)not_run(it->extreme->low, sizes[i]) == a.low;
		high |= (int64_t)it->seen[i].high == a.high;
	}
	for (unsigned i = it->first; i < SIZES && verbose && !(low && high); i++) {
		struct amount a = kernel_amount(it->kernel, it->quantity, sizes[i]);

		printf("%s, N = %lu: %s: %ld to %ld declared, but %s shows %lu and %s %lu\n",
		       it->kernel->name, sizes[i], quantity_info[it->quantity].name, a.low, a.high,
		       it->extreme->low->name, it->seen[i].low, it->extreme->high->name, it->seen[i].high);
	}
	return in && low && high;
}

static unsigned n_kernels(void)
{
	return (unsigned)(kernels_end - kernels_begin);
}

static void every_deed_is_declared(void **state)
{
	unsigned bad = 0, known = 0;

	(void)state;
	for (unsigned i = 0; i < n_kernels(); i++) {
		known += counts[i].n_points > 0;
		bad += counts[i].n_points && !kernel_counts_agree(&counts[i], true);
	}
	assert_int_equal(bad, 0);
	assert_in_range(known, 90, 10000);
}

static void every_end_is_attained(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (unsigned i = 0; i < n_intervals; i++)
		bad += !holds(&intervals[i], true);
	printf("%u numbers and intervals, of which machines attain both ends: %u\n", n_intervals,
	       n_intervals - bad);
	assert_int_equal(bad, 0);
}

/* An extreme that no signature asks for says nothing. */
static void every_extreme_is_used(void **state)
{
	(void)state;
	for (const struct extreme *c = extremes; c < extremes + n_extremes; c++) {
		unsigned used = 0;

		for (unsigned i = 0; i < n_intervals; i++)
			used += intervals[i].extreme == c;
		if (!used)
			printf("nobody says of %s: %s\n", quantity_info[c->quantity].name, c->reason);
		assert_true(used);
	}
}

/* --- whether a wrong number shows ---------------------------------------------------------------------- */

struct tally {
	unsigned changes, missed;
};

static const int64_t deltas[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
#define DELTAS (sizeof deltas / sizeof deltas[0])

static void count_change(struct tally *t, const struct kernel *k, enum quantity q, enum amount_end end,
			 unsigned delta, bool caught, bool alone)
{
	t->changes++;
	if (caught && alone)
		return;
	t->missed++;
	printf("%s, %s of %s changed by %ld*N%+ld: %s\n", k->name,
	       end == AMOUNT_LOW    ? "low end"
	       : end == AMOUNT_HIGH ? "high end"
				    : "amount",
	       quantity_info[q].name, deltas[delta][0], deltas[delta][1],
	       caught ? "another kernel fails too" : "not noticed");
}

static bool others_hold(const struct bounded *changed)
{
	for (const struct bounded *it = intervals; it < intervals + n_intervals; it++)
		if (it->kernel != changed->kernel && it->quantity == changed->quantity && !holds(it, false))
			return false;
	return true;
}

static void change(const struct bounded *it, enum amount_end end, struct tally *t)
{
	for (unsigned d = 0; d < DELTAS; d++) {
		assert_true(kernel_falsify_end(it->kernel, it->quantity, end, deltas[d][0], deltas[d][1]));
		bool caught = !holds(it, false), alone = others_hold(it);
		kernel_restore();
		count_change(t, it->kernel, it->quantity, end, d, caught, alone);
	}
}

static bool others_agree(const struct kernel_counts *changed, enum quantity q)
{
	for (const struct kernel_counts *d = counts; d < counts + n_kernels(); d++)
		if (d != changed && d->n_points && !kernel_counts_agree_on(d, q))
			return false;
	return true;
}

static void change_deed(const struct kernel_counts *it, enum quantity q, enum amount_end end, struct tally *t)
{
	for (unsigned d = 0; d < DELTAS; d++) {
		assert_true(kernel_falsify_end(it->kernel, q, end, deltas[d][0], deltas[d][1]));
		bool caught = !kernel_counts_agree(it, false), alone = others_agree(it, q);
		kernel_restore();
		count_change(t, it->kernel, q, end, d, caught, alone);
	}
}

static unsigned architectural_ends(const struct kernel *k, enum quantity q)
{
	return quantity_info[q].class != QUANTITY_ARCH ? 0 : reason_of(k, q) ? 2 : 1;
}

static void change_counts(const struct kernel_counts *it, struct tally *t)
{
	static const enum amount_end both[] = {AMOUNT_BOTH}, each[] = {AMOUNT_LOW, AMOUNT_HIGH};

	for (enum quantity q = 0; q < Q_COUNT; q++) {
		unsigned ends = architectural_ends(it->kernel, q);

		for (unsigned e = 0; e < ends; e++)
			change_deed(it, q, ends == 1 ? both[e] : each[e], t);
	}
}

/* How many changes of architectural numbers there are for this kernel. */
static unsigned changes_of(const struct kernel *k)
{
	unsigned changes = 0;

	for (enum quantity q = 0; q < Q_COUNT; q++)
		changes += DELTAS * architectural_ends(k, q);
	return changes;
}

static void every_number_matters(void **state)
{
	struct tally micro = {0}, arch = {0};
	unsigned left = 0, left_changes = 0;

	(void)state;
	for (const struct bounded *it = intervals; it < intervals + n_intervals; it++) {
		if (!reason_of(it->kernel, it->quantity)) {
			change(it, AMOUNT_BOTH, &micro);
			continue;
		}
		change(it, AMOUNT_LOW, &micro);
		change(it, AMOUNT_HIGH, &micro);
	}
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		const struct kernel_counts *d = &counts[k - kernels_begin];

		if (d->n_points) {
			change_counts(d, &arch);
			continue;
		}
		printf("%s: its architectural numbers are left to tests/self/boot/signatures.t: %s\n",
		       k->name, stepper_unfit(k));
		left++;
		left_changes += changes_of(k);
	}
	unsigned missed = micro.missed + arch.missed, all = micro.changes + arch.changes + left_changes,
		 caught = all - missed - left_changes;
	printf("%u of %u changes of a number in %u signatures make that kernel fail, and no other: %.*f %%\n"
	       "(%u of %u of architectural numbers, %u of %u of those that depend on the "
	       "micro-architecture)\n",
	       caught, all, n_kernels(), caught == all ? 0 : 2, 100.0 * caught / all,
	       arch.changes - arch.missed, arch.changes + left_changes, micro.changes - micro.missed,
	       micro.changes);
	assert_int_equal(missed, 0);
	assert_true(!stepped_elsewhere || !left);
	assert_true(micro.changes > 4 * 500 && arch.changes > 4 * 500);
}

/* ---------------------------------------------------------------------------------------------------------
 */

/* @return NULL, or what is wrong: it must have those kernels that cannot be stepped here, and no others */
static const char *read_elsewhere(void)
{
	static char text[128];
	const char *why = kernel_counts_read(stepped_elsewhere, counts);

	for (const struct kernel *k = kernels_begin; !why && k < kernels_end; k++) {
		if (trace_is_whole(k) == !counts[k - kernels_begin].n_points)
			continue;
		snprintf(text, sizeof text, "%s %s", k->name,
			 trace_is_whole(k) ? "can be stepped without it" : "is missing");
		why = text;
	}
	return why;
}

static int set_up(void **state)
{
	const char *why;

	(void)state;
	why = stepper_start();
	if (why)
		printf("%s\n", why);
	intervals = calloc((size_t)n_kernels() * Q_COUNT, sizeof *intervals);
	counts = calloc(n_kernels(), sizeof *counts);
	if (!why && counts && stepped_elsewhere && (why = read_elsewhere()))
		printf("%s: %s\n", stepped_elsewhere, why);
	for (; model_profile(n_machines); n_machines++) {
		if (n_machines == MACHINES)
			return -1;
		machines[n_machines].geometry = machine_geometry(model_profile(n_machines));
		machines[n_machines].machine = replay_machine(&machines[n_machines].geometry);
	}
	return why || !intervals || !counts ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	stepper_stop();
	free(intervals);
	free(counts);
	while (n_machines--)
		free(machines[n_machines].machine);
	return 0;
}

static void print_left(void)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		if (!trace_is_whole(k))
			puts(k->name);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_run),          cmocka_unit_test(every_deed_is_declared),
		cmocka_unit_test(every_end_is_attained), cmocka_unit_test(every_extreme_is_used),
		cmocka_unit_test(every_number_matters),
	};

	kernels_unpack();
	if (argc > 1 && !strcmp(argv[1], "--left") && other_cpu_from_environment()) {
		print_left();
		return 0;
	}
	stepped_elsewhere = argc > 1 ? argv[1] : NULL;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
