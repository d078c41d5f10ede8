/*
 * Judging sampled records: which instructions should have been recorded, and that each way of being wrong is
 * found.
 */
#include "tests/judge/sample_judge.h"
#include "pmu/x86/general.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* Two turns of: a load, a copy of two loads and two stores, a branch. */
static struct qterm terms[] = {{Q_LOADS, 1}, {Q_LOADS, 2}, {Q_STORES, 2}, {Q_BRANCHES, 1}};
static struct step_access access[] = {{.address = 0x8000, .size = 8},
				      {.address = 0x8100, .size = 8},
				      {.address = 0x8200, .size = 8, .store = true}};
static struct path_step steps[] = {
	{.ip = 0x1000, .next = 0x1003, .length = 3, .terms = 0, .n_terms = 1, .access = 0, .n_access = 1},
	{.ip = 0x1003, .next = 0x1005, .length = 2, .terms = 1, .n_terms = 2, .access = 1, .n_access = 2},
	{.ip = 0x1005,
	 .next = 0x1000,
	 .length = 2,
	 .terms = 3,
	 .n_terms = 1,
	 .transfer = TRANSFER_CONDITIONAL},
	{.ip = 0x1000, .next = 0x1003, .length = 3, .terms = 0, .n_terms = 1, .access = 0, .n_access = 1},
	{.ip = 0x1003, .next = 0x1005, .length = 2, .terms = 1, .n_terms = 2, .access = 1, .n_access = 2},
	{.ip = 0x1005, .next = 0x1007, .length = 2, .terms = 3, .n_terms = 1},
};
#define STEPS (sizeof steps / sizeof steps[0])
static struct step_registers registers[STEPS];
static uint64_t vectors[STEPS], upper[STEPS];
static struct path path = {.step = steps,
			   .registers = registers,
			   .vectors = vectors,
			   .upper = upper,
			   .access = access,
			   .terms = terms,
			   .n_steps = STEPS,
			   .to = STEPS};
static const struct pmu_event loads = {.terms = {{Q_LOADS, 1}}}, branches = {.terms = {{Q_BRANCHES, 1}}};
static struct sample_expectation x;
static unsigned expected[100], n_expected;
static struct pmu_record record[100];
static unsigned n;
static struct sample_judgement j[SAMPLE_ASPECTS];

static void expect(const struct pmu_event *e, uint64_t period, unsigned windows)
{
	x = (struct sample_expectation){
		.path = &path, .event = e, .levels = LEVELS_ALL, .period = period, .windows = windows};
	n_expected = sample_steps(&x, expected, 100);
}

/* Records as they should be. */
static void begin(const struct pmu_event *e, uint64_t period, unsigned windows)
{
	for (unsigned i = 0; i < STEPS; i++) {
		registers[i].flags = 0x202 + i;
		for (unsigned g = 0; g < GPR_COUNT; g++)
			registers[i].general[g] = 100 * i + g;
	}
	expect(e, period, windows);
	for (n = 0; n < n_expected; n++) {
		const struct path_step *s = &steps[expected[n]];

		record[n] = (struct pmu_record){
			.has = RECORD_HAS_IP | RECORD_HAS_NEXT_IP | RECORD_HAS_GENERAL | RECORD_HAS_FLAGS |
			       RECORD_HAS_ADDRESS | RECORD_HAS_CLOCK,
			.n_general = GPR_COUNT,
			.ip = s->ip,
			.next_ip = s->next,
			.flags = registers[expected[n]].flags,
			.address = s->n_access ? access[s->access].address : 0,
			.clock = 1000 + n,
		};
		memcpy(record[n].general, registers[expected[n]].general, sizeof record[n].general);
	}
}

static void judge(void)
{
	sample_judge(&x, expected, n_expected, record, n, 1000, 2000, 0x1000, j);
}

/* Everything but the given aspects is right. */
static void finds(unsigned aspects)
{
	judge();
	for (unsigned a = 0; a < SAMPLE_ASPECTS; a++) {
		assert_int_equal(j[a].right == j[a].checked, !(aspects >> a & 1));
		assert_int_equal(j[a].why[0] != 0, aspects >> a & 1);
	}
}

