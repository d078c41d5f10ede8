/*
 * What an instruction contributes when it retires: the rules that turn Zydis' operands and mnemonics into the
 * quantities of pmu/quantity. The definitions there are binding; this file only applies them.
 */
#include "tools/x86/decodegen.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CLASSES 4096

/* In 32-bit mode: EIP, CS, EFLAGS. To an outer ring ESP and SS as well, which arch/x86/step/account.c adds. */
#define IRET_NARROW 3

/* --- names ------------------------------------------------------------------------------------------ */

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/** Whether `name` is one of the words of `list` (separated by blanks). */
static bool among(const char *name, const char *list)
{
	size_t n = strlen(name);
	for (const char *p = list; (p = strstr(p, name)); p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	return false;
}

struct special_name {
	const char *names;
	uint8_t special;
};

static const struct special_name special_names[] = {
	{"rdmsr", INSN_RDMSR},
	{"wrmsr", INSN_WRMSR},
	{"rdpmc", INSN_RDPMC},
	{"rdtsc", INSN_RDTSC},
	{"rdtscp", INSN_RDTSCP},
	{"cpuid", INSN_CPUID},
	{"pushf pushfd pushfq", INSN_PUSHF},
	{"popf popfd popfq", INSN_POPF},
	{"cli", INSN_CLI},
	{"sti", INSN_STI},
	{"hlt", INSN_HLT},
	{"pause", INSN_PAUSE},
	{"int", INSN_INT},
	{"int3", INSN_INT3},
	{"int1", INSN_INT1},
	{"iret iretd iretq", INSN_IRET},
	{"syscall", INSN_SYSCALL},
	{"sysret sysretq", INSN_SYSRET},
	{"sysenter", INSN_SYSENTER},
	{"sysexit sysexitq", INSN_SYSEXIT},
	{"loop loope loopne", INSN_LOOP},
	{"jrcxz jecxz jcxz", INSN_JRCXZ},
	{"xbegin", INSN_XBEGIN},
	{"xend", INSN_XEND},
	{"xabort", INSN_XABORT},
	{"xtest", INSN_XTEST},
	{"serialize", INSN_SERIALIZE},
	{"vmrun", INSN_SVM},
	{"vmmcall", INSN_SVM},
	{"stgi", INSN_SVM},
	{"clgi", INSN_SVM},
	{"mwait", INSN_MWAIT},
	{"enter", INSN_ENTER},
};

static const char string_names[] =
	"movsb movsw movsq stosb stosw stosd stosq lodsb lodsw lodsd lodsq cmpsb cmpsw "
	"cmpsq scasb scasw scasd scasq insb insw insd outsb outsw outsd";

/* Instructions whose memory operand only names an address or is a hint: no access of data memory. */
static const char no_access[] = "lea nop prefetch prefetchw prefetchwt1 prefetchnta prefetcht0 prefetcht1 "
				"prefetcht2 clflush clflushopt clwb "
				"cldemote invlpg invlpga invlpgb endbr32 endbr64 monitor monitorx umonitor "
				"bndmk bndcl bndcn bndcu bndldx bndstx";

/* --- the rules -------------------------------------------------------------------------------------- */

/** Memory accesses, from the operands. */
static void find_accesses(const struct answer *a, const char *name, struct classification *c)
{
	if (among(name, no_access) || starts(name, "vgatherpf") || starts(name, "vscatterpf"))
		return;
	for (unsigned i = 0; i < a->in.operand_count; i++) {
		const ZydisDecodedOperand *o = &a->op[i];
		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    (o->mem.type != ZYDIS_MEMOP_TYPE_MEM && o->mem.type != ZYDIS_MEMOP_TYPE_VSIB))
			continue;
		unsigned kind = 0, count = 1, size = o->size / 8;
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			kind |= ACCESS_LOAD;
		if (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			kind |= ACCESS_STORE;
		/* The state-saving instructions look at the header that they replace; that is part of the one
		 * store. */
		if (starts(name, "xsave"))
			kind = ACCESS_STORE;
		if (!kind || !size)
			continue;

		unsigned where = AT_OTHER;
		bool encoded = o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM ||
			       o->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64;
		if (encoded)
			where = o->mem.type == ZYDIS_MEMOP_TYPE_VSIB ? AT_OTHER : AT_OPERAND;
		else
			switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, o->mem.base)) {
			case ZYDIS_REGISTER_RSP:
				where = AT_STACK;
				break;
			case ZYDIS_REGISTER_RSI:
				where = AT_SOURCE;
				break;
			case ZYDIS_REGISTER_RDI:
				where = AT_DEST;
				break;
			case ZYDIS_REGISTER_RBP:
				where = AT_FRAME;
				break;
			default:
				break;
			}
		/* Far transfers and IRET move several stack slots at once. */
		if (where == AT_STACK) {
			if (starts(name, "iret"))
				count = 5;
			else if (a->in.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
				count = 2;
		}
		size /= count;
		if (starts(name, "iret") && a->in.machine_mode == ZYDIS_MACHINE_MODE_LEGACY_32)
			count = IRET_NARROW;
		for (unsigned k = 0; k < count; k++) {
			if (c->n_accesses == CLASS_ACCESSES)
				die("too many accesses in one instruction");
			int offset = where != AT_STACK      ? 0
				     : kind == ACCESS_STORE ? -(int)(size * (k + 1))
							    : (int)(size * k);
			c->access[c->n_accesses++] = (struct insn_access){.size = (uint16_t)size,
									  .offset = (int8_t)offset,
									  .kind = kind & 3,
									  .where = where & 63};
		}
	}
}

