/*
 * Witness: every kernel that may run in user mode, single-stepped on the machine's real processor, must
 * produce what its signature says. Then, with the same observations, every number of every signature is
 * changed by one: each change must be noticed, on the changed kernel and on no other.
 *
 * Speaks TAP. The witness knows nothing of the signatures while it steps.
 */
#include "tests/host/support/stepper.h"
#include "tests/truth.h"

#include <stdio.h>
#include <stdlib.h>

static const uint64_t sizes[] = {1, 2, 5};
#define SIZES (sizeof sizes / sizeof *sizes)

/** What was seen of one kernel. */
struct observation_set {
	const struct kernel *kernel;
	struct qvec seen[SIZES];
	bool sound; /* seen, and as declared */
};

static struct observation_set *sets;
static unsigned n_sets, test_number;

static void point(bool ok, const char *name, const char *directive)
{
	printf("%sok %u - %s%s%s\n", ok ? "" : "not ", ++test_number, name, directive ? " # SKIP " : "",
	       directive ? directive : "");
}

static bool agrees(const struct observation_set *o, bool verbose)
{
	for (unsigned i = 0; i < SIZES; i++) {
		struct amount declared;
		enum quantity q = truth_disagrees(o->kernel, sizes[i], &o->seen[i], &declared);
		if (q == Q_COUNT)
			continue;
		if (verbose && declared.low == declared.high)
			printf("# %s, N = %lu: %s: the signature says %ld, the processor did %lu\n",
			       o->kernel->name, sizes[i], quantity_info[q].name, declared.low,
			       o->seen[i].v[q]);
		else if (verbose)
			printf("# %s, N = %lu: %s: the signature says %ld to %ld, the processor did %lu\n",
			       o->kernel->name, sizes[i], quantity_info[q].name, declared.low, declared.high,
			       o->seen[i].v[q]);
		return false;
	}
	return true;
}

static void witness(const struct kernel *k)
{
	struct observation_set *o = &sets[n_sets];
	const char *unfit = stepper_unfit(k), *why = NULL;

	if (unfit) {
		point(true, k->name, unfit);
		return;
	}
	o->kernel = k;
	for (unsigned i = 0; i < SIZES && !why; i++)
		why = stepper_run(k, sizes[i], &o->seen[i]);
	if (why)
		printf("# %s: %s\n", k->name, why);
	o->sound = !why && agrees(o, true);
	point(o->sound, k->name, NULL);
	n_sets += o->sound;
}

/* --- mutations -------------------------------------------------------------------------------------- */

static unsigned n_mutations, n_missed;

static void mutate(unsigned which, enum quantity q, int64_t delta_a, int64_t delta_b)
{
	const struct observation_set *o = &sets[which], *next = &sets[(which + 1) % n_sets];

	n_mutations++;
	kernel_falsify(o->kernel, q, delta_a, delta_b);
	bool caught = !agrees(o, false), alone = next == o || agrees(next, false);
	kernel_restore();
	if (!caught || !alone) {
		n_missed++;
		printf("# %s, %s changed by %ld*N%+ld: %s\n", o->kernel->name, quantity_info[q].name, delta_a,
		       delta_b, caught ? "another kernel fails too" : "not noticed");
	}
}

/** Intervals of architectural quantities have room for a change by one; they are left out. */
static bool is_exact(const struct kernel *k, enum quantity q)
{
	struct amount a = kernel_amount(k, q, 1), b = kernel_amount(k, q, 2);
	return a.low == a.high && b.low == b.high;
}

static void mutate_all(void)
{
	static const int64_t deltas[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	for (unsigned i = 0; i < n_sets; i++)
		for (enum quantity q = 0; q < Q_COUNT; q++)
			if (quantity_info[q].class == QUANTITY_ARCH && is_exact(sets[i].kernel, q))
				for (unsigned d = 0; d < 4; d++)
					mutate(i, q, deltas[d][0], deltas[d][1]);
	char text[96];
	snprintf(text, sizeof text, "%u of %u changes of a number in %u signatures are noticed",
		 n_mutations - n_missed, n_mutations, n_sets);
	point(n_missed == 0 && n_mutations > 0, text, NULL);
}

int main(void)
{
	unsigned count = (unsigned)(kernels_end - kernels_begin);
	const char *why;

	kernels_unpack();
	why = stepper_start();
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	sets = calloc(count, sizeof *sets);
	printf("1..%u\n", count + 1);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		witness(k);
	stepper_stop();
	mutate_all();
	free(sets);
	return 0;
}
