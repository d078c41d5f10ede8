/* What counts of unknown meaning are recognised as, on kernels whose signatures tell quantities apart or do
 * not. */
#include "tests/self/host/fake_kernels.h"
#include "tests/judge/response.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define N 10

/* LOADS and LOAD_BYTES are in proportion everywhere, FP_DIV and X87_OPS are the same everywhere. */
FAKE_KERNEL(nothing, "nothing", 0, FAKE_EXACT(INSTRUCTIONS, 0, 0));
FAKE_KERNEL(loads, "loads", 0, FAKE_EXACT(INSTRUCTIONS, 3, 1), FAKE_EXACT(LOADS, 1, 0),
	    FAKE_EXACT(LOAD_BYTES, 8, 0), FAKE_EXACT(BRANCHES, 1, 0), FAKE_RANGE(UOPS, 3, 0, 5, 9));
FAKE_KERNEL(stores, "stores", 0, FAKE_EXACT(INSTRUCTIONS, 7, 2), FAKE_EXACT(STORES, 5, 1),
	    FAKE_EXACT(BRANCHES, 1, 0), FAKE_RANGE(UOPS, 7, 0, 20, 9));
FAKE_KERNEL(both, "both", 0, FAKE_EXACT(INSTRUCTIONS, 9, 4), FAKE_EXACT(LOADS, 3, 2),
	    FAKE_EXACT(LOAD_BYTES, 24, 16), FAKE_EXACT(STORES, 2, 0), FAKE_EXACT(BRANCHES, 2, 1),
	    FAKE_RANGE(UOPS, 9, 0, 20, 9));
FAKE_KERNEL(divisions, "divisions", 0, FAKE_EXACT(INSTRUCTIONS, 4, 3), FAKE_EXACT(FP_DIV, 2, 0),
	    FAKE_EXACT(X87_OPS, 2, 0), FAKE_EXACT(BRANCHES, 1, 0));
FAKE_KERNEL(vague, "vague", 0, FAKE_RANGE(INSTRUCTIONS, 1, 0, 2, 0));

static const struct kernel *const known[] = {&nothing, &loads, &stores, &both, &divisions};
#define KERNELS (sizeof known / sizeof known[0])

static struct response_space space;
static struct response response;
static int64_t count[2 * (KERNELS + 1)];
static char text[256];

static int begin(void **unused)
{
	(void)unused;
	space = (struct response_space){.n = N, .own = {{Q_INSTRUCTIONS, 3}}};
	for (unsigned i = 0; i < KERNELS; i++)
		assert_true(response_add(&space, known[i]));
	assert_true(response_prepare(&space));
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	response_free(&space);
	return 0;
}

/* Counts of so much of three quantities, the bracket's share with them. */
static void counts(int a, enum quantity qa, int b, enum quantity qb, int c, enum quantity qc)
{
	const int factor[] = {a, b, c};
	const enum quantity quantity[] = {qa, qb, qc};

	for (unsigned p = 0; p < response_points(&space); p++) {
		count[p] = 0;
		for (unsigned i = 0; i < 3; i++)
			if (factor[i])
				count[p] += factor[i] *
					    (kernel_amount(space.kernel[p / 2], quantity[i], N * (p % 2 + 1))
						     .low +
					     (quantity[i] == Q_INSTRUCTIONS ? 3 : 0));
	}
}

static const char *said(void)
{
	response_match(&space, count, &response);
	response_say(&space, &response, text, sizeof text);
	return text;
}

static void finds_sums(void **unused)
{
	(void)unused;
	counts(1, Q_INSTRUCTIONS, 0, 0, 0, 0);
	assert_string_equal(said(), "counts like instructions (all 5 kernels, 5 answer)");
	counts(1, Q_STORES, 0, 0, 0, 0);
	assert_string_equal(said(), "counts like stores (all 5 kernels, 2 answer)");
	counts(2, Q_STORES, 0, 0, 0, 0);
	assert_string_equal(said(), "counts like 2 stores (all 5 kernels, 2 answer)");
	counts(1, Q_INSTRUCTIONS, -1, Q_BRANCHES, 0, 0);
	assert_string_equal(said(), "counts like instructions - branches (all 5 kernels, 5 answer)");
	counts(2, Q_LOADS, 3, Q_STORES, 0, 0);
	assert_non_null(strstr(said(), "counts like 2 loads + 3 stores"));
	counts(1, Q_LOADS, 1, Q_STORES, 1, Q_FP_DIV);
	assert_non_null(strstr(said(), "counts like loads + stores + "));
	assert_int_equal(response.n_terms, 3);
}

static void says_what_is_not_told_apart(void **unused)
{
	(void)unused;
	counts(1, Q_FP_DIV, 0, 0, 0, 0);
	assert_non_null(
		strstr(said(), "counts like x87.ops (all 5 kernels, 1 answer; 1 other would do as well)"));
	counts(1, Q_LOADS, 0, 0, 0, 0);
	assert_int_equal(strncmp(said(), "counts like loads (", 19), 0);
	counts(1, Q_LOAD_BYTES, 0, 0, 0, 0);
	/* Eight bytes a load, always. */
	assert_int_equal(strncmp(said(), "counts like loads.bytes (", 25), 0);
	assert_int_equal(response.others, 1);
}

