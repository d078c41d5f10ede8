/*
 * The PMU model contract: an executable specification of one PMU family's registers. Pure C, no privileged
 * instruction, runs on the host under sanitizers and in the image behind the vPMU alike.
 *
 * Example: what the virtual PMU does with a model, once for each instruction that it steps over.
 *
 *     if (reads_or_writes_register(&a) && model->access(state, &a) == REGISTER_FAULT)
 *             raise_exception();
 *     if (model->advance(state, &step) && model->take_pmi(state))
 *             request_interrupt();
 *
 * Example: the whole of advance() in a model with one counter of instructions.
 *
 *     static bool advance(void *state, const struct step *step)
 *     {
 *             struct example_state *s = state;
 *             uint64_t before = s->counter;
 *
 *             if (s->enabled && !step->own_write)
 *                     s->counter = (before + 1) & low_bits(WIDTH);
 *             s->request |= s->counter < before;
 *             return s->counter < before;
 *     }
 */
#ifndef PMU_CONTRACT_MODEL_H
#define PMU_CONTRACT_MODEL_H

#include "arch/register.h"
#include "arch/step.h"
#include "pmu/contract/erratum.h"
#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A chosen virtual CPU. */
struct model_profile {
	const char *name;        /* "intel-core2", as in pmu=virtual:intel-core2 */
	const char *description; /* "Core 2 (Merom), architectural PMU version 2" */
	const struct pmu_model *model;
	const void *identity; /* what the CPU tells software of itself, in the form of its instruction set,
				 which answers with it: x86's is struct cpuid_table
				 (arch/x86/cpu/cpuid_table.h) */
	uint8_t threads;      /* logical processors of a core that share the PMU; 0 and 1: one */
	bool late;            /* sampled records come late, as on silicon, where the hardware does not promise
				 better (record_is_exact()) */
	const void *data;     /* the model's own parameters */
};

/** A deviation that can be switched on in a model (inject=NAME): a published erratum or a generic fault. */
struct model_injection {
	const char *name;    /* "dropped-carry" */
	const char *summary; /* what goes wrong, in words */
};

/** What a step adds to one counter. */
struct model_increment {
	uint64_t *counter; /* or a divider in front of one */
	uint64_t limit;    /* the highest value that can take the amount without an overflow */
	uint64_t amount;
};

/** What goes wrong, of an injection that is a published erratum. */
#define MODEL_AS_PUBLISHED "as the erratum of this number says (docs/errata)"

/** Which of a model's injections are active: a bit for each, in the order of pmu_model.injections[]. */
#define MODEL_INJECTION_WORDS 3
#define MODEL_INJECTIONS_MAX  (64 * MODEL_INJECTION_WORDS)
struct model_injected {
	uint64_t word[MODEL_INJECTION_WORDS];
};

static inline bool model_injected(const struct model_injected *set, unsigned i)
{
	return set->word[i / 64] >> i % 64 & 1;
}

static inline bool model_injected_any(const struct model_injected *set)
{
	uint64_t any = 0;

	for (unsigned w = 0; w < MODEL_INJECTION_WORDS; w++)
		any |= set->word[w];
	return any;
}

struct pmu_model {
	const char *name; /* "intel" */
	size_t state_size;
	const struct model_injection *injections; /* name NULL ends; at most MODEL_INJECTIONS_MAX;
						     index = bit of struct model_injected */
	const struct errata *errata; /* whose numbers name injections, too; NULL: none are known */
	/** Whether delivery leaves the mask bit of the LVT performance entry alone (AMD); NULL: it does not.
	 */
	bool (*line_stays)(const void *state);

	/** Power-up state for a profile, with these injections active; NULL: none. */
	void (*reset)(void *state, const struct model_profile *profile,
		      const struct model_injected *injections);

