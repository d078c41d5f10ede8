/* What stands behind the report's tables: facts, processors compared, what is wrong, and the last line. */
#include "tests/self/host/support/report_run.h"
#include "tests/report/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void totals_and_last_line(void **state)
{
	static const char last[] = "assay: 29 checks: 22 exact, 0 within, 3 biased, 0 noisy, 0 dead, 1 "
				   "wrong, 0 erratum, 1 error, 2 skipped\n";
	const char *text;

	(void)state;
	mixed_run(false);
	report_end(true);
	assert_int_equal(report_totals()->checks, 29);
	assert_int_equal(report_totals()->verdicts[VERDICT_BIASED], 3);
	text = fake_console_text();
	assert_string_equal(text + strlen(text) - strlen(last), last);
}

/* Facts have a line of their own, with their name. */
static void facts_are_told(void **state)
{
	(void)state;
	begin(false);
	report_fact("shares", "writes", "PMC1 counts the write that starts it");
	report_end(true);
	assert_non_null(strstr(fake_console_text(),
			       "\nfact: shares: writes: PMC1 counts the write that starts it\n"));
}

/* What would end a line does not. */
static void control_characters_are_blanks(void **state)
{
	(void)state;
	begin(false);
	plain("one\nnot ok 2 - two\tthree", VERDICT_WRONG, "why\nnot");
	report_end(true);
	assert_non_null(strstr(fake_console_tap(), "not ok 1 - control: one not ok 2 - two three\n"));
	assert_non_null(strstr(fake_console_tap(), "why: \"why not\"\n"));
	assert_null(strstr(fake_console_tap(), "\nnot ok 2"));
}

/* What is wrong is told once more at the end, the worst first, for each reason once; a good run says that it
 * is good. */
/* On four processors, of which the last three are of one kind: one check that they all have, and one that
 * some lack. */
static const char *merged(enum verdict on_second, enum verdict on_third)
{
	const enum verdict verdict[] = {VERDICT_WRONG, VERDICT_EXACT, on_second, on_third};

	fake_console_reset();
	report_begin(&fake_header);
	for (unsigned i = 0; i < 4; i++)
		report_processor(&(struct report_processor){i, i, i ? "E-core" : "P-core", true});
	for (unsigned i = 0; i < 4; i++) {
		report_judging(i);
		report_suite_begin("control", "title");
		plain("one", verdict[i], "stuck");
		plain("other", VERDICT_EXACT, "");
		if (i == 3)
			plain("alone", VERDICT_EXACT, "");
	}
	report_end(true);
	return strstr(fake_console_text(), "\n3 processors (E-core): ");
}

static void verdicts_of_one_kind_are_merged(void **state)
{
	const char *text;

	(void)state;
	text = merged(VERDICT_EXACT, VERDICT_EXACT);
	assert_non_null(text);
	assert_non_null(strstr(text, ": 2 of 2 checks have the same verdict on each\nwhat is wrong"));
	text = merged(VERDICT_EXACT, VERDICT_NOISY);
	assert_non_null(text);
	assert_non_null(strstr(text, ": 1 of 2 checks have the same verdict on each\n"
				     "  processor 3 (E-core) differs in 1\nwhat is wrong"));
	text = merged(VERDICT_NOISY, VERDICT_NOISY);
	assert_non_null(text);
	assert_non_null(strstr(text, "\n  processor 1 (E-core) differs in 1\nwhat is wrong"));
	assert_null(strstr(fake_console_text(), "processors (P-core)"));
}

