/*
 * Vectors, the exception table, guarded calls, and what is printed about an unexpected exception.
 */
#include "tests/suites/x86/machine.h"

#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/watchdog.h"

#include <string.h>

/* One INT n; RET per vector, four bytes each. */
__asm__(".pushsection .text\n"
	"machine_int_stubs:\n"
	".set n, 0\n"
	".rept 256\n"
	".byte 0xcd, n, 0xc3, 0x90\n"
	".set n, n + 1\n"
	".endr\n"
	".popsection\n");
extern const uint8_t machine_int_stubs[][4];

#define LEFT_ON_PURPOSE 1000
#define INTERRUPT_STACK 0x4000

static unsigned reached;

#ifdef __i386__
/* INT n pushes no error code, and nothing tells its frame from that of the exception, which has one. */
#define ERROR_CODES (0x7cull << 8 | 1ull << 17 | 1ull << 21 | 3ull << 29)
#define VECTORS     247
#else
#define ERROR_CODES 0ull
#define VECTORS     256
#endif

static bool on_int(struct trap_frame *f, void *arg)
{
	unsigned v = (unsigned)(uintptr_t)arg;

	reached += f->vector == v && f->error == 0 && f->rip == (uintptr_t)machine_int_stubs[v] + 2;
	return true;
}

static void call_all_vectors(void *arg)
{
	(void)arg;
	for (unsigned v = 0; v < 256; v++) {
		if (v < 64 && ERROR_CODES >> v & 1)
			continue;
		trap_set_handler(v, on_int, (void *)(uintptr_t)v);
		((void (*)(void))(uintptr_t)machine_int_stubs[v])();
	}
	trap_abort(LEFT_ON_PURPOSE); /* which puts all handlers back */
}

static int64_t vectors_reached(void)
{
	reached = 0;
	watchdog_disarm(); /* its NMI would find this handler */
	trap_guard(call_all_vectors, NULL, NULL);
	return reached;
}

static bool on_test(struct trap_frame *f, void *arg)
{
	(void)f;
	++*(unsigned *)arg;
	return true;
}

static int64_t handlers_put_back(void)
{
	unsigned count = 0;

	trap_set_handler(VECTOR_TEST, on_test, &count);
	vectors_reached();
	__asm__ volatile("int %0" ::"i"(VECTOR_TEST));
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	return count;
}

/* On which stack a handler runs: digits, 1 for one of the vector's own. */
struct place {
	uint64_t top;
	int64_t own;
};

static bool on_own_stack(struct trap_frame *f, void *arg)
{
	struct place *p = arg;

	p->own = (uintptr_t)f < p->top && (uintptr_t)f >= p->top - INTERRUPT_STACK;
	return true;
}

static int64_t stacks_of_their_own(void)
{
	static const struct {
		uint8_t vector, ist;
	} rows[] = {{VECTOR_NMI, IST_NMI}, {VECTOR_MC, IST_MC}, {VECTOR_DB, IST_DB}, {VECTOR_DF, IST_DF}};
	int64_t digits = 0;

	watchdog_disarm();
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct place p = {tss.ist[rows[i].ist - 1], 0};

		trap_set_handler(rows[i].vector, on_own_stack, &p);
		((void (*)(void))(uintptr_t)machine_int_stubs[rows[i].vector])();
		trap_set_handler(rows[i].vector, NULL, NULL);
		digits = digits * 10 + p.own;
	}
	return digits;
}

static void undefined(void *arg)
{
	(void)arg;
	__asm__ volatile("ud2");
}

static void divide(void *arg)
{
	(void)arg;
	__asm__ volatile("xor %%edx, %%edx; mov $1, %%eax; xor %%ecx, %%ecx; div %%ecx" ::
				 : "eax", "ecx", "edx");
}

#ifndef __i386__
static void not_canonical(void *arg)
{
	(void)arg;
	__asm__ volatile("mov (%0), %%al" ::"r"(0x8000000000000000) : "eax");
}

static int64_t fault_not_canonical(void)
{
	return fault_of(not_canonical, NULL, NULL);
}
#endif

