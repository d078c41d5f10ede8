/*
 * The text stream: progress while the run goes on, the verdict tables at its end, no row of them wider than
 * TABLE_COLUMNS, and what is wrong once more behind them.
 */
#include "arch/console.h"
#include "tests/report/internal.h"
#include "tests/report/wrapped.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SUITES  64
#define DETAILS 6 /* groups of bad cells shown per event; all are in the document */
#define CLOSING 8 /* groups of bad checks shown behind the tables */

/* Columns of the tables, which leave the verdicts (TABLE_COLUMNS) 16. Names that are longer have a line of
 * their own. */
#define NAME_MOST     28
#define COUNTERS      16
#define KERNELS       10
#define LEVELS        4
#define CHECK_MOST    22
#define CHECK_ON      12
#define CHECK_NUMBERS 11

static struct {
	struct {
		const char *name, *title;
	} suite[SUITES];
	unsigned suites;
} table;

#define PROCESSORS 512 /* with cells of their own */

/* @param name, title interned; NULL: there was no memory for it, its first cell brings it again */
static void add_suite(const char *name, const char *title)
{
	if (!name || !title)
		return;
	for (unsigned i = 0; i < table.suites; i++)
		if (table.suite[i].name == name)
			return;
	if (table.suites < SUITES) {
		table.suite[table.suites].name = name;
		table.suite[table.suites++].title = title;
	}
}

void table_begin(void)
{
	table.suites = 0;
}

static const char *text_or(const char *text, const char *other)
{
	return text ? text : other;
}

static const char *name_of(const struct cell *c)
{
	return verdict_name((enum verdict)c->verdict);
}

static bool bad(const struct cell *c)
{
	return verdict_is_bad((enum verdict)c->verdict);
}

/* --- progress --------------------------------------------------------------------------------------- */

static void print_title(const char *suite, const char *title, const char *processor)
{
	console_text("\n%s%s%s", suite, processor ? " on " : "", text_or(processor, ""));
	if (strcmp(suite, title))
		console_text(": %s", title);
	console_text("\n");
}

void table_suite_begin(const char *suite, const char *title)
{
	add_suite(intern(suite), intern(title));
	print_title(suite, title, processor_label());
	if (virtual_label())
		console_text("  %s\n", virtual_label());
}

#define EVIDENCE 640

/* Where and what: " PMC0 ring 3 N=100: expected 1200, observed 1199 x3; why" */
static const char *evidence(const struct cell *c, char text[EVIDENCE])
{
	bool counter = c->counter && !strstr(c->name, c->counter),
	     level = c->level && !strstr(c->name, c->level);
	size_t n = (size_t)snprintf(text, EVIDENCE, "%s%s%s%s", counter ? " " : "", counter ? c->counter : "",
				    level ? " " : "", level ? c->level : "");

	if (c->observed)
		n += (size_t)snprintf(text + n, EVIDENCE - n, " N=%" PRIu64 ": expected %s, observed %s",
				      c->n, c->expected, c->observed);
	if (c->text)
		snprintf(text + n, EVIDENCE - n, "; %s", c->text);
	return text;
}

void table_cell(const struct cell *c, bool verbose)
{
	char text[EVIDENCE];

	add_suite(c->suite, c->suite);
	if (!verbose && (c->matrix || !bad(c)))
		return;
	console_text("  %-7s %s%s\n", name_of(c), c->name, evidence(c, text));
}

void table_progress(const char *what, const struct selection *s)
{
	char text[128];

	tally_format(s, text, sizeof text);
	console_text("  %-34s %s\n", what, text);
}

void table_suite_end(const struct selection *s)
{
	char text[128];

	tally_format(s, text, sizeof text);
	console_text("  %s\n", text);
}

void table_value(const char *suite, const char *name, const char *value, const char *unit)
{
	console_text("  %s: %s: %s%s%s\n", suite, name, value, unit && *unit ? " " : "", text_or(unit, ""));
}

void table_fact(const char *suite, const char *name, const char *text)
{
	console_text("fact: %s: %s: %s\n", suite, name, text);
}

