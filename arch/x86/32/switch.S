/*
 * Back to firmware's descriptor tables, for 32 bits.
 */
	.text
/*
 * void gdt_return(const struct descriptor_pointer *p, const uint16_t selectors[6])
 * LGDT, then CS, SS, DS, ES, FS, GS.
 */
	.globl	gdt_return
	.type	gdt_return, @function
gdt_return:
	mov	4(%esp), %eax
	lgdt	(%eax)
	mov	8(%esp), %ecx
	movzwl	(%ecx), %eax
	mov	2(%ecx), %ss
	mov	6(%ecx), %es
	mov	8(%ecx), %fs
	mov	10(%ecx), %gs
	mov	4(%ecx), %ds
	pop	%edx
	push	%eax
	push	%edx
	lret
	.size	gdt_return, . - gdt_return

	.section .note.GNU-stack, "", @progbits
