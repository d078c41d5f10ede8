/* Sections of assay.cfg: every key, every kind of damage, and random input. */
#include "boot/experiments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct options o;
static struct experiments all;
static struct option_error error;

static bool parse(const char *text)
{
	options_default(&o);
	return experiments_parse(&o, &all, text, strlen(text), "assay.cfg", &error);
}

static void every_key_is_read(void **state)
{
	const struct experiment *x = &all.experiment[0];

	(void)state;
	assert_true(parse("suite=experiments n=7\n"
			  "[experiment a.b-C_1]\n"
			  "kernel=nop_*,mix pmu=intel* ring=both n=0x10 reps=9\n"
			  "events=A.B:u:c=1,cpu/event=0xc4,umask=1/k, passes=one\n"
			  "events=\"r01c0  C@PMC0,\tD\" # more\n"
			  "delta=A-B,2-1 period=100 record=pmi cascade=1>2\n"
			  "[options] reps=4\n"
			  "[experiment two] kernel=k events=E"));
	assert_string_equal(o.suite, "experiments");
	assert_int_equal(o.n, 7);
	assert_int_equal(o.reps, 4);
	assert_int_equal(all.count, 2);
	assert_string_equal(all.file, "assay.cfg");
	assert_string_equal(x->name, "a.b-C_1");
	assert_int_equal(x->at.line, 2);
	assert_int_equal(x->at.column, 1);
	assert_string_equal(x->kernel, "nop_*,mix");
	assert_string_equal(x->pmu, "intel*");
	assert_int_equal(x->level, EXPERIMENT_BOTH);
	assert_int_equal(x->n, 16);
	assert_int_equal(x->reps, 9);
	assert_int_equal(x->passes, EXPERIMENT_ONE);
	assert_int_equal(x->period, 100);
	assert_int_equal(x->record, RECORD_PMI);
	assert_int_equal(x->events.count, 5);
	assert_string_equal(x->events.item[0].text, "A.B:u:c=1");
	assert_string_equal(x->events.item[1].text, "cpu/event=0xc4,umask=1/k");
	assert_string_equal(x->events.item[2].text, "r01c0");
	assert_string_equal(x->events.item[3].text, "C@PMC0");
	assert_string_equal(x->events.item[4].text, "D");
	assert_int_equal(x->deltas.count, 2);
	assert_string_equal(x->deltas.item[1].text, "2-1");
	assert_string_equal(x->cascades.item[0].text, "1>2");
	assert_string_equal(all.experiment[1].name, "two");
	assert_int_equal(all.experiment[1].events.count, 1);
}

static void places_are_those_of_the_words(void **state)
{
	const struct experiment *x = &all.experiment[0];

	(void)state;
	assert_true(parse("[experiment x] kernel=k\n  n=3 events=\"A, BC\" events=D,,E"));
	assert_int_equal(x->key[KEY_KERNEL].column, 23);
	assert_int_equal(x->key[KEY_N].line, 2);
	assert_int_equal(x->key[KEY_N].column, 5);
	assert_int_equal(x->key[KEY_PERIOD].line, 0);
	assert_int_equal(x->events.item[0].at.column, 15);
	assert_int_equal(x->events.item[1].at.column, 18);
	assert_int_equal(x->events.item[2].at.column, 29);
	assert_int_equal(x->events.item[3].at.column, 32);
	assert_int_equal(x->events.item[3].at.line, 2);
}

static void defaults(void **state)
{
	const struct experiment *x = &all.experiment[0];

	(void)state;
	assert_true(parse("[experiment x] kernel=k events=A"));
	assert_int_equal(x->level, EXPERIMENT_HARNESS);
	assert_int_equal(x->passes, EXPERIMENT_SPLIT);
	assert_int_equal(x->record, RECORD_NONE);
	assert_int_equal(x->n | x->reps | x->period, 0);
	assert_string_equal(x->pmu, "*");
	assert_true(parse("n=3"));
	assert_int_equal(all.count, 0);
}

#define K "kernel=k events=A "

