#include "pmu/events/vendor_json.h"

#define JSMN_STATIC
#define JSMN_STRICT
#define JSMN_PARENT_LINKS
#include <jsmn.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define OBJECT_MAX  65536u /* bytes of one event, and of what stands before the list */
#define SELECT_MAX  0xfff
#define GENERAL_MAX 32
#define FIXED_MAX   16

static const char byte_order_mark[] = "\xef\xbb\xbf";

/* A part of the text. */
struct piece {
	const char *from;
	size_t length;
};

static bool equals(struct piece p, const char *word)
{
	return strlen(word) == p.length && !strncasecmp(p.from, word, p.length);
}

static bool contains(struct piece p, const char *word)
{
	size_t n = strlen(word);

	for (; p.length >= n; p.from++, p.length--)
		if (!strncasecmp(p.from, word, n))
			return true;
	return false;
}

/* What people will see of it: no control characters, cut to size. */
static void copy(char *out, size_t size, struct piece p)
{
	size_t n = p.length < size - 1 ? p.length : size - 1;

	for (size_t i = 0; i < n; i++)
		out[i] = p.from[i] >= ' ' && p.from[i] <= '~' ? p.from[i] : '?';
	out[n] = 0;
}

static bool bad(struct vendor_reader *r, const char *format, struct piece p, const char *what)
{
	char shown[24];
	size_t n;

	copy(shown, sizeof shown, p);
	n = (size_t)snprintf(r->why, sizeof r->why, "byte %lu: ", (unsigned long)r->at);
	snprintf(r->why + n, sizeof r->why - n, format, shown, what);
	return false;
}

static enum vendor_answer lost(struct vendor_reader *r, const char *why)
{
	snprintf(r->why, sizeof r->why, "byte %lu: %s", (unsigned long)r->at, why);
	return (enum vendor_answer)(r->over = VENDOR_LOST);
}

/* --- values ----------------------------------------------------------------------------------------- */

static void skip_blanks(struct piece *p)
{
	while (p->length && isspace((unsigned char)*p->from)) {
		p->from++;
		p->length--;
	}
}

/* A number, 0x1f or 31, which is taken away from p. */
static bool number(struct piece *p, uint64_t *value)
{
	unsigned base = 10, digits = 0;

	skip_blanks(p);
	if (p->length > 1 && p->from[0] == '0' && tolower((unsigned char)p->from[1]) == 'x') {
		base = 16;
		p->from += 2;
		p->length -= 2;
	}
	for (*value = 0; p->length && isxdigit((unsigned char)*p->from); p->from++, p->length--, digits++) {
		unsigned digit = isdigit((unsigned char)*p->from)
					 ? (unsigned)(*p->from - '0')
					 : (unsigned)(tolower((unsigned char)*p->from) - 'a') + 10;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	skip_blanks(p);
	return digits;
}

/* The first of numbers between commas, the others of which must be sound too. */
static bool first_number(struct piece p, uint64_t most, uint64_t *first)
{
	uint64_t value;

	if (!number(&p, first) || *first > most)
		return false;
	while (p.length && *p.from == ',') {
		p.from++;
		p.length--;
		if (!number(&p, &value) || value > most)
			return false;
	}
	return !p.length;
}

/* "0,1,2,3", "Fixed counter 1", "33" */
static bool counters(struct piece p, struct vendor_event *e)
{
	static const char fixed[] = "fixed counter";
	uint64_t index;

	e->counters = 0;
	for (;;) {
		bool is_fixed;

		skip_blanks(&p);
		is_fixed = p.length >= sizeof fixed - 1 && !strncasecmp(p.from, fixed, sizeof fixed - 1);
		if (is_fixed) {
			p.from += sizeof fixed - 1;
			p.length -= sizeof fixed - 1;
		}
		if (!number(&p, &index))
			return false;
		/* Some files number the fixed counters on from 32, as bits of the global registers are. */
		if (!is_fixed && index >= GENERAL_MAX) {
			is_fixed = true;
			index -= GENERAL_MAX;
		}
		if (is_fixed && index >= FIXED_MAX)
			return false;
		if (is_fixed)
			e->fixed = (int8_t)index;
		else
			e->counters |= UINT32_C(1) << index;
		if (!p.length)
			return true;
		if (*p.from != ',')
			return false;
		p.from++;
		p.length--;
	}
}

/* Names are shown, matched by globs and parsed by the event grammar. */
static bool is_name(struct piece p)
{
	if (!p.length || p.length >= VENDOR_NAME)
		return false;
	for (size_t i = 0; i < p.length; i++)
		if (!isalnum((unsigned char)p.from[i]) && !memchr("_.:-=", p.from[i], 5))
			return false;
	return true;
}

/* --- one event -------------------------------------------------------------------------------------- */

enum kind { NUMBER, FLAG, PRESENT, TEXT, NAME, COUNTERS };

#define IN(f) offsetof(struct vendor_event, f), sizeof(((struct vendor_event *)0)->f)

static const struct field {
	const char *key;
	uint8_t kind; /* enum kind */
	uint16_t offset, size;
	uint64_t most;
} fields[] = {
	{"EventName", NAME, IN(name), 0},
	{"EventCode", NUMBER, IN(select), SELECT_MAX},
	{"UMask", NUMBER, IN(umask), UINT8_MAX},
	{"UMaskExt", NUMBER, IN(umask2), UINT8_MAX},
	{"CounterMask", NUMBER, IN(cmask), UINT8_MAX},
	{"PEBS", NUMBER, IN(precise), 2},
	{"Precise", NUMBER, IN(precise), 2},
	{"Invert", FLAG, IN(invert), 1},
	{"EdgeDetect", FLAG, IN(edge), 1},
	{"AnyThread", FLAG, IN(any_thread), 1},
	{"Equal", FLAG, IN(equal), 1},
	{"Deprecated", FLAG, IN(deprecated), 1},
	{"SampleAfterValue", PRESENT, IN(has_period), 0},
	{"Counter", COUNTERS, 0, 0, 0},
	{"MSRIndex", NUMBER, IN(extra_register), UINT32_MAX},
	{"MSRValue", NUMBER, IN(extra_value), UINT64_MAX},
	{"Errata", TEXT, IN(errata), 0},
	{"Unit", TEXT, IN(unit), 0},
};

static void store(void *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)at)[i] = (uint8_t)(value >> 8 * i);
}

