/*
 * The processors that the tests of the AMD model go through, and what each of them has.
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_PARTS_H
#define TESTS_SELF_HOST_AMD_MODEL_PARTS_H

#include "tests/self/host/amd_model_shortcuts.h"

static const struct {
	const struct model_profile *profile;
	unsigned counters;
	bool extended, v2, freezes, irperf, aperf;
} parts[] = {
	{&amd_k7, 4, false, false, false, false, false},
	{&amd_k8, 4, false, false, false, false, false},
	{&amd_fam10h, 4, false, false, false, false, false},
	{&amd_fam11h, 4, false, false, false, false, false},
	{&amd_fam12h, 4, false, false, false, false, true},
	{&amd_fam14h, 4, false, false, false, false, true},
	{&amd_fam16h, 4, false, false, false, false, true},
	{&amd_zen3_epyc, 6, true, false, false, true, true},
	{&amd_zen4_guest, 6, true, true, false, false, false},
	{&amd_fam15h, 6, true, false, false, false, true},
	{&amd_zen1, 6, true, false, false, true, true},
	{&amd_zen2, 6, true, false, false, true, true},
	{&amd_zen3, 6, true, false, false, true, true},
	{&amd_zen4, 6, true, true, false, true, true},
	{&amd_zen5, 6, true, true, true, true, true},
};
#define PARTS (sizeof parts / sizeof parts[0])

#endif
