/*
 * Code around a kernel that starts and stops counting. It is copied, so it refers to nothing but registers.
 *
 * WRMSR is a serialising instruction (APM vol. 2, 7.6.4), so the writes need no fence. Counted inside the window are the
 * instructions between the write that enables and the write that disables, neither of which counts itself.
 */
#include "arch/x86/bracket_registers.h"
#include "pmu/contract/bracket_code.h"

	.text

/* PerfMonV2: all counters at once. ARG0, ARG1: low and high half of PerfCntrGlobalCtl. */
LABEL amd_global_start
	mov	$0xc0000301, %ecx
	mov	ARG0_32, %eax
	mov	ARG1_32, %edx
	wrmsr
LABEL amd_global_start_end

LABEL amd_global_stop
	mov	$0xc0000301, %ecx	/* counted: 3 */
	xor	%eax, %eax
	xor	%edx, %edx
	wrmsr
LABEL amd_global_stop_end

/* Before that: one counter by its own enable. ARG0: address of its selector; ARG1, ARG2: the selector's low half with EN and
 * without; ARG3: its high half. */
LABEL amd_single_start
	mov	ARG0_32, %ecx
	mov	ARG1_32, %eax
	mov	ARG3_32, %edx
	wrmsr
LABEL amd_single_start_end

LABEL amd_single_stop
	mov	ARG0_32, %ecx		/* counted: 3 */
	mov	ARG2_32, %eax
	mov	ARG3_32, %edx
	wrmsr
LABEL amd_single_stop_end

/* Bits of one register, whatever else is in it. ARG0: its address; ARG1, ARG2: the bits in its low and its high half. */
LABEL amd_bits_start
	mov	ARG0_32, %ecx
	rdmsr
	or	ARG1_32, %eax
	or	ARG2_32, %edx
	wrmsr
LABEL amd_bits_start_end

LABEL amd_bits_stop
	mov	ARG0_32, %ecx		/* counted: 6 */
	rdmsr
	or	ARG1_32, %eax
	xor	ARG1_32, %eax
	or	ARG2_32, %edx
	xor	ARG2_32, %edx
	wrmsr
LABEL amd_bits_stop_end

	.section .note.GNU-stack, "", @progbits
