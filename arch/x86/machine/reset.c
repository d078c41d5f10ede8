/*
 * Ends of a run that no handler sees, what outlasts them, and the port where progress shows.
 */
#include "arch/breadcrumbs.h"
#include "arch/breadcrumbs_page.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/descriptors.h"

#define POST_PORT     0x80
#define RESET_PORT    0xcf9 /* PCI chipsets' reset control register; Intel ICH9 datasheet, 13.7.5 */
#define RESET_PREPARE 0x02  /* a hard reset ... */
#define RESET_NOW     0x06  /* ... when bit 2 goes from 0 to 1 */
#define LINE          64    /* bytes of a cache line, or less */

void breadcrumbs_to_memory(const void *start, size_t size)
{
	uintptr_t at = (uintptr_t)start & ~(uintptr_t)(LINE - 1);

	for (; at < (uintptr_t)start + size; at += LINE)
		__asm__ volatile("clflush (%0)" ::"r"(at) : "memory");
	__asm__ volatile("mfence" ::: "memory");
}

void breadcrumbs_show(uint8_t code)
{
	port_write8(POST_PORT, code);
}

void breadcrumbs_fail(enum breadcrumbs_fault fault)
{
	/* An exception that no table has a handler for, nor one for the double fault that it becomes: SDM
	 * vol. 3, 6.15. */
	static const struct {
		uint16_t limit;
		uintptr_t base;
	} __attribute__((packed)) empty;

	if (fault == BREADCRUMBS_EXCEPTION)
		__asm__ volatile("ud2");
	__asm__ volatile("cli");
	while (fault == BREADCRUMBS_HANG)
		cpu_relax();
	if (fault == BREADCRUMBS_TRIPLE_FAULT)
		__asm__ volatile("lidt %0\n\tud2" ::"m"(empty));
	port_write8(RESET_PORT, RESET_PREPARE);
	port_write8(RESET_PORT, RESET_NOW);
	for (;;)
		__asm__ volatile("hlt");
}
