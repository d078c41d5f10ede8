/*
 * What the Intel driver does about errata (pmu/contract/workaround.h).
 */
#ifndef PMU_INTEL_DRIVER_WORKAROUNDS_H
#define PMU_INTEL_DRIVER_WORKAROUNDS_H

#include "pmu/contract/workaround.h"

/** The order is that of intel_workarounds[]. */
enum intel_workaround {
	WORK_AAJ91,
	WORK_BJ103,
	WORK_BDD53,
	WORK_LOADS_AUX,
	WORK_BIGPEBS,
};

extern const struct pmu_workaround intel_workarounds[];

#define BIGPEBS_MOST     4096 /* bytes of a buffer: a page */
#define LOADS_AUX_CODE   0x8203
#define EXACT_PERIOD_LOW 100 /* BJ103: from the reset value to the overflow */

/** AAJ91: flush what event selection is left over, before events are programmed. Selectors and counters are
 * written back. Nothing on CPUs that do not need it. @return false if an access faulted, or if a counter that
 * is programmed holds what cannot be written back; then it still holds it */
bool intel_flush_selectors(const struct pmu *pmu);

#endif
