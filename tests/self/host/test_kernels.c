/*
 * Every kernel of the set: well-formed, its sums consistent, and a copy of it, put anywhere and run at full
 * speed on this processor, leaves behind what the contract of tests/kernels/kernel.h says.
 */
#define _GNU_SOURCE
#include "tests/self/host/support/stepper.h"
#include "tests/kernels/x86/handled.c"
#include "tests/kernels/x86/kernel.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <asm/prctl.h>
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t turns[] = {1, 2, 3, 7, 100};
#define TURNS (sizeof(turns) / sizeof(turns[0]))

static const struct kernel *next_kernel(const struct kernel *k)
{
	k = k ? k + 1 : kernels_begin;
	return k < kernels_end ? k : NULL;
}

#define EACH_KERNEL(k) (const struct kernel *k = NULL; (k = next_kernel(k));)

static int64_t amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount a = kernel_amount(k, q, n);

	assert_true(a.defined && !a.overflow);
	return a.low;
}

/* --- form ------------------------------------------------------------------------------------------- */

static void there_are_many(void **state)
{
	(void)state;
	assert_in_range(kernels_end - kernels_begin, 90, 10000);
}

static void names_are_unique_words(void **state)
{
	(void)state;
	for
		EACH_KERNEL(k)
		{
			assert_int_equal(strspn(k->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
					 strlen(k->name));
			assert_ptr_equal(kernel_by_name(k->name), k);
		}
}

static void only_empty_has_no_code(void **state)
{
	(void)state;
	for
		EACH_KERNEL(k)
	assert_int_equal(k->code == k->code_end, !strcmp(k->name, "empty"));
}

static void flags_and_needs_are_known(void **state)
{
	uint64_t known_needs = 0, met_needs = 0, met_flags = 0;
	uint64_t known_flags = KERNEL_PRIVILEGED | KERNEL_CORE | KERNEL_CLOBBERS_CR | KERNEL_USER_ONLY |
			       KERNEL_FROM_ZERO | KERNEL_FINER | KERNEL_STILL | KERNEL_TRANSACTS |
			       KERNEL_NO_PATH | KERNEL_SERVICES;

	(void)state;
	for (const struct kernel_need *n = kernel_needs; n->bit; n++) {
		assert_int_equal(n->bit & (n->bit - 1), 0);
		assert_int_equal(known_needs & n->bit, 0);
		known_needs |= n->bit;
	}
	for
		EACH_KERNEL(k)
		{
			met_needs |= k->needs;
			met_flags |= k->flags;
			assert_int_equal(k->needs & ~known_needs, 0);
			assert_int_equal(k->flags & ~known_flags, 0);
			assert_false((k->flags & KERNEL_PRIVILEGED) && (k->flags & KERNEL_USER_ONLY));
			if (k->flags & KERNEL_CORE)
				assert_true(!k->needs && !(k->flags & ~(uint64_t)KERNEL_CORE));
		}
	/* None is there for nobody. */
	assert_int_equal(known_needs & ~met_needs, 0);
	assert_int_equal(known_flags & ~met_flags, 0);
}

/* What is bounded for NOPs alone may be said of nothing else. */
static void still_kernels_have_nops_alone(void **state)
{
	unsigned n = 0;

	(void)state;
	for
		EACH_KERNEL(k)
		{
			struct amount all = kernel_amount(k, Q_INSTRUCTIONS, 1000),
				      nops = kernel_amount(k, Q_INSN_NOP, 1000),
				      loop = kernel_amount(k, Q_BR_COND, 1000);

			if (!(k->flags & KERNEL_STILL))
				continue;
			n++;
			/* DEC and JNZ close the loop. */
			assert_int_equal(all.high, nops.low + 2 * 1000);
			assert_int_equal(loop.low, 1000);
			/* Redwood Cove's loop buffer holds 192, Lion Cove's 200
			 * (pmu/intel/events/meanings.h). */
			assert_true(nops.low > 256 * 1000);
		}
	assert_true(n);
}

/* Each quantity once, the architectural ones exactly, the others with a reason where they are an interval. */
static void lines_are_well_formed(void **state)
{
	(void)state;
	for
		EACH_KERNEL(k)
		{
			bool listed[Q_COUNT] = {false};

			for (const struct signature_exact *l = k->exact; l < k->exact_end; l++) {
				assert_in_range(l->quantity, 0, Q_COUNT - 1);
				assert_false(listed[l->quantity]);
				listed[l->quantity] = true;
			}
			for (const struct signature_range *l = k->range; l < k->range_end; l++) {
				assert_in_range(l->quantity, 0, Q_COUNT - 1);
				assert_false(listed[l->quantity]);
				listed[l->quantity] = true;
				assert_true(quantity_info[l->quantity].class == QUANTITY_MICRO ||
					    kernel_transacts(k));
				if (strlen(l->reason) <= 10)
					print_error("%s: %s has no reason\n", k->name,
						    quantity_info[l->quantity].name);
				assert_true(strlen(l->reason) > 10);
			}
			for (enum quantity q = 0; q < Q_COUNT; q++)
				for (unsigned i = 0; i < TURNS; i++) {
					struct amount a = kernel_amount(k, q, turns[i]);

					assert_false(a.overflow);
					assert_true(!a.defined || (a.low <= a.high && a.high >= 0));
					assert_true(quantity_info[q].class == QUANTITY_MICRO || a.low >= 0);
				}
		}
}

/* --- sums ------------------------------------------------------------------------------------------- */

#define SUM_TERMS 12

/* sum of coefficient * quantity = 0, or >= 0 */
static const struct sum {
	const char *text;
	bool at_least;
	struct {
		enum quantity quantity;
		int coefficient;
	} term[SUM_TERMS]; /* coefficient 0 ends */
} sums[] = {
	{"branches are of one kind each",
	 false,
	 {{Q_BRANCHES, -1},
	  {Q_BR_COND, 1},
	  {Q_BR_JMP_DIRECT, 1},
	  {Q_BR_JMP_INDIRECT, 1},
	  {Q_BR_CALL_DIRECT, 1},
	  {Q_BR_CALL_INDIRECT, 1},
	  {Q_BR_RET, 1},
	  {Q_BR_FAR, 1}}},
	{"conditional branches are taken or not",
	 false,
	 {{Q_BR_COND, -1}, {Q_BR_COND_TAKEN, 1}, {Q_BR_COND_NTAKEN, 1}}},
	{"single-precision operations are arithmetic times lanes",
	 false,
	 {{Q_FLOPS_SP, -1}, {Q_FP_SCALAR_SP, 1}, {Q_FP_128_SP, 4}, {Q_FP_256_SP, 8}, {Q_FP_512_SP, 16}}},
	{"double-precision operations are arithmetic times lanes",
	 false,
	 {{Q_FLOPS_DP, -1}, {Q_FP_SCALAR_DP, 1}, {Q_FP_128_DP, 2}, {Q_FP_256_DP, 4}, {Q_FP_512_DP, 8}}},
	{"kinds of single-precision operations are some of them",
	 true,
	 {{Q_FLOPS_SP, 1},
	  {Q_FLOPS_SP_ADD, -1},
	  {Q_FLOPS_SP_MUL, -1},
	  {Q_FLOPS_SP_DIV, -1},
	  {Q_FLOPS_SP_MAC, -1}}},
	{"kinds of double-precision operations are some of them",
	 true,
	 {{Q_FLOPS_DP, 1},
	  {Q_FLOPS_DP_ADD, -1},
	  {Q_FLOPS_DP_MUL, -1},
	  {Q_FLOPS_DP_DIV, -1},
	  {Q_FLOPS_DP_MAC, -1}}},
	{"prefetches are of one hint each",
	 false,
	 {{Q_PREFETCHES, -1},
	  {Q_PREFETCH_T0, 1},
	  {Q_PREFETCH_T1T2, 1},
	  {Q_PREFETCH_NTA, 1},
	  {Q_PREFETCH_W, 1}}},
	{"exceptions have one vector each",
	 false,
	 {{Q_EXCEPTIONS, -1},
	  {Q_EXC_DE, 1},
	  {Q_EXC_DB, 1},
	  {Q_EXC_UD, 1},
	  {Q_EXC_NM, 1},
	  {Q_EXC_NP, 1},
	  {Q_EXC_SS, 1},
	  {Q_EXC_GP, 1},
	  {Q_EXC_PF, 1},
	  {Q_EXC_MF, 1},
	  {Q_EXC_AC, 1},
	  {Q_EXC_XM, 1}}},
	{"who goes to ring 0 comes back", false, {{Q_RING_TO_KERNEL, 1}, {Q_RING_TO_USER, -1}}},
	{"instructions are at least the branches", true, {{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, -1}}},
	{"instructions are at least those that load", true, {{Q_INSTRUCTIONS, 1}, {Q_INSN_LOAD, -1}}},
	{"instructions are at least those that store", true, {{Q_INSTRUCTIONS, 1}, {Q_INSN_STORE, -1}}},
	{"an instruction that loads makes a load", true, {{Q_LOADS, 1}, {Q_INSN_LOAD, -1}}},
	{"a load has a byte", true, {{Q_LOAD_BYTES, 1}, {Q_LOADS, -1}}},
	{"a store has a byte", true, {{Q_STORE_BYTES, 1}, {Q_STORES, -1}}},
	{"a load splits once", true, {{Q_LOADS, 1}, {Q_LOADS_SPLIT_LINE, -1}}},
	{"a store splits once", true, {{Q_STORES, 1}, {Q_STORES_SPLIT_LINE, -1}}},
	{"who splits a page splits a line (load)", true, {{Q_LOADS_SPLIT_LINE, 1}, {Q_LOADS_SPLIT_PAGE, -1}}},
	{"who splits a page splits a line (store)",
	 true,
	 {{Q_STORES_SPLIT_LINE, 1}, {Q_STORES_SPLIT_PAGE, -1}}},
	{"a software interrupt is a far branch", true, {{Q_BR_FAR, 1}, {Q_INTERRUPTS_SW, -1}}},
	{"a split lock is a lock", true, {{Q_INSN_LOCKED, 1}, {Q_INSN_LOCKED_SPLIT, -1}}},
	{"a split lock stores across lines", true, {{Q_STORES_SPLIT_LINE, 1}, {Q_INSN_LOCKED_SPLIT, -1}}},
	{"a locked instruction loads", true, {{Q_INSN_LOAD, 1}, {Q_INSN_LOCKED, -1}}},
	{"a non-temporal store is a store", true, {{Q_STORES, 1}, {Q_STORES_NT, -1}}},
	{"LEAVE loads", true, {{Q_INSN_LOAD, 1}, {Q_INSN_LEAVE, -1}}},
	{"EMMS and MASKMOVQ are MMX's",
	 true,
	 {{Q_INSN_MMX, 1}, {Q_INSN_EMMS, -1}, {Q_INSN_MASKMOVQ, -1}, {Q_INSN_CVTPD2PI, -1}}},
	{"a masked move is AVX's", true, {{Q_INSN_AVX, 1}, {Q_INSN_VMASKMOV, -1}}},
	{"what loads a control word is x87's", true, {{Q_INSN_X87, 1}, {Q_INSN_X87_CONTROL, -1}}},
	{"FLDCW loads a control word", true, {{Q_INSN_X87_CONTROL, 1}, {Q_INSN_FLDCW, -1}}},
	{"what clears flags, loads control words or waits is x87's",
	 true,
	 {{Q_INSN_X87, 1}, {Q_INSN_X87_CLEAR, -1}, {Q_INSN_X87_CONTROL, -1}, {Q_INSN_FWAIT, -1}}},
	{"FXCH is x87's", true, {{Q_INSN_X87, 1}, {Q_INSN_FXCH, -1}}},
	{"CLFLUSHOPT and CLWB flush", true, {{Q_INSN_CLFLUSH, 1}, {Q_INSN_CLFLUSHOPT, -1}}},
	{"LFENCE is a fence", true, {{Q_INSN_FENCE, 1}, {Q_INSN_LFENCE, -1}}},
	{"WRMSR serialises", true, {{Q_INSN_SERIALIZING, 1}, {Q_INSN_WRMSR, -1}}},
	{"CPUID serialises", true, {{Q_INSN_SERIALIZING, 1}, {Q_INSN_CPUID, -1}}},
};

static bool holds(const struct sum *s, const struct kernel *k, uint64_t n)
{
	int64_t total = 0;

	for (unsigned i = 0; i < SUM_TERMS && s->term[i].coefficient; i++)
		total += s->term[i].coefficient * amount(k, s->term[i].quantity, n);
	return s->at_least ? total >= 0 : total == 0;
}

static void sums_hold(void **state)
{
	unsigned broken = 0;

	(void)state;
	for
		EACH_KERNEL(k)
	for (unsigned s = 0; s < sizeof(sums) / sizeof(sums[0]); s++)
		for (unsigned i = 0; i < TURNS; i++)
			if (!holds(&sums[s], k, turns[i])) {
				printf("%s, N = %lu: not so that %s\n", k->name, turns[i], sums[s].text);
				broken++;
			}
	assert_int_equal(broken, 0);
}

static void a_wrong_sum_shows(void **state)
{
	const struct kernel *k = kernel_by_name("loop");
	const struct sum *branches = &sums[0], *conditional = &sums[1];

	(void)state;
	assert_non_null(k);
	assert_true(holds(branches, k, 3) && holds(conditional, k, 3));
	assert_true(kernel_falsify(k, Q_BR_COND, 0, 1));
	assert_false(holds(branches, k, 3));
	assert_false(holds(conditional, k, 3));
	kernel_restore();
	assert_true(holds(branches, k, 3) && holds(conditional, k, 3));
}

/* --- needs ------------------------------------------------------------------------------------------ */

static bool has_all(enum cpu_feature feature)
{
	return feature < CPU_FEATURE_COUNT;
}

static bool lacks_fma(enum cpu_feature feature)
{
	return feature != CPU_FMA;
}

static void what_is_missing_is_named(void **state)
{
	(void)state;
	assert_null(kernel_missing(0, lacks_fma, 0));
	assert_null(kernel_missing(~0ull, has_all, 0xe7));
	assert_string_equal(kernel_missing(KERNEL_NEEDS_FMA, lacks_fma, 0xe7)->name, "FMA");
	assert_string_equal(kernel_missing(KERNEL_NEEDS_AVX, has_all, 0)->lacking, "the CPU lacks AVX");
	assert_string_equal(kernel_missing(KERNEL_NEEDS_AVX512F, has_all, 0x7)->name, "AVX512F");
	assert_null(kernel_missing(KERNEL_NEEDS_AVX, has_all, 0x7));
}

/* SDM vol. 1, 13.1 and 14.3: what of XCR0 each needs besides the CPU's own feature: without any one of these
 * bits it is missing, and with no others than these it is there. */
static void state_that_each_feature_needs(void **state)
{
	static const struct {
		uint64_t needs, xcr0;
	} all[] = {
		{KERNEL_NEEDS_SSE3, 0},      {KERNEL_NEEDS_SSSE3, 0},      {KERNEL_NEEDS_SSE41, 0},
		{KERNEL_NEEDS_SSE42, 0},     {KERNEL_NEEDS_POPCNT, 0},     {KERNEL_NEEDS_LZCNT, 0},
		{KERNEL_NEEDS_MOVBE, 0},     {KERNEL_NEEDS_CX16, 0},       {KERNEL_NEEDS_LAHF_LM, 0},
		{KERNEL_NEEDS_AES, 0},       {KERNEL_NEEDS_PCLMUL, 0},     {KERNEL_NEEDS_SHA, 0},
		{KERNEL_NEEDS_BMI1, 0},      {KERNEL_NEEDS_BMI2, 0},       {KERNEL_NEEDS_ADX, 0},
		{KERNEL_NEEDS_AVX, 6},       {KERNEL_NEEDS_F16C, 6},       {KERNEL_NEEDS_FMA, 6},
		{KERNEL_NEEDS_AVX2, 6},      {KERNEL_NEEDS_AVX512F, 0xe6}, {KERNEL_NEEDS_AVX512VL, 0xe6},
		{KERNEL_NEEDS_PREFETCHW, 0}, {KERNEL_NEEDS_CLFLUSHOPT, 0}, {KERNEL_NEEDS_CLWB, 0},
		{KERNEL_NEEDS_RDTSCP, 0},    {KERNEL_NEEDS_SERIALIZE, 0},  {KERNEL_NEEDS_SEP, 0},
		{KERNEL_NEEDS_RDRAND, 0},    {KERNEL_NEEDS_XSAVE, 1},      {KERNEL_NEEDS_RTM, 0},
		{KERNEL_NEEDS_MONITOR, 0},   {KERNEL_NEEDS_SVM, 0},
	};
	unsigned n = 0;

	(void)state;
	for (const struct kernel_need *need = kernel_needs; need->bit; need++)
		n++;
	assert_int_equal(n, sizeof all / sizeof *all);
	for (unsigned i = 0; i < n; i++) {
		assert_null(kernel_missing(all[i].needs, has_all, all[i].xcr0));
		for (unsigned bit = 0; bit < 8; bit++)
			if (all[i].xcr0 >> bit & 1)
				assert_non_null(
					kernel_missing(all[i].needs, has_all, 0xe7 & ~(UINT64_C(1) << bit)));
	}
}

/* --- behaviour -------------------------------------------------------------------------------------- */

/* Handed to probe_run(), which fills in what lies behind `left`. Offsets are used in the assembly below. */
struct probe {
	uint64_t entry, stack, n, data, alias; /* 0 8 16 24 32 */
	uint64_t has_xinuse;                   /* 40 */
	uint64_t rsp, r12, r13, r14, r15;      /* 48 56 64 72 80 */
	uint64_t flags, mxcsr, xinuse;         /* 88 96 104 */
	uint16_t environment[14];              /* 112: FNSTENV */
};

/* Load what a kernel finds at entry, jump to it, and look around when it comes to probe_back. */
void probe_run(struct probe *p);
extern const uint8_t probe_back[];
__asm__(".text\n"
	"probe_run:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, probe_host_stack(%rip)\n"
	"	mov %rdi, probe_current(%rip)\n"
	"	cmpq $0, 40(%rdi)\n"
	"	jz 1f\n"
	"	vzeroupper\n"
	"1:	mov 0(%rdi), %rax\n"
	"	mov 8(%rdi), %rsp\n"
	"	mov 24(%rdi), %rsi\n"
	"	mov 32(%rdi), %r8\n"
	"	mov 16(%rdi), %rdi\n"
	"	mov $12, %r12d; mov $13, %r13d; mov $14, %r14d; mov $15, %r15d\n"
	"	jmp *%rax\n"
	"probe_back:\n"
	"	mov probe_current(%rip), %rax\n"
	"	mov %rsp, 48(%rax)\n"
	"	mov %r12, 56(%rax); mov %r13, 64(%rax); mov %r14, 72(%rax); mov %r15, 80(%rax)\n"
	"	mov probe_host_stack(%rip), %rsp\n"
	"	pushfq; popq 88(%rax)\n"
	"	cld\n"
	"	stmxcsr 96(%rax)\n"
	"	fnstenv 112(%rax)\n"
	"	fninit\n"
	"	ldmxcsr probe_mxcsr(%rip)\n"
	"	cmpq $0, 40(%rax)\n"
	"	jz 1f\n"
	"	mov %rax, %rsi\n"
	"	mov $1, %ecx\n"
	"	xgetbv\n"
	"	mov %eax, 104(%rsi)\n"
	"1:	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	"probe_mxcsr: .long 0x1f80\n"
	".local probe_current, probe_host_stack\n"
	".comm probe_current, 8, 8\n"
	".comm probe_host_stack, 8, 8\n");

#define ARENA      0x4000
#define STACK      0x4000
#define STACK_LEFT 0x800
#define PLACES     2

static struct {
	uint8_t *rx[PLACES], *rw, *data, *stack;
} memory;

static void *map(size_t size, int protection, int fd)
{
	void *p = mmap(NULL, size, protection, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static int set_up(void **state)
{
	int fd = memfd_create("kernels", 0);

	(void)state;
	kernels_unpack();
	if (fd < 0 || ftruncate(fd, ARENA))
		return -1;
	memory.rw = map(ARENA, PROT_READ | PROT_WRITE, fd);
	for (unsigned i = 0; i < PLACES; i++)
		memory.rx[i] = map(ARENA, PROT_READ | PROT_EXEC, fd);
	memory.data = map(KERNEL_DATA_SIZE, PROT_READ | PROT_WRITE, -1);
	memory.stack = map(STACK, PROT_READ | PROT_WRITE, -1);
	return 0;
}

#define UPPER_HALVES 0x44 /* XINUSE bits: upper halves of YMM0 to YMM15 and of ZMM0 to ZMM15 */

/* What XGETBV with ECX = 1 shows, if it exists: state components that are not in their initial state. */
static bool has_xinuse(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && (c & bit_AVX) &&
	       __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & 4);
}

/** Whether XINUSE tells of upper halves in use, given what it shows behind VZEROUPPER and behind an
 * instruction that fills them. A CPU need not track a component, and always shows it in use then; SDM vol.
 * 1, 13.6. */
static bool tells_upper_halves(uint64_t clear, uint64_t filled)
{
	return !(clear & UPPER_HALVES) && filled & UPPER_HALVES;
}

static void run_code(const uint8_t *code, size_t size, unsigned place, unsigned offset, uint64_t n,
		     struct probe *p)
{
	struct kernel_params *params = (struct kernel_params *)memory.data;
	uint64_t back = (uint64_t)probe_back;
	uint8_t *to = memory.rw + offset;

	params->chain = (uint64_t)&params->chain;
	memset(memory.rw, 0xcc, ARENA);
	memcpy(to, code, size);
	to += size;
	*to++ = 0x48; /* mov $probe_back, %rax */
	*to++ = 0xb8;
	memcpy(to, &back, sizeof(back));
	to += sizeof(back);
	*to++ = 0xff; /* jmp *%rax */
	*to++ = 0xe0;
	*p = (struct probe){
		.entry = (uint64_t)(memory.rx[place] + offset),
		.stack = (uint64_t)(memory.stack + STACK - STACK_LEFT),
		.n = n,
		.data = (uint64_t)memory.data,
		.alias = memory.rw - memory.rx[place],
		.has_xinuse = has_xinuse(),
	};
	uint64_t fs_base;
	syscall(SYS_arch_prctl, ARCH_GET_FS, &fs_base);
	probe_run(p);
	/* A kernel that loads FS leaves no thread-local storage: nothing may be called before it is back. */
	long result;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(fs_base)
			 : "rcx", "r11", "memory");
	assert_int_equal(result, 0);
}

static bool tracks_upper_halves(void)
{
	static const uint8_t nothing[] = {0x90}, fill[] = {0xc5, 0xfc, 0xc2, 0xc0, 0x0f};
	static enum { UNKNOWN, NO, YES } tracks;
	struct probe clear, filled;

	if (tracks == UNKNOWN && has_xinuse()) {
		run_code(nothing, sizeof(nothing), 0, 0, 1, &clear);
		run_code(fill, sizeof(fill), 0, 0, 1, &filled);
		tracks = tells_upper_halves(clear.xinuse, filled.xinuse) ? YES : NO;
	}
	return tracks == YES;
}

/* What the code did not leave as it must; NULL if all is well. `tracks`: the CPU tells of upper halves in
 * use. */
static const char *left_behind(const struct probe *p, bool tracks)
{
	if (p->rsp != p->stack)
		return "RSP";
	if (p->r12 != 12 || p->r13 != 13 || p->r14 != 14 || p->r15 != 15)
		return "R12 to R15";
	if (p->flags & 1 << 10)
		return "the direction flag";
	if ((p->mxcsr & 0xffc0) != 0x1f80)
		return "MXCSR";
	if (p->environment[0] != 0x37f)
		return "the x87 control word";
	if (p->environment[4] != 0xffff)
		return "the x87 stack";
	if (tracks && p->xinuse & UPPER_HALVES)
		return "the upper halves";
	return NULL;
}

static void copies_behave(void **state)
{
	static const unsigned offsets[] = {0, 64 + 1, 1024 + 37};
	unsigned bad = 0, seen = 0;

	(void)state;
	for
		EACH_KERNEL(k)
		{
			if (stepper_unfit(k) || stepper_emulates(k) ||
			    (k->flags &
			     (KERNEL_SERVICE_RESUME | KERNEL_SERVICE_TEST_INT | KERNEL_SERVICE_SYSCALL |
			      KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)))
				continue;
			seen++;
			for (unsigned place = 0; place < PLACES; place++)
				for (unsigned o = 0; o < sizeof(offsets) / sizeof(offsets[0]); o++)
					for (unsigned i = 0; i < TURNS; i++) {
						struct probe p;

						run_code(k->code, k->code_end - k->code, place, offsets[o],
							 turns[i], &p);
						const char *what = left_behind(&p, tracks_upper_halves());

						if (what) {
							printf("%s, N = %lu: %s\n", k->name, turns[i], what);
							bad++;
						}
					}
		}
	assert_int_equal(bad, 0);
	assert_in_range(seen, 60, 10000);
}

static void misbehaviour_shows(void **state)
{
	static const struct {
		uint8_t code[12];
		uint8_t size;
		const char *what;
	} bad[] = {
		{{0x90}, 1, NULL},
		{{0x50}, 1, "RSP"},                       /* push %rax */
		{{0x49, 0xff, 0xc4}, 3, "R12 to R15"},    /* inc %r12 */
		{{0x49, 0xff, 0xc7}, 3, "R12 to R15"},    /* inc %r15 */
		{{0xfd}, 1, "the direction flag"},        /* std */
		{{0xd9, 0xe8}, 2, "the x87 stack"},       /* fld1 */
		{{0x0f, 0xef, 0xc0}, 3, "the x87 stack"}, /* pxor %mm0, %mm0 */
		/* movl $0x0f7f, 64(%rsi); fldcw 64(%rsi) */
		{{0xc7, 0x46, 0x40, 0x7f, 0x0f, 0, 0, 0xd9, 0x6e, 0x40}, 10, "the x87 control word"},
		/* movl $0x9f80, 64(%rsi); ldmxcsr 64(%rsi) */
		{{0xc7, 0x46, 0x40, 0x80, 0x9f, 0, 0, 0x0f, 0xae, 0x56, 0x40}, 11, "MXCSR"},
		/* vcmptrueps %ymm0, %ymm0, %ymm0; last, because not every CPU can tell */
		{{0xc5, 0xfc, 0xc2, 0xc0, 0x0f}, 5, "the upper halves"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]) - !tracks_upper_halves(); i++) {
		struct probe p;

		run_code(bad[i].code, bad[i].size, 0, 0, 1, &p);
		if (bad[i].what)
			assert_string_equal(left_behind(&p, tracks_upper_halves()), bad[i].what);
		else
			assert_null(left_behind(&p, tracks_upper_halves()));
	}
}

