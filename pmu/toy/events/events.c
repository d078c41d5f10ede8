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

enum { COUNTED = __COUNTER__ + 1 };
const struct pmu_event *const toy_events[] = {
#define EVENT(...) &rows[__COUNTER__ - COUNTED],
#include "pmu/toy/events/events.def"
#undef EVENT
};
const unsigned toy_event_count = ROWS;

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
