/* The report's tables: results go in; rows of equal outcomes come out. */
#include "tests/self/host/support/report_run.h"
#include "tests/report/internal.h"
#include "tests/report/wrapped.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Of the tables and what is behind them; the last line, which is read by programs, alone may be wider. */
static void assert_no_wide_line(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (strncmp(line, "assay: ", 7))
			assert_in_range(strcspn(line, "\n"), 0, TABLE_COLUMNS);
}

static void table_groups_equal_outcomes(void **state)
{
	const char *text, *table;

	(void)state;
	mixed_run(false);
	report_end(true);
	text = fake_console_text();
	table = strstr(text, "event  ");
	assert_non_null(table);
	assert_non_null(
		strstr(table, "INST_RETIRED.ANY_P           4 counters       3 kernels  0    exact (12)\n"));
	assert_non_null(
		strstr(table, "BR_INST_RETIRED.ALL_BRANCHES 3 counters       3 kernels  0    exact (9)\n"));
	assert_non_null(strstr(
		table, "                             PMC3             3 kernels  0    biased (3)\n"
		       "    such as PMC3/nop_loop ring 0 N=20: expected 240, observed 241 x3; off by 1\n"));
	assert_non_null(strstr(table, "skipped (1)\n    not offered by this CPU\n"));
	/* every table of the virtual PMU says so, and only those */
	assert_non_null(
		strstr(text, "against every kernel\nvirtual PMU (model intel-core2), not silicon\n-----"));
	assert_non_null(strstr(text, "counters obey their controls\n-----"));
	/* a bad plain check shows at once, and in the table */
	assert_non_null(strstr(text, "  error   interrupt as NMI PMC0; the watchdog ended it\n"));
	assert_non_null(strstr(text, "wrong\n    status \"bit\" 3 stays set\n"));
	assert_no_wide_line(table);
}

/* What a machine model counted is told apart, in the table that it is in and in the document. */
static void a_machine_model_is_named(void **state)
{
	static const char line[] =
		"cycles, misses and mispredictions are those of a machine model, not of a CPU\n";
	struct result r = {.suite = "events",
			   .name = "cycles/PMC0/loop",
			   .event = "cycles",
			   .kernel = "loop",
			   .virtual = true};
	size_t size;
	char *json;

	(void)state;
	for (unsigned modelled = 0; modelled < 2; modelled++) {
		begin(false);
		r.machine_model = modelled;
		report_result(&r);
		report_end(true);
		assert_int_equal(strstr(fake_console_text(), line) != NULL, modelled);
		json = json_of(&size);
		assert_int_equal(strstr(json, "\"machine_model\":true") != NULL, modelled);
		free(json);
	}
}

/* What is asked of a text between two others. */
static bool between(const char *text, const char *from, const char *to, const char *what)
{
	const char *start = strstr(text, from), *end = start ? strstr(start, to) : NULL;
	const char *found = start ? strstr(start, what) : NULL;

	return end && found && found < end;
}

static void processors_are_kept_apart(void **state)
{
	struct pmu other = fake_report_pmu;
	size_t size;

	(void)state;
	snprintf(other.model, sizeof other.model, "intel-core3");
	fake_console_reset();
	report_begin(&fake_header);
	report_processor(&(struct report_processor){0, 0, "P-core", true});
	report_processor(&(struct report_processor){1, 8, "E-core", true});
	report_processor(&(struct report_processor){2, 16, NULL, false});
	report_judging(0);
	report_pmu(&fake_report_pmu, fake_leaves);
	report_suite_begin("events", "all events");
	cell("INST", "PMC0", "nops", VERDICT_EXACT, 0);
	report_value("events", "bracket", "4", "instructions");
	report_judging(1);
	report_pmu(&other, fake_leaves);
	report_snapshot(&fake_snapshot, NULL, true);
	report_suite_begin("events", "all events");
	cell("INST", "PMC0", "nops", VERDICT_WRONG, 1);
	report_end(true);

	const char *first = "events on processor 0 (P-core): all events\nvirtual PMU (model intel-core2)";
	const char *second = "events on processor 1 (E-core): all events\nvirtual PMU (model intel-core3)";
	assert_true(between(fake_console_text(), first, second, "exact (1)"));
	assert_false(between(fake_console_text(), first, second, "wrong"));
	assert_true(between(fake_console_text(), second, "assay: ", "wrong (1)"));
	assert_non_null(
		strstr(fake_console_tap(), "not ok 2 - events on processor 1 (E-core): INST on PMC0"));

	char *json = json_of(&size);
	assert_int_equal(judge_file(VALIDATE, json), 0);
	assert_non_null(strstr(json, "\"id\":\"0x8\",\"kind\":\"E-core\",\"judged\":true"));
	assert_non_null(strstr(
		json, "\"snapshots\":[{\"processor\":1,\"registers\":[{\"name\":\"IA32_PERF_GLOBAL_CTRL\""));
	assert_non_null(
		strstr(fake_console_text(), "registers as they were found on processor 1 (E-core):\n"));
	for (char *lie = json; (lie = strstr(lie, "\"processor\":1")); lie++) {
		lie[strlen("\"processor\":")] = '2'; /* which was not judged */
		assert_int_equal(judge_file(VALIDATE " 2>/dev/null", json), 1);
		lie[strlen("\"processor\":")] = '1';
	}
	free(json);
}

