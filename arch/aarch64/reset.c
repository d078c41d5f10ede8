/*
 * Ends of a run that no handler sees, and what outlasts them (arch/breadcrumbs.h).
 */
#include "arch/breadcrumbs.h"
#include "arch/breadcrumbs_page.h"
#include "arch/machine.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/system.h"

/* CTR_EL0.DminLine: the least line of data caches, in words, as a power of 2. */
#define DMIN_LINE(ctr) (4u << ((ctr) >> 16 & 15))

void breadcrumbs_to_memory(const void *start, size_t size)
{
	uintptr_t line = DMIN_LINE(SYS_READ(ctr_el0)), at = (uintptr_t)start & ~(line - 1);

	for (; at < (uintptr_t)start + size; at += line)
		__asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
	__asm__ volatile("dsb sy" ::: "memory");
}

/* Nothing displays it. */
void breadcrumbs_show(uint8_t code)
{
	(void)code;
}

void breadcrumbs_fail(enum breadcrumbs_fault fault)
{
	if (fault == BREADCRUMBS_EXCEPTION)
		__asm__ volatile("udf #0");
	/* Interrupts are IRQs: the watchdog's FIQ comes all the same. */
	__asm__ volatile("msr daifset, #2");
	while (fault == BREADCRUMBS_HANG)
		__asm__ volatile("wfi");
	/* Nothing here resets a processor that has no handlers: where vectors cannot be fetched, it takes
	 * exceptions for good, and so it would here. */
	if (fault == BREADCRUMBS_TRIPLE_FAULT) {
		SYS_WRITE(vbar_el1, 0);
		__asm__ volatile("udf #0");
	}
	psci_call(PSCI_SYSTEM_RESET, 0, 0, 0);
	machine_stop();
}
