/*
 * The rules of PMUv3's model, one test each: which registers there are, and who may access what of them.
 */
#ifndef TESTS_SELF_HOST_ARMV8_MODEL_REGISTERS_H
#define TESTS_SELF_HOST_ARMV8_MODEL_REGISTERS_H

#include "tests/self/host/armv8_model_begin.h"

/* Which there are, by version and number of counters: others of these numbers are UNDEFINED, and whatever is
 * no register of the PMU is the machine's. */
static void presence(void **unused)
{
	static const uint32_t always[] = {PMCR_EL0,      PMCNTENSET_EL0, PMCNTENCLR_EL0, PMOVSCLR_EL0,
					  PMSELR_EL0,    PMCEID0_EL0,    PMCEID1_EL0,    PMCCNTR_EL0,
					  PMUSERENR_EL0, PMOVSSET_EL0,   PMINTENSET_EL1, PMINTENCLR_EL1,
					  PMCCFILTR_EL0, PMXEVTYPER_EL0, PMXEVCNTR_EL0};
	uint64_t value;

	(void)unused;
	for (unsigned v = 0; v < VERSIONS; v++)
		for (unsigned n = 0; n <= ARMV8_GENERAL; n++) {
			power_up(versions[v], n);
			for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
				assert_int_equal(reads(always[i], 0, &value), REGISTER_DONE);
			assert_int_equal(get(PMCR_EL0) >> PMCR_N & 0x1f, n);
			assert_int_equal(get(PMCR_EL0) >> 16, 0x4103);
			for (unsigned c = 0; c < ARMV8_GENERAL; c++) {
				enum register_answer there = c < n ? REGISTER_DONE : REGISTER_FAULT;

				assert_int_equal(reads(PMEVCNTR_EL0 + c, 0, &value), there);
				assert_int_equal(writes(PMEVCNTR_EL0 + c, 0, 0), there);
				assert_int_equal(reads(PMEVTYPER_EL0 + c, 0, &value), there);
				assert_int_equal(writes(PMEVTYPER_EL0 + c, 0, 0), there);
			}
			assert_int_equal(reads(PMEVCNTR_EL0 + 31, 0, &value), REGISTER_FAULT);
			assert_int_equal(reads(PMMIR_EL1, 0, &value),
					 versions[v] >= PMUVER_3_4 ? REGISTER_DONE : REGISTER_FAULT);
			set(PMCNTENSET_EL0, ~UINT64_C(0));
			assert_true(get(PMCNTENSET_EL0) ==
				    ((UINT64_C(1) << n) - 1) + CYCLE_BIT + (part.icntr ? INSN_BIT : 0));
			assert_int_equal(writes(PMZR_EL0, 0, 0),
					 versions[v] >= PMUVER_3_9 ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(reads(PMUACR_EL1, 0, &value),
					 versions[v] >= PMUVER_3_9 ? REGISTER_DONE : REGISTER_FAULT);
			for (unsigned icntr = 0; icntr < 2; icntr++) {
				part.icntr = icntr;
				assert_int_equal(reads(PMICNTR_EL0, 0, &value),
						 icntr ? REGISTER_DONE : REGISTER_FAULT);
				assert_int_equal(writes(PMICFILTR_EL0, 0, 0),
						 icntr ? REGISTER_DONE : REGISTER_FAULT);
			}
		}
	assert_int_equal(reads(ARMV8_REGISTER(3, 3, 9, 13, 7), 0, &value), REGISTER_FAULT);
	assert_int_equal(reads(ARMV8_REGISTER(3, 3, 9, 5, 0), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(3, 0, 9, 4, 0), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(3, 3, 14, 2, 1), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(3, 0, 14, 8, 0), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(3, 3, 13, 0, 2), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(3, 0, 9, 12, 0), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(2, 3, 9, 12, 0), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(1, 3, 9, 12, 0), 0, &value), REGISTER_NOT_MINE);
}

/* What is read-only or write-only is UNDEFINED the other way. */
static void directions(void **unused)
{
	uint64_t value;

	(void)unused;
	begin(PMUVER_3_5, 0);
	assert_int_equal(reads(PMSWINC_EL0, 0, &value), REGISTER_FAULT);
	assert_int_equal(writes(PMSWINC_EL0, 0, 0), REGISTER_DONE);
	assert_int_equal(writes(PMCEID0_EL0, 0, 0), REGISTER_FAULT);
	assert_int_equal(writes(PMCEID1_EL0, 0, 0), REGISTER_FAULT);
	assert_int_equal(writes(PMMIR_EL1, 0, 0), REGISTER_FAULT);
	assert_true(get(PMCEID0_EL0) == part.ceid[0] && get(PMCEID1_EL0) == part.ceid[1]);
	assert_true(get(PMMIR_EL1) == part.pmmir);
}

/* EL0, by each bit of PMUSERENR_EL0. */
static void user_accesses(void **unused)
{
	enum { R = 1, W = 2 };
	static const struct {
		uint32_t number;
		uint8_t by[5]; /* none, EN, SW, CR, ER: what may be done */
	} rows[] = {
		{PMCR_EL0, {0, R | W, 0, 0, 0}},
		{PMCNTENSET_EL0, {0, R | W, 0, 0, 0}},
		{PMCNTENCLR_EL0, {0, R | W, 0, 0, 0}},
		{PMOVSCLR_EL0, {0, R | W, 0, 0, 0}},
		{PMOVSSET_EL0, {0, R | W, 0, 0, 0}},
		{PMSWINC_EL0, {0, W, W, 0, 0}},
		{PMSELR_EL0, {0, R | W, 0, 0, R | W}},
		{PMCEID0_EL0, {0, R, 0, 0, 0}},
		{PMCEID1_EL0, {0, R, 0, 0, 0}},
		{PMCCNTR_EL0, {0, R | W, 0, R, 0}},
		{PMXEVTYPER_EL0, {0, R | W, 0, 0, 0}},
		{PMXEVCNTR_EL0, {0, R | W, 0, 0, R}},
		{PMEVCNTR_EL0 + 2, {0, R | W, 0, 0, R}},
		{PMEVTYPER_EL0 + 2, {0, R | W, 0, 0, 0}},
		{PMCCFILTR_EL0, {0, R | W, 0, 0, 0}},
		{PMUSERENR_EL0, {R, R, R, R, R}},
		{PMINTENSET_EL1, {0, 0, 0, 0, 0}},
		{PMINTENCLR_EL1, {0, 0, 0, 0, 0}},
		{PMMIR_EL1, {0, 0, 0, 0, 0}},
		{PMEVCNTR_EL0 + 6, {0, 0, 0, 0, 0}},
	};
	uint64_t value;

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned by = 0; by < 5; by++) {
			begin(PMUVER_3_5, 0);
			set(PMUSERENR_EL0, by ? 1u << (by - 1) : 0);
			assert_int_equal(reads(rows[i].number, 1, &value),
					 rows[i].by[by] & R ? REGISTER_DONE : REGISTER_FAULT);
			assert_int_equal(writes(rows[i].number, 1, 0),
					 rows[i].by[by] & W ? REGISTER_DONE : REGISTER_FAULT);
		}
	begin(PMUVER_3_5, 0);
	set(PMUSERENR_EL0, ~UINT64_C(0));
	assert_int_equal(get(PMUSERENR_EL0), 0xf);
	begin(PMUVER_3_9, 0);
	set(PMUSERENR_EL0, ~UINT64_C(0));
	assert_int_equal(get(PMUSERENR_EL0), 0x7f);
	part.icntr = false;
	set(PMUSERENR_EL0, ~UINT64_C(0));
	assert_int_equal(get(PMUSERENR_EL0), 0x5f);
}

