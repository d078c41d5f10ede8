/*
 * The way into the harness for all 256 vectors, for 32 bits: build struct trap_frame (trap.h), call
 * trap_dispatch(), go back.
 * The C side is compiled for general registers only, so x87 and SSE state passes through untouched.
 */
#include "arch/x86/32/frame.h"
#include "arch/x86/machine/descriptors.h"

	.text
	.globl	trap_stubs
	.hidden	trap_stubs
	.p2align 4
trap_stubs:
	.set	vector, 0
	.rept	256
	/* SDM vol. 3, table 6-1: these push an error code. INT n of these vectors, which pushes none, is not for this. */
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30)
	push	$0
	.endif
	push	$vector
	jmp	trap_common
	.set	vector, vector + 1
	.org	trap_stubs + vector * TRAP_STUB_STRIDE, 0xcc
	.endr

	.type	trap_common, @function
trap_common:
	push	%eax
	push	%ecx
	mov	%esp, %ecx
	sub	$FRAME_SIZE, %esp
	and	$-16, %esp
	FRAME_FILL
	sub	$12, %esp
	push	%ebx
	call	trap_dispatch
	mov	%ebx, %esp
	.size	trap_common, . - trap_common

/*
 * Back to what the frame at ESP says. Within a ring IRET takes three words from the stack that it comes back to,
 * and they are put
 * there; to an outer one it takes five, which are put together in the frame.
 */
	.globl	trap_return
	.hidden	trap_return
	.type	trap_return, @function
trap_return:
	testb	$3, FRAME_CS(%esp)
	jnz	1f
	mov	FRAME_RSP(%esp), %eax
	sub	$12, %eax
	mov	%eax, FRAME_RSP(%esp)
	mov	FRAME_RIP(%esp), %ecx
	mov	FRAME_CS(%esp), %edx
	mov	FRAME_RFLAGS(%esp), %ebx
	mov	FRAME_RBX(%esp), %esi
	mov	FRAME_RSI(%esp), %edi
	mov	%ecx, (%eax)
	mov	%edx, 4(%eax)
	mov	%ebx, 8(%eax)
	mov	%esi, %ebx
	mov	%edi, %esi
	mov	FRAME_RDI(%esp), %edi
	mov	FRAME_RBP(%esp), %ebp
	mov	FRAME_RCX(%esp), %ecx
	mov	FRAME_RDX(%esp), %edx
	mov	FRAME_RAX(%esp), %eax
	mov	FRAME_RSP(%esp), %esp
	iret
1:	mov	FRAME_CS(%esp), %eax
	mov	%eax, FRAME_RIP + 4(%esp)
	mov	FRAME_RFLAGS(%esp), %eax
	mov	%eax, FRAME_RIP + 8(%esp)
	mov	FRAME_RSP(%esp), %eax
	mov	%eax, FRAME_RIP + 12(%esp)
	mov	FRAME_SS(%esp), %eax
	mov	%eax, FRAME_RIP + 16(%esp)
	mov	FRAME_RBX(%esp), %ebx
	mov	FRAME_RSI(%esp), %esi
	mov	FRAME_RDI(%esp), %edi
	mov	FRAME_RBP(%esp), %ebp
	mov	FRAME_RCX(%esp), %ecx
	mov	FRAME_RDX(%esp), %edx
	mov	FRAME_RAX(%esp), %eax
	lea	FRAME_RIP(%esp), %esp
	iret
	.size	trap_return, . - trap_return

/* void gdt_load(const struct descriptor_pointer *p) */
	.globl	gdt_load
	.hidden	gdt_load
	.type	gdt_load, @function
gdt_load:
	mov	4(%esp), %eax
	lgdt	(%eax)
	/* Data segments that any ring may hold, so that neither IRET to an outer ring nor an interrupt out of one needs
	 * to change them. */
	mov	$SELECTOR_USER_SS | 3, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	$SELECTOR_KERNEL_SS, %eax
	mov	%eax, %ss
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	pop	%eax
	push	$SELECTOR_KERNEL_CS
	push	%eax
	lret
	.size	gdt_load, . - gdt_load

	.section .note.GNU-stack, "", @progbits
