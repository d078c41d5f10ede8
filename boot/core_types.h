/*
 * What type of core a processor is, by what CPUID says there. Pure: CPUID is read through a function.
 *
 * A type is a PMU: kind and native model (SDM vol. 2, CPUID leaf 1AH), architectural performance monitoring
 * (leaves 0AH and 23H), and whether there is a level-3 cache (leaf 4), which events count. Of a hybrid CPU's
 * efficiency cores those without one are the low-power ones if others have one: Meteor Lake's two kinds are
 * alike in leaf 1AH (Crestmont, native model 2; Linux tells apart Arrow Lake's, Skymont with 3 from Crestmont
 * with 2), and Intel's own power daemon (intel-lpmd, lpmd_cpu.c) goes by the cache. Lunar Lake's efficiency
 * cores have none either, and are no such: there are no others.
 */
#ifndef BOOT_CORE_TYPES_H
#define BOOT_CORE_TYPES_H

#include "arch/x86/cpu/topology.h"

#include <stdbool.h>
#include <stdint.h>

#define CORE_PERFORMANCE 0x40 /* CPUID.1AH:EAX[31:24] */
#define CORE_EFFICIENCY  0x20

#define CORE_TYPE_LEAVES 4

struct core_identity {
	struct cpuid_regs leaf[CORE_TYPE_LEAVES]; /* 1AH, 0AH, 23H; 0 where there is none */
	uint8_t kind;                             /* 0: no hybrid CPU's */
	bool l3;
};

typedef topology_cpuid core_cpuid;

void core_identify(struct core_identity *out, core_cpuid *read, const void *context);

/** Whether two processors have the same PMU, so that judging one of them tells of both. */
bool core_same_type(const struct core_identity *a, const struct core_identity *b);

/** "P-core", "E-core", "LP E-core"; NULL: no hybrid CPU's, or a kind that has no name here.
 * @param all what is known of this machine's processors; `of` is one of them */
const char *core_label(const struct core_identity *of, const struct core_identity *all, unsigned n);

#endif
