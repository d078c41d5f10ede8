/*
 * What a second CPU executes (second_cpu.h). It has no registers to keep, and comes back to no caller.
 */
#include "arch/x86/word.h"

#define STATE_RESTS 1
#define STATE_WORKS 2
#define WANTED_WORK 1
#define WANTED_LEAVE 2
#define WANTED_ACCESS 3
#define WANTED_COUNT 4
#define DONE 1
#define REFUSED 2
#define STARTED 3

	.text
	.globl	second_cpu_begin
	.hidden	second_cpu_begin
	.type	second_cpu_begin, @function
second_cpu_begin:
	lidt	AT(second_cpu_idt_pointer)
/* An NMI comes back to here, so none that comes between the look and the HLT is missed. */
again:
	cmpl	$0, AT(second_cpu_wanted)
	jne	1f
	movl	$STATE_RESTS, AT(second_cpu_state)
	hlt
	jmp	again
1:	mov	AT(second_cpu_wanted), %eax
	cmp	$WANTED_LEAVE, %eax
	je	processor_rest
	cmp	$WANTED_ACCESS, %eax
	je	access
	cmp	$WANTED_COUNT, %eax
	je	count
	movl	$STATE_WORKS, AT(second_cpu_state)
	mov	AT(second_cpu_line), %rax
2:	mov	%ecx, (%rax)
	inc	%ecx
	mov	4(%rax), %edx
	imul	%ecx, %edx
	test	$0xff, %cl
	jnz	3f
	pause				/* an emulator that runs one processor at a time goes on to the next one */
3:	cmpl	$WANTED_WORK, AT(second_cpu_wanted)
	je	2b
	jmp	again

/* One access of an MSR. */
access:
	mov	AT(second_cpu_start), %ecx
	cmpl	$0, AT(second_cpu_writes)
	je	1f
	mov	AT(second_cpu_start+8), %eax
	mov	AT(second_cpu_start+12), %edx
	wrmsr
	jmp	done
1:	rdmsr
	mov	%eax, AT(second_cpu_start+8)
	mov	%edx, AT(second_cpu_start+12)
	jmp	done

/* A loop between two writes of MSRs: second_cpu_turns[] has what it consists of. */
count:
	mov	AT(second_cpu_loop), %rsi
	lea	AT(landing), %rdi
	lea	AT(second_cpu_counts_on), %rbx
	xor	%ebp, %ebp		/* turns */
#ifndef __i386__
	mov	%ss, %r8d
	mov	%cs, %r9d
	mov	%rsp, %r10
#endif
	mov	AT(second_cpu_start), %ecx
	mov	AT(second_cpu_start+8), %eax
	mov	AT(second_cpu_start+12), %edx
	movl	$STATE_WORKS, AT(second_cpu_state)
	wrmsr
	movl	$STARTED, AT(second_cpu_answer)
	jmp	*%rsi

	.globl	second_cpu_plain, second_cpu_far
	.hidden	second_cpu_plain, second_cpu_far
second_cpu_plain:
	mov	(%rbx), %eax
	imul	%ebp, %eax
	mov	%eax, 4(%rbx)
	inc	%rbp
	cmpl	$WANTED_COUNT, AT(second_cpu_wanted)
	je	second_cpu_plain
	jmp	counted
second_cpu_far:
#ifdef __i386__
	pushf
	push	%cs
#else
	push	%r8
	push	%r10
	pushfq
	push	%r9
#endif
	push	%rdi
	iretq
landing:
	inc	%rbp
	cmpl	$WANTED_COUNT, AT(second_cpu_wanted)
	je	second_cpu_far
counted:
	mov	AT(second_cpu_stop), %ecx
	mov	AT(second_cpu_stop+8), %eax
	mov	AT(second_cpu_stop+12), %edx
	wrmsr
	mov	%rbp, AT(second_cpu_counts_on+8)
done:
	movl	$0, AT(second_cpu_wanted)
	movl	$DONE, AT(second_cpu_answer)
	jmp	again
	.size	second_cpu_begin, . - second_cpu_begin

	.globl	second_cpu_woken
	.hidden	second_cpu_woken
	.type	second_cpu_woken, @function
second_cpu_woken:
	lea	AT(again), %rax
	mov	%rax, (%rsp)
	iretq
	.size	second_cpu_woken, . - second_cpu_woken

/* #GP: the access is refused. */
	.globl	second_cpu_refused
	.hidden	second_cpu_refused
	.type	second_cpu_refused, @function
second_cpu_refused:
	add	$WORD, %rsp
	movl	$0, AT(second_cpu_wanted)
	movl	$REFUSED, AT(second_cpu_answer)
	jmp	second_cpu_woken
	.size	second_cpu_refused, . - second_cpu_refused

/* Each in a line of its own. */
	.bss
	.balign 64
	.globl	second_cpu_wanted, second_cpu_line, second_cpu_state, second_cpu_start, second_cpu_stop
	.globl	second_cpu_writes, second_cpu_loop, second_cpu_answer, second_cpu_counts_on
	.hidden	second_cpu_wanted, second_cpu_line, second_cpu_state, second_cpu_start, second_cpu_stop
	.hidden	second_cpu_writes, second_cpu_loop, second_cpu_answer, second_cpu_counts_on
second_cpu_wanted:
	.skip 8
second_cpu_line:
	.skip 8
second_cpu_start:			/* number, value */
	.skip 16
second_cpu_stop:
	.skip 16
second_cpu_loop:
	.skip 8
second_cpu_writes:
	.skip 8
second_cpu_state:
	.skip 8
second_cpu_answer:
	.skip 56
second_cpu_counts_on:			/* what the loops load and store; turns */
	.skip 64

	.section .note.GNU-stack, "", @progbits
