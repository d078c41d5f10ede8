/*
 * Every deviation that can be injected into the NetBurst model shows, and the model without it does not show
 * it.
 */
#include "tests/host/netburst_model_hands.h"

#include <stdio.h>

#define CCCR(c)    (MSR_NETBURST_CCCR0 + (c))
#define COUNTER(c) (MSR_NETBURST_COUNTER0 + (c))

static void count_instructions(unsigned c, uint32_t more, uint64_t start)
{
	program(c, NB_INSTR_RETIRED, 1, RINGS_T0, more);
	set(COUNTER(c), start);
}

static void stop_counter(unsigned c)
{
	set(CCCR(c), get(CCCR(c)) & ~(uint64_t)CCCR_ENABLE);
}

/* Each function sets something up, and says whether the count, register or interrupt is other than it must
 * be. */

static bool dropped_carry(void)
{
	count_instructions(12, 0, 0xffffffff);
	instructions(1);
	return value(12) != 0x100000000;
}

static bool off_by_one(void)
{
	count_instructions(12, 0, 0);
	stop_counter(12);
	set(COUNTER(12), 0);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0));
	instructions(10);
	return value(12) != 10;
}

static bool stuck_status(void)
{
	count_instructions(12, 0, TOP);
	instructions(1);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0));
	return ovf(12);
}

static bool no_interrupt(void)
{
	count_instructions(12, CCCR_OVF_PMI_T0, TOP);
	instructions(2);
	return interrupts() != 1;
}

static bool lost_status(void)
{
	count_instructions(12, 0, TOP);
	instructions(1);
	return !ovf(12);
}

static bool ring_leak(void)
{
	program(12, NB_INSTR_RETIRED, 1, ESCR_T0_USR, 0);
	instructions(3);
	return value(12) != 0;
}

static bool neighbour(void)
{
	count_instructions(13, 0, 0);
	instructions(5);
	return value(12) != 0;
}

static bool wrong_count(void)
{
	count_instructions(12, 0, 0);
	instructions(1000);
	return value(12) != 1000;
}

static bool dead_counter(void)
{
	count_instructions(17, 0, 0);
	instructions(3);
	return value(17) == 0;
}

static bool rdpmc_index(void)
{
	uint64_t v;

	set(COUNTER(4), 44);
	set(COUNTER(5), 55);
	return netburst_model.rdpmc(cpu, 4, true, &v) != MODEL_OK || v != 44;
}

static bool reserved_accepted(void)
{
	return netburst_model.wrmsr(cpu, netburst_escr[BSU_ESCR0].msr, 1ull << 31) != MODEL_FAULT;
}

/* Only while the counter runs, which is why it is stopped before it is written. */
static bool n15(void)
{
	count_instructions(12, 0, 0);
	set(COUNTER(12), 0xffffffff);
	bool running = value(12) != 0xffffffff;

	stop_counter(12);
	set(COUNTER(12), 0xffffffff);
	assert_true(value(12) == 0xffffffff);
	return running;
}

/* Only if it is stopped right at the carry. */
static bool n17(void)
{
	count_instructions(12, 0, 0xffffffff);
	instructions(1);
	stop_counter(12);
	bool at_once = value(12) != 0x100000000;

	count_instructions(12, 0, 0xffffffff);
	instructions(20);
	stop_counter(12);
	assert_true(value(12) == 0x100000000 + 19);
	return at_once;
}

static bool cascaded_interrupt(void)
{
	count_instructions(12, 0, TOP);
	program(14, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(14), (cccr(NB_INSTR_RETIRED, CCCR_CASCADE | CCCR_OVF_PMI_T0) & ~CCCR_ENABLE));
	set(COUNTER(14), TOP);
	instructions(5);
	return interrupts() != 1;
}

static bool forced_cascade(void)
{
	count_instructions(12, CCCR_FORCE_OVF, 0);
	program(14, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(CCCR(14), cccr(NB_INSTR_RETIRED, CCCR_CASCADE) & ~CCCR_ENABLE);
	instructions(5);
	return value(14) == 0;
}

static bool cccr1(void)
{
	program(1, NB_GLOBAL_POWER_EVENTS, 1, RINGS_T0, 0);
	instructions(5);
	return value(1) == 0;
}

/* A handler that asks for more before it has cleared OVF is interrupted again. */
static bool ovf_level(void)
{
	count_instructions(12, CCCR_OVF_PMI_T0, TOP);
	instructions(2);
	assert_int_equal(interrupts() > 0, true);
	instructions(1);
	bool again = interrupts() > 0;

	set(CCCR(12), cccr(NB_INSTR_RETIRED, CCCR_OVF_PMI_T0));
	instructions(1);
	assert_int_equal(interrupts(), 0);
	return again;
}

static bool found_running(void)
{
	step(Q_INSTRUCTIONS, 1, 10, 0);
	return netburst_model.counting(cpu) && value(0) != 0;
}

static const struct {
	const char *name;
	bool (*deviates)(void);
} cases[] = {
	{"dropped-carry", dropped_carry},
	{"off-by-one", off_by_one},
	{"stuck-status", stuck_status},
	{"no-pmi", no_interrupt},
	{"lost-status", lost_status},
	{"ring-leak", ring_leak},
	{"neighbour-coupling", neighbour},
	{"overcount-x16", wrong_count},
	{"dead-counter", dead_counter},
	{"dead", wrong_count},
	{"noisy", wrong_count},
	{"rdpmc-wrong-index", rdpmc_index},
	{"reserved-accepted", reserved_accepted},
	{"n15", n15},
	{"n17", n17},
	{"cascade-no-pmi", cascaded_interrupt},
	{"force-cascade", forced_cascade},
	{"cccr1", cccr1},
	{"ovf-level", ovf_level},
	{"ht-ovf", found_running},
};

static void each_shows(void **state)
{
	unsigned n = 0;

	(void)state;
	while (netburst_model.injections[n].name)
		n++;
	assert_int_equal(n, sizeof cases / sizeof cases[0]);
	for (unsigned i = 0; i < n; i++) {
		assert_string_equal(netburst_model.injections[i].name, cases[i].name);
		assert_non_null(netburst_model.injections[i].summary);
		power_up(&netburst_prescott, NULL);
		if (cases[i].deviates())
			fail_msg("%s shows in the clean model", cases[i].name);
		power_up(&netburst_prescott, cases[i].name);
		if (!cases[i].deviates())
			fail_msg("%s does not show", cases[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_shows)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	free(cpu);
	return failed;
}
