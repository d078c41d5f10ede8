#include "pmu/uarch.h"

#include <string.h>

/* A set-associative array of tags with true LRU: the ways of a set are kept in order of use, most recent
 * first. */
struct lru {
	uint32_t sets;
	uint16_t ways;
	uint8_t shift; /* of the block: line or page */
	uint64_t *tag; /* sets * ways; 0 is empty, else block number + 1 */
};

struct store {
	uint64_t address;
	uint32_t size;
};

struct uarch {
	struct uarch_geometry geometry;
	struct lru l1d, l1i, l2, llc, dtlb, itlb, stlb;
	uint8_t counter[UARCH_PREDICTORS]; /* 0 to 3; 2 and 3 predict taken */
	uint64_t target[UARCH_PREDICTORS];
	uint32_t history;
	uint64_t returns[UARCH_RETURNS];
	unsigned return_top; /* grows without bound, used modulo the stack's size */
	struct store stores[UARCH_STORES];
	unsigned store_next;
	uint64_t fetched_line, fetched_page; /* +1; the fetch unit looks up once per line it enters */
	uint64_t tags[];
};

static bool power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

static uint8_t log2_of(uint64_t v)
{
	uint8_t shift = 0;

	while (v > 1) {
		v >>= 1;
		shift++;
	}
	return shift;
}

static bool cache_fits(const struct uarch_cache_geometry *c, uint32_t limit, bool optional)
{
	if (!c->sets)
		return optional;
	return power_of_two(c->sets) && power_of_two(c->line) && c->line >= 16 && c->ways &&
	       (uint64_t)c->sets * c->ways <= limit;
}

static size_t cache_tags(const struct uarch_cache_geometry *c)
{
	return (size_t)c->sets * c->ways;
}

size_t uarch_size(const struct uarch_geometry *g)
{
	if (!cache_fits(&g->l1d, UARCH_L1_LINES, false) || !cache_fits(&g->l1i, UARCH_L1_LINES, false) ||
	    !cache_fits(&g->l2, UARCH_L2_LINES, true) || !cache_fits(&g->llc, UARCH_LLC_LINES, true))
		return 0;
	if (!g->dtlb || g->dtlb > UARCH_TLB || !g->itlb || g->itlb > UARCH_TLB || g->page_shift < 12 ||
	    g->history_bits > 12 || !g->return_stack || g->return_stack > UARCH_RETURNS || !g->store_buffer ||
	    g->store_buffer > UARCH_STORES)
		return 0;
	if (g->stlb_sets && (!power_of_two(g->stlb_sets) || !g->stlb_ways ||
			     (uint64_t)g->stlb_sets * g->stlb_ways > UARCH_STLB))
		return 0;
	return sizeof(struct uarch) +
	       sizeof(uint64_t) *
		       (cache_tags(&g->l1d) + cache_tags(&g->l1i) + cache_tags(&g->l2) + cache_tags(&g->llc) +
			g->dtlb + g->itlb + (size_t)g->stlb_sets * (g->stlb_sets ? g->stlb_ways : 0));
}

static uint64_t *lru_place(struct lru *l, uint64_t *tags, uint32_t sets, uint16_t ways, uint8_t shift)
{
	*l = (struct lru){.sets = sets, .ways = ways, .shift = shift, .tag = tags};
	return tags + (size_t)sets * ways;
}

struct uarch *uarch_create(void *memory, const struct uarch_geometry *g)
{
	struct uarch *u = memory;
	uint64_t *tags = u->tags;

	u->geometry = *g;
	tags = lru_place(&u->l1d, tags, g->l1d.sets, g->l1d.ways, log2_of(g->l1d.line));
	tags = lru_place(&u->l1i, tags, g->l1i.sets, g->l1i.ways, log2_of(g->l1i.line));
	tags = lru_place(&u->l2, tags, g->l2.sets, g->l2.ways, log2_of(g->l2.line));
	tags = lru_place(&u->llc, tags, g->llc.sets, g->llc.ways, log2_of(g->llc.line));
	tags = lru_place(&u->dtlb, tags, 1, g->dtlb, g->page_shift);
	tags = lru_place(&u->itlb, tags, 1, g->itlb, g->page_shift);
	lru_place(&u->stlb, tags, g->stlb_sets, g->stlb_sets ? g->stlb_ways : 0, g->page_shift);
	uarch_reset(u);
	return u;
}

