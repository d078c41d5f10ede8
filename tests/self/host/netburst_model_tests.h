/*
 * Every rule of the NetBurst model, one by one. Included by the test of the model and by that of its mutants.
 */
#include "tests/self/host/netburst_model_shortcuts.h"
#include "tests/self/host/netburst_overflow_tests.h"
#include "tests/self/host/netburst_record_tests.h"
#include "tests/self/host/netburst_tag_tests.h"

#define THRESHOLD(n) ((uint32_t)(n) << CCCR_THRESHOLD_SHIFT)

/* --- registers -------------------------------------------------------------------------------------- */

static void reset_values(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		assert_int_equal(value(c), 0);
		assert_int_equal(get(CCCR(c)), 0);
	}
	assert_int_equal(get(MSR_TC_PRECISE_EVENT), 0xfc00);
	assert_int_equal(get(MSR_PEBS_ENABLE), 0);
	assert_int_equal(get(MSR_DEBUGCTLA), 0);
	assert_false(netburst_model.counting(cpu));
}

static void counter_writes(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	set(COUNTER(3), 0xfedcba9876543210);
	assert_true(value(3) == 0x9876543210);
}

static void cccr_bits(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	set(CCCR(0), 0xffffffffffffffff & ~(uint64_t)CCCR_ENABLE);
	assert_true(get(CCCR(0)) == (0xfffff000 & ~CCCR_ENABLE));
	set(CCCR(12), 0xfff);
	assert_int_equal(get(CCCR(12)), CCCR_EXTENDED_CASCADE);
	set(CCCR(13), 0xfff);
	assert_int_equal(get(CCCR(13)), 0);
	set(CCCR(16), 0xfff);
	assert_int_equal(get(CCCR(16)), 0xf00);
	power_up(&netburst_northwood, NULL);
	set(CCCR(16), 0xfff);
	assert_int_equal(get(CCCR(16)), CCCR_EXTENDED_CASCADE);
	power_up(&netburst_willamette, NULL);
	set(CCCR(16), 0xfff);
	assert_int_equal(get(CCCR(16)), 0);
}

static void escr_bits(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	refuses(netburst_escr[BSU_ESCR0].msr, 1ull << 31);
	set(netburst_escr[BSU_ESCR0].msr, 0xffffffff7fffffff);
	assert_true(get(netburst_escr[BSU_ESCR0].msr) == 0x7fffffff);
	/* A unit that has eight mask bits, no tags and three bits of event select. */
	set(netburst_escr[CRU_ESCR1].msr, 0x7fffffff);
	assert_true(get(netburst_escr[CRU_ESCR1].msr) == (0x7fffffff & ~0x71fe01f0));
	set(netburst_escr[IQ_ESCR0].msr, 0x7fffffff);
	assert_int_equal(get(netburst_escr[IQ_ESCR0].msr), 0);
	assert_true(faults(0x3bf));
	power_up(&netburst_northwood, NULL);
	set(netburst_escr[CRU_ESCR1].msr, 0x7fffffff);
	assert_true(get(netburst_escr[CRU_ESCR1].msr) == 0x7fffffff);
}

static void other_registers(void **state)
{
	(void)state;
	power_up(&netburst_northwood, NULL);
	set(MSR_PEBS_ENABLE, 0xffffffff);
	assert_int_equal(get(MSR_PEBS_ENABLE), 0x3ffffff);
	set(MSR_DS_AREA, 0x123456789a);
	assert_true(get(MSR_DS_AREA) == 0x123456789a);
	refuses(MSR_DEBUGCTLA, 1 << 7);
	refuses(MSR_DEBUGCTLA, DEBUGCTLA_BTS_OFF_OS);
	refuses(MSR_LER_FROM_LIP, 0);
	refuses(MSR_MISC_ENABLE, MISC_ENABLE_PEBS_ABSENT);
	set(MSR_MISC_ENABLE, 1);
	assert_int_equal(get(MSR_MISC_ENABLE), MISC_ENABLE_PERFMON | 1);
	assert_true(faults(MSR_LASTBRANCH_FROM_0));
	set(MSR_LASTBRANCH_0, 0x123456789abcdef0);
	assert_true(get(MSR_LASTBRANCH_0) == 0x123456789abcdef0);
	power_up(&netburst_prescott, NULL);
	set(MSR_PEBS_ENABLE, 0xffffffff);
	assert_int_equal(get(MSR_PEBS_ENABLE), 0x7ffffff);
	refuses(MSR_DS_AREA, 1ull << 63);
	set(MSR_DS_AREA, 0xffff800000000000);
	set(MSR_DEBUGCTLA, DEBUGCTLA_BTS_OFF_OS);
	assert_true(faults(MSR_LASTBRANCH_0));
	set(MSR_LASTBRANCH_TO_0 + 15, 0x123456789abcdef0);
	assert_true(get(MSR_LASTBRANCH_TO_0 + 15) == 0x123456789abcdef0);
	uint64_t v;
	assert_int_equal(model_rdmsr(&netburst_model, cpu, 0x309 + 0x100, &v), REGISTER_NOT_MINE);
}

