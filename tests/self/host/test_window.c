/*
 * Windows: a row of code is composed again whenever anything of it is another, and only then; a run begins
 * with what its window says. Composing, running and services are the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/exceptions.h"
#include "arch/levels.h"
#include "arch/step.h"
#include "arch/watchdog.h"
#include "arch/window.h"
#include "pmu/virtual/vpmu.h"
#include "tests/measure/measure.h"

#define AREA 128

static uint8_t data[KERNEL_DATA_SIZE], copies[LEVELS_MAX][AREA];
static struct code_row row;
static struct kernel_place place;
static struct code_call *prepared;
static const struct kernel *emulated;
static uint8_t *emulated_in;
static unsigned composed, prepares, finishes, runs, armed, disarmed;
static int paused;
static bool shared, no_room, wanted, refused, aborted_run;
static uint64_t n_seen, arguments[CODE_ARGUMENTS];
static jmp_buf abort_to;
static enum { NO_ORACLE, PLAIN, COMMITTING } oracle;

const struct code_share code_user_share = {.term = {{Q_INSTRUCTIONS, 3}}, .ahead = 2};

bool code_init(size_t size)
{
	return size == KERNEL_DATA_SIZE;
}

uint8_t *code_data(void)
{
	return data;
}

bool code_compose(const struct code_row *r, struct code_place *to)
{
	assert_true(paused > 0);
	composed++;
	row = *r;
	if (no_room)
		return false;
	uint8_t *area = copies[shared ? 0 : r->level];
	*to = (struct code_place){.entry = area + 1,
				  .kernel = (uintptr_t)area + 16 + r->alignment,
				  .copy = area + 8,
				  .area = area,
				  .area_size = AREA,
				  .runs = area,
				  .level = r->level};
	return true;
}

void code_prepare(struct code_call *call, const struct code_place *at, uint64_t n,
		  const uint64_t given[CODE_ARGUMENTS])
{
	assert_true(paused > 0);
	prepared = call;
	*call = (struct code_call){.level = at->level};
	n_seen = n;
	memcpy(arguments, given, sizeof arguments);
}

uint64_t code_run(struct code_call *call)
{
	assert_ptr_equal(call, prepared);
	assert_int_equal(paused, 0);
	assert_non_null(call->entry);
	runs++;
	return 77 + call->level;
}

bool services_wanted(const struct kernel *k)
{
	(void)k;
	return wanted;
}

bool services_prepare(const struct kernel *k, const struct kernel_place *at)
{
	(void)k;
	assert_true(paused > 0);
	prepares++;
	place = *at;
	return !refused;
}

void services_finish(void)
{
	finishes++;
}

void services_init(void)
{
}

void services_emulate(const struct kernel *k, uint8_t *copy)
{
	emulated = k;
	emulated_in = copy;
}

void step_pause(void)
{
	paused++;
}

void step_resume(void)
{
	assert_true(paused-- > 0);
}

void oracle_bracket(struct pmu_bracket *out)
{
	*out = (struct pmu_bracket){.version = 99};
}

void oracle_call(void (*fn)(void *), void *arg, struct qvec *total)
{
	(void)total;
	oracle = PLAIN;
	fn(arg);
}

void oracle_call_committing(void (*fn)(void *), void *arg, struct qvec *total)
{
	(void)total;
	oracle = COMMITTING;
	fn(arg);
}

bool trap_guard(void (*fn)(void *), void *arg, struct trap_report *report)
{
	if (setjmp(abort_to)) {
		strcpy(report->text, "an end");
		return false;
	}
	fn(arg);
	return true;
}

void trap_abort(int vector)
{
	(void)vector;
	aborted_run = true;
	longjmp(abort_to, 1);
}

void watchdog_arm(unsigned ms)
{
	assert_true(ms > 0);
	armed++;
}

void watchdog_disarm(void)
{
	disarmed++;
}

/* --- tests ------------------------------------------------------------------------------------------ */

