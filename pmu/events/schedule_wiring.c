/*
 * Counters with selectors before them, as on the Pentium 4: an event needs a selector and one of the counters
 * that the selector is wired to.
 *
 * Which of them each event takes is a flow from events through selectors to counters, none of which may carry
 * more than P events; the smallest P that carries all is a lower bound. An assignment with at most P events
 * on every selector and every counter then always fits into P passes: events are edges between selectors and
 * counters, passes are colours, and a bipartite graph can be coloured with as many colours as its busiest
 * node has edges.
 *
 * A few events may take more than that (tagging takes a second selector, with a counter to keep it awake).
 * Each of them gets a pass first, one that no other such event has as long as there are enough; what they
 * take is room that the flow has not got, and edges that keep their colour. Then nothing guarantees the
 * colouring, but where it comes out it is a schedule.
 */
#include "pmu/events/schedule_internal.h"

#include <stdlib.h>
#include <string.h>

#define R SCHEDULE_RESOURCES

struct wiring {
	const struct problem *p;
	unsigned passes;
	bool wire[R][R];     /* [selector][counter] */
	uint16_t flow[R][R]; /* events that go that way */
	uint16_t selector_load[R], counter_load[R];
	bool entered[R], left[R],
		reached[R]; /* selectors' entries and exits, counters: visited by the present augmentation */
	int16_t *selector;  /* of each item, -1: none yet */
	bool counter[R], is_selector[R];
	bool *extra; /* items that take more than a counter and a selector */
	uint16_t extra_counters[R], extra_selectors[R]; /* what these take */
};

/* --- flow ------------------------------------------------------------------------------------------- */

static bool leave(struct wiring *w, unsigned selector);

/* Another selector for an item. */
static bool reroute(struct wiring *w, unsigned item);

/* One of the selector's items goes elsewhere. */
static bool evict(struct wiring *w, unsigned selector)
{
	for (unsigned i = 0; i < w->p->n; i++)
		if (w->selector[i] == (int)selector && reroute(w, i))
			return true;
	return false;
}

/* A unit arrives at a counter: there is room, or a unit of another selector makes room by taking another way.
 */
static bool arrive(struct wiring *w, unsigned counter)
{
	if (w->counter_load[counter] < w->passes) {
		w->counter_load[counter]++;
		return true;
	}
	for (unsigned s = 0; s < R; s++) {
		if (!w->flow[s][counter] || w->left[s])
			continue;
		w->left[s] = true;
		if (leave(w, s)) {
			w->flow[s][counter]--;
			return true;
		}
		if (w->entered[s])
			continue;
		w->entered[s] = true;
		if (evict(w, s)) {
			w->flow[s][counter]--;
			w->selector_load[s]--;
			return true;
		}
	}
	return false;
}

static bool leave(struct wiring *w, unsigned selector)
{
	for (unsigned c = 0; c < R; c++) {
		if (!w->wire[selector][c] || w->reached[c])
			continue;
		w->reached[c] = true;
		if (arrive(w, c)) {
			w->flow[selector][c]++;
			return true;
		}
	}
	return false;
}

static bool enter(struct wiring *w, unsigned selector)
{
	if (w->selector_load[selector] < w->passes && !w->left[selector]) {
		w->left[selector] = true;
		if (leave(w, selector)) {
			w->selector_load[selector]++;
			return true;
		}
	}
	return evict(w, selector);
}

static bool reroute(struct wiring *w, unsigned item)
{
	const struct sched_item *it = &w->p->items[item];

	for (unsigned a = 0; a < it->n_alternatives; a++) {
		unsigned s = it->alternative[a].use[1].resource;

		if (w->entered[s])
			continue;
		w->entered[s] = true;
		if (enter(w, s)) {
			w->selector[item] = (int16_t)s;
			return true;
		}
	}
	return false;
}

