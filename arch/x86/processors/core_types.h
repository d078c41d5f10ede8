/*
 * What type of core a processor is (arch/processors.h), by what CPUID says there. Pure: CPUID is read through
 * a function.
 *
 * A type is a PMU: kind and native model (SDM vol. 2, CPUID leaf 1AH), architectural performance monitoring
 * (leaves 0AH and 23H), and whether there is a level-3 cache (leaf 4), which events count. Of a hybrid CPU's
 * efficiency cores those without one are the low-power ones if others have one: Meteor Lake's two kinds are
 * alike in leaf 1AH (Crestmont, native model 2; Linux tells apart Arrow Lake's, Skymont with 3 from Crestmont
 * with 2), and Intel's own power daemon (intel-lpmd, lpmd_cpu.c) goes by the cache. Lunar Lake's efficiency
 * cores have none either, and are no such: there are no others.
 */
#ifndef ARCH_X86_PROCESSORS_CORE_TYPES_H
#define ARCH_X86_PROCESSORS_CORE_TYPES_H

#include "arch/processors.h"
#include "arch/x86/cpu/topology.h"

typedef topology_cpuid core_cpuid;

/** .word gets EAX to EDX of leaf 1AH, 0AH and 23H (subleaves 0 and 1), 0 where there is none; .core is
 * CPUID.1AH:EAX[31:24], .kind that of a hybrid CPU; .far_cache is the third level. */
void core_identify(struct processor_type *out, core_cpuid *read, const void *context);

#endif