static const uint8_t code[64];
static const struct kernel one = {.name = "one", .code = code, .code_end = code + 4},
			   other = {.name = "other", .code = code + 8, .code_end = code + 14};
static const struct pmu_bracket bracket = {.start = code + 20,
					   .start_end = code + 23,
					   .stop = code + 30,
					   .stop_end = code + 35,
					   .args = {11, 12, 13, 14},
					   .version = 5};

static int set_up(void **state)
{
	(void)state;
	shared = no_room = wanted = refused = aborted_run = false;
	memset(&row, 0, sizeof row);
	memset(data, 0x55, sizeof data);
	oracle = NO_ORACLE;
	emulated = NULL;
	assert_true(measure_init());
	composed = prepares = finishes = runs = armed = disarmed = 0;
	return 0;
}

static void a_row_is_made_of_its_pieces(void **state)
{
	struct window w = {.kernel = &one, .bracket = &bracket, .alignment = 7, .level = 3};

	(void)state;
	assert_ptr_equal(window_compose(&w), copies[3] + 1);
	assert_ptr_equal(row.start, bracket.start);
	assert_ptr_equal(row.start_end, bracket.start_end);
	assert_ptr_equal(row.kernel, one.code);
	assert_ptr_equal(row.kernel_end, one.code_end);
	assert_ptr_equal(row.stop, bracket.stop);
	assert_ptr_equal(row.stop_end, bracket.stop_end);
	assert_int_equal(row.alignment, 7);
	assert_int_equal(row.level, 3);
	assert_null(emulated);
	assert_int_equal(window_kernel_address(3), (uintptr_t)copies[3] + 16 + 7);
	assert_int_equal(window_kernel_end(&one, 3), (uintptr_t)copies[3] + 16 + 7 + 4);
	assert_int_equal(window_code_address(&one, 3), (uintptr_t)copies[3] + 16 + 7);
	w.bracket = NULL;
	window_compose(&w);
	assert_null(row.start);
	assert_null(row.stop);
	assert_int_equal(bracket_user.own[0].amount, 3);
	assert_int_equal(bracket_user.ahead[0], 2);
}

/* One thing of it is another: the row is another. Nothing is: it is the one that is there. */
static void every_part_makes_another_row(void **state)
{
	const struct window plain = {.kernel = &one, .bracket = &bracket};

	(void)state;
	for (unsigned part = 0; part < 8; part++) {
		struct pmu_bracket b = bracket;
		struct window w = plain;
		unsigned before;

		assert_non_null(window_compose(&plain));
		before = composed;
		assert_non_null(window_compose(&plain));
		assert_int_equal(composed, before);
		w.bracket = &b;
		switch (part) {
		case 0:
			w.kernel = &other;
			break;
		case 1:
			b.start++;
			break;
		case 2:
			b.stop++;
			break;
		case 3:
			b.version++;
			break;
		case 4:
			w.alignment++;
			break;
		case 5:
			w.emulate = true;
			break;
		case 6:
			w.bracket = NULL;
			break;
		default: /* arguments alone are no code */
			b.args[0]++;
			break;
		}
		assert_non_null(window_compose(&w));
		assert_int_equal(composed, before + (part < 7));
		assert_ptr_equal(emulated, w.emulate ? &one : NULL);
		if (w.emulate)
			assert_ptr_equal(emulated_in, copies[0] + 8);
		emulated = NULL;
		/* And back. */
		assert_non_null(window_compose(&plain));
		assert_int_equal(composed, before + 2 * (part < 7));
		assert_null(emulated);
	}
}

