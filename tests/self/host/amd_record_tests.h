/*
 * Rules of the AMD model's branch records, one test each, with those of its sampling. Included by the test of
 * the model as it is and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_AMD_RECORD_TESTS_H
#define TESTS_SELF_HOST_AMD_RECORD_TESTS_H

#include "tests/self/host/amd_ibs_tests.h"

/* --- branches --------------------------------------------------------------------------------------- */

static void jumps(unsigned n)
{
	while (n--)
		fake_path_branch(&path, TRANSFER_JUMP, path.regs.ip + 16);
}

static enum register_answer look(uint32_t address)
{
	uint64_t value;
	return model_rdmsr(&amd_model, cpu, address, &value);
}

static void branch_registers(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		unsigned entries;
		bool stack;
	} rows[] = {{&amd_k7, 0, false},   {&amd_zen3, 0, false}, {&amd_zen3_epyc, 16, false},
		    {&amd_zen4, 16, true}, {&amd_zen5, 16, true}, {&amd_zen4_guest, 0, false}};
	(void)unused;
	for (unsigned p = 0; p < sizeof rows / sizeof rows[0]; p++) {
		boot(rows[p].profile, "");
		for (unsigned i = 0; i < 64; i++) {
			assert_int_equal(faults(BRANCH_FROM0 + 2 * i), i >= rows[p].entries);
			assert_int_equal(faults(BRANCH_TO0 + 2 * i), i >= rows[p].entries);
		}
		assert_int_equal(look(BRANCH_FROM0 + 128), REGISTER_NOT_MINE);
		assert_int_equal(look(LBR_SELECT), rows[p].stack ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(put(LBR_SELECT, ~0ull), rows[p].stack ? REGISTER_DONE : REGISTER_FAULT);
		if (rows[p].stack)
			assert_int_equal(get(LBR_SELECT), 0x1ff);
		assert_int_equal(faults(DBG_EXTN_CFG), !rows[p].entries);
		if (!rows[p].entries)
			continue;
		assert_int_equal(put(DBG_EXTN_CFG, ~0ull), rows[p].stack ? REGISTER_FAULT : REGISTER_DONE);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? 0 : 0x70f003c);
		set(DBG_EXTN_CFG, DBG_EXTN_LBR);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? DBG_EXTN_LBR : DBG_EXTN_ONES);
		set(DBG_EXTN_CFG, 0);
		assert_int_equal(get(DBG_EXTN_CFG), rows[p].stack ? 0 : DBG_EXTN_ONES);
		set(BRANCH_FROM0, 5);
		set(BRANCH_TO0 + 30, 6);
		assert_int_equal(get(BRANCH_FROM0), 5);
		assert_int_equal(get(BRANCH_TO0 + 30), 6);
	}
}

