/*
 * From "this instruction retired" to quantities: the one place where pmu/quantity.def is applied to executed code.
 * The vPMU, the oracle and the host's single-stepping witness all account through it, so that they cannot differ.
 * Pure C, touches no hardware.
 */
#ifndef PMU_ACCOUNT_H
#define PMU_ACCOUNT_H

#include "arch/x86/insn.h"
#include "pmu/quantity.h"
#include "pmu/uarch.h"

#include <stdbool.h>
#include <stdint.h>

/** An instruction that has retired, or iterations of a string instruction that will be resumed. Addresses are linear. */
struct account_step {
	const struct insn *insn;
	uint8_t cpl, cpl_after;
	bool taken;	     /* conditional branches: condition true */
	bool partial;	     /* string instructions: it made .iterations, but did not retire yet */
	bool backwards;	     /* RFLAGS.DF */
	uint64_t iterations; /* INSN_STRING: iterations made, at most 2^28; INSN_MASKMOV: elements accessed; others: not looked at */
	uint64_t address;    /* INSN_F_MEM: of the operand */
	/* registers before the instruction */
	uint64_t stack;	 /* RSP */
	uint64_t source; /* RSI */
	uint64_t dest;	 /* RDI */
	uint64_t frame;	 /* RBP */
};

/** Room that account_retired() and account_event() need at most. */
#define ACCOUNT_TERMS 48

/** What the step contributes. @return the number of terms written to out; quantities may repeat (amounts add up) */
unsigned account_retired(const struct account_step *s, struct qterm out[ACCOUNT_TERMS]);

enum account_event { ACCOUNT_EXCEPTION, ACCOUNT_INTERRUPT, ACCOUNT_NMI, ACCOUNT_SOFT_INTERRUPT };

/**
 * What the delivery of an event contributes; cpl is that before it, and the handler runs at CPL 0. A software interrupt is
 * an instruction too, which account_retired() counts: its delivery only adds the change of rings.
 */
unsigned account_event(enum account_event event, unsigned vector, uint8_t cpl, struct qterm out[ACCOUNT_TERMS]);

#define ACCOUNT_ACCESSES 6

/**
 * The memory accesses of iteration i (from 0; instructions that do not iterate: 0), with their addresses, for the
 * machine model. Accesses whose address is not known to the caller's facts (gathers, XLAT) are left out.
 * A read-modify-write is a load and a store. @return how many
 */
unsigned account_accesses(const struct account_step *s, uint64_t i, struct uarch_access out[2 * ACCOUNT_ACCESSES]);

/** Add terms to a total. */
static inline void account_add(struct qvec *total, const struct qterm *terms, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		total->v[terms[i].quantity] += terms[i].amount;
}

#endif
