/*
 * The NetBurst model's records, rule by rule: branch stack, branch traces, PEBS. Included by the tests of the
 * model.
 */
#include "tests/self/host/netburst_record_shortcuts.h"

/* --- the branch stack ------------------------------------------------------------------------------- */

static void last_branches(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	jump(0x20);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 0);
	assert_int_equal(get(MSR_LASTBRANCH_FROM_0 + 1), 0);
	assert_false(netburst_model.recording(cpu));
	set(MSR_DEBUGCTLA, DEBUGCTLA_LBR);
	assert_true(netburst_model.recording(cpu));
	fake_path_not_taken(&path);
	fake_path_nops(&path, 3);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 0);
	for (unsigned i = 1; i <= 6; i++) {
		path.regs.ip = 0x100 * i;
		jump(0x1000 * i);
	}
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 6);
	assert_int_equal(get(MSR_LASTBRANCH_FROM_0 + 6), 0x600);
	assert_int_equal(get(MSR_LASTBRANCH_TO_0 + 6), 0x6000);
	assert_int_equal(get(MSR_LASTBRANCH_FROM_0 + 1), 0x100);
	for (unsigned i = 7; i <= 18; i++)
		jump(0x1000 * i);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
	set(MSR_DEBUGCTLA, 0);
	jump(0);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
	start_path(&netburst_willamette, NULL);
	set(MSR_DEBUGCTLA, DEBUGCTLA_LBR);
	for (unsigned i = 1; i <= 5; i++) {
		path.regs.ip = 0x100 * i;
		jump(0x1000 * i);
	}
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 1);
	assert_true(get(MSR_LASTBRANCH_0 + 1) == (0x5000ull << 32 | 0x500));
	set(MSR_LASTBRANCH_TOS, 7);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 3);
}

/* Interrupts and exceptions are entries, and put what was on top aside; a debug exception is none and ends
 * it. */
static void events_in_the_stack(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set(MSR_DEBUGCTLA, DEBUGCTLA_LBR | DEBUGCTLA_BTF);
	jump(0x2000);
	exception(13, 0x9000);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
	assert_int_equal(get(MSR_LASTBRANCH_FROM_0 + 2), 0x2000);
	assert_int_equal(get(MSR_LASTBRANCH_TO_0 + 2), 0x9000);
	assert_int_equal(get(MSR_LER_FROM_LIP), CODE);
	assert_int_equal(get(MSR_LER_TO_LIP), 0x2000);
	fake_path_far(&path, 0x2002, 0);
	exception(1, 0x9100);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 3);
	assert_int_equal(get(MSR_LASTBRANCH_TO_0 + 3), 0x2002);
	assert_int_equal(get(MSR_LER_TO_LIP), 0x2000);
	assert_int_equal(get(MSR_DEBUGCTLA), 0);
	assert_false(netburst_model.recording(cpu));
}

/* Each logical processor has its own. */
static void stacks_of_both_processors(void **state)
{
	struct step s = {.transfer = TRANSFER_JUMP, .thread = 1};

	(void)state;
	start_path(&netburst_prescott, NULL);
	netburst_model.place(cpu, 1);
	set(MSR_DEBUGCTLA, DEBUGCTLA_LBR);
	jump(0x2000);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 0);
	fake_path_step(&path, &s, 0x3000);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 1);
	assert_int_equal(get(MSR_LASTBRANCH_TO_0 + 1), 0x3000);
	netburst_model.place(cpu, 0);
	assert_int_equal(get(MSR_DEBUGCTLA), 0);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 0);
}

/* --- branch traces ---------------------------------------------------------------------------------- */

static void branch_traces(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(8, 0, 0, 0, 0);
	set(MSR_DEBUGCTLA, DEBUGCTLA_BTS);
	assert_false(netburst_model.recording(cpu));
	jump(CODE);
	assert_int_equal(bts_records(), 0);
	set(MSR_DEBUGCTLA, DEBUGCTLA_TR);
	assert_false(netburst_model.recording(cpu));
	set(MSR_DEBUGCTLA, BTS_ON);
	assert_true(netburst_model.recording(cpu));
	fake_path_not_taken(&path);
	jump(0x5000);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, 0x6000);
	exception(14, 0x9000);
	assert_int_equal(bts_records(), 3);
	assert_int_equal(get_word(BTS_BUFFER), CODE + 2);
	assert_int_equal(get_word(BTS_BUFFER + 8), 0x5000);
	assert_int_equal(get_word(BTS_BUFFER + 0x10), 1 << 4);
	assert_int_equal(get_word(BTS_BUFFER + 0x18), 0x5000);
	assert_int_equal(get_word(BTS_BUFFER + 0x20), 0x6000);
	assert_int_equal(get_word(BTS_BUFFER + 0x28), 0);
	assert_int_equal(get_word(BTS_BUFFER + 0x38), 0x9000);
	assert_int_equal(interrupts(), 0);
	assert_int_equal(get_word(PEBS_BUFFER), 0);
}

