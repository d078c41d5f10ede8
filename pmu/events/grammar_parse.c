#include "pmu/events/grammar_internal.h"
#include "pmu/events/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX 96
#define LIST_MAX 100 /* unit masks in an error's text, with what stands before them */

struct parser {
	const struct pmu *pmu;
	const struct event_grammar *grammar;
	const char *text;
	struct event_error *error;
	struct event_request request;
	uint32_t given; /* bit per modifier of the table */
};

static bool fail(struct parser *p, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static bool fail(struct parser *p, const char *at, const char *format, ...)
{
	va_list args;

	if (!p->error)
		return false;
	p->error->column = (unsigned)(at - p->text);
	va_start(args, format);
	vsnprintf(p->error->text, sizeof p->error->text, format, args);
	va_end(args);
	return false;
}

static bool ends(char c)
{
	return !c || isspace((unsigned char)c);
}

/* '.' and ':' are the same, case is ignored. */
static char fold(char c)
{
	return c == ':' ? '.' : (char)tolower((unsigned char)c);
}

static bool match(const char *pattern, const char *end, const char *name)
{
	const char *star = NULL, *resume = NULL;

	while (*name) {
		if (pattern < end && *pattern == '*') {
			star = pattern++;
			resume = name;
		} else if (pattern < end && (*pattern == '?' || fold(*pattern) == fold(*name))) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++resume;
		} else {
			return false;
		}
	}
	while (pattern < end && *pattern == '*')
		pattern++;
	return pattern == end;
}

static bool is_word(const char *from, const char *end, const char *word)
{
	return word && strlen(word) == (size_t)(end - from) && !strncasecmp(from, word, (size_t)(end - from));
}

/* Those of which nothing is known but name and code can be asked for, too. */
static unsigned n_rows(const struct parser *p)
{
	return p->pmu->n_events + p->pmu->n_unexplained;
}

static const char *row_name(const struct parser *p, unsigned i)
{
	return p->pmu->events[i]->name;
}

/* --- numbers and fields ----------------------------------------------------------------------------- */

