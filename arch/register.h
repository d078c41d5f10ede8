/*
 * A register access: one instruction reads or writes one register that belongs to no program. The step engine
 * makes one of the instruction about to run, a PMU model answers it. Neither needs to know the instruction.
 *
 * Example: x86's RDPMC with ECX = 2 in ring 3 and CR4.PCE = 1 is
 * {.space = SPACE_SELECTOR, .number = 2, .level = 3, .permitted = true}.
 */
#ifndef ARCH_REGISTER_H
#define ARCH_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

/** What numbers a register. An instruction set has some of these. */
enum register_space {
	SPACE_MSR,      /* x86: model-specific registers, by RDMSR and WRMSR (ECX) */
	SPACE_SELECTOR, /* a counter by a selector of its own: x86's RDPMC (ECX); read only */
	SPACE_PMC,      /* IA-64: performance monitor configuration registers */
	SPACE_PMD,      /* IA-64: performance monitor data registers */
	SPACE_STATUS,   /* the processor's status word, number 0: IA-64's PSR */
	SPACE_SYSTEM,   /* as the instruction encodes them: AArch64's MRS and MSR, PowerPC's SPR and PMR; or
			   as Alpha's PALcode numbers them */
	SPACE_MEMORY,   /* memory-mapped, by physical address */
	SPACE_TRACE,    /* registers of a trace port, by its own numbers */
};

/** Their names, by number. */
#define REGISTER_SPACE_NAMES                                                                                 \
	{                                                                                                    \
		[SPACE_MSR] = "MSR", [SPACE_SELECTOR] = "selector", [SPACE_PMC] = "PMC",                     \
		[SPACE_PMD] = "PMD", [SPACE_STATUS] = "status word", [SPACE_SYSTEM] = "system register",     \
		[SPACE_MEMORY] = "memory", [SPACE_TRACE] = "trace port",                                     \
	}

/** One access. */
struct register_access {
	uint8_t space;  /* enum register_space */
	bool write;     /* else it reads */
	uint8_t level;  /* privilege level that the access comes from, numbered as the instruction set does:
			   x86's CPL */
	bool permitted; /* the instruction set's own registers let that level make such an access: x86's RDPMC
			   is permitted in ring 0, and in the others if CR4.PCE = 1. A register of the PMU may
			   still refuse it */
	uint64_t number; /* within the space */
	uint64_t value;  /* writes: what is written. Reads: the register's value, if the answer is
			    REGISTER_DONE */
};

/** What becomes of an access. */
enum register_answer {
	REGISTER_DONE,     /* it was carried out */
	REGISTER_FAULT,    /* it raises the instruction set's exception for accesses that are refused: x86's
			      #GP(0) */
	REGISTER_HANGS,    /* it never ends: a virtual CPU's alone, for an erratum */
	REGISTER_NOT_MINE, /* whoever was asked has no such register: the machine answers */
};

/** What an access that is refused raises, for messages: a literal. */
#if defined(__x86_64__) || defined(__i386__)
#define REGISTER_REFUSAL "#GP"
#elif defined(__aarch64__)
#define REGISTER_REFUSAL "an exception of an undefined instruction"
#else
#define REGISTER_REFUSAL "an exception"
#endif

/**
 * Access a register of this processor, from the harness's level; refusal does no harm. Under a virtual PMU,
 * its model answers.
 * @return false if the access raised an exception, or the instruction set has no such space; then *value is 0
 */
bool register_read(enum register_space space, uint64_t number, uint64_t *value);
bool register_write(enum register_space space, uint64_t number, uint64_t value);

/** What the manual calls a general register, as the instruction set's records number them (arch/step.h,
 * struct step_registers); NULL: there is none of this number. */
const char *general_register_name(unsigned number);

#endif
