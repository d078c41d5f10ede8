/*
 * Which x86 processor this is, as errata name them.
 */
#ifndef PMU_X86_PROCESSOR_H
#define PMU_X86_PROCESSOR_H

#include "pmu/contract/erratum.h"

/** Of the CPU that executes this; in the code that is stepped, of the virtual one. */
struct erratum_processor x86_processor(void);

#endif
