#include "arch/levels.h"
#include "tests/judge/shares.h"
#include "tests/judge/attribution.h"
#include "tests/judge/expectation.h"
#include "tests/judge/under_hypervisor.h"

#include "arch/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PLACES 8192  /* kept; of more nothing is kept, and they are measured anew each time */
#define SLOTS  16384 /* of the table that finds them, a power of two */
#define VALUES 65536 /* distinct values that wait for the report */

/* --- kernels ---------------------------------------------------------------------------------------- */

#define NOPS_MOST 100
static const unsigned lengths[SHARE_LENGTHS] = {0, 1, 2, 10, NOPS_MOST};
static uint8_t nops[NOPS_MOST * CODE_NOP_MOST];

#define NOPS(n)                                                                                              \
	{                                                                                                    \
		.name = #n " NOPs", .exact = signature_##n, .exact_end = signature_##n + 2                   \
	}
#define SIGNATURE(n)                                                                                         \
	static const struct signature_exact signature_##n[] = {{Q_INSTRUCTIONS, 0, n}, {Q_INSN_NOP, 0, n}}
SIGNATURE(0);
SIGNATURE(1);
SIGNATURE(2);
SIGNATURE(10);
SIGNATURE(100);

const struct kernel *share_kernel(unsigned i)
{
	static struct kernel kernels[SHARE_LENGTHS] = {NOPS(0), NOPS(1), NOPS(2), NOPS(10), NOPS(100)};

	if (!kernels[i].code) {
		for (unsigned n = 0; n < lengths[i]; n++)
			memcpy(nops + n * code_nop_size, code_nop, code_nop_size);
		kernels[i].code_end = nops + lengths[i] * code_nop_size;
		kernels[i].code = nops;
	}
	return &kernels[i];
}

/* --- what was measured ------------------------------------------------------------------------------ */

struct seen {
	uint32_t first; /* of its values */
	uint16_t n;
	uint16_t more; /* distinct values beyond those */
	uint32_t windows;
};

/* What a share consists of. */
struct parts {
	int32_t implied, per_write, per_reading;
};

struct place {
	uint64_t key;
	const char *event; /* name: rows may come and go */
	uint64_t code;
	int32_t value;
	struct parts parts;
	uint8_t counter, mechanism, state;
	bool exact, micro;
	bool moved; /* some window counted something */
	struct seen seen[SHARE_LENGTHS];
};

static struct place places[PLACES];
static uint16_t slots[SLOTS]; /* 0: free; else the number of a place, from 1 */
static unsigned n_places, n_reported;
static struct {
	int32_t value;
	uint32_t frequency;
} values[VALUES];
static unsigned n_values;

const char *mechanism_name(enum mechanism m, char name[MECHANISM_NAME])
{
	static const char *const forms[] = {
		[MECHANISM_WRITE] = "enabling and disabling writes",
		[MECHANISM_READ] = "difference of two readings",
		[MECHANISM_USER] = "around %s",
		[MECHANISM_USER_READ] = "difference of two readings in %s",
	};
	snprintf(name, MECHANISM_NAME, forms[m], level_name(level_user()));
	return name;
}

