/*
 * The instruction decoder against Zydis, and against rows written by hand from the definitions of the
 * quantities.
 */
#define _GNU_SOURCE
#include "arch/x86/step/insn.h"
#include "arch/x86/step/insn_table.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/insn_quantities.h"
#include "tests/self/host/insn_rows.h"

#include <Zydis/Zydis.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

static ZydisDecoder decoder;
static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* --- what our decoder says -------------------------------------------------------------------------- */

/** Everything an instruction contributes, with all its accesses aligned. */
static void account(const struct insn *in, uint64_t iterations, bool taken, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct insn_retired s = {.insn = in, .iterations = iterations, .taken = taken};
	memset(out, 0, sizeof *out);
	s.address = s.stack = s.source = s.dest = s.frame = 0x10000;
	qvec_add(out, terms, account_retired(&s, terms));
}

/* --- what Zydis says -------------------------------------------------------------------------------- */

static bool reference(const uint8_t *code, size_t size, ZydisDecodedInstruction *z,
		      ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT])
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, size, z, op)) &&
	       z->meta.isa_ext != ZYDIS_ISA_EXT_KNC && z->meta.isa_ext != ZYDIS_ISA_EXT_KNCE &&
	       z->meta.isa_ext != ZYDIS_ISA_EXT_KNCV;
}

/** The branch quantity by Zydis' category; Q_COUNT: not a branch. */
static enum quantity branch_kind(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	bool far = z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR,
	     direct = op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return z->meta.isa_ext == ZYDIS_ISA_EXT_RTM ? Q_COUNT : Q_BR_COND;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (z->meta.isa_ext == ZYDIS_ISA_EXT_RTM)
			return Q_COUNT;
		return far ? Q_BR_FAR : direct ? Q_BR_JMP_DIRECT : Q_BR_JMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return far ? Q_BR_FAR : direct ? Q_BR_CALL_DIRECT : Q_BR_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		if (z->meta.isa_ext == ZYDIS_ISA_EXT_UINTR)
			return Q_COUNT;
		return far || z->mnemonic == ZYDIS_MNEMONIC_IRET || z->mnemonic == ZYDIS_MNEMONIC_IRETD ||
				       z->mnemonic == ZYDIS_MNEMONIC_IRETQ
			       ? Q_BR_FAR
			       : Q_BR_RET;
	case ZYDIS_CATEGORY_INTERRUPT:
		return Q_BR_FAR;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
		return z->mnemonic == ZYDIS_MNEMONIC_RSM ? Q_COUNT : Q_BR_FAR;
	default:
		return Q_COUNT;
	}
}

/** Bytes that Zydis' memory operands read and write, where its operands mean just that; false for the
 * exceptions. */
