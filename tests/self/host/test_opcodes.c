/* The opcode space as kernels: nothing is forgotten, what must not run is left out, and what a form declares
 * is what its instruction does. */
#define _GNU_SOURCE
#include "tests/kernels/x86/opcodes.h"
#include "arch/x86/step/insn_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static struct opcode_form *forms;
static unsigned n_forms;

static bool collect(void *ctx, const struct opcode_form *f)
{
	(void)ctx;
	assert_in_range(n_forms, 0, OPCODES_MOST - 1);
	forms[n_forms++] = *f;
	return !f->left_out;
}

static void collect_all(enum opcode_depth depth)
{
	n_forms = 0;
	opcode_forms(depth, collect, NULL);
}

static const struct opcode_form *by_name(const char *name)
{
	char text[OPCODE_NAME];

	for (unsigned i = 0; i < n_forms; i++) {
		opcode_name(&forms[i], text);
		if (!strcmp(text, name))
			return &forms[i];
	}
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void names_are_unique(void **state)
{
	static char names[OPCODES_MOST][OPCODE_NAME];

	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned i = 0; i < n_forms; i++)
		opcode_name(&forms[i], names[i]);
	qsort(names, n_forms, sizeof names[0], compare_names);
	for (unsigned i = 1; i < n_forms; i++)
		if (!strcmp(names[i], names[i - 1]))
			fail_msg("two forms are called %s", names[i]);
}

/* --- against the decoder's maps ------------------------------------------------------------------------ */

static const struct {
	uint8_t bytes, lead[4]; /* before the opcode */
	uint8_t modrm_at;
} maps[] = {
	{0, {0}, 1},
	{1, {0x0f}, 2},
	{2, {0x0f, 0x38}, 3},
	{2, {0x0f, 0x3a}, 3},
	{3, {0xc4, 0xe1, 0x78}, 4},
	{3, {0xc4, 0xe2, 0x79}, 4},
	{3, {0xc4, 0xe3, 0x79}, 4},
	{4, {0x62, 0xf1, 0x7c, 0x08}, 5},
};

static bool decode(unsigned map, unsigned opcode, uint8_t modrm, struct insn *in)
{
	uint8_t code[16] = {0};

	memcpy(code, maps[map].lead, maps[map].bytes);
	code[maps[map].bytes] = (uint8_t)opcode;
	code[maps[map].modrm_at] = modrm;
	return insn_decode(code, sizeof code, in);
}

static bool is_escape(unsigned map, unsigned opcode)
{
	return (map == 0 && (insn_maps[MAP_LEGACY][opcode] == INSN_PREFIX ||
			     insn_maps[MAP_LEGACY][opcode] == INSN_ESCAPE)) ||
	       (map == 1 && (opcode == 0x0f || opcode == 0x38 || opcode == 0x3a));
}

static const struct opcode_form *form_of(unsigned map, unsigned opcode)
{
	for (unsigned i = 2; i < n_forms; i++)
		if (forms[i].opcode_end == maps[map].bytes + 1 && forms[i].code[maps[map].bytes] == opcode &&
		    !memcmp(forms[i].code, maps[map].lead, maps[map].bytes))
			return &forms[i];
	return NULL;
}

static void every_opcode_is_there(void **state)
{
	unsigned seen = 0;

	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned map = 0; map < sizeof maps / sizeof maps[0]; map++)
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			struct insn in;
			/* XMM2 and XMM3, or [RBX]. */
			bool is = decode(map, opcode, 0xd3, &in) || decode(map, opcode, 0x13, &in);

			if (!is || is_escape(map, opcode))
				continue;
			if (!form_of(map, opcode))
				fail_msg("opcode %02x of map %u has no form", opcode, map);
			seen++;
		}
	assert_in_range(seen, 650, 8 * 256);
}

/* Where ModRM.reg makes another instruction of it, and is not just another register: the system's registers.
 */
static bool names_register(unsigned map, unsigned opcode)
{
	return (map == 0 && (opcode == 0x8c || opcode == 0x8e)) ||
	       (map == 5 && (opcode == 0x5c || opcode == 0x5e)) || /* tiles, which must differ */
	       (map == 1 && ((opcode >= 0x20 && opcode <= 0x23) || opcode == 0x1a || opcode == 0x1b));
}

