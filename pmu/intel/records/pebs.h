/*
 * What a CPU's PEBS can do, and the records that it writes: SDM 18.4.4 (Core), 18.8.1 (Nehalem), 18.9.4
 * (Sandy Bridge), 18.11.2 (Haswell), 18.13.1 (Skylake); adaptive records: later editions. Shared by driver
 * and model.
 */
#ifndef PMU_INTEL_RECORDS_PEBS_H
#define PMU_INTEL_RECORDS_PEBS_H

#include "pmu/intel/leaf0a.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Formats 0 to 3: each has what the ones before it have. */
struct pebs_record {
	uint64_t flags, ip, general[16]; /* in the order of enum x86_general */
	/* format 1 */
	uint64_t status; /* format 3: the counters that it was written for */
	uint64_t address, source, latency;
	/* format 2 */
	uint64_t eventing_ip, transaction;
	/* format 3 */
	uint64_t clock;
};

/* Adaptive records: groups in this order, all but the first as IA32_PEBS_DATA_CFG has them. */
struct pebs_basic {
	uint64_t format; /* bits 31:0 groups, as in IA32_PEBS_DATA_CFG; 47:32 retire latency (format 5); 63:48
			    size of the record in bytes */
	uint64_t ip;     /* of the instruction */
	uint64_t counters;
	uint64_t clock;
};
struct pebs_memory {
	uint64_t address, source, latency, transaction;
};
struct pebs_gprs {
	uint64_t flags, ip; /* of the instruction after it */
	uint64_t ax, cx, dx, bx, sp, bp, si, di, r8[8];
};
struct pebs_branch {
	uint64_t from, to, info;
};
struct pebs_counters {
	uint32_t general, fixed, metrics, reserved; /* bit per counter; metrics: 3 if they are there */
};
#define PEBS_METRICS_THERE 3
#define PEBS_XMM_SIZE      256
#define PEBS_SIZE_SHIFT    48
#define PEBS_RETIRE_TIME   32

/* IA32_PEBS_DATA_CFG. */
#define PEBS_CFG_MEMORY   (1u << 0)
#define PEBS_CFG_GPRS     (1u << 1)
#define PEBS_CFG_XMM      (1u << 2)
#define PEBS_CFG_BRANCHES (1u << 3)
#define PEBS_CFG_DEPTH    24 /* bits 31:24: branches less 1 */
/* Format 6. The manual's text was not at hand: as Linux has them (PEBS_DATACFG_*). */
#define PEBS_CFG_COUNTERS (1u << 4)
#define PEBS_CFG_METRICS  (1u << 5)
#define PEBS_CFG_GENERAL  32 /* bits 47:32: the general counters */
#define PEBS_CFG_FIXED    48 /* bits 55:48: the fixed ones */

/* IA32_PEBS_ENABLE: bit n general counter n; bit 32 + n fixed counter n in adaptive PEBS and on
 * Goldmont Plus, else load latency. */
#define PEBS_LATENCY       32
#define PEBS_PRECISE_STORE (1ull << 63)

/* Data source: SDM table 18-13, and of later parts bits 4 and 5. */
#define PEBS_SOURCE_L1     1
#define PEBS_SOURCE_L2     3
#define PEBS_SOURCE_L3     4
#define PEBS_SOURCE_MEMORY 0xc
#define PEBS_SOURCE_WALK   (1u << 4)
#define PEBS_SOURCE_LOCKED (1u << 5)

struct intel_pebs {
	bool exists;        /* the form that writes to the debug store area; all below is either's */
	bool architectural; /* the form of CPUID leaf 23H: pmu/intel/records/apebs.h */
	uint64_t groups;    /* architectural: that records can have */
	uint8_t format;
	bool trap;              /* a record shows the state after the instruction, else that before it */
	bool adaptive;          /* PEBS baseline: IA32_PEBS_DATA_CFG, every counter, every event */
	bool extended;          /* it samples events that are not precise, too */
	bool eventing_ip;       /* the instruction's own address is in it */
	uint64_t enable;        /* bits of IA32_PEBS_ENABLE */
	uint64_t counters;      /* that can sample, in the layout of the global registers */
	uint16_t latency_event; /* code and unit mask of the load-latency event; 0: there is none */
	bool latency_enable;    /* it needs a bit of its own in IA32_PEBS_ENABLE */
	bool precise_store;     /* PEBS_PRECISE_STORE exists: event CDH, unit mask 2, on counter 3 */
	uint64_t exact; /* counters without skid (PDIR, reduced skid, PDist), as in the global registers */
	uint16_t exact_code; /* code and unit mask that alone is sampled so; 0: every precise event */
	uint64_t at_once;    /* of them those whose record is of the very occurrence that overflows (PDist) */
	size_t size;         /* of a record, formats 0 to 3 */
};

/**
 * What is without skid needs as much from a reset value to the overflow: below it errata tell of wrong
 * records (BJ103: 100), and Linux never arms less for it (128). BDD53 wants its low six bits to be zero.
 */
#define PEBS_EXACT_LEAST 128

/**
 * @param signature CPUID.1:EAX
 * @param kind of core, CPUID.1AH:EAX[31:24]; 0 where there is no such leaf
 * @param capabilities IA32_PERF_CAPABILITIES
 * @param ds that CPUID.1 promises the debug store (EDX[21]), its 64-bit form (ECX[2]) and
 * IA32_PERF_CAPABILITIES (ECX[15])
 */
struct intel_pebs intel_pebs_layout(uint32_t signature, uint8_t kind, uint64_t capabilities, bool ds,
				    const struct intel_leaf0a *leaf);

/** Bits of IA32_PEBS_DATA_CFG that are not reserved. */
uint64_t intel_pebs_data_cfg_bits(const struct intel_pebs *pebs);

/** Size of a record with these groups of IA32_PEBS_DATA_CFG. */
size_t intel_pebs_adaptive_size(uint64_t data_cfg);

/** Whether the event is precise on this CPU, so that the record is of an instruction that caused it. */
bool intel_pebs_precise(uint32_t signature, const struct intel_pebs *pebs, uint64_t code);

/**
 * Whether a counter's records have no skid.
 * @param bit of the counter in the global registers
 * @param code what a general counter counts; it is precise
 * @param distance counts from the reset value to the overflow
 */
bool intel_pebs_exact(const struct intel_pebs *pebs, uint64_t bit, uint64_t code, uint64_t distance);

/** Whether its records have a data address: events of memory accesses. */
bool intel_pebs_has_address(const struct intel_pebs *pebs, uint64_t code);

#endif
