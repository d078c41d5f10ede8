/* The option parser: every key, every kind of damage, and a million random inputs. */
#include "boot/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct options o;
static struct option_error error;

static bool parse(const char *text, const char *where)
{
	return options_parse(&o, text, strlen(text), where, &error);
}

/* A setting of the instruction set. */
static uint64_t setting(const char *name)
{
	unsigned i = 0;

	while (machine_settings[i].name && strcmp(machine_settings[i].name, name))
		i++;
	assert_non_null(machine_settings[i].name);
	return o.setting[i];
}

static bool parse_file(const char *text)
{
	options_default(&o);
	return parse(text, "assay.cfg");
}

static void defaults_come_from_the_table(void **state)
{
	(void)state;
	options_default(&o);
	assert_string_equal(o.pmu, "auto");
	assert_string_equal(o.suite, "control,events");
	assert_string_equal(o.inject, "");
	assert_int_equal(setting("hpet"), 1);
	assert_false(o.verbose);
	assert_int_equal(o.exit, EXIT_AUTO);
	assert_int_equal(o.list, LIST_NONE);
	for (const struct option_row *r = option_rows(); r->name; r++) {
		assert_non_null(r->help);
		assert_non_null(r->initial);
		assert_true(r->kind != OPTION_CHOICE || r->choices);
		assert_true(r->kind != OPTION_NUMBER || r->low < r->high);
		assert_true(r->size == (r->kind == OPTION_TEXT ? OPTION_TEXT_MAX : r->size));
	}
}

/* All of them, as a report tells them. */
static void defaults_are_these(void **state)
{
	char line[OPTIONS_LINE_MAX];

	(void)state;
	options_default(&o);
	options_format(&o, line, sizeof line);
	assert_string_equal(line, "pmu=auto suite=control,events kernel=core event=arch check=* scan= n=0 "
				  "reps=0 seed=1 inject= "
				  "cpus=auto courage=3 dangerous=no own=turns workaround=on exit=auto menu=0 list=none "
				  "report=\\assay\\runs verbose=0 registers=0 "
				  "x2apic=0 serial=0 hpet=1");
}

/* The ends of every range, and what lies behind them. */
static void numbers_have_these_ranges(void **state)
{
	static const struct {
		const char *name, *low, *high, *beyond;
	} rows[] = {{"n", "0", "4294967295", "4294967296"},
		    {"reps", "0", "1000000", "1000001"},
		    {"seed", "0", "18446744073709551615", "18446744073709551616"},
		    {"courage", "0", "3", "4"},
		    {"serial", "0", "0xffff", "0x10000"},
		    {"menu", "0", "3600", "3601"}};
	unsigned seen = 0;

	(void)state;
	for (const struct option_row *r = option_rows(); r->name; r++)
		seen += r->kind == OPTION_NUMBER;
	assert_int_equal(seen, sizeof rows / sizeof rows[0]);
	for (unsigned i = 0; i < seen; i++) {
		char text[64];

		snprintf(text, sizeof text, "%s=%s", rows[i].name, rows[i].low);
		assert_true(parse_file(text));
		snprintf(text, sizeof text, "%s=%s", rows[i].name, rows[i].high);
		assert_true(parse_file(text));
		snprintf(text, sizeof text, "%s=%s", rows[i].name, rows[i].beyond);
		assert_false(parse_file(text));
	}
	assert_true(parse_file("n=4294967295 serial=0xffff reps=1000000"));
	assert_true(o.n == 4294967295 && setting("serial") == 0xffff && o.reps == 1000000);
}

static void every_option_is_read(void **state)
{
	(void)state;
	assert_true(
		parse_file("pmu=virtual:intel-core2 suite=control,ev* kernel=nop_* event=INST_* n=7 reps=5 "
			   "seed=0xFFFFFFFFFFFFFFFF "
			   "inject=a+b exit=halt report=\\assay\\r verbose=1 x2apic=1 serial=0x3f8 hpet=0"));
	assert_string_equal(o.pmu, "virtual:intel-core2");
	assert_string_equal(o.suite, "control,ev*");
	assert_string_equal(o.kernel, "nop_*");
	assert_string_equal(o.event, "INST_*");
	assert_int_equal(o.n, 7);
	assert_int_equal(o.reps, 5);
	assert_true(o.seed == UINT64_MAX);
	assert_string_equal(o.inject, "a+b");
	assert_int_equal(o.exit, EXIT_HALT);
	assert_string_equal(o.report, "\\assay\\r");
	assert_true(o.verbose);
	assert_int_equal(setting("x2apic"), 1);
	assert_int_equal(setting("serial"), 0x3f8);
	assert_int_equal(setting("hpet"), 0);
}

