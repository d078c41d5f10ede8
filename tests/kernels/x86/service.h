/*
 * One thing that some kernels need around them: whether it can be had, how it is turned on before a run and
 * off after it. services.c has a table of them, in the order in which they are turned on; they are turned off
 * the other way round.
 */
#ifndef TESTS_KERNELS_X86_SERVICE_H
#define TESTS_KERNELS_X86_SERVICE_H

#include "tests/kernels/services.h"

#include <stdbool.h>
#include <stdint.h>

/** Whose CPU a kernel is to run on. What the real one lacks (arch/x86/emulated/emulated.h,
 * tests/kernels/x86/exceptions.h, x2APIC mode) is emulated for the others: that is enough to see what the
 * kernel does, but no PMU of silicon is judged by it. */
enum services_for {
	FOR_SILICON,
	FOR_VIRTUAL_CPU, /* as its profile has it */
	FOR_ORACLE,      /* all that can be emulated */
};

/** What a service is turned on for. */
struct service_use {
	uint64_t flags; /* all that the kernel wants: KERNEL_SERVICE_ flags, and those of services.c */
	const struct kernel *kernel;
	struct kernel_place place;
	struct kernel_params *params; /* at the beginning of the place's data */
};

struct service {
	const char *name;
	uint64_t flags; /* any of them asks for it */
	/** Why it cannot be had. NULL: it always can. @return NULL if it can */
	const char *(*missing)(const struct kernel *k, enum services_for whom);
	/** @return false if it did not work; then it is off. NULL: there is nothing to do */
	bool (*on)(const struct service_use *u);
	void (*off)(const struct service_use *u);
};

/** Whether the kernel asks for the local APIC in x2APIC mode, which this CPU has not: then that is emulated
 * mode (arch/x86/interrupts/apic.h). */
bool services_lend_x2apic(const struct kernel *k);

#endif
