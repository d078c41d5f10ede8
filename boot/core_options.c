#include "boot/core_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cores_syntax(const char *value)
{
	static const char form[] = "auto, all, or numbers of processors, separated by commas";

	if (!strcmp(value, "auto") || !strcmp(value, "all"))
		return NULL;
	for (const char *p = value;; p++) {
		unsigned digits = 0;

		while (isdigit((unsigned char)p[digits]))
			digits++;
		if (!digits || digits > 6)
			return form;
		p += digits;
		if (!*p)
			return NULL;
		if (*p != ',')
			return form;
	}
}

bool cores_listed(const char *numbers, unsigned number)
{
	for (const char *p = numbers; *p;) {
		char *end;

		if (strtoul(p, &end, 10) == number)
			return true;
		p = *end ? end + 1 : end;
	}
	return false;
}

size_t core_of_injection(const char *name, size_t length, unsigned *number)
{
	const char *at = memchr(name, '@', length);
	char *end;

	if (!at || !isdigit((unsigned char)at[1]))
		return length;
	unsigned long value = strtoul(at + 1, &end, 10);

	*number = (unsigned)value;
	return end == name + length && value == *number ? (size_t)(at - name) : length;
}

void core_injections(const char *inject, unsigned core, char out[OPTION_TEXT_MAX])
{
	size_t used = 0;

	out[0] = 0;
	for (const char *p = inject; *p;) {
		size_t length = strcspn(p, "+");
		unsigned number = core;
		size_t name = core_of_injection(p, length, &number);

		if (number == core)
			used += (size_t)snprintf(out + used, OPTION_TEXT_MAX - used, "%s%.*s",
						 used ? "+" : "", (int)name, p);
		p += length + (p[length] == '+');
	}
}
