/*
 * What arch/aarch64/step/account.c makes of the decode tables, against Capstone's mnemonics and operands:
 * every word of the kernels, and random ones. The tables come from Capstone's identifiers and groups by other
 * rules (tools/aarch64/decodegen_form.c). What is younger than Capstone has rows by GNU's assembler.
 */
#include "tests/self/host/aarch64_reference.h"
#include "arch/aarch64/step/insn_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#define RANDOM_WORDS 150000u

/* Code of all kernels, one behind the other. */
__asm__(".pushsection .rodata\n"
	".p2align 2\n"
	"kernel_code:\n"
	".incbin \"" KERNEL_CODE "\"\n"
	"kernel_code_end:\n"
	".popsection\n");
extern const uint32_t kernel_code[], kernel_code_end[];

static const char *const names[] = {
#define QUANTITY(id, name, class, definition) name,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
};

static csh capstone;
static cs_insn *decoded;
static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static struct insn_state random_state(void)
{
	struct insn_state s = {.pc = 0x40080000 + (random64() & 0xffffc),
			       .pstate = random64() & UINT64_C(0xf0000000)};

	/* Zero, as CBZ asks for it; and aligned to different degrees. */
	for (unsigned r = 0; r < 32; r++)
		s.x[r] = random64() % 4 ? random64() << random64() % 5 : random64() << 32 & -(random64() & 1);
	return s;
}

/* @return how they differ, NULL if they do not */
static const char *difference(const struct insn_effect *e, const struct reference *r)
{
	static char text[96];
	uint32_t amount[Q_COUNT] = {0};

	for (unsigned k = 0; k < e->n_terms; k++)
		amount[e->term[k].quantity] += e->term[k].amount;
	for (unsigned q = 0; q < Q_COUNT; q++)
		if (amount[q] != r->amount[q]) {
			snprintf(text, sizeof text, "%s: %u, and by the reference %u", names[q], amount[q],
				 r->amount[q]);
			return text;
		}
	if (e->branch != r->branch || e->taken != r->taken || e->svc != r->svc)
		return "kind of branch";
	if (e->n_access != r->n_access)
		return "number of accesses";
	for (unsigned k = 0; k < e->n_access; k++)
		if (e->access[k].address != r->access[k].address || e->access[k].size != r->access[k].size ||
		    e->access[k].store != r->access[k].store)
			return "an access";
	return NULL;
}

/* Each thing that is said, said wrongly, is told. */
static void wrong_is_told(const struct insn_effect *e, const struct reference *r)
{
	struct insn_effect wrong;

	for (unsigned k = 0; k < e->n_terms; k++) {
		wrong = *e;
		wrong.term[k].amount++;
		assert_non_null(difference(&wrong, r));
		wrong.term[k] = wrong.term[--wrong.n_terms];
		assert_non_null(difference(&wrong, r));
	}
	for (unsigned k = 0; k < e->n_access; k++) {
		wrong = *e;
		wrong.access[k].address++;
		assert_non_null(difference(&wrong, r));
		wrong = *e;
		wrong.access[k].size *= 2;
		assert_non_null(difference(&wrong, r));
		wrong = *e;
		wrong.access[k].store = !wrong.access[k].store;
		assert_non_null(difference(&wrong, r));
	}
	wrong = *e;
	wrong.branch = e->branch ? TRANSFER_NONE : TRANSFER_CALL;
	assert_non_null(difference(&wrong, r));
	wrong = *e;
	wrong.taken = !e->taken;
	assert_non_null(difference(&wrong, r));
	wrong = *e;
	wrong.svc = !e->svc;
	assert_non_null(difference(&wrong, r));
}

/* @return whether it was compared; *bad counts differences */
static bool compare(uint32_t word, bool both_sides, unsigned *bad)
{
	struct insn_state s = random_state();
	struct insn_effect e;
	struct reference r;
	const char *how;

	insn_account(word, &s, &e);
	if (!reference(capstone, word, &s, decoded, &r))
		return false;
	how = difference(&e, &r);
	if (how && ++*bad < 40)
		print_error("%08x %s %s: %s\n", word, decoded->mnemonic, decoded->op_str, how);
	if (!how && both_sides)
		wrong_is_told(&e, &r);
	return true;
}

static int begin(void **state)
{
	(void)state;
	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone) != CS_ERR_OK)
		return -1;
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	decoded = cs_malloc(capstone);
	return 0;
}

static int end(void **state)
{
	(void)state;
	cs_free(decoded, 1);
	cs_close(&capstone);
	return 0;
}

/* --- what Capstone does not know
 * ------------------------------------------------------------------------------ */