static void count_accesses(struct classification *c, bool iterates)
{
	uint16_t *each = iterates ? c->each : c->once, *some = iterates ? c->some : c->once;
	for (unsigned i = 0; i < c->n_accesses; i++) {
		const struct insn_access *x = &c->access[i];
		if (x->kind & ACCESS_LOAD) {
			each[Q_LOADS]++;
			each[Q_LOAD_BYTES] += x->size;
			some[Q_INSN_LOAD] = 1;
		}
		if (x->kind & ACCESS_STORE) {
			each[Q_STORES]++;
			each[Q_STORE_BYTES] += x->size;
			some[Q_INSN_STORE] = 1;
		}
	}
}

static void find_branch(const struct answer *a, const char *name, struct classification *c)
{
	const ZydisDecodedInstruction *in = &a->in;
	enum quantity kind = Q_COUNT;
	bool direct = a->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	if (c->special == INSN_JCC || c->special == INSN_LOOP || c->special == INSN_JRCXZ)
		kind = Q_BR_COND;
	else if (c->special == INSN_FAR || c->special == INSN_IRET || c->special == INSN_INT ||
		 c->special == INSN_INT3 || c->special == INSN_INT1 ||
		 (c->special >= INSN_SYSCALL && c->special <= INSN_SYSEXIT))
		kind = Q_BR_FAR;
	else if (!strcmp(name, "jmp"))
		kind = direct ? Q_BR_JMP_DIRECT : Q_BR_JMP_INDIRECT;
	else if (!strcmp(name, "call"))
		kind = direct ? Q_BR_CALL_DIRECT : Q_BR_CALL_INDIRECT;
	else if (!strcmp(name, "ret"))
		kind = Q_BR_RET;
	else if (in->meta.branch_type != ZYDIS_BRANCH_TYPE_NONE && c->special != INSN_XBEGIN &&
		 c->special != INSN_XABORT && strcmp(name, "into"))
		die(name);
	if (kind != Q_COUNT) {
		c->once[Q_BRANCHES] = 1;
		c->once[kind] = 1;
	}
	if (c->special == INSN_INT || c->special == INSN_INT3 || c->special == INSN_INT1)
		c->once[Q_INTERRUPTS_SW] = 1;
}

