/*
 * Architectural PEBS: Intel Architecture Instruction Set Extensions and Future Features, chapter 11; CPUID
 * leaf 23H, subleaves 4 and 5. Shared by driver and model. Where that text is silent, layouts are those that
 * Linux reads (arch/x86/include/asm/perf_event.h, struct arch_pebs_*).
 *
 * Each counter says in its own IA32_PMC_GPn_CFG_C or IA32_PMC_FXn_CFG_C whether it samples, what its records
 * have, and what it is reloaded with. Records go to a buffer of 2^n pages at a physical address.
 */
#ifndef PMU_INTEL_RECORDS_APEBS_H
#define PMU_INTEL_RECORDS_APEBS_H

#include <stddef.h>
#include <stdint.h>

/* IA32_PEBS_BASE: a physical address, 4 KiB << size of buffer. */
#define APEBS_BASE_SIZE    0xfull
#define APEBS_BASE_ADDRESS 0xffffffffff000ull
#define APEBS_PAGE         4096u

/* IA32_PEBS_INDEX: offsets in units of 16 bytes. */
#define APEBS_UNIT      16u
#define APEBS_WRITE     4 /* bits 26:4: where the next record goes */
#define APEBS_FULL      (1ull << 31)
#define APEBS_ENABLE    (1ull << 32)
#define APEBS_THRESHOLD 36 /* bits 58:36: an offset; reached, it sets the status bit and interrupts */
#define APEBS_OFFSET    0x7fffffull
#define APEBS_INDEX_VALID                                                                                    \
	(APEBS_OFFSET << APEBS_WRITE | APEBS_FULL | APEBS_ENABLE | APEBS_OFFSET << APEBS_THRESHOLD)

/* Groups: in IA32_PMC_GPn_CFG_C and IA32_PMC_FXn_CFG_C what a counter's records are to have, in CPUID.23H.4,
 * as EBX << 32, what they can, and in a record's header what it has. Bits 31:0 of CFG_C: reload value. */
#define APEBS_ALLOW     (1ull << 35) /* in CFG_C: the counter may be in others' records */
#define APEBS_GENERAL   (1ull << 36) /* values of general counters, */
#define APEBS_FIXED     (1ull << 37) /* fixed ones */
#define APEBS_METRICS   (1ull << 38) /* and the topdown metrics */
#define APEBS_LBR       40           /* bits 41:40: 0 none, 1 8 branches, 2 16, 3 all */
#define APEBS_LBR_FIELD (3ull << APEBS_LBR)
#define APEBS_XMM       (1ull << 49)
#define APEBS_YMM       (1ull << 50) /* upper halves */
#define APEBS_OPMASK    (1ull << 53)
#define APEBS_ZMM       (1ull << 54) /* upper halves of the first 16 */
#define APEBS_ZMM_HIGH  (1ull << 55) /* the last 16 */
#define APEBS_GPRS      (1ull << 61)
#define APEBS_AUX       (1ull << 62)
#define APEBS_ENABLED   (1ull << 63) /* in CFG_C: it samples; in a header: the basic group is there */
#define APEBS_COUNTERS  (APEBS_GENERAL | APEBS_FIXED | APEBS_METRICS)
#define APEBS_VECTORS   (APEBS_XMM | APEBS_YMM | APEBS_OPMASK | APEBS_ZMM | APEBS_ZMM_HIGH)
#define APEBS_GROUPS    (APEBS_ALLOW | APEBS_COUNTERS | APEBS_LBR_FIELD | APEBS_VECTORS | APEBS_GPRS | APEBS_AUX)

/* A record: header, then its groups in this order. Its size is a multiple of APEBS_UNIT. */
struct apebs_header {
	uint64_t format; /* bits 15:0 size in bytes, and: */
	uint64_t reserved;
};
#define APEBS_SIZE      0xffffull
#define APEBS_64BIT     (1ull << 30) /* written by 64-bit code */
#define APEBS_CONTINUED (1ull << 31) /* the next record has more groups of this one */

struct apebs_basic {
	uint64_t ip;       /* of the instruction */
	uint64_t counters; /* that it was written for */
	uint64_t clock;
	uint64_t retire; /* bits 15:0 core cycles to its retirement, bit 16 they are valid */
	uint64_t reserved[2];
};
#define APEBS_RETIRE_VALID (1ull << 16)

struct apebs_aux {
	uint64_t address, reserved[4];
	uint64_t source;
	uint64_t latency; /* bits 15:0 of the instruction, bits 47:32 of the cache access; core cycles */
	uint64_t transaction;
};
#define APEBS_CACHE_LATENCY 32

struct apebs_gprs {
	uint64_t flags, ip; /* of the instruction after it */
	uint64_t ax, cx, dx, bx, sp, bp, si, di, r8[8];
	uint64_t shadow_stack, reserved;
};

struct apebs_vectors {
	uint64_t components; /* as XSTATE_BV of XSAVE */
	uint64_t reserved;
};

struct apebs_lbr {
	uint64_t reserved, control, depth;
	uint64_t last_from, last_to, last_info; /* last event record */
};

struct apebs_counters {
	uint32_t general, fixed, metrics, reserved; /* bit per counter; metrics: 3 if they are there */
};
#define APEBS_METRICS_THERE 3

#endif
