/*
 * The way into the step monitor and out of it.
 *
 * While stepping, the real IDT's gates lead here, on the stack of IST_MONITOR: the frame therefore always lies at the same
 * place. NMIs may hit the monitor itself; they have a stack of their own and only leave a mark.
 */
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/frame_registers.h"
#include "arch/x86/step/step_gate.h"

/* struct trap_frame */
#define FRAME_R15    0x00
#define FRAME_R14    0x08
#define FRAME_R13    0x10
#define FRAME_R12    0x18
#define FRAME_R11    0x20
#define FRAME_R10    0x28
#define FRAME_R9     0x30
#define FRAME_R8     0x38
#define FRAME_RBP    0x40
#define FRAME_RDI    0x48
#define FRAME_RSI    0x50
#define FRAME_RDX    0x58
#define FRAME_RCX    0x60
#define FRAME_RBX    0x68
#define FRAME_RAX    0x70
#define FRAME_VECTOR 0x78
#define FRAME_RIP    0x88

	.text
	.globl	step_stubs
	.hidden	step_stubs
	.p2align 4
step_stubs:
	.set	vector, 0
	.rept	256
	/* SDM vol. 3, table 6-1; the only INT n that gets here is the call gate, which has no error code. */
	.if	!(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30)
	.if	vector != 1
	push	$0
	.endif
	.endif
	.if	vector != 1
	push	$vector
	.endif
	.if	vector == 1
	jmp	debug_entry
	.else
	jmp	monitor_entry
	.endif
	.set	vector, vector + 1
	.org	step_stubs + vector * TRAP_STUB_STRIDE, 0xcc
	.endr

	.type	monitor_entry, @function
monitor_entry:
	SAVE_REGISTERS
	call	step_trap
	jmp	monitor_exit
	.size	monitor_entry, . - monitor_entry

/*
 * After most instructions there is little to do: C keeps RBX, RBP and R12-R15 anyway, so they go into the frame only if
 * step_quick() finds that there is more to it.
 */
	.type	debug_entry, @function
debug_entry:
	sub	$FRAME_RIP, %rsp
	mov	%rax, FRAME_RAX(%rsp)
	mov	%rcx, FRAME_RCX(%rsp)
	mov	%rdx, FRAME_RDX(%rsp)
	mov	%rsi, FRAME_RSI(%rsp)
	mov	%rdi, FRAME_RDI(%rsp)
	mov	%r8, FRAME_R8(%rsp)
	mov	%r9, FRAME_R9(%rsp)
	mov	%r10, FRAME_R10(%rsp)
	mov	%r11, FRAME_R11(%rsp)
	cld
	mov	%rsp, %rdi
	call	step_quick
	test	%al, %al
	jz	1f
	mov	FRAME_RAX(%rsp), %rax
	mov	FRAME_RCX(%rsp), %rcx
	mov	FRAME_RDX(%rsp), %rdx
	mov	FRAME_RSI(%rsp), %rsi
	mov	FRAME_RDI(%rsp), %rdi
	mov	FRAME_R8(%rsp), %r8
	mov	FRAME_R9(%rsp), %r9
	mov	FRAME_R10(%rsp), %r10
	mov	FRAME_R11(%rsp), %r11
	add	$FRAME_RIP, %rsp
	iretq
1:	mov	%rbx, FRAME_RBX(%rsp)
	mov	%rbp, FRAME_RBP(%rsp)
	mov	%r12, FRAME_R12(%rsp)
	mov	%r13, FRAME_R13(%rsp)
	mov	%r14, FRAME_R14(%rsp)
	mov	%r15, FRAME_R15(%rsp)
	movq	$1, FRAME_VECTOR(%rsp)
	mov	%rsp, %rdi
	call	step_debug
monitor_exit:
	RESTORE_AND_RETURN
	.size	debug_entry, . - debug_entry

	.globl	step_nmi_entry
	.hidden	step_nmi_entry
	.type	step_nmi_entry, @function
step_nmi_entry:
	orb	$1, step_engine(%rip) /* attention.nmi: NMI_ARRIVED */
	iretq
	.size	step_nmi_entry, . - step_nmi_entry

/*
 * bool step_guarded_copy(void *to, const void *from, size_t size)
 * Copies with memory that may fault on either side; the monitor resumes at step_guard_fault if it does.
 */
	.globl	step_guarded_copy, step_guard_begin, step_guard_end, step_guard_fault
	.hidden	step_guarded_copy, step_guard_begin, step_guard_end, step_guard_fault
	.type	step_guarded_copy, @function
step_guarded_copy:
	mov	%rdx, %rcx
	shr	$3, %rcx
	and	$7, %edx
step_guard_begin:
	rep movsq
	mov	%edx, %ecx
	rep movsb
step_guard_end:
	mov	$1, %eax
	ret
step_guard_fault:
	xor	%eax, %eax
	ret
	.size	step_guarded_copy, . - step_guarded_copy

/* void step_gate(unsigned code): the call gate; the code is taken from EAX. */
	.globl	step_gate
	.hidden	step_gate
	.type	step_gate, @function
step_gate:
	mov	%edi, %eax
	int	$STEP_GATE
	ret
	.size	step_gate, . - step_gate

/* void step_run(void (*fn)(void *), void *arg): from the first gate to the second, everything is stepped. */
	.globl	step_run
	.hidden	step_run
	.type	step_run, @function
step_run:
	push	%rbx
	mov	%rdi, %rbx
	mov	$STEP_GATE_ENTER, %eax
	int	$STEP_GATE
	mov	%rsi, %rdi
	call	*%rbx
	mov	$STEP_GATE_LEAVE, %eax
	int	$STEP_GATE
	pop	%rbx
	ret
	.size	step_run, . - step_run

/* void step_bare_run(void (*fn)(void *), void *arg), and its #DB entry: the least that a trap-flag handler can do. */
	.globl	step_bare_run
	.hidden	step_bare_run
	.type	step_bare_run, @function
step_bare_run:
	mov	%rdi, %rax
	mov	%rsi, %rdi
	pushfq
	orl	$0x100, (%rsp)
	popfq
	call	*%rax
	pushfq
	andl	$~0x100, (%rsp)
	popfq
	ret
	.size	step_bare_run, . - step_bare_run

	.globl	step_bare_entry
	.hidden	step_bare_entry
	.type	step_bare_entry, @function
step_bare_entry:
	incq	step_bare_traps(%rip)
	iretq
	.size	step_bare_entry, . - step_bare_entry

	.section .note.GNU-stack, "", @progbits
