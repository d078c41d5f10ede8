/*
 * The rules of the AMD model, one test each. Run once as they are (test_amd_model.c) and once for each mutant
 * (test_amd_mutants.c).
 */
#ifndef TESTS_SELF_HOST_AMD_MODEL_TESTS_H
#define TESTS_SELF_HOST_AMD_MODEL_TESTS_H

#include "tests/self/host/amd_counting_tests.h"
#include "tests/self/host/amd_overflow_tests.h"
#include "tests/self/host/amd_register_tests.h"

#define MODEL_RULE_TESTS                                                                                     \
	cmocka_unit_test(reset_state), cmocka_unit_test(presence), cmocka_unit_test(aliases),                \
		cmocka_unit_test(selector_bits), cmocka_unit_test(counter_write),                            \
		cmocka_unit_test(global_bits), cmocka_unit_test(rdpmc_rules), cmocka_unit_test(rdpmc_map),   \
		cmocka_unit_test(enables), cmocka_unit_test(rings), cmocka_unit_test(events),                \
		cmocka_unit_test(wiring_of_15h), cmocka_unit_test(clocks), cmocka_unit_test(amounts_add_up), \
		cmocka_unit_test(own_write), cmocka_unit_test(thresholds), cmocka_unit_test(edges),          \
		cmocka_unit_test(increments), cmocka_unit_test(wrap), cmocka_unit_test(status),              \
		cmocka_unit_test(interrupts), cmocka_unit_test(freeze),                                      \
		cmocka_unit_test(free_running_counters), cmocka_unit_test(no_status_of_missing_counters),    \
		cmocka_unit_test(large_increments), cmocka_unit_test(pairs_carry),                           \
		cmocka_unit_test(host_and_guest), cmocka_unit_test(guests_are_told_apart),                   \
		cmocka_unit_test(others_are_apart), cmocka_unit_test(tagged_operations)

#endif
