/*
 * Rules of the Intel model's last-branch records, one test each. Included by the test of the model as it is
 * and by the one that breaks it.
 */
#ifndef TESTS_SELF_HOST_INTEL_LBR_TESTS_H
#define TESTS_SELF_HOST_INTEL_LBR_TESTS_H

#include "pmu/intel/records/lbr.h"
#include "tests/self/host/intel_model_shortcuts.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/fake_path.h"

#define CODE 0x401000ull
#define HIGH 0xffff800000000000ull

static struct fake_path path;

static void boot(const struct model_profile *p, const char *inject)
{
	power_up(p, inject);
	intel_model.attach(cpu, &fake_memory);
	fake_path_start(&path, &intel_model, cpu, CODE);
}

static enum register_answer look(uint32_t address)
{
	uint64_t value;
	return model_rdmsr(&intel_model, cpu, address, &value);
}

static const struct {
	const struct model_profile *profile;
	unsigned depth;
	uint32_t from, to, info, select;
} stacks[] = {
	{&intel_yonah, 8, 0x40, 0, 0, 0},
	{&intel_core2, 4, 0x40, 0x60, 0, 0},
	{&intel_silvermont, 8, 0x40, 0x60, 0, 0x1ff},
	{&intel_nehalem, 16, 0x680, 0x6c0, 0, 0x1ff},
	{&intel_sandybridge, 16, 0x680, 0x6c0, 0, 0x1ff},
	{&intel_haswell, 16, 0x680, 0x6c0, 0, 0x3ff},
	{&intel_goldmont, 32, 0x680, 0x6c0, 0, 0x3ff},
	{&intel_goldmontplus, 32, 0x680, 0x6c0, 0xdc0, 0x3ff},
	{&intel_tremont, 32, 0x680, 0x6c0, 0xdc0, 0x3ff},
	{&intel_skylake, 32, 0x680, 0x6c0, 0xdc0, 0x3ff},
	{&intel_icelake, 32, 0x680, 0x6c0, 0xdc0, 0x3ff},
};
#define STACKS (sizeof stacks / sizeof stacks[0])

static void lbr_registers(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < STACKS; p++) {
		boot(stacks[p].profile, "");
		for (unsigned i = 0; i < stacks[p].depth; i++) {
			assert_int_equal(get(stacks[p].from + i), 0);
			set(stacks[p].from + i, 0x1000 + i);
			assert_int_equal(get(stacks[p].from + i), 0x1000 + i);
			if (stacks[p].to)
				set(stacks[p].to + i, 0x2000 + i);
			if (stacks[p].info)
				set(stacks[p].info + i, 1ull << 63 | i);
		}
		for (unsigned i = 0; i < stacks[p].depth; i++)
			if (stacks[p].to)
				assert_int_equal(get(stacks[p].to + i), 0x2000 + i);
		assert_int_equal(look(stacks[p].from + stacks[p].depth), REGISTER_NOT_MINE);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 0);
		set(MSR_LASTBRANCH_TOS, stacks[p].depth - 1);
		refuses(MSR_LASTBRANCH_TOS, stacks[p].depth);
		for (unsigned b = 0; b < 32; b++) {
			if (stacks[p].select >> b & 1)
				set(MSR_LBR_SELECT, 1u << b);
			else if (stacks[p].select)
				refuses(MSR_LBR_SELECT, 1u << b);
		}
		assert_int_equal(faults(MSR_LBR_SELECT), !stacks[p].select);
		assert_int_equal(put(MSR_LBR_SELECT, 0), stacks[p].select ? REGISTER_DONE : REGISTER_FAULT);
		assert_true(faults(IA32_LBR_CTL));
		assert_true(faults(IA32_LBR_DEPTH));
		assert_int_equal(put(IA32_LBR_CTL, 0), REGISTER_FAULT);
		assert_int_equal(put(IA32_LBR_DEPTH, 8), REGISTER_FAULT);
	}
}