static void rdpmc_rules(void **state)
{
	uint64_t v;

	(void)state;
	power_up(&netburst_prescott, NULL);
	set(COUNTER(17), 0xab00000001);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, 17, 0, false, &v), REGISTER_DONE);
	assert_true(v == 0xab00000001);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, RDPMC_FAST | 17, 0, false, &v), REGISTER_DONE);
	assert_true(v == 1);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, 17, 3, false, &v), REGISTER_FAULT);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, 18, 0, false, &v), REGISTER_FAULT);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, RDPMC_FAST | 18, 0, false, &v), REGISTER_FAULT);
}

/* IOQ_allocation triggers on a kind of request, a kind of memory and an agent; on models 0 and 1 one of the
 * first two will do. Table 19-28. */
static void bus_requests_trigger(void **state)
{
	enum { TYPE = 1 << 0, READ = 1 << 5, WRITE = 1 << 6, WB = 1 << 11, OWN = 1 << 13, OTHER = 1 << 14 };
	static const struct qterm miss[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_LLC_MISS, 1}};
	static const struct {
		unsigned mask;
		uint64_t late, early; /* counts on model 2 and on model 1 */
	} cases[] = {
		{TYPE | READ | WB | OWN, 1, 1},
		{READ | WB | OWN, 1, 1},
		{TYPE | WRITE | WB | OWN, 0, 0}, /* a load writes nothing */
		{TYPE | READ | WRITE | WB | OWN, 1, 1},
		{READ | WB, 0, 0},
		{READ | WB | OTHER, 0, 0},
		{READ | OWN, 0, 1},
		{WB | OWN, 0, 1},
		{READ, 0, 0},
		{WB, 0, 0},
		{OWN, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
		power_up(i & 1 ? &netburst_willamette : &netburst_northwood, NULL);
		program(0, NB_IOQ_ALLOCATION, cases[i / 2].mask, RINGS_T0, 0);
		step_with(miss, 3, 0);
		assert_int_equal(value(0), i & 1 ? cases[i / 2].early : cases[i / 2].late);
	}
}

/* A Xeon MP's third level has counters of its own; others have nothing there. */
static void third_level_counters(void **state)
{
	uint64_t v;

	(void)state;
	power_up(&netburst_potomac, NULL);
	for (unsigned i = 0; i < NETBURST_L3_COUNTERS; i++) {
		set(MSR_IFSB_BUSQ0 + i, 0x1234500000000ull + i);
		assert_true(get(MSR_IFSB_BUSQ0 + i) == 0x1234500000000ull + i);
		assert_int_equal(model_rdpmc(&netburst_model, cpu, RDPMC_L3 + i, 0, false, &v),
				 REGISTER_DONE);
		assert_int_equal(v, i);
	}
	assert_int_equal(model_rdpmc(&netburst_model, cpu, RDPMC_L3 + NETBURST_L3_COUNTERS, 0, false, &v),
			 REGISTER_FAULT);
	power_up(&netburst_prescott, NULL);
	assert_int_equal(model_rdmsr(&netburst_model, cpu, MSR_IFSB_BUSQ0, &v), REGISTER_NOT_MINE);
	assert_int_equal(model_rdpmc(&netburst_model, cpu, RDPMC_L3, 0, false, &v), REGISTER_FAULT);
}

/* --- counting --------------------------------------------------------------------------------------- */

