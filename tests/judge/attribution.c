#include "arch/levels.h"
#include "tests/judge/attribution.h"
#include "tests/judge/expectation.h"
#include "tests/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

static const quantity_number quantities[TRIP_CLASSES] = {
	[TRIP_INSTRUCTIONS] = Q_INSTRUCTIONS, [TRIP_INSTRUCTIONS_FIXED] = Q_INSTRUCTIONS,
	[TRIP_BRANCHES] = Q_BRANCHES,         [TRIP_SYSTEM_BRANCHES] = Q_BR_FAR,
	[TRIP_LOADING] = Q_INSN_LOAD,         [TRIP_LOADS] = Q_LOADS,
	[TRIP_STORING] = Q_INSN_STORE,        [TRIP_STORES] = Q_STORES,
};

static const struct {
	quantity_number quantity; /* of a kernel: so many of them */
	bool call;                /* an instruction */
} kinds[TRIPS] = {
	[TRIP_INTERRUPT_BY_CODE] = {Q_INTERRUPTS_SW, true}, [TRIP_CALL] = {Q_LEVEL_TO_SYSTEM, true},
	[TRIP_CALL_OTHER] = {Q_LEVEL_TO_SYSTEM, true},      [TRIP_FAULT] = {Q_EXCEPTIONS, false},
	[TRIP_INTERRUPT] = {Q_INTERRUPTS_HW, false},        [TRIP_NMI] = {Q_INTERRUPTS_NMI, false},
};

enum quantity trip_quantity(enum trip_class class)
{
	return (enum quantity)quantities[class];
}

bool trip_is_call(enum trip trip)
{
	return kinds[trip].call;
}

static bool by_system_call(enum trip trip)
{
	return trip == TRIP_CALL || trip == TRIP_CALL_OTHER;
}

int8_t trip_return(enum trip_class class, enum trip trip)
{
	return (int8_t)(by_system_call(trip) ? trip_ways.of[class].call_return : trip_ways.of[class].returns);
}

struct trip_levels trip_manual(enum trip_class class, enum trip trip, bool from_user, unsigned delivery)
{
	int8_t entry = (int8_t)(kinds[trip].call ? trip_ways.of[class].call : delivery);
	struct trip_levels m = {.os = trip_return(class, trip)};

	*(from_user ? &m.usr : &m.os) += entry;
	return m;
}

/* Each of the two ways counts in a level or does not. A delivery may count once more than the manual has it.
 */
static bool possible(const struct trip_slopes *s, int64_t counted)
{
	int64_t entry = kinds[s->trip].call ? trip_ways.of[s->class].call : s->delivery + 1;

	return counted >= 0 && counted <= trip_return(s->class, s->trip) + entry;
}

struct trip_count trip_judge(const struct trip_slopes *s)
{
	struct trip_count t = {.manual = trip_manual(s->class, s->trip, s->from_user, s->delivery)};
	int64_t os = s->os - s->rest_os + t.manual.os, usr = s->usr - s->rest_usr + t.manual.usr;

	if (!s->straight && s->from_user && s->usr_straight && possible(s, usr))
		t = (struct trip_count){TRIP_IN_USER, {t.manual.os, (int8_t)usr}, t.manual};
	else if (!s->straight || !s->usr_straight)
		t.state = TRIP_NO_LINE;
	else if (s->os + s->usr != s->all)
		t.state = TRIP_NO_SUM;
	else if (!possible(s, os) || !possible(s, usr) || (!s->from_user && usr))
		t.state = TRIP_OUTSIDE;
	else
		t = (struct trip_count){TRIP_COUNTED, {(int8_t)os, (int8_t)usr}, t.manual};
	return t;
}

/* --- from the table to expectations ------------------------------------------------------------------ */

uint64_t trips_of(const struct kernel *k, enum trip trip, uint64_t n)
{
	static const quantity_number others[] = {Q_INTERRUPTS_SW, Q_EXCEPTIONS, Q_INTERRUPTS_HW,
						 Q_INTERRUPTS_NMI};
	int64_t times;

	if (by_system_call(trip) && (trip == TRIP_CALL_OTHER) != !!(k->flags & KERNEL_SERVICE_CALL_OTHER))
		return 0;
	times = kernel_amount(k, (enum quantity)kinds[trip].quantity, n).high;
	if (by_system_call(trip) && times)
		for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
			times -= kernel_amount(k, (enum quantity)others[i], n).high;
	return times > 0 ? (uint64_t)times : 0;
}

static bool on_fixed(const struct pmu_event *e)
{
	return !e->counters && e->fixed >= 0;
}