static void bad_selector(void *arg)
{
	(void)arg;
	__asm__ volatile("mov %0, %%fs" ::"r"(0x1238));
}

static int64_t fault_undefined(void)
{
	return fault_of(undefined, NULL, NULL);
}

static int64_t fault_divide(void)
{
	return fault_of(divide, NULL, NULL);
}

static int64_t fault_selector(void)
{
	return fault_of(bad_selector, NULL, NULL);
}

#define FIXUP ".pushsection trap_fixups, \"a\", @progbits; .p2align 2; .long 1b - ., 2b - .; .popsection\n"

/* What the register then has: 32 bits have room for the error code alone. */
#ifdef __i386__
#define FIXED_UP(vector, error) (error), (error)
#else
#define FIXED_UP(vector, error) FAULT(vector, error), FAULT(vector, error)
#endif

static int64_t fix_up_ud(void)
{
	intptr_t rax = -1;

	__asm__ volatile("1: ud2\n"
			 "mov $-2, %0\n"
			 "2:\n" FIXUP
			 : "+a"(rax));
	return rax;
}

static int64_t fix_up_gp(void)
{
	intptr_t rax = -1;

	__asm__ volatile("1: mov %w1, %%fs\n"
			 "mov $-2, %0\n"
			 "2:\n" FIXUP
			 : "+a"(rax)
			 : "r"(0x1238));
	return rax;
}

static int64_t fix_up_pf(void)
{
	intptr_t rax = -1;

	__asm__ volatile("1: movl $0, 8(%1)\n"
			 "mov $-2, %0\n"
			 "2:\n" FIXUP
			 : "+a"(rax)
			 : "r"(0l)
			 : "memory");
	return rax;
}

/* Reads that must fault where the CPU minds at all: the MSRs do not exist anywhere. */
static const uint32_t no_msrs[] = {0x3bf, 0x4fffffff, 0xc0001fff};

static unsigned msr_faults(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof no_msrs / sizeof no_msrs[0]; i++) {
		uint64_t value = 1;
		n += !msr_read(no_msrs[i], &value) && value == 0;
	}
	return n;
}

static const char *msrs_never_fault(void)
{
	return msr_faults() ? NULL : "this machine answers any MSR number (an emulator's way)";
}

static int64_t msr_reads_refused(void)
{
	return msr_faults();
}

#ifdef __i386__
#define MSR_KEPT   0x176 /* IA32_SYSENTER_EIP */
#define KEPT_VALUE 0x3456789a
#else
#define MSR_KEPT   0xc0000102 /* KERNEL_GS_BASE */
#define KEPT_VALUE 0x123456789a

static int64_t msr_read_works(void)
{
	uint64_t efer;

	return msr_read(0xc0000080, &efer) ? (int64_t)(efer >> 10 & 1) : -1;
}
#endif

static int64_t msr_write_works(void)
{
	uint64_t before, seen = 0;

	if (!msr_read(MSR_KEPT, &before) || !msr_write(MSR_KEPT, KEPT_VALUE) || !msr_read(MSR_KEPT, &seen))
		return -1;
	msr_write(MSR_KEPT, before);
	return (int64_t)seen;
}

struct nest {
	int inner_vector;
	bool came_back;
};

static void outer(void *arg)
{
	struct nest *n = arg;
	struct trap_report r;

	trap_set_handler(VECTOR_UD, NULL, NULL);
	if (!trap_guard(undefined, NULL, &r))
		n->inner_vector = r.vector;
	n->came_back = true;
}

static char printed[4096];

static int64_t guards_nest(void)
{
	struct nest n = {TRAP_NONE, false};
	bool ok;

	console_capture(printed, sizeof printed);
	ok = trap_guard(outer, &n, NULL);
	console_capture(NULL, 0);
	return ok && n.came_back ? n.inner_vector : TRAP_NONE;
}

