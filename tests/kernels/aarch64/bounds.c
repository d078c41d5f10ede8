/*
 * AArch64's rows for tests/judge/bounds.c: of caches, TLBs, requests, predictions and the pipeline perf has
 * names alone. What a kernel forces of them are floors of events (pmu/armv8/events/floors.def).
 */
#include "tests/judge/bound_rows.h"

#include <stddef.h>

enum limit {
	LIMIT_VALUE_NONE = 0,
#define LIMIT(name, value, kind, source) LIMIT_VALUE_##name = (value),
#include "tests/kernels/aarch64/limits.def"
#undef LIMIT
};

#define SOME(of)                                                                                             \
	WATCHED(of, NONE, A_WINDOW, NULL, PARTS(UP(INSTRUCTIONS, OF_AN_INSTRUCTION)),                        \
		"how often is in no document")

static const struct bound rows[] = {
	SOME(CACHES_SOME),      SOME(TRANSLATIONS_SOME), SOME(REQUESTS_SOME),
	SOME(PREDICTIONS_SOME), SOME(PIPELINE_SOME),     SOME(UOPS),
	SOME(L1D_LOAD_MISS),    SOME(L1I_MISS),          SOME(LLC_REF),
	SOME(LLC_MISS),
};

const struct bound_table bounds_instruction_set = {.rows = rows, .n_rows = sizeof rows / sizeof *rows};
