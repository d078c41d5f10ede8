#include "pmu/toy/toy.h"
#include "pmu/events/rows.h"
#include "pmu/toy/registers.h"

#define ANY_COUNTER ((1u << TOY_COUNTERS) - 1)
#define TERM(quantity, coefficient)                                                                          \
	{                                                                                                    \
		Q_##quantity, coefficient                                                                    \
	}

static const struct pmu_event rows[] = {
#define EVENT(id, cores, selector, on, judged, exception, least, where, ...)                                 \
	{.name = id,                                                                                         \
	 .code = selector,                                                                                   \
	 .counters = on,                                                                                     \
	 .fixed = -1,                                                                                        \
	 .judgement = judged,                                                                                \
	 .terms = {__VA_ARGS__},                                                                             \
	 .source = where},
#include "pmu/toy/events/events.def"
#undef EVENT
};
#define ROWS (sizeof rows / sizeof rows[0])

const struct pmu_event *const toy_events[] = {
	&rows[0], &rows[1], &rows[2], &rows[3],  &rows[4],  &rows[5],  &rows[6],
	&rows[7], &rows[8], &rows[9], &rows[10], &rows[11], &rows[12], &rows[13],
};
const unsigned toy_event_count = ROWS;
_Static_assert(sizeof toy_events / sizeof toy_events[0] == ROWS, "each row is listed");

bool toy_event_counts(unsigned select, enum quantity q)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].code == select && event_coefficient(&rows[i], q))
			return true;
	return false;
}

uint64_t toy_event_amount(unsigned select, const struct step *s)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < ROWS; i++) {
		if (rows[i].code != select)
			continue;
		if (rows[i].judgement == EVENT_TIME)
			return s->cycles;
		for (unsigned t = 0; t < s->n_terms; t++)
			sum += (int64_t)s->terms[t].amount *
			       event_coefficient(&rows[i], (enum quantity)s->terms[t].quantity);
	}
	return (uint64_t)sum;
}
