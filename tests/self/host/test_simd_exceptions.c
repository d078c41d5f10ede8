/*
 * Which SIMD floating-point exceptions an instruction raises (arch/x86/emulated/simd_exceptions.h), against
 * what this machine's processor delivers: every instruction that is known, on operands at the edges and
 * random ones, with masks, rounding, DAZ and FTZ as they come.
 */
#define _GNU_SOURCE
#include "arch/x86/emulated/simd_exceptions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/self/host/support/skip.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define TRIALS         4000
#define MXCSR_SETTINGS 0xffc0u /* all but the flags */
#define MXCSR_DAZ      0x0040u
#define MXCSR_RESET    0x1f80u

static uint64_t random_state = 1;

static uint64_t random_word(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 16 ^ random_state << 40;
}

static const uint32_t edges_single[] = {
	0,          0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x007fffff, 0x00800000,
	0x80800001, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x4f000000,
	0x4effffff, 0x3f000000, 0x20000000, 0x1f800000, 0x5f000000, 0x33800000,
};
static const uint64_t edges_double[] = {
	0,
	1ull << 63,
	0x3ff0000000000000,
	0xbff0000000000000,
	1,
	0x000fffffffffffff,
	0x0010000000000000,
	0x8010000000000001,
	0x7fefffffffffffff,
	0x7ff0000000000000,
	0xfff0000000000000,
	0x7ff8000000000000,
	0x7ff0000000000001,
	0x41e0000000000000,
	0x380fffffffffffff,
	0x3690000000000000,
	0x47efffffe0000000,
	0x3800000000000000,
	0x36a0000000000000,
};
#define PICK(edges) ((edges)[random_word() % (sizeof(edges) / sizeof((edges)[0]))])

static void random_vector(uint8_t v[16])
{
	unsigned how = random_word() % 4;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t single = how ? PICK(edges_single) : (uint32_t)random_word();
		uint64_t twice = PICK(edges_double);

		memcpy(v + 4 * i, &single, 4);
		if (how == 2 && i < 2)
			memcpy(v + 8 * i, &twice, 8);
	}
	if (how == 2) {
		uint64_t twice[2] = {PICK(edges_double), PICK(edges_double)};

		memcpy(v, twice, 16);
	}
}

static volatile uint32_t delivered;
static volatile unsigned behind; /* bytes to skip */

static void on_fpe(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	(void)signal;
	(void)info;

	delivered = c->uc_mcontext.fpregs->mxcsr;
	c->uc_mcontext.fpregs->mxcsr = MXCSR_RESET;
	c->uc_mcontext.gregs[REG_RIP] += behind;
}

/* The flags that the processor delivers with #XM, 0 if it raises none. */
static unsigned real(uint8_t *page, const uint8_t *code, const struct insn *in, const struct simd_operands *o,
		     uint32_t mxcsr)
{
	const uint32_t reset = MXCSR_RESET;

	memcpy(page, code, in->length);
	page[in->length] = 0xff; /* jmp *%rdx */
	page[in->length + 1] = 0xe2;
	behind = in->length;
	delivered = 0;
	__asm__ volatile("movdqu %0, %%xmm0\n\t"
			 "movdqu %1, %%xmm1\n\t"
			 "ldmxcsr %2\n\t"
			 "lea 1f(%%rip), %%rdx\n\t"
			 "jmp *%3\n"
			 "1:\tldmxcsr %4"
			 :
			 : "m"(o->to), "m"(o->from), "m"(mxcsr), "r"(page), "m"(reset), "c"(o->general)
			 : "rax", "rdx", "xmm0", "xmm1", "cc", "memory");
	return delivered & SIMD_EXCEPTIONS;
}

/** What LDMXCSR may load besides flags, by MXCSR_MASK of FXSAVE's image, which is 0 on CPUs without DAZ. SDM
 * vol. 1, 11.6.6. */
static uint32_t settings_of(uint32_t mask)
{
	return MXCSR_SETTINGS & (mask ? mask : ~MXCSR_DAZ);
}

static uint32_t mxcsr_mask(void)
{
	static uint8_t image[512] __attribute__((aligned(16)));
	uint32_t mask;

	__asm__ volatile("fxsave %0" : "=m"(image));
	memcpy(&mask, image + 28, sizeof mask);
	return mask;
}

/** Whether an unmasked exception is raised at all: by an emulator that serves as this machine it may not be.
 */
static bool raises_any(uint8_t *page)
{
	static const uint8_t divss[15] = {0xf3, 0x0f, 0x5e, 0xc1};
	struct simd_operands one_by_zero = {.to = {0, 0, 0x80, 0x3f}};
	struct insn in;

	return insn_decode(divss, sizeof divss, &in) &&
	       real(page, divss, &in, &one_by_zero, MXCSR_RESET & ~(uint32_t)(SIMD_ZE << 7));
}

static const uint8_t opcodes[] = {0x2a, 0x2c, 0x2d, 0x2e, 0x2f, 0x51, 0x58, 0x59,
				  0x5a, 0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0xc2, 0xe6};

/* @return its length, 0 if there is none such */
static unsigned encode(uint8_t code[15], unsigned opcode, unsigned prefix, bool wide, uint8_t immediate,
		       struct insn *in)
{
	static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
	uint8_t *p = code;

	memset(code, 0x90, 15);
	if (prefix)
		*p++ = prefixes[prefix];
	if (wide)
		*p++ = 0x48;
	*p++ = 0x0f;
	*p++ = opcodes[opcode];
	*p++ = 0xc1;
	*p++ = immediate;
	return insn_decode(code, 15, in) ? in->length : 0;
}

