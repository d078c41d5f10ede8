/*
 * From Capstone's answer to a form. What kind an instruction is Capstone's groups tell (floating point,
 * Advanced SIMD, cryptography, CRC), and where they do not, its identifiers: it has no group for calls,
 * multiplications, barriers or maintenance. Operands tell sizes, lanes, indices and shifts.
 */
#include "tools/aarch64/decodegen.h"

#include "arch/step.h"

#include <stdlib.h>
#include <string.h>

static csh capstone;
static cs_insn *decoded;

_Noreturn void die(const char *what, uint32_t word)
{
	fprintf(stderr, "decodegen: %s: %08x\n", what, word);
	exit(1);
}

void form_begin(void)
{
	int version, minor;

	cs_version(&version, &minor);
	if (version != 4) {
		fprintf(stderr, "decodegen: this is Capstone %d.%d, and the forms are those of Capstone 4\n",
			version, minor);
		exit(1);
	}
	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone) != CS_ERR_OK)
		die("Capstone has no AArch64", 0);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	decoded = cs_malloc(capstone);
}

/* --- classes ----------------------------------------------------------------------------------------- */

#define CLASSES 512

static const char *const names[] = {
#define QUANTITY(id, name, class, definition) "Q_" #id,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
};

static struct insn_class classes[CLASSES];
static unsigned n_classes;

uint16_t class_number(const struct insn_class *c)
{
	unsigned i = 0;

	while (i < n_classes && memcmp(&classes[i], c, sizeof *c))
		i++;
	if (i == CLASSES)
		die("too many classes", 0);
	if (i == n_classes)
		classes[n_classes++] = *c;
	return (uint16_t)i;
}

unsigned class_count(void)
{
	return n_classes;
}

void class_add(struct insn_class *c, enum quantity q, uint32_t amount)
{
	unsigned i = 0;

	while (i < INSN_CLASS_TERMS && c->term[i].amount)
		i++;
	if (i == INSN_CLASS_TERMS)
		die("too many terms", 0);
	if (amount) {
		c->term[i].quantity = (quantity_number)q;
		c->term[i].amount = amount;
	}
}

void write_classes(FILE *out)
{
	fprintf(out, "const struct insn_class insn_classes[] = {\n");
	for (unsigned i = 0; i < n_classes; i++) {
		fprintf(out, "\t{{");
		for (unsigned t = 0; t < INSN_CLASS_TERMS && classes[i].term[t].amount; t++)
			fprintf(out, "{%s, %u}, ", names[classes[i].term[t].quantity],
				classes[i].term[t].amount);
		fprintf(out, "}},\n");
	}
	fprintf(out, "};\n\n");
}

/* --- operands ---------------------------------------------------------------------------------------- */

/** Bytes of a register, by the letter of its name. */
static unsigned named_bytes(unsigned reg)
{
	const char *name = cs_reg_name(capstone, reg);
	static const char letters[] = "bhsdq";
	const char *at;

	if (!name)
		return 0;
	if (!strcmp(name, "sp") || name[0] == 'x')
		return 8;
	if (name[0] == 'w')
		return 4;
	at = strchr(letters, name[0]);
	return at ? 1u << (at - letters) : 0;
}

/** Of a vector: all its bytes, and those of one lane. An element has one lane. */
static unsigned vector_bytes(const cs_arm64_op *op, unsigned *lane)
{
	static const uint8_t shape[][2] = {
		[ARM64_VAS_8B] = {8, 1},  [ARM64_VAS_16B] = {16, 1}, [ARM64_VAS_4H] = {8, 2},
		[ARM64_VAS_8H] = {16, 2}, [ARM64_VAS_2S] = {8, 4},   [ARM64_VAS_4S] = {16, 4},
		[ARM64_VAS_1D] = {8, 8},  [ARM64_VAS_2D] = {16, 8},  [ARM64_VAS_1Q] = {16, 16}};
	static const uint8_t element[] = {
		[ARM64_VESS_B] = 1, [ARM64_VESS_H] = 2, [ARM64_VESS_S] = 4, [ARM64_VESS_D] = 8};

	if (op->vess)
		return *lane = element[op->vess];
	*lane = shape[op->vas][1];
	return shape[op->vas][0];
}