static void knows_what_it_does_not_know(void **unused)
{
	(void)unused;
	memset(count, 0, sizeof count);
	assert_string_equal(said(), "counts nothing on any of 5 kernels");

	/* One count off at one place, and no sum will do. */
	counts(1, Q_BRANCHES, 0, 0, 0, 0);
	count[5]++;
	assert_string_equal(
		said(), "counts like no known quantity, nor like a sum of up to 3 (4 of 5 kernels answer)");
	assert_int_equal(response.kind, RESPONSE_UNKNOWN);

	/* More than bounds allow on one kernel. */
	const int64_t uops[] = {0, 0, 41, 80, 90, 177, 111, 199, 0, 0};
	memcpy(count, uops, sizeof uops);
	assert_string_equal(
		said(), "counts perhaps uops: within its bounds on all 3 kernels that answer and define it");
	count[2] = 60;
	assert_non_null(strstr(said(), "no known quantity"));
}

/* A kernel that gives a quantity as an interval takes it out of the search, and only that. */
static void leaves_vague_quantities_out(void **unused)
{
	(void)unused;
	response_free(&space);
	space = (struct response_space){.n = N};
	for (unsigned i = 0; i < KERNELS; i++)
		assert_true(response_add(&space, known[i]));
	assert_true(response_add(&space, &vague));
	assert_true(response_prepare(&space));
	counts(1, Q_STORES, 0, 0, 0, 0);
	assert_string_equal(said(), "counts like stores (all 6 kernels, 2 answer)");
	counts(1, Q_INSTRUCTIONS, 0, 0, 0, 0);
	assert_null(strstr(said(), "instructions"));
}

/* Of a sum and a difference that are the same everywhere the sum is said, whichever is found first. */
FAKE_KERNEL(tie_a, "tie_a", 0, FAKE_EXACT(INSTRUCTIONS, 6, 1), FAKE_EXACT(LOADS, 1, 0),
	    FAKE_EXACT(STORES, 2, 1), FAKE_EXACT(BRANCHES, 3, 0));
FAKE_KERNEL(tie_b, "tie_b", 0, FAKE_EXACT(INSTRUCTIONS, 11, 0), FAKE_EXACT(LOADS, 5, 0),
	    FAKE_EXACT(STORES, 2, 0), FAKE_EXACT(BRANCHES, 4, 0));
FAKE_KERNEL(tie_c, "tie_c", 0, FAKE_EXACT(INSTRUCTIONS, 9, 4), FAKE_EXACT(LOADS, 1, 3),
	    FAKE_EXACT(STORES, 7, 0), FAKE_EXACT(BRANCHES, 1, 1));

static void sums_come_before_differences(void **unused)
{
	(void)unused;
	space = (struct response_space){.n = N};
	assert_true(response_add(&space, &tie_a));
	assert_true(response_add(&space, &tie_b));
	assert_true(response_add(&space, &tie_c));
	assert_true(response_prepare(&space));
	for (unsigned p = 0; p < response_points(&space); p++)
		count[p] = kernel_amount(space.kernel[p / 2], Q_LOADS, N * (p % 2 + 1)).low +
			   kernel_amount(space.kernel[p / 2], Q_STORES, N * (p % 2 + 1)).low;
	assert_non_null(strstr(said(), "counts like loads + stores ("));
	/* The same of the two that make up the difference: one of them has to be taken away. */
	for (unsigned p = 0; p < response_points(&space); p++)
		count[p] = kernel_amount(space.kernel[p / 2], Q_INSTRUCTIONS, N * (p % 2 + 1)).low -
			   kernel_amount(space.kernel[p / 2], Q_LOADS, N * (p % 2 + 1)).low;
	assert_null(strstr(said(), " - "));
}

static void takes_what_most_repetitions_show(void **unused)
{
	struct histogram seen = {0};
	int64_t n;

	(void)unused;
	for (unsigned i = 0; i < 8; i++)
		histogram_add(&seen, 7);
	histogram_add(&seen, 8);
	histogram_add(&seen, 9);
	assert_true(response_count(&seen, &n));
	assert_int_equal(n, 7);
	histogram_add(&seen, 9);
	assert_false(response_count(&seen, &n));
}

static void writes_signatures(void **unused)
{
	const int64_t uneven[] = {0, 0, 11, 21, 17, 17, 30, 60, 20, 35};

	(void)unused;
	response_signature(&space, uneven, text, sizeof text);
	assert_string_equal(text, "loads N+1, stores 17, both 3N, divisions 20 and 35");
	response_signature(&space, uneven, text, 32);
	assert_string_equal(text, "loads N+1, stores 17, ...");
}

/* The same counts held against one meaning and another. Kernels that do not define a quantity say nothing. */
static void holds_meanings_against_counts(void **unused)
{
	struct pmu_event e = {.judgement = EVENT_EXACT, .terms = {{Q_LOADS, 1}}};

	(void)unused;
	counts(1, Q_LOADS, 0, 0, 0, 0);
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_FIT);
	count[response_points(&space) - 3]++;
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_MISFIT);
	e.terms[0].quantity = Q_STORES;
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_MISFIT);

	/* The bracket's share belongs to what is counted. */
	counts(1, Q_INSTRUCTIONS, 0, 0, 0, 0);
	e.terms[0].quantity = Q_INSTRUCTIONS;
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_FIT);
	e.terms[0].quantity = Q_BRANCHES;
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_MISFIT);
	e.terms[0] = (struct event_term){0};
	assert_int_equal(response_fits(&space, count, &e, false), RESPONSE_UNSAID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_sums, begin, end),
		cmocka_unit_test_setup_teardown(says_what_is_not_told_apart, begin, end),
		cmocka_unit_test_setup_teardown(knows_what_it_does_not_know, begin, end),
		cmocka_unit_test_setup_teardown(leaves_vague_quantities_out, begin, end),
		cmocka_unit_test_teardown(sums_come_before_differences, end),
		cmocka_unit_test(takes_what_most_repetitions_show),
		cmocka_unit_test_setup_teardown(writes_signatures, begin, end),
		cmocka_unit_test_setup_teardown(holds_meanings_against_counts, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
