/*
 * Short hands for tests that look at the AMD model's registers.
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H

#include "pmu/virtual/injections.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/registers.h"
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
	assert_true(injections_parse(&amd_model, inject, &injections, why));
	free(cpu);
	cpu = calloc(1, amd_model.state_size);
	amd_model.reset(cpu, p, &injections.model);
}

static inline enum register_answer put(uint32_t address, uint64_t value)
{
	return model_wrmsr(&amd_model, cpu, address, value);
}

static inline void set(uint32_t address, uint64_t value)
{
	assert_int_equal(put(address, value), REGISTER_DONE);
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0xdeadbeef;
	assert_int_equal(model_rdmsr(&amd_model, cpu, address, &value), REGISTER_DONE);
	return value;
}

/* Reading and writing alike. */
static inline bool faults(uint32_t address)
{
	uint64_t value = 1;
	enum register_answer read = model_rdmsr(&amd_model, cpu, address, &value);
	assert_int_not_equal(read, REGISTER_NOT_MINE);
	assert_int_equal(put(address, 0), read);
	return read == REGISTER_FAULT;
}

/* A step with an amount of one quantity. @return what advance() returns */
static inline bool step(enum quantity q, unsigned amount, uint32_t cycles, uint8_t cpl)
{
	struct qterm term = {q, amount};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = cycles, .level = cpl};
	return amd_model.advance(cpu, &s);
}

static inline void instructions(unsigned n)
{
	while (n--)
		step(Q_INSTRUCTIONS, 1, 1, 0);
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

static inline enum register_answer pmc(uint32_t index, bool allowed, uint64_t *value)
{
	*value = 0x5555;
	return model_rdpmc(&amd_model, cpu, index, allowed ? 0 : 3, false, value);
}

#endif