/* A suite may measure all events on one kernel side by side, kernel after kernel: progress by kernel, tables
 * and points by event. */
/* Of a check's observations the one that tells is in both streams: the first that is off, also among the
 * further ones. */
static void the_telling_observation_is_shown(void **state)
{
	static struct observation further[2];
	struct result r = {
		.suite = "control", .name = "open", .n_observations = 1, .n_more = 2, .more = further};

	(void)state;
	r.judgement.verdict = VERDICT_WRONG;
	for (unsigned off = 0; off < 3; off++) {
		char text[64];

		memset(further, 0, sizeof further);
		memset(&r.observation[0], 0, sizeof r.observation[0]);
		for (unsigned i = 0; i < 3; i++) {
			struct observation *o = i ? &further[i - 1] : &r.observation[0];

			o->n = 10 * (i + 1);
			o->low = 5;
			o->high = INT64_MAX;
			histogram_add(&o->seen, i < off ? 6 : i);
		}
		begin(false);
		report_result(&r);
		snprintf(text, sizeof text, " N=%u: expected >= 5, observed %u\n", 10 * (off + 1), off);
		assert_non_null(strstr(fake_console_text(), text));
		snprintf(text, sizeof text, "  n: %u\n  expected: \">= 5\"\n  observed: \"%u\"\n",
			 10 * (off + 1), off);
		assert_non_null(strstr(fake_console_tap(), text));
		report_end(true);
	}
}

/* A point is as good as its worst check, and skipped if all of them are, wherever they stand. */
static void a_point_is_its_checks(void **state)
{
	static const struct {
		enum verdict verdict[3];
		const char *point;
	} cases[] = {
		{{VERDICT_EXACT, VERDICT_EXACT, VERDICT_SKIPPED}, "ok 1 - "},
		{{VERDICT_SKIPPED, VERDICT_EXACT, VERDICT_EXACT}, "ok 1 - "},
		{{VERDICT_SKIPPED, VERDICT_SKIPPED, VERDICT_SKIPPED}, "ok 1 - "},
		{{VERDICT_BIASED, VERDICT_EXACT, VERDICT_EXACT}, "not ok 1 - "},
		{{VERDICT_EXACT, VERDICT_EXACT, VERDICT_BIASED}, "not ok 1 - "},
		{{VERDICT_EXACT, VERDICT_BIASED, VERDICT_SKIPPED}, "not ok 1 - "},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool skipped = true;
		char text[32];

		begin(false);
		for (unsigned k = 0; k < 3; k++) {
			static const char *const kernel[] = {"nops", "calls", "loads"};

			cell("EA", "PMC0", kernel[k], cases[i].verdict[k], 1);
			skipped = skipped && cases[i].verdict[k] == VERDICT_SKIPPED;
		}
		report_end(true);
		snprintf(text, sizeof text, "\n%s", cases[i].point);
		assert_non_null(strstr(fake_console_tap(), text));
		assert_int_equal(strstr(fake_console_tap(), "# SKIP") != NULL, skipped);
	}
}

