/*
 * Events of PMUv3: the architectural and common ones, which a PMU lists in PMCEID0_EL0 and PMCEID1_EL0 as far
 * as these have room, and those that single cores have besides.
 */
#ifndef PMU_ARMV8_EVENTS_EVENTS_H
#define PMU_ARMV8_EVENTS_EVENTS_H

#include "pmu/contract/event.h"

#include <stdbool.h>
#include <stdint.h>

/** Lists of events that cores have besides, a bit each. */
enum armv8_core_number {
#define ARMV8_CORE(id) ARMV8_NUMBER_##id,
#include "pmu/armv8/events/cores.def"
#undef ARMV8_CORE
	ARMV8_CORES
};
enum armv8_core {
	ARMV8_NO_CORE = 0,
#define ARMV8_CORE(id) ARMV8_##id = 1 << ARMV8_NUMBER_##id,
#include "pmu/armv8/events/cores.def"
#undef ARMV8_CORE
};

struct armv8_row {
	struct pmu_event event;
	uint32_t cores; /* bits of enum armv8_core; 0: the PMU itself says whether it has the event */
};
extern const struct armv8_row armv8_rows[];
extern const unsigned armv8_row_count;

/** The list of a core by MIDR_EL1. @return ARMV8_NO_CORE: there is none */
enum armv8_core armv8_core_of(uint64_t midr);

/** Whether PMCEID0_EL0 and PMCEID1_EL0 list an event. @param version ID_AA64DFR0_EL1.PMUVer */
bool armv8_listed(unsigned event, const uint64_t ceid[2], unsigned version);

/** Whether a PMU with these has the event of a row. @param core bits of enum armv8_core */
bool armv8_has_row(const struct armv8_row *row, const uint64_t ceid[2], unsigned version, uint32_t core);

/** The row of an event on such a PMU. @return NULL: it counts nothing that is known */
const struct armv8_row *armv8_row_of(unsigned event, const uint64_t ceid[2], unsigned version, uint32_t core);

#endif
