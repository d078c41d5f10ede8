/*
 * Loads that meet an older store which is still in flight.
 */
#include "tests/kernels/kernel.h"

#define SEEN "a store leaves the buffer after it has retired, when the load has long looked for it; not each load need be counted"

KERNEL forward_same, "N times a store and a load of the same eight bytes, which depend on each other"
	add $KERNEL_SCRATCH, %rsi
1:	.rept 4
	mov %rax, (%rsi)
	mov (%rsi), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4*2 + 2, 1
SIG_LOADS 4, 8
SIG_STORES 4, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 1, 0, 4, 0, SEEN
SIG_RANGE STORE_FORWARD_BLOCK, 0, 0, 0, 0, "the load asks for exactly what was stored"
SIGNATURE_END

KERNEL forward_part, "N times a store of eight bytes and loads of parts of them"
	add $KERNEL_SCRATCH, %rsi
1:	mov %rax, (%rsi)
	mov (%rsi), %ecx
	mov 4(%rsi), %edx
	movzbl 7(%rsi), %eax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG_STORES 1, 8
SIG INSN_LOAD, 3, 0
SIG LOADS, 3, 0
SIG LOAD_BYTES, 4 + 4 + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 1, 0, 3, 0, SEEN
SIGNATURE_END

KERNEL forward_blocked, "N times narrow stores and a wider load over both, which no single store can serve"
	add $KERNEL_SCRATCH, %rsi
1:	mov %eax, (%rsi)
	mov %eax, 4(%rsi)
	mov (%rsi), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_STORES 2, 4
SIG_LOADS 1, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 0, 0, 0, 0, "no store covers the load"
SIG_RANGE STORE_FORWARD_BLOCK, 1, -2, 4, 8, "a blocked load may be counted again each time it tries; hardly ever have the stores left before"
SIGNATURE_END

KERNEL alias_4k, "N times a store and a load of other bytes whose addresses are equal in their low twelve bits"
1:	mov %rax, KERNEL_SCRATCH + 0x100(%rsi)
	mov KERNEL_SCRATCH + 0x1100(%rsi), %rcx
	mov %rax, KERNEL_SCRATCH + 0x2104(%rsi)
	mov KERNEL_SCRATCH + 0x3104(%rsi), %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG_STORES 2, 8
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 8 + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIG STORE_FORWARD, 0, 0
SIGNATURE_END
