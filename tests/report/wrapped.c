#include "tests/report/wrapped.h"

#include "arch/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT 1024

/* How much of a text goes into so many columns: up to its end or a space. */
static size_t fits(const char *text, size_t columns)
{
	size_t best = 0, n = 0;

	do {
		n += strcspn(text + n, " ");
		if (!best || n <= columns)
			best = n;
		n += text[n] == ' ';
	} while (n <= columns && text[best]);
	return best;
}

void wrapped(const char *indent, const char *format, ...)
{
	static char text[TEXT];
	const char *deeper = "";
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	for (const char *at = text;; deeper = "  ") {
		size_t n = fits(at, TABLE_COLUMNS - strlen(indent) - strlen(deeper));

		console_text("%s%s%.*s\n", indent, deeper, (int)n, at);
		at += n + strspn(at + n, " ");
		if (!*at)
			break;
	}
}
