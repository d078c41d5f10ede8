/*
 * What firmware has of the controller, for a comparison, and a set-up that no firmware has.
 */
#include "arch/aarch64/gic.h"

#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/system.h"

unsigned gic_registers(uint64_t *out, unsigned max)
{
	uint64_t base;
	unsigned n = 0;

	if (!gic_place.version || max < 10 + PRIVATE / 4 + LINES)
		return 0;
	base = private_base();
	out[n++] = *word(gic_place.distributor, GICD_CTLR) & ~GICD_CTLR_RWP;
	out[n++] = *word(base, GICD_IGROUPR);
	out[n++] = *word(base, GICD_ICFGR_PPI);
	out[n++] = *word(base, GICD_ISENABLER);
	for (unsigned i = 0; i < PRIVATE / 4; i++)
		out[n++] = *word(base, GICD_IPRIORITYR + 4 * i);
	for (unsigned i = 1; i < lines(); i++)
		out[n++] = *word(gic_place.distributor, GICD_ISENABLER + 4 * i);
	if (gic_place.version == 2) {
		out[n++] = *word(gic_place.cpu, GICC_CTLR);
		out[n++] = *word(gic_place.cpu, GICC_PMR);
		out[n++] = *word(gic_place.cpu, GICC_BPR);
		return n;
	}
	/* The others are there if the interface has system registers at all. */
	bool there = SYS_READ(s3_0_c12_c12_5) & 1;
	out[n++] = *word(redistributor(), GICR_WAKER);
	out[n++] = there;
	out[n++] = there ? SYS_READ(s3_0_c12_c12_4) : 0;
	out[n++] = there ? SYS_READ(s3_0_c4_c6_0) : 0;
	out[n++] = there ? SYS_READ(s3_0_c12_c12_7) : 0;
	out[n++] = there && gic_has_fiq() ? SYS_READ(s3_0_c12_c12_6) : 0;
	return n;
}

#define DISTURBED_SHARED   40
#define DISTURBED_PRIORITY 0x30
#define DISTURBED_MASK     0xe0

static struct {
	uint32_t enabled, mask;
	uint8_t priority;
} undisturbed;

unsigned gic_disturb(void)
{
	volatile uint32_t *enable;

	if (!gic_place.version)
		return 0;
	enable = word(gic_place.distributor, GICD_ISENABLER + DISTURBED_SHARED / 32 * 4);
	undisturbed.enabled = *enable;
	*enable = UINT32_C(1) << DISTURBED_SHARED % 32;
	undisturbed.priority = *priority_of(gic_counters());
	*priority_of(gic_counters()) = DISTURBED_PRIORITY;
	if (gic_place.version == 2) {
		undisturbed.mask = *word(gic_place.cpu, GICC_PMR);
		*word(gic_place.cpu, GICC_PMR) = DISTURBED_MASK;
	} else if (SYS_READ(s3_0_c12_c12_5) & 1) {
		undisturbed.mask = (uint32_t)SYS_READ(s3_0_c4_c6_0);
		SYS_WRITE(s3_0_c4_c6_0, DISTURBED_MASK);
	}
	barrier();
	return DISTURBED_SHARED;
}

void gic_quieten(void)
{
	uint32_t bit = UINT32_C(1) << DISTURBED_SHARED % 32;

	if (!gic_place.version)
		return;
	if (!(undisturbed.enabled & bit))
		*word(gic_place.distributor, GICD_ICENABLER + DISTURBED_SHARED / 32 * 4) = bit;
	*priority_of(gic_counters()) = undisturbed.priority;
	if (gic_place.version == 2)
		*word(gic_place.cpu, GICC_PMR) = undisturbed.mask;
	else if (SYS_READ(s3_0_c12_c12_5) & 1)
		SYS_WRITE(s3_0_c4_c6_0, undisturbed.mask);
	barrier();
}
