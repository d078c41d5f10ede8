/*
 * Code around a kernel that writes one MSR to start a counter and any MSR to stop it. It is copied, so it refers to nothing but
 * registers. WRMSR serialises, so neither write needs a fence.
 *
 * ARG0: the MSR that starts; ARG1: its value; ARG2: the MSR that stops; ARG3: its value.
 */
#include "arch/x86/bracket_registers.h"
#include "pmu/contract/bracket_code.h"

/* The upper half of an argument to EDX. */
#ifdef __i386__
#define HIGH(argument) mov argument##_HIGH, %edx
#else
#define HIGH(argument) mov argument, %rdx; shr $32, %rdx
#endif

	.text

LABEL bracket_switch_start
	mov	ARG0_32, %ecx
	mov	ARG1_32, %eax
	HIGH(ARG1)
	wrmsr
LABEL bracket_switch_start_end

LABEL bracket_switch_stop
	mov	ARG2_32, %ecx		/* counted: 4, without 64-bit mode 3 */
	mov	ARG3_32, %eax
	HIGH(ARG3)
	wrmsr
LABEL bracket_switch_stop_end

	.section .note.GNU-stack, "", @progbits