/* With PMUSERENR_EL0.UEN, EL0 may access what has to do with counters; those that PMUACR_EL1 keeps from it,
 * and writes that CR, ER and IR forbid, are ignored. */
static void user_counters(void **unused)
{
	static const uint32_t fine[] = {PMCNTENSET_EL0, PMOVSCLR_EL0,   PMSELR_EL0,    PMCEID0_EL0,
					PMCCNTR_EL0,    PMXEVTYPER_EL0, PMXEVCNTR_EL0, PMICNTR_EL0,
					PMICFILTR_EL0,  PMCCFILTR_EL0,  PMEVCNTR_EL0,  PMEVTYPER_EL0};
	static const uint32_t kept[] = {PMCR_EL0, PMINTENSET_EL1, PMUACR_EL1, PMMIR_EL1};
	const uint64_t some = INSN_BIT | CYCLE_BIT | 2;
	uint64_t value;

	(void)unused;
	begin(PMUVER_3_9, 0);
	set(PMUACR_EL1, ~UINT64_C(0));
	assert_true(get(PMUACR_EL1) == (INSN_BIT | CYCLE_BIT | 0x3f));
	set(PMUSERENR_EL0, PMUSERENR_EN);
	assert_int_equal(reads(PMICNTR_EL0, 1, &value), REGISTER_FAULT);
	set(PMCNTENSET_EL0, some);
	assert_true(reads(PMCNTENSET_EL0, 1, &value) == REGISTER_DONE && value == (some & ~INSN_BIT));
	set(PMUSERENR_EL0, PMUSERENR_EN | PMUSERENR_UEN);
	for (unsigned i = 0; i < sizeof fine / sizeof *fine; i++)
		assert_int_equal(reads(fine[i], 1, &value), REGISTER_DONE);
	for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++)
		assert_int_equal(reads(kept[i], 1, &value), REGISTER_FAULT);
	set(PMUSERENR_EL0, PMUSERENR_UEN | PMUSERENR_TID);
	assert_int_equal(reads(PMCEID0_EL0, 1, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMCEID1_EL0, 1, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMCEID1_EL0, 0, &value), REGISTER_DONE);
	assert_int_equal(reads(PMCCNTR_EL0, 1, &value), REGISTER_DONE);

	for (unsigned mine = 0; mine < 2; mine++)
		for (unsigned forbidden = 0; forbidden < 2; forbidden++) {
			uint64_t reads_as = mine ? 7 : 0, becomes = mine && !forbidden ? 9 : 7;
			static const uint32_t counters[] = {PMEVCNTR_EL0 + 1, PMCCNTR_EL0, PMICNTR_EL0};
			static const uint32_t by[] = {PMUSERENR_ER, PMUSERENR_CR, PMUSERENR_IR};
			static const uint64_t bit[] = {2, CYCLE_BIT, INSN_BIT};

			for (unsigned i = 0; i < 3; i++) {
				begin(PMUVER_3_9, 0);
				set(PMUACR_EL1, mine ? bit[i] : ~bit[i]);
				set(PMUSERENR_EL0, PMUSERENR_UEN | (forbidden ? by[i] : 0));
				set(counters[i], 7);
				assert_int_equal(reads(counters[i], 1, &value), REGISTER_DONE);
				assert_int_equal(value, reads_as);
				assert_int_equal(writes(counters[i], 1, 9), REGISTER_DONE);
				assert_int_equal(get(counters[i]), becomes);
				set(counters[i], 7);
				assert_int_equal(writes(PMZR_EL0, 1, bit[i]), REGISTER_DONE);
				assert_int_equal(get(counters[i]), mine && !forbidden ? 0 : 7);
				assert_int_equal(writes(PMCNTENSET_EL0, 1, bit[i]), REGISTER_DONE);
				assert_true(get(PMCNTENSET_EL0) == (mine && !forbidden ? bit[i] : 0));
			}
		}
	/* SW lets EL0 count on every counter. */
	for (unsigned sw = 0; sw < 2; sw++) {
		begin(PMUVER_3_9, 0);
		set(PMUACR_EL1, 1);
		set(PMUSERENR_EL0, PMUSERENR_UEN | (sw ? PMUSERENR_SW : 0));
		set(PMEVTYPER_EL0, EVENT_SW_INCR);
		set(PMEVTYPER_EL0 + 1, EVENT_SW_INCR);
		set(PMCNTENSET_EL0, 3);
		assert_int_equal(writes(PMSWINC_EL0, 1, 3), REGISTER_DONE);
		assert_int_equal(get(PMEVCNTR_EL0), 1);
		assert_int_equal(get(PMEVCNTR_EL0 + 1), sw);
	}
}

