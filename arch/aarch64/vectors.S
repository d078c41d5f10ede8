/*
 * Exception vectors (Arm ARM, D1.10.2), and the ways between levels and stacks.
 *
 * The harness runs at EL1 on SP_EL0, handlers on SP_EL1: so an overflow of the harness's stack arrives on a stack that is good.
 */
#include "arch/aarch64/gic_self.h"

#define FRAME 0x130 /* struct trap_frame */

	.text

.macro ENTRY number
	.p2align 7
	sub	sp, sp, #FRAME
	stp	x0, x1, [sp]
	mov	x0, #\number
	b	trap_common
.endm

	.p2align 11
	.globl trap_vectors
	.hidden trap_vectors
trap_vectors:
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	ENTRY \number
	.endr

/*
 * The same but for synchronous exceptions of EL0: a system call with bit 1 of its number set returns at once, what faults goes on
 * behind the instruction. Kernels whose handlers are counted ask for these (trap_quick()).
 */
	.p2align 11
	.globl trap_quick_vectors, trap_quick_call, trap_quick_call_end, trap_quick_fault, trap_quick_fault_end
	.hidden trap_quick_vectors, trap_quick_call, trap_quick_call_end, trap_quick_fault, trap_quick_fault_end
trap_quick_vectors:
	.irp number, 0, 1, 2, 3, 4, 5, 6, 7
	.p2align 7
	b	trap_vectors + 128*\number
	.endr
	.p2align 7
trap_quick_call:
	msr	tpidr_el1, x9
	mrs	x9, esr_el1
	tbz	x9, #26, trap_quick_fault	/* ESR_EL1.EC is odd for SVC, and for none of the faults here */
	tbz	x9, #1, 2f
	mrs	x9, tpidr_el1
	eret
trap_quick_call_end:
trap_quick_fault:
	mrs	x9, elr_el1
	add	x9, x9, #4
	msr	elr_el1, x9
	mrs	x9, tpidr_el1
	eret
trap_quick_fault_end:
2:	mrs	x9, tpidr_el1
	b	trap_vectors + 128*8
	.irp number, 9, 10, 11, 12, 13, 14, 15
	.p2align 7
	b	trap_vectors + 128*\number
	.endr

/*
 * The same but for interrupts at EL1 on SP_EL0: the one that the processor sends itself (gic_self_begin()) is
 * acknowledged and ended here. Its kernel expects X9 and X10 to change; what it did not ask for goes on with all
 * registers as they were.
 */
	.macro SELF_HEAD
	.p2align 7
	b	trap_vectors
	.p2align 7
	.endm
	.macro SELF_TAIL
2:	mrs	x9, tpidr_el1
	b	trap_vectors + 128
	.irp number, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.p2align 7
	b	trap_vectors + 128*\number
	.endr
	.endm

	.p2align 11
	.globl trap_self_vectors, trap_self, trap_self_end
	.hidden trap_self_vectors, trap_self, trap_self_end
trap_self_vectors:
	SELF_HEAD
trap_self:
	msr	tpidr_el1, x9
	mrs	x9, s3_0_c12_c12_2	/* ICC_HPPIR1_EL1 */
	sub	x9, x9, #GIC_SELF
	cbnz	x9, 2f
	mrs	x9, s3_0_c12_c12_0	/* ICC_IAR1_EL1 */
	msr	s3_0_c12_c12_1, x9	/* ICC_EOIR1_EL1 */
	dsb	sy
	eret
trap_self_end:
	SELF_TAIL

	.p2align 11
	.globl trap_self_mapped_vectors, trap_self_mapped, trap_self_mapped_end
	.hidden trap_self_mapped_vectors, trap_self_mapped, trap_self_mapped_end
trap_self_mapped_vectors:
	SELF_HEAD
