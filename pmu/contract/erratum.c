#include "pmu/contract/erratum.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *name, *reason;
} mechanisms[] = {
#define ERRATUM_MECHANISM(id, name, reason) {name, reason},
#include "pmu/contract/mechanisms.def"
#undef ERRATUM_MECHANISM
};

const char *erratum_mechanism_name(enum erratum_mechanism m)
{
	return mechanisms[m].name;
}

const char *erratum_mechanism_reason(enum erratum_mechanism m)
{
	return mechanisms[m].reason;
}

/* The next character that counts: zeros that begin a number do not. @param before the one before it */
static int next(const char **text, const char *end, int *before)
{
	while (*text < end && **text == '0' && !isdigit(*before) && *text + 1 < end &&
	       isdigit((unsigned char)(*text)[1]))
		++*text;
	if (*text == end)
		return 0;
	*before = (unsigned char)*(*text)++;
	return toupper(*before);
}

static bool same(const char *a, const char *a_end, const char *b, const char *b_end)
{
	int last_a = 0, last_b = 0, x, y;

	do {
		x = next(&a, a_end, &last_a);
		y = next(&b, b_end, &last_b);
	} while (x == y && x);
	return x == y;
}

static const char *without_prefix(const struct errata *e, const char *number)
{
	size_t n = e->prefix ? strlen(e->prefix) : 0;

	for (size_t i = 0; i < n; i++)
		if (toupper((unsigned char)number[i]) != e->prefix[i])
			return number;
	return number + n;
}

bool errata_same(const struct errata *e, const char *a, const char *b)
{
	a = without_prefix(e, a);
	b = without_prefix(e, b);
	return same(a, a + strlen(a), b, b + strlen(b));
}

bool errata_number(const struct errata *e, unsigned row, unsigned i, char *out, size_t size)
{
	const char *at = e->numbers + e->row[row].numbers;

	for (; i; i--) {
		at = strchr(at, '|');
		if (!at)
			return false;
		at++;
	}
	snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
	return true;
}

static const char *end_of_number(const char *at)
{
	while (*at && *at != '|')
		at++;
	return at;
}

/* Letters that begin two numbers and differ: nothing else need be compared. */
static bool differ_at_once(const char *a, const char *b)
{
	return isalpha((unsigned char)*a) && isalpha((unsigned char)*b) &&
	       toupper((unsigned char)*a) != toupper((unsigned char)*b);
}

/* Done for each list of errata that an event has: so nothing is copied, and most rows cost a look. */
int errata_find(const struct errata *e, const char *number)
{
	const char *b = without_prefix(e, number), *b_end = b + strlen(b);

	for (unsigned row = 0; row < *e->count; row++)
		for (const char *at = e->numbers + e->row[row].numbers, *end; at; at = *end ? end + 1 : NULL) {
			const char *a = without_prefix(e, at);

			end = end_of_number(at);
			if (!differ_at_once(a, b) && same(a, end, b, b_end))
				return (int)row;
		}
	return -1;
}

int errata_next(const struct errata *e, const char **list)
{
	char number[ERRATUM_NUMBER];

	*list += strspn(*list, " ");
	size_t length = strcspn(*list, " ");

	snprintf(number, sizeof number, "%.*s", (int)length, *list);
	*list += length;
	return errata_find(e, number);
}

bool errata_documented(const struct errata *e, unsigned row, const struct erratum_processor *p,
		       uint32_t *fixed)
{
	for (unsigned i = 0; i < e->row[row].parts; i++) {
		const struct erratum_part *part = &e->part[e->row[row].part + i];

		if ((part->family && part->family != p->family) || p->model < part->first ||
		    p->model > part->last || p->stepping > 15 || !(part->steppings >> p->stepping & 1))
			continue;
		if (fixed)
			*fixed = part->fixed;
		return true;
	}
	return false;
}

bool errata_judges(const struct errata *e, unsigned row)
{
	return e->row[row].confidence <= ERRATUM_PARTIAL;
}
