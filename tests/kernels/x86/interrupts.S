/*
 * Software interrupts, faults, system calls and timer interrupts, from ring 0 and from ring 3. The handlers' instructions count.
 *
 * Their loops begin at their end, so that N may be 0: then there is all but what interrupts.
 */
#include "tests/kernels/x86/kernel.h"

/* A loop of N turns around what lies between label 1 and label \end, which is entered at its end. */
.macro LOOP_CLOSE end
\end:	dec %rdi
	jns 1b
.endm
#define LOOP_FIXED (1 + 2) /* the JMP to the end, and a DEC and JNS more than there are turns */

/* The branches of a loop with \far far branches per turn: they, the JMP to its end, and the closing JNS. */
.macro SIG_FAR_LOOP far
	SIG BRANCHES, \far + 1, 1 + 1
	SIG BR_JMP_DIRECT, 0, 1
	SIG BR_FAR, \far, 0
	SIG BR_COND, 1, 1
	SIG BR_COND_TAKEN, 1, 0
	SIG BR_COND_NTAKEN, 0, 1
.endm

.macro SIG_RINGS crossings
	SIG RING_TO_KERNEL, \crossings, 0
	SIG RING_TO_USER, \crossings, 0
.endm

/* What IRET takes from the stack, once a turn, and \loads of \bytes together that come before it all. */
.macro SIG_IRET crossings, loads=0, bytes=0
	SIG INSN_LOAD, 1, \loads
	.if	\crossings
	SIG LOADS, 5, \loads
	SIG LOAD_BYTES, 5*WORD, \bytes
	.else
	SIG LOADS, IRET_WORDS, \loads
	SIG LOAD_BYTES, IRET_WORDS*WORD, \bytes
	.endif
.endm

.macro INT_KERNEL insn, operand, ring, flag, crossings
KERNEL \insn\()_\ring, "N times a software interrupt (\insn) to a handler that returns at once, from \ring", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_TEST_INT|\flag
	jmp 2f
1:	\insn \operand
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 1 + KERNEL_TEST_INT_INSTRUCTIONS + 2, LOOP_FIXED
SIG INTERRUPTS_SW, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG_IRET \crossings
SIG_FAR_LOOP 2
SIG_RINGS \crossings
SIG_INTEGER_ONLY
SIGNATURE_END
.endm

INT_KERNEL int, $KERNEL_VECTOR, ring0, KERNEL_PRIVILEGED, 0
INT_KERNEL int, $KERNEL_VECTOR, ring3, KERNEL_USER_ONLY, 1
INT_KERNEL int3, , ring0, KERNEL_PRIVILEGED, 0
INT_KERNEL int3, , ring3, KERNEL_USER_ONLY, 1
INT_KERNEL int1, , ring0, KERNEL_PRIVILEGED, 0
INT_KERNEL int1, , ring3, KERNEL_USER_ONLY, 1

#ifndef __i386__
KERNEL syscall, "N times SYSCALL to a handler that returns at once", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_SYSCALL|KERNEL_USER_ONLY
	jmp 2f
1:	syscall
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 1 + KERNEL_SYSCALL_INSTRUCTIONS + 2, LOOP_FIXED
SIG_FAR_LOOP 2
SIG_RINGS 1
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL sysenter, "N times SYSENTER to a handler that returns at once", needs=KERNEL_NEEDS_SEP, flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_SYSENTER|KERNEL_USER_ONLY
	lea NEAR(2f), %rdx
	mov %rsp, %rcx
	jmp 2f
1:	sysenter
	int3
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 1 + KERNEL_SYSCALL_INSTRUCTIONS + 2, 2 + LOOP_FIXED
SIG_FAR_LOOP 2
SIG_RINGS 1
SIG_INTEGER_ONLY
SIGNATURE_END

/*
 * Halted until the APIC timer, which is started anew in each turn, interrupts. STI holds the interrupt off until HLT has begun.
 */
#define TIMER_INITIAL	     0x380
#define X2APIC_TIMER_INITIAL 0x838

KERNEL hlt_xapic, "N times HLT until the APIC timer interrupts, in xAPIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_XAPIC|KERNEL_PRIVILEGED
	mov KERNEL_PARAM_APIC(%rsi), %r10
	mov KERNEL_PARAM_TICKS(%rsi), %rcx
	xor %eax, %eax
	jmp 2f