/* --- tables ----------------------------------------------------------------------------------------- */

/* The cells of one table: one suite's, matrix or plain, silicon or virtual. */
struct subset {
	const char *suite, *processor;
	bool matrix, virtual;
};

static bool selected(const struct subset *s, const struct cell *c)
{
	return c->suite == s->suite && c->processor == s->processor && c->matrix == s->matrix &&
	       c->virtual == s->virtual;
}

/* The next cell of the same event. @return NULL at the end */
static const struct cell *next_of_event(const struct cell *c)
{
	return c->next ? &cells.cell[c->next - 1] : NULL;
}

static int widest(const struct subset *s, int least, int most)
{
	int width = least;

	for (unsigned i = 0; i < cells.count; i++) {
		const struct cell *c = &cells.cell[i];
		int n = selected(s, c) ? (int)strlen(s->matrix ? c->event : c->name) : 0;

		if (n > width)
			width = n;
	}
	return width < most ? width : most;
}

/* Cells of one event with equal outcomes: the same verdict and, unless it is a good one, the same reason. */
static bool alike(const struct cell *a, const struct cell *b)
{
	bool good = a->verdict == VERDICT_EXACT || a->verdict == VERDICT_WITHIN;

	return a->event == b->event && a->verdict == b->verdict && (good || a->text == b->text);
}

/* The first column of a row: a name, on a line of its own if it is too long, in no column if it is NULL. */
static void print_name(const char *name, int width)
{
	name = text_or(name, "");
	if ((int)strlen(name) > width) {
		wrapped("", "%s", name);
		name = "";
	}
	console_text("%-*s", width, name);
}

static void print_group(const struct subset *s, const struct cell *first, int width, bool lead)
{
	struct names counters = {.count = 0}, kernels = {.count = 0}, levels = {.count = 0};
	char on[64], with[64], in[32], text[EVIDENCE];
	unsigned count = 0;

	for (const struct cell *c = first; c; c = next_of_event(c)) {
		if (!selected(s, c) || !alike(first, c))
			continue;
		names_add(&counters, c->counter);
		names_add(&kernels, c->kernel);
		names_add(&levels, intern(level_brief(c->level)));
		count++;
	}
	names_fit(&counters, 48, "counters", COUNTERS, on, sizeof on);
	names_fit(&kernels, 1, "kernels", KERNELS, with, sizeof with);
	names_fit(&levels, 4, "levels", LEVELS, in, sizeof in);
	print_name(lead ? first->event : NULL, width);
	console_text(" %-*s %-*s %-*s %s (%u)\n", COUNTERS, on, KERNELS, with, LEVELS, in, name_of(first),
		     count);
	if (!bad(first) && first->verdict != VERDICT_SKIPPED)
		return;
	if (bad(first)) /* without the event: the row above has it */
		wrapped("    ", "%s%s%s", count > 1 ? "such as " : "", first->name + strlen(first->event) + 1,
			evidence(first, text));
	else
		wrapped("    ", "%s", text_or(first->text, "not applicable here"));
}

static bool first_of(const struct subset *s, const struct cell *c, bool whole_event)
{
	if (!selected(s, c))
		return false;
	for (unsigned i = c->before; i; i = cells.cell[i - 1].before)
		if (selected(s, &cells.cell[i - 1]) && (whole_event || alike(&cells.cell[i - 1], c)))
			return false;
	return true;
}

static void print_event(const struct subset *s, const struct cell *start, int width)
{
	unsigned shown = 0, hidden = 0;
	bool lead = true;

	for (const struct cell *c = start; c; c = next_of_event(c)) {
		if (!first_of(s, c, false))
			continue;
		if (bad(c) && ++shown > DETAILS) {
			hidden++;
			continue;
		}
		print_group(s, c, width, lead);
		lead = false;
	}
	if (hidden)
		console_text("    and %u other outcomes: see the JSON report\n", hidden);
}

