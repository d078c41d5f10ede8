#include "boot/report_out.h"

#include "arch/x86/console.h"
#include "tests/report.h"

#include <stdio.h>
#include <stdlib.h>
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

static void debug_write(const char *text, size_t size)
{
	__asm__ volatile("rep outsb" : "+S"(text), "+c"(size) : "d"((uint16_t)DEBUG_PORT) : "memory");
}

static void file_write(const struct platform *platform, const struct options *o, const char *extension,
		       const char *text, size_t size)
{
	char path[OPTION_TEXT_MAX + 8];
	const char *why;

	snprintf(path, sizeof path, "%s.%s", o->report, extension);
	if (!platform->write_file(path, text, size, &why))
		complain(path, why);
}

void report_out(const struct platform *platform, const struct options *o, bool over)
{
	bool debug = !strcmp(o->report, "e9");

	if (!strcmp(o->report, "none") || (debug && !over))
		return;

	size_t size;
	char *json = report_json(&size);
	if (!json) {
		complain("the document", "not enough memory for it");
	} else if (debug) {
		debug_write(STX, 1);
		debug_write(json, size);
		debug_write(ETX, 1);
	} else {
		file_write(platform, o, "json", json, size);
	}
	free(json);
	if (!debug) {
		const char *text = console_buffer(&size);
		file_write(platform, o, "txt", text, size);
	}
	console_flush_screen();
}
