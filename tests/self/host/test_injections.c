/*
 * The table of injections: every name of every virtual CPU switches on what it says and nothing else, and
 * what is no name is told, with the nearest that is one.
 */
#include "pmu/contract/model.h"
#include "pmu/intel/intel.h"
#include "pmu/virtual/injections.h"
#include "pmu/virtual/step_faults.h"
#include "pmu/virtual/uarch.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct injections set;
static char why[INJECTION_REASON];

/* How many are on. */
static unsigned on(const struct injections *s)
{
	unsigned n = s->answers.count;

	for (unsigned o = 0; o < INJECTION_COMMON; o++)
		n += (unsigned)__builtin_popcount(s->faults[o]);
	for (unsigned w = 0; w < MODEL_INJECTION_WORDS; w++)
		n += (unsigned)__builtin_popcountll(s->model.word[w]);
	return n;
}

static unsigned applied;

static bool apply(const char *text, char because[INJECTION_REASON])
{
	(void)because;
	applied++;
	return !strcmp(text, "plain") || !strcmp(text, "form:1");
}

static const struct harness_injection rows[] = {
	{"form:", "form:NUMBER", "one of the harness's own that says more", apply},
	{"plain", "plain", "one that does not", apply},
	{NULL, NULL, NULL, NULL},
};

static void the_harness_has_rows_of_its_own(void **unused)
{
	struct injection known;
	char rest[64];
	(void)unused;

	assert_false(injection_at(NULL, 0, &known));
	injections_join(rows);
	assert_true(injection_at(NULL, 0, &known));
	assert_string_equal(known.name, "form:NUMBER");
	assert_int_equal(known.owner, INJECTION_HARNESS);
	assert_true(injection_at(NULL, 1, &known));
	assert_false(injection_at(NULL, 2, &known));
	assert_true(injection_at(&intel_model, 2, &known));
	assert_int_not_equal(known.owner, INJECTION_HARNESS);

	applied = 0;
	assert_true(injections_apply("dead+form:1++plain+smi", rest, sizeof rest, why));
	assert_string_equal(rest, "dead+smi");
	assert_int_equal(applied, 2);
	assert_false(injections_apply("form:2", rest, sizeof rest, why));
	/* What it does not know it leaves to the virtual CPU, which tells the nearest of all. */
	assert_true(injections_apply("plai", rest, sizeof rest, why));
	assert_false(injections_parse(&intel_model, rest, &set, why));
	assert_non_null(strstr(why, "nearest: 'plain'"));
	assert_false(injections_parse(&intel_model, "plain", &set, why));
	assert_non_null(strstr(why, "harness's own"));
	injections_join(NULL);
	assert_false(injection_at(NULL, 0, &known));
}

static void each_is_its_own(void **unused)
{
	const struct model_profile *p;
	(void)unused;

	for (unsigned at = 0; (p = model_profile(at)); at++) {
		struct injection one, other;
		unsigned n = 0, seen[INJECTION_OWNERS] = {0};

		for (; injection_at(p->model, n, &one); n++) {
			assert_true(injections_parse(p->model, one.name, &set, why));
			assert_int_equal(on(&set), 1);
			assert_true(one.owner == INJECTION_MODEL ? model_injected(&set.model, one.bit)
								 : set.faults[one.owner] >> one.bit & 1);
			assert_true(*one.summary);
			for (unsigned i = 0; i < n; i++) {
				assert_true(injection_at(p->model, i, &other));
				assert_string_not_equal(one.name, other.name);
			}
			seen[one.owner]++;
		}
		for (unsigned o = 0; o < INJECTION_OWNERS; o++)
			assert_true((seen[o] || o == INJECTION_HARNESS) && *injection_owner_names[o]);
		assert_int_equal(seen[INJECTION_STEP], STEP_FAULTS);
		assert_int_equal(seen[INJECTION_MACHINE], UARCH_FAULTS);
	}
}

static void they_are_joined(void **unused)
{
	(void)unused;
	assert_true(injections_parse(
		&intel_model, "dead+half-the-ways+cpuid:4:2:edx:ffffffff+noisy+no-return-stack", &set, why));
	assert_int_equal(on(&set), 5);
	assert_int_equal(set.faults[INJECTION_MACHINE], 1u << UARCH_HALF_WAYS | 1u << UARCH_NO_RETURN_STACK);
	assert_int_equal(set.answers.answer[0].value, 0xffffffff);
	assert_true(injections_parse(&intel_model, NULL, &set, why));
	assert_int_equal(on(&set), 0);
	assert_true(injections_parse(&intel_model, "", &set, why));
	assert_int_equal(on(&set), 0);
}

static void an_unknown_one_is_told_with_the_nearest(void **unused)
{
	char name[200];
	(void)unused;

	assert_false(injections_parse(&intel_model, "dead+half-the-way", &set, why));
	assert_non_null(strstr(why, "no injection 'half-the-way'"));
	assert_non_null(strstr(why, "nearest: 'half-the-ways'"));
	assert_false(injections_parse(&intel_model, "droped-cary", &set, why));
	assert_non_null(strstr(why, "nearest: 'dropped-carry'"));
	assert_false(injections_parse(&intel_model, "recordslate", &set, why));
	assert_non_null(strstr(why, "nearest: 'records-late'"));
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	assert_false(injections_parse(&intel_model, name, &set, why));
	assert_non_null(strstr(why, "nearest: "));
}

/* A model with as many injections as there can be. */
static void a_model_may_have_many(void **unused)
{
	static char names[MODEL_INJECTIONS_MAX][8];
	static struct model_injection all[MODEL_INJECTIONS_MAX + 1];
	const struct pmu_model model = {.name = "many", .injections = all};

	(void)unused;
	for (unsigned i = 0; i < MODEL_INJECTIONS_MAX; i++) {
		snprintf(names[i], sizeof names[i], "n%u", i);
		all[i].name = names[i];
	}
	for (unsigned i = 0; i < MODEL_INJECTIONS_MAX; i++) {
		assert_true(injections_parse(&model, names[i], &set, why));
		assert_true(model_injected_any(&set.model));
		for (unsigned j = 0; j < MODEL_INJECTIONS_MAX; j++)
			assert_int_equal(model_injected(&set.model, j), j == i);
	}
	assert_true(injections_parse(&model, "n0+n64", &set, why));
	assert_true(model_injected(&set.model, 0) && model_injected(&set.model, 64) &&
		    !model_injected(&set.model, 1));
	assert_false(injections_parse(&model, "n1+n192", &set, why));
	assert_non_null(strstr(why, "'n192'"));
}

/* An injection that is an erratum's is asked for by each of its numbers. */
static void numbers_of_errata(void **state)
{
	const struct pmu_model *model = model_profile_by_name("intel-haswell")->model;
	struct injections by_name, by_number;
	char why[INJECTION_REASON];

	(void)state;
	assert_true(injections_parse(model, "skl91+hsd73", &by_name, why));
	assert_true(injections_parse(model, "KBL057+HSM74", &by_number, why));
	assert_memory_equal(&by_name, &by_number, sizeof by_name);
	assert_false(injections_parse(model, "HSM75", &by_number, why)); /* a row, and no injection */
	assert_false(injections_parse(model, "HSM740", &by_number, why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_errata),
		cmocka_unit_test(the_harness_has_rows_of_its_own),
		cmocka_unit_test(each_is_its_own),
		cmocka_unit_test(they_are_joined),
		cmocka_unit_test(an_unknown_one_is_told_with_the_nearest),
		cmocka_unit_test(a_model_may_have_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