1:	mov %ecx, TIMER_INITIAL(%r10)
	sti
	hlt
	cli
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 4 + KERNEL_XAPIC_INSTRUCTIONS + 2, 3 + LOOP_FIXED
SIG INSN_HLT, 1, 0
SIG INTERRUPTS_HW, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG INSN_STORE, 1 + 1, 0
SIG STORES, 1 + 1, 0
SIG STORE_BYTES, 4 + 4, 0
SIG_IRET 0, 2, 2*WORD
SIG_FAR_LOOP 1
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__ /* no CPU without 64-bit mode has x2APIC mode */
KERNEL hlt_x2apic, "N times HLT until the APIC timer interrupts, in x2APIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_X2APIC|KERNEL_PRIVILEGED
	mov KERNEL_PARAM_TICKS(%rsi), %r10
	jmp 2f
1:	mov $X2APIC_TIMER_INITIAL, %ecx
	mov %r10, %rax
	xor %edx, %edx
	wrmsr
	sti
	hlt
	cli
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 7 + KERNEL_X2APIC_INSTRUCTIONS + 2, 1 + LOOP_FIXED
SIG INSN_HLT, 1, 0
SIG INTERRUPTS_HW, 1, 0
SIG INSN_SERIALIZING, 1 + 1 + 1, 0
SIG INSN_WRMSR, 2, 0
SIG_IRET 0, 1, WORD
SIG_FAR_LOOP 1
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

/*
 * MWAIT with an interrupt pending: whether it waits at all is up to the CPU, but it cannot wait for long. STI holds the interrupt off until
 * MWAIT has begun. MONITOR names an address, and accesses nothing.
 */
#define ICR_LOW	      0x300
#define X2APIC_ICR    0x830
#define ICR_TEST_SELF (0x44000|KERNEL_VECTOR)

KERNEL mwait_xapic, "N times MONITOR and MWAIT with an interrupt pending, in xAPIC mode", needs=KERNEL_NEEDS_MONITOR, flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_XAPIC|KERNEL_PRIVILEGED
	mov KERNEL_PARAM_APIC(%rsi), %r10
	xor %ecx, %ecx
	xor %edx, %edx
	jmp 2f
1:	movl $ICR_TEST_SELF, ICR_LOW(%r10)
	mov %rsi, %rax
	monitor
	xor %eax, %eax
	sti
	mwait
	cli
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 7 + KERNEL_XAPIC_INSTRUCTIONS + 2, 3 + LOOP_FIXED
SIG INTERRUPTS_HW, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG INSN_STORE, 1 + 1, 0
SIG STORES, 1 + 1, 0
SIG STORE_BYTES, 4 + 4, 0
SIG_IRET 0, 1, WORD
SIG_FAR_LOOP 1
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL mwait_x2apic, "N times MONITOR and MWAIT with an interrupt pending, in x2APIC mode", needs=KERNEL_NEEDS_MONITOR, flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_X2APIC|KERNEL_PRIVILEGED
	jmp 2f
1:	mov $X2APIC_ICR, %ecx
	mov $ICR_TEST_SELF, %eax
	xor %edx, %edx
	wrmsr
	mov %rsi, %rax
	xor %ecx, %ecx
	monitor
	xor %eax, %eax
	sti
	mwait
	cli
LOOP_CLOSE 2
KERNEL_END
SIG INSTRUCTIONS, 11 + KERNEL_X2APIC_INSTRUCTIONS + 2, LOOP_FIXED
SIG INTERRUPTS_HW, 1, 0
SIG INSN_SERIALIZING, 1 + 1 + 1, 0
SIG INSN_WRMSR, 2, 0
SIG_IRET 0
SIG_FAR_LOOP 1
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

/*
 * An NMI that the CPU sends itself through the interrupt command register. It may take a while to arrive, for which the inner loop
 * waits. The shorthand for "self" is for fixed interrupts only, so the destination is the APIC's own ID.
 */
#define APIC_ID_REGISTER 0x20
#define ICR_HIGH	 0x310
#define X2APIC_ID	 0x802
#define ICR_NMI		 0x4400
#define NMI_WAIT	 64

/* The branches of a loop with \far far branches per turn and NMI_WAIT turns of an inner one. */
.macro SIG_WAITING_LOOP far
	SIG BRANCHES, NMI_WAIT + \far + 1, 1 + 1
	SIG BR_JMP_DIRECT, 0, 1
	SIG BR_FAR, \far, 0
	SIG BR_COND, NMI_WAIT + 1, 1
	SIG BR_COND_TAKEN, NMI_WAIT, 0
	SIG BR_COND_NTAKEN, 1, 1
