/*
 * AVX-512 instructions (arch/x86/emulated/evex.h) against this machine's own, on random registers and memory.
 * All registers must be the same to the last bit, but for the results of approximations, which must be as
 * near as their definition asks.
 */
#include "arch/x86/emulated/evex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/self/host/support/skip.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TRIALS 300

/* Memory at RSI, indices in ZMM4 and ZMM20, general registers RAX and RCX. */
__asm__(".macro CASE instruction:vararg\n"
	"	.section .rodata.evex_text, \"aMS\", @progbits, 1\n"
	"3:	.asciz \"\\instruction\"\n"
	"	.section .data.evex_cases, \"aw\", @progbits\n"
	"	.quad 1f, 2f, 3b\n"
	"	.text\n"
	"1:	\\instruction\n"
	"2:	ret\n"
	".endm\n"
	"	.section .data.evex_cases, \"aw\", @progbits\n"
	"	.p2align 3\n"
	"	.globl evex_cases, evex_cases_end\n"
	"evex_cases:\n"
	/* floating point */
	".irp op, add, sub, mul, div, min, max\n"
	"	CASE v\\op\\()ps %zmm0, %zmm1, %zmm2\n"
	"	CASE v\\op\\()ps %zmm30, %zmm9, %zmm17{%k3}\n"
	"	CASE v\\op\\()pd %zmm8, %zmm25, %zmm2{%k1}{z}\n"
	"	CASE v\\op\\()pd %ymm16, %ymm1, %ymm31\n"
	"	CASE v\\op\\()ps %xmm16, %xmm1, %xmm2{%k7}\n"
	"	CASE v\\op\\()ps 64(%rsi), %zmm0, %zmm2\n"
	"	CASE v\\op\\()pd 8(%rsi){1to8}, %zmm0, %zmm2{%k2}\n"
	"	CASE v\\op\\()ss %xmm16, %xmm1, %xmm22\n"
	"	CASE v\\op\\()sd %xmm16, %xmm1, %xmm22{%k1}\n"
	"	CASE v\\op\\()sd 16(%rsi), %xmm1, %xmm22{%k1}{z}\n"
	".endr\n"
	".irp op, add, sub, mul, div\n"
	".irp how, rn, rd, ru, rz\n"
	"	CASE v\\op\\()ps {\\how-sae}, %zmm3, %zmm4, %zmm5\n"
	"	CASE v\\op\\()sd {\\how-sae}, %xmm3, %xmm4, %xmm25{%k1}\n"
	".endr\n"
	".endr\n"
	"CASE vminps {sae}, %zmm3, %zmm4, %zmm5\n"
	"CASE vmaxss {sae}, %xmm3, %xmm4, %xmm5\n"
	"CASE vsqrtps %zmm0, %zmm17\n"
	"CASE vsqrtpd {ru-sae}, %zmm16, %zmm1{%k4}\n"
	"CASE vsqrtps (%rsi){1to16}, %zmm1{%k4}{z}\n"
	"CASE vsqrtss %xmm16, %xmm2, %xmm3\n"
	"CASE vsqrtsd (%rsi), %xmm18, %xmm3\n"
	"CASE vfmadd213ps %zmm0, %zmm1, %zmm2\n"
	"CASE vfmadd213pd {rd-sae}, %zmm0, %zmm31, %zmm2{%k5}\n"
	"CASE vfmadd213pd 128(%rsi), %ymm17, %ymm2\n"
	"CASE vfmadd231ss %xmm0, %xmm0, %xmm16\n"
	"CASE vfmadd231ss {rz-sae}, %xmm10, %xmm20, %xmm16{%k1}{z}\n"
	"CASE vfmadd231sd 8(%rsi), %xmm20, %xmm16{%k1}\n"
	"CASE vrcp14ps %zmm0, %zmm1\n"
	"CASE vrcp14pd %zmm16, %zmm1{%k2}\n"
	"CASE vrsqrt14ss %xmm1, %xmm2, %xmm17\n"
	"CASE vrsqrt14sd %xmm1, %xmm2, %xmm17{%k1}{z}\n"
	/* moves */
	"CASE vmovaps (%rsi), %zmm0\n"
	"CASE vmovaps %zmm0, 128(%rsi)\n"
	"CASE vmovaps %zmm17, %zmm1\n"
	"CASE vmovaps %ymm17, %ymm1{%k1}\n"
	"CASE vmovups 1(%rsi), %zmm31\n"
	"CASE vmovups %zmm31, 129(%rsi)\n"
	"CASE vmovups %xmm31, -16(%rsi, %rcx, 4){%k3}\n"
	"CASE vmovdqu32 (%rsi), %zmm0{%k1}{z}\n"
	"CASE vmovdqu32 320(%rsi), %zmm0{%k1}\n"
	"CASE vmovdqu32 %zmm0, 64(%rsi){%k2}\n"
	"CASE vmovdqu32 %ymm0, 64(%rsi){%k2}\n"
	"CASE vpbroadcastd %eax, %zmm0\n"
	"CASE vpbroadcastd %ecx, %zmm18{%k6}\n"
	"CASE vpbroadcastq %rax, %ymm30{%k6}{z}\n"
	/* integers */
	".irp op, vpaddd, vpmulld, vpandd, vpxord, vpermd, vpunpckldq, vpmaxsd\n"
	"	CASE \\op %zmm0, %zmm1, %zmm2\n"
	"	CASE \\op %ymm30, %ymm21, %ymm2{%k1}\n"
	"	CASE \\op 192(%rsi), %zmm21, %zmm12{%k1}{z}\n"
	"	CASE \\op 12(%rsi){1to16}, %zmm21, %zmm12{%k1}\n"
	".endr\n"
	".irp op, vpsubq, vpandq, vpxorq, vpsllvq, vpminuq\n"
	"	CASE \\op %zmm0, %zmm1, %zmm2\n"
	"	CASE \\op %xmm30, %xmm21, %xmm2{%k1}\n"
	"	CASE \\op 24(%rsi){1to8}, %zmm21, %zmm12{%k1}{z}\n"
	".endr\n"
	"CASE vpternlogd $0x96, %zmm0, %zmm1, %zmm2\n"
	"CASE vpternlogd $0xca, %zmm0, %zmm31, %zmm2{%k1}\n"
	"CASE vpternlogq $0x1d, 16(%rsi){1to8}, %zmm1, %zmm2{%k1}{z}\n"
	"CASE vpslld $3, %zmm1, %zmm2\n"
	"CASE vpslld $31, %zmm17, %zmm18{%k2}\n"
	"CASE vpslld $32, 64(%rsi), %zmm18\n"
	"CASE vpermq $0x1b, %zmm1, %zmm2\n"
	"CASE vpermq $0x4e, %ymm1, %ymm22{%k1}\n"
	/* opmasks */
	"CASE vpcmpeqd %zmm0, %zmm1, %k1\n"
	"CASE vpcmpeqd %ymm20, %ymm1, %k5{%k2}\n"
	".irp how, 0, 1, 2, 3, 4, 5, 6, 7\n"
	"	CASE vpcmpud $\\how, %zmm0, %zmm1, %k2{%k1}\n"
	"	CASE vpcmpuq $\\how, 8(%rsi){1to8}, %zmm21, %k2\n"
	".endr\n"
	".irp op, kandw, korw, kxorw, kxnorw, kunpckbw\n"
	"	CASE \\op %k1, %k2, %k3\n"
	"	CASE \\op %k7, %k7, %k0\n"
	".endr\n"
	"CASE knotw %k3, %k4\n"
	".irp count, 0, 2, 15, 16, 200\n"
	"	CASE kshiftlw $\\count, %k4, %k6\n"
	".endr\n"
	"CASE kortestw %k1, %k2\n"
	"CASE kortestw %k3, %k3\n"
	"CASE kmovw %k4, %eax\n"
	"CASE kmovw %ecx, %k7\n"
	/* elements */
	"CASE vpgatherdd (%rsi, %zmm4, 4), %zmm1{%k1}\n"
	"CASE vpgatherdd 8(%rsi, %ymm20, 8), %ymm17{%k2}\n"
	"CASE vpscatterqq %zmm1, (%rsi, %zmm4, 8){%k1}\n"
	"CASE vpscatterqq %xmm31, 16(%rsi, %xmm20, 4){%k7}\n"
	"	.section .data.evex_cases, \"aw\", @progbits\n"
	"evex_cases_end:\n"
	"	.text\n");

