/*
 * What single-stepping tells about an instruction that ran, whoever steps: the engine in the image, ptrace on
 * the host.
 */
#ifndef ARCH_X86_STEP_RETIRED_H
#define ARCH_X86_STEP_RETIRED_H

#include "arch/x86/step/insn.h"

#include <stdbool.h>
#include <stdint.h>

/** An instruction that has retired, or iterations of a string instruction that will be resumed. Addresses are
 * linear. */
struct insn_retired {
	const struct insn *insn;
	uint8_t cpl, cpl_after;
	bool taken;     /* conditional branches: condition true */
	bool partial;   /* string instructions: it made .iterations and was left for an event, but did not
			 * retire yet;   it is resumed and reported again with the rest */
	bool backwards; /* RFLAGS.DF */
	uint64_t iterations; /* INSN_STRING: iterations made, at most 2^28; INSN_MASKMOV: elements accessed;
				others: not looked at */
	uint64_t address;    /* INSN_F_MEM: of the operand */
	/* registers before the instruction */
	uint64_t stack;  /* RSP */
	uint64_t source; /* RSI */
	uint64_t dest;   /* RDI */
	uint64_t frame;  /* RBP */
};

/** What is delivered through the IDT. A software interrupt is an instruction too, which retires before. */
enum step_event { STEP_EXCEPTION, STEP_INTERRUPT, STEP_NMI, STEP_SOFT_INTERRUPT };

#endif
