/*
 * What a counter adds up: the occurrences that its ESCR detects, in the rings and threads that it names, or
 * the tagged micro-operations of others. SDM vol. 3, 18.15.1, 18.15.6, 18.16.4.
 */
#include "pmu/netburst/errata/hooks.h"
#include "pmu/netburst/model/model.h"

#include <string.h>

/* Fields of the mask of IOQ_allocation. */
#define IOQ_REQUEST   0x007fu
#define IOQ_ALL_READ  (1u << 5)
#define IOQ_ALL_WRITE (1u << 6)
#define IOQ_MEMORY    0x0f80u
#define IOQ_OWN       (1u << 13)

/* Union of conditions on one logical processor's ring: table 18-66. */
static bool ring_of(uint32_t escr, unsigned thread, uint8_t cpl)
{
	uint32_t os = thread ? ESCR_T1_OS : ESCR_T0_OS, usr = thread ? ESCR_T1_USR : ESCR_T0_USR;

	return escr & (cpl == 0 ? os : usr);
}

bool netburst_qualified(const struct netburst_state *s, uint32_t escr, bool independent,
			const struct step *step)
{
	unsigned thread = netburst_hook_thread(s, s->profile->hyper_threading ? step->thread : 0);

	if (!s->profile->hyper_threading) /* table 18-64: the other processor's bits are reserved */
		escr &= ~(ESCR_T1_OS | ESCR_T1_USR);

	uint32_t any_os = escr & (ESCR_T0_OS | ESCR_T1_OS), any_usr = escr & (ESCR_T0_USR | ESCR_T1_USR);

	if (netburst_hook_any_ring(s, any_usr))
		return true;
	if (!independent)
		return ring_of(escr, thread, step->level);
	if (any_os && any_usr)
		return true;
	/* Either processor's ring will do. */
	bool kernel = step->level == 0 || (step->sibling && step->sibling_level == 0);
	bool user = step->level != 0 || (step->sibling && step->sibling_level != 0);
	return (any_os && kernel) || (any_usr && user);
}

/* When the processors that the CCCR asks for are active: 18.16.2. */
bool netburst_active(const struct netburst_state *s, uint32_t cccr, const struct step *step)
{
	unsigned active = !step->halted + step->sibling;

	if (netburst_hook_any_active(s))
		return active;
	if (!s->profile->hyper_threading)
		return (cccr & CCCR_THREAD) == CCCR_THREAD_ANY;
	switch (cccr & CCCR_THREAD) {
	case CCCR_THREAD_NONE:
		return active == 0;
	case CCCR_THREAD_SINGLE:
		return active == 1;
	case CCCR_THREAD_BOTH:
		return active == 2;
	default:
		return active >= 1;
	}
}

static unsigned field(uint32_t value, uint32_t mask, unsigned shift)
{
	return (value & mask) >> shift;
}

static enum netburst_event_id event_at(const struct netburst_state *s, unsigned e)
{
	uint32_t mask = ESCR_EVENT;

	return netburst_event_of((enum netburst_escr_id)e, field(s->escr[e], mask, ESCR_EVENT_SHIFT),
				 s->model);
}

/* An ESCR detects nothing, and tags nothing, while no counter of its group is enabled: found by users of
 * tagging, and told in the manual's advice on it. */
static bool works(const struct netburst_state *s, unsigned e)
{
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
		if (netburst_counter[c].group == netburst_escr[e].group && s->cccr[c] & CCCR_ENABLE)
			return true;
	return false;
}

static void put(struct netburst_source *to, quantity_number quantity, int8_t coefficient)
{
	if (to->n_terms < SOURCE_TERMS)
		to->term[to->n_terms++] = (struct event_term){quantity, coefficient};
	to->n_own = to->n_terms;
}

/* Terms of the mask bits that are set, added up: 18.15.1. */
static void put_masks(struct netburst_source *to, enum netburst_event_id event, unsigned mask)
{
	for (unsigned i = 0; i < netburst_mask_count; i++) {
		const struct netburst_mask *m = &netburst_mask[i];

		if (m->event == event && (mask >> m->bit & 1))
			for (unsigned t = 0; t < 3 && m->term[t].coefficient; t++)
				put(to, m->term[t].quantity, m->term[t].coefficient);
	}
}

/* Table 19-28, IOQ_allocation: what triggers takes a kind of request, a kind of memory and an agent, and on
 * models 0 and 1 one of the first two. What this processor asks the bus for is what misses its caches. */
static void put_requests(const struct netburst_state *s, struct netburst_source *to, unsigned mask)
{
	bool request = mask & IOQ_REQUEST, memory = mask & IOQ_MEMORY;

	if ((s->model < 2 ? request || memory : request && memory) && mask & IOQ_OWN &&
	    (mask & IOQ_ALL_READ || !(mask & IOQ_ALL_WRITE)))
		put(to, Q_LLC_MISS, 1);
}