/* PMZR_EL0: counters of its mask become 0, others do not. */
static void zeroes(void **unused)
{
	(void)unused;
	begin(PMUVER_3_9, 0);
	for (unsigned c = 0; c < 6; c++)
		set(PMEVCNTR_EL0 + c, 7);
	set(PMCCNTR_EL0, 7);
	set(PMICNTR_EL0, 7);
	set(PMZR_EL0, INSN_BIT | 0x2a);
	for (unsigned c = 0; c < 6; c++)
		assert_int_equal(get(PMEVCNTR_EL0 + c), c % 2 ? 0 : 7);
	assert_int_equal(get(PMCCNTR_EL0), 7);
	assert_int_equal(get(PMICNTR_EL0), 0);
	set(PMZR_EL0, CYCLE_BIT);
	assert_int_equal(get(PMCCNTR_EL0), 0);
}

/* Counters from MDCR_EL2.HPMN on are EL2's: EL1 neither sees nor changes them, and its switches are not
 * theirs.
 */
static void ranges(void **unused)
{
	uint64_t value;

	(void)unused;
	for (unsigned on = 0; on < 2; on++) {
		begin(PMUVER_3_9, PMCR_LP);
		set(PMEVTYPER_EL0 + 4, INSTR);
		set(PMEVCNTR_EL0 + 4, 7);
		set(PMEVCNTR_EL0 + 5, ONES32);
		set(PMEVCNTR_EL0 + 3, ONES32);
		set(PMCNTENSET_EL0, INSN_BIT | CYCLE_BIT | 0x3f);
		set(PMINTENSET_EL1, 0x20);
		cpu.mdcr = 4 | (on ? MDCR_HPME : 0);
		assert_int_equal(get(PMCR_EL0) >> PMCR_N & 0x1f, 4);
		assert_true(get(PMCNTENSET_EL0) == (INSN_BIT | CYCLE_BIT | 0xf));
		assert_int_equal(reads(PMEVCNTR_EL0 + 4, 0, &value), REGISTER_FAULT);
		assert_int_equal(writes(PMEVTYPER_EL0 + 4, 0, 0), REGISTER_FAULT);
		assert_int_equal(get(PMINTENCLR_EL1), 0);
		set(PMSELR_EL0, 4);
		assert_int_equal(get(PMXEVCNTR_EL0), 0);
		set(PMXEVCNTR_EL0, 1);
		set(PMCNTENCLR_EL0, ~UINT64_C(0));
		set(PMCR_EL0, PMCR_P | PMCR_E | PMCR_LP);
		set(PMZR_EL0, ~UINT64_C(0));
		set(PMEVCNTR_EL0 + 3, ONES32);
		set(PMCNTENSET_EL0, 0x3f);
		assert_false(armv8_model.take_pmi(&cpu));
		instructions(1);
		assert_int_equal(armv8_model.take_pmi(&cpu), on);
		assert_int_equal(get(PMOVSSET_EL0), 0); /* of PMCR_EL0.LP: at 64 bits */
		set(PMCR_EL0, PMCR_LP);
		instructions(1);
		cpu.mdcr = 6;
		assert_int_equal(get(PMEVCNTR_EL0 + 4), 7 + 2 * on);
		/* MDCR_EL2.HLP is 0: at 32 bits. */
		assert_true(get(PMEVCNTR_EL0 + 5) == ONES32 + (on ? 2 : 0));
		assert_int_equal(get(PMOVSSET_EL0), on ? 0x20 : 0);
		assert_true(get(PMCNTENSET_EL0) == 0x3f);
		assert_true(get(PMEVCNTR_EL0 + 3) == ONES32 + 1);
	}
	/* HLP, and each range's own freeze. */
	for (unsigned fzo = 0; fzo < 4; fzo++)
		for (unsigned who = 2; who <= 4; who += 2) {
			begin(PMUVER_3_7, fzo & 1 ? PMCR_FZO : 0);
			set(PMCNTENSET_EL0, CYCLE_BIT | 0x3f);
			set(PMEVCNTR_EL0 + 4, ONES32);
			set(PMOVSSET_EL0, 1u << who);
			cpu.mdcr = 4 | MDCR_HPME | MDCR_HLP | (fzo & 2 ? MDCR_HPMFZO : 0);
			armv8_update(&cpu);
			instructions(1);
			cpu.mdcr = 6;
			assert_int_equal(get(PMEVCNTR_EL0 + 1), !(fzo & 1 && who < 4));
			assert_int_equal(get(PMEVCNTR_EL0 + 5), !(fzo & 2 && who >= 4));
			assert_int_equal(get(PMOVSSET_EL0), 1u << who);
		}
	/* As EL2 has left it. */
	part.mdcr = 3;
	armv8_model.reset(&cpu, &(struct model_profile){.data = &part}, NULL);
	assert_int_equal(get(PMCR_EL0) >> PMCR_N & 0x1f, 3);
	assert_false(armv8_model.take_pmi(&cpu));
}

