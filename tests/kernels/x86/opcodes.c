#include "tests/kernels/x86/opcodes.h"

#include "arch/x86/step/insn_table.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/insn_quantities.h"

#include <stdio.h>
#include <string.h>

/* Where opcodes are: one-byte, 0F, 0F38, 0F3A; VEX maps 1 to 3; EVEX maps 1, 2, 3, 5, 6. */
enum { SPACE_0F = 1, SPACE_0F38, SPACE_0F3A, SPACE_VEX, SPACE_EVEX = SPACE_VEX + 3, SPACES = SPACE_EVEX + 5 };

/* Those without a prefix of 64-bit mode's alone. */
#ifdef __i386__
#define SPACES_HERE SPACE_VEX
#define WIDTHS      1 /* with and without REX.W */
#else
#define SPACES_HERE SPACES
#define WIDTHS      2
#endif

static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2, 0xf0};
static const uint8_t evex_maps[] = {1, 2, 3, 5, 6};
#define PREFIXES sizeof(prefixes)
#define REX_W    0x48

/* Registers of a form: the destination, the other one, which is the address in memory forms as well. */
#define REG_DESTINATION 2
#define REG_SOURCE      3

#define OF(space, opcode) ((space) << 8 | (opcode))

/* Opcodes of which ModRM.reg chooses the instruction, but for x87's. */
static const uint16_t groups[] = {
	0x80,
	0x81,
	0x83,
	0x8f,
	0xc0,
	0xc1,
	0xc6,
	0xc7,
	0xd0,
	0xd1,
	0xd2,
	0xd3,
	0xf6,
	0xf7,
	0xfe,
	0xff,
	OF(SPACE_0F, 0x00),
	OF(SPACE_0F, 0x01),
	OF(SPACE_0F, 0x0d),
	OF(SPACE_0F, 0x18),
	OF(SPACE_0F, 0x1c),
	OF(SPACE_0F, 0x1e),
	OF(SPACE_0F, 0x71),
	OF(SPACE_0F, 0x72),
	OF(SPACE_0F, 0x73),
	OF(SPACE_0F, 0x78),
	OF(SPACE_0F, 0xae),
	OF(SPACE_0F, 0xba),
	OF(SPACE_0F, 0xc7),
	OF(SPACE_0F38, 0xd8),
	OF(SPACE_VEX, 0x71),
	OF(SPACE_VEX, 0x72),
	OF(SPACE_VEX, 0x73),
	OF(SPACE_VEX, 0xae),
	OF(SPACE_VEX + 1, 0xf3),
	OF(SPACE_EVEX, 0x71),
	OF(SPACE_EVEX, 0x72),
	OF(SPACE_EVEX, 0x73),
	OF(SPACE_EVEX + 1, 0xc6),
	OF(SPACE_EVEX + 1, 0xc7),
};

const char *const opcode_left_out[OPCODE_REASONS] = {
	[OPCODE_LEADS_AWAY] = "leads elsewhere", [OPCODE_WAITS] = "waits",
	[OPCODE_LASTS] = "changes what lasts",   [OPCODE_MASKED] = "accesses by a mask",
	[OPCODE_VARIES] = "depends on the CPU",
};

#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

static bool among(const uint16_t *list, unsigned n, unsigned where)
{
	while (n-- > 0)
		if (list[n] == where)
			return true;
	return false;
}

/* --- what is left out --------------------------------------------------------------------------------- */

static bool is_branch(const struct insn *in)
{
	const struct insn_class *c = &insn_classes[in->klass];

	for (unsigned i = 0; i < c->n_once; i++)
		if (insn_terms[c->terms + i].quantity == Q_BRANCHES)
			return true;
	return false;
}

/* Relative branches lead to the next instruction, as all immediates are 0. With an operand-size prefix some
 * CPUs take displacements of 16 bits. */
static bool leads_away(const struct opcode_form *f, unsigned where)
{
	uint8_t special = f->insn.special;

	if ((special >= INSN_INT && special <= INSN_FAR) || special == INSN_XBEGIN)
		return true;
	if (!is_branch(&f->insn))
		return false;
	if (f->code[0] != (uint8_t)where && f->code[0] != 0x0f)
		return true;
	return special != INSN_JCC && special != INSN_LOOP && special != INSN_JRCXZ && where != 0xe8 &&
	       where != 0xe9 && where != 0xeb;
}

