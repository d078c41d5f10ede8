/*
 * Caches of decoded instructions: code that they cannot hold, and the same code in so few lines that each holds it. One that is ever
 * so large holds less than half of the ring: 2,048 lines of thirteen micro-operations are 26,624. A Sandy Bridge has 1,536 (32 sets of 8 ways of 6),
 * a Golden Cove 4,096 (Intel Optimization Manual), a Zen 4 6,912 (chipsandcheese.com), NetBurst's trace cache 12,288 (SDM vol. 2, CPUID leaf 2, 70H).
 *
 * No loop's buffer of an Intel CPU takes a loop with CALL and RET (Optimization Manual, table of what is fit for the loop stream detector).
 */
#include "tests/kernels/x86/kernel.h"

/* A decoder gives up to four micro-operations for an instruction; what has more comes from the ROM. */
#define MOST 4
#define RING (KERNEL_FULL_SEGMENT*KERNEL_FULL_LINE)
/* Of a line: all but RET are one micro-operation. */
#define LINE_MOST (KERNEL_FULL_LINE - 1 + MOST)
/* What others take in a run: an SMI, a sibling thread. */
#define TAKEN 8

#define DECODED "half of the ring may stay, or none; a decoder gives four micro-operations for an instruction at most"
#define CACHED "half of the ring may stay, with the return of each segment, and the loop, or none"
#define LOOKED_UP "half of the lines may stay, or none; each instruction is looked up once at most"
#define LOOP_ALONE "beside a jump code may not be held, so the loop's own may be decoded in each turn; others may take eight lines in a run"

/* A run goes on where the last one stopped, so every line is the one used longest ago. */
KERNEL decoded_ring, "N times a call of four lines full of instructions, out of 128 KiB of such code", flags=KERNEL_SERVICE_CODE_FULL
	mov KERNEL_PARAM_FULL(%rsi), %rax
1:	call *%rax
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_FULL(%rsi)
KERNEL_END
#define JUMPS (KERNEL_FULL_SEGMENT - 1)
SIG INSTRUCTIONS, RING + 3, 2
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
SIG_RANGE UOPS_DECODED, RING/2, 0, (RING + 3)*MOST, 2*MOST, DECODED
SIG_RANGE UOPS_CACHED, 0, 0, KERNEL_FULL_SEGMENT/2*LINE_MOST + 3*MOST, 2*MOST, CACHED
SIG_RANGE DECODED_MISS, KERNEL_FULL_SEGMENT/2, 0, RING + 3, 2, LOOKED_UP
SIG_RANGE L1I_MISS, KERNEL_FULL_SEGMENT/2, 0, KERNEL_FULL_SEGMENT*2, 0, CODE_RING_MISSES
SIG_RANGE ITLB_MISS, 0, 0, 2*2, 0, CODE_RING_PAGES
SIG_RANGE LLC_REF, 0, 0, KERNEL_FULL_SEGMENT*2, 0, CODE_RING_BY_SIZE
SIG_RANGE LLC_MISS, 0, 0, KERNEL_FULL_SEGMENT*2, 0, CODE_RING_BY_SIZE
SIGNATURE_END

KERNEL decoded_lines, "N times a call of the same four lines full of instructions", flags=KERNEL_SERVICE_CODE_FULL
	mov KERNEL_PARAM_FULL(%rsi), %r11
1:	call *%r11
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, RING + 3, 1
SIG INSN_LOAD, 1, 1
SIG LOADS, 1, 1
SIG LOAD_BYTES, WORD, WORD
SIG INSN_STORE, 1, 0
SIG STORES, 1, 0
SIG STORE_BYTES, WORD, 0
SIG BRANCHES, 1 + JUMPS + 1 + 1, 0
SIG BR_CALL_INDIRECT, 1, 0
SIG BR_JMP_DIRECT, JUMPS, 0
SIG BR_RET, 1, 0
SIG BR_COND, 1, 0
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_INTEGER_ONLY
SIG_RANGE BR_MISPRED, 0, 0, 0, 12, "the closing branch: once at the end, and some times while it is learnt"
SIG_RANGE UOPS_DECODED, 0, 0, 3*MOST, MOST + TAKEN*LINE_MOST, LOOP_ALONE
SIG_RANGE UOPS_CACHED, RING, -TAKEN*LINE_MOST, (RING + 3)*MOST, MOST, "all but the loop stays, and others may take eight lines in a run; four micro-operations for an instruction at most"
SIG_RANGE DECODED_MISS, 0, 0, 3, 1 + TAKEN*KERNEL_FULL_LINE, LOOP_ALONE
SIGNATURE_END
