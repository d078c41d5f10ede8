/* What tables call a column of privilege levels, for the names that different instruction sets give them. */
#include "arch/levels.h"
#include "tests/report/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const *names;

/* Its names have the numbers 0, 3, 6 ...; what lies between does not exist. */
const char *level_name(unsigned level)
{
	unsigned n = 0;

	while (n < level / 3 && names[n])
		n++;
	return level % 3 ? NULL : names[n];
}

static void the_word_that_all_have_in_common(void **state)
{
	static const char *const rings[] = {"ring 0", "ring 1", "ring 12", NULL};

	(void)state;
	names = rings;
	assert_string_equal(level_heading(), "ring");
	assert_string_equal(level_brief("ring 12"), "12");
	assert_string_equal(level_brief("ringing 1"), "ringing 1");
	assert_string_equal(level_brief("both"), "both");
	assert_string_equal(level_brief("ring"), "ring");
	assert_null(level_brief(NULL));
}

static void no_word_in_common(void **state)
{
	static const char *const some[][4] = {
		{"EL0", "EL1", NULL},
		{"kernel", "user", NULL},
		{"ring 0", "ring3", NULL},
		{"ring 0", "ringside 1", NULL},
		{"mode a", "level b", NULL},
		{"kernel", NULL},
		{"averyveryverylongword 0", NULL},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof some / sizeof some[0]; i++) {
		names = some[i];
		assert_string_equal(level_heading(), "level");
		assert_string_equal(level_brief(names[0]), names[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_word_that_all_have_in_common),
		cmocka_unit_test(no_word_in_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