/* PMICNTR_EL0: instructions by PMCR_EL0.E, its own bit and PMICFILTR_EL0; of 64 bits whatever LP says. */
static void instruction_counter(void **unused)
{
	(void)unused;
	begin(PMUVER_3_9, 0);
	set(PMICFILTR_EL0, ~UINT64_C(0));
	assert_true(get(PMICFILTR_EL0) == (ALL_FILTERS | INSTR));
	set(PMICFILTR_EL0, TYPER_U);
	set(PMICNTR_EL0, 0);
	set(PMCNTENSET_EL0, CYCLE_BIT);
	instructions(1);
	assert_int_equal(get(PMICNTR_EL0), 0);
	set(PMCNTENSET_EL0, INSN_BIT);
	step_at(0, Q_INSTRUCTIONS, 3);
	step_at(1, Q_INSTRUCTIONS, 3);
	step_at(0, Q_INSN_LOAD, 3);
	assert_int_equal(get(PMICNTR_EL0), 3);
	assert_true(armv8_model.counts(&cpu, Q_INSTRUCTIONS));
	set(PMCR_EL0, PMCR_E | PMCR_P | PMCR_C);
	assert_int_equal(get(PMICNTR_EL0), 3);
	set(PMCR_EL0, 0);
	instructions(1);
	assert_int_equal(get(PMICNTR_EL0), 3);
	set(PMCR_EL0, PMCR_E | PMCR_FZO);
	set(PMINTENSET_EL1, INSN_BIT);
	set(PMICNTR_EL0, ONES32);
	instructions(1);
	assert_true(get(PMICNTR_EL0) == ONES32 + 1 && !get(PMOVSSET_EL0));
	set(PMICNTR_EL0, UINT64_MAX);
	set(PMCNTENSET_EL0, 1);
	instructions(3);
	assert_true(get(PMICNTR_EL0) == 0 && get(PMOVSSET_EL0) == INSN_BIT && get(PMEVCNTR_EL0) == 1);
	assert_true(armv8_model.take_pmi(&cpu));
	set(PMOVSCLR_EL0, INSN_BIT);
	instructions(1);
	assert_true(get(PMICNTR_EL0) == 1 && !get(PMOVSCLR_EL0));
}

