/*
 * Snippets for the suite `step`. `I` counts what it assembles; handlers carry their own number of instructions.
 */
#include "tests/suites/step.h"

#include "arch/x86/descriptors.h"

#define ORACLE_BEGIN 0xf3
#define ORACLE_END   0xf4
#define VECTOR_TEST  0xe3
#define VECTOR_TIMER 0xe1
#define VECTOR_PMI   0xe0

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
	.quad	10030b, \amount
	.popsection
	.endm

	/* more: instructions that run besides those written down once */
	.macro	FINISH result=0, more=0, vector=0, handler=0, setup=0, offset=0, q1, a1=0, q2, a2=0, q3, a3=0
	int	$ORACLE_END
10021:
	.pushsection .data.rel.step_snippets, "aw", @progbits
	.quad	10010b, 10011b, 10020b, 10021b, counted + \more, rings, \result, \vector, \handler, \setup, \offset
	.popsection
	ALSO	"\q1", \a1
	ALSO	"\q2", \a2
	ALSO	"\q3", \a3
	.endm

	.pushsection .data.rel.step_snippets, "aw", @progbits
	.p2align 3
	.globl	step_snippets
	.hidden	step_snippets
step_snippets:
	.popsection

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

/* Where it interrupted, to RBX. */
#define ON_NOTE_RIP 2
on_note_rip:
	mov	(%rsp), %rbx
	iretq

#define ON_COUNT 2
on_count:
	inc	%r12
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

/* To R13 instead. */
#define ON_ERROR_ELSEWHERE 3
on_error_elsewhere:
	pop	%rbx
	mov	%r13, (%rsp)
	iretq

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
	orl	$0x3000, 16(%rsp)
	iretq

/* Its flags, to RBX; the stack is still the caller's. */
#define ON_SYSCALL 3
	.globl	step_on_syscall
	.hidden	step_on_syscall
step_on_syscall:
	pushfq
	pop	%rbx
	sysretq

#define ON_SYSENTER 1
	.globl	step_on_sysenter
	.hidden	step_on_sysenter
step_on_sysenter:
	rex.w sysexit

/* --- nothing special ------------------------------------------------------------------------------------------- */

SNIPPET "nothing", "-"
FINISH

SNIPPET "straight code", "-"
	.rept	10
	I	nop
	.endr
FINISH q1="insn.nop", a1=10

SNIPPET "an instruction across two pages", "-"
	I	nop
	I	movabs	$0x123456789, %rcx
	I	nop
	I	xor	%eax, %eax
FINISH offset=0xff8

SNIPPET "a loop", "-"
	I	mov	$100, %ecx
1:	I	dec	%ecx
	I	jnz	1b
FINISH more=2*99, q1="br.cond.taken", a1=99, q2="br.cond.ntaken", a2=1

SNIPPET "branches to the next instruction", "-"
	I	xor	%eax, %eax
	I	jz	1f
1:	I	jnz	1f
1:	.byte	0x0f, 0x84, 0, 0, 0, 0 /* JZ rel32 */
	.set	counted, counted + 1
FINISH q1="br.cond.taken", a1=2, q2="br.cond.ntaken", a2=1

SNIPPET "LOOP and JRCXZ", "-"
	I	mov	$3, %ecx
1:	I	loop	1b
	I	jrcxz	1f
	I	nop
1:	I	mov	%ecx, %eax
FINISH more=2-1, q1="br.cond.taken", a1=3, q2="br.cond.ntaken", a2=1

SNIPPET "call and return", "-"
	I	call	1f
	I	jmp	2f
1:	I	ret
2:	I	nop
FINISH q1="br.call.direct", a1=1, q2="br.ret", a2=1

/* --- the trap flag is hidden ------------------------------------------------------------------------------------ */

SNIPPET "PUSHF hides the trap flag", "SDM vol. 3, 17.3.1.4"
	I	pushfq
	I	pop	%rax
	I	and	$0x100, %eax
FINISH q1="stores", a1=1, q2="loads", a2=1

