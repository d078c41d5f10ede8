/*
 * The ways between EL2 and EL1. EL2's only business is HVC #0xa2, by which EL1 comes back; whatever else arrives there stops the machine,
 * as nothing can be told from there.
 */
#define WAY_BACK  0x5a0000a2 /* ESR_EL2 of HVC #0xa2: class 16H, a 32-bit instruction */
#define EL1H	  0x3c5

	.text

/* void el2_leave(void): return at EL1, on the stack in use. */
	.globl el2_leave
	.hidden el2_leave
el2_leave:
	mov	x9, sp
	msr	sp_el1, x9
	mov	x9, #EL1H
	msr	spsr_el2, x9
	msr	elr_el2, x30
	isb
	eret

/* void el2_return(void): return at EL2, on the stack in use. */
	.globl el2_return
	.hidden el2_return
el2_return:
	hvc	#0xa2
	ret

	.p2align 11
	.globl el2_vectors
	.hidden el2_vectors
el2_vectors:
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	.p2align 7
	b	.
	.endr
	.p2align 7
	mrs	x9, esr_el2
	ldr	w10, =WAY_BACK
	cmp	w9, w10
	b.ne	.
	mrs	x9, sp_el1
	mov	sp, x9
	mrs	x9, elr_el2
	br	x9
	.ltorg
	.irp number, 9, 10, 11, 12, 13, 14, 15
	.p2align 7
	b	.
	.endr
