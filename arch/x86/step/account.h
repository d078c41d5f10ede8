/*
 * From "this instruction retired" to quantities: the one place where the lists in pmu/quantity are applied to
 * executed code. The vPMU, the oracle and the host's single-stepping witness all account through it, so that
 * they cannot differ. Pure C, touches no hardware.
 */
#ifndef ARCH_X86_STEP_ACCOUNT_H
#define ARCH_X86_STEP_ACCOUNT_H

#include "arch/step.h"
#include "arch/x86/step/retired.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stdint.h>

/** Room that account_retired() and account_event() need at most. */
#define ACCOUNT_TERMS 48

/** What the step contributes. @return the number of terms written to out; quantities may repeat (amounts add
 * up) */
unsigned account_retired(const struct insn_retired *s, struct qterm out[ACCOUNT_TERMS]);

/**
 * What the delivery of an event contributes; cpl is that before it, and the handler runs at CPL 0. A software
 * interrupt is an instruction too, which account_retired() counts: its delivery only adds the change of
 * rings.
 */
unsigned account_event(enum step_event event, unsigned vector, uint8_t cpl, struct qterm out[ACCOUNT_TERMS]);

#define ACCOUNT_ACCESSES 6

/** How many turns an instruction's accesses are told in: iterations of a string instruction, nesting levels
 * of ENTER (the first turn is at every level), 1 of all others. */
uint64_t account_turns(const struct insn_retired *s);

/**
 * The memory accesses of turn i (from 0), with their addresses, for the machine model. Accesses whose address
 * is not known to the caller's facts (gathers, XLAT) are left out. A read-modify-write is a load and a store.
 * @return how many
 */
unsigned account_accesses(const struct insn_retired *s, uint64_t i,
			  struct step_access out[2 * ACCOUNT_ACCESSES]);

/**
 * Whether one of the accesses of 2, 4 or 8 bytes is not at a multiple of its size, for which there is #AC
 * where alignment is checked (SDM vol. 3, table 6-7; larger operands have rules of their own, and are not
 * looked at). Of a string instruction the first iteration's, of ENTER those on
 * its own stack.
 */
bool account_misaligned(const struct insn_retired *s);

/**
 * How control went on after the instruction, given what account_retired() says of it. INT n, INT3 and INT1:
 * it goes on by their delivery, which is a step of its own: TRANSFER_NONE.
 */
enum step_transfer account_transfer(const struct insn_retired *s, const struct qterm *terms,
				    unsigned n_terms);

/** The same for a delivery: TRANSFER_SYSTEM for software interrupts, which are branches. */
enum step_transfer account_delivery(enum step_event event);

#endif
