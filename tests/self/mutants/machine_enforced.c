/*
 * Firmware that has shadow stacks on (SDM vol. 1, 17): the machine is taken from it all the same.
 */
#include "tests/self/mutants/machine_enforced.h"

#include "arch/machine.h"
#include "arch/processors.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"

#include <string.h>

#define MSR_S_CET      0x6a2
#define MSR_PL0_SSP    0x6a4
#define SHADOW_STACKS  1u /* of S_CET: SH_STK_EN; of CPUID leaf 7, ECX: bit 7 */
#define CPUID_CET_SS   (1u << 7)
#define ENTRIES        512
#define PAGE_PRESENT   0x1u
#define PAGE_WRITABLE  0x2u
#define PAGE_DIRTY     0x40u
#define PAGE_IS_LARGE  0x80u
#define ADDRESS        0xffffffffff000ull
#define LARGE_ADDRESS  0xfffffffe00000ull
#define SMALL_PAGE     4096
#define PLACE(a, bits) ((uintptr_t)(a) >> (bits)&511)

static uint64_t shadow[ENTRIES] __attribute__((aligned(SMALL_PAGE)));
static uint64_t table[ENTRIES] __attribute__((aligned(SMALL_PAGE)));

/* Of firmware's tables, which map it 1 to 1. NULL: it is not mapped by a large page. */
static uint64_t *large_entry(const void *address)
{
	uint64_t *entries = (uint64_t *)(cr3_read() & ADDRESS);

	for (unsigned bits = 39; bits >= 30; bits -= 9) {
		uint64_t entry = entries[PLACE(address, bits)];

		if (!(entry & PAGE_PRESENT) || entry & PAGE_IS_LARGE)
			return NULL;
		entries = (uint64_t *)(entry & ADDRESS);
	}
	entries += PLACE(address, 21);
	return *entries & PAGE_IS_LARGE ? entries : NULL;
}

/* A page that is read-only and dirty is one of a shadow stack. */
static void map_shadow(uint64_t *entry)
{
	uint64_t base = *entry & LARGE_ADDRESS;

	for (uint64_t i = 0; i < ENTRIES; i++)
		table[i] = (base + i * SMALL_PAGE) | PAGE_PRESENT | PAGE_WRITABLE;
	table[PLACE(shadow, 12)] = (uintptr_t)shadow | PAGE_PRESENT | PAGE_DIRTY;
	*entry = (uintptr_t)table | PAGE_PRESENT | PAGE_WRITABLE;
	cr3_write(cr3_read());
}

/* Nothing may return that was called before they were on: one piece of assembly. */
static void take_with_shadow_stacks(uint64_t *taken, uint64_t *given_back)
{
	uint64_t on = cr4_read() | CR4_CET;

	__asm__ volatile("mov %[on], %%cr4\n\t"
			 "setssbsy\n\t"
			 "call machine_take\n\t"
			 "mov %%cr4, %[taken]\n\t"
			 "call machine_give_back\n\t"
			 "mov %%cr4, %[back]\n\t"
			 : [taken] "=&b"(*taken), [back] "=&r"(*given_back)
			 : [on] "r"(on)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

int64_t taken_from_shadow_stacks(void)
{
	uint64_t *token = &shadow[ENTRIES - 1], taken, given_back;

	machine_give_back();
	uint64_t flags = interrupts_mask(), cr0 = cr0_read(), *entry = large_entry(shadow), was;
	int64_t good = 0;

	if (entry) {
		was = *entry;
		memset(shadow, 0, sizeof shadow);
		*token = (uintptr_t)token;
		map_shadow(entry);
		cr0_write(cr0 | CR0_WP);
		msr_write_own(MSR_PL0_SSP, (uintptr_t)token);
		msr_write_own(MSR_S_CET, SHADOW_STACKS);
		take_with_shadow_stacks(&taken, &given_back);
		msr_write_own(MSR_S_CET, 0);
		cr0_write(cr0);
		*entry = was;
		cr3_write(cr3_read());
		good = (token[-1] != 0) + !(taken & CR4_CET) + !(given_back & CR4_CET);
	}
	interrupts_restore(flags);
	machine_take();
	return good;
}

const char *no_shadow_stacks(void)
{
	if (processor_current())
		return "firmware has set up nothing on this processor";
	return cpuid(0, 0).eax >= 7 && cpuid(7, 0).ecx & CPUID_CET_SS ? NULL : "the CPU has no shadow stacks";
}
