/*
 * The virtual PMU: runs harness code under the step engine and answers its RDMSR, WRMSR, RDPMC and CPUID from a PMU model,
 * and delivers the model's overflow interrupts through the local APIC's LVT performance entry. Also the oracle, the
 * same stepping with a quantity counter in place of a model.
 */
#ifndef PMU_VPMU_H
#define PMU_VPMU_H

#include "pmu/model.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Create the virtual CPU. `inject` names injections separated by '+' (NULL or "": none).
 * @return false with *why (one line) if the profile or an injection is unknown
 */
bool vpmu_create(const char *profile, const char *inject, const char **why);

const struct model_profile *vpmu_profile(void);

/** Run fn(arg) on the virtual CPU. State of the model lasts from call to call. */
void vpmu_call(void (*fn)(void *), void *arg);

/**
 * Run fn(arg) under the oracle and add up every quantity of the instructions that retire between the two INT3-free markers
 * oracle_begin() and oracle_end() that fn calls around the code of interest (both are bracket code, see struct
 * pmu_bracket, so that composed windows are alike). Architectural quantities are exact; micro-architectural ones stay 0.
 */
void oracle_call(void (*fn)(void *), void *arg, struct qvec *total);

/** Bracket code for composing a window that the oracle watches: start and stop are each one marker instruction. */
struct pmu_bracket;
void oracle_bracket(struct pmu_bracket *out);

#endif
