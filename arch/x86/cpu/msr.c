/*
 * Accesses to registers where code rests under the step engine, and rest after them: the slow side of msr.S.
 */
#include "arch/x86/cpu/msr.h"
#include "arch/courage.h"
#include "arch/x86/cpu/register_access.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/step/step.h"

bool msr_read_free(uint32_t address, uint64_t *value);
bool msr_read_list_free(const uint32_t *address, unsigned n, uint64_t *value);
bool msr_write_free(uint32_t address, uint64_t value);
bool pmc_read_free(uint32_t index, uint64_t *value);
bool msr_accessed(bool good);
bool msr_write_now(uint32_t address, uint64_t value);

/* The client's answer. @return false if it leaves the access to the CPU, and nothing runs free now */
static bool answered(struct register_access *a, bool *good)
{
	enum register_answer answer = step_access(a);

	*good = answer == REGISTER_DONE;
	if (!*good)
		a->value = 0;
	if (answer == REGISTER_NOT_MINE)
		step_wake();
	return answer != REGISTER_NOT_MINE;
}

bool msr_read_free(uint32_t address, uint64_t *value)
{
	struct register_access a = access_rdmsr(address);
	bool good, done = answered(&a, &good);

	*value = a.value;
	return done ? good : msr_read(address, value);
}

bool msr_read_list_free(const uint32_t *address, unsigned n, uint64_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (!msr_read(address[i], &value[i]))
			return false;
	return true;
}

bool msr_write_free(uint32_t address, uint64_t value)
{
	struct register_access a = access_wrmsr(address, value);
	uint64_t held;
	bool good;

	if (register_asks.limited && !courage_allows(SPACE_MSR, address)) {
		if (msr_read(address, &held) && held == value)
			return true;
		trap_refuse("MSR", address, courage_of(SPACE_MSR, address));
		return false;
	}
	if (!register_asks.runs_free)
		return msr_write_now(address, value);
	return answered(&a, &good) ? good : msr_write(address, value);
}

bool pmc_read_free(uint32_t index, uint64_t *value)
{
	struct register_access a = access_rdpmc(index, 0, false);
	bool good, done = answered(&a, &good);

	*value = a.value;
	return done ? good : pmc_read(index, value);
}

bool msr_accessed(bool good)
{
	step_run_free();
	return good;
}