static void counts_periods(void **unused)
{
	static const unsigned by_one[] = {0, 1, 1, 3, 4, 4}, by_two[] = {1, 3, 4}, by_four[] = {3, 1, 4};
	(void)unused;

	expect(&loads, 1, 1);
	assert_int_equal(sample_occurrences(&x), 6);
	assert_int_equal(n_expected, 6);
	assert_memory_equal(expected, by_one, sizeof by_one);
	expect(&loads, 2, 1);
	assert_int_equal(n_expected, 3);
	assert_memory_equal(expected, by_two, sizeof by_two);
	/* Periods go on from window to window, unless each begins one. */
	expect(&loads, 4, 2);
	assert_int_equal(n_expected, 3);
	assert_memory_equal(expected, by_four, sizeof by_four);
	x.again_each = true;
	assert_int_equal(sample_steps(&x, expected, 100), 2);
	assert_int_equal(expected[0], 3);
	assert_int_equal(expected[1], 3);
	x.period = 7;
	assert_int_equal(sample_steps(&x, expected, 100), 0);
	expect(&branches, 1, 1);
	assert_int_equal(expected[1], 5);
	/* Room, and rings. */
	x.windows = 300;
	assert_int_equal(sample_steps(&x, expected, 3), 600);
	x.levels = LEVELS_USER;
	assert_int_equal(sample_steps(&x, expected, 3), 0);
}

static void right_ones_pass(void **unused)
{
	(void)unused;
	begin(&loads, 1, 10);
	finds(0);
	assert_int_equal(j[SAMPLE_PLACE].checked, 60);
	assert_int_equal(j[SAMPLE_ADDRESS].checked, 60);
	begin(&branches, 1, 10);
	finds(0);
	assert_int_equal(j[SAMPLE_ADDRESS].checked, 0); /* branches have none */
	/* What a record does not tell is not judged. */
	begin(&loads, 3, 10);
	for (unsigned i = 0; i < n; i++)
		record[i] = (struct pmu_record){.has = RECORD_HAS_NEXT_IP, .next_ip = record[i].next_ip};
	finds(0);
	assert_int_equal(j[SAMPLE_REGISTERS].checked + j[SAMPLE_ADDRESS].checked + j[SAMPLE_TIME].checked, 0);
}

/* Records as they should be, with XMM registers and branches. */
static void more(const struct pmu_event *e)
{
	begin(e, 1, 2);
	for (unsigned i = 0; i < STEPS; i++)
		vectors[i] = 1000 + i, upper[i] = 2000 + i;
	for (unsigned k = 0; k < n; k++) {
		record[k].more = RECORD_MORE_VECTORS | RECORD_MORE_UPPER | RECORD_MORE_BRANCHES;
		record[k].upper = upper[expected[k]];
		record[k].vectors = vectors[expected[k]];
		record[k].n_branches = expected[k] >= 2; /* the first branch is there */
		record[k].branch[0].from = steps[2].ip;
		record[k].branch[0].to = steps[2].next;
	}
}

static void more_is_judged(void **unused)
{
	(void)unused;
	more(&loads);
	finds(0);
	assert_int_equal(j[SAMPLE_VECTORS].checked, 12);
	assert_int_equal(j[SAMPLE_BRANCHES].checked, 12);
	assert_int_equal(j[SAMPLE_COUNTS].checked, 0);
	record[4].vectors++;
	finds(1 << SAMPLE_VECTORS);
	assert_int_equal(j[SAMPLE_VECTORS].right, 11);
	assert_non_null(strstr(j[SAMPLE_VECTORS].why, ": vector registers"));
	more(&loads);
	record[4].upper++;
	finds(1 << SAMPLE_VECTORS);
	assert_int_equal(j[SAMPLE_VECTORS].right, 11);
	assert_non_null(strstr(j[SAMPLE_VECTORS].why, ": upper halves of vector registers"));
	more(&loads);
	record[4].branch[0].to++;
	finds(1 << SAMPLE_BRANCHES);
	more(&loads);
	record[3].branch[0].from++;
	finds(1 << SAMPLE_BRANCHES);
	more(&loads);
	record[4].n_branches = 0;
	finds(1 << SAMPLE_BRANCHES);
	/* Older ones than the path has are none of it; those of a ring that is not recorded are not looked
	 * for. */
	more(&loads);
	record[0].n_branches = 1;
	record[4].n_branches = 2;
	finds(0);
	more(&loads);
	x.levels = LEVELS_SYSTEM;
	steps[2].level = steps[2].level_after = 3;
	record[4].n_branches = 0;
	finds(0);
	steps[2].level = steps[2].level_after = 0;
}

