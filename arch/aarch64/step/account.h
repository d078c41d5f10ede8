/*
 * What an A64 instruction adds to quantities, by the decode tables (arch/aarch64/step/insn_table.h). Plain C: it
 * runs on the host, too.
 *
 * Example: 0xf94003e9 is LDR X9, [SP].
 *
 *     struct insn_state before = {.pc = 0x1000, .x = {...}};
 *     struct insn_effect e;
 *     insn_account(0xf94003e9, &before, &e);      // {instructions, 1}, {insn.load, 1}, {loads, 1},
 * {loads.bytes, 8}
 */
#ifndef ARCH_AARCH64_STEP_ACCOUNT_H
#define ARCH_AARCH64_STEP_ACCOUNT_H

#include "arch/step.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stdint.h>

/** Registers before the instruction: x[31] is the stack pointer. */
struct insn_state {
	uint64_t x[32], pc, pstate;
};

#define INSN_TERMS    12
#define INSN_ACCESSES 4

struct insn_effect {
	struct qterm term[INSN_TERMS];
	unsigned n_terms;
	struct step_access access[INSN_ACCESSES];
	unsigned n_access;
	uint8_t branch; /* enum step_transfer: what kind of branch it is, taken or not */
	bool taken;     /* of a conditional one */
	bool svc;
};

/** No effect at all. */
void insn_nothing(struct insn_effect *out);

/** A store exclusive that fails stores nothing: whoever knows says so. */
void insn_account(uint32_t insn, const struct insn_state *before, struct insn_effect *out);

/** Loads and stores exclusive, which cannot be stepped one by one. */
enum insn_exclusive { EXCLUSIVE_NONE, EXCLUSIVE_LOAD, EXCLUSIVE_STORE, EXCLUSIVE_CLEAR };
struct insn_exclusive_parts {
	uint64_t address;
	unsigned bytes; /* of one register */
	bool pair;
	uint8_t t, t2, status; /* registers: data, data of a pair, result of a store */
};
enum insn_exclusive insn_exclusive(uint32_t insn, const struct insn_state *before,
				   struct insn_exclusive_parts *out);

/** Of a store exclusive that failed. */
void insn_account_failed(uint32_t insn, struct insn_effect *out);

/** MRS and MSR of a register that counts, or tells what the processor is: others are nobody's but the
 * processor's.
 * @return whether it is one */
bool insn_register(uint32_t insn, bool *write, uint32_t *number, unsigned *t);

#endif