static void branch_stack(void **unused)
{
	(void)unused;
	boot(&amd_zen4, "");
	jumps(1);
	assert_int_equal(get(BRANCH_TO0), 0);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	assert_true(amd_model.recording(cpu));
	path.regs.ip = CODE;
	fake_path_nops(&path, 1);
	fake_path_not_taken(&path);
	jumps(1);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, CODE);
	assert_int_equal(get(BRANCH_FROM0), (CODE + 19) | BRANCH_MISPREDICTED);
	assert_int_equal(get(BRANCH_TO0), CODE | BRANCH_VALID);
	assert_int_equal(get(BRANCH_FROM0 + 2), CODE + 3);
	assert_int_equal(get(BRANCH_TO0 + 2), (CODE + 19) | BRANCH_VALID);
	assert_int_equal(get(BRANCH_TO0 + 4), 0);
	jumps(15);
	assert_int_equal(get(BRANCH_FROM0 + 30), (CODE + 19) | BRANCH_MISPREDICTED);
	assert_int_equal(get(BRANCH_FROM0), CODE + 14 * 16);
	/* Addresses of the upper half are cut to 57 bits. */
	fake_path_branch(&path, TRANSFER_JUMP, 0xffff800000000000ull);
	assert_int_equal(get(BRANCH_TO0), 0x1ff800000000000ull | BRANCH_VALID);
	/* A conditional branch may be one with the instruction before it, unless DebugCtl says no. */
	for (unsigned apart = 0; apart < 2; apart++) {
		path.regs.ip = CODE;
		set(DEBUGCTL, apart ? DEBUGCTL_LBR : 0);
		fake_path_nops(&path, 2);
		fake_path_branch(&path, TRANSFER_CONDITIONAL, CODE + 0x100);
		assert_int_equal(get(BRANCH_FROM0), CODE + 1 + apart);
		fake_path_branch(&path, TRANSFER_CONDITIONAL, CODE);
		assert_int_equal(get(BRANCH_FROM0), CODE + 0x100);
		fake_path_nops(&path, 1);
		fake_path_branch(&path, TRANSFER_JUMP, CODE);
		assert_int_equal(get(BRANCH_FROM0), CODE + 1);
	}
	/* One branch is not one with another before it, which was not taken. */
	path.regs.ip = CODE;
	set(DEBUGCTL, 0);
	fake_path_nops(&path, 1);
	fake_path_not_taken(&path);
	uint64_t at = path.regs.ip;
	fake_path_branch(&path, TRANSFER_CONDITIONAL, CODE);
	assert_int_equal(get(BRANCH_FROM0), at);
	/* Frozen, it stays as it is. */
	set(PERF_GLOBAL_STATUS_SET, STATUS_LBR_FROZEN);
	boot(&amd_zen5, "");
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	set(PERF_GLOBAL_STATUS_SET, STATUS_LBR_FROZEN);
	jumps(1);
	assert_int_equal(get(BRANCH_TO0), 0);
	set(PERF_GLOBAL_STATUS_CLR, STATUS_LBR_FROZEN);
	jumps(1);
	assert_true(get(BRANCH_TO0) & BRANCH_VALID);
}

static void branch_filters(void **unused)
{
	static const struct {
		enum step_transfer kind;
		uint32_t bit;
	} rows[] = {
		{TRANSFER_CONDITIONAL, LBR_SELECT_JCC}, {TRANSFER_JUMP, LBR_SELECT_JUMP},
		{TRANSFER_CALL, LBR_SELECT_CALL},       {TRANSFER_JUMP_INDIRECT, LBR_SELECT_JUMP_INDIRECT},
		{TRANSFER_RETURN, LBR_SELECT_RETURN},   {TRANSFER_CALL_INDIRECT, LBR_SELECT_CALL_INDIRECT},
		{TRANSFER_SYSTEM, LBR_SELECT_FAR},      {TRANSFER_EVENT, LBR_SELECT_FAR}};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (unsigned b = 2; b < 9; b++) {
			boot(&amd_zen4, "");
			set(LBR_SELECT, 1u << b);
			set(DBG_EXTN_CFG, DBG_EXTN_LBR);
			if (rows[i].kind == TRANSFER_SYSTEM)
				fake_path_far(&path, CODE, 0);
			else if (rows[i].kind == TRANSFER_EVENT)
				fake_path_event(&path, CODE);
			else
				fake_path_branch(&path, rows[i].kind, CODE);
			assert_int_equal(get(BRANCH_TO0) == 0, rows[i].bit == 1u << b);
		}
	/* The ring in which it ends. */
	for (unsigned b = 0; b < 2; b++) {
		boot(&amd_zen4, "");
		set(LBR_SELECT, 1u << b);
		set(DBG_EXTN_CFG, DBG_EXTN_LBR);
		fake_path_far(&path, CODE, 3);
		assert_int_equal(get(BRANCH_TO0) != 0, b == 0);
		set(BRANCH_TO0, 0);
		fake_path_event(&path, CODE);
		assert_int_equal(get(BRANCH_TO0) != 0, b == 1);
	}
}

static void last_branch(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < SAMPLING; p++) {
		boot(sampling[p].profile, "");
		jumps(1);
		assert_int_equal(get(LAST_BRANCH_FROM), 0);
		set(DEBUGCTL, DEBUGCTL_LBR);
		assert_true(amd_model.recording(cpu));
		path.regs.ip = CODE;
		jumps(2);
		assert_int_equal(get(LAST_BRANCH_FROM), CODE + 16);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 32);
		assert_int_equal(get(LAST_EXCEPTION_FROM), 0);
		fake_path_event(&path, CODE + 0x1000);
		assert_int_equal(get(LAST_EXCEPTION_FROM), CODE + 16);
		assert_int_equal(get(LAST_EXCEPTION_TO), CODE + 32);
		assert_int_equal(get(LAST_BRANCH_FROM), CODE + 32);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 0x1000);
		set(LAST_BRANCH_TO, 1);
		assert_int_equal(get(LAST_BRANCH_TO), CODE + 0x1000);
	}
}

