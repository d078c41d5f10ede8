/*
 * State of the model of AMD's performance monitoring counters, and the functions its files share.
 *
 * model_registers.c: which registers exist, what may be written to them, what they read.
 * model_counters.c: what a step adds to a counter, overflow, interrupt, freeze, and the injected deviations.
 *
 * One thread without SVM: the host and guest bits of a selector can be set and have no effect. A unit mask
 * that no row of the event table has counts nothing here, as an unknown code does. IBS, branch records and
 * the counters of northbridge, L2I and L3 are not modelled; the profiles' CPUID does not offer them.
 */
#ifndef PMU_AMD_MODEL_H
#define PMU_AMD_MODEL_H

#include "pmu/amd/generation.h"
#include "pmu/amd/registers.h"
#include "pmu/model.h"
#include "pmu/mutant.h"

#ifdef MODEL_MUTANTS
enum amd_mutant {
	M_NONE,
#define AMD_MUTANT(id, text) id,
#include "pmu/amd/mutants.def"
#undef AMD_MUTANT
	M_COUNT
};
#endif

/** Deviations; the order is that of amd_injections[]. */
enum amd_injection {
#define AMD_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/amd/injections.def"
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
	bool edge, invert;
	uint8_t cmask;

	/* Changed by counting. */
	bool level;   /* condition of the previous cycle, for edges */
	bool carried; /* the last step carried from bit 31 to bit 32 */
};

struct amd_state {
	unsigned generation, n; /* core counters */
	bool extended, v2, freezes, has_irperf, has_aperf;
	uint64_t injections;

	uint64_t select[AMD_CORE_MAX];
	uint64_t global_control, status, debugctl, hwcr;
	struct amd_counter counter[AMD_COUNTERS];
	bool watched; /* MPERF or APERF was accessed: from then on they have to be kept */

	uint32_t running; /* counters that count now */
	uint32_t started; /* of them, those that the last write started */
	uint8_t run_list[AMD_COUNTERS];
	unsigned n_running;
	bool quick; /* nothing that runs needs more than adding up weighted terms and core cycles */

	unsigned pmi_pending;
	bool freeze;      /* an interrupt was raised in this step */
	bool interrupted; /* one was raised since the counters were last programmed (injected) */
	uint64_t steps;
	bool overflowed; /* in this step */
	uint32_t noise;
	uint8_t late; /* steps until a request that is held back goes out (injected); 0: there is none */
};

static inline bool injected(const struct amd_state *s, enum amd_injection i)
{
	return s->injections >> i & 1;
}

/** Decode the selector of core counter c. */
void amd_decode(struct amd_state *s, unsigned c);

/** What the free-running counters count. */
void amd_decode_free(struct amd_state *s);

/** Work out which counters run, after any register that has a say was written. */
void amd_update_running(struct amd_state *s);

bool amd_counts(const void *state, enum quantity q);
bool amd_advance(void *state, const struct model_step *step);
int amd_increments(void *state, const struct model_step *step, struct model_increment *out, unsigned room);

extern const struct model_injection amd_injections[];

#endif