static const struct {
	const char *text, *message;
} bad[] = {
	{"[experiment x]\nevents=A",
	 "assay.cfg:1:1: [experiment x] has no kernel=: add the kernel to run, such as kernel=nop_loop"},
	{"\n [experiment x] kernel=k\n[options]", "assay.cfg:2:2: [experiment x] has no events=: add what to "
						  "count, such as events=INST_RETIRED.ANY_P"},
	{"[experiment x] kernel=k [experiment y] " K, "assay.cfg:1:1: [experiment x] has no events=: add "
						      "what to count, such as events=INST_RETIRED.ANY_P"},
	{"[experiment x] " K "[experiment x] " K,
	 "assay.cfg:1:34: [experiment x] is there already, in line 1: take another name"},
	{"[experiment]", "assay.cfg:1:1: an experiment has a name of 1 to 31 characters: [experiment NAME]"},
	{"[experiment  ]",
	 "assay.cfg:1:1: an experiment has a name of 1 to 31 characters: [experiment NAME]"},
	{"[experiment abcdefghijklmnopqrstuvwxyzabcdefghijkl]",
	 "assay.cfg:1:1: an experiment has a name of 1 to 31 characters: [experiment NAME]"},
	{"[experiment a/b]",
	 "assay.cfg:1:14: '/' cannot be part of an experiment's name: letters, digits, - _ . can"},
	{"[experimental]",
	 "assay.cfg:1:1: no section [experimental]: there are [experiment NAME] and [options]"},
	{"[]", "assay.cfg:1:1: no section []: there are [experiment NAME] and [options]"},
	{"[experiment x\n]", "assay.cfg:1:1: the section's ] is missing on this line: [experiment NAME]"},
	{"[experiment \xff]", "assay.cfg:1:13: byte 0xff is not text: beyond ASCII only comments are free"},
	{"[experiment x]\nsuite=y", "assay.cfg:2:1: suite= is an option of the run, not of an experiment: "
				    "put it before the first section, or behind [options]"},
	{"[experiment x]\nevent=y", "assay.cfg:2:1: event= is an option of the run, not of an experiment: "
				    "put it before the first section, or behind [options]; what an "
				    "experiment counts is given by events="},
	{"[experiment x]\nkernal=y",
	 "assay.cfg:2:1: no option \"kernal\": did you mean kernel=? (globs of kernels)"},
	{"[experiment x]\nzzz=1",
	 "assay.cfg:2:1: no option \"zzz\": there are kernel code bytes events ring n reps "
	 "passes delta metric period record cascade then beside sample max buffer pmu"},
	{"[experiment x] ring=1", "assay.cfg:1:21: ring=1: it wants one of 0|3|both"},
	{"[experiment x] n=0", "assay.cfg:1:18: n=0: it wants a number from 1 to 9223372036854775807"},
	{"[experiment x] n=", "assay.cfg:1:16: n= has no value: give one"},
	{"[experiment x] kernel=",
	 "assay.cfg:1:23: kernel= is malformed: it wants globs, separated by commas"},
	{"[experiment x] record=all",
	 "assay.cfg:1:23: record=all: it wants one of none|pmi|pebs|ibs-op|ibs-fetch|bts|lbr|brs"},
	{"[experiment x] events=1,2,3,4,5,6,7,8,9,A,B,C,D,E,F,G,H",
	 "assay.cfg:1:55: events= has more than 16 items: share them among two experiments"},
	{"[experiment x] "
	 "events=A,"
	 "012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
	 "9"
	 "0123456789012345678901234567",
	 "assay.cfg:1:25: 01234567890123456789... is 128 bytes long: at most 127 are allowed"},
	{"[experiment x] code=a.elf " K,
	 "assay.cfg:1:1: [experiment x] has several of kernel=, code= and bytes=: leave all but one out"},
	{"[experiment x] code=a.elf bytes=90 events=A",
	 "assay.cfg:1:1: [experiment x] has several of kernel=, code= and bytes=: leave all but one out"},
	{"[experiment x] code=a.elf",
	 "assay.cfg:1:1: [experiment x] has no events=: add what to count, such as "
	 "events=INST_RETIRED.ANY_P"},
	{"[experiment x] code=a\\b events=A",
	 "assay.cfg:1:21: code=a\\b is malformed: it wants the name of a file in \\assay\\code"},
	{"[experiment x] code= events=A",
	 "assay.cfg:1:21: code= is malformed: it wants the name of a file in \\assay\\code"},
	{"[experiment x] bytes=90,9x events=A",
	 "assay.cfg:1:26: bytes=9x: it wants pairs of hexadecimal digits, such as bytes=90c3"},
	{"[experiment x] bytes=90c events=A",
	 "assay.cfg:1:25: bytes=90c: it wants pairs of hexadecimal digits, such as bytes=90c3"},
	{"[experiment x] kernel=k beside=A", "assay.cfg:1:1: [experiment x] has no events=: add what to "
					     "count, such as events=INST_RETIRED.ANY_P"},
	{"[experiment x] kernel=k events=1,2,3,4,5,6,7,8,9,A,B,C,D,E,F beside=G,H",
	 "assay.cfg:1:69: events= and beside= have more than 16 items: share them among two experiments"},
	{"[experiment x] " K "sample=B", "assay.cfg:1:41: sample=B: it wants one of E|A"},
	{"[experiment x] " K "max=0", "assay.cfg:1:38: max=0: it wants a number from 1 to 20000"},
	{"[experiment x] " K "buffer=2001", "assay.cfg:1:41: buffer=2001: it wants a number from 1 to 2000"},
	{"[experiment x] " K "metric=cpi",
	 "assay.cfg:1:41: metric=cpi: no experiment before defines it: write NAME = EXPRESSION"},
	{"[experiment w] " K "metric=\"cpic = A / 2\"\n[experiment x] " K "metric=cpi",
	 "assay.cfg:2:41: metric=cpi: no experiment before defines it: write NAME = EXPRESSION"},
	{"[experiment x] " K "metric=\"m = #1 +\"",
	 "assay.cfg:1:50: metric=m = #1 +: a number or an event is missing"},
	{"[experiment x] kernel=k events=1,2,3,4,5,6,7,8,9,A,B,C,D,E,F,G metric=\"m = H / #1\"",
	 "assay.cfg:1:76: metric=m = H / #1: events= has no room for one more: share them among two "
	 "experiments"},
};