static void runs_when_enabled(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	instructions(3);
	assert_int_equal(value(12), 3);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0) & ~CCCR_ENABLE);
	instructions(3);
	assert_int_equal(value(12), 3);
	assert_false(netburst_model.counting(cpu));
	program(17, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	assert_true(netburst_model.counting(cpu));
	instructions(1);
	assert_int_equal(value(17), 1);
}

/* The rule of instr_retired's row: not every x87, MMX or fence instruction. instr_completed has none. */
static void some_retire_twice(void **state)
{
	static const struct qterm fldcw[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_X87, 1}, {Q_INSN_X87_CONTROL, 1}};
	static const struct qterm emms[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_MMX, 1}, {Q_INSN_EMMS, 1}};
	static const struct qterm cvtpd2pi[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_MMX, 1}, {Q_INSN_CVTPD2PI, 1}};
	static const struct qterm lfence[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_FENCE, 1}, {Q_INSN_LFENCE, 1}};
	static const struct qterm mfence[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_FENCE, 1}};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	program(14, NB_INSTR_COMPLETED, 1, RINGS_T0, 0);
	step_with(x87, 3, 0);
	step_with(lfence, 3, 0);
	assert_int_equal(value(12), 2);
	step_with(fldcw, 3, 0);
	assert_int_equal(value(12), 4);
	step_with(emms, 3, 0);
	step_with(mfence, 2, 0);
	assert_int_equal(value(12), 8);
	step_with(cvtpd2pi, 3, 0);
	assert_int_equal(value(12), 10);
	assert_int_equal(value(14), 6);
}

static void starting_write_is_not_counted(void **state)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step own = {.terms = &term, .n_terms = 1, .cycles = 1, .own_write = true};
	struct model_increment increment[8];

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	assert_int_equal(netburst_model.increments(cpu, &own, increment, 8), -1);
	advance(&own);
	assert_int_equal(value(12), 0);
	instructions(1);
	set(COUNTER(13), 0); /* starts nothing: the counter that runs sees this write */
	advance(&own);
	assert_int_equal(value(12), 2);
	/* Rings taken from the ESCR stop it as well, and back there start it. */
	set(netburst_escr[CRU_ESCR0].msr, escr(NB_INSTR_RETIRED, 1, 0));
	assert_false(netburst_model.counting(cpu));
	set(netburst_escr[CRU_ESCR0].msr, escr(NB_INSTR_RETIRED, 1, RINGS_T0));
	advance(&own);
	assert_int_equal(value(12), 2);
}

static void selects_its_escr(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	set(netburst_escr[RAT_ESCR0].msr, escr(NB_UOP_TYPE, 2, RINGS_T0));
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	program(13, NB_BRANCH_RETIRED, 15, RINGS_T0, 0);
	/* ESCR_SELECT 0 names no ESCR of this model here. */
	set(CCCR(16), CCCR_ENABLE | CCCR_THREAD_ANY);
	instructions(2);
	assert_int_equal(value(12), 2);
	assert_int_equal(value(13), 0);
	assert_int_equal(value(16), 0);
	/* The same event select on another unit is another event. */
	program(0, NB_GLOBAL_POWER_EVENTS, 1, RINGS_T0, 0);
	instructions(2);
	assert_int_equal(value(0), 2);
}

static void masks_add_up(void **state)
{
	static const struct qterm taken[] = {
		{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_TAKEN, 1}};
	static const struct qterm not [] = {
		{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_NTAKEN, 1}};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_BRANCH_RETIRED, 1, RINGS_T0, 0);
	program(14, NB_BRANCH_RETIRED, 5, RINGS_T0, 0);
	step_with(taken, 4, 0);
	step_with(taken, 4, 0);
	step_with(not, 4, 0);
	assert_int_equal(value(12), 1);
	assert_int_equal(value(14), 3);
}

static void rings(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, ESCR_T0_OS, 0);
	program(14, NB_INSTR_RETIRED, 1, ESCR_T0_USR, 0);
	for (uint8_t cpl = 0; cpl < 4; cpl++)
		step(Q_INSTRUCTIONS, 1, 1, cpl);
	assert_int_equal(value(12), 1);
	assert_int_equal(value(14), 3);
	step(Q_INSTRUCTIONS, 1, 1, 3);
	assert_int_equal(value(12), 1);
	assert_int_equal(value(14), 4);
}

