/* RDMSR counts itself behind its reading. Two values of `turns` tell the pairs from the rest. */
	.text
	.globl amd_irperf_pairs
amd_irperf_pairs:
	mov	$0xc00000e9, %ecx
	rdmsr				/* counted from here: 4 */
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %r8
1:	test	%rdi, %rdi		/* 4 each turn, and 2 */
	jz	2f
	dec	%rdi
	jmp	1b
2:	lfence				/* 1 */
	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%r8, %rax
	ret

/* Four floating-point operations each turn, of zeros. */
	.globl amd_flops
amd_flops:
	xorps	%xmm0, %xmm0
1:	addps	%xmm0, %xmm0
	dec	%rdi
	jnz	1b
	ret
	.globl amd_flops_end
amd_flops_end:

	.section .note.GNU-stack, "", @progbits
