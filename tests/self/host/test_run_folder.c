/* The folder of a run: its number is behind every other one's. */
#include "boot/run_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const *there;   /* what is listed */
static const char *unlisted;       /* is there all the same */
static const char *trouble;        /* what keeps folders from being made */
static char made[RUN_FOLDER_PATH]; /* "": none */

static void each_name(const char *directory, void (*each)(void *arg, const char *name), void *arg)
{
	assert_string_equal(directory, "\\assay\\runs");
	for (const char *const *name = there; *name; name++)
		each(arg, *name);
}

static bool make_folder(const char *path, const char **why)
{
	*why = trouble;
	if (trouble)
		return false;
	*why = PLATFORM_EXISTS;
	if (unlisted && !strcmp(path, unlisted))
		return false;
	snprintf(made, sizeof made, "%s", path);
	return true;
}

static const struct platform platform = {.each_name = each_name, .make_folder = make_folder};

static bool make_for(const char *cpu, const char *const *names, const char **why)
{
	there = names;
	made[0] = 0;
	return run_folder_make(&platform, "\\assay\\runs", cpu, why);
}

static bool make(const char *const *names, const char **why)
{
	return make_for("GenuineIntel-6-5E-3", names, why);
}

static void numbers_go_on(void **state)
{
	static const struct {
		const char *names[7], *path;
	} cases[] = {
		{{NULL}, "0001"},
		{{".", "..", "notes.txt", "report.json", NULL}, "0001"},
		{{"0001-GenuineIntel-6-5E-3", NULL}, "0002"},
		{{"0002-AuthenticAMD-25-1-1", "0010-GenuineIntel-6-5E-3", "0009-x", NULL}, "0011"},
		{{"9999-x", "10000-x", NULL}, "10001"},
		{{"0007-a-file", NULL}, "0008"},
		/* Behind the highest number there is none: such a name is somebody else's. */
		{{"4294967291-x", NULL}, "4294967292"},
		{{"4294967292-x", "4294967293-x", "4294967294-x", "4294967295-x", "0004-x", NULL}, "0005"},
		{{"12", "0x20-y", "-5-z", "+6-z", "99999999999999999999-z", "3-", NULL}, "0004"},
	};
	const char *why;

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char path[RUN_FOLDER_PATH];

		snprintf(path, sizeof path, "\\assay\\runs\\%s-GenuineIntel-6-5E-3", cases[i].path);
		assert_true(make(cases[i].names, &why));
		assert_string_equal(made, path);
		assert_string_equal(run_folder(), path);
		assert_int_equal(run_number(), strtoul(cases[i].path, NULL, 10));
	}
}

/* The run before is the last one of this CPU alone, not of one whose name begins alike, ends alike, or has
 * other letters. */
static void the_run_before_is_of_this_cpu(void **state)
{
	static const char *const cpus[] = {"GenuineIntel-6-5E-3",
					   "GenuineIntel-6-5E-30",
					   "GenuineIntel-6-5E",
					   "GenuineIntel-6-5E-",
					   "genuineintel-6-5e-3",
					   "6-5E-3",
					   "a",
					   ""};
	enum { CPUS = sizeof cpus / sizeof cpus[0] };

	(void)state;
	for (unsigned own = 0; own < CPUS; own++)
		for (unsigned other = 0; other < CPUS; other++)
			for (unsigned order = 0; order < 2; order++) {
				char name[2][64], path[RUN_FOLDER_PATH];
				const char *why, *const names[] = {name[order], name[!order], NULL};
				unsigned before = other == own ? 7 : 5;

				snprintf(name[0], sizeof name[0], "0005-%s", cpus[own]);
				snprintf(name[1], sizeof name[1], "0007-%s", cpus[other]);
				assert_true(make_for(cpus[own], names, &why));
				assert_int_equal(run_number(), 8);
				assert_int_equal(run_number_before(), before);
				snprintf(path, sizeof path, "\\assay\\runs\\%04u-%s", before, cpus[own]);
				assert_string_equal(run_before(), path);
				/* The other's alone: there is none of this CPU. */
				if (other == own)
					continue;
				assert_true(make_for(cpus[own], (const char *[]){name[1], NULL}, &why));
				assert_int_equal(run_number_before(), 0);
				assert_null(run_before());
			}
}

static void what_is_there_is_left_alone(void **state)
{
	static const char *const none[] = {NULL};
	const char *why;

	(void)state;
	unlisted = "\\assay\\runs\\0001-GenuineIntel-6-5E-3";
	assert_true(make(none, &why));
	assert_string_equal(made, "\\assay\\runs\\0002-GenuineIntel-6-5E-3");
	assert_string_equal(run_folder(), made);
	assert_int_equal(run_number(), 2);
	unlisted = NULL;
}

static void trouble_is_handed_on(void **state)
{
	static const char *const none[] = {NULL};
	const char *why;

	(void)state;
	trouble = "volume is full";
	assert_false(make(none, &why));
	assert_string_equal(why, trouble);
	assert_null(run_folder());
	assert_int_equal(run_number(), 0);
	trouble = PLATFORM_EXISTS; /* for ever */
	assert_false(make(none, &why));
	assert_null(run_folder());
	trouble = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_on),
		cmocka_unit_test(the_run_before_is_of_this_cpu),
		cmocka_unit_test(what_is_there_is_left_alone),
		cmocka_unit_test(trouble_is_handed_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
