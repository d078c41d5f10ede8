/*
 * Memory types by address (MTRRs), which must be the same on all processors. SDM vol. 3, 11.11.
 */
#ifndef ARCH_X86_MACHINE_MTRR_H
#define ARCH_X86_MACHINE_MTRR_H

#include <stdbool.h>

/** Keep this processor's. The machine is taken. */
void mtrrs_keep(void);

/** Whether this processor has others than those that were kept. */
bool mtrrs_differ(void);

/** Give this processor those that were kept, if it has others. The machine is taken. */
void mtrrs_adopt(void);

#endif
