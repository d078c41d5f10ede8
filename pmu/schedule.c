/*
 * Bounds first, then a search that tries to meet them.
 *
 * Bounds: (1) per place in the alternatives (all counters, all selectors, ...): if every item needs some
 * resource there, P passes must offer enough of them; whether they do is a matching of items to resources of
 * capacity P. (2) items of which no two fit into one pass need a pass each. (3) a search that fails with its
 * whole space explored.
 *
 * Where alternatives take one resource each, the matching is itself a schedule: a resource's items go to
 * different passes, and nothing else ties items together.
 */
#include "pmu/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_BUDGET 10000000

/* --- matching ---------------------------------------------------------------------------------------- */

struct matching {
	const struct sched_item *items;
	unsigned n, place, capacity;
	const bool *skip; /* items that need nothing of their own there */
	uint16_t *taker;  /* [resource * capacity + k] */
	unsigned used[SCHEDULE_RESOURCES];
	bool visited[SCHEDULE_RESOURCES];
	int16_t *chosen; /* resource of each item, -1 while it has none */
};

static unsigned resource_of(const struct matching *m, unsigned item, unsigned alternative)
{
	return m->items[item].alternative[alternative].use[m->place].resource;
}

/* Find room for an item, moving others if need be (an augmenting path). */
static bool augment(struct matching *m, unsigned item)
{
	for (unsigned a = 0; a < m->items[item].n_alternatives; a++) {
		unsigned r = resource_of(m, item, a);

		if (m->visited[r])
			continue;
		m->visited[r] = true;
		if (m->used[r] < m->capacity) {
			m->taker[r * m->capacity + m->used[r]++] = (uint16_t)item;
			m->chosen[item] = (int16_t)r;
			return true;
		}
		for (unsigned k = 0; k < m->capacity; k++) {
			unsigned other = m->taker[r * m->capacity + k];

			if (augment(m, other)) {
				m->taker[r * m->capacity + k] = (uint16_t)item;
				m->chosen[item] = (int16_t)r;
				return true;
			}
		}
	}
	return false;
}

static bool match_all(struct matching *m)
{
	memset(m->used, 0, sizeof m->used);
	for (unsigned i = 0; i < m->n; i++) {
		m->chosen[i] = -1;
		if (m->skip[i])
			continue;
		memset(m->visited, 0, sizeof m->visited);
		if (!augment(m, i))
			return false;
	}
	return true;
}

/* --- what items have to do with each other ----------------------------------------------------------- */

static const struct sched_use *find_use(const struct sched_alternative *a, unsigned resource)
{
	for (unsigned u = 0; u < a->n_uses; u++)
		if (a->use[u].resource == resource)
			return &a->use[u];
	return NULL;
}

static bool compatible(const struct sched_alternative *a, const struct sched_alternative *b)
{
	for (unsigned u = 0; u < a->n_uses; u++) {
		const struct sched_use *other = find_use(b, a->use[u].resource);

		if (other && (!other->value || other->value != a->use[u].value))
			return false;
	}
	return true;
}

static bool together(const struct sched_item *a, const struct sched_item *b)
{
	for (unsigned i = 0; i < a->n_alternatives; i++)
		for (unsigned k = 0; k < b->n_alternatives; k++)
			if (compatible(&a->alternative[i], &b->alternative[k]))
				return true;
	return false;
}

/* Whether items a and b might take the same resource at one place of their alternatives, as one. */
static bool may_share(const struct sched_item *a, const struct sched_item *b, unsigned place)
{
	for (unsigned i = 0; i < a->n_alternatives; i++)
		for (unsigned k = 0; k < b->n_alternatives; k++) {
			const struct sched_use *x = &a->alternative[i].use[place],
					       *y = &b->alternative[k].use[place];

			if (x->resource == y->resource && x->value && x->value == y->value)
				return true;
		}
	return false;
}

/* Whether an item takes nothing at this place, or can. */
static bool free_of(const struct sched_item *item, unsigned place)
{
	for (unsigned a = 0; a < item->n_alternatives; a++)
		if (item->alternative[a].n_uses <= place)
			return true;
	return false;
}

/* --- bounds ------------------------------------------------------------------------------------------ */

struct problem {
	const struct sched_item *items;
	unsigned n, budget;
	bool *skip;
	unsigned *member;
	int16_t *chosen;
	uint16_t *taker;
};

/* At one place of the alternatives: fewest passes that offer enough resources. Of items that may share one,
 * only one counts. */
