/*
 * State of the model of AMD's performance monitoring counters, and the functions its files share.
 *
 * model_registers.c: which registers exist, what may be written to them, what they read.
 * model_counters.c: what a step adds to a counter, overflow, interrupt, freeze, and the injected deviations.
 * model_ibs.c: instruction-based sampling.
 * model_branches.c: last branches, branch stacks, branch sampling.
 * model_uncore.c: registers of counters outside of the core, and the map of RDPMC.
 *
 * Each logical processor of a core has registers of its own. A unit mask that no row of the event table has
 * counts nothing here, as an unknown code does, and neither do the counters of northbridge, data fabric, L2I
 * and L3, whose events are not the core's.
 */
#ifndef PMU_AMD_MODEL_MODEL_H
#define PMU_AMD_MODEL_MODEL_H

#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/registers.h"
#include "pmu/contract/model.h"

/** Deviations; the order is that of amd_injections[]. */
enum amd_injection {
#define AMD_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/amd/errata/injections.def"
#undef AMD_INJECTION
};

/** Core counters come first, then the free-running ones. */
enum { COUNTER_MPERF = AMD_CORE_MAX, COUNTER_APERF, COUNTER_IRPERF, AMD_COUNTERS };

struct amd_counter {
	uint64_t value;
	uint64_t mask; /* of the width; 0: there is no such counter */

	/* Decoded from the selector when it is written. */
	int8_t weight[Q_COUNT]; /* what one unit of each quantity adds */
	uint16_t event;         /* event select, 12 bits */
	bool clock;             /* counts core cycles that are not halted */
	uint8_t rings;          /* bit 0: CPL 0, bit 1: CPL 1 to 3 */
	bool interrupt;
	bool simple; /* no threshold and no edge: the value itself is added */
	bool large;  /* more than 15 in a cycle needs a pair of counters */
	bool edge, invert;
	uint8_t cmask;

	/* Changed by counting. */
	bool level;      /* condition of the previous cycle, for edges */
	uint8_t carried; /* a carry from bit 31 to bit 32 was in the same cycle, if two instructions retire
			    in one (injected) */
};

struct amd_ibs {
	uint32_t features; /* CPUID 8000_001BH:EAX; 0: there is none */
	uint32_t random;
	uint64_t plain[IBS_FETCH_CTL2 - IBS_FETCH_CTL + 1]; /* registers by number, without counts */
	uint64_t ctl;
	uint64_t fetch_count, op_count;
	uint64_t block;                 /* last aligned block that was fetched */
	bool fetch_started, op_started; /* by the last write */
	bool fetch_tagged, op_tagged;   /* the next one is */
	unsigned told;                  /* samples that might have been told wrongly (injected) */
};

struct amd_branches {
	uint8_t depth; /* of the stack; 0: there is none */
	bool brs;
	uint64_t config;
	uint32_t select;
	uint64_t last[4]; /* LAST_BRANCH_FROM and on */
	uint64_t from[BRANCHES_MAX], to[BRANCHES_MAX];
	unsigned taken; /* records of branch sampling */
	bool sampling, fresh, interrupt;
	uint64_t before, before_next; /* the last instruction that was no branch; what is behind it */
	unsigned made;                /* (injected) */
};

/** The northbridge's or data fabric's counters and L2I's or L3's: registers, and no more. What they count is
 * not the core's doing. */
struct amd_uncore {
	uint8_t nb, llc; /* how many there are */
	uint64_t nb_select[AMD_NB_MAX], nb_value[AMD_NB_MAX];
	uint64_t llc_select[AMD_L3], llc_value[AMD_L3];
};

struct amd_state {
	unsigned generation, n;  /* core counters */
	uint8_t thread;          /* of the core's logical processors, or the compute unit's cores */
	struct amd_state *other; /* the other one; NULL: there is none */
	bool extended, v2, freezes, has_irperf, has_aperf, has_svm;
	bool svme; /* EFER's, which the machine keeps */
	struct model_injected injections;

