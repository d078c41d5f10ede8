#include "tests/judge/event_seen.h"

bool event_seen_at(const struct pmu_event *e, uint8_t level, struct pmu_event *seen)
{
	int sum = 0;
	bool others = false;

	*seen = *e;
	if (!level)
		return true;
	for (struct event_term *t = seen->terms; t < seen->terms + EVENT_TERMS && t->coefficient; t++) {
		if (t->quantity == Q_CYCLES_USER)
			t->quantity = Q_CYCLES;
		others |= t->quantity != Q_CYCLES;
		sum += t->coefficient;
	}
	return others || sum || !e->terms[0].coefficient;
}
