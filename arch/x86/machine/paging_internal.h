/*
 * Building and loading the page tables.
 */
#ifndef ARCH_X86_MACHINE_PAGING_INTERNAL_H
#define ARCH_X86_MACHINE_PAGING_INTERNAL_H

#include "arch/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Build the tables, out of the memory that the entry gives. @return false if memory is short */
bool paging_build(const struct boot_info *boot);

/** What CR3 is to hold. Needs EFER.NXE where the CPU has it, and the PAT below. */
uint64_t paging_root(void);

/** IA32_PAT for these tables: WB, WC, UC-, UC, and the same again. SDM vol. 3, 11.12.2. */
#define PAGING_PAT 0x0007010600070106ull

/** Memory for a stack, with a guard page below. @return its first byte above the guard; NULL if memory is
 * short. */
void *stack_create(size_t size);

#endif