/* With BTINT the buffer fills up once; without it, it starts again. The threshold interrupts in either case.
 */
static void full_traces(void **state)
{
	(void)state;
	for (unsigned btint = 0; btint < 2; btint++) {
		start_path(&netburst_northwood, NULL);
		set_up_ds(4, 3, 0, 0, 0);
		set(MSR_DEBUGCTLA, BTS_ON | (btint ? DEBUGCTLA_BTINT : 0));
		jump(0x1000);
		jump(0x2000);
		assert_int_equal(interrupts(), 0);
		jump(0x3000);
		assert_int_equal(interrupts(), 1);
		jump(0x4000);
		assert_int_equal(bts_records(), btint ? 4 : 0);
		jump(0x5000);
		assert_int_equal(bts_records(), btint ? 4 : 1);
		assert_int_equal(get_word(BTS_BUFFER + 8), btint ? 0x1000 : 0x5000);
		assert_int_equal(get_word(BTS_BUFFER + 3 * 24 + 8), 0x4000);
		assert_int_equal(get_word(BTS_BUFFER + 4 * 24), 0);
		assert_int_equal(interrupts(), 0);
	}
	/* A buffer that is no multiple of a record: the last part stays unused. */
	start_path(&netburst_northwood, NULL);
	set_up_ds(2, 0, 0, 0, 0);
	put_word(16, address_of(BTS_BUFFER + 2 * 24 + 10));
	set(MSR_DEBUGCTLA, BTS_ON | DEBUGCTLA_BTINT);
	for (unsigned i = 0; i < 4; i++)
		jump(0x1000);
	assert_int_equal(bts_records(), 2);
	assert_int_equal(get_word(BTS_BUFFER + 2 * 24), 0);
}

static void traces_by_ring(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(8, 0, 0, 0, 0);
	set(MSR_DEBUGCTLA, BTS_ON | DEBUGCTLA_BTS_OFF_OS);
	jump(0x1000);
	assert_int_equal(bts_records(), 0);
	path.level = 3;
	jump(0x2000);
	assert_int_equal(bts_records(), 1);
	set(MSR_DEBUGCTLA, BTS_ON | DEBUGCTLA_BTS_OFF_USR);
	jump(0x3000);
	assert_int_equal(bts_records(), 1);
	path.level = 0;
	jump(0x4000);
	assert_int_equal(bts_records(), 2);
	set(MSR_DEBUGCTLA, BTS_ON | DEBUGCTLA_BTS_OFF_USR | DEBUGCTLA_BTS_OFF_OS);
	jump(0x5000);
	assert_int_equal(bts_records(), 2);
}

/* --- PEBS ------------------------------------------------------------------------------------------- */

static void precise_samples(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(0, 0, 8, 2, TOP - 2); /* overflows with the third, records the fourth */
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP - 2);
	assert_true(netburst_model.recording(cpu));
	for (unsigned i = 0; i < 3; i++) {
		fake_path_load(&path, 0x10000);
		fake_path_nops(&path, 2);
	}
	assert_int_equal(value(16), 0);
	assert_true(ovf(16));
	assert_int_equal(pebs_records(), 0);
	path.regs.flags = 0x246;
	fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 1);
	assert_true(value(16) == TOP - 2);
	assert_int_equal(get_word(PEBS_BUFFER), 0x246);
	assert_int_equal(get_word(PEBS_BUFFER + 8), path.regs.ip);
	for (unsigned i = 0; i < 16; i++)
		assert_true(get_word(PEBS_BUFFER + 16 + 8 * i) == path.regs.general[i]);
	assert_int_equal(interrupts(), 0);
	for (unsigned i = 0; i < 4; i++)
		fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 2);
	assert_int_equal(interrupts(), 1);
	for (unsigned i = 0; i < 4; i++)
		fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 3);
	assert_int_equal(interrupts(), 0);
}