struct evex_case {
	const uint8_t *code, *end;
	const char *text;
};
extern const struct evex_case evex_cases[], evex_cases_end[];

/* Run code on the processor with registers as in *s, RAX, RCX and RSI as in gpr[], and flags. */
void evex_real(struct evex_state *s, uint64_t gpr[16], const uint8_t *code, uint64_t *rflags);
__asm__("	.text\n"
	"evex_real:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n"
	"	mov %rdi, %rbx\n	mov %rsi, %rbp\n	mov %rdx, %r12\n	mov %rcx, %r13\n"
	"	push $0x1f80\n"
	"	.altmacro\n"
	"	.macro ZMM_IN n\n	vmovdqu64 64*\\n(%rbx), %zmm\\n\n	.endm\n"
	"	.macro ZMM_OUT n\n	vmovdqu64 %zmm\\n, 64*\\n(%rbx)\n	.endm\n"
	"	.macro K_IN n\n	kmovq 2048+8*\\n(%rbx), %k\\n\n	.endm\n"
	"	.macro K_OUT n\n	kmovq %k\\n, 2048+8*\\n(%rbx)\n	.endm\n"
	"	.set i, 0\n	.rept 32\n	ZMM_IN %i\n	.set i, i+1\n	.endr\n"
	"	.set i, 0\n	.rept 8\n	K_IN %i\n	.set i, i+1\n	.endr\n"
	"	ldmxcsr 2112(%rbx)\n"
	"	mov (%rbp), %rax\n	mov 8(%rbp), %rcx\n	mov 48(%rbp), %rsi\n"
	"	push (%r13)\n	popfq\n"
	"	call *%r12\n"
	"	pushfq\n	pop (%r13)\n"
	"	mov %rax, (%rbp)\n	mov %rcx, 8(%rbp)\n"
	"	stmxcsr 2112(%rbx)\n"
	"	.set i, 0\n	.rept 32\n	ZMM_OUT %i\n	.set i, i+1\n	.endr\n"
	"	.set i, 0\n	.rept 8\n	K_OUT %i\n	.set i, i+1\n	.endr\n"
	"	.noaltmacro\n"
	"	vzeroupper\n"
	"	ldmxcsr (%rsp)\n	pop %rax\n"
	"	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	ret\n");
