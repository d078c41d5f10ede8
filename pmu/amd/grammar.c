/*
 * Event strings and register fields of AMD's cores. Selector layout: APM vol. 2, 13.2.1.
 */
#include "pmu/grammar.h"
#include "pmu/amd/driver.h"
#include "pmu/amd/registers.h"
#include "pmu/fields.h"

#include <stddef.h>

#define IN(f)   offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)
#define CMASKED "of the events of one cycle at least this many make one count"

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 0, 8, 0, "event select"},
	{NULL, "event", IN(code), 32, 4, 32, "bits 11:8 of it"},
	{NULL, "umask", IN(code), 8, 8, 8, "unit mask"},
	{"h", NULL, IN(code), 41, 1, 41, "count outside guests only (with SVM)"},
	{"g", NULL, IN(code), 40, 1, 40, "count in guests only (with SVM)"},
	{"u", NULL, IN(ring), 1, 1, 16, "count in rings 1 to 3"},
	{"k", NULL, IN(ring), 0, 1, 17, "count in ring 0"},
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

const struct event_grammar amd_grammar = {
	.names = names,
	.aliases = aliases,
	.modifiers = modifiers,
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
	{NULL, 0, 0, 0, 0, 0, 0},
};
