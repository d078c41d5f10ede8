/*
 * What starts at EL2 becomes a host there (HCR_EL2.E2H, FEAT_VHE), where names of EL1's registers mean EL2's, and goes on at NEXT with
 * the device tree that QEMU puts at the beginning of memory. A processor that cannot be a host stays here.
 */
	.globl _start
_start:	mrs	x0, hcr_el2
	orr	x0, x0, #(1 << 34)	/* E2H */
	msr	hcr_el2, x0
	isb
	mrs	x0, hcr_el2
	tbz	x0, #34, .
	ldr	x0, =0x40000000
	ldr	x1, =NEXT
	br	x1
	.ltorg
