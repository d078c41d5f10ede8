/*
 * Event strings and register fields of AMD's cores. Selector layout: APM vol. 2, 13.2.1.
 */
#include "pmu/events/grammar.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"
#include "pmu/events/fields.h"

#include <stddef.h>
#include <string.h>

#define IN(f)   offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)
#define CMASKED "of the events of one cycle at least this many make one count"

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 0, 8, 0, "event select"},
	{NULL, "event", IN(code), 32, 4, 32, "bits 11:8 of it"},
	{NULL, "umask", IN(code), 8, 8, 8, "unit mask"},
	{"h", NULL, IN(code), 41, 1, 41, "count outside guests only (with SVM)"},
	{"g", NULL, IN(code), 40, 1, 40, "count in guests only (with SVM)"},
	{"u", NULL, IN(levels), 1, 1, 16, "count in rings 1 to 3"},
	{"k", NULL, IN(levels), 0, 1, 17, "count in ring 0"},
	{"e", "edge", IN(edge), 0, 1, 18, "count how often the condition begins"},
	{"i", "inv", IN(invert), 0, 1, 23, "count cycles with fewer events than c"},
	{"c", "cmask", IN(cmask), 0, 8, 24, CMASKED},
	{NULL, NULL, 0, 0, 0, 0, -1, NULL},
};

