#include "tests/report/json.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK     16384
#define EXACT_MAX (UINT64_C(1) << 53)

static struct json_chunk *add_chunk(struct json *j)
{
	struct json_chunk *c = malloc(sizeof *c);

	if (!c)
		return NULL;
	c->text = malloc(CHUNK);
	if (!c->text) {
		free(c);
		return NULL;
	}
	c->next = NULL;
	c->used = 0;
	c->room = CHUNK;
	*(j->last ? &j->last->next : &j->first) = c;
	j->last = c;
	return c;
}

static void hand_over(struct json *j, const char *text, size_t n)
{
	if (!n || j->failed)
		return;
	j->failed = !j->sink(j->to, text, n);
	j->size += n;
	j->before = text[n - 1];
}

static void put(struct json *j, const char *text, size_t n)
{
	if (j->sink) {
		hand_over(j, text, n);
		return;
	}
	while (n && !j->failed) {
		struct json_chunk *c = j->last;
		size_t part;

		if (!c || c->used == c->room)
			c = add_chunk(j);
		if (!c) {
			j->failed = true;
			return;
		}
		part = n < c->room - c->used ? n : c->room - c->used;
		memcpy(c->text + c->used, text, part);
		c->used += part;
		j->size += part;
		j->before = text[part - 1];
		text += part;
		n -= part;
	}
}

static void put_text(struct json *j, const char *text)
{
	put(j, text, strlen(text));
}

struct json_mark json_mark(struct json *j)
{
	j->failed = false;
	return (struct json_mark){j->last, j->last ? j->last->used : 0, j->size, j->before};
}

static void free_chunks(struct json_chunk *c)
{
	while (c) {
		struct json_chunk *next = c->next;

		free(c->text);
		free(c);
		c = next;
	}
}

void json_rollback(struct json *j, const struct json_mark *mark)
{
	free_chunks(mark->last ? mark->last->next : j->first);
	if (mark->last) {
		mark->last->next = NULL;
		mark->last->used = mark->used;
	} else {
		j->first = NULL;
	}
	j->last = mark->last;
	j->size = mark->size;
	j->before = mark->before;
	j->failed = false;
}

void json_free(struct json *j)
{
	free_chunks(j->first);
	memset(j, 0, sizeof *j);
}

/* Length of the UTF-8 sequence at s, 0 if it is malformed (overlong, surrogate, beyond U+10FFFF, cut short).
 */
static size_t utf8_length(const unsigned char *s)
{
	static const struct {
		unsigned char lead_low, lead_high, second_low, second_high, length;
	} rows[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (s[0] < rows[i].lead_low || s[0] > rows[i].lead_high)
			continue;
		if (s[1] < rows[i].second_low || s[1] > rows[i].second_high)
			return 0;
		for (size_t k = 2; k < rows[i].length; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return rows[i].length;
	}
	return 0;
}

static void put_quoted(struct json *j, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)text;

	put(j, "\"", 1);
	while (*s) {
		const unsigned char *plain = s;
		size_t n;

		while (*s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\')
			s++;
		put(j, (const char *)plain, (size_t)(s - plain));
		if (!*s)
			break;
		if (*s == '"' || *s == '\\') {
			put(j, (char[]){'\\', (char)*s++}, 2);
		} else if (*s < 0x80) {
			put(j, (char[]){'\\', 'u', '0', '0', digits[*s >> 4], digits[*s & 15]}, 6);
			s++;
		} else if ((n = utf8_length(s))) {
			put(j, (const char *)s, n);
			s += n;
		} else {
			put_text(j, "\\ufffd");
			s++;
		}
	}
	put(j, "\"", 1);
}

static void put_key(struct json *j, const char *key)
{
	/* Objects in an array start a line each: the document stays greppable. */
	if (!key && j->before == '}')
		put(j, ",\n", 2);
	else if (j->before && j->before != '{' && j->before != '[')
		put(j, ",", 1);
	if (key) {
		put_quoted(j, key);
		put(j, ":", 1);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	put(j, &bracket, 1);
}

void json_close(struct json *j, char bracket)
{
	put(j, &bracket, 1);
}

void json_string(struct json *j, const char *key, const char *value)
{
	if (!value) {
		json_null(j, key);
		return;
	}
	put_key(j, key);
	put_quoted(j, value);
}

/* Digits of v in the given base; own code because the C library's printf costs more than all the rest of a
 * record. */
static void put_number(struct json *j, uint64_t v, bool negative, bool quoted, unsigned base)
{
	char text[28], *at = text + sizeof text;

	if (quoted)
		*--at = '"';
	do
		*--at = "0123456789abcdef"[v % base];
	while (v /= base);
	if (base == 16) {
		*--at = 'x';
		*--at = '0';
	}
	if (negative)
		*--at = '-';
	if (quoted)
		*--at = '"';
	put(j, at, (size_t)(text + sizeof text - at));
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	put_key(j, key);
	put_number(j, value, false, value > EXACT_MAX, 10);
}

void json_signed(struct json *j, const char *key, int64_t value)
{
	uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;

	put_key(j, key);
	put_number(j, size, value<0, size> EXACT_MAX, 10);
}

void json_hex(struct json *j, const char *key, uint64_t value)
{
	put_key(j, key);
	put_number(j, value, false, true, 16);
}

void json_bool(struct json *j, const char *key, bool value)
{
	put_key(j, key);
	put_text(j, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	put_key(j, key);
	put_text(j, "null");
}

void json_append(struct json *j, const struct json *part)
{
	for (const struct json_chunk *c = part->first; c; c = c->next)
		put(j, c->text, c->used);
}

void json_members(struct json *j, const struct json *part)
{
	if (part->size)
		put_key(j, NULL);
	json_append(j, part);
}

void json_nest(struct json *j, const char *key, char bracket, const struct json *part)
{
	json_open(j, key, bracket);
	json_append(j, part);
	json_close(j, bracket == '[' ? ']' : '}');
}
