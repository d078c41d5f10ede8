/*
 * The decode tables of A64 instructions. tools/aarch64/decodegen writes them on the build machine, by asking
 * Capstone; arch/aarch64/step/account.c walks them.
 *
 * A word leads through a graph to its form. Each node asks about one field of the word:
 *
 *     node[0]                  the field: its lowest bit (bits 4 to 0), and a mask (from bit 5 on)
 *     node[1 + field]          INSN_NODE and the index of another node, or the number of a form
 *
 * Example: LDR X9, [SP, #16] is f9400be9. Its form has FORM_LOAD, one access of 8 bytes, and the offset {10,
 * 12, 3, 0}: the 12 bits from bit 10 on, times 8.
 */
#ifndef ARCH_AARCH64_STEP_INSN_TABLE_H
#define ARCH_AARCH64_STEP_INSN_TABLE_H

#include "pmu/quantity/quantity.h"

#include <stdint.h>

#define INSN_NODE        0x8000u
#define INSN_CLASS_TERMS 6

/** What counts once whenever the instruction retires: data accesses and conditions are told by the form. */
struct insn_class {
	struct qterm term[INSN_CLASS_TERMS]; /* an amount of 0 ends the list */
};

/** A signed or unsigned number in the word: the field's value << shift; less 1 << (bits + shift) where bit
 * .sign of the word is 1. */
struct insn_offset {
	uint8_t low, bits, shift;
	uint8_t sign; /* 0: there is none */
};

enum insn_condition {
	CONDITION_NONE,
	CONDITION_FLAGS, /* PSTATE, by bits 3 to 0 */
	CONDITION_ZERO,  /* of the register of bits 4 to 0: it is 0 ... */
	CONDITION_OTHER, /* ... it is not ... */
	CONDITION_CLEAR, /* ... its bit is 0, whose number is in bits 31 and 23 to 19 ... */
	CONDITION_SET,   /* ... it is 1 */
};

enum insn_index {
	INDEX_NONE,
	INDEX_WHOLE,    /* the register of bits 20 to 16 */
	INDEX_UNSIGNED, /* its lower 32 bits */
	INDEX_SIGNED,
};

#define FORM_LOAD  0x01
#define FORM_STORE 0x02
#define FORM_LITERAL                                                                                         \
	0x04 /* its address is PC and the offset; else the register of bits 9 to 5 is its base               \
	      */
#define FORM_STRUCTURE  0x08 /* it has the alignment of its elements, of which nothing is said */
#define FORM_EXCLUSIVE  0x10 /* a load or store exclusive; without either, CLREX */
#define FORM_REGISTER   0x20 /* MRS or MSR of a register */
#define FORM_SUPERVISOR 0x40 /* SVC */
#define FORM_NARROW     0x80 /* of a condition on a register: its lower 32 bits alone */

struct insn_form {
	uint16_t klass;
	uint8_t flags;
	uint8_t branch;    /* enum step_transfer */
	uint8_t condition; /* enum insn_condition */
	uint8_t accesses;  /* of memory, one behind the other */
	uint8_t bytes;     /* of each */
	struct insn_offset offset;
	uint8_t index; /* enum insn_index */
	uint8_t index_shift;
};

extern const struct insn_class insn_classes[];
extern const struct insn_form insn_forms[];
extern const uint16_t insn_nodes[];
extern const uint16_t insn_root;

#endif
