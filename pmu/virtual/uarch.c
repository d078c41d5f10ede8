#include "pmu/virtual/uarch.h"

#include "arch/outcomes.h"

#include <string.h>

/*
 * A set-associative array of tags with true LRU: the ways of a set are kept in order of use, most recent
 * first. A tag belongs to a generation; those of older ones are empty, so that clearing costs nothing. They
 * lie behind all others of their set.
 */
struct lru {
	uint32_t sets;
	uint16_t ways;
	uint16_t generation;
	uint8_t shift; /* of the block: line or page */
	uint64_t *tag; /* sets * ways; block number above, generation in the low 16 bits, which is never 0 */
};
#define BLOCK_BITS 48

struct store {
	uint64_t address;
	uint32_t size;
};

/* Pieces of 8 bytes, by which stores are found again. */
#define PIECE  8
#define PIECES 512

struct uarch {
	struct machine_geometry geometry;
	struct lru l1d, l1i, l2, llc, dtlb, itlb, stlb, decoded;
	uint8_t counter[UARCH_PREDICTORS]; /* 0 to 3; 2 and 3 predict taken */
	uint64_t target[UARCH_PREDICTORS];
	uint32_t history;
	uint64_t returns[UARCH_RETURNS];
	unsigned return_top; /* grows without bound, used modulo the stack's size */
	struct store stores[UARCH_STORES];
	unsigned store_next;
	uint32_t n_stores;
	uint32_t stored[PIECES]; /* the last store, from 1 on, that touched a piece that belongs here */
	uint64_t fetched_line, fetched_page; /* +1; the fetch unit looks up once per line it enters */
	uint64_t window, straight_on;        /* of decoded code, +1; where the last instruction ended */
	bool decoding, tells_decoded;
	uint64_t large_start, large_end; /* data in large pages */
	uint8_t large_shift;
	uint64_t alias_start, alias_end, alias_distance; /* stores here are to code */
	enum { UPPER_CLEAN, UPPER_DIRTY, UPPER_SAVED } upper;
	uint32_t faults; /* bit per enum uarch_fault */
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

static bool cache_fits(const struct machine_cache *c, uint32_t limit)
{
	return power_of_two(c->line) && c->line >= 16 && c->ways && (uint64_t)c->sets * c->ways <= limit;
}

static bool caches_fit(const struct machine_geometry *g)
{
	return power_of_two(g->l1d.sets) && cache_fits(&g->l1d, UARCH_L1_LINES) &&
	       power_of_two(g->l1i.sets) && cache_fits(&g->l1i, UARCH_L1_LINES) &&
	       (!g->l2.sets || (power_of_two(g->l2.sets) && cache_fits(&g->l2, UARCH_L2_LINES))) &&
	       (!g->llc.sets || cache_fits(&g->llc, UARCH_LLC_LINES)) && power_of_two(g->decoded.sets) &&
	       cache_fits(&g->decoded, UARCH_DECODED);
}

static size_t cache_tags(const struct machine_cache *c)
{
	return (size_t)c->sets * c->ways;
}

size_t uarch_size(const struct machine_geometry *g)
{
	if (!caches_fit(g))
		return 0;
	if (!g->dtlb || g->dtlb > UARCH_TLB || !g->itlb || g->itlb > UARCH_TLB || g->page_shift < 12 ||
	    g->history_bits > 12 || !g->return_stack || g->return_stack > UARCH_RETURNS || !g->store_buffer ||
	    g->store_buffer > UARCH_STORES)
		return 0;
	if (g->stlb_sets && (!g->stlb_ways || (uint64_t)g->stlb_sets * g->stlb_ways > UARCH_STLB))
		return 0;
	return sizeof(struct uarch) +
	       sizeof(uint64_t) * (cache_tags(&g->l1d) + cache_tags(&g->l1i) + cache_tags(&g->l2) +
				   cache_tags(&g->llc) + cache_tags(&g->decoded) + g->dtlb + g->itlb +
				   (size_t)g->stlb_sets * (g->stlb_sets ? g->stlb_ways : 0));
}

static uint64_t *lru_place(struct lru *l, uint64_t *tags, uint32_t sets, uint16_t ways, uint8_t shift)
{
	*l = (struct lru){.sets = sets, .ways = ways, .shift = shift, .tag = tags, .generation = 1};
	memset(tags, 0, sizeof(uint64_t) * sets * ways);
	return tags + (size_t)sets * ways;
}

struct uarch *uarch_create(void *memory, const struct machine_geometry *g)
{
	struct uarch *u = memory;
	uint64_t *tags = u->tags;