/* It ends recording and stepping by branches, and is not recorded. */
static void debug_exception(void **unused)
{
	struct step step = {
		.cycles = 1, .ip = CODE, .next = CODE + 0x1000, .transfer = TRANSFER_EVENT, .vector = 1};
	(void)unused;
	boot(&amd_zen4, "");
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_BTF);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	path.regs.ip = CODE + 16;
	jumps(1);
	amd_model.advance(cpu, &step);
	assert_int_equal(get(DEBUGCTL), 0);
	assert_int_equal(get(DBG_EXTN_CFG), 0);
	assert_int_equal(get(LAST_BRANCH_FROM), CODE + 16);
	assert_int_equal(get(LAST_EXCEPTION_FROM), 0);
	assert_int_equal(get(BRANCH_FROM0), CODE + 16);
	assert_int_equal(get(BRANCH_TO0 + 2), 0);
	/* Another exception is one branch more. */
	set(DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_BTF);
	set(DBG_EXTN_CFG, DBG_EXTN_LBR);
	step.vector = 6;
	amd_model.advance(cpu, &step);
	assert_int_equal(get(DEBUGCTL), DEBUGCTL_LBR | DEBUGCTL_BTF);
	assert_int_equal(get(LAST_EXCEPTION_FROM), CODE + 16);
	assert_int_equal(get(BRANCH_FROM0), CODE);
}

/* Branch sampling: from an overflow of its counter on, 16 branches, then the interrupt. */
static void branch_sampling(void **unused)
{
	(void)unused;
	boot(&amd_zen3_epyc, "");
	for (unsigned c = 0; c < 3; c++) {
		program(c, 0xc4 | RINGS | CTL_EN | CTL_INT);
		set(CTR(c), c == 2 ? TOP - 1 : c == 1 ? TOP - 2 : 0);
	}
	set(DBG_EXTN_CFG, DBG_EXTN_BRS | DBG_EXTN_ONES | 2ull << DBG_EXTN_BRS_PMC_SHIFT);
	assert_true(amd_model.recording(cpu));
	path.regs.ip = CODE;
	jumps(2); /* counter 2 overflows with the second */
	assert_int_equal(get(DBG_EXTN_CFG) & DBG_EXTN_BRS_VALID, 0);
	assert_int_equal(pmis(), 0);
	jumps(1); /* counter 1: not the sampling one */
	assert_int_equal(pmis(), 1);
	assert_int_equal(get(DBG_EXTN_CFG) & (DBG_EXTN_BRS_VALID | DBG_EXTN_BRS_NEXT),
			 DBG_EXTN_BRS_VALID | 1ull << DBG_EXTN_BRS_NEXT_SHIFT);
	assert_int_equal(get(BRANCH_FROM0), CODE + 32);
	assert_int_equal(get(BRANCH_TO0), CODE + 48);
	jumps(14);
	assert_int_equal(pmis(), 0);
	jumps(1);
	assert_int_equal(pmis(), 1);
	jumps(3);
	assert_int_equal(get(BRANCH_FROM0 + 30), CODE + 17 * 16);
	/* The next slot is 0 again. */
	assert_int_equal(get(DBG_EXTN_CFG) & (DBG_EXTN_BRS_VALID | DBG_EXTN_BRS_NEXT), DBG_EXTN_BRS_VALID);
	/* Another event, or no sampling: the interrupt comes at once. */
	boot(&amd_zen3_epyc, "");
	set(DBG_EXTN_CFG, DBG_EXTN_BRS);
	program(0, 0xc2 | RINGS | CTL_EN | CTL_INT);
	set(CTR(0), TOP);
	jumps(1);
	assert_int_equal(pmis(), 1);
}

#define RECORD_RULE_TESTS                                                                                    \
	IBS_RULE_TESTS, cmocka_unit_test(branch_registers), cmocka_unit_test(branch_stack),                  \
		cmocka_unit_test(branch_filters), cmocka_unit_test(last_branch),                             \
		cmocka_unit_test(branch_sampling), cmocka_unit_test(debug_exception)

#endif
