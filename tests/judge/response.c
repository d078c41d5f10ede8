#include "tests/judge/response.h"
#include "tests/judge/bounds.h"
#include "tests/judge/expectation.h"

#include "pmu/events/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 32
/* Of ten repetitions so many must agree: what disturbs a few of them is not the event. */
#define LEAST_OF_TEN 8
#define LEAST_KNOWN  3 /* kernels that must define a micro-architectural quantity, and answer */

static const int8_t coefficients[] = {1, -1, 2, -2, 3, -3, 4, -4, 8, -8};
#define COEFFICIENTS_OF_THREE 2 /* of them, where two are free */

bool response_count(const struct histogram *seen, int64_t *count)
{
	*count = histogram_mode(seen);
	return seen->frequency[0] * 10 >= seen->total * LEAST_OF_TEN;
}

bool response_add(struct response_space *s, const struct kernel *k)
{
	if (s->n_kernels == s->room) {
		unsigned room = s->room ? 2 * s->room : ROOM_FIRST;
		const struct kernel **more = realloc(s->kernel, room * sizeof *more);

		if (!more)
			return false;
		s->kernel = more;
		s->room = room;
	}
	s->kernel[s->n_kernels++] = k;
	return true;
}

static int64_t own_share(const struct response_space *s, enum quantity q)
{
	int64_t share = 0;

	for (const struct qterm *t = s->own; t < s->own + sizeof s->own / sizeof s->own[0] && t->amount; t++)
		if (t->quantity == q)
			share += t->amount;
	return share;
}

/* Fill the column of q. @return false if some kernel does not say exactly how much of it there is, or nobody
 * has any
 */
static bool fill(const struct response_space *s, enum quantity q, struct response_column *c)
{
	bool any = false;

	for (unsigned p = 0; p < response_points(s); p++) {
		struct amount a = kernel_amount(s->kernel[p / RESPONSE_MULTIPLES], q,
						s->n * (p % RESPONSE_MULTIPLES + 1));

		if (!a.defined || a.overflow || a.low != a.high)
			return false;
		c->amount[p] = a.low + own_share(s, q);
		if (!any && c->amount[p]) {
			any = true;
			c->pivot = p;
		}
	}
	return any;
}

enum response_fit response_fits(const struct response_space *s, const int64_t *count,
				const struct pmu_event *e, bool more)
{
	struct pmu_bracket bracket;
	enum response_fit fit = RESPONSE_UNSAID;

	memcpy(bracket.own, s->own, sizeof bracket.own);
	for (unsigned p = 0; p < response_points(s); p++) {
		const struct kernel *k = s->kernel[p / RESPONSE_MULTIPLES];
		uint64_t n = s->n * (p % RESPONSE_MULTIPLES + 1);
		int64_t counted = count[p] - bracket_share(&bracket, e);
		struct expectation x;

		if (expectation(e, k, n, &x) != EXPECTATION_OK)
			continue;
		if (more)
			expectation_allow_more(&x, e, k, 0, n);
		if (counted < x.low || counted > x.high)
			return RESPONSE_MISFIT;
		fit = RESPONSE_FIT;
	}
	return fit;
}

bool response_prepare(struct response_space *s)
{
	unsigned points = response_points(s);

	s->n_columns = 0;
	s->memory = malloc((size_t)(Q_COUNT + 1) * (points + 1) * sizeof *s->memory);
	if (!s->memory)
		return false;
	for (enum quantity q = 0; q < Q_COUNT; q++) {
		struct response_column *c = &s->column[s->n_columns];
		unsigned same = 0;

		*c = (struct response_column){.quantity = q,
					      .amount = s->memory + (size_t)s->n_columns * points};
		if (quantity_info[q].class != QUANTITY_ARCH || !fill(s, q, c))
			continue;
		while (same < s->n_columns &&
		       memcmp(s->column[same].amount, c->amount, points * sizeof *c->amount) != 0)
			same++;
		if (same < s->n_columns)
			s->column[same].others++;
		else
			s->n_columns++;
	}
	return true;
}

