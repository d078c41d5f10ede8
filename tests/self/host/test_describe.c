/*
 * Steps made of instructions: those of one shape contribute the same, whatever else differs, so that a client
 * of the step engine may remember what it made of one.
 */
#include "arch/x86/step/account.h"
#include "arch/x86/step/describe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define VALID 15

/* What was seen of each shape. */
static struct {
	bool known[2];
	struct qvec terms[2]; /* where terms by address are not looked at, and where they are */
} * shapes;

static struct qvec terms_of(const struct insn_retired *did)
{
	const struct description about = {0};
	struct qterm terms[STEP_TERMS];
	struct step s;
	struct qvec v = {{0}};

	describe_step(&s, &about, did, 0x1000, 0x1000u + did->insn->length);
	qvec_add(&v, terms, step_terms(&s, terms));
	return v;
}

/* One retirement. @return its shape */
static uint32_t look_at(const struct description *about, const struct insn_retired *did, bool by_address)
{
	uint32_t shape = describe_shape(about, did, by_address);
	struct qvec v = terms_of(did);

	assert_true(shape < step_shapes());
	if (!shape)
		return 0;
	for (const quantity_number *q = quantities_by_address; !by_address && *q != Q_COUNT; q++)
		v.v[*q] = 0;
	if (!shapes[shape].known[by_address])
		shapes[shape].terms[by_address] = v;
	shapes[shape].known[by_address] = true;
	assert_memory_equal(&v, &shapes[shape].terms[by_address], sizeof v);
	return shape;
}

static void transfer_is_that_of_its_terms(const struct description *about, const struct insn_retired *did)
{
	struct insn_retired partial = *did;
	struct qterm terms[STEP_TERMS];
	unsigned n = account_retired(did, terms);

	assert_int_equal(describe_transfer(about, did), account_transfer(did, terms, n));
	partial.partial = true;
	assert_int_equal(describe_transfer(about, &partial), TRANSFER_NONE);
}

/* Nobody asks for accesses of what is said to have none. */
static void accesses_nothing_unsaid(const struct description *about, const struct insn_retired *did)
{
	struct step_access out[STEP_TURN_ACCESSES];
	struct step s;

	describe_step(&s, about, did, 0x1000, 0x1000u + did->insn->length);
	describe_for_machine(&s, about);
	if (!about->iterates && !s.turns)
		assert_int_equal(step_accesses(&s, 0, out), 0);
	else
		assert_int_equal(s.turns, account_turns(did));
}

/* All that may differ between two retirements of one instruction. */
static bool retire(const uint8_t code[16])
{
	static const uint64_t at[] = {0x10000, 0x1003f, 0x10ffd};
	struct description about;
	struct insn in;
	bool has_shape = false;

	if (!insn_decode(code, VALID, &in))
		return false;
	describe_instruction(&about, &in, code);
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++)
		for (unsigned taken = 0; taken < 2; taken++)
			for (unsigned by_address = 0; by_address < 2; by_address++) {
				const struct insn_retired did = {.insn = &in,
								 .cpl = i ? 3 : 0,
								 .cpl_after = i == 1 ? 0 : 3,
								 .taken = taken,
								 .backwards = i == 2,
								 .iterations = i,
								 .address = at[i],
								 .stack = at[i] + 0x100000,
								 .source = at[i] + 0x200000,
								 .dest = at[i] + 0x300000,
								 .frame = at[i] + 0x400000};

				has_shape |= look_at(&about, &did, by_address) != 0;
				transfer_is_that_of_its_terms(&about, &did);
				accesses_nothing_unsaid(&about, &did);
			}
	return has_shape;
}

static void equal_shapes_contribute_the_same(void **unused)
{
	static const uint8_t prefixes[] = {0, 0xf0, 0xf2, 0xf3, 0x66, 0x48};
	static const uint8_t maps[][3] = {{0}, {1, 0x0f}, {2, 0x0f, 0x38}, {2, 0x0f, 0x3a}};
	static const uint8_t operands[] = {0x06, 0xc6}; /* [RSI], (R)SI */
	unsigned with_shape = 0;

	(void)unused;
	shapes = calloc(step_shapes(), sizeof *shapes);
	assert_non_null(shapes);
	for (unsigned p = 0; p < sizeof prefixes; p++)
		for (unsigned map = 0; map < 4; map++)
			for (unsigned opcode = 0; opcode < 256; opcode++)
				for (unsigned modrm = 0; modrm < 16; modrm++) {
					uint8_t code[16] = {0};
					size_t n = 0;

					if (prefixes[p])
						code[n++] = prefixes[p];
					memcpy(code + n, maps[map] + 1, maps[map][0]);
					n += maps[map][0];
					code[n++] = (uint8_t)opcode;
					code[n++] = (uint8_t)(operands[modrm / 8] | modrm % 8 << 3);
					with_shape += retire(code);
				}
	free(shapes);
	assert_true(with_shape > 10000);
}

static uint32_t shape_of(const uint8_t *code, bool taken, bool by_address)
{
	struct description about;
	struct insn in;

	insn_decode(code, VALID, &in);
	describe_instruction(&about, &in, code);
	return describe_shape(&about, &(struct insn_retired){.insn = &in, .taken = taken}, by_address);
}

static void shapes_tell_apart_what_differs(void **unused)
{
	static const uint8_t add[16] = {0x01, 0x06}, locked[16] = {0xf0, 0x01, 0x06}, jz[16] = {0x74, 2},
			     nop[16] = {0x90}, movs[16] = {0xf3, 0xa4}, rdmsr[16] = {0x0f, 0x32},
			     none[16] = {0x06}; /* PUSH ES */

	(void)unused;
	assert_int_not_equal(shape_of(add, false, false), 0);
	assert_int_not_equal(shape_of(add, false, false), shape_of(locked, false, false));
	assert_int_not_equal(shape_of(jz, false, false), shape_of(jz, true, false));
	/* Addresses decide what it adds. */
	assert_int_equal(shape_of(add, false, true), 0);
	assert_int_not_equal(shape_of(nop, false, true), 0);
	/* More tells these apart, or nothing is known of them. */
	assert_int_equal(shape_of(movs, false, false), 0);
	assert_int_equal(shape_of(rdmsr, false, false), 0);
	assert_int_equal(shape_of(none, false, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_shapes_contribute_the_same),
		cmocka_unit_test(shapes_tell_apart_what_differs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
