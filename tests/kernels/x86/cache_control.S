/*
 * Software prefetches, and instructions that throw lines out or write them back.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL prefetches, "N times one prefetch of each hint: none of them is a load"
	add $KERNEL_SCRATCH, %rsi
1:	prefetcht0 (%rsi)
	prefetcht1 64(%rsi)
	prefetcht2 128(%rsi)
	prefetchnta 192(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG PREFETCHES, 4, 0
SIG PREFETCH_T0, 1, 0
SIG PREFETCH_T1T2, 2, 0
SIG PREFETCH_NTA, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL prefetches_null, "N times prefetches of an address where nothing is mapped: no fault, no load"
	xor %eax, %eax
1:	prefetcht0 (%rax)
	prefetchnta (%rax)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2 + 2, 1
SIG PREFETCHES, 2, 0
SIG PREFETCH_T0, 1, 0
SIG PREFETCH_NTA, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL prefetchw, "N times PREFETCHW", needs=KERNEL_NEEDS_PREFETCHW
1:	prefetchw KERNEL_SCRATCH(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 1 + 2, 0
SIG PREFETCHES, 1, 0
SIG PREFETCH_W, 1, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL prefetches_held, "N times twenty-four prefetches of two hints each, of lines that the first level holds"
	add $KERNEL_SCRATCH, %rsi
	.irp i, 0, 64, 128, 192
	mov \i(%rsi), %rax
	.endr
1:	.rept 6
	.irp i, 0, 64, 128, 192
	prefetcht0 \i(%rsi)
	prefetchnta \i(%rsi)
	.endr
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 2*24 + 2, 1 + 4
SIG INSN_LOAD, 0, 4
SIG LOADS, 0, 4
SIG LOAD_BYTES, 0, 4*WORD
SIG PREFETCHES, 2*24, 0
SIG PREFETCH_T0, 24, 0
SIG PREFETCH_NTA, 24, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL prefetchw_held, "N times twenty-four PREFETCHW of a line that was stored to", needs=KERNEL_NEEDS_PREFETCHW
	mov %rdi, KERNEL_SCRATCH(%rsi)
1:	.rept 24
	prefetchw KERNEL_SCRATCH(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 24 + 2, 1
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, WORD
SIG PREFETCHES, 24, 0
SIG PREFETCH_W, 24, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define ONE_MISS "the line was flushed before, and no load may pass the fence; one that is given up and tried again misses twice"

KERNEL clflush_reload, "N times CLFLUSH of a line, MFENCE, and a load of it: a miss in every cache by construction"
	add $KERNEL_SCRATCH, %rsi
1:	clflush (%rsi)
	mfence
	mov (%rsi), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 1, 0
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE L1D_LOAD_MISS, 1, 0, 2, 0, ONE_MISS
SIG_RANGE L2_LOAD_MISS, 1, 0, 2, 0, ONE_MISS
SIG_RANGE LLC_REF, 1, 0, 2, 0, ONE_MISS
SIG_RANGE LLC_MISS, 1, 0, 1, 8, "the line was flushed before; a second request for it joins the first; others may take eight lines in a run"
SIGNATURE_END

KERNEL clflush_locked, "N times CLFLUSH of a line, MFENCE, and a locked addition to it: memory must be asked for it"
	add $KERNEL_SCRATCH, %rsi
1:	clflush (%rsi)
	mfence
	lock addq $1, (%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 1, 0
SIG INSN_LOCKED, 1, 0
SIG_LOADS 1, WORD
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE TRANSFERS_FORCED, 1, 0, 1, 0, "the line of each locked access was flushed before"
SIG_RANGE LOCKS_COLD, 1, 0, 1, 0, "the line of each locked access was flushed before"
SIGNATURE_END

KERNEL clflush_store, "N times CLFLUSH of a line, and a store to it, each fenced: memory must be asked for it"
	add $KERNEL_SCRATCH, %rsi
1:	clflush (%rsi)
	mfence
	mov %rax, (%rsi)
	mfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 2, 0
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE STORE_MISS, 1, 0, 1, 0, "the line was flushed before"
SIGNATURE_END

KERNEL clflush_twice, "N times CLFLUSH of a line, fences, and two loads of it: the second finds it on its way"
	add $KERNEL_SCRATCH, %rsi
1:	clflush (%rsi)
	mfence
	lfence
	mov (%rsi), %rax
	mov 8(%rsi), %rcx
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 2, 0
SIG INSN_LFENCE, 1, 0
SIG_LOADS 2, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE FORCED, 1, 0, 1, 0, "once a turn: the load behind the one that misses"
SIGNATURE_END

/* Up to 24 lines are on their way to a first level, and each takes longer than it takes to ask for all of these. */
#define COLD 64

