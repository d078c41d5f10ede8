#include "boot/experiments.h"
#include "boot/tokens.h"
#include "arch/levels.h"
#include "tests/measure/metric.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define FIELD(f) offsetof(struct experiment, f), sizeof(((struct experiment *)0)->f)

static const char *glob_syntax(const char *value)
{
	return *value ? NULL : "globs, separated by commas";
}

static const char *name_syntax(const char *value)
{
	return *value && !strpbrk(value, "\\/:") ? NULL : "the name of a file in \\assay\\code";
}

const struct option_row experiment_rows[] = {
	{"kernel", OPTION_TEXT, FIELD(kernel), 0, 0, NULL, glob_syntax, "", "globs of kernels"},
	{"code", OPTION_TEXT, FIELD(code), 0, 0, NULL, name_syntax, NULL,
	 "a file of \\assay\\code in place of a kernel"},
	{"bytes", OPTION_LIST, FIELD(bytes), 0, 0, NULL, NULL, NULL, "the same as hexadecimal digits"},
	{"events", OPTION_LIST, FIELD(events), 0, 0, NULL, NULL, NULL, "event strings"},
	{level_option, OPTION_CHOICE, FIELD(level), 0, 0, level_choices, NULL, "0",
	 "level at which the kernel runs"},
	{"n", OPTION_NUMBER, FIELD(n), 1, INT64_MAX, NULL, NULL, NULL, "first N of the kernel"},
	{"reps", OPTION_NUMBER, FIELD(reps), 1, 1000000, NULL, NULL, NULL, "repetitions"},
	{"passes", OPTION_CHOICE, FIELD(passes), 0, 0, "split|one", NULL, "split",
	 "one: refuse what does not fit the counters at once"},
	{"delta", OPTION_LIST, FIELD(deltas), 0, 0, NULL, NULL, NULL, "differences of two events, A-B"},
	{"metric", OPTION_LINES, FIELD(metrics), 0, 0, NULL, NULL, NULL,
	 "NAME = an expression over events, or the name of one that an experiment before defines"},
	{"period", OPTION_NUMBER, FIELD(period), 1, INT64_MAX, NULL, NULL, NULL,
	 "events from sample to sample, or up to a cascade"},
	{"record", OPTION_CHOICE, FIELD(record), 0, 0, "none|pmi|pebs|ibs-op|ibs-fetch|bts|lbr|brs", NULL,
	 "none", "what each sample records"},
	{"cascade", OPTION_LIST, FIELD(cascades), 0, 0, NULL, NULL, NULL,
	 "an event that starts another, A>B"},
	{"then", OPTION_NUMBER, FIELD(then), 1, INT64_MAX, NULL, NULL, NULL,
	 "events of a cascade's second one up to the interrupt"},
	{"beside", OPTION_LIST, FIELD(beside), 0, 0, NULL, NULL, NULL,
	 "event strings: counted in the runs in which an event is sampled"},
	{"sample", OPTION_CHOICE, FIELD(sample), 0, 0, "E|A", NULL, "E",
	 "A: each sample with all that is known of it; E: its place"},
	{"max", OPTION_NUMBER, FIELD(most), 1, 20000, NULL, NULL, NULL, "samples at most"},
	{"buffer", OPTION_NUMBER, FIELD(buffer), 1, 2000, NULL, NULL, NULL,
	 "records that the hardware writes from interrupt to interrupt"},
	{"pmu", OPTION_TEXT, FIELD(pmu), 0, 0, NULL, glob_syntax, "*", "globs of PMUs that it is meant for"},
	{NULL, OPTION_TEXT, 0, 0, 0, 0, NULL, NULL, NULL, NULL},
};

static const struct {
	const char *name;
	enum experiment_key key;
} placed[] = {{"kernel", KEY_KERNEL},    {"n", KEY_N},          {"period", KEY_PERIOD},
	      {"record", KEY_RECORD},    {"code", KEY_CODE},    {"passes", KEY_PASSES},
	      {level_option, KEY_LEVEL}, {"then", KEY_THEN},    {"sample", KEY_SAMPLE},
	      {"max", KEY_MAX},          {"buffer", KEY_BUFFER}};

static void keep_place(struct experiment *x, const struct token *t)
{
	for (unsigned i = 0; i < sizeof placed / sizeof *placed; i++)
		if (!strcmp(t->key, placed[i].name))
			x->key[placed[i].key] =
				(struct text_place){t->line, t->column + (unsigned)(t->value_at - t->start)};
}