static void lru_clear(struct lru *l)
{
	memset(l->tag, 0, sizeof(uint64_t) * l->sets * l->ways);
}

void uarch_reset(struct uarch *u)
{
	struct lru *all[] = {&u->l1d, &u->l1i, &u->l2, &u->llc, &u->dtlb, &u->itlb, &u->stlb};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		lru_clear(all[i]);
	memset(u->counter, 1, sizeof(u->counter));
	memset(u->target, 0, sizeof(u->target));
	memset(u->returns, 0, sizeof(u->returns));
	memset(u->stores, 0, sizeof(u->stores));
	u->history = 0;
	u->return_top = 0;
	u->store_next = 0;
	u->fetched_line = 0;
	u->fetched_page = 0;
}

/* Look a block up and make it the most recent of its set, replacing the least recent on a miss. */
static bool lru_touch(struct lru *l, uint64_t address)
{
	uint64_t block = address >> l->shift;
	uint64_t *way = l->tag + (block & (l->sets - 1)) * l->ways;
	unsigned at;

	for (at = 0; at < l->ways; at++)
		if (way[at] == block + 1)
			break;

	bool hit = at < l->ways;

	if (!hit)
		at = l->ways - 1u;
	memmove(way + 1, way, at * sizeof(*way));
	way[0] = block + 1;
	return hit;
}

static void lru_drop(struct lru *l, uint64_t address)
{
	if (!l->sets)
		return;

	uint64_t block = address >> l->shift;
	uint64_t *way = l->tag + (block & (l->sets - 1)) * l->ways;

	for (unsigned at = 0; at < l->ways; at++)
		if (way[at] == block + 1) {
			memmove(way + at, way + at + 1, (l->ways - at - 1u) * sizeof(*way));
			way[l->ways - 1] = 0;
			return;
		}
}

void uarch_flush_line(struct uarch *u, uint64_t address)
{
	lru_drop(&u->l1d, address);
	lru_drop(&u->l1i, address);
	lru_drop(&u->l2, address);
	lru_drop(&u->llc, address);
	u->fetched_line = 0;
}

void uarch_flush_tlb(struct uarch *u, uint64_t address)
{
	struct lru *tlb[] = {&u->dtlb, &u->itlb, &u->stlb};

	for (unsigned i = 0; i < 3; i++)
		if (address == UINT64_MAX)
			lru_clear(tlb[i]);
		else
			lru_drop(tlb[i], address);
	u->fetched_page = 0;
}

struct terms {
	struct qterm *out;
	unsigned count, room;
};

static void add(struct terms *t, enum quantity q)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->out[i].quantity == q) {
			t->out[i].amount++;
			return;
		}
	if (t->count < t->room)
		t->out[t->count++] = (struct qterm){.quantity = q, .amount = 1};
}

/* A miss of a first-level cache goes down until some level has the line. */
static void below_l1(struct uarch *u, uint64_t address, bool load, struct terms *t)
{
	bool last_is_l2 = !u->llc.sets;

	if (u->l2.sets) {
		if (last_is_l2)
			add(t, Q_LLC_REF);
		if (lru_touch(&u->l2, address))
			return;
		if (load)
			add(t, Q_L2_LOAD_MISS);
		if (last_is_l2) {
			add(t, Q_LLC_MISS);
			return;
		}
	}
	if (!last_is_l2) {
		add(t, Q_LLC_REF);
		if (!lru_touch(&u->llc, address))
			add(t, Q_LLC_MISS);
	}
}

static bool walk_needed(struct uarch *u, struct lru *first, uint64_t address)
{
	if (lru_touch(first, address))
		return false;
	return !u->stlb.sets || !lru_touch(&u->stlb, address);
}

