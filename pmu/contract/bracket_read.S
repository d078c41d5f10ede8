/*
 * Code around a kernel that reads a running counter before and after, on every CPU with RDPMC. It is copied, so it refers to
 * nothing but registers.
 *
 * RDPMC serialises nothing and may move past its neighbours; LFENCE on both sides keeps it in place, as SDM vol. 2 (RDPMC)
 * advises. On AMD's it does where LFENCE is dispatch serialising (APM vol. 3, LFENCE; before Zen DE_CFG bit 1 decides), and where
 * it is not, the small window that stays shows as noise.
 *
 * Counted is everything from the first RDPMC up to and without the second. Both halves are alike around their RDPMC, so that
 * whatever it lets pass or adds, it does twice.
 *
 * R12: RDPMC index; R13: mask of the counter's width. R14, R15 hold the first reading; RAX gets the difference.
 */
#include "pmu/contract/bracket_code.h"

	.text

LABEL bracket_rdpmc_start
	mov	%r12d, %ecx
	lfence
	rdpmc				/* counted from here: 4 */
	lfence
	mov	%rax, %r14
	mov	%rdx, %r15
LABEL bracket_rdpmc_start_end

LABEL bracket_rdpmc_stop
	mov	%r12d, %ecx		/* counted: 2 */
	lfence
	rdpmc
	lfence
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, %r15
	or	%r15, %r14
	sub	%r14, %rax
	and	%r13, %rax
LABEL bracket_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