/* Loads of segment registers, the first five of 32-bit mode alone. */
static const uint16_t segments[] = {0x07,
				    0x17,
				    0x1f,
				    0xc4,
				    0xc5,
				    0x8e,
				    OF(SPACE_0F, 0xa1),
				    OF(SPACE_0F, 0xa9),
				    OF(SPACE_0F, 0xb2),
				    OF(SPACE_0F, 0xb4),
				    OF(SPACE_0F, 0xb5)};
/* ENCLV, VMCALL, VMFUNC, ENCLU, WRPKRU */
static const uint8_t system[] = {0xc0, 0xc1, 0xd4, 0xd7, 0xef};

static bool lasts(const struct opcode_form *f, unsigned where, uint8_t modrm)
{
	uint8_t special = f->insn.special;

	if (where == OF(SPACE_0F, 0xae)) /* WRFSBASE, WRGSBASE */
		return modrm >> 4 == 0xd;
	return special == INSN_POPF || special == INSN_MOV_SS || special == INSN_SVM ||
	       among(segments, LENGTH(segments), where) ||
	       (where == OF(SPACE_0F, 0x01) && memchr(system, modrm, sizeof system));
}

/* Instructions of bound registers, which are NOPs where there are none. VROUNDSS and VROUNDSD with VEX.L = 1,
 * of which the SDM (vol. 2) says that it may do anything; QEMU 7.2 gives up. */
static bool varies(const struct opcode_form *f, unsigned where)
{
	if (where == OF(SPACE_VEX + 2, 0x0a) || where == OF(SPACE_VEX + 2, 0x0b))
		return f->code[2] & 4;
	return where == OF(SPACE_0F, 0x1a) || where == OF(SPACE_0F, 0x1b);
}

static enum opcode_left_out why_not(const struct opcode_form *f, unsigned where)
{
	uint8_t special = f->insn.special;
	uint8_t modrm = f->insn.flags & INSN_F_MODRM ? f->code[f->insn.modrm_at] : 0;

	if (leads_away(f, where))
		return OPCODE_LEADS_AWAY;
	/* MWAITX; UMONITOR, UMWAIT, TPAUSE: with a prefix other than REX. */
	if (special == INSN_MWAIT || (where == OF(SPACE_0F, 0x01) && modrm == 0xfb) ||
	    (where == OF(SPACE_0F, 0xae) && modrm >> 3 == (0xc0 >> 3 | 6) && f->code[0] != 0x0f &&
	     f->code[0] != REX_W))
		return OPCODE_WAITS;
	if (lasts(f, where, modrm))
		return OPCODE_LASTS;
	if (special == INSN_MASKMOV)
		return OPCODE_MASKED;
	return varies(f, where) ? OPCODE_VARIES : OPCODE_RUNS;
}

/* --- one form ----------------------------------------------------------------------------------------- */

static unsigned variations(unsigned space)
{
	return space < SPACE_VEX ? WIDTHS * PREFIXES : space < SPACE_EVEX ? 16 : 24;
}

/* All that comes before the opcode: prefixes and W; pp, L, W; pp, W, L'L. */
static uint8_t *put_lead(uint8_t *p, unsigned space, unsigned v)
{
	if (space >= SPACE_EVEX) {
		*p++ = 0x62;
		*p++ = 0xf0 | evex_maps[space - SPACE_EVEX];
		*p++ = (uint8_t)((v & 4) << 5 | 0x7c | (v & 3));
		*p++ = (uint8_t)((v >> 3) << 5 | 8);
		return p;
	}
	if (space >= SPACE_VEX) {
		*p++ = 0xc4;
		*p++ = (uint8_t)(0xe0 | (space - SPACE_VEX + 1));
		*p++ = (uint8_t)((v >> 3) << 7 | 0x78 | (v & 7));
		return p;
	}
	if (prefixes[v % PREFIXES])
		*p++ = prefixes[v % PREFIXES];
	if (v >= PREFIXES)
		*p++ = REX_W;
	if (space)
		*p++ = 0x0f;
	if (space > SPACE_0F)
		*p++ = space == SPACE_0F38 ? 0x38 : 0x3a;
	return p;
}

