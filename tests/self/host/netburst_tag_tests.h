/*
 * Tagging in the NetBurst model, rule by rule: front end, execution, replays. Included by the tests of the
 * model.
 */
#include "tests/self/host/netburst_model_shortcuts.h"

static void front_end_tags_uops(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(14, NB_FRONT_END_EVENT, 1, RINGS_T0, 0);
	program(13, NB_INSTR_RETIRED, 3 - 2, RINGS_T0, 0); /* untagged */
	program(15, NB_INSTR_RETIRED, 2, RINGS_T0, 0);     /* tagged */
	step_with(load, 3, 0);
	assert_int_equal(value(14), 0);
	assert_int_equal(value(13), 1);
	assert_int_equal(value(15), 0);
	set(netburst_escr[RAT_ESCR0].msr, escr(NB_UOP_TYPE, 1u << 1, RINGS_T0)); /* loads */
	set(CCCR(13), get(CCCR(13)));                                            /* decoded anew */
	step_with(load, 3, 0);
	step_with(store, 3, 0);
	assert_int_equal(value(14), 1);
	assert_int_equal(value(13), 2);
	assert_int_equal(value(15), 1);
	set(netburst_escr[RAT_ESCR1].msr, escr(NB_UOP_TYPE, 1u << 2, RINGS_T0)); /* stores too */
	step_with(load, 3, 0);
	step_with(store, 3, 0);
	assert_int_equal(value(14), 3);
	/* There is one colour: a uop that both tag counts once. */
	set(netburst_escr[RAT_ESCR1].msr, escr(NB_UOP_TYPE, 1u << 1 | 1u << 2, RINGS_T0));
	step_with(load, 3, 0);
	step_with(store, 3, 0);
	step_with(load, 3, 0);
	assert_int_equal(value(14), 6);
	set(netburst_escr[RAT_ESCR1].msr, escr(NB_UOP_TYPE, 1u << 2, RINGS_T0));
	program(14, NB_FRONT_END_EVENT, 1, RINGS_T0, 0);
	for (unsigned i = 0; i < 3; i++)
		step_with(load, 3, 0);
	/* The tagging ESCR's rings have a say. */
	set(netburst_escr[RAT_ESCR0].msr, escr(NB_UOP_TYPE, 1u << 1, ESCR_T0_USR));
	step_with(load, 3, 0);
	assert_int_equal(value(14), 3);
	step_with(load, 3, 3);
	assert_int_equal(value(14), 4);
	/* Returns, far branches and locked accesses cannot be tagged: 18.15.6.1. */
	for (unsigned i = 0; i < 3; i++) {
		const struct qterm untagged[] = {{Q_INSTRUCTIONS, 1},
						 {Q_LOADS, 2},
						 {i == 0   ? Q_BR_RET
						  : i == 1 ? Q_BR_FAR
							   : Q_INSN_LOCKED,
						  1}};

		step_with(untagged, 3, 3);
		assert_int_equal(value(14), 4);
	}
}

/* Tag values are four bits: side by side, and each for itself. */
static void execution_tags_have_colours(void **state)
{
	(void)state;
	for (unsigned colour = 0; colour < 4; colour++) {
		power_up(&netburst_prescott, NULL);
		uint32_t tag = ESCR_TAG_ENABLE | 1u << colour << ESCR_TAG_SHIFT;
		unsigned other = (colour + 1) % 4;

		program(8, NB_PACKED_SP_UOP, 1u << 15, RINGS_T0, 0);
		set(netburst_escr[FIRM_ESCR0].msr, escr(NB_PACKED_SP_UOP, 1u << 15, RINGS_T0) | tag);
		set(netburst_escr[FIRM_ESCR1].msr, escr(NB_X87_FP_UOP, 1u << 15, RINGS_T0) | ESCR_TAG_ENABLE |
							   1u << other << ESCR_TAG_SHIFT);
		program(12, NB_EXECUTION_EVENT, 1u << colour, RINGS_T0, 0);
		program(14, NB_EXECUTION_EVENT, 1u << other, RINGS_T0, 0);
		step_with(packed_sp, 3, 0);
		step_with(packed_sp, 3, 0);
		step_with(x87, 3, 0);
		assert_int_equal(value(12), 2);
		assert_int_equal(value(14), 1);
		/* BOGUS bits count what was cancelled: nothing here. */
		program(12, NB_EXECUTION_EVENT, 1u << (4 + colour), RINGS_T0, 0);
		step_with(packed_sp, 3, 0);
		assert_int_equal(value(12), 0);
	}
}

static void a_uop_counts_once(void **state)
{
	(void)state;
	power_up(&netburst_prescott, NULL);
	program(8, NB_PACKED_SP_UOP, 1u << 15, RINGS_T0, 0);
	for (unsigned i = 0; i < 2; i++)
		set(netburst_escr[FIRM_ESCR0 + i].msr,
		    escr(NB_PACKED_SP_UOP, 1u << 15, RINGS_T0) | ESCR_TAG_ENABLE | 1u << i << ESCR_TAG_SHIFT);
	program(12, NB_EXECUTION_EVENT, 3, RINGS_T0, 0);
	step_with(packed_sp, 3, 0);
	assert_int_equal(value(12), 1);
	/* Either of them tags where it may: one in ring 0, the other in ring 3. */
	for (unsigned i = 0; i < 2; i++)
		set(netburst_escr[FIRM_ESCR0 + i].msr,
		    escr(NB_PACKED_SP_UOP, 1u << 15, i ? ESCR_T0_USR : ESCR_T0_OS) | ESCR_TAG_ENABLE |
			    1u << i << ESCR_TAG_SHIFT);
	set(CCCR(12), get(CCCR(12)));
	step_with(packed_sp, 3, 0);
	assert_int_equal(value(12), 2);
	step_with(packed_sp, 3, 3);
	assert_int_equal(value(12), 3);
}

