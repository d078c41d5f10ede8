/*
 * x87: arithmetic, transfers, comparisons, control. All operands are normal numbers.
 */
#include "tests/kernels/x86/vector.h"

KERNEL x87_arithmetic, "N times x87 add, subtract, multiply, divide, square root", flags=KERNEL_CORE
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
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_forms, "N times the reversed and popping forms of x87 arithmetic"
	fld1
1:	fldpi
	fldpi
	fldpi
	fldpi
	fsubr %st(1), %st
	fsubp
	fsubrp
	fmulp
	fdivr %st, %st(1)
	fdivrp
	fldpi
	faddp
	fstp %st(0)
	fld1
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 4 + 6 + 4 + 2, 1 + 1
SIG INSN_X87, 4 + 6 + 4, 1 + 1
SIG X87_OPS, 6 + 1, 0
SIG FP_DIV, 2, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_memory_operands, "N times x87 arithmetic with a source in memory: single, double, 16- and 32-bit integer"
	add $KERNEL_SCRATCH, %rsi
	movl $0x3fc00000, (%rsi)
	DOUBLE_AT 0x3ff80000, 8
	movl $3, 16(%rsi)
	fld1
1:	fadds (%rsi)
	fsubs (%rsi)
	fmull 8(%rsi)
	fdivl 8(%rsi)
	fiadds 16(%rsi)
	fisubs 16(%rsi)
	fimull 16(%rsi)
	fidivl 16(%rsi)
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 6 + 1
SIG INSN_X87, 8, 1 + 1
SIG X87_OPS, 8, 0
SIG FP_DIV, 2, 0
SIG INSN_LOAD, 8, 0
SIG LOADS, 8, 0
SIG LOAD_BYTES, 2*4 + 2*8 + 2*2 + 2*4, 0
SIG INSN_STORE, 0, 2 + DOUBLE_STORES
SIG STORES, 0, 2 + DOUBLE_STORES
SIG STORE_BYTES, 0, 4 + 8 + 4
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_memory_reversed, "N times the reversed forms of x87 arithmetic with a source in memory"
	add $KERNEL_SCRATCH, %rsi
	movl $0x3fc00000, (%rsi)
	DOUBLE_AT 0x3ff80000, 8
	movl $5, 16(%rsi)
1:	fld1
	fsubrs (%rsi)
	fdivrl 8(%rsi)
	fisubrs 16(%rsi)
	fidivrl 16(%rsi)
	fstp %st(0)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 4 + 1 + 2, 5
SIG INSN_X87, 1 + 4 + 1, 0
SIG X87_OPS, 4, 0
SIG FP_DIV, 2, 0
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, 4 + 8 + 2 + 4, 0
SIG INSN_STORE, 0, 2 + DOUBLE_STORES
SIG STORES, 0, 2 + DOUBLE_STORES
SIG STORE_BYTES, 0, 4 + 8 + 4
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_loads, "N times x87 loads of each format, and stores that pop"
	add $KERNEL_SCRATCH, %rsi
	movl $0x3fc00000, (%rsi)
	DOUBLE_AT 0x3ff80000, 8
	MOVE_WORD $12345, 16(%rsi)
	fld1
	fstpt 32(%rsi)
