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
#include "pmu/contract/coverage.h"
#include "pmu/events/grammar.h"
#include "tools/impostors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each family's, by its line in pmu/families.def. */
#define PMU_FAMILY(family) extern const struct pmu_coverage family##_coverage;
#include "pmu/families.def"
#undef PMU_FAMILY

enum { EXACTLY, TIGHT, WEAK, VACUOUS, BY_CONTROL, COLUMNS };
static const char *const column_names[COLUMNS] = {"exact", "tight", "weak", "vacuous", "control"};

/* What is told of some rows. */
struct figures {
	unsigned column[COLUMNS];
	unsigned dead, lower, twice; /* a dead counter passes; with a lower bound; of them twice the truth */
};

struct line {
	const char *title;
	unsigned number; /* from 1 */
	struct figures figures;
	const struct coverage_part *part;
};

/* Rows that are added up: those of a family, or one of its kinds of events. */
#define GROUPS_MAX 64
static struct group {
	const char *family, *title;
	unsigned microarchitectures; /* that have some of its rows */
	unsigned last;               /* of them */
	struct figures figures;
} groups[GROUPS_MAX];
static unsigned n_groups, n_lines;

/* Rows that mean the same, and fare the same. */
struct class
{
	struct pmu_event event;
	unsigned group, column, rows;
	struct impostor_result result;
	char example[96];
};
#define CLASSES_MAX 8192
static struct class classes[CLASSES_MAX];
static unsigned n_classes;
static bool list_rows, silent;
static unsigned contradictions;

#define IDENTITIES_MAX 4096

/* What one microarchitecture offers. */
struct offer {
	struct impostor_offer impostors;
	const struct pmu_coverage *family;
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
	const struct pmu_event *besides;
	for (unsigned i = 0; o->family->besides && (besides = o->family->besides(i)); i++)
		if (is_about(term, besides->name))
			return besides;
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

static const struct offer *offer(const struct pmu_coverage *family, const struct coverage_part *part)
{
	static struct offer o;
	const struct pmu_identity *identities = family->identities;
	unsigned n_equations = 0;

	o.impostors = (struct impostor_offer){.row = part->row,
					      .n = part->n,
					      .equation = o.equation,
					      .needs = impostors_needs(part->needs)};
	o.family = family;
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

static void note_class(const struct pmu_event *e, const char *title, unsigned group, unsigned column,
		       const struct impostor_result *r)
{
	struct class *c = classes;

	for (; c < classes + n_classes; c++)
		if (c->group == group && c->column == column && c->result.passed == r->passed &&
		    c->event.rule == e->rule && c->event.judgement == e->judgement &&
		    c->event.floor == e->floor && !memcmp(c->event.terms, e->terms, sizeof e->terms))
			break;
	if (c == classes + n_classes) {
		if (n_classes == CLASSES_MAX)
			return;
		n_classes++;
		*c = (struct class){.event = *e, .group = group, .column = column, .result = *r};
		snprintf(c->example, sizeof c->example, "%s on %s", e->name, title);
	}
	c->rows++;
}

static void take(struct line *l, const struct offer *o, const struct pmu_event *e, unsigned group)
{
	struct impostor_result r = impostors_try(&o->impostors, e);
	unsigned column = column_of(e, &r);

	if (r.contradiction) {
		fprintf(stderr, "coverage: %s on %s: nothing can be counted on kernel %s\n", e->name,
			l->title, r.contradiction);
		contradictions++;
	}
	tally(&l->figures, column, &r);
	tally(&groups[group].figures, column, &r);
	groups[group].microarchitectures += groups[group].last != l->number;
	groups[group].last = l->number;
	note_class(e, l->title, group, column, &r);
	if (list_rows)
		printf("%s;%s;%s;%s;%s;%08x;%s\n", groups[group].title, l->title, e->name,
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
	const struct coverage_rest *rest = l->part->rest;
	unsigned judged = 0, left = 0;
	bool first = true;

	if (silent)
		return;
	for (unsigned i = 0; i < COLUMNS; i++)
		judged += l->figures.column[i];
	for (unsigned i = 0; i < COVERAGE_REST && rest[i].count; i++)
		left += rest[i].row ? 0 : rest[i].count;
	printf("| %s | %u |", l->title, judged + left);
	print_figures(&l->figures);
	printf(" %u |", left);
	for (unsigned i = 0; i < COVERAGE_REST && rest[i].count; i++)
		if (!rest[i].row) {
			printf("%s%s %u", first ? " " : ", ", rest[i].why, rest[i].count);
			first = false;
		}
	puts(" |");
}

/* The line in pmu/families.def is the family's name with "_family". */
static void look_at(const struct pmu_coverage *family, const char *in_registry)
{
	unsigned first = n_groups;
	struct coverage_part part;

	for (unsigned g = 0; g < COVERAGE_GROUPS && family->groups[g]; g++) {
		if (n_groups == GROUPS_MAX) {
			fputs("coverage: more groups than GROUPS_MAX\n", stderr);
			exit(1);
		}
		groups[n_groups].family = in_registry;
		groups[n_groups++].title = family->groups[g];
	}
	for (unsigned p = 0; family->part(p, &part); p++) {
		struct line l = {.title = part.title, .number = ++n_lines, .part = &part};
		const struct offer *o = offer(family, &part);

		for (unsigned i = 0; i < part.n; i++)
			take(&l, o, &part.row[i], first + (family->group ? family->group(&part.row[i]) : 0));
		for (unsigned i = 0; i < COVERAGE_REST && part.rest[i].count; i++)
			if (part.rest[i].row)
				take(&l, o, part.rest[i].row, first);
		print(&l);
	}
}

static void print_families(void)
{
	puts("\n| family | exact | tight | weak | vacuous | control | dead passes | twice passes |\n"
	     "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
	for (unsigned g = 0; g < n_groups; g++) {
		printf("| %s |", groups[g].title);
		print_figures(&groups[g].figures);
		puts("");
	}
}

/* Rows, for each kind of events of each family. */
static void print_for_tests(void)
{
	for (unsigned i = 0; i < n_groups; i++) {
		const struct figures *f = &groups[i].figures;
		unsigned n = intervals(f);

		printf("%.*s; %s: microarchitectures %u, exact %u, intervals %u, dead %u, vacuous %u, "
		       "lower %u, twice %u\n",
		       (int)(strlen(groups[i].family) - strlen("_family")), groups[i].family, groups[i].title,
		       groups[i].microarchitectures, f->column[EXACTLY], n, f->dead, f->column[VACUOUS],
		       f->lower, f->twice);
	}
}

static int by_rows(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
				    : (x->rows < y->rows) - (x->rows > y->rows);
}

static void print_classes(void)
{
	qsort(classes, n_classes, sizeof *classes, by_rows);
	for (const struct class *c = classes; c < classes + n_classes; c++) {
		if (c->column == EXACTLY || c->column == BY_CONTROL)
			continue;
		printf("%s, %s: %u rows, %d impostors pass%s:", groups[c->group].title,
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
#define PMU_FAMILY(family) look_at(&family##_coverage, #family);
#include "pmu/families.def"
#undef PMU_FAMILY
	if (!silent)
		print_families();
	else if (!strcmp(mode, "figures"))
		print_for_tests();
	else if (!strcmp(mode, "classes"))
		print_classes();
	return contradictions > 0;
}
