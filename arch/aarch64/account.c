#include "arch/aarch64/account.h"

#include <string.h>

#define IS(mask, value) ((insn & UINT32_C(mask)) == UINT32_C(value))

#define FLAG_N (UINT64_C(1) << 31)
#define FLAG_Z (UINT64_C(1) << 30)
#define FLAG_C (UINT64_C(1) << 29)
#define FLAG_V (UINT64_C(1) << 28)

static uint32_t bits(uint32_t insn, unsigned low, unsigned n)
{
	return insn >> low & ((1u << n) - 1);
}

static int64_t signed_bits(uint32_t insn, unsigned low, unsigned n)
{
	int64_t value = bits(insn, low, n);

	return value >> (n - 1) ? value - (INT64_C(1) << n) : value;
}

static void add(struct insn_effect *e, enum quantity q, uint32_t amount)
{
	if (amount)
		e->term[e->n_terms++] = (struct qterm){(quantity_number)q, amount};
}

/* As a source of data, register 31 is zero. */
static uint64_t data(const struct insn_state *s, unsigned r)
{
	return r == 31 ? 0 : s->x[r];
}

/* --- branches (C4.1.65)
 * ---------------------------------------------------------------------------------------- */

static bool holds(unsigned condition, uint64_t p)
{
	bool n = p & FLAG_N, z = p & FLAG_Z, c = p & FLAG_C, v = p & FLAG_V;
	const bool is[] = {z, c, n, v, c && !z, n == v, n == v && !z, true};

	return is[condition >> 1] != (condition & 1 && condition != 15);
}

static void branch(struct insn_effect *e, enum quantity kind, enum step_transfer transfer)
{
	add(e, Q_BRANCHES, 1);
	add(e, kind, 1);
	e->branch = (uint8_t)transfer;
}

static void conditional(struct insn_effect *e, bool taken)
{
	branch(e, Q_BR_COND, TRANSFER_CONDITIONAL);
	add(e, taken ? Q_BR_COND_TAKEN : Q_BR_COND_NTAKEN, 1);
	e->taken = taken;
}

static void account_system_register(uint32_t insn, struct insn_effect *e)
{
	switch (bits(insn, 5, 15)) {
	case 1 << 14 | 3 << 11 | 9 << 7 | 12 << 3 | 4:
		add(e, Q_SW_INCREMENTS, 1);
		break;
	case 1 << 14 | 0 << 11 | 13 << 7 | 0 << 3 | 1:
		add(e, Q_CID_WRITES, 1);
		break;
	case 1 << 14 | 0 << 11 | 2 << 7 | 0 << 3 | 0:
	case 1 << 14 | 0 << 11 | 2 << 7 | 0 << 3 | 1:
		add(e, Q_TTBR_WRITES, 1);
		break;
	}
	add(e, Q_INSN_REGISTER_WRITE, 1);
}

static void account_system(uint32_t insn, struct insn_effect *e)
{
	if (IS(0xffffffff, 0xd503201f)) {
		add(e, Q_INSN_NOP, 1);
	} else if (IS(0xfffff01f, 0xd503301f)) {
		unsigned op2 = bits(insn, 5, 3);

		add(e, Q_INSN_DSB, op2 == 4);
		add(e, Q_INSN_DMB, op2 == 5);
		add(e, Q_INSN_ISB, op2 == 6);
		add(e, Q_INSN_SERIALIZING, op2 == 6);
	} else if (IS(0xfff80000, 0xd5080000)) {
		unsigned crn = bits(insn, 12, 4), crm = bits(insn, 8, 4);

		/* TLBI; IC; DC. Others with CRn = 7 translate addresses or restrict predictions. */
		add(e, Q_INSN_MAINTENANCE,
		    crn == 8 ||
			    (crn == 7 && (crm == 1 || (crm >= 4 && crm <= 6) || (crm >= 10 && crm <= 14))));
		add(e, Q_INSN_ZERO, IS(0xffffffe0, 0xd50b7420) || IS(0xffffffe0, 0xd50b7480));
	} else if (IS(0xfff00000, 0xd5100000)) {
		account_system_register(insn, e);
	} else if (IS(0xfff00000, 0xd5300000)) {
		add(e, Q_INSN_MRS, 1);
	}
}

