/*
 * Whether tests and kernels would notice a wrong machine model.
 *
 * Every kernel that may run in user mode is single-stepped once on this processor, and what it did is kept.
 * The machine of each virtual CPU then runs it again: warmed by the largest N, at N, 2N and 3N. All
 * quantities that the machine gives must lie within what the kernel declares, or within the family-wide
 * bounds. Then the machine is broken, in each of the ways that inject= offers and by each mutant of its
 * rules: some kernel must leave its interval, or, for mutants, a test of the rules must fail.
 */
#define MODEL_MUTANTS
#include "pmu/uarch.c"

#include "tests/host/uarch_rule_tests.h"

#include "pmu/account.h"
#include "pmu/machine_model.h"
#include "tests/bounds.h"
#include "tests/host/support/mutation.h"
#include "tests/host/support/stepper.h"

#include <stdio.h>

int model_mutant;

static const char *const mutants[] = {
	"none",
#define UARCH_MUTANT(id, text) text,
#include "pmu/uarch_mutants.def"
#undef UARCH_MUTANT
};

#define CAUGHT_BY_KERNELS 25 /* of the mutants, at least */

/* --- what kernels do -------------------------------------------------------------------------------- */

#define MULTIPLES 3
#define TURNS     5

struct step_seen {
	struct insn_retired did;
	struct insn insn;
	uint8_t code[16];
	uint64_t rip, next;
	bool denormal;
};

struct trace {
	struct step_seen *step;
	size_t count, room;
};

static struct traced_kernel {
	const struct kernel *kernel;
	struct trace trace[MULTIPLES];
} * traced;
static unsigned n_traced;
static struct trace *recording;

static struct {
	uint64_t start, end, distance;
} alias;

static void record(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next)
{
	struct trace *t = recording;
	struct step_seen *s;

	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->step = realloc(t->step, t->room * sizeof *t->step);
	}
	s = &t->step[t->count++];
	*s = (struct step_seen){.did = *did, .insn = *did->insn, .rip = rip, .next = next};
	memcpy(s->code, code, did->insn->length);
	struct qterm terms[ACCOUNT_TERMS];
	s->denormal = stepper_denormal(did, code, terms, account_retired(did, terms));
}

static void record_all(void)
{
	struct qvec ignored;

	traced = calloc((size_t)(kernels_end - kernels_begin), sizeof *traced);
	stepper_watch(record);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++) {
		const char *why = stepper_unfit(k);

		for (unsigned i = 0; i < MULTIPLES && !why; i++) {
			recording = &traced[n_traced].trace[i];
			why = stepper_run(k, TURNS * (i + 1), &ignored);
		}
		traced[n_traced].kernel = k;
		n_traced += !why;
	}
	stepper_watch(NULL);
}

/* --- the machine runs them -------------------------------------------------------------------------- */

/* As tests/kernels/services.c makes the chain of a kernel: lines of one set, or a ring that is too large for
 * a cache or the TLBs. */
#define POOL        (32 << 20)
#define POOL_START  0x40000000ull
#define CHAIN_PAGES (KERNEL_SERVICE_CHAIN_4K | KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G)
struct chain {
	uint64_t stride;
	unsigned lines, at;
	uint8_t large; /* shift of the large pages that it lies in, 0: none */
};

static struct chain chain_for(const struct kernel *k, const struct uarch_geometry *g)
{
	const struct uarch_cache_geometry *c = k->flags & KERNEL_SERVICE_CHAIN_L1   ? &g->l1d
					       : k->flags & KERNEL_SERVICE_CHAIN_L2 ? &g->l2
										    : NULL;

	struct chain chain = {.large = k->flags & KERNEL_SERVICE_CHAIN_2M   ? 21
				       : k->flags & KERNEL_SERVICE_CHAIN_1G ? 30
									    : 0};

	if (k->flags & CHAIN_PAGES) {
		chain.stride = 4096 + 64;
		chain.lines = 2u * (g->dtlb + g->stlb_sets * g->stlb_ways);
	}
	if (k->flags & KERNEL_SERVICE_CHAIN_LLC) {
		chain.stride = g->llc.line;
		chain.lines = 2u * g->llc.sets * g->llc.ways;
	}
	if (!c)
		return chain;
	chain.stride = (uint64_t)c->sets * c->line;
	chain.lines = 4u * c->ways < POOL / chain.stride ? 4u * c->ways : POOL / chain.stride;
	if (k->flags & KERNEL_SERVICE_CHAIN_FITS)
		chain.lines = c->ways * 3u / 4;
	return chain;
}

