/*
 * What a second CPU executes (second_cpu.h). It has no registers to keep and no stack to return on.
 */
#define STATE_RESTS 1
#define STATE_WORKS 2
#define WANTED_WORK 1
#define WANTED_LEAVE 2

	.text
	.globl	second_cpu_begin
	.hidden	second_cpu_begin
	.type	second_cpu_begin, @function
second_cpu_begin:
	lidt	second_cpu_idt_pointer(%rip)
/* An NMI comes back to here, so none that comes between the look and the HLT is missed. */
again:
	cmpl	$0, second_cpu_wanted(%rip)
	jne	1f
	movl	$STATE_RESTS, second_cpu_state(%rip)
	hlt
	jmp	again
1:	cmpl	$WANTED_LEAVE, second_cpu_wanted(%rip)
	je	processor_rest
	movl	$STATE_WORKS, second_cpu_state(%rip)
	mov	second_cpu_line(%rip), %rax
2:	mov	%ecx, (%rax)
	inc	%ecx
	mov	4(%rax), %edx
	imul	%ecx, %edx
	test	$0xff, %cl
	jnz	3f
	pause				/* an emulator that runs one processor at a time goes on to the next one */
3:	cmpl	$WANTED_WORK, second_cpu_wanted(%rip)
	je	2b
	jmp	again
	.size	second_cpu_begin, . - second_cpu_begin

	.globl	second_cpu_woken
	.hidden	second_cpu_woken
	.type	second_cpu_woken, @function
second_cpu_woken:
	lea	again(%rip), %rax
	mov	%rax, (%rsp)
	iretq
	.size	second_cpu_woken, . - second_cpu_woken

/* Each in a line of its own. */
	.bss
	.balign 64
	.globl	second_cpu_wanted, second_cpu_line, second_cpu_state
	.hidden	second_cpu_wanted, second_cpu_line, second_cpu_state
second_cpu_wanted:
	.skip 8
second_cpu_line:
	.skip 56
second_cpu_state:
	.skip 64

	.section .note.GNU-stack, "", @progbits