static void account_branch(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	if (IS(0x7c000000, 0x14000000)) {
		bool call = insn >> 31;

		branch(e, call ? Q_BR_CALL_DIRECT : Q_BR_JMP_DIRECT, call ? TRANSFER_CALL : TRANSFER_JUMP);
	} else if (IS(0xff000000, 0x54000000)) {
		conditional(e, holds(bits(insn, 0, 4), s->pstate));
	} else if (IS(0x7e000000, 0x34000000)) {
		uint64_t value = data(s, bits(insn, 0, 5));

		conditional(e, ((insn >> 31 ? value : (uint32_t)value) == 0) != bits(insn, 24, 1));
	} else if (IS(0x7e000000, 0x36000000)) {
		unsigned bit = bits(insn, 19, 5) | insn >> 31 << 5;

		conditional(e, (data(s, bits(insn, 0, 5)) >> bit & 1) == bits(insn, 24, 1));
	} else if (IS(0xfe000000, 0xd6000000)) {
		switch (bits(insn, 21, 3)) {
		case 0:
			branch(e, Q_BR_JMP_INDIRECT, TRANSFER_JUMP_INDIRECT);
			break;
		case 1:
			branch(e, Q_BR_CALL_INDIRECT, TRANSFER_CALL_INDIRECT);
			break;
		case 2:
			branch(e, Q_BR_RET, TRANSFER_RETURN);
			break;
		case 4:
			branch(e, Q_BR_FAR, TRANSFER_SYSTEM);
			add(e, Q_EXC_RETURNS, 1);
			add(e, Q_INSN_SERIALIZING, 1);
			break;
		}
	} else if (IS(0xffe0001f, 0xd4000001)) {
		branch(e, Q_BR_FAR, TRANSFER_SYSTEM);
		e->svc = true;
	} else if (IS(0xff000000, 0xd5000000)) {
		account_system(insn, e);
	}
}

/* --- loads and stores (C4.1.66)
 * ---------------------------------------------------------------------------------- */

struct memory {
	uint64_t address;
	unsigned count, bytes; /* accesses, and bytes of each */
	bool load, store;
};

static void account_memory(const struct memory *m, struct insn_effect *e)
{
	bool unaligned = m->address % m->bytes;

	for (unsigned way = 0; way < 2; way++) {
		bool store = way;

		if (!(store ? m->store : m->load))
			continue;
		add(e, store ? Q_INSN_STORE : Q_INSN_LOAD, 1);
		add(e, store ? Q_STORES : Q_LOADS, m->count);
		add(e, store ? Q_STORE_BYTES : Q_LOAD_BYTES, m->count * m->bytes);
		for (unsigned i = 0; i < m->count && e->n_access < INSN_ACCESSES; i++)
			e->access[e->n_access++] =
				(struct step_access){m->address + i * m->bytes, m->bytes, store};
	}
	add(e, Q_UNALIGNED, unaligned);
}

static void account_exclusive(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	unsigned size = insn >> 30;
	bool o2 = bits(insn, 23, 1), load = bits(insn, 22, 1), o1 = bits(insn, 21, 1), o0 = bits(insn, 15, 1);
	struct memory m = {s->x[bits(insn, 5, 5)], 1, 1u << size, load, !load};

	if (o2 ? o1 : o1 && size < 2) { /* CAS, CASP */
		if (!o2) {
			m.count = 2;
			m.bytes = 4u << (size & 1);
		}
		m.load = m.store = true;
		add(e, Q_INSN_LOCKED, 1);
	} else {
		m.count = !o2 && o1 ? 2 : 1;
		if (!o2)
			add(e, load ? Q_INSN_LDX : Q_INSN_STX, 1);
		if (o0)
			add(e, load ? Q_INSN_ACQUIRE : Q_INSN_RELEASE, 1);
	}
	account_memory(&m, e);
}

