/*
 * Mutation tests: the tests of a model are run once for each mutant of its rules (scripts/gen-mutants).
 */
#ifndef TESTS_SELF_HOST_SUPPORT_MUTATION_H
#define TESTS_SELF_HOST_SUPPORT_MUTATION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/**
 * Number of the tests that fail while a mutant is active. They run in a child: a failure may leave the state
 * in pieces.
 * @param active the model's variable that says which mutant is; it stays as it is here
 * @return -1 if the child did not come to its end
 */
int mutation_failures(int *active, int mutant, const struct CMUnitTest *tests, size_t n_tests);

/**
 * Demand that the model as it is passes all its tests, and that every mutant makes at least one fail. Prints
 * a line for each mutant.
 * @param model    "Intel"
 * @param mutants  what each breaks; number 0 is none
 */
void mutation_demand(const char *model, int *active, const char *const *mutants, int n_mutants,
		     const struct CMUnitTest *tests, size_t n_tests);

#endif
