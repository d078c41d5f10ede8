/*
 * The rules of PMUv3's model, one test each: what its counters count, and what they do when they overflow.
 */
#ifndef TESTS_SELF_HOST_ARMV8_MODEL_COUNTING_H
#define TESTS_SELF_HOST_ARMV8_MODEL_COUNTING_H

#include "tests/self/host/armv8_model_begin.h"

/* By PMCR_EL0.E and the counter's own bit; P and C make counters 0. */
static void enables(void **unused)
{
	(void)unused;
	begin(PMUVER_3_0, PMCR_LC);
	assert_false(armv8_model.counting(&cpu));
	instructions(2);
	set(PMCNTENSET_EL0, CYCLE_BIT | 2);
	assert_true(armv8_model.counting(&cpu));
	instructions(3);
	assert_int_equal(get(PMEVCNTR_EL0 + 0), 0);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 3);
	assert_int_equal(get(PMCCNTR_EL0), 3);
	set(PMCR_EL0, PMCR_LC);
	assert_false(armv8_model.counting(&cpu));
	instructions(3);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 3);
	set(PMCR_EL0, PMCR_LC | PMCR_E);
	instructions(1);
	set(PMCNTENCLR_EL0, 2);
	instructions(1);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 4);
	assert_int_equal(get(PMCCNTR_EL0), 5);
	set(PMCR_EL0, PMCR_LC | PMCR_E | PMCR_P);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 0);
	assert_int_equal(get(PMCCNTR_EL0), 5);
	set(PMEVCNTR_EL0 + 5, 9);
	set(PMCR_EL0, PMCR_LC | PMCR_E | PMCR_C);
	assert_int_equal(get(PMCCNTR_EL0), 0);
	assert_int_equal(get(PMEVCNTR_EL0 + 5), 9);
}

/* A write that starts counters is not counted by them, but by those that ran before. */
static void own_write(void **unused)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	const struct step step = {.terms = &term, .n_terms = 1, .cycles = 1, .own_write = true};

	(void)unused;
	begin(PMUVER_3_0, 0);
	set(PMCNTENSET_EL0, 1);
	set(PMCNTENSET_EL0, 2);
	armv8_model.advance(&cpu, &step);
	instructions(1);
	assert_int_equal(get(PMEVCNTR_EL0 + 0), 2);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 1);
}

/* P and NSK, U and NSU alike: it counts there (Non-secure). NSH is EL2's alone. */
static void filters(void **unused)
{
	(void)unused;
	for (unsigned bits = 0; bits < 64; bits++) {
		uint64_t type = (uint64_t)bits << 26;
		bool system = (bits >> 5 & 1) == (bits >> 3 & 1), user = (bits >> 4 & 1) == (bits >> 2 & 1);

		begin(PMUVER_3_0, PMCR_LC);
		set(PMEVTYPER_EL0, type | INSTR);
		set(PMCCFILTR_EL0, type);
		set(PMCNTENSET_EL0, CYCLE_BIT | 1);
		step_at(0, Q_INSTRUCTIONS, 1);
		assert_int_equal(get(PMEVCNTR_EL0), system);
		assert_int_equal(get(PMCCNTR_EL0), system);
		step_at(1, Q_INSTRUCTIONS, 10);
		assert_int_equal(get(PMEVCNTR_EL0), system + 10 * user);
		assert_int_equal(get(PMCCNTR_EL0), system + user);
	}
}

