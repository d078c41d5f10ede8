#include "boot/core_options.h"
#include "boot/options.h"
#include "boot/tokens.h"
#include "pmu/events/text.h"
#include "tests/measure/scan_range.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "auto", a driver, "virtual" or "virtual:PROFILE". Whether the driver or the profile exists is not known
 * here. */
static const char *pmu_syntax(const char *value)
{
	static const char form[] = "auto, a driver's name, force:DRIVER, virtual or virtual:PROFILE";
	const char *colon = strchr(value, ':');
	size_t head = colon ? (size_t)(colon - value) : strlen(value);

	bool known = (head == 7 && !memcmp(value, "virtual", 7)) || (head == 5 && !memcmp(value, "force", 5));

	if (colon && (!known || !colon[1]))
		return form;
	if (!*value)
		return form;
	for (const char *c = value; *c; c++)
		if (c != colon && !isalnum((unsigned char)*c) && !strchr("-_.", *c))
			return form;
	return NULL;
}

static const char *glob_syntax(const char *value)
{
	return *value ? NULL : "globs, separated by commas; * is everything";
}

static const char *path_syntax(const char *value)
{
	return *value ? NULL : "a folder's path, none, qr, e9, or memory";
}

static const char *scan_syntax(const char *value)
{
	struct scan_ranges ranges;

	return scan_ranges_parse(value, &ranges) ? NULL : scan_ranges_form;
}

#define FIELD(f) offsetof(struct options, f), sizeof(((struct options *)0)->f)

static const struct option_row neutral_rows[] = {
	{"pmu", OPTION_TEXT, FIELD(pmu), 0, 0, NULL, pmu_syntax, "auto",
	 "which PMU: auto, a driver's name (force:DRIVER: whatever CPU this is), virtual or virtual:PROFILE"},
	{"suite", OPTION_TEXT, FIELD(suite), 0, 0, NULL, glob_syntax, "control,events",
	 "globs of suites to run, comma-separated; all: those that judge; research: those that find out how "
	 "a "
	 "CPU behaves; none: only say which PMU there is"},
	{"kernel", OPTION_TEXT, FIELD(kernel), 0, 0, NULL, glob_syntax, "core",
	 "globs of kernels; core is the quick and portable ones, full those that all leaves out, too"},
	{"event", OPTION_TEXT, FIELD(event), 0, 0, NULL, glob_syntax, "arch",
	 "globs of events; arch is those that all CPUs of the family share, * also those of this one alone"},
	{"check", OPTION_TEXT, FIELD(check), 0, 0, NULL, glob_syntax, "*",
	 "globs of checks of the suites control and selftest, as the report names them, and of equations"},
	{"scan", OPTION_TEXT, FIELD(scan), 0, 0, NULL, scan_syntax, "",
	 "encodings for the suite scan, as c4:00-ff,d0-d4"},
	{"n", OPTION_NUMBER, FIELD(n), 0, UINT32_MAX, NULL, NULL, "0",
	 "first value of N, others are its multiples; 0: 1000 on hardware, 5 on the virtual PMU"},
	{"reps", OPTION_NUMBER, FIELD(reps), 0, 1000000, NULL, NULL, "0",
	 "repetitions; 0: 100 on hardware, 3 on the virtual PMU"},
	{"seed", OPTION_NUMBER, FIELD(seed), 0, UINT64_MAX, NULL, NULL, "1",
	 "seed of everything that is drawn"},
	{"inject", OPTION_TEXT, FIELD(inject), 0, 0, NULL, NULL, "",
	 "deviations to switch on, joined by +, each for one processor only as NAME@NUMBER; empty: none"},
	{"cpus", OPTION_TEXT, FIELD(cpus), 0, 0, NULL, cores_syntax, "auto",
	 "processors to judge: auto (the boot processor, of a hybrid CPU one of each type), all, or numbers"},
	{"courage", OPTION_NUMBER, FIELD(courage), 0, 3, NULL, NULL, "3",
	 "how much is changed: 0 reads only, 1 counts, 2 has interrupts and records, 3 everything"},
	{"dangerous", OPTION_CHOICE, FIELD(dangerous), 0, 0, "no|yes", NULL, "no",
	 "yes: behind each processor's suites, errata that can hang the machine are looked for, too"},
	{"own", OPTION_CHOICE, FIELD(own), 0, 0, "turns|full", NULL, "turns",
	 "turns: firmware writes files between suites; full: it has ended before the first check, and the "
	 "report "
	 "goes out over the serial line, or as QR codes"},
	{"workaround", OPTION_CHOICE, FIELD(workaround), 0, 0, "off|on", NULL, "on",
	 "off: errata that the driver can work around are let show"},
	{"exit", OPTION_CHOICE, FIELD(exit), 0, 0, "shutdown|return|halt|auto", NULL, "auto",
	 "what to do at the end; auto: return, but if no shell started it, only when a key is pressed"},
	{"menu", OPTION_NUMBER, FIELD(menu), 0, 3600, NULL, NULL, "0",
	 "seconds that the menu waits for a key before it runs; 0: no menu"},
	{"list", OPTION_CHOICE, FIELD(list), 0, 0, "none|suites|kernels|events|injections|options", NULL,
	 "none", "judge nothing, and list all that there are of these"},
	{"report", OPTION_TEXT, FIELD(report), 0, 0, NULL, path_syntax, "\\assay\\runs",
	 "folder in which each run gets a folder of its own, none, qr for QR codes on the screen, e9 for "
	 "port E9H, or memory: port E9H tells where it lies"},
	{"verbose", OPTION_CHOICE, FIELD(verbose), 0, 0, "0|1", NULL, "0", "1: a line for every check"},
	{"registers", OPTION_CHOICE, FIELD(registers), 0, 0, "0|1", NULL, "0",
	 "1: show every register of the PMU as it was found, field by field"},
};
#define NEUTRAL_ROWS (sizeof neutral_rows / sizeof neutral_rows[0])