trap_self_mapped:
	msr	tpidr_el1, x9
	adrp	x9, trap_self_interface
	ldr	x9, [x9, :lo12:trap_self_interface]
	ldr	w9, [x9, #0x18]		/* GICC_HPPIR: the processor that asked is above the number */
	and	x9, x9, #0x3ff
	sub	x9, x9, #GIC_SELF
	cbnz	x9, 2f
	adrp	x9, trap_self_interface
	ldr	x9, [x9, :lo12:trap_self_interface]
	ldr	w10, [x9, #0x0c]	/* GICC_IAR */
	str	w10, [x9, #0x10]	/* GICC_EOIR */
	dsb	sy
	eret
trap_self_mapped_end:
	SELF_TAIL

	.p2align 4
trap_common:
	stp	x2, x3, [sp, #0x10]
	stp	x4, x5, [sp, #0x20]
	stp	x6, x7, [sp, #0x30]
	stp	x8, x9, [sp, #0x40]
	stp	x10, x11, [sp, #0x50]
	stp	x12, x13, [sp, #0x60]
	stp	x14, x15, [sp, #0x70]
	stp	x16, x17, [sp, #0x80]
	stp	x18, x19, [sp, #0x90]
	stp	x20, x21, [sp, #0xa0]
	stp	x22, x23, [sp, #0xb0]
	stp	x24, x25, [sp, #0xc0]
	stp	x26, x27, [sp, #0xd0]
	stp	x28, x29, [sp, #0xe0]
	mrs	x1, sp_el0
	stp	x30, x1, [sp, #0xf0]
	mrs	x1, elr_el1
	mrs	x2, spsr_el1
	stp	x1, x2, [sp, #0x100]
	mrs	x1, esr_el1
	mrs	x2, far_el1
	stp	x1, x2, [sp, #0x110]
	str	x0, [sp, #0x120]
	mov	x0, sp
	bl	trap_entered
	ldp	x1, x2, [sp, #0x100]
	msr	elr_el1, x1
	msr	spsr_el1, x2
	ldp	x30, x1, [sp, #0xf0]
	msr	sp_el0, x1
	ldp	x2, x3, [sp, #0x10]
	ldp	x4, x5, [sp, #0x20]
	ldp	x6, x7, [sp, #0x30]
	ldp	x8, x9, [sp, #0x40]
	ldp	x10, x11, [sp, #0x50]
	ldp	x12, x13, [sp, #0x60]
	ldp	x14, x15, [sp, #0x70]
	ldp	x16, x17, [sp, #0x80]
	ldp	x18, x19, [sp, #0x90]
	ldp	x20, x21, [sp, #0xa0]
	ldp	x22, x23, [sp, #0xb0]
	ldp	x24, x25, [sp, #0xc0]
	ldp	x26, x27, [sp, #0xd0]
	ldp	x28, x29, [sp, #0xe0]
	ldp	x0, x1, [sp]
	add	sp, sp, #FRAME
	eret

/* void trap_stacks(void *handlers): from here on SP_EL0 is the stack that is in use, and handlers have this one. */
	.globl trap_stacks
	.hidden trap_stacks
trap_stacks:
	mov	x9, sp
	msr	spsel, #1
	mov	sp, x0
	msr	spsel, #0
	mov	sp, x9
	ret

/* void trap_stacks_back(void): the stack that is in use is SP_EL1 again. */
	.globl trap_stacks_back
	.hidden trap_stacks_back
trap_stacks_back:
	mov	x9, sp
	msr	spsel, #1
	mov	sp, x9
	ret

/* uint64_t guard_save(struct guard_context *c): returns 0; after guard_restore(c, handlers), 1. */
	.globl guard_save
	.hidden guard_save
guard_save:
	stp	x19, x20, [x0]
	stp	x21, x22, [x0, #0x10]
	stp	x23, x24, [x0, #0x20]
	stp	x25, x26, [x0, #0x30]
	stp	x27, x28, [x0, #0x40]
	stp	x29, x30, [x0, #0x50]
	mov	x1, sp
	mrs	x2, daif
	stp	x1, x2, [x0, #0x60]
	stp	d8, d9, [x0, #0x70]
	stp	d10, d11, [x0, #0x80]
	stp	d12, d13, [x0, #0x90]
	stp	d14, d15, [x0, #0xa0]
	mrs	x1, fpcr
	str	x1, [x0, #0xb0]
	mov	x0, #0
	ret

	.globl guard_restore
	.hidden guard_restore
guard_restore:
	msr	spsel, #1
	mov	sp, x1
	msr	spsel, #0
	ldp	x19, x20, [x0]
	ldp	x21, x22, [x0, #0x10]
	ldp	x23, x24, [x0, #0x20]
	ldp	x25, x26, [x0, #0x30]
	ldp	x27, x28, [x0, #0x40]
	ldp	x29, x30, [x0, #0x50]
	ldp	x1, x2, [x0, #0x60]
	mov	sp, x1
	ldp	d8, d9, [x0, #0x70]
	ldp	d10, d11, [x0, #0x80]
	ldp	d12, d13, [x0, #0x90]
	ldp	d14, d15, [x0, #0xa0]
	ldr	x3, [x0, #0xb0]
	msr	fpcr, x3
	msr	daif, x2
	mov	x0, #1
	ret

/* void guard_on_stack(void (*fn)(void *), void *arg, void *top): call it there. */
	.globl guard_on_stack
	.hidden guard_on_stack
guard_on_stack:
	stp	x29, x30, [sp, #-32]!
	str	x19, [sp, #16]
	mov	x29, sp
	mov	x19, sp
	mov	sp, x2
	mov	x9, x0
	mov	x0, x1
	blr	x9
	mov	sp, x19
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret

/*
 * uint64_t window_call(const void *entry, uint64_t word[], void *stack): call a row at EL1 with x0 to x7 and x19 to x22 from word[],
 * on that stack. Everything that a row may change besides is kept here. @return x0
 */
	.globl window_call
	.hidden window_call
window_call:
	stp	x29, x30, [sp, #-0xb0]!
	mov	x29, sp
	stp	x19, x20, [sp, #0x10]
	stp	x21, x22, [sp, #0x20]
	stp	x23, x24, [sp, #0x30]
	stp	x25, x26, [sp, #0x40]
	stp	x27, x28, [sp, #0x50]
	stp	d8, d9, [sp, #0x60]
	stp	d10, d11, [sp, #0x70]
	stp	d12, d13, [sp, #0x80]
	stp	d14, d15, [sp, #0x90]
	mrs	x9, fpcr
	str	x9, [sp, #0xa0]
	mov	x23, sp
	mov	x24, x1
	mov	x9, x0
	mov	sp, x2
	ldp	x19, x20, [x24, #0x40]
	ldp	x21, x22, [x24, #0x50]
	ldp	x0, x1, [x24]
	ldp	x2, x3, [x24, #0x10]
	ldp	x4, x5, [x24, #0x20]
	ldp	x6, x7, [x24, #0x30]
	adr	x10, 1f
	stp	x10, x23, [sp, #-64]!	/* the row's end finds x10 there (window.c) */
	br	x9
1:	ldr	x23, [sp, #8]
	mov	sp, x23
	ldr	x9, [sp, #0xa0]
	msr	fpcr, x9
	ldp	x19, x20, [sp, #0x10]
	ldp	x21, x22, [sp, #0x20]
	ldp	x23, x24, [sp, #0x30]
	ldp	x25, x26, [sp, #0x40]
	ldp	x27, x28, [sp, #0x50]
	ldp	d8, d9, [sp, #0x60]
	ldp	d10, d11, [sp, #0x70]
	ldp	d12, d13, [sp, #0x80]
	ldp	d14, d15, [sp, #0x90]
	ldp	x29, x30, [sp], #0xb0
	ret

/*
 * uint64_t window_call_user(const void *entry, uint64_t word[], void *stack, uint64_t *kept): the same at EL0, which comes back by
 * SVC #0xa55; *kept gets the stack pointer to come back to. The registers that it started with come from trap_entered().
 */
	.globl window_call_user
	.hidden window_call_user
window_call_user:
	stp	x29, x30, [sp, #-0xb0]!
	mov	x29, sp
	stp	x19, x20, [sp, #0x10]
	stp	x21, x22, [sp, #0x20]
	stp	x23, x24, [sp, #0x30]
	stp	x25, x26, [sp, #0x40]
	stp	x27, x28, [sp, #0x50]
	stp	d8, d9, [sp, #0x60]
	stp	d10, d11, [sp, #0x70]
	stp	d12, d13, [sp, #0x80]
	stp	d14, d15, [sp, #0x90]
	mrs	x9, fpcr
	str	x9, [sp, #0xa0]
	mov	x9, sp
	str	x9, [x3]
	mrs	x9, daif
	msr	daifset, #0xb	/* nothing comes between here and there, steps neither; EL0 starts with what is held off now */
	msr	elr_el1, x0
	msr	spsr_el1, x9	/* EL0t, with the masks as they are */
	mov	x24, x1
	msr	spsel, #1	/* SP_EL0 is the stack in use */
	msr	sp_el0, x2
	ldp	x19, x20, [x24, #0x40]
	ldp	x21, x22, [x24, #0x50]
	ldp	x0, x1, [x24]
	ldp	x2, x3, [x24, #0x10]
	ldp	x4, x5, [x24, #0x20]
	ldp	x6, x7, [x24, #0x30]
	eret

/* Where trap_entered() sends the SVC: at EL1 on SP_EL0, which is the kept one; x0 is the result. */
	.globl window_back
	.hidden window_back
window_back:
	ldr	x9, [sp, #0xa0]
	msr	fpcr, x9
	ldp	x19, x20, [sp, #0x10]
	ldp	x21, x22, [sp, #0x20]
	ldp	x23, x24, [sp, #0x30]
	ldp	x25, x26, [sp, #0x40]
	ldp	x27, x28, [sp, #0x50]
	ldp	d8, d9, [sp, #0x60]
	ldp	d10, d11, [sp, #0x70]
	ldp	d12, d13, [sp, #0x80]
	ldp	d14, d15, [sp, #0x90]
	ldp	x29, x30, [sp], #0xb0
	ret
