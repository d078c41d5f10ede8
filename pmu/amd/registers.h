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

/* Events that can grow by more than 15 in a cycle count in the even one of two counters; the odd one behind
 * it has the merge event and holds bits 63:48. PPR of family 17H, large increments. */
#define EVENT_LARGE 0x003 /* from Zen on: floating-point operations */
#define EVENT_MERGE 0xfff
#define CTL_MERGE   (0xffull | 0xfull << 32)
#define LARGE_MOST  15     /* in a cycle without a merge */
#define MERGE_TOP   0xffff /* of the odd counter */

/* PMCx1CF, unit mask 01H: operations that IBS tags. */
#define EVENT_TAGGED 0x1cf
#define TAGGED_OPS   0x100

/* --- CTL_HOST and CTL_GUEST look at it; CPUID 8000_0001H:ECX[2] --- */
#define EFER      0xc0000080
#define EFER_SVME (1ull << 12)

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

#define DEBUGCTL_LBR (1ull << 0)

/* --- the last branch, K7 and later: DebugCtl[0]; read-only --- */
#define LAST_BRANCH_FROM    0x1db
#define LAST_BRANCH_TO      0x1dc
#define LAST_EXCEPTION_FROM 0x1dd
#define LAST_EXCEPTION_TO   0x1de

/* --- LBR version 2, CPUID 8000_0022H:EAX[1], and branch sampling (BRS) of Zen 3, 8000_0008H:EBX[31] --- */
#define LBR_SELECT              0xc000010e
#define DBG_EXTN_CFG            0xc000010f
#define BRANCH_FROM0            0xc0010300 /* + 2n */
#define BRANCH_TO0              0xc0010301 /* + 2n */
#define BRANCHES_MAX            64         /* EBX[9:4] */
#define BRS_DEPTH               16
#define DBG_EXTN_BRS            (1ull << 2)
#define DBG_EXTN_ONES           (3ull << 3) /* of BRS: must be 11b */
#define DBG_EXTN_BRS_VALID      (1ull << 5)
#define DBG_EXTN_LBR            (1ull << 6)
#define DBG_EXTN_BRS_NEXT_SHIFT 16
#define DBG_EXTN_BRS_NEXT       (15ull << DBG_EXTN_BRS_NEXT_SHIFT)
#define DBG_EXTN_BRS_PMC_SHIFT  24
#define DBG_EXTN_BRS_PMC        (7ull << DBG_EXTN_BRS_PMC_SHIFT)
#define BRANCH_ADDRESS_BITS     57 /* APM figures 13-7 and 13-8; Linux 6.12 has 58 */
#define BRANCH_ADDRESS          ((1ull << BRANCH_ADDRESS_BITS) - 1)
#define BRANCH_MISPREDICTED     (1ull << 63) /* of FROM */
#define BRANCH_VALID            (1ull << 63) /* of TO */
#define BRANCH_SPECULATIVE      (1ull << 62)
#define BRANCH_BOGUS            (1ull << 61) /* erratum 1452 */
/* LBR_SELECT: a 1 leaves that kind out. */
#define LBR_SELECT_CPL0          (1u << 0)
#define LBR_SELECT_CPL3          (1u << 1)
#define LBR_SELECT_JCC           (1u << 2)
#define LBR_SELECT_CALL          (1u << 3)
#define LBR_SELECT_CALL_INDIRECT (1u << 4)
#define LBR_SELECT_RETURN        (1u << 5)
#define LBR_SELECT_JUMP_INDIRECT (1u << 6)
#define LBR_SELECT_JUMP          (1u << 7)
#define LBR_SELECT_FAR           (1u << 8)
#define LBR_SELECT_ALL           0x1ffu

/* --- instruction-based sampling, CPUID 8000_0001H:ECX[10]: APM 13.3; fields in ibs.h --- */
#define IBS_FETCH_CTL   0xc0011030
#define IBS_FETCH_LINAD 0xc0011031
#define IBS_FETCH_PHYS  0xc0011032
#define IBS_OP_CTL      0xc0011033
#define IBS_OP_RIP      0xc0011034
#define IBS_OP_DATA     0xc0011035
#define IBS_OP_DATA2    0xc0011036
#define IBS_OP_DATA3    0xc0011037
#define IBS_DC_LINAD    0xc0011038
#define IBS_DC_PHYS     0xc0011039
#define IBS_CTL         0xc001103a
#define IBS_BRTARGET    0xc001103b
#define IBS_FETCH_EXTD  0xc001103c
#define IBS_OP_DATA4    0xc001103d
#define IBS_OP_CTL2     0xc001103e
#define IBS_FETCH_CTL2  0xc001103f

/* --- counters outside of the core, shared by several: northbridge (8000_0001H:ECX[24]), from Zen on the data
 * fabric's, of which PerfMonV2 tells how many (8000_0022H:EBX[15:10]); L2I of family 16H and L3 from Zen on
 * (ECX[28]). Select and counter of one number lie side by side --- */
#define PERF_LLC_CTL0 0xc0010230 /* + 2n */
#define PERF_NB_CTL0  0xc0010240 /* + 2n */
#define AMD_L2I       4
#define AMD_L3        6
#define AMD_NB        4
#define AMD_NB_MAX    16 /* up to C001025FH */

/* --- RDPMC, index in ECX: the core's from 0, the northbridge's first four from 6, L2I's or L3's from 10, the
 * data fabric's others from 16. APM vol. 3, RDPMC; Linux 6.12, events/amd/uncore.c --- */
#define RDPMC_NB   6
#define RDPMC_LLC  10
#define RDPMC_MORE 16

/* --- free-running counters -------------------------------------------------------------------------- */
#define MPERF       0xe7 /* CPUID 6:ECX[0] */
#define APERF       0xe8
#define IRPERF      0xc00000e9 /* CPUID 8000_0008H:EBX[1] */
#define HWCR        0xc0010015
#define HWCR_LOCK   (1ull << 27) /* EffFreqReadOnlyLock: IRPERF is read-only; firmware sets it, for good */
#define HWCR_IRPERF (1ull << 30)

#endif