/* Each level has its own, unless levels share their memory: then what another one has composed is gone. */
static void levels_keep_their_own(void **state)
{
	struct window w[2] = {{.kernel = &one, .bracket = &bracket},
			      {.kernel = &one, .bracket = &bracket, .level = 3}};

	(void)state;
	for (unsigned round = 0; round < 6; round++)
		assert_non_null(window_compose(&w[round % 2]));
	assert_int_equal(composed, 2);
	set_up(NULL);
	shared = true;
	for (unsigned round = 0; round < 6; round++)
		assert_non_null(window_compose(&w[round % 2]));
	assert_int_equal(composed, 6);
}

static void what_does_not_fit_is_not_kept(void **state)
{
	const struct window w = {.kernel = &one, .bracket = &bracket};
	struct result r = {0};

	(void)state;
	no_room = true;
	assert_null(window_compose(&w));
	assert_false(ground_truth(&one, 0, 1, OUTCOME_ABORT, NULL, &r));
	assert_int_equal(r.judgement.verdict, VERDICT_ERROR);
	assert_non_null(strstr(r.judgement.text, "one does not fit"));
	assert_int_equal(armed, 0);
	no_room = false;
	assert_non_null(window_compose(&w));
}

static void a_run_gets_what_it_asks_for(void **state)
{
	struct window w = {.kernel = &one, .bracket = &bracket, .level = 3, .emulate = true};
	const void *entry = window_compose(&w);

	(void)state;
	assert_int_equal(window_run(entry, &w, 1234), 80);
	assert_int_equal(n_seen, 1234);
	assert_memory_equal(arguments, bracket.args, sizeof arguments);
	assert_int_equal(prepares, 0);
	assert_int_equal(finishes, 0);
	assert_int_equal(data[0], 0x55);
	wanted = true;
	window_run(entry, &w, 5);
	assert_int_equal(prepares, 1);
	assert_int_equal(finishes, 1);
	assert_int_equal(place.level, 3);
	assert_ptr_equal(place.data, data);
	assert_ptr_equal(place.code_rw, copies[3]);
	assert_ptr_equal(place.code, copies[3]);
	assert_int_equal(place.code_size, AREA);
	assert_true(place.emulate);
	window_forget();
	assert_int_equal(data[0], 0);
	assert_int_equal(data[KERNEL_DATA_SIZE - 1], 0);
	assert_int_equal(paused, 0);
	/* A service that could not be set up ends the check. */
	refused = true;
	unsigned before = runs;
	if (!setjmp(abort_to))
		window_run(entry, &w, 5);
	assert_true(aborted_run);
	assert_int_equal(runs, before);
	assert_int_equal(paused, 0);
}

static void the_oracle_watches_between_its_own_markers(void **state)
{
	struct result r = {0};

	(void)state;
	assert_true(ground_truth(&one, 0, 9, OUTCOME_ABORT, NULL, &r));
	assert_int_equal(oracle, PLAIN);
	assert_int_equal(n_seen, 9);
	assert_int_equal(armed, 1);
	assert_int_equal(disarmed, 1);
	assert_int_equal(finishes, 1);
	assert_true(ground_truth(&one, 0, 9, OUTCOME_COMMIT, NULL, NULL));
	assert_int_equal(oracle, COMMITTING);
	wanted = refused = true;
	assert_false(ground_truth(&one, 0, 9, OUTCOME_ABORT, NULL, &r));
	assert_int_equal(r.judgement.verdict, VERDICT_ERROR);
	assert_non_null(strstr(r.judgement.text, "ended by an end"));
	assert_int_equal(disarmed, 3);
	assert_int_equal(finishes, 3);
	assert_false(ground_truth(&one, 0, 9, OUTCOME_ABORT, NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_row_is_made_of_its_pieces, set_up),
		cmocka_unit_test_setup(every_part_makes_another_row, set_up),
		cmocka_unit_test_setup(levels_keep_their_own, set_up),
		cmocka_unit_test_setup(what_does_not_fit_is_not_kept, set_up),
		cmocka_unit_test_setup(a_run_gets_what_it_asks_for, set_up),
		cmocka_unit_test_setup(the_oracle_watches_between_its_own_markers, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
