/*
 * A CPU with features of IBS that none with a public CPUID has.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_LATER_IBS_H
#define TESTS_SELF_HOST_SUPPORT_LATER_IBS_H

#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/amd/amd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/** Zen 5 with these features of IBS besides (pmu/amd/records/ibs.h); kept until the next call. */
static inline const struct model_profile *later_ibs(uint32_t features)
{
	static struct cpuid_row leaves[40];
	static struct cpuid_table table;
	static struct model_profile p;
	const struct cpuid_table *of = cpuid_table_of(amd_zen5.identity);

	p = amd_zen5;
	table = (struct cpuid_table){leaves, of->n};
	assert_true(of->n <= sizeof leaves / sizeof leaves[0]);
	memcpy(leaves, of->row, of->n * sizeof leaves[0]);
	for (unsigned i = 0; i < of->n; i++)
		if (leaves[i].leaf == 0x8000001b)
			leaves[i].eax |= features;
	p.identity = &table;
	return &p;
}

#endif
