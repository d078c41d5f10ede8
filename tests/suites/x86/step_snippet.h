/*
 * For assembly: how the snippets of the suite `step` are written down, and the handlers that they name. `I`
 * counts what it assembles; handlers carry their own number of instructions.
 */
#ifndef TESTS_SUITES_X86_STEP_SNIPPET_H
#define TESTS_SUITES_X86_STEP_SNIPPET_H

#include "tests/suites/x86/step.h"

#include "arch/x86/machine/descriptors.h"
#include "tests/kernels/x86/registers.h"

/* clang-format off */

#define ORACLE_BEGIN 0xf3
#define ORACLE_END   0xf4
#define VECTOR_TEST  0xe3
#define VECTOR_TIMER 0xe1
#define VECTOR_PMI   0xe0

/* WHERE a label of the snippet lies, POINTERS in a row, and what IRET within a ring takes from the stack above the
 * flags. */
#ifdef __i386__
	.macro	WHERE label, register
	I	lea	(\label) - 10020b(%ebp), \register
	.endm
	.macro	POINTERS places:vararg
	.long	\places
	.endm
	.macro	PUSH_STACK
	I	mov	%rsp, %rcx
	.endm
#else
	.macro	WHERE label, register
	I	lea	\label(%rip), \register
	.endm
	.macro	POINTERS places:vararg
	.quad	\places
	.endm
	.macro	PUSH_STACK
	I	mov	%ss, %eax
	I	mov	%rsp, %rcx
	I	push	%rax
	I	push	%rcx
	.endm
#endif

	.macro	TABLE name
	.pushsection .data.rel.step_snippets, "aw", @progbits
	.p2align 3
	.globl	\name
	.hidden	\name
\name:
	.popsection
	.section .text.step_snippets, "ax", @progbits
	.endm

	.macro	I instruction:vararg
	\instruction
	.set	counted, counted + 1
	.endm

	.macro	SNIPPET name, manual, rings=BOTH_RINGS
	.pushsection .rodata.step_strings, "a", @progbits
10010:	.asciz	"\name"
10011:	.asciz	"\manual"
	.popsection
	.set	rings, \rings
	.set	counted, 0
	.p2align 4
10020:	int	$ORACLE_BEGIN
	.endm

	.macro	ALSO quantity, amount
	.pushsection .rodata.step_strings, "a", @progbits
10030:	.asciz	"\quantity"
	.popsection
	.pushsection .data.rel.step_snippets, "aw", @progbits
	POINTERS 10030b
	.quad	\amount
	.popsection
	.endm

	/* more: instructions that run besides those written down once */
	.macro	FINISH result=0, more=0, vector=0, handler=0, setup=0, offset=0, q1, a1=0, q2, a2=0, q3, a3=0
	int	$ORACLE_END
10021:
	.pushsection .data.rel.step_snippets, "aw", @progbits
	POINTERS 10010b, 10011b, 10020b, 10021b
	.quad	counted + \more, rings, \result, \vector
	POINTERS \handler
	.quad	\setup, \offset
	.popsection
	ALSO	"\q1", \a1
	ALSO	"\q2", \a2
	ALSO	"\q3", \a3
	.endm

	.section .text.step_snippets, "ax", @progbits

/* --- handlers ---------------------------------------------------------------------------------------------------- */

#define ON_RETURN 1
on_return:
	iretq

#define ON_SKIP2 2
on_skip2:
	addq	$2, (%rsp)
	iretq

/* With an error code, which goes to RBX. */
#define ON_ERROR_SKIP2 3
on_error_skip2:
	pop	%rbx
	addq	$2, (%rsp)
	iretq

#define ON_ERROR_SKIP3 3
on_error_skip3:
	pop	%rbx
	addq	$3, (%rsp)
	iretq

#define ON_FAULT_END_REP 3
on_fault_end_rep:
	pop	%rbx
	xor	%ecx, %ecx
	iretq

#define ON_ERROR_SKIP_IRET 3
#ifdef __i386__
#define NT_FAULT 10
#define on_error_skip_iret on_error_skip1
#else
#define NT_FAULT 13
#define on_error_skip_iret on_error_skip2
#endif

/* Where it interrupted, to RBX. */
#define ON_NOTE_RIP 2
on_note_rip:
	mov	(%rsp), %rbx
	iretq

#define ON_COUNT 2
on_count:
	inc	%rbx
	iretq

#define ON_ERROR_SKIP1 3
on_error_skip1:
	pop	%rbx
	incq	(%rsp)
	iretq

#define ON_ERROR_SKIP16 3
on_error_skip16:
	pop	%rbx
	addq	$16, (%rsp)
	iretq

#ifndef __i386__
/* To R13 instead. */
#define ON_ERROR_ELSEWHERE 3
on_error_elsewhere:
	pop	%rbx
	mov	%r13, (%rsp)
	iretq
#endif

#define ON_NOTE_FLAGS 3
on_note_flags:
	pushfq
	pop	%rbx
	iretq

#define ON_NOTE_STACK 3
on_note_stack:
	mov	%rsp, %rbx
	mov	%ss, %ebp
	iretq

/* What was interrupted may set IF from now on. */
#define ON_IOPL_3 2
on_iopl_3:
	orl	$0x3000, 2*WORD(%rsp)
	iretq

#endif
