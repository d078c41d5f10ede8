/*
 * What an A64 instruction adds to quantities by Capstone's mnemonic and operands: nothing of arch/aarch64 is
 * used.
 */
#ifndef TESTS_SELF_HOST_AARCH64_REFERENCE_H
#define TESTS_SELF_HOST_AARCH64_REFERENCE_H

#include "arch/aarch64/step/account.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

struct reference {
	uint32_t amount[Q_COUNT];
	struct step_access access[INSN_ACCESSES];
	unsigned n_access;
	uint8_t branch; /* enum step_transfer */
	bool taken, svc;
};

static bool in_list(const char *word, const char *list)
{
	char padded[32];

	snprintf(padded, sizeof padded, " %s ", word);
	return strstr(list, padded);
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_vector(const cs_arm64_op *op)
{
	return op->type == ARM64_OP_REG &&
	       (op->vas || op->vess || (op->reg >= ARM64_REG_V0 && op->reg <= ARM64_REG_V31));
}

/** Bytes of a register operand; 0: it is none. */
static unsigned register_bytes(const cs_arm64_op *op)
{
	static const uint8_t arrangement[] = {[ARM64_VAS_8B] = 8,  [ARM64_VAS_16B] = 16, [ARM64_VAS_4H] = 8,
					      [ARM64_VAS_8H] = 16, [ARM64_VAS_2S] = 8,   [ARM64_VAS_4S] = 16,
					      [ARM64_VAS_1D] = 8,  [ARM64_VAS_2D] = 16,  [ARM64_VAS_1Q] = 16};
	unsigned r = op->reg;

	if (op->type != ARM64_OP_REG)
		return 0;
	if (op->vas)
		return arrangement[op->vas];
	if ((r >= ARM64_REG_W0 && r <= ARM64_REG_W30) || r == ARM64_REG_WZR || r == ARM64_REG_WSP ||
	    (r >= ARM64_REG_S0 && r <= ARM64_REG_S31))
		return 4;
	if ((r >= ARM64_REG_X0 && r <= ARM64_REG_X28) || r == ARM64_REG_X29 || r == ARM64_REG_X30 ||
	    r == ARM64_REG_XZR || r == ARM64_REG_SP || (r >= ARM64_REG_D0 && r <= ARM64_REG_D31))
		return 8;
	if (r >= ARM64_REG_B0 && r <= ARM64_REG_B31)
		return 1;
	if (r >= ARM64_REG_H0 && r <= ARM64_REG_H31)
		return 2;
	return r >= ARM64_REG_Q0 && r <= ARM64_REG_Q31 ? 16 : 0;
}

static unsigned element_bytes(const cs_arm64_op *op)
{
	static const uint8_t by_arrangement[] = {
		[ARM64_VAS_8B] = 1, [ARM64_VAS_16B] = 1, [ARM64_VAS_4H] = 2, [ARM64_VAS_8H] = 2,
		[ARM64_VAS_2S] = 4, [ARM64_VAS_4S] = 4,  [ARM64_VAS_1D] = 8, [ARM64_VAS_2D] = 8};
	static const uint8_t by_element[] = {
		[ARM64_VESS_B] = 1, [ARM64_VESS_H] = 2, [ARM64_VESS_S] = 4, [ARM64_VESS_D] = 8};

	return op->vess ? by_element[op->vess] : by_arrangement[op->vas];
}

static bool is_integer(const cs_arm64_op *op)
{
	unsigned r = op->reg;

	return op->type == ARM64_OP_REG &&
	       ((r >= ARM64_REG_W0 && r <= ARM64_REG_W30) || (r >= ARM64_REG_X0 && r <= ARM64_REG_X28) ||
		r == ARM64_REG_X29 || r == ARM64_REG_X30 || r == ARM64_REG_WZR || r == ARM64_REG_XZR ||
		r == ARM64_REG_SP || r == ARM64_REG_WSP);
}

static bool is_float(const cs_arm64_op *op)
{
	return register_bytes(op) && !is_integer(op);
}

static uint64_t register_value(unsigned r, const struct insn_state *s)
{
	if (r >= ARM64_REG_W0 && r <= ARM64_REG_W30)
		return (uint32_t)s->x[r - ARM64_REG_W0];
	if (r >= ARM64_REG_X0 && r <= ARM64_REG_X28)
		return s->x[r - ARM64_REG_X0];
	return r == ARM64_REG_X29   ? s->x[29]
	       : r == ARM64_REG_X30 ? s->x[30]
	       : r == ARM64_REG_SP  ? s->x[31]
				    : 0;
}

/** ConditionHolds() of the Arm ARM, by name. */
static bool condition_holds(arm64_cc cc, uint64_t pstate)
{
	bool n = pstate >> 31 & 1, z = pstate >> 30 & 1, c = pstate >> 29 & 1, v = pstate >> 28 & 1;

	switch (cc) {
	case ARM64_CC_EQ:
		return z;
	case ARM64_CC_NE:
		return !z;
	case ARM64_CC_HS:
		return c;
	case ARM64_CC_LO:
		return !c;
	case ARM64_CC_MI:
		return n;
	case ARM64_CC_PL:
		return !n;
	case ARM64_CC_VS:
		return v;
	case ARM64_CC_VC:
		return !v;
	case ARM64_CC_HI:
		return c && !z;
	case ARM64_CC_LS:
		return !c || z;
	case ARM64_CC_GE:
		return n == v;
	case ARM64_CC_LT:
		return n != v;
	case ARM64_CC_GT:
		return !z && n == v;
	case ARM64_CC_LE:
		return z || n != v;
	default:
		return true;
	}
}

static bool reference_branch(const cs_insn *i, const struct insn_state *s, struct reference *out)
{
	static const struct {
		const char *mnemonic;
		enum quantity kind;
		enum step_transfer transfer;
	} kinds[] = {
		{"b", Q_BR_JMP_DIRECT, TRANSFER_JUMP},
		{"bl", Q_BR_CALL_DIRECT, TRANSFER_CALL},
		{"br", Q_BR_JMP_INDIRECT, TRANSFER_JUMP_INDIRECT},
		{"blr", Q_BR_CALL_INDIRECT, TRANSFER_CALL_INDIRECT},
		{"ret", Q_BR_RET, TRANSFER_RETURN},
		{"svc", Q_BR_FAR, TRANSFER_SYSTEM},
		{"eret", Q_BR_FAR, TRANSFER_SYSTEM},
	};
	const char *m = i->mnemonic;
	const cs_arm64 *a = &i->detail->arm64;
	uint64_t value = register_value(a->operands[0].reg, s);

	for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
		if (!strcmp(m, kinds[k].mnemonic)) {
			out->amount[Q_BRANCHES] = out->amount[kinds[k].kind] = 1;
			out->branch = (uint8_t)kinds[k].transfer;
			out->svc = !strcmp(m, "svc");
			out->amount[Q_EXC_RETURNS] = out->amount[Q_INSN_SERIALIZING] = !strcmp(m, "eret");
			return true;
		}
	if (starts(m, "b."))
		out->taken = condition_holds(a->cc, s->pstate);
	else if (!strcmp(m, "cbz") || !strcmp(m, "cbnz"))
		out->taken = (value == 0) == !strcmp(m, "cbz");
	else if (!strcmp(m, "tbz") || !strcmp(m, "tbnz"))
		out->taken = !(value >> a->operands[1].imm & 1) == !strcmp(m, "tbz");
	else
		return false;
	out->branch = TRANSFER_CONDITIONAL;
	out->amount[Q_BRANCHES] = out->amount[Q_BR_COND] = 1;
	out->amount[out->taken ? Q_BR_COND_TAKEN : Q_BR_COND_NTAKEN] = 1;
	return true;
}

static bool reference_system(const cs_insn *i, struct reference *out)
{
	const char *m = i->mnemonic;
	const char *name = i->op_str;

	out->amount[Q_INSN_NOP] = !strcmp(m, "nop");
	out->amount[Q_INSN_DMB] = !strcmp(m, "dmb");
	out->amount[Q_INSN_DSB] = !strcmp(m, "dsb");
	out->amount[Q_INSN_ISB] = out->amount[Q_INSN_SERIALIZING] = !strcmp(m, "isb");
	out->amount[Q_INSN_MAINTENANCE] = in_list(m, " dc ic tlbi ");
	out->amount[Q_INSN_ZERO] = !strcmp(m, "dc") && (starts(name, "zva,") || starts(name, "gzva,"));
	out->amount[Q_INSN_MRS] = !strcmp(m, "mrs");
	if (!strcmp(m, "msr") && i->detail->arm64.operands[0].type != ARM64_OP_PSTATE) {
		out->amount[Q_INSN_REGISTER_WRITE] = 1;
		out->amount[Q_SW_INCREMENTS] = starts(name, "pmswinc_el0,");
		out->amount[Q_CID_WRITES] = starts(name, "contextidr_el1,");
		out->amount[Q_TTBR_WRITES] = starts(name, "ttbr0_el1,") || starts(name, "ttbr1_el1,");
	}
	return in_list(m, " nop dmb dsb isb dc ic tlbi at mrs msr ");
}

struct reference_access {
	uint64_t address;
	unsigned count, bytes;
	bool load, store, structure;
};

static void reference_accesses(const struct reference_access *m, struct reference *out)
{
	for (unsigned store = 0; store < 2; store++) {
		if (!(store ? m->store : m->load))
			continue;
		out->amount[store ? Q_INSN_STORE : Q_INSN_LOAD] = 1;
		out->amount[store ? Q_STORES : Q_LOADS] = m->count;
		out->amount[store ? Q_STORE_BYTES : Q_LOAD_BYTES] = m->count * m->bytes;
		for (unsigned k = 0; k < m->count; k++)
			out->access[out->n_access++] =
				(struct step_access){m->address + k * m->bytes, m->bytes, store};
	}
	out->amount[Q_UNALIGNED] = !m->structure && m->address % m->bytes;
}

/** Where the operand [...] points, before the instruction changes its base. */
static uint64_t operand_address(const cs_arm64_op *op, const struct insn_state *s)
{
	uint64_t index = register_value(op->mem.index, s);

	if (op->ext == ARM64_EXT_SXTW)
		index = (uint64_t)(int64_t)(int32_t)index;
	return register_value(op->mem.base, s) + (uint64_t)(int64_t)op->mem.disp +
	       (index << (op->shift.type ? op->shift.value : 0));
}

static bool reference_memory(const cs_insn *i, const struct insn_state *s, struct reference *out)
{
	static const char exclusive_loads[] = " ldxr ldxrb ldxrh ldxp ldaxr ldaxrb ldaxrh ldaxp ";
	static const char exclusive_stores[] = " stxr stxrb stxrh stxp stlxr stlxrb stlxrh stlxp ";
	static const char acquires[] = " ldar ldarb ldarh ldaxr ldaxrb ldaxrh ldaxp ";
	static const char releases[] = " stlr stlrb stlrh stlxr stlxrb stlxrh stlxp ";
	static const char pairs[] = " ldp ldnp ldpsw stp stnp ";
	const char *m = i->mnemonic, *end = m + strlen(m);
	const cs_arm64 *a = &i->detail->arm64;
	const cs_arm64_op *at = NULL, *data = &a->operands[in_list(m, exclusive_stores)];
	struct reference_access x = {.count = 1, .load = starts(m, "ld"), .store = starts(m, "st")};
	unsigned vectors = 0;

	if (starts(m, "prf")) {
		out->amount[Q_PREFETCHES] = 1;
		return true;
	}
	if (!x.load && !x.store)
		return false;
	for (unsigned k = 0; k < a->op_count; k++) {
		if (a->operands[k].type == ARM64_OP_MEM)
			at = &a->operands[k];
		vectors += is_vector(&a->operands[k]);
	}
	x.address = at ? operand_address(at, s) : (uint64_t)a->operands[1].imm;
	x.bytes = register_bytes(data);
	if (vectors) {
		x.structure = true;
		x.bytes =
			vectors * (data->vess || end[-1] == 'r' ? element_bytes(data) : register_bytes(data));
	} else if (in_list(m, pairs) || end[-1] == 'p') {
		x.count = 2;
		x.bytes = !strcmp(m, "ldpsw") ? 4 : x.bytes;
	} else if (end[-1] == 'b') {
		x.bytes = 1;
	} else if (end[-1] == 'h') {
		x.bytes = 2;
	} else if (end[-1] == 'w') {
		x.bytes = 4;
	}
	out->amount[Q_INSN_PAIR] = in_list(m, pairs);
	out->amount[Q_INSN_LDX] = in_list(m, exclusive_loads);
	out->amount[Q_INSN_STX] = in_list(m, exclusive_stores);
	out->amount[Q_INSN_ACQUIRE] = in_list(m, acquires);
	out->amount[Q_INSN_RELEASE] = in_list(m, releases);
	reference_accesses(&x, out);
	return true;
}

/** Operations of floating point for each lane. */
static unsigned operations(const char *m)
{
	if (in_list(m, " fmadd fmsub fnmadd fnmsub fmla fmls "))
		return 2;
	return in_list(m, " fadd fsub fmul fdiv fsqrt fnmul fmulx faddp fabd ");
}

static void reference_data(const cs_insn *i, struct reference *out)
{
	static const char scalar[] =
		" fabs fneg fsqrt fadd fsub fmul fdiv fnmul fmax fmin fmaxnm fminnm fmadd fmsub fnmadd "
		"fnmsub fcmp fcmpe fccmp fccmpe fcsel fcvt frinta frinti frintm frintn frintp frintx "
		"frintz ";
	const char *m = i->mnemonic;
	const cs_arm64 *a = &i->detail->arm64;
	unsigned vectors = 0, integers = 0, floats = 0, lanes;

	for (unsigned k = 0; k < a->op_count; k++) {
		vectors += is_vector(&a->operands[k]);
		integers += is_integer(&a->operands[k]);
		floats += is_float(&a->operands[k]);
	}
	if (!vectors && !floats) {
		out->amount[Q_INSN_MUL] = in_list(
			m, " madd msub mul mneg smaddl smsubl smull smnegl umaddl umsubl umull umnegl "
			   "smulh umulh ");
		out->amount[Q_INSN_DIV] = in_list(m, " sdiv udiv ");
		out->amount[Q_INSN_CRC] = starts(m, "crc32");
		out->amount[Q_INSN_CSEL] = in_list(m, " csel csinc csinv csneg cset csetm cinc cinv cneg ");
		return;
	}
	if (starts(m, "aes") || starts(m, "sha1") || starts(m, "sha256") ||
	    (starts(m, "pmull") && a->operands[0].vas == ARM64_VAS_1Q)) {
		out->amount[Q_INSN_CRYPTO] = 1;
		return;
	}
	/* Conversions have the same names in both; moves too. */
	if (!strcmp(m, "fmov") ? !a->operands[0].vas
	    : vectors          ? false
			       : in_list(m, scalar) || (integers && (starts(m, "fcvt") || strstr(m, "cvtf"))))
		out->amount[Q_INSN_FP] = 1;
	else
		out->amount[Q_INSN_SIMD] = 1;
	lanes = a->operands[0].vas ? register_bytes(&a->operands[0]) / element_bytes(&a->operands[0]) : 1;
	if (floats && operations(m)) {
		unsigned bytes = register_bytes(&a->operands[0]) / lanes;

		out->amount[Q_FLOPS_SP] = bytes == 4 ? operations(m) * lanes : 0;
		out->amount[Q_FLOPS_DP] = bytes == 8 ? operations(m) * lanes : 0;
	}
}

/** @return whether Capstone knows the word, and what it is said to be is within what is compared */
static bool reference(csh capstone, uint32_t word, const struct insn_state *s, cs_insn *i,
		      struct reference *out)
{
	const uint8_t *code = (const uint8_t *)&word;
	size_t size = sizeof word;
	uint64_t address = s->pc;

	if (!cs_disasm_iter(capstone, &code, &size, &address, i))
		return false;
	memset(out, 0, sizeof *out);
	out->amount[Q_INSTRUCTIONS] = 1;
	/* Capstone 4 takes what has op0 = 0 for registers with op0 = 3. */
	if (strstr(i->op_str, "s3_") && !(word >> 20 & 1))
		return false;
	if (!strcmp(i->mnemonic, "sys") || !strcmp(i->mnemonic, "sysl"))
		return false; /* it has no name: it is none, or younger than Capstone */
	if (!reference_branch(i, s, out) && !reference_system(i, out) && !reference_memory(i, s, out))
		reference_data(i, out);
	return true;
}

#endif