static const cs_arm64_op *memory_operand(void)
{
	const cs_arm64 *a = &decoded->detail->arm64;

	for (unsigned i = 0; i < a->op_count; i++)
		if (a->operands[i].type == ARM64_OP_MEM)
			return &a->operands[i];
	return NULL;
}

static bool in_group(unsigned group)
{
	return cs_insn_group(capstone, decoded, group);
}

/* --- branches and system ----------------------------------------------------------------------------- */

static bool branch(uint32_t word, struct insn_form *f, struct insn_class *c)
{
	static const struct {
		uint16_t id, kind;
		uint8_t transfer, condition;
	} branches[] = {
		{ARM64_INS_B, Q_BR_JMP_DIRECT, TRANSFER_JUMP, 0},
		{ARM64_INS_BL, Q_BR_CALL_DIRECT, TRANSFER_CALL, 0},
		{ARM64_INS_BR, Q_BR_JMP_INDIRECT, TRANSFER_JUMP_INDIRECT, 0},
		{ARM64_INS_BLR, Q_BR_CALL_INDIRECT, TRANSFER_CALL_INDIRECT, 0},
		{ARM64_INS_RET, Q_BR_RET, TRANSFER_RETURN, 0},
		{ARM64_INS_SVC, Q_BR_FAR, TRANSFER_SYSTEM, 0},
		{ARM64_INS_ERET, Q_BR_FAR, TRANSFER_SYSTEM, 0},
		{ARM64_INS_CBZ, Q_BR_COND, TRANSFER_CONDITIONAL, CONDITION_ZERO},
		{ARM64_INS_CBNZ, Q_BR_COND, TRANSFER_CONDITIONAL, CONDITION_OTHER},
		{ARM64_INS_TBZ, Q_BR_COND, TRANSFER_CONDITIONAL, CONDITION_CLEAR},
		{ARM64_INS_TBNZ, Q_BR_COND, TRANSFER_CONDITIONAL, CONDITION_SET},
	};
	unsigned id = decoded->id, k = 0;
	uint16_t kind;

	while (k < sizeof branches / sizeof branches[0] && branches[k].id != id)
		k++;
	if (k == sizeof branches / sizeof branches[0]) {
		if (in_group(ARM64_GRP_JUMP) || in_group(ARM64_GRP_CALL) || in_group(ARM64_GRP_RET) ||
		    in_group(ARM64_GRP_INT))
			die("Capstone has a branch that is not known here", word);
		return false;
	}
	f->branch = branches[k].transfer;
	f->condition = branches[k].condition;
	kind = branches[k].kind;
	if (f->condition) {
		/* Bit 31 of a TBZ belongs to the number of its bit. */
		if ((f->condition == CONDITION_ZERO || f->condition == CONDITION_OTHER) &&
		    named_bytes(decoded->detail->arm64.operands[0].reg) == 4)
			f->flags |= FORM_NARROW;
	} else if (id == ARM64_INS_B && decoded->detail->arm64.cc != ARM64_CC_INVALID) {
		f->branch = TRANSFER_CONDITIONAL;
		f->condition = CONDITION_FLAGS;
		kind = Q_BR_COND;
	}
	class_add(c, Q_BRANCHES, 1);
	class_add(c, (enum quantity)kind, 1);
	if (id == ARM64_INS_SVC)
		f->flags |= FORM_SUPERVISOR;
	class_add(c, Q_EXC_RETURNS, id == ARM64_INS_ERET);
	class_add(c, Q_INSN_SERIALIZING, id == ARM64_INS_ERET);
	return true;
}

/** Capstone has numbers for few registers, and names for all. */
static bool writes(const char *name)
{
	size_t n = strlen(name);

	return !strncmp(decoded->op_str, name, n) && decoded->op_str[n] == ',';
}

