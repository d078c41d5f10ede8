/*
 * Denormal numbers among the operands of an instruction: in each of the registers that ModRM names with REX
 * or VEX, and in those that it does not name; in memory; element by element.
 */
#include "arch/x86/step/denormals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MXCSR_AT  24
#define XMM_AT    160
#define DEFAULT   0x1f80u
#define DAZ       0x0040u
#define FTZ       0x8000u
#define REGISTERS 16

static const float one = 1, small = 1e-40f;      /* the least normal one is 1.2e-38 */
static const double one_d = 1, small_d = 1e-310; /* 2.2e-308 */

static uint8_t fxsave[DENORMALS_FXSAVE], memory[DENORMALS_MEMORY];

static void all_normal(uint32_t mxcsr)
{
	memset(fxsave, 0, sizeof fxsave);
	memcpy(fxsave + MXCSR_AT, &mxcsr, sizeof mxcsr);
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned i = 0; i < 4; i++)
			memcpy(fxsave + XMM_AT + 16 * r + 4 * i, &one, sizeof one);
	for (unsigned i = 0; i < 4; i++)
		memcpy(memory + 4 * i, &one, sizeof one);
}

static bool met(const uint8_t *code, unsigned size, enum quantity q)
{
	const struct qterm term = {.quantity = q, .amount = 1};
	struct insn in;
	struct insn_retired did = {.insn = &in};

	assert_true(insn_decode(code, size, &in));
	assert_int_equal(in.length, size);
	assert_true(denormals_possible(&did, code, &term, 1));
	return denormals_met(&did, code, &term, 1, fxsave, memory);
}

/* Ways to write an instruction of two registers. The VEX forms name a third, `other`, as first source. */
static unsigned addps(uint8_t *code, unsigned form, unsigned reg, unsigned rm, unsigned other)
{
	unsigned n = 0, r = reg >> 3, b = rm >> 3;
	uint8_t modrm = (uint8_t)(0xc0 | (reg & 7) << 3 | (rm & 7));

	switch (form) {
	case 0: /* legacy; REX only where it is needed */
		if (r || b)
			code[n++] = (uint8_t)(0x40 | r << 2 | b);
		code[n++] = 0x0f;
		break;
	case 1: /* legacy, with all bits of REX that do not matter, behind a segment prefix */
		code[n++] = 0x3e;
		code[n++] = (uint8_t)(0x4a | r << 2 | b);
		code[n++] = 0x0f;
		break;
	case 2: /* VEX of two bytes has no B */
		if (b)
			return 0;
		code[n++] = 0xc5;
		code[n++] = (uint8_t)(!r << 7 | (~other & 15) << 3);
		break;
	default:
		code[n++] = 0xc4;
		code[n++] = (uint8_t)(!r << 7 | 1 << 6 | !b << 5 | 1);
		code[n++] = (uint8_t)((~other & 15) << 3);
	}
	code[n++] = 0x58;
	code[n++] = modrm;
	return n;
}

/* One register is denormal: it is met where it is the source, unless denormals are zeros, and where it is the
 * result, unless results are flushed. */
static void in_each_register(void **state)
{
	static const uint32_t controls[] = {DEFAULT, DEFAULT | DAZ, DEFAULT | FTZ, DEFAULT | DAZ | FTZ};
	unsigned seen = 0;

	(void)state;
	for (unsigned form = 0; form < 4; form++)
		for (unsigned reg = 0; reg < REGISTERS; reg++)
			for (unsigned rm = 0; rm < REGISTERS; rm++)
				for (unsigned c = 0; c < 4; c++)
					for (unsigned r = 0; r < REGISTERS; r++) {
						uint8_t code[8];
						unsigned size = addps(code, form, reg, rm, reg);
						bool wanted = (r == rm && !(controls[c] & DAZ)) ||
							      (r == reg && !(controls[c] & FTZ));

						if (!size)
							continue;
						all_normal(controls[c]);
						memcpy(fxsave + XMM_AT + 16 * r, &small, sizeof small);
						if (met(code, size, Q_FP_128_SP) != wanted)
							fail_msg("form %u of ADDPS XMM%u, XMM%u, XMM%u "
								 "denormal, MXCSR %x: %s",
								 form, reg, rm, r, controls[c],
								 wanted ? "not met" : "met");
						seen++;
					}
	assert_int_equal(seen, (3 * 16 * 16 + 16 * 8) * 4 * 16);
}

