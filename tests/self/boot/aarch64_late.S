/*
 * A program of its own for QEMU's board virt with a GICv2, with nothing of Assay in it: a counter of instructions (or, with CYCLES, the
 * cycle counter) is 500 short of overflow, and its interrupt is let in. TURNS turns of three instructions follow. Its status is the
 * number of turns, modulo 256, by which the interrupt came; 255 if none came.
 */
#ifdef CYCLES
#define COUNTER	 pmccntr_el0
#define BIT	 0x80000000
#else
#define COUNTER	 pmevcntr0_el0
#define BIT	 1
#endif
	.globl _start
_start:	ldr	x0, =vectors
	msr	vbar_el1, x0
	ldr	x0, =0x08000000
	ldr	x1, =0x08010000
	mov	w2, #1
	mov	w3, #(1 << 23)		/* the PMU's interrupt: PPI 7 */
	str	w2, [x0]		/* GICD_CTLR */
	str	w3, [x0, #0x100]	/* GICD_ISENABLER0 */
	mov	w3, #0xff
	str	w3, [x1, #4]		/* GICC_PMR */
	str	w2, [x1]		/* GICC_CTLR */
	mov	x1, #8			/* INST_RETIRED, at every level */
	msr	pmevtyper0_el0, x1
	msr	pmccfiltr_el0, xzr
	mov	x1, #0x41		/* PMCR_EL0.E, .LC */
	msr	pmcr_el0, x1
	mov	x2, #BIT
	msr	pmintenset_el1, x2
	mov	x3, #-500
#ifndef CYCLES
	and	x3, x3, #0xffffffff
#endif
	msr	COUNTER, x3
	isb
	mov	x5, #0
	ldr	x6, =TURNS
	msr	daifclr, #3
	msr	pmcntenset_el0, x2
	isb
1:	add	x5, x5, #1
	subs	x6, x6, #1
	b.ne	1b
	isb
	msr	pmcntenclr_el0, x2
	isb
	mov	x5, #255
interrupted:
	ldr	x1, =block
	mov	x0, #0x20		/* semihosting: SYS_EXIT_EXTENDED */
	ldr	x2, =0x20026
	stp	x2, x5, [x1]
	hlt	#0xf000

	.p2align 11
vectors:
	.org	vectors + 0x280
	b	interrupted
	.ltorg
	.p2align 4
block:	.8byte	0, 0
