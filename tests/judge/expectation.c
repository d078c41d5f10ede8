#include "tests/judge/expectation.h"
#include "tests/judge/bounds.h"

#include <inttypes.h>
#include <stdio.h>

/* *sum += coefficient * amount; false if it does not fit. */
static bool add_term(int64_t *sum, int coefficient, int64_t amount)
{
	int64_t product;

	return !__builtin_mul_overflow(amount, (int64_t)coefficient, &product) &&
	       !__builtin_add_overflow(*sum, product, sum);
}

/* Whether the exception that event e has is met in kernel k. */
static bool follows_rule(const struct pmu_event *e, const struct kernel *k, uint64_t n)
{
	if (!e->rule)
		return false;
	for (const struct event_term *t = e->rule->also; t->coefficient; t++)
		if (bounds_amount(k, t->quantity, n).high)
			return true;
	return false;
}

static enum expectation_status fail(struct expectation *out, enum expectation_status status, enum quantity q)
{
	out->quantity = q;
	return out->status = status;
}

/* With a counter mask at most one a cycle is counted, with edge detection one in two cycles. */
static void cap(struct expectation *x, const struct pmu_event *e, const struct kernel *k, uint64_t n)
{
	struct amount cycles;
	int64_t most;

	if (!(e->flags & (EVENT_MASKED | EVENT_EDGES)))
		return;
	cycles = bounds_amount(k, Q_CYCLES, n);
	if (!cycles.defined || cycles.overflow)
		return;
	most = e->flags & EVENT_EDGES ? cycles.high / 2 + 1 : cycles.high;
	if (x->high > most)
		x->high = most;
	if (x->low > most)
		x->low = most;
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
	if (follows_rule(e, k, n))
		out->rule = e->rule;
	cap(out, e, k, n);
	return EXPECTATION_OK;
}

/* What a list allows at most; INT64_MAX if that cannot be told. */
static int64_t allowance(const struct event_allowance *m, bool any, const struct kernel *k, uint64_t n)
{
	int64_t sum = 0;

	for (; m->times; m++) {
		struct amount a;

		if (m->again && !any)
			continue;
		a = bounds_amount(k, m->quantity, n);
		if (a.overflow || !add_term(&sum, m->times, a.high))
			return INT64_MAX;
	}
	return sum;
}

static void allow(struct expectation *x, int64_t more)
{
	if (__builtin_add_overflow(x->high, more, &x->high))
		x->high = INT64_MAX;
}

/* @return the sum of a floor's terms, of their low ends or of their high ones; 0: nothing is forced */
static int64_t floor_sum(const struct event_floor *f, const struct kernel *k, uint64_t n, bool high)
{
	int64_t sum = 0;

	if (f && kernel_amount(k, Q_LEVEL_TO_SYSTEM, n).high)
		return 0; /* a part of the kernel counts elsewhere */
	for (unsigned i = 0; f && i < FLOOR_TERMS && f->of[i].coefficient; i++) {
		struct amount a = bounds_amount(k, f->of[i].quantity, n);
		bool upper = high == (f->of[i].coefficient > 0);

		if (!a.defined || a.overflow || !add_term(&sum, f->of[i].coefficient, upper ? a.high : a.low))
			return 0;
	}
	return sum > 0 ? sum : 0;
}

int64_t expectation_floor(const struct pmu_event *e, const struct kernel *k, uint64_t n)
{
	int64_t sum = floor_sum(e->floor, k, n, false);

	return sum ? sum / e->floor->per : 0;
}

int64_t expectation_top(const struct pmu_event *e, const struct kernel *k, uint64_t n)
{
	const struct event_floor *f = e->floor;

	if (!f || !f->over || !expectation_floor(e, k, n))
		return INT64_MAX;
	return (floor_sum(f, k, n, true) + f->per - 1) / f->per + f->over;
}

/* Where a floor is an upper end, too. */
static void hold(struct expectation *x, const struct pmu_event *e, const struct kernel *k, uint64_t n)
{
	int64_t top = expectation_top(e, k, n);

	if (x->high > top) {
		x->high = top;
		x->reason = e->floor->text;
	}
}

static void leave_out(struct expectation *x, int64_t less)
{
	x->low = x->low > less ? x->low - less : 0;
}

void expectation_allow_more(struct expectation *x, const struct pmu_event *e, const struct kernel *k,
			    uint8_t level, uint64_t n)
{
	const struct event_rule *r = e->rule;
	int64_t low = x->low, high = x->high, floor;

	if (x->status != EXPECTATION_OK)
		return;
	floor = expectation_floor(e, k, n);
	if (floor > x->low) {
		low = x->low = floor;
		x->reason = e->floor->text;
	}
	hold(x, e, k, n);
	if (e->judgement == EVENT_TIME || !r)
		return;
	if (e->judgement == EVENT_AT_LEAST) {
		if (r->fold) {
			x->low /= r->fold;
			if (__builtin_mul_overflow(x->high, r->fold, &x->high))
				x->high = INT64_MAX;
		}
		allow(x, allowance(r->may, high > 0, k, n));
		allow(x, r->edge);
	}
	allow(x, allowance(r->unsaid, high > 0, k, n));
	leave_out(x, allowance(r->less, high > 0, k, n));
	if (x->low != low || x->high != high)
		x->reason = r->text;
	if (r->deliveries) {
		high = x->high;
		allow(x, allowance(level ? r->deliveries->user : r->deliveries->all, high > 0, k, n));
		if (x->high != high)
			x->reason = r->deliveries->text;
	}
	cap(x, e, k, n);
	hold(x, e, k, n);
}

enum expectation_status expectation_fits(struct expectation *e, int64_t share, uint64_t highest)
{
	int64_t top = highest > INT64_MAX ? INT64_MAX : (int64_t)highest;
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
		for (const struct qterm *own = b->own; own < b->own + sizeof b->own / sizeof *b->own && own->amount; own++)
			if (own->quantity == t->quantity)
				share += (int64_t)t->coefficient * own->amount;
	return share;
}
