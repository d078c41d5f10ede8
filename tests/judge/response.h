/*
 * Responses: what an event of unknown meaning counts on many kernels, and which quantities would count the
 * same.
 */
#ifndef TESTS_JUDGE_RESPONSE_H
#define TESTS_JUDGE_RESPONSE_H

#include "pmu/contract/event.h"
#include "pmu/contract/pmu.h"
#include "tests/kernels/kernel.h"
#include "tests/judge/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RESPONSE_TERMS       3  /* quantities in one sum */
#define RESPONSE_COEFFICIENT 64 /* greatest */
#define RESPONSE_MULTIPLES   2  /* counted at N and 2N */

/** Where events were counted, and how much of each quantity there is to count. */
struct response_space {
	unsigned n_kernels, room;
	const struct kernel **kernel;
	uint64_t n;
	struct qterm own[16]; /* what the bracket adds, as in struct pmu_bracket */

	/* Made by response_prepare(): columns of amounts, those that are the same everywhere taken together.
	 */
	unsigned n_columns;
	struct response_column {
		quantity_number quantity; /* the first of those that these kernels do not tell apart */
		uint8_t others;           /* how many more there are */
		unsigned pivot;           /* a point where it is not 0 */
		int64_t *amount;          /* by point: RESPONSE_MULTIPLES of each kernel */
	} column[Q_COUNT];
	int64_t *memory;
};

enum response_kind {
	RESPONSE_SUM,     /* counts like a sum of quantities, everywhere */
	RESPONSE_BOUNDED, /* everywhere within the bounds of a micro-architectural quantity */
	RESPONSE_ZERO,    /* counts nothing anywhere */
	RESPONSE_UNKNOWN, /* like nothing known */
};

struct response {
	enum response_kind kind;
	unsigned n_terms;
	struct event_term term[RESPONSE_TERMS];
	unsigned others;  /* RESPONSE_SUM: so many other sums of as few terms do as well; of the quantities
			     themselves,  so many are not told apart from it */
	unsigned kernels; /* that answer with more than 0; RESPONSE_BOUNDED: that define the quantity and do
			     so */
};

/** What the repetitions of a measurement amount to. @return false if too few of them agree */
bool response_count(const struct histogram *seen, int64_t *count);

/** Add a kernel. @return false without memory */
bool response_add(struct response_space *s, const struct kernel *k);

/** Once all kernels are known. @return false without memory */
bool response_prepare(struct response_space *s);
void response_free(struct response_space *s);

/** Points of the space: kernel i at (m + 1) * N is point i * RESPONSE_MULTIPLES + m. */
static inline unsigned response_points(const struct response_space *s)
{
	return s->n_kernels * RESPONSE_MULTIPLES;
}

/** Find what counts as the event did, as few quantities as possible. @param count by point, the bracket's
 * share included */
void response_match(const struct response_space *s, const int64_t *count, struct response *out);

/** Whether an event that counted this means what another one does: on every kernel that says how much of that
 * there is. */
enum response_fit {
	RESPONSE_UNSAID, /* no kernel says */
	RESPONSE_MISFIT,
	RESPONSE_FIT,
};

/** @param more what hardware may count besides is right as well (expectation_allow_more()) */
enum response_fit response_fits(const struct response_space *s, const int64_t *count,
				const struct pmu_event *e, bool more);

/** "counts like br.cond.taken", "counts like 2 loads + stores", "counts nothing on any of 14 kernels". */
void response_say(const struct response_space *s, const struct response *r, char *text, size_t size);

/** The event's signature, "branches_taken 10N+1, calls 2N", kernels that count nothing left out; cut with
 * "..." */
void response_signature(const struct response_space *s, const int64_t *count, char *text, size_t size);

#endif
