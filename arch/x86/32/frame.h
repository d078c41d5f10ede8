/*
 * For assembly of 32 bits: struct trap_frame (arch/x86/exceptions/trap.h), whose fields have 64 bits there as
 * well, the upper halves of which are 0. The CPU pushes ESP and SS only where the ring changes, and onto the
 * stack that is interrupted otherwise: the frame is made of what it pushed, and taken apart on the way back.
 * SDM vol. 3, 6.12.1.
 */
#ifndef ARCH_X86_32_FRAME_H
#define ARCH_X86_32_FRAME_H

/* clang-format off */

#define FRAME_R15    0x00
#define FRAME_R8     0x38
#define FRAME_RBP    0x40
#define FRAME_RDI    0x48
#define FRAME_RSI    0x50
#define FRAME_RDX    0x58
#define FRAME_RCX    0x60
#define FRAME_RBX    0x68
#define FRAME_RAX    0x70
#define FRAME_VECTOR 0x78
#define FRAME_ERROR  0x80
#define FRAME_RIP    0x88
#define FRAME_CS     0x90
#define FRAME_RFLAGS 0x98
#define FRAME_RSP    0xa0
#define FRAME_SS     0xa8
#define FRAME_SIZE   0xb0

	.macro	FRAME_PUT register, field
	movl	\register, \field(%esp)
	movl	$0, \field + 4(%esp)
	.endm

	.macro	FRAME_MOVE pushed, field
	movl	\pushed(%ecx), %eax
	FRAME_PUT %eax, \field
	.endm

/*
 * Fill the frame that ESP points to: nothing may lie below ESP, where a trap puts what it pushes. ECX points to
 * ECX and EAX as they were, vector, error code, and what the CPU pushed. Then EBX, which C keeps, has the frame's
 * address.
 */
	.macro	FRAME_FILL
	FRAME_PUT %ebx, FRAME_RBX
	FRAME_PUT %edx, FRAME_RDX
	FRAME_PUT %esi, FRAME_RSI
	FRAME_PUT %edi, FRAME_RDI
	FRAME_PUT %ebp, FRAME_RBP
	.irp	field, 0x00, 0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38
	movl	$0, \field(%esp)
	movl	$0, \field + 4(%esp)
	.endr
	FRAME_MOVE 0, FRAME_RCX
	FRAME_MOVE 4, FRAME_RAX
	FRAME_MOVE 8, FRAME_VECTOR
	FRAME_MOVE 12, FRAME_ERROR
	FRAME_MOVE 16, FRAME_RIP
	movzwl	20(%ecx), %eax
	FRAME_PUT %eax, FRAME_CS
	FRAME_MOVE 24, FRAME_RFLAGS
	testb	$3, FRAME_CS(%esp)
	jz	1f
	FRAME_MOVE 28, FRAME_RSP
	movzwl	32(%ecx), %eax
	jmp	2f
1:	lea	28(%ecx), %eax
	FRAME_PUT %eax, FRAME_RSP
	movl	%ss, %eax
2:	FRAME_PUT %eax, FRAME_SS
	cld
	movl	%esp, %ebx
	.endm

#endif
