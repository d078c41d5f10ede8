/*
 * The witness's stepper: what it counts of code whose amounts are plain to see, and what it says of kernels
 * that break their contract.
 */
#include "tests/self/host/support/other_cpu.h"
#include "tests/self/host/support/stepper.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* No kernels but those below; the handlers are looked at 15 bytes at a time. */
extern const uint8_t kernel_on_fault[16], kernel_on_fault_code[16], kernel_on_test_int[16],
	kernel_on_syscall[16], kernel_on_sysenter[16], kernel_on_xapic[16], kernel_on_x2apic[16],
	kernel_on_syscall_xapic[16], kernel_on_syscall_x2apic[16];
const uint8_t kernel_on_fault[16] = {0x48, 0xcf}, kernel_on_fault_code[16] = {0x48, 0xcf};
const uint8_t kernel_on_test_int[16] = {0x48, 0xcf}, kernel_on_syscall[16] = {0x90, 0x48, 0x0f, 0x07};
const uint8_t kernel_on_sysenter[16] = {0x90, 0x48, 0x0f, 0x35};
/* NOPs, as many as tell them apart */
const uint8_t kernel_on_xapic[16] = {0x90, 0x90, 0x48, 0xcf};
const uint8_t kernel_on_x2apic[16] = {0x90, 0x90, 0x90, 0x90, 0x48, 0xcf};
const uint8_t kernel_on_syscall_xapic[16] = {0x48, 0x0f, 0x07};
const uint8_t kernel_on_syscall_x2apic[16] = {0x90, 0x90, 0x90, 0x48, 0x0f, 0x07};

static const char *run(const char *code, size_t size, uint64_t flags, struct qvec *out)
{
	struct kernel k = {.name = "made up",
			   .code = (const uint8_t *)code,
			   .code_end = (const uint8_t *)code + size,
			   .flags = flags};
	return stepper_run(&k, 4, out);
}
#define RUN(code, flags, out) run(code, sizeof(code) - 1, flags, out)

static void assert_says(const char *why, const char *text)
{
	if (!why || !strstr(why, text))
		fail_msg("says \"%s\", not \"%s\"", why ? why : "nothing", text);
}

