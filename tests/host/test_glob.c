/* Globs: both sides of every rule. */
#include "tests/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static const struct {
	const char *pattern, *text;
	bool match;
} cases[] = {
	{NULL, "anything", true},
	{"", "anything", true},
	{"all", "anything", true},
	{"all", "", true},
	{"*", "", true},
	{"?", "", false},
	{"?", "a", true},
	{"?", "ab", false},
	{"abc", "abc", true},
	{"abc", "abcd", false},
	{"abcd", "abc", false},
	{"ABC", "abc", true},
	{"inst_*", "INST_RETIRED.ANY_P", true},
	{"inst_*", "INS_RETIRED", false},
	{"*any*", "INST_RETIRED.ANY_P", true},
	{"*any", "INST_RETIRED.ANY_P", false},
	{"a*b*c", "aXbXbXc", true},
	{"a*b*c", "aXbXbX", false},
	{"*aab", "aaaab", true},
	{"*aab", "aaaac", false},
	{"**", "x", true},
	{"a**", "a", true},
	{"a?c*", "abcdef", true},
	{"x,y", "y", true},
	{"x,y", "x", true},
	{"x,y", "x,y", false},
	{"x,y", "z", false},
	{"x*,", "z", false},
	{"x*,", "", true}, /* an empty alternative matches the empty text only */
	{"ab*,*cd", "xcd", true},
	{"ab*,*cd", "xce", false},
	{"*********************a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", false},
};

static void every_case(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (glob_match(cases[i].pattern, cases[i].text) != cases[i].match)
			fail_msg("\"%s\" on \"%s\"", cases[i].pattern, cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_case)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
