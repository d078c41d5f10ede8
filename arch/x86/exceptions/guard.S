/*
 * guard_call() and guard_leave(); offsets are those of struct guard_context.
 */
	.text
	.globl	guard_call
	.hidden	guard_call
	.type	guard_call, @function
guard_call:
	mov	%rsp, 0(%rdi)
	mov	%rbx, 8(%rdi)
	mov	%rbp, 16(%rdi)
	mov	%r12, 24(%rdi)
	mov	%r13, 32(%rdi)
	mov	%r14, 40(%rdi)
	mov	%r15, 48(%rdi)
	pushfq
	popq	56(%rdi)
	stmxcsr	64(%rdi)
	fnstcw	68(%rdi)
	/* A frame of its own, so that a backtrace crosses from the new stack to the old one. */
	push	%rbp
	mov	%rsp, %rbp
	mov	%rdi, %rbx
	test	%rcx, %rcx
	cmovnz	%rcx, %rsp
	and	$-16, %rsp
	mov	%rsi, %rax
	mov	%rdx, %rdi
	call	*%rax
	mov	%rbp, %rsp
	pop	%rbp
	mov	8(%rbx), %rbx
	xor	%eax, %eax
	ret
	.size	guard_call, . - guard_call

	.globl	guard_leave
	.hidden	guard_leave
	.type	guard_leave, @function
guard_leave:
	cli
	fninit
	fldcw	68(%rdi)
	ldmxcsr	64(%rdi)
	mov	0(%rdi), %rsp
	mov	8(%rdi), %rbx
	mov	16(%rdi), %rbp
	mov	24(%rdi), %r12
	mov	32(%rdi), %r13
	mov	40(%rdi), %r14
	mov	48(%rdi), %r15
	mov	56(%rdi), %rsi
	pop	%rcx		/* where guard_call() returns to */
	mov	%rsp, %rdx
	mov	%ss, %eax
	push	%rax
	push	%rdx
	push	%rsi
	mov	%cs, %eax
	push	%rax
	push	%rcx
	mov	$1, %eax
	iretq
	.size	guard_leave, . - guard_leave

	.section .note.GNU-stack, "", @progbits
