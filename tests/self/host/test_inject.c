/* Parsing of inject=: what is the harness's own takes effect, the rest is handed on, damage is named. */
#include "tests/self/host/fake_kernels.h"
#include "tests/measure/inject.h"
#include "arch/masking.h"
#include "tests/measure/intrusion.h"
#include "arch/breadcrumbs.h"
#include "arch/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

FAKE_KERNEL(plain, "fake_plain", 0, FAKE_EXACT(INSTRUCTIONS, 12, 3));

static char rest[64];
static char why[INJECTION_REASON];

static unsigned spoilt_number, spoilt_turn;
static enum processor_fault spoilt;

void processor_spoil(unsigned number, enum processor_fault fault, unsigned turn)
{
	spoilt_number = number;
	spoilt = fault;
	spoilt_turn = turn;
}

static struct {
	enum breadcrumbs_fault fault;
	const char *place;
	uint32_t step;
} ends[3];
static unsigned n_ends;

bool breadcrumbs_spoil(enum breadcrumbs_fault fault, const char *place, uint32_t step)
{
	if (n_ends == 3)
		return false;
	ends[n_ends].fault = fault;
	ends[n_ends].place = place;
	ends[n_ends++].step = step;
	return true;
}

static unsigned loud, gaps;

void masking_spoil(void)
{
	loud++;
}

void intrusion_imitate(void)
{
	gaps++;
}

static bool apply(const char *text)
{
	kernel_restore();
	inject_join();
	return injections_apply(text, rest, sizeof(rest), why);
}

static void hands_on_what_is_not_its_own(void **state)
{
	(void)state;
	assert_true(apply(NULL));
	assert_string_equal(rest, "");
	assert_true(apply("dropped-carry"));
	assert_string_equal(rest, "dropped-carry");
	assert_true(apply("a+wrong-signature:fake_plain:instructions:1+b"));
	assert_string_equal(rest, "a+b");
	assert_true(apply("+a++b+"));
	assert_string_equal(rest, "a+b");
}

static void falsifies(void **state)
{
	(void)state;
	assert_true(apply("wrong-signature:fake_plain:instructions:1"));
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 124);
	assert_true(apply("wrong-signature:fake_plain:instructions:-2N"));
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 103);
	assert_true(apply("wrong-signature:fake_plain:loads:7+wrong-signature:fake_plain:loads:1N"));
	assert_int_equal(kernel_amount(&plain, Q_LOADS, 10).low, 17);
	assert_int_equal(kernel_amount(&plain, Q_INSTRUCTIONS, 10).low, 123);
}

static void spoils_processors(void **state)
{
	(void)state;
	assert_true(apply("a+processor:1:faults"));
	assert_string_equal(rest, "a");
	assert_int_equal(spoilt_number, 1);
	assert_int_equal(spoilt, PROCESSOR_FAULTS);
	assert_int_equal(spoilt_turn, 1);
	assert_true(apply("processor:12:hangs:3"));
	assert_int_equal(spoilt_number, 12);
	assert_int_equal(spoilt, PROCESSOR_HANGS);
	assert_int_equal(spoilt_turn, 3);
	assert_true(apply("processor:1:deaf:2"));
	assert_int_equal(spoilt, PROCESSOR_IS_DEAF);
	assert_true(apply("processor:1:late"));
	assert_int_equal(spoilt, PROCESSOR_IS_LATE);
	spoilt_turn = 77;
	static const char *const bad[] = {"processor:",          "processor:0:hangs",  "processor:x:hangs",
					  "processor:1",         "processor:1:",       "processor:1:sings",
					  "processor:1:hangsx",  "processor:1:hangs:", "processor:1:hangs:0",
					  "processor:1:hangs:2x"};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(apply(bad[i]));
		assert_non_null(strstr(
			why,
			": must read processor:NUMBER:HOW[:TURN], HOW one of faults, hangs, deaf, late"));
	}
	assert_int_equal(spoilt_turn, 77);
}

static void spoils_windows(void **state)
{
	(void)state;
	assert_true(apply("a+not-masked+b"));
	assert_string_equal(rest, "a+b");
	assert_int_equal(loud, 1);
	assert_int_equal(gaps, 0);
	assert_true(apply("smi-gap"));
	assert_string_equal(rest, "");
	assert_int_equal(loud, 1);
	assert_int_equal(gaps, 1);
	assert_true(apply("smi-gaps"));
	assert_string_equal(rest, "smi-gaps");
	assert_int_equal(gaps, 1);
}

static void names_the_damage(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"wrong-signature:fake_plain:instructions",
		 "inject=wrong-signature:fake_plain:instructions: must read "
		 "wrong-signature:KERNEL:QUANTITY:DELTA"},
		{"wrong-signature:nothing:instructions:1",
		 "inject=wrong-signature:nothing:instructions:1: there is no such kernel"},
		{"wrong-signature:fake_plain:no.such:1",
		 "inject=wrong-signature:fake_plain:no.such:1: there is no such quantity"},
	};
	static const char *const numbers[] = {"", "0", "0N", "x", "1x", "1NN", "N", "99999999999999999999"};
	char text[200];

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(apply(cases[i].text));
		assert_string_equal(why, cases[i].why);
	}
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(text, sizeof(text), "wrong-signature:fake_plain:loads:%s", numbers[i]);
		assert_false(apply(text));
		assert_non_null(strstr(why, "DELTA must be a number"));
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(apply(text));
	text[100] = '\0'; /* longer than what the rest has room for */
	assert_false(apply(text));
	text[63] = '\0';
	assert_true(apply(text));
}

static void ends_of_the_run(void **state)
{
	static const char *const bad[] = {"reset:",    "reset:a/b:", "triple-fault::3",
					  "reset:a:0", "reset:a:x",  "reset:a:1000"};

	(void)state;
	assert_true(apply("reset:control/accesses:17+a+exception:control/wrap/PMC0+reset:choosing the PMU"));
	assert_string_equal(rest, "a");
	assert_int_equal(n_ends, 3);
	assert_int_equal(ends[0].fault, BREADCRUMBS_RESET);
	assert_string_equal(ends[0].place, "control/accesses");
	assert_int_equal(ends[0].step, 17);
	assert_int_equal(ends[1].fault, BREADCRUMBS_EXCEPTION);
	assert_string_equal(ends[1].place, "control/wrap/PMC0");
	assert_int_equal(ends[1].step, 0);
	assert_string_equal(ends[2].place, "choosing the PMU");
	assert_false(apply("reset:one too many"));
	assert_non_null(strstr(why, "too many of this kind"));
	for (unsigned i = 0; i < 3; i++)
		free((char *)ends[i].place);
	n_ends = 0;
	assert_true(apply("hang:control/wrap/PMC1:2"));
	assert_int_equal(ends[0].fault, BREADCRUMBS_HANG);
	assert_string_equal(ends[0].place, "control/wrap/PMC1");
	assert_int_equal(ends[0].step, 2);
	free((char *)ends[0].place);
	n_ends = 0;
	assert_false(apply("hang:control"));
	assert_non_null(strstr(why, "it needs a check"));
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		assert_false(apply(bad[i]));
		assert_non_null(strstr(why, "PLACE"));
		assert_int_equal(n_ends, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_of_the_run), cmocka_unit_test(hands_on_what_is_not_its_own),
		cmocka_unit_test(falsifies),       cmocka_unit_test(spoils_processors),
		cmocka_unit_test(spoils_windows),  cmocka_unit_test(names_the_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
