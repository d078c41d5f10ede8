/*
 * The words of the rows of C that scripts/gen-events makes of a family's list, pmu/FAMILY/events/LIST.csv
 * (docs/adding-an-event.md):
 *
 * EVENT(name, cores, selector, counters, judgement, rule, floor, source, the family's columns..., terms...)
 * GROUP(name, cores, selector, source, the family's columns...): what the events behind it have in common
 *
 * The family defines EVENT, GROUP if its list has such rows, TERM(quantity, coefficient), ANY_COUNTER, and
 * FIXED(n) if counters are fixed; and the words of its columns. A rule or a floor that the list does not give
 * is NONE.
 */
#ifndef PMU_EVENTS_ROWS_H
#define PMU_EVENTS_ROWS_H

#include "pmu/contract/event.h"

#define EXACT  EVENT_EXACT
#define LEAST  EVENT_AT_LEAST
#define TIME   EVENT_TIME
#define BOUNDS EVENT_EXACT /* the terms are micro-architectural, and intervals themselves */

/** A term in 16 bits, for tables of which the image has thousands of rows: a coefficient of 1 or -1. */
#define EVENT_MINUS 0x8000
#define PACKED_TERM(quantity, coefficient)                                                                   \
	((uint16_t)((((coefficient) < 0) * EVENT_MINUS | (Q_##quantity + 1)) +                               \
		    0 * sizeof(struct {                                                                      \
			    _Static_assert((coefficient) == 1 || (coefficient) == -1, "no room for it");     \
			    int unused;                                                                      \
		    })))
_Static_assert(Q_COUNT < EVENT_MINUS, "a term has room for every quantity");

/**
 * Unpack terms.
 * @param packed 0 ends it, or n does
 * @param out becomes them, and nothing behind them
 */
static inline void event_unpack_terms(const uint16_t *packed, unsigned n, struct event_term out[EVENT_TERMS])
{
	for (unsigned i = 0; i < EVENT_TERMS; i++) {
		bool is = i < n && packed[i];

		out[i] = is ? (struct event_term){(quantity_number)((packed[i] & ~EVENT_MINUS) - 1),
						  packed[i] & EVENT_MINUS ? -1 : 1}
			    : (struct event_term){0};
		if (!is)
			n = i;
	}
}

#endif
