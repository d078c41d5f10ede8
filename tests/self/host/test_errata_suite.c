/*
 * The suite `errata` with other suites by script in place of control, events and sampling: what it asks them
 * for, and what it makes of their results.
 */
#include <stdbool.h>
#include <stdlib.h>

static bool no_memory;

static void *scarce_malloc(size_t size)
{
	return no_memory ? NULL : malloc(size);
}

#define malloc scarce_malloc
#include "tests/suites/errata.c"
#undef malloc

#include "pmu/intel/errata/errata.h"
#include "tests/self/host/fake_kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char *said; /* check=, as sampling is asked for it */
static char kernel_glob[64];
static unsigned asked;
/* Results that control gives: how many are as the erratum says, and how many right where it would show. */
static unsigned present, denied;

static void control(struct run *run)
{
	struct result r = {.suite = "control", .name = "write near the top/FIXED_CTR2", .n_observations = 1};

	for (unsigned i = 0; i < present + denied; i++) {
		r.observation[0] = (struct observation){.n = 1};
		histogram_add(&r.observation[0].seen, i < present);
		judge(r.observation, 1, &r.judgement);
		if (i < present)
			judgement_set(&r.judgement, VERDICT_WRONG, "interrupts of writes 0, observed 0x1");
		run->report(run, &r);
	}
}

static void sampling(struct run *run)
{
	asked++;
	said = run->options->check_glob;
	snprintf(kernel_glob, sizeof kernel_glob, "%s", run->options->kernel_glob);
}

FAKE_KERNEL(far_jumps, "far_jumps", 0, FAKE_EXACT(INSTRUCTIONS, 5, 2), FAKE_EXACT(BR_FAR, 1, 0));
/* Some are better than others, and some are of no use. */
#define FEW_LOADS FAKE_RANGE(LOADS, 0, 0, 5, 0)
FAKE_KERNEL(user_stores, "user_stores", KERNEL_USER_ONLY, FEW_LOADS, FAKE_EXACT(STORES, 2, 0));
FAKE_KERNEL(service_stores, "service_stores", KERNEL_SERVICES, FEW_LOADS, FAKE_EXACT(STORES, 2, 0));
FAKE_KERNEL(maybe_stores, "maybe_stores", 0, FEW_LOADS, FAKE_RANGE(STORES, 0, 0, 5, 0),
	    FAKE_RANGE(X87_OPS, 0, 0, 3, 0));
FAKE_KERNEL(some_stores, "some_stores", 0, FEW_LOADS, FAKE_RANGE(STORES, 1, 0, 3, 0),
	    FAKE_RANGE(X87_OPS, 1, 0, 3, 0));
FAKE_KERNEL(two_stores, "two_stores", 0, FEW_LOADS, FAKE_EXACT(STORES, 2, 0),
	    FAKE_RANGE(X87_OPS, 0, 0, 3, 0));
FAKE_KERNEL(one_store, "one_store", 0, FEW_LOADS, FAKE_EXACT(STORES, 1, 0), FAKE_RANGE(X87_OPS, 0, 0, 9, 0));

static const struct pmu_event instructions = {
	.name = "INST_RETIRED.ANY_P", .terms = {{Q_INSTRUCTIONS, 1}}, .judgement = EVENT_EXACT};
/* Its errata tell of a direction alone. */
static struct pmu_event loads = {
	.name = "LOADS", .terms = {{Q_LOADS, 1}}, .judgement = EVENT_EXACT, .errata = ""};
static const struct pmu_event *const known[] = {&instructions, &loads};
static char moved_by[64];     /* kernels= that the suite events is asked for */
static const char *counts[2]; /* what each of two counters shows: "right", "as it says", "otherwise" */

static void events(struct run *run)
{
	snprintf(moved_by, sizeof moved_by, "%s", run->options->kernel_glob);
	for (unsigned i = 0; i < 2 && counts[i]; i++) {
		struct result r = {.suite = "events",
				   .name = "n",
				   .event = "INST_RETIRED.ANY_P",
				   .kernel = "far_jumps",
				   .counter = run->pmu->counter[i].name,
				   .n_observations = 1};
		int64_t more = *counts[i] == 'r' ? 0 : *counts[i] == 'a' ? 5 : 1;

		r.observation[0] = (struct observation){.n = 5, .low = 27, .high = 27};
		histogram_add(&r.observation[0].seen, 27 + more);
		judge(r.observation, 1, &r.judgement);
		run->report(run, &r);
	}
}

