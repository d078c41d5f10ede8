#include "arch/x86/emulated/simd_exceptions.h"

#define PRE_COMPUTATION (SIMD_IE | SIMD_DE | SIMD_ZE)

#define MXCSR_FTZ   (1u << 15)
#define MXCSR_MASKS (SIMD_EXCEPTIONS << SIMD_MASK_SHIFT)

enum prefix { NONE, P66, PF3, PF2 };
#define SCALAR(prefix) ((prefix) >= PF3)

#define COMPARE    0xc2
#define PREDICATES 8

/* In the order of simd_thunks; COMPARE follows, once per predicate. */
static const uint8_t opcodes[] = {0x2a, 0x2c, 0x2d, 0x2e, 0x2f, 0x51, 0x58, 0x59,
				  0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0xe6};
#define OPCODES (sizeof(opcodes) / sizeof(opcodes[0]))

/*
 * This CPU's own instructions with every prefix, without and with REX.W: OPERATION %xmm1 (or %rcx), %xmm0 (or
 * %rax). Eight bytes each.
 */
__asm__(".section .text.simd_thunks, \"ax\", @progbits\n"
	".macro SIMD_THUNK opcode, tail:vararg\n"
	"	.irp prefix, 0, 0x66, 0xf3, 0xf2\n"
	"	.irp rex, 0, 0x48\n"
	"	.p2align 3\n"
	"	.if \\prefix\n"
	"	.byte \\prefix\n"
	"	.endif\n"
	"	.if \\rex\n"
	"	.byte \\rex\n"
	"	.endif\n"
	"	.byte 0x0f, \\opcode, 0xc1 \\tail\n"
	"	jmp *%rdx\n"
	"	.endr\n"
	"	.endr\n"
	".endm\n"
	".p2align 3\n"
	".type simd_thunks, @function\n"
	"simd_thunks:\n"
	"	.irp opcode, 0x2a, 0x2c, 0x2d, 0x2e, 0x2f, 0x51, 0x58, 0x59, 0x5a, 0x5b, 0x5c, 0x5d, 0x5e, "
	"0x5f, 0xe6\n"
	"	SIMD_THUNK \\opcode\n"
	"	.endr\n"
	"	.irp predicate, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	SIMD_THUNK 0xc2, , \\predicate\n"
	"	.endr\n"
	".size simd_thunks, . - simd_thunks\n"
	".previous\n");
extern const uint8_t simd_thunks[][2][8];

struct operation {
	enum prefix prefix;
	uint8_t opcode;
	uint8_t index; /* of opcodes[], or behind it */
	bool wide;     /* REX.W */
};

static enum prefix prefix_of(const uint8_t *code, unsigned opcode_at)
{
	enum prefix found = NONE;

	/* F2 and F3 go before 66, and the last of them counts: SDM vol. 2, 2.1.1 and A.2. */
	for (unsigned i = 0; i < opcode_at; i++)
		if (code[i] == 0xf3 || code[i] == 0xf2)
			found = code[i] == 0xf3 ? PF3 : PF2;
		else if (code[i] == 0x66 && found == NONE)
			found = P66;
	return found;
}

/* @return false if it is none of these */
static bool operation(const uint8_t *code, const struct insn *in, struct operation *o)
{
	unsigned at = in->modrm_at;

	if (!(in->flags & INSN_F_MODRM) || in->flags & INSN_F_INVALID || at < 2 || code[at - 2] != 0x0f)
		return false;
	for (unsigned i = 0; i < at - 2u; i++)
		if (code[i] == 0xc4 || code[i] == 0xc5 || code[i] == 0x62 || code[i] == 0x0f)
			return false;
	o->opcode = code[at - 1];
	o->prefix = prefix_of(code, at - 2);
	o->wide = in->rex & 8;
	if (o->opcode == COMPARE) {
		o->index = (uint8_t)(OPCODES + code[in->length - 1] % PREDICATES);
		return true;
	}
	for (o->index = 0; o->index < OPCODES && opcodes[o->index] != o->opcode; o->index++)
		;
	if (o->opcode == 0x2a || o->opcode == 0x2c || o->opcode == 0x2d)
		return SCALAR(o->prefix); /* else one operand is an MMX register */
	return o->index < OPCODES;
}

