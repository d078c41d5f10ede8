/*
 * Event strings and register fields of Intel's family 6. Selector layout: SDM 18.2.1.1, figure 18-1; version
 * 3's AnyThread: 18.2.3.
 */
#include "pmu/events/grammar.h"
#include "pmu/events/fields.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/events/offcore.h"
#include "pmu/intel/registers.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define IN(f)   offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)
#define CMASKED "of the events of one cycle at least this many make one count"

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 0, 8, 0, "event select"},
	{NULL, "umask", IN(code), 8, 8, 8, "unit mask"},
	{NULL, "umask", IN(code), EVTSEL_UMASK2_SHIFT, 8, EVTSEL_UMASK2_SHIFT,
	 "bits 15:8 of it, from version 6 on"},
	{"u", NULL, IN(levels), 1, 1, 16, "count in rings 1 to 3"},
	{"k", NULL, IN(levels), 0, 1, 17, "count in ring 0"},
	{"e", "edge", IN(edge), 0, 1, 18, "count how often the condition begins"},
	{"t", "any", IN(any_thread), 0, 1, 21, "count for all threads of the core"},
	{"i", "inv", IN(invert), 0, 1, 23, "count cycles with fewer events than c"},
	{"c", "cmask", IN(cmask), 0, 8, 24, CMASKED},
	{NULL, NULL, 0, 0, 0, 0, -1, NULL},
};

/* libpfm4's names of the architectural events (ix86arch), and perf's. */
static const struct event_alias aliases[] = {
	{"UNHALTED_CORE_CYCLES", "CPU_CLK_UNHALTED.THREAD_P"},
	{"INSTRUCTION_RETIRED", "INST_RETIRED.ANY_P"},
	{"UNHALTED_REFERENCE_CYCLES", "CPU_CLK_UNHALTED.REF_P"},
	{"LLC_REFERENCES", "LONGEST_LAT_CACHE.REFERENCE"},
	{"LLC_MISSES", "LONGEST_LAT_CACHE.MISS"},
	{"BRANCH_INSTRUCTIONS_RETIRED", "BR_INST_RETIRED.ALL_BRANCHES"},
	{"MISPREDICTED_BRANCH_RETIRED", "BR_MISP_RETIRED.ALL_BRANCHES"},
	{"TOPDOWN_SLOTS", "TOPDOWN.SLOTS_P"},
	{"cycles", "CPU_CLK_UNHALTED.THREAD_P"},
	{"cpu-cycles", "CPU_CLK_UNHALTED.THREAD_P"},
	{"instructions", "INST_RETIRED.ANY_P"},
	{"ref-cycles", "CPU_CLK_UNHALTED.REF"},
	{"bus-cycles", "CPU_CLK_UNHALTED.REF_P"},
	{"cache-references", "LONGEST_LAT_CACHE.REFERENCE"},
	{"cache-misses", "LONGEST_LAT_CACHE.MISS"},
	{"branches", "BR_INST_RETIRED.ALL_BRANCHES"},
	{"branch-instructions", "BR_INST_RETIRED.ALL_BRANCHES"},
	{"branch-misses", "BR_MISP_RETIRED.ALL_BRANCHES"},
	{NULL, NULL},
};

/* As the kernel's PMU names them in its format directory. */
static const struct event_extra_field extras[] = {
	{MSR_OFFCORE_RSP_0, "offcore_rsp"},
	{MSR_OFFCORE_RSP_1, "offcore_rsp"},
	{MSR_PEBS_LD_LAT, "ldlat"},
	{MSR_PEBS_FRONTEND, "frontend"},
	{0, NULL},
};

static const struct event_alias *const more_aliases[] = {intel_core_aliases, intel_offcore_aliases, NULL};

static const char *const names[] = {"ix86arch", "cpu", "cpu_core", "cpu_atom", NULL};

/* libpfm4's names of cores that Intel's event lists call otherwise; the others are the same. */
static const struct {
	const char *core, *name;
} peers[] = {
	{"MRM", "core"},   {"BNL", "atom"},    {"NHX", "nhm_ex"},  {"WSX", "wsm_dp"},
	{"JKT", "snb_ep"}, {"IVT", "ivb_ep"},  {"HSX", "hsw_ep"},  {"BDX", "bdw_ep"},
	{"TNT", "tmt"},    {"GLC", "adl_glc"}, {"GRT", "adl_grt"},
};

static bool is_peer_name(const struct pmu *pmu, const char *name)
{
	int number = intel_found(pmu)->core;
	const char *core = number == INTEL_NO_CORE ? "" : intel_core_names[number];

	for (unsigned i = 0; i < sizeof peers / sizeof peers[0]; i++)
		if (!strcmp(peers[i].core, core))
			return !strcmp(peers[i].name, name);
	return *core && !strcasecmp(core, name);
}

const struct event_grammar intel_grammar = {
	.names = names,
	.is_peer_name = is_peer_name,
	.aliases = aliases,
	.more_aliases = more_aliases,
	.modifiers = modifiers,
	.code_is_raw = true,
	.extras = extras,
	.unit_mask = 0xff00,
	.raw_ignored = EVTSEL_PC | EVTSEL_INT | EVTSEL_EN,
};

#define SELECTORS IA32_PERFEVTSEL0, IA32_PERFEVTSEL0 + INTEL_GENERAL_MAX - 1
#define ALONE(r)  r, r

