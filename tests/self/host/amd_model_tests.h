/*
 * The rules of the AMD model, one test each. Run once as they are (test_amd_model.c) and once for each mutant
 * (test_amd_mutants.c).
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_TESTS_H
#define TESTS_SELF_HOST_AMD_MODEL_TESTS_H

#include "tests/self/host/amd_model_shortcuts.h"

static const struct {
	const struct model_profile *profile;
	unsigned counters;
	bool extended, v2, freezes, irperf, aperf;
} parts[] = {
	{&amd_k7, 4, false, false, false, false, false},
	{&amd_k8, 4, false, false, false, false, false},
	{&amd_fam10h, 4, false, false, false, false, false},
	{&amd_fam11h, 4, false, false, false, false, false},
	{&amd_fam12h, 4, false, false, false, false, true},
	{&amd_fam14h, 4, false, false, false, false, true},
	{&amd_fam16h, 4, false, false, false, false, true},
	{&amd_zen3_epyc, 6, true, false, false, true, true},
	{&amd_zen4_guest, 6, true, true, false, false, false},
	{&amd_fam15h, 6, true, false, false, false, true},
	{&amd_zen1, 6, true, false, false, true, true},
	{&amd_zen2, 6, true, false, false, true, true},
	{&amd_zen3, 6, true, false, false, true, true},
	{&amd_zen4, 6, true, true, false, true, true},
	{&amd_zen5, 6, true, true, true, true, true},
};
#define PARTS (sizeof parts / sizeof parts[0])

static void reset_state(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		assert_false(amd_model.counting(cpu));
		for (unsigned c = 0; c < 4; c++) {
			assert_int_equal(get(CTL(c)), 0);
			assert_int_equal(get(CTR(c)), 0);
		}
		if (parts[p].v2) {
			assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
			assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
		}
	}
}

static void presence(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		uint64_t value;
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < 16; c++) {
			bool there = parts[p].extended && c < parts[p].counters;
			assert_int_equal(faults(PERF_CTL0 + 2 * c), !there);
			assert_int_equal(faults(PERF_CTR0 + 2 * c), !there);
		}
		for (uint32_t a = PERF_GLOBAL_STATUS; a <= PERF_GLOBAL_STATUS_SET; a++)
			assert_int_equal(faults(a), !parts[p].v2);
		assert_int_equal(faults(MPERF), !parts[p].aperf);
		assert_int_equal(faults(APERF), !parts[p].aperf);
		bool locked = parts[p].profile == &amd_zen4 || parts[p].profile == &amd_zen5;
		assert_int_equal(model_rdmsr(&amd_model, cpu, IRPERF, &value),
				 parts[p].irperf ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(put(IRPERF, 0), parts[p].irperf && !locked ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(model_rdmsr(&amd_model, cpu, HWCR, &value),
				 parts[p].irperf ? REGISTER_DONE : REGISTER_NOT_MINE);
		assert_int_equal(model_rdmsr(&amd_model, cpu, DEBUGCTL, &value), REGISTER_DONE);
		assert_int_equal(put(DEBUGCTL, ~0ull), REGISTER_DONE);
		assert_int_equal(get(DEBUGCTL), parts[p].freezes ? 0x187f : 0x7f);
		assert_int_equal(model_rdmsr(&amd_model, cpu, 0xc0010008, &value), REGISTER_NOT_MINE);
		assert_int_equal(put(0xc0010220, 0), REGISTER_NOT_MINE);
		assert_int_equal(put(0xc001102f, 0), REGISTER_NOT_MINE);
	}
}

static void aliases(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		if (!parts[p].extended)
			continue;
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < 4; c++) {
			set(PERF_CTL0 + 2 * c, 0x1234 + c);
			set(PERF_CTR0 + 2 * c, 0x5678 + c);
			assert_int_equal(get(CTL(c)), 0x1234 + c);
			assert_int_equal(get(CTR(c)), 0x5678 + c);
			set(CTL(c), c);
			assert_int_equal(get(PERF_CTL0 + 2 * c), c);
		}
		set(PERF_CTR0 + 10, 77);
		assert_int_equal(get(CTR(1)), 0x5679);
	}
}

/* Reserved bits are ignored. */
static void selector_bits(void **unused)
{
	const uint64_t low = 0xffffffff & ~(1ull << 19 | 1ull << 21), high = 0xfull << 32 | 3ull << 40;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		bool narrow = parts[p].profile == &amd_k7 || parts[p].profile == &amd_k8;
		uint64_t kept = narrow ? low | 1ull << 19 : low | high;
		if (parts[p].profile == &amd_zen3 || parts[p].profile == &amd_zen3_epyc)
			kept |= 1ull << 43; /* the way around erratum 1292 */
		power_up(parts[p].profile, "");
		set(CTL(1), ~0ull);
		assert_int_equal(get(CTL(1)), kept);
		set(CTL(1), 0);
		assert_int_equal(get(CTL(1)), 0);
	}
}

