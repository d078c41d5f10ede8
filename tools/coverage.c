/*
 * coverage: how far the documented core events of each microarchitecture are judged, as Markdown tables.
 *
 *	coverage              a line for each microarchitecture, and one for each family
 *	coverage figures      the families' figures, for tests
 *	coverage classes      what the rows of each family mean, and which impostors stand in for them
 *	coverage rows         the same, row by row, with a kernel on which the row must stay near 0
 *
 * -l and -u before these leave the lower or upper ends of all intervals out: then every impostor passes that
 * they alone tell.
 */
#include "pmu/amd/events/events.h"
#include "pmu/events/grammar.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/events.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/events/events.h"
#include "pmu/netburst/registers.h"
#include "tools/core_needs.h"
#include "tools/impostors.h"
#include "tools/unjudged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char offcore_names[INTEL_OFFCORE_POOL];

#define ROWS INTEL_CORE_EVENTS_MAX

enum { EXACTLY, TIGHT, WEAK, VACUOUS, BY_CONTROL, COLUMNS };
enum family { INTEL_CORE, INTEL_OFFCORE, AMD, NETBURST, FAMILIES };
static const char *const family_names[FAMILIES] = {"Intel, core", "Intel, offcore responses", "AMD",
						   "NetBurst"};
static const char *const column_names[COLUMNS] = {"exact", "tight", "weak", "vacuous", "control"};

/* What is told of some rows. */
struct figures {
	unsigned column[COLUMNS];
	unsigned dead, lower, twice; /* a dead counter passes; with a lower bound; of them twice the truth */
};

struct line {
	const char *title;
	struct figures figures;
	unsigned not_judged[UNJUDGED_REASONS];
};

static struct figures families[FAMILIES];

/* Rows that mean the same, and fare the same. */
struct class
{
	struct pmu_event event;
	unsigned family, column, rows;
	struct impostor_result result;
	char example[96];
};
#define CLASSES_MAX 8192
static struct class classes[CLASSES_MAX];
static unsigned n_classes;
static bool list_rows, silent;
static unsigned contradictions;

#define IDENTITIES_MAX 4096

/* What one microarchitecture offers, besides the architectural events. */
struct offer {
	struct impostor_offer impostors;
	bool architectural; /* Intel's architectural events are offered, too */
	struct impostor_equation equation[IDENTITIES_MAX];
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
	for (unsigned i = 0; i < o->impostors.n; i++)
		if (is_about(term, o->impostors.row[i].name))
			return &o->impostors.row[i];
	for (unsigned i = 0; o->architectural && i < intel_arch_event_count; i++)
		if (is_about(term, intel_arch_events[i].event.name))
			return &intel_arch_events[i].event;
	return NULL;
}

/* Whether everything that an equation speaks of is offered; and of a union, whether it is one. */
static bool holds(const struct offer *o, const struct pmu_identity *i, struct impostor_equation *out)
{
	uint64_t code[IDENTITY_TERMS];

	*out = (struct impostor_equation){.identity = i};
	for (; out->n < IDENTITY_TERMS && i->term[out->n].coefficient; out->n++) {
		const struct pmu_event *e = find(o, i->term[out->n].event);

		if (!e)
			return false;
		out->row[out->n] = e;
		code[out->n] = e->code;
	}
	return !(i->relation & IDENTITY_UNION) || identity_is_union(code, out->n);
}

static const struct offer *offer(const struct pmu_identity *identities, const struct pmu_event *row,
				 unsigned n, uint64_t needs)
{
	static struct offer o;
	unsigned n_equations = 0;

	o.impostors = (struct impostor_offer){.row = row, .n = n, .equation = o.equation, .needs = needs};
	o.architectural = identities == intel_identities;
	for (unsigned i = 0; identities && identities[i].name; i++) {
		if (n_equations == IDENTITIES_MAX) {
			fputs("coverage: more equations than IDENTITIES_MAX\n", stderr);
			exit(1);
		}
		n_equations += holds(&o, &identities[i], &o.equation[n_equations]);
	}
	o.impostors.n_equations = n_equations;
	return &o;
}