static void layout_of_a_file_is_free(void **state)
{
	(void)state;
	assert_true(parse_file(""));
	assert_true(parse_file("\xef\xbb\xbf"
			       "n=3\r\nreps=4 # gr\xc3\xb6\xc3\x9f"
			       "e \"x n=9\r\tseed=5\n\n#n=1\n"));
	assert_int_equal(o.n, 3);
	assert_int_equal(o.reps, 4);
	assert_int_equal(o.seed, 5);
	assert_true(parse_file("event=\"A B\" report=\"\\my dir\\r#1\""));
	assert_string_equal(o.event, "A B");
	assert_string_equal(o.report, "\\my dir\\r#1");
	assert_true(parse_file("report=a#b"));
	assert_string_equal(o.report, "a#b");
}

/* A byte order mark is no column, on its line and on others. */
static void columns_begin_behind_a_byte_order_mark(void **state)
{
	static const char *const rows[][2] = {
		{"kernal=x", "assay.cfg:1:1: "},         {"  kernal=x", "assay.cfg:1:3: "},
		{"n=1 kernal=x", "assay.cfg:1:5: "},     {"\n  kernal=x", "assay.cfg:2:3: "},
		{"n=1\r\n kernal=x", "assay.cfg:2:2: "},
	};
	char text[64];

	(void)state;
	for (unsigned marked = 0; marked < 2; marked++)
		for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			snprintf(text, sizeof text, "%s%s", marked ? "\xef\xbb\xbf" : "", rows[i][0]);
			assert_false(parse_file(text));
			if (strncmp(error.text, rows[i][1], strlen(rows[i][1])))
				fail_msg("%s: %s", rows[i][0], error.text);
		}
}

static void later_sources_win(void **state)
{
	(void)state;
	assert_true(parse_file("n=3 n=4 reps=2 inject=x"));
	assert_true(parse("n=5 inject=", "command line"));
	assert_int_equal(o.n, 5);
	assert_int_equal(o.reps, 2);
	assert_string_equal(o.inject, "");
}

