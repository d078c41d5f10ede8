/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (SDM 8.3): everything before it has completed before it takes effect, nothing after it has
 * begun, so the writes need no fence of their own. Counted inside the window are the instructions between the write that enables
 * and the write that disables, neither of which counts itself.
 */
#include "pmu/contract/bracket_code.h"

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

	.section .note.GNU-stack, "", @progbits
