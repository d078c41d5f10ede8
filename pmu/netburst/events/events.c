#include "pmu/netburst/events/events.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct netburst_event netburst_event[NB_EVENTS] = {
#define NETBURST_EVENT(id, name, select, escr_select, escr0, escr1, models, flags)                           \
	{name, select, escr_select, {escr0, escr1}, models, flags},
#include "pmu/netburst/events/events.def"
#undef NETBURST_EVENT
};

/* Up to 126 instructions (of the core's: micro-operations) are in flight: SDM vol. 1, 2.2.2. */
#define IN_FLIGHT 126

#define AGAIN 1

/* What other code a misprediction or an exception lets begin, and what of the kernel itself a clear throws away. */
#define WRONG_PATHS {Q_BR_MISPRED, 0, IN_FLIGHT}, {Q_EXCEPTIONS, 0, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT}

/* Counted in ring 3 on a Pentium D: one for each fault, and for few interrupts if any. */
#define RETURNS_ONCE {Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 1}, {Q_INTERRUPTS_NMI, 0, 1}, {Q_INTERRUPTS_SW, 0, 1}
#define EACH_ONCE    {Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 1}, {Q_INTERRUPTS_NMI, 0, 1}
static const struct event_deliveries INSTRUCTIONS_DELIVERED = {
	.text = "whether ring 3 counts the return from a handler is not said",
	.source = "V. Weaver, deater/deterministic: Pentium D",
	.kind = DELIVERED_INSTRUCTIONS,
	.user = {RETURNS_ONCE},
};
static const struct event_deliveries BRANCHES_DELIVERED = {
	.text = "whether deliveries of interrupts and exceptions count, and in ring 3 the returns from them, is not said",
	.source = "V. Weaver, deater/deterministic: Pentium D",
	.kind = DELIVERED_BRANCHES,
	.all = {EACH_ONCE},
	.user = {RETURNS_ONCE},
};

const struct event_rule netburst_rule[RULE_COUNT] = {
	[RULE_SIBLING] = {"control only: needs the other logical processor"},
	/* SDM table 19-28: OTHER is "other agents", DMA too; DRDY_OTHER and DBSY_OTHER are data that this processor does not sample. */
	[RULE_AGENTS] = {"devices cause it, whatever the kernel does: no more than clocks, or entries in them"},
	[RULE_FIELD] = {"control only: a part of a field, which selects nothing by itself"},
	[RULE_UNTAGGED] = {"control only: counts nothing until something tags"},
	[RULE_TAGS] = {"control only: it tags, and does not advance its own counter"},
	[RULE_UC_CODE] = {"control only: no kernel runs from uncacheable memory"},
	/* The source of a program that replays virtual machines has it that retired_branch_type counts each conditional branch
	   twice; the manual says only that it may count more here. The branches of a trace that is built again; it has lines of six micro-operations (Optimization Reference Manual
	   of NetBurst). */
	[RULE_REBUILT] = {"counts more where traces are rebuilt or the pipeline is cleared", "SDM table 19-29, retired_branch_type",
			  .may = {{Q_BR_MISPRED, AGAIN, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT}, {Q_DECODED_MISS, AGAIN, 6}}},
	/* How often one is replayed is nowhere said: until what it needs is there. But each goes through a port again, and there is
	   one for loads and one for addresses of stores, each of which dispatches one a cycle (IA-32 Intel Architecture Optimization,
	   248966-013US, 1-18, ports 2 and 3; 1-24: "up to one load and one store may be issued for each cycle"). */
	[RULE_REPLAYED] = {"what is replayed may be replayed again, once a cycle, and wrong paths count",
			   "IA-32 Optimization Reference Manual (248966-013US), 1-18: one load and one store address a cycle",
			   .may = {WRONG_PATHS, {Q_CYCLES, AGAIN, 1}}},
	[RULE_FETCHED] = {"what is fetched and decoded on wrong paths counts too", .may = {WRONG_PATHS}},
	[RULE_WALKS] = {"walks of wrong paths and of prefetches count too",
			.may = {WRONG_PATHS, {Q_PREFETCHES, 0, 1}, {Q_OFFCORE_PREFETCHES, AGAIN, 1}}},
	[RULE_TWOFOLD] = {"reads for ownership and prefetches are reads; over and under by as much as a factor of two",
			  "SDM table 19-28, BSQ_cache_reference", .fold = 2,
			  .may = {WRONG_PATHS, {Q_STORES, 0, 2}, {Q_PREFETCHES, 0, 2}, {Q_OFFCORE_PREFETCHES, AGAIN, 2}}},
	[RULE_BOGUS_ASSISTS] = {"assists asked for on wrong paths count too", "SDM table 19-28, SSE_input_assist", .may = {WRONG_PATHS}},
	[RULE_DURATION] = {"some of the cycles of each clear, whatever its cause", "SDM table 19-29, machine_clear",
			   .may = {{Q_CYCLES, 0, 1}}},
	[RULE_RETURNS_UNTAGGED] = {"a return cannot be tagged", "SDM 18.15.6.1", .also = {{Q_BR_MISPRED_RET, -1}}},
	[RULE_TAGGED_LOADS] = {"each micro-operation of a load may be tagged", .may = {{Q_UOPS_LOAD, AGAIN, 1}}},
	[RULE_STORES_TOO] = {"those of stores too, and each micro-operation may be tagged",
			     .may = {{Q_DTLB_STORE_MISS, 0, 1}, {Q_UOPS_LOAD, AGAIN, 1}, {Q_UOPS_STORE, AGAIN, 1}}},
	[RULE_UOPS] = {"how many micro-operations an instruction has is the CPU's own"},
	/* Intel's own words (SDM table 19-29) are "more than once" for "complex flows". Measured on a Pentium D (model 6); SPEC's counts on a Xeon of model 2 show it too. */
	[RULE_RETIREMENT] = {"FLDCW, FLDENV, FRSTOR, EMMS, MASKMOVQ, SFENCE, MFENCE and, from memory, CVTPD2PI and CVTTPD2PI count twice; a REP string instruction is one",
			     "Weaver, Terpstra, Moore, ISPASS 2013: Pentium D; Weaver, McKee, IISWC 2008: Pentium 4",
			     .also = {{Q_INSN_X87_CONTROL, 1}, {Q_INSN_EMMS, 1}, {Q_INSN_MASKMOVQ, 1}, {Q_INSN_CVTPD2PI, 1}, {Q_INSN_FENCE, 1}, {Q_INSN_LFENCE, -1}},
			     .deliveries = &INSTRUCTIONS_DELIVERED},
	[RULE_COMPLETED] = {"a REP string instruction is one", .deliveries = &INSTRUCTIONS_DELIVERED},
	[RULE_BRANCHES] = {"far branches count too", .deliveries = &BRANCHES_DELIVERED},
	/* SDM table 19-28, memory_complete: not an event at retirement. */
	[RULE_WRONG_PATHS] = {"what completes on wrong paths counts too", .may = {WRONG_PATHS}},
	/* Counted on a Pentium D: 7,200,000 in code of 2,000,000 integer multiplications and 1,400,000 divisions. */
	[RULE_X87_UOPS] = {"how many micro-operations an instruction has is the CPU's own; integer multiplications and divisions have some",
			   "V. Weaver, deater/deterministic: Pentium D",
			   .unsaid = {{Q_INSN_MUL, 0, 4}, {Q_INSN_DIV, 0, 4}}},
	[RULE_ANY_RING] = {"every clock passes the filter: rings and threads have no say"},
};

