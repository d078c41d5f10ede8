/*
 * Short hands for tests that look at the Intel model's registers.
 */
#ifndef TESTS_SELF_HOST_INTEL_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_INTEL_MODEL_SHORTCUTS_H

#include "pmu/virtual/injections.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/model/model.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"
#include "tests/self/host/support/model_registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void *cpu;

static inline void power_up(const struct model_profile *p, const char *inject)
{
	struct injections injections;
	char why[INJECTION_REASON];
	assert_true(injections_parse(&intel_model, inject, &injections, why));
	free(cpu);
	cpu = calloc(1, intel_model.state_size);
	intel_model.reset(cpu, p, &injections.model);
}

static inline enum register_answer put(uint32_t address, uint64_t value)
{
	return model_wrmsr(&intel_model, cpu, address, value);
}

static inline void set(uint32_t address, uint64_t value)
{
	assert_int_equal(put(address, value), REGISTER_DONE);
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0xdeadbeef;
	assert_int_equal(model_rdmsr(&intel_model, cpu, address, &value), REGISTER_DONE);
	return value;
}

static inline bool faults(uint32_t address)
{
	uint64_t value = 1;
	enum register_answer read = model_rdmsr(&intel_model, cpu, address, &value);
	assert_int_not_equal(read, REGISTER_NOT_MINE);
	if (read == REGISTER_FAULT)
		assert_int_equal(value, 0);
	return read == REGISTER_FAULT;
}

static inline void refuses(uint32_t address, uint64_t value)
{
	uint64_t before = 0, after = 0;
	model_rdmsr(&intel_model, cpu, address, &before);
	assert_int_equal(put(address, value), REGISTER_FAULT);
	model_rdmsr(&intel_model, cpu, address, &after);
	assert_int_equal(before, after);
}

/* A step with an amount of one quantity. */
static inline void step(enum quantity q, unsigned amount, uint32_t cycles, uint8_t cpl)
{
	struct qterm term = {q, amount};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = cycles, .level = cpl};
	intel_model.advance(cpu, &s);
}

static inline void instructions(unsigned n)
{
	while (n--)
		step(Q_INSTRUCTIONS, 1, 1, 0);
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

static inline enum register_answer pmc(uint32_t index, bool allowed, uint64_t *value)
{
	*value = 0x5555;
	return model_rdpmc(&intel_model, cpu, index, allowed ? 0 : 3, false, value);
}

#endif