SNIPPET "PUSHF of 16 bits hides it too", "SDM vol. 3, 17.3.1.4"
	I	pushfw
	I	pop	%ax
	I	and	$0x100, %eax
FINISH

SNIPPET "POPF without the flag goes on stepping", "SDM vol. 3, 17.3.1.4"
	I	pushfq
	I	popfq
	I	nop
	I	pushfw
	I	popfw
	I	nop
FINISH

SNIPPET "POPF loads the arithmetic flags", "SDM vol. 2, POPF"
	I	pushq	$0x46
	I	popfq
	I	setz	%al
FINISH result=1

SNIPPET "POPF in ring 3 leaves IF alone", "SDM vol. 2, POPF", RING_3
	I	pushq	$0x202
	I	popfq
	I	pushfq
	I	pop	%rax
	I	and	$0x200, %eax
FINISH

SNIPPET "POPF in ring 3 leaves IOPL alone", "SDM vol. 2, POPF", RING_3
	I	pushq	$0x3002
	I	popfq
	I	pushfq
	I	pop	%rax
	I	and	$0x3000, %eax
FINISH

SNIPPET "POPF in ring 0 sets IOPL", "SDM vol. 2, POPF", RING_0
	I	pushq	$0x3002
	I	popfq
	I	pushfq
	I	pushq	$2
	I	popfq
	I	pop	%rax
	I	and	$0x3000, %eax
FINISH result=0x3000

SNIPPET "POPF, CLI and STI in ring 3 with IOPL 3", "SDM vol. 2, POPF", RING_3
	I	int	$VECTOR_TEST
	I	pushq	$0x202 /* IF, and no IOPL, which stays */
	I	popfq
	I	pushfq
	I	pop	%rax
	I	cli
	I	pushfq
	I	pop	%rcx
	I	sti
	I	pushfq
	I	pop	%r8
	I	cli
	I	and	$0x3200, %eax
	I	and	$0x3200, %ecx
	I	and	$0x3200, %r8d
	I	shl	$16, %rax
	I	or	%rcx, %rax
	I	shl	$16, %rax
	I	or	%r8, %rax
FINISH result=0x320030003200, more=ON_IOPL_3, vector=VECTOR_TEST, handler=on_iopl_3

SNIPPET "STI in ring 3 without IOPL", "SDM vol. 2, STI", RING_3
	I	mov	$1, %ebx
	sti
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP1, vector=13, handler=on_error_skip1, q1="exceptions.gp", a1=1

SNIPPET "POPF of 16 bits leaves the upper flags", "SDM vol. 2, POPF"
	I	pushq	$0x240002 /* ID and AC */
	I	popfq
	I	pushw	$0x46
	I	popfw
	I	pushfq
	I	pop	%rax
	I	pushq	$2
	I	popfq
	I	and	$0x240cd5, %eax
FINISH result=0x240044

SNIPPET "POPF in ring 0 sets IF", "SDM vol. 2, POPF", RING_0
	I	pushq	$0x202
	I	popfq
	I	pushfq
	I	cli
	I	pop	%rax
	I	and	$0x300, %eax
FINISH result=0x200

SNIPPET "IRET goes on stepping", "SDM vol. 2, IRET"
	I	mov	%ss, %eax
	I	mov	%rsp, %rcx
	I	push	%rax
	I	push	%rcx
	I	pushfq
	I	mov	%cs, %eax
	I	push	%rax
	I	lea	1f(%rip), %rax
	I	push	%rax
	I	iretq
	ud2
1:	I	nop
	I	xor	%eax, %eax
FINISH q1="br.far", a1=1

SNIPPET "IRET to a bad selector faults where it is", "SDM vol. 2, IRET", RING_0
	I	mov	%ss, %eax
	I	mov	%rsp, %rcx
	I	push	%rax
	I	push	%rcx
	I	pushfq
	I	pushq	$0x58
	I	push	%rcx
	iretq
	I	mov	%rcx, %rsp
	I	mov	%ebx, %eax
FINISH result=0x58, more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1, q2="br.far", a2=1

