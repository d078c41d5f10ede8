/*
 * What arch/breadcrumbs.c, which keeps breadcrumbs in a page of memory, wants of the instruction set: to be
 * told of writes of registers, and that stores reach memory.
 *
 * Example: a register is about to be written.
 *
 *     breadcrumbs_live->number = 0x38f;
 *     breadcrumbs_live->value = 0;
 *     breadcrumbs_to_memory(breadcrumbs_live, sizeof *breadcrumbs_live);
 */
#ifndef ARCH_BREADCRUMBS_PAGE_H
#define ARCH_BREADCRUMBS_PAGE_H

#include <stddef.h>
#include <stdint.h>

/** What is told of a check while it runs, store by store. Assembly knows the offsets of number and value. */
struct breadcrumbs_live {
	uint32_t number; /* register that is written, told before the write; 0: none yet */
	uint32_t step;
	uint64_t value;
};

extern struct breadcrumbs_live *breadcrumbs_live;

/** The instruction set's: bring these bytes from the caches to memory, as a reset loses what is in the caches
 * alone. */
void breadcrumbs_to_memory(const void *start, size_t size);

#endif
