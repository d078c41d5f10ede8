/*
 * What an experiment should show: the rows of the table that a request is the code of, and what they make of
 * a kernel.
 */
#include "tests/measure/experiment_planner.h"
#include "tests/report/level_words.h"

#include "arch/levels.h"

#include <stdio.h>

/* What a selector counts, without how it is counted. */
static uint64_t what(const struct pmu *pmu, uint64_t code)
{
	const struct event_grammar *g = pmu->driver->grammar;

	return g ? code & ~g->code_how : code;
}

/* Selectors of two events may be alike, each of which is for other counters. */
static const struct pmu_event *row_with(const struct pmu *pmu, const struct event_request *r, uint64_t code)
{
	const struct pmu_event *like = NULL;

	for (unsigned i = 0; i < pmu->n_events; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (!e->counters || (r->counter && !pmu->driver->can_count(pmu, e, r->counter - 1u)))
			continue;
		if (e->code == code)
			return e;
		if (!like && what(pmu, e->code) == what(pmu, code))
			like = e;
	}
	return like;
}

/* Whether a raw selector leaves its threshold, edge detector and so on switched off. */
static bool filter_is_off(const struct event_grammar *g, const struct event_request *r)
{
	return g && g->written && g->written(&r->config) && !(r->config.code & g->code_compares);
}

/* Bits in which a selector counts otherwise than its row. */
static uint64_t counts_otherwise(const struct pmu *pmu, const struct event_request *r,
				 const struct pmu_event *row)
{
	const struct event_grammar *g = pmu->driver->grammar;

	return g ? (r->config.code ^ row->code) & g->code_how & ~g->code_written : 0;
}

/* Whether the selector lets less through than the row's, or waits. */
static bool filters(const struct pmu *pmu, const struct event_request *r, const struct pmu_event *row)
{
	const struct event_grammar *g = pmu->driver->grammar;

	return (event_is_filtered(r) && !filter_is_off(g, r)) || counts_otherwise(pmu, r, row);
}

/* Whether it differs from its row in nothing but the number of threads with which it counts. */
static bool filters_threads(const struct pmu *pmu, const struct event_request *r, const struct pmu_event *row)
{
	const struct event_grammar *g = pmu->driver->grammar;
	uint64_t how = counts_otherwise(pmu, r, row);

	return how && !(how & ~g->code_threads) && (!event_is_filtered(r) || filter_is_off(g, r));
}

/* Whether it counts with this thread alone, and nothing else filters. */
static bool counts_this_thread(const struct pmu *pmu, const struct event_request *r,
			       const struct pmu_event *row)
{
	return filters_threads(pmu, r, row) && pmu->driver->grammar->counts_alone(r->config.code);
}

/* How many occurrences each count takes, in one cycle, where a threshold alone filters; with an edge detector
 * it is one cycle of several, and of the cycles between those, there is one more at most. 0: another filter
 * does, or none. */
static unsigned occurrences_a_count(const struct pmu *pmu, const struct event_request *r,
				    const struct pmu_event *row)
{
	const struct event_grammar *g = pmu->driver->grammar;

	if (!g || !event_is_filtered(r) || filter_is_off(g, r) || (r->config.invert && !r->config.edge) ||
	    counts_otherwise(pmu, r, row) & ~g->code_compares)
		return 0;
	return r->config.cmask + g->more_than;
}

static uint64_t bits_of(const struct event_mask *masks)
{
	uint64_t all = 0;

	for (const struct event_mask *m = masks; m->name; m++)
		all |= m->code;
	return all;
}

/* The unit masks of the event that a selector has, whether it was named or not. NULL: none are known. */
static const struct event_mask *masks_of(const struct pmu *pmu, const struct event_request *r, uint64_t *all)
{
	const struct event_grammar *g = pmu->driver->grammar;
	const struct event_mask *masks;

	for (unsigned i = 0; g && g->masks && i < pmu->n_events; i++) {
		const struct pmu_event *e = r->event ? r->event : pmu->events[i];

		masks = g->masks(pmu, e);
		*all = masks ? bits_of(masks) : 0;
		if (masks && !(what(pmu, r->config.code ^ e->code) & ~*all))
			return masks;
		if (r->event)
			break;
	}
	return NULL;
}

/* The rows that a selector is the code of; several if it joins unit masks that have a row each. Of those all
 * must be exact: other masks may say how to count, and not what. @return how many, 0 if there are none */