_Static_assert(offsetof(struct evex_state, opmask) == 2048 && offsetof(struct evex_state, mxcsr) == 2112,
	       "evex_real has them as numbers");

#define MXCSR_MASKED 0x1f80u
#define MXCSR_ANY    0xe07fu /* flags, DAZ, rounding, FTZ */
#define RFLAGS_ANY   0x8d5ull
#define INDICES      64

static uint8_t memory[4096] __attribute__((aligned(64))), *const middle = memory + 1024;
static uint64_t random_state = 1;

static uint64_t random_word(void)
{
	uint64_t high;

	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	high = random_state >> 32;
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return high << 32 | random_state >> 32;
}

/* Numbers of all kinds, single and double. */
static uint64_t random_number(bool moderate)
{
	static const uint64_t odd[] = {
		0,
		0x8000000080000000,
		0x7f8000007f800000, /* infinity */
		0x7ff0000000000000,
		0xfff0000000000000,
		0x7fc00001ffc00002, /* not a number */
		0x7ff8000000000001,
		0x7ff4000000000001, /* signalling */
		0x7f800001ff800002,
		0x3f8000003f800000,
		0x3ff0000000000000,
		0x0000000100000001, /* denormal */
		0x000fffff00000000,
		0x7f7fffffff7fffff,
		0x7fefffffffffffff,
		UINT64_MAX,
	};
	uint64_t word = random_word();

	switch (word >> 60) {
	case 0:
	case 1:
		return moderate ? 0 : odd[word % (sizeof(odd) / sizeof(odd[0]))];
	case 2: /* likely to be equal to others */
		return word & 0x0000000300000003;
	default:
		/* As singles and as doubles, of exponents around 1. */
		return moderate || word & 1 ? (word & 0x8fffffff8fffffff) | 0x3000000030000000 : word;
	}
}

