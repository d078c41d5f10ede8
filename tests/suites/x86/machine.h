/*
 * The suite `machine`: what the architecture layer promises, checked on the machine itself. Rows of checks,
 * one table per subject.
 */
#ifndef TESTS_SUITES_X86_MACHINE_H
#define TESTS_SUITES_X86_MACHINE_H

#include "arch/x86/machine/paging.h"
#include "arch/x86/exceptions/trap.h"
#include "tests/suites/machine_checks.h"

#include <stdbool.h>
#include <stdint.h>

/* Each ends with a row without a name. */
extern const struct machine_check machine_traps[], machine_memory[], machine_rings[], machine_interrupts[],
	machine_state[], machine_clocks[], machine_stepped[], machine_others[], machine_second[],
	machine_processor[];

/* What is checked in emulators only, by the test image: each changes much of the machine for a moment. */
extern const struct machine_check machine_frames[], machine_handover[];

/** A write of an MSR that no CPU carries out: VM_HSAVE_PA wants a page's address, and Intel's CPUs have none.
 */
#define MSR_REFUSING  0xc0010117
#define REFUSED_VALUE 1

/** Whether the processor that executes this refuses it, and why a check that needs it cannot be carried out.
 * On any processor, with general registers alone. */
bool machine_refuses(void);
const char *machine_refuses_nothing(void);

/** Whether there are addresses of 32 bits alone, by three levels of tables. */
#define MACHINE_NARROW (sizeof(void *) == 4)

/** An exception as one number. */
#define FAULT(vector, error) ((int64_t)(vector) << 32 | (error))
#define NO_FAULT             (-1)

/**
 * Call fn(arg) and tell which exception it ends with, as FAULT(), without a dump; NO_FAULT if it returns.
 * @param frame the registers at that point; may be NULL
 */
int64_t fault_of(void (*fn)(void *), void *arg, struct trap_frame *frame);

/** CR2 at the last fault_of(). */
uint64_t fault_address(void);

/** Two pages of code memory that ring 3 may run too. */
extern struct code_arena machine_arena;

/** Copy code between two labels into the arena. @return its executable address */
const void *machine_place(const void *code, const void *end);

#endif