/* Malformed text and the whole message for it. */
static const struct {
	const char *text;
	size_t size; /* 0: strlen */
	const char *where, *message;
} bad[] = {
	{"n=1\nkernal=x", 0, "assay.cfg",
	 "assay.cfg:2:1: no option \"kernal\": did you mean kernel=? "
	 "(globs of kernels; core is the quick and portable ones, full those that all leaves out, too)"},
	{"n=1 vebrose=1", 0, "command line",
	 "command line, token 2: no option \"vebrose\": did you mean verbose=? "
	 "(1: a line for every check)"},
	{"zzzzzz=1", 0, "command line",
	 "command line, token 1: no option \"zzzzzz\": there are pmu suite kernel event check scan n reps "
	 "seed inject cpus courage dangerous own workaround exit menu list report verbose registers x2apic "
	 "serial hpet"},
	{"=1", 0, "command line",
	 "command line, token 1: no option \"\": there are pmu suite kernel event check scan n reps seed "
	 "inject "
	 "cpus courage dangerous own workaround exit menu list report verbose registers x2apic serial hpet"},
	{"\n\n  n=4294967296", 0, "assay.cfg",
	 "assay.cfg:3:5: n=4294967296: it wants a number from 0 to 4294967295"},
	{"n=", 0, "assay.cfg", "assay.cfg:1:1: n= has no value: give one, or leave it out for n=0"},
	{"n=-1", 0, "assay.cfg", "assay.cfg:1:3: n=-1: it wants a number from 0 to 4294967295"},
	{"n=0x", 0, "assay.cfg", "assay.cfg:1:3: n=0x: it wants a number from 0 to 4294967295"},
	{"n=12q", 0, "assay.cfg", "assay.cfg:1:3: n=12q: it wants a number from 0 to 4294967295"},
	{"seed=18446744073709551616", 0, "assay.cfg",
	 "assay.cfg:1:6: seed=18446744073709551616: it wants a number from 0 to 18446744073709551615"},
	{"serial=65536", 0, "command line",
	 "command line, token 1: serial=65536: it wants a number from 0 to 65535"},
	{"exit=now", 0, "command line",
	 "command line, token 1: exit=now: it wants one of shutdown|return|halt|auto"},
	{"exit=shutdown|return", 0, "command line",
	 "command line, token 1: exit=shutdown|return: it wants one of shutdown|return|halt|auto"},
	{"verbose=yes", 0, "command line", "command line, token 1: verbose=yes: it wants one of 0|1"},
	{"pmu=virtual:", 0, "command line",
	 "command line, token 1: pmu=virtual: is malformed: it wants auto, a driver's name, "
	 "force:DRIVER, virtual or virtual:PROFILE"},
	{"pmu=intel:core2", 0, "command line",
	 "command line, token 1: pmu=intel:core2 is malformed: it wants auto, a driver's "
	 "name, force:DRIVER, virtual or virtual:PROFILE"},
	{"pmu=a/b", 0, "command line",
	 "command line, token 1: pmu=a/b is malformed: it wants auto, a driver's name, "
	 "force:DRIVER, virtual or "
	 "virtual:PROFILE"},
	{"pmu=", 0, "command line",
	 "command line, token 1: pmu= is malformed: it wants auto, a driver's name, "
	 "force:DRIVER, virtual or "
	 "virtual:PROFILE"},
	{"suite=", 0, "command line",
	 "command line, token 1: suite= is malformed: it wants globs, separated by commas; * is everything"},
	{"scan=c4:00-ff,d0-", 0, "command line",
	 "command line, token 1: scan=c4:00-ff,d0- is malformed: it wants SELECT[-SELECT][:MASK[-MASK]] in "
	 "hexadecimal, separated by commas"},
	{"report=\"\"", 0, "command line",
	 "command line, token 1: report= is malformed: it wants a folder's path, none, qr, e9, or "
	 "memory"},
	{"verbose", 0, "command line",
	 "command line, token 1: \"verbose\" is no option: options are written key=value, without "
	 "blanks around ="},
	{"n =1", 0, "assay.cfg",
	 "assay.cfg:1:1: \"n\" is no option: options are written key=value, without blanks around ="},
	{"[experiment x]", 0, "assay.cfg",
	 "assay.cfg:1:1: sections ([...]) are not known here: only key=value options are"},
	{"event=\"A B\nn=1", 0, "assay.cfg",
	 "assay.cfg:1:7: the quote after event= is not closed on this line: add a \""},
	{"event=\"A\"B", 0, "assay.cfg",
	 "assay.cfg:1:10: text after the closing quote of event=: separate options by a blank"},
	{"event=A\"B\"", 0, "assay.cfg",
	 "assay.cfg:1:8: stray quote: quotes enclose a whole value, as in event=\"A B\""},
	{"n=1\0n=2", 7, "assay.cfg",
	 "assay.cfg:1:4: byte 0x00 is not text: remove it, or replace the damaged text"},
	{"# \x01", 0, "assay.cfg",
	 "assay.cfg:1:3: byte 0x01 is not text: remove it, or replace the damaged text"},
	{"event=\xc3\xa9", 0, "assay.cfg",
	 "assay.cfg:1:7: byte 0xc3 is not text: beyond ASCII only comments are free"},
	{"\x7f", 0, "assay.cfg",
	 "assay.cfg:1:1: byte 0x7f is not text: remove it, or replace the damaged text"},
	{"\xff\xfen\0=\0", 6, "assay.cfg",
	 "assay.cfg:1:1: this is UTF-16 text: save it as UTF-8 or plain ASCII"},
	{"abcdefghijklmnopqrstuvwxyzabcdefghijkl=1", 0, "assay.cfg",
	 "assay.cfg:1:1: option name is 38 bytes long: at most 31 are allowed"},
};

