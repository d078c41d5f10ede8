#include "boot/tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool token_fail(const struct source *s, const char *at, const char *format, ...)
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

	return token_fail(s, s->at, "byte 0x%02x is not text: %s", u,
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
			return token_fail(s, s->at,
					  "stray quote: quotes enclose a whole value, as in event=\"A B\"");
		if (n + 1 < room)
			out[n] = c;
		n++;
	}
	out[n < room ? n : room - 1] = 0;
	if (n >= room)
		return token_fail(s, from, "%s is %lu bytes long: at most %lu are allowed",
				  key ? "option name" : "value", (unsigned long)n, (unsigned long)room - 1);
	return true;
}

static bool take_pair(struct source *s, struct token *t)
{
	bool quoted;

	if (!take(s, t->key, sizeof t->key, true, false))
		return false;
	if (s->at == s->end || *s->at != '=')
		return token_fail(
			s, t->start,
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
			return token_fail(s, t->value_at,
					  "the quote after %s= is not closed on this line: add a \"", t->key);
		s->at++;
		if (s->at < s->end && !is_blank(*s->at))
			return token_fail(s, s->at,
					  "text after the closing quote of %s=: separate options by a blank",
					  t->key);
	}
	return true;
}

/* "[experiment NAME]", on one line. */
static bool take_section(struct source *s, struct token *t)
{
	size_t n = 0;

	for (s->at++; s->at < s->end && *s->at != ']' && !is_line_end(*s->at); s->at++) {
		if (is_control(*s->at) || (unsigned char)*s->at >= 0x80)
			return not_text(s);
		if (n + 1 < sizeof t->value)
			t->value[n++] = *s->at;
	}
	t->value[n] = 0;
	if (s->at == s->end || *s->at != ']')
		return token_fail(s, t->start, "the section's ] is missing on this line: [experiment NAME]");
	s->at++;
	return true;
}

bool source_open(struct source *s, const char *text, size_t size, const char *where,
		 struct option_error *error)
{
	*s = (struct source){.at = text, .end = text + size, .where = where, .line = 1, .error = error};
	s->is_file = strcmp(where, "command line") != 0;
	error->text[0] = 0;
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s->at += 3;
	s->line_start = s->at;
	if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return token_fail(s, text, "this is UTF-16 text: save it as UTF-8 or plain ASCII");
	return true;
}

enum token_kind token_next(struct source *s, struct token *t)
{
	if (!skip_blanks(s))
		return TOKEN_BAD;
	if (s->at == s->end)
		return TOKEN_END;
	s->token++;
	t->start = s->at;
	t->line = s->line;
	t->column = (unsigned)(s->at - s->line_start) + 1;
	if (*s->at == '[')
		return take_section(s, t) ? TOKEN_SECTION : TOKEN_BAD;
	return take_pair(s, t) ? TOKEN_PAIR : TOKEN_BAD;
}
