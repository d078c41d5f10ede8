#include "pmu/quantity/quantity.h"

#include <string.h>

/* What the instruction set calls a common one comes later, in place of the common name. */
#pragma GCC diagnostic ignored "-Woverride-init"
const struct quantity_info quantity_info[Q_COUNT] = {
#define QUANTITY(id, name, class, definition) [Q_##id] = {name, QUANTITY_##class},
#define QUANTITY_HERE(id, own, here)          [Q_##id].name = here,
#include "pmu/quantity/quantity.def"
#undef QUANTITY
};

enum quantity quantity_by_name(const char *name)
{
	for (unsigned q = 0; q < Q_COUNT; q++)
		if (!strcmp(quantity_info[q].name, name))
			return (enum quantity)q;
	return Q_COUNT;
}
