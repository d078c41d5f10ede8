/*
 * The plainest kernels: nothing at all, NOPs, a mix of integer instructions, and a chain of dependent ones.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL empty, "no instruction: what remains is the bracket", flags=KERNEL_CORE
KERNEL_END
SIGNATURE_END

KERNEL loop, "N turns of the bare counted loop", flags=KERNEL_CORE
1:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2, 0
SIG_LOOP
SIGNATURE_END

KERNEL nop_loop, "N times ten NOPs", flags=KERNEL_CORE
1:	.rept 10
	nop
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 10 + 2, 0
SIG INSN_NOP, 10, 0
SIG_LOOP
SIG_RANGE LOOPS_KEPT, 1, -128, 1, 0, "all but the turns in which it becomes known"
SIGNATURE_END

KERNEL mix, "N times twelve integer instructions of different kinds", flags=KERNEL_CORE
	mov $7, %ecx
1:	add %rdi, %rax
	adc $3, %rdx
	sub %ecx, %r9d
	and $0xff, %eax
	or %rdx, %r9
	xor %r10d, %r10d
	lea 5(%rdi, %rdx, 2), %r11
	shl %cl, %r9
	imul %r11, %rdx
	bswap %rax
	movzbl %al, %eax
	test %rax, %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 12 + 2, 1
SIG INSN_MUL, 1, 0
SIG_LOOP
SIGNATURE_END

#define CHAIN 16
KERNEL dependency_chain, "N times sixteen multiplications, each waiting for the one before", flags=KERNEL_CORE
	mov $3, %eax
1:	.rept CHAIN
	imul %rax, %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, CHAIN + 2, 1
SIG INSN_MUL, CHAIN, 0
SIG_LOOP
SIG_RANGE CYCLES, CHAIN, 0, (CHAIN*12 + 2)*2, 1*2 + CYCLES_ONCE, "a multiplication takes one to twelve cycles, twice that beside a sibling thread"
SIGNATURE_END