static bool operand_bytes(const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op, uint64_t *read,
			  uint64_t *written)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
	case ZYDIS_CATEGORY_CLDEMOTE:
	case ZYDIS_CATEGORY_XSAVE:
	case ZYDIS_CATEGORY_XSAVEOPT:
	case ZYDIS_CATEGORY_GATHER:
	case ZYDIS_CATEGORY_AVX2GATHER:
	case ZYDIS_CATEGORY_SCATTER:
	case ZYDIS_CATEGORY_CET:
	case ZYDIS_CATEGORY_MPX:
	case ZYDIS_CATEGORY_SYSTEM:
	case ZYDIS_CATEGORY_MISC:
	case ZYDIS_CATEGORY_WAITPKG:
		return false;
	default:
		break;
	}
	*read = *written = 0;
	for (unsigned i = 0; i < z->operand_count; i++) {
		if (op[i].type != ZYDIS_OPERAND_TYPE_MEMORY || op[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		*read += op[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ ? op[i].size / 8 : 0;
		*written += op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? op[i].size / 8 : 0;
	}
	return true;
}

/* --- comparing them --------------------------------------------------------------------------------- */

static const char *compare_address(const uint8_t *code, const struct insn *in,
				   const ZydisDecodedInstruction *z, const ZydisDecodedOperand *op)
{
	struct insn_registers r;
	ZydisRegisterContext context;
	ZyanU64 expected;
	if (z->meta.category ==
	    ZYDIS_CATEGORY_MPX) /* ignores the address-size prefix, and accesses nothing */
		return NULL;
	memset(&context, 0, sizeof context);
	for (unsigned i = 0; i < 16; i++)
		context.values[ZYDIS_REGISTER_RAX + i] = r.gpr[i] = random64();
	for (unsigned i = 0; i < 16; i++)
		context.values[ZYDIS_REGISTER_EAX + i] = (uint32_t)r.gpr[i];
	r.rip = random64() & 0x7fffffffffff;
	r.fs_base = r.gs_base = 0;
	for (unsigned i = 0; i < z->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY && op[i].mem.type != ZYDIS_MEMOP_TYPE_VSIB &&
		    (op[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM ||
		     op[i].encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64)) {
			if (z->mnemonic == ZYDIS_MNEMONIC_POP)
				context.values[ZYDIS_REGISTER_RSP] += 8,
					context.values[ZYDIS_REGISTER_ESP] += 8;
			if (op[i].mem.base == ZYDIS_REGISTER_EIP)
				return NULL;
			/* No base, but Zydis 4.0.0 names R13D if there is an address-size prefix and REX.B
			 * (SDM vol. 2, 2.2.1.2: REX.B is not looked at here). */
			if (z->address_width == 32 && z->raw.modrm.mod == 0 && z->raw.modrm.rm == 4 &&
			    z->raw.sib.base == 5)
				return NULL;
			if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddressEx(z, &op[i], r.rip, &context, &expected)))
				return "Zydis computes no address";
			if (z->address_width == 32)
				expected = (uint32_t)expected;
			return insn_effective_address(code, in, &r) == expected ? NULL : "address";
		}
	return NULL;
}

/** Compare on one string of bytes. @return NULL if both agree, else on what they do not */
static const char *compare(const uint8_t *code, size_t size, uint8_t *length)
{
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	struct insn in;
	struct qvec v;
	uint64_t read, written;
	bool expected = reference(code, size, &z, op), got = insn_decode(code, size, &in);

	*length = expected ? z.length : 0;
	if (expected != got)
		return "validity";
	if (!expected)
		return in.flags & INSN_F_INVALID ? NULL : "validity flag";
	if (z.length != in.length)
		return "length";
	if (in.klass >= insn_class_count)
		return "class";
	if (!(in.flags & INSN_F_MODRM) != !(z.attributes & ZYDIS_ATTRIB_HAS_MODRM) ||
	    ((in.flags & INSN_F_MODRM) && in.modrm_at != z.raw.modrm.offset))
		return "ModRM";
	if (!(in.flags & INSN_F_ADDR32) != !(z.attributes & ZYDIS_ATTRIB_HAS_ADDRESSSIZE))
		return "address size";

	account(&in, 1, true, &v);
	enum quantity kind = branch_kind(&z, op);
	uint64_t kinds = 0;
	for (enum quantity q = Q_BR_JMP_DIRECT; q <= Q_BR_FAR; q++)
		kinds += v.v[q];
	kinds += v.v[Q_BR_COND];
	if (kinds != v.v[Q_BRANCHES] || kinds != (kind != Q_COUNT) || (kind != Q_COUNT && v.v[kind] != 1))
		return "kind of branch";
	if (v.v[Q_INSTRUCTIONS] != 1)
		return "instructions";
	if ((v.v[Q_LOADS] != 0) != v.v[Q_INSN_LOAD] || (v.v[Q_STORES] != 0) != v.v[Q_INSN_STORE])
		return "loads and insn.load";
	if (operand_bytes(&z, op, &read, &written) &&
	    (v.v[Q_LOAD_BYTES] != read || v.v[Q_STORE_BYTES] != written))
		return "bytes";
	bool locked = (z.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		      (z.mnemonic == ZYDIS_MNEMONIC_XCHG && op[0].type == ZYDIS_OPERAND_TYPE_MEMORY);
	if (v.v[Q_INSN_LOCKED] != locked)
		return "locked";
	return in.flags & INSN_F_MEM ? compare_address(code, &in, &z, op) : NULL;
}

static void check(const uint8_t *code, size_t size, uint8_t *length)
{
	const char *difference = compare(code, size, length);
	if (!difference)
		return;
	char text[64];
	for (size_t i = 0; i < size && i < 15; i++)
		snprintf(text + 2 * i, 3, "%02x", code[i]);
	fail_msg("%s differs on %s", difference, text);
}

/* --- (a) real code ---------------------------------------------------------------------------------- */

#define CORPUS (1 << 16)

static uint8_t corpus[CORPUS][15]; /* valid instructions met there, to be mutated later */
static unsigned n_corpus;
static unsigned long n_swept;

static int sweep_object(struct dl_phdr_info *info, size_t size, void *limit)
{
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || strstr(info->dlpi_name, "vdso"))
			continue;
		const uint8_t *code = (const uint8_t *)(info->dlpi_addr + p->p_vaddr);
		uint64_t end = p->p_memsz < *(uint64_t *)limit ? p->p_memsz : *(uint64_t *)limit;
		for (uint64_t at = 0; at < end;) {
			uint8_t length, bytes[15] = {0};
			size_t left = p->p_memsz - at < 15 ? p->p_memsz - at : 15;
			memcpy(bytes, code + at, left);
			check(bytes, left, &length);
			n_swept++;
			if (length && random64() % 16 == 0) {
				memcpy(corpus[n_corpus % CORPUS], bytes, 15);
				n_corpus++;
			}
			at += length ? length : 1;
		}
	}
	return 0;
}

