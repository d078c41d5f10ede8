#include "pmu/amd/events/events.h"
#include "pmu/events/rows.h"

#include <string.h>

#define ALL       (AMD_K7 | K8_UP)
#define K8_UP     (K8_TO_16H | ZEN)
#define K8_TO_12H (AMD_K8 | AMD_10H | AMD_11H | AMD_12H)
#define K8_TO_16H (K8_TO_12H | AMD_14H | AMD_15H | AMD_16H)
#define ZEN       (AMD_ZEN1 | ZEN2_UP)
#define ZEN2_UP   (AMD_ZEN2 | ZEN3_UP)
#define ZEN3_UP   (AMD_ZEN3 | AMD_ZEN4 | AMD_ZEN5)

/*
 * The most that is in flight on any core: the retire control unit of Zen 5 tracks up to 448 macro-operations
 * in non-SMT mode (Software Optimization Guide 58455 rev. 1.00, 2.10.3; Zen 4: 320, 57647, 2.10.3).
 */
#define IN_FLIGHT 448

#define AGAIN 1

/*
 * What is dispatched and does not retire. A misprediction and an exception let other code be begun, a
 * resynchronisation throws away what the kernel itself does later; a load that missed or could not be
 * forwarded to is tried once more.
 */
#define WRONG_PATHS                                                                                          \
	{Q_BR_MISPRED, 0, IN_FLIGHT}, {Q_EXCEPTIONS, 0, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT},            \
		{Q_L1D_LOAD_MISS, AGAIN, 1},                                                                 \
	{                                                                                                    \
		Q_STORE_FORWARD_BLOCK, AGAIN, 1                                                              \
	}

/* Counted by V. Weaver (deater/deterministic) on 14H, 16H and Zen 1: each interrupt and fault is one more
 * instruction in ring 3, an interrupt on 16H nearly two. */
#define EACH_ONCE                                                                                            \
	{Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 1},                                                       \
	{                                                                                                    \
		Q_INTERRUPTS_NMI, 0, 1                                                                       \
	}
static const struct event_deliveries INSTRUCTIONS_DELIVERED = {
	.text = "whether deliveries of interrupts and exceptions count as instructions is not said",
	.source = "V. Weaver, deater/deterministic: 14H, Zen 1",
	.kind = DELIVERED_INSTRUCTIONS,
	.all = {EACH_ONCE},
	.user = {EACH_ONCE},
};
static const struct event_deliveries INSTRUCTIONS_DELIVERED_16H = {
	.text = "whether deliveries of interrupts and exceptions count as instructions, and interrupts "
		"twice, is not said",
	.source = "V. Weaver, deater/deterministic: 16H",
	.kind = DELIVERED_INSTRUCTIONS,
	.all = {{Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 2}, {Q_INTERRUPTS_NMI, 0, 2}},
	.user = {{Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 2}, {Q_INTERRUPTS_NMI, 0, 2}},
};

#define WEAVER "V. Weaver, deater/deterministic"

enum {
	NONE,
	RESYNC,
	RESYNC_FLDCW,
	INSTRUCTIONS_14H,
	INSTRUCTIONS_16H,
	INSTRUCTIONS_ZEN,
	X87_10H,
	X87_LIKE_10H,
	X87_MMX_14H,
	X87_LATER,
	MMX_10H,
	MMX_LATER,
	SSE_10H,
	SSE_14H,
	SSE_LATER,
	REMAINDERS,
	NO_REMAINDERS,
	SPEC,
	LOAD_OPS,
	STORE_OPS,
	DIV_OPS,
	MISALIGNED,
	MISALIGNED_BOTH,
	DATA_MISSES,
	WALKS,
	UNFUSED,
	RETURNS_UNSAID,
	NO_PAGES,
	UNSAID,
	OTHER_FLUSHES,
	IBS_OFF,
	NO_BREAKPOINT,
	NO_SMI,
	NO_ERRORS,
	MERGED,
	ONE_NODE,
	NO_NESTED,
	NO_KIND,
	MOVES_ARE_INTEGER,
	MARKS
};