static void counts_are_judged(void **unused)
{
	(void)unused;
	/* Let the branches be the instructions: one at the third step and one at the sixth of each window. */
	terms[3] = (struct qterm){Q_INSTRUCTIONS, 1};
	const struct pmu_event e = {.terms = {{Q_INSTRUCTIONS, 1}}};
	begin(&e, 1, 3);
	for (unsigned k = 0; k < n; k++) {
		record[k].more = RECORD_MORE_INSTRUCTIONS;
		record[k].instructions = k + 1;
	}
	finds(0);
	assert_int_equal(j[SAMPLE_COUNTS].checked, 6);
	record[5].instructions--;
	finds(1 << SAMPLE_COUNTS);
	assert_string_equal(j[SAMPLE_COUNTS].why, "record 6, at +5: 5 instructions instead of 6");
	/* One that is out of place is not looked at. */
	record[5].instructions++;
	record[5].ip = steps[0].ip;
	judge();
	assert_int_equal(j[SAMPLE_COUNTS].checked, 5);
	assert_int_equal(j[SAMPLE_COUNTS].right, 5);
	terms[3] = (struct qterm){Q_BRANCHES, 1};
}

/* A record of the second turn in place of the first: the same instruction, other registers. */
static void late_ones_are_told(void **unused)
{
	(void)unused;
	begin(&loads, 2, 4);
	assert_int_equal(sample_not_early(&x, record, n), n);
	memcpy(record[0].general, registers[4].general, sizeof record[0].general);
	record[0].flags = registers[4].flags;
	finds(1 << SAMPLE_REGISTERS);
	x.late = true;
	finds(0);
	/* Nothing says how late they are, but how many there are at least between two of them. */
	begin(&loads, 2, 4);
	record[1] = record[0];
	assert_int_equal(sample_not_early(&x, record, 4), 4);
	begin(&loads, 6, 4);
	assert_int_equal(n, 4);
	record[1].ip = steps[0].ip;
	record[1].next_ip = steps[0].next;
	assert_int_equal(sample_not_early(&x, record, n), 3);
	record[1].ip = steps[2].ip;
	assert_int_equal(sample_not_early(&x, record, n), 1);
	/* Of what a record counts nothing is judged. */
	begin(&loads, 1, 2);
	x.late = true;
	record[0].more = RECORD_MORE_INSTRUCTIONS;
	finds(0);
	assert_int_equal(j[SAMPLE_COUNTS].checked, 0);
}

/* Records of the registers before the instruction; of the path's first step nobody knows them. */
static void registers_before(void **unused)
{
	(void)unused;
	begin(&loads, 1, 2);
	for (unsigned k = 0; k < n; k++) {
		record[k].has |= RECORD_HAS_BEFORE;
		record[k].flags = expected[k] ? registers[expected[k] - 1].flags : 0xbad;
		for (unsigned g = 0; g < GPR_COUNT; g++)
			record[k].general[g] = expected[k] ? registers[expected[k] - 1].general[g] : 0xbad;
	}
	finds(0);
	assert_int_equal(j[SAMPLE_REGISTERS].checked, n - 2);
	record[4].general[3]++;
	finds(1 << SAMPLE_REGISTERS);
	record[4].general[3]--;
	memcpy(record[4].general, registers[expected[4]].general, sizeof record[4].general);
	finds(1 << SAMPLE_REGISTERS);
}

static void counters_are_judged(void **unused)
{
	(void)unused;
	begin(&loads, 1, 2);
	x.counters = 4;
	finds(0);
	assert_int_equal(j[SAMPLE_COUNTER].checked, 0);
	for (unsigned k = 0; k < n; k++) {
		record[k].has |= RECORD_HAS_COUNTERS;
		record[k].counters = 4;
	}
	finds(0);
	assert_int_equal(j[SAMPLE_COUNTER].checked, n);
	record[2].counters = 5;
	finds(1 << SAMPLE_COUNTER);
	record[2].counters = 0;
	finds(1 << SAMPLE_COUNTER);
	x.counters = 0;
	finds(0);
}

