/*
 * Integer multiplication and division of each size.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL multiply, "N times MUL and IMUL in all forms"
	mov $3, %ecx
1:	mul %cl
	mul %cx
	mul %ecx
	mul %rcx
	imul %cl
	imul %cx
	imul %ecx
	imul %rcx
	imul %rcx, %r9
	imul %ecx, %r10d
	imul $17, %rcx, %r11
	imul $0x12345, %ecx, %eax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 12 + 2, 1
SIG INSN_MUL, 12, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL multiply_memory, "N times multiplication by an operand in memory"
	MOVE_WORD $5, KERNEL_SCRATCH(%rsi)
1:	imul KERNEL_SCRATCH(%rsi), %r9
	imul $3, KERNEL_SCRATCH(%rsi), %r10d
	mulq KERNEL_SCRATCH(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_MUL, 3, 0
SIG INSN_LOAD, 3, 0
SIG LOADS, 3, 0
SIG LOAD_BYTES, WORD + 4 + WORD, 0
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL multiply_memory_sizes, "N times MUL and IMUL by an operand in memory of each size"
	MOVE_WORD $5, KERNEL_SCRATCH(%rsi)
1:	.irp size, b, w, l, q
	mul\size KERNEL_SCRATCH(%rsi)
	imul\size KERNEL_SCRATCH(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4*2 + 2, 1
SIG INSN_MUL, 4*2, 0
SIG INSN_LOAD, 4*2, 0
SIG LOADS, 4*2, 0
SIG LOAD_BYTES, 2*(1 + 2 + 4 + WORD), 0
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL divide, "N times DIV and IDIV of each size, 100 by 7"
	mov $7, %ecx
1:	mov $100, %eax
	div %cl
	mov $100, %eax
	idiv %cl
	.irp r, cx, ecx, rcx
	mov $100, %eax
	xor %edx, %edx
	div %\r
	mov $100, %eax
	xor %edx, %edx
	idiv %\r
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2*2 + 3*(3 + 3) + 2, 1
SIG INSN_DIV, 2 + 3*2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#ifndef __i386__
KERNEL divide_memory, "N times DIV and IDIV by an operand in memory of each size, 100 by 7"
	MOVE_WORD $7, KERNEL_SCRATCH(%rsi)
1:	.irp op, div, idiv
	mov $100, %eax
	\op\()b KERNEL_SCRATCH(%rsi)
	.irp size, w, l, q
	mov $100, %eax
	xor %edx, %edx
	\op\size KERNEL_SCRATCH(%rsi)
	.endr
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2*(2 + 3*3) + 2, 1
SIG INSN_DIV, 2*4, 0
SIG INSN_LOAD, 2*4, 0
SIG LOADS, 2*4, 0
SIG LOAD_BYTES, 2*(1 + 2 + 4 + WORD), 0
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL divide_long, "N times a division of 128 by 64 bits with a quotient of 64 bits"
	mov $0xfedcba9876543211, %rcx
1:	mov $0x7edcba9876543210, %rdx
	mov $0x0123456789abcdef, %rax
	div %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_DIV, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
