/*
 * Firmware that runs at EL2: the machine is taken at EL1, where counters count and code is stepped, and given
 * back at EL2 (Arm ARM, D1.7 and D13.2.45). EL2 keeps its own tables and vectors meanwhile, but for the way
 * back.
 */
#ifndef ARCH_AARCH64_EL2_H
#define ARCH_AARCH64_EL2_H

#include <stdint.h>

/** @return NULL, or why the machine cannot be taken from the level that firmware runs at */
const char *el2_refusal(void);

/** With exceptions masked: from EL2 to EL1, on the same stack, under the harness's tables; where it runs at
 * EL1, nothing. */
void el2_take(void);

/** How far the virtual clock is behind the physical one, as far as it is known: firmware's CNTVOFF_EL2, which
 * stays; 0 where EL1 was where it began. */
uint64_t el2_clock_offset(void);

/** Back to EL2, if el2_take() came from there: every register is as it was. */
void el2_give_back(void);

#endif
