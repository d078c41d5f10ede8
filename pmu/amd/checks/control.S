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

	.globl amd_x87_compares
amd_x87_compares:
	inc	%rdi
	fldz
	fldz
	jmp	2f
1:	fcomi	%st(1), %st
	f2xm1
	f2xm1
2:	dec	%rdi
	jnz	1b
	fstp	%st(0)
	fstp	%st(0)
	ret

/* Seven instructions each turn: no period that is a power of two meets one of them alone. The prefetches are of
 * the lines behind the data, one each turn, from the farthest on. NOPs have lengths chosen so that 16 bytes behind
 * an instruction's start no instruction starts (AMD-337). */
	.globl amd_mixed, amd_mixed_loop, amd_mixed_end
amd_mixed:
	xor	%eax, %eax
	shl	$6, %rdi
amd_mixed_loop:
1:	add	%rax, (%rsi)
2:	mov	(%rsi), %rcx
3:	prefetcht0 (%rsi, %rdi)
4:	.byte	0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
5:	.byte	0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
6:	sub	$64, %rdi
7:	jnz	1b
8:	ret
	.skip	15, 0xcc
amd_mixed_end:

	.section .rodata
	.globl amd_mixed_starts
amd_mixed_starts:
	.byte	0, 2b - 1b, 3b - 1b, 4b - 1b, 5b - 1b, 6b - 1b, 7b - 1b, 8b - 1b, 0xff

	.section .note.GNU-stack, "", @progbits