static void groups_are_known(void **state)
{
	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned map = 0; map < sizeof maps / sizeof maps[0]; map++)
		for (unsigned opcode = 0; opcode < 256; opcode++)
			for (unsigned modrm = 0; modrm < 64; modrm += 8)
				for (unsigned mod = 0; mod < 2; mod++) {
					struct insn one, other;
					uint8_t rm = mod ? 0xc3 : 3;
					bool is = decode(map, opcode, rm, &one),
					     also = decode(map, opcode, (uint8_t)(modrm | rm), &other);
					const struct opcode_form *f = form_of(map, opcode);

					if (is_escape(map, opcode) || names_register(map, opcode) || !f ||
					    f->group || (!is && !also))
						continue;
					if (is != also || one.klass != other.klass)
						fail_msg("opcode %02x of map %u is a group", opcode, map);
				}
}

/* --- what runs ------------------------------------------------------------------------------------------ */

static void dangerous_ones_are_left_out(void **state)
{
	static const struct {
		const char *name;
		enum opcode_left_out why;
	} rows[] = {
		{"c3", OPCODE_LEADS_AWAY},
		{"cc", OPCODE_LEADS_AWAY},
		{"cd", OPCODE_LEADS_AWAY},
		{"ff /4 reg", OPCODE_LEADS_AWAY},
		{"66 e8", OPCODE_LEADS_AWAY},
		{"0f 05", OPCODE_LEADS_AWAY},
		{"0f 34", OPCODE_LEADS_AWAY},
		{"48 cf", OPCODE_LEADS_AWAY},
		{"66 0f ae /6 reg", OPCODE_WAITS},
		{"f2 0f ae /6 reg", OPCODE_WAITS},
		{"0f 01 fb", OPCODE_WAITS},
		{"9d", OPCODE_LASTS},
		{"8e mem", OPCODE_LASTS},
		{"0f 01 c1", OPCODE_LASTS},
		{"0f b2 mem", OPCODE_LASTS},
		{"f3 0f ae /2 reg", OPCODE_LASTS},
		{"66 0f 1b mem", OPCODE_VARIES},
		{"0f ae /6 reg", OPCODE_RUNS},
		{"48 0f ae /6 reg", OPCODE_RUNS},
		{"e8", OPCODE_RUNS},
		{"70", OPCODE_RUNS},
		{"0f 80", OPCODE_RUNS},
		{"f3 0f ae /0 reg", OPCODE_RUNS},
		{"d9 /5 mem", OPCODE_RUNS},
		{"c4 e3 7d 0a reg", OPCODE_VARIES},
		{"f3 a4", OPCODE_RUNS},
	};

	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct opcode_form *f = by_name(rows[i].name);

		if (!f)
			fail_msg("there is no form %s", rows[i].name);
		if (f->left_out != rows[i].why)
			fail_msg("%s: left out for %d, not %d", rows[i].name, f->left_out, rows[i].why);
	}
	for (unsigned i = 0; i < n_forms; i++) {
		uint8_t special = forms[i].insn.special;

		if (forms[i].left_out || !forms[i].insn.length)
			continue;
		assert_false(special >= INSN_INT && special <= INSN_FAR);
		assert_true(special != INSN_MASKMOV && special != INSN_POPF && special != INSN_MOV_SS &&
			    special != INSN_MWAIT && special != INSN_XBEGIN);
	}
}

static uint64_t amount(const struct opcode_kernel *k, enum quantity q, uint64_t n)
{
	for (const struct signature_exact *x = k->kernel.exact; x < k->kernel.exact_end; x++)
		if (x->quantity == q)
			return (uint64_t)(x->a * (int64_t)n + x->b);
	return 0;
}

