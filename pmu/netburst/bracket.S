/*
 * Code around a kernel that starts and stops one counter. It is copied, so it refers to nothing but registers.
 *
 * There is no global enable, and OVF lies in the register that holds ENABLE: a CCCR must be read and written back, and
 * an overflow in between would be lost. So the rings of the ESCR start and stop the window, and ENABLE is changed
 * outside of it. WRMSR serialises (SDM 8.3); RDPMC does not, LFENCE on both sides keeps it in place.
 */
	.macro LABEL name
	.globl \name
\name:
	.endm

	.text

/* R12: address of the CCCR, of which ENABLE is bit 12. R13: address of the ESCR; R14, R15: its value with rings and
 * without. */
LABEL netburst_start
	mov	%r12d, %ecx
	rdmsr
	bts	$12, %eax
	wrmsr
	mov	%r13d, %ecx
	mov	%r14d, %eax
	xor	%edx, %edx
	wrmsr
LABEL netburst_start_end

LABEL netburst_stop
	mov	%r13d, %ecx		/* counted: 3 */
	mov	%r15d, %eax
	xor	%edx, %edx
	wrmsr
	mov	%r12d, %ecx
	rdmsr
	btr	$12, %eax
	wrmsr
LABEL netburst_stop_end

/* Difference of a running counter. R12: RDPMC index; R13: mask of its width. R14, R15 hold the first reading. */
LABEL netburst_rdpmc_start
	lfence
	mov	%r12d, %ecx
	rdpmc				/* counted from here: 4 */
	lfence
	mov	%rax, %r14
	mov	%rdx, %r15
LABEL netburst_rdpmc_start_end

LABEL netburst_rdpmc_stop
	mov	%r12d, %ecx		/* counted: 2 */
	lfence
	rdpmc
	shl	$32, %rdx
	or	%rdx, %rax
	shl	$32, %r15
	or	%r15, %r14
	sub	%r14, %rax
	and	%r13, %rax
LABEL netburst_rdpmc_stop_end

	.section .note.GNU-stack, "", @progbits