static void damage_is_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(parse(bad[i].text));
		assert_string_equal(error.text, bad[i].message);
		assert_null(strchr(error.text, '\n'));
	}
}

static void own_code_takes_the_place_of_a_kernel(void **state)
{
	const struct experiment *x = &all.experiment[0], *y = &all.experiment[1];

	(void)state;
	assert_true(parse("[experiment x] code=own.elf events=A\n[experiment y] bytes=\"48FF c7\" bytes=c3 "
			  "events=A"));
	assert_string_equal(x->code, "own.elf");
	assert_int_equal(x->key[KEY_CODE].column, 21);
	assert_int_equal(x->bytes.count, 0);
	assert_string_equal(y->code, "");
	assert_int_equal(y->bytes.count, 3);
	assert_string_equal(y->bytes.item[2].text, "c3");
	assert_null(x->own);
	assert_null(x->own_why);
}

/* What is counted while something is sampled stands behind what is sampled. */
static void samples_have_keys_of_their_own(void **state)
{
	const struct experiment *x = &all.experiment[0];

	(void)state;
	assert_true(
		parse("[experiment x] kernel=k beside=C,D:u events=A record=pebs period=9 sample=A max=20 "
		      "buffer=3 then=7 events=B"));
	assert_int_equal(x->events.count, 4);
	assert_int_equal(x->n_sampled, 2);
	assert_string_equal(x->events.item[1].text, "B");
	assert_string_equal(x->events.item[3].text, "D:u");
	assert_int_equal(x->events.item[3].at.column, 34);
	assert_int_equal(x->sample, 1);
	assert_int_equal(x->most, 20);
	assert_int_equal(x->buffer, 3);
	assert_int_equal(x->then, 7);
	assert_int_equal(x->key[KEY_BUFFER].column, 91);
	assert_true(parse("[experiment x] kernel=k events=A sample=E"));
	assert_int_equal(x->sample | x->most | x->buffer | x->then, 0);
	assert_int_equal(x->n_sampled, 1);
}

/* What a metric names is counted, once; it may be named again by a later experiment. */
static void metrics_name_events(void **state)
{
	const struct experiment *x = &all.experiment[0], *y = &all.experiment[1];

	(void)state;
	assert_true(parse("[experiment x] kernel=k events=A,B metric=\"m = A / ( B + C:u ) * #1\"\n"
			  "metric=\"tick = tsc / D\" metric=\"again = D\"\n"
			  "[experiment y] kernel=k metric=tick metric=m"));
	assert_int_equal(x->metrics.count, 3);
	assert_int_equal(x->events.count, 4);
	assert_string_equal(x->events.item[2].text, "C:u");
	assert_int_equal(x->events.item[2].at.line, 1);
	assert_int_equal(x->events.item[2].at.column, 58);
	assert_string_equal(x->events.item[3].text, "D");
	assert_string_equal(y->metrics.item[0].text, "tick = tsc / D");
	assert_string_equal(y->metrics.item[1].text, "m = A / ( B + C:u ) * #1");
	assert_int_equal(y->events.count, 4);
	assert_string_equal(y->events.item[0].text, "D");
}

