/* Premises the other way round: which counters of a model count the write that starts or stops them, and what
 * steps become. */
#include "pmu/virtual/premises.h"
#include "arch/x86/step/describe.h"
#include "tests/self/host/support/fake_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* A model of three counters, each with an enable bit: of instructions, of branches, of cycles. */
#define COUNTERS 3
#define LIMIT    100
static struct {
	uint64_t counter[COUNTERS];
	uint64_t enabled;
	bool cannot_tell;
} model_state;

static uint64_t amount_of(unsigned c, const struct step *step)
{
	static const enum quantity q[COUNTERS] = {Q_INSTRUCTIONS, Q_BRANCHES, Q_COUNT};
	uint64_t amount = c == 2 ? step->cycles : 0;

	for (unsigned i = 0; i < step->n_terms; i++)
		if (step->terms[i].quantity == q[c])
			amount += step->terms[i].amount;
	return amount;
}

static int increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	int n = 0;

	assert_ptr_equal(state, &model_state);
	assert_true(room >= COUNTERS);
	if (model_state.cannot_tell)
		return -1;
	for (unsigned c = 0; c < COUNTERS; c++)
		if (model_state.enabled >> c & 1 && amount_of(c, step))
			out[n++] =
				(struct model_increment){&model_state.counter[c], LIMIT, amount_of(c, step)};
	return n;
}

static const struct pmu_model model = {.name = "three", .increments = increments};
static struct premises premises_state;

static int setup(void **state)
{
	(void)state;
	memset(&model_state, 0, sizeof model_state);
	memset(&premises_state, 0, sizeof premises_state);
	return 0;
}

static void otherwise(enum premise which)
{
	premises_state.faults |= 1u << which;
}

/* A WRMSR that changes the enable bits; what the model would see of it besides is what is returned: -1 before
 * the write, 1 after it. */
static int write_enables(uint64_t enabled)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}};
	const struct step step = {.terms = terms, .n_terms = 1, .cycles = 7};
	int seen = 0;

	if (premises_before_write(&premises_state, &model, &model_state, &step))
		seen = -1;
	model_state.enabled = enabled;
	if (premises_after_write(&premises_state, &model, &model_state, &step))
		seen = 1;
	return seen;
}

static void counters_are(uint64_t a, uint64_t b, uint64_t c)
{
	assert_int_equal(model_state.counter[0], a);
	assert_int_equal(model_state.counter[1], b);
	assert_int_equal(model_state.counter[2], c);
}

static void by_themselves_nothing_counts(void **state)
{
	(void)state;
	assert_int_equal(write_enables(7), 0);
	assert_int_equal(write_enables(7), 0);
	assert_int_equal(write_enables(0), 0);
	counters_are(0, 0, 0);
}

/* What the write does, not the time that it takes: a clock counts none of it. */
static void a_start_counts_once_and_no_time(void **state)
{
	(void)state;
	otherwise(PREMISE_START_COUNTED);
	assert_int_equal(write_enables(7), 0);
	counters_are(1, 0, 0);
	assert_int_equal(write_enables(7), 0); /* they run already: a write as any other */
	counters_are(1, 0, 0);
	assert_int_equal(write_enables(6), 0);
	assert_int_equal(write_enables(7), 0);
	counters_are(2, 0, 0);
	assert_int_equal(write_enables(0), 0); /* nor does the stop */
	counters_are(2, 0, 0);
}

static void a_start_makes_nothing_overflow(void **state)
{
	(void)state;
	otherwise(PREMISE_START_COUNTED);
	model_state.counter[0] = LIMIT + 1;
	write_enables(1);
	assert_int_equal(model_state.counter[0], LIMIT + 1);
	write_enables(0);
	model_state.counter[0] = LIMIT;
	write_enables(1);
	assert_int_equal(model_state.counter[0], LIMIT + 1);
}

