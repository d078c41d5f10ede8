/*
 * Registers of Intel's architectural performance monitoring, named as in the SDM.
 * Section numbers are those of SDM vol. 3, June 2016 (325384-059); layouts in 18.2, addresses in chapter 35.
 */
#ifndef PMU_INTEL_REGISTERS_H
#define PMU_INTEL_REGISTERS_H

/* --- version 1: SDM 18.2.1 -------------------------------------------------------------------------- */
#define IA32_PMC0        0x0c1 /* + n */
#define IA32_PERFEVTSEL0 0x186 /* + n */

#define EVTSEL_CODE        0xffffull /* event select and unit mask */
#define EVTSEL_USR         (1ull << 16)
#define EVTSEL_OS          (1ull << 17)
#define EVTSEL_E           (1ull << 18)
#define EVTSEL_PC          (1ull << 19)
#define EVTSEL_INT         (1ull << 20)
#define EVTSEL_ANY         (1ull << 21) /* version 3, SDM 18.2.3; gone where CPUID.0AH:EDX[15] = 1 */
#define EVTSEL_EN          (1ull << 22)
#define EVTSEL_INV         (1ull << 23)
#define EVTSEL_CMASK_SHIFT 24
#define EVTSEL_CMASK       (0xffull << EVTSEL_CMASK_SHIFT)
#define EVTSEL_ADAPTIVE    (1ull << 34) /* the counter's PEBS record is as IA32_PEBS_DATA_CFG says */
#define EVTSEL_LBR_LOG     (1ull << 35) /* last-branch records log its counts: CPUID.1CH:ECX[19:16] */
/* Version 6: SDM of 2024, 20.2.6. */
#define EVTSEL_EQ (1ull << 36)
/* CPUID.23H.0:EBX[2]: RDPMC outside of ring 0 reads 0. Linux, commit 59af95e028d4, after chapter 15 of the
 * Instruction Set Extensions reference. */
#define EVTSEL_RDPMC_USER   (1ull << 37)
#define EVTSEL_UMASK2_SHIFT 40
#define EVTSEL_UMASK2       (0xffull << EVTSEL_UMASK2_SHIFT)

/* --- full-width writes, IA32_PERF_CAPABILITIES[13]: SDM 18.2.5 --- */
#define IA32_A_PMC0 0x4c1 /* + n */

/* --- version 2: SDM 18.2.2 -------------------------------------------------------------------------- */
#define IA32_FIXED_CTR0           0x309 /* + n */
#define IA32_FIXED_CTR_CTRL       0x38d
#define IA32_PERF_GLOBAL_STATUS   0x38e
#define IA32_PERF_GLOBAL_CTRL     0x38f
#define IA32_PERF_GLOBAL_OVF_CTRL 0x390 /* version 4: IA32_PERF_GLOBAL_STATUS_RESET */

/* Four bits per fixed counter n, at 4n. */
#define FIXED_OS               1ull
#define FIXED_USR              2ull
#define FIXED_ANY              4ull /* version 3 */
#define FIXED_PMI              8ull
#define FIXED_FIELD            15ull
#define FIXED_ADAPTIVE_SHIFT   32 /* bit 32 + 4n: as EVTSEL_ADAPTIVE */
#define FIXED_RDPMC_USER_SHIFT 33 /* bit 33 + 4n: as EVTSEL_RDPMC_USER */

/* Bit of fixed counter n in the global registers: 32 + n. General counter n: bit n. */
#define GLOBAL_FIXED_SHIFT 32

#define STATUS_PEBS       (1ull << 54) /* architectural PEBS has reached its threshold */
#define STATUS_TRACE_TOPA (1ull << 55)
#define STATUS_LBR_FRZ    (1ull << 58) /* version 4, SDM 18.2.4 */
#define STATUS_CTR_FRZ    (1ull << 59) /* version 4 */
#define STATUS_ASCI       (1ull << 60) /* version 4 */
#define STATUS_OVF_UNCORE (1ull << 61) /* version 3 */
#define STATUS_OVF_BUF    (1ull << 62)
#define STATUS_COND_CHGD  (1ull << 63)

/* --- version 4: SDM 18.2.4 -------------------------------------------------------------------------- */
#define IA32_PERF_GLOBAL_STATUS_SET 0x391
#define IA32_PERF_GLOBAL_INUSE      0x392
#define INUSE_PMI                   (1ull << 63) /* figure 18-13 */

/* --- version 6: later editions ---------------------------------------------------------------------- */
#define IA32_PMC_GP0_CTR   0x1900        /* + 4n: full width */
#define IA32_PMC_GP0_CFG_A 0x1901        /* + 4n: IA32_PERFEVTSELn */
#define IA32_PMC_GP0_CFG_B 0x1902        /* + 4n: counters whose overflow reloads it */
#define IA32_PMC_GP0_CFG_C 0x1903        /* + 4n: with this value */
#define IA32_PMC_FX0_CTR   0x1980        /* + 4n, likewise; no CFG_A */
#define CFG_C_RELOAD       0xffffffffull /* the bits above are loaded as ones */

