/*
 * What injected deviations do, rule by rule. The model calls a hook where it is about to carry a rule out, or
 * has done so, and goes on with what the hook makes of it: the same, while nothing is injected.
 */
#ifndef PMU_ARMV8_ERRATA_HOOKS_H
#define PMU_ARMV8_ERRATA_HOOKS_H

#include "pmu/armv8/model/model.h"

static inline bool injected(const struct armv8_state *s, enum armv8_injection i)
{
	return model_injected(&s->injections, i);
}

/** Whether any is: then nothing can be taken for granted. */
static inline bool armv8_hook_any(const struct armv8_state *s)
{
	return model_injected_any(&s->injections);
}

/** What a write of PMOVSCLR_EL0 clears. */
static inline uint64_t armv8_hook_cleared(const struct armv8_state *s, uint64_t mask)
{
	return injected(s, INJECT_STUCK_STATUS) ? 0
	       : injected(s, INJECT_CLEAR_LATE) ? mask & ~s->running
						: mask;
}

/** What an overflow leaves in PMOVSSET_EL0. */
static inline uint64_t armv8_hook_status(const struct armv8_state *s, uint64_t bit)
{
	return injected(s, INJECT_LOST_STATUS) ? 0 : bit;
}

/** What PMEVCNTR<c>_EL0 reads as. */
static inline uint64_t armv8_hook_read(const struct armv8_state *s, unsigned c)
{
	return s->counter[!c && injected(s, INJECT_ODD_INDEX) ? 1 : c].value;
}

/** The counters that are enabled. */
static inline uint64_t armv8_hook_enabled(const struct armv8_state *s)
{
	return injected(s, INJECT_ENABLE_IGNORED) ? armv8_all(s) : s->enabled;
}

/** The levels at which a counter counts. */
static inline uint8_t armv8_hook_levels(const struct armv8_state *s, uint8_t levels)
{
	return levels == LEVELS_USER && injected(s, INJECT_RING_LEAK) ? LEVELS_ALL : levels;
}

/** What CHAIN counts of an overflow. */
static inline uint64_t armv8_hook_chained(const struct armv8_state *s, uint64_t amount)
{
	return injected(s, INJECT_CHAIN_LOST) ? 0 : amount;
}

/** What a write of PMZR_EL0 clears. */
static inline uint64_t armv8_hook_zeroed(const struct armv8_state *s, uint64_t mask)
{
	return injected(s, INJECT_ZERO_IGNORED) ? 0 : mask;
}

/** Whether an overflow is to freeze counters. */
static inline bool armv8_hook_freezes(const struct armv8_state *s)
{
	return s->pmcr & PMCR_FZO && !injected(s, INJECT_NOT_FROZEN);
}

/** Whether PMSSCR_EL1 may capture: SSE_. */
static inline unsigned armv8_hook_captures(const struct armv8_state *s, unsigned captures)
{
	return injected(s, INJECT_CAPTURE_UNGUARDED) ? SSE_ALLOWED : captures;
}

/** What a capture saves of a counter. */
static inline uint64_t armv8_hook_saved(const struct armv8_state *s, unsigned c)
{
	return injected(s, INJECT_CAPTURE_STALE) ? s->saved[c] : s->counter[c].value;
}

/** Whether profiling that has stopped freezes counters. */
static inline bool armv8_hook_profiling(const struct armv8_state *s)
{
	return !injected(s, INJECT_FZS_IGNORED);
}

/** Whether edges of thresholds count as the thresholds do. */
static inline bool armv8_hook_levelled(const struct armv8_state *s)
{
	return injected(s, INJECT_EDGE_LEVEL);
}

/** What a write of PMCR_EL0 keeps. */
static inline uint64_t armv8_hook_pmcr(const struct armv8_state *s, uint64_t kept)
{
	return injected(s, INJECT_FZS_LOST) ? kept & ~PMCR_FZS : kept;
}

/** What PMOVSSET_EL0 and PMOVSCLR_EL0 show of the counters that overflowed. */
static inline uint64_t armv8_hook_shown(const struct armv8_state *s, uint64_t overflowed)
{
	return injected(s, INJECT_STATUS_LATE) ? overflowed & ~s->running : overflowed;
}

/** The events that PMCEID0_EL0 lists. */
static inline uint64_t armv8_hook_listed(const struct armv8_state *s, uint64_t events)
{
	const uint64_t of_instructions = UINT64_C(1) << EVENT_INST_RETIRED | UINT64_C(1) << EVENT_INST_SPEC;

	return injected(s, INJECT_UNLISTED) ? events & ~of_instructions : events;
}

/** The filters of a type register that have an effect. */
static inline uint64_t armv8_hook_filter(const struct armv8_state *s, uint64_t type)
{
	return injected(s, INJECT_FILTERS_APART) ? type & ~(TYPER_NSK | TYPER_NSU) : type;
}

/** Counters that EL1 has of those that there are. */
static inline uint64_t armv8_hook_mine(const struct armv8_state *s, uint64_t mine)
{
	return injected(s, INJECT_RANGE_LEAK) ? armv8_all(s) : mine;
}

/** Counters that a permitted access may look at, or write. */
static inline uint64_t armv8_hook_user(const struct armv8_state *s, uint64_t mask)
{
	return injected(s, INJECT_USER_ALL) ? UINT64_MAX : mask;
}

/** An event has been chosen. @return whether it counts nothing by its row */
bool armv8_hook_decoded(struct armv8_state *s, unsigned c);

/** Counters have been started. */
void armv8_hook_started(struct armv8_state *s);

/** The interrupt has been asserted. @return whether it is not requested now */
bool armv8_hook_request(struct armv8_state *s);

/** A step begins. */
void armv8_hook_step(struct armv8_state *s);

/** What a step adds to a counter; the sum of it and what the counter has. */
uint64_t armv8_hook_amount(struct armv8_state *s, unsigned c, const struct step *step, uint64_t amount);
uint64_t armv8_hook_sum(const struct armv8_state *s, unsigned c, uint64_t value, uint64_t amount);

/** Whether the counter overflows. */
bool armv8_hook_overflows(const struct armv8_state *s, unsigned c, bool overflows);

#endif
