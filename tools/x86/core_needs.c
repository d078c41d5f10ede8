#include "tools/core_needs.h"

#include "tests/kernels/x86/needs.h"

#include <stddef.h>
#include <string.h>

#define N(need) KERNEL_NEEDS_##need

/* Each has what the one before has. */
#define PRESCOTT    (N(SSE3) | N(SEP) | N(MONITOR))
#define MEROM       (PRESCOTT | N(SSSE3) | N(CX16) | N(LAHF_LM))
#define NEHALEM     (MEROM | N(SSE41) | N(SSE42) | N(POPCNT) | N(RDTSCP))
#define WESTMERE    (NEHALEM | N(AES) | N(PCLMUL))
#define SANDYBRIDGE (WESTMERE | N(XSAVE) | N(AVX))
#define IVYBRIDGE   (SANDYBRIDGE | N(F16C) | N(RDRAND))
#define HASWELL     (IVYBRIDGE | N(AVX2) | N(FMA) | N(BMI1) | N(BMI2) | N(LZCNT) | N(MOVBE))
#define BROADWELL   (HASWELL | N(ADX) | N(PREFETCHW))
#define SKYLAKE     (BROADWELL | N(CLFLUSHOPT))
#define SKYLAKE_SP  (SKYLAKE | N(AVX512F) | N(AVX512VL) | N(CLWB))
#define ICELAKE     (SKYLAKE_SP | N(SHA))
#define GOLDENCOVE  (SKYLAKE | N(SHA) | N(CLWB) | N(SERIALIZE)) /* AVX-512 is disabled in clients */
#define SAPPHIRE    (ICELAKE | N(SERIALIZE))

#define BONNELL    (MEROM | N(MOVBE))
#define SILVERMONT (WESTMERE | N(MOVBE) | N(PREFETCHW) | N(RDRAND))
#define KNIGHTS    (HASWELL | N(ADX) | N(PREFETCHW) | N(AVX512F))
#define GOLDMONT   (SILVERMONT | N(XSAVE) | N(SHA) | N(CLFLUSHOPT))
#define TREMONT    (GOLDMONT | N(CLWB))
#define GRACEMONT  (GOLDENCOVE)

/* Of the cores that have all of TSX's events, in some of whose parts it is disabled: only those can count
 * them. */
static const struct {
	const char *cores;
	uint64_t needs;
} intel[] = {
	{"YON", PRESCOTT},
	{"MRM", MEROM},
	{"NHM NHX", NEHALEM},
	{"WSM WSS WSX", WESTMERE},
	{"SNB JKT", SANDYBRIDGE},
	{"IVB IVT", IVYBRIDGE},
	{"HSW HSX", HASWELL | N(RTM)},
	{"BDW BDE BDX", BROADWELL | N(RTM)},
	{"SKL", SKYLAKE | N(RTM)},
	{"SKX CLX", SKYLAKE_SP | N(RTM)},
	{"ICL RKL", ICELAKE},
	{"ICX", ICELAKE | N(RTM)},
	{"TGL", ICELAKE},
	{"GLC RWC LNC LNA CGC CYC", GOLDENCOVE},
	{"SPR EMR GNR", SAPPHIRE | N(RTM)},
	{"BNL", BONNELL},
	{"SLM", SILVERMONT},
	{"KNL", KNIGHTS},
	{"GLM GLP", GOLDMONT},
	{"TNT SNR", TREMONT},
	{"GRT CMT CMA SRF GRR SKT SKA DMT CWF ARW", GRACEMONT},
};

uint64_t intel_core_needs(const char *core)
{
	for (size_t i = 0; i < sizeof intel / sizeof intel[0]; i++)
		if (strstr(intel[i].cores, core))
			return intel[i].needs;
	return 0;
}

uint64_t amd_generation_needs(unsigned bit)
{
	enum { K7, K8, F10, F11, F12, F14, F15, F16, ZEN1, ZEN2, ZEN3, ZEN4, ZEN5, ALL };
	enum {
		TEN = N(SSE3) | N(MONITOR) | N(CX16) | N(LAHF_LM) | N(POPCNT) | N(LZCNT) | N(RDTSCP) |
		      N(PREFETCHW),
	};
#define BOBCAT (TEN | N(SSSE3))
#define JAGUAR                                                                                               \
	(BOBCAT | N(SSE41) | N(SSE42) | N(AES) | N(PCLMUL) | N(XSAVE) | N(AVX) | N(F16C) | N(BMI1) |         \
	 N(MOVBE) | N(SEP))
#define BULLDOZER (BOBCAT | N(SSE41) | N(SSE42) | N(AES) | N(PCLMUL) | N(XSAVE) | N(AVX))
#define ZEN       (JAGUAR | N(AVX2) | N(FMA) | N(BMI2) | N(ADX) | N(SHA) | N(CLFLUSHOPT) | N(RDRAND) | N(SVM))
	static const uint64_t needs[ALL] = {
		[K7] = 0,
		[K8] = 0,
		[F10] = TEN,
		[F11] = N(SSE3) | N(CX16) | N(LAHF_LM) | N(RDTSCP) | N(PREFETCHW),
		[F12] = TEN,
		[F14] = BOBCAT,
		[F15] = BULLDOZER,
		[F16] = JAGUAR,
		[ZEN1] = ZEN,
		[ZEN2] = ZEN | N(CLWB),
		[ZEN3] = ZEN | N(CLWB),
		[ZEN4] = ZEN | N(CLWB) | N(AVX512F) | N(AVX512VL),
		[ZEN5] = ZEN | N(CLWB) | N(AVX512F) | N(AVX512VL),
	};

	return bit < ALL ? needs[bit] : 0;
}

uint64_t netburst_needs(bool late)
{
	return late ? PRESCOTT : N(SEP);
}