/* Up to so many names are told, more are counted: never one alone. */
static void few_names_are_told_and_many_counted(void **state)
{
	static const struct {
		const char *names;
		unsigned most;
		const char *text;
	} cases[] = {
		{"", 1, ""},
		{"calls", 1, "calls"},
		{"calls calls", 1, "calls"},
		{"calls nops", 1, "2 kernels"},
		{"calls nops", 2, "calls,nops"},
		{"calls nops rets", 2, "3 kernels"},
		{"PMC3 PMC1 PMC2 CTR0 PMC5", 8, "PMC1-3,PMC5,CTR0"},
		{"PMC10 PMC9", 8, "PMC9-10"},
		{"A1 B1 A2", 8, "A1-2,B1"},
		{"AB1 A2 A A1", 8, "AB1,A1-2,A"},
		{"0 3", 4, "0,3"},
	};
	char out[200];
	struct names many = {0};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct names names = {0};
		char text[64];

		strcpy(text, cases[i].names);
		for (char *name = strtok(text, " "); name; name = strtok(NULL, " "))
			names_add(&names, intern(name));
		names_add(&names, NULL);
		names_format(&names, cases[i].most, "kernels", out, sizeof out);
		assert_string_equal(out, cases[i].text);
	}
	for (unsigned i = 0; i < NAMES_MAX + 1; i++) {
		snprintf(out, sizeof out, "k%uk", i);
		names_add(&many, intern(out));
		if (i + 1 != NAMES_MAX)
			continue;
		names_format(&many, 1, "kernels", out, sizeof out);
		assert_string_equal(out, "192 kernels");
	}
	names_format(&many, 1, "kernels", out, sizeof out);
	assert_string_equal(out, "192+ kernels");
	names_format(&many, 1000, "kernels", out, sizeof out);
	assert_string_equal(out, "192+ kernels");
	cells_free();
}

/* A row for one kernel names it, in both streams. */
static void one_kernel_is_named(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 3; n++) {
		static const char *const kernel[] = {"nops", "calls", "rets"};

		begin(false);
		for (unsigned k = 0; k < n; k++)
			cell("EA", "PMC0", kernel[k], VERDICT_EXACT, 0);
		report_end(true);
		assert_int_equal(
			strstr(fake_console_text(), "PMC0             nops       0    exact (1)\n") != NULL,
			n == 1);
		assert_int_equal(strstr(fake_console_text(), " 2 kernels ") != NULL, n == 2);
		assert_int_equal(strstr(fake_console_text(), " 3 kernels ") != NULL, n == 3);
		assert_int_equal(strstr(fake_console_tap(), "EA on PMC0, nops:") != NULL, n == 1);
		assert_int_equal(strstr(fake_console_tap(), "EA on PMC0, nops,calls:") != NULL, n == 2);
		assert_int_equal(strstr(fake_console_tap(), "EA on PMC0, 3 kernels:") != NULL, n == 3);
	}
}

static void order_of_the_matrix_is_free(void **state)
{
	static const char *const event[] = {"EA", "EB"}, *const counter[] = {"PMC10", "PMC9", "FIXED_CTR0",
									     "PMC0"};
	const char *text;

	(void)state;
	begin(false);
	report_suite_begin("events", "title");
	plain("before", VERDICT_EXACT, "");
	report_suite_begin("events", "title");
	for (unsigned k = 0; k < 3; k++)
		for (unsigned c = 0; c < 4; c++)
			cell(event[(c + k) % 2], counter[c],
			     (const char *const[]){"nops", "calls", "rets"}[k], VERDICT_EXACT, 0);
	report_end(true);
	text = fake_console_text();
	assert_non_null(strstr(text, "  nops, ring 0                       4 checks: 4 exact\n"
				     "  calls, ring 0                      4 checks: 4 exact\n"
				     "  rets, ring 0                       4 checks: 4 exact\n"
				     "  12 checks: 12 exact\n"));
	assert_non_null(strstr(text, "EA           4 counters       3 kernels  0    exact (6)\n"));
	assert_non_null(
		strstr(fake_console_tap(),
		       "ok 2 - events: EA on PMC0,PMC9-10,FIXED_CTR0, 3 kernels: 6 checks: 6 exact\n"
		       "ok 3 - events: EB on PMC0,PMC9-10,FIXED_CTR0, 3 kernels: 6 checks: 6 exact\n1..3\n"));
}

static void plain_checks_of_one_stem_share_a_row(void **state)
{
	const char *text;

	(void)state;
	for (unsigned verbose = 0; verbose < 2; verbose++) {
		begin(verbose);
		report_suite_begin("control", "title");
		plain("wrap/PMC1", VERDICT_EXACT, "");
		plain("other", VERDICT_EXACT, "");
		plain("wrap/PMC0", VERDICT_EXACT, "");
		plain("wrap/PMC2", VERDICT_WRONG, "stuck");
		plain("wrap/PMC3", VERDICT_SKIPPED, "not here");
		plain("wrap/PMC4", VERDICT_SKIPPED, "not here");
		report_end(true);
		text = strstr(fake_console_text(), "\ncheck ");
		assert_non_null(text);
		assert_int_equal(!verbose, strstr(text, "\nwrap         PMC0         -    3..5        "
							"5 x1, 4 x1  exact (2)\n") != NULL);
		assert_int_equal(!verbose, strstr(text, "\nwrap         PMC0         -    -           "
							"-           skipped (2)\n"
							"    not here\n") != NULL);
		assert_int_equal(verbose, strstr(text, "\nwrap/PMC1    PMC0         -    3..5        "
						       "5 x1, 4 x1  exact\n") != NULL);
		assert_non_null(strstr(text, "\nwrap/PMC2    PMC0         -    3..5        5 x1, 6 x1 "
					     " wrong\n    stuck\n"));
		assert_non_null(strstr(fake_console_tap(), "\n1..6\n"));
	}
}