static const struct event_rule rules[] = {
	[RESYNC] = {"resynchronisations may count too; FNINIT, FNCLEX and FNSAVE count twice if they clear a "
		    "flag",
		    WEAVER ": family 10H", .unsaid = {{Q_INSN_X87_CLEAR, 0, 1}}},
	[RESYNC_FLDCW] = {"resynchronisations may count too; FNINIT, FNCLEX and FNSAVE count twice if they "
			  "clear a flag, "
			  "FLDCW if it changes the rounding",
			  WEAVER ": family 15H", .unsaid = {{Q_INSN_X87_CLEAR, 0, 1}, {Q_INSN_FLDCW, 0, 1}}},
	[INSTRUCTIONS_14H] = {"FNINIT, FNCLEX and FNSAVE count twice if they clear a flag",
			      WEAVER ": family 14H", .unsaid = {{Q_INSN_X87_CLEAR, 0, 1}},
			      .deliveries = &INSTRUCTIONS_DELIVERED},
	[INSTRUCTIONS_16H] = {"FNINIT, FNCLEX and FNSAVE count twice if they clear a flag",
			      WEAVER ": family 16H", .unsaid = {{Q_INSN_X87_CLEAR, 0, 1}},
			      .deliveries = &INSTRUCTIONS_DELIVERED_16H},
	[INSTRUCTIONS_ZEN] = {"FNINIT, FNCLEX and FNSAVE count twice if they clear a flag, FLDCW if it "
			      "changes the rounding",
			      WEAVER ": Zen 1", .unsaid = {{Q_INSN_X87_CLEAR, 0, 1}, {Q_INSN_FLDCW, 0, 1}},
			      .deliveries = &INSTRUCTIONS_DELIVERED},
	/* Two of the MMX code's EMMS and MASKMOVQ are among the x87 instructions: the sum of all kinds is
	 * that of all instructions, 100,000 more are x87's. */
	[X87_10H] = {"FWAIT does not count; EMMS and MASKMOVQ may count here", WEAVER ": family 10H",
		     .unsaid = {{Q_INSN_EMMS, 0, 1}, {Q_INSN_MASKMOVQ, 0, 1}}},
	[X87_LIKE_10H] = {"FWAIT does not count on 10H and may here, as EMMS and MASKMOVQ",
			  WEAVER ": family 10H",
			  .unsaid = {{Q_INSN_EMMS, 0, 1}, {Q_INSN_MASKMOVQ, 0, 1}, {Q_INSN_FWAIT, 0, 1}}},
	[MMX_10H] = {"EMMS and MASKMOVQ may count as x87 instructions", WEAVER ": family 10H",
		     .less = {{Q_INSN_EMMS, 0, 1}, {Q_INSN_MASKMOVQ, 0, 1}}},
	[SSE_10H] = {"LDMXCSR, STMXCSR, MOVNTI, fences and prefetches may count as SSE instructions",
		     WEAVER ": family 10H",
		     .unsaid = {{Q_INSN_MXCSR, 0, 1},
				{Q_STORES_NT, 0, 1},
				{Q_INSN_FENCE, 0, 1},
				{Q_PREFETCHES, 0, 1}}},
	/* What an interrupt meets is counted less on 14H. */
	[X87_MMX_14H] =
		{"FWAIT, EMMS and MASKMOVQ may count or not, or twice; what an interrupt meets may not",
		 WEAVER ": family 14H",
		 .unsaid = {{Q_INSN_FWAIT, 0, 1}, {Q_INSN_EMMS, 0, 1}, {Q_INSN_MASKMOVQ, 0, 1}},
		 .less = {{Q_INTERRUPTS_HW, 0, 2}, {Q_INTERRUPTS_NMI, 0, 2}, {Q_EXCEPTIONS, 0, 2}}},
	[SSE_14H] = {"some instructions count twice; LDMXCSR, STMXCSR, MOVNTI, fences and prefetches may "
		     "count; what an "
		     "interrupt meets may not",
		     WEAVER ": family 14H",
		     .unsaid = {{Q_INSN_SSE, 0, 1},
				{Q_INSN_MXCSR, 0, 1},
				{Q_STORES_NT, 0, 1},
				{Q_INSN_FENCE, 0, 1},
				{Q_PREFETCHES, 0, 1}},
		     .less = {{Q_INTERRUPTS_HW, 0, 2}, {Q_INTERRUPTS_NMI, 0, 2}, {Q_EXCEPTIONS, 0, 2}}},
	/* On 15H, 16H and Zen 1 code without any such instruction counts, too: as often as it has string
	 * instructions or about twice as often. */
	[X87_LATER] = {"FWAIT and FLDCW may count or not, or twice", WEAVER ": family 16H, Zen 1",
		       .unsaid = {{Q_INSN_FWAIT, 0, 2}, {Q_INSN_FLDCW, 0, 1}, {Q_INSN_X87_CLEAR, 0, 1}},
		       .less = {{Q_INTERRUPTS_HW, 0, 2}, {Q_INTERRUPTS_NMI, 0, 2}, {Q_EXCEPTIONS, 0, 2}}},
	[MMX_LATER] = {"EMMS and MASKMOVQ may count twice", WEAVER ": Zen 1",
		       .unsaid = {{Q_INSN_EMMS, 0, 1}, {Q_INSN_MASKMOVQ, 0, 1}}},
	[SSE_LATER] = {"string instructions, LDMXCSR, STMXCSR, MOVNTI, fences and prefetches may count, some "
		       "instructions twice",
		       WEAVER ": family 16H, Zen 1",
		       .unsaid = {{Q_INSN_STRING, 0, 2},
				  {Q_INSN_SSE, 0, 1},
				  {Q_INSN_MXCSR, 0, 1},
				  {Q_STORES_NT, 0, 1},
				  {Q_INSN_FENCE, 0, 1},
				  {Q_PREFETCHES, 0, 1}}},
	[REMAINDERS] = {"whether FPREM and FPREM1 count is not said", WEAVER ": Zen 1, where they do not",
			.less = {{Q_X87_REMAINDER, 0, 1}}},
	[NO_REMAINDERS] = {"FPREM and FPREM1 do not count", WEAVER ": Zen 1"},
	[MARKS] = {"whether LTR counts, which marks a descriptor, is not said",
		   .unsaid = {{Q_INSN_SEGMENT, 0, 1}}},
	[SPEC] = {"counted at dispatch: replays and wrong paths count too", .may = {WRONG_PATHS}},
	[LOAD_OPS] =
		{"counted at dispatch: replays, wrong paths and each operation of an instruction count too",
		 .may = {WRONG_PATHS, {Q_UOPS_LOAD, 0, 1}}},
	[STORE_OPS] =
		{"counted at dispatch: replays, wrong paths and each operation of an instruction count too",
		 .may = {WRONG_PATHS, {Q_UOPS_STORE, 0, 1}}},
	/* A. Fog, instruction tables: Zen. */
	[DIV_OPS] = {"a division may be two operations; wrong paths count too",
		     .may = {WRONG_PATHS, {Q_INSN_DIV, 0, 1}}},
	/* What counts as misaligned below a line is not said for most generations. */
	[MISALIGNED] = {"what is misaligned may cross less than a line; wrong paths count too",
			.may = {WRONG_PATHS, {Q_LOADS, 0, 1}}},
	[MISALIGNED_BOTH] =
		{"stores too; what is misaligned may cross less than a line; wrong paths count too",
		 .may = {WRONG_PATHS, {Q_LOADS, 0, 1}, {Q_STORES, 0, 1}}},
	[DATA_MISSES] = {"stores, prefetches and wrong paths may miss too",
			 .may = {WRONG_PATHS,
				 {Q_STORES, 0, 1},
				 {Q_PREFETCHES, 0, 1},
				 {Q_OFFCORE_PREFETCHES, AGAIN, 1}}},
	[WALKS] = {"walks of wrong paths and of prefetches count too",
		   .may = {WRONG_PATHS, {Q_PREFETCHES, 0, 1}, {Q_OFFCORE_PREFETCHES, AGAIN, 1}}},
	[UNFUSED] = {"an instruction is one operation or more", .may = {{Q_UOPS, 0, 1}}},
	/* PPR: "The number of indirect branches retired." */
	[RETURNS_UNSAID] = {"whether returns count as indirect branches is not said",
			    .may = {{Q_BR_RET, 0, 1}}},
	[NO_PAGES] = {"page crossings may be left to MA4K; wrong paths count too",
		      .may = {WRONG_PATHS, {Q_LOADS_SPLIT_PAGE, 0, 1}}},
	[IBS_OFF] = {"IBS does not run while events are judged"},
	[NO_BREAKPOINT] = {"no breakpoint is set"},
	[NO_SMI] = {"samples in which an SMI came are taken again"},
	[NO_ERRORS] = {"needs memory that fails"},
	[MERGED] = {"more than 15 in a cycle: takes a pair of counters"},
	[UNSAID] = {"whether returns and far transfers count is not said",
		    .may = {{Q_BR_RET, 0, 1}, {Q_BR_FAR, 0, 1}}},
	/* PPR: "Retired CLFLUSH instructions". CPUs before Zen have the other two not. */
	[OTHER_FLUSHES] = {"whether CLFLUSHOPT and CLWB count is not said",
			   .may = {{Q_INSN_CLFLUSHOPT, 0, 1}}},
	[ONE_NODE] = {"the machine has no other node, nor memory of another kind"},
	[NO_NESTED] = {"no guest has page tables of its own", .hypervisor = true},
	[NO_KIND] = {"a unit mask of 0 selects no kind of operation"},
	[MOVES_ARE_INTEGER] = {"moves count as integer operations, not as floating-point ones"},
};

