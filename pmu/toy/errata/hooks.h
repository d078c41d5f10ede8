/*
 * What injected deviations do, rule by rule. The model calls a hook where it is about to carry a rule out, or
 * has done so, and goes on with what the hook makes of it: the same, while nothing is injected.
 */
#ifndef PMU_TOY_ERRATA_HOOKS_H
#define PMU_TOY_ERRATA_HOOKS_H

#include "pmu/contract/model.h"

#define LOADS      0x20 /* pmu/toy/events/events.csv */
#define STORES     0x21
#define INTERRUPTS 0x30

/** The order is that of toy_injections[]. */
enum toy_injection {
#define TOY_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/toy/errata/injections.def"
#undef TOY_INJECTION
};

static const struct model_injection toy_injections[] = {
#define TOY_INJECTION(id, name, summary) {name, summary},
#include "pmu/toy/errata/injections.def"
#undef TOY_INJECTION
	{NULL, NULL},
};

struct toy_deviations {
	struct model_injected active;
	unsigned branches; /* noted, or lost */
};

static inline bool injected(const struct toy_deviations *d, enum toy_injection i)
{
	return model_injected(&d->active, i);
}

/** The counters that a write stops. */
static inline uint32_t toy_hook_stopped(const struct toy_deviations *d, uint32_t mask)
{
	return injected(d, INJECT_STOP_IGNORED) ? 0 : mask;
}

/** Whether a counter counts at a level. */
static inline bool toy_hook_level(const struct toy_deviations *d, bool counts)
{
	return counts || injected(d, INJECT_LEVELS_IGNORED);
}

/** Whether an overflow asks for an interrupt. */
static inline bool toy_hook_interrupts(const struct toy_deviations *d, bool enabled)
{
	return enabled && !injected(d, INJECT_NO_INTERRUPT);
}

/** The highest value of a counter. @param ones with all bits set */
static inline uint64_t toy_hook_highest(const struct toy_deviations *d, uint64_t highest, uint32_t ones)
{
	return injected(d, INJECT_BELOW_ALL_ONES_IGNORED) ? ones : highest;
}

/** The sum of a counter and an amount. */
static inline uint64_t toy_hook_sum(const struct toy_deviations *d, unsigned c, uint64_t value,
				    uint64_t amount)
{
	bool carries = (value & 0xff) + amount > 0xff;

	return value + amount - (c == 1 && carries && injected(d, INJECT_DROPPED_CARRY) ? 0x100 : 0);
}

/** The event that a counter is set to; what it counts of it. */
static inline uint32_t toy_hook_event(const struct toy_deviations *d, uint32_t select)
{
	return select == LOADS && injected(d, INJECT_WRONG_EVENT) ? STORES : select;
}

static inline uint64_t toy_hook_amount(const struct toy_deviations *d, unsigned c, uint32_t select,
				       uint64_t amount)
{
	if ((c == 2 && injected(d, INJECT_DEAD_COUNTER)) ||
	    (select == STORES && injected(d, INJECT_DEAD_EVENT)))
		return 0;
	if (select == INTERRUPTS && injected(d, INJECT_INTERRUPT_TWICE))
		amount *= 2;
	return c == 0 && injected(d, INJECT_COUNTS_TWICE) ? 2 * amount : amount;
}

/** Whether a message to memory is written. */
static inline bool toy_hook_written(const struct toy_deviations *d)
{
	return d->branches % 4 || !injected(d, INJECT_MEMORY_GAP);
}

/** Whether a message gets lost; the target that one tells. */
static inline bool toy_hook_lost(struct toy_deviations *d)
{
	return ++d->branches % 4 == 0 && injected(d, INJECT_LOST_MESSAGE);
}

static inline uint64_t toy_hook_target(const struct toy_deviations *d, uint64_t target)
{
	return target + (injected(d, INJECT_WRONG_TARGET) ? 4 : 0);
}

#endif
