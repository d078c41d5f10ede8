#include "tests/judge/errata.h"

#include "arch/levels.h"
#include "pmu/contract/counter_values.h"
#include "tests/judge/event_judge.h"
#include "tests/kernels/kernel.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MAX       256
#define CANDIDATES_MAX 8
#define POINTS         RESULT_OBSERVATIONS

static struct erratum_found found[ROWS_MAX];

static void forget_lists(void);

void errata_begin(void)
{
	memset(found, 0, sizeof found);
	forget_lists();
}

/* One number, or globs of names. */
bool errata_asked(const struct run *run, const struct errata *e, const char *number)
{
	const char *asked = run->options->check_glob;
	int row = asked ? errata_find(e, asked) : -1, own = errata_find(e, number);
	char name[ERRATUM_NUMBER];

	/* Lists have a row by its name. */
	if (own >= 0) {
		errata_number(e, (unsigned)own, 0, name, sizeof name);
		number = name;
	}

	if (row >= 0 && run->checks)
		run->checks->asked = run->checks->matched = true;
	return row >= 0 ? row == errata_find(e, number) : check_wanted(run, number);
}

const struct erratum_found *errata_found(unsigned row)
{
	return &found[row];
}

bool errata_alter(const struct erratum_count *c, const struct pmu_event *e, struct pmu_event *out,
		  bool *meant)
{
	unsigned i = 0;

	*meant = false;
	if (!c->coefficient || !glob_match(c->events, e->name))
		return false;
	*out = *e;
	if (c->more >= Q_COUNT)
		return true;
	while (i < EVENT_TERMS && out->terms[i].coefficient && out->terms[i].quantity != c->more)
		i++;
	if (i == EVENT_TERMS)
		return false;
	*meant = out->terms[i].coefficient == c->coefficient;
	out->terms[i].quantity = c->more;
	out->terms[i].coefficient += *meant ? -c->coefficient : c->coefficient;
	/* A term of nothing would end the list. */
	for (; i + 1 < EVENT_TERMS && !out->terms[i].coefficient && out->terms[i + 1].coefficient; i++) {
		out->terms[i] = out->terms[i + 1];
		out->terms[i + 1].coefficient = 0;
	}
	return true;
}

bool errata_shows(const struct erratum_symptom *s, const char *text, int64_t expected, int64_t observed)
{
	uint64_t e = (uint64_t)expected, o = (uint64_t)observed;
	int64_t more = (int64_t)(o - e);

	if (s->text && !glob_match(s->text, text))
		return false;
	switch (s->relation) {
	case SHOWS_MORE:
		return more >= s->low && more <= s->high;
	case SHOWS_FLIPPED:
		return (o ^ e) == (uint64_t)s->low;
	case SHOWS_BITS:
		return (o & e) == e && __builtin_popcountll(o & ~e) >= s->low;
	default:
		return true;
	}
}

bool errata_foretold(const struct errata *e, unsigned row)
{
	for (const struct erratum_count *c = e->counts; c->number; c++)
		if (c->coefficient && errata_find(e, c->number) == (int)row)
			return true;
	return false;
}

bool errata_vague(const struct errata *e, unsigned row)
{
	const struct erratum *r = &e->row[row];

	/* A vendor's event file may have the event that no list here has. */
	bool may = r->needs == ERRATUM_NEEDS_NOTHING || r->needs == ERRATUM_NEEDS_EVENT;

	return r->effects && may && !erratum_mechanism_reason((enum erratum_mechanism)r->mechanism) &&
	       !errata_foretold(e, row);
}

/* --- counts ------------------------------------------------------------------------------------------- */

struct prediction {
	bool differs; /* from what is right: a count can tell */
	bool meant;   /* the other way round: what is right is what the erratum makes of it */
	struct interval at[POINTS];
};

/* What a CPU with the erratum counts where r was counted. @return false if the row says nothing of it */
static bool predict(const struct pmu *pmu, const struct result *r, const struct erratum_count *c,
		    const struct event_place *place, struct prediction *out)
{
	struct pmu_event altered;
	struct event_place there;
	bool meant;

	if (!errata_alter(c, place->event, &altered, &meant))
		return false;
	if (c->kernel && !glob_match(c->kernel, r->kernel))
		return false;
	*out = (struct prediction){.meant = meant};
	there = *place;
	there.event = &altered;
	there.pmu = pmu;
	for (unsigned i = 0; i < r->n_observations; i++) {
		const struct observation *o = &r->observation[i];
		int64_t more = c->more >= Q_COUNT ? c->coefficient * (int64_t)o->n : 0;
		struct expectation x;

		if (event_expected(&there, o->n, &x) != EXPECTATION_OK)
			return false;
		out->at[i] = (struct interval){x.low + more, x.high == INT64_MAX ? x.high : x.high + more};
		out->differs |= out->at[i].low != o->low || out->at[i].high != o->high;
	}
	return out->differs;
}

static unsigned observed(const struct result *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_observations; i++)
		n += (unsigned)r->observation[i].seen.total;
	return n ? n : 1;
}

