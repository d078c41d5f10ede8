/*
 * What some kernels need around them: handlers for the interrupts and faults that they cause, memory of
 * another type, chains of conflicting lines. A kernel names what it needs by its KERNEL_SERVICE_ flags; the
 * harness turns that on before a run and off after it, outside of anything that is counted or stepped.
 */
#ifndef TESTS_KERNELS_X86_SERVICES_H
#define TESTS_KERNELS_X86_SERVICES_H

#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a kernel is going to run. */
struct kernel_place {
	uint8_t ring;        /* 0 or 3 */
	uint8_t *data;       /* the data area */
	uint8_t *code_rw;    /* writable alias of the pages that hold the kernel's copy, page aligned */
	size_t code_size;    /* bytes, whole pages */
	const uint8_t *code; /* the same pages as they run */
	bool emulate;        /* at full speed: tests/kernels/x86/emulation.h */
};

/** Allocate what the services need. Called once, between machine_init() and the first machine_take(). What
 * there is not enough memory for is missing later. */
void services_init(void);

/** Whether there is anything to turn on for a kernel. */
bool services_wanted(const struct kernel *k);

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

/**
 * Turn the kernel's services on; those of another kernel that are still on are turned off first. While some
 * are on, vectors of the harness may lead to handlers that only suit the kernel. The machine must be taken
 * until services_finish().
 * @return false if the tables for page attributes ran out, or the other processor does not answer; then
 * nothing is on
 */
bool services_prepare(const struct kernel *k, const struct kernel_place *place);

/** Where an interrupt or exception of this vector arrives while the kernel's services are on, and where its
 * SYSCALL or SYSENTER does; NULL if they have no say in it. */
const uint8_t *services_handler(const struct kernel *k, unsigned vector);
const uint8_t *services_call_handler(const struct kernel *k);

/** Turn off whatever is on. */
void services_finish(void);

#endif
