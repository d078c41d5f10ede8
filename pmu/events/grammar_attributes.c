#include "pmu/events/grammar_parser.h"
#include "pmu/events/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

bool parser_fail(struct parser *p, const char *at, const char *format, ...)
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

bool parser_hex(const char **at, uint64_t *value, unsigned base)
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

bool parser_number(const char **at, uint64_t *value)
{
	if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'x') {
		*at += 2;
		return parser_hex(at, value, 16);
	}
	return parser_hex(at, value, 10);
}

void parser_set_field(struct pmu_config *config, const struct event_modifier *m, uint64_t value)
{
	uint8_t *byte = (uint8_t *)config + m->offset;
	uint64_t mask = low_bits(m->width) << m->shift;

	for (unsigned i = 0; i < m->size; i++)
		byte[i] = (uint8_t)((byte[i] & ~(mask >> 8 * i)) | (value << m->shift & mask) >> 8 * i);
}

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
		return parser_fail(p, at, "%s is given twice", m->name ? m->name : m->perf);
	p->given |= bit;
	do {
		parser_set_field(&p->request.config, m, value & low_bits(m->width));
		value >>= m->width;
	} while (continues(p->grammar, ++m));
	return true;
}

void parser_list_modifiers(const struct parser *p, bool perf, char *out, size_t size)
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

bool parser_take_value(struct parser *p, const char *from, const char **at, const struct event_modifier *m)
{
	const char *name = m->name ? m->name : m->perf;
	uint64_t value = 1, most = limit(p->grammar, m);

	if (**at == '=') {
		const char *digits = ++*at;

		if (!parser_number(at, &value) || value > most)
			return parser_fail(p, digits, "%s takes a number from 0 to %" PRIu64 ": %s", name,
					   most, m->help);
	} else if (m->width > 1) {
		return parser_fail(p, *at, "%s needs a value, %s=0 to %s=%" PRIu64 ": %s", name, name, name,
				   most, m->help);
	}
	return give(p, from, m, value);
}

const struct event_modifier *parser_find_modifier(const struct parser *p, const char *from, const char *end,
						  bool perf)
{
	for (const struct event_modifier *m = p->grammar->modifiers; m->help; m++)
		if (parser_is_word(from, end, perf ? m->perf : m->name))
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

	for (unsigned i = 0; e && i < parser_n_rows(p); i++)
		if (joins(p->grammar, e, p->pmu->events[i]) &&
		    parser_is_word(from, end, parser_row_name(p, i) + base_length(e->name) + 1))
			return p->pmu->events[i];
	return NULL;
}

static const struct event_mask *find_mask(const struct parser *p, const char *from, const char *end)
{
	for (const struct event_mask *m = masks_of(p); m && m->name; m++)
		if (parser_is_word(from, end, m->name))
			return m;
	return NULL;
}

bool parser_take_letters(struct parser *p, const char *from, const char *end, bool *taken)
{
	*taken = true;
	for (const char *c = from; c < end; c++) {
		const struct event_modifier *m = parser_find_modifier(p, c, c + 1, false);

		if (!m || m->width != 1) {
			*taken = false;
			return true;
		}
	}
	for (const char *c = from; c < end; c++)
		if (!give(p, c, parser_find_modifier(p, c, c + 1, false), 1))
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
	if (p->grammar->halves && isdigit((unsigned char)*from) && parser_number(&digits, &index) &&
	    digits == end)
		for (unsigned c = 0; c < p->pmu->n_counters; c++)
			if (p->pmu->counter[c].selector == (index & 0x7fffffff)) {
				p->request.counter = (uint8_t)(c + 1);
				*at = end;
				return true;
			}
	for (unsigned c = 0; c < p->pmu->n_counters; c++) {
		if (parser_is_word(from, end, p->pmu->counter[c].name)) {
			p->request.counter = (uint8_t)(c + 1);
			*at = end;
			return true;
		}
		if (n < sizeof names)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "",
					      p->pmu->counter[c].name);
	}
	return parser_fail(p, from, "no counter%s%.*s: there are %s", from == end ? " behind @" : " ",
			   (int)(end - from > 40 ? 40 : end - from), from, names);
}

unsigned parser_list_siblings(const struct parser *p, const char *name, const struct pmu_event *row,
			      char *out, size_t size)
{
	size_t length = base_length(name);
	unsigned count = 0;
	bool room = true;

	out[0] = 0;
	for (unsigned i = 0; name[length] && p->grammar->unit_mask && i < parser_n_rows(p); i++) {
		if (base_length(parser_row_name(p, i)) != length ||
		    strncasecmp(parser_row_name(p, i), name, length))
			continue;
		if (row && (row == p->pmu->events[i] || !joins(p->grammar, row, p->pmu->events[i])))
			continue;
		if (room)
			room = text_list_add(out, size, parser_row_name(p, i) + length + 1, !count);
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

	parser_list_modifiers(p, false, modifiers, sizeof modifiers);
	if (!m && e && parser_list_siblings(p, e->name, e, masks, LIST_MAX))
		return parser_fail(p, from, "no modifier or unit mask %.*s: there are %s and%s",
				   (int)(end - from), from, modifiers, masks);
	if (!m)
		return parser_fail(p, from, "no modifier %.*s: there are %s", (int)(end - from), from,
				   modifiers);
	for (; m->name && n < sizeof masks; m++)
		n += (size_t)snprintf(masks + n, sizeof masks - n, " %s", m->name);
	return parser_fail(p, from, "no modifier or unit mask %.*s: there are %s and%s", (int)(end - from),
			   from, modifiers, masks);
}

bool parser_take_attributes(struct parser *p, const char *at)
{
	while (*at == ':' || *at == '.') {
		const char *from = ++at, *end = from + strcspn(from, ":.=@ \t\n");
		const struct event_mask *mask = find_mask(p, from, end);
		const struct event_modifier *m = parser_find_modifier(p, from, end, false);
		const struct pmu_event *sibling;
		bool taken;

		at = end;
		if (mask) {
			p->request.config.code |= mask->code;
			continue;
		}
		if (m) {
			if (!parser_take_value(p, from, &at, m))
				return false;
			continue;
		}
		sibling = find_sibling(p, from, end);
		if (sibling) {
			p->request.config.code |= sibling->code;
			continue;
		}
		if (from == end)
			return parser_fail(p, from, "a modifier is missing here");
		if (!parser_take_letters(p, from, end, &taken))
			return false;
		if (taken)
			continue;
		return no_such_attribute(p, from, end);
	}
	if (*at == '@' && !take_counter(p, &at))
		return false;
	if (!parser_ends(*at))
		return parser_fail(p, at, "unexpected '%c'", *at);
	while (isspace((unsigned char)*at))
		at++;
	return !*at || parser_fail(p, at, "text behind the event: one string holds one event");
}