/* Every executable segment of this program and of the libraries that it runs on. */
static void test_real_code(void **state)
{
	(void)state;
	uint64_t limit = 3 << 20;
	dl_iterate_phdr(sweep_object, &limit);
	print_message("%lu instructions\n", n_swept);
	assert_true(n_swept > 100000);
}

/* --- (b) random and mutated bytes ------------------------------------------------------------------- */

static void random_bytes(uint8_t b[16])
{
	uint64_t r[2] = {random64(), random64()};
	memcpy(b, r, 16);
}

/** Random bytes, but shaped so that each part of the opcode space gets its share. */
static void shaped_bytes(uint8_t b[16])
{
	static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x41, 0x44, 0x67, 0x64, 0x65, 0x2e};
	unsigned at = 0;
	random_bytes(b);
	for (unsigned n = random64() % 4; n; n--)
		b[at++] = prefixes[random64() % sizeof prefixes];
	switch (random64() % 12) {
	case 0:
		b[at] = 0x0f;
		break;
	case 1:
		b[at] = 0x0f;
		b[at + 1] = 0x38;
		break;
	case 2:
		b[at] = 0x0f;
		b[at + 1] = 0x3a;
		break;
	case 3:
		b[at] = b[at + 1] = 0x0f;
		break;
	case 4:
		b[0] = 0xc5;
		b[1] |= random64() & 1 ? 0x78 : 0;
		break;
	case 5:
	case 6:
		b[0] = 0xc4;
		b[1] = (uint8_t)((b[1] & 0xe0) | (1 + b[4] % 3));
		b[2] |= random64() & 1 ? 0x78 : 0;
		break;
	case 7:
		b[0] = 0x8f;
		b[1] = (uint8_t)((b[1] & 0xe0) | (8 + b[4] % 3));
		b[2] |= random64() & 1 ? 0x78 : 0;
		break;
	case 8:
	case 9:
	case 10: {
		static const uint8_t map[] = {1, 2, 3, 5, 6};
		b[0] = 0x62;
		b[1] = (uint8_t)((b[1] & 0xf0) | map[random64() % 5]);
		b[2] |= 4;
		b[3] &= random64() & 1 ? 0x7f : 0xff;
		if (random64() & 1) { /* nothing but the register fields of ModRM */
			b[1] |= 0xf0;
			b[2] |= 0x7c;
			b[3] = (uint8_t)((b[3] & 0x70) | 8);
		}
		break;
	}
	default:
		break;
	}
}

static void test_random(void **state)
{
	(void)state;
	uint8_t b[16], length;
	for (unsigned i = 0; i < 600000; i++) {
		random_bytes(b);
		check(b, 15, &length);
	}
	for (unsigned i = 0; i < 2500000; i++) {
		shaped_bytes(b);
		check(b, 15, &length);
	}
}

static void test_mutated(void **state)
{
	(void)state;
	static const uint8_t prefixes[] = {0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x40, 0x67, 0x64, 0x2e};
	unsigned n = n_corpus < CORPUS ? n_corpus : CORPUS;
	assert_true(n > 1000);
	for (unsigned i = 0; i < 1000000; i++) {
		uint8_t b[16] = {0}, length;
		memcpy(b, corpus[random64() % n], 15);
		if (random64() & 1) {
			memmove(b + 1, b, 14);
			b[0] = prefixes[random64() % sizeof prefixes];
		}
		for (unsigned flips = random64() % 3; flips; flips--)
			b[random64() % 6] ^= (uint8_t)(1u << random64() % 8);
		check(b, 15, &length);
	}
}

/* Cut off at every length: never valid before the end, never a read beyond it (the copy ends where its memory
 * ends). */