static bool carries_all(struct wiring *w)
{
	memset(w->flow, 0, sizeof w->flow);
	memcpy(w->selector_load, w->extra_selectors, sizeof w->selector_load);
	memcpy(w->counter_load, w->extra_counters, sizeof w->counter_load);
	for (unsigned i = 0; i < w->p->n; i++)
		w->selector[i] = -1;
	for (unsigned i = 0; i < w->p->n; i++) {
		if (w->extra[i])
			continue;
		memset(w->entered, 0, sizeof w->entered);
		memset(w->left, 0, sizeof w->left);
		memset(w->reached, 0, sizeof w->reached);
		if (!reroute(w, i))
			return false;
	}
	return true;
}

/* --- from flow to schedule -------------------------------------------------------------------------- */

/* Give each item one of its alternatives so that selectors and counters carry what the flow says. Fails only
 * where an item may not use all wires of its selector. */
static bool choose_alternatives(struct wiring *w, struct sched_place *places)
{
	for (unsigned i = 0; i < w->p->n; i++) {
		const struct sched_item *it = &w->p->items[i];
		unsigned a = 0;

		if (w->extra[i])
			continue;
		while (a < it->n_alternatives &&
		       (it->alternative[a].use[1].resource != w->selector[i] ||
			!w->flow[w->selector[i]][it->alternative[a].use[0].resource]))
			a++;
		if (a == it->n_alternatives)
			return false;
		w->flow[w->selector[i]][it->alternative[a].use[0].resource]--;
		places[i].alternative = (uint16_t)a;
	}
	return true;
}

/* Edges of each counter and selector by colour. */
struct colouring {
	const struct problem *p;
	struct sched_place *places;
	unsigned colours;
	int16_t *edge[2]; /* [counters, selectors][resource * colours + colour]: item, or one of these: */
	uint16_t *path;
};

#define FREE  (-1)
#define FIXED (-2) /* taken by something that keeps its colour */

static int16_t *edge_at(struct colouring *k, unsigned side, unsigned node, unsigned colour)
{
	return &k->edge[side][node * k->colours + colour];
}

static const struct sched_use *uses(const struct colouring *k, unsigned item)
{
	return k->p->items[item].alternative[k->places[item].alternative].use;
}

static void paint(struct colouring *k, unsigned item, unsigned colour)
{
	k->places[item].pass = (uint16_t)colour;
	for (unsigned side = 0; side < 2; side++)
		*edge_at(k, side, uses(k, item)[side].resource, colour) = (int16_t)item;
}

static void wipe(struct colouring *k, unsigned item)
{
	for (unsigned side = 0; side < 2; side++)
		*edge_at(k, side, uses(k, item)[side].resource, k->places[item].pass) = FREE;
}

/* Swap colours a and b on the path that leaves a counter by a. @return false if something on it is fixed */
static bool swap_path(struct colouring *k, unsigned counter, unsigned a, unsigned b)
{
	unsigned length = 0, side = 0, node = counter, colour = a;

	for (int next; a != b && (next = *edge_at(k, side, node, colour)) != FREE;
	     colour = colour == a ? b : a) {
		if (next == FIXED)
			return false;
		k->path[length++] = (uint16_t)next;
		side = !side;
		node = uses(k, (unsigned)next)[side].resource;
	}
	for (unsigned i = 0; i < length; i++)
		wipe(k, k->path[i]);
	for (unsigned i = 0; i < length; i++)
		paint(k, k->path[i], k->places[k->path[i]].pass == a ? b : a);
	return true;
}

/* If the ends of an edge have no colour free in common, some a is free at the selector and some b at the
 * counter; swapping the two on the path that leaves the counter by a frees a there. The path cannot reach the
 * selector. Where nothing is fixed the first a and b will do. */
static bool colour_edge(struct colouring *k, unsigned item)
{
	unsigned counter = uses(k, item)[0].resource, selector = uses(k, item)[1].resource;

	for (unsigned a = 0; a < k->colours; a++) {
		if (*edge_at(k, 1, selector, a) != FREE)
			continue;
		for (unsigned b = 0; b < k->colours; b++) {
			bool common = *edge_at(k, 0, counter, a) == FREE;

			if (*edge_at(k, 0, counter, b) != FREE || (!common && !swap_path(k, counter, a, b)))
				continue;
			paint(k, item, a);
			return true;
		}
	}
	return false;
}

