/*
 * Vectors, the exception table, guarded calls, and what is printed about an unexpected exception.
 */
#include "tests/suites/x86/machine.h"

#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"
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

static unsigned reached;

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

static void not_canonical(void *arg)
{
	(void)arg;
	__asm__ volatile("mov (%0), %%al" ::"r"(0x8000000000000000) : "eax");
}

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

static int64_t fault_not_canonical(void)
{
	return fault_of(not_canonical, NULL, NULL);
}

static int64_t fault_selector(void)
{
	return fault_of(bad_selector, NULL, NULL);
}

#define FIXUP ".pushsection trap_fixups, \"a\", @progbits; .p2align 2; .long 1b - ., 2b - .; .popsection\n"

static int64_t fix_up_ud(void)
{
	int64_t rax = -1;

	__asm__ volatile("1: ud2\n"
			 "mov $-2, %0\n"
			 "2:\n" FIXUP
			 : "+a"(rax));
	return rax;
}

static int64_t fix_up_gp(void)
{
	int64_t rax = -1;

	__asm__ volatile("1: mov %w1, %%fs\n"
			 "mov $-2, %0\n"
			 "2:\n" FIXUP
			 : "+a"(rax)
			 : "r"(0x1238));
	return rax;
}

static int64_t fix_up_pf(void)
{
	int64_t rax = -1;

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

static int64_t msr_read_works(void)
{
	uint64_t efer;

	return msr_read(0xc0000080, &efer) ? (int64_t)(efer >> 10 & 1) : -1;
}

static int64_t msr_write_works(void)
{
	uint64_t before, seen = 0;

	if (!msr_read(0xc0000102, &before) || !msr_write(0xc0000102, 0x123456789a) ||
	    !msr_read(0xc0000102, &seen))
		return -1;
	msr_write(0xc0000102, before);
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
	{"vectors/INT n reaches its handler", "SDM vol. 3, 6.12", vectors_reached, 256, 256, NULL},
	{"vectors/handlers are put back after an abort", NULL, handlers_put_back, 1, 1, NULL},
	{"exceptions/#UD", "SDM vol. 3, 6.15", fault_undefined, FAULT(VECTOR_UD, 0), FAULT(VECTOR_UD, 0),
	 NULL},
	{"exceptions/#DE", "SDM vol. 3, 6.15", fault_divide, FAULT(VECTOR_DE, 0), FAULT(VECTOR_DE, 0), NULL},
	{"exceptions/#GP(0) on a non-canonical address", "SDM vol. 3, 6.15", fault_not_canonical,
	 FAULT(VECTOR_GP, 0), FAULT(VECTOR_GP, 0), NULL},
	{"exceptions/#GP(selector)", "SDM vol. 3, 6.13", fault_selector, FAULT(VECTOR_GP, 0x1238),
	 FAULT(VECTOR_GP, 0x1238), NULL},
	{"exception table/#UD", NULL, fix_up_ud, FAULT(VECTOR_UD, 0), FAULT(VECTOR_UD, 0), NULL},
	{"exception table/#GP", NULL, fix_up_gp, FAULT(VECTOR_GP, 0x1238), FAULT(VECTOR_GP, 0x1238), NULL},
	{"exception table/#PF", NULL, fix_up_pf, FAULT(VECTOR_PF, 2), FAULT(VECTOR_PF, 2), NULL},
	{"msr/reads of MSRs that do not exist are refused", "SDM vol. 2, RDMSR", msr_reads_refused, 3, 3,
	 msrs_never_fault},
	{"msr/EFER.LMA reads 1", "SDM vol. 3, 2.2.1", msr_read_works, 1, 1, NULL},
	{"msr/what was written is read", "SDM vol. 2, WRMSR", msr_write_works, 0x123456789a, 0x123456789a,
	 NULL},
	{"guard/nested calls end one by one", NULL, guards_nest, VECTOR_UD, VECTOR_UD, NULL},
	{"guard/IF is as before the call", NULL, guard_keeps_if, 2, 2, NULL},
	{"dump/says what a reader needs", NULL, dump_is_complete, 8, 8, NULL},
	{"dump/the report's text names the place", NULL, report_text_names_place, 1, 1, NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
