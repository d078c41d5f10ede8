/*
 * What the CPU says that this runs on, whenever it is asked: CPUID and registers, through no state.
 */
#ifndef PMU_INTEL_DRIVER_HERE_H
#define PMU_INTEL_DRIVER_HERE_H

#include "pmu/intel/leaf0a.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/records/pebs.h"

#include <stdbool.h>
#include <stdint.h>

/** IA32_PERF_CAPABILITIES, 0 where CPUID does not promise it or it faults. SDM 18.2.5. */
uint64_t intel_perf_capabilities(void);

/** Whether a bit of a register stays as it is written; then it is put back. For registers that a hypervisor
 * may have read 0 and ignore writes. Taken for granted where the register may not be written
 * (arch/courage.h). */
bool intel_msr_keeps(uint32_t address, uint64_t bit);

/** CPUID leaf 0AH of this CPU, with what leaf 23H says more exactly. No register is read, so that it may be
 * asked while counters run. */
struct intel_leaf0a intel_leaf0a_unsifted(void);

/** The same without what makes no sense (intel_sift_leaf0a()); what identify() found to have registers is in
 * struct intel_found. */
struct intel_leaf0a intel_leaf0a_here(void);

/** The register that says whose overflow reloads a counter, by the counter's bit in the global registers. */
uint32_t intel_reload_mask(unsigned bit);

/** The kind of core that this is: CPUID.1AH:EAX[31:24]; 0 where there is no such leaf. */
uint8_t intel_kind_of_core(void);

/** Whether IA32_PEBS_ENABLE exists: CPUID offers the DS area and IA32_PERF_CAPABILITIES, and
 * IA32_MISC_ENABLE does not say otherwise. SDM 18.4.4. */
bool intel_has_pebs(void);

/** The last-branch stack of this CPU. */
struct intel_lbr intel_lbr_here(void);

/** PEBS of this CPU. */
struct intel_pebs intel_pebs_here(void);

#endif
