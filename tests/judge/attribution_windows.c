#include "tests/judge/attribution_windows.h"
#include "tests/judge/expectation_level.h"

#include "arch/levels.h"

unsigned trip_delivered_as(const struct pmu_event *e)
{
	int times = event_coefficient(e, Q_EXCEPTIONS);

	return times == event_coefficient(e, Q_INTERRUPTS_HW) &&
			       times == event_coefficient(e, Q_INTERRUPTS_NMI) && times > 0
		       ? (unsigned)times
		       : 0;
}

bool trip_stands_for(enum trip_class class, const struct pmu_event *first, const struct pmu_event *second,
		     struct pmu_event *sum)
{
	unsigned last = event_own_terms(first);

	if (event_coefficient(first, trip_quantity(class)) != 1)
		return false;
	if (sum)
		*sum = *first;
	if (!second)
		return last == 1 + 3 * (trip_delivered_as(first) == 1);
	if (first->judgement != EVENT_EXACT || last != 3 || first->terms[1].quantity != Q_BR_COND_NTAKEN ||
	    first->terms[2].coefficient != -1 || second->terms[0].quantity != first->terms[2].quantity ||
	    second->terms[0].coefficient != 1 || second->terms[1].coefficient)
		return false;
	if (sum)
		sum->terms[2].coefficient = 0;
	return true;
}

/* The whole number by which the most frequent counts, those of all events together, grow with each trip. */
static bool slope_of(const struct trip_windows *w, enum trip_filter filter, int64_t *slope)
{
	uint64_t n[TRIP_TURNS];
	int64_t value[TRIP_TURNS];
	struct line line;

	for (unsigned i = 0; i < w->n_turns; i++) {
		n[i] = w->events[0].seen[filter][i].n;
		value[i] = 0;
		for (unsigned e = 0; e < w->n_events; e++)
			value[i] += histogram_mode(&w->events[e].seen[filter][i].seen);
	}
	if (!line_fit(n, value, w->n_turns, &line) || !line.straight || line.den != 1)
		return false;
	*slope = line.slope_num;
	return true;
}

/* Of one trip, in both levels and in ring 3, as the manual has it. */
static bool by_manual(const struct pmu_event *e, const struct kernel *k, uint8_t level, int64_t *all,
		      int64_t *user)
{
	struct expectation x[4];

	for (unsigned i = 0; i < 4; i++)
		if (expectation_at_level(e, k, i < 2 ? 0 : level, i % 2 ? 2 : 1, NULL, &x[i]) ||
		    x[i].low != x[i].high)
			return false;
	*all = x[1].low - x[0].low;
	*user = level ? x[3].low - x[2].low : 0;
	return true;
}

/* An exception of another vector has to agree with those before it. */
static void enter(struct trip_count *place, const struct trip_count *t)
{
	if (place->state == TRIP_UNKNOWN || (place->state == TRIP_IN_USER && t->state == TRIP_COUNTED &&
					     place->counted.usr == t->counted.usr))
		*place = *t;
	else if (trip_known(place) && trip_known(t) && place->counted.usr == t->counted.usr &&
		 (t->state == TRIP_IN_USER || place->counted.os == t->counted.os))
		return;
	else if (place->state != t->state || place->counted.os != t->counted.os ||
		 place->counted.usr != t->counted.usr)
		place->state = TRIP_DIFFERS;
}

bool attribution_take(struct attribution *a, const struct trip_windows *w, struct trip_count *out)
{
	const struct kernel *k = kernel_by_name(w->source->kernel);
	const struct trip_count *asking = &a->trip[w->class][TRIP_CALL][1];
	struct trip_slopes slopes = {.trip = (enum trip)w->source->trip, .class = w->class};
	struct pmu_event sum;
	int64_t all, user;

	*out = (struct trip_count){0};
	if (!k ||
	    !trip_stands_for(w->class, w->events[0].event, w->n_events > 1 ? w->events[1].event : NULL, &sum))
		return false;
	slopes.from_user = k->flags & KERNEL_USER_ONLY;
	slopes.delivery = (uint8_t)trip_delivered_as(&sum);
	if (!by_manual(&sum, k, slopes.from_user ? (uint8_t)level_user() : 0, &all, &user) ||
	    (w->source->asks && !trip_known(asking)))
		return false;
	slopes.rest_usr = user;
	slopes.rest_os = all - user;
	if (w->source->asks) {
		slopes.rest_usr += asking->counted.usr - asking->manual.usr;
		slopes.rest_os += asking->counted.os - asking->manual.os;
	}
	slopes.usr_straight = slope_of(w, TRIP_FILTER_USR, &slopes.usr);
	slopes.straight =
		slope_of(w, TRIP_FILTER_OS, &slopes.os) && slope_of(w, TRIP_FILTER_ALL, &slopes.all);
	*out = trip_judge(&slopes);
	enter(&a->trip[w->class][w->source->trip][slopes.from_user], out);
	return true;
}