/* FEAT_PMUv3_SS: PMSSCR_EL1 captures all counters if PMECR_EL1.SSE, or MDCR_EL2.PMSSE, allows it. */
static void snapshots(void **unused)
{
	static const struct {
		unsigned el2, sse;
		bool enabled, allowed;
	} rows[] = {{1, 0, false, false}, {1, 1, false, false}, {1, 2, true, false}, {1, 3, true, true},
		    {0, 3, false, false}, {2, 3, true, false},  {3, 0, true, true}};
	uint64_t value;

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(PMUVER_3_9, 0);
		assert_true(get(PMSSCR_EL1) == PMSSCR_NC); /* of a reset */
		cpu.mdcr = 4 | 1u << MDCR_PMSSE;
		for (unsigned c = 0; c < 4; c++)
			set(PMEVCNTR_EL0 + c, 70 + c);
		set(PMCCNTR_EL0, 80);
		set(PMICNTR_EL0, 90);
		set(PMECR_EL1, ~UINT64_C(0));
		assert_int_equal(get(PMECR_EL1), 3 << PMECR_SSE);
		set(PMSSCR_EL1, PMSSCR_SS);
		assert_true(get(PMSSCR_EL1) == 0 && get(PMEVCNTSVR_EL1 + 3) == 73);
		for (unsigned c = 0; c < 4; c++)
			set(PMEVCNTR_EL0 + c, 170 + c);
		set(PMCCNTR_EL0, 180);
		set(PMICNTR_EL0, 190);
		set(PMSSCR_EL1, PMSSCR_NC); /* SS is 0: ignored */
		assert_true(get(PMSSCR_EL1) == 0 && get(PMEVCNTSVR_EL1) == 70);
		cpu.mdcr = 4 | (uint32_t)rows[i].el2 << MDCR_PMSSE;
		set(PMECR_EL1, rows[i].sse << PMECR_SSE);
		set(PMSSCR_EL1, PMSSCR_SS);
		assert_true(get(PMSSCR_EL1) == (rows[i].enabled && !rows[i].allowed ? PMSSCR_NC : 0));
		for (unsigned c = 0; c < 4; c++)
			assert_int_equal(get(PMEVCNTSVR_EL1 + c), (rows[i].allowed ? 170 : 70) + c);
		assert_int_equal(get(PMCCNTSVR_EL1), rows[i].allowed ? 180 : 80);
		assert_int_equal(get(PMICNTSVR_EL1), rows[i].allowed ? 190 : 90);
	}
	/* Which registers there are, for whom. */
	assert_int_equal(reads(PMEVCNTSVR_EL1 + 4, 0, &value), REGISTER_FAULT);
	assert_int_equal(writes(PMEVCNTSVR_EL1, 0, 0), REGISTER_FAULT);
	assert_int_equal(writes(PMCCNTSVR_EL1, 0, 0), REGISTER_FAULT);
	set(PMUSERENR_EL0, ~UINT64_C(0));
	assert_int_equal(reads(PMSSCR_EL1, 1, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMEVCNTSVR_EL1, 1, &value), REGISTER_FAULT);
	part.icntr = false;
	assert_int_equal(reads(PMICNTSVR_EL1, 0, &value), REGISTER_FAULT);
	part.snapshots = false;
	assert_int_equal(reads(PMSSCR_EL1, 0, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMECR_EL1, 0, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMEVCNTSVR_EL1, 0, &value), REGISTER_FAULT);
	assert_int_equal(reads(PMCCNTSVR_EL1, 0, &value), REGISTER_FAULT);
	assert_int_equal(reads(ARMV8_REGISTER(2, 0, 14, 7, 7), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(2, 0, 7, 8, 6), 0, &value), REGISTER_NOT_MINE);
	assert_int_equal(reads(ARMV8_REGISTER(2, 3, 14, 8, 0), 0, &value), REGISTER_NOT_MINE);
	/* A reset leaves SSE off where EL1 is the highest level. */
	assert_int_equal(cpu.captures, rows[6].sse);
	for (unsigned el = 0; el < 3; el++) {
		part.secure = el == 1;
		part.hypervisor = el == 2;
		armv8_model.reset(&cpu, &(struct model_profile){.data = &part}, NULL);
		assert_int_equal(cpu.captures != SSE_OFF, el != 0);
	}
}

