#include "tests/truth.h"

bool truth_agrees_on(const struct kernel *k, enum quantity q, uint64_t n, uint64_t seen,
		     struct amount *declared)
{
	*declared = kernel_amount(k, q, n);
	return !declared->overflow && declared->low >= 0 && seen >= (uint64_t)declared->low &&
	       declared->high >= 0 && seen <= (uint64_t)declared->high;
}

enum quantity truth_disagrees(const struct kernel *k, uint64_t n, const struct qvec *seen,
			      struct amount *declared)
{
	for (enum quantity q = 0; q < Q_COUNT; q++)
		if (quantity_info[q].class == QUANTITY_ARCH &&
		    !truth_agrees_on(k, q, n, seen->v[q], declared))
			return q;
	return Q_COUNT;
}
