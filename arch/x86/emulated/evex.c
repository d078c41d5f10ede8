#include "arch/x86/emulated/evex.h"

#define ZMM 64 /* bytes */

#define MXCSR_FLAGS    0x3fu
#define MXCSR_MASKED   0x1f80u
#define MXCSR_ROUNDING 13 /* position; the encoding is that of EVEX */

#define RFLAGS_CF   0x1ull
#define RFLAGS_ZF   0x40ull
#define RFLAGS_KEPT (~0x8d5ull) /* all but OF, SF, ZF, AF, PF, CF */

enum form {
	VECTOR,  /* the element function, from vvvv and the r/m operand */
	SCALAR,  /* the same for the lowest element; the others up to 128 bits are vvvv's */
	SHIFT,   /* the same by an immediate; vvvv is the destination */
	COMPARE, /* it gives bits of an opmask register */
	SPREAD,  /* a general register into every element */
	LOAD,    /* the r/m operand; ALIGNED in memory, or not */
	STORE,   /* to it */
	GATHER,  /* indices and elements are of one size */
	SCATTER,
	OPMASK,      /* all operands are opmask registers; the function does with 16 bits at a time */
	OPMASK_FROM, /* a general register into one */
	OPMASK_TO,
	OPMASK_TEST, /* KORTEST */
	FORM = 15,
	NO_MXCSR = 16, /* flag: MXCSR does not say how it rounds, nor gets flags */
	ALIGNED = 32,  /* flag */
	KEEPS = 64,    /* flag: the others are the destination's */
};

struct operands {
	unsigned size; /* of an element: 4 or 8 bytes; OPMASK: 8 */
	unsigned count;
	uint8_t immediate;
	uint8_t to[ZMM], a[ZMM], b[ZMM]; /* the destination before, vvvv, r/m */
};

static uint64_t get(const uint8_t *vector, unsigned size, unsigned i)
{
	uint64_t value = 0;

	__builtin_memcpy(&value, vector + i * size, size == 4 ? 4 : 8);
	return value;
}

static void put(uint8_t *vector, unsigned size, unsigned i, uint64_t value)
{
	__builtin_memcpy(vector + i * size, &value, size == 4 ? 4 : 8);
}

#define TO(o, i) get((o)->to, (o)->size, i)
#define A(o, i)  get((o)->a, (o)->size, i)
#define B(o, i)  get((o)->b, (o)->size, i)

/* --- floating point: this CPU's own, one element at a time ------------------------------------------ */

#ifdef __SSE__ /* else the compiler does not use them */
#define USED : "xmm0", "xmm1", "xmm2"
#else
#define USED
#endif
#define RUN(instruction, to, a, b)                                                                           \
	({                                                                                                   \
		uint64_t result;                                                                             \
		__asm__ volatile("movq %1, %%xmm0; movq %2, %%xmm1; movq %3, %%xmm2; " instruction           \
				 "; movq %%xmm0, %0"                                                         \
				 : "=r"(result)                                                              \
				 : "r"(to), "r"(a), "r"(b)USED);                                             \
		result;                                                                                      \
	})
#define ELEMENT(name, expression)                                                                            \
	static uint64_t name(const struct operands *o, unsigned i)                                           \
	{                                                                                                    \
		return expression;                                                                           \
	}
