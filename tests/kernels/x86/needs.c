#include "tests/kernels/x86/needs.h"

#include <stddef.h>

/* XCR0 state components, SDM vol. 1, 13.1. */
#define X87 0x1
#define SSE 0x2
#define YMM (SSE | 0x4)
#define ZMM (YMM | 0xe0)

#define NEED(id, xcr0)                                                                                       \
	{                                                                                                    \
		KERNEL_NEEDS_##id, #id, "the CPU lacks " #id, CPU_##id, xcr0                                 \
	}

const struct kernel_need kernel_needs[] = {
	NEED(SSE3, 0),      NEED(SSSE3, 0),      NEED(SSE41, 0),
	NEED(SSE42, 0),     NEED(POPCNT, 0),     NEED(LZCNT, 0),
	NEED(MOVBE, 0),     NEED(CX16, 0),       NEED(LAHF_LM, 0),
	NEED(AES, 0),       NEED(PCLMUL, 0),     NEED(SHA, 0),
	NEED(BMI1, 0),      NEED(BMI2, 0),       NEED(ADX, 0),
	NEED(AVX, YMM),     NEED(F16C, YMM),     NEED(FMA, YMM),
	NEED(AVX2, YMM),    NEED(AVX512F, ZMM),  NEED(AVX512VL, ZMM),
	NEED(PREFETCHW, 0), NEED(CLFLUSHOPT, 0), NEED(CLWB, 0),
	NEED(RDTSCP, 0),    NEED(SERIALIZE, 0),  NEED(SEP, 0),
	NEED(RDRAND, 0),    NEED(XSAVE, X87),    NEED(RTM, 0),
	NEED(MONITOR, 0),   NEED(SVM, 0),        {0},
};

const struct kernel_need *kernel_missing(uint64_t needs, bool (*has)(enum cpu_feature feature), uint64_t xcr0)
{
	for (const struct kernel_need *n = kernel_needs; n->bit; n++)
		if ((needs & n->bit) && (!has(n->feature) || (xcr0 & n->xcr0) != n->xcr0))
			return n;
	return NULL;
}
