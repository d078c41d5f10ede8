#include "tests/expectation_ring.h"
#include "tests/kernels/handled.h"

enum expectation_status expectation_in_ring(const struct pmu_event *e, const struct kernel *k, uint8_t ring,
					    uint64_t n, struct expectation *out)
{
	int64_t handled = 0;

	if (expectation(e, k, n, out) || !ring || !kernel_leaves_ring(k))
		return out->status;
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
	out->low -= handled;
	out->high -= handled;
	return out->status = out->low < 0 ? EXPECTATION_NEGATIVE : EXPECTATION_OK;
}
