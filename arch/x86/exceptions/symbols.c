#include "arch/x86/exceptions/symbols.h"

#include <stddef.h>

/* Made by scripts/gen-symbols: rows of { offset from __text_start, offset into symbol_names }, ascending. */
extern const uint32_t symbol_total;
extern const uint32_t symbol_rows[][2];
extern const char symbol_names[];

extern const char __text_start[], __text_end[];

const char *symbol_at(uint64_t address, uint64_t *offset)
{
	uint64_t start = (uint64_t)(uintptr_t)__text_start;
	if (address < start || address >= (uint64_t)(uintptr_t)__text_end)
		return NULL;

	uint64_t at = address - start;
	uint32_t
		low = 0,
		high = symbol_total; /* rows below low begin at or before `at`, rows from high on behind it */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (symbol_rows[middle][0] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	*offset = at - symbol_rows[low - 1][0];
	return symbol_names + symbol_rows[low - 1][1];
}
