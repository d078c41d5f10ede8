/*
 * A processor's own state: firmware's is saved and ours loaded, and back. Interrupts must be masked.
 */
#ifndef ARCH_X86_CPU_STATE_H
#define ARCH_X86_CPU_STATE_H

#include <stdbool.h>
#include <stddef.h>

/** @param alloc_pages as in struct boot_info. @return false if memory is short */
bool cpu_state_init(void *(*alloc_pages)(size_t pages));

/** Whether XSAVE can be had here: some emulated CPUs promise it and fail. */
bool cpu_state_has_xsave(void);

/** Nests once: another processor may be taken while the first one is. */
void cpu_state_take(void);
void cpu_state_give_back(void);

#endif
