/*
 * Mutants of a model: each rule that can be broken says how, beside the rule. Only a test build
 * (-DMODEL_MUTANTS) can switch to the broken form; everywhere else the macro is the rule itself. Host tests
 * run the model's tests once for every mutant, a test image (tests/self/mutants) runs the suites; each
 * demands that every mutant is caught.
 */
#ifndef PMU_CONTRACT_MUTANT_H
#define PMU_CONTRACT_MUTANT_H

#ifdef MODEL_MUTANTS
/** The mutant that is active, 0 for none. */
extern int model_mutant;
#define MUTANT(id, normal, mutated) (model_mutant == (id) ? (mutated) : (normal))
#define MUTANT_LIST(list)           (list)
#else
#define MUTANT(id, normal, mutated) (normal)
#define MUTANT_LIST(list)           NULL
#endif

/** A mutant as the model lists it; the first one is number 1. */
struct model_mutant {
	const char *id;   /* "M_WRAP" */
	const char *text; /* what is broken */
};

#endif