static void damage_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		options_default(&o);
		assert_false(options_parse(&o, bad[i].text, bad[i].size ? bad[i].size : strlen(bad[i].text),
					   bad[i].where, &error));
		assert_string_equal(error.text, bad[i].message);
		assert_null(strchr(error.text, '\n'));
	}
}

/* The comments on the stick are the only help at hand where it is edited. */
static void the_stick_lists_every_option(void **state)
{
	char text[4096], wanted[OPTION_TEXT_MAX + 40];
	FILE *f = fopen("boot/assay.cfg", "r");
	size_t size;

	(void)state;
	assert_non_null(f);
	size = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[size] = 0;
	options_default(&o);
	assert_true(options_parse(&o, text, size, "assay.cfg", &error));
	assert_int_equal(o.exit, EXIT_HALT);
	for (const struct option_row *r = option_rows(); r->name; r++) {
		snprintf(wanted, sizeof wanted, " %s=%s ", r->name, r->initial);
		if (!strstr(text, wanted))
			fail_msg("boot/assay.cfg does not say%s", wanted);
	}
}

static void long_values_are_refused(void **state)
{
	char text[300] = "event=";

	(void)state;
	memset(text + 6, 'x', OPTION_TEXT_MAX - 1);
	assert_true(parse_file(text));
	assert_int_equal(strlen(o.event), OPTION_TEXT_MAX - 1);
	memset(text + 6, 'x', OPTION_TEXT_MAX); /* one more */
	assert_false(parse_file(text));
	memset(text + 6, 'x', 200);
	assert_false(parse_file(text));
	assert_string_equal(error.text, "assay.cfg:1:7: value is 200 bytes long: at most 127 are allowed");
}

/* What a token has room for, to the byte. */
static void tokens_have_room_for_so_much(void **state)
{
	char text[600] = "";

	(void)state;
	memset(text, 'x', 31);
	strcpy(text + 31, "=1");
	assert_false(parse_file(text));
	assert_null(strstr(error.text, "bytes long"));
	memset(text, 'x', 32);
	strcpy(text + 32, "=1");
	assert_false(parse_file(text));
	assert_non_null(strstr(error.text, "option name is 32 bytes long: at most 31 are allowed"));
	strcpy(text, "event=");
	memset(text + 6, 'x', 511);
	text[6 + 511] = 0;
	assert_false(parse_file(text));
	assert_non_null(strstr(error.text, "value is 511 bytes long: at most 127 are allowed"));
	memset(text + 6, 'x', 512);
	text[6 + 512] = 0;
	assert_false(parse_file(text));
	assert_non_null(strstr(error.text, "value is 512 bytes long: at most 511 are allowed"));
}

static void what_was_valid_before_an_error_stays(void **state)
{
	(void)state;
	assert_false(parse_file("n=5 reps=oops seed=9"));
	assert_int_equal(o.n, 5);
	assert_int_equal(o.reps, 0);
	assert_int_equal(o.seed, 1);
}

static void format_and_parse_are_inverse(void **state)
{
	char line[OPTIONS_LINE_MAX], again[OPTIONS_LINE_MAX];

	(void)state;
	assert_true(parse_file(
		"event=\"A B\" exit=shutdown seed=0xffffffffffffffff inject=x verbose=1 serial=0x2f8"));
	size_t length = options_format(&o, line, sizeof line);
	assert_int_equal(length, strlen(line));
	options_default(&o);
	assert_true(parse(line, "command line"));
	assert_string_equal(o.event, "A B");
	options_format(&o, again, sizeof again);
	assert_string_equal(line, again);
	assert_true(parse_file("event=\"A\tB\""));
	options_format(&o, line, sizeof line);
	options_default(&o);
	assert_true(parse(line, "command line"));
	assert_string_equal(o.event, "A\tB");
	for (size_t room = 1; room < 64; room++) { /* a short buffer is never overrun */
		char *cut = malloc(room);

		assert_true(options_format(&o, cut, room) < room);
		assert_true(strlen(cut) < room);
		free(cut);
	}
}

/* A setting that only another instruction set has is kept and has no effect; its value must be one, and a
 * misspelt name is an error as ever. */
