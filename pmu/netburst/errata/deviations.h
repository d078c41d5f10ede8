/*
 * Deviations that inject= switches on in the NetBurst model, and what they have to remember. hooks.h says
 * what they do.
 */
#ifndef PMU_NETBURST_ERRATA_DEVIATIONS_H
#define PMU_NETBURST_ERRATA_DEVIATIONS_H

#include "pmu/contract/model.h"
#include "pmu/netburst/registers.h"

/** The order is that of netburst_injections[]. */
enum netburst_injection {
#define NETBURST_INJECTION(id, name, summary) INJECT_##id,
#include "pmu/netburst/errata/injections.def"
#undef NETBURST_INJECTION
};

struct netburst_deviations {
	struct model_injected active;
	bool repeat;       /* the last request is not over while OVF is set */
	bool late;         /* the interrupt of a threshold is still to come */
	uint8_t skid;      /* counter whose record is still to be written, plus 1; 0: none */
	unsigned branches; /* traced */
	uint32_t noise;
	uint64_t carry_step[NETBURST_COUNTERS]; /* when the low half of the counter wrapped last */
};

#endif
