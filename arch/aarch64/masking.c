#include "arch/masking.h"

#include "arch/aarch64/gic.h"
#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/watchdog.h"

const char masking_done[] = "masked at the timer and in the GIC", masking_else[] = "held off by PSTATE.I";

static struct {
	bool on, spoilt, timer, overflow;
} around;

void masking_begin(bool keep_overflow)
{
	if (around.on || around.spoilt || !gic_taken())
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
	if (around.overflow && gic_requested())
		gic_request_again();
}

void masking_spoil(void)
{
	around.spoilt = true;
}
