/*
 * Where a CPU keeps its last-branch records, and what is in them: SDM 17.4.8, 17.5 to 17.12, chapter 35;
 * architectural records: the last-branch chapter of later editions. Shared by driver and model, which get
 * CPUID and IA32_PERF_CAPABILITIES from different places.
 */
#ifndef PMU_INTEL_RECORDS_LBR_H
#define PMU_INTEL_RECORDS_LBR_H

#include <stdbool.h>
#include <stdint.h>

/* IA32_PERF_CAPABILITIES[5:0]. */
enum intel_lbr_format {
	LBR_32 = 0,    /* 32-bit addresses */
	LBR_LIP = 1,   /* linear addresses */
	LBR_EIP = 2,   /* offsets within the code segment */
	LBR_FLAGS = 3, /* FROM[63]: mispredicted */
	LBR_TSX = 4,   /* FROM[62], [61]: in a transaction, aborted it */
	LBR_INFO = 5,  /* flags and cycles are in a third register */
	LBR_TIME = 6,  /* TO[63:48]: cycles */
	LBR_INFO2 = 7, /* as 5, without transactions */
	LBR_ARCH = 0x3f,
};

#define LBR_MISPREDICTED  (1ull << 63)
#define LBR_INFO_VALID    (1ull << 60) /* architectural: bits 15:0 hold cycles */
#define LBR_INFO_TYPE     56           /* architectural: bits 59:56 hold the kind of branch */
#define LBR_INFO_CYCLES   0xffffull
#define LBR_TO_CYCLES     48
#define LBR_HIDDEN_SOURCE 0xffffffffull /* FROM where the branch began in a ring that is filtered out */

/* MSR_LBR_SELECT: a 1 leaves that kind out. Table 17-11; bit 9 from Haswell on. */
#define SELECT_CPL0          (1u << 0)
#define SELECT_CPL3          (1u << 1)
#define SELECT_JCC           (1u << 2)
#define SELECT_CALL          (1u << 3)
#define SELECT_CALL_INDIRECT (1u << 4)
#define SELECT_RETURN        (1u << 5)
#define SELECT_JUMP_INDIRECT (1u << 6)
#define SELECT_JUMP          (1u << 7)
#define SELECT_FAR           (1u << 8)
#define SELECT_CALL_STACK    (1u << 9)

/* IA32_LBR_CTL: a 1 takes that kind in. */
#define LBR_CTL_ENABLE     (1u << 0)
#define LBR_CTL_OS         (1u << 1)
#define LBR_CTL_USR        (1u << 2)
#define LBR_CTL_CALL_STACK (1u << 3)
#define LBR_CTL_KINDS      16 /* bits 22:16: JCC, JUMP, JUMP_INDIRECT, CALL, CALL_INDIRECT, RETURN, OTHER */
#define LBR_CTL_ALL_KINDS  (0x7fu << LBR_CTL_KINDS)

/* CPUID.1CH:EBX and ECX. */
#define LBR_HAS_CPL        (1u << 0)
#define LBR_HAS_KINDS      (1u << 1)
#define LBR_HAS_CALL_STACK (1u << 2)
#define LBR_HAS_MISPREDICT (1u << 0)
#define LBR_HAS_TIME       (1u << 1)
#define LBR_HAS_TYPE       (1u << 2)
#define LBR_HAS_LOG        16 /* bits 19:16: of general counters 0 to 3 */

/* Of a record: two bits for each of these counters, how often it counted since the record before; 3: that or
 * more. */
#define LBR_INFO_LOG 32
#define LBR_LOG_MOST 3u
#define LBR_LOGGED   4 /* counters */

struct intel_lbr {
	uint8_t depth;           /* entries; 0: there is none */
	uint8_t format;          /* enum intel_lbr_format */
	uint32_t from, to, info; /* first register of each; 0: there is none. Without `to`, FROM holds both
				    halves */
	uint32_t select;         /* bits of MSR_LBR_SELECT; 0: there is no such register */
	uint32_t control;        /* architectural: bits of IA32_LBR_CTL */
	uint32_t depths;         /* architectural: bit k: a depth of 8(k+1) can be had */
	bool mispredicts, cycles, types;
	uint8_t logs; /* general counters whose counts records can tell */
};

/**
 * @param signature CPUID.1:EAX
 * @param capabilities IA32_PERF_CAPABILITIES, 0 without it
 * @param eax, ebx, ecx of CPUID leaf 1CH; all 0 where CPUID.7:EDX[19] is 0
 */
struct intel_lbr intel_lbr_layout(uint32_t signature, uint64_t capabilities, uint32_t eax, uint32_t ebx,
				  uint32_t ecx);

#endif