/* @return whether it is an instruction */
static bool make(unsigned where, unsigned v, uint8_t modrm, struct opcode_form *f)
{
	uint8_t *p;

	memset(f->code, 0, sizeof f->code);
	p = put_lead(f->code, where >> 8, v);
	*p++ = (uint8_t)where;
	f->opcode_end = (uint8_t)(p - f->code);
	*p = modrm;
	if (!insn_decode(f->code, sizeof f->code, &f->insn))
		return false;
	if (!(f->insn.flags & INSN_F_MODRM))
		*p = 0;
	f->left_out = why_not(f, where);
	return true;
}

static bool is_opcode(unsigned where)
{
	if (where < 0x100)
		return insn_maps[MAP_LEGACY][where] != INSN_PREFIX &&
		       insn_maps[MAP_LEGACY][where] != INSN_ESCAPE;
	return where != OF(SPACE_0F, 0x0f) && where != OF(SPACE_0F, 0x38) && where != OF(SPACE_0F, 0x3a);
}

/* --- all of them -------------------------------------------------------------------------------------- */

/* What tells forms apart for the quantities, with room for twice the classes that there are. */
#define KEYS       (1024 * 8)
#define OFFERED    4
#define WAS_JUDGED 255
static uint8_t offered[KEYS];

static unsigned key_of(const struct opcode_form *f)
{
	return (f->insn.klass * 8u | (f->insn.flags & (INSN_F_LOCK | INSN_F_REP)) | (f->left_out ? 2 : 0)) %
	       KEYS;
}
_Static_assert((INSN_F_LOCK | INSN_F_REP) == 5, "key_of()");

struct walk {
	enum opcode_depth depth;
	bool (*visit)(void *ctx, const struct opcode_form *f);
	void *ctx;
};

static void offer(const struct walk *w, const struct opcode_form *f)
{
	uint8_t *times = &offered[key_of(f)];

	if (w->depth != OPCODES_ALL && *times >= OFFERED)
		return;
	if (w->visit(w->ctx, f))
		*times = WAS_JUDGED;
	else
		++*times;
}

static void walk_opcode(const struct walk *w, unsigned where)
{
	struct opcode_form f = {.x87 = where >= 0xd8 && where <= 0xdf, .group = false};
	/* Of these ModRM.rm chooses as well. */
	bool by_rm = where == 0xd9 || where == 0xdb || where == 0xdf || where == OF(SPACE_0F, 0x01);
	bool reg_chooses = f.x87 || among(groups, LENGTH(groups), where);

	f.group = reg_chooses;
	for (unsigned modrm = 0; modrm < 256; modrm++) {
		unsigned reg = modrm >> 3 & 7, rm = modrm & 7;
		bool memory = modrm < 0x40;

		if ((!memory && modrm < 0xc0) || (!reg_chooses && reg != REG_DESTINATION) ||
		    (rm != (f.x87 && !memory ? 1 : REG_SOURCE) && (memory || !by_rm)))
			continue;
		for (unsigned v = 0; v < variations(where >> 8); v++) {
			if (!make(where, v, (uint8_t)modrm, &f))
				continue;
			/* Without ModRM all of them are the same. */
			if (f.insn.flags & INSN_F_MODRM ||
			    modrm == (reg_chooses ? 0 : REG_DESTINATION << 3) + REG_SOURCE)
				offer(w, &f);
		}
	}
}

void opcode_forms(enum opcode_depth depth, bool (*visit)(void *ctx, const struct opcode_form *f), void *ctx)
{
	const struct walk w = {depth, visit, ctx};

	memset(offered, 0, sizeof offered);
	for (unsigned x87 = 0; x87 < 2; x87++)
		visit(ctx, &(struct opcode_form){.x87 = x87});
	for (unsigned where = 0; where < OF(SPACES_HERE, 0); where++) {
		if (depth == OPCODES_BY_OPCODE)
			memset(offered, 0, sizeof offered);
		if (is_opcode(where))
			walk_opcode(&w, where);
	}
}

