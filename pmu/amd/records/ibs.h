/*
 * Fields of instruction-based sampling (APM vol. 2, 13.3; the families' guides), and which of them a CPU has:
 * CPUID 8000_001BH:EAX.
 */
#ifndef PMU_AMD_RECORDS_IBS_H
#define PMU_AMD_RECORDS_IBS_H

#include <stdint.h>

#define IBS_VALID     (1u << 0)
#define IBS_FETCH     (1u << 1)
#define IBS_OP        (1u << 2)
#define IBS_RW_COUNT  (1u << 3) /* the op counter can be written */
#define IBS_OP_COUNT  (1u << 4) /* dispatched operations can be counted in place of cycles */
#define IBS_BRANCH    (1u << 5) /* IBS_BRTARGET */
#define IBS_COUNT_27  (1u << 6) /* the op counter and its maximum have 27 bits, else 20 */
#define IBS_RIP_CHECK (1u << 7) /* IBS_OP_DATA[38] */
#define IBS_FUSE      (1u << 8) /* IBS_OP_DATA[39] */
#define IBS_FETCH_EXT (1u << 9) /* IBS_FETCH_EXTD */
#define IBS_DATA4     (1u << 10)
#define IBS_ZEN4      (1u << 11) /* L3-miss filter, wider data source */
/* Zen 5: Linux commits d20610c19b4a and 0b347a4218da. */
#define IBS_LATENCY   (1u << 12) /* filter of operations by the latency of a load's miss */
#define IBS_PAGE_SIZE (1u << 19) /* IBS_OP_DATA3 tells the page of what it tells the physical address of */
/* "Upcoming" in February 2026: Linux commits e267b4178134, 28063f05f38b, ba6056cabd0f, 8ae68bfec975. */
#define IBS_DISABLE       (1u << 13) /* IBS_FETCH_CTL2, IBS_OP_CTL2: .._DISABLE */
#define IBS_FETCH_LATENCY (1u << 14) /* ... FETCH2_LATENCY */
#define IBS_BIT63         (1u << 15) /* ... filters by the highest bit of the address */
#define IBS_STREAMING     (1u << 16) /* ... OP2_STREAMING, DATA2_STREAMING */
#define IBS_CONTROL2      (IBS_DISABLE | IBS_FETCH_LATENCY | IBS_BIT63 | IBS_STREAMING)

/* IBS_FETCH_CTL; maximum and count are in units of 16 */
#define FETCH_MAX          0xffffull
#define FETCH_COUNT_SHIFT  16
#define FETCH_COUNT        (0xffffull << FETCH_COUNT_SHIFT)
#define FETCH_LAT_SHIFT    32
#define FETCH_LAT          (0xffffull << FETCH_LAT_SHIFT)
#define FETCH_EN           (1ull << 48)
#define FETCH_VAL          (1ull << 49)
#define FETCH_COMP         (1ull << 50)
#define FETCH_IC_MISS      (1ull << 51)
#define FETCH_PHYS_VALID   (1ull << 52)
#define FETCH_PAGE_SHIFT   53
#define FETCH_PAGE_SIZE    (3ull << FETCH_PAGE_SHIFT) /* 0: 4 KiB, 1: 2 MiB, 2: 1 GiB */
#define FETCH_L1TLB_MISS   (1ull << 55)
#define FETCH_L2TLB_MISS   (1ull << 56)
#define FETCH_RAND         (1ull << 57)
#define FETCH_L2_MISS      (1ull << 58) /* with IBS_FETCH_EXT */
#define FETCH_L3_MISS_ONLY (1ull << 59)
#define FETCH_L3_MISS      (1ull << 61) /* with IBS_ZEN4 */
/* what a sample says of itself */
#define FETCH_TOLD                                                                                           \
	(FETCH_LAT | FETCH_COMP | FETCH_IC_MISS | FETCH_PHYS_VALID | FETCH_PAGE_SIZE | FETCH_L1TLB_MISS |    \
	 FETCH_L2TLB_MISS | FETCH_L2_MISS | FETCH_L3_MISS)

/* IBS_OP_CTL */
#define OP_MAX          0xffffull /* bits 19:4 of the maximum */
#define OP_L3_MISS_ONLY (1ull << 16)
#define OP_EN           (1ull << 17)
#define OP_VAL          (1ull << 18)
#define OP_DISPATCHED   (1ull << 19)    /* operations are counted; 0: cycles */
#define OP_MAX_HIGH     (0x7full << 20) /* bits 26:20 of the maximum */
#define OP_COUNT_SHIFT  32
#define OP_COUNT        (0x7ffffffull << OP_COUNT_SHIFT)
/* With IBS_LATENCY, and on Zen 5 together with OP_L3_MISS_ONLY alone: loads whose miss took more than this
 * many units, less one, of 128 cycles. */
#define OP_LATENCY_SHIFT 59
#define OP_LATENCY_MIN   (0xfull << OP_LATENCY_SHIFT)
#define OP_LATENCY_EN    (1ull << 63)
#define OP_LATENCY_UNIT  128
#define OP_LATENCY_MOST  2048

/* IBS_FETCH_CTL2, IBS_OP_CTL2: what is disabled there runs not, whatever the enable is; what a filter leaves
 * out is no sample, and the count begins again */
