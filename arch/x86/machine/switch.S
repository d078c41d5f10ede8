/*
 * Back to firmware's descriptor tables.
 */
	.text
/*
 * void gdt_return(const struct descriptor_pointer *p, const uint16_t selectors[6])
 * LGDT, then CS, SS, DS, ES, FS, GS.
 */
	.globl	gdt_return
	.type	gdt_return, @function
gdt_return:
	lgdt	(%rdi)
	mov	2(%rsi), %ss
	mov	4(%rsi), %ds
	mov	6(%rsi), %es
	mov	8(%rsi), %fs
	mov	10(%rsi), %gs
	movzwl	(%rsi), %eax
	pop	%rdx
	push	%rax
	push	%rdx
	lretq
	.size	gdt_return, . - gdt_return

	.section .note.GNU-stack, "", @progbits