/** SSE/AVX arithmetic: weight and precision from the mnemonic. */
static void find_fp(const struct answer *a, const char *name, struct classification *c)
{
	static const char *const weight1[] = {"addsub", "add",     "sub",  "mul",  "div",   "min",
					      "max",    "sqrt",    "hadd", "hsub", "rcp14", "rsqrt14",
					      "rcp28",  "rsqrt28", "rcp",  "rsqrt"};
	static const char *const weight2[] = {"fmaddsub", "fmsubadd", "fmadd", "fmsub",
					      "fnmadd",   "fnmsub",   "dp"};
	/* The kinds of operations of flops.sp, those of flops.dp in the same order; what starts with none of
	 * these is of no kind. */
	static const struct {
		const char *starts;
		enum quantity sp, dp;
	} kinds[] = {
		{"add", Q_FLOPS_SP_ADD, Q_FLOPS_DP_ADD},   {"sub", Q_FLOPS_SP_ADD, Q_FLOPS_DP_ADD},
		{"hadd", Q_FLOPS_SP_ADD, Q_FLOPS_DP_ADD},  {"hsub", Q_FLOPS_SP_ADD, Q_FLOPS_DP_ADD},
		{"mul", Q_FLOPS_SP_MUL, Q_FLOPS_DP_MUL},   {"div", Q_FLOPS_SP_DIV, Q_FLOPS_DP_DIV},
		{"sqrt", Q_FLOPS_SP_DIV, Q_FLOPS_DP_DIV},  {"fmadd", Q_FLOPS_SP_MAC, Q_FLOPS_DP_MAC},
		{"fmsub", Q_FLOPS_SP_MAC, Q_FLOPS_DP_MAC}, {"fnm", Q_FLOPS_SP_MAC, Q_FLOPS_DP_MAC},
	};
	const char *n = name, *rest = NULL;
	unsigned weight = 0;
	bool divides = false;

	if (a->in.encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW)
		return;
	if (*n == 'v')
		n++;
	for (unsigned i = 0; i < sizeof weight2 / sizeof *weight2 && !weight; i++)
		if (starts(n, weight2[i])) {
			weight = 2;
			rest = n + strlen(weight2[i]);
			if (starts(rest, "132") || starts(rest, "213") || starts(rest, "231"))
				rest += 3;
		}
	for (unsigned i = 0; i < sizeof weight1 / sizeof *weight1 && !weight; i++)
		if (starts(n, weight1[i])) {
			weight = 1;
			rest = n + strlen(weight1[i]);
			divides = starts(n, "div") || starts(n, "sqrt");
		}
	if (!weight || strlen(rest) != 2)
		return;
	if (divides && strchr("sp", rest[0]) && strchr("sdh", rest[1]))
		c->once[Q_FP_DIV] = 1;
	if (strchr("sp", rest[0]) == NULL || strchr("sd", rest[1]) == NULL)
		return;

	bool dp = rest[1] == 'd';
	unsigned bits = 128;
	for (unsigned i = 0; i < a->in.operand_count_visible; i++) {
		ZydisRegisterClass r = a->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER
					       ? ZydisRegisterGetClass(a->op[i].reg.value)
					       : ZYDIS_REGCLASS_INVALID;
		if (r == ZYDIS_REGCLASS_YMM && bits < 256)
			bits = 256;
		if (r == ZYDIS_REGCLASS_ZMM)
			bits = 512;
	}
	enum quantity q = rest[0] == 's' ? (dp ? Q_FP_SCALAR_DP : Q_FP_SCALAR_SP)
			  : bits == 128  ? (dp ? Q_FP_128_DP : Q_FP_128_SP)
			  : bits == 256  ? (dp ? Q_FP_256_DP : Q_FP_256_SP)
					 : (dp ? Q_FP_512_DP : Q_FP_512_SP);
	unsigned lanes = rest[0] == 's' ? 1 : bits / (dp ? 64 : 32);
	c->once[q] = (uint16_t)weight;
	c->once[dp ? Q_FLOPS_DP : Q_FLOPS_SP] = (uint16_t)(weight * lanes);
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (starts(n, kinds[i].starts))
			c->once[dp ? kinds[i].dp : kinds[i].sp] = (uint16_t)(weight * lanes);
}

static void find_x87(const struct answer *a, const char *name, struct classification *c)
{
	bool escape = a->in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		      a->in.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
		      ((a->in.opcode & 0xf8) == 0xd8 || a->in.opcode == 0x9b);
	if (!escape)
		return;
	c->once[Q_INSN_X87] = 1;
	c->once[Q_X87_OPS] = among(
		name, "fadd faddp fiadd fsub fsubp fisub fsubr fsubrp fisubr fmul fmulp fimul fdiv fdivp "
		      "fidiv fdivr fdivrp fidivr fsqrt fprem fprem1");
	c->once[Q_FP_DIV] = among(name, "fdiv fdivp fidiv fdivr fdivrp fidivr fsqrt");
}