/* The occurrence after an overflow may be long in coming: what is due is forgotten when the counter is set up
 * again, not when it pauses. */
static void samples_that_are_due(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(0, 0, 8, 0, TOP - 2);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	fake_path_load(&path, 0x10000);
	set(MSR_NETBURST_CCCR0 + 16, get(MSR_NETBURST_CCCR0 + 16) & ~(uint64_t)CCCR_ENABLE);
	fake_path_load(&path, 0x10000);
	set(MSR_NETBURST_CCCR0 + 16, get(MSR_NETBURST_CCCR0 + 16) | CCCR_ENABLE);
	fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 1);
	set(MSR_NETBURST_COUNTER0 + 16, TOP);
	fake_path_load(&path, 0x10000);
	set(MSR_NETBURST_COUNTER0 + 16, TOP);
	fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 1);
}

/* One instruction may have several occurrences: two periods in one of ten loads. */
static void samples_of_many(void **state)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 9}};

	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(0, 0, 8, 0, TOP - 2);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP - 2);
	fake_path_insn(&path, 3, terms, 2);
	assert_int_equal(pebs_records(), 2);
	assert_true(value(16) == TOP - 1);
	assert_int_equal(get_word(PEBS_BUFFER + 144 + 8), path.regs.ip);
}

/* Every condition of it: without, the counter is one like others. */
static void samples_need(void **state)
{
	(void)state;
	for (unsigned without = 0; without < 6; without++) {
		start_path(without == 4 ? &netburst_northwood : &netburst_prescott, NULL);
		set_up_ds(0, 0, 8, 0, TOP - 2);
		unsigned c = without == 1 ? 12 : without == 4 ? 17 : 16;

		set(MSR_PEBS_ENABLE, without == 2 ? PEBS_REPLAY_TAG : PEBS_ENABLE_MINE | PEBS_ENABLE_OTHER);
		if (without == 3)
			program(16, NB_INSTR_RETIRED, 1, RINGS_T0, CCCR_OVF_PMI_T0);
		else
			set_up_pebs(without == 5 ? 0 : CCCR_OVF_PMI_T0, TOP);
		if (c != 16) {
			set(MSR_NETBURST_CCCR0 + 16, 0);
			program(c, NB_FRONT_END_EVENT, 1, RINGS_T0,
				CCCR_OVF_PMI_T0 | (c == 17 ? CCCR_OVF_PMI_T1 : 0));
		}
		set(MSR_NETBURST_COUNTER0 + c, TOP);
		for (unsigned i = 0; i < 3; i++)
			fake_path_load(&path, 0x10000);
		assert_int_equal(pebs_records(), without == 0);
		assert_int_equal(netburst_model.recording(cpu), without == 0);
	}
}

static void pebs_is_never_circular(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(0, 0, 3, 0, TOP);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	for (unsigned i = 0; i < 20; i++)
		fake_path_load(&path, 0x10000);
	assert_int_equal(pebs_records(), 3);
	assert_int_equal(get_word(PEBS_BUFFER + 3 * 144), 0);
	assert_true(value(16) == TOP);
	assert_int_equal(interrupts(), 0);
}

/* The second logical processor samples with counter 17, and bit 25 is its own. */
static void samples_of_the_second_processor(void **state)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 4}};
	struct step s = {.terms = terms, .n_terms = 2, .thread = 1};

	(void)state;
	start_path(&netburst_prescott, NULL);
	set(netburst_escr[RAT_ESCR1].msr, escr(NB_UOP_TYPE, 2, RINGS_T1));
	program(17, NB_FRONT_END_EVENT, 1, RINGS_T1, CCCR_OVF_PMI_T1);
	set(MSR_NETBURST_COUNTER0 + 17, TOP);
	netburst_model.place(cpu, 1);
	set_up_ds(0, 0, 8, 1, TOP - 100);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE | 5);
	assert_int_equal(get(MSR_PEBS_ENABLE), PEBS_ENABLE_MINE | 5);
	netburst_model.place(cpu, 0);
	assert_int_equal(get(MSR_PEBS_ENABLE), PEBS_ENABLE_OTHER | 5);
	fake_path_step(&path, &s, 0x7000);
	assert_int_equal(pebs_records(), 1);
	assert_int_equal(get_word(PEBS_BUFFER + 8), 0x7000);
	assert_int_equal(interrupts(), 0);
	assert_true(netburst_model.take_pmi_of(cpu, 1));
}

