#include "tests/bounds.h"

/** amount of .of (its low end for a lower bound, else its high end; what is taken away: the other one) times
 * .times, divided by .per, rounded down */
struct part {
	uint8_t of;    /* enum quantity */
	int32_t times; /* 0 ends; negative: taken away, not below 0 altogether */
	uint16_t per;
	uint64_t flags; /* only of kernels that have one of these; 0: of all */
};

struct bound {
	uint8_t quantity;   /* enum quantity */
	uint16_t low, high; /* fixed parts */
	const struct part *low_parts, *high_parts;
	const char *reason;
};

/* Lists are of very different lengths: each takes what it needs. */
#define PARTS(...) ((const struct part[]){__VA_ARGS__, {0}})

/* Instructions whose micro-operations cannot be tagged (SDM vol. 3, 18.15.6.1). */
#define UNTAGGED                                                                                             \
	{Q_BR_RET, -1, 1, 0}, {Q_BR_FAR, -1, 1, 0},                                                          \
	{                                                                                                    \
		Q_INSN_LOCKED, -1, 1, 0                                                                      \
	}

/* As far as they are x87's or MMX's neither. */
#define VECTOR_UOPS                                                                                          \
	{Q_INSN_SSE, 32, 1, 0}, {Q_INSN_AVX, 32, 1, 0}, {Q_INSN_AVX512, 32, 1, 0}, {Q_INSN_AES, 32, 1, 0},   \
		{Q_INSN_SHA, 32, 1, 0}, {Q_INSN_STRING, 32, 1, 0}, {Q_REP_ITERATIONS, 2, 1, 0},              \
	{                                                                                                    \
		Q_INSN_SERIALIZING, 200, 1, 0                                                                \
	}

/* What microcode, deliveries and what they lead to ask for. */
#define OFFCORE_BESIDES                                                                                      \
	{Q_INSN_CLFLUSH, 2, 1, 0}, {Q_INSN_SERIALIZING, 16, 1, 0}, {Q_BR_FAR, 16, 1, 0},                     \
		{Q_EXCEPTIONS, 16, 1, 0},                                                                    \
	{                                                                                                    \
		Q_INTERRUPTS_HW, 16, 1, 0                                                                    \
	}

/* Memory that is not accessed in caches. */
#define ODD_MEMORY (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC | KERNEL_SERVICE_SPLIT_LOCK)
/* Whoever else's memory lies in large pages: the APIC's registers. */
#define LARGE_PAGES                                                                                          \
	(KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G | KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC)
/* Lines that do not stay in the caches: they conflict, or another processor takes them away. */
#define LINES_LEAVE (KERNEL_SERVICE_CHAINS | KERNEL_SERVICE_RIVAL)

/*
 * Fixed parts: cycles and misses of the bracket and of what the machine does besides (a system-management
 * interrupt, another thread of the core). Numbers of cycles are the worst of published instruction tables,
 * and of an exit to a hypervisor for what can cause one.
 */