static void lbr_addresses(void **unused)
{
	(void)unused;
	boot(&intel_nehalem, "");
	set(0x680, HIGH);
	set(0x680, HIGH & ~(1ull << 63));
	refuses(0x680, 1ull << 47);
	refuses(0x6c0, 1ull << 48);
	boot(&intel_haswell, "");
	set(0x680, HIGH & ~(7ull << 61));
	refuses(0x680, 1ull << 47);
	refuses(0x680, 1ull << 60);
	boot(&intel_skylake, "");
	refuses(0x680, 1ull << 63);
	refuses(0xdc0, 1ull << 16);
	set(0xdc0, 3ull << 61);
	/* Format 7 is format 5 without transactions. */
	boot(&intel_goldmontplus, "");
	refuses(0x680, 1ull << 63);
	refuses(0xdc0, 1ull << 61);
	refuses(0xdc0, 1ull << 62);
	set(0xdc0, 1ull << 63 | 0xffff);
	boot(&intel_goldmont, "");
	set(0x6c0, 0x1234ull << 48);
}

/* `n` jumps, each of two bytes, from CODE on to 16 bytes further. */
static void jumps(unsigned n)
{
	while (n--)
		fake_path_branch(&path, TRANSFER_JUMP, path.regs.ip + 16);
}

static void lbr_stack(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < STACKS; p++) {
		unsigned depth = stacks[p].depth;

		boot(stacks[p].profile, "");
		assert_false(intel_model.recording(cpu));
		jumps(1);
		assert_int_equal(get(stacks[p].from), 0);
		set(IA32_DEBUGCTL, DEBUGCTL_LBR);
		assert_true(intel_model.recording(cpu));
		fake_path_start(&path, &intel_model, cpu, CODE);
		jumps(depth + 2);
		fake_path_nops(&path, 3);
		fake_path_not_taken(&path);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
		for (unsigned i = 0; i < depth; i++) {
			/* Jump number j is at i = (j + 1) % depth: TOS is counted up before it is used. */
			unsigned j = i >= 3 ? i - 1 : depth + i - 1;
			uint64_t from = CODE + 16 * j, to = from + 16;

			if (!stacks[p].to)
				from |= to << 32;
			assert_int_equal(get(stacks[p].from + i), from);
			if (stacks[p].to && stacks[p].profile != &intel_goldmont)
				assert_int_equal(get(stacks[p].to + i), to);
		}
		set(IA32_DEBUGCTL, 0);
		assert_false(intel_model.recording(cpu));
		jumps(1);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
	}
}

/* What the formats tell besides addresses. */
static void lbr_formats(void **unused)
{
	struct step halt = {.cycles = 500, .halted = true};
	(void)unused;
	boot(&intel_nehalem, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	path.regs.ip = HIGH;
	fake_path_branch(&path, TRANSFER_CONDITIONAL, HIGH + 8);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, HIGH);
	assert_int_equal(get(0x681), HIGH & ~(1ull << 63));
	assert_int_equal(get(0x682), HIGH + 8);
	assert_int_equal(get(0x6c1), HIGH + 8);

	boot(&intel_haswell, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	path.regs.ip = HIGH;
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, HIGH);
	assert_int_equal(get(0x681), (HIGH & ~(7ull << 61)) | 1ull << 63);

	boot(&intel_skylake, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	jumps(1);
	fake_path_nops(&path, 9);
	intel_model.advance(cpu, &halt);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, HIGH);
	assert_int_equal(get(0x682), CODE + 16 + 9);
	assert_int_equal(get(0xdc2), 1ull << 63 | 10);
	assert_int_equal(get(0x6c2), HIGH);
	fake_path_nops(&path, 70000);
	jumps(1);
	assert_int_equal(get(0xdc3), 0xffff);

	boot(&intel_goldmontplus, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	jumps(1);
	fake_path_nops(&path, 9);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, HIGH);
	assert_int_equal(get(0x682), CODE + 16 + 9);
	assert_int_equal(get(0x6c2), HIGH);
	assert_int_equal(get(0xdc2), 1ull << 63 | 10);

	boot(&intel_goldmont, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	jumps(1);
	fake_path_nops(&path, 4);
	fake_path_mispredicted(&path, TRANSFER_JUMP, CODE);
	assert_int_equal(get(0x682), (CODE + 20) | 1ull << 63);
	assert_int_equal(get(0x6c2), CODE | 5ull << 48);

	boot(&intel_core2, "");
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	fake_path_mispredicted(&path, TRANSFER_JUMP, HIGH);
	assert_int_equal(get(0x41), CODE);
	assert_int_equal(get(0x61), HIGH);
}

static const enum step_transfer all_kinds[] = {
	TRANSFER_CONDITIONAL,   TRANSFER_JUMP,   TRANSFER_JUMP_INDIRECT, TRANSFER_CALL,
	TRANSFER_CALL_INDIRECT, TRANSFER_RETURN, TRANSFER_SYSTEM,        TRANSFER_EVENT};

static void all_branches(void)
{
	for (unsigned k = 0; k < 8; k++) {
		path.regs.ip = CODE + 0x100 * all_kinds[k];
		if (all_kinds[k] == TRANSFER_EVENT)
			fake_path_event(&path, CODE);
		else
			fake_path_branch(&path, all_kinds[k], CODE);
	}
}

/* Kinds of the records on the stack, bit per enum step_transfer, by where they came from. */
static unsigned kinds_seen(uint32_t from, unsigned depth)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < depth; i++)
		if (get(from + i))
			seen |= 1u << ((get(from + i) - CODE) >> 8);
	return seen;
}