/* Parts, or firmware, that say it is not there. */
static void absent_debug_store(void **state)
{
	struct netburst_profile data = *(const struct netburst_profile *)netburst_prescott.data;
	struct model_profile part = netburst_prescott;

	(void)state;
	part.data = &data;
	data.misc_enable |= MISC_ENABLE_BTS_ABSENT | MISC_ENABLE_PEBS_ABSENT;
	start_path(&part, NULL);
	set_up_ds(8, 0, 8, 0, TOP);
	set(MSR_DEBUGCTLA, BTS_ON);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	assert_false(netburst_model.recording(cpu));
	for (unsigned i = 0; i < 3; i++) {
		fake_path_load(&path, 0x10000);
		jump(0x1000);
	}
	assert_int_equal(bts_records(), 0);
	assert_int_equal(pebs_records(), 0);
}

static void debug_store_of_32_bits(void **state)
{
	struct netburst_profile data = *(const struct netburst_profile *)netburst_northwood.data;
	struct model_profile part = netburst_northwood;

	(void)state;
	part.data = &data;
	data.legacy_mode = true;
	start_path(&part, NULL);
	ds_word = 4;
	set_up_ds(8, 1, 8, 1, 0xfe76543210);
	set(MSR_DEBUGCTLA, BTS_ON);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	jump(0x5000);
	assert_int_equal(interrupts(), 1);
	assert_int_equal(get_word(4), get_word(0) + 12);
	assert_int_equal(get_word(BTS_BUFFER), CODE);
	assert_int_equal(get_word(BTS_BUFFER + 4), 0x5000);
	assert_int_equal(get_word(BTS_BUFFER + 8), 1 << 4);
	path.regs.flags = 0x202;
	fake_path_load(&path, 0x10000);
	fake_path_load(&path, 0x10000);
	assert_int_equal(interrupts(), 1);
	assert_int_equal(get_word(0x14), get_word(0x10) + 40);
	assert_int_equal(get_word(PEBS_BUFFER), 0x202);
	assert_int_equal(get_word(PEBS_BUFFER + 4), path.regs.ip);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(get_word(PEBS_BUFFER + 8 + 4 * i), (uint32_t)path.regs.general[i]);
	assert_int_equal(get_word(PEBS_BUFFER + 40), 0);
	assert_true(value(16) == 0xfe76543210);
}

/* Where memory cannot be reached, nothing is written and counting goes on. */
static void debug_store_out_of_reach(void **state)
{
	(void)state;
	start_path(&netburst_prescott, NULL);
	set_up_ds(8, 1, 8, 1, TOP - 5);
	fake_memory_protect(area + BTS_BUFFER, 4096);
	set(MSR_DEBUGCTLA, BTS_ON);
	set(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
	set_up_pebs(CCCR_OVF_PMI_T0, TOP);
	jump(0x5000);
	fake_path_load(&path, 0x10000);
	fake_path_load(&path, 0x10000);
	assert_int_equal(bts_records(), 0);
	assert_int_equal(pebs_records(), 0);
	assert_int_equal(interrupts(), 0);
	assert_true(value(16) == TOP - 5);
	set(MSR_DS_AREA, 0x10);
	jump(0x6000);
	assert_true(fake_memory_refused() > 0);
}

#define NETBURST_RECORD_TESTS                                                                                \
	cmocka_unit_test(last_branches), cmocka_unit_test(events_in_the_stack),                              \
		cmocka_unit_test(stacks_of_both_processors), cmocka_unit_test(branch_traces),                \
		cmocka_unit_test(full_traces), cmocka_unit_test(traces_by_ring),                             \
		cmocka_unit_test(precise_samples), cmocka_unit_test(samples_that_are_due),                   \
		cmocka_unit_test(samples_of_many), cmocka_unit_test(samples_need),                           \
		cmocka_unit_test(pebs_is_never_circular), cmocka_unit_test(samples_of_the_second_processor), \
		cmocka_unit_test(absent_debug_store), cmocka_unit_test(debug_store_of_32_bits),              \
		cmocka_unit_test(debug_store_out_of_reach)
