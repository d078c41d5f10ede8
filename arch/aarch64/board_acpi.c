#include "arch/aarch64/board.h"

#include "arch/aarch64/acpi_table.h"
#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/serial.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ACPI specification 6.5, 5.2.5.3: the root pointer. */
#define RSDP_XSDT 24
#define RSDP_SIZE 36

/* 5.2.6: the head of every table. */
#define OEM        10
#define OEM_SIZE   6
#define OEM_TABLE  16
#define TABLE_SIZE 8
#define TABLE_MAX  (1u << 20)

/* 5.2.9: FADT. */
#define FADT_BOOT_ARM   129
#define BOOT_ARM_PSCI   1
#define BOOT_ARM_HVC    2
#define FADT_HYPERVISOR 268 /* eight characters */

/* 5.2.25: GTDT. */
#define GTDT_PHYSICAL 56 /* the non-secure timer of EL1 */
#define GTDT_VIRTUAL  64

/* Serial Port Console Redirection Table, 1.08 and later: type of interface, and where it lies. */
#define SPCR_TYPE    36
#define SPCR_ADDRESS 44
#define TYPE_PL011   3
#define TYPE_SBSA    0xe /* a PL011 as far as it is used here */

static bool sound(const uint8_t *data, size_t size)
{
	uint8_t sum = 0;

	while (size--)
		sum = (uint8_t)(sum + *data++);
	return !sum;
}

static const uint8_t *table_at(uint64_t address)
{
	const uint8_t *t = (const uint8_t *)(uintptr_t)address;
	uint32_t length = t ? acpi_u32(t, ACPI_LENGTH) : 0;

	return length >= ACPI_HEAD && length <= TABLE_MAX && sound(t, length) ? t : NULL;
}

static void read_gtdt(const uint8_t *t, struct board *b)
{
	(void)b;
	if (acpi_u32(t, ACPI_LENGTH) < GTDT_VIRTUAL + 4)
		return;
	gic_place.physical_timer = gic_private_interrupt(acpi_u32(t, GTDT_PHYSICAL));
	gic_place.virtual_timer = gic_private_interrupt(acpi_u32(t, GTDT_VIRTUAL));
}

static void read_spcr(const uint8_t *t, struct board *b)
{
	(void)b;
	if (acpi_u32(t, ACPI_LENGTH) >= SPCR_ADDRESS + 8 &&
	    (t[SPCR_TYPE] == TYPE_PL011 || t[SPCR_TYPE] == TYPE_SBSA))
		serial_base = acpi_u64(t, SPCR_ADDRESS);
}

static void read_fadt(const uint8_t *t, struct board *b)
{
	unsigned boot;

	if (acpi_u32(t, ACPI_LENGTH) < FADT_BOOT_ARM + 2)
		return;
	boot = t[FADT_BOOT_ARM];
	b->psci = !(boot & BOOT_ARM_PSCI) ? PSCI_NONE : boot & BOOT_ARM_HVC ? PSCI_HVC : PSCI_SMC;
	if (acpi_u32(t, ACPI_LENGTH) >= FADT_HYPERVISOR + 8 && !memcmp(t + FADT_HYPERVISOR, "QEMU", 5))
		b->guest = true;
}

static const struct {
	char signature[5];
	void (*read)(const uint8_t *t, struct board *b);
} readers[] = {
	{"APIC", board_read_madt},
	{"GTDT", read_gtdt},
	{"SPCR", read_spcr},
	{"FACP", read_fadt},
};

/* As it stands there, without the blanks at its end. */
static size_t name_length(const uint8_t *name, size_t size)
{
	while (size && (!name[size - 1] || name[size - 1] == ' '))
		size--;
	return size;
}

bool board_read_acpi(uint64_t rsdp, struct board *out)
{
	const uint8_t *root = (const uint8_t *)(uintptr_t)rsdp, *xsdt, *t;

	*out = (struct board){.options = ""};
	if (!root || memcmp(root, "RSD PTR ", 8) || !sound(root, RSDP_SIZE))
		return false;
	xsdt = table_at(acpi_u64(root, RSDP_XSDT));
	if (!xsdt)
		return false;
	/* The names that QEMU gives its tables, of which older ones say nothing else of it. */
	out->guest = !memcmp(xsdt + OEM, "BOCHS ", OEM_SIZE);
	snprintf(identity_board, sizeof identity_board, "%.*s %.*s", (int)name_length(xsdt + OEM, OEM_SIZE),
		 (const char *)xsdt + OEM, (int)name_length(xsdt + OEM_TABLE, TABLE_SIZE),
		 (const char *)xsdt + OEM_TABLE);
	for (size_t at = ACPI_HEAD; at + 8 <= acpi_u32(xsdt, ACPI_LENGTH); at += 8) {
		t = table_at(acpi_u64(xsdt, at));
		for (unsigned i = 0; t && i < sizeof readers / sizeof readers[0]; i++)
			if (!memcmp(t, readers[i].signature, 4))
				readers[i].read(t, out);
	}
	machine_cpus = out->processors;
	psci_way = out->psci;
	identity_is_guest = out->guest;
	return true;
}
