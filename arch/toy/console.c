/*
 * The toy machine's console: the host's standard output, as the serial line of other machines: TAP lines, and
 * text as comments.
 */
#include "arch/console.h"

#include <stdio.h>
#include <string.h>

static struct {
	char *memory; /* of the text stream */
	size_t size, used;
	char *capture;
	size_t room, captured;
	bool middle; /* of a line of text */
} console;

void console_init(char *buffer, size_t size)
{
	console.memory = buffer;
	console.size = size;
	console.used = 0;
}

void console_set_screen(void (*write)(const char *text, size_t size))
{
	(void)write;
}

static void keep(char *to, size_t size, size_t *used, const char *text, size_t length)
{
	if (!to || !size)
		return;
	if (length > size - 1 - *used)
		length = size - 1 - *used;
	memcpy(to + *used, text, length);
	*used += length;
	to[*used] = 0;
}

void console_vtext(const char *format, va_list args)
{
	char text[4096];
	int n = vsnprintf(text, sizeof text, format, args);

	if (n < 0)
		return;
	if (console.capture) {
		keep(console.capture, console.room, &console.captured, text, strlen(text));
		return;
	}
	keep(console.memory, console.size, &console.used, text, strlen(text));
	for (const char *p = text; *p; p++) {
		if (!console.middle)
			fputs("# ", stdout);
		console.middle = *p != '\n';
		putchar(*p);
	}
}

void console_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	console_vtext(format, args);
	va_end(args);
}

void console_fresh_line(void)
{
	if (console.middle)
		putchar('\n');
	console.middle = false;
}

void console_tap(const char *format, ...)
{
	va_list args;

	console_fresh_line();
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

void console_flush_screen(void)
{
}

size_t console_capture(char *memory, size_t size)
{
	size_t n = console.captured;

	console.capture = memory;
	console.room = size;
	console.captured = 0;
	return n;
}

void console_give_back(void)
{
	console_fresh_line();
	fflush(stdout);
}

const char *console_buffer(size_t *size)
{
	*size = console.used;
	return console.memory;
}

/* There is none. */
void console_debug(const char *text, size_t size)
{
	(void)text, (void)size;
}
