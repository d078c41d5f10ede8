/*
 * Attribution: what entering a handler and returning from it count, and in which level. No manual tells it of
 * every CPU, and published counts differ from each other, so it is measured: as the slope over round trips,
 * less what kernel and handler execute besides. Expectations take it as data.
 */
#ifndef TESTS_JUDGE_ATTRIBUTION_H
#define TESTS_JUDGE_ATTRIBUTION_H

#include "pmu/contract/pmu.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"
#include "tests/kernels/roles.h"

enum trip_state {
	TRIP_UNKNOWN, /* not measured, or of more than the trips it is not known what it counts */
	TRIP_COUNTED,
	TRIP_IN_USER, /* in ring 3 alone: of OS there is no line, and the manual's number stays */
	TRIP_NO_LINE, /* no straight line of whole numbers over the trips */
	TRIP_NO_SUM,  /* what is counted in OS and in USR is not what is counted in both */
	TRIP_OUTSIDE, /* more than each of the two ways may count, or less than nothing */
	TRIP_DIFFERS, /* exceptions of different vectors disagree */
};

/** Counts per round trip in one level. */
struct trip_levels {
	int8_t os, usr;
};

struct trip_count {
	uint8_t state;                      /* enum trip_state */
	struct trip_levels counted, manual; /* .counted is of TRIP_COUNTED and TRIP_IN_USER */
};

struct expectation;

/** All zero: nothing was measured. */
struct attribution {
	struct trip_count trip[TRIP_CLASSES][TRIPS][2]; /* from ring 0, from ring 3 */
};

/** What was counted of one class over round trips of one kind. */
struct trip_slopes {
	enum trip trip;
	enum trip_class class;
	bool from_user;   /* the trips begin in ring 3 */
	uint8_t delivery; /* the event counts a delivery as so many, by its manual */
	bool straight,
		usr_straight; /* each count, that of USR, grew by the same whole number with each trip */
	int64_t os, usr, all;
	int64_t rest_os,
		rest_usr; /* of these what kernel and handler execute besides, the manual's trip included */
};

/** Whether something was found out. */
static inline bool trip_known(const struct trip_count *t)
{
	return t->state == TRIP_COUNTED || t->state == TRIP_IN_USER;
}

/** From slopes to an entry of the table. */
struct trip_count trip_judge(const struct trip_slopes *s);

/** What the manual has a round trip count: the call in the level that executes it, the return in ring 0. */
struct trip_levels trip_manual(enum trip_class class, enum trip trip, bool from_user, unsigned delivery);

/** The quantity of a class. */
enum quantity trip_quantity(enum trip_class class);

/** Whether the way into the handler is an instruction, and what the manual has the way back contribute. */
bool trip_is_call(enum trip trip);
int8_t trip_return(enum trip_class class, enum trip trip);

/** Names, as reports have them. */
const char *trip_name(enum trip trip);
const char *trip_class_name(enum trip_class class);
const char *trip_state_name(enum trip_state state);

/** How many round trips of a kind kernel k makes at N = n. */
uint64_t trips_of(const struct kernel *k, enum trip trip, uint64_t n);

/**
 * By how much event e counts more on kernel k, at N = n, than the manual has it: what was measured of the
 * round trips that it makes.
 * @param a      NULL: it is as the manual has it
 * @param levels enum pmu_levels: what the counter sees
 */
int64_t attribution_beyond(const struct attribution *a, const struct pmu_event *e, const struct kernel *k,
			   uint8_t levels, uint64_t n);

/** The same of the way to the user's level by a return, and back by an instruction that asks for an
 * interrupt. */
int64_t attribution_beyond_way(const struct attribution *a, const struct pmu_event *e, uint8_t levels);

/**
 * Where a return to the user's level counts by itself. It follows from what ends by one and begins by a
 * delivery: if all of that is in one level, so is the return, as long as it counts what the manual has it
 * count.
 * @return false if that is not known, or a return counts nothing of the class
 */
bool attribution_return(const struct attribution *a, enum trip_class class, struct trip_count *out);

/** Whether round trips bear on an event: it counts what they consist of. */
bool attribution_bears_on(const struct pmu_event *e);

/** Whether all that event e may count of the round trips of kernel k was measured: then nothing of it is left
 * open. */
bool attribution_covers(const struct attribution *a, const struct pmu_event *e, const struct kernel *k);

/** As expectation_allow_more(); but what a rule leaves open of deliveries is not open where it was measured
 * on this CPU. */
void attribution_allow_more(const struct attribution *a, struct expectation *x, const struct pmu_event *e,
			    const struct kernel *k, uint8_t level, uint64_t n);

/** Room for the text of a fact. */
#define ATTRIBUTION_FACT 320

/**
 * Facts: what deviates alike from the manual is one of them. To be called with *next = 0 first.
 * @return false if there are no more; else name gets the kinds of trips, text what they count
 */
bool attribution_fact(const struct attribution *a, unsigned *next, char name[ATTRIBUTION_FACT],
		      char text[ATTRIBUTION_FACT]);

/**
 * Measure it on run->pmu, unless that was done before, and kernel k (NULL: whatever runs) makes round trips:
 * run->pmu->attribution has it from then on. All of it goes into the report (run->attribution), and facts as
 * such. Not to be called within run->call().
 */
void attribution_measure(struct run *run, const struct kernel *k);

#endif
