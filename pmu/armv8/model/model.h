/*
 * State of the model of PMUv3 (Arm ARM DDI 0487, "The Performance Monitors Extension", and the descriptions
 * of its registers, which are cited by their names), and the functions its files share.
 *
 * model_registers.c: which registers exist, who may access them, what they read, what is kept of a write.
 * model_counters.c: what a step adds to a counter, overflow, interrupt, freezing.
 * model_snapshot.c: registers that capture all counters at once.
 * model_profiling.c: registers of statistical profiling that freeze counters.
 *
 * One processor, in the Non-secure state at EL1 and EL0. Of what EL2 may take away there are the counters
 * that it keeps (MDCR_EL2.HPMN); EL3 (MDCR_EL3) takes nothing. Fields that a reset leaves UNKNOWN get a
 * pattern of ones.
 */
#ifndef PMU_ARMV8_MODEL_MODEL_H
#define PMU_ARMV8_MODEL_MODEL_H

#include "pmu/armv8/armv8.h"
#include "pmu/armv8/registers.h"
#include "pmu/contract/model.h"

/** What a part has: the model's parameters of a profile. */
struct armv8_part {
	uint8_t version;     /* ID_AA64DFR0_EL1.PMUVer */
	uint8_t counters;    /* PMCR_EL0.N */
	uint8_t implementer; /* PMCR_EL0.IMP and IDCODE; 0 from PMUv3p7 on */
	uint8_t idcode;
	bool secure, hypervisor; /* EL3 and EL2 are implemented: their filters are */
	bool multithreaded;      /* PMEVTYPER<n>_EL0.MT is */
	bool icntr;              /* PMICNTR_EL0 is (ID_AA64DFR1_EL1.PMICNTR) */
	bool snapshots;          /* FEAT_PMUv3_SS is */
	bool profiling;          /* FEAT_SPEv1p2 is: PMCR_EL0.FZS, and registers; nothing here profiles */
	uint32_t mdcr;           /* MDCR_EL2 as EL2 has left it; without HPMN it has kept no counter */
	uint32_t pmmir;          /* PMMIR_EL1, from PMUv3p4 on */
	uint64_t ceid[2];        /* PMCEID0_EL0, PMCEID1_EL0 */
	uint32_t core;           /* whose list of events it has besides: ARMV8_CORE_ bits */
};

/** Deviations; the order is that of armv8_injections[]. */
enum armv8_injection {
#define ARM_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/armv8/errata/injections.def"
#undef ARM_INJECTION
};

struct armv8_counter {
	uint64_t value;
	uint64_t type;

	/* Decoded from the type when it is written. */
	int8_t weight[Q_COUNT]; /* what one unit of each quantity adds */
	uint16_t event;
	bool clock;      /* counts core cycles */
	uint8_t levels;  /* enum pmu_levels: where it counts */
	bool held;       /* amounts are held against a threshold: */
	uint8_t compare; /* TC_ value without TC_COUNT */
	bool once;       /* TC_COUNT */
	bool edge, both; /* of the comparison: where it begins to hold; and where it ends */
	uint8_t link;    /* LINK_: of an odd counter */
	bool met;        /* it held in the last cycle ... */
	bool before;     /* ... and in that before the last step */
	uint16_t at;     /* the threshold */
};

struct armv8_state {
	const struct armv8_part *part;
	struct model_injected injections;
	/* The last two are the cycle counter and the instruction counter. */
	struct armv8_counter counter[ARMV8_INSTRUCTIONS + 1];
	uint64_t pmcr;
	uint32_t userenr, selr, mdcr;
	uint64_t enabled, overflowed, interrupting, uacr;
	uint64_t saved[ARMV8_INSTRUCTIONS + 1]; /* snapshots, by counter */
	uint32_t sampling, buffer_status;       /* PMSCR_EL1, PMBSR_EL1 */
	uint64_t buffer_limit;                  /* PMBLIMITR_EL1 */
	uint8_t captures;                       /* PMECR_EL1.SSE */
	bool not_captured;                      /* PMSSCR_EL1.NC */
	uint64_t running, started; /* counters that count now; of them, those that the last write started */
	bool asks;                 /* the interrupt is asserted ... */
	bool request;              /* ... and has not been taken */
	bool quick;                /* nothing that runs needs more than adding up */
	uint8_t cycles;            /* of 64, where PMCR_EL0.D has it count each 64th */
	uint64_t steps;            /* (injected) */
	uint8_t late;              /* steps until a request that is held back goes out (injected) */
	bool left_running;         /* (injected) */
	uint64_t written;          /* the register whose write is taking effect; 0: none's (injected) */
};

/** Event counters that EL1 and EL0 have: those of the first range. */
static inline unsigned armv8_first_range(const struct armv8_state *s)
{
	return s->mdcr & MDCR_HPMN;
}

/** The event counters below one. */
static inline uint64_t armv8_below(unsigned c)
{
	return (UINT64_C(1) << c) - 1;
}

/** The counters that there are, as bits of PMCNTENSET_EL0; and those of them that EL1 has. */
static inline uint64_t armv8_all(const struct armv8_state *s)
{
	return armv8_below(s->part->counters) | UINT64_C(1) << ARMV8_CYCLES |
	       (uint64_t)s->part->icntr << ARMV8_INSTRUCTIONS;
}
static inline uint64_t armv8_mine(const struct armv8_state *s)
{
	return armv8_all(s) & ~(armv8_below(s->part->counters) & ~armv8_below(armv8_first_range(s)));
}

/** Decode the type register of a counter. */
void armv8_decode(struct armv8_state *s, unsigned c);

/** Work out which counters run and whether the interrupt is asserted, after any register that has a say was
 * written, or a counter overflowed. */
void armv8_update(struct armv8_state *s);

/** Of an event counter: the highest value, and that behind which it overflows. */
uint64_t armv8_highest(const struct armv8_state *s, unsigned c);
uint64_t armv8_overflows_at(const struct armv8_state *s, unsigned c);

/** A write of PMSWINC_EL0 at a level. */
void armv8_software(struct armv8_state *s, uint64_t mask, uint8_t level);

/* Likewise registers of profiling; whether profiling has stopped so that counters freeze. */
bool armv8_profiling_has(const struct armv8_state *s, uint64_t number, bool *writable);
uint64_t armv8_profiling_read(const struct armv8_state *s, uint64_t number);
void armv8_profiling_write(struct armv8_state *s, uint64_t number, uint64_t value);
bool armv8_profiling_freezes(const struct armv8_state *s);

/* Registers of snapshots: whether a number is one's, and whether it can be written; what it reads as; a write.
 */
bool armv8_snapshot_has(const struct armv8_state *s, uint64_t number, bool *writable);
uint64_t armv8_snapshot_read(const struct armv8_state *s, uint64_t number);
void armv8_snapshot_write(struct armv8_state *s, uint64_t number, uint64_t value);

enum register_answer armv8_access(void *state, struct register_access *a);
bool armv8_advance(void *state, const struct step *step);
bool armv8_counts(const void *state, enum quantity q);
bool armv8_counting(const void *state);
int armv8_increments(void *state, const struct step *step, struct model_increment *out, unsigned room);

extern const struct pmu_model armv8_model;
extern const struct model_injection armv8_injections[];

#endif