#define LOAD(n, bytes)                                                                                       \
	{Q_INSN_LOAD, 1}, {Q_LOADS, n},                                                                      \
	{                                                                                                    \
		Q_LOAD_BYTES, (n) * (bytes)                                                                  \
	}
#define STORE(n, bytes)                                                                                      \
	{Q_INSN_STORE, 1}, {Q_STORES, n},                                                                    \
	{                                                                                                    \
		Q_STORE_BYTES, (n) * (bytes)                                                                 \
	}
#define ATOMIC(n, bytes)                                                                                     \
	{                                                                                                    \
		{Q_INSN_LOCKED, 1}, LOAD(n, bytes), STORE(n, bytes)                                          \
	}

/* Words by GNU's assembler. X5 is the base of all. */
static const struct {
	uint32_t word;
	const char *text;
	struct qterm term[8];
	uint8_t branch;
} younger[] = {
	{0xc8a37ca4, "cas x3, x4, [x5]", ATOMIC(1, 8), 0},
	{0x88e3fca4, "casal w3, w4, [x5]", ATOMIC(1, 4), 0},
	{0x08a37ca4, "casb w3, w4, [x5]", ATOMIC(1, 1), 0},
	{0x48a37ca4, "cash w3, w4, [x5]", ATOMIC(1, 2), 0},
	{0x48267ca8, "casp x6, x7, x8, x9, [x5]", ATOMIC(2, 8), 0},
	{0x08267ca8, "casp w6, w7, w8, w9, [x5]", ATOMIC(2, 4), 0},
	{0xf82380a4, "swp x3, x4, [x5]", ATOMIC(1, 8), 0},
	{0x38a380a4, "swpab w3, w4, [x5]", ATOMIC(1, 1), 0},
	{0xf82300a4, "ldadd x3, x4, [x5]", ATOMIC(1, 8), 0},
	{0xb8e310a4, "ldclral w3, w4, [x5]", ATOMIC(1, 4), 0},
	{0x782350a4, "ldsminh w3, w4, [x5]", ATOMIC(1, 2), 0},
	{0xf82300bf, "stadd x3, [x5]", ATOMIC(1, 8), 0},
	{0xf8bfc0a3, "ldapr x3, [x5]", {{Q_INSN_ACQUIRE, 1}, LOAD(1, 8)}, 0},
	{0x38bfc0a3, "ldaprb w3, [x5]", {{Q_INSN_ACQUIRE, 1}, LOAD(1, 1)}, 0},
	{0xd94000a3, "ldapur x3, [x5]", {{Q_INSN_ACQUIRE, 1}, LOAD(1, 8)}, 0},
	{0x998000a3, "ldapursw x3, [x5]", {{Q_INSN_ACQUIRE, 1}, LOAD(1, 4)}, 0},
	{0x590000a3, "stlurh w3, [x5]", {{Q_INSN_RELEASE, 1}, STORE(1, 2)}, 0},
	{0xf82004a3, "ldraa x3, [x5]", {LOAD(1, 8)}, 0},
	{0x25a0c0e3, "add z3.s, z3.s, #7", {{Q_INSN_SVE, 1}}, 0},
	{0x04900065, "mul z5.s, p0/m, z5.s, z3.s", {{Q_INSN_SVE, 1}}, 0},
	{0x65c30084, "fadd z4.d, z4.d, z3.d", {{Q_INSN_SVE, 1}}, 0},
	{0x25a00fe1, "whilelo p1.s, wzr, w0", {{Q_INSN_SVE, 1}}, 0},
	{0xa400a0a3, "ld1b {z3.b}, p0/z, [x5]", {{Q_INSN_SVE, 1}}, 0},
	{0xf8a00ca3, "ldrab x3, [x5]!", {LOAD(1, 8)}, 0},
	{0xd61f087f, "braaz x3", {{Q_BRANCHES, 1}, {Q_BR_JMP_INDIRECT, 1}}, TRANSFER_JUMP_INDIRECT},
	{0xd73f0864, "blraa x3, x4", {{Q_BRANCHES, 1}, {Q_BR_CALL_INDIRECT, 1}}, TRANSFER_CALL_INDIRECT},
	{0xd65f0bff, "retaa", {{Q_BRANCHES, 1}, {Q_BR_RET, 1}}, TRANSFER_RETURN},
	{0xd69f0bff,
	 "eretaa",
	 {{Q_BRANCHES, 1}, {Q_BR_FAR, 1}, {Q_EXC_RETURNS, 1}, {Q_INSN_SERIALIZING, 1}},
	 TRANSFER_SYSTEM},
	{0xd50b7c23, "dc cvap, x3", {{Q_INSN_MAINTENANCE, 1}}, 0},
	{0xd50b7423, "dc zva, x3", {{Q_INSN_MAINTENANCE, 1}, {Q_INSN_ZERO, 1}}, 0},
	{0xd50b7483, "dc gzva, x3", {{Q_INSN_MAINTENANCE, 1}, {Q_INSN_ZERO, 1}}, 0},
	{0xd50b7463, "dc gva, x3", {{Q_INSN_MAINTENANCE, 1}}, 0},
	{0xd50b7383, "cfp rctx, x3", {{0, 0}}, 0},
	{0xce668083, "sha512h q3, q4, v6.2d", {{Q_INSN_CRYPTO, 1}}, 0},
	{0xcec08083, "sha512su0 v3.2d, v4.2d", {{Q_INSN_CRYPTO, 1}}, 0},
	{0xce061083, "eor3 v3.16b, v4.16b, v6.16b, v4.16b", {{Q_INSN_CRYPTO, 1}}, 0},
	{0xce860483, "xar v3.2d, v4.2d, v6.2d, #1", {{Q_INSN_CRYPTO, 1}}, 0},
	{0xce668c83, "rax1 v3.2d, v4.2d, v6.2d", {{Q_INSN_CRYPTO, 1}}, 0},
	{0xce66c083, "sm3partw1 v3.4s, v4.4s, v6.4s", {{Q_INSN_SIMD, 1}}, 0},
	{0xce461083, "sm3ss1 v3.4s, v4.4s, v6.4s, v4.4s", {{Q_INSN_SIMD, 1}}, 0},
	{0x0e461483, "fadd v3.4h, v4.4h, v6.4h", {{Q_INSN_SIMD, 1}}, 0},
	{0x1ee22823, "fadd h3, h1, h2", {{Q_INSN_FP, 1}}, 0},
	{0x1ee20824, "fmul h4, h1, h2", {{Q_INSN_FP, 1}}, 0},
	{0x1ee23825, "fsub h5, h1, h2", {{Q_INSN_FP, 1}}, 0},
	{0x1ee21826, "fdiv h6, h1, h2", {{Q_INSN_FP, 1}}, 0},
	{0x1fc20c27, "fmadd h7, h1, h2, h3", {{Q_INSN_FP, 1}}, 0},
	{0x00000000, "udf #0", {{0, 0}}, 0},
};
#define YOUNGER (sizeof younger / sizeof younger[0])

