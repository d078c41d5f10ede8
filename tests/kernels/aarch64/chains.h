/*
 * Chains for the kernels' flags KERNEL_SERVICE_CHAIN_: rings of pointers through as many lines as a cache cannot hold,
 * by the sizes that CCSIDR_EL1 tells.
 */
#ifndef TESTS_KERNELS_AARCH64_CHAINS_H
#define TESTS_KERNELS_AARCH64_CHAINS_H

#include <stdint.h>

/** What kernels find at KERNEL_PARAM_CHAIN. */
struct ring {
	uint64_t line;   /* address of one of its lines; kernels leave the next one here */
	uint64_t base;   /* of what each line has behind its pointer, of the first one */
	uint64_t mask;   /* of offsets in the ring */
	uint64_t offset; /* where stores that go from line to line come next */
};

/** Get the memory. Called once, before the machine is taken. */
void chains_create(void);

/** Why the ring that the flags ask for cannot be had, NULL if it can. */
const char *chain_missing(uint64_t flags);

/** Make the ring, unless it is there already, and tell it. The machine is taken. */
void chain_provide(uint64_t flags, struct ring *at);

#endif