/* What is kept of a write, by version and part. */
static void kept(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < VERSIONS; v++) {
		unsigned version = versions[v];
		uint64_t event = version >= PMUVER_3_1 ? 0xffff : 0x3ff;
		uint64_t wide = version >= PMUVER_3_5 ? UINT64_MAX : ONES32;
		uint64_t threshold = version >= PMUVER_3_8 ? UINT64_C(0xf000000f00000000) : 0;

		begin(version, 0);
		set(PMCR_EL0, ~UINT64_C(0));
		assert_int_equal(get(PMCR_EL0) & 0x7ff, (version >= PMUVER_3_5 ? 0x80 : 0) |
								(version >= PMUVER_3_7 ? 0x200 : 0) | 0x79);
		set(PMEVTYPER_EL0 + 1, ~UINT64_C(0));
		assert_true(get(PMEVTYPER_EL0 + 1) == (ALL_FILTERS | TYPER_MT | event | threshold));
		set(PMCCFILTR_EL0, ~UINT64_C(0));
		assert_true(get(PMCCFILTR_EL0) == ALL_FILTERS);
		set(PMEVCNTR_EL0 + 1, UINT64_C(0x123456789abcdef0));
		assert_true(get(PMEVCNTR_EL0 + 1) == (UINT64_C(0x123456789abcdef0) & wide));
		set(PMCCNTR_EL0, UINT64_C(0x123456789abcdef0));
		assert_true(get(PMCCNTR_EL0) == UINT64_C(0x123456789abcdef0));
		set(PMSELR_EL0, ~UINT64_C(0));
		assert_int_equal(get(PMSELR_EL0), 0x1f);
	}
	part.version = PMUVER_3_8;
	part.pmmir = 4u << PMMIR_THWIDTH;
	set(PMEVTYPER_EL0 + 1, ~UINT64_C(0));
	assert_int_equal(get(PMEVTYPER_EL0 + 1) >> 60, 0xe);
	begin(PMUVER_3_8, 0);
	part.secure = part.hypervisor = part.multithreaded = false;
	part.pmmir = 0;
	set(PMEVTYPER_EL0, ~UINT64_C(0));
	assert_true(get(PMEVTYPER_EL0) == (TYPER_P | TYPER_U | 0xffff));
}