static bool hex_digits(const char **at, uint64_t *value, unsigned base)
{
	const char *from = *at;

	for (*value = 0; isxdigit((unsigned char)**at) && (base == 16 || isdigit((unsigned char)**at));
	     ++*at) {
		unsigned digit = isdigit((unsigned char)**at)
					 ? (unsigned)(**at - '0')
					 : (unsigned)(tolower((unsigned char)**at) - 'a') + 10;

		if (*value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return *at > from;
}

static bool number(const char **at, uint64_t *value)
{
	if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'x') {
		*at += 2;
		return hex_digits(at, value, 16);
	}
	return hex_digits(at, value, 10);
}

static void set_field(struct pmu_config *config, const struct event_modifier *m, uint64_t value)
{
	uint8_t *byte = (uint8_t *)config + m->offset;
	uint64_t mask = low_bits(m->width) << m->shift;

	for (unsigned i = 0; i < m->size; i++)
		byte[i] = (uint8_t)((byte[i] & ~(mask >> 8 * i)) | (value << m->shift & mask) >> 8 * i);
}

/* --- modifiers -------------------------------------------------------------------------------------- */

/* The highest value of the field that begins with row m. */
static uint64_t limit(const struct event_grammar *g, const struct event_modifier *m)
{
	unsigned width = m->width;

	for (const struct event_modifier *part = m + 1; continues(g, part); part++)
		width += part->width;
	return low_bits(width);
}

uint64_t event_field_limit(const struct pmu *pmu, const char *field)
{
	const struct event_grammar *g = pmu->driver->grammar;

	for (const struct event_modifier *m = g ? g->modifiers : NULL; m && m->help; m++)
		if (m->perf && !strcmp(m->perf, field))
			return limit(g, m);
	return 0;
}

static bool give(struct parser *p, const char *at, const struct event_modifier *m, uint64_t value)
{
	uint32_t bit = UINT32_C(1) << (m - p->grammar->modifiers);

	if (p->given & bit)
		return fail(p, at, "%s is given twice", m->name ? m->name : m->perf);
	p->given |= bit;
	do {
		set_field(&p->request.config, m, value & low_bits(m->width));
		value >>= m->width;
	} while (continues(p->grammar, ++m));
	return true;
}

static void list_modifiers(const struct parser *p, bool perf, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (const struct event_modifier *m = p->grammar->modifiers; m->help; m++) {
		const char *name = perf ? m->perf : m->name;

		if (name && n < size && !continues(p->grammar, m))
			n += (size_t)snprintf(out + n, size - n, "%s%s%s", n ? " " : "", name,
					      m->width > 1 ? "=" : "");
	}
}

/* "=value" or nothing, for modifier m whose name starts at `from`. */
static bool take_value(struct parser *p, const char *from, const char **at, const struct event_modifier *m)
{
	const char *name = m->name ? m->name : m->perf;
	uint64_t value = 1, most = limit(p->grammar, m);

	if (**at == '=') {
		const char *digits = ++*at;

		if (!number(at, &value) || value > most)
			return fail(p, digits, "%s takes a number from 0 to %" PRIu64 ": %s", name, most,
				    m->help);
	} else if (m->width > 1) {
		return fail(p, *at, "%s needs a value, %s=0 to %s=%" PRIu64 ": %s", name, name, name, most,
			    m->help);
	}
	return give(p, from, m, value);
}

static const struct event_modifier *find_modifier(const struct parser *p, const char *from, const char *end,
						  bool perf)
{
	for (const struct event_modifier *m = p->grammar->modifiers; m->help; m++)
		if (is_word(from, end, perf ? m->perf : m->name))
			return m;
	return NULL;
}

/* The unit masks that the event can be joined with, NULL if there are none. */
static const struct event_mask *masks_of(const struct parser *p)
{
	return p->request.event && p->grammar->masks ? p->grammar->masks(p->pmu, p->request.event) : NULL;
}

/* The row of the same event whose unit mask is called so. */
static const struct pmu_event *find_sibling(const struct parser *p, const char *from, const char *end)
{
	const struct pmu_event *e = p->request.event;

	for (unsigned i = 0; e && i < n_rows(p); i++)
		if (joins(p->grammar, e, p->pmu->events[i]) &&
		    is_word(from, end, row_name(p, i) + base_length(e->name) + 1))
			return p->pmu->events[i];
	return NULL;
}

static const struct event_mask *find_mask(const struct parser *p, const char *from, const char *end)
{
	for (const struct event_mask *m = masks_of(p); m && m->name; m++)
		if (is_word(from, end, m->name))
			return m;
	return NULL;
}

/* perf's way to say several switches at once: "uk". */
static bool take_letters(struct parser *p, const char *from, const char *end, bool *taken)
{
	*taken = true;
	for (const char *c = from; c < end; c++) {
		const struct event_modifier *m = find_modifier(p, c, c + 1, false);

		if (!m || m->width != 1) {
			*taken = false;
			return true;
		}
	}
	for (const char *c = from; c < end; c++)
		if (!give(p, c, find_modifier(p, c, c + 1, false), 1))
			return false;
	return true;
}

/* "@PMC1" */
static bool take_counter(struct parser *p, const char **at)
{
	const char *from = *at + 1, *end = from + strcspn(from, " \t\n");
	char names[80] = "";
	size_t n = 0;
	uint64_t index;
	const char *digits = from;

	/* As in ECX of RDPMC; bit 31 only chooses how it reads. */
	if (p->grammar->halves && isdigit((unsigned char)*from) && number(&digits, &index) && digits == end)
		for (unsigned c = 0; c < p->pmu->n_counters; c++)
			if (p->pmu->counter[c].selector == (index & 0x7fffffff)) {
				p->request.counter = (uint8_t)(c + 1);
				*at = end;
				return true;
			}
	for (unsigned c = 0; c < p->pmu->n_counters; c++) {
		if (is_word(from, end, p->pmu->counter[c].name)) {
			p->request.counter = (uint8_t)(c + 1);
			*at = end;
			return true;
		}
		if (n < sizeof names)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "",
					      p->pmu->counter[c].name);
	}
	return fail(p, from, "no counter%s%.*s: there are %s", from == end ? " behind @" : " ",
		    (int)(end - from > 40 ? 40 : end - from), from, names);
}