	uint64_t select[AMD_CORE_MAX];
	uint64_t global_control, status, debugctl, hwcr;
	struct amd_counter counter[AMD_COUNTERS];
	bool watched; /* MPERF or APERF was accessed: from then on they have to be kept */

	uint32_t running; /* counters that count now */
	uint32_t started; /* of them, those that the last write started */
	uint32_t merged;  /* those that hold the low half of a pair */
	uint8_t run_list[AMD_COUNTERS];
	unsigned n_running;
	bool quick; /* nothing that runs needs more than adding up weighted terms and core cycles */

	const struct step_memory *memory; /* NULL: none was attached */
	struct amd_ibs ibs;
	struct amd_branches branches;
	struct amd_uncore uncore;
	unsigned pmi_pending, ibs_pending;
	bool freeze;           /* an interrupt was raised in this step */
	bool interrupted;      /* one was raised since the counters were last programmed (injected) */
	uint64_t steps, clock; /* time of the last step (injected) */
	bool overflowed;       /* in this step */
	uint32_t noise;
	unsigned locked; /* instructions (injected) */
	bool repeats;    /* an IBS request that is never over (injected) */
	uint8_t late;    /* steps until a request that is held back goes out (injected); 0: there is none */
};

/** What a step has of a quantity. */
static inline unsigned amd_amount(const struct step *step, enum quantity q)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < step->n_terms; i++)
		if (step->terms[i].quantity == q)
			sum += step->terms[i].amount;
	return sum;
}

/** Decode the selector of core counter c. */
void amd_decode(struct amd_state *s, unsigned c);

/** What the free-running counters count. */
void amd_decode_free(struct amd_state *s);

/** Work out which counters run, after any register that has a say was written. */
void amd_update_running(struct amd_state *s);

bool amd_counts(const void *state, enum quantity q);
bool amd_advance(void *state, const struct step *step);
int amd_increments(void *state, const struct step *step, struct model_increment *out, unsigned room);

void amd_raise_pmi(struct amd_state *s);

/** IBS tags an operation: what counts that. */
void amd_count_tagged(struct amd_state *s);

/** IBS, and branch records: registers as struct pmu_model has them, REGISTER_NOT_MINE for all others. */
void amd_ibs_reset(struct amd_state *s, uint32_t features);
enum register_answer amd_ibs_read(struct amd_state *s, uint32_t address, uint64_t *value);
enum register_answer amd_ibs_write(struct amd_state *s, uint32_t address, uint64_t value);
bool amd_ibs_runs(const struct amd_state *s);
void amd_ibs_advance(struct amd_state *s, const struct step *step);

void amd_branches_reset(struct amd_state *s, unsigned depth, bool brs);
enum register_answer amd_branches_read(struct amd_state *s, uint32_t address, uint64_t *value);
enum register_answer amd_branches_write(struct amd_state *s, uint32_t address, uint64_t value);
bool amd_branches_run(const struct amd_state *s);
/** Branch sampling waits for its counter. */
bool amd_branches_armed(const struct amd_state *s);
void amd_branches_advance(struct amd_state *s, const struct step *step);
/** Whether branch sampling keeps back the interrupt of counter c, which has just overflowed. */
bool amd_branches_hold(struct amd_state *s, unsigned c);

/** Counters outside of the core: registers likewise, and RDPMC of what is no counter of the core.
 * CPUID 8000_0001H:ECX and 8000_0022H:EBX tell which there are. */
void amd_uncore_reset(struct amd_state *s, uint32_t features, uint32_t numbers);
enum register_answer amd_uncore_read(const struct amd_state *s, uint32_t address, uint64_t *value);
enum register_answer amd_uncore_write(struct amd_state *s, uint32_t address, uint64_t value);
enum register_answer amd_uncore_rdpmc(const struct amd_state *s, uint32_t index, uint64_t *value);

extern const struct model_injection amd_injections[];

#endif