static void test_cut_off(void **state)
{
	(void)state;
	unsigned n = n_corpus < CORPUS ? n_corpus : CORPUS;
	for (unsigned i = 0; i < 20000; i++) {
		const uint8_t *whole = corpus[random64() % n];
		struct insn in, part;
		assert_true(insn_decode(whole, 15, &in));
		for (unsigned size = 1; size <= in.length; size++) {
			uint8_t *copy = malloc(size);
			memcpy(copy, whole, size);
			assert_int_equal(insn_decode(copy, size, &part), size == in.length);
			assert_in_range(part.length, 1, size);
			free(copy);
		}
	}
}

static void test_too_long(void **state)
{
	(void)state;
	uint8_t b[20];
	struct insn in;
	memset(b, 0x66, sizeof b);
	b[14] = 0x90;
	assert_true(insn_decode(b, sizeof b, &in));
	assert_int_equal(in.length, 15);
	b[14] = 0x66;
	b[15] = 0x90;
	assert_false(insn_decode(b, sizeof b, &in));
}

/* --- (c) rows by hand ------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
	(void)state;
	for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
		uint8_t code[15] = {0}, length;
		struct insn in;
		struct qvec got, expected = {{0}};
		memcpy(code, r->bytes, r->length);
		check(code, sizeof code, &length);
		if (!insn_decode(code, sizeof code, &in))
			fail_msg("%s: invalid", r->text);
		if (in.length != r->length || in.special != r->special)
			fail_msg("%s: length %u, special %u", r->text, in.length, in.special);
		expected.v[Q_INSTRUCTIONS] = 1;
		for (const struct amount_row *a = r->amounts; a < r->amounts + 12 && a->amount; a++)
			expected.v[a->quantity] += a->amount;
		account(&in, 3, true, &got);
		for (enum quantity q = 0; q < Q_COUNT; q++)
			if (got.v[q] != expected.v[q])
				fail_msg("%s: %s is %lu, not %lu", r->text, quantity_info[q].name, got.v[q],
					 expected.v[q]);
	}
}

static void test_invalid_rows(void **state)
{
	(void)state;
	static const char *const invalid[] = {
		"\x06",
		"\x27",
		"\x60",
		"\x9a",
		"\xd4\x0a",
		"\xea",     /* not in 64-bit mode */
		"\xf0\x90", /* LOCK where there is nothing to lock */
		"\xf0\x01\xc1",
		"\xf0\x87\xc1",
		"\xf0\xa3",
		"\x66\xc5\xf8\x77", /* prefixes before VEX */
		"\x48\xc5\xf8\x77",
		"\xc5\x80\x77\x77",             /* vvvv not 1111 */
		"\xc4\xe2\x7d\x92\x04\x08",     /* gather: destination and mask are the same */
		"\x62\xf2\x7d\x48\x90\x04\x08", /* gather without a mask */
		"\x8f\xc8",
		"\x0f\x0f\xc1\x00",
		"\x0f\x20\xc8",
		"\x8c\xf0",
	};
	for (unsigned i = 0; i < sizeof invalid / sizeof *invalid; i++) {
		uint8_t code[15] = {0};
		struct insn in;
		memcpy(code, invalid[i], strlen(invalid[i]));
		if (insn_decode(code, sizeof code, &in) || !(in.flags & INSN_F_INVALID))
			fail_msg("row %u of the invalid ones is taken for an instruction", i);
	}
}

/* --- conditions and addresses ----------------------------------------------------------------------- */

