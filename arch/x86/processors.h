/*
 * The machine's logical processors. The harness runs on one at a time: the boot processor, which hands the
 * run over to another one and waits, halted, until it has it back. Descriptor tables, stacks, vectors,
 * watchdog and step engine go with the run; what waits uses none of them.
 *
 * Another processor is started for each turn (INIT, start-up IPI; SDM vol. 3, 8.4) and left after it as INIT
 * leaves it: it waits for a start-up IPI and executes nothing. One that was never asked for is not touched.
 */
#ifndef ARCH_X86_PROCESSORS_H
#define ARCH_X86_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

struct processor {
	uint32_t apic_id;
	bool enabled; /* false: firmware calls it online capable, which is no processor yet */
};

/** How many there are. The boot processor is number 0, the others follow in the order of the ACPI MADT. */
unsigned processor_count(void);

/** @param number below processor_count() */
struct processor processor_at(unsigned number);

/** The number of the one that executes this. */
unsigned processor_current(void);

/**
 * Run fn(arg) on a processor, with the machine taken there as it is on the boot processor: control registers,
 * page tables, PAT, MTRRs, XCR0, local APIC, watchdog. Call on the boot processor with the machine taken and
 * outside of any trap_guard(). Number 0 is a plain call.
 * @return false with *why, one line, if the processor does not start; fn was not called
 */
bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why);

#endif
