#include "tests/kernels/roles.h"

#include <stddef.h>

const struct trip_ways trip_ways = {
	.name = {[TRIP_CALL] = "SVC", [TRIP_FAULT] = "faults", [TRIP_INTERRUPT] = "interrupts"},
	.return_into_user = "ERET into EL0",
	.user_alone = "at EL0 alone",
	.of = {[TRIP_INSTRUCTIONS] = {1, 1, 1},
	       [TRIP_INSTRUCTIONS_FIXED] = {1, 1, 1},
	       [TRIP_BRANCHES] = {1, 1, 1},
	       [TRIP_SYSTEM_BRANCHES] = {1, 1, 1}},
};

const struct trip_source trip_sources[] = {
	{"system_calls", TRIP_CALL, false},   {"data_abort", TRIP_FAULT, false},
	{"undefined", TRIP_FAULT, false},     {"irq_gicv3", TRIP_INTERRUPT, false},
	{"irq_gicv2", TRIP_INTERRUPT, false}, {"", 0, false},
};

const struct kernel_disturbance disturbances[] = {
	{"interrupt", "irq_gicv3", false},     {"interrupt", "irq_gicv2", false},
	{"system call", "system_calls", true}, {"undefined instruction", "undefined", true},
	{"data abort", "data_abort", true},    {NULL, NULL, false},
};

const char *const kernels_sampled[] = {"loads",          "stores",   "copy", "calls",
				       "branches_taken", "nop_loop", NULL};

const char *const kernels_sampled_more[] = {NULL};

const char kernel_flushes[] = "";

const char kernels_traced[] = "";

const char kernels_of_misses[] = "nop_loop,calls";