static unsigned column_of(const struct pmu_event *e, const struct impostor_result *r)
{
	unsigned passed = (unsigned)__builtin_popcount(r->passed);

	if (e->terms[0].quantity == Q_NOT_PROVOKED || (r->judged && r->never))
		return BY_CONTROL;
	if (e->judgement == EVENT_EXACT && !event_is_micro(e))
		return EXACTLY;
	return !r->judged || passed >= IMPOSTORS_VACUOUS ? VACUOUS : passed <= IMPOSTORS_TIGHT ? TIGHT : WEAK;
}

static void tally(struct figures *f, unsigned column, const struct impostor_result *r)
{
	f->column[column]++;
	if (column == EXACTLY || column == BY_CONTROL)
		return;
	f->dead += r->passed >> IMPOSTOR_DEAD & 1;
	f->lower += r->lower;
	f->twice += r->lower && r->passed >> IMPOSTOR_TWICE & 1;
}

static void note_class(const struct pmu_event *e, const char *title, unsigned family, unsigned column,
		       const struct impostor_result *r)
{
	struct class *c = classes;

	for (; c < classes + n_classes; c++)
		if (c->family == family && c->column == column && c->result.passed == r->passed &&
		    c->event.rule == e->rule && c->event.judgement == e->judgement &&
		    c->event.floor == e->floor && !memcmp(c->event.terms, e->terms, sizeof e->terms))
			break;
	if (c == classes + n_classes) {
		if (n_classes == CLASSES_MAX)
			return;
		n_classes++;
		*c = (struct class){.event = *e, .family = family, .column = column, .result = *r};
		snprintf(c->example, sizeof c->example, "%s on %s", e->name, title);
	}
	c->rows++;
}

static void take(struct line *l, const struct offer *o, const struct pmu_event *e, enum family family)
{
	struct impostor_result r = impostors_try(&o->impostors, e);
	unsigned column = column_of(e, &r);

	if (r.contradiction) {
		fprintf(stderr, "coverage: %s on %s: nothing can be counted on kernel %s\n", e->name,
			l->title, r.contradiction);
		contradictions++;
	}
	tally(&l->figures, column, &r);
	tally(&families[family], column, &r);
	note_class(e, l->title, family, column, &r);
	if (list_rows)
		printf("%s;%s;%s;%s;%s;%08x;%s\n", family_names[family], l->title, e->name,
		       column_names[column], r.lower ? "lower" : "", r.passed, r.near_0 ? r.near_0 : "");
}

/* In percent, rounded up: no row is hidden. */
static unsigned share(unsigned part, unsigned of)
{
	return of ? (part * 100 + of - 1) / of : 0;
}

static unsigned intervals(const struct figures *f)
{
	return f->column[TIGHT] + f->column[WEAK] + f->column[VACUOUS];
}

static void print_figures(const struct figures *f)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		printf(" %u |", f->column[i]);
	printf(" %u %% |", share(f->dead, intervals(f)));
	if (f->lower)
		printf(" %u %% of %u |", share(f->twice, f->lower), f->lower);
	else
		printf(" of none |");
}