/* Registers that set and clear bits of one word. */
static void pairs(void **unused)
{
	static const uint32_t both[][2] = {{PMCNTENSET_EL0, PMCNTENCLR_EL0},
					   {PMOVSSET_EL0, PMOVSCLR_EL0},
					   {PMINTENSET_EL1, PMINTENCLR_EL1}};

	(void)unused;
	begin(PMUVER_3_0, 0);
	for (unsigned i = 0; i < 3; i++) {
		set(both[i][0], CYCLE_BIT | 0x7f);
		assert_int_equal(get(both[i][0]), CYCLE_BIT | 0x3f);
		assert_int_equal(get(both[i][1]), CYCLE_BIT | 0x3f);
		set(both[i][1], 0x21);
		assert_int_equal(get(both[i][0]), CYCLE_BIT | 0x1e);
		set(both[i][0], 1);
		assert_int_equal(get(both[i][1]), CYCLE_BIT | 0x1f);
		for (unsigned other = 0; other < 3; other++)
			assert_int_equal(get(both[other][0]), other == i ? CYCLE_BIT | 0x1f : 0);
		set(both[i][1], ~UINT64_C(0));
	}
}

/* PMXEVCNTR_EL0 and PMXEVTYPER_EL0 are those of PMSELR_EL0. */
static void by_selection(void **unused)
{
	(void)unused;
	begin(PMUVER_3_1, 0);
	for (unsigned c = 0; c < 6; c++) {
		set(PMSELR_EL0, c);
		set(PMXEVTYPER_EL0, 0x10 + c);
		set(PMXEVCNTR_EL0, 100 + c);
	}
	for (unsigned c = 0; c < 6; c++) {
		assert_int_equal(get(PMEVTYPER_EL0 + c), 0x10 + c);
		assert_int_equal(get(PMEVCNTR_EL0 + c), 100 + c);
		set(PMSELR_EL0, c);
		assert_int_equal(get(PMXEVTYPER_EL0), 0x10 + c);
		assert_int_equal(get(PMXEVCNTR_EL0), 100 + c);
	}
	set(PMSELR_EL0, 31);
	set(PMXEVTYPER_EL0, TYPER_U | 0x11);
	assert_int_equal(get(PMCCFILTR_EL0), TYPER_U);
	assert_int_equal(get(PMXEVTYPER_EL0), TYPER_U);
	set(PMCCNTR_EL0, 77);
	set(PMXEVCNTR_EL0, 5);
	assert_int_equal(get(PMCCNTR_EL0), 77);
	assert_int_equal(get(PMXEVCNTR_EL0), 0);
	set(PMSELR_EL0, 6);
	set(PMXEVTYPER_EL0, 0x11);
	set(PMXEVCNTR_EL0, 5);
	assert_int_equal(get(PMXEVTYPER_EL0), 0);
	assert_int_equal(get(PMXEVCNTR_EL0), 0);
}