.endm

.macro SIG_NMI own, fixed
	SIG INSTRUCTIONS, \own + 1 + 3*NMI_WAIT + KERNEL_TEST_INT_INSTRUCTIONS + 2, \fixed + LOOP_FIXED
	SIG INSN_PAUSE, NMI_WAIT, 0
	SIG INTERRUPTS_NMI, 1, 0
	SIG_WAITING_LOOP 1
	SIG_INTEGER_ONLY
.endm

KERNEL nmi_xapic, "N times an NMI to itself, in xAPIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_NMI|KERNEL_SERVICE_XAPIC|KERNEL_PRIVILEGED
	mov KERNEL_PARAM_APIC(%rsi), %r10
	mov APIC_ID_REGISTER(%r10), %eax
	mov %eax, ICR_HIGH(%r10)
	jmp 3f
1:	movl $ICR_NMI, ICR_LOW(%r10)
	mov $NMI_WAIT, %ecx
2:	pause
	dec %ecx
	jnz 2b
LOOP_CLOSE 3
KERNEL_END
SIG_NMI 1, 3
SIG INSN_SERIALIZING, 1, 0
SIG INSN_STORE, 1, 1
SIG STORES, 1, 1
SIG STORE_BYTES, 4, 4
SIG_IRET 0, 2, WORD + 4
SIGNATURE_END

#ifndef __i386__
KERNEL nmi_x2apic, "N times an NMI to itself, in x2APIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_NMI|KERNEL_SERVICE_X2APIC|KERNEL_PRIVILEGED
	mov $X2APIC_ID, %ecx
	rdmsr
	mov %eax, %r10d
	jmp 3f
1:	mov $X2APIC_ICR, %ecx
	mov $ICR_NMI, %eax
	mov %r10d, %edx
	wrmsr
	mov $NMI_WAIT, %ecx
2:	pause
	dec %ecx
	jnz 2b
LOOP_CLOSE 3
KERNEL_END
SIG_NMI 4, 3
SIG INSN_SERIALIZING, 1 + 1, 0
SIG INSN_WRMSR, 1, 0
SIG_IRET 0
SIGNATURE_END
#endif

/* An interrupt that is requested while IF is 0, and taken behind STI and the instruction that it holds interrupts off for. */
.macro SIG_HELD own, fixed
	SIG INSTRUCTIONS, \own + 1 + 3*NMI_WAIT + 3 + 2, \fixed + LOOP_FIXED
	SIG INSN_PAUSE, NMI_WAIT, 0
	SIG INTERRUPTS_HW, 1, 0
	SIG INSN_NOP, 1, 0
	SIG_WAITING_LOOP 1
	SIG_INTEGER_ONLY
	SIG_RANGE INTERRUPTS_HELD, 1, 0, 1, 0, "once a turn: it is requested long before STI"
.endm

.macro WAIT_HELD
	mov $NMI_WAIT, %r8d
2:	pause
	dec %r8d
	jnz 2b
	sti
	nop
	cli
.endm

#ifndef __i386__ /* it takes two registers that are one there */
KERNEL held_xapic, "N times an interrupt that waits for STI, in xAPIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_XAPIC|KERNEL_PRIVILEGED
	mov KERNEL_PARAM_APIC(%rsi), %r10
	jmp 3f
1:	movl $ICR_TEST_SELF, ICR_LOW(%r10)
	WAIT_HELD
LOOP_CLOSE 3
KERNEL_END
SIG_HELD 1 + KERNEL_XAPIC_INSTRUCTIONS, 1
SIG INSN_SERIALIZING, 1, 0
SIG INSN_STORE, 1 + 1, 0
SIG STORES, 1 + 1, 0
SIG STORE_BYTES, 4 + 4, 0
SIG_IRET 0, 1, WORD
SIGNATURE_END

KERNEL held_x2apic, "N times an interrupt that waits for STI, in x2APIC mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_X2APIC|KERNEL_PRIVILEGED
	jmp 3f
1:	mov $X2APIC_ICR, %ecx
	mov $ICR_TEST_SELF, %eax
	xor %edx, %edx
	wrmsr
	WAIT_HELD
