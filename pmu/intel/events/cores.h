/*
 * Microarchitectures ("cores"): which one a CPU has. What lies in tables is made by scripts/gen-events
 * from pmu/intel/events/cores.csv.
 */
#ifndef PMU_INTEL_EVENTS_CORES_H
#define PMU_INTEL_EVENTS_CORES_H

#include <stdint.h>

/** Which core a CPU has. Of a hybrid CPU (CPUID leaf 1AH) also the kind and native model of the one asked. */
struct intel_cpu {
	uint8_t family;
	uint8_t model;
	uint16_t steppings; /* bit n: stepping n */
	uint8_t kind;       /* CPUID.1AH:EAX[31:24]: 20H or 40H; 0: any */
	uint8_t native;     /* CPUID.1AH:EAX[23:0] */
	uint8_t core;       /* bit in the sets of cores */
};

extern const struct intel_cpu intel_cpus[];
extern const unsigned intel_cpu_count;
extern const char *const intel_core_names[]; /* "SKL" */
extern const unsigned intel_core_count;

/** Sets of cores that rows of other tables name, a bit for each core. */
extern const uint64_t intel_core_sets[];

#define INTEL_NO_CORE (-1)

/**
 * The core of a CPU.
 * @param signature CPUID.1:EAX
 * @param hybrid CPUID.1AH:EAX; 0 where there is no such leaf
 * @return its bit in the sets of cores, or INTEL_NO_CORE if the tables do not know it
 */
int intel_core(uint32_t signature, uint32_t hybrid);

/** The core called `name`, INTEL_NO_CORE if there is none. */
int intel_core_by_name(const char *name);

#endif
