/* For assembly: names of the pieces of code that drivers put around a kernel. */
#ifndef PMU_CONTRACT_BRACKET_CODE_H
#define PMU_CONTRACT_BRACKET_CODE_H

/* clang-format off */

	.macro LABEL name
	.globl \name
\name:
	.endm

#endif