static void test_younger(void **state)
{
	struct insn_state s = {.pc = 0x1000, .x = {[3] = 7, [5] = 0x10000}};

	(void)state;
	for (unsigned k = 0; k < YOUNGER; k++) {
		struct insn_effect e;
		struct reference r = {.branch = younger[k].branch};
		const char *how;

		insn_account(younger[k].word, &s, &e);
		r.amount[Q_INSTRUCTIONS] = 1;
		for (unsigned t = 0; t < 8; t++)
			r.amount[younger[k].term[t].quantity] += younger[k].term[t].amount;
		r.n_access = r.amount[Q_LOADS] + r.amount[Q_STORES];
		for (unsigned n = 0; n < r.n_access; n++) {
			bool store = n >= r.amount[Q_LOADS];
			unsigned size = store ? r.amount[Q_STORE_BYTES] / r.amount[Q_STORES]
					      : r.amount[Q_LOAD_BYTES] / r.amount[Q_LOADS];

			r.access[n] = (struct step_access){
				0x10000 + (store ? n - r.amount[Q_LOADS] : n) * size, size, store};
		}
		how = difference(&e, &r);
		if (how)
			fail_msg("%s: %s", younger[k].text, how);
		wrong_is_told(&e, &r);
	}
}

/* --- what it knows
 * ---------------------------------------------------------------------------------------------- */

/* Of kernels' words that Capstone does not know: data, or one that a row above has but for its registers. */
static bool has_row(uint32_t word)
{
	for (unsigned k = 0; k < YOUNGER; k++)
		if (!((word ^ younger[k].word) & ~UINT32_C(0x001f03ff)))
			return true;
	/* All of SVE is one row. */
	return word == 0x1234 || (word & 0x1e000000) == 0x04000000;
}