static void wrong_ones_are_found(void **unused)
{
	(void)unused;
	begin(&loads, 1, 2);
	record[3].ip++;
	finds(1 << SAMPLE_INSTRUCTION | 1 << SAMPLE_PLACE);
	assert_string_equal(j[SAMPLE_INSTRUCTION].why, "record 4: the event does not occur at +1");
	assert_string_equal(j[SAMPLE_PLACE].why, "record 4 is of +1 instead of +0");
	assert_int_equal(j[SAMPLE_PLACE].right, 3);
	begin(&loads, 1, 2);
	record[3].next_ip--;
	finds(1 << SAMPLE_INSTRUCTION | 1 << SAMPLE_PLACE);
	/* The branch is on the path, but no load. */
	begin(&loads, 1, 2);
	record[3].ip = 0x1005;
	record[3].next_ip = 0x1000;
	finds(1 << SAMPLE_INSTRUCTION | 1 << SAMPLE_PLACE);
	begin(&loads, 1, 2);
	record[3].has = 0;
	finds(1 << SAMPLE_INSTRUCTION | 1 << SAMPLE_PLACE);
	for (unsigned g = 0; g < GPR_COUNT; g++) {
		begin(&loads, 1, 2);
		record[4].general[g]++;
		finds(1 << SAMPLE_REGISTERS);
		assert_int_equal(j[SAMPLE_REGISTERS].right, n - 1);
	}
	/* Every flag but those of the step engine, TF and RF. */
	for (unsigned bit = 0; bit < 64; bit++) {
		begin(&loads, 1, 2);
		record[4].flags ^= 1ull << bit;
		finds(bit == 8 || bit == 16 ? 0 : 1 << SAMPLE_REGISTERS);
	}
	begin(&loads, 1, 2);
	record[4].address++;
	finds(1 << SAMPLE_ADDRESS);
	begin(&loads, 1, 2);
	record[0].clock = 999;
	finds(1 << SAMPLE_TIME);
	begin(&loads, 1, 2);
	record[1].clock = 2001;
	finds(1 << SAMPLE_TIME);
	begin(&loads, 1, 2);
	record[5].clock = record[4].clock - 1;
	finds(1 << SAMPLE_TIME);
}

/* The stack on the way into a kernel of another ring need not be that of the walk. */
static void the_way_into_another_ring(void **unused)
{
	(void)unused;
	path.from = 1;
	path.to = STEPS - 1;
	begin(&loads, 1, 1); /* of steps 0, 1, 1, 3, 4 and 4 */
	record[0].general[GPR_RSP] += 16;
	finds(1 << SAMPLE_REGISTERS); /* it is of the kernel's ring, too */
	for (unsigned i = 1; i < STEPS - 1; i++)
		steps[i].level = steps[i].level_after = 3;
	begin(&loads, 1, 1);
	record[0].general[GPR_RSP] += 16;
	record[0].address += 16;
	finds(0);
	assert_int_equal(j[SAMPLE_REGISTERS].checked, 5);
	assert_int_equal(j[SAMPLE_ADDRESS].checked, 5);
	record[1].general[GPR_RSP] += 16;
	finds(1 << SAMPLE_REGISTERS);
	begin(&branches, 1, 1); /* of steps 2 and 5, which is on the way back */
	record[1].general[GPR_RSP] += 16;
	finds(0);
	assert_int_equal(j[SAMPLE_REGISTERS].checked, 1);
	/* A handler in the midst of the kernel is the kernel's. */
	steps[3].level = steps[3].level_after = 0;
	begin(&loads, 1, 1);
	record[3].general[GPR_RSP] += 16;
	record[3].address += 16;
	finds(1 << SAMPLE_REGISTERS | 1 << SAMPLE_ADDRESS);
	for (unsigned i = 0; i < STEPS; i++)
		steps[i].level = steps[i].level_after = 0;
	path.from = 0;
	path.to = STEPS;
}

