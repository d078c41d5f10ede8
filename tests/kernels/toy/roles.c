#include "tests/kernels/roles.h"

#include <stddef.h>

const struct trip_ways trip_ways = {
	.name = {[TRIP_CALL] = "calls", [TRIP_INTERRUPT] = "interrupts"},
	.return_into_user = "return into the program",
	.user_alone = "in user alone",
	.of = {[TRIP_INSTRUCTIONS] = {1, 1, 1}, [TRIP_BRANCHES] = {1, 1, 1}},
};

const struct trip_source trip_sources[] = {
	{"timer", TRIP_INTERRUPT, false},
	{"", 0, false},
};

const struct kernel_disturbance disturbances[] = {
	{"timer interrupt", "timer", false},
	{NULL, NULL, false},
};

const char *const kernels_sampled[] = {"loads",          "stores",   "copy", "calls",
				       "branches_taken", "nop_loop", NULL};

const char *const kernels_sampled_more[] = {NULL};

const char kernel_flushes[] = "";

const char kernels_traced[] = "branches_taken,calls,calls_indirect,supervisor_calls";

const char kernels_of_misses[] = "nop_loop,calls";
