/*
 * Code as data: code that changes itself through its writable alias (R8 bytes away).
 */
#include "tests/kernels/x86/kernel.h"

/* What may hold an instruction's old bytes: the instruction cache, the cache of decoded ones, the loop's buffer, the pipeline. */
#define PLACES 4

#ifndef __i386__
KERNEL self_modifying, "N times a store into the immediate operand of the next instruction", flags=KERNEL_SERVICE_ALIAS
	lea NEAR(2f + 1), %rax
	add %r8, %rax
1:	mov %dil, (%rax)
	jmp 2f
2:	mov $0, %cl
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 2
SIG_STORES 1, 1
SIG BRANCHES, 1 + 1, 0
SIG BR_JMP_DIRECT, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE CLEARS_SMC, 1, 0, PLACES, 0, "each store hits the line that runs; each place that holds its old bytes may ask for a clear, one of them does"
SIGNATURE_END
#endif

#ifndef __i386__ /* CPUID takes EBX */
KERNEL self_modifying_serialised, "N times a change of an INC into a DEC or back, CPUID, and that instruction", flags=KERNEL_SERVICE_ALIAS
	lea NEAR(2f + 1), %r9
	add %r8, %r9
1:	xorb $0x08, (%r9)
	xor %eax, %eax
	cpuid
2:	inc %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 2
SIG INSN_CPUID, 1, 0
SIG INSN_SERIALIZING, 1, 0
SIG_LOADS 1, 1
SIG_STORES 1, 1
SIG_LOOP
SIG_RANGE CLEARS_SMC, 0, 0, PLACES, 0, "each store hits a line in use; the serialising instruction has it fetched anew, or each place that holds its old bytes asks for a clear"
SIGNATURE_END
#endif

KERNEL code_read, "N times loads from the code that runs"
1:	mov NEAR(1b), %rax
	movzbl NEAR(1b), %ecx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, WORD + 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define REFETCHED "it was dropped before; a fetch that is given up for a misprediction, and begun again, misses twice"

/*
 * The flushed line is kept apart from the loop, wherever the kernel comes to lie. What follows a flush is fetched from memory.
 */
KERNEL code_flushed, "N times CLFLUSH of a line of code, MFENCE, and a jump into it: an instruction fetch that misses"
1:	clflush NEAR(2f)
	mfence
	jmp 2f
	.skip 128, 0xcc
2:	jmp 3f
	.skip 128, 0xcc
3:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 0
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 1, 0
SIG BRANCHES, 2 + 1, 0
SIG BR_JMP_DIRECT, 2, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 3
SIG_RANGE L1I_MISS, 1, 0, 2, 0, REFETCHED
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL itlb_flushed, "N times INVLPG of the page of code that runs, and a jump within it: an instruction page walk", flags=KERNEL_PRIVILEGED
1:	invlpg NEAR(2f)
	jmp 2f
2:	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 0
SIG INSN_SERIALIZING, 1, 0
SIG BRANCHES, 1 + 1, 0
SIG BR_JMP_DIRECT, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_ONE_WAY 2
SIG_RANGE ITLB_MISS, 1, 0, 2, 0, REFETCHED
SIG_INTEGER_ONLY
SIGNATURE_END

/* A run goes on where the last one stopped, so every line is the one used longest ago. */
KERNEL code_ring, "N times a call of sixteen jumps, each into the next line of 128 KiB of code", flags=KERNEL_SERVICE_CODE
	mov KERNEL_PARAM_CODE(%rsi), %rax
1:	call *%rax
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_CODE(%rsi)
KERNEL_END
#define JUMPS (KERNEL_CODE_SEGMENT - 1)
SIG INSTRUCTIONS, 1 + JUMPS + 2 + 2, 2
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, WORD, WORD
SIG INSN_STORE, 1, 1
SIG STORES, 1, 1
SIG STORE_BYTES, WORD, WORD
SIG BRANCHES, 1 + JUMPS + 1 + 1, 0
SIG BR_CALL_INDIRECT, 1, 0
SIG BR_JMP_DIRECT, JUMPS, 0
SIG BR_RET, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_INTEGER_ONLY
SIG_ONE_WAY 1 + JUMPS + 1
SIG_RANGE L1I_MISS, KERNEL_CODE_SEGMENT/2, 0, KERNEL_CODE_SEGMENT*2, 0, CODE_RING_MISSES
SIG_RANGE ITLB_MISS, 0, 0, 2*2, 0, CODE_RING_PAGES
SIG_RANGE LLC_REF, 0, 0, KERNEL_CODE_SEGMENT*2, 0, CODE_RING_BY_SIZE
SIG_RANGE LLC_MISS, 0, 0, KERNEL_CODE_SEGMENT*2, 0, CODE_RING_BY_SIZE
SIGNATURE_END