static void latencies_are_above(void **unused)
{
	(void)unused;
	begin(&loads, 1, 2);
	for (unsigned k = 0; k < n; k++) {
		record[k].has |= RECORD_HAS_LATENCY;
		record[k].latency = 17 + k;
	}
	judge();
	assert_int_equal(j[SAMPLE_LATENCY].checked, 0);
	x.latencies = true;
	x.latency_above = 16;
	finds(0);
	assert_int_equal(j[SAMPLE_LATENCY].right, n);
	record[2].latency = 16;
	finds(1 << SAMPLE_LATENCY);
	assert_int_equal(j[SAMPLE_LATENCY].right, n - 1);
	record[2].latency = 17;
	record[1].has &= ~RECORD_HAS_LATENCY;
	finds(1 << SAMPLE_LATENCY);
}

/* Each is of an instruction at which the event occurs, but not of the right one. */
static void wrong_periods_are_found(void **unused)
{
	(void)unused;
	begin(&loads, 2, 10);
	n--;
	finds(1 << SAMPLE_PLACE);
	assert_string_equal(j[SAMPLE_PLACE].why, "29 records instead of 30");
	begin(&loads, 2, 10);
	record[n] = record[n - 1];
	n++;
	finds(1 << SAMPLE_PLACE);
	begin(&loads, 3, 10);
	memmove(record, record + 1, --n * sizeof record[0]);
	judge();
	assert_string_not_equal(j[SAMPLE_PLACE].why, "");
	assert_string_equal(j[SAMPLE_INSTRUCTION].why, "");
	begin(&loads, 3, 10);
	x.period = 5;
	n_expected = sample_steps(&x, expected, 100);
	judge();
	assert_string_not_equal(j[SAMPLE_PLACE].why, "");
	assert_string_equal(j[SAMPLE_INSTRUCTION].why, "");
	/* Nothing should be there. */
	begin(&loads, 3, 1);
	n_expected = 0;
	judge();
	assert_string_not_equal(j[SAMPLE_PLACE].why, "");
}

/* Of an event whose occurrences are not on the path only the instruction is known, and what belongs to it. */
static void unknown_events(void **unused)
{
	(void)unused;
	begin(&loads, 1, 2);
	x.anywhere = true;
	n_expected = 0;
	n -= 3;
	finds(0);
	assert_int_equal(j[SAMPLE_PLACE].checked, 0);
	assert_int_equal(j[SAMPLE_INSTRUCTION].checked, n);
	record[3].ip = 0x1005;
	record[3].next_ip = 0x1000;
	memcpy(record[3].general, registers[2].general, sizeof record[3].general);
	record[3].flags = registers[2].flags;
	finds(0);
	record[3].general[5]++;
	finds(1 << SAMPLE_REGISTERS);
	record[3].ip = 0x1004;
	finds(1 << SAMPLE_INSTRUCTION);
	begin(&loads, 1, 2);
	x.anywhere = true;
	n_expected = 0;
	record[4].address++;
	finds(1 << SAMPLE_ADDRESS);
}

/* The start of each window counts as one: of seven in a window every third. In the third window the start
 * ends a period. */
static const unsigned of_start[] = {1, 4, 0, 3, 1, 4}, behind_it[] = {1, 4, 0, 3, 0, 3};

static void expect_ahead(bool next, uint64_t period)
{
	x = (struct sample_expectation){.path = &path,
					.event = &loads,
					.levels = LEVELS_ALL,
					.period = period,
					.windows = 3,
					.ahead = 1,
					.ahead_next = next};
	n_expected = sample_steps(&x, expected, 100);
}

static struct pmu_record of_step(unsigned i)
{
	return (struct pmu_record){
		.has = RECORD_HAS_IP | RECORD_HAS_NEXT_IP, .ip = steps[i].ip, .next_ip = steps[i].next};
}

static const struct pmu_record start_record = {
	.has = RECORD_HAS_IP | RECORD_HAS_NEXT_IP, .ip = 0xffe, .next_ip = 0x1000};