static void a_stop_reaches_the_model_before_it_takes_effect(void **state)
{
	(void)state;
	otherwise(PREMISE_STOP_COUNTED);
	assert_int_equal(write_enables(1), 0); /* nothing runs: there is nothing to stop */
	assert_int_equal(write_enables(0), -1);
	assert_int_equal(write_enables(4), 0);
	assert_int_equal(write_enables(0), 0); /* of a clock alone the write does nothing */
}

/* By the usual switch they count as with the premises without "but", by the other one they do not. */
static void writes_to_the_other_switch_may_count_otherwise(void **state)
{
	(void)state;
	otherwise(PREMISE_START_BUT_OTHER);
	write_enables(7);
	counters_are(1, 0, 0);
	write_enables(0);
	premises_state.by_other = true;
	write_enables(7);
	counters_are(1, 0, 0);
	model_state.cannot_tell = true;
	assert_int_equal(write_enables(1), 0);
	premises_state.by_other = false;
	assert_int_equal(write_enables(1), 1);
	model_state.cannot_tell = false;
	premises_state.faults = 0;
	otherwise(PREMISE_STOP_BUT_OTHER);
	write_enables(1);
	assert_int_equal(write_enables(0), -1);
	write_enables(1);
	premises_state.by_other = true;
	assert_int_equal(write_enables(0), 0);
}

static bool is_other(const struct pmu_model *m, enum register_space space, uint32_t address)
{
	const struct register_access a = {.space = space, .number = address, .write = true};

	return m->other_switch(fake_cpu_state(), &a);
}

/* Which registers those are: on no CPU the ones that brackets write, and one for each counter that starts so.
 */
static void models_know_the_other_switch(void **state)
{
	(void)state;
	for (unsigned i = 0; model_profile(i); i++) {
		const struct model_profile *p = model_profile(i);
		unsigned n = 0;

		fake_cpu_start(p, NULL);
		for (uint32_t address = 0; p->model->other_switch && address < 0x1000; address++)
			n += is_other(p->model, SPACE_MSR, address);
		for (uint32_t address = 0xc0010000; p->model->other_switch && address < 0xc0010300; address++)
			n += is_other(p->model, SPACE_MSR, address);
		if (!strcmp(p->model->name, "netburst")) {
			assert_int_equal(n, 18);
			assert_true(is_other(p->model, SPACE_MSR, 0x360));
			assert_false(is_other(p->model, SPACE_SELECTOR, 0x360));
			assert_true(is_other(p->model, SPACE_MSR, 0x371));
		} else if (n && !strcmp(p->model->name, "intel")) {
			for (uint32_t address = 0x186; address < 0x18a; address++)
				assert_true(is_other(p->model, SPACE_MSR, address));
			assert_true(is_other(p->model, SPACE_MSR, 0x38d));
			assert_false(is_other(p->model, SPACE_MSR, 0x38f));
			assert_false(is_other(p->model, SPACE_SELECTOR, 0x38d));
			assert_false(is_other(p->model, SPACE_MSR, 0xc1));
		} else if (n) {
			assert_string_equal(p->model->name, "amd");
			assert_true(is_other(p->model, SPACE_MSR, 0xc0010200));
			assert_true(is_other(p->model, SPACE_MSR, 0xc001020a));
			assert_false(is_other(p->model, SPACE_MSR, 0xc0010201));
			assert_false(is_other(p->model, SPACE_SELECTOR, 0xc0010200));
			assert_false(is_other(p->model, SPACE_MSR, 0xc0000301));
		}
		fake_cpu_stop();
	}
}

/* One that can tell only afterwards has been started as any other. */
static void half_an_answer_is_none(void **state)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}};
	const struct step step = {.terms = terms, .n_terms = 1, .cycles = 7};

	(void)state;
	otherwise(PREMISE_START_COUNTED);
	model_state.cannot_tell = true;
	premises_before_write(&premises_state, &model, &model_state, &step);
	model_state.cannot_tell = false;
	model_state.enabled = 1;
	assert_false(premises_after_write(&premises_state, &model, &model_state, &step));
	counters_are(0, 0, 0);
}

