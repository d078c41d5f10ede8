#include "tests/judge/bounds.h"
#include "tests/kernels/kernel.h"

/* The numbers that rows are made of, each with its source. */
enum limit {
	LIMIT_VALUE_NONE = 0,
#define LIMIT(name, value, kind, source) LIMIT_VALUE_##name = (value),
#include "tests/judge/limits.def"
#undef LIMIT
};

/** amount of .of (its low end for a lower bound, else its high end; what is taken away: the other one) times
 * .times, divided by .per, rounded down */
struct part {
	quantity_number of;
	int32_t times; /* 0 ends; negative: taken away, not below 0 altogether */
	uint16_t per;
	uint64_t flags;  /* only of kernels that have one of these; 0: of all */
	uint64_t unless; /* not of kernels that have one of these */
};

struct bound {
	quantity_number quantity;
	uint16_t low, high; /* fixed parts */
	const struct part *low_parts, *high_parts;
	const char *reason;
};

/* clang-format off */

/* Lists are of very different lengths: each takes what it needs. */
#define PARTS(...) ((const struct part[]){__VA_ARGS__, {0}})

/* A part: as many as a limit for each unit of a quantity, one for so many units, or what another quantity has
 * less; of all kernels, or of those with certain flags. Numbers come from tests/judge/limits.def alone. */
#define UP(of, limit)           {Q_##of, LIMIT_VALUE_##limit, 1, 0, 0}
#define UP_IN(flags, of, limit) {Q_##of, LIMIT_VALUE_##limit, 1, flags, 0}
#define UP_UNLESS(flags, of, limit) {Q_##of, LIMIT_VALUE_##limit, 1, 0, flags}
#define SHARE(of, limit)        {Q_##of, 1, LIMIT_VALUE_##limit, 0, 0}
#define SHARE_IN(flags, of, limit) {Q_##of, 1, LIMIT_VALUE_##limit, flags, 0}
#define SHARE_UNLESS(flags, of, limit) {Q_##of, 1, LIMIT_VALUE_##limit, 0, flags}
#define LESS(of)                {Q_##of, -1, 1, 0, 0}
#define LESS_IN(flags, of)      {Q_##of, -1, 1, flags, 0}

