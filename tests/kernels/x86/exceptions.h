/*
 * Exceptions that kernels cause and that not every CPU raises: emulators leave some out. What a CPU lacks is
 * found out by trying, and emulated: the step engine (arch/x86/step/step.h), or at full speed a handler
 * (tests/kernels/x86/emulation.h), raises it where the instruction and the state it meets call for it.
 */
#ifndef TESTS_KERNELS_X86_EXCEPTIONS_H
#define TESTS_KERNELS_X86_EXCEPTIONS_H

#include "arch/x86/step/retired.h"
#include "arch/x86/exceptions/trap.h"
#include "tests/kernels/services.h"
#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>

/** Allocate what trying takes. Called once, between machine_init() and the first machine_take(). */
void exceptions_init(void);

/** The reason why a kernel for which nothing is emulated cannot run here: an exception that it causes, and
 * that the CPU never raises; NULL if there is none. The machine must be taken. */
const char *exceptions_missing(const struct kernel *k);

/**
 * The exception that the CPU lacks and an instruction raises, which has not run.
 * @param f    registers as before it
 * @param code its bytes, *did->insn and the addresses that it accesses
 * @param copy how to reach an operand in memory; false if it cannot be
 * @return its vector; -1: none
 */
int exceptions_raised(const struct trap_frame *f, const uint8_t *code, const struct insn_retired *did,
		      bool (*copy)(void *to, const void *from, uint64_t n));

/** The same of the instruction at f->rip, while it is stepped: for step_emulate_exceptions(). */
int exceptions_raised_stepping(const struct trap_frame *f, const struct insn_retired *did);

#endif