static void test_conditions(void **state)
{
	(void)state;
	/* Every condition against the flags as SETcc evaluates them on this machine. */
#define SET(cc, number)                                                                                      \
	if (cond == (number))                                                                                \
	__asm__("push %1\n\tpopfq\n\tset" cc " %0" : "=qm"(real) : "r"(flags | 2) : "cc", "memory")
	for (unsigned bits = 0; bits < 32; bits++) {
		uint64_t flags = (bits & 1) | (bits >> 1 & 1) << 2 | (bits >> 2 & 1) << 6 |
				 (bits >> 3 & 1) << 7 | (uint64_t)(bits >> 4 & 1) << 11;
		for (uint8_t cond = 0; cond < 16; cond++) {
			uint8_t real = 0;
			SET("o", 0);
			SET("no", 1);
			SET("b", 2);
			SET("ae", 3);
			SET("e", 4);
			SET("ne", 5);
			SET("be", 6);
			SET("a", 7);
			SET("s", 8);
			SET("ns", 9);
			SET("p", 10);
			SET("np", 11);
			SET("l", 12);
			SET("ge", 13);
			SET("le", 14);
			SET("g", 15);
			struct insn in = {.special = INSN_JCC, .cond = cond};
			assert_int_equal(insn_branch_taken(&in, flags, 0), real);
		}
	}
	struct insn loop = {.special = INSN_LOOP, .cond = 0xe2}, loope = {.special = INSN_LOOP, .cond = 0xe1},
		    loopne = {.special = INSN_LOOP, .cond = 0xe0}, jrcxz = {.special = INSN_JRCXZ},
		    jecxz = {.special = INSN_JRCXZ, .flags = INSN_F_ADDR32},
		    loop32 = {.special = INSN_LOOP, .cond = 0xe2, .flags = INSN_F_ADDR32};
	assert_true(insn_branch_taken(&loop, 0, 2));
	assert_false(insn_branch_taken(&loop, 0, 1));
	assert_true(insn_branch_taken(&loop, 0, 0));
	assert_false(insn_branch_taken(&loop32, 0, 0x100000001));
	assert_true(insn_branch_taken(&loop, 0, 0x100000001));
	assert_true(insn_branch_taken(&loope, 0x40, 2));
	assert_false(insn_branch_taken(&loope, 0, 2));
	assert_false(insn_branch_taken(&loopne, 0x40, 2));
	assert_true(insn_branch_taken(&loopne, 0, 2));
	assert_true(insn_branch_taken(&jrcxz, 0, 0));
	assert_false(insn_branch_taken(&jrcxz, 0, 0x100000000));
	assert_true(insn_branch_taken(&jecxz, 0, 0x100000000));
}

/* Whatever a CPU does to the half of RCX that does not count. */
static void test_iterations(void **state)
{
	struct insn rep = {.special = INSN_STRING, .flags = INSN_F_REP},
		    rep32 = {.special = INSN_STRING, .flags = INSN_F_REP | INSN_F_ADDR32};

	(void)state;
	assert_int_equal(insn_rep_left(&rep, 0x100000005), 0x100000005);
	assert_int_equal(insn_rep_left(&rep32, 0x100000005), 5);
	assert_int_equal(insn_rep_iterations(&rep, 0x100000005, 0x100000003), 2);
	assert_int_equal(insn_rep_iterations(&rep, 0x100000000, 0xffffffff), 1);
	assert_int_equal(insn_rep_iterations(&rep32, 0x100000005, 3), 2);
	assert_int_equal(insn_rep_iterations(&rep32, 0x100000000, 0), 0);
	assert_int_equal(insn_rep_iterations(&rep32, 0x100000000, 0x100000000), 0);
}

static void test_segment_bases(void **state)
{
	(void)state;
	struct insn_registers r = {.gpr = {0x100}, .fs_base = 0x7000, .gs_base = 0x90000};
	struct insn in;
	static const uint8_t fs[] = {0x64, 0x8b, 0x00}, gs[] = {0x65, 0x8b, 0x40, 0xff},
			     cs[] = {0x2e, 0x8b, 0x00};
	assert_true(insn_decode(fs, sizeof fs, &in));
	assert_int_equal(insn_effective_address(fs, &in, &r), 0x7100);
	assert_true(insn_decode(gs, sizeof gs, &in));
	assert_int_equal(insn_effective_address(gs, &in, &r), 0x900ff);
	assert_true(insn_decode(cs, sizeof cs, &in));
	assert_int_equal(insn_effective_address(cs, &in, &r), 0x100);
}

