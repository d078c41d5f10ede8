/*
 * For 32 bits: what a second CPU executes (second_cpu.h). It has no registers to keep, and comes back to no caller.
 */
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
	lidt	second_cpu_idt_pointer
/* An NMI comes back to here, so none that comes between the look and the HLT is missed. */
again:
	cmpl	$0, second_cpu_wanted
	jne	1f
	movl	$STATE_RESTS, second_cpu_state
	hlt
	jmp	again
1:	mov	second_cpu_wanted, %eax
	cmp	$WANTED_LEAVE, %eax
	je	processor_rest
	cmp	$WANTED_ACCESS, %eax
	je	access
	cmp	$WANTED_COUNT, %eax
	je	count
	movl	$STATE_WORKS, second_cpu_state
	mov	second_cpu_line, %eax
2:	mov	%ecx, (%eax)
	inc	%ecx
	mov	4(%eax), %edx
	imul	%ecx, %edx
	test	$0xff, %cl
	jnz	3f
	pause				/* an emulator that runs one processor at a time goes on to the next one */
3:	cmpl	$WANTED_WORK, second_cpu_wanted
	je	2b
	jmp	again

/* One access of an MSR. */
access:
	mov	second_cpu_start, %ecx
	cmpl	$0, second_cpu_writes
	je	1f
	mov	second_cpu_start+8, %eax
	mov	second_cpu_start+12, %edx
	wrmsr
	jmp	done
1:	rdmsr
	mov	%eax, second_cpu_start+8
	mov	%edx, second_cpu_start+12
	jmp	done

/* A loop between two writes of MSRs: second_cpu_turns[] has what it consists of. */
count:
	mov	second_cpu_loop, %esi
	mov	$landing, %edi
	mov	$second_cpu_counts_on, %ebx
	xor	%ebp, %ebp
	mov	second_cpu_start, %ecx
	mov	second_cpu_start+8, %eax
	mov	second_cpu_start+12, %edx
	movl	$STATE_WORKS, second_cpu_state
	wrmsr
	movl	$STARTED, second_cpu_answer
	jmp	*%esi

	.globl	second_cpu_plain, second_cpu_far
	.hidden	second_cpu_plain, second_cpu_far
second_cpu_plain:
	mov	(%ebx), %eax
	imul	%ebp, %eax
	mov	%eax, 4(%ebx)
	inc	%ebp
	cmpl	$WANTED_COUNT, second_cpu_wanted
	je	second_cpu_plain
	jmp	counted
second_cpu_far:
	pushf
	push	%cs
	push	%edi
	iret
landing:
	inc	%ebp
	cmpl	$WANTED_COUNT, second_cpu_wanted
	je	second_cpu_far
counted:
	mov	second_cpu_stop, %ecx
	mov	second_cpu_stop+8, %eax
	mov	second_cpu_stop+12, %edx
	wrmsr
	mov	%ebp, second_cpu_counts_on+8
	movl	$0, second_cpu_counts_on+12
done:
	movl	$0, second_cpu_wanted
	movl	$DONE, second_cpu_answer
	jmp	again
	.size	second_cpu_begin, . - second_cpu_begin

	.globl	second_cpu_woken
	.hidden	second_cpu_woken
	.type	second_cpu_woken, @function
second_cpu_woken:
	movl	$again, (%esp)
	iret
	.size	second_cpu_woken, . - second_cpu_woken

/* #GP: the access is refused. */
	.globl	second_cpu_refused
	.hidden	second_cpu_refused
	.type	second_cpu_refused, @function
second_cpu_refused:
	add	$4, %esp
	movl	$0, second_cpu_wanted
	movl	$REFUSED, second_cpu_answer
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
