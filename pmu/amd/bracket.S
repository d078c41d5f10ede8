/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (APM vol. 2, 7.6.4), so the writes need no fence. RDPMC is none: LFENCE on both sides of
 * it keeps it in place where LFENCE is dispatch serialising (APM vol. 3, LFENCE; before Zen DE_CFG bit 1 decides), and where
 * it is not, the small window that stays shows as noise.
 *
 * Counted inside the window are the instructions between the write that enables and the write that disables, neither of which
 * counts itself; for RDPMC, everything from the first RDPMC up to and without the second.
 */
	.macro LABEL name
	.globl \name
\name:
	.endm

	.text

/* PerfMonV2: all counters at once. R12, R13: low and high half of PerfCntrGlobalCtl. */
LABEL amd_global_start
	mov	$0xc0000301, %ecx
	mov	%r12d, %eax
	mov	%r13d, %edx
	wrmsr
LABEL amd_global_start_end

LABEL amd_global_stop
	mov	$0xc0000301, %ecx	/* counted: 3 */
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
LABEL amd_global_stop_end

/* Before that: one counter by its own enable. R12: address of its selector; R13, R14: the selector's low half with EN and
 * without; R15: its high half. */
LABEL amd_single_start
	mov	%r12d, %ecx
	mov	%r13d, %eax
	mov	%r15d, %edx
	wrmsr
LABEL amd_single_start_end

LABEL amd_single_stop
	mov	%r12d, %ecx		/* counted: 3 */
	mov	%r14d, %eax
	mov	%r15d, %edx
	wrmsr
LABEL amd_single_stop_end

/* Bits of one register, whatever else is in it. R12: its address; R13, R14: the bits in its low and its high half. */
LABEL amd_bits_start
	mov	%r12d, %ecx
	rdmsr
	or	%r13d, %eax
	or	%r14d, %edx
	wrmsr
LABEL amd_bits_start_end

LABEL amd_bits_stop
	mov	%r12d, %ecx		/* counted: 6 */
	rdmsr
	or	%r13d, %eax
	xor	%r13d, %eax
	or	%r14d, %edx
	xor	%r14d, %edx
	wrmsr
LABEL amd_bits_stop_end

/* Difference of a running counter. R12: RDPMC index; R13: mask of the counter's width. R14, R15 hold the first reading. */
LABEL amd_rdpmc_start
	lfence
	mov	%r12d, %ecx
	rdpmc				/* counted from here: 4 */
	lfence
	mov	%rax, %r14
	mov	%rdx, %r15
LABEL amd_rdpmc_start_end

LABEL amd_rdpmc_stop
	mov	%r12d, %ecx		/* counted: 2 */
	lfence
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, %r15
	or	%r15, %r14
	sub	%r14, %rax
	and	%r13, %rax
LABEL amd_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
