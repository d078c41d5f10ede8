/*
 * What a kernel may need of the CPU beyond x86-64's baseline (SSE2, CMOV, MMX, x87), as bits of struct
 * kernel's .needs.
 */
#ifndef TESTS_KERNELS_X86_NEEDS_H
#define TESTS_KERNELS_X86_NEEDS_H

#define KERNEL_NEEDS_SSE3       0x0000001
#define KERNEL_NEEDS_SSSE3      0x0000002
#define KERNEL_NEEDS_SSE41      0x0000004
#define KERNEL_NEEDS_SSE42      0x0000008
#define KERNEL_NEEDS_POPCNT     0x0000010
#define KERNEL_NEEDS_LZCNT      0x0000020
#define KERNEL_NEEDS_MOVBE      0x0000040
#define KERNEL_NEEDS_CX16       0x0000080
#define KERNEL_NEEDS_LAHF_LM    0x0000100
#define KERNEL_NEEDS_AES        0x0000200
#define KERNEL_NEEDS_PCLMUL     0x0000400
#define KERNEL_NEEDS_SHA        0x0000800
#define KERNEL_NEEDS_BMI1       0x0001000
#define KERNEL_NEEDS_BMI2       0x0002000
#define KERNEL_NEEDS_ADX        0x0004000
#define KERNEL_NEEDS_AVX        0x0008000
#define KERNEL_NEEDS_F16C       0x0010000
#define KERNEL_NEEDS_FMA        0x0020000
#define KERNEL_NEEDS_AVX2       0x0040000
#define KERNEL_NEEDS_AVX512F    0x0080000
#define KERNEL_NEEDS_AVX512VL   0x0400000
#define KERNEL_NEEDS_PREFETCHW  0x0800000
#define KERNEL_NEEDS_CLFLUSHOPT 0x1000000
#define KERNEL_NEEDS_CLWB       0x2000000
#define KERNEL_NEEDS_RDTSCP     0x4000000
#define KERNEL_NEEDS_SERIALIZE  0x8000000
#define KERNEL_NEEDS_SEP        0x10000000
#define KERNEL_NEEDS_RDRAND     0x20000000
#define KERNEL_NEEDS_XSAVE      0x40000000
#define KERNEL_NEEDS_RTM        0x80000000
#define KERNEL_NEEDS_MONITOR    0x100000000
#define KERNEL_NEEDS_SVM        0x200000000

/* What the step engine does without: transactions, and arch/x86/emulated/emulated.h. */
#define KERNEL_NEEDS_EMULATED                                                                                \
	(KERNEL_NEEDS_RTM | KERNEL_NEEDS_SERIALIZE | KERNEL_NEEDS_PREFETCHW | KERNEL_NEEDS_SHA |             \
	 KERNEL_NEEDS_AVX512F | KERNEL_NEEDS_AVX512VL)

#ifndef __ASSEMBLER__

#include "arch/x86/cpu/cpuid.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_need {
	uint64_t bit; /* KERNEL_NEEDS_* */
	const char *name;
	const char *lacking;      /* "the CPU lacks AVX2" */
	enum cpu_feature feature; /* what CPUID must report */
	uint64_t xcr0;            /* state components that must be enabled in XCR0 */
};

/** One row per KERNEL_NEEDS_* bit; bit 0 ends. */
extern const struct kernel_need kernel_needs[];

/**
 * The first thing that is missing for a kernel to run here.
 * @param needs the kernel's .needs
 * @param has   tells whether the CPU has a feature: cpu_has() on the machine
 * @param xcr0  XCR0 (XGETBV with ECX = 0; SDM vol. 1, 13.3), 0 if CR4.OSXSAVE is 0
 * @return NULL if nothing is missing
 */
const struct kernel_need *kernel_missing(uint64_t needs, bool (*has)(enum cpu_feature feature),
					 uint64_t xcr0);

#endif
#endif
