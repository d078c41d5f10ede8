/*
 * Calling prepared code with chosen registers, in any ring, and coming back.
 */
#ifndef ARCH_X86_EXCEPTIONS_USER_H
#define ARCH_X86_EXCEPTIONS_USER_H

#include "arch/x86/exceptions/trap.h"

#include <stdbool.h>
#include <stdint.h>

/** Registers handed to the code and taken back from it. RSP is the callee's business only between entry and
 * exit. */
struct call_registers {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15;
};

/**
 * Call `entry` in ring 0 with all general registers loaded from *regs; it ends with RET (stack as at entry)
 * and the registers at that point are stored back. All callee-saved registers, the flags DF and IF, MXCSR and
 * the x87 control word are put back to what they were.
 */
void call_with_registers(const void *entry, struct call_registers *regs);

/**
 * The same in ring 3: entered by IRETQ with IF = 0 and IOPL = 0 on a user stack of 16 KiB, left by INT
 * VECTOR_USER_EXIT. The code must lie in memory that ring 3 may execute (code_arena with user = true). An
 * exception in ring 3 that no handler claims leaves the innermost trap_guard(), as in ring 0.
 */
void user_call(const void *entry, struct call_registers *regs);

/** The same in ring 1, 2 or 3. For paging rings 1 and 2 are the supervisor's: their code lies where ring 0's
 * does (code_arena with user = false). */
void ring_call(unsigned ring, const void *entry, struct call_registers *regs);

/** The top of the stack that outer rings begin with. */
void *user_stack_top(void);

/** CR4.PCE: whether RDPMC is allowed in ring 3. @return the old setting. */
bool user_allow_rdpmc(bool allow);

#endif