#define NEAR 0x8000 /* on machines of one node alone */
#define OLD  (AMD_K7 | K8_TO_16H)

static const struct {
	uint16_t generations;
	struct event_floor floor;
} floors[] = {
#define AMD_FLOOR(id, generations, divisor, words, ...)                                                      \
	[AMD_FLOOR_##id] = {generations, {.text = words, .per = divisor, .of = {__VA_ARGS__}}},
#define AMD_PARTS(id, generations, divisor, most, words, ...)                                                \
	[AMD_FLOOR_##id] = {generations, {.text = words, .per = divisor, .over = most, .of = {__VA_ARGS__}}},
#define AMD_COUNT(id, generations, most, words, ...) AMD_PARTS(id, generations, 1, most, words, __VA_ARGS__)
#define Q(quantity, times)                                                                                   \
	{                                                                                                    \
		Q_##quantity, times                                                                          \
	}
/* Which kernels a floor is about: those of which all others have something. */
#define OF_MMX_ALONE Q(INSN_SSE, -100), Q(INSN_AVX, -100), Q(INSN_X87, -100)
#define OF_INTEGERS                                                                                          \
	Q(INSN_MMX, -100), Q(INSN_X87, -100), Q(FP_SCALAR_SP, -100), Q(FP_128_SP, -100), Q(FP_256_SP, -100)
#define OF_INTEGERS_128                                                                                      \
	Q(INSN_MMX, -100), Q(INSN_X87, -100), Q(FP_SCALAR_SP, -100), Q(FP_128_SP, -100), Q(INSN_256, -100)
#define OF_INTEGERS_256 Q(INSN_MMX, -100), Q(INSN_X87, -100), Q(INSN_SSE, -100), Q(FP_256_SP, -100)
#define OF_SCALAR       Q(FP_SCALAR_SP, 2), Q(INSN_SSE, -1), Q(INSN_AVX, -1), Q(INSN_MMX, -100), Q(INSN_X87, -100)
#define OF_VECTORS                                                                                           \
	Q(FP_128_SP, 2), Q(FP_256_SP, 2), Q(INSN_SSE, -1), Q(INSN_AVX, -1), Q(INSN_MMX, -100),               \
		Q(INSN_X87, -100)
#define OF_VECTORS_128 Q(FP_128_SP, 2), Q(INSN_SSE, -1), Q(INSN_AVX, -1), Q(INSN_MMX, -100), Q(INSN_X87, -100)
#define OF_VECTORS_256 Q(FP_256_SP, 2), Q(INSN_SSE, -1), Q(INSN_AVX, -1), Q(INSN_MMX, -100), Q(INSN_X87, -100)
#define OF_X87_ALONE   Q(INSN_MMX, -100), Q(INSN_SSE, -100), Q(INSN_AVX, -100)
/* The bracket has none of these; an SMI's code that none of the watchers told may. */
#define KIND_OVER 64
/* A dozen mispredictions of the closing branch, each of which lets as much begin as a core holds. */
#define WRONG_OVER (12 * IN_FLIGHT)
#include "pmu/amd/events/floors.def"
#undef Q
};

/* Columns of pmu/amd/events/events.csv. The counters are those of family 15H, which alone has any that not
 * every event can be counted on. */
#define ANY_COUNTER 0
#define TERM        PACKED_TERM
#define SELECT(selector)                                                                                     \
	(((selector)&0xff) + ((selector) >> 24 & 0xf00) +                                                    \
	 0 * sizeof(struct {                                                                                 \
		 _Static_assert(!((selector) & ~0xf0000ffffull), "a select of 12 bits, a unit mask of 8");   \
		 int unused;                                                                                 \
	 }))

const struct amd_event amd_events[] = {
#define EVENT(name, generations, selector, bulldozer, judgement, rule, floor, source, by_default, ...)       \
	{generations, SELECT(selector), (selector) >> 8 & 0xff, bulldozer, EVENT_REASONED(judgement, rule),  \
	 rule,        {__VA_ARGS__}},
#include "pmu/amd/events/events.def"
#undef EVENT
};
const unsigned amd_event_count = sizeof amd_events / sizeof amd_events[0];

const unsigned amd_base_count = 0
#define EVENT(name, generations, selector, bulldozer, judgement, rule, floor, source, by_default, ...)       \
	+by_default
#include "pmu/amd/events/events.def"
#undef EVENT
	;

/* In the order of the rows. */
static const uint8_t floor_of_row[] = {
#define EVENT(name, generations, selector, bulldozer, judgement, rule, floor, ...) AMD_FLOOR_##floor,
#include "pmu/amd/events/events.def"
#undef EVENT
};
static const char names[] =
#define EVENT(name, ...) name "\0"
#include "pmu/amd/events/events.def"
#undef EVENT
	;

#define ANY 0xffff
static const struct {
	uint16_t generations, select, umask;
	char numbers[20];
} errata[] = {
#define AMD_ERRATUM(generations, select, umask, numbers) {generations, select, umask, numbers},
#include "pmu/amd/errata/errata.def"
#undef AMD_ERRATUM
};

static const char *errata_of(const struct amd_event *e, unsigned generation)
{
	for (unsigned i = 0; i < sizeof errata / sizeof errata[0]; i++)
		if (errata[i].generations & generation && errata[i].select == e->select &&
		    (errata[i].umask == ANY || errata[i].umask == e->umask))
			return errata[i].numbers;
	return NULL;
}

/* NULL: nothing must make the row tick. What all of Zen have in common goes on. */
static const struct event_floor *floor_of(unsigned row, unsigned generation, bool one_node)
{
	unsigned id = floor_of_row[row], on;

	if (!id)
		return NULL;
	on = floors[id].generations;
	if (on == NEAR)
		on = one_node ? ALL : 0;
	return generation == AMD_NEWER ? (on & (ZEN)) == (ZEN) ? &floors[id].floor : NULL
	       : on & generation       ? &floors[id].floor
				       : NULL;
}

unsigned amd_unpack(unsigned generation, bool one_node, struct pmu_event *out, unsigned max)
{
	const char *name = names;
	unsigned n = 0;

	for (unsigned i = 0; i < amd_event_count; i++, name += strlen(name) + 1) {
		const struct amd_event *e = &amd_events[i];
		bool offered = generation == AMD_NEWER ? (e->generations & (ZEN)) == (ZEN)
						       : e->generations & generation;
		if (!offered || n == max)
			continue;
		out[n] = (struct pmu_event){
			.name = name,
			.code = amd_code(e),
			.counters = generation == AMD_15H ? e->bulldozer : ~0u,
			.fixed = -1,
			.judgement = e->judgement,
			.flags = i < amd_base_count ? 0 : EVENT_OF_CORE,
			.source = "BKDG/PPR of the family, core events",
			.errata = errata_of(e, generation),
		};
		event_unpack_terms(e->terms, AMD_TERMS, out[n].terms);
		/* Where memory lies is the firmware's matter. */
		bool far = e->rule == ONE_NODE && !one_node;
		if (far)
			out[n].terms[0].quantity = Q_REQUESTS;
		event_follow(&out[n], e->rule ? &rules[far ? SPEC : e->rule] : NULL);
		out[n].floor = floor_of(i, generation, one_node);
		n++;
	}
	return n;
}