/* A row; one of which some number is a watchdog's says so in every verdict. */
#define BOUND(of, low, high, low_parts, high_parts, reason)                                                  \
	{Q_##of, LIMIT_VALUE_##low, LIMIT_VALUE_##high, low_parts, high_parts, reason}
#define WATCHED(of, low, high, low_parts, high_parts, reason)                                                \
	BOUND(of, low, high, low_parts, high_parts, "watchdog: " reason)

/* What has micro-operations that cannot be tagged (SDM vol. 3, 18.15.6.1): some instructions, I/O, and accesses of
 * memory that is not cached, which the APIC's registers are. */
#define UNCACHED      (KERNEL_SERVICE_UC | KERNEL_SERVICE_TIMER_MAPPED | KERNEL_SERVICE_IPI_MAPPED)
#define UNTAGGED(all) LESS(BR_RET), LESS(BR_FAR), LESS(INSN_LOCKED), LESS(INSN_IO), LESS_IN(UNCACHED, all)

/* Microcode that moves much: by what means is its own. */
#define MOVED                                                                                                \
	UP(INSN_STRING, UOPS_VECTOR), UP(REP_ITERATIONS, UOPS_MOVED), UP(INSN_SERIALIZING, OF_CODE_MOST)

/* As far as they are x87's or MMX's neither. */
#define VECTOR_UOPS                                                                                          \
	UP(INSN_SSE, UOPS_VECTOR), UP(INSN_AVX, UOPS_VECTOR), UP(INSN_AVX512, UOPS_VECTOR),                  \
	UP(INSN_AES, UOPS_VECTOR), UP(INSN_SHA, UOPS_VECTOR), MOVED

/* What microcode, deliveries and what they lead to ask for. */
#define OFFCORE_BESIDES                                                                                      \
	UP(INSN_CLFLUSH, TWO_LINES), UP(INSN_SERIALIZING, OF_CODE), UP(BR_FAR, OF_CODE),                     \
	UP(EXCEPTIONS, OF_CODE), UP(INTERRUPTS_HW, OF_CODE)

/* Memory that is not accessed in caches. */
#define ODD_MEMORY (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC | KERNEL_SERVICE_SPLIT_LOCK)
/* Whoever else's memory lies in large pages: the APIC's registers. */
#define LARGE_PAGES                                                                                          \
	(KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G | KERNEL_SERVICE_TIMER_MAPPED | KERNEL_SERVICE_TIMER)
/* Lines that do not stay in the caches: they conflict, or another processor takes them away. */
#define LINES_LEAVE (KERNEL_SERVICE_CHAINS | KERNEL_SERVICE_RIVAL)

/* Fixed parts: cycles and misses of the bracket and of what the machine does besides (a system-management
 * interrupt, another thread of the core). */
static const struct bound bounds[] = {
	WATCHED(CYCLES, ONCE, CYCLES_WINDOW, PARTS(SHARE(INSTRUCTIONS, AT_ONCE)),
		PARTS(UP(INSTRUCTIONS, CYCLES_INSTRUCTION),
		UP_IN(KERNEL_RING0_ONLY, INSTRUCTIONS, CYCLES_PRIVILEGED),
		UP(REP_ITERATIONS, CYCLES_INSTRUCTION), UP(LOADS, CYCLES_ACCESS), UP(STORES, CYCLES_ACCESS),
		UP(INSN_X87, CYCLES_X87), UP(INSN_PAUSE, CYCLES_PAUSE),
		UP(INSN_SERIALIZING, CYCLES_SERIALIZING), UP(BR_FAR, CYCLES_FAR),
		UP(EXCEPTIONS, CYCLES_EXCEPTION), UP(INTERRUPTS_HW, CYCLES_INTERRUPT),
		UP(INSN_FENCE, CYCLES_FENCE), UP_IN(KERNEL_SERVICE_SPLIT_LOCK, INSN_LOCKED, CYCLES_SPLIT_LOCK)),
		"at most sixteen instructions a cycle, at most some hundreds of cycles for a slow one"),
	BOUND(REF_CYCLES, ONCE, NONE, PARTS(SHARE(CYCLES, CLOCK_RATIO)),
		PARTS(UP(CYCLES, CLOCK_RATIO)),
		"from a sixteenth of the core's clock to sixteen times it"),
	BOUND(BUS_CYCLES, NONE, ONCE, PARTS(SHARE(CYCLES, BUS_RATIO)),
		PARTS(UP(CYCLES, ONCE)),
		"no bus is faster than its core, none is more than three hundred times slower"),
	BOUND(SLOTS, NONE, NONE, PARTS(UP(CYCLES, SLOTS_FEWEST)),
		PARTS(UP(CYCLES, SLOTS_MOST)),
		"five to eight slots a cycle"),
	WATCHED(BR_MISPRED, NONE, GUESSES_FIXED, NULL,
		PARTS(SHARE(BR_COND, ONE_IN_4), SHARE(BR_JMP_INDIRECT, ONE_IN_4),
		SHARE(BR_CALL_INDIRECT, ONE_IN_4), SHARE(BR_RET, ONE_IN_4), UP(BR_FAR, ONCE),
		UP(EXCEPTIONS, THERE_AND_BACK), UP(INTERRUPTS_HW, THERE_AND_BACK)),
		"branches in a regular pattern that has been seen before: a predictor is right about most"),
	WATCHED(LLC_REF, NONE, MORE_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_4), SHARE(STORES, ONE_IN_4),
		UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONCE), UP_IN(ODD_MEMORY | KERNEL_SERVICE_CHAINS, STORES, ONCE),
		UP(STORES_NT, TWO_LINES), UP(INSN_CLFLUSH, TWO_LINES), UP(PREFETCHES, AGAIN),
		UP(INSN_SERIALIZING, OF_CODE_FEW), UP(EXCEPTIONS, OF_CODE_FEW), UP(BR_FAR, AGAIN),
		UP(INTERRUPTS_HW, OF_CODE)),
		"the working set has been touched before and fits the caches above; what goes past them reaches it"),
	WATCHED(LLC_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_32), SHARE(STORES, ONE_IN_32),
		UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONCE), UP_IN(ODD_MEMORY | LINES_LEAVE, STORES, ONCE),
		UP(STORES_NT, TWO_LINES), UP(INSN_CLFLUSH, TWO_LINES), UP(PREFETCHES, AGAIN),
		UP(INTERRUPTS_HW, OF_CODE_FEW)),
		"the working set has been touched before and fits; what goes past the caches or was flushed misses"),
	WATCHED(L1D_LOAD_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_4), UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONCE), UP(STORES_NT, ONCE),
		UP(INSN_CLFLUSH, TWO_LINES), UP(EXCEPTIONS, OF_CODE_FEW), UP(INTERRUPTS_HW, OF_CODE)),
		"the working set has been touched before and fits the first level, but for kernels that say otherwise"),
	WATCHED(L2_LOAD_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_32), UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONCE),
		UP(STORES_NT, ONCE), UP(INSN_CLFLUSH, TWO_LINES), UP(INTERRUPTS_HW, OF_CODE)),
		"the working set has been touched before and fits the second level"),
	WATCHED(L1I_MISS, NONE, MORE_FIXED, NULL,
		PARTS(SHARE_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONE_IN_32), UP(EXCEPTIONS, OF_CODE_FEW), UP(BR_FAR, AGAIN),
		UP(INTERRUPTS_HW, OF_CODE)),
		"the code has run before and fits the first level"),
	WATCHED(DTLB_LOAD_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_16), UP_IN(KERNEL_SERVICE_CHAINS, LOADS, ONCE),
		UP(INSN_SERIALIZING, OF_CODE_FEW), UP(EXCEPTIONS, OF_CODE_LEAST), UP(INTERRUPTS_HW, OF_CODE)),
		"some twenty pages, all touched before"),
	WATCHED(DTLB_STORE_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE(STORES, ONE_IN_16), UP_IN(KERNEL_SERVICE_CHAINS, STORES, ONCE), UP(INSN_SERIALIZING, OF_CODE_FEW),
		UP(EXCEPTIONS, OF_CODE_LEAST), UP(INTERRUPTS_HW, OF_CODE)),
		"some twenty pages, all touched before"),
	WATCHED(ITLB_MISS, NONE, LINES_FIXED, NULL,
		PARTS(SHARE_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONE_IN_64), UP(INSN_SERIALIZING, OF_CODE_LEAST),
		UP(EXCEPTIONS, OF_CODE_LEAST), UP(INTERRUPTS_HW, OF_CODE)),
		"a few pages of code, all run before"),
	BOUND(STORE_FORWARD, NONE, NONE, NULL,
		PARTS(UP(LOADS, ONCE)),
		"a load is forwarded to once, if at all"),
	WATCHED(STORE_FORWARD_BLOCK, NONE, FEW_FIXED, NULL,
		PARTS(UP(LOADS, RETRIES)),
		"a load may be counted again each time it tries"),
	/* Caches of decoded instructions. Which code they hold beside a jump, or where it is dense, is the CPU's own. */
	WATCHED(UOPS_DECODED, NONE, LOTS_FIXED, NULL,
		PARTS(UP(UOPS, RETRIES)),
		"what retires has been decoded, if it is not held, and wrong paths were too"),
	WATCHED(UOPS_CACHED, NONE, MORE_FIXED, NULL,
		PARTS(UP(UOPS, RETRIES)),
		"what retires has been delivered, and wrong paths were too"),
	WATCHED(DECODED_MISS, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(INSTRUCTIONS, ONCE)),
		"an instruction is looked up once at most"),
	BOUND(DECODED_SOME, NONE, NONE, NULL,
		PARTS(UP(DECODED_MISS, ONCE)),
		"some of all that miss"),
	/* NetBurst. What an instruction has of these is the CPU's own; one that has nothing to do with them
	   has none. */
	WATCHED(UOPS, NONE, MORE_FIXED, PARTS(UP(INSTRUCTIONS, ONCE)),
		PARTS(UP_UNLESS(KERNEL_STILL, INSTRUCTIONS, UOPS_INSTRUCTION), UP_IN(KERNEL_STILL, INSN_NOP, ONCE),
		UP_IN(KERNEL_STILL, BRANCHES, UOPS_INSTRUCTION), UP(REP_ITERATIONS, UOPS_INSTRUCTION),
		UP(INSN_X87, UOPS_X87), UP(INSN_SERIALIZING, UOPS_SERIALIZING), UP(BR_FAR, UOPS_FAR),
		UP(INSN_DIV, UOPS_DIVIDE), UP(EXCEPTIONS, UOPS_FAR), UP(INTERRUPTS_HW, UOPS_FAR)),
		"at least one micro-operation for each instruction, and for a NOP no more"),
	WATCHED(UOPS_LOAD, NONE, FEW_FIXED, PARTS(UP(INSN_LOAD, ONCE), UNTAGGED(INSN_LOAD)),
		PARTS(UP(LOADS, PARTS_OF_ACCESS), SHARE(LOAD_BYTES, PART_BYTES), UP(INSN_STRING, STRING_LOADS),
		UP(INSN_X87, UOPS_X87_MEMORY), UP(INSN_SERIALIZING, OF_CODE_MORE), UP(INSN_SEGMENT, OF_CODE_FEW),
		UP(BR_FAR, OF_CODE_MORE), UP(EXCEPTIONS, OF_CODE_MORE), UP(INTERRUPTS_HW, OF_CODE_MORE)),
		"at least one load micro-operation for each instruction that reads; those of a REP may be joined"),
	WATCHED(UOPS_STORE, NONE, FEW_FIXED, PARTS(UP(INSN_STORE, ONCE), UNTAGGED(INSN_STORE)),
		PARTS(UP(STORES, PARTS_OF_ACCESS), SHARE(STORE_BYTES, PART_BYTES), UP(INSN_FENCE, FENCE_STORES),
		UP(INSN_CLFLUSH, FENCE_STORES), UP(INSN_X87, UOPS_X87_MEMORY),
		UP(INSN_SERIALIZING, OF_CODE_MORE), UP(INSN_SEGMENT, OF_CODE_FEW), UP(BR_FAR, OF_CODE_MORE),
		UP(EXCEPTIONS, OF_CODE_MORE), UP(INTERRUPTS_HW, OF_CODE_MORE)),
		"at least one store micro-operation for each instruction that writes; those of a REP may be joined"),
	WATCHED(UOPS_X87, NONE, NONE, PARTS(UP(X87_OPS, ONCE)),
		PARTS(UP(INSN_X87, UOPS_X87)),
		"at least one for each operation"),
	WATCHED(UOPS_MOVES, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, UOPS_X87_MOVES), UP(INSN_MMX, UOPS_VECTOR_MOVES),
		UP(INSN_SSE, UOPS_VECTOR_MOVES)),
		"x87 and SIMD instructions alone have them"),
	WATCHED(UOPS_FP_LOADS, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, UOPS_X87_MOVES), UP(INSN_MMX, UOPS_VECTOR_MOVES),
		UP(INSN_SSE, UOPS_VECTOR_MOVES)),
		"x87 and SIMD instructions alone have them"),
	WATCHED(UOPS_MEMORY_MOVES, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, UOPS_X87_MOVES), UP(INSN_MMX, UOPS_VECTOR_MOVES),
		UP(INSN_SSE, UOPS_VECTOR_MOVES)),
		"x87 and SIMD instructions alone have them"),
	WATCHED(UOPS_MMX64, NONE, NONE, NULL,
		PARTS(UP(INSN_MMX, UOPS_VECTOR_KIND)),
		"MMX instructions alone have them"),
	WATCHED(UOPS_MMX128, NONE, NONE, NULL,
		PARTS(UP(INSN_SSE, UOPS_VECTOR_KIND), UP(INSN_STRING, UOPS_VECTOR_KIND),
		UP(REP_ITERATIONS, UOPS_MOVED)),
		"SSE and string instructions alone have them"),
	WATCHED(UOPS_SP, NONE, NONE, PARTS(UP(FP_128_SP, ONCE)),
		PARTS(UP(INSN_SSE, UOPS_VECTOR_KIND), UP(INSN_STRING, UOPS_VECTOR_KIND),
		UP(REP_ITERATIONS, UOPS_MOVED)),
		"at least one for each operation; fast string moves have them too"),
	WATCHED(UOPS_DP, NONE, NONE, PARTS(UP(FP_128_DP, ONCE)),
		PARTS(UP(INSN_SSE, UOPS_VECTOR_KIND)),
		"at least one for each operation"),
	WATCHED(UOPS_SS, NONE, NONE, PARTS(UP(FP_SCALAR_SP, ONCE)),
		PARTS(UP(INSN_SSE, UOPS_VECTOR_KIND)),
		"at least one for each operation"),
	WATCHED(UOPS_SD, NONE, NONE, PARTS(UP(FP_SCALAR_DP, ONCE)),
		PARTS(UP(INSN_SSE, UOPS_VECTOR_KIND)),
		"at least one for each operation"),
	BOUND(BR_MISPRED_TAKEN, NONE, NONE, NULL,
		PARTS(UP(BR_MISPRED, ONCE)),
		"some of all mispredictions"),
	BOUND(BR_MISPRED_NTAKEN, NONE, NONE, NULL,
		PARTS(UP(BR_COND_NTAKEN, ONCE)),
		"some of all that are not taken"),
	BOUND(BR_MISPRED_COND, NONE, NONE, NULL,
		PARTS(UP(BR_COND, ONCE)),
		"some of all conditional branches"),
	BOUND(BR_MISPRED_JMP, NONE, NONE, NULL,
		PARTS(UP(BR_JMP_DIRECT, ONCE), UP(BR_CALL_DIRECT, ONCE)),
		"some of all direct jumps and calls"),
	BOUND(BR_MISPRED_CALL, NONE, NONE, NULL,
		PARTS(UP(BR_CALL_INDIRECT, ONCE)),
		"some of all indirect calls"),
	BOUND(BR_MISPRED_RET, NONE, NONE, NULL,
		PARTS(UP(BR_RET, ONCE)),
		"some of all returns"),
	BOUND(BR_MISPRED_JMP_INDIRECT, NONE, NONE, NULL,
		PARTS(UP(BR_JMP_INDIRECT, ONCE)),
		"some of all indirect jumps"),
	WATCHED(ASSISTS_SSE, NONE, NONE, NULL,
		PARTS(UP(INSN_SSE, RETRIES)),
		"SSE instructions alone have them"),
	WATCHED(ASSISTS_X87, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, RETRIES)),
		"x87 instructions alone have them"),
	WATCHED(X87_STACK, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, RETRIES)),
		"x87 instructions alone have them"),
	BOUND(UOPS_BOGUS, NONE, NETBURST_WRITES, NULL,
		PARTS(UP(BR_MISPRED, NETBURST_WINDOW), UP(EXCEPTIONS, NETBURST_WINDOW),
		UP(INTERRUPTS_HW, NETBURST_WINDOW), UP(INSN_SERIALIZING, NETBURST_WINDOW),
		UP(BR_FAR, NETBURST_WINDOW), UP(CLEARS_SMC, NETBURST_WINDOW)),
		"no more than the pipeline holds, each time it is emptied"),
	WATCHED(L2_LOAD_HIT, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LOADS, AGAIN), UP(STORES, AGAIN), UP(PREFETCHES, AGAIN)),
		"no more reads than accesses, each tried twice"),
	WATCHED(L3_ACCESS, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LOADS, AGAIN), UP(STORES, AGAIN), UP(PREFETCHES, AGAIN)),
		"no more than accesses, each tried twice; none without the cache"),
	WATCHED(ITLB_HIT, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(INSTRUCTIONS, TWO_BLOCKS)),
		"looked up when traces are built"),
	WATCHED(TC_FLUSH, NONE, SOME_FIXED, NULL,
		PARTS(UP(INSN_SERIALIZING, AGAIN), UP_IN(KERNEL_SERVICE_ALIAS, STORES, ONCE)),
		"flushed by what changes code or its mapping"),
	WATCHED(TC_BUILD_CYCLES, NONE, BUS_FIXED, NULL,
		PARTS(UP(CYCLES, ONCE)),
		"some of all cycles"),
	WATCHED(UOPS_ROM, NONE, LOTS_FIXED, NULL,
		PARTS(UP(UOPS, RETRIES)),
		"long instructions have theirs from there"),
	WATCHED(ROM_SWITCHES, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(INSTRUCTIONS, RETRIES), UP(EXCEPTIONS, OF_CODE), UP(INTERRUPTS_HW, OF_CODE)),
		"a few for a long instruction"),
	WATCHED(STALLS_STORE, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(STORES, CYCLES_STORE_WAIT)),
		"stores alone fill store buffers"),
	WATCHED(ALIAS_64K, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LOADS, MANY_RETRIES), UP(STORES, MANY_RETRIES)),
		"an access may be cancelled more than once"),
	WATCHED(STORE_UNKNOWN, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LOADS, MANY_RETRIES)),
		"a load may be replayed more than once"),
	WATCHED(WC_EVICTIONS, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(STORES, RETRIES), UP(STORES_NT, RETRIES)),
		"stores alone fill such buffers"),
	WATCHED(BUS_REQUESTS, NONE, LOTS_FIXED, NULL,
		PARTS(UP(LLC_MISS, MANY_RETRIES), UP(LOADS, MANY_RETRIES), UP(STORES, MANY_RETRIES),
		UP_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONCE), UP(INSN_SERIALIZING, OF_CODE)),
		"what goes past the caches, each entry tried several times; NOPs that ran before ask for nothing"),
	WATCHED(BUS_DATA, NONE, BUS_FIXED, NULL,
		PARTS(UP(LOADS, BUS_CLOCKS_LINE), UP(STORES, BUS_CLOCKS_LINE),
		UP_UNLESS(KERNEL_STILL, INSTRUCTIONS, BUS_CLOCKS_CODE), UP(INSN_SERIALIZING, BUS_CLOCKS_LINE)),
		"some clocks for each line that moves; NOPs that ran before move none"),
	/* Intel: parts of other quantities. */
	BOUND(CYCLES_SOME, NONE, NONE, NULL,
		PARTS(UP(CYCLES, ONCE)),
		"some of all cycles"),
	WATCHED(CYCLES_CAUSED, NONE, CYCLES_WINDOW, NULL,
		PARTS(UP_UNLESS(KERNEL_STILL, CYCLES, ONCE), UP(BR_MISPRED, CYCLES_ACCESS)),
		"some of all cycles; of NOPs alone none but the bracket's, and those of wrong paths"),
	WATCHED(CYCLES_DIV, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(INSN_DIV, CYCLES_DIVIDE), UP(FP_DIV, CYCLES_DIVIDE), UP(INSN_X87, CYCLES_X87),
		UP(INSN_SERIALIZING, CYCLES_DIVIDE_CODE), UP(BR_FAR, CYCLES_DIVIDE_FAR),
		UP(EXCEPTIONS, CYCLES_DIVIDE_FAR), UP(INTERRUPTS_HW, CYCLES_DIVIDE_CODE)),
		"divisions and square roots alone keep a divider busy, and microcode that has some"),
	WATCHED(OCCUPANCY, NONE, NONE, NULL,
		PARTS(UP(CYCLES, IN_QUEUES)),
		"no queue holds more than some hundreds"),
	WATCHED(OCCUPANCY_CAUSED, NONE, CYCLES_WINDOW, NULL,
		PARTS(UP_UNLESS(KERNEL_STILL, CYCLES, IN_QUEUES), UP(BR_MISPRED, CYCLES_ACCESS)),
		"no queue holds more than some hundreds; of NOPs alone none but the bracket's, and those of wrong paths"),
	WATCHED(SLOTS_CAUSED, NONE, CYCLES_WINDOW, NULL,
		PARTS(UP_UNLESS(KERNEL_STILL, CYCLES, SLOTS_MOST), UP(BR_MISPRED, CYCLES_ACCESS)),
		"at most eight slots a cycle; of NOPs alone none but the bracket's, and those of wrong paths"),
	WATCHED(UOPS_CAUSED, NONE, LOTS_FIXED, NULL,
		PARTS(UP_UNLESS(KERNEL_STILL, UOPS, MORE_RETRIES), UP_IN(KERNEL_STILL, BRANCHES, RETRIES)),
		"some of what retires and of what is cancelled, each tried several times; NOPs are none of it, but what closes their loop may be"),
	BOUND(SLOTS_SOME, NONE, NONE, NULL,
		PARTS(UP(CYCLES, SLOTS_MOST)),
		"at most eight slots a cycle"),
	WATCHED(INSN_SOME, NONE, FEW_FIXED, NULL,
		PARTS(UP(INSTRUCTIONS, ONCE), UP(EXCEPTIONS, ONCE), UP(INTERRUPTS_HW, ONCE)),
		"some of all instructions"),
	WATCHED(INSN_CAUSED, NONE, MORE_FIXED, NULL,
		PARTS(UP_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONCE), UP(BR_MISPRED, ONCE), UP(EXCEPTIONS, ONCE),
		UP(INTERRUPTS_HW, ONCE)),
		"some of all instructions; of NOPs alone none but the bracket's, and those behind a misprediction"),
	BOUND(TRANSACTIONS_SOME, NONE, NONE, NULL,
		PARTS(UP(INSN_XBEGIN, ONCE)),
		"a transaction ends once, however it does"),
	BOUND(BR_SOME, NONE, NONE, NULL,
		PARTS(UP(BRANCHES, ONCE), UP(EXCEPTIONS, ONCE), UP(INTERRUPTS_HW, ONCE)),
		"some of all branches"),
	BOUND(REP_SOME, NONE, NONE, NULL,
		PARTS(UP(REP_ITERATIONS, ONCE)),
		"REP string instructions alone merge accesses"),
	BOUND(LOADS_SOME, NONE, NONE, NULL,
		PARTS(UP(UOPS_LOAD, ONCE), UP(PREFETCHES, ONCE)),
		"some of all loads"),
	BOUND(STORES_SOME, NONE, NONE, NULL,
		PARTS(UP(UOPS_STORE, ONCE)),
		"some of all stores"),
	BOUND(WALKS_SOME, NONE, NONE, NULL,
		PARTS(UP(DTLB_LOAD_MISS, ONCE), UP(DTLB_STORE_MISS, ONCE), UP(ITLB_MISS, ONCE)),
		"some of all page walks"),
	WATCHED(DTLB_LOAD_STLB, NONE, LINES_FIXED, NULL,
		PARTS(UP(LOADS, ONCE)),
		"a load is translated once"),
	WATCHED(DTLB_STORE_STLB, NONE, LINES_FIXED, NULL,
		PARTS(UP(STORES, ONCE), OFFCORE_BESIDES),
		"a store is translated once"),
	WATCHED(SEGMENT_LOADS, NONE, MORE_FIXED, NULL,
		PARTS(UP(INSN_SEGMENT, RETRIES), UP(INSN_SERIALIZING, OF_CODE), UP(BR_FAR, OF_CODE),
		UP(EXCEPTIONS, OF_CODE), UP(INTERRUPTS_HW, OF_CODE)),
		"instructions that load segment registers, far transfers and deliveries alone"),
	WATCHED(LOADS_SPLIT_BLOCK, NONE, SOME_FIXED, NULL,
		PARTS(UP(LOADS_SPLIT_LINE, MANY_RETRIES), UP(REP_ITERATIONS, RETRIES),
		UP(INSN_SERIALIZING, OF_CODE_LEAST), UP(INSN_SEGMENT, OF_CODE_LEAST), UP(BR_FAR, OF_CODE_LEAST),
		UP(EXCEPTIONS, OF_CODE_LEAST), UP(INTERRUPTS_HW, OF_CODE_LEAST)),
		"loads across two lines alone, each tried several times"),
	/* Intel's event list of Skylake: "can also be incremented by some lock instructions". */
	WATCHED(LOADS_PREFETCHED, NONE, SOME_FIXED, NULL,
		PARTS(UP(PREFETCHES, CYCLES_ACCESS), UP(INSN_LOCKED, RETRIES), UP(INSN_SEGMENT, OF_CODE_LEAST),
		UP(INSN_SERIALIZING, OF_CODE_LEAST), UP(BR_FAR, OF_CODE_LEAST), UP(EXCEPTIONS, OF_CODE_LEAST),
		UP(INTERRUPTS_HW, OF_CODE_LEAST)),
		"loads behind a software prefetch, while its line is on the way, and some locked ones"),
	BOUND(DTLB_LOAD_4K, NONE, NONE, NULL,
		PARTS(UP(DTLB_LOAD_MISS, ONCE)),
		"some of all walks"),
	WATCHED(DTLB_LOAD_2M, NONE, LINES_FIXED, NULL,
		PARTS(UP_IN(LARGE_PAGES, DTLB_LOAD_MISS, ONCE)),
		"little lies in large pages, but where a kernel asks for them"),
	WATCHED(DTLB_LOAD_1G, NONE, LINES_FIXED, NULL,
		PARTS(UP_IN(LARGE_PAGES, DTLB_LOAD_MISS, ONCE)),
		"little lies in large pages, but where a kernel asks for them"),
	BOUND(DTLB_STORE_4K, NONE, NONE, NULL,
		PARTS(UP(DTLB_STORE_MISS, ONCE)),
		"some of all walks"),
	WATCHED(DTLB_STORE_2M, NONE, LINES_FIXED, NULL,
		PARTS(UP_IN(LARGE_PAGES, DTLB_STORE_MISS, ONCE)),
		"little lies in large pages, but where a kernel asks for them"),
	WATCHED(DTLB_STORE_1G, NONE, LINES_FIXED, NULL,
		PARTS(UP_IN(LARGE_PAGES, DTLB_STORE_MISS, ONCE)),
		"little lies in large pages, but where a kernel asks for them"),
	WATCHED(REQUESTS, NONE, LOTS_FIXED, NULL,
		PARTS(UP(LLC_MISS, MANY_RETRIES), UP(LOADS, MANY_RETRIES), UP(STORES, MANY_RETRIES),
		UP(PREFETCHES, MANY_RETRIES), UP_UNLESS(KERNEL_STILL, INSTRUCTIONS, RETRIES), UP(INSN_CLFLUSH, MANY_RETRIES),
		UP(INSN_SERIALIZING, OF_CODE_MOST), UP(BR_FAR, OF_CODE_MANY), UP(EXCEPTIONS, OF_CODE_MANY),
		UP(INTERRUPTS_HW, OF_CODE_MANY)),
		"an access makes some requests, each tried several times; so do prefetchers"),
	WATCHED(UOPS_SOME, NONE, LOTS_FIXED, NULL,
		PARTS(UP(UOPS, MORE_RETRIES)),
		"some of what retires and of what is cancelled, each tried several times"),
	WATCHED(UOPS_FUSED, NONE, MORE_FIXED, PARTS(SHARE_UNLESS(KERNEL_STILL, INSTRUCTIONS, FUSED), UP_IN(KERNEL_STILL, INSN_NOP, ONCE)),
		PARTS(UP(UOPS, ONCE)),
		"two instructions are fused at most, and NOPs are not"),
	WATCHED(UOPS_FP, NONE, MORE_FIXED, NULL,
		PARTS(UP(INSN_SSE, UOPS_VECTOR), UP(INSN_AVX, UOPS_VECTOR), UP(INSN_AVX512, UOPS_VECTOR),
		UP(INSN_MXCSR, UOPS_VECTOR),
		UP(INSN_X87, UOPS_X87), UP(INSN_MMX, UOPS_VECTOR), UP(INSN_AES, UOPS_VECTOR),
		UP(INSN_SHA, UOPS_VECTOR), UP(INSN_STRING, UOPS_VECTOR), UP(REP_ITERATIONS, UOPS_MOVED),
		UP(INSN_SERIALIZING, OF_CODE_MOST)),
		"vector instructions alone have them, and microcode that moves much"),
	WATCHED(X87_SOME, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, UOPS_X87)),
		"x87 instructions alone have them"),
	WATCHED(UOPS_SIMD, NONE, MORE_FIXED, NULL,
		PARTS(VECTOR_UOPS),
		"SSE and AVX instructions alone have them, and microcode that moves much"),
	WATCHED(UOPS_256, NONE, MORE_FIXED, NULL,
		PARTS(UP(INSN_256, UOPS_VECTOR), UP(INSN_512, UOPS_VECTOR), MOVED),
		"instructions on YMM and ZMM registers alone have them, and microcode that moves much"),
	WATCHED(UOPS_512, NONE, MORE_FIXED, NULL,
		PARTS(UP(INSN_512, UOPS_VECTOR), MOVED),
		"instructions on ZMM registers alone have them, and microcode that moves much"),
	WATCHED(UOPS_FP_SCALAR, NONE, MORE_FIXED, PARTS(SHARE(FP_SCALAR_SP, MULTIPLY_ADD),
		SHARE(FP_SCALAR_DP, MULTIPLY_ADD)),
		PARTS(VECTOR_UOPS, UP(INSN_X87, UOPS_X87)),
		"at least one for each instruction; one that multiplies and adds is two operations"),
	WATCHED(UOPS_FP_128, NONE, MORE_FIXED, PARTS(SHARE(FP_128_SP, MULTIPLY_ADD),
		SHARE(FP_128_DP, MULTIPLY_ADD)),
		PARTS(VECTOR_UOPS),
		"at least one for each instruction; one that multiplies and adds is two operations"),
	BOUND(FLOPS_OTHER, NONE, NONE, NULL,
		PARTS(UP(FLOPS_SP, ONCE), LESS(FLOPS_SP_ADD), LESS(FLOPS_SP_MUL), LESS(FLOPS_SP_DIV),
		LESS(FLOPS_SP_MAC), UP(FLOPS_DP, ONCE), LESS(FLOPS_DP_ADD), LESS(FLOPS_DP_MUL),
		LESS(FLOPS_DP_DIV), LESS(FLOPS_DP_MAC)),
		"whether minima, maxima, reciprocals and dot products count is not said"),
	WATCHED(UOPS_DIV, NONE, MORE_FIXED, NULL,
		PARTS(UP(INSN_DIV, UOPS_DIVIDE), UP(FP_DIV, UOPS_DIVIDE), UP(INSN_X87, UOPS_X87),
		UP(INSN_SERIALIZING, OF_CODE_MORE), UP(BR_FAR, OF_CODE), UP(EXCEPTIONS, OF_CODE),
		UP(INTERRUPTS_HW, OF_CODE_MANY)),
		"divisions and square roots alone have them, and microcode that has some"),
	WATCHED(RESTEERS, NONE, MORE_FIXED, NULL,
		PARTS(UP(BRANCHES, AGAIN), UP(EXCEPTIONS, OF_CODE), UP(INTERRUPTS_HW, OF_CODE_MANY),
		UP(INSN_SERIALIZING, OF_CODE)),
		"branches alone are mispredicted, on wrong paths too"),
	BOUND(LOADS_HITM, NONE, NONE, NULL,
		PARTS(UP_IN(KERNEL_SERVICE_RIVAL, LOADS, ONCE)),
		"no other core has the lines, but where one stores to them"),
	WATCHED(CLEARS, NONE, SOME_FIXED, NULL,
		PARTS(SHARE_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONE_IN_16), SHARE(STORES, ONE_IN_16),
		UP_IN(KERNEL_SERVICE_ALIAS, STORES, RETRIES), UP(BR_FAR, OF_CODE_FEW), UP(EXCEPTIONS, OF_CODE),
		UP(INTERRUPTS_HW, OF_CODE), UP(INSN_SERIALIZING, OF_CODE), UP(INSN_X87, RETRIES),
		UP(INSN_SSE, RETRIES), UP(INSN_AVX, RETRIES), UP(INSN_LOCKED, ONCE),
		UP_IN(KERNEL_SERVICE_RIVAL, CLEARS_MO, ONCE)),
		"each has its cause: an assist, a fault, stores to code, memory order"),
	WATCHED(ASSISTS, NONE, MORE_FIXED, NULL,
		PARTS(UP(BR_FAR, OF_CODE_FEW), UP(EXCEPTIONS, OF_CODE), UP(INTERRUPTS_HW, OF_CODE),
		UP(INSN_SERIALIZING, OF_CODE), UP(INSN_X87, RETRIES), UP(INSN_SSE, RETRIES),
		UP(INSN_AVX, RETRIES), UP(INSN_AVX512, RETRIES), UP(DTLB_LOAD_MISS, ONCE),
		UP(DTLB_STORE_MISS, ONCE)),
		"each has its cause: an odd operand, a fault, a page touched first"),
	WATCHED(ASSISTS_FP, NONE, NONE, NULL,
		PARTS(UP(INSN_X87, RETRIES), UP(INSN_SSE, RETRIES), UP(INSN_AVX, RETRIES),
		UP(INSN_AVX512, RETRIES)),
		"floating-point instructions alone have them"),
	/* Offcore responses. Which of several requests a prefetcher takes over is the CPU's own. */
	WATCHED(OFFCORE_DATA, NONE, MORE_FIXED, PARTS(SHARE(L2_LOAD_MISS, ONE_IN_2)),
		PARTS(SHARE(LOADS, ONE_IN_2), UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, AGAIN),
		SHARE(STORES, ONE_IN_4), UP(PREFETCHES, AGAIN), OFFCORE_BESIDES),
		"the working set has been touched before; a load that misses the second level leaves the core, if no prefetch was there first"),
	BOUND(OFFCORE_DATA_SOME, NONE, NONE, NULL,
		PARTS(UP(OFFCORE_DATA, ONCE)),
		"some of all demand reads that leave the core"),
	WATCHED(OFFCORE_DATA_MISS, NONE, MORE_FIXED, NULL,
		PARTS(UP(LLC_MISS, AGAIN), OFFCORE_BESIDES),
		"misses of the last level, page walks' too"),
	WATCHED(OFFCORE_RFO, NONE, MORE_FIXED, NULL,
		PARTS(SHARE(STORES, ONE_IN_2), UP_IN(ODD_MEMORY | LINES_LEAVE, STORES, AGAIN),
		UP(PREFETCHES, AGAIN), OFFCORE_BESIDES),
		"stores alone ask for ownership, of lines that have been touched before"),
	BOUND(OFFCORE_RFO_MISS, NONE, NONE, NULL,
		PARTS(UP(OFFCORE_RFO, ONCE)),
		"some of all requests for ownership that leave the core"),
	WATCHED(OFFCORE_CODE, NONE, MORE_FIXED, NULL,
		PARTS(UP(L1I_MISS, AGAIN), OFFCORE_BESIDES),
		"some of what misses the first level, on wrong paths too"),
	BOUND(OFFCORE_CODE_MISS, NONE, NONE, NULL,
		PARTS(UP(OFFCORE_CODE, ONCE)),
		"some of all reads of code that leave the core"),
	WATCHED(OFFCORE_WRITEBACKS, NONE, MORE_FIXED, NULL,
		PARTS(UP(OFFCORE_DATA, ONCE), UP(OFFCORE_RFO, ONCE), UP(OFFCORE_CODE, ONCE),
		UP(OFFCORE_PREFETCHES, ONCE), UP(INSN_CLFLUSH, TWO_LINES), UP(INSN_SERIALIZING, OF_CODE_MOST)),
		"a line makes room for one that comes in, or is flushed"),
	WATCHED(OFFCORE_PREFETCHES, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LOADS, AGAIN), UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, RETRIES), UP(STORES, AGAIN),
		UP(PREFETCHES, RETRIES), SHARE_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONE_IN_4), UP(INSN_CLFLUSH, RETRIES),
		OFFCORE_BESIDES),
		"prefetchers follow accesses and fetches"),
	WATCHED(OFFCORE_STREAMING, NONE, SOME_FIXED, NULL,
		PARTS(UP(STORES_NT, TWO_LINES), UP_IN(ODD_MEMORY, STORES, AGAIN), UP(REP_ITERATIONS, ONCE)),
		"non-temporal stores and fast strings alone go past the caches"),
	WATCHED(OFFCORE_UNCACHED, NONE, MORE_FIXED, NULL,
		PARTS(UP_IN(ODD_MEMORY, LOADS, AGAIN), UP_IN(ODD_MEMORY, STORES, AGAIN),
		UP(STORES_NT, TWO_LINES), UP(INSN_LOCKED, AGAIN), OFFCORE_BESIDES),
		"uncacheable and write-combining memory and split locks alone are accessed so"),
	/* AMD. A line is asked for once; what asks again finds the first request. */
	WATCHED(L1D_ACCESS, NONE, QUEUE_FIXED, PARTS(UP(INSN_LOAD, ONCE), LESS_IN(ODD_MEMORY, LOADS)),
		PARTS(UP(LOADS, LOOKUPS), UP(LOAD_BYTES, BYTE_LOOKUPS), UP(STORES, LOOKUPS),
		UP(STORE_BYTES, BYTE_LOOKUPS), UP(PREFETCHES, MANY_RETRIES), UP(BR_MISPRED, WRONG_LOADS),
		UP(INSN_SERIALIZING, OF_CODE_MOST), UP(INSN_SEGMENT, OF_CODE_MANY), UP(BR_FAR, OF_CODE_MANY),
		UP(EXCEPTIONS, OF_CODE_MANY), UP(INTERRUPTS_HW, OF_CODE_MANY)),
		"each instruction that reads memory looks up once at least; an access has a piece for each eight bytes, and one more"),
	BOUND(L1D_SOME, NONE, NONE, NULL,
		PARTS(UP(L1D_ACCESS, ONCE)),
		"some of all look-ups"),
	BOUND(L1D_FILL, NONE, NONE, NULL,
		PARTS(UP(L1D_LOAD_MISS, ONCE), UP(LOADS_SPLIT_LINE, ONCE), UP(L1D_FILL_OTHER, ONCE)),
		"loads that miss, stores and page walks"),
	WATCHED(L1D_FILL_OTHER, NONE, MORE_FIXED, NULL,
		PARTS(SHARE(STORES, ONE_IN_2), UP_IN(ODD_MEMORY | LINES_LEAVE, STORES, AGAIN),
		UP(DTLB_LOAD_MISS, ONCE), UP_IN(KERNEL_SERVICE_CHAINS, DTLB_LOAD_MISS, ENTRIES_APART),
		UP(DTLB_STORE_MISS, ONCE), UP(ITLB_MISS, ONCE), SHARE(BR_MISPRED, ONE_IN_4), OFFCORE_BESIDES),
		"the working set has been touched before; a walk reads four or five entries, of which some lie far apart"),
	BOUND(FILLS_SOME, NONE, NONE, NULL,
		PARTS(UP(L1D_FILL, ONCE), UP(CODE_READS, ONCE), UP(PREFETCHES_SOME, ONCE),
		UP(PREFETCHES_HW, ONCE)),
		"some of all lines that come in"),
	WATCHED(FILLS_OTHER_CORE, NONE, SOME_FIXED, NULL,
		PARTS(UP_IN(KERNEL_SERVICE_RIVAL, LOADS, AGAIN), UP_IN(KERNEL_SERVICE_RIVAL, STORES, AGAIN)),
		"no other core has the lines, but where one stores to them"),
	WATCHED(PREFETCHES_SOME, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(PREFETCHES, RETRIES)),
		"some of all software prefetches; without any there is none"),
	WATCHED(PREFETCHES_HW, NONE, MANY_FIXED, NULL,
		PARTS(UP(LOADS, AGAIN), UP_IN(ODD_MEMORY | LINES_LEAVE, LOADS, AGAIN), UP(STORES, AGAIN),
		UP(PREFETCHES, AGAIN), UP(L1I_MISS, RETRIES), UP(INSN_CLFLUSH, TWO_LINES), OFFCORE_BESIDES),
		"prefetchers follow accesses and misses of code"),
	WATCHED(LOCKED_SOME, NONE, NONE, NULL,
		PARTS(UP(INSN_LOCKED, RETRIES), UP(INSN_SEGMENT, RETRIES)),
		"locked instructions alone have them, and those that may mark descriptors"),
	WATCHED(CODE_READS, NONE, MORE_FIXED, NULL,
		PARTS(UP(L1I_MISS, RETRIES), UP(BR_MISPRED, RETRIES), OFFCORE_BESIDES),
		"what misses the first level, lines ahead of it, and wrong paths"),
	WATCHED(CODE_FETCHES, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(INSTRUCTIONS, TWO_BLOCKS), UP(BR_MISPRED, MANY_RETRIES),
		UP(INSN_SERIALIZING, OF_CODE_MOST), UP(BR_FAR, OF_CODE_MANY), UP(EXCEPTIONS, OF_CODE_MANY),
		UP(INTERRUPTS_HW, OF_CODE_MANY)),
		"an instruction lies in two blocks at most"),
	WATCHED(CODE_LOST, NONE, MORE_FIXED, NULL,
		PARTS(UP(CODE_READS, ONCE), UP_IN(KERNEL_SERVICE_ALIAS, STORES, RETRIES),
		UP_IN(KERNEL_SERVICE_RIVAL, STORES, AGAIN), UP(INSN_CLFLUSH, TWO_LINES),
		UP(INSN_SERIALIZING, OF_CODE_MOST)),
		"stores to code, code that is read, lines that are flushed"),
	WATCHED(TLB1_MISS, NONE, MORE_FIXED, NULL,
		PARTS(SHARE(LOADS, ONE_IN_4), UP_IN(KERNEL_SERVICE_CHAINS, LOADS, AGAIN),
		SHARE(STORES, ONE_IN_4), UP_IN(KERNEL_SERVICE_CHAINS, STORES, AGAIN),
		UP(PREFETCHES, AGAIN), UP(DTLB_LOAD_MISS, AGAIN), UP(DTLB_STORE_MISS, AGAIN), UP(BR_MISPRED, AGAIN), OFFCORE_BESIDES),
		"some twenty pages, all touched before"),
	WATCHED(ITLB1_MISS, NONE, MORE_FIXED, NULL,
		PARTS(SHARE_UNLESS(KERNEL_STILL, INSTRUCTIONS, ONE_IN_16), UP(ITLB_MISS, AGAIN), UP(BR_MISPRED, AGAIN),
		OFFCORE_BESIDES),
		"a few pages of code, all run before"),
	WATCHED(WALK_STEPS, NONE, MANY_FIXED, NULL,
		PARTS(UP(DTLB_LOAD_MISS, WALK_STEPS), UP(DTLB_STORE_MISS, WALK_STEPS),
		UP(ITLB_MISS, WALK_STEPS), UP(PREFETCHES, WALK_STEPS), UP(BR_MISPRED, WALK_STEPS),
		OFFCORE_BESIDES),
		"five levels for each translation that misses, each tried twice"),
	WATCHED(LINES_OUT, NONE, MORE_FIXED, NULL,
		PARTS(UP(L1D_FILL, ONCE), UP(PREFETCHES_HW, ONCE), UP(PREFETCHES_SOME, ONCE),
		UP(CODE_READS, ONCE), UP(INSN_CLFLUSH, TWO_LINES), UP(INSN_SERIALIZING, OF_CODE_MOST)),
		"a line makes room for one that comes in, or is flushed"),
	WATCHED(WRITE_TRANSFERS, NONE, QUEUE_FIXED, NULL,
		PARTS(UP(LINES_OUT, LINE_PIECES), UP(OFFCORE_STREAMING, LINE_PIECES),
		UP(OFFCORE_UNCACHED, AGAIN)),
		"eight for each line that leaves, or store that goes past the caches"),
	WATCHED(UNDOCUMENTED, NONE, UNKNOWN_FIXED, NULL,
		PARTS(UP(CYCLES, MANY_RETRIES)),
		"undocumented: nothing but a clock's upper bound"),
	WATCHED(CLEARS_MO, NONE, SOME_FIXED, NULL,
		PARTS(SHARE_IN(ODD_MEMORY | LINES_LEAVE, LOADS, ONE_IN_16), SHARE(STORES, ONE_IN_16)),
		"one CPU runs: nobody else writes, and a load alone, whose line stays, has nothing to go ahead of"),
	WATCHED(CLEARS_SMC, NONE, NONE, NULL,
		PARTS(UP_IN(KERNEL_SERVICE_ALIAS, STORES, RETRIES)),
		"needs stores to code"),
	BOUND(AVX_SSE_TRANSITIONS, NONE, NONE, NULL,
		PARTS(UP(INSN_SSE, THERE_AND_BACK)),
		"there and back at each legacy SSE instruction; they alone have them"),
	BOUND(AVX_TO_SSE, NONE, NONE, NULL,
		PARTS(UP(INSN_SSE, ONCE)),
		"at most one at each legacy SSE instruction"),
	BOUND(SSE_TO_AVX, NONE, NONE, NULL,
		PARTS(UP(INSN_SSE, ONCE)),
		"at most one behind each legacy SSE instruction"),
};
/* clang-format on */

/* What the delivery of an interrupt pushes is no store of an instruction, but a store. */
#define PUSHES Q_BR_FAR, Q_EXCEPTIONS, Q_INTERRUPTS_HW, Q_INTERRUPTS_NMI

/*
 * What befalls instructions that retire, or what they alone lead to: with none of these there is exactly
 * nothing of it. The bracket neither branches nor accesses memory, and its first instruction waits until
 * earlier stores are done.
 */
static const struct {
	quantity_number quantity;
	quantity_number cause[7]; /* Q_INSTRUCTIONS, which is 0, ends */
} causes[] = {
	{Q_BR_MISPRED, {Q_BRANCHES}},
	{Q_L1D_LOAD_MISS, {Q_LOADS}},
	{Q_L2_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_STORE_MISS, {Q_STORES}},
	{Q_DTLB_LOAD_STLB, {Q_LOADS}},
	{Q_DTLB_STORE_STLB, {Q_STORES, PUSHES}},
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
		for (const quantity_number *c = causes[i].cause; c < causes[i].cause + 7 && *c; c++) {
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

	if ((p->flags && !(k->flags & p->flags)) || k->flags & p->unless)
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