static void tags_need_their_enable_and_a_counter(void **state)
{
	uint32_t firm = escr(NB_PACKED_SP_UOP, 1u << 15, RINGS_T0) | 1u << ESCR_TAG_SHIFT;

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_EXECUTION_EVENT, 1, RINGS_T0, 0);
	set(netburst_escr[FIRM_ESCR0].msr, firm | ESCR_TAG_ENABLE);
	step_with(packed_sp, 3, 0);
	assert_int_equal(value(12), 0); /* no counter of FLAME is enabled */
	set(CCCR(11), cccr(NB_PACKED_SP_UOP, 0));
	step_with(packed_sp, 3, 0);
	assert_int_equal(value(12), 1);
	set(netburst_escr[FIRM_ESCR0].msr, firm);
	step_with(packed_sp, 3, 0);
	assert_int_equal(value(12), 1);
}

static void replays(void **state)
{
	static const struct qterm miss[] = {
		{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_DTLB_LOAD_MISS, 1}, {Q_LOADS_SPLIT_LINE, 1}};
	static const struct qterm write[] = {{Q_INSTRUCTIONS, 1}, {Q_STORES, 1}, {Q_DTLB_STORE_MISS, 1}};
	static const struct qterm locked[] = {
		{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_INSN_LOCKED, 1}, {Q_DTLB_LOAD_MISS, 1}};
	static const struct qterm returns[] = {
		{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_BR_RET, 1}, {Q_DTLB_LOAD_MISS, 1}};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_REPLAY_EVENT, 1, RINGS_T0, 0);
	set(MSR_PEBS_ENABLE, 1u << 2);
	set(MSR_PEBS_MATRIX_VERT, 1);
	step_with(miss, 4, 0);
	assert_int_equal(value(12), 0); /* bit 24 is off */
	set(MSR_PEBS_ENABLE, PEBS_REPLAY_TAG | 1u << 2);
	step_with(miss, 4, 0);
	step_with(write, 3, 0);
	assert_int_equal(value(12), 1);
	set(MSR_PEBS_MATRIX_VERT, 3);
	step_with(miss, 4, 0);
	step_with(write, 3, 0);
	assert_int_equal(value(12), 3);
	/* A locked access and a return are never tagged: 18.15.6.1. */
	step_with(locked, 4, 0);
	step_with(returns, 4, 0);
	assert_int_equal(value(12), 3);
	/* Splits need their own ESCR besides, and a counter there. */
	set(MSR_PEBS_MATRIX_VERT, 1);
	set(MSR_PEBS_ENABLE, PEBS_REPLAY_TAG | 1u << 10);
	step_with(miss, 4, 0);
	assert_int_equal(value(12), 3);
	program(10, NB_LOAD_PORT_REPLAY, 2, RINGS_T0, 0);
	step_with(miss, 4, 0);
	assert_int_equal(value(12), 4);
	assert_int_equal(value(10), 1);
}

static void mispredictions_by_kind(void **state)
{
	static const struct qterm ret[] = {
		{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_RET, 1}, {Q_BR_MISPRED, 1}};
	static const struct qterm not [] = {{Q_INSTRUCTIONS, 1},
					    {Q_BRANCHES, 1},
					    {Q_BR_COND, 1},
					    {Q_BR_COND_NTAKEN, 1},
					    {Q_BR_MISPRED, 1}};

	(void)state;
	power_up(&netburst_prescott, NULL);
	program(12, NB_BRANCH_RETIRED, 1u << 1, RINGS_T0, 0); /* MMNM */
	program(14, NB_BRANCH_RETIRED, 1u << 3, RINGS_T0, 0); /* MMTM */
	program(4, NB_RETIRED_MISPRED_BRANCH_TYPE, 1u << 3, RINGS_T0, 0);
	program(6, NB_RETIRED_MISPRED_BRANCH_TYPE, 1u << 1, RINGS_T0, 0);
	step_with(ret, 4, 0);
	step_with(not, 5, 0);
	step_with(not, 5, 0);
	assert_int_equal(value(12), 2);
	assert_int_equal(value(14), 1);
	assert_int_equal(value(4), 1);
	assert_int_equal(value(6), 2);
}

#define NETBURST_TAG_TESTS                                                                                   \
	cmocka_unit_test(front_end_tags_uops), cmocka_unit_test(execution_tags_have_colours),                \
		cmocka_unit_test(a_uop_counts_once), cmocka_unit_test(tags_need_their_enable_and_a_counter), \
		cmocka_unit_test(replays), cmocka_unit_test(mispredictions_by_kind)