static void a_model_that_cannot_tell_sees_the_whole_instruction(void **state)
{
	(void)state;
	model_state.cannot_tell = true;
	assert_int_equal(write_enables(1), 0);
	otherwise(PREMISE_START_COUNTED);
	assert_int_equal(write_enables(1), 1);
	premises_state.faults = 0;
	otherwise(PREMISE_STOP_COUNTED);
	assert_int_equal(write_enables(1), -1);
}

/* Every other counter in the order of their first starts. */
static void some_count_it(void **state)
{
	(void)state;
	otherwise(PREMISE_START_BY_SOME);
	write_enables(1); /* the first one */
	counters_are(0, 0, 0);
	for (unsigned i = 0; i < 3; i++) {
		write_enables(0);
		write_enables(1);
	}
	counters_are(0, 0, 0);
	/* As the second one it counts each time. */
	setup(NULL);
	otherwise(PREMISE_START_BY_SOME);
	premises_state.seen[0] = &model_state.counter[1];
	premises_state.n_seen = 1;
	for (unsigned i = 0; i < 3; i++) {
		write_enables(1);
		write_enables(0);
	}
	counters_are(3, 0, 0);
}

/* With filters the model does not say what the write has started: then what it added to the others is taken
 * back. */
static void some_count_it_through_filters(void **state)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}};
	const struct step step = {.terms = terms, .n_terms = 1, .cycles = 7};

	(void)state;
	premises_state.n_seen = 2;
	premises_state.seen[0] = &model_state.counter[0];
	premises_state.seen[1] = &model_state.counter[1];
	model_state.cannot_tell = true;
	assert_false(premises_keep_others(&premises_state, &model, &model_state, &step));
	otherwise(PREMISE_START_BY_SOME);
	assert_true(premises_keep_others(&premises_state, &model, &model_state, &step));
	model_state.counter[0] = model_state.counter[1] = model_state.counter[2] = 5;
	assert_false(premises_put_back(&premises_state));
	counters_are(0, 5, 5);
	/* If others alone have moved, nothing should have happened. */
	premises_keep_others(&premises_state, &model, &model_state, &step);
	model_state.counter[0] = 1;
	assert_true(premises_put_back(&premises_state));
	assert_false(premises_put_back(&premises_state));
	counters_are(0, 5, 5);
	/* Not where something ran before, nor where the model can tell. */
	premises_state.n_before = -1;
	assert_false(premises_keep_others(&premises_state, &model, &model_state, &step));
	premises_state.n_before = 0;
	model_state.cannot_tell = false;
	assert_false(premises_keep_others(&premises_state, &model, &model_state, &step));
}

static void one_counts_it_at_every_third_start(void **state)
{
	static const uint64_t after[] = {1, 1, 1, 2, 2, 2, 3};

	(void)state;
	otherwise(PREMISE_START_AT_TIMES);
	premises_state.seen[0] = &model_state.counter[1];
	premises_state.n_seen = 1;
	for (unsigned i = 0; i < sizeof after / sizeof after[0]; i++) {
		write_enables(1);
		counters_are(after[i], 0, 0);
		write_enables(0);
	}
}

/* --- steps ------------------------------------------------------------------------------------------- */

static struct step step_of(enum insn_special special, struct qterm *terms)
{
	static struct insn in;
	static const uint8_t code[16];
	struct insn_retired did = {.insn = &in, .cpl_after = 3};
	struct description about;
	struct step step;

	in.special = (uint8_t)special;
	describe_instruction(&about, &in, code);
	if (special == INSN_SYSCALL || special == INSN_INT || special == INSN_INT3 || special == INSN_INT1 ||
	    special == INSN_SYSENTER) {
		did.cpl_after = 0;
		did.cpl = 3;
	}
	describe_step(&step, &about, &did, 0, 0);
	step.terms = terms;
	step.n_terms = 1;
	premises_step(&premises_state, &step, terms);
	return step;
}

