/*
 * What the generator of the decode tables makes of one word.
 */
#ifndef TOOLS_AARCH64_DECODEGEN_H
#define TOOLS_AARCH64_DECODEGEN_H

#include "arch/aarch64/step/insn_table.h"

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stdio.h>

/** The address that words are decoded at: it is in literals. */
#define AT UINT64_C(0x40000000)

struct answer {
	struct insn_form form; /* without its offset, which form_offset() finds */
	uint32_t mode;         /* of an access with an offset, how its address is written; else 0 */
	bool decoded;          /* by Capstone; else by a row of younger.def, or by none */
};

_Noreturn void die(const char *what, uint32_t word);

void form_begin(void);
void form_of(uint32_t word, struct answer *out);

/** The field of the word that Capstone takes the offset from, by what the offset becomes with each of its
 * bits. */
struct insn_offset form_offset(uint32_t word, const struct answer *answer);

/** What Capstone says that the offset is; 0 if it says none. */
int64_t form_displacement(uint32_t word);

/** @return the class's number */
uint16_t class_number(const struct insn_class *c);
unsigned class_count(void);
void class_add(struct insn_class *c, enum quantity q, uint32_t amount);
void write_classes(FILE *out);

/** Of a word that Capstone does not know. @return whether a row has it */
bool younger_form(uint32_t word, struct answer *out);

#endif
