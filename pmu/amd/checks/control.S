/* RDMSR counts itself behind its reading. Two values of `turns` tell the pairs from the rest. */
#ifdef __i386__
#define TURNS  %edi
#define DATA   %esi
#define SUM    %eax
#define LOADED %ecx
#else
#define TURNS  %rdi
#define DATA   %rsi
#define SUM    %rax
#define LOADED %rcx
#endif

/* Arguments from the stack, without 64-bit mode. */
	.macro	ENTER
#ifdef __i386__
	push	%esi
	push	%edi
	push	%ebx
	push	%ebp
	mov	20(%esp), %edi
	mov	28(%esp), %esi
#endif
	.endm

	.macro	LEAVE
#ifdef __i386__
	pop	%ebp
	pop	%ebx
	pop	%edi
	pop	%esi
#endif
	.endm

	.text
	.globl amd_irperf_pairs
amd_irperf_pairs:
	ENTER
	mov	$0xc00000e9, %ecx
	rdmsr				/* counted from here: 4 */
#ifdef __i386__
	mov	%eax, %ebx
	mov	%edx, %ebp
	nop
#else
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %r8
#endif
1:	test	TURNS, TURNS		/* 4 each turn, and 2 */
	jz	2f
	dec	TURNS
	jmp	1b
2:	lfence				/* 1 */
	rdmsr
#ifdef __i386__
	sub	%ebx, %eax
	sbb	%ebp, %edx
#else
	shl	$32, %rdx
	or	%rdx, %rax
	sub	%r8, %rax
#endif
	LEAVE
	ret

/* Four floating-point operations each turn, of zeros. */
	.globl amd_flops
amd_flops:
	ENTER
	xorps	%xmm0, %xmm0
1:	addps	%xmm0, %xmm0
	dec	TURNS
	jnz	1b
	LEAVE
	ret
	.globl amd_flops_end
amd_flops_end:

	.globl amd_x87_compares
amd_x87_compares:
	ENTER
	inc	TURNS
	fldz
	fldz
	jmp	2f
1:	fcomi	%st(1), %st
	f2xm1
	f2xm1
2:	dec	TURNS
	jnz	1b
	fstp	%st(0)
	fstp	%st(0)
	LEAVE
	ret

/* Two aligned blocks each turn: the first is led to by a branch, the second follows it. */
	.globl amd_two_blocks, amd_second_block
	.balign	64
amd_two_blocks:
1:	.nops	32, 7
amd_second_block:
	.nops	16, 7
#ifdef __i386__
	decl	4(%esp)
#else
	dec	%rdi
#endif
	jnz	1b
	ret

/* Seven instructions each turn: no period that is a power of two meets one of them alone. The prefetches are of
 * the lines behind the data, one each turn, from the farthest on. NOPs have lengths chosen so that 16 bytes behind
 * an instruction's start no instruction starts (AMD-337). */
	.globl amd_mixed, amd_mixed_loop, amd_mixed_end
amd_mixed:
	ENTER
	xor	%eax, %eax
	shl	$6, TURNS
amd_mixed_loop:
1:	add	SUM, (DATA)
2:	mov	(DATA), LOADED
3:	prefetcht0 (DATA, TURNS)
4:	.byte	0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
5:	.byte	0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
6:	sub	$64, TURNS
7:	jnz	1b
8:	LEAVE
	ret
	.skip	15, 0xcc
amd_mixed_end:

	.section .rodata
	.globl amd_mixed_starts
amd_mixed_starts:
	.byte	0, 2b - 1b, 3b - 1b, 4b - 1b, 5b - 1b, 6b - 1b, 7b - 1b, 8b - 1b, 0xff

	.section .note.GNU-stack, "", @progbits
