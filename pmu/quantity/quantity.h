/*
 * Quantities: the shared currency between events and kernels (pmu/quantity/quantity.def holds the list and
 * definitions).
 *
 * An event declares which quantities it counts, a kernel how much of each it produces; no expectation is ever
 * written by hand for a pair of the two.
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
	Q_COUNT
};

enum quantity_class { QUANTITY_ARCH, QUANTITY_MICRO };

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
	uint8_t quantity; /* enum quantity */
	uint32_t amount;
};

/** Amounts of all quantities. */
struct qvec {
	uint64_t v[Q_COUNT];
};

#endif
