/*
 * Taking the machine over from firmware and handing it back.
 *
 * Between machine_take() and machine_give_back() the harness owns the boot processor (or another one that it
 * has handed the run to: arch/x86/processors/processors.h): its GDT, TSS, IDT, page tables, control registers
 * and local APIC set-up are loaded, maskable interrupts are off, firmware must not be called. Everything that
 * is changed is saved first and put back exactly (GDTR, IDTR, TR, segment registers, CR0, CR3, CR4, XCR0,
 * EFER, PAT, FS/GS base, SYSCALL and SYSENTER MSRs, APIC registers including the timer, x87/SSE/AVX state,
 * 8259 and I/O APIC masks, HPET). Taking and giving back may be repeated.
 */
#ifndef ARCH_X86_MACHINE_MACHINE_H
#define ARCH_X86_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the entry tells the architecture layer; filled in by boot/, valid for the life of the image. */
struct boot_info {
	/** Allocate zeroed, page-aligned, identity-mapped memory below 4 GiB; NULL if there is none. Firmware
	 * side only. */
	void *(*alloc_pages)(size_t pages);
	uint64_t rsdp;        /* physical address of the ACPI RSDP, 0 if none */
	uint64_t memory_top;  /* first address above all memory and MMIO in the firmware's map; at least 4 GiB
			       */
	const char *firmware; /* vendor and revision as text */
	uint16_t serial_port; /* I/O port of a 16550, 0 to probe 3F8H, 2F8H */
	bool want_x2apic;     /* switch to x2APIC if the CPU has it */
	bool no_hpet;         /* treat as absent (tests) */
	uint64_t
		low_page; /* a page below 1 MiB that nobody else uses, for the start of processors; 0: none */
};

/**
 * Allocate tables and stacks, find ACPI tables, serial port, timers; calibrate. Called once, before the first
 * take.
 * @return NULL, or one line that says what is missing and what to do
 */
const char *machine_init(const struct boot_info *boot);

void machine_take(void);
void machine_give_back(void);
bool machine_taken(void);

/** Logical CPUs that the firmware's ACPI MADT lists as enabled; 1 if there is no MADT. */
unsigned machine_cpu_count(void);

/** Things found out during machine_init() that a user should read, one line each ("no HPET: using the ACPI PM
 * timer"). */
unsigned machine_note_count(void);
const char *machine_note(unsigned i);

#endif