/* Most differ at once. */
static bool same_name(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* Where an event was counted. @return false if it was no event that was */
static bool place_of(const struct pmu *pmu, const struct result *r, struct event_place *out)
{
	if (!same_name(r->suite, "events") || !r->event || !r->kernel || !r->counter || !r->n_observations ||
	    r->n_observations > POINTS)
		return false;
	*out = (struct event_place){.pmu = pmu,
				    .event = event_by_name(pmu->events, pmu->n_events, r->event),
				    .kernel = kernel_by_name(r->kernel),
				    .share = r->share};
	if (r->level && !strcmp(r->level, level_name((uint8_t)level_user())))
		out->level = (uint8_t)level_user();
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!strcmp(pmu->counter[c].name, r->counter))
			out->highest = counter_highest(&pmu->counter[c]);
	return out->event && out->kernel && out->highest;
}

/* --- the verdict
 * -------------------------------------------------------------------------------------------- */

struct candidates {
	unsigned n;
	uint16_t row[CANDIDATES_MAX];
	bool judges, documented;
	unsigned tried_n; /* rows that it could have been */
	uint16_t tried[2 * CANDIDATES_MAX];
};

static void add_row(uint16_t *row, unsigned *n, unsigned most, unsigned which)
{
	for (unsigned i = 0; i < *n; i++)
		if (row[i] == which)
			return;
	if (*n < most)
		row[(*n)++] = (uint16_t)which;
}

/* Numbers, those that are documented here first, as far as they have a say in the verdict. */
static void name(const struct pmu *pmu, struct candidates *c, char *text, size_t size)
{
	const struct errata *e = pmu->errata;
	size_t used = 0;

	*text = '\0';
	for (unsigned turn = 0; turn < 2; turn++)
		for (unsigned i = 0; i < c->n; i++) {
			char number[ERRATUM_NUMBER];
			bool here = errata_documented(e, c->row[i], &pmu->processor, NULL);

			if (errata_judges(e, c->row[i]) != c->judges || here == (turn != 0))
				continue;
			c->documented |= here;
			errata_number(e, c->row[i], 0, number, sizeof number);
			used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s%s",
						 used ? " or " : "", number);
			used = used < size ? used : size - 1;
		}
}

/* Leave out what counts that are right speak against. */
static void sift(struct candidates *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		if (!found[c->row[i]].denied)
			c->row[n++] = c->row[i];
	c->n = n;
}

static void conclude(const struct pmu *pmu, struct candidates *c, struct result *r)
{
	char names[CANDIDATES_MAX * ERRATUM_NUMBER], was[JUDGEMENT_TEXT];

	sift(c);
	if (!c->n) {
		size_t used = strlen(r->judgement.text);

		snprintf(r->judgement.text + used, sizeof r->judgement.text - used,
			 " (as an erratum says, but other counts are right)");
		return;
	}
	for (unsigned i = 0; i < c->n; i++)
		c->judges |= errata_judges(pmu->errata, c->row[i]);
	name(pmu, c, names, sizeof names);
	snprintf(was, sizeof was, "%s", r->judgement.text);
	if (!c->judges) {
		snprintf(r->judgement.text, sizeof r->judgement.text,
			 "%.140s (as was observed elsewhere: %.80s)", was, names);
		return;
	}
	r->judgement.verdict = VERDICT_ERRATUM;
	snprintf(r->judgement.text, sizeof r->judgement.text, "as erratum %.80s says%s: %.100s", names,
		 c->documented ? "" : ", which is not documented for this processor", was);
}

static unsigned row_of(const struct errata *e, const char *number)
{
	int row = errata_find(e, number);

	return row < 0 || row >= ROWS_MAX ? ROWS_MAX : (unsigned)row;
}

static void try_row(const struct pmu *pmu, struct candidates *c, const char *number, const struct result *r,
		    bool shows)
{
	unsigned row = row_of(pmu->errata, number);

	if (row == ROWS_MAX)
		return;
	found[row].tried += observed(r);
	add_row(c->tried, &c->tried_n, 2 * CANDIDATES_MAX, row);
	if (shows)
		add_row(c->row, &c->n, CANDIDATES_MAX, row);
}

/* Whether all that is off is off in a direction that the row has. */
static bool off_like(const struct erratum *row, const struct result *r)
{
	for (unsigned i = 0; i < r->n_observations; i++) {
		const struct observation *o = &r->observation[i];

		if ((o->seen.min < o->low && !(row->effects & ERRATUM_COUNTS_LESS)) ||
		    (o->seen.max > o->high && !(row->effects & ERRATUM_COUNTS_MORE)))
			return false;
	}
	return true;
}

/* Observations in which the row would show. A count is right above what must be at least, and below what may
 * be at most: one with no such end shows nothing in that direction. */
static unsigned could_show(const struct erratum *row, const struct result *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->n_observations; i++) {
		const struct observation *o = &r->observation[i];

		if ((row->effects & ERRATUM_COUNTS_LESS && o->low > 0) ||
		    (row->effects & ERRATUM_COUNTS_MORE && o->high != INT64_MAX))
			n += (unsigned)o->seen.total;
	}
	return n;
}

