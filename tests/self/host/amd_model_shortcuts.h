/*
 * Short hands for tests that look at the AMD model's registers.
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_AMD_MODEL_SHORTCUTS_H

#include "pmu/amd/amd.h"
#include "pmu/amd/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void *cpu;

static inline void power_up(const struct model_profile *p, const char *inject)
{
	struct model_injected set;
	const char *why;
	assert_true(model_injections_parse(&amd_model, inject, &set, &why));
	free(cpu);
	cpu = calloc(1, amd_model.state_size);
	amd_model.reset(cpu, p, &set);
}

static inline enum model_access put(uint32_t address, uint64_t value)
{
	return amd_model.wrmsr(cpu, address, value);
}

static inline void set(uint32_t address, uint64_t value)
{
	assert_int_equal(put(address, value), MODEL_OK);
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0xdeadbeef;
	assert_int_equal(amd_model.rdmsr(cpu, address, &value), MODEL_OK);
	return value;
}

/* Reading and writing alike. */
static inline bool faults(uint32_t address)
{
	uint64_t value = 1;
	enum model_access read = amd_model.rdmsr(cpu, address, &value);
	assert_int_not_equal(read, MODEL_NOT_MINE);
	assert_int_equal(put(address, 0), read);
	return read == MODEL_FAULT;
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

static inline enum model_access pmc(uint32_t index, bool allowed, uint64_t *value)
{
	*value = 0x5555;
	return amd_model.rdpmc(cpu, index, allowed ? READER_KERNEL : READER_DENIED, value);
}

#endif