static void there_is_an_end_to_experiments(void **state)
{
	char text[64 * (EXPERIMENTS_MAX + 1)] = "";

	(void)state;
	for (unsigned i = 0; i < EXPERIMENTS_MAX; i++)
		sprintf(text + strlen(text), "[experiment x%u] " K "\n", i);
	assert_true(parse(text));
	assert_int_equal(all.count, EXPERIMENTS_MAX);
	strcat(text, "[experiment y] " K);
	assert_false(parse(text));
	assert_string_equal(error.text,
			    "assay.cfg:33:1: more than 32 experiments: put some into another file");
}

/* On the command line sections stay unknown. */
static void sections_are_for_files(void **state)
{
	(void)state;
	options_default(&o);
	assert_false(options_parse(&o, "[experiment", 11, "command line", &error));
	assert_false(options_parse(&o, "[options]", 9, "command line", &error));
	assert_string_equal(
		error.text,
		"command line, token 1: sections ([...]) are not known here: only key=value options are");
}

static uint64_t draw(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static void check_sane(void)
{
	assert_true(all.count <= EXPERIMENTS_MAX);
	for (unsigned i = 0; i < all.count; i++) {
		const struct experiment *x = &all.experiment[i];

		assert_in_range(strlen(x->name), 1, EXPERIMENT_NAME - 1);
		assert_in_range(x->events.count, 1, OPTION_ITEMS);
		assert_true(x->kernel[0] && x->level <= EXPERIMENT_BOTH && x->record < RECORD_KINDS);
		for (unsigned k = 0; k < x->events.count; k++)
			assert_in_range(strlen(x->events.item[k].text), 1, OPTION_ITEM_TEXT - 1);
	}
}

static void random_input_is_survived(void **state)
{
	static const char *const piece[] = {"[experiment ",
					    "x",
					    "y",
					    "]",
					    " kernel=k",
					    " events=",
					    "A",
					    ",",
					    " ",
					    "\n",
					    "\"",
					    "/",
					    "cpu/a,b/",
					    "[options]",
					    " n=",
					    "12",
					    " delta=1-2",
					    " record=pmi",
					    " period=",
					    "=",
					    "#",
					    "[",
					    "]\n" K,
					    " ring=3",
					    "\xff",
					    " passes=one",
					    "suite=a ",
					    "\r\n"};
	unsigned accepted = 0, with = 0;

	(void)state;
	for (unsigned round = 0; round < 400000; round++) {
		char text[400];
		size_t size = 0;

		if (round % 8 == 0) {
			size = draw() % 64;
			for (size_t i = 0; i < size; i++)
				text[i] = (char)draw();
		} else {
			for (unsigned i = (unsigned)(draw() % 20); i; i--) {
				const char *p = i == 20 ? "[experiment x]"
							: piece[draw() % (sizeof piece / sizeof *piece)];

				memcpy(text + size, p, strlen(p));
				size += strlen(p);
			}
			if (round & 1 && size < 200) {
				char whole[] = "[experiment z] kernel=k events=A,B ";

				memmove(text + sizeof whole - 1, text, size);
				memcpy(text, whole, sizeof whole - 1);
				size += sizeof whole - 1;
			}
		}
		char *exact = malloc(size ? size : 1); /* so that the sanitizer sees one byte too far */
		memcpy(exact, text, size);
		options_default(&o);
		if (experiments_parse(&o, &all, exact, size, "assay.cfg", &error)) {
			accepted++;
			with += all.count > 0;
			check_sane();
		} else {
			assert_true(error.text[0]);
			assert_null(strchr(error.text, '\n'));
		}
		free(exact);
	}
	assert_true(accepted > 1000 && with > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(places_are_those_of_the_words),
		cmocka_unit_test(defaults),
		cmocka_unit_test(damage_is_named),
		cmocka_unit_test(own_code_takes_the_place_of_a_kernel),
		cmocka_unit_test(samples_have_keys_of_their_own),
		cmocka_unit_test(metrics_name_events),
		cmocka_unit_test(there_is_an_end_to_experiments),
		cmocka_unit_test(sections_are_for_files),
		cmocka_unit_test(random_input_is_survived),
	};

	return cmocka_run_group_tests_name("experiments", tests, NULL, NULL);
}
