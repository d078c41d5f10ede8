#include "arch/aarch64/gic_place.h"

#include <stddef.h>

/* Redistributor (IHI 0069, 12.10). */
#define GICR_TYPER    0x08
#define GICR_AFFINITY 0x0c
#define GICR_LAST     (1 << 4)
#define GICR_VLPIS    (1 << 1)
#define GICR_SIZE_V4  (2 * GIC_REDISTRIBUTOR_SIZE)

struct gic_place gic_place;

static uint32_t affinity_of(uint64_t mpidr)
{
	return (uint32_t)((mpidr & 0xffffff) | (mpidr >> 8 & 0xff000000));
}

static struct gic_core *core_of(uint64_t mpidr)
{
	for (unsigned i = 0; i < gic_place.cores; i++)
		if (gic_place.core[i].affinity == affinity_of(mpidr))
			return &gic_place.core[i];
	return NULL;
}

unsigned gic_private_interrupt(uint32_t number)
{
	return number >= 16 && number < 32 ? number : 0;
}

void gic_place_region(uint64_t base, uint64_t size)
{
	for (unsigned i = 0; i < gic_place.regions; i++)
		if (gic_place.region[i].base == base)
			return;
	if (gic_place.regions < GIC_REGIONS && base)
		gic_place.region[gic_place.regions++] = (struct gic_region){base, size};
}

void gic_place_core(uint64_t mpidr, unsigned counters)
{
	struct gic_core *c = core_of(mpidr);

	if (!c && gic_place.cores == GIC_CORES)
		return;
	if (!c)
		c = &gic_place.core[gic_place.cores++];
	*c = (struct gic_core){.affinity = affinity_of(mpidr), .counters = counters};
}

unsigned gic_place_counters(uint64_t mpidr)
{
	const struct gic_core *c = core_of(mpidr);

	return c && c->counters ? c->counters : gic_place.counters;
}

static uint32_t word(uint64_t base, unsigned offset)
{
	return *(const volatile uint32_t *)(uintptr_t)(base + offset);
}

static uint64_t find(const struct gic_region *r, uint32_t affinity)
{
	uint32_t type;

	for (uint64_t at = 0; r->size >= GIC_REDISTRIBUTOR_SIZE && at <= r->size - GIC_REDISTRIBUTOR_SIZE;
	     at += type & GICR_VLPIS ? GICR_SIZE_V4 : GIC_REDISTRIBUTOR_SIZE) {
		type = word(r->base + at, GICR_TYPER);
		if (word(r->base + at, GICR_AFFINITY) == affinity)
			return r->base + at;
		if (type & GICR_LAST)
			break;
	}
	return 0;
}

uint64_t gic_place_redistributor(uint64_t mpidr)
{
	struct gic_core *c = core_of(mpidr);
	uint64_t at = c ? c->redistributor : 0;

	for (unsigned i = 0; !at && i < gic_place.regions; i++)
		at = find(&gic_place.region[i], affinity_of(mpidr));
	if (c)
		c->redistributor = at;
	return at;
}
