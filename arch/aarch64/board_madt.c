#include "arch/aarch64/acpi_table.h"
#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/processors.h"

/* ACPI specification 6.5, 5.2.12: what lies in the MADT. */
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
#define GICR_LENGTH  12
#define GICR_SIZE    16

/* The next entry of the type that has at least so many bytes. */
static const uint8_t *next(const uint8_t *t, const uint8_t *from, uint8_t type, size_t size)
{
	const uint8_t *end = t + acpi_u32(t, ACPI_LENGTH), *p = from ? from + from[1] : t + MADT_ENTRIES;

	for (; end - p >= 2 && p[1] >= 2 && p[1] <= end - p; p += p[1])
		if (p[0] == type && p[1] >= size)
			return p;
	return NULL;
}

void board_read_madt(const uint8_t *t, struct board *b)
{
	const uint8_t *p;
	uint64_t cpu = 0;
	unsigned version = 0;

	for (p = NULL; (p = next(t, p, GICR, GICR_SIZE));)
		gic_place_region(acpi_u64(p, GICR_BASE), acpi_u32(p, GICR_LENGTH));
	bool each = !gic_place.regions; /* then each core has its own, if any */
	for (p = NULL; (p = next(t, p, GICC, GICC_SIZE));) {
		if (!(acpi_u32(p, GICC_FLAGS) & GICC_ENABLED))
			continue;
		b->processors++;
		processors_add(acpi_u64(p, GICC_MPIDR));
		gic_place_core(acpi_u64(p, GICC_MPIDR), gic_private_interrupt(acpi_u32(p, GICC_PMU)));
		if (!cpu)
			cpu = acpi_u64(p, GICC_BASE);
		if (each)
			gic_place_region(acpi_u64(p, GICC_GICR), GIC_REDISTRIBUTOR_SIZE);
	}
	for (p = NULL; (p = next(t, p, GICD, GICD_SIZE));) {
		gic_place.distributor = acpi_u64(p, GICD_BASE);
		version = p[GICD_VERSION];
	}
	/* Before ACPI 6.0 the version was not told: then there are redistributors, or there are none. */
	if (!version)
		version = gic_place.regions ? 3 : 2;
	gic_place.cpu = cpu;
	if (gic_place.distributor && (version >= 3 ? gic_place.regions != 0 : cpu != 0))
		gic_place.version = version >= 3 ? 3 : 2;
}
