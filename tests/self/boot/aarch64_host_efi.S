/*
 * An entry in front of UEFI's: firmware at EL2 becomes a host there (HCR_EL2.E2H, FEAT_VHE), as some firmware is.
 * Then the fields of TCR_EL2 and CPTR_EL2 lie elsewhere (Arm ARM, D24.2), so translation is off for these
 * instructions; firmware's addresses are physical.
 */
#define HCR_E2H	    34
#define TCR_COMMON  0xffff	/* T0SZ to TG0 are where they were */
#define TCR_PS	    16
#define TCR_IPS	    32
#define TCR_EPD1    (1 << 23)	/* nothing is translated by TTBR1_EL2 */
#define TCR_TG1_4K  (2 << 30)
#define CPTR_FPEN   (3 << 20)	/* vector registers are not trapped */

	.text
	.globl host_entry
host_entry:
	mrs	x2, CurrentEL
	cmp	x2, #(2 << 2)
	b.ne	efi_main
	msr	daifset, #0xf
	msr	cntp_ctl_el0, xzr	/* firmware's handlers are not a host's: nothing interrupts any more */
	msr	cntv_ctl_el0, xzr
	msr	cnthp_ctl_el2, xzr
	mrs	x2, sctlr_el2
	bic	x3, x2, #1		/* M */
	msr	sctlr_el2, x3
	isb
	mrs	x4, tcr_el2
	ubfx	x5, x4, #TCR_PS, #3
	and	x4, x4, #TCR_COMMON
	orr	x4, x4, x5, lsl #TCR_IPS
	orr	x4, x4, #TCR_EPD1
	orr	x4, x4, #TCR_TG1_4K
	mrs	x6, hcr_el2
	orr	x6, x6, #(1 << HCR_E2H)
	msr	hcr_el2, x6
	isb
	msr	tcr_el2, x4
	mov	x7, #CPTR_FPEN
	msr	cptr_el2, x7
	tlbi	alle2
	dsb	sy
	isb
	msr	sctlr_el2, x2
	isb
	b	efi_main