/* perf's names, and those of its JSON lists. An alias counts only where its row is this CPU's. */
static const struct event_alias aliases[] = {
	{"cycles", "CPU_CLK_UNHALTED"},
	{"cycles", "CYCLES_NOT_IN_HALT"},
	{"cpu-cycles", "CPU_CLK_UNHALTED"},
	{"cpu-cycles", "CYCLES_NOT_IN_HALT"},
	{"ls_not_halted_cyc", "CYCLES_NOT_IN_HALT"},
	{"instructions", "RETIRED_INSTRUCTIONS"},
	{"ex_ret_instr", "RETIRED_INSTRUCTIONS"},
	{"branches", "RETIRED_BRANCH_INSTRUCTIONS"},
	{"branch-instructions", "RETIRED_BRANCH_INSTRUCTIONS"},
	{"ex_ret_brn", "RETIRED_BRANCH_INSTRUCTIONS"},
	{"branch-misses", "RETIRED_MISPREDICTED_BRANCH_INSTRUCTIONS"},
	{"branch-misses", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"},
	{"ex_ret_brn_misp", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED"},
	{"ex_ret_brn_tkn", "RETIRED_TAKEN_BRANCH_INSTRUCTIONS"},
	{"ex_ret_brn_far", "RETIRED_FAR_CONTROL_TRANSFERS"},
	{"ex_ret_cond", "RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS"},
	{"ex_ret_near_ret", "RETIRED_NEAR_RETURNS"},
	{"ls_int_taken", "INTERRUPT_TAKEN"},
	{NULL, NULL},
};

static const char *const names[] = {"amd64", "cpu", NULL};

/* What libpfm4's name of a generation begins with: revisions of K8 and parts of a family have the same
 * events. */
static const struct {
	unsigned generation;
	const char *begin;
} peers[] = {
	{AMD_K7, "amd64_k7"},
	{AMD_K8, "amd64_k8_"},
	{AMD_10H, "amd64_fam10h_"},
	{AMD_11H, "amd64_fam11h_"},
	{AMD_12H, "amd64_fam12h_"},
	{AMD_14H, "amd64_fam14h_"},
	{AMD_15H, "amd64_fam15h_interlagos"},
	{AMD_16H, "amd64_fam16h"},
	{AMD_ZEN1, "amd64_fam17h_zen1"},
	{AMD_ZEN2, "amd64_fam17h_zen2"},
	{AMD_ZEN3, "amd64_fam19h_zen3"},
	{AMD_ZEN4, "amd64_fam19h_zen4"},
	{AMD_ZEN5, "amd64_fam1ah_zen5"},
};

static bool is_peer_name(const struct pmu *pmu, const char *name)
{
	for (unsigned i = 0; i < sizeof peers / sizeof peers[0]; i++)
		if (amd_pmu(pmu)->generation == peers[i].generation) {
			size_t n = strlen(peers[i].begin);

			return !strncmp(name, peers[i].begin, n) &&
			       (!name[n] || peers[i].begin[n - 1] == '_');
		}
	return false;
}

const struct event_grammar amd_grammar = {
	.names = names,
	.is_peer_name = is_peer_name,
	.aliases = aliases,
	.modifiers = modifiers,
	.unit_mask = 0xff00,
	.raw_ignored = CTL_PC | CTL_INT | CTL_EN | 1ull << 21,
};

#define ALONE(r)    r, r
#define RANGE(r, n) (r), (r) + (n)-1

/* Selectors and counters alternate in the core extension: a range of both has the selectors' fields. */
const struct register_field amd_fields[] = {
	{"PERF_GLOBAL_STATUS", ALONE(PERF_GLOBAL_STATUS), 0, 0, 0, 0},
	{"PERF_GLOBAL_CTL", ALONE(PERF_GLOBAL_CTL), 0, 0, 0, 0},
	{"PERF_GLOBAL_STATUS_CLR", ALONE(PERF_GLOBAL_STATUS_CLR), 0, 0, 0, 0},
	{"DebugCtl", ALONE(DEBUGCTL), 0, 0, 0, 0},
	{"PERF_LEGACY_CTL", RANGE(PERF_LEGACY_CTL0, AMD_LEGACY), 0, 0, 0, 0},
	{"PERF_LEGACY_CTR", RANGE(PERF_LEGACY_CTR0, AMD_LEGACY), 0, 0, 0, 0},
#define SELECTOR(a, b)                                                                                       \
	{"EN", a, b, 22, 1, 0, 0}, {"INT", a, b, 20, 1, 0, 0}, {"OS", a, b, 17, 1, 0, 0},                    \
		{"USR", a, b, 16, 1, 0, 0}, {"EDGE", a, b, 18, 1, 0, 0}, {"INV", a, b, 23, 1, 0, 0},         \
		{"CMASK", a, b, 24, 8, 0, 0}, {"UMASK", a, b, 8, 8, 0, 0}, {"EVENT", a, b, 0, 8, 0, 0},      \
		{"EVENT11_8", a, b, 32, 4, 0, 0}, {"GUEST", a, b, 40, 1, 0, 0},                              \
	{                                                                                                    \
		"HOST", a, b, 41, 1, 0, 0                                                                    \
	}
#define PAIR(n)                                                                                              \
	{"PERF_CTL" #n, ALONE(PERF_CTL0 + 2 * (n)), 0, 0, 0, 0},                                             \
	{                                                                                                    \
		"PERF_CTR" #n, ALONE(PERF_CTR0 + 2 * (n)), 0, 0, 0, 0                                        \
	}
	PAIR(0),
	PAIR(1),
	PAIR(2),
	PAIR(3),
	PAIR(4),
	PAIR(5),
	SELECTOR(PERF_LEGACY_CTL0, PERF_CTR0 + 2 * (AMD_EXTENDED - 1)),
	{"CTR", PERF_GLOBAL_STATUS, PERF_GLOBAL_STATUS_SET, 0, 1, AMD_CORE_MAX, 1},
	{"LBR_FROZEN", ALONE(PERF_GLOBAL_STATUS), 58, 1, 0, 0},
	{"PMC_FROZEN", ALONE(PERF_GLOBAL_STATUS), 59, 1, 0, 0},
	{"IBS_FETCH_CTL", ALONE(IBS_FETCH_CTL), 0, 0, 0, 0},
	{"MAX", ALONE(IBS_FETCH_CTL), 0, 16, 0, 0},
	{"COUNT", ALONE(IBS_FETCH_CTL), 16, 16, 0, 0},
	{"LATENCY", ALONE(IBS_FETCH_CTL), 32, 16, 0, 0},
	{"EN", ALONE(IBS_FETCH_CTL), 48, 1, 0, 0},
	{"VAL", ALONE(IBS_FETCH_CTL), 49, 1, 0, 0},
	{"COMPLETE", ALONE(IBS_FETCH_CTL), 50, 1, 0, 0},
	{"IC_MISS", ALONE(IBS_FETCH_CTL), 51, 1, 0, 0},
	{"PHYS_VALID", ALONE(IBS_FETCH_CTL), 52, 1, 0, 0},
	{"PAGE_SIZE", ALONE(IBS_FETCH_CTL), 53, 2, 0, 0},
	{"L1TLB_MISS", ALONE(IBS_FETCH_CTL), 55, 1, 0, 0},
	{"L2TLB_MISS", ALONE(IBS_FETCH_CTL), 56, 1, 0, 0},
	{"RANDOM", ALONE(IBS_FETCH_CTL), 57, 1, 0, 0},
	{"L2_MISS", ALONE(IBS_FETCH_CTL), 58, 1, 0, 0},
	{"L3_MISS_ONLY", ALONE(IBS_FETCH_CTL), 59, 1, 0, 0},
	{"OC_MISS", ALONE(IBS_FETCH_CTL), 60, 1, 0, 0},
	{"L3_MISS", ALONE(IBS_FETCH_CTL), 61, 1, 0, 0},
	{"IBS_FETCH_LINAD", ALONE(IBS_FETCH_LINAD), 0, 0, 0, 0},
	{"IBS_FETCH_PHYSAD", ALONE(IBS_FETCH_PHYS), 0, 0, 0, 0},
	{"IBS_FETCH_EXTD", ALONE(IBS_FETCH_EXTD), 0, 0, 0, 0},
	{"REFILL_LATENCY", ALONE(IBS_FETCH_EXTD), 0, 16, 0, 0},
	{"IBS_OP_CTL", ALONE(IBS_OP_CTL), 0, 0, 0, 0},
	{"MAX", ALONE(IBS_OP_CTL), 0, 16, 0, 0},
	{"L3_MISS_ONLY", ALONE(IBS_OP_CTL), 16, 1, 0, 0},
	{"EN", ALONE(IBS_OP_CTL), 17, 1, 0, 0},
	{"VAL", ALONE(IBS_OP_CTL), 18, 1, 0, 0},
	{"COUNT_OPS", ALONE(IBS_OP_CTL), 19, 1, 0, 0},
	{"MAX26_20", ALONE(IBS_OP_CTL), 20, 7, 0, 0},
	{"COUNT", ALONE(IBS_OP_CTL), 32, 27, 0, 0},
	{"LATENCY_MIN", ALONE(IBS_OP_CTL), 59, 4, 0, 0},
	{"LATENCY_EN", ALONE(IBS_OP_CTL), 63, 1, 0, 0},
	{"IBS_OP_RIP", ALONE(IBS_OP_RIP), 0, 0, 0, 0},
	{"IBS_OP_DATA", ALONE(IBS_OP_DATA), 0, 0, 0, 0},
	{"COMPLETE_TO_RETIRE", ALONE(IBS_OP_DATA), 0, 16, 0, 0},
	{"TAG_TO_RETIRE", ALONE(IBS_OP_DATA), 16, 16, 0, 0},
	{"RETURN", ALONE(IBS_OP_DATA), 34, 1, 0, 0},
	{"TAKEN", ALONE(IBS_OP_DATA), 35, 1, 0, 0},
	{"MISPREDICTED", ALONE(IBS_OP_DATA), 36, 1, 0, 0},
	{"BRANCH", ALONE(IBS_OP_DATA), 37, 1, 0, 0},
	{"RIP_INVALID", ALONE(IBS_OP_DATA), 38, 1, 0, 0},
	{"FUSED", ALONE(IBS_OP_DATA), 39, 1, 0, 0},
	{"MICROCODE", ALONE(IBS_OP_DATA), 40, 1, 0, 0},
	{"IBS_OP_DATA2", ALONE(IBS_OP_DATA2), 0, 0, 0, 0},
	{"SOURCE", ALONE(IBS_OP_DATA2), 0, 3, 0, 0},
	{"REMOTE", ALONE(IBS_OP_DATA2), 4, 1, 0, 0},
	{"HIT_OWNED", ALONE(IBS_OP_DATA2), 5, 1, 0, 0},
	{"SOURCE4_3", ALONE(IBS_OP_DATA2), 6, 2, 0, 0},
	{"STREAMING", ALONE(IBS_OP_DATA2), 8, 1, 0, 0},
	{"IBS_OP_DATA3", ALONE(IBS_OP_DATA3), 0, 0, 0, 0},
	{"LOAD", ALONE(IBS_OP_DATA3), 0, 1, 0, 0},
	{"STORE", ALONE(IBS_OP_DATA3), 1, 1, 0, 0},
	{"L1TLB_MISS", ALONE(IBS_OP_DATA3), 2, 1, 0, 0},
	{"L2TLB_MISS", ALONE(IBS_OP_DATA3), 3, 1, 0, 0},
	/* Up to Zen 4 of pages that the first-level TLB has. */
	{"PAGE_2M", ALONE(IBS_OP_DATA3), 4, 1, 0, 0},
	{"PAGE_1G", ALONE(IBS_OP_DATA3), 5, 1, 0, 0},
	{"L2TLB_HIT_2M", ALONE(IBS_OP_DATA3), 6, 1, 0, 0},
	{"DC_MISS", ALONE(IBS_OP_DATA3), 7, 1, 0, 0},
	{"MISALIGNED", ALONE(IBS_OP_DATA3), 8, 1, 0, 0},
	{"WC", ALONE(IBS_OP_DATA3), 13, 1, 0, 0},
	{"UC", ALONE(IBS_OP_DATA3), 14, 1, 0, 0},
	{"LOCKED", ALONE(IBS_OP_DATA3), 15, 1, 0, 0},
	{"NO_MAB", ALONE(IBS_OP_DATA3), 16, 1, 0, 0},
	{"LIN_VALID", ALONE(IBS_OP_DATA3), 17, 1, 0, 0},
	{"PHYS_VALID", ALONE(IBS_OP_DATA3), 18, 1, 0, 0},
	{"L2TLB_HIT_1G", ALONE(IBS_OP_DATA3), 19, 1, 0, 0},
	{"L2_MISS", ALONE(IBS_OP_DATA3), 20, 1, 0, 0},
	{"SW_PREFETCH", ALONE(IBS_OP_DATA3), 21, 1, 0, 0},
	{"WIDTH", ALONE(IBS_OP_DATA3), 22, 4, 0, 0},
	{"OPEN_REQUESTS", ALONE(IBS_OP_DATA3), 26, 6, 0, 0},
	{"MISS_LATENCY", ALONE(IBS_OP_DATA3), 32, 16, 0, 0},
	{"REFILL_LATENCY", ALONE(IBS_OP_DATA3), 48, 16, 0, 0},
	{"IBS_DC_LINAD", ALONE(IBS_DC_LINAD), 0, 0, 0, 0},
	{"IBS_DC_PHYSAD", ALONE(IBS_DC_PHYS), 0, 0, 0, 0},
	{"IBS_BRTARGET", ALONE(IBS_BRTARGET), 0, 0, 0, 0},
	{"IBS_OP_DATA4", ALONE(IBS_OP_DATA4), 0, 0, 0, 0},
	{"LOAD_RESYNC", ALONE(IBS_OP_DATA4), 0, 1, 0, 0},
	{"IBS_OP_CTL2", ALONE(IBS_OP_CTL2), 0, 0, 0, 0},
	{"DISABLE", ALONE(IBS_OP_CTL2), 0, 1, 0, 0},
	{"NOT_LOW", ALONE(IBS_OP_CTL2), 1, 1, 0, 0},
	{"NOT_HIGH", ALONE(IBS_OP_CTL2), 2, 1, 0, 0},
	{"STREAMING_ONLY", ALONE(IBS_OP_CTL2), 3, 1, 0, 0},
	{"IBS_FETCH_CTL2", ALONE(IBS_FETCH_CTL2), 0, 0, 0, 0},
	{"DISABLE", ALONE(IBS_FETCH_CTL2), 0, 1, 0, 0},
	{"LATENCY_MIN", ALONE(IBS_FETCH_CTL2), 1, 4, 0, 0},
	{"NOT_HIGH", ALONE(IBS_FETCH_CTL2), 5, 1, 0, 0},
	{"NOT_LOW", ALONE(IBS_FETCH_CTL2), 6, 1, 0, 0},
	{"IBS_CTL", ALONE(IBS_CTL), 0, 0, 0, 0},
	{"LVT_OFFSET", ALONE(IBS_CTL), 0, 4, 0, 0},
	{"LVT_VALID", ALONE(IBS_CTL), 8, 1, 0, 0},
	{"LBR_SELECT", ALONE(LBR_SELECT), 0, 0, 0, 0},
	{"NO_CPL0", ALONE(LBR_SELECT), 0, 1, 0, 0},
	{"NO_CPL3", ALONE(LBR_SELECT), 1, 1, 0, 0},
	{"NO_JCC", ALONE(LBR_SELECT), 2, 1, 0, 0},
	{"NO_CALL", ALONE(LBR_SELECT), 3, 1, 0, 0},
	{"NO_CALL_INDIRECT", ALONE(LBR_SELECT), 4, 1, 0, 0},
	{"NO_RETURN", ALONE(LBR_SELECT), 5, 1, 0, 0},
	{"NO_JUMP_INDIRECT", ALONE(LBR_SELECT), 6, 1, 0, 0},
	{"NO_JUMP", ALONE(LBR_SELECT), 7, 1, 0, 0},
	{"NO_FAR", ALONE(LBR_SELECT), 8, 1, 0, 0},
	{"DBG_EXTN_CFG", ALONE(DBG_EXTN_CFG), 0, 0, 0, 0},
	{"BRS", ALONE(DBG_EXTN_CFG), 2, 1, 0, 0},
	{"ONES", ALONE(DBG_EXTN_CFG), 3, 2, 0, 0},
	{"BRS_VALID", ALONE(DBG_EXTN_CFG), 5, 1, 0, 0},
	{"LBR", ALONE(DBG_EXTN_CFG), 6, 1, 0, 0},
	{"BRS_NEXT", ALONE(DBG_EXTN_CFG), 16, 4, 0, 0},
	{"BRS_PMC", ALONE(DBG_EXTN_CFG), 24, 3, 0, 0},
	{"MPERF", ALONE(MPERF), 0, 0, 0, 0},
	{"APERF", ALONE(APERF), 0, 0, 0, 0},
	{"IRPERF", ALONE(IRPERF), 0, 0, 0, 0},
	{NULL, 0, 0, 0, 0, 0, 0},
};
