/*
 * Interrupts by software: a processor wakes another one, or asks itself.
 */
#include "arch/aarch64/gic.h"

#include "arch/aarch64/gic_internal.h"
#include "arch/aarch64/gic_self.h"
#include "arch/aarch64/system.h"

#define WAKE 15

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

bool gic_self_allowed(void)
{
	return self;
}

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