static bool take(struct vendor_reader *r, const struct field *f, struct piece value, struct vendor_event *e)
{
	char *to = (char *)e + f->offset;
	uint64_t n;

	if (f->kind == PRESENT) {
		*to = true;
		return true;
	}
	if (f->kind == NAME) {
		if (!is_name(value))
			return bad(r, "EventName \"%s\" is none", value, NULL);
		copy(to, f->size, value);
		return true;
	}
	if (!value.length || equals(value, "null"))
		return true;
	switch (f->kind) {
	case TEXT:
		if (!equals(value, "0"))
			copy(to, f->size, value);
		return true;
	case COUNTERS:
		return counters(value, e) || bad(r, "Counter \"%s\" is no list of counters", value, NULL);
	default:
		if (!first_number(value, f->most, &n))
			return bad(r, "\"%s\" is no value of %s", value, f->key);
		store(to, f->size, n);
		return true;
	}
}

static const struct field *field_of(struct piece key)
{
	for (const struct field *f = fields; f < fields + sizeof fields / sizeof fields[0]; f++)
		if (equals(key, f->key))
			return f;
	return NULL;
}

static struct piece piece_of(const char *text, const jsmntok_t *t)
{
	return (struct piece){text + t->start, (size_t)(t->end - t->start)};
}

/* Whether token i is the name of a member of the object that is token `object`; its value is the next token.
 */
static bool is_member(const jsmntok_t *token, unsigned count, unsigned i, int object)
{
	return i + 1 < count && token[i].type == JSMN_STRING && token[i].parent == object &&
	       token[i].size == 1 && token[i + 1].parent == (int)i;
}

static bool is_scalar(const jsmntok_t *t)
{
	return t->type == JSMN_STRING || t->type == JSMN_PRIMITIVE;
}

/* An object that has been found whole. */
static enum vendor_answer read_event(struct vendor_reader *r, const jsmntok_t *token, unsigned count,
				     struct vendor_event *e)
{
	const char *text = r->text + r->at;

	bool named = false, good = true;

	*e = (struct vendor_event){.at = r->at, .counters = UINT32_MAX, .fixed = -1};
	for (unsigned i = 1; i < count; i++) {
		const struct field *f;

		if (!is_member(token, count, i, 0))
			continue;
		f = field_of(piece_of(text, &token[i]));
		if (!f)
			continue;
		named |= f->kind == NAME;
		if (!good && f->kind != TEXT)
			continue;
		if (is_scalar(&token[i + 1]))
			good &= take(r, f, piece_of(text, &token[i + 1]), e);
		else
			good = bad(r, "%s is no plain value", piece_of(text, &token[i]), NULL);
	}
	/* Whatever the values of other units mean, they need not fit a core's registers. */
	if (!named || (e->unit[0] && strncasecmp(e->unit, "cpu", 3)))
		return VENDOR_OTHER;
	return good ? VENDOR_EVENT : VENDOR_BAD;
}

