/*
 * For assembly: names of the pieces of code that drivers put around a kernel.
 *
 * Example: a bracket's start, its argument in EDI, which the driver offers as struct pmu_bracket.
 *
 *     LABEL example_start
 *             movl %edi, %eax
 *             wrmsr
 *     LABEL example_start_end
 *
 *     extern const uint8_t example_start[], example_start_end[];
 *     *out = (struct pmu_bracket){.start = example_start, .start_end = example_start_end, .args = {mask}};
 */
#ifndef PMU_CONTRACT_BRACKET_CODE_H
#define PMU_CONTRACT_BRACKET_CODE_H

/* clang-format off */

	.macro LABEL name
	.globl \name
\name:
	.endm

#endif