static void counter_write(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		set(CTR(2), 0x80000000);
		assert_int_equal(get(CTR(2)), 0x80000000);
		set(CTR(2), ~0ull);
		assert_int_equal(get(CTR(2)), TOP);
	}
}

static void global_bits(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	set(PERF_GLOBAL_CTL, ~0ull);
	assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	set(PERF_GLOBAL_STATUS_SET, 5);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 5);
	set(PERF_GLOBAL_STATUS_SET, ~0ull);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3f);
	set(PERF_GLOBAL_STATUS_CLR, 1);
	set(PERF_GLOBAL_STATUS, 0xfff);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3e);
	set(PERF_GLOBAL_STATUS_SET, 1);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x3f);
	set(PERF_GLOBAL_STATUS_CLR, 0x1e);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0x21);
	assert_int_equal(get(PERF_GLOBAL_STATUS_CLR), 0);
	assert_int_equal(get(PERF_GLOBAL_STATUS_SET), 0);
	assert_int_equal(pmis(), 0);
}

static void rdpmc_rules(void **unused)
{
	uint64_t value;
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		for (unsigned c = 0; c < parts[p].counters; c++) {
			set(parts[p].extended ? PERF_CTR0 + 2 * c : CTR(c), 100 + c);
			assert_int_equal(pmc(c, true, &value), REGISTER_DONE);
			assert_int_equal(value, 100 + c);
			assert_int_equal(pmc(c, false, &value), REGISTER_FAULT);
			assert_int_equal(value, 0);
		}
		assert_int_equal(pmc(5, true, &value),
				 parts[p].counters > 5 ? REGISTER_DONE : REGISTER_FAULT);
		assert_int_equal(pmc(0x100, true, &value), REGISTER_FAULT);
		assert_int_equal(pmc(0x40000000, true, &value), REGISTER_FAULT);
	}
}