void response_free(struct response_space *s)
{
	free(s->kernel);
	free(s->memory);
	*s = (struct response_space){0};
}

/* --- sums ------------------------------------------------------------------------------------------- */

struct search {
	const struct response_space *s;
	struct response *best;
	unsigned weight; /* sum of the best one's coefficients */
	unsigned found;
};

/* Whether rest = coefficient * column, everywhere. */
static bool is_multiple(const struct response_space *s, const struct response_column *c, const int64_t *rest,
			int *coefficient)
{
	int64_t k = rest[c->pivot] / c->amount[c->pivot];

	if (!k || k > RESPONSE_COEFFICIENT || k < -RESPONSE_COEFFICIENT)
		return false;
	for (unsigned p = 0; p < response_points(s); p++)
		if (rest[p] != k * c->amount[p])
			return false;
	*coefficient = (int)k;
	return true;
}

static void take(struct search *f, const struct event_term *term, unsigned n)
{
	unsigned weight = 0;

	for (unsigned i = 0; i < n; i++)
		weight += (unsigned)abs(term[i].coefficient) * 2 + (term[i].coefficient < 0);
	f->found++;
	if (f->found > 1 && weight >= f->weight)
		return;
	f->weight = weight;
	f->best->n_terms = n;
	memcpy(f->best->term, term, n * sizeof *term);
}

/* All sums of n quantities, of which the first `fixed` are in term[]; `rest` is what they leave. */
static void search(struct search *f, struct event_term *term, unsigned fixed, unsigned n, unsigned from,
		   const int64_t *rest)
{
	const struct response_space *s = f->s;
	unsigned points = response_points(s);
	unsigned tried = n == RESPONSE_TERMS ? COEFFICIENTS_OF_THREE : sizeof coefficients;
	int64_t less[points];

	if (fixed + 1 == n) {
		for (unsigned j = from; j < s->n_columns; j++) {
			int k;

			if (!is_multiple(s, &s->column[j], rest, &k))
				continue;
			term[fixed] = (struct event_term){s->column[j].quantity, (int8_t)k};
			take(f, term, n);
		}
		return;
	}
	for (unsigned j = from; j < s->n_columns; j++)
		for (unsigned k = 0; k < tried; k++) {
			term[fixed] = (struct event_term){s->column[j].quantity, coefficients[k]};
			for (unsigned p = 0; p < points; p++)
				less[p] = rest[p] - coefficients[k] * s->column[j].amount[p];
			search(f, term, fixed + 1, n, j + 1, less);
		}
}

/* --- bounds ----------------------------------------------------------------------------------------- */

/* How many kernels define q and answer, none of them outside its bounds; 0 if one is. */
static unsigned within(const struct response_space *s, enum quantity q, const int64_t *count)
{
	unsigned answering = 0;

	for (unsigned i = 0; i < s->n_kernels; i++) {
		bool defined = true;

		for (unsigned m = 0; m < RESPONSE_MULTIPLES; m++) {
			struct amount a = kernel_amount(s->kernel[i], q, s->n * (m + 1));
			int64_t seen = count[i * RESPONSE_MULTIPLES + m] - own_share(s, q);

			defined &= a.defined && !a.overflow;
			if (defined && (seen < a.low || seen > a.high))
				return 0;
		}
		answering += defined && count[i * RESPONSE_MULTIPLES] > 0;
	}
	return answering;
}