SNIPPET "IRET to an address that is not canonical faults where it is", "SDM vol. 2, IRET", RING_0|TCG_DIFFERS
	I	mov	$1, %ebx
	I	mov	%ss, %eax
	I	mov	%rsp, %rcx
	I	push	%rax
	I	push	%rcx
	I	pushfq
	I	mov	%cs, %eax
	I	push	%rax
	I	movabs	$0x8000000000000000, %rax
	I	push	%rax
	iretq
	I	mov	%rcx, %rsp
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1

SNIPPET "IRET with NT faults", "SDM vol. 2, IRET"
	I	mov	$1, %ebx
	I	pushfq
	I	orl	$0x4000, (%rsp)
	I	popfq
	iretq
	I	pushfq
	I	andl	$~0x4000, (%rsp)
	I	popfq
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1

SNIPPET "IRET in ring 3 leaves IF and IOPL alone", "SDM vol. 2, IRET", RING_3
	I	mov	%ss, %eax
	I	mov	%rsp, %rcx
	I	push	%rax
	I	push	%rcx
	I	pushq	$0x3202
	I	mov	%cs, %eax
	I	push	%rax
	I	lea	1f(%rip), %rax
	I	push	%rax
	I	iretq
	ud2
1:	I	pushfq
	I	pop	%rax
	I	and	$0x3200, %eax
FINISH q1="br.far", a1=1

/* Address 8 is all that fits. */
SNIPPET "IRET of 32 bits", "SDM vol. 2, IRET", RING_0
	I	lea	1f(%rip), %r13
	I	mov	%rsp, %rcx
	I	mov	%ss, %eax
	I	sub	$20, %rsp
	I	movl	$8, (%rsp)
	I	mov	%cs, 4(%rsp)
	I	movl	$2, 8(%rsp)
	I	mov	%ecx, 12(%rsp)
	I	mov	%eax, 16(%rsp)
	I	iretl
	ud2
1:	I	mov	%rsp, %rax
	I	sub	%rcx, %rax
FINISH more=ON_ERROR_ELSEWHERE, vector=14, handler=on_error_elsewhere, q1="exceptions.pf", a1=1, q2="br.far", a2=2

SNIPPET "a far return goes on stepping", "SDM vol. 2, RET"
	I	mov	%cs, %eax
	I	push	%rax
	I	lea	1f(%rip), %rax
	I	push	%rax
	I	lretq
	ud2
1:	I	xor	%eax, %eax
FINISH q1="br.far", a1=1

/* --- software interrupts ------------------------------------------------------------------------------------------ */

SNIPPET "INT n and its handler", "SDM vol. 3, 6.12"
	I	int	$VECTOR_TEST
	I	nop
FINISH more=ON_RETURN, vector=VECTOR_TEST, handler=on_return, q1="interrupts.sw", a1=1, q2="br.far", a2=2, \
	q3="exceptions", a3=0

SNIPPET "INT n changes rings", "SDM vol. 3, 6.12.1", RING_3
	I	int	$VECTOR_TEST
FINISH more=ON_RETURN, vector=VECTOR_TEST, handler=on_return, q1="ring.to_kernel", a1=1, q2="ring.to_user", a2=1

SNIPPET "INT n through a gate of ring 0", "SDM vol. 3, 6.12.1.1", RING_3|TCG_DIFFERS
	int	$0x44
	I	mov	%ebx, %eax
FINISH result=0x44*8+2, more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1, q2="interrupts.sw", a2=0

SNIPPET "INT n through a gate that is absent", "SDM vol. 3, 6.12.1", RING_0|TCG_DIFFERS
	int	$STEP_NO_GATE
	I	mov	%ebx, %eax
FINISH result=STEP_NO_GATE*8+2, more=ON_ERROR_SKIP2, vector=11, handler=on_error_skip2, setup=SETUP_GATES

SNIPPET "INT3 through a gate of ring 0", "SDM vol. 3, 6.12.1.1", RING_3|TCG_DIFFERS
	int3
	I	mov	%ebx, %eax
FINISH result=3*8+2, more=ON_ERROR_SKIP1, vector=13, handler=on_error_skip1, setup=SETUP_GATES, q1="exceptions.gp", a1=1

