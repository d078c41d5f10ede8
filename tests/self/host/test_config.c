/* Where options come from: defaults, the file, the command line, in that order; and what goes wrong on the
 * way. */
#include "boot/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "boot/platform.h"
#include "tests/measure/experiment.h"

static const char *file, *trouble;
static char path[64];
static struct options o;
static struct experiments experiments;
static struct option_error error;

static bool read_file(const char *name, char **data, size_t *size, const char **why)
{
	snprintf(path, sizeof path, "%s", name);
	if (!file) {
		*why = trouble;
		return false;
	}
	*data = strdup(file);
	*size = strlen(file);
	return true;
}

static bool gather(const char *text, char *line)
{
	const struct platform platform = {.command_line = line, .read_file = read_file};

	file = text;
	memset(&o, 0xa5, sizeof o);
	memset(&experiments, 0, sizeof experiments);
	memset(&error, 0, sizeof error);
	return config_gather(&platform, &o, &experiments, &error);
}

static void a_missing_file_is_none(void **state)
{
	static const char *const absent[] = {PLATFORM_NOT_FOUND, NULL};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		trouble = absent[i];
		assert_true(gather(NULL, "n=7"));
		assert_string_equal(path, "\\assay\\assay.cfg");
		assert_int_equal(o.n, 7);
		assert_string_equal(o.suite, "control,events");
		assert_int_equal(experiments.count, 0);
	}
}

/* Who says on the command line what is to be done is not asked; blanks say nothing. */
static void a_command_line_takes_the_menu_away(void **state)
{
	static const struct {
		const char *line;
		unsigned menu;
	} rows[] = {{"", 9}, {" ", 9}, {"\t  \t", 9}, {"n=7", 0}, {"  n=7", 0}, {"n=7 menu=4", 4}};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char line[32];

		strcpy(line, rows[i].line);
		assert_true(gather("menu=9\n", line));
		assert_int_equal(o.menu, rows[i].menu);
	}
}

static void what_cannot_be_read_is_an_error(void **state)
{
	(void)state;
	trouble = "is a directory";
	assert_false(gather(NULL, "n=7 exit=halt"));
	assert_non_null(strstr(error.text, "\\assay\\assay.cfg: is a directory; "));
	/* What was valid serves for saying so. */
	assert_int_equal(o.exit, EXIT_HALT);
}

static void the_command_line_wins(void **state)
{
	(void)state;
	assert_true(gather("n=3 reps=4 suite=events\n[experiment x] kernel=k events=E\n[options] seed=9\n",
			   "n=5 suite=truth"));
	assert_int_equal(o.n, 5);
	assert_int_equal(o.reps, 4);
	assert_int_equal(o.seed, 9);
	assert_string_equal(o.suite, "truth");
	assert_string_equal(o.kernel, "core");
	assert_int_equal(experiments.count, 1);
	assert_string_equal(experiments.experiment[0].name, "x");
}

static void either_may_be_bad(void **state)
{
	(void)state;
	assert_false(gather("n=3\nreps=many\n", "n=5"));
	assert_non_null(strstr(error.text, "assay.cfg:2:6: "));
	assert_int_equal(o.n, 5);
	assert_false(gather("n=3\n", "n=5 reps=many"));
	assert_non_null(strstr(error.text, "command line, token 2: "));
	assert_int_equal(o.n, 5);
	/* The first of two is told. */
	assert_false(gather("reps=many\n", "serial=none"));
	assert_non_null(strstr(error.text, "assay.cfg:1:6: "));
}

/* Each end of a line counts once, whichever editor wrote it. */
static void lines_are_counted(void **state)
{
	static const char *const ends[] = {"\n", "\r\n", "\r"};
	static const char *const before[] = {"n=3", "# a comment", "", "n=3 # a comment"};

	(void)state;
	for (unsigned e = 0; e < sizeof ends / sizeof ends[0]; e++)
		for (unsigned b = 0; b < sizeof before / sizeof before[0]; b++)
			for (unsigned lines = 0; lines < 4; lines++) {
				char text[128] = "", where[32];

				for (unsigned i = 0; i < lines; i++)
					strcat(strcat(text, before[b]), ends[e]);
				strcat(strcat(text, " reps=many"), ends[e]);
				assert_false(gather(text, ""));
				snprintf(where, sizeof where, "assay.cfg:%u:7: ", lines + 1);
				assert_non_null(strstr(error.text, where));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_file_is_none),
		cmocka_unit_test(a_command_line_takes_the_menu_away),
		cmocka_unit_test(what_cannot_be_read_is_an_error),
		cmocka_unit_test(the_command_line_wins),
		cmocka_unit_test(either_may_be_bad),
		cmocka_unit_test(lines_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