static unsigned size_of(const struct operation *o)
{
	unsigned scalar = o->prefix == PF3 ? 4 : 8;

	switch (o->opcode) {
	case 0x2a: /* of an integer */
		return o->wide ? 8 : 4;
	case 0x2e:
	case 0x2f: /* scalar all the same */
		return o->prefix == P66 ? 8 : 4;
	case 0x5a: /* CVTPS2PD */
		return o->prefix == NONE ? 8 : o->prefix == P66 ? 16 : scalar;
	case 0x5b:
		return 16;
	case 0xe6:
		return o->prefix == PF3 ? 8 : 16; /* CVTDQ2PD */
	default:
		return SCALAR(o->prefix) ? scalar : 16;
	}
}

unsigned simd_operand_size(const uint8_t *code, const struct insn *in)
{
	struct operation o;

	return operation(code, in, &o) ? size_of(&o) : 0;
}

#ifdef __SSE__ /* else the compiler does not use them */
#define USED , "xmm0", "xmm1"
#else
#define USED
#endif

/* Vector registers are as before; what XMM0 was in between is left in ->to. @return MXCSR behind it */
static uint32_t run(const struct operation *o, struct simd_operands *with, uint32_t mxcsr)
{
	const void *thunk = simd_thunks[4 * o->index + o->prefix][o->wide];
	uint8_t kept[2][16];
	uint32_t own, after;

	__asm__ volatile("stmxcsr %[own]\n\t"
			 "movdqu %%xmm0, %[kept0]\n\t"
			 "movdqu %%xmm1, %[kept1]\n\t"
			 "movdqu %[to], %%xmm0\n\t"
			 "movdqu %[from], %%xmm1\n\t"
			 "ldmxcsr %[mxcsr]\n\t"
			 "lea 1f(%%rip), %%rdx\n\t"
			 "jmp *%[thunk]\n"
			 "1:\tstmxcsr %[after]\n\t"
			 "ldmxcsr %[own]\n\t"
			 "movdqu %%xmm0, %[to]\n\t"
			 "movdqu %[kept0], %%xmm0\n\t"
			 "movdqu %[kept1], %%xmm1"
			 : [own] "=m"(own), [after] "=m"(after), [kept0] "=m"(kept[0]), [kept1] "=m"(kept[1]),
			   [to] "+m"(with->to)
			 : [from] "m"(with->from), [mxcsr] "m"(mxcsr), [thunk] "r"(thunk), "c"(with->general)
			 : "rax", "rdx", "cc" USED);
	return after;
}

/* Whether an element of the result is denormal. */
static bool tiny(const struct operation *o, const struct simd_operands *result)
{
	bool narrow = o->prefix == NONE || o->prefix == PF3 || o->opcode == 0x5a;
	unsigned size = narrow ? 4 : 8, count = SCALAR(o->prefix) ? 1 : o->opcode == 0x5a ? 2 : 16 / size;
	unsigned fraction = narrow ? 23 : 52;
	uint64_t magnitude = narrow ? INT32_MAX : INT64_MAX;

	if (o->opcode != 0x58 && o->opcode != 0x59 && o->opcode != 0x5c && o->opcode != 0x5e &&
	    !(o->opcode == 0x5a && (o->prefix == P66 || o->prefix == PF2)))
		return false;
	for (unsigned i = 0; i < count; i++) {
		uint64_t value = 0;

		__builtin_memcpy(&value, result->to + i * size, size == 4 ? 4 : 8);
		value &= magnitude;
		if (value && !(value >> fraction))
			return true;
	}
	return false;
}

unsigned simd_raised(const uint8_t *code, const struct insn *in, const struct simd_operands *operands,
		     uint32_t mxcsr)
{
	unsigned unmasked = simd_unmasked(mxcsr), met;
	struct simd_operands with = *operands;
	struct operation o;

	if (!unmasked || !operation(code, in, &o))
		return 0;
	/* Unmasked, underflow knows no flushing to zero, and an exact result is tiny all the same. */
	if (unmasked & SIMD_UE)
		mxcsr &= ~MXCSR_FTZ;
	met = run(&o, &with, (mxcsr | MXCSR_MASKS) & ~(uint32_t)SIMD_EXCEPTIONS) & SIMD_EXCEPTIONS;
	if (unmasked & SIMD_UE && tiny(&o, &with))
		met |= SIMD_UE;
	if (met & unmasked & PRE_COMPUTATION)
		return met & PRE_COMPUTATION; /* nothing is computed then */
	return met & unmasked ? met : 0;
}
