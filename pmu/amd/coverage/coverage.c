/* AMD's generations, as the tool coverage looks at them. */
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/events/events.h"
#include "pmu/contract/coverage.h"

/* Each has what the one that it begins with has. */
#define TEN       "SSE3 MONITOR CX16 LAHF_LM POPCNT LZCNT RDTSCP PREFETCHW"
#define BOBCAT    TEN " SSSE3"
#define JAGUAR    BOBCAT " SSE41 SSE42 AES PCLMUL XSAVE AVX F16C BMI1 MOVBE SEP"
#define BULLDOZER BOBCAT " SSE41 SSE42 AES PCLMUL XSAVE AVX"
#define ZEN       JAGUAR " AVX2 FMA BMI2 ADX SHA CLFLUSHOPT RDRAND SVM"
#define ZEN4      ZEN " CLWB AVX512F AVX512VL"

static const struct {
	const char *title, *needs;
} generations[] = {
	/* In the order of enum amd_generation. */
	{"AMD K7", ""},
	{"AMD K8", ""},
	{"AMD family 10H", TEN},
	{"AMD family 11H", "SSE3 CX16 LAHF_LM RDTSCP PREFETCHW"},
	{"AMD family 12H", TEN},
	{"AMD family 14H", BOBCAT},
	{"AMD family 15H", BULLDOZER},
	{"AMD family 16H", JAGUAR},
	{"AMD Zen 1", ZEN},
	{"AMD Zen 2", ZEN " CLWB"},
	{"AMD Zen 3", ZEN " CLWB"},
	{"AMD Zen 4", ZEN4},
	{"AMD Zen 5", ZEN4},
};

#define ROWS 4096

static bool part(unsigned i, struct coverage_part *out)
{
	static struct pmu_event row[ROWS];

	if (i >= sizeof generations / sizeof generations[0])
		return false;
	*out = (struct coverage_part){
		.title = generations[i].title, .needs = generations[i].needs, .row = row};
	out->n = amd_unpack(1u << i, true, row, ROWS);
	return true;
}

const struct pmu_coverage amd_family_coverage = {
	.groups = {"AMD"}, .identities = amd_identities, .part = part};
