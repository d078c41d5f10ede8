/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (SDM 8.3): everything before it has completed before it takes effect, nothing after it has
 * begun, so the writes need no fence of their own. Counted inside the window are the instructions between the write that enables
 * and the write that disables, neither of which counts itself.
 */
#include "arch/x86/bracket_registers.h"
#include "pmu/contract/bracket_code.h"

	.text

/* Version 2 and later: all counters at once. ARG0, ARG1: low and high half of IA32_PERF_GLOBAL_CTRL. */
LABEL intel_global_start
	mov	$0x38f, %ecx
	mov	ARG0_32, %eax
	mov	ARG1_32, %edx
	wrmsr
LABEL intel_global_start_end

LABEL intel_global_stop
	mov	$0x38f, %ecx		/* counted: 3 */
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_global_stop_end

/* Version 1: one counter by its own enable bit. ARG0: address of IA32_PERFEVTSELx; ARG1, ARG2: its value with EN and without. */
LABEL intel_single_start
	mov	ARG0_32, %ecx
	mov	ARG1_32, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_single_start_end

LABEL intel_single_stop
	mov	ARG0_32, %ecx		/* counted: 3 */
	mov	ARG2_32, %eax
	xor	%edx, %edx
	wrmsr
LABEL intel_single_stop_end

	.section .note.GNU-stack, "", @progbits