static void lbr_filters(void **unused)
{
	static const struct {
		uint32_t select;
		unsigned left_out;
	} rows[] = {
		{SELECT_JCC, 1u << TRANSFER_CONDITIONAL},
		{SELECT_CALL, 1u << TRANSFER_CALL},
		{SELECT_CALL_INDIRECT, 1u << TRANSFER_CALL_INDIRECT},
		{SELECT_RETURN, 1u << TRANSFER_RETURN},
		{SELECT_JUMP_INDIRECT, 1u << TRANSFER_JUMP_INDIRECT},
		{SELECT_JUMP, 1u << TRANSFER_JUMP},
		{SELECT_FAR, 1u << TRANSFER_SYSTEM | 1u << TRANSFER_EVENT},
		{0x1fc, 0x1fe},
		{0, 0},
	};
	(void)unused;
	for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		boot(&intel_nehalem, "");
		set(MSR_LBR_SELECT, rows[r].select);
		set(IA32_DEBUGCTL, DEBUGCTL_LBR);
		all_branches();
		assert_int_equal(kinds_seen(0x680, 16), 0x1feu & ~rows[r].left_out);
	}
	/* Rings go by the end of the branch. */
	for (unsigned ring = 0; ring < 2; ring++) {
		boot(&intel_nehalem, "");
		set(MSR_LBR_SELECT, ring ? SELECT_CPL0 : SELECT_CPL3);
		set(IA32_DEBUGCTL, DEBUGCTL_LBR);
		jumps(1);
		fake_path_far(&path, CODE + 0x100, 3);
		jumps(1);
		fake_path_event(&path, CODE + 0x200);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
		assert_int_equal(get(0x682), ring ? CODE + 0x100 : CODE + 0x110);
	}
}

static void lbr_call_stack(void **unused)
{
	(void)unused;
	boot(&intel_skylake, "");
	set(MSR_LBR_SELECT, SELECT_CALL_STACK | SELECT_JCC | SELECT_JUMP | SELECT_JUMP_INDIRECT | SELECT_FAR);
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	fake_path_branch(&path, TRANSFER_CALL, CODE + 0x100);
	fake_path_branch(&path, TRANSFER_CALL, CODE + 0x200);
	fake_path_branch(&path, TRANSFER_CALL, path.regs.ip + 2);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
	fake_path_branch(&path, TRANSFER_RETURN, CODE + 0x102);
	assert_int_equal(get(MSR_LASTBRANCH_TOS), 1);
	assert_int_equal(get(0x681), CODE);
	assert_int_equal(get(0x682), 0);

	/* Entry 0 of the architectural stack is the innermost open call. */
	boot(&intel_alderlake_p, "");
	set(IA32_LBR_CTL, LBR_CTL_ENABLE | LBR_CTL_OS | LBR_CTL_USR | LBR_CTL_CALL_STACK |
				  (1ull << 3 | 1ull << 5) << LBR_CTL_KINDS);
	fake_path_branch(&path, TRANSFER_CALL, CODE + 0x100);
	fake_path_branch(&path, TRANSFER_CALL, CODE + 0x200);
	fake_path_branch(&path, TRANSFER_CALL, path.regs.ip + 2);
	assert_int_equal(get(IA32_LBR_0_FROM_IP), CODE + 0x100);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 1), CODE);
	fake_path_branch(&path, TRANSFER_RETURN, CODE + 0x102);
	assert_int_equal(get(IA32_LBR_0_FROM_IP), CODE);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 1), 0);
}