LOOP_CLOSE 3
KERNEL_END
SIG_HELD 4 + KERNEL_X2APIC_INSTRUCTIONS, 0
SIG INSN_SERIALIZING, 1 + 1 + 1, 0
SIG INSN_WRMSR, 2, 0
SIG_IRET 0
SIGNATURE_END
#endif

/*
 * An interrupt that meets code in ring 3: SYSCALL has the local APIC request it, and returns with interrupts enabled. The inner
 * loop waits for it, with a counter that no handler changes.
 */
.macro IPI_KERNEL name, mode, service, apic, request, acknowledge
KERNEL \name, "N times an interrupt in ring 3, \mode", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_SYSCALL|\service|\apic|KERNEL_USER_ONLY
	mov KERNEL_PARAM_APIC(%rsi), %r10
	jmp 3f
1:	xor %eax, %eax
	syscall
	mov $NMI_WAIT, %r8d
2:	pause
	dec %r8d
	jnz 2b
LOOP_CLOSE 3
KERNEL_END
SIG INSTRUCTIONS, 2 + \request + \acknowledge + 1 + 3*NMI_WAIT + 2, 1 + LOOP_FIXED
SIG INSN_PAUSE, NMI_WAIT, 0
SIG INTERRUPTS_HW, 1, 0
SIG_WAITING_LOOP 3
SIG_IRET 1, 1, WORD
SIG_RINGS 2
SIG_INTEGER_ONLY
.endm

#ifndef __i386__
IPI_KERNEL ipi_xapic, "in xAPIC mode", KERNEL_SERVICE_IPI_XAPIC, KERNEL_SERVICE_XAPIC, KERNEL_IPI_XAPIC_INSTRUCTIONS, KERNEL_XAPIC_INSTRUCTIONS
SIG INSN_SERIALIZING, 1, 0
SIG_STORES 2, 4
SIGNATURE_END

IPI_KERNEL ipi_x2apic, "in x2APIC mode", KERNEL_SERVICE_IPI_X2APIC, KERNEL_SERVICE_X2APIC, KERNEL_IPI_X2APIC_INSTRUCTIONS, KERNEL_X2APIC_INSTRUCTIONS
SIG INSN_SERIALIZING, 1 + 2, 0
SIG INSN_WRMSR, 2, 0
SIGNATURE_END
#endif

/*
 * One fault per turn, at the instruction that is \fault; the handler goes on behind it. What faults does not retire.
 * The handler stores the return address, and IRETQ takes five values from the stack. \loads of 4 bytes come before it all.
 */
.macro SIG_FAULT vector, handler, own, fixed, crossings, loads=0
	SIG INSTRUCTIONS, \own + \handler + 2, \fixed + LOOP_FIXED
	SIG EXCEPTIONS, 1, 0
	SIG EXC_\vector, 1, 0
	SIG INSN_SERIALIZING, 1, 0
	SIG_IRET \crossings, \loads, 4*(\loads)
	SIG_STORES 1, WORD
	SIG_FAR_LOOP 1
	SIG_RINGS \crossings
.endm

#define MXCSR_RESET 0x1f80
#define MXCSR_ZM    0x200 /* divide by zero masked */

.macro FAULT_KERNELS ring, flag, crossings
KERNEL fault_ud_\ring, "N times an invalid opcode in \ring", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|\flag
	lea NEAR(2f), %r9
	jmp 2f
1:	ud2
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT UD, KERNEL_RESUME_INSTRUCTIONS, 0, 1, \crossings
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL fault_de_\ring, "N times a division by zero in \ring: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|\flag
	lea NEAR(2f), %r9
	xor %ecx, %ecx
	mov $1, %eax
	xor %edx, %edx
	jmp 2f
1:	div %ecx
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT DE, KERNEL_RESUME_INSTRUCTIONS, 0, 4, \crossings
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__ /* where there are such addresses */
KERNEL fault_gp_\ring, "N times a load from a non-canonical address in \ring: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|\flag
	lea NEAR(2f), %r9
	mov $0x8000000000000000, %rax
	jmp 2f
1:	mov (%rax), %rcx
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT GP, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 2, \crossings
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL fault_ss_\ring, "N times a load off RBP from a non-canonical address in \ring: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|\flag
	lea NEAR(2f), %r9
	mov $0x8000000000000000, %rbp
	jmp 2f
