/*
 * Memory types other than write-back, and chains of lines that conflict in a cache or whose pages exceed the TLBs.
 */
#include "tests/kernels/kernel.h"

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
SIG_LOOP
SIG_INTEGER_ONLY
SIGNATURE_END

#define LINKS 16
.macro CHAIN_KERNEL name, purpose, flag
KERNEL \name, "\purpose", flags=\flag
	mov KERNEL_PARAM_CHAIN(%rsi), %rax
1:	.rept LINKS
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
KERNEL_END
SIG INSTRUCTIONS, LINKS + 2, 1
SIG INSN_LOAD, LINKS, 1
SIG LOADS, LINKS, 1
SIG LOAD_BYTES, LINKS*8, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE CYCLES, LINKS, 0, LINKS*2000, 20000, "each load waits for the one before, for a miss at most some hundreds of cycles"
.endm

#define FITS "three quarters of the ways are in use, so that something else would have to push lines out"
#define REPLACED "two to four times as many lines as a set has ways, so hardly any survives until its turn; replacement is not always LRU"

CHAIN_KERNEL chain_l1, "N times sixteen loads that conflict in the first-level data cache", KERNEL_SERVICE_CHAIN_L1
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 8, REPLACED
SIG_RANGE L2_LOAD_MISS, 0, 0, 0, 32, "a few dozen lines that fit the second level wherever they lie"
SIG_RANGE LLC_MISS, 0, 0, 0, 16, "a few dozen lines that fit every cache but the first"
SIGNATURE_END

CHAIN_KERNEL chain_l1_fits, "N times sixteen loads of lines of one set that fit the first-level data cache", KERNEL_SERVICE_CHAIN_L1|KERNEL_SERVICE_CHAIN_FITS
SIG_RANGE L1D_LOAD_MISS, 0, 0, 1, 16, FITS
SIG_RANGE L2_LOAD_MISS, 0, 0, 0, 16, FITS
SIG_RANGE LLC_REF, 0, 0, 1, 32, FITS
SIG_RANGE LLC_MISS, 0, 0, 0, 16, FITS
SIGNATURE_END

CHAIN_KERNEL chain_l2, "N times sixteen loads that conflict in the second-level cache", KERNEL_SERVICE_CHAIN_L2
SIG_RANGE LLC_REF, LINKS/2, 0, LINKS*2, 32, REPLACED
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 8, REPLACED
SIG_RANGE L2_LOAD_MISS, LINKS/2, 0, LINKS, 8, REPLACED
SIGNATURE_END

/*
 * Rings of which no run sees the end: the next run goes on where the last one stopped, and comes back to a line after all others.
 */
.macro RING_KERNEL name, purpose, flag
KERNEL \name, "\purpose", flags=\flag
	mov KERNEL_PARAM_CHAIN(%rsi), %rax
1:	.rept LINKS
	mov (%rax), %rax
	.endr
	dec %rdi
	jnz 1b
	mov %rax, KERNEL_PARAM_CHAIN(%rsi)
KERNEL_END
SIG INSTRUCTIONS, LINKS + 2, 2
SIG INSN_LOAD, LINKS, 1
SIG LOADS, LINKS, 1
SIG LOAD_BYTES, LINKS*8, 8
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, 8
SIG_LOOP
SIG_INTEGER_ONLY
SIG_RANGE CYCLES, LINKS, 0, LINKS*4000, 40000, "each load waits for the one before, for a miss and a page walk at most some thousands of cycles"
.endm

#define BY_SIZE "the lines may still be in that cache or not: it depends on its size"

RING_KERNEL chain_llc, "N times sixteen loads from twice as many lines as the last-level cache has", KERNEL_SERVICE_CHAIN_LLC
SIG_RANGE L1D_LOAD_MISS, LINKS/2, 0, LINKS, 8, "far more lines than the first level has; replacement is not always LRU"
SIG_RANGE L2_LOAD_MISS, LINKS/2, 0, LINKS, 8, "far more lines than the second level has; replacement is not always LRU"
SIG_RANGE LLC_REF, LINKS/2, 0, LINKS*8, 64, "each load misses what lies before; walks and prefetches come on top"
SIG_RANGE LLC_MISS, LINKS/4, 0, LINKS*8, 64, "half of the lines cannot be there; replacement is not always LRU, walks and prefetches come on top"
SIG_RANGE DTLB_LOAD_MISS, 0, 0, LINKS, 8, "as many pages as the memory has; the TLBs may hold them all"
SIGNATURE_END

.macro PAGES_KERNEL size, flag, least, most, most_once, reason
RING_KERNEL pages_\size, "N times sixteen loads from twice as many 4 KiB as the TLBs hold pages, in pages of \size", \flag
SIG_RANGE DTLB_LOAD_MISS, \least, 0, \most, \most_once, "\reason"
SIG_RANGE L1D_LOAD_MISS, 0, 0, LINKS, 8, BY_SIZE
SIG_RANGE L2_LOAD_MISS, 0, 0, LINKS, 8, BY_SIZE
SIG_RANGE LLC_REF, 0, 0, LINKS*8, 64, BY_SIZE
SIG_RANGE LLC_MISS, 0, 0, LINKS*8, 64, BY_SIZE
SIGNATURE_END
.endm

PAGES_KERNEL 4k, KERNEL_SERVICE_CHAIN_4K, LINKS/2, LINKS, 8, "every load is in a page used longest ago; replacement is not always LRU"
PAGES_KERNEL 2m, KERNEL_SERVICE_CHAIN_2M, 0, 0, 24, "some sixteen large pages, which any TLB for them holds; each may have to be walked to once"
PAGES_KERNEL 1g, KERNEL_SERVICE_CHAIN_1G, 0, 0, 8, "one page or two, and what lies beside them"
