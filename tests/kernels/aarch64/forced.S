/*
 * What a core must do, whatever it is: wait for a result, fetch again what it has thrown away, guess a random bit
 * wrong, write back what it has no room for. And many of a kind in a turn, beside which wrong paths are few.
 */
#include "tests/kernels/aarch64/kernel.h"

/* --- the pipeline, and code ----------------------------------------------------------------------------- */

KERNEL synchronizations, "N times eight ISBs, behind each of which code is fetched anew"
1:	.rept 8
	isb
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG INSN_ISB, 8
SIG INSN_SERIALIZING, 8
SIG_LOOP
SIG_RANGE PIPELINE_EMPTIED, 8, 0, 8, 0, "what is behind an ISB is fetched after it"
SIGNATURE_END

/* One instruction that empties something, and what makes the processor see that. */
.macro SIG_EMPTIED
SIG INSTRUCTIONS, 3 + 2
SIG INSN_MAINTENANCE, 1
SIG INSN_DSB, 1
SIG INSN_ISB, 1
SIG INSN_SERIALIZING, 1
SIG_LOOP
.endm

KERNEL code_refills, "N times all instruction caches emptied, behind which the loop goes on", needs=KERNEL_NEEDS_IC, flags=KERNEL_PRIVILEGED
1:	ic	iallu
	dsb	nsh
	isb
	LOOP_END
KERNEL_END
SIG_EMPTIED
SIG_RANGE CODE_REFILLED, 1, 0, 1, 0, "no instruction cache has the code behind the ISB"
SIGNATURE_END

KERNEL code_walks, "N times all TLBs emptied, behind which the loop goes on", flags=KERNEL_PRIVILEGED
1:	tlbi	vmalle1
	dsb	nsh
	isb
	LOOP_END
KERNEL_END
SIG_EMPTIED
SIG_RANGE CODE_WALKED, 1, 0, 1, 0, "no TLB has the translation of the code behind the ISB"
SIGNATURE_END

KERNEL translations, "N times a translation that is asked for and has been dropped", flags=KERNEL_PRIVILEGED
	add	x5, x1, #KERNEL_SCRATCH
	lsr	x6, x5, #12
1:	tlbi	vaae1, x6
	dsb	ish
	isb
	at	s1e1r, x5
	isb
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 5 + 2, 2
SIG INSN_MAINTENANCE, 1
SIG INSN_DSB, 1
SIG INSN_ISB, 2
SIG INSN_SERIALIZING, 2
SIG_LOOP
SIG_RANGE PAGES_ASKED, 1, 0, 1, 0, "no TLB has the translation that AT asks for"
SIGNATURE_END

/* --- chains ------------------------------------------------------------------------------------------------ */

KERNEL chain_float, "N times eight additions, each of the last one's sum"
1:	.rept 8
	fadd	d3, d3, d1
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG INSN_FP, 8
SIG FLOPS_DP, 8
SIG_LOOP
SIG_RANGE FLOATS_CHAINED, 8, -1, 8, 0, "each waits for the one before"
SIGNATURE_END

KERNEL chain_integer, "N times eight multiplications, each of the last one's product"
1:	.rept 8
	mul	x3, x3, x0
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG INSN_MUL, 8
SIG_LOOP
SIG_RANGE INTEGERS_CHAINED, 8, -1, 8, 0, "each waits for the one before"
SIGNATURE_END

KERNEL chain_address, "N times four loads, each at an address that is the product of the instruction before"
	add	x5, x1, #KERNEL_SCRATCH
	mov	x3, #0
1:	.rept 4
	mul	x6, x3, xzr
	ldr	x3, [x5, x6]
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 4*2 + 2, 2
SIG INSN_MUL, 4
SIG_LOADS 4, 8
SIG_LOOP
SIG_RANGE ADDRESSES_CHAINED, 4, 0, 4, 0, "each load waits for its address"
SIGNATURE_END

#define LINKS 64

