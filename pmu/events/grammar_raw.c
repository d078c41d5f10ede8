#include "pmu/events/grammar_parser.h"

#include <inttypes.h>

bool parser_is_raw(const char *text)
{
	size_t n = strspn(text + 1, "0123456789abcdefABCDEF");

	return tolower((unsigned char)*text) == 'r' && n &&
	       (text[n + 1] == ':' || text[n + 1] == '@' || parser_ends(text[n + 1]));
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
		parser_set_field(&p->request.config, m, value >> m->raw & low_bits(m->width));
	}
	if (value & ~known)
		return parser_fail(p, text, "bits %#" PRIx64 " have no meaning in a selector of %s",
				   value & ~known, p->pmu->name);
	/* Rings said behind the selector replace those in it, which came along when it was read from a
	 * register. */
	level = p->request.config.levels;
	p->request.config.levels = 0;
	if (!parser_take_attributes(p, at))
		return false;
	if (!p->request.config.levels)
		p->request.config.levels = level;
	if (p->grammar->take_raw) {
		char why[sizeof p->error->text];

		if (!p->grammar->take_raw(p->pmu, value, &p->request.config, why, sizeof why))
			return parser_fail(p, text, "%s", why);
	}
	return parser_finish(p);
}

bool parser_raw(struct parser *p, const char *text)
{
	const char *at = text + 1;
	uint64_t value;

	if (!parser_hex(&at, &value, 16))
		return parser_fail(p, text + 1, "the selector exceeds 64 bits");
	return take_raw(p, text + 1, at, value);
}

bool parser_is_halves(const struct parser *p, const char *text)
{
	return p->grammar->halves && text[0] == '0' && tolower((unsigned char)text[1]) == 'x';
}

/* "0x3b000/0x1200020c": the lower half of a selector, then the upper. */
bool parser_halves(struct parser *p, const char *text)
{
	const char *at = text + 2, *second;
	uint64_t low, high;

	if (!parser_hex(&at, &low, 16) || low >> 32)
		return parser_fail(p, text, "%s: 32 bits in hexadecimal are expected here",
				   p->grammar->halves);
	if (*at != '/')
		return parser_fail(p, at, "'/' and the other register are missing: %s", p->grammar->halves);
	second = ++at;
	if (!parser_number(&at, &high) || high >> 32)
		return parser_fail(p, second, "%s: 32 bits in hexadecimal are expected here",
				   p->grammar->halves);
	return take_raw(p, text, at, high << 32 | low);
}

bool parser_fields(struct parser *p, const char *text)
{
	const char *at = strchr(text, '/') + 1;

	for (;; at++) {
		const char *from = at, *end = from + strcspn(from, ",/= \t\n");
		const struct event_modifier *m = parser_find_modifier(p, from, end, true);
		char names[80];

		parser_list_modifiers(p, true, names, sizeof names);
		if (from == end)
			return parser_fail(p, from, "a field is missing here: there are %s", names);
		if (!m)
			return parser_fail(p, from, "no field %.*s: there are %s", (int)(end - from), from,
					   names);
		at = end;
		if (!parser_take_value(p, from, &at, m))
			return false;
		if (*at == '/')
			break;
		if (*at != ',')
			return parser_fail(
				p, at,
				*at ? "unexpected '%c': fields are separated by ',' and end with '/'"
				    : "the closing '/' is missing",
				*at);
	}
	at++;
	if (isalpha((unsigned char)*at)) {
		const char *end = at + strcspn(at, ":@ \t\n");
		bool taken;

		if (!parser_take_letters(p, at, end, &taken))
			return false;
		if (!taken)
			return parser_fail(
				p, at,
				"no such modifiers as %.*s: after the '/' stand letters such as u and k",
				(int)(end - at), at);
		at = end;
	}
	return parser_take_attributes(p, at) && parser_finish(p);
}