static void declared_is_what_it_does(void **state)
{
	static const struct {
		const char *name;
		enum quantity quantity;
		unsigned more;
	} rows[] = {
		{"90", Q_INSTRUCTIONS, 1},
		{"d9 /5 mem", Q_INSN_X87_CONTROL, 1},
		{"d9 /5 mem", Q_LOADS, 1},
		{"d9 /5 mem", Q_LOAD_BYTES, 2},
		{"d9 fe", Q_INSN_X87, 1},
		{"50", Q_STORES, 1},
		{"8f /0 mem", Q_LOADS, 1},
		{"8f /0 mem", Q_STORES, 1},
		{"f3 a4", Q_REP_ITERATIONS, 1},
		{"f3 a4", Q_LOADS, 1},
		{"e8", Q_BR_CALL_DIRECT, 1},
		{"e8", Q_STORE_BYTES, 8},
		{"74", Q_BR_COND_TAKEN, 1},
		{"75", Q_BR_COND_NTAKEN, 1},
		{"0f 8a", Q_BR_COND_TAKEN, 1},
		{"72", Q_BR_COND_NTAKEN, 1},
		{"e3", Q_BR_COND_NTAKEN, 1},
		{"f0 00 mem", Q_INSN_LOCKED, 1},
		{"0f 58 mem", Q_FP_128_SP, 1},
		{"c4 e1 7c 58 reg", Q_FP_256_SP, 1},
		{"0f ae /0 mem", Q_STORES_SPLIT_LINE, 1},
		{"0f ae /0 mem", Q_STORES_SPLIT_PAGE, 0},
		{"a0", Q_LOADS, 1},
	};
	struct opcode_kernel around, with;

	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct opcode_form *f = by_name(rows[i].name);

		if (!f)
			fail_msg("there is no form %s", rows[i].name);
		opcode_kernel(&forms[f->x87], 0x123456789a, &around);
		opcode_kernel(f, 0x123456789a, &with);
		for (uint64_t n = 1; n < 4; n++)
			if (amount(&with, rows[i].quantity, n) !=
			    amount(&around, rows[i].quantity, n) + n * rows[i].more)
				fail_msg("%s: %s at N = %lu", rows[i].name,
					 quantity_info[rows[i].quantity].name, n);
	}
}

/* All of them fit, and a kernel is what stands around with the form in it. */
static void all_kernels_are_whole(void **state)
{
	static const uint8_t address[] = {0x9a, 0x78, 0x56, 0x34, 0x12, 0, 0, 0};
	struct opcode_kernel around, with;

	(void)state;
	collect_all(OPCODES_ALL);
	for (unsigned i = 0; i < n_forms; i++) {
		const struct opcode_form *f = &forms[i];
		size_t size;
		uint64_t taken;

		opcode_kernel(&forms[f->x87], 0x123456789a, &around);
		opcode_kernel(f, 0x123456789a, &with);
		size = (size_t)(with.kernel.code_end - with.kernel.code);
		assert_in_range(size, 1, sizeof with.code);
		assert_int_equal(size,
				 (size_t)(around.kernel.code_end - around.kernel.code) + f->insn.length);
		assert_ptr_not_equal(with.kernel.exact_end, with.exact + 64);
		if (f->left_out)
			continue;
		assert_int_equal(amount(&with, Q_INSTRUCTIONS, 7),
				 amount(&around, Q_INSTRUCTIONS, 7) + (f->insn.length ? 7 : 0));
		taken = amount(&with, Q_BR_COND_TAKEN, 7) + amount(&with, Q_BR_COND_NTAKEN, 7);
		assert_int_equal(taken, amount(&with, Q_BR_COND, 7));
		if (!strcmp((const char *)f->code, "\xa0"))
			assert_non_null(memmem(with.code, size, address, sizeof address));
	}
}

static void fewer_forms_are_among_them(void **state)
{
	unsigned all, by_opcode;

	(void)state;
	collect_all(OPCODES_ALL);
	all = n_forms;
	collect_all(OPCODES_BY_OPCODE);
	by_opcode = n_forms;
	collect_all(OPCODES_BY_CLASS);
	assert_true(n_forms > 400 && n_forms < by_opcode / 4 && by_opcode < all / 2);
	assert_non_null(by_name("d9 /5 mem"));
	assert_non_null(by_name("d9 /4 mem"));
	assert_non_null(by_name("0f ae /5 reg"));
}

static void operands_are_numbers(void **state)
{
	static uint8_t scratch[OPCODES_SCRATCH_SIZE] __attribute__((aligned(64)));
	uint32_t first, mxcsr;
	float number;

	(void)state;
	collect_all(OPCODES_ALL);
	opcode_operand(by_name("0f 58 mem"), scratch);
	memcpy(&number, scratch, sizeof number);
	assert_true(number > 0.5f && number < 2);
	opcode_operand(by_name("0f ae /2 mem"), scratch);
	memcpy(&first, scratch, sizeof first);
	memcpy(&mxcsr, scratch + 24, sizeof mxcsr);
	assert_int_equal(first, 0x1f80);
	assert_int_equal(mxcsr, 0x1f80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique),           cmocka_unit_test(every_opcode_is_there),
		cmocka_unit_test(groups_are_known),           cmocka_unit_test(dangerous_ones_are_left_out),
		cmocka_unit_test(declared_is_what_it_does),   cmocka_unit_test(all_kernels_are_whole),
		cmocka_unit_test(fewer_forms_are_among_them), cmocka_unit_test(operands_are_numbers),
	};
	int failed;

	forms = calloc(OPCODES_MOST, sizeof *forms);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(forms);
	return failed;
}
