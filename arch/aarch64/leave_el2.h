/*
 * From EL2 to EL1 for good: nothing is trapped, all counters are EL1's, translation is off. For assembly.
 */
#ifndef ARCH_AARCH64_LEAVE_EL2_H
#define ARCH_AARCH64_LEAVE_EL2_H

/* clang-format off */

/* SCTLR_EL1: what reads as 1; translation is off. */
#define SCTLR_OFF 0x30d00800

#ifdef __ASSEMBLER__
/* Goes on at `to`; X0 to X2 change. */
.macro LEAVE_EL2 to
	mov	x0, #(1 << 31)
	msr	hcr_el2, x0
	mov	x0, #3
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, xzr
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
	ubfx	x0, x0, #8, #4		/* PMUVer: 0 and 15 are none that is architected */
	sub	x1, x0, #1
	mov	x2, #0
	cmp	x1, #14
	b.hs	.Lno_pmu\@
	mrs	x2, pmcr_el0
	ubfx	x2, x2, #11, #5		/* N */
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