static void nothing(struct run *run)
{
	(void)run;
}

const struct suite suite_identities = {"identities", "", nothing, NULL};
const struct suite suite_trace = {"trace", "", nothing, NULL};
const struct suite suite_control = {"control", "", control, NULL};
const struct suite suite_sampling = {"sampling", "", sampling, NULL};
const struct suite suite_events = {"events", "", events, NULL};

static struct erratum_report row;
static char why[96], here[80];
static struct judgement judged;
static unsigned rows, errors;

static void keep_row(struct run *run, const struct erratum_report *r)
{
	(void)run;
	rows++;
	row = *r;
	snprintf(why, sizeof why, "%s", r->why);
	snprintf(here, sizeof here, "%s", r->here);
}

static void keep_result(struct run *run, const struct result *r)
{
	(void)run;
	judged = r->judgement;
	errors += r->judgement.verdict == VERDICT_ERROR;
}

static struct pmu pmu;
static struct erratum_processor processor = {.family = 6, .model = 0xaf, .stepping = 3};
static uint32_t loaded;

/* The suite with check= as given, which names one row. */
static void run_for(const char *check)
{
	const struct run_options options = {.check_glob = check};
	struct run run = {.options = &options, .pmu = &pmu, .report = keep_result, .erratum = keep_row};

	pmu = (struct pmu){.errata = &intel_known_errata,
			   .processor = processor,
			   .loaded = loaded,
			   .events = known,
			   .n_events = 2,
			   .n_counters = 2,
			   .deterministic = true,
			   .counter = {{.name = "PMC0", .width = 48}, {.name = "PMC1", .width = 48}}};
	said = "nobody asked";
	*moved_by = '\0';
	asked = rows = errors = 0;
	judged = (struct judgement){0};
	errata_begin();
	suite_errata.run(&run);
	assert_int_equal(rows, 1);
}

static void one_way(void **state)
{
	(void)state;
	present = 1, denied = 0;
	run_for("BJ77");
	assert_int_equal(row.state, ERRATUM_PRESENT);
	assert_int_equal(judged.verdict, VERDICT_ERRATUM);
	assert_int_equal(asked, 0);
	present = 0, denied = 4;
	run_for("BJ77");
	assert_int_equal(row.state, ERRATUM_NOT_OBSERVED);
	assert_int_equal(row.trials, 4);
	assert_non_null(strstr(why, "3 in 4"));
	assert_int_equal(judged.verdict, VERDICT_EXACT);
	present = denied = 0;
	run_for("BJ77");
	assert_int_equal(row.state, ERRATUM_NOT_APPLICABLE);
	assert_string_equal(judged.text, "");
}

/* Microcode that mends it, or not yet. */
static void microcode(void **state)
{
	static const struct {
		uint32_t loaded;
		const char *here;
	} cases[] = {
		{0x0, "documented, fixed from microcode 0x28"},
		{0x27, "documented, fixed from microcode 0x28: not yet here"},
		{0x28, "documented, fixed from microcode 0x28: expected absent"},
		{0x2f, "documented, fixed from microcode 0x28: expected absent"},
	};

	(void)state;
	present = denied = 0;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		processor = (struct erratum_processor){6, 0x2a, 7};
		loaded = cases[i].loaded;
		run_for("BJ106");
		assert_string_equal(here, cases[i].here);
		assert_int_equal(row.fixed, 0x28);
	}
	run_for("BJ77");
	assert_string_equal(here, "documented for this processor");
	processor = (struct erratum_processor){6, 0xaf, 3};
	run_for("BJ106");
	assert_string_equal(here, "not documented for this processor");
}

/* What shows on one counter, and is right on another where it would show, is not what was published. */
static void both_ways(void **state)
{
	static const struct {
		const char *counts[2];
		enum erratum_state state;
		enum verdict verdict;
		const char *text;
	} cases[] = {
		{{"as it says", "as it says"},
		 ERRATUM_PRESENT,
		 VERDICT_ERRATUM,
		 "2 checks are wrong as it says"},
		{{"as it says", "right"},
		 ERRATUM_OTHERWISE,
		 VERDICT_WRONG,
		 "1 checks are wrong as it says, and 1 are right"},
		{{"right", "as it says"},
		 ERRATUM_OTHERWISE,
		 VERDICT_WRONG,
		 "1 checks are wrong as it says, and 1 are right"},
		{{"otherwise", "right"},
		 ERRATUM_OTHERWISE,
		 VERDICT_WRONG,
		 "1 checks are wrong, and not as it says"},
		{{"right", "right"}, ERRATUM_NOT_OBSERVED, VERDICT_EXACT, ""},
	};

	(void)state;
	present = denied = 0;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		memcpy(counts, cases[i].counts, sizeof counts);
		run_for("SRF7");
		assert_int_equal(row.state, cases[i].state);
		assert_int_equal(judged.verdict, cases[i].verdict);
		assert_non_null(strstr(judged.text, cases[i].text));
	}
	memset(counts, 0, sizeof counts);
}

