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

#define ANY_COUNTER 0xffffffffu

/* bit of CPUID.0AH:EBX or -1, name, event select, unit mask, general counters, fixed counter, judgement,
 * quantity, exception (pmu/intel/events/rules.def) */
#define ROW(bit, n, select, umask, general, fixed_index, judge, q, exception)                                \
	{                                                                                                    \
		bit,                                                                                         \
		{                                                                                            \
			.name = n, .code = (uint64_t)(umask) << 8 | (select), .counters = general,           \
			.fixed = fixed_index, .judgement = EVENT_REASONED(judge, exception),                 \
			.flags = EVENT_ENUMERATED, .terms = {{Q_##q, 1}},                                    \
			.rule = (exception) == NONE ? NULL : &intel_rules[exception],                        \
			.source = (fixed_index) < 0 ? "SDM 18.2.1.2, table 18-1" : "SDM 18.2.2, table 18-2"  \
		}                                                                                            \
	}

/* clang-format off */
const struct intel_arch_event intel_arch_events[] = {
	ROW(0, "CPU_CLK_UNHALTED.THREAD_P", 0x3c, 0x00, ANY_COUNTER, -1, EVENT_TIME, CYCLES, NONE),
	ROW(1, "INST_RETIRED.ANY_P", 0xc0, 0x00, ANY_COUNTER, -1, EVENT_EXACT, INSTRUCTIONS, REP_IS_ONE),
	ROW(2, "CPU_CLK_UNHALTED.REF_P", 0x3c, 0x01, ANY_COUNTER, -1, EVENT_TIME, BUS_CYCLES, BUS_CLOCK),
	ROW(3, "LONGEST_LAT_CACHE.REFERENCE", 0x2e, 0x4f, ANY_COUNTER, -1, EVENT_AT_LEAST, LLC_REF, PREFETCHERS),
	ROW(4, "LONGEST_LAT_CACHE.MISS", 0x2e, 0x41, ANY_COUNTER, -1, EVENT_AT_LEAST, LLC_MISS, PREFETCHERS),
	ROW(5, "BR_INST_RETIRED.ALL_BRANCHES", 0xc4, 0x00, ANY_COUNTER, -1, EVENT_EXACT, BRANCHES, ALL_BRANCHES),
	ROW(6, "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0x00, ANY_COUNTER, -1, EVENT_EXACT, BR_MISPRED, NONE),
	ROW(7, "TOPDOWN.SLOTS_P", 0xa4, 0x01, ANY_COUNTER, -1, EVENT_TIME, SLOTS, NONE),
	ROW(-1, "INST_RETIRED.ANY", 0x00, 0x01, 0, 0, EVENT_EXACT, INSTRUCTIONS, REP_IS_ONE),
	ROW(-1, "CPU_CLK_UNHALTED.THREAD", 0x00, 0x02, 0, 1, EVENT_TIME, CYCLES, NONE),
	ROW(-1, "CPU_CLK_UNHALTED.REF", 0x00, 0x03, 0, 2, EVENT_TIME, REF_CYCLES, TSC_RATE),
	ROW(-1, "TOPDOWN.SLOTS", 0x00, 0x04, 0, 3, EVENT_TIME, SLOTS, NONE),
};
/* clang-format on */
const unsigned intel_arch_event_count = sizeof intel_arch_events / sizeof intel_arch_events[0];
_Static_assert(sizeof intel_arch_events / sizeof intel_arch_events[0] <= INTEL_ARCH_EVENTS_MAX, "too many");
