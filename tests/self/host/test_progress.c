/* What the run tells while it goes on: the screen's line of times and parts, and the codes of port 80H. */
#include "boot/progress.h"
#include "boot/run_folder.h"

#include "arch/breadcrumbs.h"
#include "arch/machine.h"
#include "arch/screen.h"
#include "arch/time.h"
#include "tests/report/report.h"
#include "tests/self/host/support/console.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- what it is told, and what it says
 * ---------------------------------------------------------------------- */

static uint64_t now_ms;
static struct report_totals totals;
static const char *journal; /* of the run before; NULL: none */
static char shown[SCREEN_LINES][256];
static enum screen_colour colours[SCREEN_LINES];
static const struct breadcrumb *left; /* by the start before; NULL: none */
static struct breadcrumb dropped;     /* the last one */
static unsigned n_dropped, n_put_back, n_cleared;
static uint32_t step_told;
static uint8_t codes[2048];
static unsigned n_codes;

uint64_t time_us(void)
{
	return now_ms * 1000 + 999;
}

const struct report_totals *report_totals(void)
{
	return &totals;
}

void report_note(const char *text)
{
	(void)text;
}

bool machine_taken(void)
{
	return true;
}

bool screen_is_open(void)
{
	return true;
}

void screen_line(unsigned line, enum screen_colour colour, const char *text)
{
	assert_in_range(line, 0, SCREEN_LINES - 1);
	assert_in_range(strlen(text), 0, sizeof shown[0] - 1);
	strcpy(shown[line], text);
	colours[line] = colour;
}

void screen_draw(void)
{
}

void breadcrumbs_show(uint8_t code)
{
	assert_in_range(n_codes, 0, sizeof codes - 1);
	codes[n_codes++] = code;
}

void breadcrumbs_open(void *page)
{
	(void)page;
}

bool breadcrumbs_left(struct breadcrumb *out, char list[BREADCRUMBS_LIST])
{
	strcpy(list, "");
	if (left)
		*out = *left;
	return left != NULL;
}

void breadcrumbs_set(const struct breadcrumb *b)
{
	dropped = *b;
	n_dropped++;
}

void breadcrumbs_put_back(void)
{
	n_put_back++;
}

void breadcrumbs_step(uint32_t step)
{
	step_told = step;
}

void breadcrumbs_keep(const char *list)
{
	(void)list;
}

void breadcrumbs_clear(void)
{
	n_cleared++;
}

const char *run_folder(void)
{
	return NULL;
}

unsigned run_number(void)
{
	return 2;
}

const char *run_before(void)
{
	return journal ? "0001" : NULL;
}

unsigned run_number_before(void)
{
	return journal != NULL;
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	assert_string_equal(path, "0001\\journal.txt");
	*data = strdup(journal);
	*size = strlen(journal);
	*why = NULL;
	return true;
}

static const struct platform platform = {.read_file = read_file};

/* --- the same, by the rules
 * ---------------------------------------------------------------------------------- */

/* The first `full` of twenty characters, the percents, checks, and times as text; `left` is "" where none is
 * told. */
static void expect_line(unsigned full, unsigned percent, const char *gone, const char *left)
{
	char line[256];

	memset(line, ' ', 1);
	for (unsigned i = 0; i < 20; i++)
		line[1 + i] = i < full ? SCREEN_FULL : SCREEN_SHADE;
	snprintf(line + 21, sizeof line - 21, " %u %%  %u checks, %u bad  %s%s%s%s", percent, totals.checks,
		 totals.verdicts[VERDICT_WRONG], gone, *left ? ", about " : "", left, *left ? " left" : "");
	assert_string_equal(shown[3], line);
	assert_int_equal(colours[3], totals.verdicts[VERDICT_WRONG] ? SCREEN_BAD : SCREEN_PLAIN);
}

static char why[PROGRESS_REASON];

static void begin(uint64_t took_ms)
{
	static char text[OPTIONS_LINE_MAX + 128];
	static char line[OPTIONS_LINE_MAX];
	struct options o;

	options_default(&o);
	options_format(&o, line, sizeof line);
	snprintf(text, sizeof text,
		 "assay x on y\noptions: %s\n0 ms: setting the machine up\nended: 5 checks, in %" PRIu64
		 " ms\n",
		 line, took_ms);
	journal = took_ms ? text : NULL;
	assert_true(progress_begin(&platform, &o, "y", why));
}

static const struct {
	uint64_t ms;
	const char *text;
} times[] = {
	{0, "0:00:00"},         {999, "0:00:00"},          {1000, "0:00:01"},      {59999, "0:00:59"},
	{60000, "0:01:00"},     {61000, "0:01:01"},        {599000, "0:09:59"},    {600000, "0:10:00"},
	{3599999, "0:59:59"},   {3600000, "1:00:00"},      {3661000, "1:01:01"},   {7199000, "1:59:59"},
	{7200000, "2:00:00"},   {36000000, "10:00:00"},    {86399000, "23:59:59"}, {86400000, "24:00:00"},
	{90061000, "25:01:01"}, {3599999000, "999:59:59"},
};
enum { TIMES = sizeof times / sizeof times[0] };

