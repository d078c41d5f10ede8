/*
 * Code around a kernel that reads a running counter before and after. It is copied, so it refers to nothing but registers.
 * RDPMC does not serialise: LFENCE on both sides keeps it in place.
 */
	.macro LABEL name
	.globl \name
\name:
	.endm

	.text

/* Difference of a running counter. R12: RDPMC index; R13: mask of its width. R14, R15 hold the first reading. */
LABEL netburst_rdpmc_start
	lfence
	mov	%r12d, %ecx
	rdpmc				/* counted from here: 4 */
	lfence
	mov	%rax, %r14
	mov	%rdx, %r15
LABEL netburst_rdpmc_start_end

LABEL netburst_rdpmc_stop
	mov	%r12d, %ecx		/* counted: 2 */
	lfence
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, %r15
	or	%r15, %r14
	sub	%r14, %rax
	and	%r13, %rax
LABEL netburst_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
