#include "tests/kernels/kernel.h"
#include "tests/judge/check.h"

#include <string.h>

#define FALSIFIED_MAX 8

static struct falsified {
	const struct kernel *kernel;
	enum quantity quantity;
	enum amount_end end;
	int64_t delta_a, delta_b;
} falsified[FALSIFIED_MAX];
static unsigned n_falsified;

static const struct kernel *lacking;
static const struct qvec *lacks;

bool kernel_falsify_end(const struct kernel *k, enum quantity q, enum amount_end end, int64_t delta_a,
			int64_t delta_b)
{
	if (n_falsified == FALSIFIED_MAX)
		return false;
	falsified[n_falsified++] = (struct falsified){k, q, end, delta_a, delta_b};
	return true;
}

bool kernel_falsify(const struct kernel *k, enum quantity q, int64_t delta_a, int64_t delta_b)
{
	return kernel_falsify_end(k, q, AMOUNT_BOTH, delta_a, delta_b);
}

void kernel_restore_last(void)
{
	if (n_falsified)
		n_falsified--;
}

void kernel_restore(void)
{
	n_falsified = 0;
}

void kernel_leave_out(const struct kernel *k, const struct qvec *amounts)
{
	lacking = k;
	lacks = amounts;
}

const struct kernel *kernel_by_name(const char *name)
{
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		if (*k->name == *name && strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

bool kernel_selected(const struct kernel *k, const char *globs)
{
	if (!globs || !*globs)
		return k->flags & KERNEL_CORE;
	if (glob_has(globs, "full") || (glob_has(globs, "core") && k->flags & KERNEL_CORE))
		return true;
	return glob_match(globs, k->name) && !(k->flags & KERNEL_FINER && strcmp(globs, "all") == 0);
}

/* a*n + b; false if it does not fit. */
static bool linear(int64_t a, uint64_t n, int64_t b, int64_t *out)
{
	int64_t product;

	return !__builtin_mul_overflow(a, n, &product) && !__builtin_add_overflow(product, b, out);
}

/* *sum += a*n + b; false if it does not fit. */
static bool add_linear(int64_t *sum, int64_t a, uint64_t n, int64_t b)
{
	int64_t amount;

	return linear(a, n, b, &amount) && !__builtin_add_overflow(*sum, amount, sum);
}

static struct {
	const struct kernel *kernel;
	unsigned count;
	uint64_t n[KERNEL_OBSERVED];
	struct qvec amounts[KERNEL_OBSERVED];
} observed;

void kernel_observe(const struct kernel *k, uint64_t n, const struct qvec *amounts)
{
	if (!amounts || observed.kernel != k)
		observed.count = 0;
	observed.kernel = k;
	if (!amounts || observed.count == KERNEL_OBSERVED)
		return;
	observed.n[observed.count] = n;
	observed.amounts[observed.count++] = *amounts;
}

static struct amount observed_amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount r = {0};

	for (unsigned i = 0; i < observed.count && observed.kernel == k; i++)
		if (observed.n[i] == n && quantity_info[q].class == QUANTITY_ARCH) {
			r.defined = true;
			r.low = r.high = (int64_t)observed.amounts[i].v[q];
		}
	return r;
}

struct amount kernel_amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	if (k->flags & KERNEL_OWN)
		return observed_amount(k, q, n);

	struct amount r = {.defined = quantity_info[q].class == QUANTITY_ARCH};

	for (const struct signature_exact *l = k->exact; l < k->exact_end; l++) {
		if (l->quantity != (uint64_t)q)
			continue;
		r.defined = true;
		r.overflow = !linear(l->a, n, l->b, &r.low);
		r.high = r.low;
		break;
	}
	for (const struct signature_range *l = k->range; l < k->range_end; l++) {
		if (l->quantity != (int64_t)q)
			continue;
		r.defined = true;
		r.overflow =
			!linear(l->a_low, n, l->b_low, &r.low) || !linear(l->a_high, n, l->b_high, &r.high);
		r.reason = l->reason;
		break;
	}
	for (const struct falsified *f = falsified; f < falsified + n_falsified; f++)
		if (f->kernel == k && f->quantity == q &&
		    (((f->end & AMOUNT_LOW) && !add_linear(&r.low, f->delta_a, n, f->delta_b)) ||
		     ((f->end & AMOUNT_HIGH) && !add_linear(&r.high, f->delta_a, n, f->delta_b))))
			r.overflow = true;
	if (lacking == k) {
		r.low -= (int64_t)lacks->v[q];
		r.high -= (int64_t)lacks->v[q];
	}
	return r;
}