static void run(struct uarch *machine, const struct trace *t, struct chain *chain, struct qvec *total)
{
	*total = (struct qvec){{0}};
	for (size_t i = 0; i < t->count; i++) {
		struct step_seen *s = &t->step[i];
		struct qterm terms[ACCOUNT_TERMS], out[MACHINE_TERMS];

		s->did.insn = &s->insn;
		unsigned n = account_retired(&s->did, terms);
		/* The first load of a chain kernel fetches the chain's address, its last instruction may
		 * store that. */
		if (chain->lines && i > 0 && i + 1 < t->count && s->insn.flags & INSN_F_MEM)
			s->did.address = POOL_START + chain->stride * (chain->at++ % chain->lines);
		account_add(total, out,
			    machine_retired(machine, &s->did, s->code, s->rip, s->next, terms, n, s->denormal,
					    out));
	}
}

/* @return the first quantity of which the machine shows an amount that kernel k cannot produce; Q_COUNT if
 * none */
static enum quantity leaves_interval(const struct traced_kernel *t, struct uarch *machine,
				     const struct uarch_geometry *g, char *text, size_t size)
{
	struct chain chain = chain_for(t->kernel, g);
	struct qvec total;

	if (t->kernel->flags & KERNEL_SERVICE_CHAINS && !chain.lines)
		return Q_COUNT; /* there is no such cache */
	uarch_reset(machine);
	uarch_code_alias(machine, alias.start, alias.end, alias.distance);
	uarch_large_pages(machine, POOL_START, chain.large ? POOL_START + POOL : 0, chain.large);
	run(machine, &t->trace[MULTIPLES - 1], &chain, &total);
	for (unsigned i = 0; i < MULTIPLES; i++) {
		uint64_t n = TURNS * (i + 1);

		run(machine, &t->trace[i], &chain, &total);
		for (const uint8_t *q = machine_quantities; *q != Q_COUNT; q++) {
			struct amount a = bounds_amount(t->kernel, (enum quantity) * q, n);
			int64_t seen = (int64_t)total.v[*q];

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
	struct uarch_geometry g = machine_geometry(profile);
	struct uarch *machine = uarch_create(malloc(uarch_size(&g)), &g);
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
		skip();
	assert_in_range(n_traced, 90, 10000);
	for (const struct model_profile *const *p = model_profiles; *p; p++)
		outside += kernels_outside(*p, 0, false, text, sizeof text);
	assert_int_equal(outside, 0);
}

static void kernels_notice_faults(void **state)
{
	unsigned survivors = 0;

	(void)state;
	if (n_traced == 0)
		skip();
	for (unsigned f = 0; f < UARCH_FAULTS; f++) {
		char text[160] = "";
		bool caught = kernels_outside(model_profile_by_name("intel-nehalem"), 1u << f, true, text,
					      sizeof text);

		printf("%s %s: %s\n", caught ? "caught  " : "SURVIVES", uarch_faults[f].name, text);
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
	assert_int_equal(mutation_failures(&model_mutant, U_NONE, tests, n_tests), 0);
	for (int m = 1; m < U_COUNT; m++) {
		char text[160] = "no kernel notices";
		int rules = mutation_failures(&model_mutant, m, tests, n_tests);

		model_mutant = m;
		bool kernel =
			kernels_outside(model_profile_by_name("intel-nehalem"), 0, true, text, sizeof text);
		model_mutant = U_NONE;
		printf("%s %2d %s (%d rules; %s)\n", rules > 0 || kernel ? "caught  " : "SURVIVES", m,
		       mutants[m], rules, text);
		by_kernels += kernel;
		survivors += rules <= 0 && !kernel;
	}
	printf("mutants of the machine model: %d, caught: %d, by kernels: %u\n", U_COUNT - 1,
	       U_COUNT - 1 - (int)survivors, by_kernels);
	assert_int_equal(survivors, 0);
	if (n_traced)
		assert_in_range(by_kernels, CAUGHT_BY_KERNELS, U_COUNT);
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
		stepper_code_alias(&alias.start, &alias.end, &alias.distance);
		record_all();
		stepper_stop();
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (unsigned i = 0; i < n_traced; i++)
		for (unsigned n = 0; n < MULTIPLES; n++)
			free(traced[i].trace[n].step);
	free(traced);
	return failed;
}