static struct netburst_source *new_source(struct netburst_line *k, uint32_t tagger, bool independent)
{
	struct netburst_source *to = &k->source[k->n_sources++];

	*to = (struct netburst_source){.tagger = tagger, .independent = independent};
	return to;
}

/* The value of a RAT ESCR that tags uops of this kind; 0 if it does not. */
static uint32_t front_end_tags(const struct netburst_state *s, unsigned e, unsigned bit)
{
	return s->escr[e] >> (ESCR_MASK_SHIFT + bit) & 1 && event_at(s, e) == NB_UOP_TYPE && works(s, e)
		       ? s->escr[e]
		       : 0;
}

/* 18.15.6.2: there is one colour, whichever RAT ESCR gives it. */
static void count_front_end(const struct netburst_state *s, struct netburst_line *k)
{
	static const struct {
		uint8_t bit;
		quantity_number quantity;
	} kinds[] = {{1, Q_UOPS_LOAD}, {2, Q_UOPS_STORE}};

	for (unsigned i = 0; i < 2; i++) {
		bool again = false;

		for (unsigned e = RAT_ESCR0; e <= RAT_ESCR1; e++) {
			uint32_t tagger = netburst_hook_tagger(s, front_end_tags(s, e, kinds[i].bit));
			struct netburst_source *to;

			if (!tagger)
				continue;
			to = new_source(k, tagger, false);
			put(to, kinds[i].quantity, 1);
			to->shares = again;
			to->n_own = 0;
			again = true;
		}
	}
}

/* 18.15.6.3: tag values are bit masks, and a uop counts once however many of its tags are asked for. */
static void count_execution(const struct netburst_state *s, struct netburst_line *k, unsigned mask)
{
	enum netburst_event_id other = NB_EVENTS;
	unsigned other_kinds = 0;

	for (unsigned e = FIRM_ESCR0; e <= FIRM_ESCR1; e++) {
		enum netburst_event_id event = event_at(s, e);
		unsigned tags = field(s->escr[e], ESCR_TAG, ESCR_TAG_SHIFT);

		bool tagging = s->escr[e] & ESCR_TAG_ENABLE;

		netburst_hook_tags(s, &tagging, &tags);
		if (!tagging || !(tags & mask) || event == NB_EVENTS ||
		    !(netburst_event[event].flags & NB_TAG_SOURCE) || !works(s, e))
			continue;
		unsigned kinds = field(s->escr[e], ESCR_MASK, ESCR_MASK_SHIFT);
		unsigned again = event == other ? kinds & other_kinds : 0;
		struct netburst_source *to = new_source(k, s->escr[e], true);

		put_masks(to, event, kinds & ~again);
		unsigned own = to->n_terms;
		put_masks(to, event, again);
		to->n_own = (uint8_t)own;
		to->shares = again;
		other = event;
		other_kinds = kinds;
	}
}

/* 18.15.6.4, table 19-33: what each metric takes is in the table of recipes. */
static bool replay_set_up(const struct netburst_state *s, const struct netburst_recipe *r, unsigned vert)
{
	if (netburst_hook_replays(s))
		return true;
	if ((s->pebs_enable & r->pebs) != r->pebs || !(s->pebs_vert & vert))
		return false;
	if (r->source == NB_EVENTS)
		return true;
	for (unsigned i = 0; i < 2; i++) {
		unsigned e = netburst_event[r->source].escr[i];

		if (e != ESCR_NONE && (r->source_escr == ESCR_NONE || r->source_escr == e) &&
		    event_at(s, e) == r->source &&
		    field(s->escr[e], ESCR_MASK, ESCR_MASK_SHIFT) & r->source_mask && works(s, e))
			return true;
	}
	return false;
}

static void count_replays(const struct netburst_state *s, struct netburst_line *k)
{
	struct netburst_source *to = new_source(k, 0, false);

	for (unsigned i = 0; i < NETBURST_RECIPES; i++) {
		const struct netburst_recipe *r = &netburst_recipe[i];

		/* The metric of both kinds of access is the sum of the two with one each. */
		if (r->mechanism == TAG_REPLAY && !(r->pebs_vert & (r->pebs_vert - 1)) &&
		    replay_set_up(s, r, r->pebs_vert))
			put(to, r->term[0].quantity, 1);
	}
}

static unsigned rate(const struct netburst_event *e, enum netburst_event_id id)
{
	if (id == NB_GLOBAL_POWER_EVENTS || id == NB_TC_DELIVER_MODE)
		return 1; /* a clock is one a clock */
	return e->flags & NB_UOPS ? UOPS_PER_CYCLE : EVENTS_PER_CYCLE;
}