/* The unit masks of the event that a name begins with; with a row, those that it can be joined with. @return
 * how many */
static unsigned list_siblings(const struct parser *p, const char *name, const struct pmu_event *row,
			      char *out, size_t size)
{
	size_t length = base_length(name);
	unsigned count = 0;
	bool room = true;

	out[0] = 0;
	for (unsigned i = 0; name[length] && p->grammar->unit_mask && i < n_rows(p); i++) {
		if (base_length(row_name(p, i)) != length || strncasecmp(row_name(p, i), name, length))
			continue;
		if (row && (row == p->pmu->events[i] || !joins(p->grammar, row, p->pmu->events[i])))
			continue;
		if (room)
			room = text_list_add(out, size, row_name(p, i) + length + 1, !count);
		count++;
	}
	return count;
}

static bool no_such_attribute(struct parser *p, const char *from, const char *end)
{
	const struct event_mask *m = masks_of(p);
	const struct pmu_event *e = p->request.event;
	char modifiers[80], masks[sizeof p->error->text] = "";
	size_t n = 0;

	list_modifiers(p, false, modifiers, sizeof modifiers);
	if (!m && e && list_siblings(p, e->name, e, masks, LIST_MAX))
		return fail(p, from, "no modifier or unit mask %.*s: there are %s and%s", (int)(end - from),
			    from, modifiers, masks);
	if (!m)
		return fail(p, from, "no modifier %.*s: there are %s", (int)(end - from), from, modifiers);
	for (; m->name && n < sizeof masks; m++)
		n += (size_t)snprintf(masks + n, sizeof masks - n, " %s", m->name);
	return fail(p, from, "no modifier or unit mask %.*s: there are %s and%s", (int)(end - from), from,
		    modifiers, masks);
}

/* Everything behind the event: ":attribute" again and again, then the counter. */
static bool take_attributes(struct parser *p, const char *at)
{
	while (*at == ':' || *at == '.') {
		const char *from = ++at, *end = from + strcspn(from, ":.=@ \t\n");
		const struct event_mask *mask = find_mask(p, from, end);
		const struct event_modifier *m = find_modifier(p, from, end, false);
		const struct pmu_event *sibling;
		bool taken;

		at = end;
		if (mask) {
			p->request.config.code |= mask->code;
			continue;
		}
		if (m) {
			if (!take_value(p, from, &at, m))
				return false;
			continue;
		}
		sibling = find_sibling(p, from, end);
		if (sibling) {
			p->request.config.code |= sibling->code;
			continue;
		}
		if (from == end)
			return fail(p, from, "a modifier is missing here");
		if (!take_letters(p, from, end, &taken))
			return false;
		if (taken)
			continue;
		return no_such_attribute(p, from, end);
	}
	if (*at == '@' && !take_counter(p, &at))
		return false;
	if (!ends(*at))
		return fail(p, at, "unexpected '%c'", *at);
	while (isspace((unsigned char)*at))
		at++;
	return !*at || fail(p, at, "text behind the event: one string holds one event");
}

static bool finish(struct parser *p)
{
	if (!p->request.config.levels)
		p->request.config.levels = LEVELS_ALL;
	return true;
}

/* --- raw forms -------------------------------------------------------------------------------------- */

