/*
 * Services of x86's kernels: tests/kernels/services.h says what a service is.
 */
#ifndef TESTS_KERNELS_X86_SERVICES_H
#define TESTS_KERNELS_X86_SERVICES_H

#include "tests/kernels/services.h"
#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whose CPU a kernel is to run on. What the real one lacks (arch/x86/emulated/emulated.h,
 * tests/kernels/x86/exceptions.h, x2APIC mode) is emulated for the others: that is enough to see what the
 * kernel does, but no PMU of silicon is judged by it. */
enum services_for {
	FOR_SILICON,
	FOR_VIRTUAL_CPU, /* as its profile has it */
	FOR_ORACLE,      /* all that can be emulated */
};

/** Why a service that the kernel asks for cannot be had here, NULL if all can. The first question for a
 * kernel that wants another processor starts it: the machine must be taken. */
const char *services_missing(const struct kernel *k, enum services_for whom);

/** Whether the kernel asks for the local APIC in x2APIC mode, which this CPU has not: then that is emulated
 * mode (arch/x86/interrupts/apic.h). */
bool services_lend_x2apic(const struct kernel *k);

/** Where an interrupt or exception of this vector arrives while the kernel's services are on, and where its
 * SYSCALL or SYSENTER does; NULL if they have no say in it. */
const uint8_t *services_handler(const struct kernel *k, unsigned vector);
const uint8_t *services_call_handler(const struct kernel *k);

#endif
