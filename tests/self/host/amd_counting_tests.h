/*
 * Rules of counting in the AMD model, one test each: enables, events, thresholds, and whose instructions
 * count.
 */
#ifndef TESTS_SELF_HOST_AMD_COUNTING_TESTS_H
#define TESTS_SELF_HOST_AMD_COUNTING_TESTS_H

#include "tests/self/host/amd_model_parts.h"

static void enables(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		program(0, INSTR & ~CTL_EN);
		instructions(2);
		assert_int_equal(get(CTR(0)), 0);
		program(0, INSTR & ~RINGS);
		instructions(2);
		assert_int_equal(get(CTR(0)), 0);
		assert_false(amd_model.counting(cpu));
		for (unsigned c = 0; c < 3; c++)
			program(c, INSTR);
		assert_true(amd_model.counting(cpu));
		instructions(3);
		assert_int_equal(get(CTR(0)), 3);
		assert_int_equal(get(CTR(1)), 3);
		assert_int_equal(get(CTR(2)), 3);
		if (!parts[p].v2)
			continue;
		set(PERF_GLOBAL_CTL, 0x22);
		instructions(3);
		assert_int_equal(get(CTR(0)), 3);
		assert_int_equal(get(CTR(1)), 6);
		set(CTL(1), 0);
		assert_false(amd_model.counting(cpu));
		set(PERF_CTL0 + 10, INSTR);
		assert_true(amd_model.counting(cpu));
		instructions(1);
		assert_int_equal(get(PERF_CTR0 + 10), 1);
	}
}

static void rings(void **unused)
{
	(void)unused;
	power_up(&amd_zen2, "");
	program(0, INSTR & ~CTL_USR);
	program(1, INSTR & ~CTL_OS);
	for (unsigned cpl = 0; cpl < 4; cpl++)
		step(Q_INSTRUCTIONS, 1 + cpl, 1, cpl);
	assert_int_equal(get(CTR(0)), 1);
	assert_int_equal(get(CTR(1)), 9);
}

static uint64_t count_of(const struct model_profile *p, uint64_t select, enum quantity q)
{
	power_up(p, "");
	program(0, select | RINGS | CTL_EN);
	step(q, 3, 1, 0);
	return get(CTR(0));
}

static void events(void **unused)
{
	const uint64_t e1c9 = 0x1000000c9, e19a = 0x10000019a;
	(void)unused;
	assert_int_equal(count_of(&amd_k8, 0xc0, Q_INTERRUPTS_HW), 3);
	assert_int_equal(count_of(&amd_zen1, 0xc0, Q_INTERRUPTS_HW), 0);
	assert_int_equal(count_of(&amd_zen1, 0xc2, Q_INTERRUPTS_HW), 3);
	assert_int_equal(count_of(&amd_zen1, 0xd1, Q_BR_COND), 3);
	assert_int_equal(count_of(&amd_fam15h, 0xd1, Q_BR_COND), 0);
	assert_int_equal(count_of(&amd_zen3, 0xcc, Q_BR_CALL_INDIRECT), 3);
	assert_int_equal(count_of(&amd_zen2, 0xcc, Q_BR_CALL_INDIRECT), 0);
	assert_int_equal(count_of(&amd_zen2, 0x2c, Q_INTERRUPTS_HW), 3);
	assert_int_equal(count_of(&amd_fam10h, 0xcf, Q_INTERRUPTS_HW), 3);
	assert_int_equal(count_of(&amd_zen4, e1c9, Q_BR_JMP_DIRECT), 3);
	assert_int_equal(count_of(&amd_zen4, 0xc9, Q_BR_JMP_DIRECT), 0);
	assert_int_equal(count_of(&amd_fam10h, 0x1000000c0, Q_INSTRUCTIONS), 0);
	assert_int_equal(count_of(&amd_fam10h, e19a, Q_BR_JMP_INDIRECT), 0);
	/* K8 has no upper bits: they are not kept. */
	assert_int_equal(count_of(&amd_k8, 0x1000000c0, Q_INSTRUCTIONS), 3);
	/* unit masks */
	assert_int_equal(count_of(&amd_zen4, 0x1cb, Q_INSN_X87), 3);
	assert_int_equal(count_of(&amd_zen4, 0x2cb, Q_INSN_X87), 0);
	assert_int_equal(count_of(&amd_zen4, 0x4cb, Q_INSN_AVX512), 3);
	assert_int_equal(count_of(&amd_zen5, 0x1f25, Q_INSN_LOCKED), 3);
	assert_int_equal(count_of(&amd_zen4, 0x1f25, Q_INSN_LOCKED), 0);
	/* the counter as a difference of quantities */
	power_up(&amd_zen4, "");
	program(0, 0xc4 | RINGS | CTL_EN);
	struct qterm taken[] = {{Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_TAKEN, 1}};
	struct qterm not_taken[] = {{Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_NTAKEN, 1}};
	amd_model.advance(cpu, &(struct step){.terms = taken, .n_terms = 3, .cycles = 1});
	amd_model.advance(cpu, &(struct step){.terms = not_taken, .n_terms = 3, .cycles = 1});
	assert_int_equal(get(CTR(0)), 1);
	assert_true(amd_model.counts(cpu, Q_BRANCHES));
	assert_true(amd_model.counts(cpu, Q_BR_COND_NTAKEN));
	assert_false(amd_model.counts(cpu, Q_LOADS));
}

