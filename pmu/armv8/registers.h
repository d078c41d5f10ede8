/*
 * Registers of PMUv3 (Arm ARM, D13.4), as MRS and MSR number them: op0, op1, CRn, CRm and op2, op0 in bits
 * 15:14 (SPACE_SYSTEM), and their fields.
 */
#ifndef PMU_ARMV8_REGISTERS_H
#define PMU_ARMV8_REGISTERS_H

#define ARMV8_REGISTER(op0, op1, crn, crm, op2)                                                              \
	((unsigned)(op0) << 14 | (unsigned)(op1) << 11 | (unsigned)(crn) << 7 | (unsigned)(crm) << 3 |       \
	 (unsigned)(op2))

#define PMCR_EL0       ARMV8_REGISTER(3, 3, 9, 12, 0)
#define PMCNTENSET_EL0 ARMV8_REGISTER(3, 3, 9, 12, 1)
#define PMCNTENCLR_EL0 ARMV8_REGISTER(3, 3, 9, 12, 2)
#define PMOVSCLR_EL0   ARMV8_REGISTER(3, 3, 9, 12, 3)
#define PMSWINC_EL0    ARMV8_REGISTER(3, 3, 9, 12, 4)
#define PMSELR_EL0     ARMV8_REGISTER(3, 3, 9, 12, 5)
#define PMCEID0_EL0    ARMV8_REGISTER(3, 3, 9, 12, 6)
#define PMCEID1_EL0    ARMV8_REGISTER(3, 3, 9, 12, 7)
#define PMICNTR_EL0    ARMV8_REGISTER(3, 3, 9, 4, 0)
#define PMICFILTR_EL0  ARMV8_REGISTER(3, 3, 9, 6, 0)
#define PMCCNTR_EL0    ARMV8_REGISTER(3, 3, 9, 13, 0)
#define PMXEVTYPER_EL0 ARMV8_REGISTER(3, 3, 9, 13, 1)
#define PMXEVCNTR_EL0  ARMV8_REGISTER(3, 3, 9, 13, 2)
#define PMZR_EL0       ARMV8_REGISTER(3, 3, 9, 13, 4)
#define PMUSERENR_EL0  ARMV8_REGISTER(3, 3, 9, 14, 0)
#define PMOVSSET_EL0   ARMV8_REGISTER(3, 3, 9, 14, 3)
#define PMINTENSET_EL1 ARMV8_REGISTER(3, 0, 9, 14, 1)
#define PMINTENCLR_EL1 ARMV8_REGISTER(3, 0, 9, 14, 2)
#define PMUACR_EL1     ARMV8_REGISTER(3, 0, 9, 14, 4)
#define PMECR_EL1      ARMV8_REGISTER(3, 0, 9, 14, 5)
#define PMMIR_EL1      ARMV8_REGISTER(3, 0, 9, 14, 6)
#define PMEVCNTR_EL0   ARMV8_REGISTER(3, 3, 14, 8, 0)  /* of counter 0; those of the others follow */
#define PMEVTYPER_EL0  ARMV8_REGISTER(3, 3, 14, 12, 0) /* likewise */
#define PMCCFILTR_EL0  ARMV8_REGISTER(3, 3, 14, 15, 7)

/* Statistical profiling: what stops counters by PMCR_EL0.FZS. */
#define PMSCR_EL1     ARMV8_REGISTER(3, 0, 9, 9, 0)
#define PMBLIMITR_EL1 ARMV8_REGISTER(3, 0, 9, 10, 0)
#define PMBSR_EL1     ARMV8_REGISTER(3, 0, 9, 10, 3)
#define PMBIDR_EL1    ARMV8_REGISTER(3, 0, 9, 10, 7)

/* Snapshots (FEAT_PMUv3_SS). */
#define PMSSCR_EL1     ARMV8_REGISTER(3, 0, 9, 13, 3)
#define PMEVCNTSVR_EL1 ARMV8_REGISTER(2, 0, 14, 8, 0) /* of counter 0; those of the others follow */
#define PMCCNTSVR_EL1  ARMV8_REGISTER(2, 0, 14, 11, 7)
#define PMICNTSVR_EL1  ARMV8_REGISTER(2, 0, 14, 12, 0)

#define ID_AA64DFR0_EL1 ARMV8_REGISTER(3, 0, 0, 5, 0)
#define ID_AA64DFR1_EL1 ARMV8_REGISTER(3, 0, 0, 5, 1)
#define ID_AA64PFR0_EL1 ARMV8_REGISTER(3, 0, 0, 4, 0)
#define MIDR_EL1        ARMV8_REGISTER(3, 0, 0, 0, 0)

#define ARMV8_GENERAL      31 /* event counters at most */
#define ARMV8_CYCLES       31 /* bit of the cycle counter in masks */
#define ARMV8_INSTRUCTIONS 32 /* that of the instruction counter */

/* ID_AA64DFR0_EL1.PMUVer. */
#define DFR0_PMUVER     8 /* its lowest bit, of four */
#define PMUVER_3_0      1
#define PMUVER_3_1      4 /* event numbers of 16 bits, events from 4000H on, PMCR_EL0.LP as RES0 */
#define PMUVER_3_4      5 /* PMMIR_EL1 */
#define PMUVER_3_5      6 /* event counters of 64 bits */
#define PMUVER_3_7      7 /* counters that freeze when one overflows */
#define PMUVER_3_8      8 /* thresholds, where PMMIR_EL1.THWIDTH says so */
#define PMUVER_3_9      9
#define PMUVER_OWN_KIND 15