static void print(const struct line *l)
{
	static const char *const reasons[UNJUDGED_REASONS] = {
		[UNJUDGED_OFFCORE] = "offcore response without a request",
	};
	unsigned judged = 0, left = 0;
	bool first = true;

	if (silent)
		return;
	for (unsigned i = 0; i < COLUMNS; i++)
		judged += l->figures.column[i];
	for (unsigned i = 0; i < UNJUDGED_REASONS; i++)
		left += l->not_judged[i];
	printf("| %s | %u |", l->title, judged + left);
	print_figures(&l->figures);
	printf(" %u |", left);
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
		unsigned n = intel_unpack((int)c, offcore_names, row, ROWS);
		const struct offer *o =
			offer(intel_identities, row, n, intel_core_needs(intel_core_names[c]));

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i], row[i].flags & EVENT_BY_NAME ? INTEL_OFFCORE : INTEL_CORE);
		for (const struct unjudged *u = unjudged; u->core >= 0; u++) {
			if (u->core != (int)c || u->reason == UNJUDGED_ALIAS)
				continue;
			if (u->reason >= UNJUDGED_FIXED0 && u->reason <= UNJUDGED_FIXED3)
				take(&l, o, of_fixed(u->reason - UNJUDGED_FIXED0), INTEL_CORE);
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
		const struct offer *o = offer(amd_identities, row, n, amd_generation_needs(g));

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i], AMD);
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
		const struct offer *o = offer(netburst_identities, row, n, netburst_needs(p));

		for (unsigned i = 0; i < n; i++)
			take(&l, o, &row[i], NETBURST);
		print(&l);
	}
}

static void print_families(void)
{
	puts("\n| family | exact | tight | weak | vacuous | control | dead passes | twice passes |\n"
	     "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
	for (unsigned f = 0; f < FAMILIES; f++) {
		printf("| %s |", family_names[f]);
		print_figures(&families[f]);
		puts("");
	}
}

/* In thousandths of the interval rows; of those with a lower bound. */
static void print_for_tests(void)
{
	for (unsigned i = 0; i < FAMILIES; i++) {
		const struct figures *f = &families[i];
		unsigned n = intervals(f);

		printf("%s: exact %u, intervals %u, dead %u, vacuous %u, lower %u, twice %u\n",
		       family_names[i], f->column[EXACTLY], n, f->dead, f->column[VACUOUS], f->lower,
		       f->twice);
	}
}

static int by_rows(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	return x->family != y->family ? (x->family > y->family) - (x->family < y->family)
				      : (x->rows < y->rows) - (x->rows > y->rows);
}

static void print_classes(void)
{
	qsort(classes, n_classes, sizeof *classes, by_rows);
	for (const struct class *c = classes; c < classes + n_classes; c++) {
		if (c->column == EXACTLY || c->column == BY_CONTROL)
			continue;
		printf("%s, %s: %u rows, %d impostors pass%s:", family_names[c->family],
		       column_names[c->column], c->rows, __builtin_popcount(c->result.passed),
		       c->result.lower ? ", with a lower bound" : "");
		for (const struct event_term *t = c->event.terms;
		     t < c->event.terms + EVENT_TERMS && t->coefficient; t++)
			printf(" %+d %s", t->coefficient, quantity_info[t->quantity].name);
		if (c->event.floor)
			printf(" (%s)", c->event.floor->text);
		printf("; %s; as %s;", c->event.rule && c->event.rule->text ? c->event.rule->text : "no rule",
		       c->example);
		for (unsigned i = 0; i < IMPOSTORS; i++)
			if (c->result.passed >> i & 1)
				printf(" [%s]", impostor_name(i));
		puts("");
	}
}

int main(int argc, char **argv)
{
	bool no_lower = false, no_upper = false;
	const char *mode;

	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		no_lower |= !strcmp(argv[1], "-l");
		no_upper |= !strcmp(argv[1], "-u");
	}
	mode = argc > 1 ? argv[1] : "";
	list_rows = !strcmp(mode, "rows");
	silent = *mode;
	impostors_begin(no_lower, no_upper);
	if (!silent)
		puts("| microarchitecture | events | exact | tight | weak | vacuous | control | dead passes "
		     "| "
		     "twice passes | not at all | why |\n"
		     "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |");
	intel();
	netburst();
	amd();
	if (!silent)
		print_families();
	else if (!strcmp(mode, "figures"))
		print_for_tests();
	else if (!strcmp(mode, "classes"))
		print_classes();
	return contradictions > 0;
}