1:	mov (%rbp), %rcx
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT SS, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 2, \crossings
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL fault_np_\ring, "N times a load of ES with a segment that is not present, in \ring", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_SEGMENT|\flag
	lea NEAR(2f), %r9
	mov KERNEL_PARAM_SEGMENT(%rsi), %ecx
	jmp 2f
1:	mov %ecx, %es
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT NP, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 2, \crossings, loads=1
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__ /* no emulator raises it there */
KERNEL fault_xm_\ring, "N times an SSE division by zero, with that exception unmasked, in \ring: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_XM|\flag
	lea KERNEL_SCRATCH(%rsi), %rdx
	movl $(MXCSR_RESET & ~MXCSR_ZM), (%rdx)
	movl $MXCSR_RESET, 4(%rdx)
	ldmxcsr (%rdx)
	lea NEAR(2f), %r9
	xorps %xmm1, %xmm1
	mov $0x3f800000, %eax
	movd %eax, %xmm0
	jmp 2f
1:	divss %xmm1, %xmm0
LOOP_CLOSE 2
	ldmxcsr 4(%rdx)
KERNEL_END
SIG INSTRUCTIONS, KERNEL_RESUME_INSTRUCTIONS + 2, 8 + 1 + LOOP_FIXED
SIG INSN_SSE, 0, 2
SIG INSN_MXCSR, 0, 2
SIG EXCEPTIONS, 1, 0
SIG EXC_XM, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG_IRET \crossings, 2, 2*4
SIG INSN_STORE, 1, 2
SIG STORES, 1, 2
SIG STORE_BYTES, WORD, 2*4
SIG_FAR_LOOP 1
SIG_RINGS \crossings
SIGNATURE_END
#endif

KERNEL fault_pf_\ring, "N times a load from a page that is not present in \ring", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_ABSENT|\flag
	lea NEAR(2f), %r9
	jmp 2f
1:	mov KERNEL_SPECIAL(%rsi), %rcx
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT PF, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 1, \crossings
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL fault_pf_rep_\ring, "N times REP STOSB that meets an absent page after four bytes, in \ring: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_ABSENT|\flag
	mov %rdi, %rdx
	lea KERNEL_SPECIAL(%rsi), %rsi
	lea NEAR(2f), %r9
	xor %eax, %eax
	jmp 2f
1:	lea -4(%rsi), %rdi
	mov $16, %ecx
	rep stosb
2:	dec %rdx
	jns 1b
KERNEL_END
	SIG INSTRUCTIONS, 2 + KERNEL_RESUME_CODE_INSTRUCTIONS + 2, 4 + LOOP_FIXED
	SIG EXCEPTIONS, 1, 0
	SIG EXC_PF, 1, 0
	SIG REP_ITERATIONS, 4, 0
	SIG INSN_SERIALIZING, 1, 0
	SIG_IRET \crossings
	SIG INSN_STORE, 1, 0
	SIG STORES, 4 + 1, 0
	SIG STORE_BYTES, 4 + WORD, 0
	SIG_FAR_LOOP 1
	SIG_RINGS \crossings
	SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL fault_mf_\ring, "N times an unmasked x87 exception, reported at FWAIT, in \ring", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|\flag
	lea NEAR(2f), %r9
	movw $0x037b, KERNEL_SCRATCH(%rsi)
	fldcw KERNEL_SCRATCH(%rsi)
	jmp 3f
1:	fldz
	fld1
	fdiv %st(1), %st
	fwait
2:	fnclex
	fstp %st(0)
	fstp %st(0)
LOOP_CLOSE 3
	fninit
KERNEL_END
	SIG INSTRUCTIONS, 3 + KERNEL_RESUME_INSTRUCTIONS + 3 + 2, 3 + 1 + LOOP_FIXED
	SIG INSN_X87, 3 + 3, 1 + 1
	SIG INSN_X87_CONTROL, 0, 1
	SIG INSN_FLDCW, 0, 1
	SIG INSN_X87_CLEAR, 1, 1
	SIG X87_OPS, 1, 0
	SIG FP_DIV, 1, 0
	SIG EXCEPTIONS, 1, 0
	SIG EXC_MF, 1, 0
	SIG INSN_SERIALIZING, 1, 0
	SIG_IRET \crossings, 1, 2
	SIG INSN_STORE, 1, 1
	SIG STORES, 1, 1
	SIG STORE_BYTES, WORD, 2
	SIG_FAR_LOOP 1
	SIG_RINGS \crossings
SIGNATURE_END
.endm

