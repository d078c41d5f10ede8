#include "pmu/intel/events/cores.h"

#include <string.h>

int intel_core(uint32_t signature, uint32_t hybrid)
{
	/* SDM vol. 2, CPUID, leaf 1: the extended fields belong to these families. */
	unsigned family = signature >> 8 & 15, model = signature >> 4 & 15, stepping = signature & 15;
	if (family == 6 || family == 15)
		model |= signature >> 12 & 0xf0;
	if (family == 15)
		family += signature >> 20 & 0xff;

	for (unsigned i = 0; i < intel_cpu_count; i++) {
		const struct intel_cpu *c = &intel_cpus[i];
		if (c->family == family && c->model == model && c->steppings >> stepping & 1 &&
		    (!c->kind || (c->kind == hybrid >> 24 && c->native == (hybrid & 0xffffff))))
			return c->core;
	}
	return INTEL_NO_CORE;
}

int intel_core_by_name(const char *name)
{
	for (unsigned i = 0; i < intel_core_count; i++)
		if (!strcmp(intel_core_names[i], name))
			return (int)i;
	return INTEL_NO_CORE;
}
