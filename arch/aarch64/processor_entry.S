/*
 * Where another processor begins (arch/aarch64/processors.c): at EL2 or EL1, with translation off, and X0 = struct start.
 */
#include "arch/aarch64/leave_el2.h"

	.text
	.globl processor_entry
	.hidden processor_entry
processor_entry:
	mov	x28, x0
	msr	daifset, #0xf
	ldr	x3, [x28, #0x30]
	mrs	x0, CurrentEL
	cmp	x0, #(2 << 2)
	b.ne	1f
	LEAVE_EL2 1f, x3

1:	ldp	x0, x1, [x28]
	msr	ttbr0_el1, x0
	msr	tcr_el1, x1
	ldp	x0, x1, [x28, #0x10]
	msr	mair_el1, x0
	ldp	x2, x3, [x28, #0x20]
	msr	cpacr_el1, x2
	mov	sp, x3
	isb
	tlbi	vmalle1
	ic	iallu
	dsb	sy
	isb
	msr	sctlr_el1, x1
	isb
	mov	x29, #0
	mov	x30, #0
	ldr	x0, [x28, #0x38]
	b	processor_entered
	.ltorg
