/*
 * What CPUID says on the virtual CPU: the profile's leaves, held against what the real CPU can execute. Pure,
 * so that it is tested on the host.
 */
#ifndef PMU_VPMU_CPUID_H
#define PMU_VPMU_CPUID_H

#include "pmu/model.h"

/**
 * The answer for real->leaf, real->subleaf.
 * @param thread logical processor that asks, below profile->threads; 0 if there is one
 * @param real   what the real CPU says for it; all zero beyond its highest leaf
 * @param out    gets the registers; leaf and subleaf are copied
 */
void vpmu_cpuid(const struct model_profile *profile, unsigned thread, const struct model_cpuid *real,
		struct model_cpuid *out);

#endif
