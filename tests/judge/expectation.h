/*
 * Expectations: what an event should show on a kernel, from the event's quantities and the kernel's signature
 * alone.
 */
#ifndef TESTS_JUDGE_EXPECTATION_H
#define TESTS_JUDGE_EXPECTATION_H

#include "pmu/contract/pmu.h"
#include "tests/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

enum expectation_status {
	EXPECTATION_OK,
	EXPECTATION_UNDEFINED, /* the kernel does not define one of the event's quantities */
	EXPECTATION_OVERFLOW,  /* the arithmetic leaves 64 bits: N is too large */
	EXPECTATION_TOO_WIDE,  /* the count leaves the counter's width: N is too large */
	EXPECTATION_NEGATIVE,  /* less than nothing: the event's terms or the signature are wrong */
	EXPECTATION_NO_TERMS,  /* the event declares no quantity */
};

struct expectation {
	enum expectation_status status;
	int64_t low, high;             /* equal when exact; INT64_MAX: no upper bound */
	enum quantity quantity;        /* that made the status, else the first term's */
	const char *reason;            /* of an interval; NULL when exact */
	const struct event_rule *rule; /* the documented exception that has a share in it; NULL if none has */
};

/**
 * The event's terms applied to the signature of kernel k at N = n, and to the family-wide bounds (bounds.h)
 * where the signature says nothing. A negative coefficient swaps the ends of an interval; an interval's low
 * end is never below 0. An event with a counter mask or edge detection has no more than cycles, or half of
 * them.
 * @return out->status
 */
enum expectation_status expectation(const struct pmu_event *e, const struct kernel *k, uint64_t n,
				    struct expectation *out);

/**
 * What hardware must count of event e on kernel k at least (its floor), and may count besides: an event that
 * counts at least its terms (EVENT_AT_LEAST) has a rule that says what else it may count, and how much of
 * that there is at most follows from the kernel as the terms do. Any rule may leave unsaid whether some
 * quantities count, or say that they may be left out. Where the kernel has none of it the expectation stays
 * as it is. Models count nothing of it. Deliveries of interrupts and exceptions are a list of their own
 * (struct event_deliveries).
 * @param ring the ring that counts: 3, or 0 for a window that is counted whole
 * @param n as x was made with
 */
void expectation_allow_more(struct expectation *x, const struct pmu_event *e, const struct kernel *k,
			    uint8_t level, uint64_t n);

/**
 * How often the event's floor says that hardware counts it at least on kernel k; 0 if it has none, or the
 * kernel forces nothing, or leaves its ring.
 */
int64_t expectation_floor(const struct pmu_event *e, const struct kernel *k, uint64_t n);

/** How often at most, where the floor says that the event counts nothing else there; INT64_MAX: it does not
 * say that. */
int64_t expectation_top(const struct pmu_event *e, const struct kernel *k, uint64_t n);

/**
 * Whether a counter that goes up to `highest` holds the expected count plus the bracket's `share`.
 * @return EXPECTATION_OK, or EXPECTATION_TOO_WIDE, which is put into e->status as well
 */
enum expectation_status expectation_fits(struct expectation *e, int64_t share, uint64_t highest);

/** One line for a status that is not OK, naming the quantity. */
void expectation_explain(const struct expectation *e, const struct kernel *k, uint64_t n, char *text,
			 size_t size);

/** The bracket's own contribution to an event, subtracted from every raw count. */
int64_t bracket_share(const struct pmu_bracket *b, const struct pmu_event *e);

#endif