#define EVENT_BOUNDS EVENT_EXACT /* the term is micro-architectural, and an interval itself */

#define MASK(event, bit, name, judgement, rule, ...)                                                         \
	{NB_##event, bit, EVENT_REASONED(EVENT_##judgement, RULE_##rule), RULE_##rule, name, {__VA_ARGS__}}

/* SDM tables 19-28 to 19-30. Terms are the occurrences that a program can be made to cause. */
const struct netburst_mask netburst_mask[] = {
	MASK(TC_DELIVER_MODE, 0, "DD", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(TC_DELIVER_MODE, 1, "DB", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(TC_DELIVER_MODE, 2, "DI", TIME, NONE, {Q_CYCLES, 1}),
	MASK(TC_DELIVER_MODE, 3, "BD", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(TC_DELIVER_MODE, 4, "BB", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(TC_DELIVER_MODE, 5, "BI", TIME, NONE, {Q_TC_BUILD_CYCLES, 1}),
	MASK(TC_DELIVER_MODE, 6, "ID", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(TC_DELIVER_MODE, 7, "IB", EXACT, SIBLING, {Q_NOT_PROVOKED, 1}),
	MASK(BPU_FETCH_REQUEST, 0, "TCMISS", AT_LEAST, FETCHED, {Q_DECODED_MISS, 1}),
	MASK(ITLB_REFERENCE, 0, "HIT", EXACT, NONE, {Q_ITLB_HIT, 1}),
	MASK(ITLB_REFERENCE, 1, "MISS", EXACT, NONE, {Q_ITLB_MISS, 1}),
	MASK(ITLB_REFERENCE, 2, "HIT_UC", EXACT, UC_CODE, {Q_NOT_PROVOKED, 1}),
	MASK(MEMORY_CANCEL, 2, "ST_RB_FULL", AT_LEAST, REPLAYED, {Q_STALLS_STORE, 1}),
	MASK(MEMORY_CANCEL, 3, "64K_CONF", AT_LEAST, REPLAYED, {Q_ALIAS_64K, 1}),
	MASK(MEMORY_COMPLETE, 0, "LSC", AT_LEAST, WRONG_PATHS, {Q_LOADS_SPLIT_LINE, 1}),
	MASK(MEMORY_COMPLETE, 1, "SSC", AT_LEAST, WRONG_PATHS, {Q_STORES_SPLIT_LINE, 1}),
	MASK(MEMORY_COMPLETE, 2, "USC", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(MEMORY_COMPLETE, 3, "ULC", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(LOAD_PORT_REPLAY, 1, "SPLIT_LD", AT_LEAST, REPLAYED, {Q_LOADS_SPLIT_LINE, 1}),
	MASK(STORE_PORT_REPLAY, 1, "SPLIT_ST", AT_LEAST, REPLAYED, {Q_STORES_SPLIT_LINE, 1}),
	MASK(MOB_LOAD_REPLAY, 1, "NO_STA", AT_LEAST, REPLAYED, {Q_STORE_UNKNOWN, 1}),
	MASK(MOB_LOAD_REPLAY, 3, "NO_STD", AT_LEAST, REPLAYED, {Q_STORE_UNKNOWN, 1}),
	MASK(MOB_LOAD_REPLAY, 4, "PARTIAL_DATA", AT_LEAST, REPLAYED, {Q_STORE_FORWARD_BLOCK, 1}),
	MASK(MOB_LOAD_REPLAY, 5, "UNALGN_ADDR", AT_LEAST, REPLAYED, {Q_STORE_FORWARD_BLOCK, 1}),
	MASK(PAGE_WALK_TYPE, 0, "DTMISS", AT_LEAST, WALKS, {Q_DTLB_LOAD_MISS, 1}, {Q_DTLB_STORE_MISS, 1}),
	MASK(PAGE_WALK_TYPE, 1, "ITMISS", AT_LEAST, WALKS, {Q_ITLB_MISS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 0, "RD_2ndL_HITS", AT_LEAST, TWOFOLD, {Q_L2_LOAD_HIT, 1}),
	MASK(BSQ_CACHE_REFERENCE, 1, "RD_2ndL_HITE", AT_LEAST, TWOFOLD, {Q_L2_LOAD_HIT, 1}),
	MASK(BSQ_CACHE_REFERENCE, 2, "RD_2ndL_HITM", AT_LEAST, TWOFOLD, {Q_L2_LOAD_HIT, 1}),
	MASK(BSQ_CACHE_REFERENCE, 3, "RD_3rdL_HITS", AT_LEAST, TWOFOLD, {Q_L3_ACCESS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 4, "RD_3rdL_HITE", AT_LEAST, TWOFOLD, {Q_L3_ACCESS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 5, "RD_3rdL_HITM", AT_LEAST, TWOFOLD, {Q_L3_ACCESS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 6, "WR_2ndL_HIT", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(BSQ_CACHE_REFERENCE, 7, "WR_3rdL_HIT", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(BSQ_CACHE_REFERENCE, 8, "RD_2ndL_MISS", AT_LEAST, TWOFOLD, {Q_L2_LOAD_MISS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 9, "RD_3rdL_MISS", AT_LEAST, TWOFOLD, {Q_L3_ACCESS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 10, "WR_2ndL_MISS", AT_LEAST, TWOFOLD, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_CACHE_REFERENCE, 11, "WR_3rdL_MISS", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(IOQ_ALLOCATION, 0, "ReqA0", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 1, "ReqA1", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 2, "ReqA2", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 3, "ReqA3", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 4, "ReqA4", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 5, "ALL_READ", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 6, "ALL_WRITE", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 7, "MEM_UC", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 8, "MEM_WC", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 9, "MEM_WT", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 10, "MEM_WP", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 11, "MEM_WB", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 13, "OWN", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ALLOCATION, 14, "OTHER", BOUNDS, AGENTS, {Q_CYCLES_SOME, 1}),
	MASK(IOQ_ALLOCATION, 15, "PREFETCH", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 0, "ReqA0", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 1, "ReqA1", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 2, "ReqA2", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 3, "ReqA3", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 4, "ReqA4", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 5, "ALL_READ", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 6, "ALL_WRITE", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 7, "MEM_UC", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 8, "MEM_WC", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 9, "MEM_WT", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 10, "MEM_WP", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 11, "MEM_WB", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 13, "OWN", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 14, "OTHER", BOUNDS, AGENTS, {Q_OCCUPANCY, 1}),
	MASK(IOQ_ACTIVE_ENTRIES, 15, "PREFETCH", EXACT, FIELD, {Q_NOT_PROVOKED, 1}),
	MASK(FSB_DATA_ACTIVITY, 0, "DRDY_DRV", BOUNDS, NONE, {Q_BUS_DATA, 1}),
	MASK(FSB_DATA_ACTIVITY, 1, "DRDY_OWN", BOUNDS, NONE, {Q_BUS_DATA, 1}),
	MASK(FSB_DATA_ACTIVITY, 2, "DRDY_OTHER", BOUNDS, AGENTS, {Q_CYCLES_SOME, 1}),
	MASK(FSB_DATA_ACTIVITY, 3, "DBSY_DRV", BOUNDS, NONE, {Q_BUS_DATA, 1}),
	MASK(FSB_DATA_ACTIVITY, 4, "DBSY_OWN", BOUNDS, NONE, {Q_BUS_DATA, 1}),
	MASK(FSB_DATA_ACTIVITY, 5, "DBSY_OTHER", BOUNDS, AGENTS, {Q_CYCLES_SOME, 1}),
	MASK(BSQ_ALLOCATION, 0, "REQ_TYPE0", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 1, "REQ_TYPE1", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 2, "REQ_LEN0", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 3, "REQ_LEN1", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 5, "REQ_IO_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 6, "REQ_LOCK_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 7, "REQ_CACHE_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 8, "REQ_SPLIT_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 9, "REQ_DEM_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 10, "REQ_ORD_TYPE", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 11, "MEM_TYPE0", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 12, "MEM_TYPE1", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ALLOCATION, 13, "MEM_TYPE2", BOUNDS, NONE, {Q_BUS_REQUESTS, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 0, "REQ_TYPE0", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 1, "REQ_TYPE1", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 2, "REQ_LEN0", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 3, "REQ_LEN1", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 5, "REQ_IO_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 6, "REQ_LOCK_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 7, "REQ_CACHE_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 8, "REQ_SPLIT_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 9, "REQ_DEM_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 10, "REQ_ORD_TYPE", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 11, "MEM_TYPE0", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 12, "MEM_TYPE1", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(BSQ_ACTIVE_ENTRIES, 13, "MEM_TYPE2", BOUNDS, NONE, {Q_OCCUPANCY_CAUSED, 1}),
	MASK(SSE_INPUT_ASSIST, 15, "ALL", AT_LEAST, BOGUS_ASSISTS, {Q_ASSISTS_SSE, 1}),
	MASK(PACKED_SP_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_SP, 1}),
	MASK(PACKED_DP_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_DP, 1}),
	MASK(SCALAR_SP_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_SS, 1}),
	MASK(SCALAR_DP_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_SD, 1}),
	MASK(MMX64_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_MMX64, 1}),
	MASK(MMX128_UOP, 15, "ALL", EXACT, UOPS, {Q_UOPS_MMX128, 1}),
	MASK(X87_FP_UOP, 15, "ALL", EXACT, X87_UOPS, {Q_UOPS_X87, 1}),
	MASK(X87_SIMD_MOVES_UOP, 3, "ALLP0", EXACT, UOPS, {Q_UOPS_MOVES, 1}),
	MASK(X87_SIMD_MOVES_UOP, 4, "ALLP2", EXACT, UOPS, {Q_UOPS_FP_LOADS, 1}),
	MASK(TC_MISC, 4, "FLUSH", EXACT, NONE, {Q_TC_FLUSH, 2}),
	MASK(GLOBAL_POWER_EVENTS, 0, "RUNNING", TIME, NONE, {Q_CYCLES, 1}),
	MASK(TC_MS_XFER, 0, "CISC", EXACT, NONE, {Q_ROM_SWITCHES, 1}),
	MASK(UOP_QUEUE_WRITES, 0, "FROM_TC_BUILD", AT_LEAST, FETCHED, {Q_UOPS_DECODED, 1}),
	MASK(UOP_QUEUE_WRITES, 1, "FROM_TC_DELIVER", AT_LEAST, FETCHED, {Q_UOPS_CACHED, 1}),
	MASK(UOP_QUEUE_WRITES, 2, "FROM_ROM", BOUNDS, NONE, {Q_UOPS_ROM, 1}),
	MASK(RETIRED_MISPRED_BRANCH_TYPE, 0, "UNCONDITIONAL", AT_LEAST, REBUILT, {Q_BR_MISPRED_JMP, 1}),
	MASK(RETIRED_MISPRED_BRANCH_TYPE, 1, "CONDITIONAL", AT_LEAST, REBUILT, {Q_BR_MISPRED_COND, 1}),
	MASK(RETIRED_MISPRED_BRANCH_TYPE, 2, "CALL", EXACT, NONE, {Q_BR_MISPRED_CALL, 1}),
	MASK(RETIRED_MISPRED_BRANCH_TYPE, 3, "RETURN", EXACT, NONE, {Q_BR_MISPRED_RET, 1}),
	MASK(RETIRED_MISPRED_BRANCH_TYPE, 4, "INDIRECT", EXACT, NONE, {Q_BR_MISPRED_RET, 1}, {Q_BR_MISPRED_CALL, 1}, {Q_BR_MISPRED_JMP_INDIRECT, 1}),
	MASK(RETIRED_BRANCH_TYPE, 0, "UNCONDITIONAL", AT_LEAST, REBUILT, {Q_BR_JMP_DIRECT, 1}),
	MASK(RETIRED_BRANCH_TYPE, 1, "CONDITIONAL", AT_LEAST, REBUILT, {Q_BR_COND, 1}),
	MASK(RETIRED_BRANCH_TYPE, 2, "CALL", EXACT, NONE, {Q_BR_CALL_DIRECT, 1}, {Q_BR_CALL_INDIRECT, 1}),
	MASK(RETIRED_BRANCH_TYPE, 3, "RETURN", EXACT, NONE, {Q_BR_RET, 1}),
	MASK(RETIRED_BRANCH_TYPE, 4, "INDIRECT", EXACT, NONE, {Q_BR_RET, 1}, {Q_BR_CALL_INDIRECT, 1}, {Q_BR_JMP_INDIRECT, 1}),
	MASK(RESOURCE_STALL, 5, "SBFULL", BOUNDS, NONE, {Q_STALLS_STORE, 1}),
	MASK(WC_BUFFER, 0, "WCB_EVICTS", BOUNDS, NONE, {Q_WC_EVICTIONS, 1}),
	MASK(WC_BUFFER, 1, "WCB_FULL_EVICT", BOUNDS, NONE, {Q_WC_EVICTIONS, 1}),
	MASK(WC_BUFFER, 2, "WCB_HITM_EVICT", BOUNDS, NONE, {Q_WC_EVICTIONS, 1}),
	MASK(B2B_CYCLES, 1, "bit1", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(B2B_CYCLES, 2, "bit2", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(B2B_CYCLES, 3, "bit3", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(B2B_CYCLES, 4, "bit4", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(B2B_CYCLES, 5, "bit5", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(B2B_CYCLES, 6, "bit6", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(BNR, 0, "bit0", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(BNR, 1, "bit1", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(BNR, 2, "bit2", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(SNOOP, 2, "bit2", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(SNOOP, 6, "bit6", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(SNOOP, 7, "bit7", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(RESPONSE, 1, "bit1", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(RESPONSE, 2, "bit2", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(RESPONSE, 8, "bit8", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(RESPONSE, 9, "bit9", EXACT, NONE, {Q_UNDOCUMENTED, 1}),
	MASK(FRONT_END_EVENT, 0, "NBOGUS", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(FRONT_END_EVENT, 1, "BOGUS", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 0, "NBOGUS0", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 1, "NBOGUS1", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 2, "NBOGUS2", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 3, "NBOGUS3", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 4, "BOGUS0", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 5, "BOGUS1", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 6, "BOGUS2", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(EXECUTION_EVENT, 7, "BOGUS3", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(REPLAY_EVENT, 0, "NBOGUS", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(REPLAY_EVENT, 1, "BOGUS", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(INSTR_RETIRED, 0, "NBOGUSNTAG", EXACT, RETIREMENT, {Q_INSTRUCTIONS, 1}),
	MASK(INSTR_RETIRED, 1, "NBOGUSTAG", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(INSTR_RETIRED, 2, "BOGUSNTAG", BOUNDS, NONE, {Q_UOPS_BOGUS, 1}),
	MASK(INSTR_RETIRED, 3, "BOGUSTAG", EXACT, UNTAGGED, {Q_NOT_PROVOKED, 1}),
	MASK(UOPS_RETIRED, 0, "NBOGUS", EXACT, UOPS, {Q_UOPS, 1}),
	MASK(UOPS_RETIRED, 1, "BOGUS", BOUNDS, NONE, {Q_UOPS_BOGUS, 1}),
	MASK(UOP_TYPE, 1, "TAGLOADS", EXACT, TAGS, {Q_NOT_PROVOKED, 1}),
	MASK(UOP_TYPE, 2, "TAGSTORES", EXACT, TAGS, {Q_NOT_PROVOKED, 1}),
	MASK(BRANCH_RETIRED, 0, "MMNP", EXACT, NONE, {Q_BR_COND_NTAKEN, 1}, {Q_BR_MISPRED_NTAKEN, -1}),
	MASK(BRANCH_RETIRED, 1, "MMNM", EXACT, NONE, {Q_BR_MISPRED_NTAKEN, 1}),
	MASK(BRANCH_RETIRED, 2, "MMTP", EXACT, BRANCHES, {Q_BRANCHES, 1}, {Q_BR_COND_NTAKEN, -1}, {Q_BR_MISPRED_TAKEN, -1}),
	MASK(BRANCH_RETIRED, 3, "MMTM", EXACT, BRANCHES, {Q_BR_MISPRED_TAKEN, 1}),
	MASK(MISPRED_BRANCH_RETIRED, 0, "NBOGUS", EXACT, NONE, {Q_BR_MISPRED, 1}),
	MASK(X87_ASSIST, 0, "FPSU", BOUNDS, NONE, {Q_X87_STACK, 1}),
	MASK(X87_ASSIST, 1, "FPSO", BOUNDS, NONE, {Q_X87_STACK, 1}),
	MASK(X87_ASSIST, 2, "POAO", BOUNDS, NONE, {Q_ASSISTS_X87, 1}),
	MASK(X87_ASSIST, 3, "POAU", BOUNDS, NONE, {Q_ASSISTS_X87, 1}),
	MASK(X87_ASSIST, 4, "PREA", BOUNDS, NONE, {Q_ASSISTS_X87, 1}),
	MASK(MACHINE_CLEAR, 0, "CLEAR", AT_LEAST, DURATION, {Q_CLEARS_MO, 1}, {Q_CLEARS_SMC, 1}),
	MASK(MACHINE_CLEAR, 2, "MOCLEAR", EXACT, NONE, {Q_CLEARS_MO, 1}),
	MASK(MACHINE_CLEAR, 6, "SMCLEAR", EXACT, NONE, {Q_CLEARS_SMC, 1}),
	MASK(INSTR_COMPLETED, 0, "NBOGUS", EXACT, COMPLETED, {Q_INSTRUCTIONS, 1}),
	MASK(INSTR_COMPLETED, 1, "BOGUS", BOUNDS, NONE, {Q_UOPS_BOGUS, 1}),
};
const unsigned netburst_mask_count = sizeof netburst_mask / sizeof netburst_mask[0];

#define BIT(n) (1u << (n))
#define REPLAY PEBS_REPLAY_TAG

/*
 * SDM tables 19-31 to 19-33. Table 19-33 lists bit 25 of MSR_PEBS_ENABLE with each metric too; for counting it stays
 * clear, as perfctr (which refuses it) and Linux have it. One tag value is as good as another: 1 is taken.
 * The last ones are those of 18.17.2, by an event of each group.
 */
const struct netburst_recipe netburst_recipe[NETBURST_RECIPES] = {
	{"memory_loads", TAG_FRONT_END, NB_FRONT_END_EVENT, NB_UOP_TYPE, ESCR_NONE, BIT(0), BIT(1), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_LOAD, 1}},
	{"memory_stores", TAG_FRONT_END, NB_FRONT_END_EVENT, NB_UOP_TYPE, ESCR_NONE, BIT(0), BIT(2), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_STORE, 1}},
	{"packed_SP_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_PACKED_SP_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_SP, 1}},
	{"packed_DP_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_PACKED_DP_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_DP, 1}},
	{"scalar_SP_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_SCALAR_SP_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_SS, 1}},
	{"scalar_DP_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_SCALAR_DP_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_SD, 1}},
	{"128_bit_MMX_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_MMX128_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_MMX128, 1}},
	{"64_bit_MMX_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_MMX64_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_MMX64, 1}},
	{"X87_FP_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_X87_FP_UOP, ESCR_NONE, BIT(0), BIT(15), 0, 0, EVENT_EXACT, RULE_X87_UOPS, {Q_UOPS_X87, 1}},
	{"X87_SIMD_memory_moves_retired", TAG_EXECUTION, NB_EXECUTION_EVENT, NB_X87_SIMD_MOVES_UOP, ESCR_NONE, BIT(0), BIT(3) | BIT(4), 0, 0, EVENT_EXACT, RULE_UOPS, {Q_UOPS_MEMORY_MOVES, 1}},
	{"1stL_cache_load_miss_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(0), BIT(0), EVENT_EXACT, RULE_NONE, {Q_L1D_LOAD_MISS, 1}},
	{"2ndL_cache_load_miss_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(1), BIT(0), EVENT_AT_LEAST, RULE_TAGGED_LOADS, {Q_L2_LOAD_MISS, 1}},
	{"DTLB_load_miss_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(2), BIT(0), EVENT_EXACT, RULE_NONE, {Q_DTLB_LOAD_MISS, 1}},
	{"DTLB_store_miss_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(2), BIT(1), EVENT_EXACT, RULE_NONE, {Q_DTLB_STORE_MISS, 1}},
	{"DTLB_all_miss_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(2), BIT(0) | BIT(1), EVENT_AT_LEAST, RULE_STORES_TOO, {Q_DTLB_LOAD_MISS, 1}},
	{"Tagged_mispred_branch", TAG_REPLAY, NB_REPLAY_EVENT, NB_EVENTS, ESCR_NONE, BIT(0), 0, REPLAY | BIT(15) | BIT(16), BIT(4), EVENT_EXACT, RULE_RETURNS_UNTAGGED, {Q_BR_MISPRED, 1}},
	{"MOB_load_replay_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_MOB_LOAD_REPLAY, ESCR_NONE, BIT(0), BIT(4) | BIT(5), REPLAY | BIT(9), BIT(0), EVENT_AT_LEAST, RULE_TAGGED_LOADS, {Q_STORE_FORWARD_BLOCK, 1}},
	{"split_load_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_LOAD_PORT_REPLAY, SAAT_ESCR1, BIT(0), BIT(1), REPLAY | BIT(10), BIT(0), EVENT_EXACT, RULE_NONE, {Q_LOADS_SPLIT_LINE, 1}},
	{"split_store_retired", TAG_REPLAY, NB_REPLAY_EVENT, NB_STORE_PORT_REPLAY, ESCR_NONE, BIT(0), BIT(1), REPLAY | BIT(10), BIT(1), EVENT_EXACT, RULE_NONE, {Q_STORES_SPLIT_LINE, 1}},
	{"non_sleep_clockticks.BPU", TAG_NOTHING, NB_GLOBAL_POWER_EVENTS, NB_EVENTS, ESCR_NONE, BIT(0), 0, 0, 0, EVENT_TIME, RULE_ANY_RING, {Q_CYCLES, 1}},
	{"non_sleep_clockticks.MS", TAG_NOTHING, NB_TC_MS_XFER, NB_EVENTS, ESCR_NONE, BIT(0), 0, 0, 0, EVENT_TIME, RULE_ANY_RING, {Q_CYCLES, 1}},
	{"non_sleep_clockticks.FLAME", TAG_NOTHING, NB_X87_FP_UOP, NB_EVENTS, ESCR_NONE, BIT(15), 0, 0, 0, EVENT_TIME, RULE_ANY_RING, {Q_CYCLES, 1}},
	{"non_sleep_clockticks.IQ", TAG_NOTHING, NB_INSTR_RETIRED, NB_EVENTS, ESCR_NONE, BIT(0), 0, 0, 0, EVENT_TIME, RULE_ANY_RING, {Q_CYCLES, 1}},
};
/* clang-format on */

const struct netburst_recipe *netburst_code_recipe(uint64_t code)
{
	unsigned number = code & CODE_RECIPE;

	return number && number <= NETBURST_RECIPES ? &netburst_recipe[number - 1] : NULL;
}

static bool on_model(const struct netburst_event *e, unsigned model)
{
	return model < 8 && e->models >> model & 1;
}

enum netburst_event_id netburst_event_of(enum netburst_escr_id escr, unsigned select, unsigned model)
{
	for (unsigned i = 0; i < NB_EVENTS; i++) {
		const struct netburst_event *e = &netburst_event[i];

		if (e->select == select && (e->escr[0] == escr || e->escr[1] == escr) && on_model(e, model))
			return (enum netburst_event_id)i;
	}
	return NB_EVENTS;
}

uint32_t netburst_event_counters(enum netburst_event_id id, unsigned model)
{
	const struct netburst_event *e = &netburst_event[id];
	uint32_t counters = 0;

	for (unsigned i = 0; i < 2; i++)
		if (e->escr[i] != ESCR_NONE && on_model(e, model))
			counters |= netburst_escr[e->escr[i]].counters;
	return counters;
}

static uint64_t code_of(const struct netburst_event *e, uint16_t mask, uint32_t cccr)
{
	uint32_t escr = (uint32_t)e->select << ESCR_EVENT_SHIFT | (uint32_t)mask << ESCR_MASK_SHIFT;

	/* Without Hyper-Threading the thread field must be 11B, with it that means: whichever is active. */
	return (uint64_t)escr << 32 |
	       (cccr | CCCR_THREAD_ANY | (uint32_t)e->escr_select << CCCR_SELECT_SHIFT);
}

static struct pmu_event row(enum netburst_event_id id, uint64_t code, unsigned judgement, unsigned rule,
			    unsigned model)
{
	const struct netburst_event *e = &netburst_event[id];

	return (struct pmu_event){
		.code = code,
		.counters = netburst_event_counters(id, model),
		.fixed = -1,
		.judgement = (uint8_t)judgement,
		.flags = rule == RULE_ANY_RING ? EVENT_ANY_RING : 0,
		/* Linux: counter 1 does not count it, or too much. */
		.errata = id == NB_BSQ_ALLOCATION ? "P4-CCCR1" : NULL,
		.source = e->flags & NB_UNDOCUMENTED    ? "libpfm4, perfctr; not in the SDM"
			  : e->models != MODELS_ALL     ? "SDM table 19-30"
			  : e->flags & NB_AT_RETIREMENT ? "SDM table 19-29"
							: "SDM table 19-28",
	};
}

enum {
	FLOOR_NONE,
#define NETBURST_FLOOR(id, ...) FLOOR_##id,
#define NETBURST_MOVED(event, bit, floor)
#define NETBURST_RECIPE_MOVED(name, floor)
#include "pmu/netburst/events/floors.def"
#undef NETBURST_FLOOR
#undef NETBURST_MOVED
#undef NETBURST_RECIPE_MOVED
};

static const struct event_floor floors[] = {
#define Q(quantity, times)                                                                                   \
	{                                                                                                    \
		Q_##quantity, times                                                                          \
	}
#define NETBURST_FLOOR(id, divisor, words, ...)                                                              \
	[FLOOR_##id] = {.text = words, .per = divisor, .of = {__VA_ARGS__}},
#define NETBURST_MOVED(event, bit, floor)
#define NETBURST_RECIPE_MOVED(name, floor)
#include "pmu/netburst/events/floors.def"
#undef Q
#undef NETBURST_FLOOR
#undef NETBURST_MOVED
#undef NETBURST_RECIPE_MOVED
};

/* NULL: nothing must make it tick. */
static const struct event_floor *floor_of_mask(const struct netburst_mask *m)
{
#define NETBURST_FLOOR(id, ...)
#define NETBURST_MOVED(id, number, floor)                                                                    \
	if (m->event == NB_##id && m->bit == (number))                                                       \
		return &floors[FLOOR_##floor];
#define NETBURST_RECIPE_MOVED(name, floor)
#include "pmu/netburst/events/floors.def"
#undef NETBURST_MOVED
#undef NETBURST_RECIPE_MOVED
	return NULL;
}

static const struct event_floor *floor_of_recipe(const struct netburst_recipe *r)
{
#define NETBURST_MOVED(id, bit, floor)
#define NETBURST_RECIPE_MOVED(text, floor)                                                                   \
	if (!strcmp(r->name, text))                                                                          \
		return &floors[FLOOR_##floor];
#include "pmu/netburst/events/floors.def"
#undef NETBURST_FLOOR
#undef NETBURST_MOVED
#undef NETBURST_RECIPE_MOVED
	return NULL;
}

static void follow(struct pmu_event *e, unsigned rule)
{
	event_follow(e, rule ? &netburst_rule[rule] : NULL);
}

/* TC_deliver_mode names the states of both logical processors, the first one's first: what DI is to the
 * first, ID is to the second. */
static const struct netburst_mask *meaning_on(const struct netburst_mask *m, unsigned thread)
{
	static const uint8_t exchanged[] = {0, 3, 6, 1, 4, 7, 2, 5}; /* DD BD ID DB BB IB DI BI */

	return thread && m->event == NB_TC_DELIVER_MODE ? m + exchanged[m->bit] - m->bit : m;
}

unsigned netburst_rows(unsigned model, unsigned thread, struct pmu_event *rows, char (*names)[NETBURST_NAME])
{
	static const char *const sources[] = {
		[TAG_FRONT_END] = "SDM table 19-31",
		[TAG_EXECUTION] = "SDM table 19-32",
		[TAG_REPLAY] = "SDM table 19-33",
		[TAG_NOTHING] = "SDM 18.17.2",
	};
	unsigned n = 0;

	for (unsigned i = 0; i < netburst_mask_count; i++) {
		const struct netburst_mask *m = &netburst_mask[i];
		const struct netburst_mask *as = meaning_on(m, thread);
		const struct netburst_event *e = &netburst_event[m->event];

		if (!on_model(e, model))
			continue;
		rows[n] = row(m->event, code_of(e, 1u << m->bit, 0), as->judgement, as->rule, model);
		memcpy(rows[n].terms, as->term, sizeof as->term);
		follow(&rows[n], as->rule);
		rows[n].floor = floor_of_mask(as);
		snprintf(names[n], NETBURST_NAME, "%.27s:%.15s", e->name, m->name);
		rows[n].name = names[n];
		n++;
	}
	for (unsigned i = 0; i < NETBURST_RECIPES; i++) {
		const struct netburst_recipe *r = &netburst_recipe[i];
		uint32_t filter = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD;
		uint64_t code = code_of(&netburst_event[r->count], r->count_mask,
					r->mechanism == TAG_NOTHING ? filter : 0);

		rows[n] = row(r->count, code | (i + 1), r->judgement, r->rule, model);
		rows[n].terms[0] = r->term;
		if (r->term.quantity == Q_LOADS_SPLIT_LINE || r->term.quantity == Q_STORES_SPLIT_LINE)
			rows[n].terms[1] =
				(struct event_term){Q_INSN_LOCKED_SPLIT, -1}; /* cannot be tagged */
		follow(&rows[n], r->rule);
		rows[n].floor = floor_of_recipe(r);
		rows[n].source = sources[r->mechanism];
		snprintf(names[n], NETBURST_NAME, "%.31s", r->name);
		rows[n].name = names[n];
		n++;
	}
	return n;
}

const struct netburst_mask *netburst_masks_of(const struct pmu_event *row, unsigned model, unsigned *n)
{
	unsigned select = (CODE_ESCR(row->code) & ESCR_EVENT) >> ESCR_EVENT_SHIFT;
	unsigned escr_select = (CODE_CCCR(row->code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT;
	const struct netburst_mask *first = NULL;
	enum netburst_event_id id = NB_EVENTS;

	*n = 0;
	for (unsigned c = 0; c < NETBURST_COUNTERS && id == NB_EVENTS; c++)
		if (row->counters >> c & 1)
			id = netburst_event_of(netburst_wire(c, escr_select, model), select, model);
	if (netburst_code_recipe(row->code))
		return NULL;
	for (unsigned i = 0; i < netburst_mask_count; i++) {
		if (netburst_mask[i].event != id)
			continue;
		if (!first)
			first = &netburst_mask[i];
		++*n;
	}
	return first;
}
