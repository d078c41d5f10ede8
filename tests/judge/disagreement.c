#include "tests/judge/truth.h"

bool truth_agrees_on(const struct kernel *k, enum quantity q, uint64_t n, enum transaction_outcome outcome,
		     uint64_t seen, struct amount *declared)
{
	int64_t meant;

	*declared = kernel_amount(k, q, n);
	meant = outcome == OUTCOME_COMMIT ? declared->high : declared->low;
	return !declared->overflow && meant >= 0 && seen == (uint64_t)meant &&
	       declared->low <= declared->high;
}

enum quantity truth_disagrees(const struct kernel *k, uint64_t n, enum transaction_outcome outcome,
			      const struct qvec *seen, struct amount *declared)
{
	for (enum quantity q = 0; q < Q_COUNT; q++)
		if (quantity_info[q].class == QUANTITY_ARCH &&
		    !truth_agrees_on(k, q, n, outcome, seen->v[q], declared))
			return q;
	return Q_COUNT;
}