/* All that an item with extras takes keeps the colour of its pass. */
static void fix(struct colouring *k, const struct wiring *w, unsigned item)
{
	const struct sched_alternative *it = &k->p->items[item].alternative[k->places[item].alternative];

	for (unsigned u = 0; u < it->n_uses; u++) {
		unsigned r = it->use[u].resource;

		if (w->counter[r] || w->is_selector[r])
			*edge_at(k, w->is_selector[r], r, k->places[item].pass) = FIXED;
	}
}

/* An edge that cannot be coloured is laid elsewhere. */
static bool colour_otherwise(struct colouring *k, unsigned item)
{
	for (unsigned a = 0; a < k->p->items[item].n_alternatives; a++) {
		k->places[item].alternative = (uint16_t)a;
		if (colour_edge(k, item))
			return true;
	}
	return false;
}

static bool colour_edges(const struct wiring *w, struct sched_place *places)
{
	struct colouring k = {.p = w->p, .places = places, .colours = w->passes};
	size_t size = (size_t)R * w->passes;

	k.edge[0] = malloc(size * sizeof(int16_t));
	k.edge[1] = malloc(size * sizeof(int16_t));
	k.path = malloc(w->p->n * sizeof *k.path);
	bool good = k.edge[0] && k.edge[1] && k.path;

	for (unsigned i = 0; good && i < size; i++)
		k.edge[0][i] = k.edge[1][i] = FREE;
	for (unsigned i = 0; good && i < w->p->n; i++)
		if (w->extra[i])
			fix(&k, w, i);
	for (unsigned i = 0; good && i < w->p->n; i++)
		good = w->extra[i] || colour_edge(&k, i) || colour_otherwise(&k, i);
	free(k.edge[0]);
	free(k.edge[1]);
	free(k.path);
	return good;
}

/* --- items with extras ------------------------------------------------------------------------------- */

/* How crowded an alternative's resources are by now. */
static unsigned crowd(const struct wiring *w, const struct sched_alternative *a)
{
	unsigned sum = 0;

	for (unsigned u = 0; u < a->n_uses; u++)
		sum += w->extra_counters[a->use[u].resource] + w->extra_selectors[a->use[u].resource];
	return sum;
}

#define NOWHERE UINT16_MAX

/* Whether an alternative fits to the items with extras that are in this pass already. */
static bool fits_extras(const struct wiring *w, const struct sched_place *places, unsigned pass,
			const struct sched_alternative *a)
{
	for (unsigned k = 0; k < w->p->n; k++)
		if (w->extra[k] && places[k].pass == pass &&
		    !sched_compatible(a, &w->p->items[k].alternative[places[k].alternative]))
			return false;
	return true;
}

static unsigned most_uses(const struct sched_item *it)
{
	unsigned most = 0;

	for (unsigned a = 0; a < it->n_alternatives; a++)
		if (it->alternative[a].n_uses > most)
			most = it->alternative[a].n_uses;
	return most;
}

/* An item with extras gets the next pass that takes it, in the way that crowds least. */
static bool place_extra(struct wiring *w, struct sched_place *places, unsigned i, unsigned *turn)
{
	const struct sched_item *it = &w->p->items[i];
	unsigned best = it->n_alternatives, pass = 0;

	for (unsigned tries = 0; tries < w->passes && best == it->n_alternatives; tries++) {
		pass = (*turn)++ % w->passes;
		for (unsigned a = 0; a < it->n_alternatives; a++)
			if (fits_extras(w, places, pass, &it->alternative[a]) &&
			    (best == it->n_alternatives ||
			     crowd(w, &it->alternative[a]) < crowd(w, &it->alternative[best])))
				best = a;
	}
	if (best == it->n_alternatives)
		return false;
	places[i] = (struct sched_place){.pass = (uint16_t)pass, .alternative = (uint16_t)best};
	for (unsigned u = 0; u < it->alternative[best].n_uses; u++) {
		unsigned r = it->alternative[best].use[u].resource;

		w->extra_counters[r] = (uint16_t)(w->extra_counters[r] + w->counter[r]);
		w->extra_selectors[r] = (uint16_t)(w->extra_selectors[r] + w->is_selector[r]);
	}
	return true;
}

