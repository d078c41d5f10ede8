/*
 * What only real trouble shows: each exception as the CPU would deliver it, on its stack, with its error code
 * and all registers; and what is left when a handler does not come to its end.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_engine.h"
#include "arch/x86/exceptions/user.h"
#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <stdio.h>
#include <string.h>

static char printed[4096];

/* --- deliveries by hand --------------------------------------------------------------------------------- */

/* SDM vol. 3, table 6-1, and AMD's APM vol. 2, 8.2: written down here once more. */
static const uint8_t with_error[] = {8, 10, 11, 12, 13, 14, 17, 21, 29, 30};

static bool has_error(unsigned vector)
{
	return memchr(with_error, (int)vector, sizeof with_error) != NULL;
}

/* Call a gate as the CPU does: aligned stack, SS, RSP, RFLAGS, CS, RIP, and an error code or none. RAX is the
 * gate's code, RDI the error code, RSI whether there is one; each register has a value of its own, the 16th
 * of it here.
 */
__asm__(".pushsection .text\n"
	"machine_deliver:\n"
	"	push	%rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"	mov	%rdi, %rax\n"
	"	mov	%rsp, machine_delivered_rsp(%rip)\n"
	"	mov	%rsp, %rcx\n"
	"	and	$-16, %rsp\n"
	"	mov	%ss, %r8d\n"
	"	push	%r8\n"
	"	push	%rcx\n"
	"	pushfq\n"
	"	mov	%cs, %r8d\n"
	"	push	%r8\n"
	"	lea	machine_delivered(%rip), %r8\n"
	"	push	%r8\n"
	"	test	%rdx, %rdx\n"
	"	jz	1f\n"
	"	push	%rsi\n"
	"1:	mov	%rax, machine_gate(%rip)\n"
	"	mov	$0x1110, %eax; mov $0x2220, %ebx; mov $0x3330, %ecx; mov $0x4440, %edx\n"
	"	mov	$0x5550, %esi; mov $0x6660, %edi; mov $0x7770, %ebp; mov $0x8880, %r8d\n"
	"	mov	$0x9990, %r9d; mov $0xaaa0, %r10d; mov $0xbbb0, %r11d; mov $0xccc0, %r12d\n"
	"	mov	$0xddd0, %r13d; mov $0xeee0, %r14d; mov $0xfff0, %r15d\n"
	"	jmp	*machine_gate(%rip)\n"
	"machine_delivered:\n"
	"	pop	%r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".popsection\n");
void machine_deliver(uint64_t gate, uint64_t error, bool has_error);
extern const uint8_t machine_delivered[];
extern uint64_t machine_gate, machine_delivered_rsp;
uint64_t machine_gate, machine_delivered_rsp;

static const struct trap_frame expected_registers = {
	.rax = 0x1110,
	.rbx = 0x2220,
	.rcx = 0x3330,
	.rdx = 0x4440,
	.rsi = 0x5550,
	.rdi = 0x6660,
	.rbp = 0x7770,
	.r8 = 0x8880,
	.r9 = 0x9990,
	.r10 = 0xaaa0,
	.r11 = 0xbbb0,
	.r12 = 0xccc0,
	.r13 = 0xddd0,
	.r14 = 0xeee0,
	.r15 = 0xfff0,
};

static unsigned good;

static bool on_delivered(struct trap_frame *f, void *arg)
{
	unsigned v = (unsigned)(uintptr_t)arg;
	uint16_t selectors[6];

	selectors_read(selectors); /* no CPU delivered this: SS is what was pushed */
	good += f->vector == v && f->error == (has_error(v) ? 0x1230 + v : 0) &&
		!memcmp(f, &expected_registers, offsetof(struct trap_frame, vector)) &&
		f->rip == (uint64_t)machine_delivered && f->cs == SELECTOR_KERNEL_CS &&
		f->ss == selectors[1] && f->rsp == machine_delivered_rsp && !(f->rflags & RFLAGS_IF);
	return true;
}

#define LEFT_ON_PURPOSE 1000

static void deliver_all(void *arg)
{
	(void)arg;
	for (unsigned v = 0; v < 256; v++) {
		trap_set_handler(v, on_delivered, (void *)(uintptr_t)v);
		machine_deliver(gate_offset(&idt[v]), 0x1230 + v, has_error(v));
	}
	trap_abort(LEFT_ON_PURPOSE); /* which puts all handlers back */
}

static int64_t frames_are_right(void)
{
	good = 0;
	watchdog_disarm(); /* its NMI would find this handler */
	trap_guard(deliver_all, NULL, NULL);
	return good;
}

/* The step engine's stubs take real exceptions only: they begin with PUSH $0 where the CPU pushes nothing.
 * #DB has a way of its own. */
extern const uint8_t step_stubs[];

static int64_t step_stubs_know(void)
{
	int64_t n = 0;

	for (unsigned v = 0; v < 256; v++) {
		const uint8_t *stub = step_stubs + TRAP_STUB_STRIDE * v;
		bool pushes = stub[0] == 0x6a && stub[1] == 0 && v != 0;

		n += step_has_error_code(v) == has_error(v) && (v <= 1 || pushes == !has_error(v));
	}
	return n;
}

/* --- stacks ------------------------------------------------------------------------------------------- */

#define IST_SIZE 0x4000

static const struct {
	uint8_t vector, ist;
} own_stacks[] = {{VECTOR_DB, IST_DB}, {VECTOR_NMI, IST_NMI}, {VECTOR_DF, IST_DF}, {VECTOR_MC, IST_MC}};

static bool has_own_stack(unsigned vector)
{
	for (unsigned i = 0; i < sizeof own_stacks / sizeof own_stacks[0]; i++)
		if (own_stacks[i].vector == vector)
			return true;
	return false;
}

static uint64_t frame_at;

static bool on_stack(struct trap_frame *f, void *arg)
{
	(void)arg;
	frame_at = (uint64_t)f;
	return true;
}

/* Exceptions that may strike anywhere have a stack each, and a guard page under it; nothing else has. */
static int64_t stacks_are_apart(void)
{
	int64_t n = 0;

	for (unsigned i = 0; i < sizeof own_stacks / sizeof own_stacks[0]; i++) {
		uint64_t top = tss.ist[own_stacks[i].ist - 1];

		n += idt[own_stacks[i].vector].ist == own_stacks[i].ist && top % 16 == 0 &&
		     page_writable((const void *)(top - IST_SIZE), IST_SIZE) &&
		     !page_readable((const void *)(top - IST_SIZE - 1), 1);
		for (unsigned j = 0; j < i; j++)
			n -= (top > tss.ist[own_stacks[j].ist - 1]
				      ? top - tss.ist[own_stacks[j].ist - 1]
				      : tss.ist[own_stacks[j].ist - 1] - top) < IST_SIZE;
	}
	for (unsigned v = 0; v < 256; v++)
		n += !has_own_stack(v) && !idt[v].ist;
	return n;
}

static void software_machine_check(void *arg)
{
	(void)arg;
	__asm__ volatile("int $18" ::: "memory");
}

/* And the CPU uses it: #MC as INT n. */
static int64_t machine_check_has_its_stack(void)
{
	trap_set_handler(VECTOR_MC, on_stack, NULL);
	software_machine_check(NULL);
	trap_set_handler(VECTOR_MC, NULL, NULL);
	return tss.ist[IST_MC - 1] - frame_at <= IST_SIZE;
}

/* --- dumps
 * -------------------------------------------------------------------------------------------------- */

static void deliver_unexpected(void *arg)
{
	unsigned v = *(const unsigned *)arg;

	machine_deliver(gate_offset(&idt[v]), 0x1230 + v, has_error(v));
}

static bool dump_says(const char *format, unsigned long value)
{
	char line[40];

	snprintf(line, sizeof line, format, value);
	return strstr(printed, line) != NULL;
}

/* Each exception, unexpected: what the dump says of it. @return how many said it all; the NMI is nobody's,
 * and no exception */
static int64_t dumps_are_right(void)
{
	static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "",
					    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
	int64_t n = 0;

	for (unsigned v = 0; v < 32; v++) {
		struct trap_report r;
		bool right;
		unsigned long value = 0;

		if (v == VECTOR_NMI)
			continue;
		console_capture(printed, sizeof printed);
		right = !trap_guard(deliver_unexpected, &v, &r);
		console_capture(NULL, 0);
		right &= r.vector == (int)v &&
			 trap_last_record()->frame.error == (has_error(v) ? 0x1230 + v : 0) &&
			 dump_says("(vector %lu), ", v) &&
			 dump_says("error code 0x%lx, ", trap_last_record()->frame.error) &&
			 dump_says("cr3    %016lx", cr3_read()) &&
			 dump_says("rip    %016lx", trap_last_record()->frame.rip);
		for (unsigned i = 0; i < 16; i++) {
			char format[20];

			value += *names[i] ? 0x1110 : 0;
			snprintf(format, sizeof format, "%-6s %%016lx", names[i]);
			right &= !*names[i] || dump_says(format, value);
		}
		n += right;
	}
	return n;
}

static void fault_at_8(void *arg)
{
	(void)arg;
	__asm__ volatile("movb $0, 8" ::: "memory");
}

static int64_t dump_has_cr2(void)
{
	struct trap_report r;

	console_capture(printed, sizeof printed);
	trap_guard(fault_at_8, NULL, &r);
	console_capture(NULL, 0);
	return trap_last_record()->cr2 == 8 && dump_says("cr2    %016lx", 8) &&
	       !strncmp(r.text, "#PF(0x2) on 0x8 in ring 0", 25);
}

static uint8_t unwritable[4096] __attribute__((aligned(4096)));

/* The dump itself faults, at its first character: that is not dumped again, and the next exception is dumped
 * as ever. */
static int64_t dump_that_faults(void)
{
	struct trap_report r;
	int64_t seen;

	console_capture((char *)unwritable, sizeof unwritable);
	if (!page_protect(unwritable, sizeof unwritable, 0))
		return -1;
	trap_guard(fault_at_8, NULL, &r);
	page_protect(unwritable, sizeof unwritable, PAGE_WRITE);
	console_capture(NULL, 0);
	seen = r.vector == VECTOR_PF && trap_last_record()->cr2 - (uint64_t)unwritable < sizeof unwritable
		       ? 10
		       : 0;
	return seen + dump_has_cr2();
}

/* --- what an abort leaves
 * ----------------------------------------------------------------------------------- */

static void undefined(void *arg)
{
	(void)arg;
	__asm__ volatile("mov $-1, %%rbx; mov $-1, %%r12; mov $-1, %%r13; mov $-1, %%r14; mov $-1, %%r15\n\t"
			 "fninit; ldmxcsr %0; ud2" ::"m"(*(const uint32_t *)arg)
			 : "rbx", "r12", "r13", "r14", "r15");
}

static bool aborted(void (*fn)(void *), void *arg, struct trap_report *r)
{
	bool left;

	console_capture(printed, sizeof printed);
	left = !trap_guard(fn, arg, r);
	console_capture(NULL, 0);
	return left;
}

/* Registers that belong to the caller, MXCSR and the x87 control word: one digit each for those that are
 * kept. */
static int64_t guard_keeps_registers(void)
{
	uint32_t mxcsr = 0x9f80, other = 0x1f80, after;
	uint16_t word = 0x27f, word_after;
	uint64_t same;

	__asm__ volatile("ldmxcsr %0; fldcw %1" ::"m"(mxcsr), "m"(word));
	__asm__ volatile(
		"mov $0x11, %%ebx; mov $0x12, %%r12d; mov $0x13, %%r13d; mov $0x14, %%r14d; mov $0x15, "
		"%%r15d\n\t"
		"lea %1, %%rsi; lea %2, %%rdi; xor %%edx, %%edx; call trap_guard\n\t"
		"sub $0x11, %%rbx; sub $0x12, %%r12; sub $0x13, %%r13; sub $0x14, %%r14; sub $0x15, %%r15\n\t"
		"or %%rbx, %%r12; or %%r13, %%r14; or %%r12, %%r15; or %%r14, %%r15; mov %%r15, %0"
		: "=a"(same)
		: "m"(other), "m"(*(const uint8_t *)(uintptr_t)undefined)
		: "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		  "memory", "cc");
	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(after), "=m"(word_after));
	__asm__ volatile("ldmxcsr %0; fninit" ::"m"(other));
	return (same == 0) * 100 + (after == mxcsr) * 10 + (word_after == word);
}

static int64_t captured_guard_keeps_registers(void)
{
	int64_t seen;

	console_capture(printed, sizeof printed);
	seen = guard_keeps_registers();
	console_capture(NULL, 0);
	return seen;
}

static const uint8_t undefined_code[] = {0x0f, 0x0b}; /* UD2 */

static void hold_and_fault_in_ring_3(void *entry)
{
	struct call_registers r = {0};

	watchdog_hold();
	user_call(entry, &r);
}

/* A hold of the watchdog and the stack of ring 3 are as before. */
static int64_t hold_and_stack_kept(void)
{
	unsigned held = watchdog_held();
	uint64_t rsp = tss.rsp[0];
	struct trap_report r;
	bool left = aborted(
		hold_and_fault_in_ring_3,
		(void *)(uintptr_t)machine_place(undefined_code, undefined_code + sizeof undefined_code), &r);

	return left && r.vector == VECTOR_UD && trap_last_record()->frame.cs & 3 && watchdog_held() == held &&
	       tss.rsp[0] == rsp;
}

#define VECTOR_LOW  0x61
#define VECTOR_HIGH 0x91

static void window(void)
{
	__asm__ volatile("sti; nop; nop; nop; cli" ::: "memory");
}

static bool leave_it(struct trap_frame *f, void *arg)
{
	(void)arg;
	if (f->vector == VECTOR_HIGH)
		trap_abort(LEFT_ON_PURPOSE);
	apic_self_ipi(VECTOR_HIGH);
	for (unsigned i = 0; i < 100000 && !apic_requested(VECTOR_HIGH); i++)
		cpu_relax();
	window();
	return false;
}

static void interrupt_twice(void *arg)
{
	(void)arg;
	trap_set_handler(VECTOR_LOW, leave_it, NULL);
	trap_set_handler(VECTOR_HIGH, leave_it, NULL);
	apic_self_ipi(VECTOR_LOW);
	for (unsigned i = 0; i < 100000 && !apic_requested(VECTOR_LOW); i++)
		cpu_relax();
	window();
}

/* Two interrupts in service, neither acknowledged. */
static int64_t nothing_in_service(void)
{
	struct trap_report r;
	bool left = aborted(interrupt_twice, NULL, &r);

	return left && r.vector == LEFT_ON_PURPOSE && trap_last_record()->frame.vector == VECTOR_HIGH &&
	       !apic_in_service(VECTOR_LOW) && !apic_in_service(VECTOR_HIGH);
}

static const char *no_apic(void)
{
	return apic_present() ? NULL : "no local APIC, or firmware left it off";
}

/* --- handlers inside handlers
 * ---------------------------------------------------------------------------------- */

static bool on_inner(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	return true;
}

static bool on_outer(struct trap_frame *f, void *arg)
{
	static const uint32_t mxcsr = 0x1f80;

	(void)f;
	if (arg)
		trap_guard(undefined, (void *)(uintptr_t)&mxcsr, NULL);
	else
		__asm__ volatile("int $0x46");
	trap_abort(LEFT_ON_PURPOSE);
}

static void interrupt_outer(void *arg)
{
	trap_set_handler(0x46, on_inner, NULL);
	trap_set_handler(0x47, on_outer, arg);
	__asm__ volatile("int $0x47");
}

/* After another handler inside, and after a guard inside, the report has the frame of the one that gives up.
 */
static int64_t outer_frame_kept(void)
{
	struct trap_report after;
	bool by_handler, by_guard;
	char yes;

	aborted(interrupt_outer, NULL, &after);
	by_handler = trap_last_record()->frame.vector == 0x47;
	aborted(interrupt_outer, &yes, &after);
	by_guard = trap_last_record()->frame.vector == 0x47;
	return by_handler * 10 + by_guard;
}

static bool refuse(struct trap_frame *f, void *arg)
{
	(void)f;
	(void)arg;
	return false;
}

static void be_refused(void *arg)
{
	(void)arg;
	trap_set_handler(0x46, refuse, NULL);
	__asm__ volatile("int $0x46");
}

static int64_t refusal_is_unexpected(void)
{
	struct trap_report r;

	return aborted(be_refused, NULL, &r) && strstr(printed, "unexpected vector 0x46") ? r.vector : -1;
}

#define ONLY(value) (value), (value)

const struct machine_check machine_frames[] = {
	{"frames/every vector, with its error code and all registers", "SDM vol. 3, 6.14", frames_are_right,
	 ONLY(256), NULL},
	{"frames/the step engine's entries know which have an error code", "SDM vol. 3, 6.15",
	 step_stubs_know, ONLY(256), NULL},
	{"frames/stacks of their own, with guards", "SDM vol. 3, 6.14.5", stacks_are_apart, ONLY(256), NULL},
	{"frames/#MC has its stack", "SDM vol. 3, 6.14.5", machine_check_has_its_stack, ONLY(1), NULL},
	{"dump/every exception, with its error code and all registers", NULL, dumps_are_right, ONLY(31),
	 NULL},
	{"dump/the address of a page fault", NULL, dump_has_cr2, ONLY(1), NULL},
	{"dump/one that faults itself is not dumped", NULL, dump_that_faults, ONLY(11), NULL},
	{"guard/registers are as before the call", NULL, captured_guard_keeps_registers, ONLY(111), NULL},
	{"guard/so are the watchdog's holds and the stack of ring 3", NULL, hold_and_stack_kept, ONLY(1),
	 NULL},
	{"guard/no interrupt stays in service", "SDM vol. 3, 10.8.4", nothing_in_service, ONLY(1), no_apic},
	{"guard/a report has the frame that was being handled", NULL, outer_frame_kept, ONLY(11), NULL},
	{"guard/what a handler refuses is unexpected", NULL, refusal_is_unexpected, ONLY(0x46), NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
