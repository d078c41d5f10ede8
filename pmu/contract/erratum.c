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

/* Where the numbers of the list that was asked last are: they are asked for over and over, for each row,
 * event and check. */
#define INDEX 2048 /* a power of two, some times as many as any list has */
static struct {
	const struct errata *of;
	struct {
		uint16_t row;    /* 1 + its number; 0: nobody's place */
		uint16_t number; /* in errata.numbers */
	} at[INDEX];
} numbers;

static unsigned place_of(const char *at, const char *end)
{
	uint32_t hash = 0;
	int before = 0, c;

	while ((c = next(&at, end, &before)))
		hash = hash * 31 + (uint32_t)c;
	return hash % INDEX;
}

static void index_numbers(const struct errata *e)
{
	unsigned left = INDEX - 1;

	memset(&numbers, 0, sizeof numbers);
	numbers.of = e;
	for (unsigned row = 0; row < *e->count; row++)
		for (const char *at = e->numbers + e->row[row].numbers, *end; at && left;
		     at = *end ? end + 1 : NULL, left--) {
			unsigned place;

			end = end_of_number(at);
			for (place = place_of(without_prefix(e, at), end); numbers.at[place].row;)
				place = (place + 1) % INDEX;
			numbers.at[place].row = (uint16_t)(1 + row);
			numbers.at[place].number = (uint16_t)(at - e->numbers);
		}
}

int errata_find(const struct errata *e, const char *number)
{
	const char *own = without_prefix(e, number), *own_end = own + strlen(own);

	if (numbers.of != e)
		index_numbers(e);
	for (unsigned place = place_of(own, own_end); numbers.at[place].row; place = (place + 1) % INDEX) {
		const char *at = e->numbers + numbers.at[place].number;

		if (same(without_prefix(e, at), end_of_number(at), own, own_end))
			return numbers.at[place].row - 1;
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