void shares_forget(void)
{
	memset(slots, 0, sizeof slots);
	n_places = n_reported = n_values = 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Where several selectors start one after the other, all that another set of counters changes is how many
 * instructions lie between the writes: the implied share. */
static uint64_t key_of(const struct share_place *at)
{
	const struct pmu_config *c = at->config;
	uint64_t key = mix(1, c->code);

	key = mix(key, (uint64_t)at->counter | (uint64_t)at->mechanism << 8 | (uint64_t)c->levels << 16 |
			       (uint64_t)c->cmask << 24 | (uint64_t)c->edge << 32 |
			       (uint64_t)c->invert << 33 | (uint64_t)c->any_thread << 34 |
			       (uint64_t)c->other_alone << 35);
	key = mix(key, (uint64_t)c->extra_register << 32 | c->choice);
	key = mix(key, c->extra_value);
	return mix(key, (uint64_t)bracket_share(at->bracket, at->event) << 32 | at->bracket->own[0].amount);
}

static bool sees_kernel(const struct share_place *at)
{
	uint8_t here = at->mechanism >= MECHANISM_USER ? LEVELS_USER : LEVELS_SYSTEM;

	return at->config->levels & here || at->event->flags & EVENT_ANY_LEVEL;
}

static int64_t implied(const struct share_place *at)
{
	return sees_kernel(at) ? bracket_share(at->bracket, at->event) : 0;
}

bool share_measurable(const struct share_place *at)
{
	const struct pmu_config *c = at->config;

	return at->event->terms[0].coefficient && !c->cmask && !c->edge && !c->invert && !c->any_thread &&
	       !c->other_alone && (at->mechanism != MECHANISM_USER || !(c->levels & LEVELS_SYSTEM));
}

static unsigned slot_of(uint64_t key)
{
	unsigned i = key % SLOTS;

	while (slots[i] && places[slots[i] - 1].key != key)
		i = (i + 1) % SLOTS;
	return i;
}

/* Of a WRMSR. */
int64_t share_of_write(const struct pmu_event *e)
{
	static const struct pmu_bracket write = {.own = {{Q_INSTRUCTIONS, 1},
							 {Q_INSN_REGISTER_WRITE, 1},
							 {Q_INSN_SERIALIZING, 1},
							 {Q_UOPS, 1}}};

	return bracket_share(&write, e);
}

static int64_t reading_share(const struct pmu_event *e)
{
	static const struct pmu_bracket reading = {.own = {{Q_INSTRUCTIONS, 1}}};

	return bracket_share(&reading, e);
}

static struct parts parts_of(const struct share_place *at)
{
	const struct pmu_config *c = at->config;
	struct parts parts = {.implied = (int32_t)implied(at)};
	bool reads = at->mechanism == MECHANISM_READ || at->mechanism == MECHANISM_USER_READ;

	if (reads)
		parts.per_reading = (int32_t)(at->bracket->own_readings * reading_share(at->event));
	/* One occurrence passes no threshold above 1, and its cycle is not one without. */
	else if (c->cmask <= 1 && !c->invert && c->levels & LEVELS_SYSTEM)
		parts.per_write = (int32_t)share_of_write(at->event);
	return parts;
}

static int64_t predicted(const struct pmu *pmu, unsigned counter, const struct parts *parts)
{
	int64_t writes = (pmu->counts_start >> counter & 1) + (pmu->counts_stop >> counter & 1);

	return parts->implied + writes * parts->per_write + pmu->counts_reading[counter] * parts->per_reading;
}

int64_t share_predicted(const struct share_place *at)
{
	const struct parts parts = parts_of(at);

	return predicted(at->pmu, at->counter, &parts) +
	       (at->mechanism == MECHANISM_USER
			? attribution_beyond_way(at->pmu->attribution, at->event, at->config->levels)
			: 0);
}

struct share share_find(const struct share_place *at)
{
	struct share s = {.implied = implied(at)};
	unsigned slot = slots[slot_of(key_of(at))];

	if (slot) {
		s.state = places[slot - 1].state;
		s.value = places[slot - 1].value;
	}
	return s;
}

int64_t share_of(const struct share_place *at)
{
	struct share s = share_find(at);

	return s.state == SHARE_STEADY && at->event->judgement == EVENT_EXACT ? s.value : share_predicted(at);
}

/* Raw counts less what so many NOPs count must be one value. */
static enum share_state judge_share(const struct share_place *at, const struct histogram seen[SHARE_LENGTHS],
				    int64_t *value)
{
	const struct pmu_event *e = at->event;
	bool sees = sees_kernel(at), equal = true;

	if (!seen[0].total || seen[0].min != seen[0].max)
		return SHARE_UNSTEADY;
	*value = seen[0].min;
	for (unsigned i = 1; i < SHARE_LENGTHS && e->judgement == EVENT_EXACT; i++) {
		struct expectation x;

		if (!seen[i].total || expectation(e, share_kernel(i), 1, &x) || x.low != x.high)
			continue;
		if (seen[i].min != seen[i].max)
			return SHARE_UNSTEADY;
		equal = equal && seen[i].min - (sees ? x.low : 0) == *value;
	}
	return equal ? SHARE_STEADY : SHARE_SLOPE;
}

static struct seen keep_values(const struct histogram *h)
{
	struct seen s = {.first = n_values, .windows = h->total};
	struct histogram_entry e = {0};

	while (histogram_next(h, &e)) {
		if (s.n == SHARE_VALUES || n_values == VALUES) {
			s.more++;
			continue;
		}
		values[n_values].value = (int32_t)e.value;
		values[n_values++].frequency = e.frequency;
		s.n++;
	}
	return s;
}

void share_keep(const struct share_place *at, const struct histogram seen[SHARE_LENGTHS])
{
	uint64_t key = key_of(at);
	unsigned slot = slot_of(key);
	int64_t value = 0;
	struct place *p;

	if (!slots[slot] && n_places == PLACES)
		return;
	if (!slots[slot])
		slots[slot] = (uint16_t)++n_places;
	p = &places[slots[slot] - 1];
	*p = (struct place){
		.key = key,
		.event = at->event->name,
		.code = at->config->code,
		.state = (uint8_t)judge_share(at, seen, &value),
		.parts = parts_of(at),
		.counter = at->counter,
		.mechanism = at->mechanism,
		.exact = at->event->judgement == EVENT_EXACT,
		.micro = event_is_micro(at->event),
	};
	p->value = (int32_t)value;
	for (unsigned i = 0; i < SHARE_LENGTHS; i++) {
		p->seen[i] = keep_values(&seen[i]);
		p->moved = p->moved || seen[i].max || seen[i].min;
	}
}

/* --- the report ------------------------------------------------------------------------------------- */

static const char *const state_names[] = {[SHARE_UNKNOWN] = "unknown",
					  [SHARE_STEADY] = "steady",
					  [SHARE_UNSTEADY] = "unsteady",
					  [SHARE_SLOPE] = "slope"};

static void fill(struct histogram *h, const struct seen *s)
{
	for (unsigned i = 0; i < s->n; i++)
		for (uint32_t f = 0; f < values[s->first + i].frequency; f++)
			histogram_add(h, values[s->first + i].value);
}

static void hand_over(struct run *run, const struct place *p)
{
	char mechanism[MECHANISM_NAME];
	struct share_report r = {.event = p->event,
				 .encoding = p->code,
				 .counter = run->pmu->counter[p->counter].name,
				 .mechanism = mechanism_name((enum mechanism)p->mechanism, mechanism),
				 .state = state_names[p->state],
				 .steady = p->state == SHARE_STEADY,
				 .share = p->value,
				 .implied = p->parts.implied};

	for (unsigned i = 0; i < SHARE_LENGTHS; i++) {
		const struct seen *s = &p->seen[i];

		r.windows[i] = s->windows;
		r.nops[i] = lengths[i];
		r.n_values[i] = s->n;
		r.more[i] = s->more;
		for (unsigned v = 0; v < s->n; v++) {
			r.value[i][v] = values[s->first + v].value;
			r.frequency[i][v] = values[s->first + v].frequency;
		}
	}
	run->share(run, &r);
}

/* What should have been counted, by the manual and by what was found. */
static int64_t should_be(const struct pmu *pmu, const struct place *p)
{
	const struct pmu_event *e =
		p->mechanism == MECHANISM_USER ? event_by_name(pmu->events, pmu->n_events, p->event) : NULL;

	return predicted(pmu, p->counter, &p->parts) +
	       (e ? attribution_beyond_way(pmu->attribution, e, LEVELS_USER) : 0);
}

/* An event that counts nothing at all is dead, and its rows say so. Rows are not counted by reading. */
static bool deviates(const struct pmu *pmu, const struct place *p)
{
	bool reads = p->mechanism == MECHANISM_READ || p->mechanism == MECHANISM_USER_READ;

	return p->exact && (p->moved || reads) && (p->state != SHARE_STEADY || p->value != should_be(pmu, p));
}

/* Around ring 3 there may be more or less because the way there and back counts elsewhere: that is to be
 * found out first. */
static bool way_deviates(const struct pmu *pmu)
{
	for (unsigned i = n_reported; i < n_places; i++)
		if (places[i].mechanism == MECHANISM_USER && places[i].state == SHARE_STEADY &&
		    deviates(pmu, &places[i]))
			return true;
	return false;
}

static enum verdict verdict_of(const struct place *p)
{
	return p->state == SHARE_UNSTEADY ? VERDICT_NOISY
	       : p->state == SHARE_SLOPE  ? VERDICT_WRONG
					  : VERDICT_BIASED;
}

/* Those that deviate alike on one counter behind one mechanism, from place i on: one check, or one fact. */
static void tell(struct run *run, const char *suite, unsigned i, bool *told)
{
	const struct place *p = &places[i];
	char name[80], text[JUDGEMENT_TEXT], mechanism[MECHANISM_NAME], others[40] = "";
	int64_t should = should_be(run->pmu, p);
	unsigned more = 0;

	for (unsigned k = i; k < n_places; k++) {
		const struct place *o = &places[k];

		if (!deviates(run->pmu, o) || o->counter != p->counter || o->mechanism != p->mechanism ||
		    o->micro != p->micro || verdict_of(o) != verdict_of(p))
			continue;
		told[k] = true;
		more += k != i;
	}
	if (more)
		snprintf(others, sizeof others, ", and so have %u more events", more);
	snprintf(name, sizeof name, "share/%s/%s", mechanism_name((enum mechanism)p->mechanism, mechanism),
		 run->pmu->counter[p->counter].name);
	if (p->state == SHARE_STEADY)
		snprintf(text, sizeof text,
			 "an empty window counts %d of %.60s, where %d follow from the manual and from what "
			 "was found%s",
			 (int)p->value, p->event, (int)should, others);
	else if (p->state == SHARE_SLOPE)
		snprintf(text, sizeof text, "windows of NOPs count %.60s not by the number of NOPs%s",
			 p->event, others);
	else
		snprintf(text, sizeof text, "windows of equal length differ in %.60s%s", p->event, others);
	if (p->micro && p->state == SHARE_STEADY) {
		run->fact(run, "shares", name, text);
		return;
	}
	struct result r = {.suite = suite,
			   .name = name,
			   .event = p->event,
			   .encoding = p->code,
			   .counter = run->pmu->counter[p->counter].name,
			   .virtual = run->pmu->virtual};

	for (unsigned l = 0; l < SHARE_LENGTHS && r.n_observations < RESULT_OBSERVATIONS; l++) {
		if (!p->seen[l].windows)
			continue;
		fill(&result_observe(&r, lengths[l], should, should)->seen, &p->seen[l]);
		if (p->state == SHARE_STEADY)
			break;
	}
	judgement_set(&r.judgement, verdict_of(p), "%s", text);
	/* A hypervisor may carry out some of the bracket's instructions, or let the event count nothing. */
	if (p->state == SHARE_STEADY && p->value < should)
		hypervisor_withholds(run->pmu, &r.judgement, "all that a window without a kernel counts");
	run->report(run, &r);
}

void shares_report(struct run *run, const char *suite)
{
	static bool told[PLACES];

	if (way_deviates(run->pmu))
		attribution_measure(run, NULL);
	memset(told, 0, sizeof told);
	for (unsigned i = n_reported; i < n_places; i++)
		hand_over(run, &places[i]);
	for (unsigned i = n_reported; i < n_places; i++)
		if (!told[i] && deviates(run->pmu, &places[i]) &&
		    !(run->pmu->left_out >> places[i].counter & 1))
			tell(run, suite, i, told);
	n_reported = n_places;
	n_values = 0;
}
