/*
 * The way into the harness for all 256 vectors, for 32 bits: build struct trap_frame (trap.h), call
 * trap_dispatch(), go back. The C side is compiled for general registers only, so x87 and SSE state passes through
 * untouched.
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

	.macro	OWN_STACK vector, ist
	cmpl	$\vector, 8(%ecx)
	jne	1f
	mov	tss + TSS_STACK(\ist), %esp
1:
	.endm

	.type	trap_common, @function
trap_common:
	push	%eax
	push	%ecx
	mov	%esp, %ecx
	/* No more than this needs room on the interrupted stack, where there may be little. */
	OWN_STACK 2, IST_NMI
	OWN_STACK 18, IST_MC
	OWN_STACK 1, IST_DB
	sub	$FRAME_SIZE, %esp
	and	$-16, %esp
	FRAME_FILL
	sub	$12, %esp
	push	%ebx
	call	trap_dispatch
	mov	%ebx, %esp
	jmp	trap_return
	.size	trap_common, . - trap_common

/*
 * A double fault, by a switch of tasks: what was executed lies in the task-state segment, and an error code (0) on this
 * stack, but for INT 8. The task that was left is the one in force again, so that the way out is that of other
 * exceptions. The step engine has its frames elsewhere, and is known by its IDT.
 */
	.globl	double_fault
	.hidden	double_fault
	.type	double_fault, @function
double_fault:
	mov	tss + TSS_STACK(IST_DF), %esp
	pushl	$2
	popf			/* NT is set */
	clts			/* so is CR0.TS */
	andb	$~2, gdt + SELECTOR_TSS + 5
	mov	$SELECTOR_TSS, %eax
	ltr	%ax
	andb	$~2, gdt + SELECTOR_DF_TASK + 5
	sub	$FRAME_SIZE, %esp
	mov	%esp, %edi
	xor	%eax, %eax
	mov	$FRAME_SIZE / 4, %ecx
	cld
	rep stosl
	movl	$8, FRAME_VECTOR(%esp)
	.set	register, TSS_EAX
	.irp	field, FRAME_RAX, FRAME_RCX, FRAME_RDX, FRAME_RBX, FRAME_RSP, FRAME_RBP, FRAME_RSI, FRAME_RDI
	mov	tss + register, %eax
	mov	%eax, \field(%esp)
	.set	register, register + 4
	.endr
	mov	tss + TSS_EIP, %eax
	mov	%eax, FRAME_RIP(%esp)
	mov	tss + TSS_EFLAGS, %eax
	mov	%eax, FRAME_RFLAGS(%esp)
	movzwl	tss + TSS_CS, %eax
	mov	%eax, FRAME_CS(%esp)
	movzwl	tss + TSS_SS, %eax
	mov	%eax, FRAME_SS(%esp)
	mov	%esp, %ebx
	sub	$8, %esp
	sidt	2(%esp)
	cmpl	$idt, 4(%esp)
	jne	1f
	sub	$4, %esp
	push	%ebx
	call	trap_dispatch
	mov	%ebx, %esp
	jmp	trap_return
1:	mov	tss + TSS_MONITOR_STACK, %edi
	sub	$FRAME_SIZE, %edi
	mov	%ebx, %esi
	mov	%edi, %ebx
	mov	$FRAME_SIZE / 4, %ecx
	rep movsl
	lea	-12(%ebx), %esp
	push	%ebx
	call	step_trap
	mov	%ebx, %esp
	jmp	trap_return
	.size	double_fault, . - double_fault

/*
 * Back to what the frame at ESP says. Within a ring IRET takes three words from the stack that it comes back to,
 * and they are put there; to an outer one it takes five, which are put together in the frame.
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
