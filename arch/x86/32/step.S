/*
 * The way into the step monitor and out of it, for 32 bits.
 *
 * While stepping, the real IDT's gates lead here. There are no stacks of gates' own: what the CPU pushes lies
 * below the stack pointer of the stepped code, where nothing of it can be, or where ESP0 of the TSS says. From
 * there it goes to the monitor's stack at once, so that the frame always lies at the same place. NMIs may hit the
 * monitor itself; they only leave a mark.
 */
#include "arch/x86/32/frame.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/step_gate.h"

#define STEPPED_ESP FRAME_R15 /* in the frame that is not yet filled: where EAX lies, and above it what the CPU pushed */

	.text
	.globl	step_stubs
	.hidden	step_stubs
	.p2align 4
step_stubs:
	.set	vector, 0
	.rept	256
	/* SDM vol. 3, table 6-1; the only INT n that gets here is the call gate, which has no error code. */
	.if	vector == 1
	jmp	debug_entry
	.else
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30)
	push	$0
	.endif
	push	$vector
	jmp	monitor_entry
	.endif
	.set	vector, vector + 1
	.org	step_stubs + vector * TRAP_STUB_STRIDE, 0xcc
	.endr

	.type	monitor_entry, @function
monitor_entry:
	push	%eax
	push	%ecx
	mov	%esp, %ecx
	mov	tss + TSS_MONITOR_STACK, %esp
	sub	$FRAME_SIZE, %esp
	FRAME_FILL
	sub	$12, %esp
	push	%ebx
	call	step_trap
	mov	%ebx, %esp
	jmp	trap_return
	.size	monitor_entry, . - monitor_entry

/* After most instructions there is little to do: the frame is filled only if step_quick() finds that there is more
 * to it. */
	.type	debug_entry, @function
debug_entry:
	push	%eax
	mov	tss + TSS_MONITOR_STACK, %eax
	sub	$FRAME_SIZE, %eax
	mov	%ecx, FRAME_RCX(%eax)
	mov	%edx, FRAME_RDX(%eax)
	mov	4(%esp), %ecx
	mov	%ecx, FRAME_RIP(%eax)
	movl	$0, FRAME_RIP + 4(%eax)	/* trap_return uses it */
	mov	%esp, STEPPED_ESP(%eax)
	cld
	lea	-12(%eax), %esp
	push	%eax
	call	step_quick
	add	$16, %esp
	mov	FRAME_RCX(%esp), %ecx
	mov	FRAME_RDX(%esp), %edx
	mov	STEPPED_ESP(%esp), %esp
	test	%al, %al
	pop	%eax
	jz	1f
	iret
1:	push	$0
	push	$1
	push	%eax
	push	%ecx
	mov	%esp, %ecx
	mov	tss + TSS_MONITOR_STACK, %esp
	sub	$FRAME_SIZE, %esp
	FRAME_FILL
	sub	$12, %esp
	push	%ebx
	call	step_debug
	mov	%ebx, %esp
	jmp	trap_return
	.size	debug_entry, . - debug_entry

	.globl	step_nmi_entry
	.hidden	step_nmi_entry
	.type	step_nmi_entry, @function
step_nmi_entry:
	orb	$1, step_engine /* attention.nmi: NMI_ARRIVED */
	iret
	.size	step_nmi_entry, . - step_nmi_entry

/*
 * bool step_guarded_copy(void *to, const void *from, uint64_t size)
 * Copies with memory that may fault on either side; the monitor resumes at step_guard_fault if it does.
 */
	.globl	step_guarded_copy, step_guard_begin, step_guard_end, step_guard_fault
	.hidden	step_guarded_copy, step_guard_begin, step_guard_end, step_guard_fault
	.type	step_guarded_copy, @function
step_guarded_copy:
	push	%esi
	push	%edi
	mov	12(%esp), %edi
	mov	16(%esp), %esi
	mov	20(%esp), %edx
	mov	%edx, %ecx
	shr	$2, %ecx
	and	$3, %edx
step_guard_begin:
	rep movsl
	mov	%edx, %ecx
	rep movsb
step_guard_end:
	mov	$1, %eax
	jmp	1f
step_guard_fault:
	xor	%eax, %eax
1:	pop	%edi
	pop	%esi
	ret
	.size	step_guarded_copy, . - step_guarded_copy

/* void step_gate(unsigned code): the call gate; the code is taken from EAX. */
	.globl	step_gate
	.hidden	step_gate
	.type	step_gate, @function
step_gate:
	mov	4(%esp), %eax
	int	$STEP_GATE
	ret
	.size	step_gate, . - step_gate

/* void step_run(void (*fn)(void *), void *arg): from the first gate to the second, everything is stepped. */
	.globl	step_run
	.hidden	step_run
	.type	step_run, @function
step_run:
	push	%ebx
	push	%esi
	mov	12(%esp), %ebx
	mov	16(%esp), %esi
	mov	$STEP_GATE_ENTER, %eax
	int	$STEP_GATE
	push	%esi		/* which aligns the stack, too */
	call	*%ebx
	pop	%esi
	mov	$STEP_GATE_LEAVE, %eax
	int	$STEP_GATE
	pop	%esi
	pop	%ebx
	ret
	.size	step_run, . - step_run

/* void step_bare_run(void (*fn)(void *), void *arg), and its #DB entry: the least that a trap-flag handler can do. */
	.globl	step_bare_run
	.hidden	step_bare_run
	.type	step_bare_run, @function
step_bare_run:
	mov	4(%esp), %eax
	mov	8(%esp), %edx
	sub	$8, %esp
	push	%edx
	pushf
	orl	$0x100, (%esp)
	popf
	call	*%eax
	pushf
	andl	$~0x100, (%esp)
	popf
	add	$12, %esp
	ret
	.size	step_bare_run, . - step_bare_run

	.globl	step_bare_entry
	.hidden	step_bare_entry
	.type	step_bare_entry, @function
step_bare_entry:
	addl	$1, step_bare_traps
	adcl	$0, step_bare_traps + 4
	iret
	.size	step_bare_entry, . - step_bare_entry

	.section .note.GNU-stack, "", @progbits
