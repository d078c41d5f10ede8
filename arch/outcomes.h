/*
 * Outcomes: what befalls fetches, accesses and vector code in a processor's caches and pipelines, beyond the
 * quantities of pmu/quantity/common.def. An instruction set says which of its own quantities each of them is,
 * so that a model of a machine need not know any.
 *
 * Example: on x86 a store that brings a line into the first-level data cache adds one l1d.fill, because its
 * outcome_quantities[OUTCOME_L1D_FILL] is Q_L1D_FILL. The toy machine has no quantity for that: Q_COUNT.
 */
#ifndef ARCH_OUTCOMES_H
#define ARCH_OUTCOMES_H

#include "pmu/quantity/quantity.h"

enum outcome {
	OUTCOME_L1D_FILL,     /* a line comes into the first-level data cache */
	OUTCOME_WALK_LOAD,    /* a load's translation is walked for: of a page of the smallest size ... */
	OUTCOME_WALK_LOAD_2M, /* ... of the next one ... */
	OUTCOME_WALK_LOAD_1G, /* ... of the one after that */
	OUTCOME_WALK_STORE,   /* the same of a store */
	OUTCOME_WALK_STORE_2M,
	OUTCOME_WALK_STORE_1G,
	OUTCOME_STORE_TO_CODE, /* the pipeline starts over: a store hit code that it may hold */
	OUTCOME_MEMORY_ORDER,  /* the same: a load went ahead of what it should have waited for */
	OUTCOME_DENORMAL,      /* a denormal number took an assist */
	OUTCOME_UPPERS,        /* upper halves of vector registers were saved or restored ... */
	OUTCOME_UPPERS_SAVED,  /* ... which of both it was */
	OUTCOME_UPPERS_RESTORED,
	OUTCOME_DECODED,        /* a micro-operation came from the decoders ... */
	OUTCOME_CACHED,         /* ... or from a cache of decoded instructions */
	OUTCOME_DECODED_MISS,   /* which was looked up and did not have it */
	OUTCOME_READ_DATA,      /* a request left the core: for data ... */
	OUTCOME_READ_CODE,      /* ... for code ... */
	OUTCOME_OWN,            /* ... for ownership */
	OUTCOME_READ_DATA_MISS, /* of those, what the last level did not have */
	OUTCOME_READ_CODE_MISS,
	OUTCOME_OWN_MISS,
	OUTCOMES
};

/** The instruction set's quantity for each; Q_COUNT: it has none. */
extern const quantity_number outcome_quantities[OUTCOMES];

#endif