static uint64_t extended(uint32_t insn, const struct insn_state *s, unsigned shift)
{
	uint64_t value = data(s, bits(insn, 16, 5));

	switch (bits(insn, 13, 3)) {
	case 2:
		value = (uint32_t)value;
		break;
	case 6:
		value = (uint64_t)(int64_t)(int32_t)value;
		break;
	}
	return value << (bits(insn, 12, 1) ? shift : 0);
}

static void account_single(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	unsigned size = insn >> 30, opc = bits(insn, 22, 2);
	bool vector = bits(insn, 26, 1);
	uint64_t base = s->x[bits(insn, 5, 5)];
	struct memory m = {base, 1, 1u << size, opc != 0, opc == 0};

	if (!bits(insn, 24, 1) && bits(insn, 21, 1) && !bits(insn, 10, 2)) { /* atomics; LDAPR */
		m.load = true;
		m.store = bits(insn, 12, 4) != 12;
		add(e, m.store ? Q_INSN_LOCKED : Q_INSN_ACQUIRE, 1);
		account_memory(&m, e);
		return;
	}
	if (IS(0xff200400, 0xf8200400)) { /* LDRAA, LDRAB: the offset has a bit more */
		int64_t offset = (signed_bits(insn, 22, 1) * 512 + bits(insn, 12, 9)) * 8;

		m.address += (uint64_t)offset;
		m.load = true;
		m.store = false;
		account_memory(&m, e);
		return;
	}
	if (vector) {
		size += opc & 2 ? 4 : 0;
		m.bytes = 1u << size;
		m.load = opc & 1;
		m.store = !m.load;
	} else if (size == 3 && opc == 2) {
		add(e, Q_PREFETCHES, 1);
		return;
	}
	if (bits(insn, 24, 1))
		m.address += (uint64_t)bits(insn, 10, 12) << size;
	else if (bits(insn, 21, 1))
		m.address += extended(insn, s, size);
	else if (bits(insn, 10, 2) != 1)
		m.address += (uint64_t)signed_bits(insn, 12, 9);
	account_memory(&m, e);
}

/* LDAPUR, STLUR and those like them. */
static void account_unscaled(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	bool load = bits(insn, 22, 2);
	struct memory m = {s->x[bits(insn, 5, 5)] + (uint64_t)signed_bits(insn, 12, 9), 1, 1u << (insn >> 30),
			   load, !load};

	add(e, load ? Q_INSN_ACQUIRE : Q_INSN_RELEASE, 1);
	account_memory(&m, e);
}

static void account_pair(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	unsigned opc = insn >> 30;
	bool vector = bits(insn, 26, 1), load = bits(insn, 22, 1);
	struct memory m = {s->x[bits(insn, 5, 5)], 2, vector ? 4u << opc : opc == 2 ? 8 : 4, load, !load};

	if (bits(insn, 23, 2) != 1) /* not behind the access */
		m.address += (uint64_t)(signed_bits(insn, 15, 7) * (int)m.bytes);
	add(e, Q_INSN_PAIR, 1);
	account_memory(&m, e);
}

