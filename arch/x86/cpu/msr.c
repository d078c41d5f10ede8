/*
 * Accesses to registers where code rests under the step engine, and rest after them: the slow side of msr.S.
 */
#include "arch/x86/cpu/msr.h"
#include "arch/x86/step/insn.h"
#include "arch/x86/step/step.h"

bool msr_read_resting(uint32_t address, uint64_t *value);
bool msr_read_list_resting(const uint32_t *address, unsigned n, uint64_t *value);
bool msr_write_resting(uint32_t address, uint64_t value);
bool pmc_read_resting(uint32_t index, uint64_t *value);
bool msr_accessed(bool good);

/* The client's answer. @return false if it leaves the access to the CPU, and nothing rests now */
static bool answered(uint8_t special, uint32_t index, uint64_t *value, bool *good)
{
	struct trap_frame f = {.rcx = index, .rax = (uint32_t)*value, .rdx = *value >> 32};
	enum step_action action = step_access(&f, special);

	*good = action == STEP_DONE;
	*value = *good ? f.rdx << 32 | (uint32_t)f.rax : 0;
	if (action == STEP_RUN)
		step_wake();
	return action != STEP_RUN;
}

bool msr_read_resting(uint32_t address, uint64_t *value)
{
	bool good;

	*value = 0;
	return answered(INSN_RDMSR, address, value, &good) ? good : msr_read(address, value);
}

bool msr_read_list_resting(const uint32_t *address, unsigned n, uint64_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (!msr_read(address[i], &value[i]))
			return false;
	return true;
}

bool msr_write_resting(uint32_t address, uint64_t value)
{
	uint64_t written = value;
	bool good;

	return answered(INSN_WRMSR, address, &written, &good) ? good : msr_write(address, value);
}

bool pmc_read_resting(uint32_t index, uint64_t *value)
{
	bool good;

	*value = 0;
	return answered(INSN_RDPMC, index, value, &good) ? good : pmc_read(index, value);
}

bool msr_accessed(bool good)
{
	step_run_free();
	return good;
}
