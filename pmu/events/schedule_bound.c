#include "pmu/events/schedule_internal.h"

#include <string.h>

/* --- what items have to do with each other ---------------------------------------------------------- */

static const struct sched_use *find_use(const struct sched_alternative *a, unsigned resource)
{
	for (unsigned u = 0; u < a->n_uses; u++)
		if (a->use[u].resource == resource)
			return &a->use[u];
	return NULL;
}

bool sched_compatible(const struct sched_alternative *a, const struct sched_alternative *b)
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
			if (sched_compatible(&a->alternative[i], &b->alternative[k]))
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

/* --- matching --------------------------------------------------------------------------------------- */

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

/* At one place of the alternatives: fewest passes that offer enough resources. Of items that may share one,
 * only one counts. */
unsigned sched_matching_bound(struct problem *p, unsigned place)
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

static unsigned exclusive_uses(const struct sched_alternative *a, bool seen[SCHEDULE_RESOURCES])
{
	unsigned n = 0;

	for (unsigned u = 0; u < a->n_uses; u++)
		if (!a->use[u].value) {
			seen[a->use[u].resource] = true;
			n++;
		}
	return n;
}

unsigned sched_room_bound(const struct problem *p)
{
	bool seen[SCHEDULE_RESOURCES] = {false};
	unsigned sum = 0, room = 0;

	for (unsigned i = 0; i < p->n; i++) {
		unsigned least = SCHEDULE_USES;

		for (unsigned a = 0; a < p->items[i].n_alternatives; a++) {
			unsigned uses = exclusive_uses(&p->items[i].alternative[a], seen);

			least = uses < least ? uses : least;
		}
		sum += least;
	}
	for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++)
		room += seen[r];
	return room ? (sum + room - 1) / room : 1;
}

/* Items that pairwise exclude each other, collected greedily from each start. */
unsigned sched_clique_bound(const struct problem *p)
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
