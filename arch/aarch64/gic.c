#include "arch/aarch64/gic.h"

#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/system.h"

#define PRIORITY_IRQ 0xa0
#define PRIORITY_FIQ 0x40

unsigned gic_counters(void)
{
	return gic_place_counters(SYS_READ(mpidr_el1));
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
