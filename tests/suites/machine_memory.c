/*
 * Page rights: nothing is both writable and executable, what must not be touched is absent.
 */
#include "tests/suites/machine.h"

#include "arch/x86/cpu.h"
#include "arch/x86/cpuid.h"
#include "arch/x86/descriptors.h"
#include "arch/x86/sections.h"

/* Page-fault error codes: SDM vol. 3, figure 4-12. */
#define PF_PRESENT 1
#define PF_WRITE   2
#define PF_FETCH   16

static void read_byte(void *p)
{
	__asm__ volatile("mov (%0), %%al" ::"r"(p) : "eax");
}

static void write_byte(void *p)
{
	__asm__ volatile("movb $0, (%0)" ::"r"(p) : "memory");
}

static void execute(void *p)
{
	((void (*)(void))p)();
}

/** The fault, or NO_FAULT also if it is about another address. */
static int64_t fault_at(void (*fn)(void *), const void *p)
{
	int64_t fault = fault_of(fn, (void *)(uintptr_t)p, NULL);

	return fault != NO_FAULT && fault >> 32 == VECTOR_PF && fault_address() != (uint64_t)p ? NO_FAULT
											       : fault;
}

static uint8_t data[64] = {0xc3};

static const char *no_nx(void)
{
	return cpu_has(CPU_NX) ? NULL : "the CPU has no execute-disable bit";
}

static int64_t write_to_code(void)
{
	return fault_at(write_byte, __text_start);
}

static int64_t write_to_constants(void)
{
	return fault_at(write_byte, __rodata_start);
}

static int64_t execute_data(void)
{
	return fault_at(execute, data);
}

static int64_t execute_constants(void)
{
	return fault_at(execute, __rodata_start);
}

static int64_t null_read(void)
{
	return fault_at(read_byte, (void *)8);
}

static int64_t null_write(void)
{
	return fault_at(write_byte, (void *)0xfff);
}

static int64_t below_interrupt_stack(void)
{
	return fault_at(write_byte, (void *)(tss.ist[IST_DF - 1] - 0x4000 - 1));
}

static __attribute__((noinline)) unsigned dive(unsigned depth)
{
	volatile unsigned here[64];

	here[0] = depth;
	return depth ? dive(depth + 1) + here[0] : 0;
}

static void overflow(void *arg)
{
	(void)arg;
	dive(1);
}

static int64_t stack_overflow(void)
{
	return fault_of(overflow, NULL, NULL);
}

static int64_t arena_writable_view(void)
{
	machine_arena.rw[0] = 0xc3;
	return fault_at(execute, machine_arena.rw);
}

static int64_t arena_executable_view(void)
{
	return fault_at(write_byte, machine_arena.rx);
}

static int64_t arena_runs_what_was_written(void)
{
	static const uint8_t code[] = {0xb8, 0x78, 0x56, 0x34, 0x12, 0xc3}; /* mov $0x12345678, %eax; ret */

	return ((unsigned (*)(void))(uintptr_t)machine_place(code, code + sizeof code))();
}

static uint8_t own_page[4096] __attribute__((aligned(4096)));

static int64_t protect(unsigned flags, void (*fn)(void *))
{
	int64_t fault;

	if (!page_protect(own_page, sizeof own_page, flags))
		return -2;
	fault = fault_at(fn, own_page);
	page_protect(own_page, sizeof own_page, PAGE_WRITE);
	return fault;
}

static int64_t protect_read_only(void)
{
	return protect(0, write_byte);
}

static int64_t protect_absent(void)
{
	return protect(PAGE_ABSENT, read_byte);
}

static int64_t protect_and_back(void)
{
	protect(PAGE_ABSENT, read_byte);
	return fault_at(write_byte, own_page);
}

static int64_t protect_uncached(void)
{
	return protect(PAGE_WRITE | PAGE_UC, write_byte);
}

static int64_t write_protect_is_on(void)
{
	return (cr0_read() & CR0_WP) != 0;
}

static int64_t readable_tells(void)
{
	return page_readable(own_page, sizeof own_page) && !page_readable((void *)16, 1) &&
	       !page_readable((void *)0x8000000000000000, 1) && !page_readable(own_page, (size_t)-1);
}

static int64_t writable_tells(void)
{
	static const char constant;

	return page_writable(own_page, sizeof own_page) && !page_writable(&constant, 1) &&
	       !page_writable((const void *)(uintptr_t)writable_tells, 1) && !page_writable((void *)16, 1);
}

/* Our map is the identity but for aliases. */
static int64_t translate_tells(void)
{
	uint64_t at = 0, physical = 0;
	unsigned shift = 0;

	return page_translate((uint64_t)own_page + 5, &physical, &shift) &&
	       physical == (uint64_t)own_page + 5 && shift == 12 && !page_translate(16, &at, &shift) &&
	       !page_translate(0x8000000000000000, &at, &shift);
}

#define ONLY(fault) (fault), (fault)

const struct machine_check machine_memory[] = {
	{"pages/CR0.WP is set", "SDM vol. 3, 4.6", write_protect_is_on, 1, 1, NULL},
	{"pages/write to code", "SDM vol. 3, 4.6", write_to_code,
	 ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_WRITE)), NULL},
	{"pages/write to constants", "SDM vol. 3, 4.6", write_to_constants,
	 ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_WRITE)), NULL},
	{"pages/execute data", "SDM vol. 3, 4.6", execute_data, ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_FETCH)),
	 no_nx},
	{"pages/execute constants", "SDM vol. 3, 4.6", execute_constants,
	 ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_FETCH)), no_nx},
	{"pages/read near null", "SDM vol. 3, 4.7", null_read, ONLY(FAULT(VECTOR_PF, 0)), NULL},
	{"pages/write near null", "SDM vol. 3, 4.7", null_write, ONLY(FAULT(VECTOR_PF, PF_WRITE)), NULL},
	{"pages/guard below an interrupt stack", NULL, below_interrupt_stack,
	 ONLY(FAULT(VECTOR_PF, PF_WRITE)), NULL},
	{"pages/stack overflow ends as #DF on its own stack", "SDM vol. 3, 6.14.5", stack_overflow,
	 ONLY(FAULT(VECTOR_DF, 0)), NULL},
	{"arena/the writable view does not execute", NULL, arena_writable_view,
	 ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_FETCH)), no_nx},
	{"arena/the executable view is not writable", NULL, arena_executable_view,
	 ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_WRITE)), NULL},
	{"arena/runs what was written", NULL, arena_runs_what_was_written, ONLY(0x12345678), NULL},
	{"protect/read-only page", NULL, protect_read_only, ONLY(FAULT(VECTOR_PF, PF_PRESENT | PF_WRITE)),
	 NULL},
	{"protect/absent page", NULL, protect_absent, ONLY(FAULT(VECTOR_PF, 0)), NULL},
	{"protect/and back", NULL, protect_and_back, ONLY(NO_FAULT), NULL},
	{"protect/uncached page is usable", NULL, protect_uncached, ONLY(NO_FAULT), NULL},
	{"pages/page_readable() tells", NULL, readable_tells, 1, 1, NULL},
	{"pages/page_writable() tells", NULL, writable_tells, 1, 1, NULL},
	{"pages/page_translate() tells", NULL, translate_tells, 1, 1, NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
