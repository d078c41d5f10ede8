/*
 * NetBurst (family 0FH) performance monitoring registers: addresses and fields. SDM vol. 3
 * (2016), 18.15, 18.16, table 35-41. Every register is 64 bits wide; bits not named here are reserved and
 * must be written 0.
 */
#ifndef PMU_NETBURST_REGISTERS_H
#define PMU_NETBURST_REGISTERS_H

#include <stdint.h>

#define NETBURST_COUNTERS 18

#define MSR_NETBURST_COUNTER0 0x300 /* ... 311H */
#define MSR_NETBURST_CCCR0    0x360 /* ... 371H */

#define NETBURST_COUNTER_WIDTH 40

/* ESCR: event selection control register. SDM 18.15.1, 18.16.1. */
#define ESCR_T1_USR      (1u << 0) /* reserved without Hyper-Threading */
#define ESCR_T1_OS       (1u << 1) /* likewise */
#define ESCR_T0_USR      (1u << 2)
#define ESCR_T0_OS       (1u << 3)
#define ESCR_TAG_ENABLE  (1u << 4)
#define ESCR_TAG_SHIFT   5
#define ESCR_TAG         (0xfu << ESCR_TAG_SHIFT)
#define ESCR_MASK_SHIFT  9
#define ESCR_MASK        (0xffffu << ESCR_MASK_SHIFT)
#define ESCR_EVENT_SHIFT 25
#define ESCR_EVENT       (0x3fu << ESCR_EVENT_SHIFT)
#define ESCR_RESERVED    (~(uint64_t)0x7fffffff)

/* CCCR: counter configuration control register. SDM 18.15.3, 18.16.2. */
#define CCCR_EXTENDED_CASCADE (1u << 11) /* IQ_CCCR0, 3, 4, 5 of models 2 and later; SDM 18.15.5.6 */
#define CCCR_ENABLE           (1u << 12)
#define CCCR_SELECT_SHIFT     13
#define CCCR_SELECT           (7u << CCCR_SELECT_SHIFT)
#define CCCR_THREAD_SHIFT     16
#define CCCR_THREAD           (3u << CCCR_THREAD_SHIFT) /* must be 11b without Hyper-Threading */
#define CCCR_THREAD_NONE      (0u << CCCR_THREAD_SHIFT)
#define CCCR_THREAD_SINGLE    (1u << CCCR_THREAD_SHIFT)
#define CCCR_THREAD_BOTH      (2u << CCCR_THREAD_SHIFT)
#define CCCR_THREAD_ANY       (3u << CCCR_THREAD_SHIFT)
#define CCCR_COMPARE          (1u << 18)
#define CCCR_COMPLEMENT       (1u << 19)
#define CCCR_THRESHOLD_SHIFT  20
#define CCCR_THRESHOLD        (0xfu << CCCR_THRESHOLD_SHIFT)
#define CCCR_EDGE             (1u << 24)
#define CCCR_FORCE_OVF        (1u << 25)
#define CCCR_OVF_PMI_T0       (1u << 26) /* OVF_PMI without Hyper-Threading */
#define CCCR_OVF_PMI_T1       (1u << 27) /* reserved without Hyper-Threading */
#define CCCR_CASCADE          (1u << 30)
#define CCCR_OVF              (1u << 31)
#define CCCR_RESERVED         (~(uint64_t)0xffffffff | 0x300007ffu)

/* Tagging and PEBS. SDM 18.15.6, 18.15.7, table 35-41. */
#define MSR_TC_PRECISE_EVENT 0x3f0
#define MSR_PEBS_ENABLE      0x3f1
#define MSR_PEBS_MATRIX_VERT 0x3f2
#define MSR_DS_AREA          0x600

#define PEBS_REPLAY_TAG   (1u << 24) /* replay tagging of uops on */
#define PEBS_ENABLE_MINE  (1u << 25) /* PEBS for the logical processor that writes */
#define PEBS_ENABLE_OTHER (1u << 26) /* PEBS for the other one; reserved without Hyper-Threading */

/* The counters that can make PEBS records, by logical processor. SDM 18.15.7, 18.16.3. */
#define PEBS_COUNTER_T0 16
#define PEBS_COUNTER_T1 17

#define MSR_MISC_ENABLE         0x1a0
#define MISC_ENABLE_PERFMON     (1u << 7)  /* read-only: performance monitoring available */
#define MISC_ENABLE_BTS_ABSENT  (1u << 11) /* read-only */
#define MISC_ENABLE_PEBS_ABSENT (1u << 12) /* read-only */

/* Branch records. SDM 17.11. */
#define MSR_DEBUGCTLA         0x1d9
#define DEBUGCTLA_LBR         (1u << 0)
#define DEBUGCTLA_BTF         (1u << 1)
#define DEBUGCTLA_TR          (1u << 2)
#define DEBUGCTLA_BTS         (1u << 3)
#define DEBUGCTLA_BTINT       (1u << 4)
#define DEBUGCTLA_BTS_OFF_OS  (1u << 5)
#define DEBUGCTLA_BTS_OFF_USR (1u << 6)
#define MSR_LASTBRANCH_TOS    0x1da
#define MSR_LASTBRANCH_0                                                                                     \
	0x1db /* models 0 to 2: four registers, from in the low half, to in the high half                    \
	       */
#define MSR_LASTBRANCH_FROM_0 0x680 /* models 3, 4, 6: sixteen */
#define MSR_LASTBRANCH_TO_0   0x6c0
#define MSR_LER_FROM_LIP      0x1d7
#define MSR_LER_TO_LIP        0x1d8

/* Counters of the third-level cache and of the bus behind it, on Xeons that have one: the low half counts,
 * the high half selects. SDM 18.20, 18.21. Model 6 has other names for them, and other events. */
#define MSR_IFSB_BUSQ0       0x107cc /* 107CCH, 107CDH */
#define MSR_IFSB_SNPQ0       0x107ce
#define MSR_EFSB_DRDY0       0x107d0
#define MSR_IFSB_CTL6        0x107d2 /* enables the next one, which counts with 64 bits */
#define MSR_IFSB_CNTR7       0x107d3
#define NETBURST_L3_COUNTERS 8
#define RDPMC_L3             18 /* ... 25 */

/* RDPMC: the counter's number; the fast read returns 32 bits. SDM vol. 2, RDPMC. */
#define RDPMC_FAST (1u << 31)

#endif
