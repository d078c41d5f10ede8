/*
 * A processor's own state: firmware's is saved and ours loaded, and back. Interrupts must be masked.
 */
#ifndef ARCH_X86_MACHINE_CPU_STATE_H
#define ARCH_X86_MACHINE_CPU_STATE_H

#include "arch/identity.h"

#include <stdbool.h>
#include <stddef.h>

/** @param alloc_pages as in struct boot_info. @return false if memory is short */
bool cpu_state_init(void *(*alloc_pages)(size_t pages));

/** Whether XSAVE can be had here: some emulated CPUs promise it and fail. */
bool cpu_state_has_xsave(void);

/** Keep the boot processor's state to compare with, before the run goes to another one. */
void cpu_state_keep(void);

/** Of CR0, CR3, CR4, EFER, PAT and XCR0: how many differ on this processor, which has the run, from what the
 * boot processor has. */
unsigned cpu_state_differs(void);

/** Nests once: another processor may be taken while the first one is. */
void cpu_state_take(void);
void cpu_state_give_back(void);

/** Control registers, EFER, PAT and XCR0 as firmware had them on the boot processor; while that is taken. */
void cpu_state_found(identity_each *each, void *to);

/** Forget what was saved last: its processor is gone. */
void cpu_state_forget(void);

#endif