static void print_matrix(const struct subset *s)
{
	int width = widest(s, 12, NAME_MOST);

	console_text("%-*s %-*s %-*s %-*s %s\n", width, "event", COUNTERS, "counters", KERNELS, "kernels",
		     LEVELS, level_heading(), "verdict (checks)");
	for (unsigned i = 0; i < cells.count; i++)
		if (first_of(s, &cells.cell[i], true))
			print_event(s, &cells.cell[i], width);
}

/* What plain checks have in common: the name up to the first '/' ("wrap/PMC0", "wrap/PMC1"). */
static size_t stem_length(const struct cell *c)
{
	return strcspn(c->name, "/");
}

/* Each check is compared with each: most differ in the first characters. */
static bool same_stem(const char *a, const char *b)
{
	while (*a == *b && *a && *a != '/') {
		a++;
		b++;
	}
	return (!*a || *a == '/') && (!*b || *b == '/');
}

/* Plain checks that share a row: of one stem, all well or all skipped for the same reason. */
static bool one_row(const struct cell *a, const struct cell *b)
{
	bool good = a->verdict == VERDICT_EXACT || a->verdict == VERDICT_WITHIN;

	return a->verdict == b->verdict && a->text == b->text && (good || a->verdict == VERDICT_SKIPPED) &&
	       same_stem(a->name, b->name);
}

/* A column of a row: the text if all checks of the row have it, "..." if they differ, "-" if they have none.
 */
static const char *common(const char *so_far, const char *text, bool first)
{
	return first ? text_or(text, "-") : so_far == text_or(text, so_far) ? so_far : "...";
}

static void print_row(const struct subset *s, const struct cell *first, int width, bool fold)
{
	struct names counters = {.count = 0}, levels = {.count = 0};
	const char *expected = NULL, *observed = NULL;
	char on[40], in[16], name[128];
	unsigned count = 0;

	for (unsigned i = (unsigned)(first - cells.cell); i < cells.count; i++) {
		const struct cell *c = &cells.cell[i];

		if (c != first && !(fold && selected(s, c) && one_row(first, c)))
			continue;
		names_add(&counters, c->counter);
		names_add(&levels, intern(level_brief(c->level)));
		expected = common(expected, c->expected, c == first);
		observed = common(observed, c->observed, c == first);
		count++;
	}
	names_fit(&counters, 48, "counters", CHECK_ON, on, sizeof on);
	names_fit(&levels, 4, "levels", LEVELS, in, sizeof in);
	snprintf(name, sizeof name, "%.*s", count > 1 ? (int)stem_length(first) : 127, first->name);
	print_name(name, width);
	bool long_numbers = strlen(expected) > CHECK_NUMBERS || strlen(observed) > CHECK_NUMBERS;
	console_text(" %-*s %-*s %-*s %-*s %s", CHECK_ON, *on ? on : "-", LEVELS, *in ? in : "-",
		     CHECK_NUMBERS, long_numbers ? "..." : expected, CHECK_NUMBERS,
		     long_numbers ? "..." : observed, name_of(first));
	if (count > 1)
		console_text(" (%u)", count);
	console_text("\n");
	if (long_numbers)
		wrapped("    ", "expected %s, observed %s", expected, observed);
	if (first->text)
		wrapped("    ", "%s", first->text);
}

static bool first_of_row(const struct subset *s, unsigned i)
{
	const struct cell *c = &cells.cell[i];

	for (unsigned k = 0; k < i; k++)
		if (selected(s, &cells.cell[k]) && one_row(c, &cells.cell[k]))
			return false;
	return true;
}

static void print_plain(const struct subset *s, bool verbose)
{
	int width = widest(s, 12, CHECK_MOST);

	console_text("%-*s %-*s %-*s %-*s %-*s %s\n", width, "check", CHECK_ON, "counters", LEVELS,
		     level_heading(), CHECK_NUMBERS, "expected", CHECK_NUMBERS, "observed", "verdict");
	for (unsigned i = 0; i < cells.count; i++)
		if (selected(s, &cells.cell[i]) && (verbose || first_of_row(s, i)))
			print_row(s, &cells.cell[i], width, !verbose);
}

