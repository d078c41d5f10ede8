#include "tests/self/host/support/extremes.h"
#include "tests/self/host/support/extremes_decoded.h"
#include "tests/self/host/support/extremes_kinds.h"
#include "tests/self/host/support/extremes_rules.h"

#include <string.h>

#define FOG "Fog, The microarchitecture of Intel, AMD and VIA CPUs"

uint64_t count_not_yet(const struct extreme_run *r)
{
	return count_none(r);
}

static const struct extreme_machine
	ideal = {"ideal", "holds, knows or does in hardware whatever one can", count_none},
	plain = {"the model", "pmu/virtual/uarch.h with the geometry of a Nehalem", count_model},
	owned = {"owned", "each store that the model lets ask memory to own its line", count_owned},
	tries_again = {"tries again", "what misses is given up, for a misprediction, and begun again",
		       count_twice},
	disturbed = {"disturbed",
		     "others take eight lines or translations in a run: an SMI, a sibling thread",
		     count_disturbed},
	four_places = {"four places",
		       "the instruction cache, the cache of decoded instructions, the loop's buffer "
		       "and the pipeline each ask for a clear",
		       count_stages},
	half_stays = {"half stays", "a cache or TLB that keeps what it has, half of what comes by in turn",
		      count_half_links},
	half_code_stays = {"half of the code stays", "an instruction cache of 64 KiB that keeps what it has",
			   count_half_fetches},
	pairs = {"pairs",
		 "a line comes along with its neighbour (Intel Optimization Manual: spatial prefetcher)",
		 count_half_links},
	half_stays_pairs = {"half stays, pairs", "both of these", count_quarter_links},
	nothing_stays = {"nothing stays", "each load misses", count_loads},
	all_loads = {"never drained", "a store stays until its room is needed, and serves each load",
		     count_loads},
	large_pages = {"large pages", "walked to once each, and disturbed", count_large_pages},
	neighbours = {"neighbours",
		      "what is asked for, each step of a walk too, is asked for with its neighbour",
		      count_neighbours},
	code_neighbours = {"neighbours of code",
			   "lines of code miss for the first time, each with its neighbour",
			   count_fetched_neighbours},
	small_itlb = {"sixteen pages of code", "the only TLB for code has 16 entries, and tries again",
		      count_ring_pages},
	half_of_lines = {"half of the lines",
			 "a cache that keeps half of the ring, and is looked up once a line",
			 count_half_lines},
	half_decoded = {"half is decoded", "a cache that keeps half of the ring", count_half_decoded},
	half_held = {"half is held",
		     "the other half of it, of four micro-operations for each RET, CALL and the like",
		     count_half_held},
	each_looked_up = {"each is looked up", "one instruction for each look-up", count_instructions},
	four_each = {"four each", "as many micro-operations as a decoder gives at most", count_four_each},
	loop_decoded = {"loop and disturbed",
			"code beside a jump is not held (Intel, Mitigations for Jump Conditional Code "
			"Erratum), and disturbed",
			count_loop_decoded},
	loop_looked_up = {"loop looked up", "each instruction of these", count_loop_looked_up},
	lines_held = {"lines and disturbed", "all but the loop stays, and disturbed", count_lines_held},
	forgetful = {"forgetful",
		     "knows nothing at first, then by ten bits of history the way that a branch went "
		     "last, and four return addresses (" FOG ": four to sixteen)",
		     count_forgetful},
	mistaught = {"mistaught", "forgetful, and the sibling thread teaches it the opposite of one branch",
		     count_mistaught},
	one_target = {"one target", "directions and returns are known, targets share one place",
		      count_one_target},
	lucky = {"lucky", "guesses, four standard deviations above the mean", count_lucky},
	unlucky = {"unlucky", "guesses, four standard deviations below the mean; pairs alike", count_unlucky},
	by_turn = {"by turn", "loads of one turn are served in one cycle, in which a counter steps once",
		   count_turns},
	raced = {"raced",
		 "the line is taken away from under the early load of each turn, and again when it is "
		 "repeated",
		 count_turns_twice},
	always_meet = {"always meet",
		       "load and store meet by chance, four standard deviations above the mean",
		       count_meetings},
	walked_twice = {"walked twice", "the walk of each turn is given up and begun again",
			count_turns_twice},
	each_turn = {"each turn", "by construction", count_turns},
	unknown_yet = {"unknown yet", "a loop is known for one after 128 turns, which none of these has",
		       count_not_yet},
	waits = {"waits", "a load tries at once, and again as each store before it leaves", count_tries},
	each_segment = {"each segment", "an instruction loads one segment register", count_segments},
	each_locked = {"each locked access", "none finds its line", count_locked},
	each_access = {"each access", "nothing joins accesses of uncacheable memory", count_accesses},
	whole_lines = {"whole lines", "a buffer joins all stores to a line", count_stored_lines},
	each_store = {"each store", "nothing joins stores", count_stores},
	by_opcode = {"by opcode", "each instruction is what its opcode says", count_kind},
	quick = {"quick", "a cycle for each link of a chain, all else beside it", count_quick},
	slow = {"slow",
		"one instruction after the other, every other cycle for a sibling thread; 12 cycles for IMUL "
		"(Bonnell: "
		"Intel Optimization Manual, 13.4), 31 for a misprediction (stages of a Prescott), 1000 for "
		"memory",
		count_slow};

