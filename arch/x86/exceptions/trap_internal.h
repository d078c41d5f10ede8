/*
 * What the parts of the architecture layer tell trap_entered.c.
 */
#ifndef ARCH_X86_EXCEPTIONS_TRAP_INTERNAL_H
#define ARCH_X86_EXCEPTIONS_TRAP_INTERNAL_H

#include "arch/x86/exceptions/trap.h"

/** Called by entry.S with the frame; when it returns, the frame is resumed. */
void trap_dispatch(struct trap_frame *frame);

/**
 * The stepped code is about to call trap_abort() on the step engine's behalf: *frame, copied, is where it
 * was. It is what that call dumps and reports.
 */
void trap_abort_from(const struct trap_frame *frame);

/** Leave all guards, without going anywhere: the processor that was in them is gone. */
void trap_abandon(void);

/** The stack for outermost guarded calls while the machine is taken: [low, top), a guard page below it. */
void trap_set_stack(void *low, void *top);

#endif
