/*
 * Barriers, system registers, maintenance, exceptions.
 */
#include "tests/kernels/aarch64/kernel.h"

KERNEL barriers, "N times DMB, DSB and ISB", flags=KERNEL_CORE
1:	dmb	ish
	dsb	ish
	isb
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2
SIG INSN_DMB, 1
SIG INSN_DSB, 1
SIG INSN_ISB, 1
SIG INSN_SERIALIZING, 1
SIG_LOOP
SIGNATURE_END

KERNEL registers, "N times a register that is read and written", flags=KERNEL_CORE
1:	mrs	x3, tpidr_el0
	msr	tpidr_el0, x3
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG INSN_MRS, 1
SIG INSN_REGISTER_WRITE, 1
SIG_LOOP
SIGNATURE_END

KERNEL registers_read, "N times reads of the clock, the flags and a cache's description"
1:	mrs	x3, cntvct_el0
	mrs	x4, nzcv
	mrs	x5, dczid_el0
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2
SIG INSN_MRS, 3
SIG_LOOP
SIGNATURE_END

KERNEL maintenance, "N times a line that is cleaned and invalidated"
	add	x5, x1, #KERNEL_SCRATCH
1:	dc	cvac, x5
	dc	civac, x5
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_MAINTENANCE, 2
SIG_LOOP
SIGNATURE_END

KERNEL refills, "N times a load of a line that has been cleaned and invalidated, and likewise a store"
	add	x5, x1, #KERNEL_SCRATCH
1:	dc	civac, x5
	dsb	sy
	ldr	x6, [x5]
	dc	civac, x5
	dsb	sy
	str	x6, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 1
SIG INSN_MAINTENANCE, 2
SIG INSN_DSB, 2
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG_LOOP
SIG_RANGE LINES_REFILLED, 1, 0, 1, 0, "no cache has the line when it is loaded"
SIG_RANGE LINES_STORED, 1, 0, 1, 0, "no cache has the line when it is stored to"
SIG_RANGE LINES_CLEANED, 1, -1, 1, 0, "the line is dirty when it is cleaned and invalidated"
SIGNATURE_END

KERNEL walks, "N times a load of a page whose translation has been dropped, and likewise a store", flags=KERNEL_PRIVILEGED
	add	x5, x1, #KERNEL_SCRATCH
	lsr	x6, x5, #12
1:	tlbi	vaae1, x6
	dsb	ish
	isb
	ldr	x7, [x5]
	tlbi	vaae1, x6
	dsb	ish
	isb
	str	x7, [x5]
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 2
SIG INSN_MAINTENANCE, 2
SIG INSN_DSB, 2
SIG INSN_ISB, 2
SIG INSN_SERIALIZING, 2
SIG_LOADS 1, 8
SIG_STORES 1, 8
SIG_LOOP
SIG_RANGE PAGES_WALKED, 1, 0, 1, 0, "no TLB has the translation when the page is loaded from"
SIG_RANGE PAGES_STORED, 1, 0, 1, 0, "no TLB has the translation when the page is stored to"
SIGNATURE_END

KERNEL maintenance_code, "N times an instruction cache and a TLB that are emptied of one address", flags=KERNEL_PRIVILEGED
	add	x5, x1, #KERNEL_SCRATCH
	lsr	x6, x5, #12
1:	ic	ivau, x5
	tlbi	vaae1, x6
	dsb	ish
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG INSN_MAINTENANCE, 2
SIG INSN_DSB, 1
SIG_LOOP
SIGNATURE_END

KERNEL software_increments, "N times a write of PMSWINC_EL0 for all counters", needs=KERNEL_NEEDS_PMU, flags=KERNEL_SERVICE_PMU | KERNEL_CORE
	mov	x3, #0x7fffffff
1:	msr	pmswinc_el0, x3
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 1
SIG INSN_REGISTER_WRITE, 1
SIG SW_INCREMENTS, 1
SIG_LOOP
SIGNATURE_END

KERNEL context_writes, "N times CONTEXTIDR_EL1 and TTBR0_EL1 are written with what they hold", flags=KERNEL_PRIVILEGED
	mrs	x3, contextidr_el1
	mrs	x4, ttbr0_el1
1:	msr	contextidr_el1, x3
	msr	ttbr0_el1, x4
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2
SIG INSN_MRS, 0, 2
SIG INSN_REGISTER_WRITE, 2
SIG CID_WRITES, 1
SIG TTBR_WRITES, 1
SIG_LOOP
SIGNATURE_END

KERNEL undefined, "N times an undefined instruction, behind which its handler goes on", flags=KERNEL_SERVICE_RESUME | KERNEL_USER_ONLY | KERNEL_FROM_ZERO
	b	2f
1:	udf	#0
	sub	x0, x0, #1