static unsigned rows_of(const struct pmu *pmu, const struct event_request *r,
			const struct pmu_event *rows[EXPERIMENT_JOINED])
{
	const struct event_mask *masks;
	uint64_t all;
	unsigned n = 0;

	rows[0] = r->joined                                      ? r->counts_as
		  : r->event && r->event->code == r->config.code ? r->event
								 : row_with(pmu, r, r->config.code);
	if (rows[0] || r->joined || !(masks = masks_of(pmu, r, &all)))
		return rows[0] != NULL;
	for (const struct event_mask *m = masks; m->name; m++) {
		if (!(r->config.code & m->code))
			continue;
		if (n == EXPERIMENT_JOINED ||
		    !(rows[n] = row_with(pmu, r, (r->config.code & ~all) | m->code)) ||
		    rows[n]->judgement != EVENT_EXACT)
			return 0;
		/* What nothing provokes adds nothing, such as tagged instructions where nothing tags. */
		n += rows[n]->terms[0].quantity != Q_NOT_PROVOKED;
	}
	return n;
}

void planner_find_rows(const struct planner *p)
{
	struct experiment_plan *plan = p->plan;

	for (unsigned i = 0; i < plan->n_requests; i++)
		plan->rows[i].count = (uint8_t)rows_of(plan->pmu, &plan->request[i], plan->rows[i].row);
}

/* What joined masks show: no less than one of them alone, no more than all together. */
static bool join(const struct pmu_event *const *rows, unsigned count, const struct kernel *k, uint64_t n,
		 int64_t more, struct expectation *x)
{
	int64_t low = 0, high = 0;

	for (unsigned i = 0; i < count; i++) {
		if (expectation(rows[i], k, n, x) != EXPECTATION_OK)
			return false;
		if (x->low > low)
			low = x->low;
		if (__builtin_add_overflow(high, x->high, &high))
			high = INT64_MAX;
	}
	x->low = low;
	x->high = high + more;
	if (count > 1 && x->low != x->high && !x->reason)
		x->reason = "joined unit masks: at least what one of them counts, at most the sum";
	return true;
}

/* The masks' shares: the largest is subtracted, as one of them has it alone; the others may add up. */
static int64_t share_of_rows(const struct pmu_event *const *rows, unsigned count,
			     const struct pmu_bracket *bracket, int64_t *more)
{
	int64_t largest = 0, all = 0;

	for (unsigned i = 0; i < count; i++) {
		int64_t own = bracket_share(bracket, rows[i]);

		all += own;
		if (own > largest)
			largest = own;
	}
	*more = all - largest;
	return largest;
}

/* Whether another thread is counted, and not what the kernel does. */
static bool counts_elsewhere(const struct event_request *r, const struct pmu_event *row)
{
	return r->config.other_alone && !(row->flags & EVENT_ANY_THREAD);
}

static bool waits_for_overflow(const struct experiment_plan *plan, unsigned request)
{
	return plan->cascade_from != plan->cascade_to && request == plan->cascade_to;
}

const struct pmu_event *experiment_row(const struct experiment_plan *plan, unsigned request)
{
	return plan->rows[request].count == 1 ? plan->rows[request].row[0] : NULL;
}

int64_t experiment_share(const struct experiment_plan *plan, unsigned request,
			 const struct pmu_bracket *bracket)
{
	const struct event_request *r = &plan->request[request];
	const struct pmu_event *const *rows = plan->rows[request].row;
	unsigned count = plan->rows[request].count;
	int64_t more;

	if (!count || counts_elsewhere(r, rows[0]) ||
	    (filters(plan->pmu, r, rows[0]) && !waits_for_overflow(plan, request) &&
	     !counts_this_thread(plan->pmu, r, rows[0])) ||
	    (!(r->config.levels & (plan->level ? LEVELS_USER : LEVELS_SYSTEM)) &&
	     !(rows[0]->flags & EVENT_ANY_LEVEL)))
		return 0;
	return share_of_rows(rows, count, bracket, &more);
}

bool experiment_counts_window(const struct experiment_plan *plan, unsigned request)
{
	const struct event_request *r = &plan->request[request];
	const struct pmu_event *const *rows = plan->rows[request].row;

	return plan->rows[request].count && occurrences_a_count(plan->pmu, r, rows[0]);
}

bool experiment_share_is_measured(const struct experiment_plan *plan, unsigned request)
{
	const struct event_request *r = &plan->request[request];
	const struct pmu_event *const *rows = plan->rows[request].row;

	return plan->rows[request].count == 1 && !event_is_filtered(r) && filters(plan->pmu, r, rows[0]) &&
	       !counts_elsewhere(r, rows[0]) && !waits_for_overflow(plan, request);
}