/* CPUs that track upper halves, that do not, and that never show them. */
static void upper_halves_by_cpu(void **state)
{
	struct probe p = {.mxcsr = 0x1f80, .r12 = 12, .r13 = 13, .r14 = 14, .r15 = 15, .xinuse = 0x7};

	(void)state;
	p.environment[0] = 0x37f, p.environment[4] = 0xffff;
	assert_true(tells_upper_halves(0x3, 0x7));
	assert_true(tells_upper_halves(0x203, 0x247));
	assert_false(tells_upper_halves(0x7, 0x7));
	assert_false(tells_upper_halves(0x3, 0x3));
	assert_string_equal(left_behind(&p, true), "the upper halves");
	assert_null(left_behind(&p, false));
}

/* The page that is promised to be zero still is when all kernels have run. */
static void zeros_stay_zero(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 0x1000; i++)
		assert_int_equal(memory.data[KERNEL_ZEROS + i], 0);
}

/* --- handlers --------------------------------------------------------------------------------------- */

extern const uint8_t kernel_on_test_int[], kernel_on_fault_code[], kernel_on_syscall[], kernel_on_sysenter[],
	kernel_on_xapic[], kernel_on_syscall_xapic[];

/* The gates themselves are the machine's. A fault resumes by one handler or another like it. */
const uint8_t *services_handler(const struct kernel *k, unsigned vector)
{
	if (vector == VECTOR_NMI)
		return k->flags & KERNEL_SERVICE_NMI ? kernel_on_test_int : NULL;
	if (vector == VECTOR_TEST || vector == VECTOR_DB)
		return k->flags & KERNEL_SERVICE_TEST_INT                          ? kernel_on_test_int
		       : k->flags & (KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC) ? kernel_on_xapic
										   : NULL;
	return k->flags & KERNEL_SERVICE_RESUME ? kernel_on_fault_code : NULL;
}