/* Of every instruction set. */
static const struct machine_setting settings_anywhere[] = {
#define SETTING(name, choices, highest, initial, help) {name, choices, highest, initial, help},
#include "settings.def"
	{0},
};

/* As an option of an object that has its value at `offset`. */
static struct option_row setting_row(const struct machine_setting *m, size_t offset)
{
	return (struct option_row){.name = m->name,
				   .kind = m->choices ? OPTION_CHOICE : OPTION_NUMBER,
				   .offset = offset,
				   .size = sizeof(uint64_t),
				   .high = m->highest,
				   .choices = m->choices,
				   .initial = m->initial,
				   .help = m->help};
}

const struct option_row *option_rows(void)
{
	static struct option_row rows[NEUTRAL_ROWS + MACHINE_SETTINGS_MAX + 1];

	if (rows[0].name)
		return rows;
	memcpy(rows, neutral_rows, sizeof neutral_rows);
	for (unsigned i = 0; machine_settings[i].name; i++)
		rows[NEUTRAL_ROWS + i] =
			setting_row(&machine_settings[i], offsetof(struct options, setting[i]));
	return rows;
}

uint64_t options_setting(const struct options *o, const char *name)
{
	for (unsigned i = 0; machine_settings[i].name; i++)
		if (!strcmp(machine_settings[i].name, name))
			return o->setting[i];
	return 0;
}

/* --- names and values ------------------------------------------------------------------------------- */

static bool unknown_option(const struct option_row *rows, const struct source *s, const struct token *t)
{
	const struct option_row *best = rows;
	unsigned least = 99;
	char names[192];
	size_t n = 0;

	for (const struct option_row *r = rows; r->name; r++) {
		unsigned d = edit_distance(t->key, r->name);

		if (d < least) {
			least = d;
			best = r;
		}
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "", r->name);
	}
	if (is_near(least, t->key))
		return token_fail(s, t->start, "no option \"%s\": did you mean %s=? (%s)", t->key, best->name,
				  best->help);
	return token_fail(s, t->start, "no option \"%s\": there are %s", t->key, names);
}

static void store(void *o, const struct option_row *r, uint64_t v)
{
	void *field = (char *)o + r->offset;

	switch (r->size) {
	case 1:
		*(uint8_t *)field = (uint8_t)v;
		break;
	case 2:
		*(uint16_t *)field = (uint16_t)v;
		break;
	case 4:
		*(uint32_t *)field = (uint32_t)v;
		break;
	default:
		*(uint64_t *)field = v;
	}
}

static uint64_t load(const void *o, const struct option_row *r)
{
	const void *field = (const char *)o + r->offset;

	switch (r->size) {
	case 1:
		return *(const uint8_t *)field;
	case 2:
		return *(const uint16_t *)field;
	case 4:
		return *(const uint32_t *)field;
	default:
		return *(const uint64_t *)field;
	}
}