/* Events that the PMU does not list count nothing; its own core's do. */
static void events(void **unused)
{
	(void)unused;
	begin(PMUVER_3_0, 0);
	set(PMCNTENSET_EL0, 0x3f);
	set(PMEVTYPER_EL0 + 1, LD_RETIRED);
	set(PMEVTYPER_EL0 + 2, 0x11);
	set(PMEVTYPER_EL0 + 3, 0x0f); /* not listed */
	set(PMEVTYPER_EL0 + 4, 0x3ff);
	step_at(0, Q_INSTRUCTIONS, 3);
	step_at(0, Q_INSN_LOAD, 5);
	step_at(0, Q_UNALIGNED, 5);
	assert_int_equal(get(PMEVCNTR_EL0 + 0), 3);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 5);
	assert_int_equal(get(PMEVCNTR_EL0 + 2), 3);
	assert_int_equal(get(PMEVCNTR_EL0 + 3), 0);
	assert_int_equal(get(PMEVCNTR_EL0 + 4), 0);
	assert_true(armv8_model.counts(&cpu, Q_INSTRUCTIONS) && armv8_model.counts(&cpu, Q_INSN_LOAD));
	assert_false(armv8_model.counts(&cpu, Q_INSN_STORE));
	set(PMCNTENCLR_EL0, 2);
	assert_false(armv8_model.counts(&cpu, Q_INSN_LOAD));
}

/* Event counters overflow at their width, or before PMCR_EL0.LP is set at 32 bits; the cycle counter at 64
 * bits with LC. Status stays until it is cleared. */
static void overflows(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < VERSIONS; v++)
		for (unsigned wide = 0; wide < 2; wide++) {
			bool big = versions[v] >= PMUVER_3_5;
			uint64_t most = big && wide ? UINT64_MAX : ONES32;
			uint64_t beyond = big && !wide ? UINT64_C(0x700000000) : 0;
			uint64_t cycles = wide ? UINT64_MAX : UINT64_C(0x5ffffffff);

			begin(versions[v], wide ? PMCR_LP | PMCR_LC : 0);
			set(PMEVCNTR_EL0 + 3, beyond | (most - 1));
			set(PMCCNTR_EL0, cycles - 1);
			set(PMCNTENSET_EL0, CYCLE_BIT | 8);
			assert_false(step_at(0, Q_INSTRUCTIONS, 1));
			assert_int_equal(get(PMOVSSET_EL0), 0);
			assert_true(step_at(0, Q_INSTRUCTIONS, 1));
			assert_int_equal(get(PMOVSSET_EL0), CYCLE_BIT | 8);
			assert_true(get(PMEVCNTR_EL0 + 3) == (beyond ? beyond + ONES32 + 1 : 0));
			assert_true(get(PMCCNTR_EL0) == cycles + 1);
			instructions(1);
			assert_int_equal(get(PMOVSCLR_EL0), CYCLE_BIT | 8);
			set(PMOVSCLR_EL0, 8);
			assert_int_equal(get(PMOVSSET_EL0), CYCLE_BIT);
		}
}

/* The interrupt is asserted while an overflow, its enable and PMCR_EL0.E meet; a request is one such time. */
static void interrupts(void **unused)
{
	(void)unused;
	begin(PMUVER_3_0, 0);
	set(PMEVCNTR_EL0, ONES32);
	set(PMEVCNTR_EL0 + 1, ONES32 - 1);
	set(PMCNTENSET_EL0, 3);
	instructions(1);
	assert_false(armv8_model.take_pmi(&cpu));
	set(PMINTENSET_EL1, 2);
	assert_false(armv8_model.take_pmi(&cpu));
	instructions(1);
	assert_true(armv8_model.counting(&cpu) && armv8_model.take_pmi(&cpu));
	assert_false(armv8_model.take_pmi(&cpu));
	/* It is asserted already. */
	set(PMINTENSET_EL1, 1);
	assert_false(armv8_model.take_pmi(&cpu));
	set(PMOVSCLR_EL0, 3);
	set(PMOVSSET_EL0, 2);
	assert_true(armv8_model.take_pmi(&cpu));
	set(PMCR_EL0, 0);
	set(PMOVSCLR_EL0, 3);
	set(PMOVSSET_EL0, 2);
	assert_false(armv8_model.counting(&cpu));
	set(PMCR_EL0, PMCR_E);
	set(PMCNTENCLR_EL0, 3);
	assert_true(armv8_model.counting(&cpu) && armv8_model.take_pmi(&cpu));
	assert_false(armv8_model.counting(&cpu));
	assert_true(armv8_model.line_stays(&cpu));
}

