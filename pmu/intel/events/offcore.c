#include "pmu/intel/events/offcore.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/events/meanings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* By bit of the kind: all of these requests, some of them, those that miss. */
static const quantity_number quantities[][3] = {
	{Q_OFFCORE_DATA, Q_OFFCORE_DATA_SOME, Q_OFFCORE_DATA_MISS},
	{Q_OFFCORE_RFO, Q_OFFCORE_RFO, Q_OFFCORE_RFO_MISS},
	{Q_OFFCORE_CODE, Q_OFFCORE_CODE, Q_OFFCORE_CODE_MISS},
	{Q_OFFCORE_WRITEBACKS, Q_OFFCORE_WRITEBACKS, Q_OFFCORE_WRITEBACKS},
	{Q_OFFCORE_PREFETCHES, Q_OFFCORE_PREFETCHES, Q_OFFCORE_PREFETCHES},
	{Q_OFFCORE_STREAMING, Q_OFFCORE_STREAMING, Q_OFFCORE_STREAMING},
	{Q_OFFCORE_UNCACHED, Q_OFFCORE_UNCACHED, Q_OFFCORE_UNCACHED},
	{Q_REQUESTS, Q_REQUESTS, Q_REQUESTS},
};
#define KINDS (sizeof quantities / sizeof quantities[0])

/* What other requests find elsewhere (a lock, an interrupt, a device) is not said. */
#define READS (OFFCORE_KIND_DATA | OFFCORE_KIND_RFO | OFFCORE_KIND_CODE | OFFCORE_KIND_PREFETCH)

_Static_assert(KINDS <= EVENT_TERMS, "a term for each kind");

/* What kernels force: reads of lines that the third level has, and of lines and code that come from memory,
 * and requests to own such lines. */
static const struct event_floor *floor_of(unsigned kinds, enum intel_offcore_answer answer)
{
	bool data = kinds & OFFCORE_KIND_DATA, code = kinds & OFFCORE_KIND_CODE;
	/* Of a request that is for both, what is read does. */
	const struct event_floor *fetched = kinds & OFFCORE_KIND_RFO ? &intel_floors[FLOOR_OWNS]
					    : code                   ? &intel_floors[FLOOR_FLUSHED_CODE]
								     : NULL;

	switch (answer) {
	case OFFCORE_HIT:
		return data                       ? &intel_floors[FLOOR_HITS_L3]
		       : kinds & OFFCORE_KIND_RFO ? &intel_floors[FLOOR_OWNS_FROM_L3]
						  : NULL;
	case OFFCORE_EITHER: /* as all do that kernels force */
		return data ? &intel_floors[FLOOR_MISSES_L3] : fetched;
	case OFFCORE_MISSES:
		return data ? &intel_floors[FLOOR_MISSES_L3] : fetched;
	case OFFCORE_PENDING:
		return data ? &intel_floors[FLOOR_WAITS_L2] : fetched;
	case OFFCORE_ANY: /* data: the terms have it */
		return data                              ? NULL
		       : fetched                         ? fetched
		       : kinds == OFFCORE_KIND_WRITEBACK ? &intel_floors[FLOOR_WRITES_BACK_L2]
							 : NULL;
	default:
		return NULL;
	}
}

/* The answer by which the quantities are arranged. */
static enum intel_offcore_answer column(enum intel_offcore_answer answer)
{
	return answer == OFFCORE_FOREIGN || answer == OFFCORE_HIT || answer == OFFCORE_EITHER ? OFFCORE_SOME
	       : answer == OFFCORE_MISSES                                                     ? OFFCORE_MISS
											      : answer;
}

