/*
 * Page rights: nothing is both writable and executable, what must not be touched is absent.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/sections.h"
#include "arch/x86/exceptions/user.h"

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

	return fault != NO_FAULT && fault >> 32 == VECTOR_PF && fault_address() != (uintptr_t)p ? NO_FAULT
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
	return fault_at(write_byte, (void *)(uintptr_t)(tss.ist[IST_DF - 1] - 0x4000 - 1));
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

	/* That the TLB has it. */
	write_byte(own_page);
	read_byte(own_page);
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

#define MSR_PAT  0x277
#define PAGE_PWT (1u << 3)
#define PAGE_PCD (1u << 4)
#define PAGE_PAT (1u << 7) /* of a page of 4 KiB */
#define ADDRESS  0x000ffffffffff000ull

/* The memory type by the page tables in force: SDM vol. 3, 11.12.3. */
static int64_t type_of(const void *p)
{
	const uint64_t *table = (const uint64_t *)(uintptr_t)(cr3_read() & ADDRESS);
	unsigned levels = MACHINE_NARROW ? 3 : cr4_read() & CR4_LA57 ? 5 : 4;
	uint64_t entry = 0, pat = 0;

	for (unsigned level = levels; level; level--) {
		entry = table[(uintptr_t)p >> (3 + 9 * level) & 511];
		table = (const uint64_t *)(uintptr_t)(entry & ADDRESS);
	}
	msr_read(MSR_PAT, &pat);
	return (int64_t)(pat >> 8 * ((entry & PAGE_PAT ? 4 : 0) + (entry & PAGE_PCD ? 2 : 0) +
				     (entry & PAGE_PWT ? 1 : 0)) &
			 7);
}

/* Digits: UC, WC, WB. */
static int64_t memory_types(void)
{
	static const unsigned flags[] = {PAGE_WRITE | PAGE_UC, PAGE_WRITE | PAGE_WC, PAGE_WRITE};
	int64_t digits = 0;

	for (unsigned i = 0; i < 3; i++) {
		if (!page_protect(own_page, sizeof own_page, flags[i]))
			return -1;
		digits = digits * 10 + type_of(own_page);
	}
	return digits;
}

/* Memory that is mapped with a large page of 1 << shift bytes, from `from` on; 0: there is none. */
static uint64_t large_page(uint64_t from, unsigned shift)
{
	uint64_t physical;
	unsigned found;

	for (unsigned i = 0; i < 512; i++, from += 1ull << 21)
		if (page_translate(from, &physical, &found) && found == shift)
			return from;
	return 0;
}

#define GIB (1ull << 30)

/* A page of 1 GiB comes apart at one place, and is else as it was. */
static int64_t splitting_keeps_the_rest(void)
{
	uint64_t at = large_page(4 * GIB, 30) + 0x5000, beside = at + (1u << 21) + 0x123, physical = 0,
		 other = 0;
	unsigned shift = 0, other_shift = 0;

	if (page_translate(beside, &physical, &shift) && (shift != 30 || physical != beside))
		return -1;
	if (!page_protect((void *)(uintptr_t)at, sizeof own_page, PAGE_WRITE))
		return -2;
	return page_translate(at, &physical, &shift) && physical == at && shift == 12 &&
	       page_translate(beside, &other, &other_shift) && other == beside && other_shift == 21 &&
	       page_readable((void *)(uintptr_t)beside, 1) &&
	       fault_at(read_byte, (void *)(uintptr_t)beside) == NO_FAULT;
}

static const char *no_page_of_1_gib(void)
{
	return large_page(4 * GIB, 30) ? NULL : "no page of 1 GiB is mapped";
}

static const uint8_t read_ring3[] = {0x8a, 0x07, 0xcd, VECTOR_USER_EXIT}; /* mov (%rdi), %al, or EDI */

static void read_in_ring_3(void *p)
{
	struct call_registers r = {.rdi = (uintptr_t)p};

	user_call(machine_place(read_ring3, read_ring3 + sizeof read_ring3), &r);
}

/* Ring 3 reaches neither our data nor what large pages map. @return the two error codes as digits */
static int64_t not_for_ring_3(void)
{
	int64_t own = fault_at(read_in_ring_3, own_page),
		large = fault_at(read_in_ring_3, (void *)(uintptr_t)large_page(1 << 21, 21));

	return own >> 32 == VECTOR_PF && large >> 32 == VECTOR_PF ? (own & 0xf) * 10 + (large & 0xf) : -1;
}

static int64_t write_protect_is_on(void)
{
	return (cr0_read() & CR0_WP) != 0;
}

enum told { READABLE = 1, WRITABLE = 2, TRANSLATED = 4 };

/* What is told of addresses that no table is asked about: those of a page of ours with one of the bits
 * changed that must be like the highest translated one, or all of them (SDM vol. 1, 3.3.7.1). Nothing may be.
 */
static unsigned told_if_not_canonical(void)
{
	unsigned lowest = MACHINE_NARROW ? 65 : cr4_read() & CR4_LA57 ? 57 : 48, told = 0;

	for (unsigned bit = lowest; bit <= 64; bit++) {
		uint64_t other = bit < 64 ? 1ull << bit : ~0ull << lowest, physical;
		unsigned shift;
		const void *at = (const void *)(uintptr_t)((uintptr_t)own_page ^ other);

		told |= (page_readable(at, 1) ? READABLE : 0) | (page_writable(at, 1) ? WRITABLE : 0) |
			(page_translate((uintptr_t)at, &physical, &shift) ? TRANSLATED : 0);
	}
	return told;
}

static int64_t readable_tells(void)
{
	return page_readable(own_page, sizeof own_page) && !page_readable((void *)16, 1) &&
	       !(told_if_not_canonical() & READABLE) && !page_readable(own_page, (size_t)-1);
}

static int64_t writable_tells(void)
{
	static const char constant;

	return page_writable(own_page, sizeof own_page) && !page_writable(&constant, 1) &&
	       !page_writable((const void *)(uintptr_t)writable_tells, 1) && !page_writable((void *)16, 1) &&
	       !(told_if_not_canonical() & WRITABLE);
}

/* Our map is the identity but for aliases. */
static int64_t translate_tells(void)
{
	uint64_t at = 0, physical = 0;
	unsigned shift = 0;

	return page_translate((uintptr_t)own_page + 5, &physical, &shift) &&
	       physical == (uintptr_t)own_page + 5 && shift == 12 && !page_translate(16, &at, &shift) &&
	       !(told_if_not_canonical() & TRANSLATED);
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
	{"pages/memory types: UC, WC, WB", "SDM vol. 3, 11.12.3", memory_types, 16, 16, NULL},
	{"pages/ring 3 reads neither data nor large pages", "SDM vol. 3, 4.6", not_for_ring_3, 55, 55, NULL},
	{"pages/one of 1 GiB is split", "SDM vol. 3, 4.5", splitting_keeps_the_rest, 1, 1, no_page_of_1_gib},
	{"pages/page_readable() tells", NULL, readable_tells, 1, 1, NULL},
	{"pages/page_writable() tells", NULL, writable_tells, 1, 1, NULL},
	{"pages/page_translate() tells", NULL, translate_tells, 1, 1, NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
