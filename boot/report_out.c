#include "boot/report_out.h"

#include "arch/x86/console/console.h"
#include "tests/report/report.h"

#include <stdio.h>
#include <string.h>

#define DEBUG_PORT 0xe9
#define STX        "\x02"
#define ETX        "\x03"

static bool complained;

static void complain(const char *what, const char *why)
{
	if (!complained)
		console_text("report: cannot write %s: %s; report=none does without\n", what, why);
	complained = true;
}

static bool debug_write(void *to, const char *text, size_t size)
{
	(void)to;
	__asm__ volatile("rep outsb" : "+S"(text), "+c"(size) : "d"((uint16_t)DEBUG_PORT) : "memory");
	return true;
}

#define LONG_PIECE 1024 /* bytes: these are parts of the document as it is kept */
#define PLACE_TEXT 48
#define DLE        "\x10"

/* Long texts stay where they are: on the firmware's side linear addresses are physical ones. */
static bool debug_tell(void *to, const char *text, size_t size)
{
	char place[PLACE_TEXT];

	if (size < LONG_PIECE)
		return debug_write(to, text, size);
	snprintf(place, sizeof place, DLE "%lx %lx\n", (unsigned long)text, (unsigned long)size);
	return debug_write(to, place, strlen(place));
}

/* Firmware takes its time over every call: pieces are gathered. */
struct file_out {
	const struct platform *platform;
	void *file;
	const char *why;
	size_t used;
};

static char gathered[32768];

static bool file_flush(struct file_out *out)
{
	size_t size = out->used;

	out->used = 0;
	return !size || out->platform->write_file(out->file, gathered, size, &out->why);
}

static bool file_write(void *to, const char *text, size_t size)
{
	struct file_out *out = to;

	while (size) {
		size_t part = sizeof gathered - out->used;

		if (part > size)
			part = size;
		memcpy(gathered + out->used, text, part);
		out->used += part;
		text += part;
		size -= part;
		if (out->used == sizeof gathered && !file_flush(out))
			return false;
	}
	return true;
}

static bool put_text(text_sink *sink, void *to)
{
	size_t size;
	const char *text = console_buffer(&size);

	return sink(to, text, size);
}

static void write_out(const struct platform *platform, const struct options *o, const char *extension,
		      bool (*put)(text_sink *sink, void *to))
{
	struct file_out out = {.platform = platform};
	char path[OPTION_TEXT_MAX + 8];
	bool good = false;

	snprintf(path, sizeof path, "%s.%s", o->report, extension);
	out.file = platform->open_file(path, &out.why);
	if (out.file) {
		const char *why;

		good = put(file_write, &out) && file_flush(&out);
		if (!platform->close_file(out.file, &why) && good) {
			good = false;
			out.why = why;
		}
	}
	if (!good)
		complain(path, out.why);
}

void report_out(const struct platform *platform, const struct options *o, bool over)
{
	bool memory = !strcmp(o->report, "memory"), debug = memory || !strcmp(o->report, "e9");

	if (!strcmp(o->report, "none") || (debug && !over))
		return;
	if (debug) {
		debug_write(NULL, STX, 1);
		report_json(memory ? debug_tell : debug_write, NULL);
		debug_write(NULL, ETX, 1);
	} else {
		write_out(platform, o, "json", report_json);
		write_out(platform, o, "txt", put_text);
	}
	console_flush_screen();
}
