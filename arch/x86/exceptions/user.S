/*
 * Entering prepared code with all general registers given, and storing them when it is done.
 * Offsets are those of struct call_registers (user.h).
 */
#include "arch/x86/machine/descriptors.h"

	.macro	SAVE_CALLER
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	pushfq
	sub	$16, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	.endm

	.macro	RESTORE_CALLER
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	add	$16, %rsp
	popfq
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	.endm

	/* All but RDI, whose old value is the pointer. */
	.macro	LOAD_REGISTERS
	mov	0(%rdi), %rax
	mov	8(%rdi), %rbx
	mov	16(%rdi), %rcx
	mov	24(%rdi), %rdx
	mov	32(%rdi), %rsi
	mov	48(%rdi), %rbp
	mov	56(%rdi), %r8
	mov	64(%rdi), %r9
	mov	72(%rdi), %r10
	mov	80(%rdi), %r11
	mov	88(%rdi), %r12
	mov	96(%rdi), %r13
	mov	104(%rdi), %r14
	mov	112(%rdi), %r15
	.endm

	.text
/* void call_with_registers_here(const void *entry, struct call_registers *regs) */
	.globl	call_with_registers_here
	.type	call_with_registers_here, @function
call_with_registers_here:
	SAVE_CALLER
	sub	$32, %rsp	/* aligned: four words here, eight above, and the return address with RBP */
	mov	%rdi, 0(%rsp)
	mov	%rsi, 8(%rsp)
	mov	%rsi, %rdi
	LOAD_REGISTERS
	mov	40(%rdi), %rdi
	call	*(%rsp)
	mov	%rax, 16(%rsp)
	mov	8(%rsp), %rax
	mov	%rbx, 8(%rax)
	mov	%rcx, 16(%rax)
	mov	%rdx, 24(%rax)
	mov	%rsi, 32(%rax)
	mov	%rdi, 40(%rax)
	mov	%rbp, 48(%rax)
	mov	%r8, 56(%rax)
	mov	%r9, 64(%rax)
	mov	%r10, 72(%rax)
	mov	%r11, 80(%rax)
	mov	%r12, 88(%rax)
	mov	%r13, 96(%rax)
	mov	%r14, 104(%rax)
	mov	%r15, 112(%rax)
	mov	16(%rsp), %rcx
	mov	%rcx, 0(%rax)
	add	$32, %rsp
	RESTORE_CALLER
	ret
	.size	call_with_registers_here, . - call_with_registers_here

/* void user_enter(const void *entry, const struct call_registers *regs, void *user_rsp, void *rsp0, unsigned ss, unsigned cs) */
	.globl	user_enter
	.type	user_enter, @function
user_enter:
	SAVE_CALLER
	mov	%rsp, (%rcx)	/* interrupts out of the outer ring, the last of which is the way back, use the stack from here on */
	push	%r8
	push	%rdx
	push	$2		/* RFLAGS: IF = 0, IOPL = 0 */
	push	%r9
	push	%rdi
	mov	%rsi, %rdi
	LOAD_REGISTERS
	mov	40(%rdi), %rdi
	iretq
	/* Where the handler of VECTOR_USER_EXIT resumes, with RSP as it was put into RSP0. */
	.globl	user_left
user_left:
	RESTORE_CALLER
	ret
	.size	user_enter, . - user_enter

	.section .note.GNU-stack, "", @progbits