void opcode_name(const struct opcode_form *f, char out[OPCODE_NAME])
{
	const size_t size = OPCODE_NAME;
	size_t used = 0;
	uint8_t modrm = f->code[f->opcode_end];

	if (!f->insn.length) {
		snprintf(out, size, "no instruction%s", f->x87 ? ", x87" : "");
		return;
	}
	for (unsigned i = 0; i < f->opcode_end; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%02x", i ? " " : "", f->code[i]);
	if (!(f->insn.flags & INSN_F_MODRM))
		return;
	/* x87's and 0F 01, where all of ModRM chooses. */
	if (modrm >= 0xc0 && (f->x87 || (f->group && f->code[f->opcode_end - 1] == 0x01))) {
		snprintf(out + used, size - used, " %02x", modrm);
		return;
	}
	if (f->group)
		used += (size_t)snprintf(out + used, size - used, " /%u", modrm >> 3 & 7);
	snprintf(out + used, size - used, modrm >= 0xc0 ? " reg" : " mem");
}

/* --- kernels ------------------------------------------------------------------------------------------ */

#ifdef __i386__
/* All registers may be the form's: how often to go on and the stack pointer lie in front of the scratch area. */
#define COUNT 64
#define STACK 32
static const uint8_t turn[] = {
	0x89, 0xdd,       /* mov %ebx,%ebp */
	0x89, 0xde,       /* mov %ebx,%esi */
	0x89, 0xdf,       /* mov %ebx,%edi */
	0x31, 0xc0,       /* xor %eax,%eax */
	0x31, 0xd2,       /* xor %edx,%edx */
	0x8d, 0x48, 0x01, /* lea 1(%eax),%ecx */
	0xfc,             /* cld */
};
#else
static const uint8_t begin[] = {
	0x49, 0x89, 0xf9, /* mov %rdi,%r9 */
	0x49, 0x89, 0xf2, /* mov %rsi,%r10 */
	0x49, 0x89, 0xe3, /* mov %rsp,%r11 */
};
static const uint8_t turn[] = {
	0x4c,
	0x89,
	0xdc, /* mov %r11,%rsp */
	0x49,
	0x8d,
	0x9a,
	OPCODES_SCRATCH & 255,
	OPCODES_SCRATCH >> 8,
	0, /* lea scratch(%r10),%rbx */
	0,
	0x48,
	0x89,
	0xdd, /* mov %rbx,%rbp */
	0x48,
	0x89,
	0xde, /* mov %rbx,%rsi */
	0x48,
	0x89,
	0xdf, /* mov %rbx,%rdi */
	0x31,
	0xc0, /* xor %eax,%eax */
	0x31,
	0xd2, /* xor %edx,%edx */
	0x8d,
	0x48,
	0x01, /* lea 1(%rax),%ecx */
	0xfc, /* cld */
};
static const uint8_t next[] = {
	0x49, 0xff, 0xc9, /* dec %r9 */
	0x0f, 0x85,       /* jnz turn */
};
#endif
static const uint8_t turn_x87[] = {
	0xdb, 0xe3, /* fninit */
	0xd9, 0xe8, /* fld1 */
	0xd9, 0xe8, /* fld1 */
};
static const uint8_t end[] = {
	0xfc,       /* cld */
	0xdb, 0xe3, /* fninit */
};
#define TURN_FLAGS 0x46   /* of XOR: PF and ZF */
#define NUMBER     0x3f80 /* of words that are numbers in every format */
#define MXCSR      0x1f80

static uint8_t *put(uint8_t *p, const void *code, size_t size)
{
	memcpy(p, code, size);
	return p + size;
}

#ifdef __i386__
/* An instruction that begins so and ends with an address or a number. */
static uint8_t *put_with(uint8_t *p, const char *code, uint64_t what)
{
	uint32_t number = (uint32_t)what;

	return put(put(p, code, strlen(code)), &number, sizeof number);
}

static uint8_t *put_begin(uint8_t *p, uint64_t scratch)
{
	p = put_with(p, "\x89\x3d", scratch - COUNT);    /* mov %edi,count */
	return put_with(p, "\x89\x25", scratch - STACK); /* mov %esp,stack */
}

static uint8_t *put_turn(uint8_t *p, uint64_t scratch)
{
	p = put_with(p, "\x8b\x25", scratch - STACK); /* mov stack,%esp */
	p = put_with(p, "\xbb", scratch);             /* mov $scratch,%ebx */
	return put(p, turn, sizeof turn);
}

/* Up to JNZ's displacement. */
static uint8_t *put_next(uint8_t *p, uint64_t scratch)
{
	p = put_with(p, "\xff\x0d", scratch - COUNT); /* decl count */
	return put(p, "\x0f\x85", 2);
}

static uint8_t *put_end(uint8_t *p, uint64_t scratch)
{
	p = put_with(p, "\x8b\x25", scratch - STACK); /* mov stack,%esp */
	return put(p, end, sizeof end);
}
#else
#define put_begin(p, scratch) put(p, begin, sizeof begin)
#define put_turn(p, scratch)  put(p, turn, sizeof turn)
#define put_next(p, scratch)  put(p, next, sizeof next)
#define put_end(p, scratch)   put(p, end, sizeof end)
#endif

/* What stretch from..to contributes, executed once, its branches taken as the flags say. */
static void add_code(const uint8_t *from, const uint8_t *to, uint64_t flags, struct qvec *sum)
{
	struct insn in;

	for (; from < to && insn_decode(from, (size_t)(to - from), &in); from += in.length) {
		struct qterm terms[ACCOUNT_TERMS];
		/* All addresses lie at the start of a line, the scratch area's in the middle of a page. */
		struct insn_retired did = {
			.insn = &in,
			.cpl = 3,
			.cpl_after = 3,
			.taken = insn_branch_taken(&in, flags, 1),
			.iterations = 1,
			.address = OPCODES_SCRATCH,
			.stack = OPCODES_SCRATCH,
			.source = OPCODES_SCRATCH,
			.dest = OPCODES_SCRATCH,
			.frame = OPCODES_SCRATCH,
		};

		qvec_add(sum, terms, account_retired(&did, terms));
	}
}

void opcode_kernel(const struct opcode_form *f, uint64_t scratch, struct opcode_kernel *out)
{
	struct qvec once = {{0}}, each = {{0}};
	uint8_t *p = put_begin(out->code, scratch), *loop = p, *closing;
	int32_t back;

	p = put_turn(p, scratch);
	if (f->x87)
		p = put(p, turn_x87, sizeof turn_x87);
	p = put(p, f->code, f->insn.length);
	if ((f->insn.flags & (INSN_F_MEM | INSN_F_MODRM)) == INSN_F_MEM)
		memcpy(p - f->insn.length + f->insn.modrm_at, &scratch, sizeof(uintptr_t));
	closing = p;
	p = put_next(p, scratch);
	back = (int32_t)(loop - (p + sizeof back));
	p = put(p, &back, sizeof back);
	add_code(out->code, loop, 0, &once);
	add_code(loop, closing, TURN_FLAGS, &each);
	add_code(closing, p, 0, &each);
	/* The last turn is the one that goes on. */
	once.v[Q_BR_COND_TAKEN]--;
	once.v[Q_BR_COND_NTAKEN]++;
	closing = p;
	p = put_end(p, scratch);
	add_code(closing, p, 0, &once);

	struct signature_exact *x = out->exact;
	for (unsigned q = 0; q < Q_COUNT && x < out->exact + sizeof out->exact / sizeof *x; q++)
		if (once.v[q] || each.v[q])
			*x++ = (struct signature_exact){
				.quantity = q, .a = (int64_t)each.v[q], .b = (int64_t)once.v[q]};
	out->kernel = (struct kernel){.name = "opcode",
				      .code = out->code,
				      .code_end = p,
				      .exact = out->exact,
				      .exact_end = x,
				      .flags = KERNEL_USER_ONLY};
}

void opcode_operand(const struct opcode_form *f, uint8_t *scratch)
{
	/* LDMXCSR, FXRSTOR, XRSTOR and their like: MXCSR at the beginning or in an image, all else 0. */
	bool state = f->opcode_end > 1 && f->code[f->opcode_end - 1] == 0xae;
	uint16_t *word = (uint16_t *)scratch;

	for (unsigned i = 0; i < OPCODES_SCRATCH_SIZE / sizeof *word; i++)
		word[i] = state ? 0 : NUMBER;
	if (state)
		word[0] = word[12] = MXCSR;
}