static unsigned matching_bound(struct problem *p, unsigned place)
{
	struct matching m = {.items = p->items,
			     .n = p->n,
			     .place = place,
			     .skip = p->skip,
			     .taker = p->taker,
			     .chosen = p->chosen};

	for (unsigned i = 0; i < p->n; i++) {
		p->skip[i] = free_of(&p->items[i], place);
		for (unsigned k = 0; k < i && !p->skip[i]; k++)
			p->skip[i] = !p->skip[k] && may_share(&p->items[i], &p->items[k], place);
	}
	for (m.capacity = 1; !match_all(&m); m.capacity++)
		;
	return m.capacity;
}

/* Items that pairwise exclude each other, collected greedily from each start. */
static unsigned clique_bound(const struct problem *p)
{
	unsigned best = 0;

	for (unsigned start = 0; start < p->n; start++) {
		unsigned size = 0;

		for (unsigned k = 0; k < p->n; k++) {
			unsigned i = (start + k) % p->n, c = 0;

			while (c < size && !together(&p->items[p->member[c]], &p->items[i]))
				c++;
			if (c == size)
				p->member[size++] = i;
		}
		if (size > best)
			best = size;
	}
	return best;
}

/* --- search ------------------------------------------------------------------------------------------ */

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

enum outcome { FOUND, IMPOSSIBLE, GAVE_UP };

static enum outcome place_rest(struct search *s)
{
	unsigned least, i = most_constrained(s, &least), opened = s->opened;
	const struct sched_item *item = &s->problem->items[i];

