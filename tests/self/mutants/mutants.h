/*
 * Mutants of the PMU models, run in the image: what tells each of them.
 */
#ifndef TESTS_SELF_MUTANTS_MUTANTS_H
#define TESTS_SELF_MUTANTS_MUTANTS_H

/** A mutant as the model's list has it (scripts/gen-mutants); the first one is number 1. */
struct model_mutant {
	const char *id;   /* "M_WRAP" */
	const char *text; /* what is broken */
};

/** Those of the model of this name, id NULL ends; NULL: there are none. */
const struct model_mutant *model_mutants(const char *model);

/** A little run of one suite on one virtual CPU. */
struct mutant_trial {
	const char *profile;
	const char *suite;
	const char *checks; /* suite control: check=; events: event=; others: not looked at. NULL: all */
	const char *kernel; /* suites that take kernels: kernel=; NULL: a short list */
	const char *inject; /* what must happen for the rule to matter: inject=; NULL: nothing */
};

/** Where to look first for one mutant, so that all of them take seconds. */
struct mutant_hint {
	const char *model;  /* "netburst" */
	const char *mutant; /* "M_WRAP" */
	struct mutant_trial trial;
	const char *out_of_reach; /* no suite can tell, and why; the host's tests of the model can. NULL: one
				     can */
};

/** model NULL ends. */
extern const struct mutant_hint mutant_hints[];

#endif