#define TWO(name)                                                                                            \
	ELEMENT(fp_##name, o->size == 4 ? RUN(#name "ss %%xmm2, %%xmm0", A(o, i), 0ull, B(o, i))             \
					: RUN(#name "sd %%xmm2, %%xmm0", A(o, i), 0ull, B(o, i)))
#define FUSED(name)                                                                                          \
	ELEMENT(fp_##name, o->size == 4                                                                      \
				   ? RUN("v" #name "ss %%xmm2, %%xmm1, %%xmm0", TO(o, i), A(o, i), B(o, i))  \
				   : RUN("v" #name "sd %%xmm2, %%xmm1, %%xmm0", TO(o, i), A(o, i), B(o, i)))

#define ONE(o) ((o)->size == 4 ? 0x3f800000ull : 0x3ff0000000000000ull)

TWO(add)
TWO(sub)
TWO(mul)
TWO(div)
TWO(min)
TWO(max)
TWO(sqrt)
FUSED(fmadd213)
FUSED(fmadd231)
ELEMENT(fp_rcp14, o->size == 4 ? RUN("divss %%xmm2, %%xmm0", ONE(o), 0ull, B(o, i))
			       : RUN("divsd %%xmm2, %%xmm0", ONE(o), 0ull, B(o, i)))
ELEMENT(fp_rsqrt14, o->size == 4 ? RUN("divss %%xmm2, %%xmm0", ONE(o), 0ull, fp_sqrt(o, i))
				 : RUN("divsd %%xmm2, %%xmm0", ONE(o), 0ull, fp_sqrt(o, i)))

/* --- integers; what is above an element's size is dropped -------------------------------------------- */

static uint64_t ternary(const struct operands *o, unsigned i)
{
	uint64_t to = TO(o, i), a = A(o, i), b = B(o, i), result = 0;

	for (unsigned row = 0; row < 8; row++)
		if (o->immediate >> row & 1)
			result |= (row & 4 ? to : ~to) & (row & 2 ? a : ~a) & (row & 1 ? b : ~b);
	return result;
}

static uint64_t compare_unsigned(const struct operands *o, unsigned i)
{
	uint64_t a = A(o, i), b = B(o, i);
	bool relation[4] = {a == b, a < b, a <= b, false};

	return relation[o->immediate & 3] ^ (o->immediate >> 2 & 1);
}

ELEMENT(copy_b, B(o, i))
ELEMENT(add, A(o, i) + B(o, i))
ELEMENT(subtract, A(o, i) - B(o, i))
ELEMENT(multiply, A(o, i) * B(o, i))
ELEMENT(and, A(o, i) & B(o, i))
ELEMENT(or, A(o, i) | B(o, i))
ELEMENT(exclusive_or, A(o, i) ^ B(o, i))
ELEMENT(exclusive_nor, ~(A(o, i) ^ B(o, i)))
ELEMENT(not, ~B(o, i))
ELEMENT(permute, B(o, A(o, i) % o->count))
ELEMENT(permute_fours, B(o, (i & ~3u) + (o->immediate >> 2 * (i & 3) & 3)))
ELEMENT(unpack_low, i & 1 ? B(o, (i & ~3u) + (i & 3) / 2) : A(o, (i & ~3u) + (i & 3) / 2))
ELEMENT(shift_each, B(o, i) < 8 * o->size ? A(o, i) << B(o, i) : 0)
ELEMENT(shift_all, o->immediate < 8 * o->size ? B(o, i) << o->immediate : 0)
ELEMENT(maximum_signed, (int32_t)A(o, i) > (int32_t)B(o, i) ? A(o, i) : B(o, i))
ELEMENT(minimum_unsigned, A(o, i) < B(o, i) ? A(o, i) : B(o, i))
ELEMENT(compare_equal, A(o, i) == B(o, i))
ELEMENT(opmask_shift, o->immediate < 16 ? B(o, i) << o->immediate : 0)
ELEMENT(opmask_unpack, (A(o, i) & 0xff) << 8 | (B(o, i) & 0xff))

/* --- which they are ---------------------------------------------------------------------------------- */

enum { NONE, P66, PF3, PF2 };
enum { VEX = 0x80 }; /* besides .map */

struct row {
	uint8_t map, prefix, w, opcode;
	uint8_t form; /* enum form */
	uint64_t (*element)(const struct operands *o, unsigned i);
};

#define ARITHMETIC(opcode, function)                                                                         \
	{1, NONE, 0, opcode, VECTOR, function}, {1, P66, 1, opcode, VECTOR, function},                       \
		{1, PF3, 0, opcode, SCALAR, function},                                                       \
	{                                                                                                    \
		1, PF2, 1, opcode, SCALAR, function                                                          \
	}
#define EITHER(map, prefix, opcode, form, function)                                                          \
	{map, prefix, 0, opcode, form, function},                                                            \
	{                                                                                                    \
		map, prefix, 1, opcode, form, function                                                       \
	}

static const struct row rows[] = {
	ARITHMETIC(0x51, fp_sqrt),
	ARITHMETIC(0x58, fp_add),
	ARITHMETIC(0x59, fp_mul),
	ARITHMETIC(0x5c, fp_sub),
	ARITHMETIC(0x5d, fp_min),
	ARITHMETIC(0x5e, fp_div),
	ARITHMETIC(0x5f, fp_max),
	EITHER(2, P66, 0xa8, VECTOR, fp_fmadd213),
	EITHER(2, P66, 0xb9, SCALAR | KEEPS, fp_fmadd231),
	EITHER(2, P66, 0x4c, VECTOR | NO_MXCSR, fp_rcp14),
	EITHER(2, P66, 0x4f, SCALAR | NO_MXCSR, fp_rsqrt14),
	{1, NONE, 0, 0x10, LOAD, copy_b}, /* VMOVUPS */
	{1, NONE, 0, 0x11, STORE, copy_b},
	{1, NONE, 0, 0x28, LOAD | ALIGNED, copy_b}, /* VMOVAPS */
	{1, NONE, 0, 0x29, STORE | ALIGNED, copy_b},
	{1, PF3, 0, 0x6f, LOAD, copy_b}, /* VMOVDQU32 */
	{1, PF3, 0, 0x7f, STORE, copy_b},
	EITHER(2, P66, 0x7c, SPREAD, copy_b),                       /* VPBROADCASTD, VPBROADCASTQ */
	{1, P66, 0, 0xfe, VECTOR | NO_MXCSR, add},                  /* VPADDD */
	{1, P66, 1, 0xfb, VECTOR | NO_MXCSR, subtract},             /* VPSUBQ */
	{2, P66, 0, 0x40, VECTOR | NO_MXCSR, multiply},             /* VPMULLD */
	EITHER(1, P66, 0xdb, VECTOR | NO_MXCSR, and),               /* VPANDD, VPANDQ */
	EITHER(1, P66, 0xef, VECTOR | NO_MXCSR, exclusive_or),      /* VPXORD, VPXORQ */
	{2, P66, 0, 0x36, VECTOR | NO_MXCSR, permute},              /* VPERMD */
	{3, P66, 1, 0x00, VECTOR | NO_MXCSR, permute_fours},        /* VPERMQ */
	{1, P66, 0, 0x62, VECTOR | NO_MXCSR, unpack_low},           /* VPUNPCKLDQ */
	{2, P66, 1, 0x47, VECTOR | NO_MXCSR, shift_each},           /* VPSLLVQ */
	{1, P66, 0, 0x72, SHIFT | NO_MXCSR, shift_all},             /* VPSLLD */
	{2, P66, 0, 0x3d, VECTOR | NO_MXCSR, maximum_signed},       /* VPMAXSD */
	{2, P66, 1, 0x3b, VECTOR | NO_MXCSR, minimum_unsigned},     /* VPMINUQ */
	EITHER(3, P66, 0x25, VECTOR | NO_MXCSR, ternary),           /* VPTERNLOGD, VPTERNLOGQ */
	{1, P66, 0, 0x76, COMPARE | NO_MXCSR, compare_equal},       /* VPCMPEQD */
	EITHER(3, P66, 0x1e, COMPARE | NO_MXCSR, compare_unsigned), /* VPCMPUD, VPCMPUQ */
	{2, P66, 0, 0x90, GATHER, copy_b},                          /* VPGATHERDD */
	{2, P66, 1, 0xa1, SCATTER, copy_b},                         /* VPSCATTERQQ */
	{VEX | 1, NONE, 0, 0x41, OPMASK, and},                      /* KANDW and so on */
	{VEX | 1, NONE, 0, 0x44, OPMASK, not },
	{VEX | 1, NONE, 0, 0x45, OPMASK, or },
	{VEX | 1, NONE, 0, 0x46, OPMASK, exclusive_nor},
	{VEX | 1, NONE, 0, 0x47, OPMASK, exclusive_or},
	{VEX | 1, P66, 0, 0x4b, OPMASK, opmask_unpack},
	{VEX | 3, P66, 1, 0x32, OPMASK, opmask_shift},
	{VEX | 1, NONE, 0, 0x92, OPMASK_FROM, copy_b},
	{VEX | 1, NONE, 0, 0x93, OPMASK_TO, copy_b},
	{VEX | 1, NONE, 0, 0x98, OPMASK_TEST, or },
};

/* The fields of a prefix, the right way up. */
struct fields {
	uint8_t map, prefix, w, opcode;
	uint8_t reg, rm, vvvv, mask; /* X is part of .rm, V' of .vvvv */
	uint8_t length;              /* 0 to 2: 128 to 512 bits; or how to round */
	bool zeroing, b;
	bool is_memory;
};

static struct fields fields_of(const uint8_t *code, const struct insn *in)
{
	bool evex = code[0] == 0x62, short_vex = code[0] == 0xc5;
	uint8_t modrm = code[in->modrm_at], map = short_vex ? (code[1] & 0x80) | 0x61 : code[1];
	uint8_t low = short_vex ? code[1] : code[2], last = evex ? code[3] : 0x08;
	/* Registers' high bits and vvvv are stored inverted. */
	uint8_t high = (uint8_t)~map, other = (uint8_t)~low, v = (uint8_t)~last;
	struct fields f = {
		.map = evex ? map & 7 : VEX | (map & 31),
		.prefix = low & 3,
		.w = short_vex ? 0 : low >> 7,
		.opcode = code[in->modrm_at - 1],
		.reg = (modrm >> 3 & 7) | (high >> 4 & 8) | (evex ? high & 0x10 : 0),
		.rm = (modrm & 7) | (high >> 2 & 8) | (evex ? high >> 2 & 0x10 : 0),
		.vvvv = (other >> 3 & 15) | (v << 1 & 0x10),
		.mask = last & 7,
		.b = last >> 4 & 1,
		.length = last >> 5 & 3,
		.zeroing = last >> 7,
		.is_memory = modrm < 0xc0,
	};

	return f;
}

static const struct row *row_of(const struct fields *f)
{
	for (const struct row *r = rows; r < rows + sizeof(rows) / sizeof(rows[0]); r++)
		if (r->map == f->map && r->prefix == f->prefix && r->w == f->w && r->opcode == f->opcode)
			return r;
	return NULL;
}

/* --- carrying out ------------------------------------------------------------------------------------ */

/* Under these the elements are worked out; what was raised is added to the state's flags. */
static void rounding_on(const struct evex_state *s, const struct fields *f, const struct row *row,
			uint32_t *own)
{
	uint32_t mxcsr = (s->mxcsr & ~MXCSR_FLAGS) | MXCSR_MASKED;

	if (row->form & NO_MXCSR)
		mxcsr &= ~(3u << MXCSR_ROUNDING);
	else if (f->b && !f->is_memory)
		mxcsr = (mxcsr & ~(3u << MXCSR_ROUNDING)) | (uint32_t)f->length << MXCSR_ROUNDING;
	__asm__ volatile("stmxcsr %0" : "=m"(*own));
	__asm__ volatile("ldmxcsr %0" ::"m"(mxcsr));
}

static void rounding_off(struct evex_state *s, const struct fields *f, const struct row *row, uint32_t own)
{
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	__asm__ volatile("ldmxcsr %0" ::"m"(own));
	if (!(row->form & NO_MXCSR) && !(f->b && !f->is_memory))
		s->mxcsr |= mxcsr & MXCSR_FLAGS;
}

static bool opmask_form(struct evex_state *s, const struct fields *f, const struct row *row,
			struct insn_registers *r, uint64_t *rflags, struct operands *o)
{
	uint64_t result;

	if (f->is_memory)
		return false;
	o->size = 8;
	put(o->a, 8, 0, s->opmask[f->vvvv & 7]);
	put(o->b, 8, 0, row->form == OPMASK_FROM ? r->gpr[f->rm] : s->opmask[f->rm & 7]);
	if (row->form == OPMASK_TEST)
		put(o->a, 8, 0, s->opmask[f->reg & 7]);
	result = row->element(o, 0) & 0xffff;
	switch (row->form) {
	case OPMASK_TO:
		r->gpr[f->reg] = result;
		break;
	case OPMASK_TEST:
		*rflags = (*rflags & RFLAGS_KEPT) | (result ? 0 : RFLAGS_ZF) |
			  (result == 0xffff ? RFLAGS_CF : 0);
		break;
	default:
		s->opmask[f->reg & 7] = result;
	}
	return true;
}

static bool gather_form(struct evex_state *s, const uint8_t *code, const struct insn *in,
			const struct fields *f, const struct row *row, uint64_t address, struct operands *o,
			evex_copy *copy)
{
	uint8_t sib = code[in->modrm_at + 1];
	unsigned index = (sib >> 3 & 7) | (f->rm & 0x10) >> 1 | (f->vvvv & 0x10);

	if (!f->mask)
		return false;
	for (unsigned i = 0; i < o->count; i++) {
		int64_t offset = (int64_t)get((const uint8_t *)s->zmm[index], o->size, i);
		uint8_t *element = o->to + i * o->size;
		void *at;

		if (o->size == 4)
			offset = (int32_t)offset;
		at = (void *)(uintptr_t)(address + ((uint64_t)offset << (sib >> 6)));
		if (!(s->opmask[f->mask] >> i & 1))
			continue;
		if (row->form == GATHER ? !copy(element, at, o->size) : !copy(at, element, o->size))
			return false;
	}
	s->opmask[f->mask] = 0;
	for (unsigned i = 0; row->form == GATHER && i < ZMM / o->size; i++)
		put((uint8_t *)s->zmm[f->reg], o->size, i, i < o->count ? TO(o, i) : 0);
	return true;
}

/* The r/m operand. Of one in memory only what is wanted is touched. */
static bool load(const struct evex_state *s, const struct fields *f, uint64_t address, uint64_t wanted,
		 struct operands *o, evex_copy *copy)
{
	if (!f->is_memory) {
		__builtin_memcpy(o->b, s->zmm[f->rm], ZMM);
		return true;
	}
	for (unsigned i = 0; i < o->count; i++) {
		if (f->b && i)
			__builtin_memcpy(o->b + i * o->size, o->b, o->size == 4 ? 4 : 8);
		else if ((f->b ? wanted != 0 : wanted >> i & 1) &&
			 !copy(o->b + i * o->size, (const void *)(uintptr_t)(address + i * o->size), o->size))
			return false;
	}
	return true;
}

static bool store(struct evex_state *s, const struct fields *f, uint64_t address, uint64_t selected,
		  const struct operands *o, evex_copy *copy)
{
	if (!f->is_memory)
		return false;
	for (unsigned i = 0; i < o->count; i++)
		if (selected >> i & 1 && !copy((void *)(uintptr_t)(address + i * o->size),
					       (const uint8_t *)s->zmm[f->reg] + i * o->size, o->size))
			return false;
	return true;
}

static void vector_form(struct evex_state *s, const struct fields *f, const struct row *row,
			uint64_t selected, struct operands *o)
{
	uint8_t result[ZMM] = {0};
	uint64_t bits = 0;
	uint32_t own;
	unsigned form = row->form & FORM;

	rounding_on(s, f, row, &own);
	for (unsigned i = 0; i < o->count; i++) {
		uint64_t value = f->zeroing ? 0 : TO(o, i);

		if (selected >> i & 1) {
			value = row->element(o, i);
			bits |= (value & 1) << i;
		}
		put(result, o->size, i, value);
	}
	rounding_off(s, f, row, own);
	if (form == COMPARE) {
		s->opmask[f->reg & 7] = bits;
		return;
	}
	if (form == SCALAR)
		__builtin_memcpy(result + o->size, (row->form & KEEPS ? o->to : o->a) + o->size,
				 16 - o->size);
	__builtin_memcpy(s->zmm[form == SHIFT ? f->vvvv : f->reg], result, ZMM);
}

bool evex_carry_out(struct evex_state *s, const uint8_t *code, const struct insn *in,
		    struct insn_registers *r, uint64_t *rflags, evex_copy *copy)
{
	if ((code[0] != 0x62 && code[0] != 0xc4 && code[0] != 0xc5) || in->seg)
		return false;

	struct fields f = fields_of(code, in);
	const struct row *row = row_of(&f);
	struct operands o = {.immediate = code[in->length - 1]};
	uint64_t selected, address = 0;
	unsigned bytes, form;

	if (!row)
		return false;
	form = row->form & FORM;
	if (form >= OPMASK)
		return opmask_form(s, &f, row, r, rflags, &o);
	/* Rounding takes the length's place: of whole registers, or of scalars. */
	bytes = f.b && !f.is_memory ? ZMM : 16u << f.length;
	if (bytes > ZMM || (form == SHIFT && (code[in->modrm_at] >> 3 & 7) != 6))
		return false;
	o.size = f.w ? 8 : 4;
	o.count = form == SCALAR ? 1 : bytes / o.size;
	selected = (f.mask ? s->opmask[f.mask] : ~0ull) & ((1ull << o.count) - 1);
	if (f.is_memory)
		address = insn_effective_address(code, in, r);
	if (f.is_memory && row->form & ALIGNED && address % bytes)
		return false;
	__builtin_memcpy(o.to, s->zmm[form == SHIFT ? f.vvvv : f.reg], ZMM);
	__builtin_memcpy(o.a, s->zmm[f.vvvv], ZMM);
	if (form == GATHER || form == SCATTER)
		return gather_form(s, code, in, &f, row, address, &o, copy);
	if (form == STORE)
		return store(s, &f, address, selected, &o, copy);
	if (form == SPREAD)
		for (unsigned i = 0; i < o.count; i++)
			put(o.b, o.size, i, r->gpr[f.rm & 15]);
	else if (!load(s, &f, address, form == LOAD ? selected : ~0ull, &o, copy))
		return false;
	vector_form(s, &f, row, selected, &o);
	return true;
}