static bool is_approximation(const struct evex_case *c)
{
	return strstr(c->text, "14") == c->text + 4 || strstr(c->text, "14") == c->text + 6;
}

static void random_registers(struct evex_state *s, uint64_t gpr[16], uint64_t *rflags, const struct insn *in,
			     bool moderate)
{
	for (unsigned i = 0; i < 32 * 8; i++)
		(&s->zmm[0][0])[i] = random_number(moderate);
	for (unsigned i = 0; i < 8; i++)
		s->opmask[i] = random_word() % 5 ? random_word() : random_word() % 2 ? UINT64_MAX : 0;
	s->mxcsr = MXCSR_MASKED | (random_word() & MXCSR_ANY);
	for (unsigned i = 0; i < 16; i++)
		gpr[i] = random_word();
	gpr[1] = random_word() % INDICES;
	gpr[6] = (uint64_t)middle;
	*rflags = 0x202 | (random_word() & RFLAGS_ANY);
	for (unsigned i = 0; in->special == INSN_MASKMOV && i < 8; i++)
		for (unsigned z = 4; z <= 20; z += 16)
			s->zmm[z][i] = in->rex & 8 ? random_word() % INDICES
						   : random_word() % INDICES << 32 | random_word() % INDICES;
	for (unsigned i = 0; i < sizeof(memory); i += 8)
		memcpy(memory + i, &(uint64_t){random_number(moderate)}, 8);
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bw");
}

static bool plain_copy(void *to, const void *from, uint64_t n)
{
	memcpy(to, from, n);
	return true;
}

static bool no_copy(void *to, const void *from, uint64_t n)
{
	(void)to;
	(void)from;
	(void)n;
	return false;
}

/* 2 to the -14th is what the manual allows; ours is rounded. */
static bool near(uint64_t ours, uint64_t real, bool is_double)
{
	double a, b;
	float single[2];

	memcpy(&single[0], &ours, 4);
	memcpy(&single[1], &real, 4);
	memcpy(&a, &ours, 8);
	memcpy(&b, &real, 8);
	if (!is_double) {
		a = single[0];
		b = single[1];
		ours = (uint32_t)ours;
		real = (uint32_t)real;
	}
	return ours == real || fabs(a - b) <= fabs(b) * (0x1p-14 + 0x1p-22);
}

/* Take what is near enough for equal. */
static void forgive(struct evex_state *ours, const struct evex_state *real, bool is_double)
{
	unsigned size = is_double ? 8 : 4;

	for (unsigned i = 0; i < sizeof(ours->zmm); i += size) {
		uint64_t a = 0, b = 0;

		memcpy(&a, (uint8_t *)ours->zmm + i, size);
		memcpy(&b, (const uint8_t *)real->zmm + i, size);
		if (near(a, b, is_double))
			memcpy((uint8_t *)ours->zmm + i, &b, size);
	}
}

static void compare(const struct evex_case *c)
{
	static struct evex_state real, ours;
	static uint8_t memory_real[sizeof(memory)], memory_before[sizeof(memory)];
	struct insn_registers r = {.rip = (uint64_t)c->code};
	uint64_t gpr[16], flags_real, flags;
	struct insn in;

	assert_true(insn_decode(c->code, c->end - c->code, &in));
	assert_int_equal(in.length, c->end - c->code);
	random_registers(&ours, r.gpr, &flags, &in, is_approximation(c));
	real = ours;
	memcpy(gpr, r.gpr, sizeof(gpr));
	flags_real = flags;
	memcpy(memory_before, memory, sizeof(memory));
	evex_real(&real, gpr, c->code, &flags_real);
	memcpy(memory_real, memory, sizeof(memory));
	memcpy(memory, memory_before, sizeof(memory));
	if (!evex_carry_out(&ours, c->code, &in, &r, &flags, plain_copy))
		fail_msg("%s is not carried out", c->text);
	if (is_approximation(c))
		forgive(&ours, &real, in.rex & 8);
	if (memcmp(&ours, &real, sizeof(ours)) || memcmp(gpr, r.gpr, sizeof(gpr)) || flags != flags_real ||
	    memcmp(memory, memory_real, sizeof(memory)))
		fail_msg("%s: MXCSR %x, the processor's %x; flags %lx, %lx; vectors %s, opmasks %s, general "
			 "registers %s, memory %s",
			 c->text, ours.mxcsr, real.mxcsr, flags, flags_real,
			 memcmp(ours.zmm, real.zmm, sizeof(ours.zmm)) ? "differ" : "agree",
			 memcmp(ours.opmask, real.opmask, sizeof(ours.opmask)) ? "differ" : "agree",
			 memcmp(gpr, r.gpr, sizeof(gpr)) ? "differ" : "agree",
			 memcmp(memory, memory_real, sizeof(memory)) ? "differs" : "agrees");
}