static void test_counts(void **state)
{
	(void)state;
	struct qvec v;
	/* 1: nop ; dec %rdi ; jnz 1b, four times */
	assert_null(RUN("\x90\x48\xff\xcf\x75\xfa", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 12);
	assert_int_equal(v.v[Q_BR_COND_TAKEN], 3);
	assert_int_equal(v.v[Q_BR_COND_NTAKEN], 1);
	/* mov $5, %ecx ; mov %rsi, %rdi ; add $0x1003, %rdi ; mov %rdi, %rsi ; rep movsq: five misaligned
	 * loads and stores */
	assert_null(RUN("\xb9\5\0\0\0\x48\x89\xf7\x48\x81\xc7\x23\x10\0\0\x48\x89\xfe\xf3\x48\xa5", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 5);
	assert_int_equal(v.v[Q_LOADS], 5);
	assert_int_equal(v.v[Q_STORE_BYTES], 40);
	assert_int_equal(v.v[Q_LOADS_SPLIT_LINE], 1);
	/* mov %ss, %eax ; mov %eax, %ss ; nop: the trap behind MOV SS is held off, both instructions count */
	assert_null(RUN("\x8c\xd0\x8e\xd0\x90", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 3);
	assert_int_equal(v.v[Q_INSN_NOP], 1);
	/* pushf ; popf: the stepping flag on the stack does no harm */
	assert_null(RUN("\x9c\x9d", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 2);
}

static void test_faults(void **state)
{
	(void)state;
	struct qvec v;
	/* lea 2f(%rip), %r9 ; ud2 ; 2: nop */
	const char code[] = "\x4c\x8d\x0d\2\0\0\0\x0f\x0b\x90";
	assert_null(RUN(code, KERNEL_SERVICE_RESUME, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 3); /* LEA, the handler's IRETQ, NOP */
	assert_int_equal(v.v[Q_EXC_UD], 1);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 1);
	assert_int_equal(v.v[Q_RING_TO_USER], 1);
	assert_says(RUN(code, 0, &v), "Illegal instruction at +0x7");
	/* lea 2f(%rip), %r9 ; mov KERNEL_PARAM_SEGMENT(%rsi), %ecx ; mov %ecx, %es (or %ss) ; 2: nop */
	if (!stepper_absent_segment())
		return;
	assert_null(RUN("\x4c\x8d\x0d\5\0\0\0\x8b\x4e\x38\x8e\xc1\x90",
			KERNEL_SERVICE_RESUME | KERNEL_SERVICE_SEGMENT, &v));
	assert_int_equal(v.v[Q_EXC_NP], 1);
	assert_int_equal(v.v[Q_EXC_SS], 0);
	assert_null(RUN("\x4c\x8d\x0d\5\0\0\0\x8b\x4e\x38\x8e\xd1\x90",
			KERNEL_SERVICE_RESUME | KERNEL_SERVICE_SEGMENT, &v));
	assert_int_equal(v.v[Q_EXC_SS], 1);
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4); /* LEA, MOV, the handler's IRETQ, NOP */
}

/* 1: int3 (or syscall) ; dec %rdi ; jnz 1b, four times, and the handler: IRETQ (or NOP, SYSRETQ) */
static void test_calls(void **state)
{
	(void)state;
	struct qvec v;

	assert_null(RUN("\xcc\x48\xff\xcf\x75\xfa", KERNEL_SERVICE_TEST_INT, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (3 + 1));
	assert_int_equal(v.v[Q_INTERRUPTS_SW], 4);
	assert_int_equal(v.v[Q_EXCEPTIONS], 0);
	assert_int_equal(v.v[Q_BR_FAR], 4 * 2);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 4);
	assert_int_equal(v.v[Q_RING_TO_USER], 4);
	assert_null(RUN("\x0f\x05\x48\xff\xcf\x75\xf9", KERNEL_SERVICE_SYSCALL, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (3 + 2));
	assert_int_equal(v.v[Q_INTERRUPTS_SW], 0);
	assert_int_equal(v.v[Q_BR_FAR], 4 * 2);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 4);
	assert_int_equal(v.v[Q_RING_TO_USER], 4);
	assert_says(RUN("\xcc", 0, &v), "INT3 without the service");
	assert_says(RUN("\x0f\x05", KERNEL_SERVICE_TEST_INT, &v), "SYSCALL without the service");
}

/* What neither the CPU nor the operating system does for a process. */
static void test_stand_ins(void **state)
{
	(void)state;
	struct qvec v;

	/* 1: int $KERNEL_VECTOR (or int1) ; dec %rdi ; jnz 1b */
	assert_null(RUN("\xcd\xe3\x48\xff\xcf\x75\xf9", KERNEL_SERVICE_TEST_INT, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (3 + 1));
	assert_int_equal(v.v[Q_INTERRUPTS_SW], 4);
	assert_int_equal(v.v[Q_EXCEPTIONS], 0);
	assert_int_equal(v.v[Q_BR_FAR], 4 * 2);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 4);
	assert_says(RUN("\xcd\xe3", 0, &v), "Segmentation fault at +0");
	assert_says(RUN("\xcd\xe4", KERNEL_SERVICE_TEST_INT, &v), "Segmentation fault at +0");
	assert_null(RUN("\xf1\x48\xff\xcf\x75\xfa", KERNEL_SERVICE_TEST_INT, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (3 + 1));
	assert_int_equal(v.v[Q_INTERRUPTS_SW], 4);
	assert_int_equal(v.v[Q_RING_TO_USER], 4);
	assert_says(RUN("\xf1", 0, &v), "INT1 without the service");
	/* lea 2f(%rip), %rdx ; mov %rsp, %rcx ; sysenter ; int3 ; 2: nop. The handler: NOP, SYSEXIT */
	const char sysenter[] = "\x48\x8d\x15\6\0\0\0\x48\x89\xe1\x0f\x34\xcc\x90";
	assert_null(RUN(sysenter, KERNEL_SERVICE_SYSENTER, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 + 2);
	assert_int_equal(v.v[Q_BR_FAR], 2);
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 1);
	assert_int_equal(v.v[Q_RING_TO_USER], 1);
	assert_says(RUN(sysenter, KERNEL_SERVICE_SYSCALL, &v), "SYSENTER without the service");
	/* xor %ecx, %ecx ; mov %esp, %edx ; mov %esp, %eax ; rdpmc ; some systems let a process read it */
	const char rdpmc[] = "\x31\xc9\x89\xe2\x89\xe0\x0f\x33";
	assert_null(RUN(rdpmc, KERNEL_SERVICE_RDPMC, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4);
	const char *why = RUN(rdpmc, 0, &v);
	if (why)
		assert_says(why, "Segmentation fault at +0x6");
}

/* Where the CPU has UMIP. */
static void test_system_stores(void **state)
{
	(void)state;
	struct qvec v;

	/* add $KERNEL_SCRATCH, %rsi ; movq $-1, 8(%rsi) ; sgdt (%rsi) ; str 12(%rsi) ; or $-1, %eax ; sldt
	 * %eax ; nop ; nop: a trap behind each */
	assert_null(RUN("\x48\x81\xc6\0\x10\0\0\x48\xc7\x46\x08\xff\xff\xff\xff\x0f\x01\x06"
			"\x0f\x00\x4e\x0c\x83\xc8\xff\x0f\x00\xc0\x90\x90",
			0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 8);
	assert_int_equal(v.v[Q_INSN_NOP], 2);
	assert_int_equal(v.v[Q_STORES], 3);
	assert_int_equal(v.v[Q_STORE_BYTES], 8 + 10 + 2);
	/* mov $0x10000, %eax ; sldt %eax ; shr $16, %eax ; jz 1f ; ud2 ; 1: the upper half is stored too */
	assert_null(RUN("\xb8\0\0\1\0\x0f\x00\xc0\xc1\xe8\x10\x74\2\x0f\x0b", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4);
	/* sgdt to an address that is not there */
	if (stepper_cpu_has(CPU_UMIP))
		assert_says(RUN("\x0f\x01\x04\x25\0\0\0\0", 0, &v), "nothing can be stored");
}

static void test_far_pointers(void **state)
{
	(void)state;
	struct qvec v;

	/* mov %cs, KERNEL_SCRATCH + 8(%rsi) ; lea 3f(%rip), %rax ; mov %rax, KERNEL_SCRATCH(%rsi) ;
	 * rex.w ljmp *KERNEL_SCRATCH(%rsi) ; int3 ; 3: nop */
	assert_null(RUN("\x8c\x8e\x08\x10\0\0\x48\x8d\x05\x0f\0\0\0\x48\x89\x86\0\x10\0\0"
			"\x48\xff\xae\0\x10\0\0\xcc\x90",
			KERNEL_SERVICE_FAR64, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 5);
	assert_int_equal(v.v[Q_BR_FAR], 1);
	assert_int_equal(v.v[Q_LOAD_BYTES], 10);
	/* rex.w lcall, and at 3: pop %rcx ; pop %rdx ; jmp *%rcx, to 4: mov %cs, %eax ; xor %edx, %eax ;
	 * jz 5f ; ud2 ; 5: that address and this segment were pushed */
	const char call[] = "\x8c\x8e\x08\x10\0\0\x48\x8d\x05\x16\0\0\0\x48\x89\x86\0\x10\0\0"
			    "\x48\xff\x9e\0\x10\0\0"
			    "\x8c\xc8\x31\xd0\x74\x06\x0f\x0b"
			    "\x59\x5a\xff\xe1";
	assert_null(RUN(call, KERNEL_SERVICE_FAR64, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 + 3 + 3);
	assert_int_equal(v.v[Q_BR_FAR], 1);
	assert_int_equal(v.v[Q_STORE_BYTES], 2 + 8 + 2 * 8);
	/* without MOV of CS: the null segment */
	assert_non_null(RUN("\x48\x8d\x05\x0f\0\0\0\x48\x89\x86\0\x10\0\0"
			    "\x48\xff\xae\0\x10\0\0\xcc\x90",
			    KERNEL_SERVICE_FAR64, &v));
}

/* 1: syscall ; nop ; dec %rdi ; jnz 1b. The handler asks for an interrupt, which comes before the NOP. */
static void test_interrupts(void **state)
{
	static const uint64_t xapic =
		KERNEL_SERVICE_SYSCALL | KERNEL_SERVICE_IPI_XAPIC | KERNEL_SERVICE_XAPIC;
	static const uint64_t x2apic =
		KERNEL_SERVICE_SYSCALL | KERNEL_SERVICE_IPI_X2APIC | KERNEL_SERVICE_X2APIC;
	const char code[] = "\x0f\x05\x90\x48\xff\xcf\x75\xf8";
	struct qvec v;

	(void)state;
	assert_null(RUN(code, xapic, &v));
	assert_int_equal(v.v[Q_INTERRUPTS_HW], 4);
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (4 + 1 + 3));
	assert_int_equal(v.v[Q_RING_TO_KERNEL], 4 * 2);
	assert_int_equal(v.v[Q_RING_TO_USER], 4 * 2);
	assert_int_equal(v.v[Q_BR_FAR], 4 * 3);
	assert_null(RUN(code, x2apic, &v));
	assert_int_equal(v.v[Q_INTERRUPTS_HW], 4);
	assert_int_equal(v.v[Q_INSTRUCTIONS], 4 * (4 + 4 + 5));
	assert_null(RUN(code, KERNEL_SERVICE_SYSCALL, &v));
	assert_int_equal(v.v[Q_INTERRUPTS_HW], 0);
	/* One that is left over when a kernel ends: the next one did not ask for it. */
	assert_null(RUN("\x0f\x05", xapic, &v));
	assert_int_equal(v.v[Q_INTERRUPTS_HW], 0);
	assert_says(RUN("\x90", 0, &v), "an interrupt without the service");
	assert_null(RUN("\x90", 0, &v));
}

/* mov KERNEL_PARAM_CODE(%rsi), %rax ; call *%rax: a segment of the ring of code, jumps and LEA and RET */
static void test_ring_of_code(void **state)
{
	(void)state;
	struct qvec v;

	assert_null(RUN("\x48\x8b\x46\x20\xff\xd0", KERNEL_SERVICE_CODE, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 2 + KERNEL_CODE_SEGMENT - 1 + 2);
	assert_int_equal(v.v[Q_BR_JMP_DIRECT], KERNEL_CODE_SEGMENT - 1);
	assert_says(RUN("\x48\x8b\x46\x20\xff\xd0", 0, &v), "left the kernel");
}

static const char *const others[] = {NULL, "low", "high"};
#define OTHERS (sizeof others / sizeof *others)

/* REP with the address-size prefix and ECX = 0: what becomes of RCX is one CPU's answer or the other's, and
 * nothing is moved with either. */
static void test_counts_by_address_size(void **state)
{
	/* mov $0x100000000, %rcx ; addr32 rep movsb ; shr $32, %rcx ; jz 1f ; nop ; 1: */
	const char none[] = "\x48\xb9\0\0\0\0\1\0\0\0\x67\xf3\xa4\x48\xc1\xe9\x20\x74\1\x90";
	/* mov $0x100000003, %rcx ; lea 1f(%rip), %r9 ; xor %esi, %esi ; addr32 rep lodsb, which faults at
	 * address 0 ; 1: nop */
	const char some[] = "\x48\xb9\3\0\0\0\1\0\0\0\x4c\x8d\x0d\5\0\0\0\x31\xf6\x67\xf3\xac\x90";
	struct qvec v;

	(void)state;
	for (unsigned i = 0; i < OTHERS; i++) {
		assert_true(other_cpu(others[i]));
		assert_null(RUN(none, 0, &v));
		assert_int_equal(v.v[Q_REP_ITERATIONS], 0);
		assert_int_equal(v.v[Q_INSN_LOAD], 0);
		assert_int_equal(v.v[Q_LOADS], 0);
		if (others[i]) /* that each CPU's answer was there */
			assert_int_equal(v.v[Q_INSN_NOP], i == 2);
		assert_null(RUN(some, KERNEL_SERVICE_RESUME, &v));
		assert_int_equal(v.v[Q_REP_ITERATIONS], 0);
		assert_int_equal(v.v[Q_EXC_PF], 1);
	}
	assert_true(other_cpu(NULL));
}

static void lose_iterations(const uint8_t *code, const struct insn *in, const struct user_regs_struct *before,
			    struct user_regs_struct *after)
{
	(void)code;
	if (in->special == INSN_STRING)
		after->rcx = before->rcx - 0x100000000;
}

/* What CPUs may answer, and whether that was the answer. */
static void test_other_answers(void **state)
{
	static const struct {
		const char *what, *code;
		unsigned size, high; /* NOPs with "high", where "low" has none or the other way round */
	} rows[] = {
		/* mov $1, %eax ; mul %eax ; jz 1f ; nop ; 1: ZF is undefined */
		{"MUL", "\xb8\1\0\0\0\xf7\xe0\x74\1\x90", 10, 0},
		/* xor %eax, %eax ; mov $1, %edx ; bsf %eax, %edx ; test %edx, %edx ; jz 1f ; nop ; 1: */
		{"BSF", "\x31\xc0\xba\1\0\0\0\x0f\xbc\xd0\x85\xd2\x74\1\x90", 15, 1},
		/* xor %eax, %eax ; cpuid ; test %eax, %eax ; jz 1f ; nop ; 1: */
		{"CPUID", "\x31\xc0\x0f\xa2\x85\xc0\x74\1\x90", 9, 1},
	};
	static const struct kernel xm = {.flags = KERNEL_SERVICE_RESUME | KERNEL_SERVICE_XM},
				   aligned = {.flags = KERNEL_SERVICE_RESUME | KERNEL_SERVICE_ALIGNED};
	struct qvec v;

	(void)state;
	assert_false(other_cpu("nobody's"));
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned high = 0; high < 2; high++) {
			assert_true(other_cpu(high ? "high" : "low"));
			assert_null(run(rows[i].code, rows[i].size, 0, &v));
			if (v.v[Q_INSN_NOP] != (high ? rows[i].high : !rows[i].high))
				fail_msg("%s, %s: %lu NOPs", rows[i].what, high ? "high" : "low",
					 v.v[Q_INSN_NOP]);
		}
	/* xor %eax, %eax ; xor %ecx, %ecx ; shl %cl, %eax ; jz 1f ; nop ; 1: a shift by nothing leaves ZF */
	for (unsigned i = 0; i < OTHERS; i++) {
		assert_true(other_cpu(others[i]));
		assert_null(RUN("\x31\xc0\x31\xc9\xd3\xe0\x74\1\x90", 0, &v));
		assert_int_equal(v.v[Q_INSN_NOP], 0);
	}
	/* bsf %ecx, %edx where there is a bit: mov $2, %ecx ; bsf %ecx, %edx ; dec %edx ; jz 1f ; nop ; 1: */
	assert_true(other_cpu("high"));
	assert_null(RUN("\xb9\2\0\0\0\x0f\xbc\xd1\xff\xca\x74\1\x90", 0, &v));
	assert_int_equal(v.v[Q_INSN_NOP], 0);
	assert_true(other_cpu("plain"));
	assert_false(stepper_cpu_has(CPU_SSE2));
	assert_non_null(stepper_unfit(&xm));
	assert_non_null(stepper_unfit(&aligned));
	test_far_pointers(NULL);
	assert_true(other_cpu(NULL));
	assert_true(stepper_cpu_has(CPU_SSE2));
	/* ldmxcsr of a word in which division by zero is unmasked, 1 / 0: as the machine was found to do it.
	 * movl $0x1d80, (%rsi) ; ldmxcsr (%rsi) ; xorps %xmm1, %xmm1 ; movl $0x3f800000, (%rsi) ;
	 * movss (%rsi), %xmm0 ; lea 1f(%rip), %r9 ; divss %xmm1, %xmm0 ; 1: */
	assert_null(RUN("\xc7\x06\x80\x1d\0\0\x0f\xae\x16\x0f\x57\xc9\xc7\x06\0\0\x80\x3f"
			"\xf3\x0f\x10\x06\x4c\x8d\x0d\4\0\0\0\xf3\x0f\x5e\xc1",
			KERNEL_SERVICE_RESUME, &v));
	assert_int_equal(v.v[Q_EXC_XM], !stepper_unfit(&xm));
	/* mov $5, %ecx ; rep lodsb: more iterations than traps */
	stepper_answer_otherwise(lose_iterations);
	assert_says(RUN("\xb9\5\0\0\0\xf3\xac", 0, &v), "RCX tells of");
	stepper_answer_otherwise(NULL);
	assert_null(RUN("\xb9\5\0\0\0\xf3\xac", 0, &v));
	assert_int_equal(v.v[Q_REP_ITERATIONS], 5);
}

static void test_broken_kernels(void **state)
{
	(void)state;
	struct qvec v;
	assert_says(RUN("\x50", 0, &v), "RSP");                                          /* push %rax */
	assert_says(RUN("\xfd", 0, &v), "DF");                                           /* std */
	assert_says(RUN("\x49\xff\xc4", 0, &v), "R12");                                  /* inc %r12 */
	assert_says(RUN("\xff\xe6", 0, &v), "left the kernel");                          /* jmp *%rsi */
	assert_says(RUN("\x06", 0, &v), "no instruction");                               /* push %es */
	assert_says(RUN("\x48\x8b\x04\x25\0\0\0\0", 0, &v), "Segmentation fault at +0"); /* mov 0, %rax */
	/* And after all that the next one runs as if nothing had happened. */
	assert_null(RUN("\x90", 0, &v));
	assert_int_equal(v.v[Q_INSTRUCTIONS], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),         cmocka_unit_test(test_faults),
		cmocka_unit_test(test_calls),          cmocka_unit_test(test_stand_ins),
		cmocka_unit_test(test_far_pointers),   cmocka_unit_test(test_system_stores),
		cmocka_unit_test(test_interrupts),     cmocka_unit_test(test_ring_of_code),
		cmocka_unit_test(test_broken_kernels), cmocka_unit_test(test_counts_by_address_size),
		cmocka_unit_test(test_other_answers),
	};
	const char *why = stepper_start();
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	stepper_stop();
	return failed;
}