/* A row that tells of no amount, in how many observations it would have shown, and whether what is wrong is
 * what it tells. */
static void try_vague(const struct pmu *pmu, unsigned row, struct result *r, unsigned tried, bool bad,
		      bool like)
{
	char number[ERRATUM_NUMBER];
	size_t used = strlen(r->judgement.text);

	found[row].tried += tried;
	found[row].agree += bad && like;
	found[row].otherwise += bad && !like;
	if (!bad || !like)
		return;
	errata_number(pmu->errata, row, 0, number, sizeof number);
	snprintf(r->judgement.text + used, sizeof r->judgement.text - used, " (consistent with %s)", number);
}

/* A check that is about such a row. A count must be off in a direction that the row has. */
static void try_like(const struct pmu *pmu, const struct erratum_symptom *s, struct result *r, bool bad,
		     bool shows)
{
	unsigned at = row_of(pmu->errata, s->number);

	if (at == ROWS_MAX)
		return;
	const struct erratum *row = &pmu->errata->row[at];

	try_vague(pmu, at, r, observed(r), bad, shows && (s->relation == SHOWS_LIKE || off_like(row, r)));
}

/* Rows that tell of no amount, by an event's list of numbers: looking them up takes as long as a check. */
#define LISTS     256 /* a power of two */
#define LIST_TEXT 40
#define LIST_ROWS 6
static struct vague_list {
	const struct errata *of;
	char numbers[LIST_TEXT];
	uint8_t count;
	uint16_t row[LIST_ROWS];
} vague_lists[LISTS];

static void forget_lists(void)
{
	memset(vague_lists, 0, sizeof vague_lists);
}

/* A list whose text does not fit is looked up each time. */
static void find_vague(const struct errata *e, const char *numbers, struct vague_list *list)
{
	const char *at = numbers;

	*list = (struct vague_list){.of = e};
	while (*at) {
		int row = errata_next(e, &at);

		if (row < 0 || row >= ROWS_MAX || !errata_vague(e, (unsigned)row))
			continue;
		if (list->count < LIST_ROWS)
			list->row[list->count++] = (uint16_t)row;
	}
	snprintf(list->numbers, sizeof list->numbers, "%s", numbers);
}

/* What is published of the event without an amount. */
static void try_event(const struct pmu *pmu, const struct pmu_event *event, struct result *r, bool bad)
{
	const struct errata *e = pmu->errata;
	uint32_t hash = 0;

	if (!event->errata || !*event->errata)
		return;
	for (const char *c = event->errata; *c; c++)
		hash = hash * 31 + (uint8_t)*c;
	struct vague_list *list = &vague_lists[hash % LISTS];

	if (list->of != e || strcmp(list->numbers, event->errata))
		find_vague(e, event->errata, list);
	for (unsigned i = 0; i < list->count; i++) {
		const struct erratum *row = &e->row[list->row[i]];

		try_vague(pmu, list->row[i], r, bad ? observed(r) : could_show(row, r), bad,
			  off_like(row, r));
	}
}

void errata_judge(const struct pmu *pmu, struct result *r)
{
	struct candidates c = {0};
	struct event_place place;
	bool bad = verdict_is_bad(r->judgement.verdict);

	if (!pmu || !pmu->errata || r->judgement.verdict == VERDICT_ERROR ||
	    r->judgement.verdict == VERDICT_SKIPPED)
		return;
	if (place_of(pmu, r, &place)) {
		try_event(pmu, place.event, r, bad);
		for (const struct erratum_count *s = pmu->errata->counts; s->number; s++) {
			struct prediction p;

			if (!predict(pmu, r, s, &place, &p))
				continue;
			bool fits = judge_predicted(r->observation, p.at, r->n_observations);

			try_row(pmu, &c, s->number, r, p.meant ? !bad : bad && fits);
			if (!p.meant && !bad && !fits && row_of(pmu->errata, s->number) < ROWS_MAX)
				found[row_of(pmu->errata, s->number)].denied++;
		}
	}
	/* A check keeps the first thing that is wrong: if that is another one, it did not come to this one.
	 */
	for (const struct erratum_symptom *s = pmu->errata->symptoms; s->number; s++) {
		if (!same_name(s->suite, r->suite) || !r->name || !glob_match(s->check, r->name) ||
		    (bad && !glob_match(s->text, r->judgement.text)))
			continue;
		bool shows = bad &&
			     errata_shows(s, r->judgement.text, r->n_observations ? r->observation[0].low : 0,
					  r->n_observations ? r->observation[0].seen.min : 0);

		if (s->relation == SHOWS_LIKE || s->relation == SHOWS_LIKE_COUNT)
			try_like(pmu, s, r, bad, shows);
		else
			try_row(pmu, &c, s->number, r, shows);
	}
	for (unsigned i = 0; i < c.n; i++) {
		found[c.row[i]].present++;
		found[c.row[i]].told += bad;
	}
	for (unsigned i = 0; bad && !c.n && i < c.tried_n; i++)
		found[c.tried[i]].otherwise++;
	if (bad && c.n)
		conclude(pmu, &c, r);
}