static void test_kernels(void **state)
{
	unsigned bad = 0, compared = 0, without = 0;

	(void)state;
	for (const uint32_t *w = kernel_code; w < kernel_code_end; w++) {
		for (unsigned turn = 0; turn < 4; turn++)
			if (compare(*w, true, &bad)) {
				compared++;
			} else if (!has_row(*w)) {
				print_error("%08x: neither Capstone nor a row here knows it\n", *w);
				without++;
			}
	}
	assert_int_equal(bad, 0);
	assert_int_equal(without, 0);
	assert_true(compared > 4 * 70);
}

static void test_random(void **state)
{
	/* Bits 28 to 25 of the main groups (Arm ARM, C4.1): any, branches and system, loads and stores, data,
	 * vectors. */
	static const uint32_t group[][2] = {{0, 0},
					    {0x1c000000, 0x14000000},
					    {0x0a000000, 0x08000000},
					    {0x0a000000, 0x08000000},
					    {0x0e000000, 0x0a000000},
					    {0x0e000000, 0x0e000000},
					    {0xffc00000, 0xd5000000},
					    {0x3f000000, 0x08000000}};
	const char *more = getenv("ASSAY_WORDS");
	unsigned n = more ? (unsigned)strtoul(more, NULL, 0) : RANDOM_WORDS, bad = 0, compared = 0;

	(void)state;
	for (unsigned k = 0; k < n; k++) {
		const uint32_t *g = group[k % (sizeof group / sizeof group[0])];

		compared += compare(((uint32_t)(random64() >> 16) & ~g[0]) | g[1], k % 64 == 0, &bad);
	}
	assert_int_equal(bad, 0);
	assert_true(compared > n / 4);
}

/* --- a table that is altered is noticed
 * ---------------------------------------------------------------------- */

static bool differs(uint32_t word)
{
	struct insn_state s = {.pc = 0x40080000, .x = {[3] = 0x1234, [9] = 0x50000000}};
	struct insn_effect e;
	struct reference r;

	insn_account(word, &s, &e);
	assert_true(reference(capstone, word, &s, decoded, &r));
	return difference(&e, &r);
}

static bool alteration_is_seen(const void *where, uint8_t flip, uint32_t word)
{
	uintptr_t page = (uintptr_t)where & ~(uintptr_t)0xfff;
	bool seen;

	assert_int_equal(mprotect((void *)page, 0x1000, PROT_READ | PROT_WRITE), 0);
	assert_false(differs(word));
	*(volatile uint8_t *)(uintptr_t)where ^= flip;
	seen = differs(word);
	*(volatile uint8_t *)(uintptr_t)where ^= flip;
	assert_false(differs(word));
	return seen;
}

/* The last entry of a table on a word's way, and its form. */
static const uint16_t *entry_of(uint32_t word)
{
	const uint16_t *at = &insn_root;

	while (*at & INSN_NODE) {
		const uint16_t *node = &insn_nodes[*at & ~INSN_NODE];

		at = &node[1 + (word >> (node[0] & 31) & node[0] >> 5)];
	}
	return at;
}

static void test_alterations(void **state)
{
	/* LDR X1, [X9, #16]; STRB W1, [X9, W3, SXTW]; LDP X1, X2, [X9, #-16]; LDR X1, (PC + 8). */
	static const uint32_t scaled = 0xf9400921, indexed = 0x3823c921, pair = 0xa97f0921,
			      literal = 0x58000041;
	/* CBZ W3; B.NE; SVC; MSR CONTEXTIDR_EL1, X3. */
	static const uint32_t zero = 0x34000043, not_equal = 0x54000041, call = 0xd4000021,
			      write = 0xd518d023;
	const struct insn_form *f;

	(void)state;
	f = &insn_forms[*entry_of(scaled)];
	assert_true(alteration_is_seen(&f->bytes, 4, scaled));
	assert_true(alteration_is_seen(&f->accesses, 3, scaled));
	assert_true(alteration_is_seen(&f->flags, FORM_STORE, scaled));
	assert_true(alteration_is_seen(&f->offset.low, 1, scaled));
	assert_true(alteration_is_seen(&f->offset.shift, 1, scaled));
	assert_true(alteration_is_seen(entry_of(scaled), 1, scaled));
	assert_true(alteration_is_seen(&insn_classes[f->klass].term[0].amount, 2, scaled));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(pair)].offset.sign, 21 ^ 15, pair));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(literal)].flags, FORM_LITERAL, literal));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(indexed)].index, INDEX_SIGNED, indexed));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(zero)].condition,
				       CONDITION_ZERO ^ CONDITION_OTHER, zero));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(not_equal)].branch, 1, not_equal));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(call)].flags, FORM_SUPERVISOR, call));
	assert_true(alteration_is_seen(&insn_forms[*entry_of(write)].klass, 1, write));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_younger),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_alterations),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
