#include "boot/menu/results.h"
#include "boot/menu/list.h"
#include "boot/menu/page.h"
#include "boot/menu/widgets.h"

#include "tests/report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the model -------------------------------------------------------------------------------------- */

/* By rank, one rank after the other: within one they stay as they were run. */
unsigned results_sort(enum results_order order, bool bad, unsigned *out, unsigned max)
{
	struct report_check c;
	unsigned n = 0;

	for (unsigned rank = 0; rank <= VERDICT_COUNT; rank++) {
		for (unsigned i = 0; n < max && report_check(i, &c); i++)
			if ((order == RESULTS_AS_RUN || verdict_rank(c.verdict) == rank) &&
			    (!bad || verdict_is_bad(c.verdict)))
				out[n++] = i;
		if (order == RESULTS_AS_RUN)
			break;
	}
	return n;
}

/* A number, which stands in quotes if it is large (tests/report/json.h). */
static int64_t number(const char **at)
{
	char *end;
	int64_t v;

	if (**at == '"')
		++*at;
	v = strtoll(*at, &end, 10);
	*at = end + (*end == '"');
	return v;
}

static bool member(const char *at, const char *end, const char *name, int64_t *value)
{
	const char *found = strstr(at, name);

	if (!found || found > end)
		return false;
	found += strlen(name);
	*value = number(&found);
	return true;
}

const char *results_next(const char *at, struct results_seen *out)
{
	static const char list[] = "\"values\":[";
	const char *values;
	int64_t n = 0;

	*out = (struct results_seen){0};
	at += *at == ',';
	values = strstr(at, list);
	if (*at != '{' || !values || !member(at, values, "\"n\":", &n))
		return NULL;
	out->n = (uint64_t)n;
	out->bounded =
		member(at, values, "\"low\":", &out->low) && member(at, values, "\"high\":", &out->high);
	for (values += sizeof list - 1; *values == '['; values += *values == ',') {
		struct results_bar bar;

		values++;
		bar.value = number(&values);
		values += *values == ',';
		bar.frequency = (unsigned)number(&values);
		if (*values++ != ']')
			return NULL; /* cut off */
		if (out->bars < RESULTS_BARS)
			out->bar[out->bars++] = bar;
		else
			out->left_out++;
	}
	return values[0] == ']' && values[1] == '}' ? values + 2 : NULL;
}

/* --- one check -------------------------------------------------------------------------------------- */

#define RECORD 8192

/* A scroll of lines is drawn whole, and shown from `from` on. */
struct sheet {
	unsigned at, from, rows;
};

static unsigned place(struct sheet *s)
{
	unsigned at = s->at++;

	/* A row that is not seen is drawn where nothing is. */
	return at >= s->from && at - s->from < s->rows ? 2 + at - s->from : PAGE_ROWS;
}

static void field(struct sheet *s, const char *name, const char *value)
{
	if (!value)
		return;
	size_t room = page_columns() - 16;
	for (bool first = true; first || *value; first = false) {
		size_t n = strlen(value);

		if (n > room)
			for (n = room; n > 1 && value[n] != ' ';)
				n--;
		if (n <= 1 && strlen(value) > room)
			n = room;
		unsigned row = place(s);
		page_print(row, 2, STYLE_DIM, "%s", first ? name : "");
		page_print(row, 14, STYLE_PLAIN, "%.*s", (int)n, value);
		value += n;
		value += *value == ' ';
	}
}

static void bars(struct sheet *s, const struct results_seen *seen)
{
	unsigned most = 1, room = page_columns() - 44;
	char text[96], bar[PAGE_COLUMNS];

	for (unsigned i = 0; i < seen->bars; i++)
		most = seen->bar[i].frequency > most ? seen->bar[i].frequency : most;
	if (!seen->bounded)
		snprintf(text, sizeof text, "N=%" PRIu64, seen->n);
	else if (seen->low == seen->high)
		snprintf(text, sizeof text, "N=%" PRIu64 ", expected %" PRId64, seen->n, seen->low);
	else
		snprintf(text, sizeof text, "N=%" PRIu64 ", expected %" PRId64 " to %" PRId64, seen->n,
			 seen->low, seen->high);
	place(s);
	page_print(place(s), 2, STYLE_PLAIN, "%s", text);
	for (unsigned i = 0; i < seen->bars; i++) {
		const struct results_bar *b = &seen->bar[i];
		bool off = seen->bounded && (b->value < seen->low || b->value > seen->high);
		unsigned n = (unsigned)((uint64_t)b->frequency * room / most), row = place(s);

		memset(bar, '#', n);
		bar[n] = 0;
		page_print(row, 2, off ? STYLE_BAD : STYLE_PLAIN, "%20" PRId64, b->value);
		page_print(row, 23, STYLE_PLAIN, "%8u x %s", b->frequency, n ? bar : ".");
	}
	if (seen->left_out)
		page_print(place(s), 2, STYLE_DIM, "and %u other values: they are in the report",
			   seen->left_out);
}

