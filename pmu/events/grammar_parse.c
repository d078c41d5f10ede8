#include "pmu/events/grammar_parser.h"
#include "pmu/events/text.h"

#include <stdio.h>

#define NAME_MAX 96

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

static bool is_whole_name(const char *from, const char *end, const char *name)
{
	return (size_t)(end - from) == strlen(name) && !memchr(from, '*', (size_t)(end - from)) &&
	       !memchr(from, '?', (size_t)(end - from)) && match(from, end, name);
}

static const char *resolve_in(const struct parser *p, const struct event_alias *a, const char *from,
			      const char *end)
{
	for (; a && a->alias; a++)
		if (is_whole_name(from, end, a->alias) &&
		    event_by_name(p->pmu->events, parser_n_rows(p), a->name))
			return a->name;
	return NULL;
}

/* The name that an alias stands for, if [from, end) is one of a row that this PMU has, and no row's own name.
 */
static const char *resolve(const struct parser *p, const char *from, const char *end)
{
	const struct event_alias *const *more = p->grammar->more_aliases;
	const char *name;

	for (unsigned i = 0; i < parser_n_rows(p); i++)
		if (is_whole_name(from, end, parser_row_name(p, i)))
			return NULL;
	name = resolve_in(p, p->grammar->aliases, from, end);
	for (; !name && more && *more; more++)
		name = resolve_in(p, *more, from, end);
	return name;
}

static bool selects(const struct parser *p, const char *from, const char *end, const char *alias, unsigned i)
{
	return match(from, end, parser_row_name(p, i)) ||
	       (alias && !strcasecmp(alias, parser_row_name(p, i)));
}

/* The longest start of the string, ending at a separator or at its end, that names a row. NULL if none does.
 */
static const char *end_of_name(const struct parser *p, const char *from)
{
	const char *end = from + strcspn(from, "=@ \t\n");

	for (;; end--) {
		const char *alias = resolve(p, from, end);

		for (unsigned i = 0; i < parser_n_rows(p); i++)
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
	if (!from[length] || !(n = strcspn(mask, ":=@ \t\n")) ||
	    parser_find_modifier(p, mask, mask + n, false) ||
	    !parser_list_siblings(p, event, NULL, masks, sizeof masks))
		return false;
	event[length < sizeof event ? length : 0] = 0;
	snprintf(written, sizeof written, "%.*s", (int)n, mask);
	if (strpbrk(written, "*?"))
		return false;
	for (unsigned i = 0; i < parser_n_rows(p); i++) {
		const char *row = parser_row_name(p, i);
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
		parser_fail(p, mask, "no unit mask %s of %s: did you mean %s?", written, event, best);
	else
		parser_fail(p, mask, "no unit mask %s of %s: there are%s", written, event, masks);
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
		return parser_fail(p, from, "no event before '%c'", *from);
	if (unknown_mask(p, from))
		return false;
	for (unsigned i = 0; i < parser_n_rows(p); i++) {
		/* Compared to as much of the row's name as was written, too: the unit mask may be what is
		 * missing. */
		char head[NAME_MAX];
		unsigned whole = edit_distance(name, parser_row_name(p, i)), part;

		snprintf(head, sizeof head, "%.*s", (int)n, parser_row_name(p, i));
		part = edit_distance(name, head) + 1;
		if ((whole < part ? whole : part) < least) {
			least = whole < part ? whole : part;
			best = parser_row_name(p, i);
		}
	}
	if (strpbrk(name, "*?"))
		return parser_fail(p, from, "no event of %s matches %s", p->pmu->name, name);
	if (best && is_near(least, name))
		return parser_fail(p, from, "no event %s: did you mean %s?", name, best);
	return parser_fail(p, from, "no event %s in %s; '*' stands for all that there are", name,
			   p->pmu->name);
}

static unsigned parse_named(struct parser *p, const char *from, struct event_request *out, unsigned max)
{
	const char *end, *alias;
	unsigned count = 0;

	if (!parser_n_rows(p))
		return parser_fail(p, from, "%s has no event table", p->pmu->name);
	end = end_of_name(p, from);
	if (!end)
		return unknown_event(p, from);
	alias = resolve(p, from, end);
	for (unsigned i = 0; i < parser_n_rows(p); i++) {
		if (!selects(p, from, end, alias, i))
			continue;
		p->given = 0;
		p->request =
			(struct event_request){.event = p->pmu->events[i],
					       .config.code = p->pmu->events[i]->code,
					       .config.extra_register = p->pmu->events[i]->extra_register,
					       .config.extra_value = p->pmu->events[i]->extra_value};
		if (!parser_take_attributes(p, end) || !parser_finish(p))
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
	if (parser_is_word(from, end, p->pmu->driver->name) ||
	    (p->pmu->model[0] && parser_is_word(from, end, p->pmu->model)))
		return true;
	for (const char *const *name = p->grammar->names; name && *name; name++)
		if (parser_is_word(from, end, *name))
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
		return parser_fail(&p, text, "%s takes no event strings", pmu->name);
	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return parser_fail(&p, from, "no event is given");
	colons = strstr(from, "::");
	if (colons) {
		if (!is_name_of(&p, from, colons))
			return parser_fail(&p, from,
					   "no PMU %.*s here: before '::' stands %s%s%s, or nothing",
					   (int)(colons - from > 40 ? 40 : colons - from), from,
					   pmu->driver->name, pmu->model[0] ? " or " : "", pmu->model);
		from = colons + 2;
		if (parser_ends(*from))
			return parser_fail(&p, from, "no event behind '::'");
	}
	slash = strchr(from, '/');
	if (!slash && !parser_is_raw(from) && !parser_is_halves(&p, from))
		return parse_named(&p, from, out, max);
	if (slash && !parser_is_halves(&p, from) && !parser_is_word(from, slash, "cpu") &&
	    !is_name_of(&p, from, slash))
		return parser_fail(&p, from, "no PMU %.*s here: before '/' stands cpu",
				   (int)(slash - from > 40 ? 40 : slash - from), from);
	good = parser_is_halves(&p, from) ? parser_halves(&p, from)
	       : slash                    ? parser_fields(&p, from)
					  : parser_raw(&p, from);
	if (good && max)
		out[0] = p.request;
	return good;
}