#define BEHIND "once a turn: more than it holds waits behind instructions that wait for each other"
#define ONE_MISS                                                                                             \
	"the line was flushed before, and no load may pass the fence; one that is given up and tried again " \
	"misses twice"
#define REFETCHED                                                                                            \
	"it was dropped before; a fetch that is given up for a misprediction, and begun again, misses twice"
#define ONE_WALK                                                                                             \
	"the translation was dropped before, by an instruction that serialises; a walk that is given up "    \
	"and "                                                                                               \
	"begun again counts twice"
#define ONE_CODE_WALK                                                                                        \
	"the translation of the code was dropped before; a walk that is given up and begun again counts "    \
	"twice"
#define LARGE_ALONE "its memory is in large pages; others may take eight translations in a run"
#define FITS        "three quarters of the ways are in use; others may take eight lines in a run"
#define REPLACED    "two to four times as many lines as a set has ways, of which half may stay, or none"
#define BY_SIZE     "the lines may still be in that cache or not: it depends on its size"
#define ASK         "each load, the store and each walk may ask, for the line beside as well"
#define CODE_BY_SIZE                                                                                         \
	"the levels above may hold the code, or a run is the first to come by; the neighbour of each line "  \
	"may be asked for as well"
#define LOOP_ALONE                                                                                           \
	"beside a jump code may not be held, so the loop's own may be decoded in each turn; others may "     \
	"take eight lines in a run"
#define OF_KIND "as many as there are instructions of this kind"
#define SEEN                                                                                                 \
	"a store leaves the buffer after it has retired, when the load has long looked for it; loads that "  \
	"are served in one cycle may be counted as one"