static void settings_of_others_are_passed_over(void **state)
{
	static const struct {
		const char *text, *kept;
	} passed[] = {{"fiq=0", "fiq=0"},
		      {"fiq=1 n=7 fiq=0x", NULL},
		      {"hpet=0 fiq=0 serial=0x3f8 fiq=1", "fiq=1"},
		      {"fiq=2", NULL},
		      {"fiq=", NULL},
		      {"fig=0", NULL},
		      {"fiqs=0", NULL},
		      {"hpet=0", ""}};
	char line[OPTIONS_LINE_MAX], again[OPTIONS_LINE_MAX];

	(void)state;
	for (unsigned i = 0; i < sizeof passed / sizeof passed[0]; i++) {
		assert_int_equal(parse_file(passed[i].text), passed[i].kept != NULL);
		if (passed[i].kept)
			assert_string_equal(o.elsewhere, passed[i].kept);
	}
	assert_true(parse_file("fiq=0 hpet=0"));
	assert_int_equal(setting("hpet"), 0);
	assert_int_equal(options_setting(&o, "fiq"), 0);
	options_format(&o, line, sizeof line);
	assert_non_null(strstr(line, " fiq=0"));
	assert_true(parse_file(line));
	options_format(&o, again, sizeof again);
	assert_string_equal(line, again);
	assert_false(parse_file("fiq=2"));
	assert_string_equal(error.text, "assay.cfg:1:5: fiq=2: it wants one of 0|1");
	assert_false(parse_file("fiqs=0"));
	assert_non_null(strstr(error.text, "no option \"fiqs\""));
}

static uint64_t draw(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/* Random bytes, and random pieces of valid text. Whatever is accepted must survive format and parse. */
static void random_input_is_survived(void **state)
{
	static const char *const piece[] = {"pmu=",      "suite=",       "n=",          "exit=",
					    "halt",      "auto",         "virtual:",    "1",
					    "0x",        "99999999999",  " ",           "\n",
					    "\r\n",      "\"",           "#",           "=",
					    "[",         "\xef\xbb\xbf", "kernel=a,b*", "serial=0x3f8 ",
					    "x2apic=1\n"};
	unsigned accepted = 0;

	(void)state;
	for (unsigned round = 0; round < 1000000; round++) {
		char text[96];
		size_t size = 0;

		if (round & 1) {
			size = draw() % 48;
			for (size_t i = 0; i < size; i++)
				text[i] = (char)draw();
		} else {
			for (unsigned i = (unsigned)(draw() % 6); i; i--) {
				const char *p = piece[draw() % (sizeof piece / sizeof *piece)];

				memcpy(text + size, p, strlen(p));
				size += strlen(p);
			}
		}
		char *exact = malloc(size ? size : 1); /* so that the sanitizer sees one byte too far */
		memcpy(exact, text, size);
		options_default(&o);
		if (options_parse(&o, exact, size, round & 2 ? "assay.cfg" : "command line", &error)) {
			char line[OPTIONS_LINE_MAX];
			size_t n = options_format(&o, line, sizeof line);

			accepted++;
			assert_true(options_parse(&o, line, n, "command line", &error));
		} else {
			assert_true(error.text[0]);
		}
		free(exact);
	}
	assert_true(accepted > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_come_from_the_table),
		cmocka_unit_test(defaults_are_these),
		cmocka_unit_test(numbers_have_these_ranges),
		cmocka_unit_test(every_option_is_read),
		cmocka_unit_test(layout_of_a_file_is_free),
		cmocka_unit_test(columns_begin_behind_a_byte_order_mark),
		cmocka_unit_test(later_sources_win),
		cmocka_unit_test(damage_is_named),
		cmocka_unit_test(the_stick_lists_every_option),
		cmocka_unit_test(long_values_are_refused),
		cmocka_unit_test(tokens_have_room_for_so_much),
		cmocka_unit_test(what_was_valid_before_an_error_stays),
		cmocka_unit_test(format_and_parse_are_inverse),
		cmocka_unit_test(settings_of_others_are_passed_over),
		cmocka_unit_test(random_input_is_survived),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
