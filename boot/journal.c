#include "boot/journal.h"
#include "boot/options.h"
#include "boot/run_folder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME "journal.txt"

void journal_line(const struct platform *platform, const char *format, ...)
{
	static char line[OPTIONS_LINE_MAX + 64];
	char path[RUN_FOLDER_PATH + sizeof NAME + 1];
	va_list args;

	if (!run_folder() && !(platform->add_note && run_number()))
		return;
	va_start(args, format);
	vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	strcat(line, "\n");
	if (!run_folder()) {
		platform->add_note(line, strlen(line));
		return;
	}
	snprintf(path, sizeof path, "%s\\" NAME, run_folder());
	platform->append_file(path, line, strlen(line));
}

char *journal_of_last(const struct platform *platform)
{
	char path[RUN_FOLDER_PATH + sizeof NAME + 1], *text;
	const char *why;
	size_t size;

	if (!run_folder() && platform->notes_before && run_number_before())
		return platform->notes_before();
	if (!run_before())
		return NULL;
	snprintf(path, sizeof path, "%s\\" NAME, run_before());
	return platform->read_file(path, &text, &size, &why) ? text : NULL;
}