/* Which elements count: of a scalar the lowest alone. */
static void in_each_element(void **state)
{
	static const struct {
		uint8_t prefix;
		enum quantity quantity;
		unsigned size, count;
	} forms[] = {{0, Q_FP_128_SP, 4, 4},
		     {0x66, Q_FP_128_DP, 8, 2},
		     {0xf3, Q_FP_SCALAR_SP, 4, 1},
		     {0xf2, Q_FP_SCALAR_DP, 8, 1}};

	(void)state;
	for (unsigned f = 0; f < 4; f++)
		for (unsigned at = 0; at < 16 / forms[f].size; at++) {
			/* ADDxx XMM9, XMM12; and XMM9, [R12 + R9 * 2] */
			uint8_t by_register[8], by_memory[8], *code[] = {by_register, by_memory};
			unsigned n[2] = {0, 0};
			bool single = forms[f].size == 4;

			for (unsigned i = 0; i < 2; i++) {
				if (forms[f].prefix)
					code[i][n[i]++] = forms[f].prefix;
				code[i][n[i]++] = i ? 0x47 : 0x45;
				code[i][n[i]++] = 0x0f;
				code[i][n[i]++] = 0x58;
				code[i][n[i]++] = i ? 0x0c : 0xcc;
				if (i)
					code[i][n[i]++] = 0x4c;
			}
			all_normal(DEFAULT);
			for (unsigned i = 0; i < 16 / forms[f].size && !single; i++)
				for (unsigned r = 0; r <= REGISTERS; r++)
					memcpy(r < REGISTERS ? fxsave + XMM_AT + 16 * r + 8 * i
							     : memory + 8 * i,
					       &one_d, sizeof one_d);
			assert_false(met(by_register, n[0], forms[f].quantity));
			assert_false(met(by_memory, n[1], forms[f].quantity));
			memcpy(fxsave + XMM_AT + 16 * 12 + forms[f].size * at,
			       single ? (const void *)&small : &small_d, forms[f].size);
			assert_int_equal(met(by_register, n[0], forms[f].quantity), at < forms[f].count);
			/* R12 is an address there, and XMM12 no operand. */
			assert_false(met(by_memory, n[1], forms[f].quantity));
			memcpy(memory + forms[f].size * at, single ? (const void *)&small : &small_d,
			       forms[f].size);
			assert_int_equal(met(by_memory, n[1], forms[f].quantity), at < forms[f].count);
		}
}

static void set_single(uint32_t bits)
{
	memcpy(fxsave + XMM_AT + 16, &bits, sizeof bits);
}

/* From the least denormal number to the greatest, of both signs; neither zeros nor the least normal one. */
static void which_numbers(void **state)
{
	static const struct {
		uint32_t bits;
		bool denormal;
	} numbers[] = {{0, false},          {1, true},          {0x007fffff, true}, {0x00800000, false},
		       {0x80000000, false}, {0x80000001, true}, {0x807fffff, true}, {0x80800000, false},
		       {0x7f800000, false}, {0x7fc00000, false}};
	static const uint8_t addss[] = {0xf3, 0x0f, 0x58, 0xc1};

	(void)state;
	all_normal(DEFAULT);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		set_single(numbers[i].bits);
		assert_int_equal(met(addss, sizeof addss, Q_FP_SCALAR_SP), numbers[i].denormal);
	}
}

/* Loads of floating-point numbers alone, by their size. */
static void x87_operands(void **state)
{
	const struct qterm term = {.quantity = Q_INSN_X87, .amount = 1};

	(void)state;
	for (unsigned opcode = 0xd8; opcode <= 0xdf; opcode++)
		for (unsigned reg = 0; reg < 8; reg++)
			for (unsigned by_register = 0; by_register < 2; by_register++) {
				uint8_t code[2] = {(uint8_t)opcode,
						   (uint8_t)((by_register ? 0xc0 : 0x06) | reg << 3)};
				bool single = opcode == 0xd8 || (opcode == 0xd9 && !reg);
				bool wide = opcode == 0xdc || (opcode == 0xdd && !reg);
				struct insn in;
				struct insn_retired did = {.insn = &in};

				if (!insn_decode(code, sizeof code, &in))
					continue;
				all_normal(DEFAULT | DAZ | FTZ); /* which are SSE's */
				assert_int_equal(denormals_possible(&did, code, &term, 1),
						 !by_register && (single || wide));
				if (by_register || (!single && !wide))
					continue;
				memcpy(memory, single ? (const void *)&one : &one_d, single ? 4 : 8);
				assert_false(met(code, 2, Q_INSN_X87));
				memcpy(memory, single ? (const void *)&small : &small_d, single ? 4 : 8);
				assert_true(met(code, 2, Q_INSN_X87));
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_each_register),
		cmocka_unit_test(in_each_element),
		cmocka_unit_test(which_numbers),
		cmocka_unit_test(x87_operands),
	};

	return cmocka_run_group_tests_name("denormal numbers", tests, NULL, NULL);
}