SNIPPET "a handler's flags: IF and NT are clear", "SDM vol. 3, 6.12.1.2", RING_0
	I	pushq	$0x4202
	I	popfq
	I	int	$VECTOR_TEST
	I	pushq	$2
	I	popfq
	I	mov	%ebx, %eax
	I	and	$0x4300, %eax
FINISH more=ON_NOTE_FLAGS, vector=VECTOR_TEST, handler=on_note_flags

SNIPPET "a handler's stack is aligned", "SDM vol. 3, 6.14.2", RING_0
	I	mov	%rsp, %r12
	I	and	$-16, %rsp
	I	sub	$4, %rsp
	I	int	$VECTOR_TEST
	I	mov	%r12, %rsp
	I	mov	%ebx, %eax
	I	and	$15, %eax
FINISH result=8, more=ON_NOTE_STACK, vector=VECTOR_TEST, handler=on_note_stack

SNIPPET "a handler out of ring 3 has no SS", "SDM vol. 3, 6.14.4", RING_3
	I	mov	$1, %ebp
	I	int	$VECTOR_TEST
	I	mov	%ebp, %eax
FINISH more=ON_NOTE_STACK, vector=VECTOR_TEST, handler=on_note_stack, q1="ring.to_kernel", a1=1

SNIPPET "INT3", "SDM vol. 2, INT"
	I	int3
	I	xor	%eax, %eax
FINISH more=ON_RETURN, vector=3, handler=on_return, q1="interrupts.sw", a1=1

SNIPPET "INT1", "SDM vol. 2, INT", BOTH_RINGS|TCG_DIFFERS
	I	.byte	0xf1
	I	xor	%eax, %eax
FINISH more=ON_RETURN, vector=1, handler=on_return, q1="interrupts.sw", a1=1

SNIPPET "a handler sees where it came from", "SDM vol. 3, 6.12", RING_0
	I	int	$VECTOR_TEST
1:	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip

/* --- exceptions --------------------------------------------------------------------------------------------------- */

SNIPPET "a divide error does not retire", "SDM vol. 3, 6.15"
	I	xor	%ecx, %ecx
	div	%ecx
	I	nop
FINISH more=ON_SKIP2, vector=0, handler=on_skip2, q1="exceptions.de", a1=1, q2="insn.div", a2=0

SNIPPET "an invalid opcode", "SDM vol. 3, 6.15"
	ud2
	I	nop
FINISH more=ON_SKIP2, vector=6, handler=on_skip2, q1="exceptions.ud", a1=1

SNIPPET "a general-protection fault and its error code", "SDM vol. 3, 6.13"
	I	mov	$1, %ebx
	I	movabs	$0x8000000000000000, %rax
	mov	(%rax), %rcx
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=13, handler=on_error_skip3, q1="exceptions.gp", a1=1, q2="br.far", a2=1

SNIPPET "a stack fault off RBP and its error code", "SDM vol. 3, 6.15", BOTH_RINGS|TCG_DIFFERS
	I	mov	$1, %ebx
	I	mov	%rbp, %rcx
	I	movabs	$0x8000000000000000, %rbp
	mov	(%rbp), %eax
	I	mov	%rcx, %rbp
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=12, handler=on_error_skip3, q1="exceptions.ss", a1=1, q2="exceptions.gp", a2=0

SNIPPET "a privileged instruction in ring 3", "SDM vol. 3, 5.9", RING_3
	I	mov	$1, %ebx
	mov	%cr0, %rcx
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=13, handler=on_error_skip3, q1="exceptions.gp", a1=1, q2="ring.to_kernel", a2=1

SNIPPET "a page fault and its error code, ring 0", "SDM vol. 3, 4.7", RING_0
	mov	%rcx, (%rdx)
	I	mov	%ebx, %eax
FINISH result=2, more=ON_ERROR_SKIP3, vector=14, handler=on_error_skip3, q1="exceptions.pf", a1=1

SNIPPET "a page fault and its error code, ring 3", "SDM vol. 3, 4.7", RING_3
	mov	%rcx, (%rdx)
	I	mov	%ebx, %eax
