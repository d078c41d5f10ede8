/*
 * Witness: every kernel that may run in user mode, single-stepped on the machine's real processor, must
 * produce what its signature says. Then, with the same observations, every number of every signature is
 * changed by one: each change must be noticed, on the changed kernel and on no other.
 *
 * Speaks TAP. The witness knows nothing of the signatures while it steps.
 */
#include "tests/self/host/support/other_cpu.h"
#include "tests/self/host/support/stepper.h"
#include "tests/judge/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t sizes[] = {1, 2, 5};
#define SIZES (sizeof sizes / sizeof *sizes)

/** What was seen of one kernel. */
struct observation_set {
	const struct kernel *kernel;
	struct qvec seen[OUTCOMES][SIZES];
	bool sound; /* seen, and as declared */
};

static const char *const other_cpus[] = {"low", "high", "plain"};
#define OTHER_CPUS (sizeof other_cpus / sizeof *other_cpus)

static struct observation_set *sets;
static unsigned n_sets, test_number;

static void point(bool ok, const char *name, const char *directive)
{
	printf("%sok %u - %s%s%s\n", ok ? "" : "not ", ++test_number, name, directive ? " # SKIP " : "",
	       directive ? directive : "");
}

static bool agrees(const struct observation_set *o, bool verbose)
{
	for (unsigned i = 0; i < SIZES * outcomes_of(o->kernel); i++) {
		uint64_t n = sizes[i % SIZES];
		enum transaction_outcome outcome = i / SIZES;
		const struct qvec *seen = &o->seen[outcome][i % SIZES];
		struct amount declared;
		enum quantity q = truth_disagrees(o->kernel, n, outcome, seen, &declared);
		if (q == Q_COUNT)
			continue;
		if (verbose && declared.low == declared.high)
			printf("# %s, N = %lu: %s: the signature says %ld, the processor did %lu\n",
			       o->kernel->name, n, quantity_info[q].name, declared.low, seen->v[q]);
		else if (verbose)
			printf("# %s, N = %lu: %s: the signature says %ld to %ld, with transactions that %s "
			       "there are %lu\n",
			       o->kernel->name, n, quantity_info[q].name, declared.low, declared.high,
			       outcome == OUTCOME_COMMIT ? "commit" : "abort", seen->v[q]);
		return false;
	}
	return true;
}

/* Why kernels cannot be stepped here. */
static struct {
	char text[96];
	unsigned kernels;
} reasons[16];
static unsigned n_reasons;

static void count_reason(const char *why)
{
	unsigned i = 0;

	while (i < n_reasons && strcmp(reasons[i].text, why))
		i++;
	if (i == sizeof reasons / sizeof *reasons)
		return;
	if (i == n_reasons)
		snprintf(reasons[n_reasons++].text, sizeof reasons[i].text, "%s", why);
	reasons[i].kernels++;
}

static void witness(const struct kernel *k)
{
	struct observation_set *o = &sets[n_sets];
	const char *unfit = stepper_unfit(k), *why = NULL;

	if (unfit) {
		count_reason(unfit);
		point(true, k->name, unfit);
		return;
	}
	o->kernel = k;
	for (unsigned i = 0; i < SIZES * outcomes_of(k) && !why; i++) {
		stepper_transactions(i / SIZES);
		why = stepper_run(k, sizes[i % SIZES], &o->seen[i / SIZES][i % SIZES]);
	}
	stepper_transactions(OUTCOME_ABORT);
	if (why)
		printf("# %s: %s\n", k->name, why);
	o->sound = !why && agrees(o, true);
	point(o->sound, k->name, NULL);
	n_sets += o->sound;
}

/* --- other CPUs ------------------------------------------------------------------------------------- */

/** One test point: every kernel that can be stepped does what its signature says where a CPU answers like
 * that one, too. */
static void witness_as(const char *cpu)
{
	static const uint64_t n = 2;
	unsigned stepped = 0, wrong = 0;
	char text[128];

	if (!other_cpu(cpu))
		return;
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		struct amount declared;
		struct qvec seen;

		if (stepper_unfit(k))
			continue;
		stepped++;
		for (enum transaction_outcome o = 0; o < outcomes_of(k); o++) {
			stepper_transactions(o);
			const char *why = stepper_run(k, n, &seen);
			enum quantity q = why ? Q_COUNT : truth_disagrees(k, n, o, &seen, &declared);

			if (why || q != Q_COUNT) {
				printf("# %s, answered as \"%s\": %s\n", k->name, cpu,
				       why ? why : quantity_info[q].name);
				wrong++;
			}
		}
		stepper_transactions(OUTCOME_ABORT);
	}
	other_cpu(NULL);
	snprintf(text, sizeof text, "%u kernels do the same on a CPU that answers as \"%s\"", stepped, cpu);
	point(!wrong && stepped > 300, text, NULL);
}

/* --- mutations -------------------------------------------------------------------------------------- */

static unsigned n_mutations, n_missed;

/** Whether all kernels but one agree about one quantity, at every N and however transactions end. */
static bool others_agree(const struct observation_set *changed, enum quantity q)
{
	struct amount declared;

	for (const struct observation_set *o = sets; o < sets + n_sets; o++)
		for (unsigned i = 0; o != changed && i < SIZES * outcomes_of(o->kernel); i++)
			if (!truth_agrees_on(o->kernel, q, sizes[i % SIZES], i / SIZES,
					     o->seen[i / SIZES][i % SIZES].v[q], &declared))
				return false;
	return true;
}

static void mutate(const struct observation_set *o, enum quantity q, enum amount_end end)
{
	static const int64_t deltas[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

	for (unsigned d = 0; d < 4; d++) {
		n_mutations++;
		kernel_falsify_end(o->kernel, q, end, deltas[d][0], deltas[d][1]);
		bool caught = !agrees(o, false), alone = others_agree(o, q);
		kernel_restore();
		if (caught && alone)
			continue;
		n_missed++;
		printf("# %s, %s changed by %ld*N%+ld: %s\n", o->kernel->name, quantity_info[q].name,
		       deltas[d][0], deltas[d][1], caught ? "another kernel fails too" : "not noticed");
	}
}

static bool is_exact(const struct kernel *k, enum quantity q)
{
	struct amount a = kernel_amount(k, q, 1), b = kernel_amount(k, q, 2);
	return a.low == a.high && b.low == b.high;
}

static void mutate_all(void)
{
	for (const struct observation_set *o = sets; o < sets + n_sets; o++)
		for (enum quantity q = 0; q < Q_COUNT; q++) {
			if (quantity_info[q].class != QUANTITY_ARCH)
				continue;
			if (is_exact(o->kernel, q)) {
				mutate(o, q, AMOUNT_BOTH);
				continue;
			}
			mutate(o, q, AMOUNT_LOW);
			mutate(o, q, AMOUNT_HIGH);
		}
	char text[128];
	snprintf(text, sizeof text,
		 "%u of %u changes of a number in %u signatures make that kernel fail, and no other",
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
	printf("1..%zu\n", count + 1 + OTHER_CPUS);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		witness(k);
	for (unsigned i = 0; i < OTHER_CPUS; i++)
		witness_as(other_cpus[i]);
	stepper_stop();
	mutate_all();
	printf("# table\n# %-30s confirms %u of %u kernels; cannot:\n", "this machine's processor", n_sets,
	       count);
	for (unsigned i = 0; i < n_reasons; i++)
		printf("#     %3u  %s\n", reasons[i].kernels, reasons[i].text);
	free(sets);
	return 0;
}
