/*
 * The other processors, as machine.c, trap_entered.c, second_cpu.c and processors.S need them.
 */
#ifndef ARCH_X86_PROCESSORS_PROCESSORS_INTERNAL_H
#define ARCH_X86_PROCESSORS_PROCESSORS_INTERNAL_H

/* struct park_state */
#define PARK_DONE       0
#define PARK_NMIS       4
#define PARK_INTERRUPTS 8

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>

struct boot_info;

/** Say which processor is number 0, by its local APIC's ID, and what else firmware knows of all of them.
 * After acpi_read(), which has the others: one that firmware's services do not know, or call disabled or
 * unhealthy, is not enabled, and a note says so. */
void processors_list(uint32_t boot_apic_id, const struct boot_info *boot);

/** Whether firmware's services name processors by the APIC IDs that ACPI's tables have. */
bool processors_listed_alike(void);

/**
 * Find the list, and put the start-up code in place. After acpi_read(), paging_build() and
 * descriptors_init(), with the machine not taken.
 */
void processors_init(const struct boot_info *boot);

/** Whether the boot processor wants the run back from the one that executes this, of which it has heard
 * nothing for too long. It has sent an NMI then. */
bool processor_recalled(void);

/**
 * Have a processor come from INIT to entry(), in the harness's page tables, with interrupts masked and the
 * start-up code's descriptor table, on a stack that ends at stack_end. entry() must set *arrived, and load an
 * IDT before it takes an NMI.
 * @return false with *why if it does not come
 */
bool processor_launch(uint32_t apic_id, void (*entry)(void), uint8_t *stack_end, volatile uint32_t *arrived,
		      const char **why);

/** Whether a processor is of the core that executes this. */
bool processor_shares_core(unsigned number);

/** Load an IDT that takes an NMI, and does nothing. */
void processor_idle_idt(void);

/** Its handler. */
extern const uint8_t park_on_nothing[];

/** Room for all other processors at once, of so many: with the machine not taken. */
void others_init(unsigned processors);

/** Halt for good, in code and on a stack of the harness's, with interrupts masked: an SMI finds a processor
 * that answers. INIT and a start-up IPI end it. */
_Noreturn void processor_rest(void);

/**
 * Have a processor rest that was started before.
 * @param asked it is about to do so by itself; if it does not, or was not asked, it is reset first (INIT)
 */
void processor_put_to_rest(unsigned number, bool asked);

/** The second CPU of arch/second_cpu.h; 0: there is none now. */
unsigned second_cpu_processor(void);

/** Wait until *word, which another processor writes, is `value` (or, with equal = false, another one).
 * @return false if that takes longer than any processor */
bool processor_awaits(volatile uint32_t *word, uint32_t value, bool equal);

#endif
#endif
