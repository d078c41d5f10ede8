#include "arch/time.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/time.h"

uint64_t clock_read(void)
{
	return tsc_read();
}

uint64_t clock_hz(void)
{
	return tsc_hz();
}

const char *clock_reference(void)
{
	return time_reference();
}

void time_relax(void)
{
	cpu_relax();
}