FINISH result=6, more=ON_ERROR_SKIP3, vector=14, handler=on_error_skip3, q1="exceptions.pf", a1=1

/* --- string instructions -------------------------------------------------------------------------------------------- */

SNIPPET "REP with count 0", "SDM vol. 2, REP"
	I	xor	%ecx, %ecx
	I	rep stosb
FINISH q1="rep.iterations", a1=0, q2="stores", a2=0, q3="insn.string", a3=1

SNIPPET "REP with count 1", "SDM vol. 2, REP"
	I	mov	$1, %ecx
	I	rep stosb
	I	mov	%ecx, %eax
FINISH q1="rep.iterations", a1=1, q2="stores", a2=1, q3="insn.string", a3=1

SNIPPET "REP with count 100", "SDM vol. 2, REP"
	I	mov	$100, %ecx
	I	mov	%rdi, %rsi
	I	rep movsq
	I	mov	%ecx, %eax
FINISH q1="rep.iterations", a1=100, q2="loads", a2=100, q3="stores", a3=100

SNIPPET "REPNE SCAS that finds", "SDM vol. 2, REP"
	I	movb	$7, 5(%rdi)
	I	mov	$7, %eax
	I	mov	$100, %ecx
	I	repne scasb
	I	movb	$0, -1(%rdi)
	I	mov	%ecx, %eax
FINISH result=94, q1="rep.iterations", a1=6

SNIPPET "REPE CMPS that ends with its count", "SDM vol. 2, REP"
	I	mov	$9, %ecx
	I	lea	64(%rdi), %rsi
	I	repe cmpsb
	I	mov	%ecx, %eax
FINISH q1="rep.iterations", a1=9, q2="loads", a2=18

SNIPPET "REP with ECX", "SDM vol. 2, REP"
	I	movabs	$0x100000003, %rcx
	.byte	0x67
	I	rep stosb
	I	mov	%ecx, %eax
FINISH q1="rep.iterations", a1=3

SNIPPET "REP cut short by a page fault", "SDM vol. 2, REP"
	I	lea	-4(%rdx), %rdi
	I	mov	$8, %ecx
	I	xor	%eax, %eax
	I	rep stosb
	I	mov	%rdi, %rax
	I	sub	%rdx, %rax
FINISH more=ON_FAULT_END_REP, vector=14, handler=on_fault_end_rep, q1="rep.iterations", a1=4, q2="exceptions.pf", a2=1, \
	q3="insn.string", a3=1

/* --- code that changes ---------------------------------------------------------------------------------------------- */

SNIPPET "an instruction modified before it runs", "SDM vol. 3, 11.6", RING_0
	I	lea	1f(%rip), %rcx
	I	movb	$5, 1(%rcx,%rsi)
1:	I	mov	$0, %eax
FINISH result=5

/* NOP NOP and INC EAX take turns. */
SNIPPET "an instruction modified in a loop", "SDM vol. 3, 11.6", RING_0
	I	xor	%eax, %eax
	I	mov	$4, %edx
	I	lea	1f(%rip), %rcx
1:	I	nop
	I	nop
	I	xorw	$0x506f, (%rcx,%rsi)
	I	dec	%edx
	I	jnz	1b
FINISH result=2, more=(1+3)+(2+3)+(1+3), q1="insn.nop", a1=4

/* Eight prefixes, and in the ninth byte NOP and CLC take turns. */
SNIPPET "the ninth byte of an instruction modified in a loop", "SDM vol. 3, 11.6", RING_0
	I	mov	$4, %edx
	I	lea	1f(%rip), %rcx
1:	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90
	.set	counted, counted + 1
	I	xorb	$0x90^0xf8, 8(%rcx,%rsi)
	I	dec	%edx
	I	jnz	1b
	I	xor	%eax, %eax
FINISH more=3*4, q1="insn.nop", a1=2

/* So do they behind 14 prefixes, of which the first are on the page before. */
SNIPPET "the last byte of a long instruction across two pages", "SDM vol. 3, 11.6", RING_0
	I	mov	$4, %edx
	I	lea	1f(%rip), %rcx