/* Other fields of identification registers: the lowest bits, of four each. */
#define DFR0_PMSS     16 /* snapshots */
#define DFR0_PMSVER   32 /* statistical profiling; from SPEV1P2 on it can freeze counters */
#define PMSVER_SPE1P2 3
#define DFR1_ICNTR    36 /* an instruction counter */
#define PFR0_EL2      8
#define PFR0_EL3      12

/* MDCR_EL2: what EL2 keeps of the counters. */
#define MDCR_HPMN   0x1fu      /* event counters from this one on are EL2's own: the second range */
#define MDCR_HPME   (1u << 7)  /* those count */
#define MDCR_HLP    (1u << 26) /* they overflow at 64 bits */
#define MDCR_PMSSE  30         /* lowest bit of two: captures, as PMECR_EL1.SSE, or ... */
#define PMSSE_BELOW 1          /* ... by what the level below says */
#define MDCR_HPMFZO (1u << 29) /* they stand still while one of them has overflowed */

/* PMCR_EL0. */
#define PMCR_E   (1u << 0) /* counters count */
#define PMCR_P   (1u << 1) /* writes: event counters become 0 */
#define PMCR_C   (1u << 2) /* writes: the cycle counter does */
#define PMCR_D   (1u << 3) /* the cycle counter counts each 64th cycle */
#define PMCR_X   (1u << 4)
#define PMCR_DP  (1u << 5)
#define PMCR_LC  (1u << 6)           /* the cycle counter overflows at 64 bits */
#define PMCR_LP  (1u << 7)           /* event counters do */
#define PMCR_FZO (1u << 9)           /* event counters stand still while one of them has overflowed */
#define PMCR_FZS (UINT64_C(1) << 32) /* likewise, while statistical profiling has ended a buffer */
#define PMCR_N   11                  /* lowest bit of the number of event counters, of five */

/* PMEVTYPER<n>_EL0 and PMCCFILTR_EL0. */
#define TYPER_P         (1u << 31) /* does not count at EL1 */
#define TYPER_U         (1u << 30) /* does not count at EL0 */
#define TYPER_NSK       (1u << 29)
#define TYPER_NSU       (1u << 28)
#define TYPER_NSH       (1u << 27) /* counts at EL2 */
#define TYPER_M         (1u << 26)
#define TYPER_MT        (1u << 25)
#define TYPER_EVENT     0xffffu
#define TYPER_EVENT_3_0 0x3ffu /* before PMUv3p1 */

/* The same, thresholds (FEAT_PMUv3_TH): what a cycle counts is held against TH. */
#define TYPER_TH      32 /* lowest bit of the threshold, of twelve */
#define TYPER_TH_BITS 12
#define TYPER_TE      (UINT64_C(1) << 60) /* edges of the comparison count (FEAT_PMUv3_EDGE) */
#define TYPER_TLC     54                  /* lowest bit of two, of odd counters (FEAT_PMUv3_TH2): */
#define LINK_ELSE     1                   /* what the counter below counts where the comparison fails */
#define LINK_THEN     2                   /* the same where it holds, in place of its own amount */
#define TYPER_TC      61                  /* lowest bit of three: */
#define TC_COUNT      1                   /* a cycle counts once, not by its amount */
#define TC_NOT_EQUAL  0
#define TC_EQUAL      2
#define TC_AT_LEAST   4
#define TC_LESS       6
#define TC_BOTH       2 /* with TE, of the two lower bits: where it begins to hold, and where it ends */
#define TC_EDGE       3 /* with TE: mask of these two; 0 is reserved */

/* PMMIR_EL1. */
#define PMMIR_SLOTS   0xffu
#define PMMIR_EDGE    24 /* lowest bit of four: edges of thresholds can be counted ... */
#define EDGE_LINKS    2  /* ... and from this value on, an odd counter's be linked with the one below */
#define PMMIR_THWIDTH 20 /* lowest bit of four: bits that a threshold has; 0: there are none */

#define PMUSERENR_EN 1u /* EL0 may do all that is not EL1's alone */
#define PMUSERENR_SW 2u /* write PMSWINC_EL0 */
#define PMUSERENR_CR 4u /* read the cycle counter */
#define PMUSERENR_ER 8u /* read event counters and access PMSELR_EL0 */
/* From PMUv3p9 on; with UEN the three above say that EL0 may not write. */
#define PMUSERENR_UEN 0x10u /* do so with the counters of PMUACR_EL1 alone */
#define PMUSERENR_IR  0x20u /* not write the instruction counter */
#define PMUSERENR_TID 0x40u /* not read PMCEID<n>_EL0 */

/* Registers of profiling. */
#define PMBLIMITR_E    (1u << 0)
#define PMBLIMITR_PMFZ (1u << 5) /* counters stop while PMBSR_EL1.S is 1, where PMCR_EL0.FZS lets them */
#define PMBSR_S        (1u << 17)
#define PMBIDR_P       (1u << 4) /* the buffer is a higher level's */

/* PMECR_EL1 and PMSSCR_EL1. */
#define PMECR_SSE      3 /* lowest bit of two: */
#define SSE_OFF        0
#define SSE_PROHIBITED 2
#define SSE_ALLOWED    3
#define PMSSCR_SS      UINT64_C(1)         /* written: capture; read: not done yet */
#define PMSSCR_NC      (UINT64_C(1) << 32) /* the last request captured nothing */

#define EVENT_SW_INCR      0x00
#define EVENT_CPU_CYCLES   0x11
#define EVENT_INST_RETIRED 0x08
#define EVENT_INST_SPEC    0x1b
#define EVENT_CHAIN        0x1e /* of an odd counter: the one below has overflowed */

#endif
