/*
 * What a companion executes (companion.h). It has no registers to keep and no stack to return on.
 */
#define STATE_RESTS 1
#define STATE_WORKS 2

	.text
	.globl	companion_begin
	.hidden	companion_begin
	.type	companion_begin, @function
companion_begin:
	lidt	companion_idt_pointer(%rip)
/* An NMI comes back to here, so none that comes between the look and the HLT is missed. */
again:
	cmpl	$0, companion_wanted(%rip)
	jne	1f
	movl	$STATE_RESTS, companion_state(%rip)
	hlt
	jmp	again
1:	movl	$STATE_WORKS, companion_state(%rip)
	mov	companion_line(%rip), %rax
2:	mov	%ecx, (%rax)
	inc	%ecx
	mov	4(%rax), %edx
	imul	%ecx, %edx
	test	$0xff, %cl
	jnz	3f
	pause				/* an emulator that runs one processor at a time goes on to the next one */
3:	cmpl	$0, companion_wanted(%rip)
	jne	2b
	jmp	again
	.size	companion_begin, . - companion_begin

	.globl	companion_woken
	.hidden	companion_woken
	.type	companion_woken, @function
companion_woken:
	lea	again(%rip), %rax
	mov	%rax, (%rsp)
	iretq
	.size	companion_woken, . - companion_woken

/* Each in a line of its own. */
	.bss
	.balign 64
	.globl	companion_wanted, companion_line, companion_state
	.hidden	companion_wanted, companion_line, companion_state
companion_wanted:
	.skip 8
companion_line:
	.skip 56
companion_state:
	.skip 64

	.section .note.GNU-stack, "", @progbits