1:	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90
	.set	counted, counted + 1
	I	xorb	$0x90^0xf8, 14(%rcx,%rsi)
	I	dec	%edx
	I	jnz	1b
	I	xor	%eax, %eax
FINISH more=3*4, q1="insn.nop", a1=2, offset=0x1000-14-14

SNIPPET "an instruction of 16 bytes", "SDM vol. 2, 2.3.11"
	I	mov	$1, %ebx
	.byte	0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP16, vector=13, handler=on_error_skip16, q1="exceptions.gp", a1=1

/* Two bytes are the way home in ring 3. */
SNIPPET "a loop at the end of the code's memory", "-"
	I	mov	$4, %eax
1:	I	nop
	I	dec	%eax
	I	jnz	1b
FINISH more=3*3, q1="insn.nop", a1=4, offset=0x2000-2-(10021b-10020b)

/* --- interrupts ----------------------------------------------------------------------------------------------------- */

SNIPPET "STI holds interrupts back for one instruction", "SDM vol. 2, STI", RING_0
	I	sti
	I	nop
1:	I	nop
	I	cli
	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "STI with IF set holds nothing back", "SDM vol. 2, STI", RING_0
	I	sti
	I	sti
1:	I	sti
	I	cli
	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "MOV SS holds interrupts back", "SDM vol. 2, MOV", RING_0|TCG_DIFFERS
	I	mov	%ss, %eax
	I	sti
	I	mov	%eax, %ss
	I	nop
1:	I	nop
	I	cli
	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "MOV SS from register and memory counts", "SDM vol. 2, MOV"
	I	mov	%ss, %eax
	I	mov	%ax, (%rdi)
	I	mov	%eax, %ss
	I	mov	(%rdi), %ss
	I	mov	%ss, %ecx
	I	sub	%ecx, %eax
FINISH q1="stores", a1=1, q2="loads", a2=1

SNIPPET "MOV SS of a segment that is absent", "SDM vol. 2, MOV", RING_3
	I	mov	$SELECTOR_ABSENT|3, %eax
	mov	%eax, %ss
	I	mov	%ebx, %eax
FINISH result=SELECTOR_ABSENT, more=ON_ERROR_SKIP2, vector=12, handler=on_error_skip2, q1="exceptions.ss", a1=1

SNIPPET "MOV SS of a bad selector", "SDM vol. 2, MOV", RING_0
	I	mov	$0x58, %eax
	mov	%eax, %ss
	I	mov	%ebx, %eax
FINISH result=0x58, more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1

SNIPPET "CLI holds interrupts back", "SDM vol. 2, CLI", RING_0
	I	nop
	I	nop
	I	mov	%ebx, %eax
FINISH vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=0

SNIPPET "POPF lets an interrupt in at once", "SDM vol. 2, POPF", RING_0
	I	pushq	$0x202
	I	popfq
1:	I	cli
	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "the APIC timer in a loop", "SDM vol. 3, 6.8.1", RING_0
	I	mov	$20000, %ecx
	I	sti
1:	I	dec	%ecx
	I	jnz	1b
	I	cli
	I	mov	%r12, %rax
FINISH result=1, more=2*19999+ON_COUNT, vector=VECTOR_TIMER, handler=on_count, setup=SETUP_TIMER, q1="interrupts.hw", a1=1

SNIPPET "the APIC timer in a REP", "SDM vol. 2, REP", RING_0
	I	mov	$10, %r13d
	I	xor	%eax, %eax
	I	sti
1:	I	lea	-4096(%rdx), %rdi
	I	mov	$4096, %ecx
	I	rep stosb
	I	dec	%r13d
	I	jnz	1b
	I	cli
	I	mov	%r12, %rax
FINISH result=1, more=9*5+ON_COUNT, vector=VECTOR_TIMER, handler=on_count, setup=SETUP_TIMER, q1="rep.iterations", a1=40960, \
	q2="stores", a2=40960, q3="interrupts.hw", a3=1

SNIPPET "HLT waits for the APIC timer", "SDM vol. 2, HLT", RING_0
	I	sti
	I	hlt
