#include "tests/measure/scan_range.h"

#include <stdlib.h>

#define SINGLE_BITS 0x80 /* the last of them */

const char scan_ranges_form[] = "SELECT[-SELECT][:MASK[-MASK]] in hexadecimal, separated by commas";

/* "c4" or "c0-c4" */
static bool numbers(const char **at, uint16_t *first, uint16_t *last, unsigned most)
{
	uint16_t *out = first;

	for (;; out = last, ++*at) {
		char *end;
		unsigned long value = strtoul(*at, &end, 16);

		if (end == *at || value > most)
			return false;
		*at = end;
		*last = *out = (uint16_t)value;
		if (out == last || **at != '-')
			return *first <= *last;
	}
}

bool scan_ranges_parse(const char *text, struct scan_ranges *out)
{
	for (out->n = 0; *text; out->n++) {
		struct scan_range *r = &out->range[out->n];

		if (out->n == SCAN_RANGES || !numbers(&text, &r->select, &r->select_end, SCAN_SELECT_MAX))
			return false;
		r->mask = 0;
		r->mask_end = SINGLE_BITS;
		r->bits = *text != ':';
		if (!r->bits && (text++, !numbers(&text, &r->mask, &r->mask_end, SCAN_MASK_MAX)))
			return false;
		if (*text && (*text++ != ',' || !*text))
			return false;
	}
	return true;
}

bool scan_ranges_fit(const struct scan_ranges *r, uint64_t most_select, uint64_t most_mask)
{
	for (const struct scan_range *k = r->range; k < r->range + r->n; k++)
		if (k->select_end > most_select || k->mask_end > most_mask)
			return false;
	return true;
}

static bool has(const struct scan_range *r, const struct scan_code *c)
{
	return c->select >= r->select && c->select <= r->select_end && c->mask >= r->mask &&
	       c->mask <= r->mask_end && !(r->bits && c->mask & (c->mask - 1));
}

/* An earlier range has it already. */
static bool is_again(const struct scan_ranges *r, const struct scan_code *c)
{
	for (unsigned i = 0; i < c->range; i++)
		if (has(&r->range[i], c))
			return true;
	return false;
}

bool scan_next(const struct scan_ranges *r, struct scan_code *at)
{
	do {
		const struct scan_range *k = &r->range[at->range];

		if (at->started && at->mask < k->mask_end) {
			at->mask = !k->bits ? at->mask + 1 : at->mask ? 2 * at->mask : 1;
			continue;
		}
		if (at->started && at->select < k->select_end) {
			at->select++;
		} else {
			at->range += at->started;
			if (at->range >= r->n)
				return false;
			k = &r->range[at->range];
			at->select = k->select;
		}
		at->mask = k->mask;
		at->started = true;
	} while (is_again(r, at));
	return true;
}