const uint8_t *services_call_handler(const struct kernel *k)
{
	return k->flags & KERNEL_SERVICE_RESUME       ? NULL
	       : k->flags & KERNEL_SERVICE_CALL_OTHER ? kernel_on_sysenter
	       : k->flags & KERNEL_SERVICE_IPI_MAPPED ? kernel_on_syscall_xapic
						      : kernel_on_syscall;
}

/* Of whatever a kernel leaves ring 3 for it is known what runs in ring 0: one handler for each time, which
 * returns. */
static void handlers_are_known(void **state)
{
	unsigned leave = 0;

	(void)state;
	for
		EACH_KERNEL(k)
		{
			int64_t crossings = amount(k, Q_RING_TO_KERNEL, 10);
			struct amount executed = kernel_handled(k, Q_INSTRUCTIONS, 10),
				      returns = kernel_handled(k, Q_BR_FAR, 10);

			if (!executed.defined || executed.overflow)
				fail_msg("%s: its handlers are not known", k->name);
			assert_int_equal(returns.low, crossings);
			assert_true(executed.low >= returns.low);
			leave += crossings > 0;
		}
	assert_true(leave >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_are_many),
		cmocka_unit_test(handlers_are_known),
		cmocka_unit_test(names_are_unique_words),
		cmocka_unit_test(only_empty_has_no_code),
		cmocka_unit_test(still_kernels_have_nops_alone),
		cmocka_unit_test(flags_and_needs_are_known),
		cmocka_unit_test(lines_are_well_formed),
		cmocka_unit_test(sums_hold),
		cmocka_unit_test(a_wrong_sum_shows),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(state_that_each_feature_needs),
		cmocka_unit_test(copies_behave),
		cmocka_unit_test(misbehaviour_shows),
		cmocka_unit_test(upper_halves_by_cpu),
		cmocka_unit_test(zeros_stay_zero),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
