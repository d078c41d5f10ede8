#include "tests/verdict.h"

void histogram_add(struct histogram *h, int64_t value)
{
	unsigned kept = h->distinct < VERDICT_DISTINCT ? h->distinct : VERDICT_DISTINCT;
	unsigned i = 0;

	if (h->total == 0 || value < h->min)
		h->min = value;
	if (h->total == 0 || value > h->max)
		h->max = value;
	h->total++;

	while (i < kept && h->value[i] != value)
		i++;
	if (i == kept) {
		h->distinct++;
		if (kept == VERDICT_DISTINCT)
			return;
		h->value[i] = value;
		h->frequency[i] = 0;
	}
	h->frequency[i]++;

	for (; i > 0 && h->frequency[i - 1] < h->frequency[i]; i--) {
		unsigned f = h->frequency[i];

		h->value[i] = h->value[i - 1];
		h->frequency[i] = h->frequency[i - 1];
		h->value[i - 1] = value;
		h->frequency[i - 1] = f;
	}
}

int64_t histogram_mode(const struct histogram *h)
{
	return h->total ? h->value[0] : 0;
}
