/* What is made of a run that did not come to its end, of its journal and its breadcrumbs. */
#include "boot/recovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define HEAD "assay 123abc on GenuineIntel-6-5E-3\noptions: pmu=auto\n"

static struct recovery r;

static void learn(const char *journal, const struct breadcrumb *crumb, const char *list)
{
	recovery_learn(&r, journal, 12, crumb, list);
}

static void nothing_and_an_end_say_nothing(void **state)
{
	static const char *const journals[] = {
		NULL,
		HEAD
		"left out: 0011 0 17 control/accesses\n0 ms: setting the machine up\n81 ms: suite control on "
		"processor 0\nended: 190 checks\n",
		HEAD "ended: could not run: no such suite\n",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof journals / sizeof journals[0]; i++) {
		learn(journals[i], NULL, "");
		assert_false(r.broken);
		assert_int_equal(r.count, 0);
		assert_int_equal(r.again, 0);
		assert_string_equal(r.last, "");
	}
}

static void a_journal_knows_the_stage(void **state)
{
	static const struct {
		const char *journal, *where, *last, *stage;
	} cases[] = {
		{"", "", "", ""},
		{"ass", "", "", ""},
		{HEAD "0 ms: setting the machine up\n", "setting the machine up", "",
		 "setting the machine up"},
		{HEAD "0 ms: setting the machine up", "setting the machine up", "", "setting the machine up"},
		{HEAD "0 ms: setting the machine up\n81 ms: suite control on processor 0\n",
		 "suite control on processor 0", "control", ""},
		{HEAD "81 ms: suite control on processor 0\n99 ms: suite events on processor 13\n",
		 "suite events on processor 13", "events", ""},
		{HEAD "81 ms: suite control on processor 0\n99 ms: looking what became of the PMU\n",
		 "looking what became of the PMU", "", "looking what became of the PMU"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		learn(cases[i].journal, NULL, "");
		assert_true(r.broken);
		assert_int_equal(r.run, 12);
		assert_string_equal(r.where, cases[i].where);
		assert_string_equal(r.last, cases[i].last);
		assert_string_equal(r.stage, cases[i].stage);
		assert_int_equal(r.count, 0);
		assert_int_equal(r.again, 1);
	}
}

static void what_was_left_out_still_is(void **state)
{
	(void)state;
	learn(HEAD "left out: 0010 0 17 control/accesses\nleft out: 0011 2 0 events/a b/c\nleft out: x\nleft "
		   "out: 1 2\n"
		   "left out: 1 2 3\nleft out: 1 2 3 \n0 ms: setting the machine up\n",
	      NULL, "");
	assert_int_equal(r.count, 2);
	assert_int_equal(r.item[0].run, 10);
	assert_non_null(recovery_item(&r, 0, "control/accesses", 17));
	assert_null(recovery_item(&r, 0, "control/accesses", 0));
	assert_null(recovery_item(&r, 0, "control/accesses", 16));
	assert_null(recovery_item(&r, 1, "control/accesses", 17));
	assert_null(recovery_item(&r, 0, "control/access", 17));
	assert_int_equal(recovery_item(&r, 2, "events/a b/c", 0)->run, 11);
	assert_string_equal(r.item[0].why, "reset the machine (run 0010)");
	assert_string_equal(r.item[1].why, "reset the machine (run 0011)");
	learn(HEAD "left out: 0000 0 17 control/accesses\n0 ms: setting the machine up\n", NULL, "");
	assert_string_equal(r.item[0].why, "reset the machine");
}

/* Nothing may go on without it: once it is tried again, and twice it is left out. */
static void what_has_no_name_is_tried_again(void **state)
{
	struct breadcrumb c = {.run = 12, .call = 1, .place = "choosing the PMU/call 1"};

	(void)state;
	learn(NULL, &c, "");
	assert_true(r.broken && !r.stuck);
	assert_int_equal(r.count, 0);
	assert_string_equal(r.stage, "choosing the PMU");
	assert_int_equal(r.again, 1);
	c.again = 1;
	learn(NULL, &c, "");
	assert_true(r.broken && !r.stuck);
	assert_int_equal(r.count, 1);
	assert_string_equal(r.item[0].place, "choosing the PMU/call 1");
	c = (struct breadcrumb){.run = 12, .call = 7, .place = "choosing the PMU/ladder/PMC0"};
	learn(NULL, &c, "");
	assert_int_equal(r.count, 1);
	c = (struct breadcrumb){.run = 12, .call = 7, .suite = true, .place = "control/call 7"};
	learn(NULL, &c, "");
	assert_int_equal(r.count, 1);
}

static void a_crumb_knows_the_check(void **state)
{
	static const char *const journal =
		HEAD "left out: 0010 0 17 control/accesses\n81 ms: suite control on processor 0\n";
	struct breadcrumb c = {.run = 12, .call = 5, .suite = true, .place = "control/wrap/PMC0"};
	char text[512];

	(void)state;
	learn(journal, &c, "0010 0 17 control/accesses\n");
	assert_true(r.broken);
	assert_string_equal(r.where, "control/wrap/PMC0");
	assert_string_equal(r.last, ""); /* it is known where in the suite */
	assert_int_equal(r.count, 2);
	assert_int_equal(recovery_item(&r, 0, "control/wrap/PMC0", 0)->run, 12);
	recovery_list(&r, text, sizeof text);
	assert_string_equal(text, "0010 0 17 control/accesses\n0012 0 0 control/wrap/PMC0\n");

	c.step = 18;
	c.written = 0x38f;
	c.written_value = 0x7000000ff;
	strcpy(c.place, "control/accesses");
	learn(journal, &c, "0010 0 17 control/accesses\n");
	assert_string_equal(
		r.where,
		"control/accesses #18; the register that was last written is 38FH, with 0x7000000ff");
	assert_int_equal(r.count, 2);
	assert_non_null(recovery_item(&r, 0, "control/accesses", 17));
	assert_non_null(recovery_item(&r, 0, "control/accesses", 18));
	assert_null(recovery_item(&r, 0, "control/accesses", 0));

	/* A start without files knows it of memory alone. */
	c.run = 0;
	learn(NULL, &c, "0000 0 17 control/accesses\n");
	assert_int_equal(r.count, 2);
	assert_int_equal(r.run, 0);
}

/* A journal alone says which check it was, if that was told to be one that may hang the machine. */
static void what_may_hang_is_left_out(void **state)
{
	static const char *const hung = HEAD
		"left out: 0010 0 17 control/accesses\n81 ms: suite control on processor 0\n"
		"90 ms: suite dangerous on processor 0\nmay hang: 0012 0 0 dangerous/PEBS switched/PMC0\n";
	char journal[512];

	(void)state;
	learn(hung, NULL, "");
	assert_true(r.broken);
	assert_string_equal(r.where, "dangerous/PEBS switched/PMC0");
	assert_string_equal(r.last, "");
	assert_string_equal(r.stage, "");
	assert_int_equal(r.count, 2);
	assert_int_equal(recovery_item(&r, 0, "dangerous/PEBS switched/PMC0", 0)->run, 12);

	/* It came back. */
	snprintf(journal, sizeof journal, "%s99 ms: suite dangerous on processor 0\n", hung);
	learn(journal, NULL, "");
	assert_string_equal(r.where, "suite dangerous on processor 0");
	assert_int_equal(r.count, 1);
	snprintf(journal, sizeof journal, "%s99 ms: writing the report\n", hung);
	learn(journal, NULL, "");
	assert_string_equal(r.where, "writing the report");
	assert_string_equal(r.stage, "writing the report");
	assert_int_equal(r.count, 1);
	snprintf(journal, sizeof journal, "%sended: 190 checks\n", hung);
	learn(journal, NULL, "");
	assert_false(r.broken);
	assert_int_equal(r.count, 0);
}

/* Where the list has it already, or has no room: the place is still the one that the journal tells. */
static void what_hung_is_told_from_its_own_line(void **state)
{
	static char journal[2048];
	int n;

	(void)state;
	learn(HEAD "left out: 0011 0 0 dangerous/one\nleft out: 0011 0 0 control/other\n"
		   "90 ms: suite dangerous on processor 0\nmay hang: 0012 0 0 dangerous/one\n",
	      NULL, "");
	assert_string_equal(r.where, "dangerous/one");
	assert_int_equal(r.count, 2);
	assert_false(r.full);

	n = snprintf(journal, sizeof journal, "%s", HEAD);
	for (unsigned i = 0; i < LEFT_OUT_MAX; i++)
		n += snprintf(journal + n, sizeof journal - (size_t)n, "left out: 0011 0 %u control/a\n",
			      i + 1);
	snprintf(journal + n, sizeof journal - (size_t)n,
		 "90 ms: suite dangerous on processor 0\nmay hang: 0012 0 0 dangerous/one\n");
	learn(journal, NULL, "");
	assert_string_equal(r.where, "dangerous/one");
	assert_int_equal(r.count, LEFT_OUT_MAX);
	assert_true(r.full);

	/* A line that was cut off names nothing. */
	learn(HEAD "90 ms: suite dangerous on processor 0\nmay hang: 0012 0", NULL, "");
	assert_string_equal(r.where, "suite dangerous on processor 0");
	assert_int_equal(r.count, 0);
}

static void between_checks_the_suite_is_tried_again(void **state)
{
	struct breadcrumb c = {.run = 12, .suite = true, .place = "control"};

	(void)state;
	learn(HEAD "81 ms: suite control on processor 0\n", &c, "");
	assert_string_equal(r.where, "control, between its checks");
	assert_string_equal(r.last, "control");
	assert_int_equal(r.count, 0);
	assert_int_equal(r.again, 1);
	c.again = 1;
	learn(HEAD "81 ms: suite control on processor 0\n", &c, "");
	assert_string_equal(r.last, "");
	assert_non_null(recovery_item(&r, 0, "control", 0));
	assert_false(r.stuck);
}

/* What a start has written that was refused, or ended in this stage. */
static const char *journal_behind(const struct recovery *before, const char *lines)
{
	static char journal[1024];
	char line[LEFT_OUT_BEFORE];

	recovery_before(before, line);
	snprintf(journal, sizeof journal, HEAD "left out: 0010 0 17 control/accesses\nbefore: %s\n%s", line,
		 lines);
	return journal;
}

static void a_start_that_was_refused_is_no_run(void **state)
{
	struct breadcrumb c = {.run = 12, .place = "control", .suite = true};
	struct recovery before;

	(void)state;
	learn(HEAD "81 ms: suite control on processor 0\n", &c, "");
	before = r;
	learn(journal_behind(&before, "0 ms: setting the machine up\ncould not run: no such PMU\n"), NULL,
	      "");
	assert_true(r.broken);
	assert_int_equal(r.run, 12);
	assert_int_equal(r.again, 1);
	assert_string_equal(r.where, before.where);
	assert_string_equal(r.last, "control");
	assert_string_equal(r.stage, "control");
	assert_int_equal(r.count, 1);
	/* All that was known before, whatever this start's own number is. */
	before = (struct recovery){.broken = true,
				   .run = 7,
				   .again = 3,
				   .where = "a place",
				   .last = "events",
				   .stage = "a stage"};
	learn(journal_behind(&before, "0 ms: setting the machine up\ncould not run: no such PMU\n"), NULL,
	      "");
	before.count = r.count;
	memcpy(before.item, r.item, sizeof r.item);
	assert_memory_equal(&r, &before, sizeof r);
	/* One that comes to its end is a run. */
	learn(journal_behind(&before, "0 ms: setting the machine up\nended: 1 checks\n"), NULL, "");
	assert_false(r.broken);
	/* Nothing was known before it. */
	learn(HEAD "0 ms: setting the machine up\ncould not run: no such PMU\n", NULL, "");
	assert_false(r.broken);
	/* What was cut off tells nothing. */
	learn(HEAD "before: 0011 1 control\tcon\ncould not run: no such PMU\n", NULL, "");
	assert_false(r.broken);
}

/* Memory is gone when the machine was switched off: the journals alone count how often. */
static void journals_count_starts(void **state)
{
	struct recovery before;

	(void)state;
	learn(HEAD "81 ms: choosing the PMU\n", NULL, "");
	assert_int_equal(r.again, 1);
	assert_false(r.stuck);
	before = r;
	learn(journal_behind(&before, "0 ms: setting the machine up\n"), NULL, "");
	assert_int_equal(r.again, 1);
	assert_false(r.stuck);
	learn(journal_behind(&before, "0 ms: setting the machine up\n81 ms: choosing the PMU\n"), NULL, "");
	assert_int_equal(r.again, 2);
	assert_true(r.stuck);
}

static void a_stage_is_tried_again(void **state)
{
	struct breadcrumb c = {.run = 12, .place = "choosing the PMU"};

	(void)state;
	learn(HEAD "81 ms: choosing the PMU\n", &c, "");
	assert_false(r.stuck);
	assert_int_equal(r.again, 1);
	c.again = 1;
	learn(HEAD "81 ms: choosing the PMU\n", &c, "");
	assert_int_equal(r.count, 0);
	assert_int_equal(r.again, 2);
	assert_true(r.stuck);
	assert_string_equal(r.stage, "choosing the PMU");
	assert_string_equal(r.last, "");
	c.call = 3; /* what it calls can be left out */
	strcpy(c.place, "choosing the PMU/ladder");
	learn(HEAD "81 ms: choosing the PMU\n", &c, "");
	assert_non_null(recovery_item(&r, 0, "choosing the PMU/ladder", 0));
	assert_false(r.stuck);
}

static void memory_of_another_run_says_nothing(void **state)
{
	struct breadcrumb c = {.run = 11, .call = 5, .suite = true, .place = "control/wrap/PMC0"};

	(void)state;
	learn(HEAD "81 ms: suite events on processor 0\n", &c, "0010 0 17 control/accesses\n");
	assert_int_equal(r.count, 0);
	assert_string_equal(r.last, "events");
	c.run = 12;
	learn(HEAD "81 ms: suite control on processor 0\nended: 3 checks\n", &c, "");
	assert_false(r.broken);
	assert_int_equal(r.count, 0);
	c.run = 0; /* of a run whose folder could not be made */
	learn(HEAD "81 ms: suite control on processor 0\nended: 3 checks\n", &c, "");
	assert_true(r.broken);
	assert_int_equal(r.count, 1);
}

static void too_many_are_told(void **state)
{
	struct breadcrumb c = {.run = 12, .call = 5, .suite = true, .place = "control/one more"};
	char list[2048];
	size_t used = 0;

	(void)state;
	for (unsigned i = 0; i < LEFT_OUT_MAX; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "0001 0 %u control/accesses\n",
					 i + 1);
	c.step = LEFT_OUT_MAX;
	strcpy(c.place, "control/accesses");
	learn(NULL, &c, list);
	assert_int_equal(r.count, LEFT_OUT_MAX);
	assert_false(r.full);
	c.step++;
	learn(NULL, &c, list);
	assert_int_equal(r.count, LEFT_OUT_MAX);
	assert_true(r.full);
}

static void time_is_known_of_a_whole_run_alone(void **state)
{
	static const struct {
		const char *journal, *options;
		unsigned long ms;
	} cases[] = {
		{HEAD "0 ms: setting the machine up\nended: 190 checks, in 61234 ms\n", "pmu=auto", 61234},
		{HEAD "0 ms: setting the machine up\nended: 190 checks, in 61234 ms\n", "pmu=auto suite=x",
		 0},
		{HEAD "0 ms: setting the machine up\nended: 190 checks, in 61234 ms\n", "pmu=aut", 0},
		{HEAD "0 ms: setting the machine up\n", "pmu=auto", 0},
		{HEAD "ended: could not run", "pmu=auto", 0},
		{HEAD "0 ms: setting the machine up\nended: could not run: it is stuck, in 12 ms\n",
		 "pmu=auto", 0},
		{"", "", 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(recovery_time(cases[i].journal, cases[i].options), cases[i].ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_and_an_end_say_nothing),
		cmocka_unit_test(a_journal_knows_the_stage),
		cmocka_unit_test(what_was_left_out_still_is),
		cmocka_unit_test(a_crumb_knows_the_check),
		cmocka_unit_test(what_has_no_name_is_tried_again),
		cmocka_unit_test(what_may_hang_is_left_out),
		cmocka_unit_test(what_hung_is_told_from_its_own_line),
		cmocka_unit_test(between_checks_the_suite_is_tried_again),
		cmocka_unit_test(a_stage_is_tried_again),
		cmocka_unit_test(a_start_that_was_refused_is_no_run),
		cmocka_unit_test(journals_count_starts),
		cmocka_unit_test(memory_of_another_run_says_nothing),
		cmocka_unit_test(too_many_are_told),
		cmocka_unit_test(time_is_known_of_a_whole_run_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