/* PMSWINC_EL0 counts on counters of its mask that have SW_INCR, run, and count at its level. */
static void software(void **unused)
{
	(void)unused;
	begin(PMUVER_3_0, 0);
	for (unsigned c = 0; c < 4; c++)
		set(PMEVTYPER_EL0 + c, c == 2 ? TYPER_P : 0);
	set(PMCNTENSET_EL0, 0x37);
	set(PMSWINC_EL0, 0x3d);
	assert_int_equal(get(PMEVCNTR_EL0 + 0), 1);
	for (unsigned c = 1; c < 6; c++)
		assert_int_equal(get(PMEVCNTR_EL0 + c), 0);
	set(PMUSERENR_EL0, PMUSERENR_SW);
	assert_int_equal(writes(PMSWINC_EL0, 1, 4), REGISTER_DONE);
	assert_int_equal(get(PMEVCNTR_EL0 + 2), 1);
	step_at(0, Q_SW_INCREMENTS, 1);
	assert_int_equal(get(PMEVCNTR_EL0 + 0), 1);
	set(PMEVCNTR_EL0, ONES32);
	set(PMINTENSET_EL1, 1);
	set(PMSWINC_EL0, 1);
	assert_int_equal(get(PMOVSSET_EL0), 1);
	assert_true(armv8_model.take_pmi(&cpu));
}

/* An odd counter with CHAIN counts the overflows of the one below; nothing where that overflows at 64 bits.
 */
static void chains(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < VERSIONS; v++)
		for (unsigned wide = 0; wide < 2; wide++) {
			bool big = versions[v] >= PMUVER_3_5 && wide;

			begin(versions[v], wide ? PMCR_LP : 0);
			for (unsigned c = 1; c < 6; c++)
				set(PMEVTYPER_EL0 + c, c == 4 ? INSTR : EVENT_CHAIN);
			set(PMEVCNTR_EL0 + 0, big ? UINT64_MAX : ONES32);
			set(PMEVCNTR_EL0 + 4, big ? UINT64_MAX : ONES32);
			set(PMEVCNTR_EL0 + 1, big ? 0 : ONES32);
			set(PMCNTENSET_EL0, 0x1f);
			instructions(2);
			assert_int_equal(get(PMEVCNTR_EL0 + 1) & ONES32, 0);
			assert_int_equal(get(PMOVSSET_EL0), big ? 0x11 : 0x13);
			assert_int_equal(get(PMEVCNTR_EL0 + 2), 0); /* not an odd one */
			assert_int_equal(get(PMEVCNTR_EL0 + 3), 0);
			assert_int_equal(get(PMEVCNTR_EL0 + 5), 0); /* it does not run */
		}
	/* The last counter has no neighbour. */
	power_up(PMUVER_3_0, 5);
	set(PMCR_EL0, PMCR_E);
	set(PMOVSCLR_EL0, ~UINT64_C(0));
	set(PMCNTENSET_EL0, 0x1f);
	set(PMEVTYPER_EL0 + 4, INSTR);
	set(PMEVCNTR_EL0 + 4, ONES32);
	instructions(1);
	assert_int_equal(get(PMOVSSET_EL0) & 0x10, 0x10);
}

/* PMCR_EL0.D: each 64th cycle, unless the counter is long. */
static void divided(void **unused)
{
	(void)unused;
	begin(PMUVER_3_0, PMCR_D);
	set(PMCNTENSET_EL0, CYCLE_BIT);
	instructions(63);
	assert_int_equal(get(PMCCNTR_EL0), 0);
	instructions(1);
	assert_int_equal(get(PMCCNTR_EL0), 1);
	instructions(60);
	set(PMCR_EL0, PMCR_D | PMCR_E | PMCR_C);
	instructions(63);
	assert_int_equal(get(PMCCNTR_EL0), 0);
	set(PMCR_EL0, PMCR_D | PMCR_E | PMCR_LC);
	instructions(3);
	assert_int_equal(get(PMCCNTR_EL0), 3);
}

