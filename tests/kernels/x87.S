/*
 * x87: arithmetic, transfers, control.
 */
#include "tests/kernels/kernel.h"

KERNEL x87_arithmetic, "N times x87 add, subtract, multiply, divide, square root on normal numbers", flags=KERNEL_CORE
	fld1
	fldpi
1:	fadd %st(1), %st
	fsub %st(1), %st
	fmul %st(1), %st
	fdiv %st(1), %st
	fld %st(0)
	fsqrt
	fstp %st(0)
	dec %rdi
	jnz 1b
	fstp %st(0)
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 2 + 2
SIG INSN_X87, 7, 2 + 2
SIG X87_OPS, 5, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIG_RANGE ASSISTS_FP, 0, 0, 0, 0, "no operand is denormal"
SIGNATURE_END