static const struct bound bounds[] = {
	{Q_CYCLES, 1, 20000, PARTS({Q_INSTRUCTIONS, 1, 16, 0}),
	 PARTS({Q_INSTRUCTIONS, 60, 1, 0}, {Q_INSTRUCTIONS, 4000, 1, KERNEL_RING0_ONLY},
	       {Q_REP_ITERATIONS, 60, 1, 0}, {Q_LOADS, 500, 1, 0}, {Q_STORES, 500, 1, 0},
	       {Q_INSN_X87, 400, 1, 0}, {Q_INSN_PAUSE, 4000, 1, 0}, {Q_INSN_SERIALIZING, 20000, 1, 0},
	       {Q_BR_FAR, 2000, 1, 0}, {Q_EXCEPTIONS, 20000, 1, 0}, {Q_INTERRUPTS_HW, 60000, 1, 0},
	       {Q_INSN_FENCE, 2000, 1, 0}, {Q_INSN_LOCKED, 20000, 1, KERNEL_SERVICE_SPLIT_LOCK}),
	 "at most sixteen instructions a cycle, at most some hundreds of cycles for a slow one"},
	{Q_REF_CYCLES, 1, 0, PARTS({Q_CYCLES, 1, 16, 0}), PARTS({Q_CYCLES, 16, 1, 0}),
	 "from a sixteenth of the core's clock to sixteen times it"},
	{Q_BUS_CYCLES, 0, 1, PARTS({Q_CYCLES, 1, 500, 0}), PARTS({Q_CYCLES, 1, 1, 0}),
	 "no bus is faster than its core, none is five hundred times slower"},
	{Q_SLOTS, 4, 0, PARTS({Q_CYCLES, 4, 1, 0}), PARTS({Q_CYCLES, 16, 1, 0}),
	 "four to sixteen slots a cycle"},
	{Q_BR_MISPRED, 0, 12, NULL,
	 PARTS({Q_BR_COND, 1, 4, 0}, {Q_BR_JMP_INDIRECT, 1, 4, 0}, {Q_BR_CALL_INDIRECT, 1, 4, 0},
	       {Q_BR_RET, 1, 4, 0}, {Q_BR_FAR, 1, 1, 0}, {Q_EXCEPTIONS, 2, 1, 0}, {Q_INTERRUPTS_HW, 2, 1, 0}),
	 "branches in a regular pattern that has been seen before: a predictor is right about most"},
	{Q_LLC_REF, 0, 64, NULL,
	 PARTS({Q_LOADS, 1, 4, 0}, {Q_STORES, 1, 4, 0}, {Q_LOADS, 1, 1, ODD_MEMORY | LINES_LEAVE},
	       {Q_STORES, 1, 1, ODD_MEMORY}, {Q_STORES_NT, 2, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0},
	       {Q_PREFETCHES, 2, 1, 0}, {Q_INSN_SERIALIZING, 8, 1, 0}, {Q_EXCEPTIONS, 8, 1, 0},
	       {Q_BR_FAR, 2, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "the working set has been touched before and fits the caches above; what goes past them reaches it"},
	{Q_LLC_MISS, 0, 32, NULL,
	 PARTS({Q_LOADS, 1, 32, 0}, {Q_STORES, 1, 32, 0}, {Q_LOADS, 1, 1, ODD_MEMORY | LINES_LEAVE},
	       {Q_STORES, 1, 1, ODD_MEMORY}, {Q_STORES_NT, 2, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0},
	       {Q_PREFETCHES, 2, 1, 0}, {Q_INTERRUPTS_HW, 8, 1, 0}),
	 "the working set has been touched before and fits; what goes past the caches or was flushed misses"},
	{Q_L1D_LOAD_MISS, 0, 32, NULL,
	 PARTS({Q_LOADS, 1, 4, 0}, {Q_LOADS, 1, 1, ODD_MEMORY | LINES_LEAVE}, {Q_STORES_NT, 1, 1, 0},
	       {Q_INSN_CLFLUSH, 2, 1, 0}, {Q_EXCEPTIONS, 8, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "the working set has been touched before and fits the first level, but for kernels that say "
	 "otherwise"},
	{Q_L2_LOAD_MISS, 0, 32, NULL,
	 PARTS({Q_LOADS, 1, 32, 0}, {Q_LOADS, 1, 1, ODD_MEMORY | LINES_LEAVE}, {Q_STORES_NT, 1, 1, 0},
	       {Q_INSN_CLFLUSH, 2, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "the working set has been touched before and fits the second level"},
	{Q_L1I_MISS, 0, 64, NULL,
	 PARTS({Q_INSTRUCTIONS, 1, 32, 0}, {Q_EXCEPTIONS, 8, 1, 0}, {Q_BR_FAR, 2, 1, 0},
	       {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "the code has run before and fits the first level"},
	{Q_DTLB_LOAD_MISS, 0, 32, NULL,
	 PARTS({Q_LOADS, 1, 16, 0}, {Q_LOADS, 1, 1, KERNEL_SERVICE_CHAINS}, {Q_INSN_SERIALIZING, 8, 1, 0},
	       {Q_EXCEPTIONS, 4, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "some twenty pages, all touched before"},
	{Q_DTLB_STORE_MISS, 0, 32, NULL,
	 PARTS({Q_STORES, 1, 16, 0}, {Q_INSN_SERIALIZING, 8, 1, 0}, {Q_EXCEPTIONS, 4, 1, 0},
	       {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "some twenty pages, all touched before"},
	{Q_ITLB_MISS, 0, 32, NULL,
	 PARTS({Q_INSTRUCTIONS, 1, 64, 0}, {Q_INSN_SERIALIZING, 4, 1, 0}, {Q_EXCEPTIONS, 4, 1, 0},
	       {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "a few pages of code, all run before"},
	{Q_STORE_FORWARD, 0, 0, NULL, PARTS({Q_LOADS, 1, 1, 0}), "a load is forwarded to once, if at all"},
	{Q_STORE_FORWARD_BLOCK, 0, 8, NULL, PARTS({Q_LOADS, 4, 1, 0}),
	 "a load may be counted again each time it tries"},
	/* NetBurst. What an instruction has of these is the CPU's own; one that has nothing to do with them
	   has none. */
	{Q_UOPS, 0, 64, PARTS({Q_INSTRUCTIONS, 1, 1, 0}),
	 PARTS({Q_INSTRUCTIONS, 16, 1, 0}, {Q_REP_ITERATIONS, 16, 1, 0}, {Q_INSN_X87, 300, 1, 0},
	       {Q_INSN_SERIALIZING, 2000, 1, 0}, {Q_BR_FAR, 500, 1, 0}, {Q_INSN_DIV, 100, 1, 0},
	       {Q_EXCEPTIONS, 500, 1, 0}, {Q_INTERRUPTS_HW, 500, 1, 0}),
	 "at least one micro-operation for each instruction"},
	{Q_UOPS_TC, 0, 64, NULL, PARTS({Q_UOPS, 4, 1, 0}),
	 "what retires has been delivered, and wrong paths were too"},
	{Q_UOPS_LOAD, 0, 8, PARTS({Q_INSN_LOAD, 1, 1, 0}, UNTAGGED),
	 PARTS({Q_LOADS, 32, 1, 0}, {Q_INSN_X87, 32, 1, 0}, {Q_INSN_SERIALIZING, 100, 1, 0},
	       {Q_BR_FAR, 100, 1, 0}, {Q_EXCEPTIONS, 100, 1, 0}, {Q_INTERRUPTS_HW, 100, 1, 0}),
	 "at least one load micro-operation for each instruction that reads; those of a REP may be joined"},
	{Q_UOPS_STORE, 0, 8, PARTS({Q_INSN_STORE, 1, 1, 0}, UNTAGGED),
	 PARTS({Q_STORES, 32, 1, 0}, {Q_INSN_FENCE, 2, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0},
	       {Q_INSN_X87, 32, 1, 0}, {Q_INSN_SERIALIZING, 100, 1, 0}, {Q_BR_FAR, 100, 1, 0},
	       {Q_EXCEPTIONS, 100, 1, 0}, {Q_INTERRUPTS_HW, 100, 1, 0}),
	 "at least one store micro-operation for each instruction that writes; those of a REP may be joined"},
	{Q_UOPS_X87, 0, 0, PARTS({Q_X87_OPS, 1, 1, 0}), PARTS({Q_INSN_X87, 300, 1, 0}),
	 "at least one for each operation"},
	{Q_UOPS_MOVES, 0, 0, NULL,
	 PARTS({Q_INSN_X87, 64, 1, 0}, {Q_INSN_MMX, 8, 1, 0}, {Q_INSN_SSE, 8, 1, 0}),
	 "x87 and SIMD instructions alone have them"},
	{Q_UOPS_FP_LOADS, 0, 0, NULL,
	 PARTS({Q_INSN_X87, 64, 1, 0}, {Q_INSN_MMX, 8, 1, 0}, {Q_INSN_SSE, 8, 1, 0}),
	 "x87 and SIMD instructions alone have them"},
	{Q_UOPS_MEMORY_MOVES, 0, 0, NULL,
	 PARTS({Q_INSN_X87, 64, 1, 0}, {Q_INSN_MMX, 8, 1, 0}, {Q_INSN_SSE, 8, 1, 0}),
	 "x87 and SIMD instructions alone have them"},
	{Q_UOPS_MMX64, 0, 0, NULL, PARTS({Q_INSN_MMX, 16, 1, 0}), "MMX instructions alone have them"},
	{Q_UOPS_MMX128, 0, 0, NULL,
	 PARTS({Q_INSN_SSE, 16, 1, 0}, {Q_INSN_STRING, 16, 1, 0}, {Q_REP_ITERATIONS, 2, 1, 0}),
	 "SSE and string instructions alone have them"},
	{Q_UOPS_SP, 0, 0, PARTS({Q_FP_128_SP, 1, 1, 0}),
	 PARTS({Q_INSN_SSE, 16, 1, 0}, {Q_INSN_STRING, 16, 1, 0}, {Q_REP_ITERATIONS, 2, 1, 0}),
	 "at least one for each operation; fast string moves have them too"},
	{Q_UOPS_DP, 0, 0, PARTS({Q_FP_128_DP, 1, 1, 0}), PARTS({Q_INSN_SSE, 16, 1, 0}),
	 "at least one for each operation"},
	{Q_UOPS_SS, 0, 0, PARTS({Q_FP_SCALAR_SP, 1, 1, 0}), PARTS({Q_INSN_SSE, 16, 1, 0}),
	 "at least one for each operation"},
	{Q_UOPS_SD, 0, 0, PARTS({Q_FP_SCALAR_DP, 1, 1, 0}), PARTS({Q_INSN_SSE, 16, 1, 0}),
	 "at least one for each operation"},
	{Q_BR_MISPRED_TAKEN, 0, 0, NULL, PARTS({Q_BR_MISPRED, 1, 1, 0}), "some of all mispredictions"},
	{Q_BR_MISPRED_NTAKEN, 0, 0, NULL, PARTS({Q_BR_COND_NTAKEN, 1, 1, 0}),
	 "some of all that are not taken"},
	{Q_BR_MISPRED_COND, 0, 0, NULL, PARTS({Q_BR_COND, 1, 1, 0}), "some of all conditional branches"},
	{Q_BR_MISPRED_JMP, 0, 0, NULL, PARTS({Q_BR_JMP_DIRECT, 1, 1, 0}, {Q_BR_CALL_DIRECT, 1, 1, 0}),
	 "some of all direct jumps and calls"},
	{Q_BR_MISPRED_CALL, 0, 0, NULL, PARTS({Q_BR_CALL_INDIRECT, 1, 1, 0}), "some of all indirect calls"},
	{Q_BR_MISPRED_RET, 0, 0, NULL, PARTS({Q_BR_RET, 1, 1, 0}), "some of all returns"},
	{Q_BR_MISPRED_JMP_INDIRECT, 0, 0, NULL, PARTS({Q_BR_JMP_INDIRECT, 1, 1, 0}),
	 "some of all indirect jumps"},
	{Q_ASSISTS_SSE, 0, 0, NULL, PARTS({Q_INSN_SSE, 4, 1, 0}), "SSE instructions alone have them"},
	{Q_ASSISTS_X87, 0, 0, NULL, PARTS({Q_INSN_X87, 4, 1, 0}), "x87 instructions alone have them"},
	{Q_X87_STACK, 0, 0, NULL, PARTS({Q_INSN_X87, 4, 1, 0}), "x87 instructions alone have them"},
	{Q_UOPS_BOGUS, 0, 5000, NULL,
	 PARTS({Q_BR_MISPRED, 200, 1, 0}, {Q_EXCEPTIONS, 200, 1, 0}, {Q_INTERRUPTS_HW, 200, 1, 0},
	       {Q_INSN_SERIALIZING, 200, 1, 0}, {Q_BR_FAR, 200, 1, 0}),
	 "no more than the pipeline holds, each time it is emptied"},
	{Q_L2_LOAD_HIT, 0, 500, NULL, PARTS({Q_LOADS, 2, 1, 0}, {Q_STORES, 2, 1, 0}, {Q_PREFETCHES, 2, 1, 0}),
	 "no more reads than accesses, each tried twice"},
	{Q_L3_ACCESS, 0, 500, NULL, PARTS({Q_LOADS, 2, 1, 0}, {Q_STORES, 2, 1, 0}, {Q_PREFETCHES, 2, 1, 0}),
	 "no more than accesses, each tried twice; none without the cache"},
	{Q_ITLB_HIT, 0, 500, NULL, PARTS({Q_INSTRUCTIONS, 2, 1, 0}), "looked up when traces are built"},
	{Q_TC_MISS, 0, 500, NULL, PARTS({Q_INSTRUCTIONS, 1, 1, 0}), "the code has run before"},
	{Q_TC_FLUSH, 0, 16, NULL,
	 PARTS({Q_INSN_SERIALIZING, 2, 1, 0}, {Q_STORES, 1, 1, KERNEL_SERVICE_ALIAS}),
	 "flushed by what changes code or its mapping"},
	{Q_TC_BUILD_CYCLES, 0, 20000, NULL, PARTS({Q_CYCLES, 1, 1, 0}), "some of all cycles"},
	{Q_UOPS_TC_BUILD, 0, 5000, NULL, PARTS({Q_UOPS, 4, 1, 0}), "the code has run before"},
	{Q_UOPS_ROM, 0, 5000, NULL, PARTS({Q_UOPS, 4, 1, 0}), "long instructions have theirs from there"},
	{Q_ROM_SWITCHES, 0, 500, NULL,
	 PARTS({Q_INSTRUCTIONS, 4, 1, 0}, {Q_EXCEPTIONS, 16, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}),
	 "a few for a long instruction"},
	{Q_STALLS_STORE, 0, 500, NULL, PARTS({Q_STORES, 500, 1, 0}), "stores alone fill store buffers"},
	{Q_ALIAS_64K, 0, 500, NULL, PARTS({Q_LOADS, 16, 1, 0}, {Q_STORES, 16, 1, 0}),
	 "an access may be cancelled more than once"},
	{Q_STORE_UNKNOWN, 0, 500, NULL, PARTS({Q_LOADS, 16, 1, 0}), "a load may be replayed more than once"},
	{Q_WC_EVICTIONS, 0, 500, NULL, PARTS({Q_STORES, 4, 1, 0}, {Q_STORES_NT, 4, 1, 0}),
	 "stores alone fill such buffers"},
	{Q_BUS_REQUESTS, 0, 5000, NULL,
	 PARTS({Q_LLC_MISS, 16, 1, 0}, {Q_LOADS, 16, 1, 0}, {Q_STORES, 16, 1, 0}, {Q_INSTRUCTIONS, 1, 1, 0},
	       {Q_INSN_SERIALIZING, 16, 1, 0}),
	 "what goes past the caches, each entry tried several times"},
	{Q_BUS_DATA, 0, 20000, NULL,
	 PARTS({Q_LOADS, 64, 1, 0}, {Q_STORES, 64, 1, 0}, {Q_INSTRUCTIONS, 4, 1, 0},
	       {Q_INSN_SERIALIZING, 64, 1, 0}),
	 "some clocks for each line that moves"},
	/* Intel: parts of other quantities. */
	{Q_CYCLES_SOME, 0, 0, NULL, PARTS({Q_CYCLES, 1, 1, 0}), "some of all cycles"},
	{Q_CYCLES_DIV, 0, 500, NULL,
	 PARTS({Q_INSN_DIV, 200, 1, 0}, {Q_FP_DIV, 200, 1, 0}, {Q_INSN_X87, 400, 1, 0},
	       {Q_INSN_SERIALIZING, 500, 1, 0}, {Q_BR_FAR, 100, 1, 0}, {Q_EXCEPTIONS, 100, 1, 0},
	       {Q_INTERRUPTS_HW, 500, 1, 0}),
	 "divisions and square roots alone keep a divider busy, and microcode that has some"},
	{Q_OCCUPANCY, 0, 0, NULL, PARTS({Q_CYCLES, 256, 1, 0}), "no queue holds more than some hundreds"},
	{Q_SLOTS_SOME, 0, 0, NULL, PARTS({Q_CYCLES, 16, 1, 0}), "at most sixteen slots a cycle"},
	{Q_INSN_SOME, 0, 8, NULL,
	 PARTS({Q_INSTRUCTIONS, 1, 1, 0}, {Q_EXCEPTIONS, 1, 1, 0}, {Q_INTERRUPTS_HW, 1, 1, 0}),
	 "some of all instructions"},
	{Q_BR_SOME, 0, 0, NULL,
	 PARTS({Q_BRANCHES, 1, 1, 0}, {Q_EXCEPTIONS, 1, 1, 0}, {Q_INTERRUPTS_HW, 1, 1, 0}),
	 "some of all branches"},
	{Q_REP_SOME, 0, 0, NULL, PARTS({Q_REP_ITERATIONS, 1, 1, 0}),
	 "REP string instructions alone merge accesses"},
	{Q_LOADS_SOME, 0, 0, NULL, PARTS({Q_UOPS_LOAD, 1, 1, 0}, {Q_PREFETCHES, 1, 1, 0}),
	 "some of all loads"},
	{Q_STORES_SOME, 0, 0, NULL, PARTS({Q_UOPS_STORE, 1, 1, 0}), "some of all stores"},
	{Q_WALKS_SOME, 0, 0, NULL,
	 PARTS({Q_DTLB_LOAD_MISS, 1, 1, 0}, {Q_DTLB_STORE_MISS, 1, 1, 0}, {Q_ITLB_MISS, 1, 1, 0}),
	 "some of all page walks"},
	{Q_DTLB_LOAD_STLB, 0, 32, NULL, PARTS({Q_LOADS, 1, 1, 0}), "a load is translated once"},
	{Q_DTLB_LOAD_4K, 0, 0, NULL, PARTS({Q_DTLB_LOAD_MISS, 1, 1, 0}), "some of all walks"},
	{Q_DTLB_LOAD_2M, 0, 32, NULL, PARTS({Q_DTLB_LOAD_MISS, 1, 1, LARGE_PAGES}),
	 "little lies in large pages, but where a kernel asks for them"},
	{Q_DTLB_LOAD_1G, 0, 32, NULL, PARTS({Q_DTLB_LOAD_MISS, 1, 1, LARGE_PAGES}),
	 "little lies in large pages, but where a kernel asks for them"},
	{Q_DTLB_STORE_4K, 0, 0, NULL, PARTS({Q_DTLB_STORE_MISS, 1, 1, 0}), "some of all walks"},
	{Q_DTLB_STORE_2M, 0, 32, NULL, PARTS({Q_DTLB_STORE_MISS, 1, 1, LARGE_PAGES}),
	 "little lies in large pages, but where a kernel asks for them"},
	{Q_DTLB_STORE_1G, 0, 32, NULL, PARTS({Q_DTLB_STORE_MISS, 1, 1, LARGE_PAGES}),
	 "little lies in large pages, but where a kernel asks for them"},
	{Q_REQUESTS, 0, 5000, NULL,
	 PARTS({Q_LLC_MISS, 16, 1, 0}, {Q_LOADS, 16, 1, 0}, {Q_STORES, 16, 1, 0}, {Q_PREFETCHES, 16, 1, 0},
	       {Q_INSTRUCTIONS, 4, 1, 0}, {Q_INSN_CLFLUSH, 16, 1, 0}, {Q_INSN_SERIALIZING, 200, 1, 0},
	       {Q_BR_FAR, 64, 1, 0}, {Q_EXCEPTIONS, 64, 1, 0}, {Q_INTERRUPTS_HW, 64, 1, 0}),
	 "an access makes some requests, each tried several times; so do prefetchers"},
	{Q_UOPS_SOME, 0, 5000, NULL, PARTS({Q_UOPS, 8, 1, 0}),
	 "some of what retires and of what is cancelled, each tried several times"},
	{Q_UOPS_FUSED, 0, 64, PARTS({Q_INSTRUCTIONS, 1, 2, 0}), PARTS({Q_UOPS, 1, 1, 0}),
	 "two instructions are fused at most"},
	{Q_UOPS_FP, 0, 64, NULL,
	 PARTS({Q_INSN_SSE, 32, 1, 0}, {Q_INSN_AVX, 32, 1, 0}, {Q_INSN_AVX512, 32, 1, 0},
	       {Q_INSN_X87, 300, 1, 0}, {Q_INSN_MMX, 32, 1, 0}, {Q_INSN_AES, 32, 1, 0},
	       {Q_INSN_SHA, 32, 1, 0}, {Q_INSN_STRING, 32, 1, 0}, {Q_REP_ITERATIONS, 2, 1, 0},
	       {Q_INSN_SERIALIZING, 200, 1, 0}),
	 "vector instructions alone have them, and microcode that moves much"},
	{Q_X87_SOME, 0, 0, NULL, PARTS({Q_INSN_X87, 300, 1, 0}), "x87 instructions alone have them"},
	{Q_UOPS_SIMD, 0, 64, NULL, PARTS(VECTOR_UOPS),
	 "SSE and AVX instructions alone have them, and microcode that moves much"},
	{Q_UOPS_FP_SCALAR, 0, 64, PARTS({Q_FP_SCALAR_SP, 1, 2, 0}, {Q_FP_SCALAR_DP, 1, 2, 0}),
	 PARTS(VECTOR_UOPS, {Q_INSN_X87, 300, 1, 0}),
	 "at least one for each instruction; one that multiplies and adds is two operations"},
	{Q_UOPS_FP_128, 0, 64, PARTS({Q_FP_128_SP, 1, 2, 0}, {Q_FP_128_DP, 1, 2, 0}), PARTS(VECTOR_UOPS),
	 "at least one for each instruction; one that multiplies and adds is two operations"},
	{Q_FLOPS_OTHER, 0, 0, NULL,
	 PARTS({Q_FLOPS_SP, 1, 1, 0}, {Q_FLOPS_SP_ADD, -1, 1, 0}, {Q_FLOPS_SP_MUL, -1, 1, 0},
	       {Q_FLOPS_SP_DIV, -1, 1, 0}, {Q_FLOPS_SP_MAC, -1, 1, 0}, {Q_FLOPS_DP, 1, 1, 0},
	       {Q_FLOPS_DP_ADD, -1, 1, 0}, {Q_FLOPS_DP_MUL, -1, 1, 0}, {Q_FLOPS_DP_DIV, -1, 1, 0},
	       {Q_FLOPS_DP_MAC, -1, 1, 0}),
	 "whether minima, maxima, reciprocals and dot products count is not said"},
	{Q_UOPS_DIV, 0, 64, NULL,
	 PARTS({Q_INSN_DIV, 100, 1, 0}, {Q_FP_DIV, 100, 1, 0}, {Q_INSN_X87, 300, 1, 0},
	       {Q_INSN_SERIALIZING, 100, 1, 0}, {Q_BR_FAR, 16, 1, 0}, {Q_EXCEPTIONS, 16, 1, 0},
	       {Q_INTERRUPTS_HW, 64, 1, 0}),
	 "divisions and square roots alone have them, and microcode that has some"},
	{Q_RESTEERS, 0, 64, NULL,
	 PARTS({Q_BRANCHES, 2, 1, 0}, {Q_EXCEPTIONS, 16, 1, 0}, {Q_INTERRUPTS_HW, 64, 1, 0},
	       {Q_INSN_SERIALIZING, 16, 1, 0}),
	 "branches alone are mispredicted, on wrong paths too"},
	{Q_LOADS_HITM, 0, 0, NULL, PARTS({Q_LOADS, 1, 1, KERNEL_SERVICE_RIVAL}),
	 "no other core has the lines, but where one stores to them"},
	{Q_CLEARS, 0, 64, NULL,
	 PARTS({Q_LOADS, 1, 16, 0}, {Q_STORES, 1, 16, 0}, {Q_STORES, 4, 1, KERNEL_SERVICE_ALIAS},
	       {Q_BR_FAR, 8, 1, 0}, {Q_EXCEPTIONS, 16, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0},
	       {Q_INSN_SERIALIZING, 16, 1, 0}, {Q_INSN_X87, 4, 1, 0}, {Q_INSN_SSE, 4, 1, 0},
	       {Q_INSN_AVX, 4, 1, 0}, {Q_INSN_LOCKED, 1, 1, 0}, {Q_CLEARS_MO, 1, 1, KERNEL_SERVICE_RIVAL}),
	 "each has its cause: an assist, a fault, stores to code, memory order"},
	{Q_ASSISTS, 0, 64, NULL,
	 PARTS({Q_BR_FAR, 8, 1, 0}, {Q_EXCEPTIONS, 16, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0},
	       {Q_INSN_SERIALIZING, 16, 1, 0}, {Q_INSN_X87, 4, 1, 0}, {Q_INSN_SSE, 4, 1, 0},
	       {Q_INSN_AVX, 4, 1, 0}, {Q_INSN_AVX512, 4, 1, 0}, {Q_DTLB_LOAD_MISS, 1, 1, 0},
	       {Q_DTLB_STORE_MISS, 1, 1, 0}),
	 "each has its cause: an odd operand, a fault, a page touched first"},
	{Q_ASSISTS_FP, 0, 0, NULL,
	 PARTS({Q_INSN_X87, 4, 1, 0}, {Q_INSN_SSE, 4, 1, 0}, {Q_INSN_AVX, 4, 1, 0}, {Q_INSN_AVX512, 4, 1, 0}),
	 "floating-point instructions alone have them"},
	/* Offcore responses. Which of several requests a prefetcher takes over is the CPU's own. */
	{Q_OFFCORE_DATA, 0, 64, PARTS({Q_L2_LOAD_MISS, 1, 2, 0}),
	 PARTS({Q_LOADS, 1, 2, 0}, {Q_LOADS, 2, 1, ODD_MEMORY | LINES_LEAVE}, {Q_STORES, 1, 4, 0},
	       {Q_PREFETCHES, 2, 1, 0}, OFFCORE_BESIDES),
	 "the working set has been touched before; a load that misses the second level leaves the core, if "
	 "no "
	 "prefetch was there first"},
	{Q_OFFCORE_DATA_SOME, 0, 0, NULL, PARTS({Q_OFFCORE_DATA, 1, 1, 0}),
	 "some of all demand reads that leave the core"},
	{Q_OFFCORE_DATA_MISS, 0, 64, NULL, PARTS({Q_LLC_MISS, 2, 1, 0}, OFFCORE_BESIDES),
	 "misses of the last level, page walks' too"},
	{Q_OFFCORE_RFO, 0, 64, NULL,
	 PARTS({Q_STORES, 1, 2, 0}, {Q_STORES, 2, 1, ODD_MEMORY | LINES_LEAVE}, {Q_PREFETCHES, 2, 1, 0},
	       OFFCORE_BESIDES),
	 "stores alone ask for ownership, of lines that have been touched before"},
	{Q_OFFCORE_RFO_MISS, 0, 0, NULL, PARTS({Q_OFFCORE_RFO, 1, 1, 0}),
	 "some of all requests for ownership that leave the core"},
	{Q_OFFCORE_CODE, 0, 64, NULL, PARTS({Q_L1I_MISS, 2, 1, 0}, OFFCORE_BESIDES),
	 "some of what misses the first level, on wrong paths too"},
	{Q_OFFCORE_CODE_MISS, 0, 0, NULL, PARTS({Q_OFFCORE_CODE, 1, 1, 0}),
	 "some of all reads of code that leave the core"},
	{Q_OFFCORE_WRITEBACKS, 0, 64, NULL,
	 PARTS({Q_OFFCORE_DATA, 1, 1, 0}, {Q_OFFCORE_RFO, 1, 1, 0}, {Q_OFFCORE_CODE, 1, 1, 0},
	       {Q_OFFCORE_PREFETCHES, 1, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0}, {Q_INSN_SERIALIZING, 200, 1, 0}),
	 "a line makes room for one that comes in, or is flushed"},
	{Q_OFFCORE_PREFETCHES, 0, 500, NULL,
	 PARTS({Q_LOADS, 2, 1, 0}, {Q_LOADS, 4, 1, ODD_MEMORY | LINES_LEAVE}, {Q_STORES, 2, 1, 0},
	       {Q_PREFETCHES, 4, 1, 0}, {Q_INSTRUCTIONS, 1, 4, 0}, {Q_INSN_CLFLUSH, 4, 1, 0},
	       OFFCORE_BESIDES),
	 "prefetchers follow accesses and fetches"},
	{Q_OFFCORE_STREAMING, 0, 16, NULL,
	 PARTS({Q_STORES_NT, 2, 1, 0}, {Q_STORES, 2, 1, ODD_MEMORY}, {Q_REP_ITERATIONS, 1, 1, 0}),
	 "non-temporal stores and fast strings alone go past the caches"},
	{Q_OFFCORE_UNCACHED, 0, 64, NULL,
	 PARTS({Q_LOADS, 2, 1, ODD_MEMORY}, {Q_STORES, 2, 1, ODD_MEMORY}, {Q_STORES_NT, 2, 1, 0},
	       {Q_INSN_LOCKED, 2, 1, 0}, OFFCORE_BESIDES),
	 "uncacheable and write-combining memory and split locks alone are accessed so"},
	/* AMD. A line is asked for once; what asks again finds the first request. */
	{Q_L1D_ACCESS, 0, 500, PARTS({Q_INSN_LOAD, 1, 1, 0}, {Q_LOADS, -1, 1, ODD_MEMORY}),
	 PARTS({Q_LOADS, 64, 1, 0}, {Q_STORES, 64, 1, 0}, {Q_PREFETCHES, 16, 1, 0}, {Q_BR_MISPRED, 64, 1, 0},
	       {Q_INSN_SERIALIZING, 200, 1, 0}, {Q_BR_FAR, 64, 1, 0}, {Q_EXCEPTIONS, 64, 1, 0},
	       {Q_INTERRUPTS_HW, 64, 1, 0}),
	 "each instruction that reads memory looks up once at least; the longest access is 64 times eight "
	 "bytes"},
	{Q_L1D_SOME, 0, 0, NULL, PARTS({Q_L1D_ACCESS, 1, 1, 0}), "some of all look-ups"},
	{Q_L1D_FILL, 0, 0, NULL,
	 PARTS({Q_L1D_LOAD_MISS, 1, 1, 0}, {Q_LOADS_SPLIT_LINE, 1, 1, 0}, {Q_L1D_FILL_OTHER, 1, 1, 0}),
	 "loads that miss, stores and page walks"},
	{Q_L1D_FILL_OTHER, 0, 64, NULL,
	 PARTS({Q_STORES, 1, 2, 0}, {Q_STORES, 2, 1, ODD_MEMORY | LINES_LEAVE}, {Q_DTLB_LOAD_MISS, 1, 1, 0},
	       {Q_DTLB_LOAD_MISS, 3, 1, KERNEL_SERVICE_CHAINS}, {Q_DTLB_STORE_MISS, 1, 1, 0},
	       {Q_ITLB_MISS, 1, 1, 0}, {Q_BR_MISPRED, 1, 4, 0}, OFFCORE_BESIDES),
	 "the working set has been touched before; a walk reads four entries, of which some lie far apart"},
	{Q_FILLS_SOME, 0, 0, NULL,
	 PARTS({Q_L1D_FILL, 1, 1, 0}, {Q_CODE_READS, 1, 1, 0}, {Q_PREFETCHES_SOME, 1, 1, 0},
	       {Q_PREFETCHES_HW, 1, 1, 0}),
	 "some of all lines that come in"},
	{Q_FILLS_OTHER_CORE, 0, 16, NULL,
	 PARTS({Q_LOADS, 2, 1, KERNEL_SERVICE_RIVAL}, {Q_STORES, 2, 1, KERNEL_SERVICE_RIVAL}),
	 "no other core has the lines, but where one stores to them"},
	{Q_PREFETCHES_SOME, 0, 500, NULL, PARTS({Q_PREFETCHES, 4, 1, 0}),
	 "some of all software prefetches; without any there is none"},
	{Q_PREFETCHES_HW, 0, 256, NULL,
	 PARTS({Q_LOADS, 2, 1, 0}, {Q_LOADS, 2, 1, ODD_MEMORY | LINES_LEAVE}, {Q_STORES, 2, 1, 0},
	       {Q_PREFETCHES, 2, 1, 0}, {Q_L1I_MISS, 4, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0}, OFFCORE_BESIDES),
	 "prefetchers follow accesses and misses of code"},
	{Q_LOCKED_SOME, 0, 0, NULL, PARTS({Q_INSN_LOCKED, 4, 1, 0}), "locked instructions alone have them"},
	{Q_CODE_READS, 0, 64, NULL, PARTS({Q_L1I_MISS, 4, 1, 0}, {Q_BR_MISPRED, 4, 1, 0}, OFFCORE_BESIDES),
	 "what misses the first level, lines ahead of it, and wrong paths"},
	{Q_CODE_FETCHES, 0, 500, NULL,
	 PARTS({Q_INSTRUCTIONS, 2, 1, 0}, {Q_BR_MISPRED, 16, 1, 0}, {Q_INSN_SERIALIZING, 200, 1, 0},
	       {Q_BR_FAR, 64, 1, 0}, {Q_EXCEPTIONS, 64, 1, 0}, {Q_INTERRUPTS_HW, 64, 1, 0}),
	 "an instruction lies in two blocks at most"},
	{Q_CODE_LOST, 0, 64, NULL,
	 PARTS({Q_CODE_READS, 1, 1, 0}, {Q_STORES, 4, 1, KERNEL_SERVICE_ALIAS},
	       {Q_STORES, 2, 1, KERNEL_SERVICE_RIVAL}, {Q_INSN_CLFLUSH, 2, 1, 0},
	       {Q_INSN_SERIALIZING, 200, 1, 0}),
	 "stores to code, code that is read, lines that are flushed"},
	{Q_TLB1_MISS, 0, 64, NULL,
	 PARTS({Q_LOADS, 1, 4, 0}, {Q_LOADS, 2, 1, KERNEL_SERVICE_CHAINS}, {Q_STORES, 1, 4, 0},
	       {Q_PREFETCHES, 2, 1, 0}, {Q_DTLB_LOAD_MISS, 2, 1, 0}, {Q_DTLB_STORE_MISS, 2, 1, 0},
	       {Q_BR_MISPRED, 2, 1, 0}, OFFCORE_BESIDES),
	 "some twenty pages, all touched before"},
	{Q_ITLB1_MISS, 0, 64, NULL,
	 PARTS({Q_INSTRUCTIONS, 1, 16, 0}, {Q_ITLB_MISS, 2, 1, 0}, {Q_BR_MISPRED, 2, 1, 0}, OFFCORE_BESIDES),
	 "a few pages of code, all run before"},
	{Q_WALK_STEPS, 0, 256, NULL,
	 PARTS({Q_DTLB_LOAD_MISS, 8, 1, 0}, {Q_DTLB_STORE_MISS, 8, 1, 0}, {Q_ITLB_MISS, 8, 1, 0},
	       {Q_PREFETCHES, 8, 1, 0}, {Q_BR_MISPRED, 8, 1, 0}, OFFCORE_BESIDES),
	 "four levels for each translation that misses, each tried twice"},
	{Q_LINES_OUT, 0, 64, NULL,
	 PARTS({Q_L1D_FILL, 1, 1, 0}, {Q_PREFETCHES_HW, 1, 1, 0}, {Q_PREFETCHES_SOME, 1, 1, 0},
	       {Q_CODE_READS, 1, 1, 0}, {Q_INSN_CLFLUSH, 2, 1, 0}, {Q_INSN_SERIALIZING, 200, 1, 0}),
	 "a line makes room for one that comes in, or is flushed"},
	{Q_WRITE_TRANSFERS, 0, 500, NULL,
	 PARTS({Q_LINES_OUT, 8, 1, 0}, {Q_OFFCORE_STREAMING, 8, 1, 0}, {Q_OFFCORE_UNCACHED, 2, 1, 0}),
	 "eight for each line that leaves, or store that goes past the caches"},
	{Q_UNDOCUMENTED, 0, 65535, NULL, PARTS({Q_CYCLES, 16, 1, 0}),
	 "undocumented: nothing but a clock's upper bound"},
	{Q_CLEARS_MO, 0, 16, NULL, PARTS({Q_LOADS, 1, 16, 0}, {Q_STORES, 1, 16, 0}),
	 "one CPU runs: nobody else writes"},
	{Q_CLEARS_SMC, 0, 0, NULL, PARTS({Q_STORES, 4, 1, KERNEL_SERVICE_ALIAS}), "needs stores to code"},
	{Q_AVX_SSE_TRANSITIONS, 0, 0, NULL, PARTS({Q_INSN_SSE, 2, 1, 0}),
	 "there and back at each legacy SSE instruction; they alone have them"},
};

/* What the delivery of an interrupt pushes is no store of an instruction, but a store. */
#define PUSHES Q_BR_FAR, Q_EXCEPTIONS, Q_INTERRUPTS_HW, Q_INTERRUPTS_NMI

/*
 * What befalls instructions that retire, or what they alone lead to: with none of these there is exactly
 * nothing of it. The bracket neither branches nor accesses memory, and its first instruction waits until
 * earlier stores are done.
 */
static const struct {
	uint8_t quantity;
	uint8_t cause[7]; /* Q_INSTRUCTIONS, which is 0, ends */
} causes[] = {
	{Q_BR_MISPRED, {Q_BRANCHES}},
	{Q_L1D_LOAD_MISS, {Q_LOADS}},
	{Q_L2_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_STORE_MISS, {Q_STORES}},
	{Q_DTLB_LOAD_STLB, {Q_LOADS}},
	{Q_DTLB_LOAD_4K, {Q_LOADS}},
	{Q_DTLB_LOAD_2M, {Q_LOADS}},
	{Q_DTLB_LOAD_1G, {Q_LOADS}},
	{Q_DTLB_STORE_4K, {Q_STORES}},
	{Q_DTLB_STORE_2M, {Q_STORES}},
	{Q_DTLB_STORE_1G, {Q_STORES}},
	{Q_STORE_FORWARD_BLOCK, {Q_LOADS}},
	{Q_STORE_UNKNOWN, {Q_LOADS}},
	{Q_ALIAS_64K, {Q_LOADS, Q_STORES, PUSHES}},
	{Q_STALLS_STORE, {Q_STORES, PUSHES}},
	{Q_WC_EVICTIONS, {Q_STORES, PUSHES}},
	{Q_OFFCORE_STREAMING, {Q_STORES}},
	{Q_OFFCORE_RFO, {Q_STORES, Q_PREFETCHES, Q_INSN_SERIALIZING, PUSHES}},
	{Q_PREFETCHES_SOME, {Q_PREFETCHES}},
};
_Static_assert(Q_INSTRUCTIONS == 0, "it ends a list of causes");

static bool lacks_cause(const struct kernel *k, enum quantity q, uint64_t n)
{
	for (unsigned i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
		if (causes[i].quantity != q)
			continue;
		for (const uint8_t *c = causes[i].cause; c < causes[i].cause + 7 && *c; c++) {
			struct amount cause = kernel_amount(k, *c, n);

			if (cause.overflow || cause.low || cause.high)
				return false;
		}
		return true;
	}
	return false;
}

static const struct bound *find(enum quantity q)
{
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (bounds[i].quantity == q)
			return &bounds[i];
	return NULL;
}

static bool add_part(int64_t *sum, const struct part *p, const struct kernel *k, uint64_t n, bool high)
{
	struct amount a;
	int64_t product;

	if (p->flags && !(k->flags & p->flags))
		return true;
	a = bounds_amount(k, p->of, n);
	return !a.overflow &&
	       !__builtin_mul_overflow(high == (p->times > 0) ? a.high : a.low, (int64_t)p->times,
				       &product) &&
	       !__builtin_add_overflow(*sum, product / p->per, sum);
}

struct amount bounds_amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount r = kernel_amount(k, q, n);
	const struct bound *b = r.defined ? NULL : find(q);

	if (!b)
		return r;
	if (lacks_cause(k, q, n))
		return (struct amount){.defined = true};
	r = (struct amount){.defined = true, .low = b->low, .high = b->high, .reason = b->reason};
	for (const struct part *p = b->low_parts; p && p->times; p++)
		r.overflow |= !add_part(&r.low, p, k, n, false);
	if (r.low < 0)
		r.low = 0;
	for (const struct part *p = b->high_parts; p && p->times; p++)
		r.overflow |= !add_part(&r.high, p, k, n, true);
	return r;
}
