/*
 * memcpy() and memset() without REP, in place of newlib's. Emulators and the step engine take each repetition of
 * REP for an instruction of its own, and newlib's repeat byte by byte what is below 16 bytes, or behind the last
 * 128. All else of <string.h> is newlib's.
 */
	.text

/* void *memcpy(void *restrict to, const void *restrict from, size_t n): RDI, RSI, RDX */
	.globl	memcpy
	.type	memcpy, @function
memcpy:
	mov	%rdi, %rax
	cmp	$8, %rdx
	jb	.Lcopy_below_8
	mov	-8(%rsi,%rdx), %r8	/* the last 8 bytes, which may overlap with those before */
	lea	-8(%rdi,%rdx), %r9
	sub	$32, %rdx
	jb	2f
1:	mov	(%rsi), %rcx
	mov	8(%rsi), %r10
	mov	%rcx, (%rdi)
	mov	%r10, 8(%rdi)
	mov	16(%rsi), %rcx
	mov	24(%rsi), %r10
	mov	%rcx, 16(%rdi)
	mov	%r10, 24(%rdi)
	add	$32, %rsi
	add	$32, %rdi
	sub	$32, %rdx
	jae	1b
2:	add	$24, %rdx		/* what is left but for the last 8 bytes */
	jle	4f
3:	mov	(%rsi), %rcx
	mov	%rcx, (%rdi)
	add	$8, %rsi
	add	$8, %rdi
	sub	$8, %rdx
	jg	3b
4:	mov	%r8, (%r9)
	ret
.Lcopy_below_8:
	cmp	$4, %edx
	jb	5f
	mov	(%rsi), %ecx
	mov	-4(%rsi,%rdx), %r8d
	mov	%ecx, (%rdi)
	mov	%r8d, -4(%rdi,%rdx)
	ret
5:	test	%edx, %edx
	jz	6f
	mov	%edx, %r8d
	shr	$1, %r8d		/* the first, the middle and the last byte are all that there are */
	movzbl	(%rsi), %ecx
	movzbl	(%rsi,%r8), %r9d
	movzbl	-1(%rsi,%rdx), %r10d
	mov	%cl, (%rdi)
	mov	%r9b, (%rdi,%r8)
	mov	%r10b, -1(%rdi,%rdx)
6:	ret
	.size	memcpy, . - memcpy

/* void *memset(void *to, int byte, size_t n): RDI, ESI, RDX */
	.globl	memset
	.type	memset, @function
memset:
	mov	%rdi, %rax
	movzbl	%sil, %esi
	movabs	$0x0101010101010101, %rcx
	imul	%rcx, %rsi
	cmp	$8, %rdx
	jb	.Lset_below_8
	lea	-8(%rdi,%rdx), %r9
	sub	$32, %rdx
	jb	2f
1:	mov	%rsi, (%rdi)
	mov	%rsi, 8(%rdi)
	mov	%rsi, 16(%rdi)
	mov	%rsi, 24(%rdi)
	add	$32, %rdi
	sub	$32, %rdx
	jae	1b
2:	add	$24, %rdx
	jle	4f
3:	mov	%rsi, (%rdi)
	add	$8, %rdi
	sub	$8, %rdx
	jg	3b
4:	mov	%rsi, (%r9)
	ret
.Lset_below_8:
	cmp	$4, %edx
	jb	5f
	mov	%esi, (%rdi)
	mov	%esi, -4(%rdi,%rdx)
	ret
5:	test	%edx, %edx
	jz	6f
	mov	%edx, %r8d
	shr	$1, %r8d
	mov	%sil, (%rdi)
	mov	%sil, (%rdi,%r8)
	mov	%sil, -1(%rdi,%rdx)
6:	ret
	.size	memset, . - memset