/* --- topdown: IA32_PERF_CAPABILITIES[15] ------------------------------------------------------------- */
#define MSR_PERF_METRICS    0x329
#define CAP_METRICS         (1ull << 15)
#define CAP_METRICS_CLEAR   (1ull << 19) /* RDPMC can clear them */
#define GLOBAL_METRICS      (1ull << 48)
#define FIXED_SLOTS         3            /* fixed counter that goes with them */
#define FIXED_METRICS_CLEAR (1ull << 14) /* of IA32_FIXED_CTR_CTRL */
/* Fixed counters of the Atom line's later parts, in place of the metrics. */
#define FIXED_BAD_SPECULATION 4
#define FIXED_FRONTEND        5
#define FIXED_RETIRING        6
#define RDPMC_METRICS         0x20000000u

/* --- SDM 18.2, 17.4.1, 18.4.4, 35 ------------------------------------------------------------------- */
#define IA32_PERF_CAPABILITIES 0x345 /* with CPUID.1:ECX[15] (PDCM) */
#define CAP_LBR_FORMAT         0x3full
#define CAP_PEBS_TRAP          (1ull << 6)
#define CAP_PEBS_REGISTERS     (1ull << 7)
#define CAP_PEBS_FORMAT        (0xfull << 8)
#define CAP_FREEZE_SMM         (1ull << 12)
#define CAP_FULL_WIDTH         (1ull << 13)
#define CAP_PEBS_BASELINE      (1ull << 14)

#define MSR_SMI_COUNT 0x34 /* Nehalem and later: bits 31:0, read only */

#define IA32_MISC_ENABLE               0x1a0
#define MISC_ENABLE_PERFMON            (1ull << 7)  /* read only: performance monitoring is there */
#define MISC_ENABLE_NO_BTS             (1ull << 11) /* read only */
#define MISC_ENABLE_NO_PEBS            (1ull << 12) /* read only */
#define IA32_DS_AREA                   0x600
#define IA32_PEBS_ENABLE               0x3f1
#define IA32_PEBS_DATA_CFG             0x3f2
#define IA32_PEBS_BASE                 0x3f4 /* architectural PEBS: apebs.h */
#define IA32_PEBS_INDEX                0x3f5
#define IA32_DEBUGCTL                  0x1d9
#define DEBUGCTL_LBR                   (1ull << 0)
#define DEBUGCTL_BTF                   (1ull << 1)
#define DEBUGCTL_TRACE                 0x7c0ull /* TR, BTS, BTINT, BTS_OFF_OS, BTS_OFF_USR: bits 6 to 10 */
#define DEBUGCTL_TR                    (1ull << 6)
#define DEBUGCTL_BTS                   (1ull << 7)
#define DEBUGCTL_BTINT                 (1ull << 8)
#define DEBUGCTL_BTS_OFF_OS            (1ull << 9)
#define DEBUGCTL_BTS_OFF_USR           (1ull << 10)
#define DEBUGCTL_FREEZE_LBRS_ON_PMI    (1ull << 11)
#define DEBUGCTL_FREEZE_PERFMON_ON_PMI (1ull << 12)
#define DEBUGCTL_UNCORE_PMI            (1ull << 13)
#define DEBUGCTL_FREEZE_WHILE_SMM      (1ull << 14)
#define DEBUGCTL_RTM                   (1ull << 15) /* debugging of transactions */

/* --- the core's clock and power: SDM vol. 3, 15.2 and 15.8 ------------------------------------------- */
#define IA32_MPERF            0xe7
#define IA32_APERF            0xe8
#define IA32_CLOCK_MODULATION 0x19a
#define CLOCK_HALF            0x18  /* of it: on, half of the time */
#define MSR_PPERF             0x64e /* where CPUID.6:EAX[7] */

/* --- processor trace: SDM vol. 3, 32.2.8; CPUID.7:EBX[25] -------------------------------------------- */
#define IA32_RTIT_OUTPUT_BASE      0x560
#define IA32_RTIT_OUTPUT_MASK_PTRS 0x561
#define IA32_RTIT_CTL              0x570
#define RTIT_TRACE_EN              (1ull << 0)
#define RTIT_TOPA                  (1ull << 8)
#define RTIT_BRANCH_EN             (1ull << 13)
#define RTIT_BITS                  0x2f8f /* enable, cycles, rings, CR3, ToPA, times, returns, branches */
#define IA32_RTIT_STATUS           0x571

/* --- last-branch records: SDM 17.4.8, 17.5 to 17.12; where the stack lies: lbr.h --------------------- */
#define MSR_LBR_SELECT      0x1c8
#define MSR_LASTBRANCH_TOS  0x1c9
#define MSR_LBR_INFO_0      0xdc0 /* + n, formats 5 and 7 */
#define MSR_LER_FROM_LIP    0x1dd /* read only; architectural: IA32_LER_FROM_IP, which can be written */
#define MSR_LER_TO_LIP      0x1de
#define IA32_LER_INFO       0x1e0 /* architectural alone */
#define IA32_LBR_CTL        0x14ce
#define IA32_LBR_DEPTH      0x14cf
#define IA32_LBR_0_INFO     0x1200 /* + n */
#define IA32_LBR_0_FROM_IP  0x1500 /* + n */
#define IA32_LBR_0_TO_IP    0x1600 /* + n */
#define INTEL_LBR_DEPTH_MAX 64

/* RDPMC index: SDM vol. 2, RDPMC. */
#define RDPMC_FIXED 0x40000000u /* + n */

/* General counters for which both address ranges are free: C1H+12 is MSR_FSB_FREQ (SDM 35, tables 35-2 and
 * 35-3). */
#define INTEL_GENERAL_MAX 12
/* Fixed counters for which IA32_FIXED_CTR_CTRL has fields: 64 / 4. */
#define INTEL_FIXED_MAX 16

#endif