static int64_t guard_keeps_if(void)
{
	int64_t kept = 0;

	console_capture(printed, sizeof printed);
	__asm__ volatile("sti");
	trap_guard(undefined, NULL, NULL);
	kept = (interrupts_mask() & RFLAGS_IF) != 0;
	trap_guard(undefined, NULL, NULL);
	kept += !(interrupts_mask() & RFLAGS_IF);
	console_capture(NULL, 0);
	return kept;
}

/* All that a dump must say. */
static const char *const dumped[] = {
	"unexpected #UD (vector 6), error code 0x0, in ring 0",
	"running: on purpose",
	"rax    0000000000c0ffee",
	"rip    ",
	"cr2    ",
	"backtrace:",
	"undefined_with_rax+0x",
	"trap_guard+0x",
};

static __attribute__((noinline)) void undefined_with_rax(void *arg)
{
	(void)arg;
	__asm__ volatile("ud2" ::"a"(0xc0ffee));
}

static int64_t dump_is_complete(void)
{
	int64_t found = 0;

	trap_set_context("on purpose");
	console_capture(printed, sizeof printed);
	trap_guard(undefined_with_rax, NULL, NULL);
	console_capture(NULL, 0);
	for (unsigned i = 0; i < sizeof dumped / sizeof dumped[0]; i++)
		found += strstr(printed, dumped[i]) != NULL;
	return found;
}

static int64_t report_text_names_place(void)
{
	struct trap_report r;

	console_capture(printed, sizeof printed);
	trap_guard(undefined_with_rax, NULL, &r);
	console_capture(NULL, 0);
	return !strncmp(r.text, "#UD in ring 0 at undefined_with_rax+0x", 38);
}

const struct machine_check machine_traps[] = {
	{"vectors/INT n reaches its handler", "SDM vol. 3, 6.12", vectors_reached, VECTORS, VECTORS, NULL},
	{"vectors/handlers are put back after an abort", NULL, handlers_put_back, 1, 1, NULL},
	{"vectors/NMI, #MC, #DB and #DF have stacks of their own", "SDM vol. 3, 6.12.2, 6.14.5",
	 stacks_of_their_own, 1111, 1111, NULL},
	{"exceptions/#UD", "SDM vol. 3, 6.15", fault_undefined, FAULT(VECTOR_UD, 0), FAULT(VECTOR_UD, 0),
	 NULL},
	{"exceptions/#DE", "SDM vol. 3, 6.15", fault_divide, FAULT(VECTOR_DE, 0), FAULT(VECTOR_DE, 0), NULL},
#ifndef __i386__
	{"exceptions/#GP(0) on a non-canonical address", "SDM vol. 3, 6.15", fault_not_canonical,
	 FAULT(VECTOR_GP, 0), FAULT(VECTOR_GP, 0), NULL},
#endif
	{"exceptions/#GP(selector)", "SDM vol. 3, 6.13", fault_selector, FAULT(VECTOR_GP, 0x1238),
	 FAULT(VECTOR_GP, 0x1238), NULL},
	{"exception table/#UD", NULL, fix_up_ud, FIXED_UP(VECTOR_UD, 0), NULL},
	{"exception table/#GP", NULL, fix_up_gp, FIXED_UP(VECTOR_GP, 0x1238), NULL},
	{"exception table/#PF", NULL, fix_up_pf, FIXED_UP(VECTOR_PF, 2), NULL},
	{"msr/reads of MSRs that do not exist are refused", "SDM vol. 2, RDMSR", msr_reads_refused, 3, 3,
	 msrs_never_fault},
#ifndef __i386__
	{"msr/EFER.LMA reads 1", "SDM vol. 3, 2.2.1", msr_read_works, 1, 1, NULL},
#endif
	{"msr/what was written is read", "SDM vol. 2, WRMSR", msr_write_works, KEPT_VALUE, KEPT_VALUE, NULL},
	{"guard/nested calls end one by one", NULL, guards_nest, VECTOR_UD, VECTOR_UD, NULL},
	{"guard/IF is as before the call", NULL, guard_keeps_if, 2, 2, NULL},
	{"dump/says what a reader needs", NULL, dump_is_complete, 8, 8, NULL},
	{"dump/the report's text names the place", NULL, report_text_names_place, 1, 1, NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
