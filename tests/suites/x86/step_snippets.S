/*
 * Snippets for the suite `step`: instructions, flags, strings, code that changes.
 */
#include "tests/suites/x86/step_snippet.h"

	TABLE	step_snippets

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
	I	movl	$0x12345678, 256(%rdi)
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
	I	pop	%rdx
	I	cli
	I	and	$0x3200, %eax
	I	and	$0x3200, %ecx
	I	and	$0x3200, %edx
	I	shl	$9, %eax
	I	or	%ecx, %eax
	I	shr	$9, %edx
	I	or	%edx, %eax
FINISH result=0x3200<<9|0x3000|0x3200>>9, more=ON_IOPL_3, vector=VECTOR_TEST, handler=on_iopl_3

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
	PUSH_STACK
	I	pushfq
	I	mov	%cs, %eax
	I	push	%rax
	WHERE	1f, %rax
	I	push	%rax
	I	iretq
	ud2
1:	I	nop
	I	xor	%eax, %eax
FINISH q1="br.far", a1=1

SNIPPET "IRET to a bad selector faults where it is", "SDM vol. 2, IRET", RING_0
	PUSH_STACK
	I	pushfq
	I	pushq	$0x58
	I	push	%rcx
	iretq
	I	mov	%rcx, %rsp
	I	mov	%ebx, %eax
FINISH result=0x58, more=ON_ERROR_SKIP_IRET, vector=13, handler=on_error_skip_iret, q1="exceptions.gp", a1=1, q2="br.far", a2=1

#ifndef __i386__
SNIPPET "IRET to an address that is not canonical faults where it is", "SDM vol. 2, IRET", RING_0|TCG_DIFFERS
	I	mov	$1, %ebx
	PUSH_STACK
	I	pushfq
	I	mov	%cs, %eax
	I	push	%rax
	I	movabs	$0x8000000000000000, %rax
	I	push	%rax
	iretq
	I	mov	%rcx, %rsp
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1
#endif

/* In 32-bit mode it is a return to the task before, and there is none. */
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
FINISH more=ON_ERROR_SKIP_IRET, vector=NT_FAULT, handler=on_error_skip_iret, q1="exceptions", a1=1

SNIPPET "IRET in ring 3 leaves IF and IOPL alone", "SDM vol. 2, IRET", RING_3
	PUSH_STACK
	I	pushq	$0x3202
	I	mov	%cs, %eax
	I	push	%rax
	WHERE	1f, %rax
	I	push	%rax
	I	iretq
	ud2
1:	I	pushfq
	I	pop	%rax
	I	and	$0x3200, %eax
FINISH q1="br.far", a1=1

#ifndef __i386__
/* Address 8 is all that fits. */
SNIPPET "IRET of 32 bits", "SDM vol. 2, IRET", RING_0
	WHERE	1f, %r13
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
#endif

SNIPPET "a far return goes on stepping", "SDM vol. 2, RET"
	I	mov	%cs, %eax
	I	push	%rax
	WHERE	1f, %rax
	I	push	%rax
	I	lretq
	ud2
1:	I	xor	%eax, %eax
FINISH q1="br.far", a1=1

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
	I	rep movsl
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

#ifndef __i386__
SNIPPET "REP with ECX", "SDM vol. 2, REP"
	I	movabs	$0x100000003, %rcx
	.byte	0x67
	I	rep stosb
	I	mov	%ecx, %eax
FINISH q1="rep.iterations", a1=3
#endif

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
	WHERE	1f, %rcx
	I	movb	$5, 1(%rcx,%rsi)
1:	I	mov	$0, %eax
FINISH result=5

/* NOP NOP and INC EAX take turns. */
SNIPPET "an instruction modified in a loop", "SDM vol. 3, 11.6", RING_0
	I	xor	%eax, %eax
	I	mov	$4, %edx
	WHERE	1f, %rcx
1:	I	nop
	I	nop
	I	xorw	$0x506f, (%rcx,%rsi)
	I	dec	%edx
	I	jnz	1b
FINISH result=2, more=(1+3)+(2+3)+(1+3), q1="insn.nop", a1=4

/* Eight prefixes, and in the ninth byte NOP and CLC take turns. */
SNIPPET "the ninth byte of an instruction modified in a loop", "SDM vol. 3, 11.6", RING_0
	I	mov	$4, %edx
	WHERE	1f, %rcx
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
	WHERE	1f, %rcx
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

	.pushsection .data.rel.step_snippets, "aw", @progbits
	.globl	step_snippets_end
	.hidden	step_snippets_end
step_snippets_end:
	.popsection

	.section .note.GNU-stack, "", @progbits
