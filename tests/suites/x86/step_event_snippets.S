/*
 * Snippets for the suite `step`: software interrupts, exceptions, interrupts, system calls.
 */
#include "tests/suites/x86/step_snippet.h"

	TABLE	step_event_snippets

/* Its flags, to RBX; the stack is still the caller's. */
#define ON_SYSCALL 3
#ifndef __i386__
	.globl	step_on_syscall
	.hidden	step_on_syscall
step_on_syscall:
	pushfq
	pop	%rbx
	sysretq
#endif

#define ON_SYSENTER 1
	.globl	step_on_sysenter
	.hidden	step_on_sysenter
step_on_sysenter:
#ifdef __i386__
	sysexit
#else
	rex.w sysexit
#endif

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

#ifndef __i386__
SNIPPET "a handler's stack is aligned", "SDM vol. 3, 6.14.2", RING_0
	I	mov	%rsp, %r12
	I	and	$-16, %rsp
	I	sub	$4, %rsp
	I	int	$VECTOR_TEST
	I	mov	%r12, %rsp
	I	mov	%ebx, %eax
	I	and	$15, %eax
FINISH result=8, more=ON_NOTE_STACK, vector=VECTOR_TEST, handler=on_note_stack
#endif

#ifdef __i386__
SNIPPET "a handler out of ring 3 has its own SS", "SDM vol. 3, 6.12.1", RING_3
	I	int	$VECTOR_TEST
	I	mov	%ebp, %eax
FINISH result=SELECTOR_KERNEL_SS, more=ON_NOTE_STACK, vector=VECTOR_TEST, handler=on_note_stack, q1="ring.to_kernel", a1=1
#else
SNIPPET "a handler out of ring 3 has no SS", "SDM vol. 3, 6.14.4", RING_3
	I	int	$VECTOR_TEST
	I	mov	%ebp, %eax
FINISH more=ON_NOTE_STACK, vector=VECTOR_TEST, handler=on_note_stack, q1="ring.to_kernel", a1=1
#endif

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
1:	WHERE	1b, %rax
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

#ifndef __i386__
SNIPPET "a general-protection fault and its error code", "SDM vol. 3, 6.13"
	I	mov	$1, %ebx
	I	movabs	$0x8000000000000000, %rax
	mov	(%rax), %rcx
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=13, handler=on_error_skip3, q1="exceptions.gp", a1=1, q2="br.far", a2=1
#endif

#ifndef __i386__
SNIPPET "a stack fault off RBP and its error code", "SDM vol. 3, 6.15", BOTH_RINGS|TCG_DIFFERS
	I	mov	$1, %ebx
	I	mov	%rbp, %rcx
	I	movabs	$0x8000000000000000, %rbp
	mov	(%rbp), %eax
	I	mov	%rcx, %rbp
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=12, handler=on_error_skip3, q1="exceptions.ss", a1=1, q2="exceptions.gp", a2=0
#endif

SNIPPET "a privileged instruction in ring 3", "SDM vol. 3, 5.9", RING_3
	I	mov	$1, %ebx
	mov	%cr0, %rcx
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP3, vector=13, handler=on_error_skip3, q1="exceptions.gp", a1=1, q2="ring.to_kernel", a2=1

SNIPPET "a page fault and its error code, ring 0", "SDM vol. 3, 4.7", RING_0
	mov	%ecx, 4(%rdx)
	I	mov	%ebx, %eax
FINISH result=2, more=ON_ERROR_SKIP3, vector=14, handler=on_error_skip3, q1="exceptions.pf", a1=1

SNIPPET "a page fault and its error code, ring 3", "SDM vol. 3, 4.7", RING_3
	mov	%ecx, 4(%rdx)
	I	mov	%ebx, %eax
FINISH result=6, more=ON_ERROR_SKIP3, vector=14, handler=on_error_skip3, q1="exceptions.pf", a1=1

/* --- interrupts ----------------------------------------------------------------------------------------------------- */

SNIPPET "STI holds interrupts back for one instruction", "SDM vol. 2, STI", RING_0
	I	sti
	I	nop
1:	I	nop
	I	cli
	WHERE	1b, %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "STI with IF set holds nothing back", "SDM vol. 2, STI", RING_0
	I	sti
	I	sti
1:	I	sti
	I	cli
	WHERE	1b, %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "STI holds interrupts back for one iteration of a REP", "SDM vol. 2, STI and REP", RING_0|TCG_DIFFERS
	I	lea	-64(%rdx), %rdi
	I	mov	$8, %ecx
	I	xor	%eax, %eax
	I	sti
1:	I	rep stosb
	I	cli
	WHERE	1b, %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1, \
	q2="rep.iterations", a2=8, q3="stores", a3=8

SNIPPET "MOV SS holds interrupts back", "SDM vol. 2, MOV", RING_0|TCG_DIFFERS
	I	mov	%ss, %eax
	I	sti
	I	mov	%eax, %ss
	I	nop
1:	I	nop
	I	cli
	WHERE	1b, %rax
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

SNIPPET "MOV SS of a null selector of another level", "SDM vol. 2, MOV", RING_0|TCG_DIFFERS
	I	mov	$1, %ebx
	I	mov	$3, %eax
	mov	%eax, %ss
	I	mov	%ebx, %eax
