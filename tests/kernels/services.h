/*
 * What some kernels need around them: handlers for the interrupts and faults that they cause, memory of
 * another type, chains of conflicting lines. A kernel names what it needs by its KERNEL_SERVICE_ flags; the
 * harness turns that on before a run and off after it, outside of anything that is counted or stepped. And
 * what the harness asks of an instruction set's kernels: which can run here, and what is emulated for them.
 * tests/kernels/x86/services.c and its neighbours answer for x86.
 *
 * Example: run a kernel as often as it is selected and fit.
 *
 *     const char *why = kernel_unfit(k, level);
 *     if (!why && services_prepare(k, &place)) {
 *             run(k);
 *             services_finish();
 *     }
 */
#ifndef TESTS_KERNELS_SERVICES_H
#define TESTS_KERNELS_SERVICES_H

#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Where a kernel is going to run. */
struct kernel_place {
	uint8_t level;       /* 0 or 3 */
	uint8_t *data;       /* the data area */
	uint8_t *code_rw;    /* writable alias of the pages that hold the kernel's copy, page aligned */
	size_t code_size;    /* bytes, whole pages */
	const uint8_t *code; /* the same pages as they run */
	bool emulate;        /* at full speed: services_emulate() */
};

/** Allocate what the services need. Called once, between machine_init() and the first machine_take(). What
 * there is not enough memory for is missing later. */
void services_init(void);

/** Whether there is anything to turn on for a kernel. */
bool services_wanted(const struct kernel *k);

/**
 * Turn the kernel's services on; those of another kernel that are still on are turned off first. While some
 * are on, vectors of the harness may lead to handlers that only suit the kernel. The machine must be taken
 * until services_finish().
 * @return false if the tables for page attributes ran out, or the other processor does not answer; then
 * nothing is on
 */
bool services_prepare(const struct kernel *k, const struct kernel_place *place);

/** Turn off whatever is on. */
void services_finish(void);

/** Why a kernel cannot run in a ring here: a missing feature, the ring, a service; NULL if it can. A virtual
 * CPU has what its profile has and the real one lacks emulated. Valid until the next call. */
const char *kernel_unfit(const struct kernel *k, uint8_t level);

/** The same for the oracle, which carries out itself what the CPU may lack, whatever the profile (x86:
 * transactions, x2APIC mode, and the instructions of arch/x86/emulated/emulated.h). */
const char *kernel_unsteppable(const struct kernel *k, uint8_t level);

/** Have a copy of a kernel that is to run at full speed do without what the CPU lacks and services emulate.
 */
void services_emulate(const struct kernel *k, uint8_t *copy);

/** Whether the kernel causes an exception that the CPU lacks, so that it is to be emulated. */
bool exceptions_emulated(const struct kernel *k);

/** Emulate none until further notice: to see that a kernel is wrong then. */
void exceptions_withhold(bool withhold);

/** Turns in which a kernel comes round its chain, of those that some level is to hold: only from then on its
 * signature says what misses. 0 if there is none, or the chain is larger than what it is to miss. */
uint64_t chain_round(const struct kernel *k);

#endif
