/*
 * The bare mechanism under trap_guard(): leaving a call from anywhere below it.
 */
#ifndef ARCH_X86_EXCEPTIONS_GUARD_H
#define ARCH_X86_EXCEPTIONS_GUARD_H

#include <stdint.h>

/** What guard_leave() puts back; filled in by guard_call(). */
struct guard_context {
	uint64_t rsp, rbx, rbp, r12, r13, r14, r15, rflags;
	uint32_t mxcsr;
	uint16_t x87_control;
};

/**
 * Call fn(arg), on the stack that ends at `stack_top` unless that is NULL.
 * @return 0 when fn returned, 1 when guard_leave() was called with the same context
 */
int guard_call(struct guard_context *c, void (*fn)(void *), void *arg, void *stack_top);

/** Go back to guard_call(). Leaves by IRETQ, which also ends the blocking of NMIs. */
_Noreturn void guard_leave(const struct guard_context *c);

#endif
