/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (APM vol. 2, 7.6.4), so the writes need no fence. Counted inside the window are the
 * instructions between the write that enables and the write that disables, neither of which counts itself.
 */
#include "pmu/contract/bracket_code.h"

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

	.section .note.GNU-stack, "", @progbits
