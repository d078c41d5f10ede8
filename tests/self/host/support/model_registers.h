/*
 * RDMSR, WRMSR and RDPMC of a model, as instructions have them: addresses and values.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_MODEL_REGISTERS_H
#define TESTS_SELF_HOST_SUPPORT_MODEL_REGISTERS_H

#include "arch/x86/cpu/register_access.h"
#include "pmu/contract/model.h"

static inline enum register_answer model_rdmsr(const struct pmu_model *m, void *state, uint32_t address,
					       uint64_t *value)
{
	struct register_access a = access_rdmsr(address);
	enum register_answer answer = m->access(state, &a);

	*value = a.value;
	return answer;
}

static inline enum register_answer model_wrmsr(const struct pmu_model *m, void *state, uint32_t address,
					       uint64_t value)
{
	struct register_access a = access_wrmsr(address, value);

	return m->access(state, &a);
}

/** @param pce CR4.PCE */
static inline enum register_answer model_rdpmc(const struct pmu_model *m, void *state, uint32_t index,
					       uint8_t cpl, bool pce, uint64_t *value)
{
	struct register_access a = access_rdpmc(index, cpl, pce);
	enum register_answer answer = m->access(state, &a);

	*value = a.value;
	return answer;
}

#endif
