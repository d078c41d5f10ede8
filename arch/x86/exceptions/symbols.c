#include "arch/x86/exceptions/symbols.h"

#include "arch/x86/exceptions/symbol_table.h"

#include <stddef.h>
#include <string.h>

extern const char __text_start[], __text_end[];

const char *symbol_at(uint64_t address, uint64_t *offset)
{
	uint64_t start = (uint64_t)(uintptr_t)__text_start, at = address - start;
	uint32_t low = 0, high = (symbol_total + SYMBOLS_A_MARK - 1) / SYMBOLS_A_MARK;

	if (address < start || address >= (uint64_t)(uintptr_t)__text_end)
		return NULL;
	/* Marks below low are at or before `at`, marks from high on behind it. */
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (symbol_marks[middle].at <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	const char *name = symbol_names + symbol_marks[--low].name;
	uint64_t from = symbol_marks[low].at;
	for (uint32_t i = low * SYMBOLS_A_MARK + 1; i < symbol_total && from + symbol_distances[i] <= at;
	     i++) {
		from += symbol_distances[i];
		name += strlen(name) + 1;
	}
	*offset = at - from;
	return name;
}
