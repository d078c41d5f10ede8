/*
 * Code as bytes (arch/code.h).
 */
#include "arch/code.h"

#include <string.h>

#define INSN(word) (uint8_t)(word), (uint8_t)((word) >> 8), (uint8_t)((word) >> 16), (uint8_t)((word) >> 24)
#define NOP        UINT32_C(0xd503201f)
#define ISB        UINT32_C(0xd5033fdf)

const uint8_t code_nop[] = {INSN(NOP)};
const unsigned code_nop_size = sizeof code_nop;

/* MOVZ XZR with half of the word, twice. */
const unsigned code_mark_size = 8;

void code_mark(uint8_t *to, uint32_t word)
{
	const uint32_t moves[] = {0xd280001f | (word & 0xffff) << 5, 0xd280001f | (word >> 16) << 5};

	memcpy(to, moves, sizeof moves);
}

const struct code_rung code_rungs[] = {
	{"nop", 4, {INSN(NOP)}},
	{"add", 4, {INSN(UINT32_C(0x91000463))}},   /* add x3, x3, #1 */
	{"mul", 4, {INSN(UINT32_C(0x9b037c63))}},   /* mul x3, x3, x3 */
	{"load", 4, {INSN(UINT32_C(0xf9400023))}},  /* ldr x3, [x1] */
	{"store", 4, {INSN(UINT32_C(0xf9000023))}}, /* str x3, [x1] */
	{0},
};

/* PMSELR_EL0 chooses the counter that PMXEVCNTR_EL0 reads. */
const struct code_cost code_costs[] = {
	{"ISB", 1, 0, false, 0, 4, {0}, {INSN(ISB)}},
	{"DSB", 1, 0, false, 0, 4, {0}, {INSN(UINT32_C(0xd5033f9f))}},
	{"MRS PMXEVCNTR_EL0",
	 1,
	 3,
	 true,
	 12,
	 4,
	 {INSN(UINT32_C(0xd2800003)), INSN(UINT32_C(0xd51b9ca3)), INSN(ISB)},
	 {INSN(UINT32_C(0xd53b9d43))}},
	{0},
};
const char code_costs_manual[] = "Arm ARM, C6.2";

uint8_t *code_cost_setup(uint8_t *to, const struct code_cost *cost, uint32_t selector)
{
	uint32_t move;

	memcpy(to, cost->setup, cost->setup_size);
	if (cost->reads_counter) {
		memcpy(&move, to, sizeof move);
		move |= (selector & 0x1f) << 5;
		memcpy(to, &move, sizeof move);
	}
	return to + cost->setup_size;
}

/* sub x0, x0, #1; cbnz x0, begin */
const unsigned code_loop_instructions = 2;

uint8_t *code_loop(uint8_t *to, const uint8_t *begin)
{
	int64_t back = (begin - (to + 4)) / 4;
	const uint32_t turn[] = {0xd1000400, 0xb5000000 | ((uint32_t)back & 0x7ffff) << 5};

	memcpy(to, turn, sizeof turn);
	return to + sizeof turn;
}

/* msr pmselr_el0, x0; isb; mrs x3, pmxevcntr_el0; str x3, [x1] */
const uint8_t code_counter_reading[] = {INSN(UINT32_C(0xd51b9ca0)), INSN(ISB), INSN(UINT32_C(0xd53b9d43)),
					INSN(UINT32_C(0xf9000023))};
const unsigned code_counter_reading_size = sizeof code_counter_reading;
const unsigned code_counter_reading_before = 2;
const char code_counter_reading_name[] = "MRS of PMXEVCNTR_EL0";

void code_call_next(void)
{
	__asm__ volatile("mov x9, x30; bl 1f; 1: mov x30, x9" : : : "x9", "memory");
}
