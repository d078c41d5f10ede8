/*
 * A program of its own for QEMU's board virt with two processors, with nothing of Assay in it: one counts INST_RETIRED while
 * the other executes 20,000 instructions, or with ALONE, none. Its status is the count, divided by 1024.
 */
	.globl _start
_start:	ldr	x4, =flag
#ifdef ALONE
	str	x4, [x4]
#else
	ldr	x0, =0xc4000003		/* PSCI: CPU_ON */
	mov	x1, #1
	ldr	x2, =other
	mov	x3, #0
	hvc	#0
#endif
	mov	x1, #8			/* INST_RETIRED, at every level */
	msr	pmevtyper0_el0, x1
	mov	x1, #1			/* PMCR_EL0.E */
	msr	pmcr_el0, x1
	mov	x2, #1
	ldr	x4, =flag
	mrs	x3, pmevcntr0_el0
	msr	pmcntenset_el0, x2
	isb
	str	x4, [x4, #8]		/* go */
1:	yield				/* the other one's turn */
	ldr	x5, [x4]
	cbz	x5, 1b
	msr	pmcntenclr_el0, x2
	isb
	mrs	x0, pmevcntr0_el0
	sub	x19, x0, x3
	lsr	x19, x19, #10
	ldr	x1, =block
	mov	x0, #0x20		/* semihosting: SYS_EXIT_EXTENDED */
	ldr	x2, =0x20026
	stp	x2, x19, [x1]
	hlt	#0xf000

other:	ldr	x4, =flag
4:	yield
	ldr	x6, [x4, #8]
	cbz	x6, 4b
	mov	x6, #10000
2:	subs	x6, x6, #1
	b.ne	2b
	str	x4, [x4]
3:	wfi
	b	3b
	.ltorg
	.p2align 4
block:	.8byte	0, 0
flag:	.8byte	0, 0			/* the other one has done; it may begin */