/* A full stack moves down whole, and the place of its oldest entry is free. */
static void lbr_full_call_stack(void **unused)
{
	uint64_t before[64];
	unsigned depth;

	(void)unused;
	boot(&intel_alderlake_p, "");
	set(IA32_LBR_CTL, LBR_CTL_ENABLE | LBR_CTL_OS | LBR_CTL_USR | LBR_CTL_CALL_STACK |
				  (1ull << 3 | 1ull << 5) << LBR_CTL_KINDS);
	depth = (unsigned)get(IA32_LBR_DEPTH);
	assert_in_range(depth, 8, 64);
	for (unsigned i = 0; i < depth + 3; i++)
		fake_path_branch(&path, TRANSFER_CALL, CODE + 0x100 * (i + 1));
	for (unsigned i = 0; i < depth; i++) {
		before[i] = get(IA32_LBR_0_FROM_IP + i);
		assert_int_not_equal(before[i], 0);
	}
	for (unsigned pops = 1; pops <= depth; pops++) {
		fake_path_branch(&path, TRANSFER_RETURN, CODE + 0x10000);
		for (unsigned i = 0; i < depth; i++) {
			assert_int_equal(get(IA32_LBR_0_FROM_IP + i),
					 i + pops < depth ? before[i + pops] : 0);
			if (i + pops >= depth)
				assert_int_equal(get(IA32_LBR_0_TO_IP + i), 0);
		}
	}
}

/* The branch that retires with the interrupt is the last one of the frozen stack. */
static void lbr_freeze(void **unused)
{
	static const struct model_profile *const of[] = {&intel_nehalem, &intel_skylake, &intel_icelake};
	(void)unused;
	for (unsigned p = 0; p < 3; p++) {
		boot(of[p], "");
		program(0, BRANCHES | EVTSEL_INT);
		set(IA32_PMC0, -2ll);
		set(IA32_DEBUGCTL, DEBUGCTL_LBR | DEBUGCTL_FREEZE_LBRS_ON_PMI);
		fake_path_start(&path, &intel_model, cpu, CODE);
		jumps(2);
		assert_true(path.changed);
		assert_false(intel_model.recording(cpu));
		jumps(3);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 2);
		assert_int_equal(get(0x682), CODE + 16);
		assert_int_equal(fake_path_interrupts(&path), 1);
		if (p == 0) {
			assert_int_equal(get(IA32_DEBUGCTL), DEBUGCTL_FREEZE_LBRS_ON_PMI);
			set(IA32_DEBUGCTL, DEBUGCTL_LBR);
		} else {
			set(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_LBR_FRZ);
		}
		assert_true(intel_model.recording(cpu));
		jumps(1);
		assert_int_equal(get(MSR_LASTBRANCH_TOS), 3);
	}
}