static void test_as_the_processor(void **state)
{
	uint8_t *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO}, old;
	unsigned instructions = 0, raised[6] = {0}, none = 0;

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	sigemptyset(&action.sa_mask);
	sigaction(SIGFPE, &action, &old);
	if (!raises_any(page)) {
		sigaction(SIGFPE, &old, NULL);
		skip_because("this machine raises no SIMD floating-point exception");
	}
	for (unsigned opcode = 0; opcode < sizeof(opcodes); opcode++)
		for (unsigned variant = 0; variant < 8; variant++) {
			uint8_t code[15];
			struct insn in;

			if (!encode(code, opcode, variant & 3, variant & 4, 0, &in) ||
			    !simd_operand_size(code, &in))
				continue;
			instructions++;
			for (unsigned i = 0; i < TRIALS; i++) {
				struct simd_operands o = {.general = random_word()};
				uint32_t mxcsr = random_word() & settings_of(mxcsr_mask());
				unsigned mine, its;

				encode(code, opcode, variant & 3, variant & 4, i % 8, &in);
				random_vector(o.to);
				random_vector(o.from);
				mine = simd_raised(code, &in, &o, mxcsr);
				its = real(page, code, &in, &o, mxcsr);
				if (its & simd_unmasked(mxcsr) & (SIMD_OE | SIMD_UE))
					mine = (mine & ~(unsigned)SIMD_PE) | (its & SIMD_PE);
				if (mine != its)
					print_error("0F %02x, variant %u, predicate %u, MXCSR %x: %x, the "
						    "processor %x\n",
						    opcodes[opcode], variant, i % 8, mxcsr, mine, its);
				assert_int_equal(mine, its);
				none += !its;
				for (unsigned e = 0; e < 6; e++)
					raised[e] += its >> e & 1;
			}
		}
	sigaction(SIGFPE, &old, NULL);
	munmap(page, 4096);
	assert_in_range(instructions, 90, 128);
	assert_in_range(none, 1000, UINT32_MAX);
	for (unsigned e = 0; e < 6; e++)
		assert_in_range(raised[e], 1000, UINT32_MAX);
}

/* CPUs with DAZ, without it, and of before there was a mask. */
static void test_settings(void **state)
{
	(void)state;
	assert_int_equal(settings_of(0xffff), 0xffc0);
	assert_int_equal(settings_of(0x2ffff), 0xffc0);
	assert_int_equal(settings_of(0xffbf), 0xff80);
	assert_int_equal(settings_of(0), 0xff80);
}

/* What it must keep its hands off, or need not look at. */
static void test_others(void **state)
{
	static const struct {
		const char *what;
		uint8_t code[8];
	} others[] = {
		{"nop", {0x90}},
		{"add %ecx, %eax", {0x01, 0xc8}},
		{"movups %xmm1, %xmm0", {0x0f, 0x10, 0xc1}},
		{"xorps %xmm1, %xmm0", {0x0f, 0x57, 0xc1}},
		{"cvtpi2ps %mm1, %xmm0", {0x0f, 0x2a, 0xc1}},
		{"cvttpd2pi %xmm1, %mm0", {0x66, 0x0f, 0x2c, 0xc1}},
		{"vdivss %xmm1, %xmm0, %xmm0", {0xc5, 0xfa, 0x5e, 0xc1}},
		{"vdivps %xmm9, %xmm0, %xmm0", {0xc4, 0xc1, 0x78, 0x5e, 0xc1}},
		{"pshufb %xmm1, %xmm0", {0x66, 0x0f, 0x38, 0x00, 0xc1}},
		{"ldmxcsr (%rdx)", {0x0f, 0xae, 0x12}},
	};
	struct simd_operands o = {.general = 0};
	struct insn in;

	(void)state;
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_true(insn_decode(others[i].code, 8, &in));
		assert_int_equal(simd_operand_size(others[i].code, &in), 0);
		assert_int_equal(simd_raised(others[i].code, &in, &o, 0), 0);
	}
}

static void test_sizes(void **state)
{
	static const struct {
		unsigned size;
		uint8_t code[8];
	} rows[] = {
		{4, {0xf3, 0x0f, 0x5e, 0x01}},        /* divss */
		{8, {0xf2, 0x0f, 0x5e, 0x01}},        /* divsd */
		{16, {0x0f, 0x5e, 0x01}},             /* divps */
		{16, {0x66, 0x44, 0x0f, 0x5e, 0x01}}, /* divpd (%rcx), %xmm8 */
		{4, {0x0f, 0x2e, 0x01}},              /* ucomiss */
		{8, {0x66, 0x0f, 0x2f, 0x01}},        /* comisd */
		{8, {0x0f, 0x5a, 0x01}},              /* cvtps2pd */
		{16, {0x66, 0x0f, 0x5a, 0x01}},       /* cvtpd2ps */
		{4, {0xf3, 0x0f, 0x5a, 0x01}},        /* cvtss2sd */
		{4, {0xf2, 0x0f, 0x2a, 0x01}},        /* cvtsi2sd, 32 bits */
		{8, {0xf3, 0x48, 0x0f, 0x2a, 0x01}},  /* cvtsi2ss, 64 bits */
		{4, {0xf3, 0x48, 0x0f, 0x2d, 0x01}},  /* cvtss2si to 64 bits */
		{16, {0x0f, 0x5b, 0x01}},             /* cvtdq2ps */
		{8, {0xf3, 0x0f, 0xe6, 0x01}},        /* cvtdq2pd */
		{8, {0xf2, 0x0f, 0xc2, 0x01, 0x01}},  /* cmpltsd */
	};
	struct insn in;

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(insn_decode(rows[i].code, 8, &in));
		assert_int_equal(simd_operand_size(rows[i].code, &in), rows[i].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_processor),
					   cmocka_unit_test(test_settings), cmocka_unit_test(test_others),
					   cmocka_unit_test(test_sizes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