FINISH more=ON_ERROR_SKIP2, vector=13, handler=on_error_skip2, q1="exceptions.gp", a1=1

#ifndef __i386__
SNIPPET "MOV SS of a null selector of ring 0", "SDM vol. 2, MOV", RING_0
	I	mov	%ss, %ecx
	I	xor	%eax, %eax
	I	mov	%eax, %ss
	I	mov	%ss, %eax
	I	mov	%ecx, %ss
FINISH q1="exceptions.gp", a1=0
#endif

SNIPPET "CLI holds interrupts back", "SDM vol. 2, CLI", RING_0
	I	nop
	I	nop
	I	mov	%ebx, %eax
FINISH vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=0

SNIPPET "POPF lets an interrupt in at once", "SDM vol. 2, POPF", RING_0
	I	pushq	$0x202
	I	popfq
1:	I	cli
	WHERE	1b, %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TEST, handler=on_note_rip, setup=SETUP_IPI, q1="interrupts.hw", a1=1

SNIPPET "the APIC timer in a loop", "SDM vol. 3, 6.8.1", RING_0
	I	mov	$20000, %ecx
	I	sti
1:	I	dec	%ecx
	I	jnz	1b
	I	cli
	I	mov	%ebx, %eax
FINISH result=1, more=2*19999+ON_COUNT, vector=VECTOR_TIMER, handler=on_count, setup=SETUP_TIMER, q1="interrupts.hw", a1=1

SNIPPET "the APIC timer in a REP", "SDM vol. 2, REP", RING_0
	I	mov	$10, %esi
	I	xor	%eax, %eax
	I	sti
1:	I	lea	-4096(%rdx), %rdi
	I	mov	$4096, %ecx
	I	rep stosb
	I	dec	%esi
	I	jnz	1b
	I	cli
	I	mov	%ebx, %eax
FINISH result=1, more=9*5+ON_COUNT, vector=VECTOR_TIMER, handler=on_count, setup=SETUP_TIMER, q1="rep.iterations", a1=40960, \
	q2="stores", a2=40960, q3="interrupts.hw", a3=1

SNIPPET "HLT waits for the APIC timer", "SDM vol. 2, HLT", RING_0
	I	sti
	I	hlt
1:	I	cli
	WHERE	1b, %rax
	I	sub	%rbx, %rax
FINISH more=ON_NOTE_RIP, vector=VECTOR_TIMER, handler=on_note_rip, setup=SETUP_TIMER, q1="interrupts.hw", a1=1, \
	q2="insn.hlt", a2=1

/* --- system calls --------------------------------------------------------------------------------------------------- */

#ifndef __i386__
SNIPPET "SYSCALL and SYSRET hide the trap flag", "SDM vol. 2, SYSCALL", RING_3
	I	syscall
	I	mov	%r11, %rax
	I	and	$0x100, %eax
FINISH more=ON_SYSCALL, setup=SETUP_SYSCALL, q1="ring.to_kernel", a1=1, q2="ring.to_user", a2=1, q3="br.far", a3=2
#endif

#ifndef __i386__
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
#endif

SNIPPET "SYSENTER clears IF, which SYSEXIT leaves", "SDM vol. 2, SYSENTER", RING_3
	I	int	$VECTOR_TEST
	WHERE	1f, %rdx
	I	mov	%rsp, %rcx
	I	sti
	I	sysenter
1:	I	pushfq
	I	pop	%rax
	I	cli
	I	and	$0x3200, %eax
FINISH result=0x3000, more=ON_IOPL_3+ON_SYSENTER, vector=VECTOR_TEST, handler=on_iopl_3, setup=SETUP_SYSENTER

SNIPPET "SYSENTER and SYSEXIT", "SDM vol. 2, SYSENTER", RING_3
	WHERE	1f, %rdx
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
	WHERE	1b, %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow interrupt waits for IF", "SDM vol. 3, 6.8.1", RING_0
	COUNTED_NOPS
	sti
	nop
1:	cli
	WHERE	1b, %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow interrupt waits for the shadow of MOV SS", "SDM vol. 2, MOV", RING_0
	mov	%ss, %esi
	sti
	mov	$0x38f, %ecx
	xor	%edx, %edx
	mov	$1, %eax
	wrmsr
	.rept	4
	nop
	.endr
	mov	%esi, %ss
	nop
1:	nop
	cli
	xor	%eax, %eax
	wrmsr
	WHERE	1b, %rax
	sub	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI

SNIPPET "an overflow NMI does not wait for IF", "SDM vol. 3, 6.7", RING_0
	COUNTED_NOPS
	WHERE	1b, %rax
	sub	%rbx, %rax
FINISH vector=2, handler=on_note_rip, setup=SETUP_PMI_NMI

SNIPPET "a masked overflow interrupt is lost", "SDM vol. 3, 10.5.1", RING_0
	sti
	COUNTED_NOPS
	cli
	mov	%rbx, %rax
FINISH vector=VECTOR_PMI, handler=on_note_rip, setup=SETUP_PMI_MASKED

	.pushsection .data.rel.step_snippets, "aw", @progbits
	.globl	step_event_snippets_end
	.hidden	step_event_snippets_end
step_event_snippets_end:
	.popsection

	.section .note.GNU-stack, "", @progbits
