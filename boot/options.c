#include "boot/options.h"
#include "pmu/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "auto", a driver, "virtual" or "virtual:PROFILE". Whether the driver or the profile exists is not known
 * here. */
static const char *pmu_syntax(const char *value)
{
	static const char form[] = "auto, a driver's name, virtual or virtual:PROFILE";
	const char *colon = strchr(value, ':');
	size_t head = colon ? (size_t)(colon - value) : strlen(value);

	if (colon && (head != 7 || memcmp(value, "virtual", 7) || !colon[1]))
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
	return *value ? NULL : "a path without extension, none, or e9";
}

#define FIELD(f) offsetof(struct options, f), sizeof(((struct options *)0)->f)

const struct option_row option_rows[] = {
	{"pmu", OPTION_TEXT, FIELD(pmu), 0, 0, NULL, pmu_syntax, "auto",
	 "which PMU: auto, a driver's name, virtual or virtual:PROFILE"},
	{"suite", OPTION_TEXT, FIELD(suite), 0, 0, NULL, glob_syntax, "control,events",
	 "globs of suites to run, comma-separated"},
	{"kernel", OPTION_TEXT, FIELD(kernel), 0, 0, NULL, glob_syntax, "core",
	 "globs of kernels; core is the quick and portable ones"},
	{"event", OPTION_TEXT, FIELD(event), 0, 0, NULL, glob_syntax, "*", "globs of events"},
	{"n", OPTION_NUMBER, FIELD(n), 0, UINT32_MAX, NULL, NULL, "0",
	 "first value of N, others are its multiples; 0: 1000 on hardware, 5 on the virtual PMU"},
	{"reps", OPTION_NUMBER, FIELD(reps), 0, 1000000, NULL, NULL, "0",
	 "repetitions; 0: 100 on hardware, 3 on the virtual PMU"},
	{"seed", OPTION_NUMBER, FIELD(seed), 0, UINT64_MAX, NULL, NULL, "1",
	 "seed of everything that is drawn"},
	{"inject", OPTION_TEXT, FIELD(inject), 0, 0, NULL, NULL, "",
	 "deviations to switch on, joined by +; empty: none"},
	{"exit", OPTION_CHOICE, FIELD(exit), 0, 0, "shutdown|return|halt", NULL, "return",
	 "what to do at the end"},
	{"report", OPTION_TEXT, FIELD(report), 0, 0, NULL, path_syntax, "\\assay\\report",
	 "path of the reports without extension, none, or e9 for port E9H"},
	{"verbose", OPTION_CHOICE, FIELD(verbose), 0, 0, "0|1", NULL, "0", "1: a line for every check"},
	{"x2apic", OPTION_CHOICE, FIELD(x2apic), 0, 0, "0|1", NULL, "0",
	 "1: use x2APIC mode if the CPU has it"},
	{"serial", OPTION_NUMBER, FIELD(serial), 0, 0xffff, NULL, NULL, "0", "I/O port of a 16550, 0: probe"},
	{"hpet", OPTION_CHOICE, FIELD(hpet), 0, 0, "0|1", NULL, "1", "0: do as if there were no HPET"},
	{NULL, OPTION_TEXT, 0, 0, 0, 0, NULL, NULL, NULL, NULL},
};

/* --- reading tokens ---------------------------------------------------------------------------------- */

struct source {
	const char *at, *end;
	const char *where;
	bool is_file;
	unsigned line, token;
	const char *line_start;
	struct option_error *error;
};

struct token {
	const char *start;
	char key[32];
	char value[OPTION_TEXT_MAX];
	const char *value_at;
};