/* PMCR_EL0.FZO: event counters stand still while one has overflowed, the cycle counter with DP, too. */
static void freezes(void **unused)
{
	(void)unused;
	for (unsigned dp = 0; dp < 2; dp++) {
		begin(PMUVER_3_7, PMCR_FZO | PMCR_LC | (dp ? PMCR_DP : 0));
		set(PMEVCNTR_EL0 + 2, ONES32);
		set(PMCNTENSET_EL0, CYCLE_BIT | 0x3f);
		instructions(4);
		assert_int_equal(get(PMEVCNTR_EL0 + 0), 1);
		assert_int_equal(get(PMEVCNTR_EL0 + 2) & ONES32, 0);
		assert_int_equal(get(PMCCNTR_EL0), dp ? 1 : 4);
		set(PMOVSCLR_EL0, 4);
		instructions(1);
		assert_int_equal(get(PMEVCNTR_EL0 + 0), 2);
		/* An overflow of the cycle counter freezes nothing. */
		set(PMOVSSET_EL0, CYCLE_BIT);
		instructions(1);
		assert_int_equal(get(PMEVCNTR_EL0 + 0), 3);
	}
	begin(PMUVER_3_5, PMCR_FZO);
	set(PMOVSSET_EL0, 1);
	set(PMCNTENSET_EL0, 2);
	instructions(1);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 1);
}

/* Thresholds: V against TH by TC, for V from 0 to 4 in a cycle each. */
static void thresholds(void **unused)
{
	static const struct {
		unsigned tc, th, sum;
	} rows[] = {
		{0, 0, 0 + 1 + 2 + 3 + 4},
		{0, 2, 0 + 1 + 3 + 4},
		{1, 2, 4},
		{1, 0, 4},
		{2, 2, 2},
		{3, 2, 1},
		{3, 0, 1},
		{4, 2, 2 + 3 + 4},
		{5, 2, 3},
		{5, 0, 5},
		{6, 2, 1},
		{7, 2, 2},
		{7, 0, 0},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(PMUVER_3_8, 0);
		set(PMEVTYPER_EL0,
		    (uint64_t)rows[i].tc << TYPER_TC | (uint64_t)rows[i].th << TYPER_TH | INSTR);
		set(PMEVTYPER_EL0 + 1, (uint64_t)5 << TYPER_TC | UINT64_C(1) << TYPER_TH | 0x11);
		set(PMCNTENSET_EL0, 3);
		for (unsigned v = 0; v <= 4; v++)
			step_at(0, Q_INSTRUCTIONS, v);
		assert_int_equal(get(PMEVCNTR_EL0), rows[i].sum);
		assert_int_equal(get(PMEVCNTR_EL0 + 1), 5);
	}
}

/* Edges of thresholds (TE), for a row of V of a cycle each. */
static void edges(void **unused)
{
	static const uint8_t v[] = {0, 2, 2, 1, 3, 0, 2};
	static const struct {
		unsigned tc, th, sum;
	} rows[] = {
		{0, 2, 10},            /* reserved: as without a threshold */
		{1, 2, 2},             /* becomes another one than 2 */
		{2, 2, 3},             /* becomes 2, and another one again */
		{3, 2, 2},             /* becomes 2 */
		{4, 2, 10}, {5, 2, 3}, /* becomes 2 or more */
		{6, 2, 6},  {7, 2, 3}, /* less than 2 */
		{5, 0, 1},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(PMUVER_3_8, 0);
		set(PMEVTYPER_EL0,
		    TYPER_TE | (uint64_t)rows[i].tc << TYPER_TC | (uint64_t)rows[i].th << TYPER_TH | INSTR);
		set(PMCNTENSET_EL0, 1);
		for (unsigned k = 0; k < sizeof v; k++)
			step_at(0, Q_INSTRUCTIONS, v[k]);
		assert_int_equal(get(PMEVCNTR_EL0), rows[i].sum);
	}
	/* A write of the type begins anew. */
	begin(PMUVER_3_8, 0);
	set(PMCNTENSET_EL0, 1);
	for (unsigned i = 0; i < 2; i++) {
		set(PMEVTYPER_EL0, TYPER_TE | (uint64_t)5 << TYPER_TC | UINT64_C(1) << TYPER_TH | INSTR);
		instructions(2);
		assert_int_equal(get(PMEVCNTR_EL0), i + 1);
	}
}

