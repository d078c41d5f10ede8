/*
 * System registers by number: a reading and a writing instruction for each one that the harness may be asked for (Arm ARM,
 * D12.3.1, D12.3.2). A register that is refused goes on at register_refused.
 */
	.text

/* Blocks: op0, op1, CRn, first CRm, how many CRm; each CRm has eight op2. */
.macro BLOCK write, op0, op1, crn, crm, count
	.set .Lcrm, \crm
	.rept \count
	.set .Lop2, 0
	.rept 8
	.inst	0xd5100000 | (1 - \write)*0x200000 | (\op0 & 1) << 19 | \op1 << 16 | \crn << 12 | .Lcrm << 8 | .Lop2 << 5
	ret
	.set .Lop2, .Lop2 + 1
	.endr
	.set .Lcrm, .Lcrm + 1
	.endr
.endm

.macro BLOCKS write
	BLOCK \write, 3, 0, 0, 0, 8	/* identification */
	BLOCK \write, 3, 0, 9, 9, 2	/* PMSCR_EL1, PMBLIMITR_EL1, PMBSR_EL1, PMBIDR_EL1 */
	BLOCK \write, 3, 0, 9, 13, 2	/* PMSSCR_EL1, PMINTENSET_EL1, PMUACR_EL1, PMECR_EL1, PMMIR_EL1 */
	BLOCK \write, 2, 0, 14, 8, 5	/* PMEVCNTSVR<n>_EL1, PMCCNTSVR_EL1, PMICNTSVR_EL1 */
	BLOCK \write, 3, 3, 9, 4, 3	/* PMICNTR_EL0, PMICFILTR_EL0 */
	BLOCK \write, 3, 3, 9, 12, 3	/* PMCR_EL0 to PMOVSSET_EL0 */
	BLOCK \write, 3, 3, 14, 8, 8	/* PMEVCNTR<n>_EL0, PMEVTYPER<n>_EL0 */
	BLOCK \write, 3, 3, 13, 0, 1	/* TPIDR_EL0: a register that takes any value */
.endm

	.globl register_code, register_code_end, register_refused
	.hidden register_code, register_code_end, register_refused
	.p2align 3
register_code:
	BLOCKS 0
	BLOCKS 1
register_code_end:

/* uint64_t register_call(const void *code, uint64_t value, bool *refused) */
	.globl register_call
	.hidden register_call
register_call:
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x2, [sp, #16]
	mov	x9, x0
	mov	x0, x1
	blr	x9
	isb
	ldr	x2, [sp, #16]
	strb	wzr, [x2]
	ldp	x29, x30, [sp], #32
	ret
register_refused:
	ldr	x2, [sp, #16]
	mov	w0, #1
	strb	w0, [x2]
	mov	x0, #0
	ldp	x29, x30, [sp], #32
	ret
