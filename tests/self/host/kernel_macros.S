/*
 * For kernel-macros.t: the macros that every instruction set shares, without an instruction. What it declares is repeated there.
 */
.macro KERNEL_BEHIND
	.byte 0xee
.endm

#include "tests/kernels/macros.h"

/* clang-format off */

KERNEL first, "twelve bytes", needs=0x123456789a, flags=KERNEL_CORE | KERNEL_NO_PATH
	.byte 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
KERNEL_END
SIG INSTRUCTIONS, 10 + 2, -1
SIG BRANCHES, 0x7fffffff, -0x80000000
SIG WIDE_299, 1
SIG_RANGE CYCLES, 1, -2, 3, 0x12345678, "a reason"
SIG_LOOP
SIG_LOADS 3, 8
SIGNATURE_END

KERNEL empty, "nothing"
KERNEL_END
SIGNATURE_END

KERNEL last, "a range at each end of it, and more lines than eight bits can tell", flags=KERNEL_SERVICE_CHAIN_HELD
	.skip 300
KERNEL_END
SIG_RANGE WIDE_299, 0, 0, 0, 1, "first"
SIG STORES, 0, 7
.rept 299
SIG LOADS, 1, 1
.endr
SIG_ONE_WAY 4 + 1
SIGNATURE_END