1:	I	cli
	I	lea	1b(%rip), %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TIMER, handler=on_note_rip, setup=SETUP_TIMER, q1="interrupts.hw", a1=1, \
	q2="insn.hlt", a2=1

/* --- system calls --------------------------------------------------------------------------------------------------- */

SNIPPET "SYSCALL and SYSRET hide the trap flag", "SDM vol. 2, SYSCALL", RING_3
	I	syscall
	I	mov	%r11, %rax
	I	and	$0x100, %eax
FINISH more=ON_SYSCALL, setup=SETUP_SYSCALL, q1="ring.to_kernel", a1=1, q2="ring.to_user", a2=1, q3="br.far", a3=2

SNIPPET "SYSCALL masks flags, SYSRET puts them back", "SDM vol. 2, SYSCALL", RING_3
	I	std
	I	syscall
	I	pushfq
	I	pop	%rax
	I	cld
	I	and	$0x400, %eax
	I	and	$0x400, %ebx
	I	shl	$8, %ebx
	I	or	%ebx, %eax
FINISH result=0x400, more=ON_SYSCALL, setup=SETUP_SYSCALL

SNIPPET "SYSENTER clears IF, which SYSEXIT leaves", "SDM vol. 2, SYSENTER", RING_3
	I	int	$VECTOR_TEST
	I	lea	1f(%rip), %rdx
	I	mov	%rsp, %rcx
	I	sti
	I	sysenter
1:	I	pushfq
	I	pop	%rax
	I	cli
	I	and	$0x3200, %eax
FINISH result=0x3000, more=ON_IOPL_3+ON_SYSENTER, vector=VECTOR_TEST, handler=on_iopl_3, setup=SETUP_SYSENTER

SNIPPET "SYSENTER and SYSEXIT", "SDM vol. 2, SYSENTER", RING_3
	I	lea	1f(%rip), %rdx
	I	mov	%rsp, %rcx
	I	sysenter
1:	I	mov	%rsp, %rax
	I	sub	%rcx, %rax
FINISH more=ON_SYSENTER, setup=SETUP_SYSENTER, q1="ring.to_kernel", a1=1, q2="ring.to_user", a2=1

/* --- overflow interrupts of the virtual PMU: no markers count here, the place of the interrupt does ---------------------- */

	.macro	COUNTED_NOPS
	mov	$0x38f, %ecx
	xor	%edx, %edx
	mov	$1, %eax
	wrmsr
	.rept	5
	nop
	.endr
1:	.rept	5
	nop
	.endr
	xor	%eax, %eax
	wrmsr
	.endm

SNIPPET "an overflow interrupt comes after the fifth instruction", "SDM vol. 3, 10.5.1", RING_0
	sti
	COUNTED_NOPS
	cli
	lea	1b(%rip), %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow interrupt waits for IF", "SDM vol. 3, 6.8.1", RING_0
	COUNTED_NOPS
	sti
	nop
1:	cli
	lea	1b(%rip), %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow interrupt waits for the shadow of MOV SS", "SDM vol. 2, MOV", RING_0
	mov	%ss, %r8d
	sti
	mov	$0x38f, %ecx
	xor	%edx, %edx
	mov	$1, %eax
	wrmsr
	.rept	4
	nop
	.endr
	mov	%r8d, %ss
	nop
1:	nop
	cli
	xor	%eax, %eax
	wrmsr
	lea	1b(%rip), %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow NMI does not wait for IF", "SDM vol. 3, 6.7", RING_0
	COUNTED_NOPS
	lea	1b(%rip), %rax
	sub	%rbx, %rax
FINISH vector=2, handler=on_note_rip, setup=SETUP_PMI_NMI

SNIPPET "a masked overflow interrupt is lost", "SDM vol. 3, 10.5.1", RING_0
	sti
	COUNTED_NOPS
	cli
	mov	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI_MASKED

	.pushsection .data.rel.step_snippets, "aw", @progbits
	.globl	step_snippets_end
	.hidden	step_snippets_end
step_snippets_end:
	.popsection

	.section .note.GNU-stack, "", @progbits
