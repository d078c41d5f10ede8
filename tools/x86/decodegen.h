/*
 * What the two halves of the table generator share: Zydis' answer, and what the rules make of it.
 */
#ifndef TOOLS_X86_DECODEGEN_H
#define TOOLS_X86_DECODEGEN_H

#include "arch/x86/step/insn.h"
#include "arch/x86/step/insn_table.h"
#include "arch/x86/step/insn_quantities.h"

#include <Zydis/Zydis.h>
#include <stdbool.h>
#include <stdio.h>

/** What Zydis says about one encoding. */
struct answer {
	uint8_t bytes[32];
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

#define CLASS_ACCESSES 6

/** What the rules say about it. */
struct classification {
	uint16_t once[Q_COUNT], some[Q_COUNT], each[Q_COUNT];
	struct insn_access access[CLASS_ACCESSES];
	unsigned n_accesses;
	uint8_t special;       /* enum insn_special */
	unsigned operand_size; /* bytes, of string instructions and PUSHF; 0 if of no interest */
	bool locked;           /* locked without a prefix */
	bool pop_operand;      /* POP with an r/m operand in memory */
};

void classify(const struct answer *a, struct classification *c);

/** The number of the class with these quantities and accesses. */
uint16_t class_number(const struct classification *c);
unsigned class_count(void);
void write_classes(FILE *out);

_Noreturn void die(const char *what);

#endif