FAULT_KERNELS ring0, KERNEL_PRIVILEGED, 0
FAULT_KERNELS ring3, KERNEL_USER_ONLY, 1

KERNEL fault_gp_privileged, "N times a privileged instruction in ring 3", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_USER_ONLY
	lea NEAR(2f), %r9
	jmp 2f
1:	hlt
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT GP, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 1, 1
SIG_INTEGER_ONLY
SIGNATURE_END

#define CR0_TS 8
KERNEL fault_nm, "N times an x87 instruction while CR0.TS forbids it", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_PRIVILEGED|KERNEL_CLOBBERS_CR
	lea NEAR(2f), %r9
	mov %cr0, %rax
	or $CR0_TS, %rax
	mov %rax, %cr0
	jmp 2f
1:	fnop
LOOP_CLOSE 2
	clts
KERNEL_END
	SIG INSTRUCTIONS, KERNEL_RESUME_INSTRUCTIONS + 2, 4 + 1 + LOOP_FIXED
	SIG EXCEPTIONS, 1, 0
	SIG EXC_NM, 1, 0
	SIG INSN_SERIALIZING, 1, 1
	SIG_IRET 0
	SIG_STORES 1, WORD
	SIG_FAR_LOOP 1
	SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL fault_ss_segment, "N times a load of SS with a segment that is not present, in ring 3", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_SEGMENT|KERNEL_USER_ONLY
	lea NEAR(2f), %r9
	mov KERNEL_PARAM_SEGMENT(%rsi), %ecx
	jmp 2f
1:	mov %ecx, %ss
LOOP_CLOSE 2
KERNEL_END
SIG_FAULT SS, KERNEL_RESUME_CODE_INSTRUCTIONS, 0, 2, 1, loads=1
SIG_INTEGER_ONLY
SIGNATURE_END

#define RFLAGS_AC 0x40000

KERNEL fault_ac, "N times a misaligned load where alignment is checked", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_SERVICE_ALIGNED|KERNEL_USER_ONLY
	lea NEAR(2f), %r9
	pushfq
	orq $RFLAGS_AC, (%rsp)
	popfq
	jmp 2f
1:	mov KERNEL_SCRATCH + 1(%rsi), %ecx
LOOP_CLOSE 2
	pushfq
	andq $~RFLAGS_AC, (%rsp)
	popfq
KERNEL_END
	SIG INSTRUCTIONS, KERNEL_RESUME_CODE_INSTRUCTIONS + 2, 1 + 3 + 3 + LOOP_FIXED
	SIG EXCEPTIONS, 1, 0
	SIG EXC_AC, 1, 0
	SIG INSN_SERIALIZING, 1, 0
	SIG_IRET 1, 2 + 2, 4*WORD
	SIG INSN_STORE, 1, 2 + 2
	SIG STORES, 1, 2 + 2
	SIG STORE_BYTES, WORD, 4*WORD
	SIG_FAR_LOOP 1
	SIG_RINGS 1
	SIG_INTEGER_ONLY
SIGNATURE_END

/*
 * SDM vol. 3, 17.2: a breakpoint on an instruction is a fault. The status register keeps what was met until it is cleared.
 */
#define DR6_NONE     0xffff0ff0
#define DR7_NONE     0x400
#define DR7_EXECUTE0 0x402 /* G0; R/W0 and LEN0 are 0 */

KERNEL fault_db, "N times an instruction with a breakpoint: it does not retire", flags=KERNEL_FROM_ZERO|KERNEL_SERVICE_RESUME|KERNEL_PRIVILEGED
	lea NEAR(1f), %rax
	lea NEAR(2f), %r9
	mov %rax, %dr0
	mov $DR7_EXECUTE0, %eax
	mov %rax, %dr7
	jmp 2f
1:	nop
LOOP_CLOSE 2
	mov $DR7_NONE, %eax
	mov %rax, %dr7
	mov $DR6_NONE, %eax
	mov %rax, %dr6
KERNEL_END
	SIG INSTRUCTIONS, KERNEL_RESUME_INSTRUCTIONS + 2, 5 + 4 + LOOP_FIXED
	SIG EXCEPTIONS, 1, 0
	SIG EXC_DB, 1, 0
	SIG INSN_SERIALIZING, 1, 4
	SIG_IRET 0
	SIG_STORES 1, WORD
	SIG_FAR_LOOP 1
	SIG_INTEGER_ONLY
SIGNATURE_END
