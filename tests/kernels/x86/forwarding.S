/*
 * Loads that meet an older store which is still in flight.
 */
#include "tests/kernels/x86/kernel.h"

/* Of a word. */
#define HALF (WORD/2)
#ifdef __i386__
#define HALF_LOAD     movzwl
#define HALF_REGISTER %ax
#else
#define HALF_LOAD     mov
#define HALF_REGISTER %eax
#endif

#define SEEN "a store leaves the buffer after it has retired, when the load has long looked for it; loads that are served in one cycle may be counted as one"

KERNEL forward_same, "N times a store and a load of the same word, which depend on each other"
	add $KERNEL_SCRATCH, %rsi
1:	.rept 4
	mov %rax, (%rsi)
	mov (%rsi), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4*2 + 2, 1
SIG_LOADS 4, WORD
SIG_STORES 4, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 1, 0, 4, 0, SEEN
SIG_RANGE STORE_FORWARD_BLOCK, 0, 0, 0, 0, "the load asks for exactly what was stored"
SIGNATURE_END

KERNEL forward_part, "N times a store of a word and loads of parts of them"
	add $KERNEL_SCRATCH, %rsi
1:	mov %rax, (%rsi)
	HALF_LOAD (%rsi), %ecx
	HALF_LOAD HALF(%rsi), %edx
	movzbl WORD - 1(%rsi), %eax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG_STORES 1, WORD
SIG INSN_LOAD, 3, 0
SIG LOADS, 3, 0
SIG LOAD_BYTES, 2*HALF + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 1, 0, 3, 0, SEEN
SIGNATURE_END

KERNEL forward_blocked, "N times narrow stores and a wider load over both, which no single store can serve"
	add $KERNEL_SCRATCH, %rsi
1:	mov HALF_REGISTER, (%rsi)
	mov HALF_REGISTER, HALF(%rsi)
	mov (%rsi), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG_STORES 2, HALF
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_FORWARD, 0, 0, 0, 0, "no store covers the load"
SIG_RANGE STORE_FORWARD_BLOCK, 1, 0, 1 + 2, 0, "the load is blocked, and may try in vain once more as each of the stores leaves"
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
SIG_STORES 2, WORD
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, WORD + 4, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIG STORE_FORWARD, 0, 0
SIGNATURE_END

/* Half of the turns at random, so that no predictor of such dependences is right for long. */
KERNEL store_address_late, "N times a store whose address is known late, and a load that finds it in its way every other time"
	mov KERNEL_PARAM_RANDOM(%rsi), %rax
	or $1, %rax
	mov %rsi, %r10
	add $KERNEL_SCRATCH, %rsi
1:	mov %rax, %rcx
	shl $13, %rcx
	xor %rcx, %rax
	mov %rax, %rcx
	shr $7, %rcx
	xor %rcx, %rax
	mov %rax, %rcx
	shl $17, %rcx
	xor %rcx, %rax
	mov %eax, %ecx
	and $64, %ecx
	.rept 8
	imul $1, %rcx, %rcx
	.endr
	mov %rdi, (%rsi, %rcx)
	mov (%rsi), %rdx
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_RANDOM(%r10)
KERNEL_END
SIG INSTRUCTIONS, 11 + 8 + 2 + 2, 4 + 1
SIG INSN_MUL, 8, 0
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, WORD, WORD
SIG INSN_STORE, 1, 1
SIG STORES, 1, 1
SIG STORE_BYTES, WORD, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE CLEARS_MO, 0, 0, 1, 0, "a load that went ahead of the store is done again, on some CPUs by a machine clear; others wait"
SIG_RANGE STORE_FORWARD, 0, 0, 1, 1, "every other load finds the store in its way, each one an older store if that is still there; all may have left by then"
SIG_RANGE STORE_FORWARD_BLOCK, 0, 0, 1 + 1, 0, "a load may wait for the store's address, and try once more as the store leaves"
SIGNATURE_END