static unsigned draw_check(unsigned i, unsigned from, const char *heading)
{
	static const char observations[] = "\"observations\":[";
	static char record[RECORD];
	struct report_check c;
	struct results_seen seen;
	struct sheet s = {0, from, page_rows() - 3};
	const char *at;

	report_check(i, &c);
	page_begin(heading, " Up/Down scroll, Left/Right the one before and behind, Esc goes back");
	field(&s, "check", c.name);
	field(&s, "suite", c.suite);
	field(&s, "verdict", verdict_name(c.verdict));
	field(&s, "why", c.text);
	field(&s, "event", c.event);
	field(&s, "kernel", c.kernel);
	field(&s, "counter", c.counter);
	field(&s, "level", c.level);
	field(&s, "processor", c.processor);
	if (c.virtual)
		field(&s, "", "on a virtual PMU, not silicon");
	report_check_record(i, record, sizeof record);
	at = strstr(record, observations);
	for (at = at ? at + sizeof observations - 1 : ""; (at = results_next(at, &seen));)
		bars(&s, &seen);
	return s.at;
}

static void show_check(struct list *l, const unsigned *checks, const char *heading)
{
	unsigned from = 0;

	for (;;) {
		unsigned lines = draw_check(checks[l->chosen], from, heading);
		int key = widget_wait();

		if (key == KEY_ESCAPE || key == KEY_ENTER)
			return;
		if (key == KEY_LEFT || key == KEY_RIGHT) {
			list_key(l, key == KEY_LEFT ? KEY_UP : KEY_DOWN);
			from = 0;
		}
		struct list scroll = {lines > page_rows() - 3 ? lines - (page_rows() - 3) + 1 : 1,
				      page_rows() - 3, from, 0};
		list_key(&scroll, key);
		from = scroll.chosen;
	}
}

/* --- all of them ------------------------------------------------------------------------------------ */

#define TOP 4

static void totals(char *out, size_t size)
{
	const struct report_totals *t = report_totals();
	size_t n = (size_t)snprintf(out, size, "%u checks:", t->checks);

	for (unsigned v = 0; v < VERDICT_COUNT && n < size; v++)
		if (t->verdicts[v])
			n += (size_t)snprintf(out + n, size - n, " %u %s", t->verdicts[v],
					      verdict_name((enum verdict)v));
}

static void draw(const struct list *l, const unsigned *checks, const struct results_about *about,
		 enum results_order order, bool bad)
{
	char text[RESULTS_TEXT];
	struct report_check c;

	snprintf(text, sizeof text, " Enter opens, s sorts, b shows %s%s%s",
		 bad ? "all" : "the bad ones alone", about->leaving ? ", Esc " : "",
		 about->leaving ? about->leaving : "");
	page_begin(about->heading, text);
	totals(text, sizeof text);
	page_print(1, 1, STYLE_PLAIN, "%s", text);
	page_print(2, 1, STYLE_DIM, about->place ? "report: in %s" : "no report was written", about->place);
	page_print(3, 1, STYLE_DIM, "%s, %s", bad ? "bad ones" : "all",
		   order ? "as they were run" : "the worst first");
	if (!about->leaving)
		page_print(3, 30, STYLE_PLAIN, "You may switch off now.");
	if (l->count)
		page_print(3, page_columns() - 16, STYLE_DIM, "%6u of %u", l->chosen + 1, l->count);
	else
		page_print(TOP + 1, 3, STYLE_PLAIN, "none");
	for (unsigned i = l->top; i < l->count && i < l->top + l->rows; i++) {
		unsigned row = TOP + i - l->top;
		enum style style = i == l->chosen ? STYLE_CHOSEN : STYLE_PLAIN;

		report_check(checks[i], &c);
		if (i == l->chosen)
			page_row(row, style, "");
		page_print(row, 1, i != l->chosen && verdict_is_bad(c.verdict) ? STYLE_BAD : style, "%-8s",
			   verdict_name(c.verdict));
		page_print(row, 10, style, "%.12s: %.55s%s%s", c.suite, c.name, c.text ? "; " : "",
			   c.text ? c.text : "");
	}
}

void menu_results(struct terminal *t, const struct results_about *about)
{
	unsigned n = report_totals()->checks, *checks = calloc(n + 1, sizeof *checks);
	enum results_order order = RESULTS_WORST_FIRST;
	struct list l = {0};
	bool bad = false;

	if (!checks)
		return;
	page_open(t);
	for (;;) {
		list_set(&l, results_sort(order, bad, checks, n), page_rows() - TOP - 1);
		draw(&l, checks, about, order, bad);
		int key = widget_wait();

		if (about->leaving && (key == KEY_ESCAPE || key == 'q'))
			break;
		if (key == 's' || key == 'b') {
			order = key == 's' ? (order + 1) % RESULTS_ORDERS : order;
			bad ^= key == 'b';
			list_choose(&l, 0);
		} else if ((key == KEY_ENTER || key == KEY_RIGHT) && l.count) {
			show_check(&l, checks, about->heading);
		} else {
			list_key(&l, key);
		}
	}
	page_close();
	free(checks);
}
