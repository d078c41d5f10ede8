/*
 * Quantities: the shared currency between events and kernels. pmu/quantity/common.def and the instruction
 * set's own list beside it hold names and definitions. The one vocabulary that every layer may include; it
 * includes nothing.
 *
 * An event declares which quantities it counts, a kernel how much of each it produces; no expectation is ever
 * written by hand for a pair of the two.
 *
 * Example: what an instruction that loads twice and branches adds to a total.
 *
 *     static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 2}, {Q_BRANCHES, 1}};
 *     qvec_add(&total, terms, 3);
 */
#ifndef PMU_QUANTITY_QUANTITY_H
#define PMU_QUANTITY_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum quantity {
#define QUANTITY(id, name, class, definition) Q_##id,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
	Q_COUNT,
/* Common ones by the instruction set's own identifiers. */
#define QUANTITY(id, name, class, definition)
#define QUANTITY_HERE(id, own, name) Q_##own = Q_##id,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
};

enum quantity_class { QUANTITY_ARCH, QUANTITY_MICRO };

/** A quantity where it is stored: an enum quantity in 16 bits. */
typedef uint16_t quantity_number;
_Static_assert(Q_COUNT <= UINT16_MAX, "a quantity_number has room for every quantity");

struct quantity_info {
	const char *name;
	enum quantity_class class;
};

/** One row per quantity, indexed by enum quantity. */
extern const struct quantity_info quantity_info[Q_COUNT];

/** Look a quantity up by its name ("br.cond.taken"); Q_COUNT if there is none. */
enum quantity quantity_by_name(const char *name);

/** An amount of one quantity, as instructions contribute it. */
struct qterm {
	quantity_number quantity;
	uint32_t amount;
};

/** Amounts of all quantities. */
struct qvec {
	uint64_t v[Q_COUNT];
};

/** Add terms to a total. */
static inline void qvec_add(struct qvec *total, const struct qterm *terms, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		total->v[terms[i].quantity] += terms[i].amount;
}

#endif
