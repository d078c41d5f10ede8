/*
 * Bounds first, then a schedule that tries to meet them. Items that have no resource in common do not touch
 * each other, so each such part is a problem of its own; the part that needs most passes decides.
 */
#include "pmu/events/schedule_internal.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET 20000000

static bool single_resource(const struct problem *p)
{
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned a = 0; a < p->items[i].n_alternatives; a++)
			if (p->items[i].alternative[a].n_uses != 1 || p->items[i].alternative[a].use[0].value)
				return false;
	return true;
}

/* The matching as a schedule: the k-th item of a resource goes to pass k. */
static void place_matched(const struct problem *p, struct sched_place *places)
{
	unsigned next[SCHEDULE_RESOURCES] = {0};

	for (unsigned i = 0; i < p->n; i++)
		for (unsigned a = 0; a < p->items[i].n_alternatives; a++)
			if (p->items[i].alternative[a].use[0].resource == p->chosen[i]) {
				places[i] = (struct sched_place){.pass = (uint16_t)next[p->chosen[i]]++,
								 .alternative = (uint16_t)a};
				break;
			}
}

static void raise_bound(struct sched_result *r, unsigned bound, const char *proof)
{
	if (bound > r->bound) {
		r->bound = bound;
		r->proof = proof;
	}
}

/* The bounds of one part. Where they come with a schedule, *solved, and it is in places. */
static void bound_part(struct problem *p, struct sched_place *places, struct sched_result *r, bool *solved)
{
	static const char *const kind[SCHEDULE_USES] = {"counters",        "selectors",
							"third resources", "fourth resources",
							"fifth resources", "sixth resources"};
	unsigned passes;

	*solved = false;
	raise_bound(r, 1, "one pass is needed");
	raise_bound(r, sched_matching_bound(p, 0), kind[0]);
	if (single_resource(p)) {
		place_matched(p, places);
		*solved = true;
		return;
	}
	raise_bound(r, sched_room_bound(p), "room");
	for (unsigned place = 1; place < SCHEDULE_USES; place++)
		raise_bound(r, sched_matching_bound(p, place), kind[place]);
	passes = sched_wiring(p, r->bound, places, solved);
	raise_bound(r, passes, "wiring of selectors to counters");
	if (!*solved)
		raise_bound(r, sched_clique_bound(p), "events that exclude each other");
}

/* Place one part. Passes up to `floor` are needed anyway, by another part: fewer would be no gain. */
static void solve_part(struct problem *p, unsigned floor, struct sched_place *places, struct sched_result *r)
{
	bool solved;

	bound_part(p, places, r, &solved);
	r->passes = r->bound;
	for (unsigned passes = r->bound > floor ? r->bound : floor; !solved; passes++) {
		enum search_outcome outcome;

		r->passes = sched_first_fit(p, places);
		if (r->passes <= passes)
			break;
		outcome = sched_search(p, passes, places, &r->steps);
		if (outcome == FOUND)
			r->passes = passes;
		if (outcome == IMPOSSIBLE && passes >= r->bound)
			raise_bound(r, passes + 1, "exhaustive search");
		solved = outcome == FOUND;
	}
}

/* --- parts ------------------------------------------------------------------------------------------ */

/* Resources that some item's alternatives have in common belong together; part[r] names the lowest of them.
 */
static void join_resources(const struct sched_item *items, unsigned n, uint8_t part[SCHEDULE_RESOURCES])
{
	for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++)
		part[r] = (uint8_t)r;
	for (unsigned i = 0; i < n; i++) {
		unsigned first = items[i].alternative[0].use[0].resource;

		for (unsigned a = 0; a < items[i].n_alternatives; a++)
			for (unsigned u = 0; u < items[i].alternative[a].n_uses; u++) {
				unsigned x = part[first], y = part[items[i].alternative[a].use[u].resource];

				for (unsigned r = 0; x != y && r < SCHEDULE_RESOURCES; r++)
					if (part[r] == (x > y ? x : y))
						part[r] = (uint8_t)(x > y ? y : x);
			}
	}
}

struct workspace {
	struct sched_item *item; /* of one part */
	struct sched_place *place;
	uint16_t *index; /* of the part's items among all */
};

/* The items of part r, collected in w. @return whether there are any */
static bool take_part(struct problem *p, const struct sched_item *items, unsigned n, const uint8_t *part,
		      unsigned r, const struct workspace *w)
{
	p->n = 0;
	p->items = w->item;
	for (unsigned i = 0; i < n; i++)
		if (part[items[i].alternative[0].use[0].resource] == r) {
			w->index[p->n] = (uint16_t)i;
			w->item[p->n++] = items[i];
		}
	return p->n > 0;
}

static void solve_parts(struct problem *p, const struct workspace *w, struct sched_place *places,
			struct sched_result *result)
{
	const struct sched_item *items = p->items;
	unsigned n = p->n;
	uint8_t part[SCHEDULE_RESOURCES];
	bool solved;

	join_resources(items, n, part);
	for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++)
		if (take_part(p, items, n, part, r, w))
			bound_part(p, w->place, result, &solved);
	for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++) {
		struct sched_result one = {.proof = ""};

		if (!take_part(p, items, n, part, r, w))
			continue;
		solve_part(p, result->bound, w->place, &one);
		for (unsigned i = 0; i < p->n; i++)
			places[w->index[i]] = w->place[i];
		raise_bound(result, one.bound, one.proof);
		if (one.passes > result->passes)
			result->passes = one.passes;
		result->steps += one.steps;
	}
}

bool schedule(const struct sched_item *items, unsigned n, unsigned budget, struct sched_place *places,
	      struct sched_result *result)
{
	struct problem p = {.items = items, .n = n, .budget = budget ? budget : DEFAULT_BUDGET};
	struct workspace w;
	bool good;

	memset(result, 0, sizeof *result);
	result->proof = "nothing to place";
	for (unsigned i = 0; i < n; i++)
		if (!items[i].n_alternatives)
			return false;
	if (!n)
		return true;
	p.skip = malloc(n * sizeof *p.skip);
	p.member = malloc(n * sizeof *p.member);
	p.chosen = malloc(n * sizeof *p.chosen);
	p.taker = malloc((size_t)SCHEDULE_RESOURCES * n * sizeof *p.taker);
	w.item = malloc(n * sizeof *w.item);
	w.place = malloc(n * sizeof *w.place);
	w.index = malloc(n * sizeof *w.index);
	good = p.skip && p.member && p.chosen && p.taker && w.item && w.place && w.index;
	if (good)
		solve_parts(&p, &w, places, result);
	free(p.skip);
	free(p.member);
	free(p.chosen);
	free(p.taker);
	free(w.item);
	free(w.place);
	free(w.index);
	return good;
}
