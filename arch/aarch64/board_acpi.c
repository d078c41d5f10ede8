#include "arch/aarch64/board.h"

#include "arch/aarch64/gic.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/serial.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ACPI specification 6.5, 5.2.5.3: the root pointer. */
#define RSDP_XSDT 24
#define RSDP_SIZE 36

/* 5.2.6: the head of every table. */
#define LENGTH     4
#define OEM        10
#define OEM_SIZE   6
#define OEM_TABLE  16
#define TABLE_SIZE 8
#define HEAD       36
#define TABLE_MAX  (1u << 20)

/* 5.2.9: FADT. */
#define FADT_BOOT_ARM   129
#define BOOT_ARM_PSCI   1
#define BOOT_ARM_HVC    2
#define FADT_HYPERVISOR 268 /* eight characters */

/* 5.2.12: MADT, and what lies in it. */
#define MADT_ENTRIES 44
#define GICC         11
#define GICC_FLAGS   12
#define GICC_ENABLED 1
#define GICC_PMU     20
#define GICC_BASE    32
#define GICC_GICR    60
#define GICC_MPIDR   68
#define GICC_SIZE    76
#define GICD         12
#define GICD_BASE    8
#define GICD_VERSION 20
#define GICD_SIZE    24
#define GICR         14
#define GICR_BASE    4
#define GICR_SIZE    16

/* 5.2.25: GTDT. */
#define GTDT_PHYSICAL 56 /* the non-secure timer of EL1 */
#define GTDT_VIRTUAL  64

/* Serial Port Console Redirection Table, 1.08 and later: type of interface, and where it lies. */
#define SPCR_TYPE    36
#define SPCR_ADDRESS 44
#define TYPE_PL011   3
#define TYPE_SBSA    0xe /* a PL011 as far as it is used here */

static uint32_t u32(const uint8_t *table, size_t at)
{
	uint32_t value;

	memcpy(&value, table + at, sizeof value);
	return value;
}

static uint64_t u64(const uint8_t *table, size_t at)
{
	uint64_t value;

	memcpy(&value, table + at, sizeof value);
	return value;
}

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
	uint32_t length = t ? u32(t, LENGTH) : 0;

	return length >= HEAD && length <= TABLE_MAX && sound(t, length) ? t : NULL;
}

static unsigned private_interrupt(uint32_t number)
{
	return number < 32 ? number : 0;
}

static void read_madt(const uint8_t *t, struct board *b)
{
	const uint8_t *end = t + u32(t, LENGTH);
	uint64_t cpu = 0, redistributor = 0;
	unsigned version = 0;

	for (const uint8_t *p = t + MADT_ENTRIES; end - p >= 2 && p[1] >= 2 && p[1] <= end - p; p += p[1]) {
		if (p[0] == GICC && p[1] >= GICC_SIZE && u32(p, GICC_FLAGS) & GICC_ENABLED) {
			b->processors++;
			processors_add(u64(p, GICC_MPIDR));
			gic_place.counters = private_interrupt(u32(p, GICC_PMU));
			if (!cpu)
				cpu = u64(p, GICC_BASE);
			if (!redistributor)
				redistributor = u64(p, GICC_GICR);
		} else if (p[0] == GICD && p[1] >= GICD_SIZE) {
			gic_place.distributor = u64(p, GICD_BASE);
			version = p[GICD_VERSION];
		} else if (p[0] == GICR && p[1] >= GICR_SIZE) {
			redistributor = u64(p, GICR_BASE);
		}
	}
	/* Before ACPI 6.0 the version was not told: then there are redistributors, or there are none. */
	if (!version)
		version = redistributor ? 3 : 2;
	gic_place.cpu = version >= 3 ? redistributor : cpu;
	if (gic_place.distributor && gic_place.cpu)
		gic_place.version = version >= 3 ? 3 : 2;
}

static void read_gtdt(const uint8_t *t, struct board *b)
{
	(void)b;
	if (u32(t, LENGTH) < GTDT_VIRTUAL + 4)
		return;
	gic_place.physical_timer = private_interrupt(u32(t, GTDT_PHYSICAL));
	gic_place.virtual_timer = private_interrupt(u32(t, GTDT_VIRTUAL));
}

static void read_spcr(const uint8_t *t, struct board *b)
{
	(void)b;
	if (u32(t, LENGTH) >= SPCR_ADDRESS + 8 && (t[SPCR_TYPE] == TYPE_PL011 || t[SPCR_TYPE] == TYPE_SBSA))
		serial_base = u64(t, SPCR_ADDRESS);
}

static void read_fadt(const uint8_t *t, struct board *b)
{
	unsigned boot;

	if (u32(t, LENGTH) < FADT_BOOT_ARM + 2)
		return;
	boot = t[FADT_BOOT_ARM];
	b->psci = !(boot & BOOT_ARM_PSCI) ? PSCI_NONE : boot & BOOT_ARM_HVC ? PSCI_HVC : PSCI_SMC;
	if (u32(t, LENGTH) >= FADT_HYPERVISOR + 8 && !memcmp(t + FADT_HYPERVISOR, "QEMU", 5))
		b->guest = true;
}

static const struct {
	char signature[5];
	void (*read)(const uint8_t *t, struct board *b);
} readers[] = {
	{"APIC", read_madt},
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
	xsdt = table_at(u64(root, RSDP_XSDT));
	if (!xsdt)
		return false;
	/* The names that QEMU gives its tables, of which older ones say nothing else of it. */
	out->guest = !memcmp(xsdt + OEM, "BOCHS ", OEM_SIZE);
	snprintf(identity_board, sizeof identity_board, "%.*s %.*s", (int)name_length(xsdt + OEM, OEM_SIZE),
		 (const char *)xsdt + OEM, (int)name_length(xsdt + OEM_TABLE, TABLE_SIZE),
		 (const char *)xsdt + OEM_TABLE);
	for (size_t at = HEAD; at + 8 <= u32(xsdt, LENGTH); at += 8) {
		t = table_at(u64(xsdt, at));
		for (unsigned i = 0; t && i < sizeof readers / sizeof readers[0]; i++)
			if (!memcmp(t, readers[i].signature, 4))
				readers[i].read(t, out);
	}
	machine_cpus = out->processors;
	psci_way = out->psci;
	identity_is_guest = out->guest;
	return true;
}