static bool is_raw(const char *text)
{
	size_t n = strspn(text + 1, "0123456789abcdefABCDEF");

	return tolower((unsigned char)*text) == 'r' && n &&
	       (text[n + 1] == ':' || text[n + 1] == '@' || ends(text[n + 1]));
}

/* A selector's value, of which `text` is the first digit, and what stands behind it at `at`. */
static bool take_raw(struct parser *p, const char *text, const char *at, uint64_t value)
{
	uint64_t known = p->grammar->raw_ignored;
	uint8_t level;

	for (const struct event_modifier *m = p->grammar->modifiers; m->help; m++) {
		if (m->raw < 0)
			continue;
		known |= low_bits(m->width) << m->raw;
		set_field(&p->request.config, m, value >> m->raw & low_bits(m->width));
	}
	if (value & ~known)
		return fail(p, text, "bits %#" PRIx64 " have no meaning in a selector of %s", value & ~known,
			    p->pmu->name);
	/* Rings said behind the selector replace those in it, which came along when it was read from a
	 * register. */
	level = p->request.config.levels;
	p->request.config.levels = 0;
	if (!take_attributes(p, at))
		return false;
	if (!p->request.config.levels)
		p->request.config.levels = level;
	if (p->grammar->take_raw) {
		char why[sizeof p->error->text];

		if (!p->grammar->take_raw(p->pmu, value, &p->request.config, why, sizeof why))
			return fail(p, text, "%s", why);
	}
	return finish(p);
}

static bool parse_raw(struct parser *p, const char *text)
{
	const char *at = text + 1;
	uint64_t value;

	if (!hex_digits(&at, &value, 16))
		return fail(p, text + 1, "the selector exceeds 64 bits");
	return take_raw(p, text + 1, at, value);
}

static bool is_halves(const struct parser *p, const char *text)
{
	return p->grammar->halves && text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
}

/* "0x3b000/0x1200020c": the lower half of a selector, then the upper. */
static bool parse_halves(struct parser *p, const char *text)
{
	const char *at = text + 2, *second;
	uint64_t low, high;

	if (!hex_digits(&at, &low, 16) || low >> 32)
		return fail(p, text, "%s: 32 bits in hexadecimal are expected here", p->grammar->halves);
	if (*at != '/')
		return fail(p, at, "'/' and the other register are missing: %s", p->grammar->halves);
	second = ++at;
	if (!number(&at, &high) || high >> 32)
		return fail(p, second, "%s: 32 bits in hexadecimal are expected here", p->grammar->halves);
	return take_raw(p, text, at, high << 32 | low);
}

static bool parse_fields(struct parser *p, const char *text)
{
	const char *at = strchr(text, '/') + 1;

	for (;; at++) {
		const char *from = at, *end = from + strcspn(from, ",/= \t\n");
		const struct event_modifier *m = find_modifier(p, from, end, true);
		char names[80];

		list_modifiers(p, true, names, sizeof names);
		if (from == end)
			return fail(p, from, "a field is missing here: there are %s", names);
		if (!m)
			return fail(p, from, "no field %.*s: there are %s", (int)(end - from), from, names);
		at = end;
		if (!take_value(p, from, &at, m))
			return false;
		if (*at == '/')
			break;
		if (*at != ',')
			return fail(p, at,
				    *at ? "unexpected '%c': fields are separated by ',' and end with '/'"
					: "the closing '/' is missing",
				    *at);
	}
	at++;
	if (isalpha((unsigned char)*at)) {
		const char *end = at + strcspn(at, ":@ \t\n");
		bool taken;

		if (!take_letters(p, at, end, &taken))
			return false;
		if (!taken)
			return fail(p, at,
				    "no such modifiers as %.*s: after the '/' stand letters such as u and k",
				    (int)(end - at), at);
		at = end;
	}
	return take_attributes(p, at) && finish(p);
}

/* --- named events ----------------------------------------------------------------------------------- */