static bool system_instruction(struct insn_form *f, struct insn_class *c)
{
	const cs_arm64_op *op = decoded->detail->arm64.operands;

	switch (decoded->id) {
	case ARM64_INS_NOP:
		class_add(c, Q_INSN_NOP, 1);
		return true;
	case ARM64_INS_DMB:
		class_add(c, Q_INSN_DMB, 1);
		return true;
	case ARM64_INS_DSB:
		class_add(c, Q_INSN_DSB, 1);
		return true;
	case ARM64_INS_ISB:
		class_add(c, Q_INSN_ISB, 1);
		class_add(c, Q_INSN_SERIALIZING, 1);
		return true;
	case ARM64_INS_CLREX:
		f->flags |= FORM_EXCLUSIVE;
		return true;
	case ARM64_INS_DC:
	case ARM64_INS_IC:
	case ARM64_INS_TLBI:
		class_add(c, Q_INSN_MAINTENANCE, 1);
		class_add(c, Q_INSN_ZERO, decoded->id == ARM64_INS_DC && op[0].sys == ARM64_DC_ZVA);
		return true;
	case ARM64_INS_MRS:
		f->flags |= FORM_REGISTER;
		class_add(c, Q_INSN_MRS, 1);
		return true;
	case ARM64_INS_MSR:
		if (op[0].type == ARM64_OP_PSTATE)
			return true;
		f->flags |= FORM_REGISTER;
		class_add(c, Q_INSN_REGISTER_WRITE, 1);
		class_add(c, Q_SW_INCREMENTS, writes("pmswinc_el0"));
		class_add(c, Q_CID_WRITES, writes("contextidr_el1"));
		class_add(c, Q_TTBR_WRITES, writes("ttbr0_el1") || writes("ttbr1_el1"));
		return true;
	}
	return false;
}

/* --- accesses ---------------------------------------------------------------------------------------- */

static const struct access_row {
	uint16_t id;
	uint8_t flags, bytes, accesses;
	uint16_t quantity[2];
} access_rows[] = {
#define ACCESS(id, flags, bytes, accesses, ...) {ARM64_INS_##id, flags, bytes, accesses, {__VA_ARGS__}},
#include "tools/aarch64/accesses.def"
#undef ACCESS
};

/** Of structures, the bytes of all their registers; else those of the register that is loaded or stored. */
static unsigned data_bytes(bool structure, bool status)
{
	const cs_arm64 *a = &decoded->detail->arm64;
	unsigned sum = 0, lane;

	if (!structure)
		return named_bytes(a->operands[status].reg);
	for (unsigned i = 0; i < a->op_count && a->operands[i].type == ARM64_OP_REG; i++)
		if (a->operands[i].vas || a->operands[i].vess) {
			unsigned whole = vector_bytes(&a->operands[i], &lane);

			switch (decoded->id) {
			case ARM64_INS_LD1R:
			case ARM64_INS_LD2R:
			case ARM64_INS_LD3R:
			case ARM64_INS_LD4R:
				sum += lane;
				break;
			default:
				sum += whole;
			}
		}
	return sum;
}

static void address(uint32_t word, struct insn_form *f, uint32_t *mode)
{
	const cs_arm64 *a = &decoded->detail->arm64;
	const cs_arm64_op *at = memory_operand();

	if (!at) {
		f->flags |= FORM_LITERAL;
	} else if (at->mem.index != ARM64_REG_INVALID && !(f->flags & FORM_STRUCTURE)) {
		f->index = at->ext == ARM64_EXT_SXTW   ? INDEX_SIGNED
			   : at->ext == ARM64_EXT_UXTW ? INDEX_UNSIGNED
						       : INDEX_WHOLE;
		f->index_shift = at->shift.type ? (uint8_t)at->shift.value : 0;
		if (at->shift.type && at->shift.type != ARM64_SFT_LSL)
			die("a shift of an index to the right", word);
		return;
	}
	if (!(f->flags & FORM_STRUCTURE))
		*mode = 1 | decoded->id << 1 | (uint32_t)a->op_count << 16 | (uint32_t)a->writeback << 24;
}

