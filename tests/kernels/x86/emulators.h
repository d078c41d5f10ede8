/*
 * Kernels that an emulator gets wrong, without a sign that could be looked for. What it gets wrong is carried
 * out for it, stepped and at full speed, which is enough to see what the kernel does (or at full speed a
 * wrong vector has the same handler); where nobody does, such a kernel is skipped.
 */
#ifndef TESTS_KERNELS_X86_EMULATORS_H
#define TESTS_KERNELS_X86_EMULATORS_H

#include "tests/kernels/x86/kernel.h"

struct emulator_trouble {
	const char *kernel;
	const char *hypervisor; /* as CPUID leaf 40000000H spells it, 12 letters */
	const char *reason;
};

/** Ended by a row without kernel. */
extern const struct emulator_trouble emulator_troubles[];

/** The row that applies to a kernel where the program runs, NULL if none does. Asks the real CPU: call it
 * once before anything is stepped. */
const struct emulator_trouble *emulator_trouble(const struct kernel *k);

#endif
