/* Intel's cores, as the tool coverage looks at them. */
#include "pmu/contract/coverage.h"
#include "pmu/intel/coverage/unjudged.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/events.h"

#include <stddef.h>
#include <string.h>

/* Each has what the one before has. */
#define PRESCOTT    "SSE3 SEP MONITOR"
#define MEROM       PRESCOTT " SSSE3 CX16 LAHF_LM"
#define NEHALEM     MEROM " SSE41 SSE42 POPCNT RDTSCP"
#define WESTMERE    NEHALEM " AES PCLMUL"
#define SANDYBRIDGE WESTMERE " XSAVE AVX"
#define IVYBRIDGE   SANDYBRIDGE " F16C RDRAND"
#define HASWELL     IVYBRIDGE " AVX2 FMA BMI1 BMI2 LZCNT MOVBE"
#define BROADWELL   HASWELL " ADX PREFETCHW"
#define SKYLAKE     BROADWELL " CLFLUSHOPT"
#define SKYLAKE_SP  SKYLAKE " AVX512F AVX512VL CLWB"
#define ICELAKE     SKYLAKE_SP " SHA"
#define GOLDENCOVE  SKYLAKE " SHA CLWB SERIALIZE" /* AVX-512 is disabled in clients */
#define SAPPHIRE    ICELAKE " SERIALIZE"

#define BONNELL    MEROM " MOVBE"
#define SILVERMONT WESTMERE " MOVBE PREFETCHW RDRAND"
#define KNIGHTS    HASWELL " ADX PREFETCHW AVX512F"
#define GOLDMONT   SILVERMONT " XSAVE SHA CLFLUSHOPT"
#define TREMONT    GOLDMONT " CLWB"
#define GRACEMONT  GOLDENCOVE

/* Of the cores that have all of TSX's events, in some of whose parts it is disabled: only those can count
 * them. */
static const struct {
	const char *cores; /* of cores.csv, by their short names */
	const char *needs;
} needs[] = {
	{"YON", PRESCOTT},
	{"MRM", MEROM},
	{"NHM NHX", NEHALEM},
	{"WSM WSS WSX", WESTMERE},
	{"SNB JKT", SANDYBRIDGE},
	{"IVB IVT", IVYBRIDGE},
	{"HSW HSX", HASWELL " RTM"},
	{"BDW BDE BDX", BROADWELL " RTM"},
	{"SKL", SKYLAKE " RTM"},
	{"SKX CLX", SKYLAKE_SP " RTM"},
	{"ICL RKL", ICELAKE},
	{"ICX", ICELAKE " RTM"},
	{"TGL", ICELAKE},
	{"GLC RWC LNC LNA CGC CYC", GOLDENCOVE},
	{"SPR EMR GNR", SAPPHIRE " RTM"},
	{"BNL", BONNELL},
	{"SLM", SILVERMONT},
	{"KNL", KNIGHTS},
	{"GLM GLP", GOLDMONT},
	{"TNT SNR", TREMONT},
	{"GRT CMT CMA SRF GRR SKT SKA DMT CWF ARW", GRACEMONT},
};

static const char *needs_of(const char *core)
{
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		if (strstr(needs[i].cores, core))
			return needs[i].needs;
	return "";
}

static const struct pmu_event *architectural(unsigned i)
{
	return i < intel_arch_event_count ? &intel_arch_events[i].event : NULL;
}

static const struct pmu_event *of_fixed(unsigned index)
{
	for (unsigned i = 0; i < intel_arch_event_count; i++)
		if (intel_arch_events[i].event.fixed == (int)index)
			return &intel_arch_events[i].event;
	return NULL;
}

static unsigned group(const struct pmu_event *row)
{
	return (row->flags & EVENT_BY_NAME) != 0;
}

static bool part(unsigned core, struct coverage_part *out)
{
	static struct pmu_event row[INTEL_CORE_EVENTS_MAX];
	static char offcore_names[INTEL_OFFCORE_POOL];
	unsigned rest = 0;

	if (core >= intel_core_count)
		return false;
	*out = (struct coverage_part){
		.title = core_titles[core], .needs = needs_of(intel_core_names[core]), .row = row};
	out->n = intel_unpack((int)core, offcore_names, row, INTEL_CORE_EVENTS_MAX);
	for (const struct unjudged *u = unjudged; u->core >= 0; u++) {
		if (u->core != (int)core || u->reason == UNJUDGED_ALIAS)
			continue;
		out->rest[rest++] = (struct coverage_rest){
			.row = u->reason == UNJUDGED_OFFCORE ? NULL : of_fixed(u->reason - UNJUDGED_FIXED0),
			.why = "offcore response without a request",
			.count = u->count};
	}
	return true;
}

const struct pmu_coverage intel_family_coverage = {
	.groups = {"Intel, core", "Intel, offcore responses"},
	.group = group,
	.identities = intel_identities,
	.besides = architectural,
	.part = part,
};
