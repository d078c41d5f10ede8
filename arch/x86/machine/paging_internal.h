/*
 * Building and loading the page tables.
 */
#ifndef ARCH_X86_MACHINE_PAGING_INTERNAL_H
#define ARCH_X86_MACHINE_PAGING_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Build the tables. @param alloc_pages as in struct boot_info @param top first address that need not be
 * mapped.
 * @return false if memory is short
 */
bool paging_build(void *(*alloc_pages)(size_t pages), uint64_t top);

/** What CR3 is to hold. Needs EFER.NXE where the CPU has it, and the PAT below. */
uint64_t paging_root(void);

/** IA32_PAT for these tables: WB, WC, UC-, UC, and the same again. SDM vol. 3, 11.12.2. */
#define PAGING_PAT 0x0007010600070106ull

/** Memory for a stack, with a guard page below. @return its first byte above the guard; NULL if memory is
 * short. */
void *stack_create(size_t size);

#endif
