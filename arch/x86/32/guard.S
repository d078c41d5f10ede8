/*
 * guard_call() and guard_leave() for 32 bits; offsets are those of struct guard_context, of whose registers the
 * lower halves are used.
 */
	.text
/* int guard_call(struct guard_context *c, void (*fn)(void *), void *arg, void *stack_top) */
	.globl	guard_call
	.hidden	guard_call
	.type	guard_call, @function
guard_call:
	mov	4(%esp), %ecx
	mov	%esp, 0(%ecx)
	mov	%ebx, 8(%ecx)
	mov	%ebp, 16(%ecx)
	mov	%esi, 24(%ecx)
	mov	%edi, 32(%ecx)
	pushf
	pop	56(%ecx)
	stmxcsr	64(%ecx)
	fnstcw	68(%ecx)
	/* A frame of its own, so that a backtrace crosses from the new stack to the old one. */
	push	%ebp
	mov	%esp, %ebp
	mov	%ecx, %ebx
	mov	12(%ebp), %eax
	mov	16(%ebp), %edx
	mov	20(%ebp), %ecx
	test	%ecx, %ecx
	cmovnz	%ecx, %esp
	and	$-16, %esp
	sub	$12, %esp
	push	%edx
	call	*%eax
	mov	%ebp, %esp
	pop	%ebp
	mov	8(%ebx), %ebx
	xor	%eax, %eax
	ret
	.size	guard_call, . - guard_call

/* _Noreturn void guard_leave(const struct guard_context *c) */
	.globl	guard_leave
	.hidden	guard_leave
	.type	guard_leave, @function
guard_leave:
	cli
	mov	4(%esp), %ecx
	fninit
	fldcw	68(%ecx)
	ldmxcsr	64(%ecx)
	mov	0(%ecx), %esp
	mov	8(%ecx), %ebx
	mov	16(%ecx), %ebp
	mov	24(%ecx), %esi
	mov	32(%ecx), %edi
	mov	56(%ecx), %edx
	pop	%ecx		/* where guard_call() returns to */
	push	%edx
	mov	%cs, %eax
	push	%eax
	push	%ecx
	mov	$1, %eax
	iret
	.size	guard_leave, . - guard_leave

	.section .note.GNU-stack, "", @progbits