static bool access(uint32_t word, struct insn_form *f, struct insn_class *c, uint32_t *mode)
{
	const struct access_row *r = access_rows, *end = r + sizeof access_rows / sizeof *r;

	if (decoded->id == ARM64_INS_PRFM || decoded->id == ARM64_INS_PRFUM) {
		class_add(c, Q_PREFETCHES, 1);
		return true;
	}
	while (r < end && r->id != decoded->id)
		r++;
	if (r == end) {
		if (memory_operand())
			die("Capstone has an access that is not known here", word);
		return false;
	}
	f->flags |= r->flags;
	f->accesses = r->accesses;
	f->bytes = (uint8_t)(r->bytes ? r->bytes
				      : data_bytes(r->flags & FORM_STRUCTURE,
						   r->flags == (FORM_STORE | FORM_EXCLUSIVE)));
	if (!f->bytes)
		die("an access of no bytes", word);
	for (unsigned i = 0; i < 2 && r->quantity[i]; i++)
		class_add(c, (enum quantity)r->quantity[i], 1);
	address(word, f, mode);
	return true;
}

/* --- data processing --------------------------------------------------------------------------------- */

/** Operations of floating point in each lane. */
static unsigned operations(void)
{
	switch (decoded->id) {
	case ARM64_INS_FMADD:
	case ARM64_INS_FMSUB:
	case ARM64_INS_FNMADD:
	case ARM64_INS_FNMSUB:
	case ARM64_INS_FMLA:
	case ARM64_INS_FMLS:
		return 2;
	case ARM64_INS_FADD:
	case ARM64_INS_FSUB:
	case ARM64_INS_FMUL:
	case ARM64_INS_FDIV:
	case ARM64_INS_FSQRT:
	case ARM64_INS_FNMUL:
	case ARM64_INS_FMULX:
	case ARM64_INS_FADDP:
	case ARM64_INS_FABD:
		return 1;
	}
	return 0;
}

static void floating_point(struct insn_class *c)
{
	const cs_arm64_op *to = &decoded->detail->arm64.operands[0];
	unsigned bytes = named_bytes(to->reg), lane = bytes;

	if (to->vas || to->vess)
		bytes = vector_bytes(to, &lane);
	if (!operations() || (lane != 4 && lane != 8))
		return;
	class_add(c, lane == 4 ? Q_FLOPS_SP : Q_FLOPS_DP, operations() * bytes / lane);
}

static void data_processing(struct insn_class *c)
{
	if (in_group(ARM64_GRP_CRYPTO)) {
		class_add(c, Q_INSN_CRYPTO, 1);
		return;
	}
	if (in_group(ARM64_GRP_NEON) || in_group(ARM64_GRP_FPARMV8)) {
		class_add(c, in_group(ARM64_GRP_NEON) ? Q_INSN_SIMD : Q_INSN_FP, 1);
		floating_point(c);
		return;
	}
	class_add(c, Q_INSN_CRC, in_group(ARM64_GRP_CRC));
	switch (decoded->id) {
	case ARM64_INS_MADD:
	case ARM64_INS_MSUB:
	case ARM64_INS_MUL:
	case ARM64_INS_MNEG:
	case ARM64_INS_SMADDL:
	case ARM64_INS_SMSUBL:
	case ARM64_INS_SMULL:
	case ARM64_INS_SMNEGL:
	case ARM64_INS_UMADDL:
	case ARM64_INS_UMSUBL:
	case ARM64_INS_UMULL:
	case ARM64_INS_UMNEGL:
	case ARM64_INS_SMULH:
	case ARM64_INS_UMULH:
		class_add(c, Q_INSN_MUL, 1);
		break;
	case ARM64_INS_SDIV:
	case ARM64_INS_UDIV:
		class_add(c, Q_INSN_DIV, 1);
		break;
	case ARM64_INS_CSEL:
	case ARM64_INS_CSINC:
	case ARM64_INS_CSINV:
	case ARM64_INS_CSNEG:
	case ARM64_INS_CSET:
	case ARM64_INS_CSETM:
	case ARM64_INS_CINC:
	case ARM64_INS_CINV:
	case ARM64_INS_CNEG:
		class_add(c, Q_INSN_CSEL, 1);
		break;
	}
}

