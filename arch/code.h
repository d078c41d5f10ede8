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

#endif
