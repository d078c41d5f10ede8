#include "tests/judge/piecewise.h"
#include "pmu/events/text.h"

#include <inttypes.h>

#define POINT_COST 1
#define LINE_COST  2

/* The line through points i to j. @return false if there is none */
static bool through(const uint64_t *x, const int64_t *y, unsigned i, unsigned j, struct line *out)
{
	if (i == j) {
		*out = (struct line){.offset_num = y[i], .den = 1, .straight = true};
		return true;
	}
	return line_fit(x + i, y + i, j - i + 1, out) && out->straight;
}

unsigned piecewise_fit(const uint64_t *x, const int64_t *y, unsigned count, struct piece *out)
{
	unsigned cost[PIECEWISE_POINTS + 1] = {0}, last[PIECEWISE_POINTS] = {0}, n = 0;
	struct line line;

	if (!count || count > PIECEWISE_POINTS)
		return 0;
	for (unsigned i = 1; i < count; i++)
		if (x[i] <= x[i - 1])
			return 0;
	/* From the end: the cheapest way from point i on, and where its first piece ends. */
	for (unsigned i = count; i-- > 0;) {
		cost[i] = ~0u;
		for (unsigned j = i; j < count && through(x, y, i, j, &line); j++) {
			unsigned here = (i == j ? POINT_COST : LINE_COST) + cost[j + 1];

			if (here > cost[i])
				continue;
			cost[i] = here;
			last[i] = j;
		}
	}
	for (unsigned i = 0; i < count; i = last[i] + 1) {
		out[n] = (struct piece){.from = x[i], .to = x[last[i]]};
		if (!through(x, y, i, last[i], &out[n++].line))
			return 0;
	}
	return n;
}

static size_t add_line(const struct line *l, char *out, size_t size, size_t n)
{
	const char *open = l->den == 1 ? "" : "(", *close = l->den == 1 ? "" : ")";

	if (!l->slope_num)
		return text_append(out, size, n, "%" PRId64, l->offset_num / l->den);
	n = text_append(out, size, n, "%s", open);
	if (l->offset_num)
		n = text_append(out, size, n, "%" PRId64 "%s", l->offset_num, l->slope_num > 0 ? "+" : "");
	if (l->slope_num == 1 || l->slope_num == -1)
		n = text_append(out, size, n, "%sc%s", l->slope_num < 0 ? "-" : "", close);
	else
		n = text_append(out, size, n, "%" PRId64 "c%s", l->slope_num, close);
	return l->den == 1 ? n : text_append(out, size, n, "/%" PRId64, l->den);
}

size_t piecewise_text(const struct piece *p, unsigned count, char *out, size_t size)
{
	size_t n = 0;

	for (unsigned i = 0; i < count; i++) {
		n = text_append(out, size, n, "%s%" PRIu64, i ? "; " : "", p[i].from);
		if (p[i].to != p[i].from)
			n = text_append(out, size, n, "-%" PRIu64, p[i].to);
		n = text_append(out, size, n, ": ");
		n = add_line(&p[i].line, out, size, n);
	}
	return n;
}
