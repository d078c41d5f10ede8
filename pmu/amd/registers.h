/*
 * Registers of AMD's performance monitoring, K7 to family 1AH, named as in the manuals.
 * APM: AMD64 Architecture Programmer's Manual vol. 2, 13.2 (performance monitoring counters); BKDG, PPR: the
 * families' own guides.
 */
#ifndef PMU_AMD_REGISTERS_H
#define PMU_AMD_REGISTERS_H

/* --- legacy: four counters, K7 and later; where the core extension exists, aliases of its first four --- */
#define PERF_LEGACY_CTL0 0xc0010000 /* PerfEvtSel0, + n */
#define PERF_LEGACY_CTR0 0xc0010004 /* PerfCtr0, + n */
#define AMD_LEGACY       4

/* --- core extension, CPUID 8000_0001H:ECX[23]: select and counter of one number lie side by side --- */
#define PERF_CTL0    0xc0010200 /* + 2n */
#define PERF_CTR0    0xc0010201 /* + 2n */
#define AMD_EXTENDED 6
/* Counters for which CPUID 8000_0022H:EBX[3:0] has room. */
#define AMD_CORE_MAX 15

#define CTL_EVENT       (0xffull | 0xfull << 32) /* bits 35:32 from family 10H on */
#define CTL_UMASK       0xff00ull
#define CTL_CODE        (CTL_EVENT | CTL_UMASK)
#define CTL_USR         (1ull << 16)
#define CTL_OS          (1ull << 17)
#define CTL_EDGE        (1ull << 18)
#define CTL_PC          (1ull << 19) /* pin control, up to K8 */
#define CTL_INT         (1ull << 20)
#define CTL_EN          (1ull << 22)
#define CTL_INV         (1ull << 23)
#define CTL_CMASK_SHIFT 24
#define CTL_CMASK       (0xffull << CTL_CMASK_SHIFT)
#define CTL_GUEST       (1ull << 40)
#define CTL_HOST        (1ull << 41)
#define CTL_1292                                                                                             \
	(1ull << 43) /* Zen 3: exact retire events on counter 2, revision guide 56683, erratum 1292 */

#define AMD_WIDTH 48 /* of every counter, not enumerated */

/* --- PerfMonV2, CPUID 8000_0022H:EAX[0]: APM 13.2.1 --- */
#define PERF_GLOBAL_STATUS     0xc0000300 /* read-only */
#define PERF_GLOBAL_CTL        0xc0000301
#define PERF_GLOBAL_STATUS_CLR 0xc0000302
#define PERF_GLOBAL_STATUS_SET 0xc0000303
#define STATUS_LBR_FROZEN      (1ull << 58)
#define STATUS_PMC_FROZEN      (1ull << 59)

/* --- DebugCtl; the freeze bits with CPUID 8000_0022H:EAX[2]: APM 13.1.1 --- */
#define DEBUGCTL            0x1d9
#define DEBUGCTL_BTF        (1ull << 1)
#define DEBUGCTL_FREEZE_LBR (1ull << 11)
#define DEBUGCTL_FREEZE_PMC (1ull << 12)

/* --- free-running counters -------------------------------------------------------------------------- */
#define MPERF       0xe7 /* CPUID 6:ECX[0] */
#define APERF       0xe8
#define IRPERF      0xe9 /* CPUID 8000_0008H:EBX[1] */
#define HWCR        0xc0010015
#define HWCR_IRPERF (1ull << 30)

#endif
