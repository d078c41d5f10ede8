/*
 * What the tests of PMUv3's model begin with: a PMU of each version, accesses to its registers, and steps.
 */
#ifndef TESTS_SELF_HOST_ARMV8_MODEL_BEGIN_H
#define TESTS_SELF_HOST_ARMV8_MODEL_BEGIN_H

#include "pmu/armv8/armv8.h"
#include "pmu/armv8/events/events.h"
#include "pmu/armv8/model/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const uint8_t versions[] = {PMUVER_3_0, PMUVER_3_1, PMUVER_3_4, PMUVER_3_5,
				   PMUVER_3_7, PMUVER_3_8, PMUVER_3_9};
#define VERSIONS (sizeof versions / sizeof versions[0])

#define ALL_FILTERS (TYPER_P | TYPER_U | TYPER_NSK | TYPER_NSU | TYPER_NSH | TYPER_M)
#define INSTR       0x08
#define LD_RETIRED  0x06
#define CYCLE_BIT   (1u << ARMV8_CYCLES)
#define INSN_BIT    (UINT64_C(1) << ARMV8_INSTRUCTIONS)
#define ONES32      UINT64_C(0xffffffff)

static struct armv8_part part;
static struct armv8_state cpu;

/* A PMU with all that its version may have. */
static void power_up(unsigned version, unsigned counters)
{
	struct model_profile profile = {.name = "test", .model = &armv8_model, .data = &part};

	part = (struct armv8_part){
		.version = (uint8_t)version,
		.counters = (uint8_t)counters,
		.implementer = 0x41,
		.idcode = 0x3,
		.secure = true,
		.hypervisor = true,
		.multithreaded = true,
		.icntr = version >= PMUVER_3_9,
		.snapshots = version >= PMUVER_3_9,
		.pmmir = version >= PMUVER_3_4 ? 1u << PMMIR_EDGE | 4u << PMMIR_THWIDTH | 6 : 0,
		.ceid = {0x123456787fff7fff, 0x9abcdef0ffffffff},
	};
	armv8_model.reset(&cpu, &profile, NULL);
}

static enum register_answer reads(uint64_t number, uint8_t level, uint64_t *value)
{
	struct register_access a = {.space = SPACE_SYSTEM, .number = number, .level = level};
	enum register_answer answer = armv8_model.access(&cpu, &a);

	*value = a.value;
	return answer;
}

static enum register_answer writes(uint64_t number, uint8_t level, uint64_t value)
{
	struct register_access a = {
		.space = SPACE_SYSTEM, .number = number, .level = level, .write = true, .value = value};

	return armv8_model.access(&cpu, &a);
}

static uint64_t get(uint64_t number)
{
	uint64_t value;

	assert_int_equal(reads(number, 0, &value), REGISTER_DONE);
	return value;
}

static void set(uint64_t number, uint64_t value)
{
	assert_int_equal(writes(number, 0, value), REGISTER_DONE);
}

/* So much of a quantity in one step of a cycle. */
static bool step_at(uint8_t level, enum quantity q, uint32_t amount)
{
	const struct qterm term = {(quantity_number)q, amount};
	const struct step step = {.terms = &term, .n_terms = 1, .cycles = 1, .level = level};

	return armv8_model.advance(&cpu, &step);
}

static void instructions(unsigned n)
{
	while (n--)
		step_at(0, Q_INSTRUCTIONS, 1);
}

/* All registers known, counters on by PMCR_EL0.E, event counters with INST_RETIRED. */
static void begin(unsigned version, uint32_t pmcr)
{
	power_up(version, 6);
	set(PMCR_EL0, pmcr | PMCR_E | PMCR_P | PMCR_C);
	set(PMCNTENCLR_EL0, ~UINT64_C(0));
	set(PMINTENCLR_EL1, ~UINT64_C(0));
	set(PMOVSCLR_EL0, ~UINT64_C(0));
	set(PMUSERENR_EL0, 0);
	for (unsigned c = 0; c < 6; c++)
		set(PMEVTYPER_EL0 + c, INSTR);
	set(PMCCFILTR_EL0, 0);
	armv8_model.take_pmi(&cpu);
}

#endif
