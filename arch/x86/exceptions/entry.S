/*
 * The way into the harness for all 256 vectors: build struct trap_frame (trap.h), call trap_dispatch(), go back.
 * The C side is compiled for general registers only, so x87, SSE and AVX state passes through untouched.
 */
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/frame_registers.h"

	.text
	.globl	trap_stubs
	.hidden	trap_stubs
	.p2align 4
trap_stubs:
	.set	vector, 0
	.rept	256
	/*
	 * SDM vol. 3, table 6-1: these push an error code (21 is #CP, 29 and 30 are AMD's #VC and #SX), but not when INT n
	 * raised them. The CPU aligns RSP to 16 before it pushes five or six words (6.14.2), so bit 3 tells which it was.
	 */
	.if	vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30
	test	$8, %spl
	jz	1f
	.endif
	push	$0
1:	push	$vector
	jmp	trap_common
	.set	vector, vector + 1
	.org	trap_stubs + vector * TRAP_STUB_STRIDE, 0xcc
	.endr

	.type	trap_common, @function
trap_common:
	SAVE_REGISTERS
	mov	%rsp, %rbx
	and	$-16, %rsp
	call	trap_dispatch
	mov	%rbx, %rsp
	.globl	trap_return
	.hidden	trap_return
trap_return:
	RESTORE_AND_RETURN
	.size	trap_common, . - trap_common

/* void gdt_load(const struct descriptor_pointer *p) */
	.globl	gdt_load
	.hidden	gdt_load
	.type	gdt_load, @function
gdt_load:
	lgdt	(%rdi)
	/* Data segments that ring 3 may hold, so that IRET to ring 3 does not null them. */
	mov	$SELECTOR_USER_SS | 3, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	$SELECTOR_KERNEL_SS, %eax
	mov	%eax, %ss
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	pop	%rax
	push	$SELECTOR_KERNEL_CS
	push	%rax
	lretq
	.size	gdt_load, . - gdt_load

	.section .note.GNU-stack, "", @progbits
