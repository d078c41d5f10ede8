#include "tests/judge/attribution_path.h"

static bool is_asked(const struct kernel *k, enum trip trip)
{
	return (trip != TRIP_CALL && trip != TRIP_CALL_OTHER) || trips_of(k, trip, 1);
}

/* Round trips that begin in ring 3: those from ring 0 stay in one level. */
static bool gives(const struct attribution *a, const struct kernel *k, enum trip_class class,
		  const struct path_rule *rule, int besides)
{
	for (unsigned t = 0; t < TRIPS; t++) {
		const struct trip_count *c = &a->trip[class][t][1];
		struct trip_levels want = c->manual;

		if (!trip_known(c) || !is_asked(k, (enum trip)t))
			continue;
		if (rule->returns_in_new) {
			int8_t whole = trip_return(class, (enum trip)t);

			want.os = (int8_t)(want.os - whole);
			want.usr = (int8_t)(want.usr + whole);
		}
		if (!trip_is_call((enum trip)t)) {
			want.usr = (int8_t)(want.usr + besides);
		} else if (rule->calls_in_new) {
			int8_t call = (int8_t)(trip_manual(class, (enum trip)t, true, 0).usr);

			want.usr = (int8_t)(want.usr - call);
			want.os = (int8_t)(want.os + call);
		}
		if (want.usr != c->counted.usr || (c->state == TRIP_COUNTED && want.os != c->counted.os))
			return false;
	}
	return true;
}

static bool counts(const struct pmu_event *e, enum trip_class class)
{
	bool fixed = !e->counters && e->fixed >= 0;

	return event_coefficient(e, trip_quantity(class)) &&
	       (trip_quantity(class) != Q_INSTRUCTIONS || fixed == (class == TRIP_INSTRUCTIONS_FIXED));
}

/* What each class counts of a delivery besides, by this rule for the rings. */
static bool find_besides(const struct attribution *a, const struct pmu_event *e, const struct kernel *k,
			 struct path_rule *rule)
{
	unsigned n = 0;

	for (unsigned c = 0; c < TRIP_CLASSES; c++) {
		enum trip_class class = (enum trip_class)c;
		bool fixed = counts(e, TRIP_INSTRUCTIONS_FIXED);

		if (class == (fixed ? TRIP_INSTRUCTIONS : TRIP_INSTRUCTIONS_FIXED))
			continue;
		if (gives(a, k, class, rule, 0))
			continue;
		if (gives(a, k, class, rule, 1))
			rule->delivery[n++] = (struct qterm){trip_quantity(class), 1};
		else if (counts(e, class))
			return false;
	}
	return true;
}

bool attribution_rule(const struct attribution *a, const struct pmu_event *e, const struct kernel *k,
		      struct path_rule *out)
{
	for (unsigned i = 0; i < 4; i++) {
		*out = (struct path_rule){.returns_in_new = i & 1, .calls_in_new = i >> 1};
		if (!a || find_besides(a, e, k, out))
			return true;
	}
	*out = (struct path_rule){0};
	return false;
}

unsigned attribution_of_interrupt(const struct path_rule *rule, const struct pmu_event *e)
{
	int64_t n = 0;

	for (unsigned c = 0; c < TRIP_CLASSES && rule->returns_in_new; c++)
		if (counts(e, (enum trip_class)c))
			n += event_coefficient(e, trip_quantity((enum trip_class)c)) *
			     trip_return((enum trip_class)c, TRIP_INTERRUPT);
	for (const struct qterm *t = rule->delivery; t->amount; t++)
		n += event_coefficient(e, (enum quantity)t->quantity) * (int64_t)t->amount;
	return n > 0 ? (unsigned)n : 0;
}