static void a_start_may_end_a_period(void **unused)
{
	(void)unused;
	expect_ahead(false, 3);
	assert_int_equal(n_expected, 6);
	assert_memory_equal(expected, of_start, sizeof of_start);
	expect_ahead(true, 3);
	assert_int_equal(n_expected, 6);
	assert_memory_equal(expected, behind_it, sizeof behind_it);
	/* Where it ends none, it makes no difference which. */
	for (unsigned next = 0; next < 2; next++) {
		static const unsigned last[] = {4, 4, 4};

		expect_ahead(next, 7);
		assert_int_equal(n_expected, 3);
		assert_memory_equal(expected, last, sizeof last);
	}
}

static void records_of_a_start_are_dropped(void **unused)
{
	(void)unused;
	expect_ahead(false, 3);
	for (unsigned i = n = 0; i < n_expected; i++) {
		if (i == 4)
			record[n++] = start_record;
		record[n++] = of_step(expected[i]);
	}
	assert_int_equal(sample_in_order(&x, expected, n_expected, record, n), 4);
	assert_int_equal(sample_drop_starts(&x, record, n), 1);
	n--;
	assert_int_equal(sample_in_order(&x, expected, n_expected, record, n), n_expected);
	judge();
	assert_int_equal(j[SAMPLE_PLACE].right, 6);
	assert_string_equal(j[SAMPLE_PLACE].why, "");
	/* One for each period that ends there, and no more. */
	record[0] = record[1] = start_record;
	assert_int_equal(sample_drop_starts(&x, record, 2), 1);
	judge();
	assert_true(j[SAMPLE_INSTRUCTION].why[0]);
	/* None where none does, or where the start is not counted. */
	expect_ahead(false, 7);
	record[0] = start_record;
	assert_int_equal(sample_drop_starts(&x, record, 1), 0);
	expect(&loads, 3, 3);
	assert_int_equal(sample_drop_starts(&x, record, 1), 0);
	assert_int_equal(record[0].ip, start_record.ip);
}

static void what_is_of_a_start(void **unused)
{
	struct pmu_record r[] = {start_record, start_record, start_record,
				 start_record, start_record, of_step(0)};

	(void)unused;
	r[0].has = RECORD_HAS_IP;
	r[1].has = RECORD_HAS_NEXT_IP;
	r[2].ip--;
	r[3].next_ip++;
	r[4].has = RECORD_HAS_CLOCK;
	for (unsigned i = 0; i < sizeof r / sizeof r[0]; i++) {
		expect_ahead(false, 3);
		assert_int_equal(sample_drop_starts(&x, &r[i], 1), i < 2);
	}
}

/* Where each window begins a period, its start ends one only if it is one itself. */
static void windows_that_begin_a_period(void **unused)
{
	(void)unused;
	expect_ahead(false, 3);
	x.again_each = true;
	record[0] = start_record;
	assert_int_equal(sample_drop_starts(&x, record, 1), 0);
	x.period = 1;
	for (n = 0; n < 4; n++)
		record[n] = start_record;
	assert_int_equal(sample_drop_starts(&x, record, n), 3);
}

/* What is counted ahead makes up a period as well. */
static void starts_count_towards_what_is_not_early(void **unused)
{
	(void)unused;
	expect_ahead(false, 7);
	for (n = 0; n < 3; n++)
		record[n] = of_step(4);
	assert_int_equal(sample_not_early(&x, record, n), 3);
	x.ahead = 0; /* then the third comes too early */
	assert_int_equal(sample_not_early(&x, record, n), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_start_may_end_a_period),
		cmocka_unit_test(records_of_a_start_are_dropped),
		cmocka_unit_test(what_is_of_a_start),
		cmocka_unit_test(windows_that_begin_a_period),
		cmocka_unit_test(starts_count_towards_what_is_not_early),
		cmocka_unit_test(counts_periods),
		cmocka_unit_test(right_ones_pass),
		cmocka_unit_test(more_is_judged),
		cmocka_unit_test(counts_are_judged),
		cmocka_unit_test(late_ones_are_told),
		cmocka_unit_test(registers_before),
		cmocka_unit_test(counters_are_judged),
		cmocka_unit_test(wrong_ones_are_found),
		cmocka_unit_test(wrong_periods_are_found),
		cmocka_unit_test(unknown_events),
		cmocka_unit_test(latencies_are_above),
		cmocka_unit_test(the_way_into_another_ring),
	};

	return cmocka_run_group_tests_name("sample_judge", tests, NULL, NULL);
}