/* What checks must have in common to share a row: the stem, the verdict and its reason, be it skipped or
 * good; what is bad has a row of its own. */
static void one_row_is_of_one_kind(void **state)
{
	static const struct {
		const char *name[2], *why[2];
		enum verdict verdict[2];
		const char *rows[2]; /* the second NULL: there is one */
	} cases[] = {
		{{"wrap/1", "wrap/2"},
		 {"not here", "not here"},
		 {VERDICT_SKIPPED, VERDICT_SKIPPED},
		 {" skipped (2)\n    not here\n"}},
		{{"wrap/1", "wrap/2"},
		 {"not here", "not now"},
		 {VERDICT_SKIPPED, VERDICT_SKIPPED},
		 {" skipped\n    not here\n", " skipped\n    not now\n"}},
		{{"wrap/1", "wrap/2"},
		 {"not here", ""},
		 {VERDICT_SKIPPED, VERDICT_SKIPPED},
		 {" skipped\n    not here\n", " skipped\n"}},
		{{"wrap/1", "wrapped/2"},
		 {"", ""},
		 {VERDICT_SKIPPED, VERDICT_SKIPPED},
		 {" skipped\n", " skipped\n"}},
		{{"wrap/1", "wrap/2"},
		 {"", ""},
		 {VERDICT_EXACT, VERDICT_SKIPPED},
		 {" exact\n", " skipped\n"}},
		{{"wrap/1", "wrap/2"}, {"", ""}, {VERDICT_EXACT, VERDICT_EXACT}, {" exact (2)\n"}},
		{{"wrap/1", "wrap/2"},
		 {"as the table says", "by a share"},
		 {VERDICT_EXACT, VERDICT_EXACT},
		 {" exact\n    as the table says\n", " exact\n    by a share\n"}},
		{{"wrap/1", "wrap/2"},
		 {"stuck", "stuck"},
		 {VERDICT_WRONG, VERDICT_WRONG},
		 {" wrong\n    stuck\n", " wrong\n    stuck\n"}},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *at;

		begin(false);
		for (unsigned k = 0; k < 2; k++)
			plain(cases[i].name[k], cases[i].verdict[k], cases[i].why[k]);
		report_end(true);
		at = strstr(fake_console_text(), "\ncheck ");
		assert_non_null(at);
		for (unsigned k = 0; k < 2 && cases[i].rows[k]; k++) {
			at = strstr(at, "\nwrap");
			assert_non_null(at);
			at = strstr(at, cases[i].rows[k]);
			assert_non_null(at);
			at += strlen(cases[i].rows[k]) - 1;
		}
		assert_null(strstr(at, "\nwrap"));
	}
}

/* The same of events' cells, whose rows are further told apart by the event; what is good needs no reason. */
static void one_row_of_a_matrix_is_of_one_kind(void **state)
{
	static const struct {
		const char *event[2];
		enum verdict verdict[2];
		int64_t off[2];
		unsigned rows;
	} cases[] = {
		{{"EA", "EA"}, {VERDICT_BIASED, VERDICT_BIASED}, {1, 1}, 1},
		{{"EA", "EA"}, {VERDICT_BIASED, VERDICT_BIASED}, {1, 2}, 2},
		{{"EA", "EA"}, {VERDICT_BIASED, VERDICT_WRONG}, {1, 1}, 2},
		{{"EA", "EB"}, {VERDICT_BIASED, VERDICT_BIASED}, {1, 1}, 2},
		{{"EA", "EA"}, {VERDICT_SKIPPED, VERDICT_SKIPPED}, {0, 0}, 1},
		{{"EA", "EB"}, {VERDICT_EXACT, VERDICT_EXACT}, {0, 0}, 2},
		{{"EA", "EA"}, {VERDICT_EXACT, VERDICT_EXACT}, {0, 0}, 1},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned rows = 0;

		begin(false);
		for (unsigned k = 0; k < 2; k++)
			cell(cases[i].event[k], k ? "PMC1" : "PMC0", "nops", cases[i].verdict[k],
			     cases[i].off[k]);
		report_end(true);
		for (const char *at = strstr(fake_console_text(), "\nevent "); (at = strstr(at, " nops  "));
		     at++)
			rows++;
		assert_int_equal(rows, cases[i].rows);
	}
}

