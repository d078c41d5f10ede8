/*
 * Memory types other than write-back, and chains of lines that conflict in a cache or whose pages exceed the TLBs.
 */
#include "tests/kernels/x86/kernel.h"

KERNEL uncached, "N times loads from and stores to uncacheable memory", flags=KERNEL_SERVICE_UC
	lea KERNEL_SPECIAL(%rsi), %rsi
1:	mov (%rsi), %rax
	mov %rax, 8(%rsi)
	mov 64(%rsi), %ecx
	mov %ecx, 72(%rsi)
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 4 + 2, 1
SIG INSN_LOAD, 2, 0
SIG LOADS, 2, 0
SIG LOAD_BYTES, 8 + 4, 0
SIG INSN_STORE, 2, 0
SIG STORES, 2, 0
SIG STORE_BYTES, 8 + 4, 0
SIG_RANGE TRANSFERS_FORCED, 2 + 2, 0, 2 + 2, 0, "each access of uncacheable memory leaves the core"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

KERNEL write_combining, "N times a line of stores to write-combining memory, and SFENCE", flags=KERNEL_SERVICE_WC
	lea KERNEL_SPECIAL(%rsi), %rsi
1:	.irp i, 0, 1, 2, 3, 4, 5, 6, 7
	mov %rdi, 8*\i(%rsi)
	.endr
	sfence
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, 8 + 1 + 2, 1
SIG INSN_FENCE, 1, 0
SIG_STORES 8, 8
SIG_RANGE TRANSFERS_FORCED, 1, 0, 8, 0, "a fence empties the buffers: whole lines, or store by store"
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

/* Cycles of a load that hits the first level or the second one, and of an access of memory, for a load or for a walk. */
#define HIT	8
#define HIT_L2	50
#define MEMORY	1000

#define LINKS KERNEL_CHAIN_LINKS
#define WAITS "each load waits for the one before: from one cycle to what the level takes, twice that beside a sibling thread"

/* Sixteen loads a turn, each of the address of the next. */
.macro LINKED_LOADS
	mov KERNEL_PARAM_CHAIN(%rsi), %rax
1:	.rept LINKS
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
.endm

.macro SIG_LINKED_LOADS
SIG INSN_LOAD, LINKS, 1
SIG LOADS, LINKS, 1
SIG LOAD_BYTES, LINKS*8, 8
SIG_LOOP
SIG_INTEGER_ONLY
.endm

/* The next run goes on where this one stopped, so that it comes back to a line after all others. */
.macro GOES_ON
	mov %rax, KERNEL_PARAM_CHAIN(%rsi)
.endm

.macro SIG_GOES_ON
SIG INSTRUCTIONS, LINKS + 2, 2
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, 8
.endm

.macro CHAIN_KERNEL name, purpose, flag, cycles
KERNEL \name, "\purpose", flags=\flag
	LINKED_LOADS
	GOES_ON
KERNEL_END
SIG_LINKED_LOADS
SIG_GOES_ON
SIG_RANGE CYCLES, LINKS, 1, (LINKS*(\cycles) + 2)*2, ((\cycles) + 1)*2 + CYCLES_ONCE, WAITS
.endm

#define FITS "three quarters of the ways are in use; others may take eight lines in a run"
#define REPLACED "two to four times as many lines as a set has ways, of which half may stay, or none"

CHAIN_KERNEL chain_l1, "N times sixteen loads that conflict in the first-level data cache", KERNEL_SERVICE_CHAIN_L1, HIT_L2
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 1, REPLACED
SIG_RANGE L2_LOAD_MISS, 0, 0, 0, 8, "a few dozen lines that fit the second level wherever they lie; others may take eight lines in a run"
SIG_RANGE LLC_MISS, 0, 0, 0, 8, "a few dozen lines that fit every cache but the first; others may take eight lines in a run"
SIGNATURE_END

KERNEL chain_l1_fits, "N times sixteen loads of lines of one set that fit the first-level data cache", flags=KERNEL_SERVICE_CHAIN_L1|KERNEL_SERVICE_CHAIN_FITS
	LINKED_LOADS