void response_match(const struct response_space *s, const int64_t *count, struct response *out)
{
	struct event_term term[RESPONSE_TERMS];
	struct search f = {.s = s, .best = out};
	unsigned most = 0;

	*out = (struct response){.kind = RESPONSE_ZERO};
	for (unsigned i = 0; i < s->n_kernels; i++)
		out->kernels += count[i * RESPONSE_MULTIPLES] || count[i * RESPONSE_MULTIPLES + 1];
	if (!out->kernels)
		return;
	out->kind = RESPONSE_SUM;
	for (unsigned n = 1; n <= RESPONSE_TERMS; n++) {
		search(&f, term, 0, n, 0, count);
		if (!f.found)
			continue;
		out->others = f.found - 1;
		for (unsigned j = 0; n == 1 && j < s->n_columns; j++)
			if (s->column[j].quantity == out->term[0].quantity)
				out->others += s->column[j].others;
		return;
	}
	out->kind = RESPONSE_UNKNOWN;
	for (enum quantity q = 0; q < Q_COUNT; q++) {
		unsigned kernels = quantity_info[q].class == QUANTITY_MICRO ? within(s, q, count) : 0;

		if (kernels < LEAST_KNOWN || kernels <= most)
			continue;
		most = out->kernels = kernels;
		out->kind = RESPONSE_BOUNDED;
		out->n_terms = 1;
		out->term[0] = (struct event_term){q, 1};
	}
}

/* --- words ------------------------------------------------------------------------------------------ */

void response_say(const struct response_space *s, const struct response *r, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	switch (r->kind) {
	case RESPONSE_ZERO:
		text_append(text, size, n, "counts nothing on any of %u kernels", s->n_kernels);
		return;
	case RESPONSE_UNKNOWN:
		text_append(
			text, size, n,
			"counts like no known quantity, nor like a sum of up to %u (%u of %u kernels answer)",
			RESPONSE_TERMS, r->kernels, s->n_kernels);
		return;
	case RESPONSE_BOUNDED:
		text_append(
			text, size, n,
			"counts perhaps %s: within its bounds on all %u kernels that answer and define it",
			quantity_info[r->term[0].quantity].name, r->kernels);
		return;
	case RESPONSE_SUM:
		break;
	}
	n = text_append(text, size, n, "counts like ");
	for (unsigned i = 0; i < r->n_terms; i++) {
		int k = r->term[i].coefficient;

		n = text_append(text, size, n, "%s", !i ? (k < 0 ? "-" : "") : k < 0 ? " - " : " + ");
		if (abs(k) != 1)
			n = text_append(text, size, n, "%d ", abs(k));
		n = text_append(text, size, n, "%s", quantity_info[r->term[i].quantity].name);
	}
	n = text_append(text, size, n, " (all %u kernels, %u answer", s->n_kernels, r->kernels);
	if (r->others)
		n = text_append(text, size, n, "; %u other%s would do as well", r->others,
				r->others > 1 ? "s" : "");
	text_append(text, size, n, ")");
}

void response_signature(const struct response_space *s, const int64_t *count, char *text, size_t size)
{
	size_t used = 0;

	text[0] = 0;
	for (unsigned i = 0; i < s->n_kernels; i++) {
		int64_t one = count[i * RESPONSE_MULTIPLES], two = count[i * RESPONSE_MULTIPLES + 1];
		int64_t slope = (two - one) / (int64_t)s->n, fixed = one - slope * (int64_t)s->n;
		char item[128] = "";
		size_t length = 0;

		if (!one && !two)
			continue;
		length =
			text_append(item, sizeof item, length, "%s%s ", used ? ", " : "", s->kernel[i]->name);
		if ((two - one) % (int64_t)s->n)
			length = text_append(item, sizeof item, length, "%" PRId64 " and %" PRId64, one, two);
		else if (!slope)
			length = text_append(item, sizeof item, length, "%" PRId64, fixed);
		else if (slope == 1)
			length = text_append(item, sizeof item, length, "N");
		else
			length = text_append(item, sizeof item, length, "%" PRId64 "N", slope);
		if (slope && fixed && (two - one) % (int64_t)s->n == 0)
			length = text_append(item, sizeof item, length, "%s%" PRId64, fixed > 0 ? "+" : "",
					     fixed);
		if (used + length + sizeof ", ..." > size) {
			snprintf(text + used, size - used, ", ...");
			return;
		}
		memcpy(text + used, item, length + 1);
		used += length;
	}
}
