/*
 * What tests of a driver's records share: a CPU that the driver has identified, and a recording that runs.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_RECORDING_CPU_H
#define TESTS_SELF_HOST_SUPPORT_RECORDING_CPU_H

#include "pmu/contract/record.h"
#include "tests/self/host/support/fake_cpu.h"

#define CODE 0x401000ull /* where its program begins */

/** Power up a CPU (fake_cpu_start()), and have the driver identify and reset it: without touching a register
 * that there is not. */
void recording_cpu(struct pmu *pmu, const struct pmu_driver *driver, const struct model_profile *p,
		   const char *inject);

/** Set a recording up and start it; ends the test if it is refused. */
void recording_begin(const struct pmu *pmu, const struct pmu_recording *r);

#endif