/* BKDG of family 15H: cycles on counters 0 to 2 only; a code with no limit on all. */
static void wiring_of_15h(void **unused)
{
	(void)unused;
	power_up(&amd_fam15h, "");
	for (unsigned c = 0; c < 6; c++)
		set(PERF_CTL0 + 2 * c, CYCLES);
	instructions(4);
	for (unsigned c = 0; c < 6; c++)
		assert_int_equal(get(PERF_CTR0 + 2 * c), c < 3 ? 4 : 0);
	for (unsigned c = 0; c < 6; c++)
		set(PERF_CTL0 + 2 * c, BRANCHES);
	step(Q_BRANCHES, 1, 1, 0);
	for (unsigned c = 0; c < 6; c++)
		assert_int_equal(get(PERF_CTR0 + 2 * c), c < 3 ? 5 : 1);
}

static void clocks(void **unused)
{
	(void)unused;
	power_up(&amd_fam10h, "");
	program(0, CYCLES);
	step(Q_INSTRUCTIONS, 1, 7, 0);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true});
	assert_int_equal(get(CTR(0)), 7);
}

static void amounts_add_up(void **unused)
{
	const struct qterm twice[] = {{Q_INSTRUCTIONS, 2}, {Q_INSTRUCTIONS, 3}};
	(void)unused;
	power_up(&amd_zen1, "");
	program(0, INSTR);
	amd_model.advance(cpu, &(struct step){.terms = twice, .n_terms = 2, .cycles = 1});
	assert_int_equal(get(CTR(0)), 5);
}

static void own_write(void **unused)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	const struct step own = {.terms = &term, .n_terms = 1, .cycles = 1, .own_write = true};
	struct model_increment out[4];
	(void)unused;
	power_up(&amd_zen1, "");
	program(1, INSTR);
	set(CTL(0), INSTR);
	assert_int_equal(amd_model.increments(cpu, &own, out, 4), -1);
	amd_model.advance(cpu, &own);
	assert_int_equal(get(CTR(0)), 0);
	assert_int_equal(get(CTR(1)), 1);
	instructions(1);
	assert_int_equal(get(CTR(0)), 1);
}

