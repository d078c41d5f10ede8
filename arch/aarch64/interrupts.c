/*
 * Delivery: an interrupt is acknowledged, ended, and given to whoever it is for.
 */
#include "arch/aarch64/trap.h"

#include "arch/aarch64/gic.h"
#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/gic_self.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/watchdog.h"

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
		gic_on_overflow(f);
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
		if (interrupt == GIC_REQUEST && gic_place.version == 2)
			gic_on_request(f);
		else if (interrupt != GIC_SELF || !gic_self_allowed())
			trap_stray();
	}
}