KERNEL clflush_many, "N times CLFLUSH of 64 lines, MFENCE, and a load of each, none of which waits for another"
	add $KERNEL_SCRATCH, %rsi
1:	mov $COLD, %ecx
	mov %rsi, %rdx
2:	clflush (%rdx)
	add $64, %rdx
	dec %ecx
	jnz 2b
	mfence
	.set at, 0
	.rept COLD
	mov at(%rsi), %rax
	.set at, at + 64
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5*COLD + 5, 1
SIG INSN_CLFLUSH, COLD, 0
SIG INSN_FENCE, 1, 0
SIG_LOADS COLD, WORD
SIG BRANCHES, COLD + 1, 0
SIG BR_COND, COLD + 1, 0
SIG BR_COND_TAKEN, COLD, -1
SIG BR_COND_NTAKEN, 1, 1
SIG_INTEGER_ONLY
SIG_RANGE FULL_FILLS, 1, 0, 1, 0, "once a turn: more lines are asked for than can be on their way"
SIGNATURE_END

/* No fence but LFENCE holds a prefetch back (SDM vol. 2, PREFETCHh). */
KERNEL clflush_prefetch, "N times CLFLUSH of a line, fences, PREFETCHT0 of it and a load"
	add $KERNEL_SCRATCH, %rsi
1:	clflush (%rsi)
	mfence
	lfence
	prefetcht0 (%rsi)
	mov (%rsi), %rax
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 2, 0
SIG INSN_LFENCE, 1, 0
SIG PREFETCHES, 1, 0
SIG PREFETCH_T0, 1, 0
SIG_LOADS 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE FORCED, 1, 0, 1, 0, "once a turn: the prefetch of a line that was flushed before"
SIGNATURE_END

/* The line is zero, so that each address is known when it arrives, and none before. */
KERNEL ready_at_once, "N times CLFLUSH of a line, MFENCE, a load of it, and 32 additions and 16 loads that wait for it"
	add $KERNEL_ZEROS, %rsi
1:	clflush (%rsi)
	mfence
	nop
	mov (%rsi), %rax
	.rept 8
	add %rax, %rcx
	add %rax, %rdx
	mov 64(%rsi,%rax), %r10
	add %rax, %r8
	add %rax, %r9
	mov 128(%rsi,%rax), %r11
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 8*6 + 2, 1
SIG INSN_NOP, 1, 0
SIG INSN_CLFLUSH, 1, 0
SIG INSN_FENCE, 1, 0
SIG_LOADS (1 + 8*2), WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE FORCED, 1, 0, 1, 0, "once a turn: the load that the others wait for"
SIGNATURE_END

KERNEL clflush_clean, "N times CLFLUSH of eight lines that nobody loads"
	add $KERNEL_SCRATCH, %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	clflush 64*\i(%rsi)
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG INSN_CLFLUSH, 8, 0
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL clflushopt, "N times CLFLUSHOPT of a line that is then stored to", needs=KERNEL_NEEDS_CLFLUSHOPT
	add $KERNEL_SCRATCH, %rsi
1:	clflushopt (%rsi)
	mov %rax, (%rsi)
	sfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_CLFLUSHOPT, 1, 0
SIG INSN_FENCE, 1, 0
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL clwb, "N times a store and CLWB of its line", needs=KERNEL_NEEDS_CLWB
	add $KERNEL_SCRATCH, %rsi
1:	mov %rax, (%rsi)
	clwb (%rsi)
	sfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 3 + 2, 1
SIG INSN_CLFLUSH, 1, 0
SIG INSN_CLFLUSHOPT, 1, 0
SIG INSN_FENCE, 1, 0
SIG_STORES 1, WORD
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END
