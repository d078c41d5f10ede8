/*
 * Short hands for tests that look at a model's registers, whichever family's it is: the header of a family
 * that includes this one says so in MODEL. MODEL is a struct pmu_model.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_SUPPORT_MODEL_SHORTCUTS_H

#include "pmu/virtual/injections.h"
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

	assert_true(injections_parse(&MODEL, inject, &injections, why));
	free(cpu);
	cpu = calloc(1, MODEL.state_size);
	MODEL.reset(cpu, p, &injections.model);
}

static inline enum register_answer model_put(uint32_t address, uint64_t value)
{
	return model_wrmsr(&MODEL, cpu, address, value);
}

static inline void set(uint32_t address, uint64_t value)
{
	assert_int_equal(model_put(address, value), REGISTER_DONE);
}

static inline uint64_t get(uint32_t address)
{
	uint64_t value = 0xdeadbeef;

	assert_int_equal(model_rdmsr(&MODEL, cpu, address, &value), REGISTER_DONE);
	return value;
}

static inline void refuses(uint32_t address, uint64_t value)
{
	uint64_t before = 0, after = 0;

	model_rdmsr(&MODEL, cpu, address, &before);
	assert_int_equal(model_put(address, value), REGISTER_FAULT);
	model_rdmsr(&MODEL, cpu, address, &after);
	assert_int_equal(before, after);
}

/* A step with an amount of one quantity. @return what advance() returns */
static inline bool step(enum quantity q, unsigned amount, uint32_t cycles, uint8_t cpl)
{
	struct qterm term = {q, amount};
	struct step s = {.terms = &term, .n_terms = 1, .cycles = cycles, .level = cpl};

	return MODEL.advance(cpu, &s);
}

static inline void instructions(unsigned n)
{
	while (n--)
		step(Q_INSTRUCTIONS, 1, 1, 0);
}

static inline enum register_answer pmc(uint32_t index, bool allowed, uint64_t *value)
{
	*value = 0x5555;
	return model_rdpmc(&MODEL, cpu, index, allowed ? 0 : 3, false, value);
}

#endif