/* --- metrics ---------------------------------------------------------------------------------------- */

static bool refuse_metric(const struct source *s, const struct option_item *item, size_t column,
			  const char *why)
{
	snprintf(s->error->text, sizeof s->error->text, "%.48s:%u:%u: metric=%.40s: %s", s->where,
		 item->at.line, item->at.column + (unsigned)column, item->text, why);
	return false;
}

struct metric_events {
	struct experiment *x;
	const struct option_item *metric;
	bool full; /* there is no room for one that it names */
};

/* Events that a metric names are counted, whether events= has them or not. */
static bool add_event(void *ctx, const char *word, size_t n, uint8_t *operand)
{
	struct metric_events *named = ctx;
	const struct option_item *metric = named->metric;
	struct experiment *x = named->x;
	struct option_item *item = &x->events.item[x->events.count];

	*operand = 0;
	if (*word == '#' || metric_is_clock(word, n))
		return true;
	for (unsigned i = 0; i < x->events.count; i++)
		if (strlen(x->events.item[i].text) == n && !strncmp(x->events.item[i].text, word, n))
			return true;
	named->full = x->events.count == OPTION_ITEMS;
	if (named->full || n >= sizeof item->text)
		return false;
	memcpy(item->text, word, n);
	item->text[n] = 0;
	item->at = metric->at;
	item->at.column += (unsigned)(word - metric->text);
	x->events.count++;
	return true;
}

/* One of an earlier experiment that is called by its name. */
static bool find_metric(const struct experiments *all, const struct experiment *x, struct option_item *item)
{
	size_t n = strlen(item->text);

	if (strchr(item->text, '='))
		return true;
	for (const struct experiment *e = all->experiment; e < x; e++)
		for (unsigned i = 0; i < e->metrics.count; i++) {
			const char *text = e->metrics.item[i].text;

			if (!strncmp(text, item->text, n) && strchr(" \t=", text[n])) {
				strcpy(item->text, text);
				return true;
			}
		}
	return false;
}

static bool take_metrics(const struct source *s, const struct experiments *all, struct experiment *x)
{
	static struct metric m;

	for (unsigned i = 0; i < x->metrics.count; i++) {
		struct option_item *item = &x->metrics.item[i];
		struct metric_events named = {.x = x, .metric = item};
		char why[120];
		const char *wrong;

		if (!find_metric(all, x, item))
			return refuse_metric(s, item, 0,
					     "no experiment before defines it: write NAME = EXPRESSION");
		wrong = metric_parse(item->text, add_event, &named, &m, why, sizeof why);
		if (wrong)
			return refuse_metric(
				s, item, (size_t)(wrong - item->text),
				named.full ? "events= has no room for one more: share them among two "
					     "experiments"
					   : why);
	}
	return true;
}

/* They are events like the others, behind them. */
static bool take_beside(const struct source *s, struct experiment *x)
{
	x->n_sampled = (uint8_t)x->events.count;
	if (x->events.count + x->beside.count > OPTION_ITEMS) {
		snprintf(s->error->text, sizeof s->error->text,
			 "%.48s:%u:%u: events= and beside= have more than %d items: share them among two "
			 "experiments",
			 s->where, x->beside.item[0].at.line, x->beside.item[0].at.column, OPTION_ITEMS);
		return false;
	}
	memcpy(&x->events.item[x->events.count], x->beside.item, x->beside.count * sizeof *x->beside.item);
	x->events.count += x->beside.count;
	return true;
}

static bool check_bytes(const struct source *s, const struct experiment *x)
{
	for (unsigned i = 0; i < x->bytes.count; i++) {
		const struct option_item *item = &x->bytes.item[i];
		size_t digits = strspn(item->text, "0123456789abcdefABCDEF");

		if (!item->text[digits] && digits % 2 == 0)
			continue;
		snprintf(s->error->text, sizeof s->error->text,
			 "%.48s:%u:%u: bytes=%.20s: it wants pairs of hexadecimal digits, such as bytes=90c3",
			 s->where, item->at.line, item->at.column + (unsigned)digits, item->text);
		return false;
	}
	return true;
}