#define FETCH2_DISABLE       (1ull << 0)
#define FETCH2_LATENCY_SHIFT 1 /* fetches that took longer than so many times 128 cycles alone; 0: all */
#define FETCH2_LATENCY       (0xfull << FETCH2_LATENCY_SHIFT)
#define FETCH2_NOT_HIGH      (1ull << 5) /* none whose address has bit 63 */
#define FETCH2_NOT_LOW       (1ull << 6) /* none whose address has it not */
#define OP2_DISABLE          (1ull << 0)
#define OP2_NOT_LOW          (1ull << 1)
#define OP2_NOT_HIGH         (1ull << 2)
#define OP2_STREAMING        (1ull << 3) /* streaming stores alone */

/* IBS_OP_DATA: cycles from completion to retirement, from the tag to retirement */
#define DATA_CYCLES      0xffffull
#define DATA_TAG_SHIFT   16
#define DATA_RETURN      (1ull << 34)
#define DATA_TAKEN       (1ull << 35)
#define DATA_MISPRED     (1ull << 36)
#define DATA_BRANCH      (1ull << 37)
#define DATA_RIP_INVALID (1ull << 38)
#define DATA_FUSED       (1ull << 39)

/* IBS_OP_DATA2: the source in bits 2:0, with IBS_ZEN4 its upper part in 7:6. Linux names 2, 3, 4 and 7 of the
 * short form, AMD's CodeAnalyst 1, 2, 3 and 7. */
#define DATA2_SOURCE       7ull
#define DATA2_SOURCE_UPPER 0xc0ull
#define DATA2_FAR          (1ull << 4) /* RmtNode: another node served it; valid with any source but 0 */
#define DATA2_OWNED        (1ull << 5) /* CacheHitSt: O, else M; valid with DATA2_CACHE alone: nothing to judge */
#define DATA2_STREAMING    (1ull << 8) /* with IBS_STREAMING: a streaming store */
#define DATA2_LOCAL        1           /* last-level cache, or another core of it */
#define DATA2_CACHE        2
#define DATA2_DRAM         3
#define DATA2_FAR_CACHE    4 /* short form */
#define DATA2_FAR_CCX      5 /* the others: long form */
#define DATA2_SLOW         6 /* long-latency memory */
#define DATA2_DEVICE       7
#define DATA2_EXTENSION    8
#define DATA2_PEER         12

/* IBS_OP_DATA3 */
#define DATA3_LOAD       (1ull << 0)
#define DATA3_STORE      (1ull << 1)
#define DATA3_L1TLB_MISS (1ull << 2)
#define DATA3_L2TLB_MISS (1ull << 3)
#define DATA3_L1TLB_2M   (1ull << 4) /* hit in the first level */
#define DATA3_L1TLB_1G   (1ull << 5)
/* With IBS_PAGE_SIZE, valid with DATA3_PHYS_VALID as the misses of the TLB are: as FETCH_PAGE_SIZE. */
#define DATA3_PAGE_SHIFT    4
#define DATA3_PAGE_SIZE     (3ull << DATA3_PAGE_SHIFT)
#define DATA3_DC_MISS       (1ull << 7)
#define DATA3_MISALIGNED    (1ull << 8)
#define DATA3_UNCACHED      (1ull << 14)
#define DATA3_LOCKED        (1ull << 15)
#define DATA3_NO_MAB        (1ull << 16) /* the line had been asked for already */
#define DATA3_LIN_VALID     (1ull << 17)
#define DATA3_PHYS_VALID    (1ull << 18)
#define DATA3_L2_MISS       (1ull << 20)
#define DATA3_PREFETCH      (1ull << 21)
#define DATA3_WIDTH_SHIFT   22
#define DATA3_LATENCY_SHIFT 32
#define DATA3_REFILL_SHIFT  48
#define DATA3_CYCLES        0xffffull

/* IBS_FETCH_EXTD: cycles until the ITLB is refilled; 0 if it need not be */
#define EXTD_REFILL 0xffffull

/* IBS_CTL: read-only, from the firmware's set-up of the northbridge */
#define IBS_LVT_OFFSET 0xfull
#define IBS_LVT_VALID  (1ull << 8)

/** Bits of the op counter and of its maximum. */
static inline unsigned ibs_count_bits(uint32_t features)
{
	return features & IBS_COUNT_27 ? 27 : 20;
}

/** The maximum as IBS_OP_CTL has it, and back. */
static inline uint64_t ibs_op_max_field(uint64_t period)
{
	return (period >> 4 & OP_MAX) | (period & OP_MAX_HIGH);
}

static inline uint64_t ibs_op_max(uint64_t control)
{
	return (control & OP_MAX) << 4 | (control & OP_MAX_HIGH);
}

/** The latency above which a load passes as IBS_OP_CTL has it, a multiple of OP_LATENCY_UNIT up to
 * OP_LATENCY_MOST, and back. */
static inline uint64_t ibs_op_latency_field(uint32_t cycles)
{
	return (uint64_t)(cycles / OP_LATENCY_UNIT - 1) << OP_LATENCY_SHIFT;
}

static inline uint32_t ibs_op_latency(uint64_t control)
{
	return (uint32_t)(((control & OP_LATENCY_MIN) >> OP_LATENCY_SHIFT) + 1) * OP_LATENCY_UNIT;
}

#endif