/* PEBS is one counter's of each logical processor, of three events, and needs OVF_PMI: 18.15.7, 18.16.3. */
static void decode_pebs(const struct netburst_state *s, unsigned c, struct netburst_line *k)
{
	unsigned thread = c == PEBS_COUNTER_T1;

	k->sampled = (uint8_t)thread;
	k->pebs = (c == PEBS_COUNTER_T0 || (c == PEBS_COUNTER_T1 && s->profile->hyper_threading)) &&
		  s->pebs_enable & ((uint64_t)PEBS_ENABLE_MINE << thread) && k->pmi[thread] &&
		  netburst_event[k->event].flags & NB_PEBS && !(s->misc_enable & MISC_ENABLE_PEBS_ABSENT);
}

void netburst_decode(struct netburst_state *s, unsigned c, enum netburst_escr_id escr)
{
	struct netburst_line *k = &s->counter[c];
	uint32_t cccr = s->cccr[c];
	unsigned mask = field(s->escr[escr], ESCR_MASK, ESCR_MASK_SHIFT);

	k->escr = s->escr[escr];
	k->event = (uint8_t)event_at(s, escr);
	k->n_sources = 0;
	k->pebs = false;
	k->plain = !(cccr & (CCCR_COMPARE | CCCR_FORCE_OVF));
	/* 18.16.2: bit 27 is the second processor's. */
	k->pmi[0] = cccr & CCCR_OVF_PMI_T0;
	k->pmi[1] = s->profile->hyper_threading && cccr & CCCR_OVF_PMI_T1;
	netburst_hook_decoded(s, k);
	if (k->event == NB_EVENTS) {
		k->independent = false;
		k->per_cycle = EVENTS_PER_CYCLE;
		return;
	}
	decode_pebs(s, c, k);
	k->independent = netburst_event[k->event].flags & NB_THREAD_INDEPENDENT;
	k->per_cycle = (uint8_t)rate(&netburst_event[k->event], (enum netburst_event_id)k->event);
	switch (k->event) {
	case NB_FRONT_END_EVENT:
		if (mask & 1)
			count_front_end(s, k);
		break;
	case NB_EXECUTION_EVENT:
		count_execution(s, k, mask & 0xf);
		break;
	case NB_REPLAY_EVENT:
		if (mask & 1)
			count_replays(s, k);
		break;
	case NB_IOQ_ALLOCATION:
	case NB_IOQ_ACTIVE_ENTRIES:
		put_requests(s, new_source(k, 0, false), mask);
		break;
	default:
		put_masks(new_source(k, 0, false), (enum netburst_event_id)k->event, mask);
	}
}

/* instr_retired tells instructions with a front-end tag from those without. */
static uint64_t retired(const struct netburst_state *s, const struct netburst_line *k,
			const struct step *step)
{
	unsigned mask = field(k->escr, ESCR_MASK, ESCR_MASK_SHIFT);
	const uint32_t *q = s->uops.amount;
	bool tagged = false;

	for (unsigned e = RAT_ESCR0; e <= RAT_ESCR1; e++) {
		uint32_t loads = front_end_tags(s, e, 1), stores = front_end_tags(s, e, 2);

		tagged |= (loads && q[Q_UOPS_LOAD] && netburst_qualified(s, loads, false, step)) ||
			  (stores && q[Q_UOPS_STORE] && netburst_qualified(s, stores, false, step));
	}
	uint64_t times = q[Q_INSTRUCTIONS] + netburst_retired_again(q);

	return mask >> tagged & 1 ? times : 0;
}

/* Which logical processor delivers: there is no trace cache in the model, so nobody builds. */
static uint64_t delivering(const struct netburst_state *s, const struct netburst_line *k,
			   const struct step *step)
{
	unsigned bit = step->sibling ? 0 : step->thread ? 6 : 2;

	return k->escr >> (ESCR_MASK_SHIFT + bit) & 1 ? s->uops.cycles : 0;
}

uint64_t netburst_occurrences(const struct netburst_state *s, unsigned c, const struct step *step)
{
	const struct netburst_line *k = &s->counter[c];
	int64_t sum = 0;

	if (!netburst_qualified(s, k->escr, k->independent, step))
		return 0;
	if (k->event == NB_REPLAY_EVENT && !s->uops.tags)
		return 0;
	if (k->event == NB_INSTR_RETIRED)
		return retired(s, k, step);
	if (k->event == NB_TC_DELIVER_MODE)
		return delivering(s, k, step);
	if (netburst_hook_bus(s, k))
		return 2 * s->uops.cycles;
	bool before = false;

	for (unsigned i = 0; i < k->n_sources; i++) {
		const struct netburst_source *from = &k->source[i];
		unsigned terms = from->shares && before ? from->n_own : from->n_terms;

		before = !from->tagger || netburst_qualified(s, from->tagger, from->independent, step);
		for (unsigned t = 0; before && t < terms; t++)
			sum += from->term[t].coefficient * (int64_t)s->uops.amount[from->term[t].quantity];
	}
	return sum > 0 ? (uint64_t)sum : 0;
}