/* Names of up to 22 characters have a column of their width; longer ones a line of their own. */
static void columns_are_as_wide_as_names(void **state)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz0123456789+";

	(void)state;
	for (unsigned length = 11; length <= 23; length += length == 22 ? 1 : 11) {
		char line[80];
		unsigned width = length < 12 ? 12 : length > 22 ? 22 : length;

		begin(false);
		snprintf(line, sizeof line, "%.*s", (int)length, name);
		plain(line, VERDICT_EXACT, "");
		report_end(true);
		snprintf(line, sizeof line, "\n%-*s counters ", (int)width, "check");
		assert_non_null(strstr(fake_console_text(), line));
		snprintf(line, sizeof line, "\n%-*.*s%s%*s PMC0 ", (int)width, (int)length, name,
			 length > width ? "\n" : "", length > width ? (int)width : 0, "");
		assert_non_null(strstr(fake_console_text(), line));
	}
}

static void counted(const char *name, int64_t high, int64_t observed)
{
	struct result r = {.suite = "control", .name = name, .n_observations = 1};

	r.judgement.verdict = VERDICT_WITHIN;
	r.observation[0] = (struct observation){.n = 1, .low = 3, .high = high};
	histogram_add(&r.observation[0].seen, observed);
	report_result(&r);
}

/* A column that is not the same for all checks of a row says so. */
static void what_differs_within_a_row_is_dots(void **state)
{
	const char *text;

	(void)state;
	begin(false);
	report_suite_begin("control", "title");
	counted("same/1", 5, 4);
	counted("same/2", 5, 4);
	counted("seen/1", 5, 4);
	counted("seen/2", 5, 3);
	counted("wanted/1", 5, 4);
	counted("wanted/2", 6, 4);
	report_end(true);
	text = strstr(fake_console_text(), "\ncheck ");
	assert_non_null(text);
	assert_non_null(
		strstr(text, "\nsame         -            -    3..5        4           within (2)\n"));
	assert_non_null(
		strstr(text, "\nseen         -            -    3..5        ...         within (2)\n"));
	assert_non_null(
		strstr(text, "\nwanted       -            -    ...         4           within (2)\n"));
}

/* Numbers that no column holds are told below the row; a long name is broken at a space. */
static void what_is_long_has_lines_of_its_own(void **state)
{
	static const char words[] = "one word and another word and another word and another word and "
				    "another word and another word";
	const char *table;

	(void)state;
	begin(false);
	report_suite_begin("control", "title");
	counted("range", 123456789012, 123456789011);
	plain(words, VERDICT_WRONG, words);
	report_end(true);
	table = strstr(fake_console_text(), "\ncheck ");
	assert_non_null(table);
	assert_non_null(strstr(table,
			       " ...         ...         within\n    expected 3..123456789012, observed "
			       "123456789011\n"));
	assert_non_null(strstr(table,
			       "\none word and another word and another word and another word and another "
			       "word\n  and another word\n"));
	assert_non_null(strstr(table,
			       "\n    one word and another word and another word and another word and another"
			       "\n      word and another word\n"));
	assert_no_wide_line(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_groups_equal_outcomes),
		cmocka_unit_test(a_machine_model_is_named),
		cmocka_unit_test(processors_are_kept_apart),
		cmocka_unit_test(the_telling_observation_is_shown),
		cmocka_unit_test(a_point_is_its_checks),
		cmocka_unit_test(few_names_are_told_and_many_counted),
		cmocka_unit_test(one_kernel_is_named),
		cmocka_unit_test(order_of_the_matrix_is_free),
		cmocka_unit_test(plain_checks_of_one_stem_share_a_row),
		cmocka_unit_test(one_row_is_of_one_kind),
		cmocka_unit_test(one_row_of_a_matrix_is_of_one_kind),
		cmocka_unit_test(columns_are_as_wide_as_names),
		cmocka_unit_test(what_differs_within_a_row_is_dots),
		cmocka_unit_test(what_is_long_has_lines_of_its_own),
	};

	return cmocka_run_group_tests_name("report tables", tests, NULL, NULL);
}
