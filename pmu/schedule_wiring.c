/*
 * Counters with selectors before them, as on the Pentium 4: an event needs a selector and one of the counters
 * that the selector is wired to.
 *
 * Which of them each event takes is a flow from events through selectors to counters, none of which may carry
 * more than P events; the smallest P that carries all is a lower bound. An assignment with at most P events
 * on every selector and every counter then always fits into P passes: events are edges between selectors and
 * counters, passes are colours, and a bipartite graph can be coloured with as many colours as its busiest
 * node has edges.
 */
#include "pmu/schedule_internal.h"

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
	memset(w->selector_load, 0, sizeof w->selector_load);
	memset(w->counter_load, 0, sizeof w->counter_load);
	for (unsigned i = 0; i < w->p->n; i++)
		w->selector[i] = -1;
	for (unsigned i = 0; i < w->p->n; i++) {
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

static unsigned free_colour(const int16_t *edges, unsigned colours)
{
	unsigned c = 0;

	while (c < colours && edges[c] >= 0)
		c++;
	return c;
}

/* Colour the edges one by one: if the ends of one have no colour free in common, a is free at the selector
 * and b at the counter; swapping the two on the path that leaves the counter by a frees a there. The path
 * cannot reach the selector. */
static bool colour_edges(const struct wiring *w, struct sched_place *places)
{
	const struct problem *p = w->p;
	unsigned passes = w->passes;
	int16_t *edge[2] = {malloc(R * passes * sizeof(int16_t)), malloc(R * passes * sizeof(int16_t))};
	uint16_t *path = malloc(p->n * sizeof *path);
	bool good = edge[0] && edge[1] && path;

	for (unsigned i = 0; good && i < R * passes; i++)
		edge[0][i] = edge[1][i] = -1;
	for (unsigned i = 0; good && i < p->n; i++) {
		const struct sched_use *use = p->items[i].alternative[places[i].alternative].use;
		unsigned a = free_colour(&edge[1][use[1].resource * passes], passes);
		unsigned b = free_colour(&edge[0][use[0].resource * passes], passes);
		unsigned length = 0, side = 0, node = use[0].resource, colour = a;

		for (int next; a != b && (next = edge[side][node * passes + colour]) >= 0;
		     colour = colour == a ? b : a) {
			path[length++] = (uint16_t)next;
			side = !side;
			node = p->items[next].alternative[places[next].alternative].use[side].resource;
		}
		for (unsigned k = 0; k < length; k++)
			for (unsigned end = 0; end < 2; end++)
				edge[end][p->items[path[k]]
							  .alternative[places[path[k]].alternative]
							  .use[end]
							  .resource *
						  passes +
					  places[path[k]].pass] = -1;
		for (unsigned k = 0; k < length; k++) {
			places[path[k]].pass = (uint16_t)(places[path[k]].pass == a ? b : a);
			for (unsigned end = 0; end < 2; end++)
				edge[end][p->items[path[k]]
							  .alternative[places[path[k]].alternative]
							  .use[end]
							  .resource *
						  passes +
					  places[path[k]].pass] = (int16_t)path[k];
		}
		places[i].pass = (uint16_t)a;
		for (unsigned end = 0; end < 2; end++)
			edge[end][use[end].resource * passes + a] = (int16_t)i;
	}
	free(edge[0]);
	free(edge[1]);
	free(path);
	return good;
}

/* --- the kind of problem ---------------------------------------------------------------------------- */

/* Whether every alternative takes a counter and a selector for itself; *only if it takes nothing else. */
static bool is_wiring(const struct problem *p, bool *only)
{
	bool counter[R] = {false}, selector[R] = {false};

	*only = true;
	for (unsigned i = 0; i < p->n; i++)
		for (unsigned a = 0; a < p->items[i].n_alternatives; a++) {
			const struct sched_alternative *it = &p->items[i].alternative[a];

			if (it->n_uses < 2 || it->use[0].value || it->use[1].value)
				return false;
			if (it->n_uses > 2)
				*only = false;
			counter[it->use[0].resource] = true;
			selector[it->use[1].resource] = true;
		}
	for (unsigned r = 0; r < R; r++)
		if (counter[r] && selector[r])
			return false;
	return true;
}

unsigned sched_wiring(const struct problem *p, struct sched_place *places, bool *solved)
{
	struct wiring *w;
	unsigned bound = 0;
	bool only;

	*solved = false;
	if (!is_wiring(p, &only))
		return 0;
	w = calloc(1, sizeof *w);
	if (w)
		w->selector = malloc(p->n * sizeof *w->selector);
	if (w && w->selector) {
		w->p = p;
		for (unsigned i = 0; i < p->n; i++)
			for (unsigned a = 0; a < p->items[i].n_alternatives; a++) {
				const struct sched_use *use = p->items[i].alternative[a].use;

				w->wire[use[1].resource][use[0].resource] = true;
			}
		for (w->passes = 1; !carries_all(w); w->passes++)
			;
		bound = w->passes;
		*solved = only && choose_alternatives(w, places) && colour_edges(w, places);
	}
	if (w)
		free(w->selector);
	free(w);
	return bound;
}