static void thresholds(void **unused)
{
	(void)unused;
	power_up(&amd_zen3, "");
	program(0, INSTR | CMASK(2));
	program(1, INSTR | CMASK(2) | CTL_INV);
	program(2, INSTR | CTL_INV);
	for (unsigned i = 0; i < 5; i++)
		step(Q_INSTRUCTIONS, i, 1, 0);
	assert_int_equal(get(CTR(0)), 3);
	assert_int_equal(get(CTR(1)), 2);
	assert_int_equal(get(CTR(2)), 10);
	step(Q_INSTRUCTIONS, 3, 4, 0);
	assert_int_equal(get(CTR(0)), 4);
	assert_int_equal(get(CTR(1)), 5);
}

static void edges(void **unused)
{
	(void)unused;
	power_up(&amd_zen3, "");
	program(0, INSTR | CTL_EDGE);
	program(1, INSTR | CTL_EDGE | CMASK(2));
	for (unsigned i = 0; i < 9; i++)
		step(Q_INSTRUCTIONS, i % 3, 1, 0);
	assert_int_equal(get(CTR(0)), 3);
	assert_int_equal(get(CTR(1)), 3);
}

static void increments(void **unused)
{
	const struct qterm term = {Q_INSTRUCTIONS, 2};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = 3};
	struct model_increment out[8];
	(void)unused;
	power_up(&amd_zen1, "");
	program(0, INSTR);
	program(1, CYCLES);
	program(2, INSTR & ~CTL_OS);
	assert_int_equal(amd_model.increments(cpu, &s, out, 8), 2);
	assert_int_equal(out[0].amount, 2);
	assert_int_equal(out[0].limit, TOP - 2);
	assert_int_equal(out[1].amount, 3);
	assert_int_equal(amd_model.increments(cpu, &s, out, 1), -1);
	s.halted = true;
	assert_int_equal(amd_model.increments(cpu, &s, out, 8), -1);
	s.halted = false;
	set(CTL(2), INSTR | CMASK(1));
	assert_int_equal(amd_model.increments(cpu, &s, out, 8), -1);
	power_up(&amd_zen1, "noisy");
	program(0, INSTR);
	assert_int_equal(amd_model.increments(cpu, &s, out, 8), -1);
}

static void host_and_guest(void **unused)
{
	static const struct {
		uint64_t bits;
		bool svme, counts;
	} cases[] = {
		{0, false, true},
		{CTL_GUEST, false, false},
		{CTL_HOST, false, false},
		{0, true, true},
		{CTL_GUEST, true, false},
		{CTL_HOST, true, true},
		{CTL_HOST | CTL_GUEST, true, true},
	};
	(void)unused;
	power_up(&amd_zen4, "");
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* The register is the machine's; the model only looks. */
		assert_int_equal(put(EFER, cases[i].svme ? EFER_SVME : 0), REGISTER_NOT_MINE);
		program(0, INSTR | cases[i].bits);
		instructions(3);
		assert_int_equal(get(CTR(0)), cases[i].counts ? 3 : 0);
	}
	/* At once, when the register is written. */
	program(0, INSTR | CTL_HOST);
	put(EFER, 0);
	instructions(3);
	assert_int_equal(get(CTR(0)), 0);
	put(EFER, EFER_SVME);
	instructions(3);
	assert_int_equal(get(CTR(0)), 3);
}

/* Each instruction is of the one or the other; both bits and none count both. The short cut does likewise. */
static void guests_are_told_apart(void **unused)
{
	static const struct {
		uint64_t bits;
		unsigned host, guest;
	} cases[] = {{0, 1, 1}, {CTL_GUEST, 0, 1}, {CTL_HOST, 1, 0}, {CTL_HOST | CTL_GUEST, 1, 1}};
	struct qterm term = {Q_INSTRUCTIONS, 1};
	(void)unused;
	power_up(&amd_zen4, "");
	put(EFER, EFER_SVME);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		for (unsigned guest = 0; guest < 2; guest++) {
			struct step s = {.terms = &term, .n_terms = 1, .cycles = 1, .guest = guest};
			struct model_increment out[4];
			unsigned counts = guest ? cases[i].guest : cases[i].host;

			program(0, INSTR | cases[i].bits);
			assert_int_equal(amd_model.increments(cpu, &s, out, 4), counts);
			amd_model.advance(cpu, &s);
			assert_int_equal(get(CTR(0)), counts);
		}
}

