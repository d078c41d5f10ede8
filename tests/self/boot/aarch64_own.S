/*
 * A program of its own for QEMU's board virt, with nothing of Assay in it: it counts INST_RETIRED around ten times INSN, and ends with the
 * count as its status. Undefined instructions are passed over by a handler of four instructions.
 */
	.globl _start
_start:	ldr	x0, =vectors
	msr	vbar_el1, x0
	mov	x1, #8			/* INST_RETIRED, at every level */
	msr	pmevtyper0_el0, x1
	mov	x1, #1			/* PMCR_EL0.E */
	msr	pmcr_el0, x1
	isb
	mov	x2, #1
	mrs	x3, pmevcntr0_el0
	msr	pmcntenset_el0, x2
	isb
	.rept	10
	INSN
	.endr
	isb
	msr	pmcntenclr_el0, x2
	isb
	mrs	x0, pmevcntr0_el0
	sub	x19, x0, x3
	ldr	x1, =block
	mov	x0, #0x20		/* semihosting: SYS_EXIT_EXTENDED */
	ldr	x2, =0x20026
	stp	x2, x19, [x1]
	hlt	#0xf000

	.p2align 11
vectors:
	.org	vectors + 0x200
	mrs	x9, elr_el1
	add	x9, x9, #4
	msr	elr_el1, x9
	eret
	.ltorg
	.p2align 4
block:	.8byte	0, 0
