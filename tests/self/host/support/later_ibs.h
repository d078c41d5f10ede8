/*
 * A CPU with features of IBS that none with a public CPUID has.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_LATER_IBS_H
#define TESTS_SELF_HOST_SUPPORT_LATER_IBS_H

#include "pmu/amd/amd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/** Zen 5 with these features of IBS besides (pmu/amd/records/ibs.h); kept until the next call. */
static inline const struct model_profile *later_ibs(uint32_t features)
{
	static struct model_cpuid leaves[40];
	static struct model_profile p;

	p = amd_zen5;
	assert_true(p.n_cpuid <= sizeof leaves / sizeof leaves[0]);
	memcpy(leaves, p.cpuid, p.n_cpuid * sizeof leaves[0]);
	for (unsigned i = 0; i < p.n_cpuid; i++)
		if (leaves[i].leaf == 0x8000001b)
			leaves[i].eax |= features;
	p.cpuid = leaves;
	return &p;
}

#endif
