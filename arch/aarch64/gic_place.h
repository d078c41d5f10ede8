/*
 * Where the interrupt controller lies and which private interrupts are whose, as firmware's tables have it:
 * plain data, filled in before machine_init().
 */
#ifndef ARCH_AARCH64_GIC_PLACE_H
#define ARCH_AARCH64_GIC_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#define GIC_REGIONS 64
#define GIC_CORES   64

#define GIC_REDISTRIBUTOR_SIZE 0x20000 /* of a core's two frames; GICv4 has four (IHI 0069, 12.10) */

struct gic_place {
	unsigned version; /* 2 or 3; 0: there is none that is known */
	uint64_t distributor;
	uint64_t cpu; /* GICv2: CPU interface */
	/* GICv3: where redistributors lie, one behind the other. */
	struct gic_region {
		uint64_t base, size;
	} region[GIC_REGIONS];
	unsigned regions;
	unsigned physical_timer, virtual_timer; /* interrupt numbers; 0: there is none */
	unsigned counters;                      /* of cores of which nothing else is told */
	struct gic_core {
		uint32_t affinity; /* as GICR_TYPER has it */
		unsigned counters;
		uint64_t redistributor; /* once it was looked for and found; the core itself writes it */
	} core[GIC_CORES];
	unsigned cores;
};
extern struct gic_place gic_place;

/** The number if it is a private peripheral interrupt's, 0 otherwise. */
unsigned gic_private_interrupt(uint32_t number);

/** One more region. What has no room, or is already there, is passed over. */
void gic_place_region(uint64_t base, uint64_t size);

/** A core, by MPIDR_EL1, and its own interrupt of the PMU's, 0: it has none. Told again, the last one holds.
 */
void gic_place_core(uint64_t mpidr, unsigned counters);

/** The interrupt of a core's counters. 0: there is none */
unsigned gic_place_counters(uint64_t mpidr);

/** GICv3: a core's redistributor. All that are in front of it in its region are read. @return its address, 0:
 * no region has it */
uint64_t gic_place_redistributor(uint64_t mpidr);

#endif
