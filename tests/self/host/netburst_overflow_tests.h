/*
 * Tests of the NetBurst model: overflow, cascades, and what each logical processor gets of both.
 */
#include "tests/self/host/netburst_model_shortcuts.h"

/* --- overflow --------------------------------------------------------------------------------------- */

static void wraps_at_40_bits(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
	set(COUNTER(12), TOP - 1);
	instructions(1);
	assert_true(value(12) == TOP);
	assert_false(ovf(12));
	instructions(1);
	assert_int_equal(value(12), 0);
	assert_true(ovf(12));
	instructions(2);
	assert_int_equal(value(12), 2);
	assert_true(ovf(12)); /* sticky */
	set(CCCR(12), cccr(NB_INSTR_RETIRED, CCCR_OVF));
	assert_true(ovf(12));
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0));
	assert_false(ovf(12));
	assert_int_equal(interrupts(), 0);
}

/* The interrupt comes with the occurrence after the one that overflowed. */
static void pmi_on_the_next(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, CCCR_OVF_PMI_T0);
	set(COUNTER(12), TOP);
	instructions(1);
	assert_true(ovf(12));
	assert_int_equal(interrupts(), 0);
	step(Q_BRANCHES, 1, 1, 0); /* no occurrence */
	assert_int_equal(interrupts(), 0);
	instructions(1);
	assert_int_equal(interrupts(), 1);
	instructions(5);
	assert_int_equal(interrupts(), 0);
	/* Several occurrences at once: the next is one of them. */
	program(14, NB_UOPS_RETIRED, 1, RINGS_T0, CCCR_OVF_PMI_T0);
	set(COUNTER(14), TOP);
	step_with(load, 3, 0);
	assert_int_equal(interrupts(), 1);
	/* Clearing OVF takes back what is due. */
	set(COUNTER(14), TOP);
	instructions(1);
	set(CCCR(14), cccr(NB_UOPS_RETIRED, CCCR_OVF_PMI_T0));
	instructions(1);
	assert_int_equal(interrupts(), 0);
}

static void pmi_to_either_processor(void **state)
{
	struct netburst_state *s;

	(void)state;
	power_up(&netburst_northwood_ht, NULL);
	s = cpu;
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, CCCR_OVF_PMI_T1);
	set(COUNTER(12), TOP);
	instructions(2);
	assert_int_equal(s->pmi_pending[0], 0);
	assert_int_equal(s->pmi_pending[1], 1);
	set(CCCR(12), cccr(NB_INSTR_RETIRED, CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1));
	set(COUNTER(12), TOP);
	instructions(2);
	assert_int_equal(s->pmi_pending[0], 1);
	assert_int_equal(s->pmi_pending[1], 2);
}

static void forced_overflow(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_INSTR_RETIRED, 1, RINGS_T0, CCCR_FORCE_OVF | CCCR_OVF_PMI_T0);
	instructions(1);
	assert_true(ovf(12));
	instructions(4);
	assert_int_equal(value(12), 5);
	assert_int_equal(interrupts(), 4); /* each on the occurrence after */
}

/* --- cascades --------------------------------------------------------------------------------------- */

/* Every pair of counters: `to` waits with the given bit, `from` overflows. Of IQ all can count instructions,
 * of the others all can count clocks. */
static bool starts(unsigned from, unsigned to, uint32_t how)
{
	static const uint8_t events[] = {NB_GLOBAL_POWER_EVENTS, NB_TC_DELIVER_MODE, NB_X87_FP_UOP,
					 NB_INSTR_RETIRED};
	enum netburst_event_id a = events[netburst_counter[from].group],
			       b = events[netburst_counter[to].group];
	static const struct qterm all[] = {{Q_INSTRUCTIONS, 1}, {Q_X87_OPS, 1}};
	unsigned bits[] = {1, 4, 1u << 15, 1};

	program(from, a, bits[netburst_counter[from].group], RINGS_T0, 0);
	program(to, b, bits[netburst_counter[to].group], RINGS_T0, 0);
	set(CCCR(to), (cccr(b, how) & ~CCCR_ENABLE));
	set(COUNTER(to), 100);
	set(COUNTER(from), TOP);
	step_with(all, 2, 0);
	assert_int_equal(value(to), 100);
	step_with(all, 2, 0);
	return value(to) == 101;
}

static void cascade_pairs(void **state)
{
	static const struct model_profile *const profiles[] = {&netburst_willamette, &netburst_prescott};

	(void)state;
	for (unsigned p = 0; p < 2; p++) {
		unsigned model = p ? 4 : 1;

		for (unsigned from = 0; from < NETBURST_COUNTERS; from++)
			for (unsigned to = 0; to < NETBURST_COUNTERS; to++) {
				if (from == to)
					continue;
				power_up(profiles[p], NULL);
				assert_int_equal(starts(from, to, CCCR_CASCADE),
						 netburst_cascade(from, to, false, model));
				power_up(profiles[p], NULL);
				assert_int_equal(starts(from, to, CCCR_EXTENDED_CASCADE),
						 netburst_cascade(from, to, true, model));
				power_up(profiles[p], NULL);
				assert_false(starts(from, to, 0));
			}
	}
}

