/*
 * PMUv3: what its files give to each other, and to the family's struct.
 */
#ifndef PMU_ARMV8_ARMV8_H
#define PMU_ARMV8_ARMV8_H

#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

#include <stdint.h>

extern const struct pmu_driver armv8_driver;

/** What a driver keeps of one PMU. */
struct armv8_pmu {
	unsigned version;      /* ID_AA64DFR0_EL1.PMUVer */
	uint64_t ceid0, ceid1; /* events from 0, and from 20H, in the lower halves; in the upper ones those
				  4000H higher */
};

/** Whether the PMU says that it counts an event of those that it lists. */
bool armv8_has_event(const struct armv8_pmu *own, unsigned event);

/** The rows of all events; they are the family's. @return how many there are */
unsigned armv8_rows(const struct pmu_event **rows);

#endif
