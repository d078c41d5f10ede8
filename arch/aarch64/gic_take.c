/*
 * The controller is taken from firmware and given back; on other processors, their part of it.
 */
#include "arch/aarch64/gic.h"

#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/system.h"

#define PRIORITY_ALL 0xff

static struct {
	uint32_t distributor, enabled, group, edges, cpu, mask, point;
	uint32_t priority[PRIVATE / 4], shared[LINES], waker;
	uint64_t sre, control, pmr, group0, group1;
} firmware;

static bool taken;

bool gic_taken(void)
{
	return taken;
}

static void take_cpu_interface(void)
{
	if (gic_place.version == 2) {
		firmware.cpu = *word(gic_place.cpu, GICC_CTLR);
		firmware.mask = *word(gic_place.cpu, GICC_PMR);
		firmware.point = *word(gic_place.cpu, GICC_BPR);
		*word(gic_place.cpu, GICC_PMR) = PRIORITY_ALL;
		*word(gic_place.cpu, GICC_BPR) = 0;
		*word(gic_place.cpu, GICC_CTLR) = GICC_CTLR_GROUPS | GICC_CTLR_ACKCTL | GICC_CTLR_FIQEN;
		return;
	}
	firmware.sre = SYS_READ(s3_0_c12_c12_5); /* ICC_SRE_EL1 */
	SYS_WRITE(s3_0_c12_c12_5, firmware.sre | 1);
	/* The end of an interrupt is one write. */
	firmware.control = SYS_READ(s3_0_c12_c12_4); /* ICC_CTLR_EL1 */
	SYS_WRITE(s3_0_c12_c12_4, firmware.control & ~ICC_CTLR_EOIMODE);
	firmware.pmr = SYS_READ(s3_0_c4_c6_0);      /* ICC_PMR_EL1 */
	firmware.group1 = SYS_READ(s3_0_c12_c12_7); /* ICC_IGRPEN1_EL1 */
	SYS_WRITE(s3_0_c4_c6_0, PRIORITY_ALL);
	SYS_WRITE(s3_0_c12_c12_7, 1);
	/* Where FIQs are EL3's, an access of group 0's enable goes there. */
	if (gic_has_fiq()) {
		firmware.group0 = SYS_READ(s3_0_c12_c12_6); /* ICC_IGRPEN0_EL1 */
		SYS_WRITE(s3_0_c12_c12_6, 1);
	}
}

static void give_cpu_interface_back(void)
{
	if (gic_place.version == 2) {
		*word(gic_place.cpu, GICC_CTLR) = firmware.cpu;
		*word(gic_place.cpu, GICC_BPR) = firmware.point;
		*word(gic_place.cpu, GICC_PMR) = firmware.mask;
		return;
	}
	SYS_WRITE(s3_0_c12_c12_7, firmware.group1);
	if (gic_has_fiq())
		SYS_WRITE(s3_0_c12_c12_6, firmware.group0);
	SYS_WRITE(s3_0_c4_c6_0, firmware.pmr);
	SYS_WRITE(s3_0_c12_c12_4, firmware.control);
	SYS_WRITE(s3_0_c12_c12_5, firmware.sre);
}

/* How interrupts are routed may change only while no group is forwarded (IHI 0069, 12.9.4). */
static void set_distributor(uint32_t control)
{
	uint32_t is = *word(gic_place.distributor, GICD_CTLR);

	if (gic_place.version == 3 && (is ^ control) & GICD_CTLR_ARE) {
		*word(gic_place.distributor, GICD_CTLR) = is & ~(uint32_t)GICD_CTLR_GROUPS;
		wait_for_distributor();
		*word(gic_place.distributor, GICD_CTLR) = control & ~(uint32_t)GICD_CTLR_GROUPS;
		wait_for_distributor();
	}
	*word(gic_place.distributor, GICD_CTLR) = control;
	wait_for_distributor();
}