/* TRIP_CLASSES: none. */
static enum trip_class class_of(const struct pmu_event *e, unsigned quantity)
{
	if (quantity == Q_INSTRUCTIONS)
		return on_fixed(e) ? TRIP_INSTRUCTIONS_FIXED : TRIP_INSTRUCTIONS;
	for (unsigned c = TRIP_BRANCHES; c < TRIP_CLASSES; c++)
		if (quantities[c] == quantity)
			return (enum trip_class)c;
	return TRIP_CLASSES;
}

static struct trip_levels deviation(const struct trip_count *t)
{
	if (!trip_known(t))
		return (struct trip_levels){0};
	return (struct trip_levels){.os = (int8_t)(t->counted.os - t->manual.os),
				    .usr = (int8_t)(t->counted.usr - t->manual.usr)};
}

/* Of one round trip. */
static int64_t beyond(const struct attribution *a, const struct pmu_event *e, enum trip trip, bool from_user,
		      uint8_t levels)
{
	int64_t sum = 0;

	if (e->flags & EVENT_ANY_LEVEL)
		levels = LEVELS_ALL;
	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++) {
		enum trip_class class = class_of(e, e->terms[i].quantity);
		struct trip_levels d;

		if (class == TRIP_CLASSES)
			continue;
		d = deviation(&a->trip[class][trip][from_user]);
		sum += e->terms[i].coefficient *
		       ((levels & LEVELS_SYSTEM ? d.os : 0) + (levels & LEVELS_USER ? d.usr : 0));
	}
	return sum;
}

/* Kernels that make round trips run in one ring. */
static bool from_user(const struct kernel *k)
{
	return k->flags & KERNEL_USER_ONLY;
}

int64_t attribution_beyond(const struct attribution *a, const struct pmu_event *e, const struct kernel *k,
			   uint8_t levels, uint64_t n)
{
	int64_t sum = 0;

	if (!a || e->judgement == EVENT_TIME)
		return 0;
	for (unsigned t = 0; t < TRIPS; t++) {
		uint64_t times = trips_of(k, (enum trip)t, n);

		if (times)
			sum += (int64_t)times * beyond(a, e, (enum trip)t, from_user(k), levels);
	}
	return sum;
}

int64_t attribution_beyond_way(const struct attribution *a, const struct pmu_event *e, uint8_t levels)
{
	return a && e->judgement != EVENT_TIME ? beyond(a, e, TRIP_INTERRUPT_BY_CODE, true, levels) : 0;
}

bool attribution_return(const struct attribution *a, enum trip_class class, struct trip_count *out)
{
	static const uint8_t trips[] = {TRIP_FAULT, TRIP_INTERRUPT};
	int8_t whole = (int8_t)trip_ways.of[class].returns;

	*out = (struct trip_count){.manual.os = whole};
	for (unsigned i = 0; i < sizeof trips && whole && out->state != TRIP_COUNTED; i++) {
		const struct trip_count *t = &a->trip[class][trips[i]][1];

		if (t->state != TRIP_COUNTED || t->counted.os + t->counted.usr < whole ||
		    (t->counted.os && t->counted.usr))
			continue;
		out->state = TRIP_COUNTED;
		*(t->counted.os ? &out->counted.os : &out->counted.usr) = whole;
	}
	return out->state == TRIP_COUNTED;
}

bool attribution_bears_on(const struct pmu_event *e)
{
	for (unsigned i = 0; i < EVENT_TERMS && e->terms[i].coefficient; i++)
		if (class_of(e, e->terms[i].quantity) != TRIP_CLASSES)
			return e->judgement != EVENT_TIME;
	return false;
}

bool attribution_covers(const struct attribution *a, const struct pmu_event *e, const struct kernel *k)
{
	bool any = false;

	for (unsigned i = 0; a && i < EVENT_TERMS && e->terms[i].coefficient; i++) {
		enum trip_class class = class_of(e, e->terms[i].quantity);

		for (unsigned t = 0; class != TRIP_CLASSES && t < TRIPS; t++) {
			if (!trips_of(k, (enum trip)t, 1))
				continue;
			if (!trip_known(&a->trip[class][t][from_user(k)]))
				return false;
			any = true;
		}
	}
	return any;
}

void attribution_allow_more(const struct attribution *a, struct expectation *x, const struct pmu_event *e,
			    const struct kernel *k, uint8_t level, uint64_t n)
{
	struct pmu_event measured = *e;
	struct event_rule rule;

	if (e->rule && e->rule->deliveries && attribution_covers(a, e, k)) {
		rule = *e->rule;
		rule.deliveries = NULL;
		measured.rule = &rule;
	}
	expectation_allow_more(x, &measured, k, level, n);
}

/* --- facts -------------------------------------------------------------------------------------------- */

static bool same(const struct trip_count *a, const struct trip_count *b)
{
	struct trip_levels x = deviation(a), y = deviation(b);

	return trip_known(a) == trip_known(b) && x.os == y.os && x.usr == y.usr;
}