const struct register_field intel_fields[] = {
	{"IA32_PERFEVTSEL", SELECTORS, 0, 0, 0, 0},
	{"IA32_PMC", IA32_PMC0, IA32_PMC0 + INTEL_GENERAL_MAX - 1, 0, 0, 0, 0},
	{"IA32_A_PMC", IA32_A_PMC0, IA32_A_PMC0 + INTEL_GENERAL_MAX - 1, 0, 0, 0, 0},
	{"IA32_FIXED_CTR", IA32_FIXED_CTR0, IA32_FIXED_CTR0 + INTEL_FIXED_MAX - 1, 0, 0, 0, 0},
	{"IA32_FIXED_CTR_CTRL", ALONE(IA32_FIXED_CTR_CTRL), 0, 0, 0, 0},
	{"IA32_PERF_GLOBAL_STATUS", ALONE(IA32_PERF_GLOBAL_STATUS), 0, 0, 0, 0},
	{"IA32_PERF_GLOBAL_CTRL", ALONE(IA32_PERF_GLOBAL_CTRL), 0, 0, 0, 0},
	{"IA32_PERF_GLOBAL_OVF_CTRL", ALONE(IA32_PERF_GLOBAL_OVF_CTRL), 0, 0, 0, 0},
	{"IA32_DEBUGCTL", ALONE(IA32_DEBUGCTL), 0, 0, 0, 0},
	{"IA32_PEBS_ENABLE", ALONE(IA32_PEBS_ENABLE), 0, 0, 0, 0},
	{"EN", SELECTORS, 22, 1, 0, 0},
	{"INT", SELECTORS, 20, 1, 0, 0},
	{"PC", SELECTORS, 19, 1, 0, 0},
	{"OS", SELECTORS, 17, 1, 0, 0},
	{"USR", SELECTORS, 16, 1, 0, 0},
	{"E", SELECTORS, 18, 1, 0, 0},
	{"ANY", SELECTORS, 21, 1, 0, 0},
	{"INV", SELECTORS, 23, 1, 0, 0},
	{"ADAPTIVE", SELECTORS, 34, 1, 0, 0},
	{"LBR_LOG", SELECTORS, 35, 1, 0, 0},
	{"EQ", SELECTORS, 36, 1, 0, 0},
	{"RDPMC_USER", SELECTORS, 37, 1, 0, 0},
	{"CMASK", SELECTORS, EVTSEL_CMASK_SHIFT, 8, 0, 0},
	{"UMASK2", SELECTORS, EVTSEL_UMASK2_SHIFT, 8, 0, 0},
	{"UMASK", SELECTORS, 8, 8, 0, 0},
	{"EVENT", SELECTORS, 0, 8, 0, 0},
	{"EN_OS", ALONE(IA32_FIXED_CTR_CTRL), 0, 1, 16, 4},
	{"EN_USR", ALONE(IA32_FIXED_CTR_CTRL), 1, 1, 16, 4},
	{"ANY", ALONE(IA32_FIXED_CTR_CTRL), 2, 1, 16, 4},
	{"PMI", ALONE(IA32_FIXED_CTR_CTRL), 3, 1, 16, 4},
	{"PMC", ALONE(IA32_PERF_GLOBAL_CTRL), 0, 1, 32, 1},
	{"FIXED_CTR", ALONE(IA32_PERF_GLOBAL_CTRL), GLOBAL_FIXED_SHIFT, 1, 16, 1},
	{"METRICS", ALONE(IA32_PERF_GLOBAL_CTRL), 48, 1, 0, 0},
	{"PMC", ALONE(IA32_PERF_GLOBAL_STATUS), 0, 1, 32, 1},
	{"FIXED_CTR", ALONE(IA32_PERF_GLOBAL_STATUS), GLOBAL_FIXED_SHIFT, 1, 16, 1},
	{"METRICS", ALONE(IA32_PERF_GLOBAL_STATUS), 48, 1, 0, 0},
	{"PEBS", ALONE(IA32_PERF_GLOBAL_STATUS), 54, 1, 0, 0},
	{"TRACE", ALONE(IA32_PERF_GLOBAL_STATUS), 55, 1, 0, 0},
	{"LBR_FRZ", ALONE(IA32_PERF_GLOBAL_STATUS), 58, 1, 0, 0},
	{"CTR_FRZ", ALONE(IA32_PERF_GLOBAL_STATUS), 59, 1, 0, 0},
	{"ASCI", ALONE(IA32_PERF_GLOBAL_STATUS), 60, 1, 0, 0},
	{"OVF_UNCORE", ALONE(IA32_PERF_GLOBAL_STATUS), 61, 1, 0, 0},
	{"OVF_BUF", ALONE(IA32_PERF_GLOBAL_STATUS), 62, 1, 0, 0},
	{"COND_CHGD", ALONE(IA32_PERF_GLOBAL_STATUS), 63, 1, 0, 0},
	{"PMC", ALONE(IA32_PERF_GLOBAL_OVF_CTRL), 0, 1, 32, 1},
	{"FIXED_CTR", ALONE(IA32_PERF_GLOBAL_OVF_CTRL), GLOBAL_FIXED_SHIFT, 1, 16, 1},
	{"OVF_BUF", ALONE(IA32_PERF_GLOBAL_OVF_CTRL), 62, 1, 0, 0},
	{"COND_CHGD", ALONE(IA32_PERF_GLOBAL_OVF_CTRL), 63, 1, 0, 0},
	{NULL, 0, 0, 0, 0, 0, 0},
};
