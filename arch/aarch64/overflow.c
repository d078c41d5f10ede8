/*
 * The overflow line: delivery masks it, as it asks on until the status is cleared.
 */
#include "arch/overflow.h"

#include "arch/aarch64/gic.h"
#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/timer.h"

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

bool gic_requested(void)
{
	return requested;
}

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
		*word(gic_place.distributor, GICD_CPENDSGIR + GIC_REQUEST / 4 * 4) = UINT32_C(0xff)
										     << GIC_REQUEST % 4 * 8;
	requested = false;
	gic_enable(gic_counters(), true);
	return true;
}

void gic_on_overflow(const struct trap_frame *f)
{
	const struct overflow_claim *claim = claims[armed];

	gic_enable(gic_counters(), false);
	if (!claim || (!claim->handler(f->pc, armed, claim->arg) && armed == OVERFLOW_NMI))
		trap_stray();
}

/* The same interrupt, asked for by software: a virtual CPU's. */
void gic_request_again(void)
{
	gic_as_fiq(GIC_REQUEST, armed == OVERFLOW_NMI);
	gic_enable(GIC_REQUEST, true);
	*word(gic_place.distributor, GICD_SGIR) = GICD_SGIR_SELF | GIC_REQUEST;
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
		gic_request_again();
}

bool gic_counters_pending(void)
{
	return gic_pending(gic_counters()) || (gic_place.version == 2 && gic_pending(GIC_REQUEST));
}

/* What stands in for it comes although it is masked. */
void gic_on_request(const struct trap_frame *f)
{
	requested = !gic_enabled(gic_counters());
	if (!requested)
		gic_on_overflow(f);
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