static bool fail(const struct source *s, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(const struct source *s, const char *at, const char *format, ...)
{
	char *out = s->error->text;
	size_t room = sizeof s->error->text;
	int n = s->is_file ? snprintf(out, room, "%.48s:%u:%u: ", s->where, s->line,
				      (unsigned)(at - s->line_start) + 1)
			   : snprintf(out, room, "%.48s, token %u: ", s->where, s->token);
	va_list args;

	va_start(args, format);
	vsnprintf(out + n, room - (size_t)n, format, args);
	va_end(args);
	return false;
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || is_line_end(c);
}

static void step_over_line_end(struct source *s)
{
	if (*s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n')
		s->at++;
	s->at++;
	s->line++;
	s->line_start = s->at;
}

static bool is_control(char c)
{
	unsigned char u = (unsigned char)c;

	return (u < 0x20 && u != '\t' && !is_line_end(c)) || u == 0x7f;
}

static bool not_text(const struct source *s)
{
	unsigned char u = (unsigned char)*s->at;

	return fail(s, s->at, "byte 0x%02x is not text: %s", u,
		    u < 0x80 ? "remove it, or replace the damaged text"
			     : "beyond ASCII only comments are free");
}

/* To the next token's first byte, or the end. */
static bool skip_blanks(struct source *s)
{
	bool comment = false;

	for (; s->at < s->end; s->at++) {
		if (is_line_end(*s->at)) {
			comment = false;
			step_over_line_end(s);
			s->at--;
		} else if (is_control(*s->at)) {
			return not_text(s);
		} else if (*s->at == '#') {
			comment = true;
		} else if (!comment && !is_blank(*s->at)) {
			return true;
		}
	}
	return true;
}

/* Copies up to a blank (or the closing quote) into out. On success s->at is behind it. */
static bool take(struct source *s, char *out, size_t room, bool key, bool quoted)
{
	const char *from = s->at;
	size_t n = 0;

	for (; s->at < s->end; s->at++) {
		char c = *s->at;

		if (quoted ? c == '"' || is_line_end(c) : is_blank(c) || (key && c == '='))
			break;
		if (is_control(c) || (unsigned char)c >= 0x80)
			return not_text(s);
		if (!quoted && c == '"')
			return fail(s, s->at,
				    "stray quote: quotes enclose a whole value, as in event=\"A B\"");
		if (n + 1 < room)
			out[n] = c;
		n++;
	}
	out[n < room ? n : room - 1] = 0;
	if (n >= room)
		return fail(s, from, "%s is %lu bytes long: at most %lu are allowed",
			    key ? "option name" : "value", (unsigned long)n, (unsigned long)room - 1);
	return true;
}

static bool take_token(struct source *s, struct token *t)
{
	bool quoted;

	s->token++;
	t->start = s->at;
	if (*s->at == '[')
		return fail(s, s->at, "sections ([...]) are not known here: only key=value options are");
	if (!take(s, t->key, sizeof t->key, true, false))
		return false;
	if (s->at == s->end || *s->at != '=')
		return fail(s, t->start,
			    "\"%s\" is no option: options are written key=value, without blanks around =",
			    t->key);
	s->at++;
	quoted = s->at < s->end && *s->at == '"';
	t->value_at = s->at;
	s->at += quoted;
	if (!take(s, t->value, sizeof t->value, false, quoted))
		return false;
	if (quoted) {
		if (s->at == s->end || *s->at != '"')
			return fail(s, t->value_at,
				    "the quote after %s= is not closed on this line: add a \"", t->key);
		s->at++;
		if (s->at < s->end && !is_blank(*s->at))
			return fail(s, s->at,
				    "text after the closing quote of %s=: separate options by a blank",
				    t->key);
	}
	return true;
}

/* --- names and values -------------------------------------------------------------------------------- */

static bool unknown_option(const struct source *s, const struct token *t)
{
	const struct option_row *best = option_rows;
	unsigned least = 99;
	char names[128];
	size_t n = 0;

	for (const struct option_row *r = option_rows; r->name; r++) {
		unsigned d = edit_distance(t->key, r->name);

		if (d < least) {
			least = d;
			best = r;
		}
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "", r->name);
	}
	if (is_near(least, t->key))
		return fail(s, t->start, "no option \"%s\": did you mean %s=? (%s)", t->key, best->name,
			    best->help);
	return fail(s, t->start, "no option \"%s\": there are %s", t->key, names);
}

static void store(struct options *o, const struct option_row *r, uint64_t v)
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

static uint64_t load(const struct options *o, const struct option_row *r)
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

static bool set(struct options *o, const struct option_row *r, const struct source *s, const struct token *t)
{
	const char *form;
	uint64_t v;
	int i;

	if (!*t->value && r->kind != OPTION_TEXT)
		return fail(s, t->start, "%s= has no value: give one, or leave it out for %s=%s", r->name,
			    r->name, r->initial);
	switch (r->kind) {
	case OPTION_TEXT:
		form = r->syntax ? r->syntax(t->value) : NULL;
		if (form)
			return fail(s, t->value_at, "%s=%.40s is malformed: it wants %s", r->name, t->value,
				    form);
		memcpy((char *)o + r->offset, t->value, strlen(t->value) + 1);
		return true;
	case OPTION_NUMBER:
		if (!parse_number(t->value, &v) || v < r->low || v > r->high)
			return fail(s, t->value_at,
				    "%s=%.40s: it wants a number from %" PRIu64 " to %" PRIu64, r->name,
				    t->value, r->low, r->high);
		store(o, r, v);
		return true;
	case OPTION_CHOICE:
		i = choice_index(r->choices, t->value);
		if (i < 0)
			return fail(s, t->value_at, "%s=%.40s: it wants one of %s", r->name, t->value,
				    r->choices);
		store(o, r, (uint64_t)i);
		return true;
	}
	return false;
}

static const struct option_row *row_by_name(const char *name)
{
	for (const struct option_row *r = option_rows; r->name; r++)
		if (!strcmp(r->name, name))
			return r;
	return NULL;
}

bool options_parse(struct options *o, const char *text, size_t size, const char *where,
		   struct option_error *error)
{
	struct source s = {.at = text, .end = text + size, .where = where, .line = 1, .error = error};
	struct token t;

	s.is_file = strcmp(where, "command line") != 0;
	error->text[0] = 0;
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.at += 3;
	s.line_start = s.at;
	if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return fail(&s, text, "this is UTF-16 text: save it as UTF-8 or plain ASCII");
	for (;;) {
		const struct option_row *r;

		if (!skip_blanks(&s))
			return false;
		if (s.at == s.end)
			return true;
		if (!take_token(&s, &t))
			return false;
		r = row_by_name(t.key);
		if (!r)
			return unknown_option(&s, &t);
		if (!set(o, r, &s, &t))
			return false;
	}
}

void options_default(struct options *o)
{
	struct option_error error;
	struct source s = {.where = "default", .error = &error};

	memset(o, 0, sizeof *o);
	for (const struct option_row *r = option_rows; r->name; r++) {
		struct token t = {.start = NULL};

		snprintf(t.value, sizeof t.value, "%s", r->initial);
		set(o, r, &s, &t);
	}
}

size_t options_format(const struct options *o, char *line, size_t size)
{
	size_t used = 0;

	line[0] = 0;
	for (const struct option_row *r = option_rows; r->name; r++) {
		char item[OPTION_TEXT_MAX + 40];
		const char *text = (const char *)o + r->offset;
		const char *c = r->choices;
		int n;

		switch (r->kind) {
		case OPTION_TEXT:
			n = snprintf(item, sizeof item, strpbrk(text, " \t") ? "%s=\"%s\"" : "%s=%s", r->name,
				     text);
			break;
		case OPTION_CHOICE:
			for (uint64_t i = load(o, r); i; i--)
				c = strchr(c, '|') + 1;
			n = snprintf(item, sizeof item, "%s=%.*s", r->name, (int)strcspn(c, "|"), c);
			break;
		default:
			n = snprintf(item, sizeof item, "%s=%" PRIu64, r->name, load(o, r));
		}
		if (used + (size_t)n + 2 > size)
			break;
		used += (size_t)snprintf(line + used, size - used, "%s%s", used ? " " : "", item);
	}
	return used;
}