/* Those that take most come first. */
static bool place_extras(struct wiring *w, struct sched_place *places)
{
	unsigned turn = 0;

	for (unsigned i = 0; i < w->p->n; i++)
		places[i].pass = NOWHERE;
	for (unsigned uses = SCHEDULE_USES; uses > 2; uses--)
		for (unsigned i = 0; i < w->p->n; i++)
			if (w->extra[i] && most_uses(&w->p->items[i]) == uses &&
			    !place_extra(w, places, i, &turn))
				return false;
	return true;
}

static bool has_extras(const struct sched_item *it)
{
	return most_uses(it) > 2;
}

/* The same number of passes with what the extras take. */
static bool with_extras(struct wiring *w, struct sched_place *places)
{
	for (unsigned i = 0; i < w->p->n; i++)
		w->extra[i] = has_extras(&w->p->items[i]);
	return place_extras(w, places) && carries_all(w);
}

/* --- the kind of problem ---------------------------------------------------------------------------- */

/* Whether every alternative takes a counter and a selector; *only if it takes nothing else, *alone if it
 * takes the selector for itself. */
static bool is_wiring(const struct problem *p, bool counter[R], bool selector[R], bool *only, bool *alone)
{
	*only = *alone = true;
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned a = 0; a < p->items[i].n_alternatives; a++) {
			const struct sched_alternative *it = &p->items[i].alternative[a];

			if (it->n_uses < 2 || it->use[0].value)
				return false;
			*only = *only && it->n_uses == 2;
			*alone = *alone && !it->use[1].value;
			counter[it->use[0].resource] = true;
			selector[it->use[1].resource] = true;
		}
	for (unsigned r = 0; r < R; r++)
		if (counter[r] && selector[r])
			return false;
	return true;
}

static void see_wires(struct wiring *w)
{
	for (unsigned i = 0; i < w->p->n; i++)
		for (unsigned a = 0; a < w->p->items[i].n_alternatives; a++) {
			const struct sched_use *use = w->p->items[i].alternative[a].use;

			w->wire[use[1].resource][use[0].resource] = true;
		}
}

/* Events that could share a selector are given one each here: a schedule it is all the same, but no bound. */
static unsigned solve(struct wiring *w, unsigned known, struct sched_place *places, bool *solved)
{
	bool only, alone;

	if (!is_wiring(w->p, w->counter, w->is_selector, &only, &alone))
		return 0;
	see_wires(w);
	for (w->passes = 1; !carries_all(w); w->passes++)
		;
	unsigned bound = alone ? w->passes : 0;

	if (w->passes < known)
		w->passes = known;
	if (alone || w->passes == known)
		*solved = (only ? carries_all(w) : with_extras(w, places)) &&
			  choose_alternatives(w, places) && colour_edges(w, places);
	return bound;
}

unsigned sched_wiring(const struct problem *p, unsigned known, struct sched_place *places, bool *solved)
{
	struct wiring *w = calloc(1, sizeof *w);
	unsigned bound = 0;

	*solved = false;
	if (w) {
		w->p = p;
		w->selector = malloc(p->n * sizeof *w->selector);
		w->extra = calloc(p->n, sizeof *w->extra);
	}
	if (w && w->selector && w->extra)
		bound = solve(w, known, places, solved);
	if (w) {
		free(w->selector);
		free(w->extra);
	}
	free(w);
	return bound;
}