#define FLOPS (0x0f03 | RINGS | CTL_EN)

static void large_increments(void **unused)
{
	(void)unused;
	power_up(&amd_zen2, "");
	/* Alone, a counter takes four bits in a cycle. */
	program(0, FLOPS);
	step(Q_FLOPS_SP_MAC, 18, 1, 0);
	assert_int_equal(get(CTR(0)), 2);
	step(Q_FLOPS_SP_MAC, 15, 1, 0);
	assert_int_equal(get(CTR(0)), 17);
	/* The merge event must be enabled, and stand behind the event, on an odd counter. */
	program(1, CTL_MERGE);
	step(Q_FLOPS_SP_MAC, 16, 1, 0);
	assert_int_equal(get(CTR(0)), 17);
	program(1, CTL_MERGE | CTL_EN);
	step(Q_FLOPS_SP_MAC, 16, 1, 0);
	step(Q_FLOPS_DP_MAC, 48, 1, 3);
	assert_int_equal(get(CTR(0)), 17 + 64);
	assert_int_equal(get(CTR(1)), 0);
	program(0, 0);
	program(1, FLOPS);
	program(2, CTL_MERGE | CTL_EN);
	step(Q_FLOPS_SP_MAC, 16, 1, 0);
	assert_int_equal(get(CTR(1)), 0);
	assert_int_equal(get(CTR(2)), 0);
	/* Others are 64 bits wide in a pair, no more; before Zen nothing merges, and 003H is as good as any.
	 */
	power_up(&amd_fam15h, "");
	set(PERF_CTL0 + 6, 0xff03 | RINGS | CTL_EN);
	step(Q_FLOPS_SP_MAC, 16, 1, 0);
	assert_int_equal(get(PERF_CTR0 + 6), 16);
}

/* Two to a core, or to a compute unit, with counters of their own; before that there is one. */
static void others_are_apart(void **unused)
{
	static const struct qterm one = {Q_INSTRUCTIONS, 1};
	struct step theirs = {.terms = &one, .n_terms = 1, .cycles = 1, .thread = 1};
	static struct amd_state other;

	(void)unused;
	power_up(&amd_fam10h, "");
	assert_false(amd_model.has_other(cpu));
	power_up(&amd_fam15h, "");
	assert_true(amd_model.has_other(cpu));
	amd_model.reset(&other, &amd_fam15h, NULL);
	amd_model.join(cpu, &other);
	program(0, INSTR);
	instructions(2);
	amd_model.advance(cpu, &theirs);
	assert_int_equal(get(CTR(0)), 2);
	/* The other one's own steps are those of thread 1. */
	other.select[0] = INSTR;
	amd_decode(&other, 0);
	amd_update_running(&other);
	amd_model.advance(&other, &theirs);
	theirs.thread = 0;
	amd_model.advance(&other, &theirs);
	assert_int_equal(other.counter[0].value, 1);
}

static void tagged_operations(void **unused)
{
	(void)unused;
	power_up(&amd_zen3, "");
	program(0, 1ull << 32 | 0x1cf | RINGS | CTL_EN);
	program(1, 1ull << 32 | 0x2cf | RINGS | CTL_EN);
	set(IBS_OP_CTL, 0x9 | OP_EN);
	instructions(0x90 - 1);
	assert_int_equal(get(CTR(0)), 0);
	instructions(2);
	assert_int_equal(get(CTR(0)), 1);
	assert_true(get(IBS_OP_CTL) & OP_VAL);
	instructions(0x200);
	assert_int_equal(get(CTR(0)), 1);
	assert_int_equal(get(CTR(1)), 0);
}

#endif
