#include "arch/aarch64/gic.h"

#include "arch/aarch64/gic_self.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/aarch64/watchdog.h"
#include "arch/masking.h"

#include <stddef.h>

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

#define PRIVATE      32
#define LINES        32 /* words of interrupts at most, each of 32: the first is the private ones' */
#define SPURIOUS     1020
#define PRIORITY_IRQ 0xa0
#define PRIORITY_FIQ 0x40
#define PRIORITY_ALL 0xff

static struct {
	uint32_t distributor, enabled, group, edges, cpu, mask, point;
	uint32_t priority[PRIVATE / 4], shared[LINES], waker;
	uint64_t sre, control, pmr, group0, group1;
} firmware;

static bool taken;

static volatile uint32_t *word(uint64_t base, unsigned offset)
{
	return (volatile uint32_t *)(uintptr_t)(base + offset);
}

/* GICv3: the frames of this processor. */
static uint64_t redistributor(void)
{
	return gic_place_redistributor(SYS_READ(mpidr_el1));
}

unsigned gic_counters(void)
{
	return gic_place_counters(SYS_READ(mpidr_el1));
}

static uint64_t private_base(void)
{
	return gic_place.version == 3 ? redistributor() + GICR_SGI : gic_place.distributor;
}

static volatile uint8_t *priority_of(unsigned interrupt)
{
	return (volatile uint8_t *)(uintptr_t)(private_base() + GICD_IPRIORITYR + interrupt);
}

/* GICv3: what was masked may be delivered, and what was routed goes the old way, until the controller says
 * that the write is in force (IHI 0069, 12.9.4 and 12.11.2). */
static void wait_for_redistributor(void)
{
	while (gic_place.version == 3 && *word(redistributor(), GICR_CTLR) & GICR_CTLR_RWP)
		;
	barrier();
}

static void wait_for_distributor(void)
{
	while (gic_place.version == 3 && *word(gic_place.distributor, GICD_CTLR) & GICD_CTLR_RWP)
		;
	barrier();
}

static void mask(uint32_t interrupts)
{
	*word(private_base(), GICD_ICENABLER) = interrupts;
	wait_for_redistributor();
}

void gic_enable(unsigned interrupt, bool on)
{
	uint32_t bit = UINT32_C(1) << interrupt;

	if (gic_place.version && !on)
		mask(bit);
	else if (gic_place.version)
		*word(private_base(), GICD_ISENABLER) = bit;
	barrier();
}

bool gic_enabled(unsigned interrupt)
{
	uint64_t base = interrupt < PRIVATE ? private_base() : gic_place.distributor;

	return gic_place.version && *word(base, GICD_ISENABLER + interrupt / 32 * 4) >> interrupt % 32 & 1;
}

static unsigned lines(void)
{
	unsigned n = (*word(gic_place.distributor, GICD_TYPER) & 0x1f) + 1;

	return n < LINES ? n : LINES;
}

bool gic_pending(unsigned interrupt)
{
	return gic_place.version && *word(private_base(), GICD_ISPENDR) >> interrupt & 1;
}

void gic_as_fiq(unsigned interrupt, bool fiq)
{
	uint32_t bit = UINT32_C(1) << interrupt;
	volatile uint32_t *group = word(private_base(), GICD_IGROUPR);

	*group = fiq ? *group & ~bit : *group | bit;
	*priority_of(interrupt) = fiq ? PRIORITY_FIQ : PRIORITY_IRQ;
	barrier();
}

static bool no_fiqs;

void gic_use_fiqs(bool on)
{
	no_fiqs = !on;
}

bool gic_uses_fiqs(void)
{
	return !no_fiqs;
}

/* Groups can be had where their bit stays as it is written: without security extensions, or with them from
 * the secure side alone (IHI 0048, 4.3.4). */
