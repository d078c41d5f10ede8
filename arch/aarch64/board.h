/*
 * What firmware's tables say of the board, for the architecture layer: the serial line, the interrupt
 * controller and whose its private interrupts are, PSCI, memory, options. A device tree or ACPI's tables have
 * it.
 */
#ifndef ARCH_AARCH64_BOARD_H
#define ARCH_AARCH64_BOARD_H

#include "arch/aarch64/psci.h"

#include <stdbool.h>
#include <stdint.h>

struct board {
	uint64_t memory, memory_size; /* the first piece; of a device tree alone, as are the next three */
	uint64_t initrd, initrd_end;  /* 0: there is none */
	const char *options;          /* "" if there are none */
	enum board_psci psci;
	bool guest; /* a hypervisor or an emulator made them */
	unsigned processors;
};

/** Fill in *out, gic_place, serial_base and what arch/aarch64/identity.h wants. @return false if it is no
 * device tree */
bool board_read(const void *tree, struct board *out);

/** The same from ACPI's tables (ACPI specification 6.5, 5.2: MADT, GTDT, FADT; SPCR). @param rsdp the root
 * pointer's address @return false if there is no sound root */
bool board_read_acpi(uint64_t rsdp, struct board *out);

/** Whether SMBIOS says that QEMU carries out the instructions, not a processor by KVM. @param entry address
 * of the entry point of 64 bits, 0: there is none */
bool board_smbios_emulated(uint64_t entry);

#endif
