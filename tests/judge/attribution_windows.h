/*
 * Windows of round trips: which kernels make them, what was counted, and what that makes of the attribution
 * (tests/judge/attribution.h). All that an entry rests on is in its arguments, so that a report can be judged
 * again from what it holds (tools/rejudge.c).
 */
#ifndef TESTS_JUDGE_ATTRIBUTION_WINDOWS_H
#define TESTS_JUDGE_ATTRIBUTION_WINDOWS_H

#include "tests/judge/attribution.h"
#include "tests/judge/verdict.h"

/** Numbers of round trips in a window. */
#define TRIP_TURNS 4

/** What a counter sees, by its ring filter. */
enum trip_filter { TRIP_FILTER_OS, TRIP_FILTER_USR, TRIP_FILTER_ALL, TRIP_FILTERS };

/** What was counted of one event. */
struct trip_event {
	const struct pmu_event *event;
	struct observation seen[TRIP_FILTERS]
			       [TRIP_TURNS]; /* of .n turns, which ascend; nothing is expected */
};

/** What was counted of a class: by one event, or by two whose sum has nothing of the micro-architecture left.
 */
struct trip_windows {
	const struct trip_source *source;
	enum trip_class class;
	unsigned n_events, n_turns;
	const struct trip_event *events;
};

/**
 * Whether events stand for a class: one that counts its quantity and nothing else but what is delivered, or
 * two of NetBurst's kind, that of which the first leaves out the second.
 * @param second NULL: there is but one
 * @param sum    gets what they count together; may be NULL
 */
bool trip_stands_for(enum trip_class class, const struct pmu_event *first, const struct pmu_event *second,
		     struct pmu_event *sum);

/** As what an event has deliveries counted, by its manual: so many of what it counts; 0 as well if exceptions
 * and interrupts differ. */
unsigned trip_delivered_as(const struct pmu_event *e);

/**
 * Work out an entry, and take it into the table. One that is there already has to agree.
 * @param a   what was taken before; of a source that .asks, its SYSCALL too
 * @param out gets the entry by itself
 * @return false if nothing can be made of it, then *out is TRIP_UNKNOWN: the kernel is no more, or its
 * signature leaves open what it and its handler execute besides, or what it asks by is not known
 */
bool attribution_take(struct attribution *a, const struct trip_windows *w, struct trip_count *out);

/** What the report gets. */
struct attribution_report {
	enum trip_class class;
	struct trip_windows
		windows; /* .source is NULL: of the IRET into ring 3, which has no windows of its own */
	struct trip_count count;
	bool virtual; /* counted on the virtual PMU */
};

#endif