void intel_offcore_mean(struct pmu_event *e, unsigned kinds, enum intel_offcore_answer answer)
{
	unsigned n = 0;

	memset(e->terms, 0, sizeof e->terms);
	e->judgement = EVENT_EXACT;
	e->rule = &intel_rules[OFFCORE];
	e->floor = floor_of(kinds, answer);
	e->source = "Intel's event list of the core";
	if (answer == OFFCORE_FOREIGN && !(kinds & ~READS)) {
		e->terms[0] = (struct event_term){Q_LOADS_HITM, 1};
		e->rule = &intel_rules[ALONE];
		return;
	}
	if (answer == OFFCORE_PENDING) {
		e->terms[0] = (struct event_term){Q_OCCUPANCY_CAUSED, 1};
		return;
	}
	for (unsigned i = 0; i < KINDS; i++)
		if (kinds >> i & 1)
			e->terms[n++] = (struct event_term){quantities[i][column(answer)], 1};
}

static unsigned part(const uint16_t *parts, unsigned i)
{
	return parts[i] & ~(OFFCORE_FIRST | OFFCORE_ALIAS | OFFCORE_SECOND);
}

/* @return the length of the name, which is cut off if `size` is not above it */
static size_t compose(char *name, size_t size, const char *prefix, unsigned i)
{
	unsigned request = intel_offcore_request[i], response = part(intel_offcore_response, i);

	return (size_t)snprintf(name, size, "%s.%s.%s", prefix,
				intel_offcore_names + intel_offcore_request_names[request],
				intel_offcore_names + intel_offcore_response_names[response]);
}

static bool of_core(unsigned i, int core)
{
	return intel_offcore_sets[intel_offcore_set[i]] >> core & 1;
}

static void make_row(const struct intel_offcore_core *c, unsigned i, const char *name, struct pmu_event *out)
{
	unsigned request = intel_offcore_request[i], response = part(intel_offcore_response, i);
	enum intel_offcore_answer answer = intel_offcore_response_meanings[response];
	unsigned lowest = c->counters & -c->counters, others = c->counters & ~lowest;
	bool second =
		intel_offcore_response[i] & OFFCORE_SECOND ||
		(c->selector[1] && answer != OFFCORE_ANY && !(intel_offcore_response[i] & OFFCORE_FIRST));

	*out = (struct pmu_event){
		.name = name,
		.code = c->selector[second],
		.counters = second && others ? others & -others : lowest,
		.fixed = -1,
		.flags = EVENT_OF_CORE | EVENT_BY_NAME,
		.extra_register = second ? MSR_OFFCORE_RSP_1 : MSR_OFFCORE_RSP_0,
		.extra_value = intel_offcore_request_bits[request] | intel_offcore_response_bits[response],
	};
	intel_offcore_mean(out, intel_offcore_request_meanings[request], answer);
}

unsigned intel_offcore_unpack(int core, bool aliases, char *names, struct pmu_event *out, unsigned max)
{
	size_t used = 0;
	unsigned n = 0;

	for (unsigned i = 0; core != INTEL_NO_CORE && i < intel_offcore_count && n < max; i++) {
		if (!of_core(i, core) || (intel_offcore_response[i] & OFFCORE_ALIAS && !aliases))
			continue;
		make_row(&intel_offcore_cores[core], i, names + used, &out[n++]);
		used += compose(names + used, INTEL_OFFCORE_POOL - used, intel_offcore_cores[core].prefix,
				i) +
			1;
	}
	return n;
}

bool intel_offcore_meaning(const char *name, struct pmu_event *e)
{
	const char *dot = strchr(name, '.');
	bool known = false;

	if (!dot || (strncasecmp(name, "OCR", 3) && strncasecmp(name, "OFFCORE_RESPONSE", 16)))
		return false;
	for (unsigned i = 0; i < intel_offcore_count; i++) {
		unsigned response = part(intel_offcore_response, i);
		struct pmu_event row = {0};
		char text[96];

		compose(text, sizeof text, "", i);
		if (strcasecmp(text, dot))
			continue;
		intel_offcore_mean(&row, intel_offcore_request_meanings[intel_offcore_request[i]],
				   intel_offcore_response_meanings[response]);
		if (known && (row.floor != e->floor || memcmp(row.terms, e->terms, sizeof row.terms)))
			return false;
		row.flags = e->flags;
		event_mean(e, &row);
		known = true;
	}
	return known;
}
