/* The TAP stream of a report, as established parsers read it. */
#include "tests/self/host/support/report_run.h"
#include "tests/report/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void tap_is_understood_by_prove(void **state)
{
	(void)state;
	for (unsigned verbose = 0; verbose < 2; verbose++) {
		begin(verbose);
		plain("good", VERDICT_EXACT, "");
		plain("absent", VERDICT_SKIPPED, "not here");
		cell("E", "PMC0", "k", VERDICT_EXACT, 0);
		cell("E", "PMC1", "k", VERDICT_WITHIN, 0);
		report_end(true);
		assert_int_equal(judge_file(PROVE, fake_console_tap()), 0);
		assert_non_null(strstr(fake_console_tap(), "ok 2 - control: absent # SKIP not here\n"));
		assert_non_null(strstr(fake_console_tap(), "1..3\n"));

		mixed_run(verbose); /* 2 of 4 plain ones are bad, 1 of 3 groups */
		report_end(true);
		assert_int_equal(
			judge_file(OLD_TAP SUMMARY
				   " | grep -qx '7 run, 3 failed, 2 skipped, 0 parse errors, [36] diagnoses'",
				   fake_console_tap()),
			0);
		assert_int_equal(judge_file(PROVE, fake_console_tap()), 1);
	}
}

/* What an established parser makes of the stream so far (tap-points.pl), to be freed. */
static char *points(void)
{
	char command[] = "/tmp/assay-tap-XXXXXX", *text = calloc(1, 1 << 16);
	int file = mkstemp(command);
	char line[128];

	assert_int_not_equal(file, -1);
	const char *tap = fake_console_tap() + strcspn(fake_console_tap(), "\n");
	assert_int_equal(dprintf(file, "TAP version 13%s", tap), 14 + (int)strlen(tap));
	close(file);
	snprintf(line, sizeof line, "perl tests/self/host/tap-points.pl %s", command);
	FILE *out = popen(line, "r");
	assert_non_null(out);
	assert_true(fread(text, 1, (1 << 16) - 1, out) > 0);
	assert_int_equal(pclose(out), 0);
	unlink(command);
	return text;
}

/* Whatever a text holds, wherever it stands: what is read back is what was said. */
static void said_and_read_back(const char *what)
{
	char expected[2048];

	begin(false);
	plain(what, VERDICT_EXACT, "");
	plain(what, VERDICT_WRONG, what);
	plain(what, VERDICT_SKIPPED, what);
	cell(what, what, what, VERDICT_BIASED, 1);
	report_end(true);
	snprintf(expected, sizeof expected,
		 "ok 1 - control: %s\n"
		 "not ok 2 - control: %s\n  check=%s\n  counter=PMC0\n  expected=3..5\n  n=1\n  "
		 "observed=5 x1, 6 x1\n  verdict=wrong\n  why=%s\n"
		 "ok 3 - control: %s\n  SKIP=%s\n"
		 "not ok 4 - events: %s on %s, %s: 1 check: 1 biased\n  check=%s/%s/%s\n  counter=%s\n  "
		 "expected=240\n  n=20\n  observed=241 x3\n  ring=ring 0\n  verdict=biased\n  why=off by 1\n",
		 what, what, what, what, what, what, what, what, what, what, what, what, what);
	char *text = points();
	assert_string_equal(text, expected);
	free(text);
}

