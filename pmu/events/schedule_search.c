/*
 * The search: place the most constrained item first, go back when one has nowhere to go; where that takes too
 * long, put items in by force and turn out what is in their way.
 */
#include "pmu/events/schedule_internal.h"

#include <stdlib.h>

/* Who holds what in one pass. */
struct pass_state {
	uint64_t value[SCHEDULE_RESOURCES];
	uint16_t users[SCHEDULE_RESOURCES];
};

struct search {
	const struct problem *problem;
	struct pass_state *pass;
	struct sched_place *places;
	bool *placed;
	unsigned passes, opened, steps;
};

static bool fits(const struct pass_state *s, const struct sched_alternative *a)
{
	for (unsigned u = 0; u < a->n_uses; u++)
		if (s->users[a->use[u].resource] &&
		    (!a->use[u].value || s->value[a->use[u].resource] != a->use[u].value))
			return false;
	return true;
}

static void occupy(struct pass_state *s, const struct sched_alternative *a, int by)
{
	for (unsigned u = 0; u < a->n_uses; u++) {
		s->users[a->use[u].resource] = (uint16_t)(s->users[a->use[u].resource] + by);
		s->value[a->use[u].resource] = a->use[u].value;
	}
}

/* Passes beyond the first unused one are all alike: only one of them is looked at. */
static unsigned passes_to_try(const struct search *s)
{
	return s->opened < s->passes ? s->opened + 1 : s->passes;
}

static unsigned options(struct search *s, unsigned item, unsigned enough)
{
	const struct sched_item *it = &s->problem->items[item];
	unsigned count = 0;

	for (unsigned p = 0; p < passes_to_try(s) && count < enough; p++, s->steps += it->n_alternatives)
		for (unsigned a = 0; a < it->n_alternatives; a++)
			count += fits(&s->pass[p], &it->alternative[a]);
	return count;
}

/* The unplaced item with the fewest options left. @return n if all are placed */
static unsigned most_constrained(struct search *s, unsigned *least)
{
	unsigned best = s->problem->n;

	*least = ~0u;
	for (unsigned i = 0; i < s->problem->n && *least; i++) {
		unsigned count = s->placed[i] ? ~0u : options(s, i, *least);

		if (count < *least) {
			*least = count;
			best = i;
		}
	}
	return best;
}

static enum search_outcome place_rest(struct search *s)
{
	unsigned least, i = most_constrained(s, &least), opened = s->opened;
	const struct sched_item *item = &s->problem->items[i];

	if (i == s->problem->n)
		return FOUND;
	if (!least)
		return IMPOSSIBLE;
	for (unsigned p = 0; p < passes_to_try(s); p++)
		for (unsigned a = 0; a < item->n_alternatives; a++) {
			enum search_outcome outcome;

			if (!fits(&s->pass[p], &item->alternative[a]))
				continue;
			if (s->steps >= s->problem->budget)
				return GAVE_UP;
			occupy(&s->pass[p], &item->alternative[a], 1);
			s->placed[i] = true;
			s->places[i] = (struct sched_place){.pass = (uint16_t)p, .alternative = (uint16_t)a};
			s->opened = p == opened ? opened + 1 : opened;
			outcome = place_rest(s);
			if (outcome != IMPOSSIBLE)
				return outcome;
			s->opened = opened;
			s->placed[i] = false;
			occupy(&s->pass[p], &item->alternative[a], -1);
		}
	return IMPOSSIBLE;
}

static const struct sched_alternative *taken_by(const struct search *s, unsigned item)
{
	return &s->problem->items[item].alternative[s->places[item].alternative];
}

/* All that has to change places when an item comes to pass a in the given way, and what is in its way goes to
 * pass b: those in b that are in the way of these come to a, and so on. @return false if one of them is in
 * the item's way */
static bool collect_chain(struct search *s, const struct sched_alternative *way, unsigned a, unsigned b,
			  bool *in_chain, uint16_t *chain, unsigned *length)
{
	unsigned n = s->problem->n;

	*length = 0;
	for (unsigned k = 0; k < n; k++) {
		in_chain[k] =
			s->placed[k] && s->places[k].pass == a && !sched_compatible(way, taken_by(s, k));
		if (in_chain[k])
			chain[(*length)++] = (uint16_t)k;
	}
	for (unsigned i = 0; i < *length; i++, s->steps += n) {
		unsigned other = s->places[chain[i]].pass == a ? b : a;

		for (unsigned k = 0; k < n; k++) {
			if (!s->placed[k] || in_chain[k] || s->places[k].pass != other ||
			    sched_compatible(taken_by(s, chain[i]), taken_by(s, k)))
				continue;
			if (other == b && !sched_compatible(way, taken_by(s, k)))
				return false;
			in_chain[k] = true;
			chain[(*length)++] = (uint16_t)k;
		}
	}
	return true;
}

static void put(struct search *s, unsigned item, unsigned pass, unsigned alternative)
{
	s->places[item] = (struct sched_place){.pass = (uint16_t)pass, .alternative = (uint16_t)alternative};
	occupy(&s->pass[pass], taken_by(s, item), 1);
	s->placed[item] = true;
}

