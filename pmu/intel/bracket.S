/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (SDM 8.3): everything before it has completed before it takes effect, nothing after it has
 * begun, so the writes need no fence of their own. RDPMC is none and may move past its neighbours; LFENCE on both sides of it
 * keeps it in place, as SDM vol. 2 (RDPMC) advises.
 *
 * Counted inside the window are the instructions between the write that enables and the write that disables, neither of which
 * counts itself; for RDPMC, everything from the first RDPMC up to and without the second.
 */
	.macro LABEL name
	.globl \name
\name:
	.endm

	.text

/* Version 2 and later: all counters at once. R12, R13: low and high half of IA32_PERF_GLOBAL_CTRL. */
LABEL intel_global_start
	mov	$0x38f, %ecx
	mov	%r12d, %eax
	mov	%r13d, %edx
	wrmsr
LABEL intel_global_start_end

LABEL intel_global_stop
	mov	$0x38f, %ecx		/* counted: 3 */
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_global_stop_end

/* Version 1: one counter by its own enable bit. R12: address of IA32_PERFEVTSELx; R13, R14: its value with EN and without. */
LABEL intel_single_start
	mov	%r12d, %ecx
	mov	%r13d, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_single_start_end

LABEL intel_single_stop
	mov	%r12d, %ecx		/* counted: 3 */
	mov	%r14d, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_single_stop_end

/* Difference of a running counter. R12: RDPMC index; R13: mask of the counter's width. R14, R15 hold the first reading. */
LABEL intel_rdpmc_start
	lfence
	mov	%r12d, %ecx
	rdpmc				/* counted from here: 4 */
	lfence
	mov	%rax, %r14
	mov	%rdx, %r15
LABEL intel_rdpmc_start_end

LABEL intel_rdpmc_stop
	mov	%r12d, %ecx		/* counted: 2 */
	lfence
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, %r15
	or	%r15, %r14
	sub	%r14, %rax
	and	%r13, %rax
LABEL intel_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
