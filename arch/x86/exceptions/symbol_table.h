/*
 * The table of functions that scripts/gen-symbols makes from the linked image: distances and names pack well,
 * marks save going through all of them.
 */
#ifndef ARCH_X86_EXCEPTIONS_SYMBOL_TABLE_H
#define ARCH_X86_EXCEPTIONS_SYMBOL_TABLE_H

#include <stdint.h>

#define SYMBOLS_A_MARK 8

/** Where each eighth function is. */
struct symbol_mark {
	uint32_t at;   /**< bytes from __text_start */
	uint32_t name; /**< where its name begins in symbol_names */
};

extern const uint32_t symbol_total;
extern const struct symbol_mark symbol_marks[]; /**< in the order of addresses, as all three */
extern const uint16_t symbol_distances[];       /**< from the function before; the first: 0 */
extern const char symbol_names[];               /**< each ends with NUL */

#endif
