/*
 * What is told of a check while it runs, store by store.
 */
#ifndef ARCH_X86_MACHINE_BREADCRUMBS_INTERNAL_H
#define ARCH_X86_MACHINE_BREADCRUMBS_INTERNAL_H

#include <stdint.h>

/** msr.S knows the offsets of number and value. */
struct breadcrumbs_live {
	uint32_t number; /* MSR that was last written; 0: none */
	uint32_t step;
	uint64_t value;
};

extern struct breadcrumbs_live *breadcrumbs_live;

#endif
