/*
 * Short hands for tests that look at the AMD model's registers.
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H

#include "pmu/amd/amd.h"
#include "pmu/amd/model/model.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/registers.h"

#define MODEL amd_model
#include "tests/self/host/support/model_shortcuts.h"

static inline enum register_answer put(uint32_t address, uint64_t value)
{
	return model_put(address, value);
}

/* Reading and writing alike. */
static inline bool faults(uint32_t address)
{
	uint64_t value = 1;
	enum register_answer read = model_rdmsr(&MODEL, cpu, address, &value);
	assert_int_not_equal(read, REGISTER_NOT_MINE);
	assert_int_equal(put(address, 0), read);
	return read == REGISTER_FAULT;
}

static inline unsigned pmis(void)
{
	unsigned n = 0;
	while (n < 9 && amd_model.take_pmi(cpu))
		n++;
	return n;
}

#define RINGS    (CTL_USR | CTL_OS)
#define INSTR    (0xc0 | RINGS | CTL_EN)
#define CYCLES   (0x76 | RINGS | CTL_EN)
#define BRANCHES (0xc2 | RINGS | CTL_EN)
#define CMASK(n) ((uint64_t)(n) << CTL_CMASK_SHIFT)
#define TOP      0xffffffffffffull

/* Legacy numbers, which every profile has. */
#define CTL(n) (PERF_LEGACY_CTL0 + (n))
#define CTR(n) (PERF_LEGACY_CTR0 + (n))

static inline void program(unsigned counter, uint64_t select)
{
	set(CTL(counter), select);
	set(CTR(counter), 0);
}

#endif