/* --- a word ------------------------------------------------------------------------------------------ */

/** Capstone 4 takes SYS and MSR with op0 = 0 for registers with op0 = 3, and what has no name of SYS is none,
 * or younger. */
static bool is_known(uint32_t word)
{
	switch (decoded->id) {
	case ARM64_INS_SYS:
	case ARM64_INS_SYSL:
		return false;
	case ARM64_INS_MRS:
		return word >> 20 & 1;
	case ARM64_INS_MSR:
		return decoded->detail->arm64.operands[0].type == ARM64_OP_PSTATE || word >> 20 & 1;
	}
	return true;
}

static bool disassemble(uint32_t word)
{
	const uint8_t *code = (const uint8_t *)&word;
	size_t size = sizeof word;
	uint64_t at = AT;

	return cs_disasm_iter(capstone, &code, &size, &at, decoded) && is_known(word);
}

/** A register that neither bits 20 to 16 nor bits 14 to 10 name. */
static uint32_t other_register(uint32_t word, uint32_t than)
{
	uint32_t r = 1;

	while (r == than || r == (word >> 16 & 31) || r == (word >> 10 & 31))
		r++;
	return r;
}

/** Capstone refuses loads and stores whose registers clash, what they do being UNPREDICTABLE: they have the
 * form that they have with other registers. */
static bool decode(uint32_t word)
{
	uint32_t base, data;

	if (disassemble(word))
		return true;
	if ((word & UINT32_C(0x0a000000)) != UINT32_C(0x08000000))
		return false;
	base = other_register(word, 0);
	data = other_register(word, base);
	return disassemble((word & ~UINT32_C(0x3ff)) | base << 5 | data) && memory_operand();
}

void form_of(uint32_t word, struct answer *out)
{
	struct insn_class c;

	memset(out, 0, sizeof *out);
	memset(&c, 0, sizeof c);
	class_add(&c, Q_INSTRUCTIONS, 1);
	out->decoded = decode(word);
	if (!out->decoded) {
		if (!younger_form(word, out))
			out->form.klass = class_number(&c);
		return;
	}
	if (!branch(word, &out->form, &c) && !system_instruction(&out->form, &c) &&
	    !access(word, &out->form, &c, &out->mode))
		data_processing(&c);
	out->form.klass = class_number(&c);
}

int64_t form_displacement(uint32_t word)
{
	const cs_arm64_op *at;

	if (!decode(word))
		return 0;
	at = memory_operand();
	if (at)
		return at->mem.disp;
	for (unsigned i = 0; i < decoded->detail->arm64.op_count; i++)
		if (decoded->detail->arm64.operands[i].type == ARM64_OP_IMM)
			return decoded->detail->arm64.operands[i].imm - (int64_t)AT;
	return 0;
}

struct insn_offset form_offset(uint32_t word, const struct answer *answer)
{
	struct insn_offset o = {0};
	int64_t unit = 0;

	if (!answer->mode)
		return o;
	for (unsigned bit = 5; bit < 24; bit++) {
		uint32_t set = word | UINT32_C(1) << bit, clear = word & ~(UINT32_C(1) << bit);
		struct answer other;
		int64_t gain;

		form_of(word ^ UINT32_C(1) << bit, &other);
		if (other.mode != answer->mode || memcmp(&other.form, &answer->form, sizeof other.form))
			continue;
		gain = form_displacement(set) - form_displacement(clear);
		if (!gain)
			continue;
		if (o.sign || (o.bits && bit != o.low + o.bits))
			die("bits of an offset that are not one field", word);
		if (!o.bits) {
			unit = gain;
			o.low = (uint8_t)bit;
			while (1 << o.shift < unit)
				o.shift++;
		}
		if (gain == unit << o.bits)
			o.bits++;
		else if (gain == -(unit << o.bits))
			o.sign = (uint8_t)bit;
		else
			die("an offset that is no number", word);
	}
	if (o.bits && unit != 1 << o.shift)
		die("an offset in odd units", word);
	return o;
}