/* Of two cycles the first has 2 instructions, the second none; the counter below is held against 2 itself
 * (LESS_COUNT), or counts as it is. */
static uint64_t linked(unsigned tc, unsigned th, unsigned tlc, uint64_t more, uint64_t below, uint64_t started)
{
	const struct qterm term = {Q_INSTRUCTIONS, 2};
	const struct step step = {.terms = &term, .n_terms = 1, .cycles = 2};

	begin(PMUVER_3_8, 0);
	part.pmmir = EDGE_LINKS << PMMIR_EDGE | 4u << PMMIR_THWIDTH;
	set(PMEVTYPER_EL0, below);
	set(PMEVTYPER_EL0 + 1, more | (uint64_t)tlc << TYPER_TLC | (uint64_t)tc << TYPER_TC |
				       (uint64_t)th << TYPER_TH | INSTR);
	set(PMCNTENSET_EL0, started);
	armv8_model.advance(&cpu, &step);
	armv8_model.advance(&cpu, &step);
	return get(PMEVCNTR_EL0 + 1);
}

/* PMEVTYPER<n>_EL0.TLC of an odd counter (FEAT_PMUv3_TH2): what the counter below adds in a cycle. */
static void links(void **unused)
{
	static const uint64_t plain = 0x11, less = UINT64_C(7) << TYPER_TC | UINT64_C(2) << TYPER_TH | INSTR,
			      both = TYPER_TE | UINT64_C(6) << TYPER_TC | UINT64_C(2) << TYPER_TH | INSTR;
	static const struct {
		unsigned tc, th, tlc;
		uint64_t more, below, sum;
	} rows[] = {
		{4, 2, 0, 0, plain, 4},            /* not linked */
		{4, 2, LINK_ELSE, 0, plain, 4 + 2},
		{5, 2, LINK_ELSE, 0, plain, 2 + 2},
		{4, 2, LINK_THEN, 0, plain, 2},
		{6, 2, LINK_THEN, 0, plain, 2},
		{6, 0, LINK_ELSE, 0, INSTR, 4},    /* no cycle is less than 0 */
		{4, 0, LINK_THEN, 0, INSTR, 4},
		{0, 0, LINK_ELSE, 0, plain, 4 + 2}, /* TLC alone is enough */
		{5, 2, LINK_THEN, TYPER_TE, plain, 2},
		{7, 2, LINK_THEN, TYPER_TE, plain, 2},
		{6, 2, LINK_THEN, TYPER_TE, plain, 3},
		{4, 2, LINK_THEN, 0, less, 0},     /* the one below is compared first */
		{6, 2, LINK_THEN, 0, less, 2},
		{6, 2, LINK_THEN, 0, less | TYPER_TE, 2},
		{4, 0, LINK_THEN, 0, both, 3},     /* its edges are those of each cycle */
		{5, 2, LINK_THEN, TYPER_TE, INSTR, 4},
		{5, 2, LINK_THEN, 0, plain, 4},    /* reserved: as without a threshold */
		{5, 2, LINK_ELSE, TYPER_TE, plain, 4},
		{4, 3, 3, 0, plain, 4},
	};

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(linked(rows[i].tc, rows[i].th, rows[i].tlc, rows[i].more, rows[i].below, 3),
				 rows[i].sum);
	/* The counter below adds nothing where it is off, or filtered. */
	assert_int_equal(linked(4, 2, LINK_ELSE, 0, plain, 2), 4);
	assert_int_equal(linked(4, 2, LINK_ELSE, 0, plain | TYPER_P, 3), 4);
	assert_int_equal(linked(6, 2, LINK_THEN, 0, less | TYPER_TE, 2), 0);
	/* Even counters have no link, and without FEAT_PMUv3_TH2 none has. */
	for (unsigned c = 0; c < 2; c++)
		for (unsigned edge = 1; edge <= EDGE_LINKS; edge++) {
			part.pmmir = edge << PMMIR_EDGE | 4u << PMMIR_THWIDTH;
			set(PMEVTYPER_EL0 + c, ~UINT64_C(0));
			assert_int_equal(get(PMEVTYPER_EL0 + c) >> TYPER_TLC & 3, c && edge == 2 ? 3 : 0);
		}
}