1:	flds (%rsi)
	fldl 8(%rsi)
	fldt 32(%rsi)
	filds 16(%rsi)
	fildl 16(%rsi)
	fildll 16(%rsi)
	fistpll 16(%rsi)
	fistpl 24(%rsi)
	fistps 28(%rsi)
	fstpt 32(%rsi)
	fstpl 8(%rsi)
	fstps (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 6 + 6 + 2, 7
SIG INSN_X87, 6 + 6, 2
SIG INSN_LOAD, 6, 0
SIG LOADS, 6, 0
SIG LOAD_BYTES, 4 + 8 + 10 + 2 + 4 + 8, 0
SIG INSN_STORE, 6, 2 + DOUBLE_STORES + 1
SIG STORES, 6, 2 + DOUBLE_STORES + 1
SIG STORE_BYTES, 8 + 4 + 2 + 10 + 8 + 4, 4 + 8 + WORD + 10
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_stores, "N times x87 stores that do not pop"
	add $KERNEL_SCRATCH, %rsi
	fld1
1:	fsts (%rsi)
	fstl 8(%rsi)
	fists 16(%rsi)
	fistl 20(%rsi)
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 2 + 1
SIG INSN_X87, 4, 1 + 1
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, 4 + 8 + 2 + 4, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_decimal, "N times a store and a load of packed decimal numbers"
	add $KERNEL_SCRATCH, %rsi
	fld1
1:	fbstp (%rsi)
	fbld (%rsi)
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2 + 1
SIG INSN_X87, 2, 1 + 1
SIG INSN_FBSTP, 1, 0
SIG_STORES 1, 10
SIG_LOADS 1, 10
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_truncate, "N times FISTTP", needs=KERNEL_NEEDS_SSE3
	add $KERNEL_SCRATCH, %rsi
1:	fldpi
	fldpi
	fldpi
	fisttps (%rsi)
	fisttpl 4(%rsi)
	fisttpll 8(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 3 + 2, 1
SIG INSN_X87, 3 + 3, 0
SIG INSN_STORE, 3, 0
SIG STORES, 3, 0
SIG STORE_BYTES, 2 + 4 + 8, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_constants, "N times the seven constants"
1:	.irp c, 1, l2t, l2e, pi, lg2, ln2, z
	fld\c
	.endr
	.rept 7
	fstp %st(0)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 7 + 2, 0
SIG INSN_X87, 7 + 7, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_compare, "N times x87 comparisons, to the status word and to the flags"
	fld1
	fldpi
1:	fcom %st(1)
	fucom %st(1)
	fcomi %st(1), %st
	fucomi %st(1), %st
	ftst
	fxam
	fnstsw %ax
	fld %st(0)
	fcomp %st(1)
	fld %st(0)
	fucomip %st(1), %st
	dec %rdi
	jnz 1b
	fcompp
KERNEL_END
SIG INSTRUCTIONS, 11 + 2, 2 + 1
SIG INSN_X87, 11, 2 + 1
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_compare_pops, "N times x87 comparisons that pop"
1:	fld1
	fldpi
	fucompp
	fld1
	fldpi
	fcomip %st(1), %st
	fucomp %st(0)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 4 + 2, 0
SIG INSN_X87, 3 + 4, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_compare_memory, "N times x87 comparisons with an operand in memory: single, double, 16- and 32-bit integer"
	add $KERNEL_SCRATCH, %rsi
	movl $0x3fc00000, (%rsi)
	DOUBLE_AT 0x3ff80000, 8
	movl $3, 16(%rsi)
	fld1
1:	fcoms (%rsi)
	fcoml 8(%rsi)
	ficoms 16(%rsi)
	ficoml 16(%rsi)
	.rept 4
	fld %st(0)
	.endr
	fcomps (%rsi)
	fcompl 8(%rsi)
	ficomps 16(%rsi)
	ficompl 16(%rsi)
	dec %rdi
	jnz 1b
	fstp %st(0)
KERNEL_END
SIG INSTRUCTIONS, 4 + 4 + 4 + 2, 6 + 1
SIG INSN_X87, 4 + 4 + 4, 1 + 1
SIG INSN_LOAD, 2*4, 0
SIG LOADS, 2*4, 0
SIG LOAD_BYTES, 2*(4 + 8 + 2 + 4), 0
SIG INSN_STORE, 0, 2 + DOUBLE_STORES
SIG STORES, 0, 2 + DOUBLE_STORES
SIG STORE_BYTES, 0, 4 + 8 + 4
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_cmov, "N times FCMOVcc of all eight conditions"
	fld1
	fldpi
1:	.irp cc, b, e, be, u, nb, ne, nbe, nu
	fcmov\cc %st(1), %st
	.endr
	dec %rdi
	jnz 1b
	fcompp
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 2 + 1
SIG INSN_X87, 8, 2 + 1
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_sign_and_scale, "N times x87 operations that are no arithmetic in the sense of x87.ops"
	fld1
	fldpi
1:	fchs
	fabs
	frndint
	fxch
	fscale
	fxch
	fldpi
	fxtract
	fcompp
	dec %rdi
	jnz 1b
	fcompp
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 2 + 1
SIG INSN_X87, 9, 2 + 1
SIG INSN_FXCH, 2, 0
SIG_LOOP
SIGNATURE_END

KERNEL x87_transcendental, "N times sine, cosine, tangent, arctangent, logarithm, power"
1:	fld1
	fsin
	fcos
	fsincos
	fpatan
	fptan
	fpatan
	fstp %st(0)
	fld1
	fldpi
	fyl2x
	fstp %st(0)
	fld1
	fchs
	f2xm1
	fstp %st(0)
	fld1
	fldlg2
	fyl2xp1
	fstp %st(0)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 4 + 2, 0
SIG INSN_X87, 16 + 4, 0
SIG_LOOP
SIGNATURE_END

KERNEL x87_remainder, "N times FPREM and FPREM1"
	fld1
	fldpi
1:	fprem
	fprem1
	dec %rdi
	jnz 1b
	fcompp
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 2 + 1
SIG INSN_X87, 2, 2 + 1
SIG X87_OPS, 2, 0
SIG X87_REMAINDER, 2, 0
SIG_LOOP
SIGNATURE_END

KERNEL x87_control, "N times loads and stores of the control and status words"
	add $KERNEL_SCRATCH, %rsi
	fnstcw (%rsi)
1:	fnstcw 8(%rsi)
	fldcw (%rsi)
	fnstsw 16(%rsi)
	fnstsw %ax
	fnclex
	fwait
	fnop
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 2
SIG INSN_X87, 7, 1
SIG INSN_X87_CONTROL, 1, 0
SIG INSN_FLDCW, 1, 0
SIG INSN_X87_CLEAR, 1, 0
SIG INSN_FWAIT, 1, 0
SIG INSN_STORE, 2, 1
SIG STORES, 2, 1
SIG STORE_BYTES, 2*2, 2
SIG_LOADS 1, 2
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_control_change, "N times FLDCW that changes the rounding mode, and back"
	add $KERNEL_SCRATCH, %rsi
	movw $0x0f7f, (%rsi)
	movw $0x037f, 2(%rsi)
1:	fldcw (%rsi)
	fldcw 2(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 3
SIG INSN_X87, 2, 0
SIG INSN_X87_CONTROL, 2, 0
SIG INSN_FLDCW, 2, 0
SIG_LOADS 2, 2
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*2
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

/* No flag is set: none of them raises an exception. */
KERNEL x87_mask_change, "N times FLDCW that unmasks the exception of inexact results, and back, eight times each"
	add $KERNEL_SCRATCH, %rsi
	movw $0x035f, (%rsi)
	movw $0x037f, 2(%rsi)
	fnclex
1:	.rept 8
	fldcw (%rsi)
	fldcw 2(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 4
SIG INSN_X87, 16, 1
SIG INSN_X87_CONTROL, 16, 0
SIG INSN_FLDCW, 16, 0
SIG INSN_X87_CLEAR, 0, 1
SIG_LOADS 16, 2
SIG INSN_STORE, 0, 2
SIG STORES, 0, 2
SIG STORE_BYTES, 0, 2*2
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_environment, "N times FNSTENV and FLDENV: one access of 28 bytes each"
	add $KERNEL_SCRATCH, %rsi
1:	fnstenv (%rsi)
	fldenv (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_X87, 2, 0
SIG INSN_X87_CONTROL, 1, 0
SIG_STORES 1, 28
SIG_LOADS 1, 28
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_state, "N times FNSAVE and FRSTOR: one access of 108 bytes each, which spans two lines"
	add $KERNEL_SCRATCH, %rsi
1:	fnsave (%rsi)
	frstor (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG INSN_X87, 2, 0
SIG INSN_X87_CONTROL, 1, 0
SIG INSN_X87_CLEAR, 1, 0
SIG_STORES 1, 108
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOADS 1, 108
SIG LOADS_SPLIT_LINE, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_stack, "N times the instructions that move the x87 stack about"
	fld1
	fldpi
1:	fxch %st(1)
	fld %st(1)
	fst %st(3)
	ffree %st(3)
	fincstp
	fdecstp
	fstp %st(0)
	dec %rdi
	jnz 1b
	fcompp
KERNEL_END
SIG INSTRUCTIONS, 7 + 2, 2 + 1
SIG INSN_X87, 7, 2 + 1
SIG INSN_FXCH, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_initialise, "N times FNINIT"
1:	fninit
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG INSN_X87, 1, 0
SIG INSN_X87_CLEAR, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

/* Some CPUs count such a one twice (family 10H: V. Weaver et al., Non-determinism and overcount, ISPASS 2013). */
.macro DIVIDE_BY_ZERO
	fldz
	fld1
	fdiv %st(1), %st
.endm

KERNEL x87_flag_set, "N times FNCLEX, FNINIT and FNSAVE with the flag of a masked exception set"
	add $KERNEL_SCRATCH, %rsi
1:	DIVIDE_BY_ZERO
	fnclex
	fcompp
	DIVIDE_BY_ZERO
	fninit
	DIVIDE_BY_ZERO
	fnsave (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3*3 + 3 + 1 + 2, 1
SIG INSN_X87, 3*3 + 3 + 1, 0
SIG INSN_X87_CLEAR, 3, 0
SIG X87_OPS, 3, 0
SIG FP_DIV, 3, 0
SIG_STORES 1, 108
SIG STORES_SPLIT_LINE, 1, 0
SIG_LOOP
SIG_NO_DENORMALS
SIGNATURE_END

KERNEL x87_stack_overflow, "N times a ninth push onto a full x87 stack: a masked invalid operation"
1:	.rept 9
	fld1
	.endr
	.rept 8
	fstp %st(0)
	.endr
	fnclex
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 8 + 1 + 2, 0
SIG INSN_X87, 9 + 8 + 1, 0
SIG INSN_X87_CLEAR, 1, 0
SIG_LOOP
SIGNATURE_END