static void cascades_stop(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	assert_true(starts(12, 14, CCCR_CASCADE));
	set(CCCR(14), cccr(NB_INSTR_RETIRED, 0) & ~CCCR_ENABLE);
	instructions(3);
	assert_int_equal(value(14), 101);
	power_up(&netburst_prescott, NULL);
	assert_true(starts(12, 14, CCCR_CASCADE));
	set(CCCR(12), cccr(NB_INSTR_RETIRED, 0)); /* OVF is cleared */
	instructions(3);
	assert_int_equal(value(14), 101);
}

/* --- logical processors ----------------------------------------------------------------------------- */

static void thread_specific(void **state)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 1, .thread = 1, .sibling = true};

	(void)state;
	power_up(&netburst_northwood_ht, NULL);
	program(12, NB_INSTR_RETIRED, 1, ESCR_T0_OS, 0);
	program(14, NB_INSTR_RETIRED, 1, ESCR_T1_OS, 0);
	program(13, NB_INSTR_RETIRED, 1, ESCR_T0_OS, 0);
	advance(&s);
	assert_int_equal(value(12), 0);
	assert_int_equal(value(14), 1);
	s.thread = 0;
	advance(&s);
	assert_int_equal(value(12), 1);
	assert_int_equal(value(14), 1);
	s.thread = 1;
	s.level = 3;
	advance(&s);
	assert_int_equal(value(14), 1);
}

/* Any bit of either processor acts for both. */
static void thread_independent(void **state)
{
	struct step s = {.terms = x87, .n_terms = 3, .cycles = 1, .thread = 1, .level = 3, .sibling = true};

	(void)state;
	power_up(&netburst_northwood_ht, NULL);
	program(8, NB_X87_FP_UOP, 1u << 15, ESCR_T0_USR, 0);
	program(10, NB_X87_FP_UOP, 1u << 15, ESCR_T0_OS, 0);
	advance(&s);
	assert_int_equal(value(8), 1);
	assert_int_equal(value(10), 1); /* the sibling is at level 0 */
	s.sibling = false;
	advance(&s);
	assert_int_equal(value(8), 2);
	assert_int_equal(value(10), 1);
	set(netburst_escr[FIRM_ESCR1].msr, escr(NB_X87_FP_UOP, 1u << 15, ESCR_T0_OS | ESCR_T1_USR));
	advance(&s);
	assert_int_equal(value(10), 2);
}

static void active_threads(void **state)
{
	static const uint32_t fields[] = {CCCR_THREAD_NONE, CCCR_THREAD_SINGLE, CCCR_THREAD_BOTH,
					  CCCR_THREAD_ANY};
	const struct qterm term = {Q_INSTRUCTIONS, 1};

	(void)state;
	for (unsigned f = 0; f < 4; f++)
		for (unsigned i = 0; i < 4; i++) {
			unsigned sibling = i & 1, halted = i >> 1, active = sibling + !halted;
			struct step s = {.terms = &term,
					 .n_terms = 1,
					 .cycles = 1,
					 .halted = halted,
					 .sibling = sibling};

			power_up(&netburst_northwood_ht, NULL);
			program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
			set(CCCR(12), (cccr(NB_INSTR_RETIRED, 0) & ~CCCR_THREAD) | fields[f]);
			advance(&s);
			/* Where nobody is active nothing retires. */
			assert_int_equal(value(12), active && (f == 3 || f == active));
			/* Without Hyper-Threading the field must be 11B. */
			power_up(&netburst_northwood, NULL);
			program(12, NB_INSTR_RETIRED, 1, RINGS_T0, 0);
			set(CCCR(12), (cccr(NB_INSTR_RETIRED, 0) & ~CCCR_THREAD) | fields[f]);
			advance(&s);
			assert_int_equal(value(12), active && f == 3);
		}
}

static void who_delivers(void **state)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 4};

	(void)state;
	power_up(&netburst_northwood_ht, NULL);
	program(4, NB_TC_DELIVER_MODE, 1u << 2, RINGS_T0, 0); /* DI */
	program(6, NB_TC_DELIVER_MODE, 1u << 6, RINGS_T0, 0); /* ID */
	advance(&s);
	assert_int_equal(value(4), 4);
	assert_int_equal(value(6), 0);
	s.thread = 1;
	advance(&s);
	assert_int_equal(value(4), 4);
	assert_int_equal(value(6), 4);
	s.sibling = true;
	advance(&s);
	assert_int_equal(value(4), 4);
	assert_int_equal(value(6), 4);
}

static void halted_time(void **state)
{
	struct step s = {.cycles = 50, .halted = true};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(0, NB_GLOBAL_POWER_EVENTS, 1, RINGS_T0, 0);
	advance(&s);
	assert_int_equal(value(0), 0);
}

#define NETBURST_OVERFLOW_TESTS                                                                              \
	cmocka_unit_test(wraps_at_40_bits), cmocka_unit_test(pmi_on_the_next),                               \
		cmocka_unit_test(pmi_to_either_processor), cmocka_unit_test(forced_overflow),                \
		cmocka_unit_test(cascade_pairs), cmocka_unit_test(cascades_stop),                            \
		cmocka_unit_test(thread_specific), cmocka_unit_test(thread_independent),                     \
		cmocka_unit_test(active_threads), cmocka_unit_test(who_delivers),                            \
		cmocka_unit_test(halted_time)
