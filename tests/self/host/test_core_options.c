/* What cpus= may say, which injections are for which processor, and which processor is another one. */
#include "boot/core_choice.h"
#include "boot/core_options.h"
#include "boot/cores.h"

#include "arch/processors.h"
#include "tests/report/report.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void lists_are_numbers_between_commas(void **state)
{
	static const char *const good[] = {"auto", "all", "0", "1,3", "0,17,255", "999999"};
	static const char *const bad[] = {"",   "x",   "1,",  ",1",    "1,,2",
					  "-1", "1-3", "1 2", "autos", "1000000"};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_null(cores_syntax(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_non_null(cores_syntax(bad[i]));
}

static void a_list_has_its_numbers_and_no_others(void **state)
{
	(void)state;
	assert_true(cores_listed("1,13", 1));
	assert_true(cores_listed("1,13", 13));
	assert_false(cores_listed("1,13", 3));
	assert_false(cores_listed("1,13", 0));
}

static void expect(const char *inject, unsigned core, const char *expected)
{
	char out[OPTION_TEXT_MAX];

	core_injections(inject, core, out);
	assert_string_equal(out, expected);
}

static void injections_go_where_they_belong(void **state)
{
	(void)state;
	expect("", 0, "");
	expect("lost-bit", 0, "lost-bit");
	expect("lost-bit@1", 0, "");
	expect("lost-bit@1", 1, "lost-bit");
	expect("a@1+b+c@0", 0, "b+c");
	expect("a@1+b+c@0", 1, "a+b");
	expect("a@12", 1, "");
	/* No number: it is the model's to say that there is no such injection. */
	expect("a@+b@x+c@1x", 1, "a@+b@x+c@1x");
}

/* --- another one ---------------------------------------------------------------------------------- */

static const struct processor *machine;
static unsigned machine_size;

unsigned processor_count(void)
{
	return machine_size;
}

struct processor processor_at(unsigned number)
{
	assert_true(number < machine_size);
	return machine[number];
}

/* Two threads a core: IDs 2 and 3 are one core. */
static void another_core_comes_before_another_thread(void **state)
{
	static const struct {
		struct processor p[4];
		unsigned n, judged;
		int other; /* -1: none */
	} cases[] = {
		{{{0, true}}, 1, 0, -1},
		{{{0, true}, {1, true}}, 2, 0, 1},
		{{{0, true}, {1, true}}, 2, 1, 0},
		{{{0, true}, {1, false}}, 2, 0, -1},
		{{{0, true}, {2, true}}, 2, 0, 1},
		{{{0, true}, {2, false}}, 2, 0, -1},
		{{{0, true}, {1, true}, {2, true}, {3, true}}, 4, 0, 2},
		{{{0, true}, {1, true}, {2, true}, {3, true}}, 4, 3, 0},
		{{{0, true}, {1, true}, {2, false}, {3, true}}, 4, 0, 3},
		{{{0, true}, {1, true}, {2, false}, {3, false}}, 4, 0, 1},
		{{{0, true}, {1, false}, {2, false}, {3, false}}, 4, 0, -1},
		{{{2, true}, {3, true}, {2, true}, {0, true}}, 4, 0, 3},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		unsigned other = 99;

		machine = cases[i].p;
		machine_size = cases[i].n;
		bool found = core_elsewhere(cases[i].judged, machine[cases[i].judged].id, 1, &other);
		if ((found ? (int)other : -1) != cases[i].other)
			fail_msg("case %u: %d", i, found ? (int)other : -1);
	}
}

/* Eight performance cores of two threads with eight IDs set aside for each, then eight efficiency cores, four
 * of which share a cache: of 24 processors ten are started, and each cache is seen. */
static void one_of_each_cluster_is_started(void **state)
{
	static struct processor p[24];
	struct core_clusters known = {0};
	unsigned started = 0, last = 0;

	(void)state;
	for (unsigned i = 0; i < 16; i++)
		p[i] = (struct processor){i / 2 * 8 + i % 2, true};
	for (unsigned i = 16; i < 24; i++)
		p[i] = (struct processor){64 + (i - 16) * 2, true};
	machine = p;
	machine_size = 24;
	for (unsigned i = 0; i < 24; i = core_of_another_cluster(&known, i + 1)) {
		core_cluster_add(&known, p[i].id, 3);
		started++;
		last = i;
	}
	assert_int_equal(started, 10);
	assert_int_equal(last, 20);
	assert_int_equal(core_of_another_cluster(&known, 0), 24);

	/* Where no cache is shared all are; what firmware keeps off is not. */
	known.count = 0;
	core_cluster_add(&known, p[0].id, 0);
	p[1].enabled = false;
	assert_int_equal(core_of_another_cluster(&known, 0), 2);
	core_cluster_add(&known, p[2].id, 0);
	assert_int_equal(core_of_another_cluster(&known, 1), 3);

	/* Without room for more they are started one by one. */
	for (unsigned i = 0; i < 100; i++)
		core_cluster_add(&known, 1000 + i, 0);
	assert_int_equal(core_of_another_cluster(&known, 3), 3);
}

/* --- kinds ---------------------------------------------------------------------------------------- */

static unsigned broken;          /* the processor that does not start; 0: all do */
static const char *const *kinds; /* of a real machine: which virtual CPU's each processor is like */
static unsigned absent;          /* processors that were reported as such */
static char notes[1024];

bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **reason)
{
	*reason = "it did not start";
	if (number && number == broken)
		return false;
	if (kinds)
		fake_cpu_start(model_profile_by_name(kinds[number]), "");
	fn(arg);
	return true;
}

void report_note(const char *text)
{
	strncat(notes, text, sizeof notes - strlen(notes) - 2);
	strcat(notes, "\n");
}

void report_processor(const struct report_processor *p)
{
	assert_int_equal(p->judged, p->number != broken || !broken);
}

void report_judging(unsigned number)
{
	(void)number;
}

void report_result(const struct result *r)
{
	assert_int_equal(r->judgement.verdict, VERDICT_ERROR);
	absent++;
}

/* Of a kind of core that is on the list but does not start, nothing is judged. */
static void a_kind_that_does_not_start_is_named(void **state)
{
	static const struct processor two[] = {{0, true}, {8, true}};
	static struct options o;
	static struct cores cores;
	struct reason why;

	(void)state;
	machine = two;
	machine_size = 2;
	fake_cpu_start(model_profile_by_name("intel-alderlake-p"), "");
	options_default(&o);
	strcpy(o.pmu, "virtual:intel-alderlake");
	for (broken = 0; broken < 2; broken++) {
		notes[0] = 0;
		assert_true(cores_choose(&o, "", &cores, &why));
		assert_int_equal(cores.count, 2);
		assert_int_equal(!cores.core[1].why[0], !broken);
		assert_null(strstr(notes, "performance cores"));
		assert_int_equal(!!strstr(notes, "its efficiency cores (cpu_atom) are not judged: none of "
						 "the processors that started is one\n"),
				 broken);
	}
	fake_cpu_stop();
}

/* One of each kind, another one of the kind where the first did not start, and no more. */
static void one_of_each_kind_is_judged(void **state)
{
	static const struct processor five[] = {{0, true}, {64, true}, {128, true}, {192, true}, {256, true}};
	static const char *const real[] = {"intel-alderlake-p", "intel-alderlake-p", "intel-alderlake-e",
					   "intel-alderlake-e", "intel-alderlake-e"};
	static const struct {
		const char *pmu, *cpus;
		unsigned broken;
		const char *chosen; /* their numbers; behind one that did not start there is a ! */
	} cases[] = {
		{"virtual:intel-alderlake", "auto", 0, "0 1 "},
		{"virtual:intel-alderlake", "auto", 1, "0 1! 2 "},
		{"virtual:intel-alderlake", "auto", 3, "0 1 "},
		{"virtual:intel-alderlake", "all", 0, "0 1 2 3 4 "},
		{"virtual:intel-alderlake", "all", 2, "0 1 2! 3 4 "},
		{"virtual:intel-alderlake", "1,3", 3, "1 3! "},
		{"auto", "auto", 0, "0 2 "},
		{"auto", "auto", 1, "0 1! 2 "},
		{"auto", "auto", 2, "0 2! 3 "},
		{"auto", "auto", 4, "0 2 4! "}, /* what it is nobody can tell */
		{"auto", "all", 0, "0 1 2 3 4 "},
		{"auto", "0,4", 4, "0 4! "},
	};
	static struct options o;
	static struct cores cores;
	struct reason why;

	(void)state;
	machine = five;
	machine_size = 5;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char chosen[64] = "";

		kinds = strcmp(cases[i].pmu, "auto") ? NULL : real;
		fake_cpu_start(model_profile_by_name("intel-alderlake-p"), "");
		options_default(&o);
		strcpy(o.pmu, cases[i].pmu);
		strcpy(o.cpus, cases[i].cpus);
		broken = cases[i].broken;
		notes[0] = 0;
		absent = 0;
		assert_true(cores_choose(&o, "", &cores, &why));
		for (unsigned c = 0; c < cores.count; c++)
			sprintf(chosen + strlen(chosen), "%u%s ", cores.core[c].number,
				cores.core[c].why[0] ? "!" : "");
		if (strcmp(chosen, cases[i].chosen))
			fail_msg("case %u: %s", i, chosen);
		assert_int_equal(absent, strchr(cases[i].chosen, '!') != NULL);
		fake_cpu_stop();
	}
	kinds = NULL;
	broken = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_numbers_between_commas),
		cmocka_unit_test(a_list_has_its_numbers_and_no_others),
		cmocka_unit_test(another_core_comes_before_another_thread),
		cmocka_unit_test(one_of_each_cluster_is_started),
		cmocka_unit_test(a_kind_that_does_not_start_is_named),
		cmocka_unit_test(one_of_each_kind_is_judged),
		cmocka_unit_test(injections_go_where_they_belong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