	/**
	 * An instruction accesses a register. Reads: a->value gets what it holds before the instruction
	 * retires; 0 where there is no telling.
	 *
	 * A write takes effect at once; the vPMU accounts for the instruction afterwards, with advance() and
	 * .own_write set. The rule of this machine is: a write that starts a counter is not counted by it,
	 * nor is one that stops it; a counter that runs before and after the write counts it. So a counter
	 * that has just been stopped does nothing in that advance() of itself, and one that this write has
	 * started must leave a step with .own_write out. (Not called when nothing was counting, and nothing
	 * being recorded, before the write.)
	 * @return REGISTER_FAULT if it raises an exception; REGISTER_NOT_MINE if no register of this PMU is
	 * meant: the machine answers
	 */
	enum register_answer (*access)(void *state, struct register_access *a);

	/** Whether the register of this access holds the enable of single counters, where brackets start them
	 * by another one (enum pmu_switch). NULL: there are no two. */
	bool (*other_switch)(const void *state, const struct register_access *a);

	/**
	 * Time goes on by one step.
	 * @return true if that changed more than values of counters (an overflow: its status, a request, a
	 * freeze)
	 */
	bool (*advance)(void *state, const struct step *step);

	/** Whether a counter that runs now adds anything for quantity q, clocks apart. NULL: increments() is
	 * asked instead. */
	bool (*counts)(const void *state, enum quantity q);

	/** Whether advance() can change anything at all now (an enabled counter exists): lets the vPMU skip
	 * it. Cheap. */
	bool (*counting)(const void *state);

	/**
	 * A short cut for steps that are alike. Where this step, and every equal one until the next write
	 * or advance() that returns true, does nothing but add constants to counters as long as no counter
	 * overflows, write them to out; the vPMU then adds them itself, and calls advance() only for a step
	 * that would overflow a counter. NULL: there is none.
	 * @return how many were written, -1 if there is more to the step than that, or if there is no room
	 */
	int (*increments)(void *state, const struct step *step, struct model_increment *out, unsigned room);

	/**
	 * Whether the model writes records of instructions or branches as its registers stand. While true
	 * every step comes by advance(), with all its fields, whether anything counts or not. Asked after
	 * each write and each advance() that returns true. Cheap. NULL: never.
	 */
	bool (*recording)(const void *state);

	/** Whether its records tell XMM registers as things stand; asked when recording() is. NULL: never. */
	bool (*shows_vectors)(const void *state);

	/** Gives the model the machine's memory, right after reset(); without it, it writes no record there.
	 * NULL: the model has none that go to memory. `memory` stays valid as long as the state. */
	void (*attach)(void *state, const struct step_memory *memory);

	/** From now on registers are accessed by this logical processor; by the first one after reset(). For
	 * models of cores whose logical processors have registers of their own. NULL: there is one. */
	void (*place)(void *state, unsigned thread);

	/** Take the pending overflow interrupt request (edge: true once per request). */
	bool (*take_pmi)(void *state);

	/** The same for requests that go through an entry of AMD's extended local vector table (APIC offset
	 * 500H + 10H * *entry), which delivery leaves alone. NULL: there are none. */
	bool (*take_extended)(void *state, unsigned *entry);

	/** The same for one of two logical processors that share the counters; take_pmi() is that of the
	 * first. NULL: there is one. */
	bool (*take_pmi_of)(void *state, unsigned thread);

	/** Whether the core has another logical processor, with registers of its own. NULL: it has not. */
	bool (*has_other)(const void *state);

	/** These two states are those of one core's logical processors, the first of thread 0. Right after
	 * reset() of both. From now on advance() of either gets the steps of both: step.thread says whose.
	 * Goes with has_other(). */
	void (*join)(void *first, void *second);
};

/** A machine whose processors are not all alike: pmu=virtual:NAME gives each its profile. */
#define MODEL_HYBRID_CORES 2
struct model_hybrid {
	const char *name;                                     /* "intel-alderlake" */
	const struct model_profile *core[MODEL_HYBRID_CORES]; /* of the boot processor, and of all others */
};

/** The i-th such machine of all families, from 0; NULL behind the last one. */
const struct model_hybrid *model_hybrid(unsigned i);
const struct model_hybrid *model_hybrid_by_name(const char *name);

/** The i-th profile of all families, from 0; NULL behind the last one. */
const struct model_profile *model_profile(unsigned i);
const struct model_profile *model_profile_by_name(const char *name);

#endif