static void test_gathers(void **state)
{
	(void)state;
	static const struct {
		const char *text, *bytes;
		struct insn_gather g;
	} gathers[] = {
		{"vgatherdps ymm5, [rax+ymm7], ymm2", "\xc4\xe2\x6d\x92\x2c\x38", {false, 2, 8, 4}},
		{"vgatherqps xmm5, [rax+ymm7], xmm9", "\xc4\xe2\x35\x93\x2c\x38", {false, 9, 4, 4}},
		{"vpgatherdq ymm5, gs:[eax+xmm7], ymm2",
		 "\x65\x67\xc4\xe2\xed\x90\x2c\x38",
		 {false, 2, 4, 8}},
		{"vpgatherdd zmm0{k1}, [rax+zmm1]", "\x62\xf2\x7d\x49\x90\x04\x08", {true, 1, 16, 4}},
		{"vpscatterqq [rax+zmm1]{k3}, zmm0", "\x62\xf2\xfd\x4b\xa1\x04\x08", {true, 3, 8, 8}},
		{"vscatterqps [rax+zmm1]{k3}, ymm0", "\x62\xf2\x7d\x4b\xa3\x04\x08", {true, 3, 8, 4}},
	};
	for (unsigned i = 0; i < sizeof gathers / sizeof *gathers; i++) {
		uint8_t code[15] = {0};
		struct insn in;
		struct insn_gather g;
		memcpy(code, gathers[i].bytes, strlen(gathers[i].bytes));
		assert_true(insn_decode(code, 15, &in));
		assert_int_equal(in.special, INSN_MASKMOV);
		insn_gather(code, &in, &g);
		if (g.opmask != gathers[i].g.opmask || g.mask != gathers[i].g.mask ||
		    g.elements != gathers[i].g.elements || g.element_bytes != gathers[i].g.element_bytes)
			fail_msg("%s: mask %u, %u elements of %u bytes", gathers[i].text, g.mask, g.elements,
				 g.element_bytes);
	}
	uint32_t vector[8] = {0x80000000, 0x7fffffff, 0xffffffff, 0, 0, 0x80000000, 1, 0x80000000};
	uint64_t opmask = 0xff0f5;
	assert_int_equal(insn_gather_elements(&(struct insn_gather){false, 0, 8, 4}, vector), 4);
	assert_int_equal(insn_gather_elements(&(struct insn_gather){false, 0, 4, 4}, vector), 2);
	assert_int_equal(insn_gather_elements(&(struct insn_gather){false, 0, 4, 8}, vector), 2);
	assert_int_equal(insn_gather_elements(&(struct insn_gather){true, 1, 16, 4}, &opmask), 10);
	assert_int_equal(insn_gather_elements(&(struct insn_gather){true, 1, 4, 8}, &opmask), 2);
}

/* --- (d) a corrupted table is noticed --------------------------------------------------------------- */

/** Change one byte of a constant table, see whether the comparison notices on this instruction, change it
 * back. */
static bool corruption_is_seen(const void *where, uint8_t flip, const uint8_t *code)
{
	uintptr_t page = (uintptr_t)where & ~(uintptr_t)0xfff;
	uint8_t length;
	assert_int_equal(mprotect((void *)page, 0x1000, PROT_READ | PROT_WRITE), 0);
	assert_null(compare(code, 15, &length));
	*(volatile uint8_t *)(uintptr_t)where ^= flip;
	bool seen = compare(code, 15, &length) != NULL;
	*(volatile uint8_t *)(uintptr_t)where ^= flip;
	assert_null(compare(code, 15, &length));
	return seen;
}

static void test_corruption(void **state)
{
	(void)state;
	static const uint8_t jmp[15] = {0xe9}, mov[15] = {0x8b, 0x07}, lock[15] = {0xf0, 0x01, 0x07};
	uint16_t jmp_leaf = insn_maps[MAP_LEGACY][0xe9], mov_node = insn_maps[MAP_LEGACY][0x8b],
		 add_node = insn_maps[MAP_LEGACY][0x01];
	struct insn in;
	assert_true(insn_decode(jmp, 15, &in));
	assert_true(jmp_leaf < INSN_PREFIX && (mov_node & INSN_NODE) && (add_node & INSN_NODE));
	assert_true(corruption_is_seen(&insn_leaves[jmp_leaf].sizes, 1, jmp));
	assert_true(corruption_is_seen(&insn_leaves[jmp_leaf].klass, 1, jmp));
	assert_true(corruption_is_seen(&insn_leaves[jmp_leaf].flags, LEAF_MODRM, jmp));
	assert_true(corruption_is_seen(&insn_terms[insn_classes[in.klass].terms].amount, 2, jmp));
	assert_true(corruption_is_seen(&insn_maps[MAP_LEGACY][0xe9], 1, jmp));
	/* The first entry of a node is the one for "no prefix" or "memory". */
	assert_true(corruption_is_seen(&insn_nodes[(mov_node & ~INSN_NODE) + 1], 1, mov));
	assert_true(corruption_is_seen(&insn_nodes[(add_node & ~INSN_NODE) + 1], 1, lock));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),       cmocka_unit_test(test_invalid_rows),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_real_code),
		cmocka_unit_test(test_random),     cmocka_unit_test(test_mutated),
		cmocka_unit_test(test_cut_off),    cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_iterations), cmocka_unit_test(test_segment_bases),
		cmocka_unit_test(test_gathers),    cmocka_unit_test(test_corruption),
	};
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
