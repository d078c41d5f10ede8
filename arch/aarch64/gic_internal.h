/*
 * The interrupt controller's registers, for the files that set it up, ask by software, arm the counters' line
 * and deliver.
 */
#ifndef ARCH_AARCH64_GIC_INTERNAL_H
#define ARCH_AARCH64_GIC_INTERNAL_H

#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/system.h"

#include <stdbool.h>
#include <stdint.h>

struct trap_frame;

/* Distributor (IHI 0048, 4.3); in GICv3 the private interrupts' part lies in the redistributor's SGI frame.
 */
#define GICD_CTLR       0x000
#define GICD_TYPER      0x004
#define GICD_IGROUPR    0x080
#define GICD_ISENABLER  0x100
#define GICD_ICENABLER  0x180
#define GICD_ISPENDR    0x200
#define GICD_ICPENDR    0x280
#define GICD_ICACTIVER  0x380
#define GICD_IPRIORITYR 0x400
#define GICD_ITARGETSR  0x800 /* of private interrupts: which processor reads this */
#define GICD_SGIR       0xf00
#define GICD_CPENDSGIR  0xf10
#define GICD_ICFGR_PPI  0xc04 /* of the private interrupts: bit 2n+1 of number 16+n, 1: an edge asks */

#define GICD_CTLR_GROUPS 3          /* both groups are forwarded */
#define GICD_CTLR_ARE    (1 << 4)   /* GICv3: affinity routing */
#define GICD_CTLR_RWP    (1u << 31) /* GICv3: a write is not in force yet */
#define GICD_SGIR_SELF   (UINT32_C(2) << 24)
#define GICR_CTLR        0x00
#define GICR_CTLR_RWP    (1u << 3)

/* CPU interface (IHI 0048, 4.4). */
#define GICC_CTLR  0x000
#define GICC_PMR   0x004
#define GICC_BPR   0x008
#define GICC_IAR   0x00c
#define GICC_EOIR  0x010
#define GICC_HPPIR 0x018

#define GICC_CTLR_GROUPS 3
#define GICC_CTLR_ACKCTL (1 << 2) /* GICC_IAR gives interrupts of both groups */
#define GICC_CTLR_FIQEN  (1 << 3)

#define ICC_CTLR_EOIMODE 2 /* IHI 0069, 12.2.6 */

/* Redistributor (IHI 0069, 12.10). */
#define GICR_WAKER 0x14
#define GICR_SGI   0x10000

#define PRIVATE  32
#define LINES    32 /* words of interrupts at most, each of 32: the first is the private ones' */
#define SPURIOUS 1020

#define GIC_REQUEST 6 /* by software, in place of the counters' interrupt */

static inline volatile uint32_t *word(uint64_t base, unsigned offset)
{
	return (volatile uint32_t *)(uintptr_t)(base + offset);
}

/* GICv3: the frames of this processor. */
static inline uint64_t redistributor(void)
{
	return gic_place_redistributor(SYS_READ(mpidr_el1));
}

static inline uint64_t private_base(void)
{
	return gic_place.version == 3 ? redistributor() + GICR_SGI : gic_place.distributor;
}

static inline volatile uint8_t *priority_of(unsigned interrupt)
{
	return (volatile uint8_t *)(uintptr_t)(private_base() + GICD_IPRIORITYR + interrupt);
}

/* GICv3: what was masked may be delivered, and what was routed goes the old way, until the controller says
 * that the write is in force (IHI 0069, 12.9.4 and 12.11.2). */
static inline void wait_for_redistributor(void)
{
	while (gic_place.version == 3 && *word(redistributor(), GICR_CTLR) & GICR_CTLR_RWP)
		;
	barrier();
}

static inline void wait_for_distributor(void)
{
	while (gic_place.version == 3 && *word(gic_place.distributor, GICD_CTLR) & GICD_CTLR_RWP)
		;
	barrier();
}

static inline void mask(uint32_t interrupts)
{
	*word(private_base(), GICD_ICENABLER) = interrupts;
	wait_for_redistributor();
}

static inline unsigned lines(void)
{
	unsigned n = (*word(gic_place.distributor, GICD_TYPER) & 0x1f) + 1;

	return n < LINES ? n : LINES;
}

/** Whether gic_take() has set the controller up. */
bool gic_taken(void);

/** Whether the processor may send itself an interrupt now. */
bool gic_self_allowed(void);

/** The counters' interrupt was delivered, or the one that stands in for it. */
void gic_on_overflow(const struct trap_frame *f);
void gic_on_request(const struct trap_frame *f);

/** Whether what stands in for it came while the line was masked; ask for it again. */
bool gic_requested(void);
void gic_request_again(void);

#endif
