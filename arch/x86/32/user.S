/*
 * Entering prepared code with all general registers given, and storing them when it is done, for 32 bits.
 * Offsets are those of struct call_registers (user.h), of which the lower halves are used.
 */
#include "arch/x86/machine/descriptors.h"

	.macro	SAVE_CALLER
	push	%ebp
	mov	%esp, %ebp
	push	%ebx
	push	%esi
	push	%edi
	pushf
	sub	$8, %esp
	stmxcsr	(%esp)
	fnstcw	4(%esp)
	.endm

	.macro	RESTORE_CALLER
	ldmxcsr	(%esp)
	fldcw	4(%esp)
	add	$8, %esp
	popf
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	.endm

	/* All but EDI, whose old value is the pointer. */
	.macro	LOAD_REGISTERS
	mov	0(%edi), %eax
	mov	8(%edi), %ebx
	mov	16(%edi), %ecx
	mov	24(%edi), %edx
	mov	32(%edi), %esi
	mov	48(%edi), %ebp
	.endm

	.macro	STORE register, offset
	mov	\register, \offset(%eax)
	movl	$0, \offset + 4(%eax)
	.endm

	.text
/* void call_with_registers_here(const void *entry, struct call_registers *regs) */
	.globl	call_with_registers_here
	.type	call_with_registers_here, @function
call_with_registers_here:
	SAVE_CALLER
	sub	$12, %esp
	mov	8(%ebp), %eax
	mov	%eax, 0(%esp)
	mov	12(%ebp), %edi
	mov	%edi, 4(%esp)
	LOAD_REGISTERS
	mov	40(%edi), %edi
	call	*(%esp)
	mov	%eax, 8(%esp)
	mov	4(%esp), %eax
	STORE	%ebx, 8
	STORE	%ecx, 16
	STORE	%edx, 24
	STORE	%esi, 32
	STORE	%edi, 40
	STORE	%ebp, 48
	mov	8(%esp), %ecx
	STORE	%ecx, 0
	add	$12, %esp
	RESTORE_CALLER
	ret
	.size	call_with_registers_here, . - call_with_registers_here

/* void user_enter(const void *entry, const struct call_registers *regs, void *user_esp, void *esp0, unsigned ss,
 * unsigned cs) */
	.globl	user_enter
	.type	user_enter, @function
user_enter:
	SAVE_CALLER
	mov	20(%ebp), %ecx
	mov	%esp, (%ecx)	/* interrupts out of the outer ring, the last of which is the way back, use the stack from here on */
	push	24(%ebp)
	push	16(%ebp)
	push	$2		/* EFLAGS: IF = 0, IOPL = 0 */
	push	28(%ebp)
	push	8(%ebp)
	mov	12(%ebp), %edi
	LOAD_REGISTERS
	mov	40(%edi), %edi
	iret
	/* Where the handler of VECTOR_USER_EXIT resumes, with ESP as it was put into ESP0. */
	.globl	user_left
user_left:
	RESTORE_CALLER
	ret
	.size	user_enter, . - user_enter

	.section .note.GNU-stack, "", @progbits
