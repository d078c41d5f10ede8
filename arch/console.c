/*
 * The console (arch/console.h) of machines with a serial line (arch/serial.h).
 */
#include "arch/console.h"

#include "arch/machine.h"
#include "arch/screen.h"
#include "arch/serial.h"
#include "arch/step.h"
#include "arch/vectors.h"
#include "arch/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line for the serial port, collected until it is complete, so that the streams never mix within one. */
struct line {
	const char *prefix;
	char text[1024]; /* longer ones are broken */
	unsigned used;
};

static struct line text_line = {.prefix = "# "}, tap_line = {.prefix = ""};

static char *buffer;
static size_t buffer_size, buffer_used, on_screen;
static bool buffer_full;
static char *captured;
static size_t captured_size, captured_used;
static void (*screen)(const char *text, size_t size);

void console_init(char *memory, size_t size)
{
	buffer = memory;
	buffer_size = size;
	buffer_used = on_screen = 0;
	buffer_full = false;
}

void console_set_screen(void (*write)(const char *text, size_t size))
{
	screen = write;
}

const char *console_buffer(size_t *size)
{
	*size = buffer_used;
	return buffer;
}

void console_flush_screen(void)
{
	if (on_screen == buffer_used || screen_is_open())
		return;
	if (screen)
		screen(buffer + on_screen, buffer_used - on_screen);
	on_screen = buffer_used;
}

static void remember(const char *text, size_t size)
{
	static const char note[] = "(the text buffer is full; the rest is on the serial line only)\n";

	if (buffer_full || !buffer)
		return;
	if (size + sizeof note > buffer_size - buffer_used) {
		buffer_full = true;
		text = note;
		size = buffer_size - buffer_used < sizeof note ? 0 : sizeof note - 1;
	}
	memcpy(buffer + buffer_used, text, size);
	buffer_used += size;
}

static void line_end(struct line *l)
{
	serial_write(l->prefix, strlen(l->prefix));
	serial_write(l->text, l->used);
	serial_write("\r\n", 2);
	l->used = 0;
}

static void line_add(struct line *l, const char *text, size_t size)
{
	for (; size; size--, text++) {
		if (*text == '\n' || l->used == sizeof l->text)
			line_end(l);
		if (*text != '\n')
			l->text[l->used++] = *text;
	}
}

size_t console_capture(char *memory, size_t size)
{
	size_t used = captured_used;

	captured = memory;
	captured_size = size;
	captured_used = 0;
	return used;
}

static void capture(const char *text, size_t size)
{
	size_t room = captured_size - captured_used - 1;

	memcpy(captured + captured_used, text, size < room ? size : room);
	captured_used += size < room ? size : room;
	captured[captured_used] = 0;
}

static void emit(struct line *l, const char *text, size_t size)
{
	if (captured && l == &text_line) {
		capture(text, size);
		return;
	}
	line_add(l, text, size);
	if (l != &text_line)
		return;
	remember(text, size);
	screen_text(text, size, machine_taken());
	if (machine_taken() || screen_is_open())
		return;
	if (!buffer && screen)
		screen(text, size);
	/* By whole lines: firmware may show its screen on the very serial line that those above went to. */
	if (!text_line.used)
		console_flush_screen();
}

/* The formatter is the C library's and may use vector registers, but the caller may be a trap handler. */
static void format_to(struct line *l, const char *format, va_list args)
{
	struct vectors vectors;
	char text[512];
	va_list again;

	step_pause();
	watchdog_hold();
	vectors_keep(&vectors);
	va_copy(again, args);
	int size = vsnprintf(text, sizeof text, format, args);
	if (size >= (int)sizeof text) {
		char *large = malloc((size_t)size + 1);
		if (large)
			vsnprintf(large, (size_t)size + 1, format, again);
		emit(l, large ? large : text, large ? (size_t)size : sizeof text - 1);
		free(large);
	} else if (size > 0) {
		emit(l, text, (size_t)size);
	}
	va_end(again);
	vectors_put_back(&vectors);
	watchdog_release();
	step_resume();
}

void console_vtext(const char *format, va_list args)
{
	format_to(&text_line, format, args);
}

void console_text(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_to(&text_line, format, args);
	va_end(args);
}

void console_tap(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_to(&tap_line, format, args);
	va_end(args);
}

void console_fresh_line(void)
{
	if (text_line.used)
		console_text("\n");
}

void console_give_back(void)
{
	serial_give_back();
}
