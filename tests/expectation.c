#include "tests/expectation.h"
#include "tests/bounds.h"

#include <inttypes.h>
#include <stdio.h>

/* What speculation, replays and prefetchers can add, generously: still a number that a broken counter can
 * miss. */
#define MORE_TIMES 16
#define MORE_FIXED 1000

/* *sum += coefficient * amount; false if it does not fit. */
static bool add_term(int64_t *sum, int coefficient, int64_t amount)
{
	int64_t product;

	return !__builtin_mul_overflow(amount, (int64_t)coefficient, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

static enum expectation_status fail(struct expectation *out, enum expectation_status status, enum quantity q)
{
	out->quantity = q;
	return out->status = status;
}

enum expectation_status expectation(const struct pmu_event *e, const struct kernel *k, uint64_t n,
				    struct expectation *out)
{
	*out = (struct expectation){.quantity = e->terms[0].quantity};
	if (e->terms[0].coefficient == 0)
		return fail(out, EXPECTATION_NO_TERMS, Q_COUNT);

	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++) {
		struct amount a = {0};

		if (t->quantity < Q_COUNT)
			a = bounds_amount(k, t->quantity, n);
		if (!a.defined)
			return fail(out, EXPECTATION_UNDEFINED, t->quantity);
		if (a.overflow || !add_term(&out->low, t->coefficient, t->coefficient > 0 ? a.low : a.high) ||
		    !add_term(&out->high, t->coefficient, t->coefficient > 0 ? a.high : a.low))
			return fail(out, EXPECTATION_OVERFLOW, t->quantity);
		if (a.reason)
			out->reason = a.reason;
	}
	if (out->high < 0)
		return fail(out, EXPECTATION_NEGATIVE, out->quantity);
	if (out->low < 0)
		out->low = 0;
	return EXPECTATION_OK;
}

void expectation_allow_more(struct expectation *x, const struct pmu_event *e)
{
	if (x->status != EXPECTATION_OK || e->judgement != EVENT_AT_LEAST)
		return;
	if (__builtin_mul_overflow(x->high, MORE_TIMES, &x->high) ||
	    __builtin_add_overflow(x->high, MORE_FIXED, &x->high))
		x->high = INT64_MAX;
	x->reason = e->rule;
}

enum expectation_status expectation_fits(struct expectation *e, int64_t share, unsigned width)
{
	int64_t top = width >= 63 ? INT64_MAX : (INT64_C(1) << width) - 1;
	int64_t bound = e->high == INT64_MAX ? e->low : e->high, raw;

	if (__builtin_add_overflow(bound, share, &raw) || raw > top)
		e->status = EXPECTATION_TOO_WIDE;
	return e->status;
}

void expectation_explain(const struct expectation *e, const struct kernel *k, uint64_t n, char *text,
			 size_t size)
{
	const char *quantity = e->quantity < Q_COUNT ? quantity_info[e->quantity].name
						     : "the quantity that its row names: there is none";

	switch (e->status) {
	case EXPECTATION_OK:
		snprintf(text, size, "expected %" PRId64 " to %" PRId64, e->low, e->high);
		break;
	case EXPECTATION_UNDEFINED:
		snprintf(text, size, "kernel %s does not define %s", k->name, quantity);
		break;
	case EXPECTATION_OVERFLOW:
		snprintf(text, size, "N = %" PRIu64 " is too large: %s of kernel %s does not fit 64 bits", n,
			 quantity, k->name);
		break;
	case EXPECTATION_TOO_WIDE:
		snprintf(text, size, "N = %" PRIu64 " is too large: %s of kernel %s overflows the counter", n,
			 quantity, k->name);
		break;
	case EXPECTATION_NEGATIVE:
		snprintf(text, size, "the event's terms give %" PRId64 " on kernel %s: less than nothing",
			 e->high, k->name);
		break;
	case EXPECTATION_NO_TERMS:
		snprintf(text, size, "the event declares no quantity");
		break;
	}
}

int64_t bracket_share(const struct pmu_bracket *b, const struct pmu_event *e)
{
	int64_t share = 0;

	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++)
		for (const struct qterm *own = b->own; own < b->own + 16 && own->amount; own++)
			if (own->quantity == t->quantity)
				share += (int64_t)t->coefficient * own->amount;
	return share;
}
