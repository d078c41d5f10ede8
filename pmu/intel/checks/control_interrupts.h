/*
 * Checks that an overflow interrupts once (pmu/contract/control.h), for the table in
 * pmu/intel/checks/control.c.
 */
#ifndef PMU_INTEL_CHECKS_CONTROL_INTERRUPTS_H
#define PMU_INTEL_CHECKS_CONTROL_INTERRUPTS_H

#include "pmu/contract/control.h"

/** Two fixed counters that overflow together, or nearly so: erratum AAJ119. */
bool intel_pair_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void intel_pair_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

/** Fixed counter 0 while an interrupt freezes the counters: erratum AAJ125. */
bool intel_frozen_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void intel_frozen_check(struct control_fixture *h, unsigned i, const struct pmu_event *e);

#endif
