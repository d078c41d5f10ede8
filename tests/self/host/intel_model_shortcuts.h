/*
 * Short hands for tests that look at the Intel model's registers.
 */
#ifndef TESTS_SELF_HOST_INTEL_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_INTEL_MODEL_SHORTCUTS_H

#include "pmu/intel/events/core_events.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/model/model.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"

#define MODEL intel_model
#include "tests/self/host/support/model_shortcuts.h"

static inline enum register_answer put(uint32_t address, uint64_t value)
{
	return model_put(address, value);
}

static inline bool faults(uint32_t address)
{
	uint64_t value = 1;
	enum register_answer read = model_rdmsr(&MODEL, cpu, address, &value);
	assert_int_not_equal(read, REGISTER_NOT_MINE);
	if (read == REGISTER_FAULT)
		assert_int_equal(value, 0);
	return read == REGISTER_FAULT;
}

#define BOTH         (EVTSEL_USR | EVTSEL_OS)
#define INSTR        (0xc0 | BOTH | EVTSEL_EN)
#define CYCLES_CORE  (0x3c | BOTH | EVTSEL_EN)
#define BRANCHES     (0xc4 | BOTH | EVTSEL_EN)
#define CMASK(n)     ((uint64_t)(n) << EVTSEL_CMASK_SHIFT)
#define FIXED_BIT(n) (1ull << (32 + (n)))

static inline void program(unsigned counter, uint64_t select)
{
	set(IA32_PERFEVTSEL0 + counter, select);
	set(IA32_PMC0 + counter, 0);
}

#endif
