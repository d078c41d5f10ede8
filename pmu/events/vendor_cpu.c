#include "pmu/events/vendor_cpu.h"

#include "pmu/contract/family.h"
#include "pmu/events/vendor_json.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS 5

struct span {
	const char *at, *end;
};

static bool same(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b);
}

/* Whether c is in the class that begins behind '['; *p goes behind its ']'. */
static bool in_class(struct span *p, char c)
{
	static const char digits[] = "[:xdigit:]";
	bool in = false;

	while (p->at < p->end && *p->at != ']') {
		if ((size_t)(p->end - p->at) >= sizeof digits - 1 &&
		    !memcmp(p->at, digits, sizeof digits - 1)) {
			in |= isxdigit((unsigned char)c) != 0;
			p->at += sizeof digits - 1;
		} else if (p->end - p->at >= 3 && p->at[1] == '-' && p->at[2] != ']') {
			char up = (char)toupper((unsigned char)c);

			in |= up >= toupper((unsigned char)p->at[0]) &&
			      up <= toupper((unsigned char)p->at[2]);
			p->at += 3;
		} else {
			in |= same(*p->at++, c);
		}
	}
	if (p->at < p->end)
		p->at++;
	return in;
}

/* Characters and classes, each perhaps with + behind it, without groups: *id goes behind what they take. */
static bool fits_plain(struct span p, const char **id)
{
	while (p.at < p.end) {
		struct span item = p, after;
		bool again, any = false;

		do {
			bool good;

			p = item;
			if (*p.at == '[') {
				p.at++;
				good = in_class(&p, **id);
			} else {
				good = same(*p.at++, **id);
			}
			after = p;
			again = p.at < p.end && *p.at == '+';
			if (again)
				after.at++;
			if (!good || !**id)
				break;
			any = true;
			++*id;
		} while (again);
		if (!any)
			return false;
		p = after;
	}
	return true;
}

/* Groups are not nested, and what follows one decides nothing about which of its choices is taken first. */
static bool fits(struct span p, const char *id)
{
	const char *open = memchr(p.at, '(', (size_t)(p.end - p.at));
	const char *close = open ? memchr(open, ')', (size_t)(p.end - open)) : NULL;

	if (!close) {
		if (!fits_plain(p, &id))
			return false;
		/* A pattern may leave the stepping out. */
		return !*id || (*id == '-' && !strchr(id + 1, '-'));
	}
	if (!fits_plain((struct span){p.at, open}, &id))
		return false;
	for (const char *from = open + 1; from <= close;) {
		const char *bar = memchr(from, '|', (size_t)(close - from)), *rest = id;

		if (!bar)
			bar = close;
		if (fits_plain((struct span){from, bar}, &rest) &&
		    fits((struct span){close + 1, p.end}, rest))
			return true;
		from = bar + 1;
	}
	return false;
}

bool vendor_pattern_fits(const char *pattern, size_t length, const struct vendor_cpu *cpu)
{
	char id[48];

	snprintf(id, sizeof id, "%s-%u-%X-%X", cpu->vendor, cpu->family, cpu->model, cpu->stepping);
	return length && fits((struct span){pattern, pattern + length}, id);
}

enum vendor_fit vendor_name_fit(const char *file, const struct vendor_cpu *cpu)
{
	const struct pmu_family *f;

	for (unsigned i = 0; (f = pmu_family(i)); i++)
		for (const char *const *v = f->vendors; *v; v++)
			if (!strncasecmp(file, *v, strlen(*v)) && file[strlen(*v)] == '-')
				return vendor_pattern_fits(file, strcspn(file, "._ "), cpu)
					       ? VENDOR_FITS
					       : VENDOR_OTHER_CPU;
	return VENDOR_SAYS_NOTHING;
}

static bool is_of(struct span entry, const char *file)
{
	size_t length;

	for (const char *c = entry.at; c < entry.end; c++)
		if (*c == '/')
			entry.at = c + 1;
	length = (size_t)(entry.end - entry.at);
	return length && length <= strlen(file) && !strncasecmp(file, entry.at, length) &&
	       !isalnum((unsigned char)file[length]);
}

/* Intel's map names files, perf's directories. */
static bool names_file(struct span entry)
{
	static const char json[] = ".json";
	size_t length = sizeof json - 1;

	return (size_t)(entry.end - entry.at) >= length && !strncasecmp(entry.end - length, json, length);
}

static bool core_fits(struct span column, const struct vendor_cpu *cpu)
{
	char text[8] = "", *end;
	size_t length = (size_t)(column.end - column.at);
	unsigned long type;

	memcpy(text, column.at, length < sizeof text ? length : sizeof text - 1);
	type = strtoul(text, &end, 16);
	return end == text || !cpu->core_type || type == cpu->core_type;
}

enum vendor_fit vendor_map_fit(const char *map, size_t size, const char *file, const struct vendor_cpu *cpu)
{
	enum vendor_fit fit = VENDOR_SAYS_NOTHING;
	struct span rest = {map, map + size};
	bool found = false; /* the CPU's directory: perf takes the first whose pattern fits */

	while (rest.at < rest.end) {
		const char *newline = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
		struct span line = {rest.at, newline ? newline : rest.end}, column[COLUMNS];

		rest.at = newline ? newline + 1 : rest.end;
		for (unsigned i = 0; i < COLUMNS; i++) {
			const char *comma = memchr(line.at, ',', (size_t)(line.end - line.at));

			column[i] = (struct span){line.at, comma ? comma : line.end};
			line.at = comma ? comma + 1 : line.end;
		}
		bool directory = !names_file(column[2]);
		bool fits_cpu =
			vendor_pattern_fits(column[0].at, (size_t)(column[0].end - column[0].at), cpu) &&
			core_fits(column[4], cpu) && !(directory && found);

		found |= directory && fits_cpu;
		if (!is_of(column[2], file))
			continue;
		if (fits_cpu)
			return VENDOR_FITS;
		fit = VENDOR_OTHER_CPU;
	}
	return fit;
}

/* Whether this vendor's own files give each event a sampling period. */
static bool has_periods(const char *vendor)
{
	const struct pmu_family *f;

	for (unsigned i = 0; (f = pmu_family(i)); i++)
		for (const char *const *v = f->vendors; *v; v++)
			if (f->files_have_periods && !strcmp(vendor, *v))
				return true;
	return false;
}

enum vendor_fit vendor_form_fit(const char *text, size_t size, const struct vendor_cpu *cpu)
{
	bool intels = has_periods(cpu->vendor);
	struct vendor_reader r;
	struct vendor_event e;
	enum vendor_answer answer;

	if (!vendor_open(&r, text, size))
		return VENDOR_SAYS_NOTHING;
	if (r.says_intel)
		return intels ? VENDOR_FITS : VENDOR_OTHER_CPU;
	do
		answer = vendor_next(&r, &e);
	while (answer == VENDOR_OTHER || answer == VENDOR_BAD);
	if (answer != VENDOR_EVENT)
		return VENDOR_SAYS_NOTHING;
	return e.has_period == intels ? VENDOR_FITS : VENDOR_OTHER_CPU;
}