.macro LINKED store
	ldr	x5, [x1, #KERNEL_PARAM_CHAIN]
1:	.rept LINKS
	.if \store
	str	x0, [x5, #8]
	.endif
	ldr	x5, [x5]
	.endr
	LOOP_END
	/* The next run goes on where this one stopped, so that it comes back to a line after all others. */
	str	x5, [x1, #KERNEL_PARAM_CHAIN]
.endm

.macro SIG_LINKED stores
SIG INSTRUCTIONS, (1 + \stores)*LINKS + 2, 2
SIG INSN_LOAD, LINKS, 1
SIG LOADS, LINKS, 1
SIG LOAD_BYTES, LINKS*8, 8
SIG INSN_STORE, LINKS*\stores, 1
SIG STORES, LINKS*\stores, 1
SIG STORE_BYTES, LINKS*8*\stores, 8
SIG_LOOP
.endm

KERNEL chain_near, "N times sixty-four loads in a ring of four times as many lines as the first-level data cache holds", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_CHAIN_L1
	LINKED 0
KERNEL_END
SIG_LINKED 0
SIG_RANGE LINES_NEAR, LINKS, 0, LINKS, 0, "the first level holds a quarter of the ring"
SIGNATURE_END

KERNEL chain_memory, "N times sixty-four loads in a ring of twice as many lines as all caches hold", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_CHAIN_LLC
	LINKED 0
KERNEL_END
SIG_LINKED 0
SIG_RANGE LINES_CHAINED, LINKS, 0, LINKS, 0, "all caches hold half of the ring"
SIGNATURE_END

KERNEL chain_third, "N times the same where there is a third-level cache", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_CHAIN_LLC | KERNEL_SERVICE_CHAIN_HELD
	LINKED 0
KERNEL_END
SIG_LINKED 0
SIG_RANGE LINES_THIRD, LINKS, 0, LINKS, 0, "the second level holds less than half of the ring"
SIGNATURE_END

/* Four MiB, the most that a second level is known to have (Cortex-A72), may be clean when it begins. */
#define CLEAN 65536

KERNEL chain_stored, "N times the same with a store to each line", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_CHAIN_LLC
	LINKED 1
KERNEL_END
SIG_LINKED 1
SIG_RANGE LINES_EVICTED, LINKS, -CLEAN, LINKS, 0, "each line that comes in makes a dirty one leave"
SIGNATURE_END

KERNEL stores_streamed, "N times sixty-four stores, each to the next line of twice as many as all caches hold", flags=KERNEL_PRIVILEGED | KERNEL_SERVICE_CHAIN_LLC
	ldp	x5, x6, [x1, #KERNEL_PARAM_CHAIN + 8]
	ldr	x7, [x1, #KERNEL_PARAM_CHAIN + 24]
1:	.rept LINKS
	str	x0, [x5, x7]
	add	x7, x7, #64
	.endr
	and	x7, x7, x6
	LOOP_END
	str	x7, [x1, #KERNEL_PARAM_CHAIN + 24]
KERNEL_END
SIG INSTRUCTIONS, 2*LINKS + 1 + 2, 2 + 1
SIG INSN_PAIR, 0, 1
SIG INSN_LOAD, 0, 2
SIG LOADS, 0, 3
SIG LOAD_BYTES, 0, 24
SIG INSN_STORE, LINKS, 1
SIG STORES, LINKS, 1
SIG STORE_BYTES, LINKS*8, 8
SIG_LOOP
SIG_RANGE LINES_STREAMED, LINKS, 0, LINKS, 0, "all caches hold half of the lines"
SIGNATURE_END

/* --- branches -------------------------------------------------------------------------------------------- */

#define PLACES 16
#define RANDOM_STATE (KERNEL_SCRATCH + 0x710)

KERNEL branches_elsewhere, "N times sixteen indirect branches to one of two places, on random bits"
	ldr	x3, [x1, #RANDOM_STATE]
	RANDOM_FACTORS
1:	madd	x3, x3, x4, x5
	mov	x6, x3
	.rept PLACES
	adr	x7, 2f
	adr	x8, 3f
	cmp	x6, #0
	csel	x7, x7, x8, mi
	br	x7
2:	nop
	b	4f
3:	nop
	b	4f
4:	add	x6, x6, x6
	.endr
	LOOP_END
	str	x3, [x1, #RANDOM_STATE]
KERNEL_END
SIG INSTRUCTIONS, 2 + 2 + PLACES*8, 7 + 1
SIG INSN_NOP, PLACES
SIG INSN_MUL, 1
SIG INSN_CSEL, PLACES
SIG INSN_LOAD, 0, 1
SIG LOADS, 0, 1
SIG LOAD_BYTES, 0, 8
SIG INSN_STORE, 0, 1
SIG STORES, 0, 1
SIG STORE_BYTES, 0, 8
SIG BRANCHES, PLACES*2 + 1
SIG BR_JMP_INDIRECT, PLACES
SIG BR_JMP_DIRECT, PLACES
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE BR_MISPRED, 0, 0, PLACES*2 + 1, 0, "any branch may be mispredicted"
SIG_RANGE BRANCHES_ELSEWHERE, PLACES, -PLACES, PLACES, 0, "each bit is as good as random to a predictor"
SIGNATURE_END

KERNEL returns_elsewhere, "N times eight calls whose returns go elsewhere than behind the call"
1:	.rept 8
	bl	2f
	nop
2:	adr	x30, 3f
	ret
	nop
3:
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8*3 + 2
SIG BRANCHES, 8*2 + 1
SIG BR_CALL_DIRECT, 8
SIG BR_RET, 8
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE BR_MISPRED, 0, 0, 8, 20, "each return may be mispredicted, calls and the loop while they are learnt"
SIG_RANGE RETURNS_ELSEWHERE, 8, 0, 8, 0, "a stack of returns has another address"
SIGNATURE_END

#define LEARNT "each goes one way: once for each, and some times while the loop is learnt"

KERNEL jumps_many, "N times eight jumps to places that they name"
1:	.rept 8
	b	2f
	nop
2:
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG BRANCHES, 8 + 1
SIG BR_JMP_DIRECT, 8
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE BR_MISPRED, 0, 0, 0, 8 + 12, LEARNT
SIGNATURE_END

KERNEL calls_many, "N times eight calls and their returns"
	b	2f
1:	ret
2:	.rept 8
	bl	1b
	.endr
	sub	x0, x0, #1
	cbnz	x0, 2b
KERNEL_END
SIG INSTRUCTIONS, 8*2 + 2, 1
SIG BRANCHES, 8*2 + 1, 1
SIG BR_CALL_DIRECT, 8
SIG BR_RET, 8
SIG BR_JMP_DIRECT, 0, 1
SIG BR_COND, 1
SIG BR_COND_TAKEN, 1, -1
SIG BR_COND_NTAKEN, 0, 1
SIG_RANGE BR_MISPRED, 0, 0, 0, 2*8 + 1 + 12, LEARNT
SIGNATURE_END

/* --- many of a kind ----------------------------------------------------------------------------------------- */

KERNEL barriers_many, "N times eight DMBs and eight DSBs"
1:	.rept 8
	dmb	ish
	dsb	nsh
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 16 + 2
SIG INSN_DMB, 8
SIG INSN_DSB, 8
SIG_LOOP
SIGNATURE_END

KERNEL acquires_many, "N times eight load-acquires"
	add	x5, x1, #KERNEL_SCRATCH
1:	.rept 8
	ldar	x3, [x5]
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_LOADS 8, 8
SIG INSN_ACQUIRE, 8
SIG_LOOP
SIGNATURE_END

KERNEL releases_many, "N times eight store-releases"
	add	x5, x1, #KERNEL_SCRATCH
1:	.rept 8
	stlr	x3, [x5]
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2, 1
SIG_STORES 8, 8
SIG INSN_RELEASE, 8
SIG_LOOP
SIGNATURE_END

KERNEL exclusive_loads, "N times eight load exclusives without a store"
	add	x5, x1, #KERNEL_SCRATCH
1:	.rept 8
	ldxr	x3, [x5]
	.endr
	clrex
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 1 + 2, 1
SIG_LOADS 8, 8
SIG INSN_LDX, 8
SIG_LOOP
SIGNATURE_END

KERNEL vectors_many, "N times eight vector operations on integers"
1:	.rept 4
	eor	v3.16b, v4.16b, v5.16b
	orr	v6.16b, v7.16b, v16.16b
	.endr
	LOOP_END
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG INSN_SIMD, 8
SIG_LOOP
SIGNATURE_END

KERNEL cryptography_many, "N times four rounds of AES", needs=KERNEL_NEEDS_AES
	.arch	armv8-a+crypto
1:	.rept 4
	aese	v3.16b, v1.16b
	aesmc	v3.16b, v3.16b
	.endr
	LOOP_END
	.arch	armv8-a
KERNEL_END
SIG INSTRUCTIONS, 8 + 2
SIG INSN_CRYPTO, 8
SIG_LOOP
SIGNATURE_END
