/*
 * A program of its own for QEMU's board virt with a GICv2, with nothing of Assay in it: the status of an event
 * counter is set, whose interrupt is let out, and PMCR_EL0.E is 1 (with LATE: becomes 1 behind that). With RUNS the
 * status is that of a counter that overflowed 4,900 instructions ago and runs (with TURNS: two instructions for each),
 * with STOPPED of one that has been stopped, too, and with CLEARED of one whose status was cleared before. Its status is
 * 1 if the GIC says that the interrupt is pending, or PMOVSSET_EL0 that the counter overflowed. With LISTED it is 1 if PMCEID0_EL0 lists INST_RETIRED or INST_SPEC.
 */
	.globl _start
_start:	mov	x2, #1
#ifdef LISTED
	mrs	x0, pmceid0_el0
	ldr	x1, =(1 << 0x08 | 1 << 0x1b)
	tst	x0, x1
	cset	x19, ne
#elif defined RUNS
	mov	x1, #8			/* INST_RETIRED, at every level */
	msr	pmevtyper0_el0, x1
	msr	pmcr_el0, x2		/* PMCR_EL0.E */
	ldr	x3, =0xffffff9c
	msr	pmevcntr0_el0, x3
	msr	pmcntenset_el0, x2
	isb
#ifndef TURNS
#define TURNS 2500
#endif
	ldr	x5, =TURNS
1:	subs	x5, x5, #1
	b.ne	1b
#ifdef CLEARED
	msr	pmovsclr_el0, x2
	isb
#endif
#ifdef STOPPED
	msr	pmcntenclr_el0, x2
#endif
	isb
	mrs	x0, pmovsset_el0
	and	x19, x0, #1
#else
#ifndef LATE
	msr	pmcr_el0, x2
#endif
	msr	pmintenset_el1, x2
	msr	pmovsset_el0, x2
	isb
#ifdef LATE
	msr	pmcr_el0, x2
	isb
#endif
	ldr	x0, =0x08000200		/* GICD_ISPENDR0 */
	ldr	w0, [x0]
	ubfx	x19, x0, #23, #1	/* the PMU's interrupt: PPI 7 */
#endif
	ldr	x1, =block
	mov	x0, #0x20		/* semihosting: SYS_EXIT_EXTENDED */
	ldr	x2, =0x20026
	stp	x2, x19, [x1]
	hlt	#0xf000
	.ltorg
	.p2align 4
block:	.8byte	0, 0
