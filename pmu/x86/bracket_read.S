/*
 * Code around a kernel that reads a running counter before and after, on every CPU with RDPMC. It is copied, so it
 * refers to nothing but registers.
 *
 * RDPMC serialises nothing and may move past its neighbours; LFENCE on both sides keeps it in place, as SDM vol. 2
 * (RDPMC) advises. On AMD's it does where LFENCE is dispatch serialising (APM vol. 3, LFENCE; before Zen DE_CFG
 * bit 1 decides), and where it is not, the small window that stays shows as noise.
 *
 * Counted is everything from the first RDPMC up to and without the second. Both halves are alike around their
 * RDPMC, so that whatever it lets pass or adds, it does twice.
 *
 * ARG0: RDPMC index; ARG1: mask of the counter's width. ARG2, ARG3 hold the first reading; RAX gets the
 * difference, EDX and EAX without 64-bit mode.
 */
#include "arch/x86/bracket_registers.h"
#include "pmu/contract/bracket_code.h"

	.text

LABEL bracket_rdpmc_start
	mov	ARG0_32, %ecx
	lfence
	rdpmc				/* counted from here: 4 */
	lfence
#ifdef __i386__
	mov	%eax, ARG2_32
	mov	%edx, ARG3_32
#else
	mov	%rax, ARG2
	mov	%rdx, ARG3
#endif
LABEL bracket_rdpmc_start_end

LABEL bracket_rdpmc_stop
	mov	ARG0_32, %ecx		/* counted: 2 */
	lfence
	rdpmc
	lfence
#ifdef __i386__
	sub	ARG2_32, %eax
	sbb	ARG3_32, %edx
	and	ARG1_32, %eax
	and	ARG1_HIGH, %edx
#else
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, ARG3
	or	ARG3, ARG2
	sub	ARG2, %rax
	and	ARG1, %rax
#endif
LABEL bracket_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