static void tap_is_read_back_as_it_was_said(void **state)
{
	static const char *const texts[] = {
		"a # SKIP b\\c\"", "a # TODO",    "# SKIP all", "\\# SKIP",  "\\\\# TODO really",
		"ends in \\",      "\"quoted\"",  "\\\"",       "'it''s'",   "- a list",
		"key: value",      "...",         "---",        "Bail out!", "1..7",
		"caf\xc3\xa9",     "\\x41\\n\\t",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
		said_and_read_back(texts[i]);
	/* Each character by itself, and before what would be a directive. */
	for (int from = '!'; from <= '~'; from += 8) {
		char text[64] = "";

		for (int c = from; c < from + 8 && c <= '~'; c++)
			snprintf(text + strlen(text), 8, "x%c SKIP", c);
		text[40] = 0;
		said_and_read_back(text);
	}
}

/* Of an event's bad cells eight are described, and the others are a number. */
static void what_is_not_listed_is_counted(void **state)
{
	(void)state;
	for (unsigned bad = 7; bad <= 10; bad++) {
		unsigned described = 0;
		char counter[16], more[32];

		begin(false);
		for (unsigned i = 0; i < bad; i++) {
			snprintf(counter, sizeof counter, "PMC%u", i);
			cell("E", counter, "k", VERDICT_BIASED, 1);
		}
		report_end(true);
		for (const char *at = fake_console_tap(); (at = strstr(at, "- check: ")); at++)
			described++;
		assert_int_equal(described, bad < 8 ? bad : 8);
		snprintf(more, sizeof more, "not_listed: %u\n", bad - described);
		assert_int_equal(!!strstr(fake_console_tap(), "not_listed"), bad > 8);
		assert_true(bad <= 8 || strstr(fake_console_tap(), more));
	}
}

/* The plan is as many as there were, whatever the end was; and the end has points of its own. */
static void the_plan_counts_every_point(void **state)
{
	(void)state;
	for (unsigned end = 0; end < 4; end++) {
		bool complete = end & 1;
		unsigned lost = end & 2 ? 7 : 0, points = 0, number, plan = 0;

		begin(false);
		plain("good", VERDICT_EXACT, "");
		plain("bad", VERDICT_WRONG, "off");
		tap_end(complete, lost);
		for (const char *line = fake_console_tap(); *line; line += strcspn(line, "\n") + 1) {
			if (sscanf(line, "ok %u - ", &number) == 1 ||
			    sscanf(line, "not ok %u - ", &number) == 1)
				assert_int_equal(number, ++points);
			if (!strncmp(line, "1..", 3))
				assert_int_equal(sscanf(line, "1..%u\n", &plan), 1);
		}
		assert_int_equal(points, 2 + !complete + (lost != 0));
		assert_int_equal(plan, points);
		assert_int_equal(!!strstr(fake_console_tap(), " - the run came to its end\n"), !complete);
		assert_int_equal(!!strstr(fake_console_tap(), " - memory for every record (7 lost)\n"),
				 lost != 0);
		assert_int_equal(
			judge_file(OLD_TAP SUMMARY " | grep -q ' 0 parse errors'", fake_console_tap()), 0);
	}
}

/* An event's point is bad if one of its cells is, and skipped if all are, wherever they stand. */
static void a_point_is_of_all_its_cells(void **state)
{
	static const enum verdict of[] = {VERDICT_EXACT, VERDICT_SKIPPED, VERDICT_BIASED};

	(void)state;
	for (unsigned mixture = 0; mixture < 27; mixture++) {
		bool bad = false, skipped = true;
		char counter[16];

		begin(false);
		for (unsigned i = 0, rest = mixture; i < 3; i++, rest /= 3) {
			snprintf(counter, sizeof counter, "PMC%u", i);
			cell("E", counter, "k", of[rest % 3], 1);
			bad |= of[rest % 3] == VERDICT_BIASED;
			skipped &= of[rest % 3] == VERDICT_SKIPPED;
		}
		report_end(true);
		assert_int_equal(!!strstr(fake_console_tap(), "\nnot ok 1 - events: E on "), bad);
		assert_int_equal(!!strstr(fake_console_tap(), "\nok 1 - events: E on "), !bad);
		assert_int_equal(!!strstr(fake_console_tap(), "# SKIP"), skipped);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tap_is_understood_by_prove),
		cmocka_unit_test(tap_is_read_back_as_it_was_said),
		cmocka_unit_test(what_is_not_listed_is_counted),
		cmocka_unit_test(the_plan_counts_every_point),
		cmocka_unit_test(a_point_is_of_all_its_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
