/*
 * Premises the other way round: what no manual promises of a PMU, and what Assay therefore measures, made
 * otherwise on a virtual CPU (pmu/virtual/premises.def). It works on what reaches a model and on the counters
 * that it offers for adding, so every family has it and no model knows of it.
 */
#ifndef PMU_VIRTUAL_PREMISES_H
#define PMU_VIRTUAL_PREMISES_H

#include "arch/step.h"
#include "pmu/contract/model.h"
#include "pmu/virtual/uarch.h"

enum premise {
#define PREMISE(id, name, summary) PREMISE_##id,
#include "pmu/virtual/premises.def"
#undef PREMISE
	PREMISES
};

/** Terms that premises_step() and premises_delivery() may add. */
#define PREMISE_TERMS 3

/** Counters that a write of a register may start or stop, as the model offers them. */
#define PREMISE_COUNTERS 32

/** What there is to remember. All zero: every premise holds. */
struct premises {
	uint32_t faults;                  /* bit per enum premise */
	uint64_t *seen[PREMISE_COUNTERS]; /* counters in the order in which they were first started */
	unsigned n_seen, starts;
	struct model_increment before[PREMISE_COUNTERS];
	int n_before;                    /* -1: the model cannot tell */
	bool by_other;                   /* the write is to the other switch (enum pmu_switch) */
	uint64_t kept[PREMISE_COUNTERS]; /* values of those seen, by premises_keep_others() */
};

static inline bool premise_broken(const struct premises *p, enum premise which)
{
	return p->faults >> which & 1;
}

/** Before the model carries out a WRMSR in ring 0, .by_other being set: what it would add to counters that
 * run.
 * @return true if the instruction is to reach the model before the write, and not after it: what the write
 * stops counts it then */
bool premises_before_write(struct premises *p, const struct pmu_model *model, void *state,
			   const struct step *write);

/**
 * After the model has carried it out: the counters that it has started count it where the premise says so.
 * One that would overflow by that does not.
 * @return true if the model cannot tell, and what the write has started is to see the instruction as any
 * other
 */
bool premises_after_write(struct premises *p, const struct pmu_model *model, void *state,
			  const struct step *write);

/**
 * The same where only some counters count what starts them, and the model cannot tell what the write has
 * started (it filters): the model is to see the instruction now, and premises_put_back() what that added to
 * counters that do not count it. Only counters that a write has started without a filter before are known.
 * @return whether it is to
 */
bool premises_keep_others(struct premises *p, const struct pmu_model *model, void *state,
			  const struct step *write);

/** @return whether none of those that count it has moved, but others have: then the model had better not have
 * seen the instruction at all */
bool premises_put_back(const struct premises *p);

/** An instruction that retires: the level that it counts at, and terms added behind step->n_terms. */
void premises_step(const struct premises *p, struct step *step, struct qterm *terms);

/** The delivery of an event: terms added behind step->n_terms. */
void premises_delivery(const struct premises *p, struct step *step, struct qterm *terms);

#endif
