/*
 * Start without firmware: a flat image with the header of the arm64 boot protocol (Linux, Documentation/arch/arm64/booting.rst). It
 * begins at EL2 or EL1, with translation off and X0 = device tree. Here EL2 is left, and memory is mapped as firmware would: the
 * first GiB as devices, the rest as memory. EL3 is left as well, so that what is wrong can be told: what is secure was set up by nobody.
 */
#include "arch/aarch64/leave_el2.h"

#define TEXT_OFFSET 0x200000
#define L1_ENTRIES  512

/* PXN, UXN: nothing is fetched from there, by guess neither. */
#define NEVER_CODE   (3 << 53)
/* Lower attributes of a block: valid, accessed; type of memory by MAIR's fields below; inner shareable. */
#define DEVICE_BLOCK (0x401 | NEVER_CODE)
#define MEMORY_BLOCK 0x705
#define MAIR	     0xff00
/* TCR_EL1: 39 bits, cached and inner shareable tables, no upper half, addresses of 40 bits. */
#define TCR	     (25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | 2 << 32)
/* SCTLR_EL1: M, C, I besides. */
#define SCTLR_ON     (SCTLR_OFF | 1 | 4 | 0x1000)

	.section .boot_header, "ax"
	.globl direct_entry
direct_entry:
	b	1f
	.4byte	0
	.8byte	TEXT_OFFSET
	.8byte	__image_size
	.8byte	2		/* little endian, pages of 4 KiB */
	.8byte	0, 0, 0
	.ascii	"ARM\x64"
	.4byte	0

1:	mov	x28, x0
	mov	x27, #0
	msr	daifset, #0xf
	mrs	x0, CurrentEL
	cmp	x0, #(3 << 2)
	b.ne	2f

	/* From EL3 to EL2, where there is one, or to EL1: not secure, AArch64, HVC is let. */
	mov	x27, #1
	mov	x0, #0x531
	msr	scr_el3, x0
	msr	cptr_el3, xzr
	mrs	x0, id_aa64pfr0_el1
	tst	x0, #0xf00
	mov	x0, #0x3c9	/* EL2h */
	mov	x1, #0x3c5	/* EL1h */
	csel	x0, x0, x1, ne
	msr	spsr_el3, x0
	adr	x0, 2f
	msr	elr_el3, x0
	eret

2:	mrs	x0, CurrentEL
	cmp	x0, #(2 << 2)
	b.ne	3f

	LEAVE_EL2 3f

3:	ldr	x0, =SCTLR_OFF
	msr	sctlr_el1, x0
	mov	x0, #(3 << 20)	/* vector registers are for everybody */
	msr	cpacr_el1, x0
	isb

	ldr	x0, =__load_end
	ldr	x1, =__data_end
4:	str	xzr, [x0], #8
	cmp	x0, x1
	b.lo	4b

	ldr	x0, =tables
	ldr	x1, =DEVICE_BLOCK
	mov	x2, #L1_ENTRIES
	mov	x4, #(1 << 30)
5:	str	x1, [x0], #8
	add	x1, x1, x4
	and	x1, x1, #~NEVER_CODE
	mov	x3, #MEMORY_BLOCK
	bfi	x1, x3, #0, #12
	subs	x2, x2, #1
	b.ne	5b
	dsb	sy
	ldr	x0, =MAIR
	msr	mair_el1, x0
	ldr	x0, =TCR
	msr	tcr_el1, x0
	ldr	x0, =tables
	msr	ttbr0_el1, x0
	isb
	tlbi	vmalle1
	ic	iallu
	dsb	sy
	isb
	ldr	x0, =SCTLR_ON
	msr	sctlr_el1, x0
	isb

	ldr	x0, =stack_top
	mov	sp, x0
	mov	x0, x28
	mov	x1, x27
	mov	x29, #0
	mov	x30, #0
	bl	direct_main
6:	wfi
	b	6b

	.ltorg

	.bss
	.p2align 12
tables:	.skip	8 * L1_ENTRIES
	.skip	0x10000
stack_top:
