/*
 * The interrupt controller, GICv2 (IHI 0048) or GICv3 (IHI 0069): the harness's three private interrupts.
 * Those of group 0 arrive as FIQs, which PSTATE.I does not hold off; those of group 1 as IRQs.
 */
#ifndef ARCH_AARCH64_GIC_H
#define ARCH_AARCH64_GIC_H

#include "arch/aarch64/gic_place.h"
#include "arch/overflow.h"
#include "arch/timer.h"

#include <stdbool.h>
#include <stdint.h>

/** The interrupt of the counters of the processor that executes this. 0: there is none */
unsigned gic_counters(void);

/** Set the three up and mask all others; remember what was. */
void gic_take(void);
void gic_give_back(void);

/** The same on another processor, whose part of the controller nobody uses; the rest is taken. */
void gic_take_processor(void);
void gic_leave_processor(void);

/** A processor that another one may wake from WFI. */
struct gic_waiter {
	uint64_t affinity;
	uint32_t target;
};

/** This processor can be woken from here on, and cannot any more. */
void gic_let_wake(struct gic_waiter *self);
void gic_woken(void);

/** Wake another one. */
void gic_wake(const struct gic_waiter *other);

/** Whether group 0 arrives as FIQ here, and is used. */
bool gic_has_fiq(void);

/** Whether what could be an FIQ is one; it is, unless told otherwise before gic_take(). */
void gic_use_fiqs(bool on);
bool gic_uses_fiqs(void);

void gic_enable(unsigned interrupt, bool on);
bool gic_enabled(unsigned interrupt);
void gic_as_fiq(unsigned interrupt, bool fiq);
bool gic_pending(unsigned interrupt);

/** The controller's registers as they are, as far as gic_take() has a say in them: for a comparison. @return
 * how many were put into out, at most max */
unsigned gic_registers(uint64_t *out, unsigned max);

/** Set the controller up as no firmware leaves it, with a shared interrupt enabled. The machine is not taken,
 * and exceptions are masked. @return its number */
unsigned gic_disturb(void);

/** As it was before gic_disturb(). */
void gic_quieten(void);

/** This processor may send itself an interrupt, by a register (GICv3) or by a store (GICv2). */
struct gic_self {
	uint64_t address; /* GICv2: where to store */
	uint64_t value;   /* what to store there, of 32 bits, or what to write to ICC_SGI1R_EL1 */
};
struct gic_self gic_self_begin(void);
void gic_self_end(void);

/** Whether that interrupt is the one that would be acknowledged next. */
bool gic_self_pending(void);

/** Let the interrupt of the counters be pending as if they had asked for it; whether it is. */
void gic_pend_counters(void);
bool gic_counters_pending(void);

/** Whether the counters' interrupt arrives as FIQ. */
bool gic_counters_as_fiq(void);

/** What a guarded call puts back. */
struct interrupt_claims {
	const struct overflow_claim *overflow[OVERFLOW_WAYS];
	const struct timer_claim *timer;
};
void interrupt_claims_keep(struct interrupt_claims *out);
void interrupt_claims_restore(const struct interrupt_claims *from);

const struct timer_claim *timer_claimed(void);

#endif
