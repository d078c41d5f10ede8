/*
 * Plain code: nothing, NOPs, integers.
 */
#include "tests/kernels/aarch64/kernel.h"

KERNEL empty, "nothing at all", flags=KERNEL_CORE
KERNEL_END
SIGNATURE_END

KERNEL loop, "N turns of nothing", flags=KERNEL_CORE
1:	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2
SIG_LOOP
SIGNATURE_END

KERNEL nop_loop, "N times ten NOPs", flags=KERNEL_CORE
1:	.rept 10
	nop
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 10 + 2
SIG INSN_NOP, 10
SIG_LOOP
SIGNATURE_END

KERNEL nop_straight, "N times 250 NOPs", flags=KERNEL_STILL
1:	.rept 250
	nop
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 250 + 2
SIG INSN_NOP, 250
SIG_LOOP
SIGNATURE_END

KERNEL nop_sled, "N times sixty-four NOPs"
1:	.rept 64
	nop
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 64 + 2
SIG INSN_NOP, 64
SIG_LOOP
SIGNATURE_END

KERNEL hints, "N times YIELD and SEV, hints that are not defined to do nothing"
1:	yield
	sev
	sevl
	wfe
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4 + 2
SIG_LOOP
SIGNATURE_END

KERNEL integer, "N times additions, shifts, logic"
1:	add	x3, x3, #7
	sub	x4, x3, x4, lsl #3
	and	x5, x3, #0xff
	orr	x6, x5, x4
	eor	x7, x6, x3
	lsl	x8, x7, #5
	ror	x9, x8, #11
	adds	w10, w9, w3
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG_LOOP
SIGNATURE_END

KERNEL bitfields, "N times bit fields, counts of bits, reversals"
1:	ubfx	x3, x0, #3, #9
	sbfiz	x4, x3, #5, #7
	bfi	x5, x4, #8, #8
	extr	x6, x5, x4, #17
	clz	x7, x6
	cls	x8, x6
	rbit	x9, x6
	rev	x10, x9
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG_LOOP
SIGNATURE_END

KERNEL multiply, "N times six multiplications", flags=KERNEL_CORE
1:	mul	x3, x0, x0
	madd	x4, x3, x0, x3
	msub	w5, w3, w4, w0
	smulh	x6, x3, x4
	umulh	x7, x3, x4
	smull	x8, w3, w4
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2
SIG INSN_MUL, 6
SIG_LOOP
SIGNATURE_END

KERNEL divide, "N times two divisions, one of them by zero, which gives zero", flags=KERNEL_CORE
	mov	x3, #1000
1:	udiv	x4, x3, x0
	sdiv	w5, w3, wzr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_DIV, 2
SIG_LOOP
SIGNATURE_END

KERNEL select, "N times conditional selects and compares"
1:	cmp	x0, #5
	csel	x3, x0, x1, lo
	csinc	x4, x3, x0, eq
	csinv	x5, x4, x0, mi
	csneg	x6, x5, x0, vs
	ccmp	x6, x5, #0, ne
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2
SIG INSN_CSEL, 4
SIG_LOOP
SIGNATURE_END

KERNEL checksums, "N times CRC32 of one and of eight bytes", needs=KERNEL_NEEDS_CRC
	.arch	armv8-a+crc
1:	crc32b	w3, w3, w0
	crc32cx	w4, w4, x0
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 2 + 2
SIG INSN_CRC, 2
SIG_LOOP
SIGNATURE_END

KERNEL moves, "N times moves of wide immediates and registers"
1:	movz	x3, #0x1234
	movk	x3, #0x5678, lsl #16
	movn	x4, #1
	mov	x5, x4
	adr	x6, 1b
	adrp	x7, 1b
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 6 + 2
SIG_LOOP
SIGNATURE_END