bool gic_has_fiq(void)
{
	static int8_t known = -1;

	if (known < 0 && gic_place.version) {
		uint32_t bit = UINT32_C(1) << gic_counters(), was = *word(private_base(), GICD_IGROUPR);

		*word(private_base(), GICD_IGROUPR) = was | bit;
		known = (*word(private_base(), GICD_IGROUPR) & bit) != 0;
		*word(private_base(), GICD_IGROUPR) = was & ~bit;
		known &= !(*word(private_base(), GICD_IGROUPR) & bit);
		*word(private_base(), GICD_IGROUPR) = was;
	}
	return known > 0 && !no_fiqs;
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

#define WAKE    15 /* interrupts by software */
#define REQUEST 6

#define GICD_SGIR_SELF (UINT32_C(2) << 24)

void gic_let_wake(struct gic_waiter *self)
{
	if (!gic_place.version)
		return;
	self->affinity = SYS_READ(mpidr_el1);
	self->target = *word(gic_place.distributor, GICD_ITARGETSR) & 0xff;
	gic_as_fiq(WAKE, false);
	gic_enable(WAKE, true);
}

/* ICC_SGI1R_EL1, IHI 0069, 12.2.21. */
static uint64_t request(uint64_t a, uint64_t interrupt)
{
	return UINT64_C(1) << (a & 15) | (a >> 8 & 0xff) << 16 | interrupt << 24 | (a >> 16 & 0xff) << 32 |
	       (a >> 4 & 15) << 44 | (a >> 32 & 0xff) << 48;
}

void gic_wake(const struct gic_waiter *other)
{
	/* What was stored for it is there when it wakes. */
	barrier();
	if (gic_place.version == 2)
		*word(gic_place.distributor, GICD_SGIR) = other->target << 16 | WAKE;
	else if (gic_place.version == 3)
		SYS_WRITE(s3_0_c12_c11_5, request(other->affinity, WAKE));
	barrier();
}

void gic_woken(void)
{
	uint32_t which;

	if (!gic_place.version)
		return;
	/* Its end wants to know whose request it was. */
	if (gic_place.version == 2) {
		which = *word(gic_place.cpu, GICC_IAR);
		if ((which & 0x3ff) < SPURIOUS)
			*word(gic_place.cpu, GICC_EOIR) = which;
	} else {
		which = (uint32_t)SYS_READ(s3_0_c12_c12_0) & 0xffffff;
		if (which < SPURIOUS)
			SYS_WRITE(s3_0_c12_c12_1, which);
	}
	gic_enable(WAKE, false);
}

static bool self;

struct gic_self gic_self_begin(void)
{
	struct gic_self by = {.value = request(SYS_READ(mpidr_el1), GIC_SELF)};

	if (gic_place.version == 2)
		by = (struct gic_self){gic_place.distributor + GICD_SGIR, GICD_SGIR_SELF | GIC_SELF};
	gic_as_fiq(GIC_SELF, false);
	gic_enable(GIC_SELF, true);
	self = true;
	return by;
}

void gic_self_end(void)
{
	gic_enable(GIC_SELF, false);
	self = false;
}

bool gic_self_pending(void)
{
	if (gic_place.version == 2)
		return (*word(gic_place.cpu, GICC_HPPIR) & 0x3ff) == GIC_SELF;
	return SYS_READ(s3_0_c12_c12_2) == GIC_SELF; /* ICC_HPPIR1_EL1 */
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

/* --- the overflow line (arch/overflow.h): delivery masks it, as it asks on until the status is cleared
 * -------- */

const char overflow_device[] = "GIC";
const char overflow_absent[] = "the firmware's tables name no interrupt of the PMU";
const char overflow_entry[] = "PPI";

const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS] = {
	[OVERFLOW_MASKABLE] = {"IRQ", "IHI 0048, 2.3"},
	[OVERFLOW_NMI] = {"FIQ", "IHI 0048, 2.3"},
};

static const struct overflow_claim *claims[OVERFLOW_WAYS];
static enum overflow_way armed;
static bool requested; /* by software, and it came while it was masked */

bool overflow_present(unsigned line)
{
	return line == OVERFLOW_COUNTERS && gic_place.version && gic_counters();
}

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	claims[way] = claim;
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	if (line == OVERFLOW_NO_LINE)
		return true;
	if (!overflow_present(line) || (way == OVERFLOW_NMI && !gic_has_fiq()))
		return false;
	armed = way;
	gic_as_fiq(gic_counters(), way == OVERFLOW_NMI);
	/* What was asked for while the line was masked is lost. */
	*word(private_base(), GICD_ICPENDR) = UINT32_C(1) << gic_counters();
	if (gic_place.version == 2)
		*word(gic_place.distributor, GICD_CPENDSGIR + REQUEST / 4 * 4) = UINT32_C(0xff)
										 << REQUEST % 4 * 8;
	requested = false;
	gic_enable(gic_counters(), true);
	return true;
}

static void on_overflow(const struct trap_frame *f)
{
	const struct overflow_claim *claim = claims[armed];

	gic_enable(gic_counters(), false);
	if (!claim || (!claim->handler(f->pc, armed, claim->arg) && armed == OVERFLOW_NMI))
		trap_stray();
}

/* --- the same interrupt, asked for by software: a virtual CPU's */

static void request_again(void)
{
	gic_as_fiq(REQUEST, armed == OVERFLOW_NMI);
	gic_enable(REQUEST, true);
	*word(gic_place.distributor, GICD_SGIR) = GICD_SGIR_SELF | REQUEST;
	barrier();
}