/* --- tests
 * ---------------------------------------------------------------------------------------------------- */

static void times_are_hours_minutes_and_seconds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TIMES; i++) {
		now_ms = 0;
		begin(0);
		now_ms = times[i].ms;
		progress_stage(&platform, 0, "looking");
		expect_line(0, 0, times[i].text, "");
		/* what is left of a run that took as long */
		now_ms = 0;
		begin(times[i].ms);
		expect_line(0, 0, "0:00:00", times[i].ms ? times[i].text : "");
	}
}

/* As a run with the same options took 200 s: the parts are its times; it is over when it is over. */
static void parts_are_those_of_the_time_before(void **state)
{
	static const struct {
		uint64_t ms;
		unsigned full, percent;
		const char *gone, *left;
	} cases[] = {
		{0, 0, 0, "0:00:00", "0:03:20"},        {200, 1, 0, "0:00:00", "0:03:19"},
		{1999, 1, 0, "0:00:01", "0:03:18"},     {2000, 1, 1, "0:00:02", "0:03:18"},
		{10000, 1, 5, "0:00:10", "0:03:10"},    {10200, 2, 5, "0:00:10", "0:03:09"},
		{100000, 10, 50, "0:01:40", "0:01:40"}, {199000, 20, 99, "0:03:19", "0:00:01"},
		{199999, 20, 99, "0:03:19", "0:00:00"}, {200000, 20, 99, "0:03:20", ""},
		{500000, 20, 99, "0:08:20", ""},
	};

	(void)state;
	begin(200000);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		now_ms = cases[i].ms;
		totals = (struct report_totals){.checks = i, .verdicts[VERDICT_WRONG] = i / 2};
		progress_stage(&platform, 0, "looking");
		expect_line(cases[i].full, cases[i].percent, cases[i].gone, cases[i].left);
	}
	totals = (struct report_totals){0};
}

/* A check's code is its number in its stage, modulo E0H; a stage's, from E0H on, its number in the run. */
static void codes_tell_checks_from_stages(void **state)
{
	struct result r = {.suite = "control", .name = "a"};
	unsigned first, n = 0;

	(void)state;
	now_ms = 0;
	begin(0);
	assert_int_equal(n_codes > 0, true);
	first = codes[n_codes - 1];
	assert_in_range(first, 0xe0, 0xff);
	n_codes = 0;
	for (unsigned stage = 1; stage <= 70; stage++) {
		unsigned checks = stage == 3 ? 1000 : stage == 9 ? 0xe1 : 2;

		if (stage % 2)
			progress_suite(&platform, 0, "control", stage, 70);
		else
			progress_stage(&platform, 0, "looking");
		assert_int_equal(codes[n++], 0xe0 + (first - 0xe0 + stage) % 0x20);
		for (unsigned check = 1; check <= checks; check++) {
			assert_null(progress_check(&r));
			progress_check_over();
			assert_int_equal(codes[n++], check % 0xe0);
		}
		assert_int_equal(n, n_codes);
	}
}

/* Where nothing is known of a run before, all suites are alike. */
static void without_a_run_before_suites_are_the_parts(void **state)
{
	static const struct {
		unsigned number, full, percent;
		uint64_t ms;
		const char *gone, *left;
	} cases[] = {
		{1, 0, 0, 0, "0:00:00", ""},
		{2, 5, 25, 4000, "0:00:04", "0:00:12"},
		{3, 10, 50, 4800000, "1:20:00", "1:20:00"},
		{4, 15, 75, 9000000, "2:30:00", "0:50:00"},
	};

	(void)state;
	now_ms = 0;
	begin(0);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char said[1024];

		now_ms = cases[i].ms;
		fake_console_reset();
		progress_suite(&platform, 7, "events", cases[i].number, 4);
		/* The text stream has it too, but before the first suite. */
		snprintf(said, sizeof said, "\nsuite %u of 4: %s\n", cases[i].number, shown[3] + 22);
		assert_string_equal(fake_console_text(), i ? said : "");
		expect_line(cases[i].full, cases[i].percent, cases[i].gone, cases[i].left);
		assert_non_null(strstr(shown[1], ": events, on processor 7"));
	}
}

/* --- breadcrumbs ---------------------------------------------------------------------------------------- */

static void crumb_is(const char *at, unsigned of_call, unsigned of_processor, bool suite, unsigned again)
{
	assert_string_equal(dropped.place, at);
	assert_int_equal(dropped.call, of_call);
	assert_int_equal(dropped.processor, of_processor);
	assert_int_equal(dropped.suite, suite);
	assert_int_equal(dropped.again, again);
	assert_int_equal(dropped.run, run_number());
}

