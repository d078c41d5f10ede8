#include "tests/judge/histogram.h"

static struct {
	uint64_t owner;
	int64_t value;
	unsigned frequency;
	uint32_t next; /* of the same owner, if it still is that owner's */
} store[HISTOGRAM_STORE];
static uint32_t next_free;
static uint64_t owners;

static unsigned own(const struct histogram *h)
{
	return h->distinct < HISTOGRAM_OWN ? h->distinct : HISTOGRAM_OWN;
}

static bool is_its(const struct histogram *h, uint32_t at)
{
	return h->owner && store[at].owner == h->owner;
}

bool histogram_next(const struct histogram *h, struct histogram_entry *e)
{
	unsigned i = e->listed;

	if (i < own(h)) {
		e->value = h->value[i];
		e->frequency = h->frequency[i];
		e->listed++;
		return true;
	}
	if (i >= own(h) + h->stored)
		return false;
	e->at = i == own(h) ? h->first : store[e->at].next;
	if (!is_its(h, e->at))
		return false;
	e->value = store[e->at].value;
	e->frequency = store[e->at].frequency;
	e->listed++;
	return true;
}

unsigned histogram_unlisted(const struct histogram *h)
{
	struct histogram_entry e = {0};
	unsigned left = h->total;

	while (histogram_next(h, &e))
		left -= e.frequency;
	return left;
}

/* Put it into the store, at the end of the list. */
static void append(struct histogram *h, int64_t value)
{
	uint32_t at = next_free;

	/* The oldest go first: where the first one is gone, the rest is not found any more. */
	if (!h->stored || !is_its(h, h->first)) {
		h->owner = ++owners;
		h->first = at;
		h->stored = 0;
	} else {
		store[h->last].next = at;
	}
	next_free = (next_free + 1) % HISTOGRAM_STORE;
	store[at].owner = h->owner;
	store[at].value = value;
	store[at].frequency = 1;
	h->last = at;
	h->stored++;
}

/* Keep the own ones in order when the i-th has become more frequent. */
static void raise(struct histogram *h, unsigned i)
{
	for (; i > 0 && h->frequency[i - 1] < h->frequency[i]; i--) {
		int64_t value = h->value[i];
		unsigned frequency = h->frequency[i];

		h->value[i] = h->value[i - 1];
		h->frequency[i] = h->frequency[i - 1];
		h->value[i - 1] = value;
		h->frequency[i - 1] = frequency;
	}
}

/* One more of a value in the store, which changes places with the rarest of the own ones when it overtakes
 * it. */
static void count_stored(struct histogram *h, uint32_t at)
{
	const unsigned rarest = HISTOGRAM_OWN - 1;
	int64_t value = store[at].value;
	unsigned frequency = ++store[at].frequency;

	if (frequency <= h->frequency[rarest])
		return;
	store[at].value = h->value[rarest];
	store[at].frequency = h->frequency[rarest];
	h->value[rarest] = value;
	h->frequency[rarest] = frequency;
	raise(h, rarest);
}

void histogram_add(struct histogram *h, int64_t value)
{
	struct histogram_entry e = {0};

	if (h->total == 0 || value < h->min)
		h->min = value;
	if (h->total == 0 || value > h->max)
		h->max = value;
	h->total++;
	while (histogram_next(h, &e))
		if (e.value == value) {
			if (e.listed > HISTOGRAM_OWN) {
				count_stored(h, e.at);
			} else {
				h->frequency[e.listed - 1]++;
				raise(h, e.listed - 1);
			}
			return;
		}
	if (h->distinct < HISTOGRAM_OWN) {
		h->value[h->distinct] = value;
		h->frequency[h->distinct] = 1;
	} else if (e.listed < HISTOGRAM_MOST) {
		append(h, value);
	}
	h->distinct++;
}

void histogram_merge(struct histogram *h, const struct histogram *other)
{
	unsigned unlisted = histogram_unlisted(other);
	struct histogram_entry e = {0};

	while (histogram_next(other, &e))
		for (unsigned i = 0; i < e.frequency; i++)
			histogram_add(h, e.value);
	if (!unlisted)
		return;
	if (other->min < h->min)
		h->min = other->min;
	if (other->max > h->max)
		h->max = other->max;
	h->total += unlisted;
	h->distinct += unlisted;
}

void histogram_shift(struct histogram *h, int64_t by)
{
	struct histogram_entry e = {0};

	h->min += by;
	h->max += by;
	while (histogram_next(h, &e))
		*(e.listed > HISTOGRAM_OWN ? &store[e.at].value : &h->value[e.listed - 1]) += by;
}

int64_t histogram_mode(const struct histogram *h)
{
	return h->total ? h->value[0] : 0;
}
