/*
 * A report whose memory runs out at any point: the document stays valid, says that it is not complete, and
 * counts what is missing; the streams say so, too.
 */
#include "tests/self/host/support/report_run.h"
#include "tests/report/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <jansson.h>

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);

/* Allocations that fail: those from `first` on, `count` of them. */
static unsigned allocations, first, count;
static bool failed;

static bool there_is_none(void)
{
	unsigned number = allocations++;
	bool none = number >= first && number - first < count;

	failed = failed || none;
	return none;
}

void *__wrap_malloc(size_t size)
{
	return there_is_none() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *old, size_t size)
{
	/* The test's own console grows likewise, from nothing. */
	return old == cells.cell && size >= 100 * sizeof *cells.cell && there_is_none()
		       ? NULL
		       : __real_realloc(old, size);
}

#define MANY 520 /* cells, so that their list grows, and the document beyond some chunks */

static void a_run(bool verbose)
{
	struct report_processor p = {.number = 3, .id = 8, .kind = "E-core", .judged = true};
	struct report_experiment x = {
		.name = "mine", .kernel = "calls", .level = "ring 0", .proof = "counters"};
	struct report_header h = fake_header;

	h.verbose = verbose;
	fake_console_reset();
	report_begin(&h);
	report_note("a note");
	report_processor(&p);
	report_judging(3);
	report_pmu(&fake_report_pmu, fake_leaves);
	report_snapshot(&fake_snapshot, NULL, false);
	report_suite_begin("control", "counters obey their controls");
	plain("enable gating", VERDICT_EXACT, "");
	plain("status", VERDICT_WRONG, "stays set");
	report_suite_end();
	report_suite_begin("events", "every event");
	for (unsigned i = 0; i < MANY; i++) {
		char counter[16];

		snprintf(counter, sizeof counter, "PMC%u", i);
		cell(i % 2 ? "EVEN" : "ODD", counter, "calls", i % 9 ? VERDICT_EXACT : VERDICT_BIASED,
		     i % 9 == 0);
	}
	report_suite_end();
	report_suite_begin("noise", "what interrupts add");
	plain("one more", VERDICT_EXACT, ""); /* of control: that opens again */
	report_suite_end();
	report_value("overhead", "bracket", "4", "instructions");
	report_experiment(&x);
	report_end(true);
}

static json_t *document(void)
{
	size_t size;
	char *text = json_of(&size);
	json_error_t error;
	json_t *read = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!read)
		fail_msg("no JSON: %s at %d, without allocations %u to %u: ...%.60s", error.text,
			 error.position, first, first + count - 1,
			 text + (error.position > 30 ? error.position - 30 : 0));
	free(text);
	return read;
}

/* Records of each kind, checks of suites among them. */
static size_t records(const json_t *doc)
{
	static const char *const kinds[] = {"notes",     "processors", "pmus",
					    "snapshots", "values",     "experiments"};
	size_t sum = json_is_object(json_object_get(doc, "machine")), i;
	const json_t *suite;

	for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		sum += json_array_size(json_object_get(doc, kinds[i]));
	json_array_foreach (json_object_get(doc, "suites"), i, suite) {
		const json_t *check;
		size_t k;

		sum += 1 + json_array_size(json_object_get(suite, "checks"));
		assert_true(json_is_boolean(json_object_get(suite, "complete")));
		json_array_foreach (json_object_get(suite, "checks"), k, check)
			assert_true(json_is_string(json_object_get(check, "verdict")));
	}
	return sum;
}

static size_t all_of_them;
static unsigned enough; /* allocations of a run */

static void look(void)
{
	json_t *doc = document();
	size_t lost = (size_t)json_integer_value(json_object_get(doc, "lost")), there = records(doc);
	bool complete = json_is_true(json_object_get(doc, "complete"));

	if (there + lost < all_of_them || (there == all_of_them && !lost) != complete ||
	    (strstr(fake_console_tap(), "not ok") &&
	     strstr(fake_console_tap(), "memory for every record") != NULL) == !lost ||
	    (strstr(fake_console_text(), "are missing from the report") != NULL) == !lost)
		fail_msg("without allocations %u to %u: %zu of %zu records, %zu lost, complete %d", first,
			 first + count - 1, there, all_of_them, lost, complete);
	assert_int_equal(report_totals()->checks, MANY + 3);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(doc, "totals"), "checks")),
			 MANY + 3);
	json_decref(doc);
}

static void nothing_is_lost_where_there_is_enough(void **state)
{
	json_t *doc;

	(void)state;
	first = count = 0;
	allocations = 0;
	a_run(false);
	enough = allocations;
	doc = document();
	all_of_them = records(doc);
	json_decref(doc);
	assert_int_equal(all_of_them, 1 + 6 + 4 + MANY + 3);
	look();
	assert_false(failed);
}

/* From some point on there is none at all, or for a while. */
static void runs_out(unsigned for_so_many)
{
	unsigned step = 1;

	for (unsigned at = 0; at < enough; at += step) {
		allocations = 0;
		failed = false;
		first = at;
		count = for_so_many;
		a_run(at & 1);
		count = 0;
		assert_true(failed);
		look();
		/* Texts of cells, which are most, are all alike. */
		step = at < 60 || at + 20 > enough ? 1 : 61;
	}
}

static void it_runs_out_for_good(void **state)
{
	(void)state;
	runs_out(1u << 30);
}

static void it_runs_out_for_a_moment(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 8; n += 7)
		runs_out(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost_where_there_is_enough),
		cmocka_unit_test(it_runs_out_for_good),
		cmocka_unit_test(it_runs_out_for_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