/* PMCR_EL0.FZS is there with FEAT_SPEv1p2 alone, and registers of profiling: counters of the first range but
 * the cycle counter stop where FZS, PMBLIMITR_EL1.E and PMFZ and PMBSR_EL1.S are 1. */
static void freeze_by_profiling(void **unused)
{
	static const uint32_t registers[] = {PMSCR_EL1, PMBLIMITR_EL1, PMBSR_EL1, PMBIDR_EL1};
	uint64_t value;

	(void)unused;
	for (unsigned there = 0; there < 2; there++) {
		power_up(PMUVER_3_9, 6);
		part.profiling = there;
		set(PMCR_EL0, PMCR_E | PMCR_FZS);
		assert_true(get(PMCR_EL0) >> 32 == there);
		assert_true(get(PMCR_EL0) & PMCR_E);
		set(PMCR_EL0, 0);
		assert_true(get(PMCR_EL0) >> 32 == 0);
		for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++)
			assert_int_equal(reads(registers[i], 0, &value),
					 there ? REGISTER_DONE : REGISTER_FAULT);
		if (there)
			assert_true(!(get(PMBLIMITR_EL1) & PMBLIMITR_E) && get(PMBSR_EL1) && get(PMSCR_EL1));
	}
	assert_int_equal(writes(PMBIDR_EL1, 0, 0), REGISTER_FAULT);
	assert_int_equal(reads(PMBSR_EL1, 1, &value), REGISTER_FAULT);
	for (unsigned i = 0; i < 3; i++)
		set(registers[i], ~UINT64_C(0));
	assert_true(get(PMSCR_EL1) == 0xfb && get(PMBLIMITR_EL1) == UINT64_C(0xfffffffffffff027) &&
		    get(PMBSR_EL1) == 0xfc0f003f && get(PMBIDR_EL1) == 0);
	for (unsigned how = 0; how < 16; how++) {
		bool freezes = how == 15;

		begin(PMUVER_3_9, how & 1 ? PMCR_DP : 0);
		part.profiling = true;
		set(PMCR_EL0, PMCR_E | PMCR_DP | (how & 1 ? PMCR_FZS : 0));
		set(PMBLIMITR_EL1, (how & 2 ? PMBLIMITR_E : 0) | (how & 4 ? PMBLIMITR_PMFZ : 0));
		set(PMBSR_EL1, how & 8 ? PMBSR_S : 0);
		set(PMICNTR_EL0, 0);
		set(PMCCNTR_EL0, 0);
		set(PMICFILTR_EL0, 0);
		set(PMCNTENSET_EL0, INSN_BIT | CYCLE_BIT | 0x3f);
		cpu.mdcr = 5 | MDCR_HPME;
		armv8_update(&cpu);
		instructions(1);
		cpu.mdcr = 6;
		assert_int_equal(get(PMEVCNTR_EL0), !freezes);
		assert_int_equal(get(PMICNTR_EL0), !freezes);
		assert_int_equal(get(PMCCNTR_EL0), 1);
		assert_int_equal(get(PMEVCNTR_EL0 + 5), 1);
	}
}

/* What a reset leaves is UNKNOWN, but for PMCR_EL0.E, LP and FZO: nothing counts, and nothing is as one might
 * hope. */
static void after_reset(void **unused)
{
	(void)unused;
	for (unsigned v = 0; v < VERSIONS; v++) {
		power_up(versions[v], 6);
		assert_int_equal(get(PMCR_EL0) & (PMCR_E | PMCR_LP | PMCR_FZO), 0);
		assert_false(armv8_model.counting(&cpu));
		assert_false(armv8_model.take_pmi(&cpu));
		assert_true(get(PMCNTENSET_EL0) && get(PMOVSSET_EL0) && get(PMINTENSET_EL1) &&
			    get(PMUSERENR_EL0) && get(PMSELR_EL0) && get(PMCCNTR_EL0) && get(PMCCFILTR_EL0));
		for (unsigned c = 0; c < 6; c++)
			assert_true(get(PMEVCNTR_EL0 + c) && get(PMEVTYPER_EL0 + c));
	}
}

#endif
