#include "tests/judge/bounds.h"
#include "tests/judge/bound_rows.h"
#include "tests/kernels/kernel.h"

/*
 * What befalls instructions that retire, or what they alone lead to: with none of these there is exactly
 * nothing of it. The bracket neither branches nor accesses memory, and its first instruction waits until
 * earlier stores are done.
 */
static const struct bound_cause common[] = {
	{Q_BR_MISPRED, {Q_BRANCHES}},
	{Q_L1D_LOAD_MISS, {Q_LOADS}},
	{Q_L2_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_LOAD_MISS, {Q_LOADS}},
	{Q_DTLB_STORE_MISS, {Q_STORES}},
	{Q_DTLB_LOAD_STLB, {Q_LOADS}},
	{Q_DTLB_STORE_STLB, {Q_STORES, BOUND_PUSHES}},
	{Q_STORE_FORWARD_BLOCK, {Q_LOADS}},
};

static const struct bound_cause *cause_in(const struct bound_cause *causes, unsigned n, enum quantity q)
{
	for (unsigned i = 0; i < n; i++)
		if (causes[i].quantity == q)
			return &causes[i];
	return NULL;
}

static const struct bound_cause *find_cause(enum quantity q)
{
	const struct bound_cause *found = cause_in(common, sizeof common / sizeof common[0], q);

	return found ? found : cause_in(bounds_instruction_set.causes, bounds_instruction_set.n_causes, q);
}

static bool lacks_cause(const struct kernel *k, enum quantity q, uint64_t n)
{
	const struct bound_cause *found = find_cause(q);

	if (!found)
		return false;
	for (const quantity_number *c = found->cause;
	     c < found->cause + sizeof found->cause / sizeof found->cause[0] && *c; c++) {
		struct amount cause = kernel_amount(k, *c, n);

		if (cause.overflow || cause.low || cause.high)
			return false;
	}
	return true;
}

static const struct bound *find_row(enum quantity q)
{
	for (unsigned i = 0; i < bounds_instruction_set.n_rows; i++)
		if (bounds_instruction_set.rows[i].quantity == q)
			return &bounds_instruction_set.rows[i];
	return NULL;
}

static bool add_part(int64_t *sum, const struct bound_part *p, const struct kernel *k, uint64_t n, bool high)
{
	struct amount a;
	int64_t product;

	if ((p->flags && !(k->flags & p->flags)) || k->flags & p->unless)
		return true;
	a = bounds_amount(k, p->of, n);
	return !a.overflow &&
	       !__builtin_mul_overflow(high == (p->times > 0) ? a.high : a.low, (int64_t)p->times,
				       &product) &&
	       !__builtin_add_overflow(*sum, product / p->per, sum);
}

struct amount bounds_amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount r = kernel_amount(k, q, n);
	const struct bound *b = r.defined ? NULL : find_row(q);

	if (!b)
		return r;
	if (lacks_cause(k, q, n))
		return (struct amount){.defined = true};
	r = (struct amount){.defined = true, .low = b->low, .high = b->high, .reason = b->reason};
	for (const struct bound_part *p = b->low_parts; p && p->times; p++)
		r.overflow |= !add_part(&r.low, p, k, n, false);
	if (r.low < 0)
		r.low = 0;
	for (const struct bound_part *p = b->high_parts; p && p->times; p++)
		r.overflow |= !add_part(&r.high, p, k, n, true);
	return r;
}