int64_t experiment_share_ahead(const struct experiment_plan *plan, unsigned request,
			       const struct pmu_bracket *bracket)
{
	const struct event_request *r = &plan->request[request];
	unsigned c = plan->place[request].alternative;
	uint32_t n = bracket->ahead[c] + (!plan->level && plan->pmu->counts_start >> c & 1);
	const struct pmu_bracket ahead = {.own = {{Q_INSTRUCTIONS, n}, {Q_UOPS, n}}};
	const struct pmu_event *const *rows = plan->rows[request].row;
	unsigned count = plan->rows[request].count;
	int64_t more;

	return count && !counts_elsewhere(r, rows[0]) &&
			       r->config.levels & (plan->level ? LEVELS_USER : LEVELS_SYSTEM)
		       ? share_of_rows(rows, count, &ahead, &more)
		       : 0;
}

static bool changes_level(const struct kernel *k, uint64_t n)
{
	return kernel_amount(k, Q_LEVEL_TO_SYSTEM, n).high > 0 ||
	       kernel_amount(k, Q_LEVEL_TO_USER, n).high > 0;
}

bool experiment_expects(const struct experiment_plan *plan, unsigned request, const struct kernel *k,
			const struct pmu_bracket *bracket, uint64_t n, struct expectation *x,
			struct reason *why)
{
	const struct event_request *r = &plan->request[request];
	const struct pmu_event *const *rows = plan->rows[request].row;
	unsigned count = plan->rows[request].count;
	uint8_t here = plan->level ? LEVELS_USER : LEVELS_SYSTEM;
	int64_t more = 0;

	*x = (struct expectation){.status = EXPECTATION_UNDEFINED};
	why->line = r->joined ? "counted, not judged: no row of the table says what these tags select"
			      : "counted, not judged: no rows of the table make up this selector";
	if (!count)
		return false;
	why->line = "counted, not judged: it begins with an overflow";
	if (waits_for_overflow(plan, request))
		return false;
	why->line = "counted, not judged: what a filter lets through depends on the cycles";
	unsigned each = occurrences_a_count(plan->pmu, r, rows[0]);
	bool threads = filters_threads(plan->pmu, r, rows[0]);

	if (filters(plan->pmu, r, rows[0]) && !each && !threads)
		return false;
	why->line = "counted, not judged: what the other logical processor does is not known";
	if ((r->config.any_thread || r->config.other_alone || threads) && !plan->pmu->deterministic)
		return false;
	why->line = "counted, not judged: the code around the window, of the inner level, counts as well";
	if (plan->level && planner_words(plan->pmu, &r->config) && r->config.levels & LEVELS_SYSTEM)
		return false;
	reason_give(why, "counted, not judged: the kernel changes %ss, and one of them is counted",
		    level_heading());
	if (r->config.levels != LEVELS_ALL && changes_level(k, n))
		return false;
	if (!(r->config.levels & here) || counts_elsewhere(r, rows[0]) ||
	    (threads && !plan->pmu->driver->grammar->counts_alone(r->config.code))) {
		x->status = EXPECTATION_OK;
		return true;
	}
	why->line = "counted, not judged: the kernel does not define what the event counts";
	if (bracket)
		share_of_rows(rows, count, bracket, &more);
	if (!join(rows, count, k, n, more, x))
		return false;
	if (!plan->pmu->deterministic)
		expectation_allow_more(x, rows[0], k, r->config.levels == LEVELS_ALL ? 0 : plan->level, n);
	if (each) {
		unsigned c = plan->place[request].alternative;
		int64_t share = bracket ? share_of_rows(rows, count, bracket, &more) : 0;

		why->line = "counted, not judged: how often the event occurs has no upper bound";
		if (x->high == INT64_MAX)
			return false;
		/* The window's own occurrences are in it: writes that count themselves, and a way into the
		 * inner ring that counts there. */
		share += (int64_t)(plan->pmu->counts_start >> c & 1) +
			 (int64_t)(plan->pmu->counts_stop >> c & 1) + (plan->level != 0);
		x->low = each == 1 && !r->config.edge && x->low > 0;
		x->high = (x->high + share + more) / each + r->config.invert;
		x->reason = "a threshold: each count takes several occurrences in one cycle";
	}
	return true;
}
