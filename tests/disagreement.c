#include "tests/truth.h"

enum quantity truth_disagrees(const struct kernel *k, uint64_t n, const struct qvec *seen,
			      struct amount *declared)
{
	for (enum quantity q = 0; q < Q_COUNT; q++) {
		if (quantity_info[q].class != QUANTITY_ARCH)
			continue;
		*declared = kernel_amount(k, q, n);
		if (declared->overflow || declared->low < 0 || seen->v[q] < (uint64_t)declared->low ||
		    declared->high < 0 || seen->v[q] > (uint64_t)declared->high)
			return q;
	}
	return Q_COUNT;
}
