/*
 * The machine model: small, documented caches, TLBs, branch predictor and store buffer, so that
 * micro-architectural quantities exist under the vPMU and the bounds on them are exercised. It is a model,
 * not silicon, and every report that rests on it says so.
 *
 * What it is: physically-indexed set-associative caches with true LRU, write-allocate; L1I and L1D, a unified
 * L2, a unified last-level cache (0 sets: absent, L2 is the last level); a first-level DTLB and ITLB with LRU
 * and a shared second level, every translation that misses both is one page walk; conditional branches by
 * 2-bit counters indexed by address XOR global history, indirect ones by a last-target table, returns by a
 * return stack; loads look the most recent stores up: one that is contained in a store is forwarded, one that
 * overlaps a store without being contained is blocked. A store to a line that the L1I holds is a machine
 * clear for self-modifying code. Upper halves of vector registers that are in use are saved by the first
 * instruction that keeps them and restored by the next that does not, each a transition. Nothing is
 * speculative: only what retires touches the model, so no load is ever ahead of a store, and memory ordering
 * never asks for a clear. A line that neither the L1 nor the L2 has is asked for outside the core, as a read
 * of data or of code, or for ownership. One instruction or string iteration is one cycle, and one
 * micro-operation: it comes from the cache of decoded instructions, which is looked up whenever another
 * window of code is entered or a branch was taken, or from decoders, which fill it. A window takes one way
 * however many instructions it has; flushes of lines and stores to code leave it.
 */
#ifndef PMU_VIRTUAL_UARCH_H
#define PMU_VIRTUAL_UARCH_H

#include "arch/geometry.h"
#include "arch/step.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stdint.h>

/** Capacity limits of the model's tables; a geometry beyond them is refused by uarch_create(). */
#define UARCH_L1_LINES   2048
#define UARCH_L2_LINES   131072
#define UARCH_LLC_LINES  262144
#define UARCH_TLB        128
#define UARCH_STLB       4096
#define UARCH_STORES     64
#define UARCH_DECODED    4096
#define UARCH_RETURNS    32
#define UARCH_PREDICTORS 4096

enum uarch_branch {
	UARCH_NO_BRANCH,
	UARCH_CONDITIONAL,
	UARCH_DIRECT,   /* direct jump or call: always predicted */
	UARCH_INDIRECT, /* indirect jump or call */
	UARCH_RETURN,
};

enum uarch_vector {
	UARCH_NO_VECTOR,
	UARCH_NARROW,     /* writes lower halves, keeps upper ones: x86's legacy SSE */
	UARCH_CLEARING,   /* writes lower halves, clears upper ones: x86's AVX on 128 bits */
	UARCH_WIDE,       /* writes both: upper halves are in use from here on */
	UARCH_ZERO_UPPER, /* they no longer are: x86's VZEROUPPER, VZEROALL */
};

/** What retired. */
struct uarch_step {
	uint64_t ip;
	uint8_t length;
	uint8_t branch; /* enum uarch_branch */
	bool call;      /* pushes the return stack */
	bool taken;     /* conditional */
	bool denormal;  /* an operand or the result is a denormal number */
	uint8_t vector; /* enum uarch_vector */
	uint64_t next;  /* address of the instruction that follows in time */
	const struct step_access *access;
	unsigned n_access;
};

struct uarch;

/** Bytes that an instance for this geometry needs; 0 if the geometry is malformed or beyond the limits. */
size_t uarch_size(const struct machine_geometry *geometry);

/** Make an instance in caller-provided memory of uarch_size() bytes, everything cold, nothing broken. */
struct uarch *uarch_create(void *memory, const struct machine_geometry *geometry);

/** Ways in which the model can be made to misbehave on purpose, to prove that checks notice. Bits of a mask.
 */
enum uarch_fault {
#define UARCH_FAULT(id, name, summary) UARCH_##id,
#include "pmu/virtual/uarch_faults.def"
#undef UARCH_FAULT
	UARCH_FAULTS
};

/** From now on misbehave in the ways of the mask (bit per enum uarch_fault); everything is cold again. */
void uarch_break(struct uarch *u, uint32_t faults);

/** Whether to tell from now on where micro-operations come from, which every step has some of. Not from the
 * beginning. */
void uarch_tell_decoded(struct uarch *u, bool tell);

/** Everything cold again. */
void uarch_reset(struct uarch *u);

/** A line leaves every level (x86: CLFLUSH and its like). */
void uarch_flush_line(struct uarch *u, uint64_t address);

/** The translation of an address, or all (UINT64_MAX), leave both levels (x86: INVLPG, a CR3 load). */
void uarch_flush_tlb(struct uarch *u, uint64_t address);

/** From now on data from start up to (not including) end is translated by pages of 1 << shift bytes, all else
 * by those of the geometry. They share the TLBs' entries. An empty range: none. */
void uarch_large_pages(struct uarch *u, uint64_t start, uint64_t end, uint8_t shift);

/** From now on what is stored from start up to (not including) end is code, which is fetched `distance` bytes
 * further up (modulo 2^64). An empty range: none. */
void uarch_code_alias(struct uarch *u, uint64_t start, uint64_t end, uint64_t distance);

/**
 * Let one instruction retire.
 * @param out gets one term per micro-architectural quantity that it caused, amounts added up
 * @param room size of out; 32 is always enough for instructions with at most 255 accesses
 * @return number of terms written
 */
unsigned uarch_step(struct uarch *u, const struct uarch_step *step, struct qterm *out, unsigned room);

#endif
