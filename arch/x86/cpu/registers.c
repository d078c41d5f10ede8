#include "arch/register.h"

#include "arch/x86/cpu/msr.h"

bool register_read(enum register_space space, uint64_t number, uint64_t *value)
{
	*value = 0;
	if (space == SPACE_MSR)
		return msr_read((uint32_t)number, value);
	return space == SPACE_SELECTOR && pmc_read((uint32_t)number, value);
}

bool register_write(enum register_space space, uint64_t number, uint64_t value)
{
	return space == SPACE_MSR && msr_write((uint32_t)number, value);
}