/* Several cycles in a step: the quantities are in its first. */
static void long_steps(void **unused)
{
	const struct qterm term = {Q_INSTRUCTIONS, 1};
	struct step step = {.terms = &term, .n_terms = 1, .cycles = 5};

	(void)unused;
	begin(PMUVER_3_8, PMCR_LC);
	set(PMEVTYPER_EL0 + 1, (uint64_t)3 << TYPER_TC | INSTR); /* cycles without any */
	set(PMEVTYPER_EL0 + 2, (uint64_t)5 << TYPER_TC | UINT64_C(1) << TYPER_TH | 0x11);
	set(PMCNTENSET_EL0, CYCLE_BIT | 7);
	armv8_model.advance(&cpu, &step);
	assert_int_equal(get(PMEVCNTR_EL0), 1);
	assert_int_equal(get(PMEVCNTR_EL0 + 1), 4);
	assert_int_equal(get(PMEVCNTR_EL0 + 2), 5);
	assert_int_equal(get(PMCCNTR_EL0), 5);
	step.halted = true;
	step.n_terms = 0;
	armv8_model.advance(&cpu, &step);
	assert_int_equal(get(PMCCNTR_EL0), 5);
}

/* What increments() promises is what advance() does, and where it cannot promise it says so. */
static void short_cut(void **unused)
{
	static const struct {
		uint64_t type;
		unsigned version;
		uint32_t pmcr;
		int n; /* increments of a step at EL1 */
	} rows[] = {
		{INSTR, PMUVER_3_0, PMCR_LC, 2},
		{INSTR | TYPER_P, PMUVER_3_0, PMCR_LC, 1},
		{INSTR, PMUVER_3_0, PMCR_D, -1},
		{INSTR, PMUVER_3_0, 0, -1}, /* the cycle counter goes on behind its overflow */
		{INSTR, PMUVER_3_5, PMCR_LC, -1},
		{INSTR, PMUVER_3_5, PMCR_LC | PMCR_LP, 2},
		{INSTR | UINT64_C(1) << TYPER_TH, PMUVER_3_8, PMCR_LC | PMCR_LP, -1},
	};
	const struct qterm term = {Q_INSTRUCTIONS, 2};
	const struct step step = {.terms = &term, .n_terms = 1, .cycles = 1};
	struct model_increment out[4];

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(rows[i].version, rows[i].pmcr);
		set(PMEVTYPER_EL0, rows[i].type);
		set(PMCNTENSET_EL0, CYCLE_BIT | 1);
		assert_int_equal(armv8_model.increments(&cpu, &step, out, 4), rows[i].n);
		if (rows[i].n != 2)
			continue;
		assert_int_equal(armv8_model.increments(&cpu, &step, out, 1), -1);
		assert_ptr_equal(out[0].counter, &cpu.counter[0].value);
		assert_true(out[0].amount == 2 && out[1].amount == 1);
		assert_true(out[0].limit == (rows[i].version >= PMUVER_3_5 ? UINT64_MAX : ONES32) - 2);
	}
}

#endif