static void levels_and_terms_change_where_a_premise_says_so(void **state)
{
	static const uint8_t returns[] = {INSN_IRET, INSN_SYSRET, INSN_SYSEXIT},
			     calls[] = {INSN_INT, INSN_INT3, INSN_INT1, INSN_SYSCALL, INSN_SYSENTER};
	struct qterm terms[1 + PREMISE_TERMS] = {{Q_INSTRUCTIONS, 1}};

	(void)state;
	for (unsigned broken = 0; broken < 4; broken++) {
		premises_state.faults = 0;
		if (broken & 1)
			otherwise(PREMISE_RETURN_IN_NEW);
		if (broken & 2)
			otherwise(PREMISE_CALL_IN_NEW);
		for (unsigned i = 0; i < sizeof returns; i++)
			assert_int_equal(step_of(returns[i], terms).level, broken & 1 ? 3 : 0);
		for (unsigned i = 0; i < sizeof calls; i++)
			assert_int_equal(step_of(calls[i], terms).level, broken & 2 ? 0 : 3);
		assert_int_equal(step_of(INSN_RDPMC, terms).n_terms, 1);
		assert_int_equal(step_of(INSN_RDPMC, terms).level, 0);
	}
	premises_state.faults = 0;
	otherwise(PREMISE_FAST_RETURN_IN_NEW);
	assert_int_equal(step_of(INSN_IRET, terms).level, 0);
	assert_int_equal(step_of(INSN_SYSRET, terms).level, 3);
	assert_int_equal(step_of(INSN_SYSEXIT, terms).level, 3);
	otherwise(PREMISE_READING_TWICE);
	assert_int_equal(step_of(INSN_RDPMC, terms).n_terms, 2);
	assert_int_equal(terms[1].quantity, Q_INSTRUCTIONS);
	assert_int_equal(terms[1].amount, 1);
	assert_int_equal(step_of(INSN_RDMSR, terms).n_terms, 1);
}

static unsigned delivered(enum step_kind kind, struct qterm *terms)
{
	struct step step = {.terms = terms, .kind = (uint8_t)kind};

	premises_delivery(&premises_state, &step, terms);
	return step.n_terms;
}

static void deliveries_have_what_a_premise_adds(void **state)
{
	struct qterm terms[PREMISE_TERMS];

	(void)state;
	premises_state.faults = 0;
	assert_int_equal(delivered(STEP_DELIVERED, terms), 0);
	otherwise(PREMISE_DELIVERY_INSN);
	assert_int_equal(delivered(STEP_DELIVERED, terms), 1);
	assert_int_equal(terms[0].quantity, Q_INSTRUCTIONS);
	otherwise(PREMISE_DELIVERY_FAR);
	assert_int_equal(delivered(STEP_DELIVERED, terms), 3);
	assert_int_equal(terms[1].quantity, Q_BRANCHES);
	assert_int_equal(terms[2].quantity, Q_BR_FAR);
	assert_int_equal(delivered(STEP_CALL_DELIVERED, terms), 0); /* the INT is an instruction */
	assert_int_equal(delivered(STEP_HALTED, terms), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(by_themselves_nothing_counts, setup),
		cmocka_unit_test_setup(a_start_counts_once_and_no_time, setup),
		cmocka_unit_test_setup(a_start_makes_nothing_overflow, setup),
		cmocka_unit_test_setup(a_stop_reaches_the_model_before_it_takes_effect, setup),
		cmocka_unit_test_setup(writes_to_the_other_switch_may_count_otherwise, setup),
		cmocka_unit_test_setup(models_know_the_other_switch, setup),
		cmocka_unit_test_setup(half_an_answer_is_none, setup),
		cmocka_unit_test_setup(a_model_that_cannot_tell_sees_the_whole_instruction, setup),
		cmocka_unit_test_setup(some_count_it, setup),
		cmocka_unit_test_setup(some_count_it_through_filters, setup),
		cmocka_unit_test_setup(one_counts_it_at_every_third_start, setup),
		cmocka_unit_test_setup(levels_and_terms_change_where_a_premise_says_so, setup),
		cmocka_unit_test_setup(deliveries_have_what_a_premise_adds, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