2:	cbnz	x0, 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + KERNEL_FAULT_INSTRUCTIONS, 2
SIG BRANCHES, 1 + 2, 2
SIG BR_FAR, 1
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1 + 1, 1
SIG BR_COND_TAKEN, 1 + 1
SIG BR_COND_NTAKEN, 0, 1
SIG INSN_REGISTER_WRITE, 2
SIG INSN_MRS, 3
SIG INSN_SERIALIZING, 1
SIG EXCEPTIONS, 1
SIG EXC_UNDEF, 1
SIG EXC_RETURNS, 1
SIG LEVEL_TO_SYSTEM, 1
SIG LEVEL_TO_USER, 1
SIGNATURE_END

KERNEL data_abort, "N times a load from address 0, behind which its handler goes on", flags=KERNEL_SERVICE_RESUME | KERNEL_USER_ONLY | KERNEL_FROM_ZERO
	b	2f
1:	ldr	x3, [x4]
	sub	x0, x0, #1
2:	mov	x4, #0
	cbnz	x0, 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + KERNEL_FAULT_INSTRUCTIONS, 3
SIG BRANCHES, 1 + 2, 2
SIG BR_FAR, 1
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1 + 1, 1
SIG BR_COND_TAKEN, 1 + 1
SIG BR_COND_NTAKEN, 0, 1
SIG INSN_REGISTER_WRITE, 2
SIG INSN_MRS, 3
SIG INSN_SERIALIZING, 1
SIG EXCEPTIONS, 1
SIG EXC_DABORT, 1
SIG EXC_RETURNS, 1
SIG LEVEL_TO_SYSTEM, 1
SIG LEVEL_TO_USER, 1
SIGNATURE_END

KERNEL wait, "N times WFI, until the virtual timer asks for an interrupt, which PSTATE.I holds off", flags=KERNEL_SERVICE_WAKE | KERNEL_PRIVILEGED
	mov	x4, #1
1:	mov	x3, #16
	msr	cntv_tval_el0, x3
	msr	cntv_ctl_el0, x4
	isb
	wfi
	msr	cntv_ctl_el0, xzr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2, 1
SIG INSN_REGISTER_WRITE, 3
SIG INSN_ISB, 1
SIG INSN_SERIALIZING, 1
SIG_LOOP
SIGNATURE_END

/*
 * An interrupt that the processor sends itself. WFI waits for it while PSTATE.I holds it off; it is taken behind
 * DAIFCLR, or at the latest behind the ISB that follows. PSTATE.I is kept, as it may be clear.
 */
.macro SELF_BEGIN
	mrs	x4, daif
	msr	daifset, #2
	b	2f
.endm
.macro SELF_TURN
	wfi
	msr	daifclr, #2
	isb
	msr	daifset, #2
	sub	x0, x0, #1
2:	cbnz	x0, 1b
	msr	daif, x4
.endm
.macro SIG_SELF barriers
	SIG BRANCHES, 1 + 2, 2
	SIG BR_FAR, 1
	SIG BR_JMP_DIRECT, 0, 1
	SIG BR_COND, 1 + 1, 1
	SIG BR_COND_TAKEN, 1
	SIG BR_COND_NTAKEN, 1, 1
	SIG INSN_DSB, \barriers
	SIG INTERRUPTS_HW, 1
	SIG EXC_RETURNS, 1
.endm

KERNEL irq_gicv3, "N times an interrupt that the processor sends itself by a register", flags=KERNEL_SERVICE_SELF | KERNEL_PRIVILEGED | KERNEL_FROM_ZERO
	ldr	x5, [x1, #KERNEL_PARAM_VALUE]
	SELF_BEGIN
1:	msr	s3_0_c12_c11_5, x5	/* ICC_SGI1R_EL1 */
	isb
	SELF_TURN
KERNEL_END
SIG INSTRUCTIONS, 2 + 6 + KERNEL_SELF_INSTRUCTIONS, 1 + 3 + 2
SIG_SELF 1
SIG INSN_REGISTER_WRITE, 1 + 2, 1
SIG INSN_MRS, 2, 1
SIG INSN_ISB, 2
SIG INSN_SERIALIZING, 2 + 1
SIG INSN_LOAD, 0, 1
SIG LOADS, 0, 1
SIG LOAD_BYTES, 0, 8
SIGNATURE_END

KERNEL irq_gicv2, "N times an interrupt that the processor sends itself by a store", flags=KERNEL_SERVICE_SELF_MAPPED | KERNEL_PRIVILEGED | KERNEL_FROM_ZERO
	ldp	x5, x6, [x1, #KERNEL_PARAM_ADDRESS]
	SELF_BEGIN
1:	str	w6, [x5]
	dsb	sy
	SELF_TURN
KERNEL_END
SIG INSTRUCTIONS, 2 + 6 + KERNEL_SELF_MAPPED_INSTRUCTIONS, 1 + 3 + 2
SIG_SELF 2
SIG INSN_REGISTER_WRITE, 1, 1
SIG INSN_MRS, 0, 1
SIG INSN_ISB, 1
SIG INSN_SERIALIZING, 1 + 1
SIG INSN_LOAD, 4, 1
SIG INSN_PAIR, 0, 1
SIG LOADS, 4, 2
SIG LOAD_BYTES, 8 + 4 + 8 + 4, 8 + 8
SIG_STORES 2, 4
SIGNATURE_END