void gic_pend_counters(void)
{
	uint32_t bit = UINT32_C(1) << gic_counters();

	if (!gic_place.version)
		return;
	*word(private_base(), GICD_ISPENDR) = bit;
	barrier();
	/* QEMU's GICv2 pends no private interrupt so where there are several processors. */
	if (gic_place.version == 2 && !(*word(private_base(), GICD_ISPENDR) & bit))
		request_again();
}

bool gic_counters_pending(void)
{
	return gic_pending(gic_counters()) || (gic_place.version == 2 && gic_pending(REQUEST));
}

/* What stands in for it comes although it is masked. */
static void on_request(const struct trap_frame *f)
{
	requested = !gic_enabled(gic_counters());
	if (!requested)
		on_overflow(f);
}

bool gic_counters_as_fiq(void)
{
	return armed == OVERFLOW_NMI;
}

void overflow_mask(unsigned line)
{
	if (overflow_present(line))
		gic_enable(gic_counters(), false);
}

bool overflow_masked(unsigned line)
{
	return !overflow_present(line) || !gic_enabled(gic_counters());
}

/* --- delivery ---------------------------------------------------------------------------------------------
 */

/* GICv2: with the processor that asked for one by software, which its end wants to know. */
static unsigned acknowledge(bool fiq)
{
	if (gic_place.version == 2)
		return *word(gic_place.cpu, GICC_IAR) & 0x1fff;
	return (unsigned)(fiq ? SYS_READ(s3_0_c12_c8_0) : SYS_READ(s3_0_c12_c12_0)) &
	       0xffffff; /* ICC_IAR0, 1 */
}

static void end(unsigned interrupt, bool fiq)
{
	if (gic_place.version == 2)
		*word(gic_place.cpu, GICC_EOIR) = interrupt;
	else if (fiq)
		SYS_WRITE(s3_0_c12_c8_1, interrupt); /* ICC_EOIR0_EL1 */
	else
		SYS_WRITE(s3_0_c12_c12_1, interrupt); /* ICC_EOIR1_EL1 */
	barrier();
}

/* Ended before it is handled: a handler may leave the check for good. Nothing interrupts in between, as both
 * masks are set, and each handler takes away what its source asks for. */
void interrupt_entered(struct trap_frame *f, bool fiq)
{
	unsigned acknowledged = acknowledge(fiq);
	unsigned interrupt = gic_place.version == 2 ? acknowledged & 0x3ff : acknowledged;

	if (interrupt >= SPURIOUS)
		return;
	if (interrupt == gic_counters()) {
		gic_enable(interrupt, false);
		end(interrupt, fiq);
		on_overflow(f);
	} else if (interrupt == gic_place.physical_timer) {
		SYS_WRITE(cntp_ctl_el0, 0);
		end(interrupt, fiq);
		watchdog_fired();
	} else if (interrupt == gic_place.virtual_timer) {
		SYS_WRITE(cntv_ctl_el0, 0);
		end(interrupt, fiq);
		timer_fired();
	} else {
		end(acknowledged, fiq);
		if (interrupt == REQUEST && gic_place.version == 2)
			on_request(f);
		else if (interrupt != GIC_SELF || !self)
			trap_stray();
	}
}

void interrupt_claims_keep(struct interrupt_claims *out)
{
	for (unsigned way = 0; way < OVERFLOW_WAYS; way++)
		out->overflow[way] = claims[way];
	out->timer = timer_claimed();
}

void interrupt_claims_restore(const struct interrupt_claims *from)
{
	overflow_mask(OVERFLOW_COUNTERS);
	for (unsigned way = 0; way < OVERFLOW_WAYS; way++)
		claims[way] = from->overflow[way];
	timer_stop();
	timer_claim(from->timer);
}

/* --- masking around windows (arch/masking.h)
 * ------------------------------------------------------------------ */

const char masking_done[] = "masked at the timer and in the GIC", masking_else[] = "held off by PSTATE.I";

static struct {
	bool on, spoilt, timer, overflow;
} around;

void masking_begin(bool keep_overflow)
{
	if (around.on || around.spoilt || !taken)
		return;
	around.on = true;
	/* What is requested already stays so. */
	around.timer = timer_asks() && !timer_requested();
	around.overflow = !keep_overflow && gic_enabled(gic_counters());
	if (around.timer)
		timer_mask(true);
	if (around.overflow)
		gic_enable(gic_counters(), false);
}

void masking_end(void)
{
	if (!around.on)
		return;
	around.on = false;
	if (around.timer)
		timer_mask(false);
	if (around.overflow)
		gic_enable(gic_counters(), true);
	if (around.overflow && requested)
		request_again();
}

void masking_spoil(void)
{
	around.spoilt = true;
}
