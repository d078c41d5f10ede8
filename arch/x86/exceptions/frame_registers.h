/*
 * For assembly: the general registers' part of a struct trap_frame (arch/x86/exceptions/trap.h), which lies
 * below the vector and the error code.
 */
#ifndef ARCH_X86_EXCEPTIONS_FRAME_REGISTERS_H
#define ARCH_X86_EXCEPTIONS_FRAME_REGISTERS_H

/* clang-format off */

/* Push them, as C wants to find them, with the frame's address in RDI. */
	.macro	SAVE_REGISTERS
	push	%rax
	push	%rbx
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%rbp
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	cld
	mov	%rsp, %rdi
	.endm

/* Pop them, drop vector and error code, and go back to what was interrupted. */
	.macro	RESTORE_AND_RETURN
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rbp
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rbx
	pop	%rax
	add	$16, %rsp
	iretq
	.endm

#endif