/* By index: whose counter it reads, as the number of its register; 0: none. */
static void rdpmc_map(void **unused)
{
	enum { NB = 0xc0010241, LLC = 0xc0010231 };
	static const struct {
		const struct model_profile *profile;
		uint32_t map[29]; /* from index 6 on */
	} cpus[] = {
		{&amd_k8, {0}},
		{&amd_fam10h, {0}},
		{&amd_fam15h, {NB, NB + 2, NB + 4, NB + 6}},
		{&amd_fam16h, {NB, NB + 2, NB + 4, NB + 6, LLC, LLC + 2, LLC + 4, LLC + 6}},
		{&amd_zen1, {NB, NB + 2, NB + 4, NB + 6, LLC, LLC + 2, LLC + 4, LLC + 6, LLC + 8, LLC + 10}},
		{&amd_zen4, {NB,      NB + 2,   NB + 4,  NB + 6,  LLC,     LLC + 2, LLC + 4, LLC + 6,
			     LLC + 8, LLC + 10, NB + 8,  NB + 10, NB + 12, NB + 14, NB + 16, NB + 18,
			     NB + 20, NB + 22,  NB + 24, NB + 26, NB + 28, NB + 30}},
		{&amd_zen4_guest, {0}},
	};
	uint64_t value;

	(void)unused;
	for (unsigned p = 0; p < sizeof cpus / sizeof cpus[0]; p++) {
		const uint32_t *map = cpus[p].map;

		power_up(cpus[p].profile, "");
		for (unsigned i = 0; i < 29; i++)
			if (map[i]) {
				set(map[i], ~0ull << 40 | i);
				set(map[i] - 1, 0x4000000000c0 + i);
			}
		for (unsigned i = 0; i < 29; i++) {
			assert_int_equal(pmc(6 + i, true, &value), map[i] ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(value, map[i] ? 0xff0000000000 + i : 0);
			assert_int_equal(pmc(6 + i, false, &value), REGISTER_FAULT);
			if (!map[i])
				continue;
			assert_int_equal(get(map[i]), 0xff0000000000 + i);
			assert_int_equal(get(map[i] - 1), 0x4000000000c0 + i);
		}
		for (uint32_t address = 0xc0010230; address < 0xc0010260; address++) {
			bool there = false;

			for (unsigned i = 0; i < 29; i++)
				there = there || (map[i] && (address | 1) == map[i]);
			if (address < 0xc001023c || address >= 0xc0010240)
				assert_int_equal(faults(address), !there);
		}
	}
}

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

static void wrap(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		program(0, INSTR);
		set(CTR(0), TOP - 1);
		assert_false(step(Q_INSTRUCTIONS, 1, 1, 0));
		assert_int_equal(get(CTR(0)), TOP);
		if (parts[p].v2)
			assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
		assert_true(step(Q_INSTRUCTIONS, 3, 1, 0));
		assert_int_equal(get(CTR(0)), 2);
	}
}

static void status(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	program(3, INSTR);
	set(CTR(3), TOP);
	instructions(1);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 8);
	instructions(5);
	set(CTL(3), 0);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 8);
	set(PERF_GLOBAL_STATUS_CLR, 8);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
}

static void interrupts(void **unused)
{
	(void)unused;
	assert_true(amd_model.line_stays(cpu));
	for (unsigned p = 0; p < PARTS; p++) {
		power_up(parts[p].profile, "");
		program(0, INSTR | CTL_INT);
		program(1, INSTR);
		set(CTR(0), TOP);
		set(CTR(1), TOP - 1);
		assert_int_equal(pmis(), 0);
		instructions(1);
		assert_int_equal(pmis(), 1);
		instructions(2);
		assert_int_equal(pmis(), 0);
		/* It goes on counting, and interrupts again. */
		set(CTR(0), TOP);
		instructions(1);
		assert_int_equal(pmis(), 1);
		set(CTL(0), INSTR | CTL_INT);
		assert_int_equal(get(CTR(0)), 0);
		if (parts[p].v2)
			assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	}
	/* Before PerfMonV2 a status set in secret would show as a freeze. */
	power_up(&amd_zen3, "");
	program(0, INSTR | CTL_INT);
	set(CTR(0), TOP);
	instructions(5);
	assert_int_equal(get(CTR(0)), 4);
}

static void freeze(void **unused)
{
	const uint64_t frozen = STATUS_PMC_FROZEN | STATUS_LBR_FROZEN;
	(void)unused;
	power_up(&amd_zen5, "");
	set(DEBUGCTL, ~0ull);
	assert_int_equal(get(DEBUGCTL), 0x187f);
	set(DEBUGCTL, DEBUGCTL_FREEZE_LBR | DEBUGCTL_FREEZE_PMC);
	program(0, INSTR | CTL_INT);
	program(1, INSTR);
	set(CTR(0), TOP - 1);
	instructions(6);
	assert_int_equal(get(CTR(0)), 0);
	assert_int_equal(get(CTR(1)), 2);
	assert_int_equal(get(PERF_GLOBAL_STATUS), frozen | 1);
	assert_int_equal(get(PERF_GLOBAL_CTL), 0x3f);
	assert_false(amd_model.counting(cpu));
	set(PERF_GLOBAL_STATUS_CLR, frozen | 1);
	instructions(2);
	assert_int_equal(get(CTR(1)), 4);
	set(PERF_GLOBAL_STATUS_SET, STATUS_PMC_FROZEN);
	instructions(2);
	assert_int_equal(get(CTR(1)), 4);
	/* Without being asked nothing freezes. */
	power_up(&amd_zen5, "");
	program(0, INSTR | CTL_INT);
	set(CTR(0), TOP);
	instructions(4);
	assert_int_equal(get(CTR(0)), 3);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 1);
}