/* --- the file --------------------------------------------------------------------------------------- */

static unsigned tokenise(const struct vendor_reader *r, jsmntok_t *token, unsigned max, int *status)
{
	jsmn_parser parser;
	size_t left = r->size - r->at;

	jsmn_init(&parser);
	*status = jsmn_parse(&parser, r->text + r->at, left < OBJECT_MAX ? left : OBJECT_MAX, token, max);
	return parser.toknext;
}

static void skip(struct vendor_reader *r, const char *what)
{
	while (r->at < r->size && r->text[r->at] && strchr(what, r->text[r->at]))
		r->at++;
}

/* What Intel puts before its list. */
static void read_header(struct vendor_reader *r, const jsmntok_t *token, unsigned count, int object)
{
	const char *text = r->text + r->at;

	for (unsigned i = 0; i < count; i++) {
		struct piece key, value;

		if (!is_member(token, count, i, object) || !is_scalar(&token[i + 1]))
			continue;
		key = piece_of(text, &token[i]);
		value = piece_of(text, &token[i + 1]);
		if (equals(key, "Info"))
			copy(r->info, sizeof r->info, value);
		if (equals(key, "Info") || equals(key, "Copyright"))
			r->says_intel |= contains(value, "Intel");
	}
}

bool vendor_open(struct vendor_reader *r, const char *text, size_t size)
{
	jsmntok_t token[VENDOR_TOKENS];
	unsigned count;
	int status;

	*r = (struct vendor_reader){.text = text, .size = size, .usual = VENDOR_TOKENS / 2};
	if (size > VENDOR_FILE_MAX)
		return lost(r, "the file is larger than 8 MiB"), false;
	if (size >= 3 && !memcmp(text, byte_order_mark, 3))
		r->at = 3;
	skip(r, " \t\r\n");
	if (r->at < size && text[r->at] == '[') {
		r->at++;
		return true;
	}
	if (r->at == size || text[r->at] != '{')
		return lost(r, "no JSON: neither [ nor { begins it"), false;

	count = tokenise(r, token, VENDOR_TOKENS, &status);
	for (unsigned i = 1; i < count; i++) {
		struct piece key;

		if (!is_member(token, count, i, 0))
			continue;
		key = piece_of(text + r->at, &token[i]);
		if (equals(key, "Header") && token[i + 1].type == JSMN_OBJECT)
			read_header(r, token, count, (int)i + 1);
		if (equals(key, "Events") && token[i + 1].type == JSMN_ARRAY) {
			r->at += (size_t)token[i + 1].start + 1;
			return true;
		}
	}
	return lost(r, "no list of events, neither [...] nor {\"Events\": [...]}"), false;
}

enum vendor_answer vendor_next(struct vendor_reader *r, struct vendor_event *out)
{
	jsmntok_t token[VENDOR_TOKENS];
	enum vendor_answer answer;
	unsigned count;
	int status;

	if (r->over)
		return (enum vendor_answer)r->over;
	skip(r, " \t\r\n,");
	if (r->at == r->size)
		return lost(r, "the file ends within its list: it is cut off");
	if (r->text[r->at] == ']')
		return (enum vendor_answer)(r->over = VENDOR_END);
	if (r->text[r->at] != '{')
		return lost(r, "an event must begin with {");

	/* Objects are much alike: with room for one such as the last, nothing behind it is looked at twice.
	 * What tokens there are behind it, and what is wrong there, is not this object's business. */
	count = tokenise(r, token, r->usual + 1, &status);
	if (count && token[0].end < 0 && status == JSMN_ERROR_NOMEM)
		count = tokenise(r, token, VENDOR_TOKENS, &status);
	if (!count || token[0].end < 0) {
		if (status == JSMN_ERROR_NOMEM)
			return lost(r, "an event with too many members");
		if (status == JSMN_ERROR_PART && r->size - r->at > OBJECT_MAX)
			return lost(r, "an event of more than 64 KiB");
		return lost(r, status == JSMN_ERROR_PART ? "the file ends within an event: it is cut off"
							 : "this is no JSON");
	}
	while (count > 1 && token[count - 1].start > token[0].end)
		count--;
	r->usual = (uint16_t)(count < VENDOR_TOKENS ? count : VENDOR_TOKENS - 1);
	answer = read_event(r, token, count, out);
	r->at += (size_t)token[0].end;
	return answer;
}