/* The widest register among the vector operands and their indices, in bits, if it is more than 128. */
static void find_width(const struct answer *a, struct classification *c)
{
	bool ymm = false, zmm = false;

	for (unsigned i = 0; i < a->in.operand_count; i++) {
		const ZydisDecodedOperand *o = &a->op[i];
		ZydisRegisterClass kind =
			o->type == ZYDIS_OPERAND_TYPE_REGISTER ? ZydisRegisterGetClass(o->reg.value)
			: o->type == ZYDIS_OPERAND_TYPE_MEMORY ? ZydisRegisterGetClass(o->mem.index)
							       : ZYDIS_REGCLASS_INVALID;

		if (o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		ymm |= kind == ZYDIS_REGCLASS_YMM;
		zmm |= kind == ZYDIS_REGCLASS_ZMM;
	}
	c->once[Q_INSN_256] = ymm && !zmm;
	c->once[Q_INSN_512] = zmm;
}

static void find_vector(const struct answer *a, const char *name, struct classification *c)
{
	bool mmx = false, vector = false, mask = false;

	find_width(a, c);
	for (unsigned i = 0; i < a->in.operand_count; i++) {
		if (a->op[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		switch (ZydisRegisterGetClass(a->op[i].reg.value)) {
		case ZYDIS_REGCLASS_MMX:
			mmx = true;
			break;
		case ZYDIS_REGCLASS_XMM:
		case ZYDIS_REGCLASS_YMM:
		case ZYDIS_REGCLASS_ZMM:
			vector = true;
			break;
		case ZYDIS_REGCLASS_MASK:
			mask = true;
			break;
		default:
			break;
		}
	}
	c->once[Q_INSN_MMX] = mmx || among(name, "emms femms");
	switch (a->in.encoding) {
	case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
		c->once[Q_INSN_SSE] = vector;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_VEX:
	case ZYDIS_INSTRUCTION_ENCODING_XOP:
		c->once[Q_INSN_AVX] = vector || among(name, "vzeroupper vzeroall");
		c->once[Q_INSN_AVX512] = mask;
		break;
	case ZYDIS_INSTRUCTION_ENCODING_EVEX:
		c->once[Q_INSN_AVX512] = 1;
		break;
	default:
		break;
	}
}

struct name_rule {
	quantity_number quantity;
	const char *names;
};

static const struct name_rule name_rules[] = {
	{Q_INSN_MUL, "mul imul mulx"},
	{Q_INSN_DIV, "div idiv"},
	{Q_INSN_BMI,
	 "andn bextr blsi blsmsk blsr tzcnt bzhi mulx pdep pext rorx sarx shlx shrx lzcnt popcnt adcx adox"},
	{Q_INSN_AES,
	 "aesenc aesenclast aesdec aesdeclast aesimc aeskeygenassist pclmulqdq vaesenc vaesenclast vaesdec "
	 "vaesdeclast vaesimc vaeskeygenassist vpclmulqdq"},
	{Q_INSN_SHA, "sha1msg1 sha1msg2 sha1nexte sha1rnds4 sha256msg1 sha256msg2 sha256rnds2"},
	{Q_INSN_LEAVE, "leave"},
	{Q_INSN_X87_CONTROL, "fldcw fldenv frstor"},
	{Q_INSN_FLDCW, "fldcw"},
	{Q_INSN_X87_CLEAR, "fninit fnclex fnsave"},
	{Q_INSN_FWAIT, "fwait"},
	{Q_INSN_FBSTP, "fbstp"},
	{Q_INSN_FXCH, "fxch"},
	{Q_INSN_RDTSC, "rdtsc rdtscp"},
	{Q_X87_REMAINDER, "fprem fprem1"},
	{Q_INSN_MXCSR, "ldmxcsr stmxcsr vldmxcsr vstmxcsr"},
	{Q_INSN_IO, "in out insb insw insd outsb outsw outsd"},
	{Q_INSN_EMMS, "emms"},
	{Q_INSN_MASKMOVQ, "maskmovq"},
	{Q_INSN_VMASKMOV, "vmaskmovps vmaskmovpd vpmaskmovd vpmaskmovq"},
	{Q_INSN_PAUSE, "pause"},
	{Q_INSN_FENCE, "lfence sfence mfence"},
	{Q_INSN_LFENCE, "lfence"},
	{Q_INSN_SERIALIZING,
	 "cpuid iret iretd iretq rsm wrmsr invd invlpg lgdt lidt lldt ltr wbinvd serialize"},
	{Q_INSN_SEGMENT, "lss lfs lgs lar lsl verr verw lldt ltr"},
	{Q_INSN_CPUID, "cpuid"},
	{Q_INSN_WRMSR, "wrmsr"},
	{Q_INSN_XBEGIN, "xbegin"},
	{Q_INSN_HLT, "hlt"},
	{Q_INSN_CLFLUSH, "clflush clflushopt clwb"},
	{Q_INSN_CLFLUSHOPT, "clflushopt clwb"},
	{Q_STORES_NT, "movnti movntq movntps movntpd movntdq maskmovq maskmovdqu movntss movntsd vmovntps "
		      "vmovntpd vmovntdq "
		      "vmaskmovdqu"},
	{Q_PREFETCHES, "prefetch prefetchw prefetchwt1 prefetchnta prefetcht0 prefetcht1 prefetcht2"},
	{Q_PREFETCH_T0, "prefetcht0"},
	{Q_PREFETCH_T1T2, "prefetcht1 prefetcht2"},
	{Q_PREFETCH_NTA, "prefetchnta"},
	{Q_PREFETCH_W, "prefetchw prefetchwt1"},
};

static void find_named(const struct answer *a, const char *name, struct classification *c)
{
	for (unsigned i = 0; i < sizeof name_rules / sizeof *name_rules; i++)
		if (among(name, name_rules[i].names))
			c->once[name_rules[i].quantity] = 1;
	c->once[Q_INSN_CMOV] = starts(name, "cmov");
	c->once[Q_INSN_CVTPD2PI] = among(name, "cvtpd2pi cvttpd2pi") && c->n_accesses;

	/* Of the many hint opcodes that execute as NOPs, only the two documented ones count. */
	if (!strcmp(name, "nop"))
		c->once[Q_INSN_NOP] =
			(a->in.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && a->in.opcode == 0x90) ||
			(a->in.opcode_map == ZYDIS_OPCODE_MAP_0F && a->in.opcode == 0x1f);

	if (!strcmp(name, "pop") && a->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    a->op[0].reg.value == ZYDIS_REGISTER_SS)
		c->special = INSN_MOV_SS;
	if (among(name, "mov pop") && a->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ZydisRegisterGetClass(a->op[0].reg.value) == ZYDIS_REGCLASS_SEGMENT)
		c->once[Q_INSN_SEGMENT] = 1;
	if (!strcmp(name, "mov") && a->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		ZydisRegisterClass r = ZydisRegisterGetClass(a->op[0].reg.value);
		c->once[Q_INSN_SERIALIZING] =
			(r == ZYDIS_REGCLASS_CONTROL && a->op[0].reg.value != ZYDIS_REGISTER_CR8) ||
			r == ZYDIS_REGCLASS_DEBUG;
		if (a->op[0].reg.value == ZYDIS_REGISTER_SS)
			c->special = INSN_MOV_SS;
	}
}

static uint8_t find_special(const struct answer *a, const char *name)
{
	const ZydisDecodedInstruction *in = &a->in;
	for (unsigned i = 0; i < sizeof special_names / sizeof *special_names; i++)
		if (among(name, special_names[i].names))
			return special_names[i].special;
	if (in->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return INSN_FAR;
	if (in->meta.category == ZYDIS_CATEGORY_COND_BR && *name == 'j')
		return INSN_JCC;
	if (among(name, string_names) ||
	    (among(name, "movsd cmpsd") && in->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	     in->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT))
		return INSN_STRING;
	if ((starts(name, "vgather") || starts(name, "vpgather") || starts(name, "vscatter") ||
	     starts(name, "vpscatter")) &&
	    !strstr(name, "pf0") && !strstr(name, "pf1"))
		return INSN_MASKMOV;
	return INSN_PLAIN;
}

void classify(const struct answer *a, struct classification *c)
{
	const char *name = ZydisMnemonicGetString(a->in.mnemonic);
	memset(c, 0, sizeof *c);
	c->special = find_special(a, name);
	c->once[Q_INSTRUCTIONS] = 1;
	find_accesses(a, name, c);
	count_accesses(c, c->special == INSN_STRING || c->special == INSN_MASKMOV);
	find_named(a, name, c);
	find_branch(a, name, c);
	find_x87(a, name, c);
	find_vector(a, name, c);
	find_fp(a, name, c);
	if (c->special == INSN_STRING) {
		c->once[Q_INSN_STRING] = 1;
		c->operand_size = c->access[0].size;
	}
	if (c->special == INSN_PUSHF || c->special == INSN_POPF)
		c->operand_size = c->access[0].size;
	if (!strcmp(name, "xchg") && c->n_accesses)
		c->locked = true;
	c->pop_operand = !strcmp(name, "pop") && c->n_accesses == 2;
}

/* --- classes ---------------------------------------------------------------------------------------- */

static struct classification classes[MAX_CLASSES];
static unsigned n_classes;

static bool same_class(const struct classification *a, const struct classification *b)
{
	return !memcmp(a->once, b->once, sizeof a->once) && !memcmp(a->some, b->some, sizeof a->some) &&
	       !memcmp(a->each, b->each, sizeof a->each) && a->n_accesses == b->n_accesses &&
	       !memcmp(a->access, b->access, sizeof a->access);
}

uint16_t class_number(const struct classification *c)
{
	static unsigned last;
	if (n_classes && same_class(&classes[last], c))
		return (uint16_t)last;
	for (unsigned i = 0; i < n_classes; i++)
		if (same_class(&classes[i], c)) {
			last = i;
			return (uint16_t)i;
		}
	if (n_classes == MAX_CLASSES)
		die("too many classes");
	classes[n_classes] = *c;
	return (uint16_t)n_classes++;
}

unsigned class_count(void)
{
	return n_classes;
}

/** A growing array in which equal stretches are stored once. */
struct pool {
	uint8_t data[65536];
	unsigned used;
};

static struct pool term_pool, access_pool;

static unsigned pool_add(struct pool *p, const void *data, unsigned size, unsigned unit)
{
	for (unsigned at = 0; at + size <= p->used; at += unit)
		if (!memcmp(p->data + at, data, size))
			return at / unit;
	if (p->used + size > sizeof p->data)
		die("a pool is full");
	memcpy(p->data + p->used, data, size);
	p->used += size;
	return (p->used - size) / unit;
}

static unsigned list_terms(const uint16_t *amount, struct insn_term *out)
{
	unsigned n = 0;
	for (unsigned q = 0; q < Q_COUNT; q++)
		if (amount[q])
			out[n++] = (struct insn_term){(quantity_number)q, amount[q]};
	return n;
}

static const char *const quantity_identifier[] = {
#define QUANTITY(id, name, class, definition) "Q_" #id,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
};

void write_classes(FILE *out)
{
	fprintf(out, "const struct insn_class insn_classes[] = {\n");
	for (unsigned i = 0; i < n_classes; i++) {
		const struct classification *c = &classes[i];
		struct insn_term terms[64];
		unsigned once = list_terms(c->once, terms), some = list_terms(c->some, terms + once),
			 each = list_terms(c->each, terms + once + some);
		fprintf(out, "\t{%u, %u, %u, %u, %u, %u},\n",
			pool_add(&term_pool, terms, (once + some + each) * sizeof *terms, sizeof *terms),
			pool_add(&access_pool, c->access, c->n_accesses * sizeof *c->access,
				 sizeof *c->access),
			once, some, each, c->n_accesses);
	}
	fprintf(out,
		"};\n\nconst uint16_t insn_class_count = %u;\n\nconst struct insn_term insn_terms[] = {\n",
		n_classes);
	for (unsigned i = 0; i < term_pool.used; i += sizeof(struct insn_term)) {
		const struct insn_term *t = (const struct insn_term *)(term_pool.data + i);
		fprintf(out, "\t{%s, %u},\n", quantity_identifier[t->quantity], t->amount);
	}
	fprintf(out, "};\n\nconst struct insn_access insn_accesses[] = {\n");
	for (unsigned i = 0; i < access_pool.used; i += sizeof(struct insn_access)) {
		struct insn_access x;
		memcpy(&x, access_pool.data + i, sizeof x);
		fprintf(out, "\t{%u, %d, %u, %u},\n", x.size, x.offset, x.kind, x.where);
	}
	fprintf(out, "};\n");
}
