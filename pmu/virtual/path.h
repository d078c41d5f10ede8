/*
 * The known path: where a piece of code really went, instruction by instruction, seen by single-stepping it
 * on the very CPU under test. Records (pmu/contract/record.h) are judged against it. docs/records.md says why
 * it may be trusted.
 *
 * While the path is walked, no register of a PMU is touched: RDMSR, WRMSR and RDPMC that lie outside of the
 * code of interest, which are the bracket's, do nothing (reads give 0).
 */
#ifndef PMU_VIRTUAL_PATH_H
#define PMU_VIRTUAL_PATH_H

#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"
#include "pmu/virtual/uarch.h"

#include <stdbool.h>
#include <stdint.h>

/** Retirement of an instruction, of iterations of one, or the delivery of an event: as struct step. */
struct path_step {
	uint64_t ip, next;
	uint32_t access, terms; /* the first of them in the path */
	uint8_t n_access, n_terms;
	uint8_t transfer; /* enum step_transfer */
	uint8_t length;   /* 0: a delivered event */
	uint8_t level, level_after;
};

/** Where a CPU counts what leads from one ring to another, as far as that was measured. All zero: in the ring
 * that it begins in, and a delivery counts as the terms of its step say. */
struct path_rule {
	bool returns_in_new;      /* IRET, SYSRET and SYSEXIT count in the ring that they lead to */
	bool calls_in_new;        /* INT n, SYSCALL and SYSENTER do */
	struct qterm delivery[8]; /* what each delivery of an exception or interrupt counts besides; amount 0
				     ends */
};

struct path {
	/* Set by path_create(). */
	struct path_step *step;
	struct step_registers *registers; /* after each step; NULL: not kept */
	uint64_t *vectors, *upper; /* likewise, of XMM registers and upper halves: pmu/contract/vectors.h */
	struct step_access *access;
	struct qterm *terms; /* without what depends on the micro-architecture */
	unsigned room;

	/* Set by path_walk(). The steps begin behind the last WRMSR before the code of interest and end
	 * before the first one behind it. */
	unsigned n_steps, n_access, n_terms;
	unsigned from, to;     /* the steps of the code of interest: from .from up to, not including, .to */
	bool overflow;         /* there was no room for all: what is there is the beginning */
	struct path_rule rule; /* for path_occurrences(); path_walk() sets it to all zero */
	/* Used while it walks. */
	uint64_t begin, end;
	uint8_t stage;
};

/** Data accesses and terms that there is room for per step, on average. */
#define PATH_ACCESSES 4
#define PATH_TERMS    10

/** Make room for a path of so many steps, some 130 bytes each, and with registers some 270. @return false if
 * memory is short */
bool path_create(struct path *p, unsigned steps, bool registers);
void path_free(struct path *p);

/**
 * Run fn(arg), which runs the code from address `begin` to `end`, and note its path. The code is entered
 * once, at its beginning, and left at its end. As step_call() of arch/step.h: not to be called from
 * stepped code.
 */
void path_walk(struct path *p, uint64_t begin, uint64_t end, void (*fn)(void *), void *arg);

/** Amount of a quantity in one step. */
uint64_t path_amount(const struct path *p, unsigned step, enum quantity q);

/** The ring behind a step; behind that of an INT n, whose delivery is a step of its own, and nothing is taken
 * between them. */
uint8_t path_level_after(const struct path *p, unsigned step);

/** Occurrences of an event in one step of the path, if the step's ring is one of `rings` (enum pmu_levels).
 */
uint64_t path_occurrences(const struct path *path, unsigned step, const struct pmu_event *e, unsigned levels);

/** Whether each step of the code of interest begins where the one before it ended; else *at is one that does
 * not. */
bool path_is_connected(const struct path *p, unsigned *at);

#endif
