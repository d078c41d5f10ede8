/*
 * What starts at EL2 keeps all event counters but two for itself (MDCR_EL2.HPMN is 2), and goes on at EL1: at NEXT with
 * the device tree that QEMU puts at the beginning of memory, or here, where nothing of Assay is. Its status is then
 * PMCR_EL0.N, as EL1 reads it; with RANGE what EL1 reads of PMCNTENSET_EL0 once it has written ones; with HELD what
 * the third counter holds, into which EL2 has written 5, and with RESET the same once PMCR_EL0.P is written.
 */
	.globl _start
_start:	mrs	x0, CurrentEL
	cmp	x0, #(2 << 2)
	b.ne	.
	mov	x0, #5
	msr	pmevcntr2_el0, x0
	mrs	x0, mdcr_el2
	bic	x0, x0, #0x1f		/* HPMN */
	orr	x0, x0, #2
	msr	mdcr_el2, x0
	mov	x0, #(1 << 31)		/* RW: EL1 is AArch64 */
	msr	hcr_el2, x0
	mov	x0, #3			/* EL1 has its timers and counter */
	msr	cnthctl_el2, x0
	msr	cntvoff_el2, xzr
	mov	x0, #0x3c5		/* EL1h, D, A, I, F */
	msr	spsr_el2, x0
#ifdef NEXT
	ldr	x0, =NEXT
#else
	adr	x0, 1f
#endif
	msr	elr_el2, x0
	ldr	x0, =0x40000000
	isb
	eret
1:
#if defined RANGE
	mov	x0, #-1
	msr	pmcntenset_el0, x0
	isb
	mrs	x0, pmcntenset_el0
	and	x19, x0, #0xff
#elif defined HELD || defined RESET
#ifdef RESET
	mov	x0, #2			/* PMCR_EL0.P */
	msr	pmcr_el0, x0
	isb
#endif
	mrs	x19, pmevcntr2_el0
#else
	mrs	x0, pmcr_el0
	ubfx	x19, x0, #11, #5
#endif
	ldr	x1, =block
	mov	x0, #0x20		/* semihosting: SYS_EXIT_EXTENDED */
	ldr	x2, =0x20026
	stp	x2, x19, [x1]
	hlt	#0xf000
	.ltorg
	.p2align 4
block:	.8byte	0, 0