const struct extreme extremes[] = {
	{Q_BR_MISPRED, "the closing branch: once at the end, and some times while it is learnt", &ideal,
	 &forgetful},
	{Q_BR_MISPRED,
	 "each goes one way but at the end; where all share one place of a target buffer, each finds the "
	 "target of the one before it",
	 &ideal, &one_target},
	{Q_BR_MISPRED,
	 "none but the last needs a target; each is learnt once for each of the three histories that there "
	 "are, and the end is wrong",
	 &ideal, &forgetful},
	{Q_BR_MISPRED,
	 "a return stack may hold four addresses or all, and the branch at the bottom be known or wrong "
	 "there and behind it; the rest is learnt",
	 &ideal, &forgetful},
	{Q_BR_MISPRED,
	 "a return stack without a matching call is wrong; an indirect predictor may know better; the "
	 "closing branch is learnt",
	 &ideal, &forgetful},
	{Q_BR_MISPRED,
	 "a guess at one of two random targets is right half of the time, four standard deviations less; a "
	 "return stack without matching calls is wrong; the closing branch is learnt",
	 &lucky, &forgetful},
	{Q_BR_MISPRED,
	 "a guess at a random bit is right half of the time, four standard deviations more or less; of each "
	 "pair one may be known, or both wrong",
	 &lucky, &unlucky},
	{Q_BR_MISPRED,
	 "a guess at one of two random targets is right half of the time, four standard deviations more or "
	 "less; the closing branch is learnt",
	 &lucky, &unlucky},

	{Q_BR_MISPRED,
	 "never taken, and the closing branch; what the sibling learns may stand in their place", &ideal,
	 &mistaught},

	{Q_L1D_LOAD_MISS, ONE_MISS, &plain, &tries_again},
	{Q_L2_LOAD_MISS, ONE_MISS, &plain, &tries_again},
	{Q_LLC_REF, ONE_MISS, &plain, &tries_again},
	{Q_LLC_MISS,
	 "the line was flushed before; a second request for it joins the first; others may take eight lines "
	 "in a run",
	 &plain, &disturbed},
	{Q_STORE_MISS, "the line was flushed before", &owned, &owned},
	{Q_FORCED, REPLACED, &half_stays, &nothing_stays},
	{Q_FORCED, "once a turn: the load behind the one that misses", &each_turn, &each_turn},
	{Q_FORCED, "once a turn: the prefetch of a line that was flushed before", &each_turn, &each_turn},
	{Q_FORCED, "once a turn: the load that the others wait for", &each_turn, &each_turn},
	{Q_FORCED, "once a turn: one of each", &each_turn, &each_turn},
	{Q_DTLB_LOAD_MISS, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_STORE_MISS, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_LOAD_4K, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_LOAD_2M, ONE_WALK, &plain, &tries_again},
	{Q_ITLB_MISS, ONE_CODE_WALK, &each_turn, &walked_twice},
	{Q_ITLB_2M, ONE_CODE_WALK, &each_turn, &walked_twice},
	{Q_ITLB_1G, ONE_CODE_WALK, &each_turn, &walked_twice},
	{Q_DTLB_LOAD_1G, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_STORE_4K, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_STORE_2M, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_STORE_1G, ONE_WALK, &plain, &tries_again},
	{Q_DTLB_LOAD_4K, LARGE_ALONE, &plain, &disturbed},
	{Q_DTLB_STORE_4K, LARGE_ALONE, &plain, &disturbed},
	{Q_L1I_MISS, REFETCHED, &plain, &tries_again},
	{Q_ITLB_MISS, REFETCHED, &plain, &tries_again},
	{Q_L1I_MISS,
	 "twice what the largest such cache holds, of which half may stay; a fetch that is given up and "
	 "begun again misses twice",
	 &half_code_stays, &tries_again},
	{Q_ITLB_MISS,
	 "the TLBs may hold all thirty-two pages; else each half of the ring comes to a new one in some "
	 "turns, for which a fetch may miss twice",
	 &ideal, &small_itlb},
	{Q_LLC_REF, CODE_BY_SIZE, &ideal, &code_neighbours},
	{Q_LLC_MISS, CODE_BY_SIZE, &ideal, &code_neighbours},
	{Q_UOPS_DECODED,
	 "half of the ring may stay, or none; a decoder gives four micro-operations for an instruction at "
	 "most",
	 &half_decoded, &four_each},
	{Q_UOPS_CACHED, "half of the ring may stay, with the return of each segment, and the loop, or none",
	 &ideal, &half_held},
	{Q_DECODED_MISS, "half of the lines may stay, or none; each instruction is looked up once at most",
	 &half_of_lines, &each_looked_up},
	{Q_UOPS_DECODED, LOOP_ALONE, &ideal, &loop_decoded},
	{Q_DECODED_MISS, LOOP_ALONE, &ideal, &loop_looked_up},
	{Q_UOPS_CACHED,
	 "all but the loop stays, and others may take eight lines in a run; four micro-operations for an "
	 "instruction at most",
	 &lines_held, &four_each},

	{Q_L1D_LOAD_MISS, "the only line has just been written; others may take it eight times in a run",
	 &plain, &disturbed},
	{Q_L1D_LOAD_MISS, FITS, &plain, &disturbed},
	{Q_L2_LOAD_MISS, FITS, &plain, &disturbed},
	{Q_LLC_REF, FITS, &plain, &disturbed},
	{Q_LLC_MISS, FITS, &plain, &disturbed},
	{Q_L2_LOAD_MISS,
	 "a few dozen lines that fit the second level wherever they lie; others may take eight lines in a "
	 "run",
	 &plain, &disturbed},
	{Q_LLC_MISS,
	 "a few dozen lines that fit every cache but the first; others may take eight lines in a run", &plain,
	 &disturbed},
	{Q_LLC_MISS,
	 "the third level is twice as large as what the lines lie in; others may take eight lines in a run",
	 &plain, &disturbed},
	{Q_L1D_LOAD_MISS, REPLACED, &half_stays, &nothing_stays},
	{Q_L2_LOAD_MISS, REPLACED, &half_stays, &nothing_stays},
	{Q_LLC_REF,
	 "two to four times as many lines as a set has ways, of which half may stay, or none; the neighbour "
	 "of each may be asked for as well",
	 &half_stays, &neighbours},
	{Q_L1D_LOAD_MISS,
	 "far more lines than the first level has, but each second one may come along with its neighbour",
	 &pairs, &nothing_stays},
	{Q_L2_LOAD_MISS,
	 "far more lines than the second level has, but each second one may come along with its neighbour",
	 &pairs, &nothing_stays},
	{Q_LLC_REF,
	 "each load misses what lies before, but each second line may come along with its neighbour; " ASK,
	 &pairs, &neighbours},
	{Q_LLC_MISS,
	 "half of the lines cannot be there, of which each second one may come along with its "
	 "neighbour; " ASK,
	 &half_stays_pairs, &neighbours},
	{Q_DTLB_LOAD_MISS, "as many pages as the memory has; the TLBs may hold them all", &ideal,
	 &nothing_stays},
	{Q_DTLB_LOAD_MISS, "twice as many pages as the TLBs hold, of which half may stay, or none",
	 &half_stays, &nothing_stays},
	{Q_DTLB_LOAD_MISS,
	 "sixteen large pages, which any TLB for them holds: each may have to be walked to once, and others "
	 "may take eight in a run",
	 &ideal, &large_pages},
	{Q_DTLB_LOAD_MISS, "one page or two, which stay; others may take eight in a run", &plain, &disturbed},
	{Q_DTLB_LOAD_STLB,
	 "twice as many pages as the first-level TLB holds, of which half may stay, or none", &half_stays,
	 &nothing_stays},
	{Q_DTLB_LOAD_MISS,
	 "the second level holds twice as many pages; others may take eight translations in a run", &plain,
	 &disturbed},
	{Q_DTLB_LOAD_4K, "twice as many pages as the TLBs hold, of which half may stay, or none", &half_stays,
	 &nothing_stays},
	{Q_DTLB_LOAD_2M,
	 "sixteen large pages, which any TLB for them holds: each may have to be walked to once, and others "
	 "may take eight in a run",
	 &ideal, &large_pages},
	{Q_DTLB_LOAD_1G, "one page or two, which stay; others may take eight in a run", &plain, &disturbed},
	{Q_L1D_LOAD_MISS, BY_SIZE, &ideal, &nothing_stays},
	{Q_L2_LOAD_MISS, BY_SIZE, &ideal, &nothing_stays},
	{Q_LLC_REF, BY_SIZE "; " ASK, &ideal, &neighbours},
	{Q_LLC_MISS, BY_SIZE "; " ASK, &ideal, &neighbours},

	{Q_STORE_FORWARD, SEEN, &by_turn, &plain},
	{Q_STORE_FORWARD, "no store covers the load", &plain, &plain},
	{Q_STORE_FORWARD,
	 "every other load finds the store in its way, each one an older store if that is still there; all "
	 "may have left by then",
	 &ideal, &all_loads},
	{Q_STORE_FORWARD_BLOCK, "the load asks for exactly what was stored", &plain, &plain},
	{Q_STORE_FORWARD_BLOCK,
	 "the load is blocked, and may try in vain once more as each of the stores leaves", &plain, &waits},
	{Q_STORE_FORWARD_BLOCK,
	 "a load may wait for the store's address, and try once more as the store leaves", &ideal, &waits},
	{Q_CLEARS_MO,
	 "a load that went ahead of the store is done again, on some CPUs by a machine clear; others wait",
	 &ideal, &always_meet},
	{Q_CLEARS_MO,
	 "a load that ran ahead is done again, and may be once more, if the line was taken away meanwhile; "
	 "whether it was is a race, and a CPU may hold loads back",
	 &ideal, &raced},
	{Q_CLEARS_SMC,
	 "each store hits the line that runs; each place that holds its old bytes may ask for a clear, one "
	 "of them does",
	 &plain, &four_places},
	{Q_CLEARS_SMC,
	 "each store hits a line in use; the serialising instruction has it fetched anew, or each place "
	 "that holds its old bytes asks for a clear",
	 &ideal, &four_places},
	{Q_ASSISTS_FP,
	 "a CPU may handle denormal numbers in hardware, or with one assist per instruction that meets one",
	 &ideal, &plain},
	{Q_ASSISTS_FP, "denormal operands and results count as zero", &plain, &plain},
	{Q_ASSISTS_FP, "no operand is denormal", &plain, &plain},
	{Q_AVX_SSE_TRANSITIONS,
	 "CPUs of some generations save and restore the upper halves, others only merge, which is no "
	 "transition",
	 &ideal, &plain},

	{Q_FULL_REORDER, BEHIND, &each_turn, &each_turn},
	{Q_FULL_SCHEDULER, BEHIND, &each_turn, &each_turn},
	{Q_FULL_STORES, BEHIND, &each_turn, &each_turn},
	{Q_FULL_FILLS, "once a turn: more lines are asked for than can be on their way", &each_turn,
	 &each_turn},
	{Q_LATE_DATA, "once a turn: its address is known, and its data is not", &each_turn, &each_turn},
	{Q_LOCKS_COLD, "the line of each locked access was flushed before", &each_locked, &each_locked},
	{Q_ASSISTS_FORCED, "once a turn, on a CPU that takes an assist for such numbers at all", &each_turn,
	 &each_turn},
	{Q_INTERRUPTS_HELD, "once a turn: it is requested long before STI", &each_turn, &each_turn},
	{Q_LOOPS_KEPT, "all but the turns in which it becomes known", &unknown_yet, &each_turn},
	{Q_LENGTHS_CHANGED, "once a turn: the addition", &each_turn, &each_turn},
	{Q_FLUSHES_GLOBAL, "once a turn: a bit of CR4 is changed, and put back", &each_turn, &each_turn},
	{Q_LEA_SLOW, "once a turn: a base, an index and a displacement", &each_turn, &each_turn},
	{Q_BR_FORWARD, "once a turn: all but the closing one go forward", &each_turn, &each_turn},
	{Q_FULL_COMBINING, "once a turn: more lines are stored to than there are buffers", &each_turn,
	 &each_turn},
	{Q_SEGMENTS_MOVED, "each instruction loads one segment register", &each_segment, &each_segment},
	{Q_TRANSFERS_FORCED, "each access of uncacheable memory leaves the core", &each_access, &each_access},
	{Q_TRANSFERS_FORCED, "a fence empties the buffers: whole lines, or store by store", &whole_lines,
	 &each_store},
	{Q_TRANSFERS_FORCED, "the line of each locked access was flushed before", &each_locked, &each_locked},
	{Q_TRANSFERS_FORCED, REPLACED, &half_stays, &nothing_stays},
	{Q_STORES_HELD, REPLACED, &half_stays, &nothing_stays},
	{Q_OPS_ADD, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_SUB, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_MUL, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_MAC, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_DIV, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_SQRT, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_CMP, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_CVT, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_SHUFFLE, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_LOGICAL, OF_KIND, &by_opcode, &by_opcode},
	{Q_OPS_SHIFT, OF_KIND, &by_opcode, &by_opcode},

	{Q_CYCLES, "a multiplication takes one to twelve cycles, twice that beside a sibling thread", &quick,
	 &slow},
	{Q_CYCLES, "a load that hits takes one to eight cycles, twice that beside a sibling thread", &quick,
	 &slow},
	{Q_CYCLES,
	 "each load waits for the one before: from one cycle to what the level takes, twice that beside a "
	 "sibling thread",
	 &quick, &slow},
	{Q_CYCLES,
	 "each load waits for the one before: from one cycle to an access of memory and a walk that takes "
	 "one more, twice that beside a sibling thread",
	 &quick, &slow},
};
const unsigned n_extremes = sizeof extremes / sizeof extremes[0];

const struct extreme *extreme_of(enum quantity q, const char *reason)
{
	static struct extreme exact = {.low = &plain, .high = &plain};

	if (!reason) {
		exact.quantity = (quantity_number)q;
		return &exact;
	}
	for (unsigned i = 0; i < n_extremes; i++)
		if (extremes[i].quantity == q && strcmp(extremes[i].reason, reason) == 0)
			return &extremes[i];
	return NULL;
}