static bool is_whole_name(const char *from, const char *end, const char *name)
{
	return (size_t)(end - from) == strlen(name) && !memchr(from, '*', (size_t)(end - from)) &&
	       !memchr(from, '?', (size_t)(end - from)) && match(from, end, name);
}

static const char *resolve_in(const struct parser *p, const struct event_alias *a, const char *from,
			      const char *end)
{
	for (; a && a->alias; a++)
		if (is_whole_name(from, end, a->alias) && event_by_name(p->pmu->events, n_rows(p), a->name))
			return a->name;
	return NULL;
}

/* The name that an alias stands for, if [from, end) is one of a row that this PMU has, and no row's own name.
 */
static const char *resolve(const struct parser *p, const char *from, const char *end)
{
	const struct event_alias *const *more = p->grammar->more_aliases;
	const char *name;

	for (unsigned i = 0; i < n_rows(p); i++)
		if (is_whole_name(from, end, row_name(p, i)))
			return NULL;
	name = resolve_in(p, p->grammar->aliases, from, end);
	for (; !name && more && *more; more++)
		name = resolve_in(p, *more, from, end);
	return name;
}

static bool selects(const struct parser *p, const char *from, const char *end, const char *alias, unsigned i)
{
	return match(from, end, row_name(p, i)) || (alias && !strcasecmp(alias, row_name(p, i)));
}

/* The longest start of the string, ending at a separator or at its end, that names a row. NULL if none does.
 */
static const char *end_of_name(const struct parser *p, const char *from)
{
	const char *end = from + strcspn(from, "=@ \t\n");

	for (;; end--) {
		const char *alias = resolve(p, from, end);

		for (unsigned i = 0; i < n_rows(p); i++)
			if (selects(p, from, end, alias, i))
				return end;
		do
			end--;
		while (end > from && *end != ':' && *end != '.');
		if (end <= from)
			return NULL;
		end++;
	}
}

/* Whether what is unknown is a unit mask, of an event that there is. Then the error says so. */
static bool unknown_mask(struct parser *p, const char *from)
{
	size_t length = base_length(from), n;
	const char *mask = from + length + 1, *best = NULL;
	char masks[LIST_MAX], written[NAME_MAX], event[NAME_MAX];
	unsigned least = 99;

	snprintf(event, sizeof event, "%.*s.", (int)length, from);
	if (!from[length] || !(n = strcspn(mask, ":=@ \t\n")) || find_modifier(p, mask, mask + n, false) ||
	    !list_siblings(p, event, NULL, masks, sizeof masks))
		return false;
	event[length < sizeof event ? length : 0] = 0;
	snprintf(written, sizeof written, "%.*s", (int)n, mask);
	if (strpbrk(written, "*?"))
		return false;
	for (unsigned i = 0; i < n_rows(p); i++) {
		const char *row = row_name(p, i);
		unsigned distance;

		if (base_length(row) != length || strncasecmp(row, from, length))
			continue;
		distance = edit_distance(written, row + length + 1);
		if (distance < least) {
			least = distance;
			best = row + length + 1;
		}
	}
	if (best && is_near(least, written))
		fail(p, mask, "no unit mask %s of %s: did you mean %s?", written, event, best);
	else
		fail(p, mask, "no unit mask %s of %s: there are%s", written, event, masks);
	return true;
}

static bool unknown_event(struct parser *p, const char *from)
{
	size_t n = strcspn(from, ":@ \t\n");
	const char *best = NULL;
	unsigned least = 99;
	char name[NAME_MAX];

	if (!p->error)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)n, from);
	if (!n)
		return fail(p, from, "no event before '%c'", *from);
	if (unknown_mask(p, from))
		return false;
	for (unsigned i = 0; i < n_rows(p); i++) {
		/* Compared to as much of the row's name as was written, too: the unit mask may be what is
		 * missing. */
		char head[NAME_MAX];
		unsigned whole = edit_distance(name, row_name(p, i)), part;

		snprintf(head, sizeof head, "%.*s", (int)n, row_name(p, i));
		part = edit_distance(name, head) + 1;
		if ((whole < part ? whole : part) < least) {
			least = whole < part ? whole : part;
			best = row_name(p, i);
		}
	}
	if (strpbrk(name, "*?"))
		return fail(p, from, "no event of %s matches %s", p->pmu->name, name);
	if (best && is_near(least, name))
		return fail(p, from, "no event %s: did you mean %s?", name, best);
	return fail(p, from, "no event %s in %s; '*' stands for all that there are", name, p->pmu->name);
}

