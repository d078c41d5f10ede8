/*
 * The rules of PMUv3's model, one test each. test_armv8_mutants.c runs them once as they are,
 * and once for each mutant.
 */
#ifndef TESTS_SELF_HOST_ARMV8_MODEL_TESTS_H
#define TESTS_SELF_HOST_ARMV8_MODEL_TESTS_H

#include "tests/self/host/armv8_model_counting.h"
#include "tests/self/host/armv8_model_registers.h"

#define MODEL_RULE_TESTS                                                                                     \
	cmocka_unit_test(presence), cmocka_unit_test(directions), cmocka_unit_test(user_accesses),           \
		cmocka_unit_test(kept), cmocka_unit_test(pairs), cmocka_unit_test(by_selection),             \
		cmocka_unit_test(after_reset), cmocka_unit_test(freeze_by_profiling),                        \
		cmocka_unit_test(enables), cmocka_unit_test(own_write), cmocka_unit_test(filters),           \
		cmocka_unit_test(events), cmocka_unit_test(overflows), cmocka_unit_test(interrupts),         \
		cmocka_unit_test(software), cmocka_unit_test(chains), cmocka_unit_test(divided),             \
		cmocka_unit_test(freezes), cmocka_unit_test(thresholds), cmocka_unit_test(long_steps),       \
		cmocka_unit_test(short_cut), cmocka_unit_test(user_counters), cmocka_unit_test(zeroes),      \
		cmocka_unit_test(ranges), cmocka_unit_test(instruction_counter), cmocka_unit_test(edges), \
		cmocka_unit_test(links), cmocka_unit_test(snapshots)

#endif