static void fetch(struct uarch *u, uint64_t address, struct terms *t)
{
	uint64_t line = (address >> u->l1i.shift) + 1, page = (address >> u->itlb.shift) + 1;

	if (page != u->fetched_page) {
		u->fetched_page = page;
		if (walk_needed(u, &u->itlb, address))
			add(t, Q_ITLB_MISS);
	}
	if (line != u->fetched_line) {
		u->fetched_line = line;
		if (!lru_touch(&u->l1i, address)) {
			add(t, Q_L1I_MISS);
			below_l1(u, address, false, t);
		}
	}
}

/* The youngest store that overlaps the load decides. */
static void forward(struct uarch *u, const struct uarch_access *a, struct terms *t)
{
	unsigned depth = u->geometry.store_buffer;

	for (unsigned i = 1; i <= depth; i++) {
		const struct store *s = &u->stores[(u->store_next + depth - i) % depth];

		if (!s->size || s->address + s->size <= a->address || a->address + a->size <= s->address)
			continue;
		add(t, s->address <= a->address && a->address + a->size <= s->address + s->size
			       ? Q_STORE_FORWARD
			       : Q_STORE_FORWARD_BLOCK);
		return;
	}
}

static void data(struct uarch *u, const struct uarch_access *a, struct terms *t)
{
	uint64_t last = a->address + (a->size ? a->size - 1 : 0);
	bool l1_miss = false, walk = false;

	if (!a->store)
		forward(u, a, t);

	for (uint64_t page = a->address >> u->dtlb.shift; page <= last >> u->dtlb.shift; page++)
		walk |= walk_needed(u, &u->dtlb, page << u->dtlb.shift);
	for (uint64_t line = a->address >> u->l1d.shift; line <= last >> u->l1d.shift; line++)
		if (!lru_touch(&u->l1d, line << u->l1d.shift)) {
			l1_miss = true;
			below_l1(u, line << u->l1d.shift, !a->store, t);
		}

	if (walk)
		add(t, a->store ? Q_DTLB_STORE_MISS : Q_DTLB_LOAD_MISS);
	if (l1_miss && !a->store)
		add(t, Q_L1D_LOAD_MISS);
	if (a->store) {
		u->stores[u->store_next] = (struct store){.address = a->address, .size = a->size};
		u->store_next = (u->store_next + 1) % u->geometry.store_buffer;
	}
}

static unsigned predictor(uint64_t ip)
{
	return (unsigned)(ip ^ ip >> 12) % UARCH_PREDICTORS;
}

static bool predicted_conditional(struct uarch *u, uint64_t ip, bool taken)
{
	uint32_t mask = (1u << u->geometry.history_bits) - 1;
	uint8_t *counter = &u->counter[(predictor(ip) ^ (u->history & mask)) % UARCH_PREDICTORS];
	bool right = (*counter >= 2) == taken;

	if (taken && *counter < 3)
		(*counter)++;
	if (!taken && *counter > 0)
		(*counter)--;
	u->history = u->history << 1 | taken;
	return right;
}

static bool predicted_target(struct uarch *u, uint64_t ip, uint64_t target)
{
	uint64_t *entry = &u->target[predictor(ip)];
	bool right = *entry == target;

	*entry = target;
	return right;
}

static void branch(struct uarch *u, const struct uarch_step *s, struct terms *t)
{
	unsigned depth = u->geometry.return_stack;
	bool right = true;

	if (s->branch == UARCH_CONDITIONAL)
		right = predicted_conditional(u, s->ip, s->taken);
	else if (s->branch == UARCH_INDIRECT)
		right = predicted_target(u, s->ip, s->next);
	else if (s->branch == UARCH_RETURN)
		right = u->returns[--u->return_top % depth] == s->next;

	if (s->call)
		u->returns[u->return_top++ % depth] = s->ip + s->length;
	if (!right)
		add(t, Q_BR_MISPRED);
}

unsigned uarch_step(struct uarch *u, const struct uarch_step *s, struct qterm *out, unsigned room)
{
	struct terms t = {.out = out, .room = room};

	fetch(u, s->ip, &t);
	if (s->length && (s->ip + s->length - 1) >> u->l1i.shift != s->ip >> u->l1i.shift)
		fetch(u, s->ip + s->length - 1, &t);
	for (unsigned i = 0; i < s->n_access; i++)
		data(u, &s->access[i], &t);
	if (s->branch)
		branch(u, s, &t);
	return t.count;
}