static void lbr_architectural(void **unused)
{
	(void)unused;
	boot(&intel_alderlake_p, "");
	assert_true(faults(MSR_LASTBRANCH_TOS));
	assert_true(faults(MSR_LBR_SELECT));
	assert_int_equal(put(MSR_LASTBRANCH_TOS, 0), REGISTER_FAULT);
	assert_int_equal(put(MSR_LBR_SELECT, 0), REGISTER_FAULT);
	assert_int_equal(look(0x680), REGISTER_NOT_MINE);
	assert_int_equal(get(IA32_LBR_DEPTH), 32);
	for (unsigned b = 0; b < 64; b++) {
		if (0x7f000full >> b & 1)
			set(IA32_LBR_CTL, 1ull << b);
		else
			refuses(IA32_LBR_CTL, 1ull << b);
	}
	refuses(IA32_LBR_DEPTH, 24);
	refuses(IA32_LBR_DEPTH, 0);
	refuses(IA32_LBR_DEPTH, 64);
	set(IA32_LBR_0_FROM_IP + 31, 5);
	refuses(IA32_LBR_0_FROM_IP, 1ull << 63);
	set(IA32_LBR_DEPTH, 8);
	assert_true(faults(IA32_LBR_0_FROM_IP + 8));
	assert_true(faults(IA32_LBR_0_TO_IP + 31));
	assert_int_equal(put(IA32_LBR_0_INFO + 8, 0), REGISTER_FAULT);
	set(IA32_LBR_DEPTH, 32);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 31), 0);
	refuses(IA32_LBR_0_INFO, 1ull << 16);

	/* Entry 0 is the newest. DEBUGCTL.LBR has no part in it. */
	set(IA32_DEBUGCTL, DEBUGCTL_LBR);
	assert_false(intel_model.recording(cpu));
	set(IA32_LBR_CTL, 0x7f0007);
	assert_true(intel_model.recording(cpu));
	jumps(1);
	fake_path_nops(&path, 4);
	fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, CODE);
	assert_int_equal(get(IA32_LBR_0_FROM_IP), CODE + 20);
	assert_int_equal(get(IA32_LBR_0_TO_IP), CODE);
	assert_int_equal(get(IA32_LBR_0_INFO), 1ull << 63 | 1ull << 60 | 5);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 1), CODE);
	assert_int_equal(get(IA32_LBR_0_INFO + 1), 1ull << 60 | 2ull << 56 | 1);
	jumps(40);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 31), CODE + 8 * 16);

	/* Kinds and rings. */
	for (unsigned k = 0; k < 7; k++) {
		static const unsigned seen[] = {1u << TRANSFER_CONDITIONAL,
						1u << TRANSFER_JUMP,
						1u << TRANSFER_JUMP_INDIRECT,
						1u << TRANSFER_CALL,
						1u << TRANSFER_CALL_INDIRECT,
						1u << TRANSFER_RETURN,
						1u << TRANSFER_SYSTEM | 1u << TRANSFER_EVENT};
		set(IA32_LBR_DEPTH, 16);
		set(IA32_LBR_CTL, 7 | 1ull << (16 + k));
		all_branches();
		assert_int_equal(kinds_seen(IA32_LBR_0_FROM_IP, 16), seen[k]);
	}
	set(IA32_LBR_DEPTH, 16);
	set(IA32_LBR_CTL, 0x7f0005);
	fake_path_far(&path, CODE, 3);
	jumps(1);
	fake_path_event(&path, CODE + 0x100);
	assert_int_equal(get(IA32_LBR_0_FROM_IP), CODE);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 1), 0xffffffff);
	assert_int_equal(get(IA32_LBR_0_TO_IP + 1), CODE);
	assert_int_equal(get(IA32_LBR_0_FROM_IP + 2), 0);

	/* A call stack, and the freeze. */
	set(IA32_LBR_DEPTH, 16);
	set(IA32_LBR_CTL, 0x38000f);
	fake_path_branch(&path, TRANSFER_CALL, CODE + 0x300);
	fake_path_branch(&path, TRANSFER_CALL, CODE);
	fake_path_branch(&path, TRANSFER_RETURN, CODE + 0x302);
	assert_int_equal(get(IA32_LBR_0_TO_IP), CODE + 0x300);
	assert_int_equal(get(IA32_LBR_0_TO_IP + 1), 0);
	set(IA32_PERF_GLOBAL_STATUS_SET, STATUS_LBR_FRZ);
	assert_false(intel_model.recording(cpu));
}