/* What a section must have, told at its header. */
static bool complete(const struct source *s, const struct experiments *all, struct experiment *x)
{
	if (!take_metrics(s, all, x) || !take_beside(s, x))
		return false;

	bool own = x->bytes.count || *x->code;
	bool counts = x->record == RECORD_NONE || x->record == RECORD_PMI || x->record == RECORD_PRECISE;
	const char *missing = !*x->kernel && !own ? "kernel" : counts && !x->n_sampled ? "events" : NULL;

	if ((*x->kernel != 0) + (x->bytes.count != 0) + (*x->code != 0) > 1) {
		snprintf(s->error->text, sizeof s->error->text,
			 "%.48s:%u:%u: [experiment %s] has several of kernel=, code= and bytes=: leave all "
			 "but "
			 "one out",
			 s->where, x->at.line, x->at.column, x->name);
		return false;
	}
	if (!missing)
		return check_bytes(s, x);
	snprintf(s->error->text, sizeof s->error->text, "%.48s:%u:%u: [experiment %s] has no %s=: add %s",
		 s->where, x->at.line, x->at.column, x->name, missing,
		 *missing == 'k' ? "the kernel to run, such as kernel=nop_loop"
				 : "what to count, such as events=INST_RETIRED.ANY_P");
	return false;
}

static bool open_experiment(const struct source *s, const struct token *t, struct experiments *all,
			    struct experiment **open)
{
	const char *name = t->value + 10;
	struct experiment *x;

	while (*name == ' ' || *name == '\t')
		name++;
	if (!*name || strlen(name) >= EXPERIMENT_NAME)
		return token_fail(s, t->start,
				  "an experiment has a name of 1 to %d characters: [experiment NAME]",
				  EXPERIMENT_NAME - 1);
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
			return token_fail(
				s, t->start + 1 + (c - t->value),
				"'%c' cannot be part of an experiment's name: letters, digits, - _ . can",
				*c);
	for (unsigned i = 0; i < all->count; i++)
		if (!strcmp(all->experiment[i].name, name))
			return token_fail(s, t->start,
					  "[experiment %s] is there already, in line %u: take another name",
					  name, all->experiment[i].at.line);
	if (all->count == EXPERIMENTS_MAX)
		return token_fail(s, t->start, "more than %d experiments: put some into another file",
				  EXPERIMENTS_MAX);
	x = &all->experiment[all->count++];
	memset(x, 0, sizeof *x);
	strcpy(x->name, name);
	x->at = (struct text_place){t->line, t->column};
	option_defaults(experiment_rows, x);
	*open = x;
	return true;
}

static bool take_section(const struct source *s, const struct token *t, struct experiments *all,
			 struct experiment **open)
{
	static const char word[] = "experiment";

	if (*open && !complete(s, all, *open))
		return false;
	*open = NULL;
	if (!strcmp(t->value, "options"))
		return true;
	if (strncmp(t->value, word, sizeof word - 1) || !strchr(" \t", t->value[sizeof word - 1]))
		return token_fail(s, t->start,
				  "no section [%.40s]: there are [experiment NAME] and [options]", t->value);
	return open_experiment(s, t, all, open);
}

static bool take_pair(const struct source *s, const struct token *t, struct options *o, struct experiment *x)
{
	if (!x)
		return option_take(option_rows(), o, s, t);
	if (!option_row_by_name(experiment_rows, t->key) && option_row_by_name(option_rows(), t->key))
		return token_fail(
			s, t->start,
			"%s= is an option of the run, not of an experiment: put it before the first section, "
			"or behind [options]%s",
			t->key,
			strcmp(t->key, "event") ? "" : "; what an experiment counts is given by events=");
	keep_place(x, t);
	return option_take(experiment_rows, x, s, t);
}

bool experiments_parse(struct options *o, struct experiments *all, const char *text, size_t size,
		       const char *where, struct option_error *error)
{
	static struct token t;
	struct experiment *open = NULL;
	struct source s;
	enum token_kind kind;

	all->file = where;
	all->count = 0;
	if (!source_open(&s, text, size, where, error))
		return false;
	while ((kind = token_next(&s, &t)) != TOKEN_END) {
		if (kind == TOKEN_BAD)
			return false;
		if (kind == TOKEN_SECTION ? !take_section(&s, &t, all, &open) : !take_pair(&s, &t, o, open))
			return false;
	}
	return !open || complete(&s, all, open);
}
