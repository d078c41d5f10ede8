/*
 * What trap.c and console.c ask of the step engine, for an image without one. step.c overrides these.
 */
#include "arch/x86/step.h"

__attribute__((weak)) bool step_active(void)
{
	return false;
}

__attribute__((weak)) void step_pause(void)
{
}

__attribute__((weak)) void step_resume(void)
{
}

__attribute__((weak)) unsigned step_mark(void)
{
	return 0;
}

__attribute__((weak)) void step_unwind(unsigned mark)
{
	(void)mark;
}
