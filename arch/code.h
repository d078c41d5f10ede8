/*
 * Code as bytes: what little of it the harness itself has to know.
 *
 * Example: ten instructions that do nothing.
 *
 *     for (unsigned i = 0; i < 10; i++)
 *             memcpy(code + i * code_nop_size, code_nop, code_nop_size);
 */
#ifndef ARCH_CODE_H
#define ARCH_CODE_H

#include <stdbool.h>
#include <stdint.h>

/** The shortest instruction that does nothing; no instruction set's has more than CODE_NOP_MOST bytes. */
extern const uint8_t code_nop[];
extern const unsigned code_nop_size;
#define CODE_NOP_MOST 16

/**
 * A mark: code without an effect, at every level, that carries a word for a witness outside the machine
 * (tests/measure/marks.h). It has code_mark_size bytes, at most CODE_MARK_MOST.
 */
void code_mark(uint8_t *to, uint32_t word);
extern const unsigned code_mark_size;
#define CODE_MARK_MOST 16

/** An instruction of which any number may be executed in a row. */
struct code_rung {
	const char *name;
	uint8_t size, code[8];
};

/** Those of the ladders in which the suite skid looks where an interrupt strikes: quick ones, ones that wait
 * for each other, memory, branches. They change the result register and the data area alone. name NULL ends.
 */
extern const struct code_rung code_rungs[];
#define CODE_RUNGS_MOST     16
#define CODE_RUNG_SIZE_MOST 4

/** An instruction of those that brackets and fences consist of, whose cost the suite overhead measures. */
struct code_cost {
	const char *name;
	uint8_t instructions;       /* of .code: a few have to be two */
	uint8_t setup_instructions; /* once, in front of all copies of .code */
	bool reads_counter;         /* it reads a counter by a selector, which code_cost_setup() puts in */
	uint8_t setup_size, size;   /* bytes */
	uint8_t setup[12], code[4];
};

/** name NULL ends. */
extern const struct code_cost code_costs[];
#define CODE_COSTS_MOST 8
/** Where the manual describes them. */
extern const char code_costs_manual[];

/** Write the setup. @return behind it */
uint8_t *code_cost_setup(uint8_t *to, const struct code_cost *cost, uint32_t selector);

/** Write what ends a loop of N turns that begins at `begin`: code_loop_instructions, at most CODE_LOOP_MOST
 * bytes. @return behind it */
uint8_t *code_loop(uint8_t *to, const uint8_t *begin);
extern const unsigned code_loop_instructions;
#define CODE_LOOP_MOST 16

/** Code that reads the counter whose selector is N into the first eight bytes of the data area, and what the
 * manual calls the instruction that does. Of size 0: no instruction takes the selector from a register. */
extern const uint8_t code_counter_reading[];
extern const unsigned code_counter_reading_size;
extern const unsigned code_counter_reading_before; /* instructions that retire before the reading one */
extern const char code_counter_reading_name[];

/** Execute a call of the instruction behind it, by which code finds out where it is, if there is such. */
void code_call_next(void);

#endif