static unsigned parse_named(struct parser *p, const char *from, struct event_request *out, unsigned max)
{
	const char *end, *alias;
	unsigned count = 0;

	if (!n_rows(p))
		return fail(p, from, "%s has no event table", p->pmu->name);
	end = end_of_name(p, from);
	if (!end)
		return unknown_event(p, from);
	alias = resolve(p, from, end);
	for (unsigned i = 0; i < n_rows(p); i++) {
		if (!selects(p, from, end, alias, i))
			continue;
		p->given = 0;
		p->request =
			(struct event_request){.event = p->pmu->events[i],
					       .config.code = p->pmu->events[i]->code,
					       .config.extra_register = p->pmu->events[i]->extra_register,
					       .config.extra_value = p->pmu->events[i]->extra_value};
		if (!take_attributes(p, end) || !finish(p))
			return 0;
		if (count < max)
			out[count] = p->request;
		count++;
	}
	return count;
}

static bool is_peer_name(const struct parser *p, const char *from, const char *end)
{
	char name[32];
	size_t n = (size_t)(end - from);

	if (!p->grammar->is_peer_name || n >= sizeof name)
		return false;
	for (size_t i = 0; i < n; i++)
		name[i] = (char)tolower((unsigned char)from[i]);
	name[n] = 0;
	return p->grammar->is_peer_name(p->pmu, name);
}

static bool is_name_of(const struct parser *p, const char *from, const char *end)
{
	if (is_word(from, end, p->pmu->driver->name) ||
	    (p->pmu->model[0] && is_word(from, end, p->pmu->model)))
		return true;
	for (const char *const *name = p->grammar->names; name && *name; name++)
		if (is_word(from, end, *name))
			return true;
	return is_peer_name(p, from, end);
}

unsigned event_parse(const struct pmu *pmu, const char *text, struct event_request *out, unsigned max,
		     struct event_error *error)
{
	struct parser p = {.pmu = pmu, .grammar = pmu->driver->grammar, .text = text, .error = error};
	const char *from = text, *colons, *slash;
	bool good;

	if (error)
		error->text[0] = 0;
	if (!p.grammar)
		return fail(&p, text, "%s takes no event strings", pmu->name);
	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return fail(&p, from, "no event is given");
	colons = strstr(from, "::");
	if (colons) {
		if (!is_name_of(&p, from, colons))
			return fail(&p, from, "no PMU %.*s here: before '::' stands %s%s%s, or nothing",
				    (int)(colons - from > 40 ? 40 : colons - from), from, pmu->driver->name,
				    pmu->model[0] ? " or " : "", pmu->model);
		from = colons + 2;
		if (ends(*from))
			return fail(&p, from, "no event behind '::'");
	}
	slash = strchr(from, '/');
	if (!slash && !is_raw(from) && !is_halves(&p, from))
		return parse_named(&p, from, out, max);
	if (slash && !is_halves(&p, from) && !is_word(from, slash, "cpu") && !is_name_of(&p, from, slash))
		return fail(&p, from, "no PMU %.*s here: before '/' stands cpu",
			    (int)(slash - from > 40 ? 40 : slash - from), from);
	good = is_halves(&p, from) ? parse_halves(&p, from)
	       : slash             ? parse_fields(&p, from)
				   : parse_raw(&p, from);
	if (good && max)
		out[0] = p.request;
	return good;
}