	u->geometry = *g;
	u->faults = 0;
	u->tells_decoded = false;
	u->large_start = u->large_end = 0;
	u->alias_start = u->alias_end = 0;
	tags = lru_place(&u->l1d, tags, g->l1d.sets, g->l1d.ways, log2_of(g->l1d.line));
	tags = lru_place(&u->l1i, tags, g->l1i.sets, g->l1i.ways, log2_of(g->l1i.line));
	tags = lru_place(&u->l2, tags, g->l2.sets, g->l2.ways, log2_of(g->l2.line));
	tags = lru_place(&u->llc, tags, g->llc.sets, g->llc.ways, log2_of(g->llc.line));
	tags = lru_place(&u->decoded, tags, g->decoded.sets, g->decoded.ways, log2_of(g->decoded.line));
	tags = lru_place(&u->dtlb, tags, 1, g->dtlb, g->page_shift);
	tags = lru_place(&u->itlb, tags, 1, g->itlb, g->page_shift);
	lru_place(&u->stlb, tags, g->stlb_sets, g->stlb_sets ? g->stlb_ways : 0, g->page_shift);
	uarch_reset(u);
	return u;
}

static void lru_clear(struct lru *l)
{
	if (++l->generation == 0) {
		memset(l->tag, 0, sizeof(uint64_t) * l->sets * l->ways);
		l->generation = 1;
	}
}

void uarch_reset(struct uarch *u)
{
	struct lru *all[] = {&u->l1d, &u->l1i, &u->l2, &u->llc, &u->dtlb, &u->itlb, &u->stlb, &u->decoded};

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		lru_clear(all[i]);
	memset(u->counter, 1, sizeof(u->counter));
	memset(u->target, 0, sizeof(u->target));
	memset(u->returns, 0, sizeof(u->returns));
	memset(u->stores, 0, sizeof(u->stores));
	memset(u->stored, 0, sizeof(u->stored));
	u->n_stores = 0;
	u->history = 0;
	u->return_top = 0;
	u->store_next = 0;
	u->fetched_line = 0;
	u->fetched_page = 0;
	u->window = 0;
	u->straight_on = 0;
	u->upper = UPPER_CLEAN;
}

void uarch_tell_decoded(struct uarch *u, bool tell)
{
	u->tells_decoded = tell;
}

static bool broken(const struct uarch *u, enum uarch_fault fault)
{
	return u->faults >> fault & 1;
}

void uarch_break(struct uarch *u, uint32_t faults)
{
	struct lru *caches[] = {&u->l1d, &u->l1i, &u->l2, &u->llc};

	u->faults = faults;
	for (unsigned i = 0; i < 4; i++)
		if (broken(u, UARCH_HALF_WAYS) && caches[i]->ways > 1)
			caches[i]->ways /= 2;
	uarch_reset(u);
}

/* The ways of the set that a block belongs in, and the tag that it has there. */
static inline __attribute__((always_inline)) uint64_t *lru_set(const struct lru *l, uint64_t address,
							       uint64_t *tag)
{
	uint64_t block = address >> l->shift & ((1ull << BLOCK_BITS) - 1);
	uint64_t chosen = block;
	uint32_t sets = l->sets;

	*tag = block << (64 - BLOCK_BITS) | l->generation;
	return l->tag + (l->sets & (l->sets - 1) ? chosen % sets : chosen & (sets - 1)) * (uint64_t)l->ways;
}

static inline unsigned lru_ways(const struct lru *l)
{
	unsigned ways = l->ways;

	return ways;
}

/* lru_touch() of a block that is not the most recent one. */
static bool lru_touch_older(const struct lru *l, uint64_t *way, uint64_t tag)
{
	unsigned ways = lru_ways(l), at = 0;

	while (at < ways && way[at] != tag && (uint16_t)way[at] == l->generation)
		at++;

	bool hit = at < ways && way[at] == tag;

	if (at == ways)
		at = ways - 1;
	for (; at > 0; at--)
		way[at] = way[at - 1];
	way[0] = tag;
	return hit;
}

/* Look a block up and make it the most recent of its set, replacing the least recent on a miss. */
static inline bool lru_touch(struct lru *l, uint64_t address)
{
	uint64_t tag, *way = lru_set(l, address, &tag);

	return way[0] == tag || lru_touch_older(l, way, tag);
}

static bool lru_holds(const struct lru *l, uint64_t address)
{
	uint64_t tag, *way = lru_set(l, address, &tag);

	for (unsigned at = 0; at < lru_ways(l) && (uint16_t)way[at] == l->generation; at++)
		if (way[at] == tag)
			return true;
	return false;
}

static void lru_drop(struct lru *l, uint64_t address)
{
	uint64_t tag, *way;

	if (!l->sets)
		return;
	way = lru_set(l, address, &tag);
	for (unsigned at = 0; at < lru_ways(l); at++)
		if (way[at] == tag) {
			memmove(way + at, way + at + 1, (lru_ways(l) - at - 1u) * sizeof(*way));
			way[lru_ways(l) - 1] = 0;
			return;
		}
}

void uarch_flush_line(struct uarch *u, uint64_t address)
{
	if (broken(u, UARCH_FLUSH_IGNORED))
		return;
	lru_drop(&u->l1d, address);
	lru_drop(&u->l1i, address);
	u->fetched_line = 0;
	lru_drop(&u->l2, address);
	lru_drop(&u->llc, address);
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

/* What only some instruction sets have a quantity for. */
static void befall(struct terms *t, enum outcome o)
{
	if (outcome_quantities[o] != Q_COUNT)
		add(t, (enum quantity)outcome_quantities[o]);
}

/* @return whether it has the line */
static bool last_level(struct uarch *u, struct lru *last, uint64_t address, struct terms *t)
{
	bool hit = lru_touch(last, address);

	if (!(hit && broken(u, UARCH_LLC_REF_LOST)))
		add(t, Q_LLC_REF);
	if (!hit || broken(u, UARCH_LLC_MISS_EVERY))
		add(t, Q_LLC_MISS);
	if (hit)
		return true;
	if (broken(u, UARCH_LLC_MISS_TWICE))
		add(t, Q_LLC_MISS);
	return false;
}

/* What a request is about. */
enum request { READ_DATA, READ_CODE, OWN };

/* A request has left the core. */
static void offcore(enum request r, bool hit, struct terms *t)
{
	static const uint8_t all[] = {OUTCOME_READ_DATA, OUTCOME_READ_CODE, OUTCOME_OWN};
	static const uint8_t missed[] = {OUTCOME_READ_DATA_MISS, OUTCOME_READ_CODE_MISS, OUTCOME_OWN_MISS};

	befall(t, (enum outcome)all[r]);
	if (!hit)
		befall(t, (enum outcome)missed[r]);
}

/* A miss of a first-level cache goes down until some level has the line. It leaves the core behind the second
 * one. */
static void below_l1(struct uarch *u, uint64_t address, enum request r, struct terms *t)
{
	if (u->l2.sets && u->llc.sets) {
		if (lru_touch(&u->l2, address))
			return;
		if (r == READ_DATA)
			add(t, Q_L2_LOAD_MISS);
		offcore(r, last_level(u, &u->llc, address, t), t);
	} else if (u->l2.sets) {
		if (last_level(u, &u->l2, address, t))
			return;
		offcore(r, false, t);
		if (r == READ_DATA)
			add(t, Q_L2_LOAD_MISS);
	} else if (u->llc.sets) {
		offcore(r, last_level(u, &u->llc, address, t), t);
	}
}

/* Where a translation is found. */
enum translation { IN_FIRST, IN_SECOND, BY_WALK };

static enum translation translate(struct uarch *u, struct lru *first, uint64_t address, struct terms *t)
{
	bool known = lru_touch(first, address);

	if (broken(u, UARCH_TLB_NEVER_HITS))
		add(t, Q_LLC_REF);
	else if (known)
		return IN_FIRST;
	else if (u->stlb.sets != 0 && lru_touch(&u->stlb, address))
		return IN_SECOND;
	return BY_WALK;
}

static void fetch(struct uarch *u, uint64_t address, struct terms *t)
{
	uint64_t line = (address >> u->l1i.shift) + 1, page = (address >> u->itlb.shift) + 1;

	if (page != u->fetched_page) {
		u->fetched_page = page;
		if (translate(u, &u->itlb, address, t) == BY_WALK)
			add(t, Q_ITLB_MISS);
	}
	if (line != u->fetched_line) {
		u->fetched_line = line;
		if (!lru_touch(&u->l1i, address) && !broken(u, UARCH_CACHES_NEVER_MISS)) {
			add(t, Q_L1I_MISS);
			below_l1(u, address, READ_CODE, t);
		}
	}
}

static void decode(struct uarch *u, const struct uarch_step *s, struct terms *t)
{
	uint64_t window = (s->ip >> u->decoded.shift) + 1;
	bool branched = s->ip != u->straight_on;

	u->straight_on = s->ip + s->length;
	if (window != u->window || branched) {
		u->window = window;
		u->decoding = !lru_touch(&u->decoded, s->ip);
		u->decoding = u->decoding || broken(u, UARCH_DECODED_NEVER);
		u->decoding = u->decoding && !broken(u, UARCH_DECODED_ALWAYS);
		if (u->decoding)
			befall(t, OUTCOME_DECODED_MISS);
	}
	befall(t, u->decoding ? OUTCOME_DECODED : OUTCOME_CACHED);
}

static bool overlap(const struct store *s, const struct step_access *a)
{
	uint64_t mask = UINT64_MAX;
	uint64_t store = s->address & mask, load = a->address & mask;

	return s->size && store + s->size > load && load + a->size > store;
}

static inline uint64_t last_byte(uint64_t address, uint32_t size)
{
	return address + (size ? size - 1 : 0);
}

/* 2^64 over the golden ratio sets neighbours far apart. */
static inline unsigned place_of(uint64_t piece)
{
	return (unsigned)(piece * 0x9e3779b97f4a7c15 >> 32) % PIECES;
}

static void remember_store(struct uarch *u, const struct step_access *a)
{
	uint64_t last = last_byte(a->address, a->size) / PIECE;

	u->stores[u->store_next] = (struct store){.address = a->address, .size = a->size};
	if (++u->store_next == u->geometry.store_buffer)
		u->store_next = 0;
	u->n_stores++;
	for (uint64_t piece = a->address / PIECE; piece <= last; piece++)
		u->stored[place_of(piece)] = u->n_stores;
}

/* How many stores ago the load's bytes may have been stored to, the last store being 1 ago: later ones need
 * no look. */
static inline uint32_t stored_ago(const struct uarch *u, const struct step_access *a)
{
	uint64_t last = last_byte(a->address, a->size) / PIECE;
	uint32_t store = 0;

	for (uint64_t piece = a->address / PIECE; piece <= last; piece++)
		if (u->stored[place_of(piece)] > store)
			store = u->stored[place_of(piece)];
	return store ? u->n_stores + 1 - store : UINT32_MAX;
}

/* The youngest store that overlaps the load decides. */
static void forward(struct uarch *u, const struct step_access *a, struct terms *t)
{
	unsigned depth = u->geometry.store_buffer;

	for (unsigned i = stored_ago(u, a); i <= depth; i++) {
		unsigned age = i;
		unsigned at = u->store_next + depth - age;
		const struct store *s = &u->stores[at < depth ? at : at - depth];

		if (!overlap(s, a))
			continue;
		bool whole = s->address <= a->address && a->address + a->size <= s->address + s->size;

		add(t, whole ? Q_STORE_FORWARD : Q_STORE_FORWARD_BLOCK);
		return;
	}
}

static bool l1d_missed(struct uarch *u, uint64_t address)
{
	bool hit = lru_touch(&u->l1d, address);

	if (broken(u, UARCH_CACHES_NEVER_MISS))
		return false;
	return !hit || broken(u, UARCH_L1_NEVER_HITS);
}

void uarch_large_pages(struct uarch *u, uint64_t start, uint64_t end, uint8_t shift)
{
	u->large_start = start;
	u->large_end = end;
	u->large_shift = shift;
}

/* Sets the pages of large ones apart from small ones of the same number. */
#define LARGE_PAGE (1ull << (BLOCK_BITS - 1))

static bool is_large(const struct uarch *u, uint64_t address)
{
	return address >= u->large_start && address < u->large_end;
}

void uarch_flush_tlb(struct uarch *u, uint64_t address)
{
	struct lru *tlb[] = {&u->dtlb, &u->itlb, &u->stlb};
	bool large = is_large(u, address);

	if (large && address != UINT64_MAX)
		address = (address >> u->large_shift | LARGE_PAGE) << u->dtlb.shift;
	for (unsigned i = 0; i < 3; i++)
		if (address == UINT64_MAX)
			lru_clear(tlb[i]);
		else if (address != UINT64_MAX)
			lru_drop(tlb[i], address);
	u->fetched_page = 0;
}

/* Of an access to several pages, the one that is hardest to find. */
static enum translation data_translation(struct uarch *u, uint64_t first, uint64_t last, struct terms *t)
{
	enum translation worst = IN_FIRST;
	bool large = is_large(u, first);
	uint8_t shift = large ? u->large_shift : u->dtlb.shift;

	for (uint64_t page = first >> shift; page <= last >> shift; page++) {
		enum translation found =
			translate(u, &u->dtlb, (large ? page | LARGE_PAGE : page) << u->dtlb.shift, t);

		worst = found > worst ? found : worst;
	}
	return worst;
}

static void add_walk(const struct uarch *u, const struct step_access *a, struct terms *t)
{
	static const uint8_t load[] = {OUTCOME_WALK_LOAD, OUTCOME_WALK_LOAD_2M, OUTCOME_WALK_LOAD_1G};
	static const uint8_t store[] = {OUTCOME_WALK_STORE, OUTCOME_WALK_STORE_2M, OUTCOME_WALK_STORE_1G};
	unsigned size = !is_large(u, a->address) ? 0 : u->large_shift < 30 ? 1 : 2;

	add(t, a->store ? Q_DTLB_STORE_MISS : Q_DTLB_LOAD_MISS);
	befall(t, (enum outcome)(a->store ? store[size] : load[size]));
}

void uarch_code_alias(struct uarch *u, uint64_t start, uint64_t end, uint64_t distance)
{
	u->alias_start = start;
	u->alias_end = end;
	u->alias_distance = distance;
}

/* The line that is stored to may be on its way through the pipeline. It stays in the cache, with its new
 * bytes. */
static void check_code(struct uarch *u, const struct step_access *a, struct terms *t)
{
	bool alias = a->address >= u->alias_start && a->address < u->alias_end;
	uint64_t first = a->address + (alias ? u->alias_distance : 0);
	uint64_t last = last_byte(first, a->size);
	bool hit = false;

	for (uint64_t line = first >> u->l1i.shift; line <= last >> u->l1i.shift; line++)
		hit |= lru_holds(&u->l1i, line << u->l1i.shift);
	hit = hit || broken(u, UARCH_SMC_ALWAYS);
	if (hit)
		befall(t, OUTCOME_STORE_TO_CODE);
}

static void data(struct uarch *u, const struct step_access *a, struct terms *t)
{
	uint64_t last = last_byte(a->address, a->size);
	uint64_t last_line = last >> u->l1d.shift;
	unsigned misses = 0;
	enum translation found;

	if (a->store)
		check_code(u, a, t);
	else
		forward(u, a, t);
	if (broken(u, UARCH_MO_ALWAYS) && !a->store)
		befall(t, OUTCOME_MEMORY_ORDER);

	found = data_translation(u, a->address, last, t);
	for (uint64_t line = a->address >> u->l1d.shift; line <= last_line; line++)
		if (l1d_missed(u, line << u->l1d.shift)) {
			misses++;
			befall(t, OUTCOME_L1D_FILL);
			below_l1(u, line << u->l1d.shift, a->store ? OWN : READ_DATA, t);
		}

	if (found == BY_WALK)
		add_walk(u, a, t);
	else if (found == IN_SECOND)
		add(t, a->store ? Q_DTLB_STORE_STLB : Q_DTLB_LOAD_STLB);
	for (unsigned i = 0; i < (misses > 0) && !a->store; i++)
		add(t, Q_L1D_LOAD_MISS);
	if (a->store)
		remember_store(u, a);
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

	u->history = u->history << 1 | taken;
	if (taken && *counter < 3)
		(*counter)++;
	if (!taken && *counter > 0)
		(*counter)--;
	return right;
}

static bool predicted_target(struct uarch *u, uint64_t ip, uint64_t target)
{
	uint64_t *entry = &u->target[predictor(ip)];
	bool right = *entry == target;

	*entry = target;
	return right;
}

static bool predicted_return(struct uarch *u, uint64_t target)
{
	unsigned depth = u->geometry.return_stack;
	bool right = u->returns[--u->return_top % depth] == target;

	right = right && !broken(u, UARCH_NO_RETURN_STACK);
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
		right = predicted_return(u, s->next);

	if (s->call)
		u->returns[u->return_top++ % depth] = s->ip + s->length;
	if (broken(u, UARCH_ALWAYS_WRONG))
		right = s->branch == UARCH_DIRECT;
	if (!right && !broken(u, UARCH_ALWAYS_RIGHT))
		add(t, Q_BR_MISPRED);
}

static void vector(struct uarch *u, uint8_t kind, struct terms *t)
{
	bool save = kind == UARCH_NARROW && u->upper == UPPER_DIRTY;
	bool restore = kind != UARCH_NARROW && u->upper == UPPER_SAVED;

	if (save || restore || broken(u, UARCH_UPPERS_ALWAYS))
		befall(t, OUTCOME_UPPERS);
	if (save || broken(u, UARCH_UPPERS_ALWAYS))
		befall(t, OUTCOME_UPPERS_SAVED);
	if (restore || broken(u, UARCH_UPPERS_ALWAYS))
		befall(t, OUTCOME_UPPERS_RESTORED);
	if (save)
		u->upper = UPPER_SAVED;
	else if (restore)
		u->upper = UPPER_DIRTY;
	if (kind == UARCH_WIDE)
		u->upper = UPPER_DIRTY;
	if (kind == UARCH_ZERO_UPPER)
		u->upper = UPPER_CLEAN;
}

unsigned uarch_step(struct uarch *u, const struct uarch_step *s, struct qterm *out, unsigned room)
{
	struct terms t = {.out = out, .room = room};

	fetch(u, s->ip, &t);
	if (s->length && (s->ip + s->length - 1) >> u->l1i.shift != s->ip >> u->l1i.shift)
		fetch(u, s->ip + s->length - 1, &t);
	if (u->tells_decoded)
		decode(u, s, &t);
	for (unsigned i = 0; i < s->n_access; i++)
		data(u, &s->access[i], &t);
	if (s->branch)
		branch(u, s, &t);
	if (s->vector)
		vector(u, s->vector, &t);
	if (s->denormal || (s->vector && broken(u, UARCH_FP_ALWAYS)))
		befall(&t, OUTCOME_DENORMAL);
	return t.count;
}
