/*
 * Loads and stores of general registers, aligned, in one page.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL loads, "N times eight loads of eight bytes", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov 8*\i(%rsi), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_LOADS 8, WORD
SIG_LOOP
SIGNATURE_END

KERNEL stores, "N times eight stores of eight bytes", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov %rdi, 8*\i(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_STORES 8, WORD
SIG_LOOP
SIGNATURE_END

KERNEL load_op_store, "N times four read-modify-write instructions on memory", flags=KERNEL_CORE
	add $KERNEL_SCRATCH, %rsi
1:	addq $1, (%rsi)
	xor %rdi, 8(%rsi)
	incl 16(%rsi)
	negb 24(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LOAD, 4, 0
SIG LOADS, 4, 0
SIG LOAD_BYTES, WORD + WORD + 4 + 1, 0
SIG INSN_STORE, 4, 0
SIG STORES, 4, 0
SIG STORE_BYTES, WORD + WORD + 4 + 1, 0
SIG_LOOP
SIGNATURE_END

#ifndef __i386__
KERNEL load_sizes, "N times loads of 1, 2, 4 and 8 bytes, plain and extended"
	add $KERNEL_SCRATCH, %rsi
1:	mov (%rsi), %al
	mov 2(%rsi), %cx
	mov 4(%rsi), %edx
	mov 8(%rsi), %r9
	movzbl (%rsi), %eax
	movzwl 2(%rsi), %ecx
	movsbq (%rsi), %rax
	movswq 2(%rsi), %rcx
	movslq 4(%rsi), %rdx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 1
SIG INSN_LOAD, 9, 0
SIG LOADS, 9, 0
SIG LOAD_BYTES, 1 + 2 + 4 + WORD + 1 + 2 + 1 + 2 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
#endif

KERNEL store_sizes, "N times stores of 1, 2, 4 and 8 bytes, from registers and immediates"
	add $KERNEL_SCRATCH, %rsi
1:	mov %al, (%rsi)
	mov %ah, 1(%rsi)
	mov %cx, 2(%rsi)
	mov %edx, 4(%rsi)
	mov %r9, 8(%rsi)
	movb $1, 16(%rsi)
	movw $2, 18(%rsi)
	movl $3, 20(%rsi)
	MOVE_WORD $4, 24(%rsi)
	setz 32(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 10 + 2, 1
SIG INSN_STORE, 10, 0
SIG STORES, 10, 0
SIG STORE_BYTES, 1 + 1 + 2 + 4 + WORD + 1 + 2 + 4 + WORD + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL load_op, "N times arithmetic with a source in memory, which is read and not written"
	add $KERNEL_SCRATCH, %rsi
1:	.irp op, add, or, adc, sbb, and, sub, xor, cmp
	\op (%rsi), %rax
	.endr
	test %ecx, 8(%rsi)
	cmpb $5, 16(%rsi)
	btl $3, 20(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 3 + 2, 1
SIG INSN_LOAD, 8 + 3, 0
SIG LOADS, 8 + 3, 0
SIG LOAD_BYTES, WORD*8 + 4 + 1 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL read_modify_write, "N times every read-modify-write instruction on memory, none locked"
	add $KERNEL_SCRATCH, %rsi
	mov $3, %ecx
1:	.irp op, add, or, adc, sbb, and, sub, xor
	\op %rax, (%rsi)
	.endr
	.irp op, incl, decl, negl, notl, shll, rorl
	\op 8(%rsi)
	.endr
	btsl $3, 16(%rsi)
	btrl $3, 16(%rsi)
	btcl $3, 16(%rsi)
	xadd %eax, 20(%rsi)
	cmpxchg %ecx, 24(%rsi)
	sarl %cl, 28(%rsi)
	shldl $5, %eax, 32(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 7 + 6 + 7 + 2, 2
SIG INSN_LOAD, 7 + 6 + 7, 0
SIG LOADS, 7 + 6 + 7, 0
SIG LOAD_BYTES, 7*WORD + 6*4 + 7*4, 0
SIG INSN_STORE, 7 + 6 + 7, 0
SIG STORES, 7 + 6 + 7, 0
SIG STORE_BYTES, 7*WORD + 6*4 + 7*4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* The bit is in the word, doubleword or quadword that its number says: 200 bits behind the address. */
KERNEL bit_strings, "N times bit tests whose number in a register leads beyond the operand that is named"
	add $KERNEL_SCRATCH, %rsi
	mov $200, %ecx
1:	.irp r, cx, ecx, rcx
	bt %\r, (%rsi)
	bts %\r, (%rsi)
	btr %\r, (%rsi)
	btc %\r, (%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3*4 + 2, 2
SIG INSN_LOAD, 3*4, 0
SIG LOADS, 3*4, 0
SIG LOAD_BYTES, 4*(2 + 4 + WORD), 0
SIG INSN_STORE, 3*3, 0
SIG STORES, 3*3, 0
SIG STORE_BYTES, 3*(2 + 4 + WORD), 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL setcc_memory, "N times SETcc of all sixteen conditions to memory"
	add $KERNEL_SCRATCH, %rsi
1:	.irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	set\cc (%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 16 + 2, 1
SIG_STORES 16, 1
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL addressing_modes, "N times loads through every shape of address"
	mov $KERNEL_SCRATCH, %eax
	lea KERNEL_SCRATCH(%rsi), %rdx
1:	mov (%rdx), %rcx
	mov 8(%rdx), %rcx
	mov 0x200(%rdx), %rcx
	mov (%rsi, %rax), %rcx
	mov 16(%rsi, %rax), %rcx
	mov 0x200(%rsi, %rax), %rcx
	mov -KERNEL_SCRATCH(%rdx, %rax, 2), %rcx
	mov NEAR(1b), %rcx
	mov (%rsp), %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 9 + 2, 2
SIG_LOADS 9, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL table_lookup, "N times XLAT"
	mov $3, %eax
	lea KERNEL_SCRATCH(%rsi), %rbx
	movl $0x03030303, (%rbx)
1:	xlat
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 3
SIG_LOADS 1, 1
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, 4
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL movbe, "N times MOVBE from and to memory", needs=KERNEL_NEEDS_MOVBE
	add $KERNEL_SCRATCH, %rsi
1:	movbe (%rsi), %rax
	movbe %rax, 8(%rsi)
	movbe 16(%rsi), %ecx
	movbe %cx, 24(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, WORD + 4, 0
SIG INSN_STORE, 2, 0
SIG STORES, 2, 0
SIG STORE_BYTES, WORD + 2, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define LINKS 16
KERNEL load_chain, "N times sixteen loads, each of which gives the next one's address"
	lea KERNEL_SCRATCH(%rsi), %rax
	mov %rax, (%rax)
1:	.rept LINKS
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, LINKS + 2, 2
SIG_LOADS LINKS, WORD
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE CYCLES, LINKS, 0, (LINKS*8 + 2)*2, 2*2 + CYCLES_ONCE, "a load that hits takes one to eight cycles, twice that beside a sibling thread"
SIG_RANGE L1D_LOAD_MISS, 0, 0, 0, 8, "the only line has just been written; others may take it eight times in a run"
SIGNATURE_END
