/*
 * Events on the counters of a PMU: what each may take, as the scheduler's alternatives, and what the outcome
 * means.
 */
#include "pmu/events/schedule.h"
#include "pmu/contract/state.h"
#include "pmu/events/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE       96
#define EXTRA_REGISTERS 64 /* told apart by their addresses' low bits, which differ where there are such */

/* A counter, and the register that the event needs besides: shared by events that want the same of it. */
static struct sched_alternative with_extra(const struct event_request *r, unsigned c)
{
	struct sched_alternative way = {.n_uses = 1, .use = {{(uint8_t)c, 0}}};

	if (r->config.extra_register)
		way.use[way.n_uses++] = (struct sched_use){
			PMU_COUNTERS_MAX + r->config.extra_register % EXTRA_REGISTERS, r->config.extra_value};
	return way;
}

/* Ways to count a request, whichever counter it asks for. A fixed counter has no selector: neither raw codes
 * nor filters reach it. */
static unsigned ways_anywhere(const struct pmu *pmu, const struct event_request *r,
			      struct sched_alternative *out, const char **why)
{
	unsigned n = 0;

	*why = NULL;
	if (pmu->driver->alternatives)
		return pmu->driver->alternatives(pmu, r, out, why);
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		bool general = pmu->counter[c].kind == COUNTER_GENERAL;

		if (general ? !r->event || pmu->driver->can_count(pmu, r->event, c)
			    : r->event && !event_is_filtered(r) && pmu->driver->can_count(pmu, r->event, c))
			out[n++] = with_extra(r, c);
	}
	return n;
}

static bool takes_left_out(const struct pmu *pmu, const struct sched_alternative *way)
{
	for (unsigned u = 0; u < way->n_uses; u++)
		if (way->use[u].resource < PMU_COUNTERS_MAX && pmu->left_out >> way->use[u].resource & 1)
			return true;
	return false;
}

static unsigned ways(const struct pmu *pmu, const struct event_request *r, struct sched_alternative *out,
		     const char **why)
{
	unsigned all = ways_anywhere(pmu, r, out, why), n = 0;

	for (unsigned a = 0; a < all; a++)
		if ((!r->counter || out[a].use[0].resource == r->counter - 1) &&
		    !takes_left_out(pmu, &out[a]))
			out[n++] = out[a];
	return n;
}

static uint64_t counters_of(const struct sched_alternative *way, unsigned n)
{
	uint64_t mask = 0;

	for (unsigned a = 0; a < n; a++)
		mask |= UINT64_C(1) << way[a].use[0].resource;
	return mask;
}

uint64_t event_counters(const struct pmu *pmu, const struct event_request *request)
{
	struct sched_alternative way[SCHEDULE_ALTERNATIVES];
	const char *why;

	return counters_of(way, ways(pmu, request, way, &why));
}

uint64_t event_takes(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	const struct event_request request = {
		.event = e, .config = {.code = e->code, .levels = LEVELS_ALL}, .counter = (uint8_t)(c + 1)};
	struct sched_alternative way[SCHEDULE_ALTERNATIVES];
	uint64_t mask = UINT64_C(1) << c;
	const char *why;

	if (pmu->driver->alternatives && ways(pmu, &request, way, &why))
		for (unsigned u = 0; u < way[0].n_uses; u++)
			if (way[0].use[u].resource < PMU_COUNTERS_MAX)
				mask |= UINT64_C(1) << way[0].use[u].resource;
	return mask;
}

struct pmu_config event_placed(const struct event_request *request, const struct sched_place *place)
{
	struct pmu_config config = request->config;

	config.choice = place->choice;
	return config;
}

/* --- texts ------------------------------------------------------------------------------------------ */

/* "PMC0, PMC1 and PMC2" */
static size_t add_counters(const struct pmu *pmu, uint64_t mask, const char *last, char *out, size_t size,
			   size_t n)
{
	bool first = true;

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (!(mask >> c & 1))
			continue;
		mask &= ~(UINT64_C(1) << c);
		n = text_append(out, size, n, "%s%s", first ? "" : mask ? ", " : last, pmu->counter[c].name);
		first = false;
	}
	return n;
}