static void the_end_says_what_is_wrong(void **state)
{
	const char *text;

	(void)state;
	begin(false);
	plain("fine", VERDICT_EXACT, "");
	plain("fine", VERDICT_SKIPPED, "not here");
	report_end(true);
	assert_non_null(strstr(fake_console_text(), "--\nnothing is wrong\nassay: 2 checks: "));
	begin(false);
	plain("fine", VERDICT_SKIPPED, "not here");
	report_end(true);
	assert_non_null(strstr(fake_console_text(), "--\nnothing was judged\nassay: 1 checks: "));

	begin(false);
	plain("noisy", VERDICT_NOISY, "not repeatable");
	plain("wrap/PMC0", VERDICT_WRONG, "stuck");
	plain("fine", VERDICT_EXACT, "");
	plain("wrap/PMC1", VERDICT_WRONG, "stuck");
	cell("EA", "PMC0", "nops", VERDICT_BIASED, 1);
	cell("EA", "PMC0", "calls", VERDICT_BIASED, 1);
	cell("EB", "PMC0", "calls", VERDICT_BIASED, 1);
	report_end(true);
	text = strstr(fake_console_text(), "\nwhat is wrong, the worst first (6 of 7 checks)\n");
	assert_non_null(text);
	assert_non_null(strstr(
		text, ")\n  wrong   control: wrap/PMC0 N=1: expected 3..5, observed 5 x1, 6 x1; stuck\n"
		      "    (and 1 like it)\n"
		      "  biased  events: EA/PMC0/nops ring 0 N=20: expected 240, observed 241 x3; off\n"
		      "    by 1 (and 1 like it)\n"
		      "  biased  events: EB/PMC0/calls ring 0 N=20: expected 240, observed 241 x3; off\n"
		      "    by 1\n"
		      "  noisy   control: noisy PMC0; not repeatable\nassay: 7 checks: "));

	/* For one reason: of one processor, suite and verdict. */
	for (unsigned other = 0; other < 4; other++) {
		fake_console_reset();
		report_begin(&fake_header);
		report_processor(&(struct report_processor){0, 0, "P-core", true});
		report_processor(&(struct report_processor){1, 8, "E-core", true});
		report_judging(0);
		report_suite_begin("control", "title");
		plain("one", VERDICT_WRONG, "stuck");
		report_judging(other == 1);
		report_suite_begin("control", "title");
		plain("two", other == 2 ? VERDICT_NOISY : VERDICT_WRONG, other == 3 ? "stuck high" : "stuck");
		report_end(true);
		text = strstr(fake_console_text(), "\nwhat is wrong, the worst first (2 of 2 checks)\n");
		assert_non_null(text);
		assert_int_equal(strstr(text, "like it)") != NULL, other == 0);
		assert_int_equal(strstr(text, ": two") != NULL, other != 0);
		assert_int_equal(strstr(text, "(E-core)") != NULL, other == 1);
	}

	/* Of many reasons the first are told, and how many others there are. */
	for (unsigned reasons = 8; reasons <= 10; reasons++) {
		char why[32], more[64];

		begin(false);
		for (unsigned i = 0; i < reasons; i++) {
			snprintf(why, sizeof why, "reason %u", i);
			plain("x", VERDICT_ERROR, why);
		}
		report_end(true);
		text = strstr(fake_console_text(), "\nwhat is wrong");
		assert_non_null(text);
		assert_non_null(strstr(text, "reason 7\n"));
		assert_null(strstr(text, "reason 8\n"));
		snprintf(more, sizeof more, "\n  and %u others: in the tables above and in the report\n",
			 reasons - 8);
		assert_int_equal(strstr(text, more) != NULL, reasons > 8);
	}
}

static void verbose_shows_every_check(void **state)
{
	(void)state;
	mixed_run(true);
	report_end(true);
	assert_non_null(strstr(
		fake_console_text(),
		"  exact   INST_RETIRED.ANY_P/PMC1/taken ring 0 N=40: expected 480, observed 480 x3\n"));
	assert_non_null(strstr(fake_console_tap(),
			       "    ok 12 - INST_RETIRED.ANY_P/FIXED_CTR0/calls\n    1..12\nok 5 - events: "
			       "INST_RETIRED.ANY_P on "
			       "PMC0-1,PMC3,FIXED_CTR0, 3 kernels: 12 checks: 12 exact\n"));
	assert_non_null(strstr(fake_console_tap(),
			       "    not ok 7 - BR_INST_RETIRED.ALL_BRANCHES/PMC3/nop_loop\n      ---\n"));
	mixed_run(false);
	report_end(true);
	assert_null(strstr(fake_console_text(), "  exact   "));
	assert_null(strstr(fake_console_tap(), "Subtest"));
}

static void a_run_cut_short_says_so(void **state)
{
	size_t size;
	char *text;

	(void)state;
	begin(false);
	report_suite_begin("events", "title");
	cell("E", "PMC0", "k", VERDICT_EXACT, 0);
	report_end(false);
	assert_non_null(
		strstr(fake_console_text(), "\nincomplete: the run was cut short\nassay: 1 checks: 1 exact"));
	assert_non_null(strstr(fake_console_tap(), "not ok 2 - the run came to its end\n1..2\n"));
	assert_int_equal(judge_file(PROVE, fake_console_tap()), 1);
	text = json_of(&size);
	assert_non_null(strstr(text, "\"complete\":false,\"lost\":0"));
	assert_int_equal(judge_file(VALIDATE, text), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_last_line),
		cmocka_unit_test(verdicts_of_one_kind_are_merged),
		cmocka_unit_test(facts_are_told),
		cmocka_unit_test(control_characters_are_blanks),
		cmocka_unit_test(the_end_says_what_is_wrong),
		cmocka_unit_test(verbose_shows_every_check),
		cmocka_unit_test(a_run_cut_short_says_so),
	};

	return cmocka_run_group_tests_name("report end", tests, NULL, NULL);
}
