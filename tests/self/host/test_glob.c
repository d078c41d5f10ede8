/* Globs: both sides of every rule. */
#include "pmu/events/text.h"
#include "tests/judge/check.h"

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

static void a_word_is_one_of_the_alternatives(void **state)
{
	(void)state;
	assert_true(glob_has("core", "core"));
	assert_true(glob_has("a,core,b*", "core"));
	assert_true(glob_has("a,core", "core"));
	assert_false(glob_has("cores,score,co*", "core"));
	assert_false(glob_has("", "core"));
	assert_false(glob_has(NULL, "core"));
}

/* What is nearest to what was typed, among these. */
static const char *nearest(const char *typed)
{
	static const char *const names[] = {"control",         "events",    "movs_rep",
					    "nop_loop",        "wrap/PMC0", "INST_RETIRED.ANY_P",
					    "INST_RETIRED.ANY"};
	const char *found = NULL;
	unsigned distance = GLOB_FAR;

	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
		if (glob_nearer(typed, names[i], &distance))
			found = names[i];
	return found;
}

/* Of names that are equally near the first one is meant. */
static void the_first_of_equals_is_meant(void **state)
{
	unsigned distance = GLOB_FAR;

	(void)state;
	assert_true(glob_nearer("loads1", "loads2", &distance));
	assert_int_equal(distance, 1);
	assert_false(glob_nearer("loads1", "loads3", &distance));
	assert_true(glob_nearer("loads1", "loads1", &distance));
	assert_false(glob_nearer("loads1", "loads1", &distance));
}

static void what_was_meant_is_near(void **state)
{
	(void)state;
	assert_string_equal(nearest("contrl"), "control");
	assert_string_equal(nearest("movs_rp"), "movs_rep");
	assert_string_equal(nearest("mvos_rep*"), "movs_rep");
	assert_string_equal(nearest("wrp/*"), "wrap/PMC0");
	assert_string_equal(nearest("wrp"), "wrap/PMC0");
	assert_string_equal(nearest("zzzz,evnets"), "events");
	assert_string_equal(nearest("inst_retierd.any"), "INST_RETIRED.ANY");
	assert_null(nearest("machine"));
	assert_null(nearest("*"));
	assert_null(nearest("?x"));
	assert_null(nearest("x*"));
	assert_null(nearest(""));
	assert_null(nearest(
		"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz*"));
}

/* What check= asks for in vain is remembered with its nearest, until something matches. */
static void the_nearest_check_is_remembered(void **state)
{
	struct checks_asked asked = {.distance = GLOB_FAR};
	struct run_options options = {.check_glob = "wrp/*"};
	struct run run = {.options = &options, .checks = &asked};

	(void)state;
	assert_false(check_wanted(&run, "enable gating"));
	assert_string_equal(asked.nearest, "");
	assert_false(check_wanted(&run, "wrap/PMC0"));
	assert_false(check_wanted(&run, "wrong/PMC1"));
	assert_string_equal(asked.nearest, "wrap/PMC0");
	assert_true(asked.asked && !asked.matched);
}

/* What many like it are called must be asked for by name; anything else by any glob. */
static void some_are_asked_for_by_name(void **state)
{
	static const struct {
		const char *globs;
		bool core, by_name;
	} asked[] = {
		{"arch", false, false}, {"arch,OCR.*", true, true}, {"*", true, false},
		{NULL, true, false},    {"all", true, false},       {"", true, false},
		{"OCR.*", true, true},  {"*RFO*", true, true},      {"X,OCR.*", true, true},
		{"*,X", true, false},   {"?*", true, false},        {"*,ocr*", true, true},
		{"X", false, false},
	};
	const struct pmu_event core = {.name = "OCR.DEMAND_RFO.DRAM", .flags = EVENT_OF_CORE},
			       by_name = {.name = "OCR.DEMAND_RFO.DRAM",
					  .flags = EVENT_OF_CORE | EVENT_BY_NAME};

	(void)state;
	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (event_selected(&core, asked[i].globs) != asked[i].core ||
		    event_selected(&by_name, asked[i].globs) != asked[i].by_name)
			fail_msg("event=%s", asked[i].globs ? asked[i].globs : "(none)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_case),
					   cmocka_unit_test(a_word_is_one_of_the_alternatives),
					   cmocka_unit_test(the_first_of_equals_is_meant),
					   cmocka_unit_test(what_was_meant_is_near),
					   cmocka_unit_test(the_nearest_check_is_remembered),
					   cmocka_unit_test(some_are_asked_for_by_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