/* A row's number in check= is none of a sampling check's name. */
static void samples(void **state)
{
	(void)state;
	present = denied = 0;
	run_for("BJ101");
	assert_int_equal(asked, 1);
	assert_null(said);
	assert_string_equal(kernel_glob, "calls");
}

/* A row of a direction alone takes a kernel on which a count in that direction would be wrong. */
static void movers(void **state)
{
	static const struct {
		const char *number;
		const char *kernel, *why;
	} cases[] = {
		{"AAJ107", "", "no count of its events"}, /* counts less: of none it cannot */
		{"BJ90", "far_jumps", ""},
	};

	(void)state;
	assert_int_equal(showable(&(struct expectation){.low = 0, .high = INT64_MAX}), 0);
	assert_int_equal(showable(&(struct expectation){.low = 1, .high = INT64_MAX}), ERRATUM_COUNTS_LESS);
	assert_int_equal(showable(&(struct expectation){.low = 0, .high = 5}), ERRATUM_COUNTS_MORE);
	present = denied = 0;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		loads.errata = cases[i].number;
		run_for(cases[i].number);
		assert_string_equal(moved_by, cases[i].kernel);
		assert_int_equal(row.state, ERRATUM_UNPROVOKED);
		if (!*cases[i].kernel)
			assert_non_null(strstr(why, cases[i].why));
		assert_string_equal(judged.text, "");
	}
	loads.errata = "";
	run_for("BJ90");
	assert_non_null(strstr(why, "none of this CPU's events"));
	no_memory = true;
	run_for("BJ90");
	no_memory = false;
	assert_int_equal(errors, 1);
	run_for("AAJ35");
	assert_string_equal(why, "of an interrupt's delay");
}

/* It is the one on which what the erratum tells would be seen best, whatever others there are. */
static void the_best_kernel_moves(void **state)
{
	static const struct pmu_event stores = {
		.name = "STORES", .terms = {{Q_STORES, 1}}, .judgement = EVENT_EXACT};
	static const struct pmu_event flops = {
		.name = "FLOPS", .terms = {{Q_X87_OPS, 1}}, .judgement = EVENT_EXACT};
	static const struct pmu_event traps = {
		.name = "TRAPS", .terms = {{Q_EXCEPTIONS, 1}}, .judgement = EVENT_EXACT};
	const unsigned less = ERRATUM_COUNTS_LESS, more = ERRATUM_COUNTS_MORE;
	const struct {
		const struct pmu_event *event;
		unsigned effects;
		const char *chosen, *best; /* one of these; NULL: none shows it */
	} cases[] = {
		{&stores, less, "", "two_stores one_store"},
		{&stores, more, "", "two_stores one_store"},
		{&stores, less | more, "", "two_stores one_store"},
		{&stores, less, "one_*", "one_store"},
		{&stores, more, "far_jumps,one_store", "one_store"},
		{&stores, less, "some_stores", "two_stores one_store"}, /* chosen, but not as good */
		{&stores, less, "user_stores", "two_stores one_store"},
		{&flops, less, "", "some_stores"},
		{&flops, less | more, "", "some_stores"},
		{&flops, more, "", "far_jumps"}, /* none at all: what is too much shows */
		{&flops, more, "some_stores", "far_jumps"},
		{&traps, less, "", NULL},
		{&traps, more, "one_store", "one_store"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct kernel *k = mover(cases[i].event, cases[i].effects, cases[i].chosen);
		const char *name = k ? k->name : "none";

		if (!strstr(cases[i].best ? cases[i].best : "none", name))
			fail_msg("case %u: %s", i, name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_way),   cmocka_unit_test(microcode),
		cmocka_unit_test(both_ways), cmocka_unit_test(samples),
		cmocka_unit_test(movers),    cmocka_unit_test(the_best_kernel_moves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