KERNEL_END
SIG INSTRUCTIONS, LINKS + 2, 1
SIG_LINKED_LOADS
SIG_RANGE CYCLES, LINKS, 1, (LINKS*HIT + 2)*2, HIT*2 + CYCLES_ONCE, WAITS
SIG_RANGE L1D_LOAD_MISS, 0, 0, 0, 8, FITS
SIG_RANGE L2_LOAD_MISS, 0, 0, 0, 8, FITS
SIG_RANGE LLC_REF, 0, 0, 0, 8, FITS
SIG_RANGE LLC_MISS, 0, 0, 0, 8, FITS
SIGNATURE_END

/* Lines that make room have been written to. */
KERNEL chain_l1_written, "N times sixteen loads that conflict in the first-level data cache, and a store to each line", flags=KERNEL_SERVICE_CHAIN_L1
	mov KERNEL_PARAM_CHAIN(%rsi), %rax
1:	.rept LINKS
	mov %rdi, 8(%rax)
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
	GOES_ON
KERNEL_END
SIG_LINKED_LOADS
SIG INSTRUCTIONS, 2*LINKS + 2, 2
SIG INSN_STORE, LINKS, 1
SIG STORES, LINKS, 1
SIG STORE_BYTES, LINKS*8, 8
SIG_RANGE CYCLES, LINKS, 1, (LINKS*(HIT_L2 + 1) + 2)*2, (HIT_L2 + 1)*2 + CYCLES_ONCE, WAITS
SIG_RANGE TRANSFERS_FORCED, LINKS/2, 0, LINKS, 1, REPLACED
SIGNATURE_END

.macro SIG_L2_CHAIN
SIG_RANGE LLC_REF, LINKS/2, 0, LINKS*2, 2*(1 + 1), "two to four times as many lines as a set has ways, of which half may stay, or none; the neighbour of each may be asked for as well"
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 1, REPLACED
SIG_RANGE L2_LOAD_MISS, LINKS/2, 0, LINKS, 1, REPLACED
.endm

CHAIN_KERNEL chain_l2, "N times sixteen loads that conflict in the second-level cache", KERNEL_SERVICE_CHAIN_L2, MEMORY
SIG_L2_CHAIN
SIGNATURE_END

CHAIN_KERNEL chain_l2_held, "N times sixteen loads that conflict in the second-level cache and stay in the third", KERNEL_SERVICE_CHAIN_L2|KERNEL_SERVICE_CHAIN_HELD, MEMORY
SIG_L2_CHAIN
SIG_RANGE LLC_MISS, 0, 0, 0, 8, "the third level is twice as large as what the lines lie in; others may take eight lines in a run"
SIGNATURE_END

/*
 * Each link's line is stored to, and the fence waits until the store is done, before the next link is read: it is the store
 * that asks for the line, and the line is modified when the others drive it out again. By \mark floors of events tell the two.
 */
.macro STORES_KERNEL name, purpose, flag, mark, nops, lfences, cmovs, forced=FORCED
KERNEL \name, "\purpose", flags=\flag
	mov KERNEL_PARAM_CHAIN(%rsi), %rax
1:	.rept LINKS
	mov %rdi, 8(%rax)
	mfence
	\mark
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
	GOES_ON
KERNEL_END
SIG INSTRUCTIONS, 4*LINKS + 2, 2
SIG INSN_NOP, (\nops)*LINKS, 0
SIG INSN_LFENCE, (\lfences)*LINKS, 0
SIG INSN_CMOV, (\cmovs)*LINKS, 0
SIG INSN_FENCE, (1 + \lfences)*LINKS, 0
SIG INSN_LOAD, LINKS, 1
SIG LOADS, LINKS, 1
SIG LOAD_BYTES, LINKS*8, 8
SIG INSN_STORE, LINKS, 1
SIG STORES, LINKS, 1
SIG STORE_BYTES, LINKS*8, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE \forced, LINKS/2, 0, LINKS, 1, REPLACED
SIGNATURE_END
.endm

STORES_KERNEL stores_l1, "N times sixteen stores to lines that conflict in the first-level data cache", KERNEL_SERVICE_CHAIN_L1, nop, 1, 0, 0
STORES_KERNEL stores_l2, "N times sixteen stores to lines that conflict in the second-level cache", KERNEL_SERVICE_CHAIN_L2, lfence, 0, 1, 0
STORES_KERNEL stores_l2_held, "N times sixteen stores to lines that conflict in the second-level cache and stay in the third", KERNEL_SERVICE_CHAIN_L2|KERNEL_SERVICE_CHAIN_HELD, nop, 1, 0, 0, STORES_HELD
STORES_KERNEL stores_dtlb, "N times sixteen stores to twice as many pages as the first-level TLB holds", KERNEL_SERVICE_CHAIN_DTLB, "cmovc %rax, %rdx", 0, 0, 1

