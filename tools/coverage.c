/*
 * coverage: how far the documented core events of each microarchitecture are judged, as a Markdown table.
 */
#include "pmu/amd/events.h"
#include "pmu/grammar.h"
#include "pmu/intel/core_events.h"
#include "pmu/intel/driver.h"
#include "pmu/intel/events.h"
#include "pmu/amd/driver.h"
#include "pmu/netburst/driver.h"
#include "pmu/netburst/events.h"
#include "pmu/netburst/registers.h"
#include "tools/unjudged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS INTEL_CORE_EVENTS_MAX

enum { EXACTLY, WITHIN, BY_IDENTITY, BY_CONTROL, COLUMNS };

struct line {
	const char *title;
	unsigned column[COLUMNS];
	unsigned aliases, not_judged[UNJUDGED_REASONS];
};

#define IDENTITIES_MAX 4096

/* What one microarchitecture offers, besides the architectural events. */
struct offer {
	const struct pmu_identity *identities;
	const struct pmu_event *row;
	unsigned n;
	bool holds[IDENTITIES_MAX]; /* of each equation, once offer() has looked */
};

/* Whether a term of an equation, "EVENT:modifiers", is about the event. */
static bool is_about(const char *term, const char *name)
{
	while (*name && *term == *name)
		term++, name++;
	return !*name && (!*term || *term == ':');
}

static const struct pmu_event *find(const struct offer *o, const char *term)
{
	for (unsigned i = 0; i < o->n; i++)
		if (is_about(term, o->row[i].name))
			return &o->row[i];
	for (unsigned i = 0; o->identities == intel_identities && i < intel_arch_event_count; i++)
		if (is_about(term, intel_arch_events[i].event.name))
			return &intel_arch_events[i].event;
	return NULL;
}

/* Whether everything that an equation speaks of is offered; and of a union, whether it is one. */
static bool holds(const struct offer *o, const struct pmu_identity *i)
{
	uint64_t code[IDENTITY_TERMS];
	unsigned n = 0;

	for (; n < IDENTITY_TERMS && i->term[n].coefficient; n++) {
		const struct pmu_event *e = find(o, i->term[n].event);

		if (!e)
			return false;
		code[n] = e->code;
	}
	return !(i->relation & IDENTITY_UNION) || identity_is_union(code, n);
}

static const struct offer *offer(const struct pmu_identity *identities, const struct pmu_event *row,
				 unsigned n)
{
	static struct offer o;

	o.identities = identities;
	o.row = row;
	o.n = n;
	for (unsigned i = 0; identities && identities[i].name; i++) {
		if (i == IDENTITIES_MAX) {
			fputs("coverage: more equations than IDENTITIES_MAX\n", stderr);
			exit(1);
		}
		o.holds[i] = holds(&o, &identities[i]);
	}
	return &o;
}

/* Whether an equation of the family has the event, and nothing that is not offered. */
static bool in_identity(const struct offer *o, const char *name)
{
	for (unsigned i = 0; o->identities && o->identities[i].name; i++)
		for (unsigned n = 0;
		     o->holds[i] && n < IDENTITY_TERMS && o->identities[i].term[n].coefficient; n++)
			if (is_about(o->identities[i].term[n].event, name))
				return true;
	return false;
}

static void take(struct line *l, const struct offer *o, const struct pmu_event *e)
{
	if (e->terms[0].quantity == Q_NOT_PROVOKED)
		l->column[BY_CONTROL]++;
	else if (e->judgement == EVENT_EXACT && !event_is_micro(e))
		l->column[EXACTLY]++;
	else if (in_identity(o, e->name))
		l->column[BY_IDENTITY]++;
	else
		l->column[WITHIN]++;
}

static void print(const struct line *l)
{
	static const char *const reasons[UNJUDGED_REASONS] = {
		[UNJUDGED_OFFCORE] = "offcore response without a request",
	};
	unsigned judged = 0, left = 0;
	bool first = true;

	for (unsigned i = 0; i < COLUMNS; i++)
		judged += l->column[i];
	for (unsigned i = 0; i < UNJUDGED_REASONS; i++)
		left += l->not_judged[i];
	printf("| %s | %u | %u | %u | %u | %u | %u |", l->title, judged + left, l->column[EXACTLY],
	       l->column[WITHIN], l->column[BY_IDENTITY], l->column[BY_CONTROL], left);
	for (unsigned i = 0; i < UNJUDGED_REASONS; i++)
		if (l->not_judged[i]) {
			printf("%s%s %u", first ? " " : ", ", reasons[i], l->not_judged[i]);
			first = false;
		}
	puts(" |");
}

/* The architectural event of a fixed counter. */
static const struct pmu_event *of_fixed(unsigned index)
{
	for (unsigned i = 0; i < intel_arch_event_count; i++)
		if (intel_arch_events[i].event.fixed == (int)index)
			return &intel_arch_events[i].event;
	return NULL;
}

static void intel(void)
{
	static struct pmu_event row[ROWS];

	for (unsigned c = 0; c < intel_core_count; c++) {
		struct line l = {.title = core_titles[c]};
		unsigned n = intel_unpack((int)c, row, ROWS);
		const struct offer *o = offer(intel_identities, row, n);

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i]);
		for (const struct unjudged *u = unjudged; u->core >= 0; u++) {
			if (u->core != (int)c)
				continue;
			if (u->reason == UNJUDGED_ALIAS)
				l.aliases += u->count;
			else if (u->reason >= UNJUDGED_FIXED0 && u->reason <= UNJUDGED_FIXED3)
				take(&l, o, of_fixed(u->reason - UNJUDGED_FIXED0));
			else
				l.not_judged[u->reason] += u->count;
		}
		print(&l);
	}
}

static void amd(void)
{
	static const char *const titles[] = {
		"AMD K7",         "AMD K8",         "AMD family 10H", "AMD family 11H", "AMD family 12H",
		"AMD family 14H", "AMD family 15H", "AMD family 16H", "AMD Zen 1",      "AMD Zen 2",
		"AMD Zen 3",      "AMD Zen 4",      "AMD Zen 5"};
	static struct pmu_event row[ROWS];

	for (unsigned g = 0; g < sizeof titles / sizeof titles[0]; g++) {
		struct line l = {.title = titles[g]};
		unsigned n = amd_unpack(1u << g, true, row, ROWS);
		const struct offer *o = offer(amd_identities, row, n);

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i]);
		print(&l);
	}
}

static void netburst(void)
{
	static const struct {
		const char *title;
		unsigned model;
	} parts[] = {{"NetBurst, models 0 to 2", 2}, {"NetBurst, models 3 and later", 4}};
	static struct pmu_event row[NETBURST_ROWS_MAX];
	static char names[NETBURST_ROWS_MAX][NETBURST_NAME];

	for (unsigned p = 0; p < sizeof parts / sizeof parts[0]; p++) {
		struct line l = {.title = parts[p].title};
		unsigned n = netburst_rows(parts[p].model, 0, row, names);
		const struct offer *o = offer(netburst_identities, row, n);

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i]);
		print(&l);
	}
}

int main(void)
{
	puts("| microarchitecture | events | exactly | within bounds | by identity | by negative control | "
	     "not at all | why |");
	puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
	intel();
	netburst();
	amd();
	return 0;
}
