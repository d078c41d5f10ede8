/*
 * What the firmware's ACPI tables say about the machine. ACPI specification 6.5, chapter 5; IA-PC HPET
 * specification, 3.2.4.
 */
#ifndef ARCH_X86_MACHINE_ACPI_H
#define ARCH_X86_MACHINE_ACPI_H

#include <stdbool.h>
#include <stdint.h>

#define ACPI_IO_APICS   16
#define ACPI_PROCESSORS 512
#define ACPI_TABLES     64

struct acpi_info {
	unsigned cpus;         /* enabled local APICs; 0 without a MADT */
	unsigned n_processors; /* those, and what may become one of them; more are only counted in .cpus */
	struct {
		uint32_t apic_id;
		bool enabled; /* false: online capable (ACPI 5.2.12.2), which is for an operating system */
	} processor[ACPI_PROCESSORS];
	unsigned n_io_apics;
	struct {
		uint32_t address, gsi_base;
	} io_apic[ACPI_IO_APICS];
	uint32_t pit_gsi;        /* where IRQ 0 arrives */
	bool legacy_pics;        /* a pair of 8259s exists; true without a MADT */
	unsigned memory_domains; /* proximity domains that have memory (ACPI 5.2.16.2); 0 without an SRAT */
	uint64_t hpet;           /* address, 0 if none */
	uint16_t pm_timer;       /* I/O port, 0 if none */
	unsigned n_tables;       /* that the root table lists, as far as they can be read */
	struct {
		char signature[4], oem[6], oem_table[8]; /* as they stand there, without an end */
		uint32_t length, oem_revision;
		uint8_t revision;
	} table[ACPI_TABLES];
};

extern struct acpi_info acpi;

/**
 * Read the tables. Those with a bad checksum or length are left out, with a note that names them.
 * @param rsdp  address of the root pointer, 0: look for it in the BIOS area
 * @param top   first address behind everything that may be read
 */
void acpi_read(uint64_t rsdp, uint64_t top);

#endif