static bool deviates(const struct trip_count *t)
{
	struct trip_levels d = deviation(t);

	return t->state == TRIP_NO_SUM || d.os || d.usr;
}

static const struct trip_count *entry(const struct attribution *a, unsigned class, unsigned place)
{
	return &a->trip[class][place / 2][place % 2];
}

/* What a trip from ring 0 counts shows in one level, where one from ring 3 shows it in two: if the sum agrees
 * with that of one of its sort, it tells nothing new. */
static bool implied(const struct attribution *a, unsigned class, unsigned place)
{
	const struct trip_count *t = entry(a, class, place);

	for (unsigned p = 1; !(place & 1) && t->state == TRIP_COUNTED && p < 2 * TRIPS; p += 2) {
		const struct trip_count *user = entry(a, class, p);
		struct trip_levels d = deviation(user);

		if (trip_known(user) && kinds[p / 2].call == kinds[place / 2].call && (d.os || d.usr) &&
		    d.os + d.usr == deviation(t).os)
			return true;
	}
	return false;
}

static bool tells(const struct attribution *a, unsigned class, unsigned place)
{
	return deviates(entry(a, class, place)) && !implied(a, class, place);
}

/* Whether nothing of a class is in a trip: SYSRET loads nothing. */
static bool has_none(const struct attribution *a, unsigned class, unsigned place)
{
	const struct trip_count *t = entry(a, class, place);

	return !t->manual.os && !t->manual.usr && !deviates(t);
}

/* Whether two places tell the same in every class that both have, and the first one all that the second does.
 */
static bool alike(const struct attribution *a, unsigned p, unsigned q)
{
	for (unsigned c = 0; c < TRIP_CLASSES; c++)
		if (tells(a, c, p) != tells(a, c, q)
			    ? !has_none(a, c, q)
			    : tells(a, c, p) && !same(entry(a, c, p), entry(a, c, q)))
			return false;
	return true;
}

static void append(char text[ATTRIBUTION_FACT], const char *what, const char *between)
{
	size_t used = strlen(text);

	snprintf(text + used, ATTRIBUTION_FACT - used, "%s%s", used ? between : "", what);
}

static bool tells_any(const struct attribution *a, unsigned place)
{
	for (unsigned c = 0; c < TRIP_CLASSES; c++)
		if (tells(a, c, place))
			return true;
	return false;
}

/* One that is alike in every class came before. */
static bool told(const struct attribution *a, unsigned place)
{
	for (unsigned p = 0; p < place; p++)
		if (p % 2 == place % 2 && alike(a, p, place))
			return true;
	return false;
}

static void say_classes(const struct attribution *a, unsigned place, char text[ATTRIBUTION_FACT])
{
	uint32_t done = 0;

	for (unsigned c = 0; c < TRIP_CLASSES; c++) {
		const struct trip_count *t = entry(a, c, place);
		struct trip_levels d = deviation(t);
		char numbers[80];

		if (done >> c & 1 || !tells(a, c, place))
			continue;
		for (unsigned o = c; o < TRIP_CLASSES; o++)
			if (tells(a, o, place) && same(t, entry(a, o, place))) {
				append(text, trip_class_name((enum trip_class)o),
				       o != c ? ", "
				       : done ? "; "
					      : ": ");
				done |= UINT32_C(1) << o;
			}
		if (t->state == TRIP_NO_SUM)
			snprintf(numbers, sizeof numbers, "OS and USR do not add up");
		else if (t->state == TRIP_IN_USER)
			snprintf(numbers, sizeof numbers, "%+d in %s", d.usr, level_name(level_user()));
		else if (place % 2)
			snprintf(numbers, sizeof numbers, "%+d in %s, %+d in %s", d.usr,
				 level_name(level_user()), d.os, level_name(0));
		else
			snprintf(numbers, sizeof numbers, "%+d", d.os);
		append(text, numbers, ": ");
	}
}

bool attribution_fact(const struct attribution *a, unsigned *next, char name[ATTRIBUTION_FACT],
		      char text[ATTRIBUTION_FACT])
{
	unsigned place = *next;

	name[0] = '\0';
	snprintf(text, ATTRIBUTION_FACT, "counted for each, beyond what the manual has");
	while (place < 2 * TRIPS && (!tells_any(a, place) || told(a, place)))
		place++;
	*next = place + 1;
	if (place >= 2 * TRIPS)
		return false;
	for (unsigned p = place; p < 2 * TRIPS; p += 2)
		if (tells_any(a, p) && alike(a, place, p))
			append(name, trip_name((enum trip)(p / 2)), ", ");
	append(name, "from", " ");
	append(name, level_name(place % 2 ? level_user() : 0), " ");
	say_classes(a, place, text);
	return true;
}