static void test_as_the_processor(void **state)
{
	(void)state;
	if (!has_avx512())
		skip_because("this processor has no AVX-512 (F, VL and BW)");
	for (const struct evex_case *c = evex_cases; c < evex_cases_end; c++)
		for (unsigned i = 0; i < TRIALS; i++)
			compare(c);
}

/* What it leaves alone: registers are then as before. */
__asm__("	.data\n"
	"	.globl evex_refused, evex_refused_end\n"
	"evex_refused:\n"
	"	vpabsd %zmm0, %zmm1\n"             /* not known */
	"	vpaddd %fs:(%rsi), %zmm0, %zmm1\n" /* segment */
	/* alignment to the width of the operand, SDM vol. 2, VMOVAPS */
	".irp at, 1, 8, 16, 32\n"
	"	vmovaps \\at(%rsi), %zmm1\n"
	"	vmovaps %zmm1, \\at(%rsi)\n"
	".endr\n"
	".irp at, 1, 8, 16, 48\n"
	"	vmovaps \\at(%rsi), %ymm17\n"
	"	vmovaps %ymm17, \\at(%rsi)\n"
	".endr\n"
	".irp at, 1, 8, 40\n"
	"	vmovaps \\at(%rsi), %xmm17\n"
	".endr\n"
	"	vpsrld $3, %zmm0, %zmm1\n"         /* VPSLLD's opcode, but for ModRM */
	"	vaddps %ymm0, %ymm1, %ymm2\n"      /* VEX */
	"	kmovw (%rsi), %k1\n"
	"	nop\n"
	"evex_refused_end:\n"
	"	.text\n");
extern const uint8_t evex_refused[], evex_refused_end[];

static void test_refused(void **state)
{
	static struct evex_state s, before;
	struct insn_registers r;
	uint64_t flags;
	struct insn in;

	(void)state;
	for (const uint8_t *p = evex_refused; p < evex_refused_end; p += in.length) {
		assert_true(insn_decode(p, evex_refused_end - p, &in));
		random_registers(&s, r.gpr, &flags, &in, false);
		before = s;
		assert_false(evex_carry_out(&s, p, &in, &r, &flags, plain_copy));
		assert_memory_equal(&s, &before, sizeof(s));
	}
}

/* Memory that cannot be reached: VPADDD (%rsi), %zmm0, %zmm1; with a mask of nothing VMOVDQU32 does not ask
 * for it. */
static void test_unreachable(void **state)
{
	static const uint8_t add[] = {0x62, 0xf1, 0x7d, 0x48, 0xfe, 0x0e},
			     move[] = {0x62, 0xf1, 0x7e, 0x49, 0x6f, 0x06};
	static struct evex_state s, before;
	struct insn_registers r;
	uint64_t flags;
	struct insn in;

	(void)state;
	assert_true(insn_decode(add, sizeof(add), &in));
	random_registers(&s, r.gpr, &flags, &in, false);
	before = s;
	assert_false(evex_carry_out(&s, add, &in, &r, &flags, no_copy));
	assert_memory_equal(&s, &before, sizeof(s));
	assert_true(insn_decode(move, sizeof(move), &in));
	s.opmask[1] = 1;
	assert_false(evex_carry_out(&s, move, &in, &r, &flags, no_copy));
	s.opmask[1] = 1 << 16;
	assert_true(evex_carry_out(&s, move, &in, &r, &flags, no_copy));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_processor),
					   cmocka_unit_test(test_refused),
					   cmocka_unit_test(test_unreachable)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