static const char *nowhere(const struct pmu *pmu, const struct event_request *request, const char *why)
{
	char text[224];
	struct event_request anywhere = *request;
	char name[NAME_SIZE];
	uint64_t mask;
	size_t n;

	anywhere.counter = 0;
	mask = event_counters(pmu, &anywhere);
	event_format(pmu, &anywhere, name, sizeof name);
	if (mask) {
		n = text_append(text, sizeof text, 0, "%s cannot count %s: take ",
				pmu->counter[request->counter - 1].name, name);
		add_counters(pmu, mask, " or ", text, sizeof text, n);
	} else {
		snprintf(text, sizeof text, "no counter of this PMU can count %s%s%s", name,
			 why                          ? ": "
			 : event_is_filtered(request) ? ": e, i and c need a counter with a selector"
						      : "",
			 why ? why : "");
	}
	return pmu_reason(pmu, "%s", text);
}

/* --- scheduling ------------------------------------------------------------------------------------- */

static void free_items(struct sched_item *items, unsigned n)
{
	for (unsigned i = 0; items && i < n; i++)
		free((void *)items[i].alternative);
	free(items);
}

static bool takes_alike(const struct sched_item *item, const struct sched_use *use)
{
	for (unsigned a = 0; a < item->n_alternatives; a++)
		for (unsigned u = 0; u < item->alternative[a].n_uses; u++)
			if (item->alternative[a].use[u].resource == use->resource &&
			    item->alternative[a].use[u].value == use->value)
				return true;
	return false;
}

/* What nobody else wants alike is taken for itself alone: plain problems are solved better. */
static void drop_lone_values(const struct sched_item *items, struct sched_alternative *const *own, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned a = 0; a < items[i].n_alternatives; a++)
			for (unsigned u = 0; u < own[i][a].n_uses; u++) {
				struct sched_use *use = &own[i][a].use[u];
				unsigned k = 0;

				while (use->value && k < n && (k == i || !takes_alike(&items[k], use)))
					k++;
				if (k == n)
					use->value = 0;
			}
}

/* The use of a register by an alternative; NULL if it has none. */
static struct sched_use *use_of(struct sched_alternative *a, unsigned r)
{
	for (unsigned u = 0; u < a->n_uses; u++)
		if (a->use[u].resource == r)
			return &a->use[u];
	return NULL;
}

/* A register that only events of one and the same counter take says nothing that the counter does not:
 * without it the problem is plainer. */
static void drop_implied(const struct sched_item *items, struct sched_alternative *const *own, unsigned n,
			 unsigned r)
{
	int counter = -1;

	for (unsigned i = 0; i < n; i++)
		for (unsigned a = 0; a < items[i].n_alternatives; a++) {
			if (!use_of(&own[i][a], r))
				continue;
			if (items[i].n_alternatives > 1 || own[i][a].use[0].value ||
			    (counter >= 0 && own[i][a].use[0].resource != counter))
				return;
			counter = own[i][a].use[0].resource;
		}
	for (unsigned i = 0; i < n && counter >= 0; i++) {
		struct sched_use *use = use_of(&own[i][0], r);

		if (use && use != &own[i][0].use[0])
			*use = own[i][0].use[--own[i][0].n_uses];
	}
}

/* The requests as the scheduler has them. @return NULL with *why if one fits nowhere, or memory is short */
static struct sched_item *items_of(const struct pmu *pmu, const struct event_request *requests, unsigned n,
				   const char **why)
{
	struct sched_alternative *way = malloc(SCHEDULE_ALTERNATIVES * sizeof *way);
	struct sched_item *items = calloc(n ? n : 1, sizeof *items);
	struct sched_alternative **own = calloc(n ? n : 1, sizeof *own);
	bool good = way && items && own;

	*why = "not enough memory to schedule the events";
	for (unsigned i = 0; good && i < n; i++) {
		const char *reason;
		unsigned count = ways(pmu, &requests[i], way, &reason);
		struct sched_alternative *mine = count ? malloc(count * sizeof *mine) : NULL;

		own[i] = mine;
		if (!count)
			*why = nowhere(pmu, &requests[i], reason);
		good = mine != NULL;
		if (good)
			memcpy(mine, way, count * sizeof *mine);
		items[i] = (struct sched_item){mine, good ? count : 0};
	}
	if (good)
		drop_lone_values(items, own, n);
	for (unsigned r = PMU_COUNTERS_MAX; good && !pmu->driver->alternatives && r < SCHEDULE_RESOURCES; r++)
		drop_implied(items, own, n, r);
	free(way);
	free(own);
	if (good)
		return items;
	free_items(items, n);
	return NULL;
}