static const char rule[] = "-------------------------------------------------------------------------------";

static void print_subset(const struct subset *s, const char *title, bool verbose)
{
	const char *label = NULL;
	bool any = false, modelled = false;

	for (unsigned k = 0; k < cells.count; k++) {
		const struct cell *c = &cells.cell[k];

		if (!selected(s, c))
			continue;
		any = true;
		modelled |= c->machine_model;
		label = c->label;
	}
	if (!any)
		return;
	print_title(s->suite, title, s->processor);
	if (s->virtual)
		console_text("%s\n", text_or(label, "virtual PMU, not silicon"));
	if (modelled)
		console_text(
			"cycles, misses and mispredictions are those of a machine model, not of a CPU\n");
	console_text("%s\n", rule);
	if (s->matrix)
		print_matrix(s);
	else
		print_plain(s, verbose);
}

void table_verdicts(bool verbose)
{
	const char *processor[PROCESSORS];
	unsigned processors = 0;

	for (unsigned k = 0; k < cells.count; k++) {
		unsigned p = 0;

		while (p < processors && processor[p] != cells.cell[k].processor)
			p++;
		if (p == processors && processors < PROCESSORS)
			processor[processors++] = cells.cell[k].processor;
	}
	for (unsigned p = 0; p < processors; p++)
		for (unsigned i = 0; i < table.suites; i++)
			for (unsigned kind = 0; kind < 4; kind++) {
				struct subset s = {table.suite[i].name, processor[p], kind & 1, kind & 2};

				print_subset(&s, table.suite[i].title, verbose);
			}
}

/* --- behind the tables ------------------------------------------------------------------------------ */

/* Bad checks that are told once: for one reason, and of one event if they are events'. */
static bool one_trouble(const struct cell *a, const struct cell *b)
{
	return a->suite == b->suite && a->processor == b->processor && a->verdict == b->verdict &&
	       a->text == b->text && a->matrix == b->matrix && (!a->matrix || a->event == b->event);
}

static bool told_already(unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (one_trouble(&cells.cell[k], &cells.cell[i]))
			return true;
	return false;
}

static void print_trouble(unsigned i)
{
	const struct cell *c = &cells.cell[i];
	unsigned like = 0;
	char more[40] = "", text[EVIDENCE];

	for (unsigned k = i + 1; k < cells.count; k++)
		like += one_trouble(&cells.cell[k], c);
	if (like)
		snprintf(more, sizeof more, " (and %u like it)", like);
	wrapped("  ", "%-7s %s%s%s: %s%s%s", name_of(c), c->suite, c->processor ? " on " : "",
		text_or(c->processor, ""), c->name, evidence(c, text), more);
}

void table_closing(void)
{
	unsigned count = 0, shown = 0, groups = 0, judged = 0;
	const char *label = NULL;

	for (unsigned i = 0; i < cells.count; i++) {
		count += bad(&cells.cell[i]);
		judged += cells.cell[i].verdict != VERDICT_SKIPPED;
		label = cells.cell[i].virtual ? text_or(cells.cell[i].label, "virtual PMU, not silicon")
					      : label;
	}
	console_text("%s\n", rule);
	if (label)
		console_text("%s\n", label);
	table_merged();
	if (!count) {
		console_text(judged ? "nothing is wrong\n" : "nothing was judged\n");
		return;
	}
	console_text("what is wrong, the worst first (%u of %u checks)\n", count, cells.count);
	for (unsigned rank = 0; rank < VERDICT_COUNT; rank++)
		for (unsigned i = 0; i < cells.count; i++) {
			if (!bad(&cells.cell[i]) ||
			    verdict_rank((enum verdict)cells.cell[i].verdict) != rank || told_already(i))
				continue;
			groups++;
			if (shown < CLOSING) {
				print_trouble(i);
				shown++;
			}
		}
	if (groups > shown)
		console_text("  and %u others: in the tables above and in the report\n", groups - shown);
}
