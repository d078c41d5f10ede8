#include "arch/x86/exceptions/symbols.h"

#include <stddef.h>
#include <string.h>

/* Made by scripts/gen-symbols: how far the first function is from __text_start, and each from the one before;
 * their names, which end with NUL. */
extern const uint32_t symbol_total, symbol_first;
extern const uint16_t symbol_distances[];
extern const char symbol_names[];

extern const char __text_start[], __text_end[];

const char *symbol_at(uint64_t address, uint64_t *offset)
{
	uint64_t from = (uint64_t)(uintptr_t)__text_start + symbol_first;
	const char *name = NULL, *next = symbol_names;

	if (address >= (uint64_t)(uintptr_t)__text_end)
		return NULL;
	for (uint32_t i = 0; i < symbol_total && from + symbol_distances[i] <= address; i++) {
		from += symbol_distances[i];
		name = next;
		next += strlen(next) + 1;
	}
	*offset = address - from;
	return name;
}
