#include "pmu/x86/processor.h"

#include "arch/x86/cpu/cpuid.h"

/* SDM vol. 2, CPUID: the extended family counts from 15 on, the extended model in family 6 and from 15 on. */
struct erratum_processor x86_processor(void)
{
	uint32_t signature = cpuid(1, 0).eax;
	unsigned family = signature >> 8 & 15, model = signature >> 4 & 15;

	if (family == 6 || family == 15)
		model |= (signature >> 16 & 15) << 4;
	if (family == 15)
		family += signature >> 20 & 255;
	return (struct erratum_processor){family, model, signature & 15};
}
