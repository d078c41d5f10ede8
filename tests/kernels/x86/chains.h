/*
 * Chains for the kernels' flags KERNEL_SERVICE_CHAIN_: rings of pointers through lines that conflict in a
 * cache, or through more lines or pages than a level holds, built from the geometry that CPUID tells.
 */
#ifndef TESTS_KERNELS_X86_CHAINS_H
#define TESTS_KERNELS_X86_CHAINS_H

#include "tests/kernels/services.h"
#include "tests/kernels/x86/kernel.h"

/** Get the memory, and views of it in large pages. Called once, before the machine is taken. */
void chains_create(void);

/** Why the chain that the flags ask for cannot be had, NULL if it can. */
const char *chain_missing(uint64_t flags);

/** Make the chain, unless it is there already, and put an element of it into params->chain. Memory must be
 * mapped as the kernel sees it. */
void chain_provide(uint64_t flags, struct kernel_params *params);

#endif