/* Rings of which no run sees the end. \walks of the loads of a turn and \once in all take a walk, at most. */
.macro RING_KERNEL name, purpose, flag, walks, once
KERNEL \name, "\purpose", flags=\flag
	LINKED_LOADS
	GOES_ON
KERNEL_END
SIG_LINKED_LOADS
SIG_GOES_ON
SIG_RANGE CYCLES, LINKS, 1, (LINKS*MEMORY + (\walks)*MEMORY + 2)*2, (MEMORY + (\once)*MEMORY + 1)*2 + CYCLES_ONCE, "each load waits for the one before: from one cycle to an access of memory and a walk that takes one more, twice that beside a sibling thread"
.endm

#define BY_SIZE "the lines may still be in that cache or not: it depends on its size"
#define BY_SIZE_ASKED "the lines may still be in that cache or not: it depends on its size; each load, the store and each walk may ask, for the line beside as well"

RING_KERNEL chain_llc, "N times sixteen loads from twice as many lines as the last-level cache has", KERNEL_SERVICE_CHAIN_LLC, LINKS, 1
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 1, "far more lines than the first level has, but each second one may come along with its neighbour"
SIG_RANGE L2_LOAD_MISS, LINKS/2, 0, LINKS, 1, "far more lines than the second level has, but each second one may come along with its neighbour"
SIG_RANGE LLC_REF, LINKS/2, 0, 2*(LINKS + LINKS), 2*(1 + 1 + 1 + 1), "each load misses what lies before, but each second line may come along with its neighbour; each load, the store and each walk may ask, for the line beside as well"
SIG_RANGE LLC_MISS, LINKS/4, 0, 2*(LINKS + LINKS), 2*(1 + 1 + 1 + 1), "half of the lines cannot be there, of which each second one may come along with its neighbour; each load, the store and each walk may ask, for the line beside as well"
SIG_RANGE DTLB_LOAD_MISS, 0, 0, LINKS, 1, "as many pages as the memory has; the TLBs may hold them all"
SIGNATURE_END

.macro PAGES_KERNEL size, id, flag, least, walks, once, reason
RING_KERNEL pages_\size, "N times sixteen loads from twice as many 4 KiB as the TLBs hold pages, in pages of \size", \flag, \walks, \once
SIG_RANGE DTLB_LOAD_MISS, \least, 0, \walks, \once, "\reason"
SIG_RANGE DTLB_LOAD_\id, \least, 0, \walks, \once, "\reason"
SIG_RANGE L1D_LOAD_MISS, 0, 0, LINKS, 1, BY_SIZE
SIG_RANGE L2_LOAD_MISS, 0, 0, LINKS, 1, BY_SIZE
SIG_RANGE LLC_REF, 0, 0, 2*(LINKS + \walks), 2*(1 + 1 + \once + 1), BY_SIZE_ASKED
SIG_RANGE LLC_MISS, 0, 0, 2*(LINKS + \walks), 2*(1 + 1 + \once + 1), BY_SIZE_ASKED
SIGNATURE_END
.endm

PAGES_KERNEL 4k, 4K, KERNEL_SERVICE_CHAIN_4K, LINKS/2, LINKS, 1, "twice as many pages as the TLBs hold, of which half may stay, or none"
PAGES_KERNEL 2m, 2M, KERNEL_SERVICE_CHAIN_2M, 0, 0, (16+8), "sixteen large pages, which any TLB for them holds: each may have to be walked to once, and others may take eight in a run"
PAGES_KERNEL 1g, 1G, KERNEL_SERVICE_CHAIN_1G, 0, 0, 8, "one page or two, which stay; others may take eight in a run"

CHAIN_KERNEL chain_dtlb, "N times sixteen loads from twice as many pages as the first-level TLB holds", KERNEL_SERVICE_CHAIN_DTLB, MEMORY
SIG_RANGE DTLB_LOAD_STLB, LINKS/2, 0, LINKS, 1, "twice as many pages as the first-level TLB holds, of which half may stay, or none"
SIG_RANGE DTLB_LOAD_MISS, 0, 0, 0, 8, "the second level holds twice as many pages; others may take eight translations in a run"
SIGNATURE_END