static bool parse_number(const char *text, uint64_t *value)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		char c = (char)tolower((unsigned char)*text);
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 99;

		if (digit >= base || v > (UINT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*value = v;
	return true;
}

/* @return index of the word in a list of words separated by '|', or -1 */
static int choice_index(const char *choices, const char *word)
{
	size_t length = strlen(word);
	int i = 0;

	for (const char *c = choices; c; i++) {
		const char *bar = strchr(c, '|');
		size_t n = bar ? (size_t)(bar - c) : strlen(c);

		if (n == length && !memcmp(c, word, n))
			return i;
		c = bar ? bar + 1 : NULL;
	}
	return -1;
}

static bool add_item(struct option_list *list, const struct option_row *r, const struct source *s,
		     const char *from, size_t n, const char *at)
{
	struct option_item *item = &list->item[list->count];

	if (list->count == OPTION_ITEMS)
		return token_fail(s, at, "%s= has more than %d items: %s", r->name, OPTION_ITEMS,
				  "share them among two experiments");
	if (n >= sizeof item->text)
		return token_fail(s, at, "%.20s... is %lu bytes long: at most %lu are allowed", from,
				  (unsigned long)n, (unsigned long)sizeof item->text - 1);
	memcpy(item->text, from, n);
	item->text[n] = 0;
	item->at = (struct text_place){s->line, (unsigned)(at - s->line_start) + 1};
	list->count++;
	return true;
}

/* Items between commas and blanks. A comma between slashes is part of an item, but for two registers that a
 * slash parts: "0x3b000/0x1200020c". */
static bool add_items(struct option_list *list, const struct option_row *r, const struct source *s,
		      const struct token *t)
{
	const char *first = t->value_at + (*t->value_at == '"'), *from = t->value;

	while (*from) {
		size_t n = 0;
		bool slashes = false;

		for (; from[n] && (slashes || !strchr(", \t", from[n])); n++)
			slashes ^= from[n] == '/' && !isdigit((unsigned char)from[0]);
		if (n && !add_item(list, r, s, from, n, first + (from - t->value)))
			return false;
		from += n + (from[n] != 0);
	}
	return true;
}

static bool set(void *o, const struct option_row *r, const struct source *s, const struct token *t)
{
	const char *form;
	uint64_t v;
	int i;

	if (!*t->value && r->kind != OPTION_TEXT)
		return r->initial ? token_fail(s, t->start,
					       "%s= has no value: give one, or leave it out for %s=%s",
					       r->name, r->name, r->initial)
				  : token_fail(s, t->start, "%s= has no value: give one", r->name);
	switch (r->kind) {
	case OPTION_TEXT:
		form = r->syntax ? r->syntax(t->value) : NULL;
		if (strlen(t->value) >= r->size)
			return token_fail(s, t->value_at, "value is %lu bytes long: at most %lu are allowed",
					  (unsigned long)strlen(t->value), (unsigned long)r->size - 1);
		if (form)
			return token_fail(s, t->value_at, "%s=%.40s is malformed: it wants %s", r->name,
					  t->value, form);
		memcpy((char *)o + r->offset, t->value, strlen(t->value) + 1);
		return true;
	case OPTION_NUMBER:
		if (!parse_number(t->value, &v) || v < r->low || v > r->high)
			return token_fail(s, t->value_at,
					  "%s=%.40s: it wants a number from %" PRIu64 " to %" PRIu64, r->name,
					  t->value, r->low, r->high);
		store(o, r, v);
		return true;
	case OPTION_CHOICE:
		i = choice_index(r->choices, t->value);
		if (i < 0)
			return token_fail(s, t->value_at, "%s=%.40s: it wants one of %s", r->name, t->value,
					  r->choices);
		store(o, r, (uint64_t)i);
		return true;
	case OPTION_LIST:
		return add_items((void *)((char *)o + r->offset), r, s, t);
	case OPTION_LINES:
		return add_item((void *)((char *)o + r->offset), r, s, t->value, strlen(t->value),
				t->value_at + (*t->value_at == '"'));
	}
	return false;
}

static size_t format_value(const void *o, const struct option_row *r, char *out, size_t size);

/* Keep a setting of another instruction set, in place of what it was before. */
static bool pass_over(struct options *o, const struct machine_setting *m, const struct source *s,
		      const struct token *t)
{
	const struct option_row r = setting_row(m, 0);
	char others[OPTION_TEXT_MAX] = "", word[64];
	uint64_t value = 0;
	size_t n = 0;

	if (!set(&value, &r, s, t))
		return false;
	for (const char *at = o->elsewhere; *at; at += strcspn(at, " "), at += *at == ' ') {
		size_t length = strcspn(at, " "), name = strlen(m->name);

		if (length <= name || at[name] != '=' || memcmp(at, m->name, name))
			n += (size_t)snprintf(others + n, sizeof others - n, "%.*s ", (int)length, at);
	}
	size_t used = (size_t)snprintf(word, sizeof word, "%s=", m->name);
	format_value(&value, &r, word + used, sizeof word - used);
	if (n + strlen(word) >= sizeof o->elsewhere)
		return token_fail(s, t->start, "%s= is one setting of other instruction sets too many", m->name);
	strcpy(others + n, word);
	memcpy(o->elsewhere, others, sizeof others);
	return true;
}

const struct option_row *option_row_by_name(const struct option_row *rows, const char *name)
{
	for (const struct option_row *r = rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

bool option_take(const struct option_row *rows, void *object, const struct source *s, const struct token *t)
{
	const struct option_row *r = option_row_by_name(rows, t->key);

	if (r)
		return set(object, r, s, t);
	for (const struct machine_setting *m = settings_anywhere; rows == option_rows() && m->name; m++)
		if (!strcmp(m->name, t->key))
			return pass_over(object, m, s, t);
	return unknown_option(rows, s, t);
}

bool options_parse(struct options *o, const char *text, size_t size, const char *where,
		   struct option_error *error)
{
	static struct token t;
	struct source s;
	enum token_kind kind;

	if (!source_open(&s, text, size, where, error))
		return false;
	while ((kind = token_next(&s, &t)) != TOKEN_END) {
		if (kind == TOKEN_SECTION)
			return token_fail(&s, t.start,
					  "sections ([...]) are not known here: only key=value options are");
		if (kind == TOKEN_BAD || !option_take(option_rows(), o, &s, &t))
			return false;
	}
	return true;
}

void option_defaults(const struct option_row *rows, void *object)
{
	static struct token t;
	struct option_error error;
	struct source s = {.where = "default", .error = &error};

	for (const struct option_row *r = rows; r->name; r++) {
		if (!r->initial)
			continue;
		snprintf(t.value, sizeof t.value, "%s", r->initial);
		set(object, r, &s, &t);
	}
}

void options_default(struct options *o)
{
	memset(o, 0, sizeof *o);
	option_defaults(option_rows(), o);
}

static size_t format_value(const void *o, const struct option_row *r, char *out, size_t size)
{
	const char *c = r->choices;

	switch (r->kind) {
	case OPTION_TEXT:
		return (size_t)snprintf(out, size, "%s", (const char *)o + r->offset);
	case OPTION_CHOICE:
		for (uint64_t i = load(o, r); i; i--)
			c = strchr(c, '|') + 1;
		return (size_t)snprintf(out, size, "%.*s", (int)strcspn(c, "|"), c);
	default:
		return (size_t)snprintf(out, size, "%" PRIu64, load(o, r));
	}
}

size_t option_format(const struct options *o, const struct option_row *r, char *out, size_t size)
{
	return format_value(o, r, out, size);
}

size_t options_format(const struct options *o, char *line, size_t size)
{
	size_t used = 0;

	line[0] = 0;
	for (const struct option_row *r = option_rows(); r->name; r++) {
		char item[OPTION_TEXT_MAX + 40], value[OPTION_TEXT_MAX];
		int n;

		option_format(o, r, value, sizeof value);
		n = snprintf(item, sizeof item, strpbrk(value, " \t") ? "%s=\"%s\"" : "%s=%s", r->name,
			     value);
		if (used + (size_t)n + 2 > size)
			break;
		used += (size_t)snprintf(line + used, size - used, "%s%s", used ? " " : "", item);
	}
	if (*o->elsewhere && used + strlen(o->elsewhere) + 2 <= size)
		used += (size_t)snprintf(line + used, size - used, "%s%s", used ? " " : "", o->elsewhere);
	return used;
}