/* Each says where the run is, and how often in a row starts have ended in this very stage. */
static void crumbs_say_where_the_run_is(void **state)
{
	static const struct breadcrumb cases[] = {
		{.place = "control", .suite = true},
		{.place = "looking", .suite = false},
	};
	struct result a = {.suite = "control", .name = "a"}, other = {.suite = "events", .name = "b"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		unsigned of_control = i == 0, of_looking = i == 1;

		left = i < 2 ? &cases[i] : NULL;
		begin(0);
		crumb_is("setting the machine up", 0, 0, false, 0);
		progress_suite(&platform, 3, "control", 1, 2);
		crumb_is("control", 0, 3, true, of_control);
		assert_null(progress_check(&a));
		crumb_is("control/a", 1, 3, true, of_control);
		progress_check_over();
		crumb_is("control", 0, 3, true, of_control);
		assert_null(progress_check(&other));
		crumb_is("control/events/b", 2, 3, true, of_control);
		progress_check_over();
		assert_null(progress_check(NULL));
		crumb_is("control/call 3", 3, 3, true, of_control);
		progress_check_over();
		progress_suite(&platform, 4, "events", 2, 2);
		crumb_is("events", 0, 4, true, 0);
		assert_null(progress_check(&other));
		crumb_is("events/b", 1, 4, true, 0);
		progress_check_over();
		crumb_is("events", 0, 4, true, 0);
		progress_stage(&platform, 0, "looking");
		crumb_is("looking", 0, 0, false, of_looking);
		assert_null(progress_check(&a));
		crumb_is("looking/control/a", 1, 0, false, of_looking);
		progress_check_over();
		crumb_is("looking", 0, 0, false, of_looking);
	}
	left = NULL;
}

/* What is left out leaves none: the next start would take it for what was being done. */
static void what_is_left_out_drops_no_crumb(void **state)
{
	static const struct breadcrumb check = {
		.place = "control/a", .call = 1, .processor = 3, .suite = true};
	struct result a = {.suite = "control", .name = "a"}, b = {.suite = "control", .name = "b"};

	(void)state;
	left = &check;
	begin(0);
	progress_suite(&platform, 3, "control", 1, 2);
	n_dropped = 0;
	assert_non_null(progress_check(&a));
	assert_int_equal(n_dropped, 0);
	assert_null(progress_check(&b));
	crumb_is("control/b", 2, 3, true, 0);
	progress_suite(&platform, 2, "control", 1, 2); /* another processor's is another one */
	assert_null(progress_check(&a));
	crumb_is("control/a", 1, 2, true, 0);
	left = NULL;
}

/* Of a check that ended the run at one of its steps, this step alone is left out. */
static void a_step_is_told_or_left_out(void **state)
{
	static const struct breadcrumb at_step = {
		.place = "control/a", .call = 1, .processor = 3, .suite = true, .step = 5};
	struct result a = {.suite = "control", .name = "a"}, b = {.suite = "control", .name = "b"};

	(void)state;
	for (unsigned spoilt = 0; spoilt <= 1; spoilt++) {
		left = spoilt ? &at_step : NULL;
		begin(0);
		progress_suite(&platform, 3, "control", 1, 2);
		assert_null(progress_suite_left_out());
		assert_null(progress_check(&a));
		crumb_is("control/a", 1, 3, true, 0);
		for (unsigned step = 1; step < 9; step++) {
			bool out = spoilt && step == 5;

			step_told = 99;
			assert_int_equal(progress_step(step) != NULL, out);
			assert_int_equal(step_told, out ? 99 : step);
		}
		progress_check_over();
		assert_null(progress_check(&b)); /* another check's step is another one */
		step_told = 99;
		assert_null(progress_step(5));
		assert_int_equal(step_told, 5);
		progress_check_over();
	}
	left = NULL;
}

/* A run that came to its end leaves none. One that was refused leaves those of the start before, unless that
 * is what it was refused for: then the next one tries again. */
static void ends_leave_what_the_next_start_needs(void **state)
{
	struct breadcrumb before = {.place = "looking"};
	struct options o;

	(void)state;
	options_default(&o);
	begin(0);
	n_cleared = n_put_back = 0;
	progress_end(&platform, "5 checks");
	assert_int_equal(n_cleared, 1);
	assert_int_equal(n_put_back, 0);
	begin(0);
	n_cleared = n_put_back = 0;
	progress_refused(&platform, "no");
	assert_int_equal(n_cleared, 0);
	assert_int_equal(n_put_back, 1);
	left = &before;
	while (progress_begin(&platform, &o, "y", why))
		assert_in_range(before.again++, 0, 5);
	assert_non_null(strstr(why, "the next one tries it again"));
	n_cleared = n_put_back = 0;
	progress_refused(&platform, "no");
	assert_int_equal(n_cleared, 1);
	assert_int_equal(n_put_back, 0);
	left = NULL;
	begin(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_hours_minutes_and_seconds),
		cmocka_unit_test(parts_are_those_of_the_time_before),
		cmocka_unit_test(codes_tell_checks_from_stages),
		cmocka_unit_test(without_a_run_before_suites_are_the_parts),
		cmocka_unit_test(crumbs_say_where_the_run_is),
		cmocka_unit_test(what_is_left_out_drops_no_crumb),
		cmocka_unit_test(a_step_is_told_or_left_out),
		cmocka_unit_test(ends_leave_what_the_next_start_needs),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