static void a_uop_vector(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_UOPS_RETIRED, 1, RINGS_T0, 0);
	program(0, NB_GLOBAL_POWER_EVENTS, 1, RINGS_T0, 0);
	instructions(1);
	assert_int_equal(value(12), 1);
	step_with(load, 3, 0);
	assert_int_equal(value(12), 1 + 2);
	step_with(store, 3, 0);
	assert_int_equal(value(12), 1 + 2 + 3);
	assert_int_equal(value(0), 3);
	step(Q_STORES, 5, 1, 0); /* ten uops take four cycles */
	assert_int_equal(value(0), 3 + 4);
}

/* Three uops a cycle at most: with the threshold n pass the cycles that have more. */
static void thresholds(void **state)
{
	static const struct qterm seven[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 6}}; /* 3 + 3 + 1 */
	static const struct {
		uint32_t filter;
		unsigned count;
	} cases[] = {
		{0, 7},
		{CCCR_COMPARE, 3},
		{CCCR_COMPARE | THRESHOLD(1), 2},
		{CCCR_COMPARE | THRESHOLD(2), 2},
		{CCCR_COMPARE | THRESHOLD(3), 0},
		{CCCR_COMPARE | CCCR_COMPLEMENT | THRESHOLD(2), 1},
		{CCCR_COMPARE | CCCR_COMPLEMENT | THRESHOLD(3), 3},
		{CCCR_COMPARE | CCCR_COMPLEMENT, 0},
		/* Without COMPARE the rest does nothing. */
		{CCCR_COMPLEMENT | THRESHOLD(2) | CCCR_EDGE, 7},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		power_up(&netburst_prescott, NULL);
		program(12, NB_UOPS_RETIRED, 1, RINGS_T0, cases[i].filter);
		step_with(seven, 2, 0);
		assert_int_equal(value(12), cases[i].count);
	}
}

static void edges(void **state)
{
	static const struct qterm seven[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 6}};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_UOPS_RETIRED, 1, RINGS_T0, CCCR_COMPARE | CCCR_EDGE | THRESHOLD(1));
	step_with(seven, 2, 0); /* above for two cycles, then below */
	assert_int_equal(value(12), 1);
	step_with(seven, 2, 0);
	assert_int_equal(value(12), 2);
	step_with(seven, 1, 0);
	program(13, NB_INSTR_RETIRED, 1, RINGS_T0, CCCR_COMPARE | CCCR_EDGE);
	instructions(5); /* in every cycle */
	assert_int_equal(value(13), 1);
}

/* What the counter does not see is below the threshold: coming back from the other ring is an edge, and so is
 * coming back to as many active processors as it is to count with. */
static void edges_begin_again_behind_what_is_not_seen(void **state)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 1};

	(void)state;
	power_up(&netburst_northwood_ht, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(12), (cccr(NB_INSTR_RETIRED, CCCR_COMPARE | CCCR_EDGE) & ~CCCR_THREAD) | CCCR_THREAD_SINGLE);
	for (unsigned stretch = 1; stretch <= 3; stretch++) {
		s.sibling = false;
		advance(&s);
		advance(&s);
		assert_int_equal(value(12), stretch);
		s.sibling = true;
		advance(&s);
		assert_int_equal(value(12), stretch);
	}
	power_up(&netburst_prescott, NULL);
	program(13, NB_INSTR_RETIRED, 1, ESCR_T0_OS, CCCR_COMPARE | CCCR_EDGE);
	for (unsigned stretch = 1; stretch <= 3; stretch++) {
		step(Q_INSTRUCTIONS, 1, 1, 0);
		step(Q_INSTRUCTIONS, 1, 1, 0);
		assert_int_equal(value(13), stretch);
		step(Q_INSTRUCTIONS, 1, 1, 3);
		assert_int_equal(value(13), stretch);
	}
}

static void fifteen_a_cycle(void **state)
{
	const struct qterm term = {Q_BR_MISPRED, 40};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 2};
	struct model_increment increment[8];

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_MISPRED_BRANCH_RETIRED, 1, RINGS_T0, 0);
	advance(&s);
	assert_int_equal(value(12), 30);
	assert_int_equal(netburst_model.increments(cpu, &s, increment, 8), 1);
	assert_int_equal(increment[0].amount, 30);
}

