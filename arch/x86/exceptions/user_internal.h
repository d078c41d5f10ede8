/*
 * What trap_guard() must put back when it ends code in ring 3.
 */
#ifndef ARCH_X86_EXCEPTIONS_USER_INTERNAL_H
#define ARCH_X86_EXCEPTIONS_USER_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

struct call_registers;

struct user_state {
	struct call_registers *registers; /* of the innermost user_call(), NULL outside */
	uint64_t rsp0;
};

/** Allocate the ring-3 stack. @return false if memory is short */
bool user_init(void);

/** call_with_registers(), without a word to the step engine (user.S). */
void call_with_registers_here(const void *entry, struct call_registers *regs);

struct user_state user_state_save(void);
void user_state_restore(const struct user_state *s);

#endif
