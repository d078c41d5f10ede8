/*
 * What the injected deviations do to counts. Those that belong to a register or to overflow are applied where
 * that is modelled.
 */
#include "pmu/netburst/model/model.h"

const struct model_injection netburst_injections[] = {
#define NETBURST_INJECTION(id, name, summary) {name, summary},
#include "pmu/netburst/model/injections.def"
#undef NETBURST_INJECTION
	{NULL, NULL},
};
_Static_assert(sizeof netburst_injections / sizeof *netburst_injections <= MODEL_INJECTIONS_MAX + 1,
	       "a bit of struct model_injected for each");

uint64_t netburst_distort(struct netburst_state *s, unsigned c, uint64_t amount)
{
	if (injected(s, INJECT_NOISY) && amount) {
		s->noise = s->noise * 1103515245 + 12345;
		amount += s->noise >> 16 & 63 ? 0 : 1;
	}
	if (injected(s, INJECT_X16))
		amount *= 16;
	if (injected(s, INJECT_DEAD) || (injected(s, INJECT_DEAD_COUNTER) && c == NETBURST_COUNTERS - 1))
		amount = 0;
	return amount;
}
