#pragma once
#include "pmu/contract/event.h"

#include <stdint.h>

/**
 * What an event that looks at levels says of code that stays at `level`: at the least privileged one (above
 * 0) all cycles are cycles.user. CPL_CYCLES.RING0 of Intel's lists, cycles less cycles.user, is cycles less
 * cycles there.
 * @return whether anything is left of its terms; false: a counter of that level must stay at 0
 */
bool event_seen_at(const struct pmu_event *e, uint8_t level, struct pmu_event *seen);
