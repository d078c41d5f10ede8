/*
 * What the Intel driver does about errata (pmu/contract/workaround.h).
 */
#ifndef PMU_INTEL_DRIVER_WORKAROUNDS_H
#define PMU_INTEL_DRIVER_WORKAROUNDS_H

#include "pmu/contract/workaround.h"

/** The order is that of intel_workarounds[]. */
enum intel_workaround { WORK_AAJ91 };

extern const struct pmu_workaround intel_workarounds[];

/** AAJ91: flush what event selection is left over, before events are programmed. What the counters hold
 * stays, as far as they can be written. Nothing on CPUs that do not need it. @return false if an access
 * faulted */
bool intel_flush_selectors(const struct pmu *pmu);

#endif