bool schedule_events(const struct pmu *pmu, const struct event_request *requests, unsigned n,
		     struct sched_place *places, struct sched_result *result, const char **why)
{
	struct sched_item *items = items_of(pmu, requests, n, why);
	bool good = items && schedule(items, n, 0, places, result);

	for (unsigned i = 0; good && i < n; i++) {
		const struct sched_alternative *taken = &items[i].alternative[places[i].alternative];

		places[i].alternative = taken->use[0].resource;
		places[i].choice = taken->choice;
	}
	free_items(items, n);
	return good;
}

/* --- conflicts -------------------------------------------------------------------------------------- */

/* Whether the kept ones fit into one pass. */
static bool one_pass(const struct sched_item *items, const bool *kept, unsigned n, struct sched_item *some,
		     struct sched_place *places)
{
	struct sched_result result;
	unsigned count = 0;

	for (unsigned i = 0; i < n; i++)
		if (kept[i])
			some[count++] = items[i];
	return !schedule(some, count, 0, places, &result) || result.passes <= 1;
}

/* Resources that are no counters and that every way of an item takes. */
static void always_taken(const struct sched_item *item, bool taken[SCHEDULE_RESOURCES])
{
	for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++) {
		taken[r] = r >= PMU_COUNTERS_MAX;
		for (unsigned a = 0; a < item->n_alternatives && taken[r]; a++) {
			const struct sched_alternative *way = &item->alternative[a];
			unsigned u = 0;

			while (u < way->n_uses && way->use[u].resource != r)
				u++;
			taken[r] = u < way->n_uses;
		}
	}
}

static size_t add_shared(const struct pmu *pmu, const struct sched_item *items, const bool *kept, unsigned n,
			 char *out, size_t size, size_t used)
{
	bool shared[SCHEDULE_RESOURCES], one[SCHEDULE_RESOURCES], any = false;

	memset(shared, 1, sizeof shared);
	for (unsigned i = 0; i < n; i++) {
		if (!kept[i])
			continue;
		always_taken(&items[i], one);
		for (unsigned r = 0; r < SCHEDULE_RESOURCES; r++)
			shared[r] = shared[r] && one[r];
	}
	for (unsigned r = 0; pmu->driver->resource_name && r < SCHEDULE_RESOURCES; r++)
		if (shared[r]) {
			used = text_append(out, size, used, "%s%s", any ? ", " : " need the same ",
					   pmu->driver->resource_name(pmu, r));
			any = true;
		}
	return any ? used : text_append(out, size, used, " take registers from each other");
}

static void explain(const struct pmu *pmu, const struct event_request *requests,
		    const struct sched_item *items, const bool *kept, unsigned n, char *out, size_t size)
{
	unsigned count = 0, left, counters;
	uint64_t mask = 0;
	size_t used = 0;

	for (unsigned i = 0; i < n; i++)
		if (kept[i]) {
			mask |= counters_of(items[i].alternative, items[i].n_alternatives);
			count++;
		}
	counters = (unsigned)__builtin_popcountll(mask);
	left = count;
	for (unsigned i = 0; i < n; i++) {
		char name[NAME_SIZE];

		if (!kept[i])
			continue;
		event_format(pmu, &requests[i], name, sizeof name);
		left--;
		used = text_append(out, size, used, "%s%s", name, left > 1 ? ", " : left ? " and " : "");
	}
	if (count <= counters) {
		add_shared(pmu, items, kept, n, out, size, used);
		return;
	}
	used = text_append(out, size, used, " can be counted by ");
	used = add_counters(pmu, mask, " and ", out, size, used);
	text_append(out, size, used, " only");
}

void schedule_explain(const struct pmu *pmu, const struct event_request *requests, unsigned n, char *out,
		      size_t size)
{
	const char *why;
	struct sched_item *items = items_of(pmu, requests, n, &why), *some = calloc(n + 1, sizeof *some);
	struct sched_place *places = calloc(n + 1, sizeof *places);
	bool *kept = malloc(n + 1);

	out[0] = 0;
	if (items && some && places && kept) {
		memset(kept, 1, n);
		if (!one_pass(items, kept, n, some, places)) {
			/* Whatever can be left out without making room is not part of the conflict. */
			for (unsigned i = 0; i < n; i++) {
				kept[i] = false;
				kept[i] = one_pass(items, kept, n, some, places);
			}
			explain(pmu, requests, items, kept, n, out, size);
		}
	}
	free_items(items, n);
	free(some);
	free(places);
	free(kept);
}
