#include "tests/judge/expectation_level.h"
#include "tests/judge/event_seen.h"
#include "tests/kernels/handled.h"

/* Take off what handlers execute. */
static enum expectation_status without_handlers(const struct pmu_event *e, const struct kernel *k, uint64_t n,
						struct expectation *out)
{
	int64_t handled = 0;

	for (const struct event_term *t = e->terms; t < e->terms + EVENT_TERMS && t->coefficient; t++) {
		struct amount a = kernel_handled(k, t->quantity, n);
		int64_t part;

		if (!a.defined) {
			out->quantity = t->quantity;
			return out->status = EXPECTATION_UNDEFINED;
		}
		if (__builtin_mul_overflow(a.low, (int64_t)t->coefficient, &part) ||
		    __builtin_add_overflow(handled, part, &handled)) {
			out->quantity = t->quantity;
			return out->status = EXPECTATION_OVERFLOW;
		}
	}
	/* Without an end there is none less a part, and what is at least so much is at least nothing. */
	if (out->high == INT64_MAX) {
		out->low = out->low > handled ? out->low - handled : 0;
		return EXPECTATION_OK;
	}
	out->low -= handled;
	out->high -= handled;
	return EXPECTATION_OK;
}

enum expectation_status expectation_at_level(const struct pmu_event *e, const struct kernel *k, uint8_t level,
					     uint64_t n, const struct attribution *a, struct expectation *out)
{
	struct pmu_event seen;
	int64_t beyond;

	/* How a way to another level and back looks to a counter of this one, no manual says. */
	if (!event_seen_at(e, level, &seen) && !kernel_leaves_level(k)) {
		*out = (struct expectation){.quantity = seen.terms[0].quantity};
		return out->status = EXPECTATION_OK;
	}
	if (expectation(&seen, k, n, out) ||
	    (level && kernel_leaves_level(k) && without_handlers(&seen, k, n, out)))
		return out->status;
	beyond = attribution_beyond(a, e, k, level ? LEVELS_USER : LEVELS_ALL, n);
	out->low += beyond;
	if (out->high != INT64_MAX)
		out->high += beyond;
	return out->status = out->low < 0 ? EXPECTATION_NEGATIVE : EXPECTATION_OK;
}