/* Structures: the sum of all registers, as one access. */
static void account_structure(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	static const uint8_t registers[16] = {[0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
	bool load = bits(insn, 22, 1);
	struct memory m = {s->x[bits(insn, 5, 5)], 1, 0, load, !load};

	if (bits(insn, 24, 1)) {
		unsigned count = (bits(insn, 13, 1) << 1 | bits(insn, 21, 1)) + 1, scale = bits(insn, 14, 2);

		if (scale == 3)
			scale = bits(insn, 10, 2);
		else if (scale == 2 && bits(insn, 10, 1))
			scale = 3;
		m.bytes = count << scale;
	} else {
		m.bytes = registers[bits(insn, 12, 4)] * (bits(insn, 30, 1) ? 16 : 8);
	}
	if (m.bytes) {
		account_memory(&m, e);
		/* Alignment is that of elements: nothing is said of it here. */
		if (e->term[e->n_terms - 1].quantity == Q_UNALIGNED)
			e->n_terms--;
	}
}

static void account_load_store(uint32_t insn, const struct insn_state *s, struct insn_effect *e)
{
	if (IS(0x3f000000, 0x08000000)) {
		account_exclusive(insn, s, e);
	} else if (IS(0xbe000000, 0x0c000000)) {
		account_structure(insn, s, e);
	} else if (IS(0x3b000000, 0x18000000)) {
		unsigned opc = insn >> 30;
		bool vector = bits(insn, 26, 1);
		struct memory m = {s->pc + (uint64_t)(signed_bits(insn, 5, 19) * 4), 1,
				   vector     ? 4u << opc
				   : opc == 1 ? 8
					      : 4,
				   true, false};

		if (opc == 3 && !vector)
			add(e, Q_PREFETCHES, 1);
		else
			account_memory(&m, e);
	} else if (IS(0x3f200c00, 0x19000000)) {
		account_unscaled(insn, s, e);
	} else if (IS(0x3a000000, 0x28000000)) {
		account_pair(insn, s, e);
	} else if (IS(0x3a000000, 0x38000000)) {
		account_single(insn, s, e);
	}
}

/* --- data processing (C4.1.67, C4.1.68)
 * ---------------------------------------------------------------------------- */

static void account_registers(uint32_t insn, struct insn_effect *e)
{
	if (IS(0x1f000000, 0x1b000000)) {
		add(e, Q_INSN_MUL, 1);
	} else if (IS(0x5fe00000, 0x1ac00000)) {
		unsigned opcode = bits(insn, 10, 6);

		add(e, Q_INSN_DIV, opcode == 2 || opcode == 3);
		add(e, Q_INSN_CRC, (opcode & 0x38) == 0x10);
	} else if (IS(0x1fe00000, 0x1a800000)) {
		add(e, Q_INSN_CSEL, 1);
	}
}

static void flops(struct insn_effect *e, bool twice_as_wide, uint32_t n)
{
	add(e, twice_as_wide ? Q_FLOPS_DP : Q_FLOPS_SP, n);
}

static void account_scalar(uint32_t insn, struct insn_effect *e)
{
	unsigned type = bits(insn, 22, 2), two = bits(insn, 12, 4);
	uint32_t n = 0;

	add(e, Q_INSN_FP, 1);
	if (IS(0x5f000000, 0x1f000000))
		n = 2;
	else if (!bits(insn, 21, 1)) /* conversions from and to fixed point */
		n = 0;
	else if (bits(insn, 10, 2) == 2)
		n = two <= 3 || two == 8;
	else if (bits(insn, 10, 5) == 16)
		n = bits(insn, 15, 6) == 3; /* FSQRT */
	if (type <= 1)
		flops(e, type, n);
}

/* Operations of each lane of three registers that are alike. */
static uint32_t of_three(unsigned opcode, bool u, bool a)
{
	switch (opcode) {
	case 0x19:
		return u ? 0 : 2; /* FMLA, FMLS */
	case 0x1a:
		return 1; /* FADD, FSUB, FADDP, FABD */
	case 0x1b:
		return !a; /* FMUL, FMULX */
	case 0x1f:
		return u && !a; /* FDIV */
	default:
		return 0;
	}
}

/* Of a vector and one element of another. */
static uint32_t by_element(unsigned opcode, bool u)
{
	if ((opcode == 1 || opcode == 5) && !u)
		return 2;   /* FMLA, FMLS */
	return opcode == 9; /* FMUL, FMULX */
}

static void account_vector(uint32_t insn, struct insn_effect *e)
{
	unsigned u = bits(insn, 29, 1), a = bits(insn, 23, 1), size = bits(insn, 22, 1);
	uint32_t lanes = IS(0x10000000, 0x10000000) ? 1 : bits(insn, 30, 1) ? 4u >> size : 2, n = 0;

	/* AES, two kinds of SHA, PMULL of 64 bits; SHA512 and SHA3. */
	if (IS(0xff3e0c00, 0x4e280800) || IS(0xff208c00, 0x5e000000) || IS(0xff3e0c00, 0x5e280800) ||
	    IS(0xbfe0fc00, 0x0ee0e000) || IS(0xffe0f000, 0xce608000) || IS(0xfffffc00, 0xcec08000) ||
	    IS(0xffc08000, 0xce000000) || IS(0xffe00000, 0xce800000)) {
		add(e, Q_INSN_CRYPTO, 1);
		return;
	}
	add(e, Q_INSN_SIMD, 1);
	if (IS(0x8f200400, 0x0e200400) && bits(insn, 14, 2) == 3)
		n = of_three(bits(insn, 11, 5), u, a);
	else if (IS(0x8f800400, 0x0f800000))
		n = by_element(bits(insn, 12, 4), u);
	else if (IS(0xbfbffc00, 0x2ea1f800) || IS(0xffbffc00, 0x7e30d800)) /* FSQRT, FADDP of a pair */
		n = 1;
	flops(e, size, n * lanes);
}

/* What lies behind the counts is left as it is. */
void insn_nothing(struct insn_effect *out)
{
	out->n_terms = out->n_access = 0;
	out->branch = TRANSFER_NONE;
	out->taken = out->svc = false;
}

void insn_account(uint32_t insn, const struct insn_state *before, struct insn_effect *out)
{
	insn_nothing(out);
	add(out, Q_INSTRUCTIONS, 1);
	if (IS(0x1c000000, 0x14000000))
		account_branch(insn, before, out);
	else if (IS(0x0a000000, 0x08000000))
		account_load_store(insn, before, out);
	else if (IS(0x0e000000, 0x0a000000))
		account_registers(insn, out);
	else if (IS(0x1e000000, 0x04000000)) /* C4.1: all of SVE's */
		add(out, Q_INSN_SVE, 1);
	else if (IS(0x0e000000, 0x0e000000) &&
		 (IS(0x5f000000, 0x1f000000) || IS(0x5f200000, 0x1e200000) || IS(0x5f000000, 0x1e000000)))
		account_scalar(insn, out);
	else if (IS(0x0e000000, 0x0e000000))
		account_vector(insn, out);
}

enum insn_exclusive insn_exclusive(uint32_t insn, const struct insn_state *before,
				   struct insn_exclusive_parts *out)
{
	unsigned size = insn >> 30;
	bool pair = bits(insn, 21, 1);

	if (IS(0xfffff0ff, 0xd503305f))
		return EXCLUSIVE_CLEAR;
	if (!IS(0x3f800000, 0x08000000) || (pair && size < 2))
		return EXCLUSIVE_NONE;
	*out = (struct insn_exclusive_parts){
		.address = before->x[bits(insn, 5, 5)],
		.bytes = 1u << size,
		.pair = pair,
		.t = (uint8_t)bits(insn, 0, 5),
		.t2 = (uint8_t)bits(insn, 10, 5),
		.status = (uint8_t)bits(insn, 16, 5),
	};
	return bits(insn, 22, 1) ? EXCLUSIVE_LOAD : EXCLUSIVE_STORE;
}

void insn_account_failed(uint32_t insn, struct insn_effect *out)
{
	insn_nothing(out);
	add(out, Q_INSTRUCTIONS, 1);
	add(out, Q_INSN_STX, 1);
	add(out, Q_INSN_RELEASE, bits(insn, 15, 1));
}

/* By op1, CRn and CRm, where op0 is 3 (D12.3.1). */
static bool counts_or_identifies(unsigned op1, unsigned n, unsigned m)
{
	if (op1 == 0)
		return n == 0 || (n == 9 && m == 14); /* identification; PMINTENSET_EL1 and those beside it */
	return op1 == 3 && ((n == 9 && m >= 12 && m <= 14) || (n == 14 && m >= 8));
}

bool insn_register(uint32_t insn, bool *write, uint32_t *number, unsigned *t)
{
	if (!IS(0xffd00000, 0xd5100000) || !bits(insn, 19, 1) ||
	    !counts_or_identifies(bits(insn, 16, 3), bits(insn, 12, 4), bits(insn, 8, 4)))
		return false;
	*write = !bits(insn, 21, 1);
	*number = bits(insn, 5, 15) | 1u << 15;
	*t = bits(insn, 0, 5);
	return true;
}