/* How often counters 0 to 3 counted since the record before, up to 3. */
/* What an exception puts aside, of each form of record. */
static void last_exception(void **unused)
{
	static const struct model_profile *const of[] = {&intel_yonah,      &intel_core2,    &intel_nehalem,
							 &intel_haswell,    &intel_goldmont, &intel_skylake,
							 &intel_alderlake_p};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		bool arch = of[p] == &intel_alderlake_p;
		unsigned event;

		boot(of[p], "");
		assert_int_equal(look(IA32_LER_INFO), arch ? REGISTER_DONE : REGISTER_NOT_MINE);
		if (arch) {
			set(MSR_LER_FROM_LIP, HIGH);
			set(MSR_LER_TO_LIP, 5);
			refuses(MSR_LER_TO_LIP, 1ull << 47);
			set(IA32_LER_INFO, 1);
			refuses(IA32_LER_INFO, 1ull << 20);
			set(IA32_LBR_CTL, 0x7f0007);
		} else {
			assert_int_equal(put(MSR_LER_FROM_LIP, 0), REGISTER_FAULT);
			assert_int_equal(put(MSR_LER_TO_LIP, 0), REGISTER_FAULT);
			assert_int_equal(put(IA32_LER_INFO, 0), REGISTER_NOT_MINE);
			set(IA32_DEBUGCTL, DEBUGCTL_LBR);
		}
		for (event = 0; event < 2; event++) {
			fake_path_nops(&path, 3);
			fake_path_mispredicted(&path, TRANSFER_CONDITIONAL, CODE + 0x100 * (event + 1));
			fake_path_nops(&path, 2);
			fake_path_event(&path, CODE + 0x1000);
			assert_int_equal(get(MSR_LER_FROM_LIP), CODE + 3 + 0x1000 * event);
			assert_int_equal(get(MSR_LER_TO_LIP), CODE + 0x100 * (event + 1));
			if (arch)
				assert_int_equal(get(IA32_LER_INFO) >> 60,
						 9); /* mispredicted, cycles are valid */
		}
		/* A software interrupt, too; and nothing while no branches are recorded. */
		jumps(1);
		struct step delivery = {.transfer = TRANSFER_SYSTEM};
		fake_path_step(&path, &delivery, CODE);
		assert_int_equal(get(MSR_LER_TO_LIP), CODE + 0x1010);
		set(arch ? IA32_LBR_CTL : IA32_DEBUGCTL, 0);
		jumps(1);
		fake_path_event(&path, CODE);
		assert_int_equal(get(MSR_LER_TO_LIP), CODE + 0x1010);
	}
}

static void lbr_counts(void **unused)
{
	(void)unused;
	boot(&intel_alderlake_p, "");
	refuses(IA32_PERFEVTSEL0, EVTSEL_LBR_LOG);
	refuses(IA32_LBR_0_INFO, 1ull << 32);
	boot(&intel_lunarlake_e, "");
	for (unsigned c = 0; c < 8; c++) {
		if (c < 4)
			set(IA32_PERFEVTSEL0 + c, EVTSEL_LBR_LOG);
		else
			refuses(IA32_PERFEVTSEL0 + c, EVTSEL_LBR_LOG);
	}
	set(IA32_LBR_0_INFO, 0xffull << 32);
	refuses(IA32_LBR_0_INFO, 1ull << 40);
	set(IA32_PERF_GLOBAL_CTRL, 0xf);
	program(0, INSTR | EVTSEL_LBR_LOG);
	program(1, BRANCHES | EVTSEL_LBR_LOG);
	program(2, INSTR);
	fake_path_nops(&path, 2); /* nothing is recorded yet */
	set(IA32_LBR_CTL, 0x7f0007);
	fake_path_nops(&path, 1);
	jumps(1);
	assert_int_equal(get(IA32_LBR_0_INFO) >> 32 & 0xff, 1 << 2 | 2);
	jumps(1);
	assert_int_equal(get(IA32_LBR_0_INFO) >> 32 & 0xff, 1 << 2 | 1);
	fake_path_nops(&path, 7);
	jumps(1);
	assert_int_equal(get(IA32_LBR_0_INFO) >> 32 & 0xff, 1 << 2 | 3);
}

#define MODEL_LBR_TESTS                                                                                      \
	cmocka_unit_test(lbr_registers), cmocka_unit_test(lbr_addresses), cmocka_unit_test(lbr_stack),       \
		cmocka_unit_test(lbr_formats), cmocka_unit_test(lbr_filters),                                \
		cmocka_unit_test(lbr_call_stack), cmocka_unit_test(lbr_full_call_stack),                     \
		cmocka_unit_test(lbr_freeze), cmocka_unit_test(lbr_architectural),                           \
		cmocka_unit_test(lbr_counts), cmocka_unit_test(last_exception)

#endif