/* Make room for an item by exchanging others between two passes, as edges of a graph are recoloured. */
static bool exchange(struct search *s, unsigned item, bool *in_chain, uint16_t *chain)
{
	const struct sched_item *it = &s->problem->items[item];
	unsigned length;

	for (unsigned i = 0; i < s->passes * s->passes * it->n_alternatives; i++) {
		unsigned alternative = i % it->n_alternatives, a = i / it->n_alternatives / s->passes,
			 b = i / it->n_alternatives % s->passes;

		if (a == b ||
		    !collect_chain(s, &it->alternative[alternative], a, b, in_chain, chain, &length))
			continue;
		for (unsigned k = 0; k < length; k++)
			occupy(&s->pass[s->places[chain[k]].pass], taken_by(s, chain[k]), -1);
		for (unsigned k = 0; k < length; k++)
			put(s, chain[k], s->places[chain[k]].pass == a ? b : a,
			    s->places[chain[k]].alternative);
		put(s, item, a, alternative);
		return true;
	}
	return false;
}

/* When backtracking gives up: make room for the next item by an exchange, or put it in by force, turn out
 * those in its way, and go on with them (each place is left alone for a while after it was changed). */
static bool repair(struct search *s, uint32_t *until, bool *in_chain, uint16_t *chain)
{
	const struct problem *p = s->problem;

	for (unsigned round = 1; s->steps / 2 <= p->budget; round++) {
		unsigned least, item = most_constrained(s, &least), best_pass = 0, best_alternative = 0,
				fewest = ~0u;
		const struct sched_item *it;

		if (item == p->n)
			return true;
		it = &p->items[item];
		if (!least && exchange(s, item, in_chain, chain))
			continue;
		for (unsigned pass = 0; pass < s->passes; pass++)
			for (unsigned a = 0; a < it->n_alternatives; a++) {
				unsigned cost = 0;

				for (unsigned k = 0; k < p->n; k++)
					if (s->placed[k] && s->places[k].pass == pass &&
					    !sched_compatible(
						    &it->alternative[a],
						    &p->items[k].alternative[s->places[k].alternative]))
						cost += until[k] > round ? p->n : 1;
				if (cost < fewest) {
					fewest = cost;
					best_pass = pass;
					best_alternative = a;
				}
			}
		for (unsigned k = 0; k < p->n; k++)
			if (s->placed[k] && s->places[k].pass == best_pass &&
			    !sched_compatible(&it->alternative[best_alternative],
					      &p->items[k].alternative[s->places[k].alternative])) {
				occupy(&s->pass[best_pass],
				       &p->items[k].alternative[s->places[k].alternative], -1);
				s->placed[k] = false;
			}
		occupy(&s->pass[best_pass], &it->alternative[best_alternative], 1);
		s->placed[item] = true;
		s->places[item] = (struct sched_place){.pass = (uint16_t)best_pass,
						       .alternative = (uint16_t)best_alternative};
		until[item] = round + 3 + (item * 7 + round) % 11;
		s->steps += s->passes * it->n_alternatives * p->n;
	}
	return false;
}

enum search_outcome sched_search(struct problem *p, unsigned passes, struct sched_place *places,
				 unsigned *steps)
{
	struct search s = {.problem = p, .places = places, .passes = passes};
	uint32_t *until = calloc(p->n, sizeof *until);
	uint16_t *chain = malloc(p->n * sizeof *chain);
	bool *in_chain = malloc(p->n * sizeof *in_chain);
	enum search_outcome outcome = GAVE_UP;

	s.pass = calloc(passes, sizeof *s.pass);
	s.placed = calloc(p->n, sizeof *s.placed);
	if (s.pass && s.placed && until && chain && in_chain) {
		outcome = place_rest(&s);
		if (outcome == GAVE_UP) {
			s.opened = passes;
			if (repair(&s, until, in_chain, chain))
				outcome = FOUND;
		}
	}
	*steps += s.steps;
	free(until);
	free(chain);
	free(in_chain);
	free(s.pass);
	free(s.placed);
	return outcome;
}

/* Each item into the first pass where one of its alternatives fits. Needs no search, and is what a search has
 * to beat. */
unsigned sched_first_fit(const struct problem *p, struct sched_place *places)
{
	unsigned passes = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct sched_item *it = &p->items[i];
		unsigned pass = 0, a = it->n_alternatives;

		for (; pass < passes && a == it->n_alternatives; pass++)
			for (a = 0; a < it->n_alternatives; a++) {
				unsigned k = 0;

				while (k < i &&
				       (places[k].pass != pass ||
					sched_compatible(&it->alternative[a],
							 &p->items[k].alternative[places[k].alternative])))
					k++;
				if (k == i)
					break;
			}
		if (a < it->n_alternatives)
			places[i] = (struct sched_place){.pass = (uint16_t)(pass - 1),
							 .alternative = (uint16_t)a};
		else
			places[i] = (struct sched_place){.pass = (uint16_t)passes++, .alternative = 0};
	}
	return passes;
}