	if (i == s->problem->n)
		return FOUND;
	if (!least)
		return IMPOSSIBLE;
	for (unsigned p = 0; p < passes_to_try(s); p++)
		for (unsigned a = 0; a < item->n_alternatives; a++) {
			enum outcome outcome;

			if (!fits(&s->pass[p], &item->alternative[a]))
				continue;
			if (s->steps >= s->problem->budget)
				return GAVE_UP;
			occupy(&s->pass[p], &item->alternative[a], 1);
			s->placed[i] = true;
			s->places[i] = (struct sched_place){(uint16_t)p, (uint16_t)a};
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

/* When backtracking gives up: put the next item in by force, turn out those in its way, and go on with them
 * (each place is left alone for a while after it was changed). */
static bool repair(struct search *s, uint32_t *until)
{
	const struct problem *p = s->problem;

	for (unsigned round = 1; s->steps / 2 <= p->budget; round++) {
		unsigned least, item = most_constrained(s, &least), best_pass = 0, best_alternative = 0,
				fewest = ~0u;
		const struct sched_item *it;

		if (item == p->n)
			return true;
		it = &p->items[item];
		for (unsigned pass = 0; pass < s->passes; pass++)
			for (unsigned a = 0; a < it->n_alternatives; a++) {
				unsigned cost = 0;

				for (unsigned k = 0; k < p->n; k++)
					if (s->placed[k] && s->places[k].pass == pass &&
					    !compatible(&it->alternative[a],
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
			    !compatible(&it->alternative[best_alternative],
					&p->items[k].alternative[s->places[k].alternative])) {
				occupy(&s->pass[best_pass],
				       &p->items[k].alternative[s->places[k].alternative], -1);
				s->placed[k] = false;
			}
		occupy(&s->pass[best_pass], &it->alternative[best_alternative], 1);
		s->placed[item] = true;
		s->places[item] = (struct sched_place){(uint16_t)best_pass, (uint16_t)best_alternative};
		until[item] = round + 3 + (item * 7 + round) % 11;
		s->steps += s->passes * it->n_alternatives * p->n;
	}
	return false;
}

static enum outcome try_passes(struct problem *p, unsigned passes, struct sched_place *places,
			       unsigned *steps)
{
	struct search s = {.problem = p, .places = places, .passes = passes};
	uint32_t *until = calloc(p->n, sizeof *until);
	enum outcome outcome = GAVE_UP;

	s.pass = calloc(passes, sizeof *s.pass);
	s.placed = calloc(p->n, sizeof *s.placed);
	if (s.pass && s.placed && until) {
		outcome = place_rest(&s);
		if (outcome == GAVE_UP) {
			s.opened = passes;
			if (repair(&s, until))
				outcome = FOUND;
		}
	}
	*steps += s.steps;
	free(until);
	free(s.pass);
	free(s.placed);
	return outcome;
}

/* Each item into the first pass where one of its alternatives fits. Needs no search, and is what a search has
 * to beat. */
static unsigned first_fit(const struct problem *p, struct sched_place *places)
{
	unsigned passes = 0;

	for (unsigned i = 0; i < p->n; i++) {
		const struct sched_item *it = &p->items[i];
		unsigned pass = 0, a = it->n_alternatives;

		for (; pass < passes && a == it->n_alternatives; pass++)
			for (a = 0; a < it->n_alternatives; a++) {
				unsigned k = 0;

				while (k < i && (places[k].pass != pass ||
						 compatible(&it->alternative[a],
							    &p->items[k].alternative[places[k].alternative])))
					k++;
				if (k == i)
					break;
			}
		if (a < it->n_alternatives)
			places[i] = (struct sched_place){(uint16_t)(pass - 1), (uint16_t)a};
		else
			places[i] = (struct sched_place){(uint16_t)passes++, 0};
	}
	return passes;
}

/* --- the whole --------------------------------------------------------------------------------------- */

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
				places[i] = (struct sched_place){(uint16_t)next[p->chosen[i]]++, (uint16_t)a};
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

static void solve(struct problem *p, struct sched_place *places, struct sched_result *r)
{
	static const char *const kind[SCHEDULE_USES] = {"counters", "second resources", "third resources",
							"fourth resources"};
	unsigned passes;

	if (single_resource(p)) {
		raise_bound(r, matching_bound(p, 0), "counters");
		r->passes = r->bound;
		place_matched(p, places);
		return;
	}
	raise_bound(r, 1, "one pass is needed");
	for (unsigned place = 0; place < SCHEDULE_USES; place++)
		raise_bound(r, matching_bound(p, place), kind[place]);
	raise_bound(r, clique_bound(p), "events that exclude each other");
	for (passes = r->bound; passes < p->n; passes++) {
		enum outcome outcome;

		if (first_fit(p, places) <= passes)
			break;
		outcome = try_passes(p, passes, places, &r->steps);
		if (outcome == FOUND) {
			r->passes = passes;
			return;
		}
		if (outcome == IMPOSSIBLE && r->bound == passes)
			raise_bound(r, passes + 1, "exhaustive search");
	}
	r->passes = first_fit(p, places);
}

bool schedule(const struct sched_item *items, unsigned n, unsigned budget, struct sched_place *places,
	      struct sched_result *result)
{
	struct problem p = {.items = items, .n = n, .budget = budget ? budget : DEFAULT_BUDGET};
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
	good = p.skip && p.member && p.chosen && p.taker;
	if (good)
		solve(&p, places, result);
	free(p.skip);
	free(p.member);
	free(p.chosen);
	free(p.taker);
	return good;
}

/* --- events on counters ------------------------------------------------------------------------------ */

uint64_t event_counters(const struct pmu *pmu, const struct event_request *request)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		bool general = pmu->counter[c].kind == COUNTER_GENERAL;

		/* A fixed counter has no selector: neither raw codes nor filters reach it. */
		if (general ? !request->event || pmu->driver->can_count(pmu, request->event, c)
			    : request->event && !event_is_filtered(request) &&
				      pmu->driver->can_count(pmu, request->event, c))
			mask |= UINT64_C(1) << c;
	}
	return mask;
}

bool schedule_events(const struct pmu *pmu, const struct event_request *requests, unsigned n,
		     struct sched_place *places, struct sched_result *result, const char **why)
{
	static char text[192];
	struct sched_item *items = calloc(n ? n : 1, sizeof *items);
	struct sched_alternative *alternatives =
		calloc((size_t)(n ? n : 1) * PMU_COUNTERS_MAX, sizeof *alternatives);
	bool good = items && alternatives;

	*why = "not enough memory to schedule the events";
	for (unsigned i = 0; good && i < n; i++) {
		struct sched_alternative *mine = &alternatives[(size_t)i * PMU_COUNTERS_MAX];
		uint64_t mask = event_counters(pmu, &requests[i]);

		items[i].alternative = mine;
		for (unsigned c = 0; c < pmu->n_counters; c++)
			if (mask >> c & 1)
				mine[items[i].n_alternatives++] =
					(struct sched_alternative){1, {{(uint8_t)c, 0}}};
		if (!mask) {
			char name[64];

			event_format(pmu, &requests[i], name, sizeof name);
			snprintf(text, sizeof text, "no counter of this PMU can count %s%s", name,
				 event_is_filtered(&requests[i])
					 ? ": e, i and c need a counter with a selector"
					 : "");
			*why = text;
			good = false;
		}
	}
	good = good && schedule(items, n, 0, places, result);
	for (unsigned i = 0; good && i < n; i++)
		places[i].alternative = items[i].alternative[places[i].alternative].use[0].resource;
	free(items);
	free(alternatives);
	return good;
}