/* MPERF, APERF, IRPERF */
static void free_running_counters(void **unused)
{
	(void)unused;
	power_up(&amd_zen2, "");
	set(HWCR, ~0ull);
	assert_int_equal(get(HWCR), HWCR_IRPERF | HWCR_LOCK);
	assert_true(amd_model.counting(cpu));
	instructions(5);
	assert_int_equal(get(IRPERF), 5);
	set(IRPERF, 100);
	assert_int_equal(get(IRPERF), 5);
	set(HWCR, 0);
	assert_int_equal(get(HWCR), HWCR_LOCK);
	instructions(5);
	assert_int_equal(get(IRPERF), 5);
	set(MPERF, 1000);
	set(APERF, ~0ull);
	step(Q_INSTRUCTIONS, 1, 4, 3);
	amd_model.advance(cpu, &(struct step){.cycles = 100, .halted = true});
	assert_int_equal(get(MPERF), 1004);
	assert_int_equal(get(APERF), 3);
	assert_int_equal(pmis(), 0);
}

/* A free-running counter's overflow is nobody's status. */
static void no_status_of_missing_counters(void **unused)
{
	(void)unused;
	power_up(&amd_zen4, "");
	set(APERF, ~0ull);
	instructions(2);
	assert_int_equal(get(PERF_GLOBAL_STATUS), 0);
	assert_int_equal(pmis(), 0);
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

static void pairs_carry(void **unused)
{
	static const struct model_profile *const profiles[] = {&amd_zen1, &amd_zen5};
	(void)unused;
	for (unsigned p = 0; p < 2; p++) {
		power_up(profiles[p], "");
		program(1, CTL_MERGE | CTL_EN);
		program(0, INSTR | CTL_INT);
		set(CTR(0), TOP - 1);
		set(CTR(1), 0xfffe);
		instructions(2);
		assert_int_equal(get(CTR(0)), 0);
		assert_int_equal(get(CTR(1)), 0xffff);
		assert_int_equal(pmis(), 0);
		set(CTR(0), TOP);
		instructions(1);
		assert_int_equal(get(CTR(0)), 0);
		assert_int_equal(get(CTR(1)), 0);
		assert_int_equal(pmis(), 1);
		if (p)
			assert_int_equal(get(PERF_GLOBAL_STATUS), 1);
	}
	/* With PerfMonV2 the upper one needs its bit of the common enable too. */
	set(PERF_GLOBAL_CTL, 1);
	set(CTR(0), TOP);
	instructions(1);
	assert_int_equal(get(CTR(1)), 0);
	assert_int_equal(pmis(), 1);
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

#define MODEL_RULE_TESTS                                                                                     \
	cmocka_unit_test(reset_state), cmocka_unit_test(presence), cmocka_unit_test(aliases),                \
		cmocka_unit_test(selector_bits), cmocka_unit_test(counter_write),                            \
		cmocka_unit_test(global_bits), cmocka_unit_test(rdpmc_rules), cmocka_unit_test(rdpmc_map),   \
		cmocka_unit_test(enables), cmocka_unit_test(rings), cmocka_unit_test(events),                \
		cmocka_unit_test(wiring_of_15h), cmocka_unit_test(clocks), cmocka_unit_test(amounts_add_up), \
		cmocka_unit_test(own_write), cmocka_unit_test(thresholds), cmocka_unit_test(edges),          \
		cmocka_unit_test(increments), cmocka_unit_test(wrap), cmocka_unit_test(status),              \
		cmocka_unit_test(interrupts), cmocka_unit_test(freeze),                                      \
		cmocka_unit_test(free_running_counters), cmocka_unit_test(no_status_of_missing_counters),    \
		cmocka_unit_test(large_increments), cmocka_unit_test(pairs_carry),                           \
		cmocka_unit_test(host_and_guest), cmocka_unit_test(guests_are_told_apart),                   \
		cmocka_unit_test(others_are_apart), cmocka_unit_test(tagged_operations)

#endif
