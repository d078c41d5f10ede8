#include "pmu/events/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LENGTH 63

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment, with the last three rows of its table kept. */
unsigned edit_distance(const char *a, const char *b)
{
	unsigned rows[3][LENGTH + 1];
	size_t la = strnlen(a, LENGTH), lb = strnlen(b, LENGTH);

	for (unsigned j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned d = above[j - 1] + !same(a[i - 1], b[j - 1]);

			if (above[j] + 1 < d)
				d = above[j] + 1;
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]) &&
			    two_above[j - 2] + 1 < d)
				d = two_above[j - 2] + 1;
			row[j] = d;
		}
	}
	return rows[la % 3][lb];
}

bool is_near(unsigned distance, const char *a)
{
	return distance <= 4 && 3 * distance <= strlen(a) + 2;
}

static bool take_nearer(const char *typed, const char *name, size_t length, unsigned *distance)
{
	char head[LENGTH + 1];

	snprintf(head, sizeof head, "%.*s", (int)(length < LENGTH ? length : LENGTH), name);
	unsigned d = edit_distance(typed, head);

	if (d >= *distance || !is_near(d, typed))
		return false;
	*distance = d;
	return true;
}

bool glob_nearer(const char *globs, const char *name, unsigned *distance)
{
	bool nearer = false;

	for (const char *p = globs; p && *p;) {
		size_t length = strcspn(p, ","), head = strcspn(p, ",*?"), all = strlen(name);
		char typed[LENGTH + 1];

		snprintf(typed, sizeof typed, "%.*s", (int)(head < LENGTH ? head : LENGTH), p);
		if (head == length) {
			nearer |= take_nearer(typed, name, all, distance);
			if (!strchr(typed, '/'))
				nearer |= take_nearer(typed, name, strcspn(name, "/"), distance);
		} else if (head > 1) {
			for (size_t cut = head - 1; cut <= head + 1 && cut <= all; cut++)
				nearer |= take_nearer(typed, name, cut, distance);
		}
		p += length + (p[length] == ',');
	}
	return nearer;
}

bool text_list_add(char *text, size_t size, const char *item, bool first)
{
	static const char etc[] = ", ...";
	size_t used = strlen(text), room = size - used;
	bool fits = 2 + strlen(item) + sizeof etc <= room;

	snprintf(text + used, room, "%s%s", !fits ? "" : first ? " " : ", ", fits ? item : etc);
	return fits;
}

size_t text_append(char *text, size_t size, size_t used, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text + used, size - used, format, args);
	va_end(args);
	return used + (size_t)n < size ? used + (size_t)n : size - 1;
}
