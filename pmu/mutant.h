/*
 * Mutants of a model: each rule that can be broken says how, beside the rule. Only a test build
 * (-DMODEL_MUTANTS) can switch to the broken form; everywhere else the macro is the rule itself. A host test
 * runs the model's tests once for every mutant and demands that each is caught.
 */
#ifndef PMU_MUTANT_H
#define PMU_MUTANT_H

#ifdef MODEL_MUTANTS
/** The mutant that is active, 0 for none. */
extern int model_mutant;
#define MUTANT(id, normal, mutated) (model_mutant == (id) ? (mutated) : (normal))
#else
#define MUTANT(id, normal, mutated) (normal)
#endif

#endif
