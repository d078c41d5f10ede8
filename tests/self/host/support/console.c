#include "tests/self/host/support/console.h"
#include "arch/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stream {
	char *text;
	size_t used, room;
};

static struct stream text, tap;

static void append(struct stream *s, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (s->used + (size_t)n + 1 > s->room) {
		s->room = 2 * (s->used + (size_t)n + 1);
		s->text = realloc(s->text, s->room);
		if (!s->text)
			abort();
	}
	vsnprintf(s->text + s->used, s->room - s->used, format, args);
	s->used += (size_t)n;
}

void console_vtext(const char *format, va_list args)
{
	append(&text, format, args);
}

void console_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(&text, format, args);
	va_end(args);
}

void console_tap(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(&tap, format, args);
	va_end(args);
}

const char *console_buffer(size_t *size)
{
	*size = text.used;
	return fake_console_text();
}

void console_flush_screen(void)
{
}

const char *fake_console_text(void)
{
	return text.text ? text.text : "";
}

const char *fake_console_tap(void)
{
	return tap.text ? tap.text : "";
}

void fake_console_reset(void)
{
	free(text.text);
	free(tap.text);
	text = tap = (struct stream){0};
}
