/*
 * The architectural events: SDM 18.2.1.2 and table 18-1 (general counters), 18.2.2 and table 18-2 (fixed
 * counters).
 *
 * The reference-cycle event and fixed counter 2 tick at different rates on most parts (bus or crystal clock
 * against TSC), so neither is derived from the other: both are clock-like and judged by bounds. Fixed
 * counters take no event select; their rows carry the pseudo codes 00H/01H and up that Intel's event files
 * give them.
 */
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/events/meanings.h"

#define ANY_COUNTER 0xffffffffll
#define FIXED(n)    (-1 - (n))
#undef TERM
#define TERM(quantity, coefficient)                                                                          \
	{                                                                                                    \
		Q_##quantity, coefficient                                                                    \
	}

const struct intel_arch_event intel_arch_events[] = {
#define EVENT(id, cores, selector, on, judged, exception, least, where, bit, ...)                            \
	{bit,                                                                                                \
	 {.name = id,                                                                                        \
	  .code = selector,                                                                                  \
	  .counters = (on) < 0 ? 0 : (uint32_t)(on),                                                         \
	  .fixed = (on) < 0 ? -1 - (on) : -1,                                                                \
	  .judgement = EVENT_REASONED(judged, exception),                                                    \
	  .flags = EVENT_ENUMERATED,                                                                         \
	  .terms = {__VA_ARGS__},                                                                            \
	  .rule = (exception) == NONE ? NULL : &intel_rules[exception],                                      \
	  .source = where}},
#include "pmu/intel/events/architectural.def"
#undef EVENT
};
const unsigned intel_arch_event_count = sizeof intel_arch_events / sizeof intel_arch_events[0];
_Static_assert(sizeof intel_arch_events / sizeof intel_arch_events[0] <= INTEL_ARCH_EVENTS_MAX, "too many");
