/*
 * From EL2 to EL1 for good: nothing is trapped, all counters are EL1's, translation is off. For assembly.
 */
#ifndef ARCH_AARCH64_LEAVE_EL2_H
#define ARCH_AARCH64_LEAVE_EL2_H

/* clang-format off */

/* SCTLR_EL1: what reads as 1; translation is off. */
#define SCTLR_OFF 0x30d00800

/* Fine-grained traps of EL2, with FEAT_FGT (ID_AA64MMFR0_EL1.FGT is 1) and FEAT_FGT2 (2). D13.2. */
#define FINE_HFGRTR   s3_4_c1_c1_4
#define FINE_HFGWTR   s3_4_c1_c1_5
#define FINE_HFGITR   s3_4_c1_c1_6
#define FINE_HDFGRTR  s3_4_c3_c1_4
#define FINE_HDFGWTR  s3_4_c3_c1_5
#define FINE_HDFGRTR2 s3_4_c3_c1_0
#define FINE_HDFGWTR2 s3_4_c3_c1_1
#define FINE_HFGRTR2  s3_4_c3_c1_2
#define FINE_HFGWTR2  s3_4_c3_c1_3
#define FINE_HFGITR2  s3_4_c3_c1_7
/* HDFGRTR2_EL2 and HDFGWTR2_EL2: a bit that is set lets in PMECR_EL1, PMIAR_EL1, PMICNTR_EL0, PMICFILTR_EL0,
 * PMUACR_EL1 and PMSSCR_EL1; reads of saved counters besides, and the write of PMZR_EL0. */
#define FINE_PMU_READ  0xdf
#define FINE_PMU_WRITE 0x20009f

/* MDCR_EL2.PMSSE, where ID_AA64DFR0_EL1.PMSS is not 0: EL1 says whether counters are captured. */
#define MDCR_PMSSE_EL1 30
#define DFR0_SNAPSHOTS 16
/* MDCR_EL2.E2PB, where ID_AA64DFR0_EL1.PMSVer is not 0: the buffer of profiling is EL1's. */
#define MDCR_E2PB_EL1  (3 << 12)
#define DFR0_PROFILING 32

#ifdef __ASSEMBLER__
/* Goes on at `to`, with the virtual clock so far behind the physical one; X0 to X2 change. */
.macro LEAVE_EL2 to, offset=xzr
	mov	x0, #(1 << 31)
	msr	hcr_el2, x0
	isb				/* with E2H gone names of EL1's registers mean EL1's */
	mov	x0, #3
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, \offset
	mov	x0, #0x33ff
	mrs	x1, id_aa64pfr0_el1
	tst	x1, #(0xf << 32)	/* SVE: a bit that is fixed to 1 without it */
	b.eq	.Lno_sve\@
	bic	x0, x0, #0x100
.Lno_sve\@:
	msr	cptr_el2, x0
	msr	hstr_el2, xzr
	mrs	x0, midr_el1
	msr	vpidr_el2, x0
	mrs	x0, mpidr_el1
	msr	vmpidr_el2, x0
	mrs	x0, id_aa64dfr0_el1
	ubfx	x2, x0, #DFR0_SNAPSHOTS, #4
	cmp	x2, #0
	cset	x2, ne
	lsl	x2, x2, #MDCR_PMSSE_EL1
	ubfx	x1, x0, #DFR0_PROFILING, #4
	cbz	x1, .Lno_profiling\@
	orr	x2, x2, #MDCR_E2PB_EL1
.Lno_profiling\@:
	ubfx	x0, x0, #8, #4		/* PMUVer: 0 and 15 are none that is architected */
	sub	x1, x0, #1
	cmp	x1, #14
	b.hs	.Lno_pmu\@
	mrs	x1, pmcr_el0
	ubfx	x1, x1, #11, #5		/* N */
	orr	x2, x2, x1
.Lno_pmu\@:
	msr	mdcr_el2, x2
	mrs	x0, id_aa64pfr0_el1
	ubfx	x0, x0, #24, #4
	cbz	x0, .Lno_gic\@
	mrs	x0, s3_4_c12_c9_5	/* ICC_SRE_EL2: SRE, Enable */
	mov	x1, #9
	orr	x0, x0, x1
	msr	s3_4_c12_c9_5, x0
	isb
.Lno_gic\@:
	mrs	x0, id_aa64mmfr0_el1
	ubfx	x0, x0, #56, #4
	cbz	x0, .Lno_fine\@
	msr	FINE_HFGRTR, xzr
	msr	FINE_HFGWTR, xzr
	msr	FINE_HFGITR, xzr
	msr	FINE_HDFGRTR, xzr
	msr	FINE_HDFGWTR, xzr
	cmp	x0, #2
	b.lo	.Lno_fine\@
	msr	FINE_HFGRTR2, xzr
	msr	FINE_HFGWTR2, xzr
	msr	FINE_HFGITR2, xzr
	mov	x1, #FINE_PMU_READ
	msr	FINE_HDFGRTR2, x1
	ldr	x1, =FINE_PMU_WRITE
	msr	FINE_HDFGWTR2, x1
.Lno_fine\@:
	ldr	x0, =SCTLR_OFF
	msr	sctlr_el1, x0
	mov	x0, #0x3c5		/* EL1h, all masked */
	msr	spsr_el2, x0
	adr	x0, \to
	msr	elr_el2, x0
	eret
.endm
#endif
#endif