void gic_take(void)
{
	uint64_t base;

	if (!gic_place.version)
		return;
	firmware.distributor = *word(gic_place.distributor, GICD_CTLR);
	if (gic_place.version == 3) {
		set_distributor(GICD_CTLR_GROUPS | GICD_CTLR_ARE);
		firmware.waker = *word(redistributor(), GICR_WAKER);
		*word(redistributor(), GICR_WAKER) = 0;
		while (*word(redistributor(), GICR_WAKER) & 4)
			;
	} else {
		set_distributor(GICD_CTLR_GROUPS);
	}
	base = private_base();
	firmware.enabled = *word(base, GICD_ISENABLER);
	firmware.group = *word(base, GICD_IGROUPR);
	for (unsigned i = 0; i < PRIVATE / 4; i++)
		firmware.priority[i] = *word(base, GICD_IPRIORITYR + 4 * i);
	mask(UINT32_MAX);
	for (unsigned i = 1; i < lines(); i++) {
		firmware.shared[i] = *word(gic_place.distributor, GICD_ISENABLER + 4 * i);
		*word(gic_place.distributor, GICD_ICENABLER + 4 * i) = UINT32_MAX;
	}
	wait_for_distributor();
	/* A counter that is taken out of use no longer asks: where it can be had, what it asked for stays
	 * pending. */
	firmware.edges = *word(base, GICD_ICFGR_PPI);
	if (gic_counters())
		*word(base, GICD_ICFGR_PPI) = firmware.edges | UINT32_C(2) << 2 * (gic_counters() - 16);
	take_cpu_interface();
	gic_as_fiq(gic_place.virtual_timer, false);
	gic_as_fiq(gic_counters(), false);
	gic_as_fiq(gic_place.physical_timer, gic_has_fiq());
	taken = true;
}

void gic_give_back(void)
{
	uint64_t base;

	if (!taken)
		return;
	taken = false;
	base = private_base();
	mask(UINT32_MAX);
	give_cpu_interface_back();
	*word(base, GICD_IGROUPR) = firmware.group;
	*word(base, GICD_ICFGR_PPI) = firmware.edges;
	for (unsigned i = 0; i < PRIVATE / 4; i++)
		*word(base, GICD_IPRIORITYR + 4 * i) = firmware.priority[i];
	*word(base, GICD_ISENABLER) = firmware.enabled;
	for (unsigned i = 1; i < lines(); i++)
		*word(gic_place.distributor, GICD_ISENABLER + 4 * i) = firmware.shared[i];
	if (gic_place.version == 3)
		*word(redistributor(), GICR_WAKER) = firmware.waker;
	set_distributor(firmware.distributor & ~GICD_CTLR_RWP);
}

/* What it had is of no use to anybody: it is switched off after its turn. */
void gic_take_processor(void)
{
	uint64_t base;

	if (!gic_place.version)
		return;
	if (gic_place.version == 3) {
		*word(redistributor(), GICR_WAKER) = 0;
		while (*word(redistributor(), GICR_WAKER) & 4)
			;
	}
	base = private_base();
	mask(UINT32_MAX);
	if (gic_counters())
		*word(base, GICD_ICFGR_PPI) |= UINT32_C(2) << 2 * (gic_counters() - 16);
	if (gic_place.version == 2) {
		*word(gic_place.cpu, GICC_PMR) = PRIORITY_ALL;
		*word(gic_place.cpu, GICC_BPR) = 0;
		*word(gic_place.cpu, GICC_CTLR) = GICC_CTLR_GROUPS | GICC_CTLR_ACKCTL | GICC_CTLR_FIQEN;
	} else {
		SYS_WRITE(s3_0_c12_c12_5, SYS_READ(s3_0_c12_c12_5) | 1);
		SYS_WRITE(s3_0_c12_c12_4, SYS_READ(s3_0_c12_c12_4) & ~(uint64_t)ICC_CTLR_EOIMODE);
		SYS_WRITE(s3_0_c4_c6_0, PRIORITY_ALL);
		SYS_WRITE(s3_0_c12_c12_7, 1);
		if (gic_has_fiq())
			SYS_WRITE(s3_0_c12_c12_6, 1);
	}
	gic_as_fiq(gic_place.virtual_timer, false);
	gic_as_fiq(gic_counters(), false);
	gic_as_fiq(gic_place.physical_timer, gic_has_fiq());
}

void gic_leave_processor(void)
{
	if (gic_place.version)
		mask(UINT32_MAX);
}