static void non_sleep_clockticks(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(8, NB_X87_FP_UOP, 1u << 15, 0, CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD);
	step(Q_INSTRUCTIONS, 1, 7, 3);
	step(Q_INSTRUCTIONS, 1, 5, 0);
	assert_int_equal(value(8), 12);
}

/* Both sides of each condition for anything to be detected, and of what counts even so: 18.15.1, 18.17.2. */
static void what_is_detected(void **state)
{
	static const struct qterm seven[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 6}}; /* 3 + 3 + 1 */
	static const struct {
		uint32_t filter;
		unsigned detected, passed; /* counts of the event, and where nothing is detected but the
					      select is not 0 */
	} filters[] = {
		{0, 7, 0},
		{CCCR_COMPARE | THRESHOLD(2), 2, 0},
		{CCCR_COMPLEMENT | THRESHOLD(15), 7, 0},
		{CCCR_COMPARE | CCCR_COMPLEMENT | THRESHOLD(15), 3, 3},
	};
	static const uint32_t rings[] = {0, ESCR_T0_OS, ESCR_T0_USR, RINGS_T0};
	const unsigned model = ((const struct netburst_profile *)netburst_prescott.data)->model;

	(void)state;
	for (unsigned i = 0; i < 4 * 4 * 64; i++) {
		unsigned f = i / 4 % 4, own = netburst_event[NB_UOPS_RETIRED].select;
		enum netburst_escr_id e = netburst_event[NB_UOPS_RETIRED].escr[0];

		power_up(&netburst_prescott, NULL);
		set(netburst_escr[e].msr, i / 16 << ESCR_EVENT_SHIFT | 1u << ESCR_MASK_SHIFT | rings[i % 4]);
		unsigned select =
			(get(netburst_escr[e].msr) & ESCR_EVENT) >> ESCR_EVENT_SHIFT; /* what it keeps */
		if (select != own && netburst_event_of(e, select, model) != NB_EVENTS)
			continue;
		set(CCCR(12), cccr(NB_UOPS_RETIRED, filters[f].filter));
		step_with(seven, 2, 0);
		assert_int_equal(value(12), select == own && rings[i % 4] & ESCR_T0_OS ? filters[f].detected
					    : select                                   ? filters[f].passed
										       : 0);
	}
}

static void the_short_cut(void **state)
{
	struct model_increment increment[8];
	struct step s = {.terms = load, .n_terms = 3, .cycles = 1};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_UOPS_RETIRED, 1, RINGS_T0, 0);
	program(14, NB_INSTR_RETIRED, 1, ESCR_T0_USR, 0);
	assert_int_equal(netburst_model.increments(cpu, &s, increment, 8), 1);
	assert_int_equal(increment[0].amount, 2);
	assert_true(increment[0].limit == TOP - 2);
	set(CCCR(14), cccr(NB_INSTR_RETIRED, CCCR_COMPARE));
	assert_int_equal(netburst_model.increments(cpu, &s, increment, 8), -1);
}

#define NETBURST_MODEL_TESTS                                                                                 \
	cmocka_unit_test(reset_values), cmocka_unit_test(counter_writes), cmocka_unit_test(cccr_bits),       \
		cmocka_unit_test(escr_bits), cmocka_unit_test(other_registers),                              \
		cmocka_unit_test(rdpmc_rules), cmocka_unit_test(bus_requests_trigger),                       \
		cmocka_unit_test(third_level_counters), cmocka_unit_test(runs_when_enabled),                 \
		cmocka_unit_test(some_retire_twice), cmocka_unit_test(starting_write_is_not_counted),        \
		cmocka_unit_test(selects_its_escr), cmocka_unit_test(masks_add_up), cmocka_unit_test(rings), \
		cmocka_unit_test(a_uop_vector), cmocka_unit_test(thresholds), cmocka_unit_test(edges),       \
		cmocka_unit_test(edges_begin_again_behind_what_is_not_seen),                                 \
		cmocka_unit_test(fifteen_a_cycle), cmocka_unit_test(non_sleep_clockticks),                   \
		cmocka_unit_test(what_is_detected), cmocka_unit_test(the_short_cut),                         \
		NETBURST_OVERFLOW_TESTS, NETBURST_TAG_TESTS, NETBURST_RECORD_TESTS
