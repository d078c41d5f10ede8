/*
 * Parts of the Intel driver that live in files of their own.
 */
#ifndef PMU_INTEL_DRIVER_DRIVER_H
#define PMU_INTEL_DRIVER_DRIVER_H

#include "pmu/events/fields.h"
#include "pmu/events/grammar.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/records/pebs.h"
#include "pmu/contract/pmu.h"

/** IA32_PERF_CAPABILITIES, 0 where CPUID does not promise it or it faults. SDM 18.2.5. */
uint64_t intel_perf_capabilities(void);

/** What the last identify() found: for those that are asked about the CPU where CPUID and registers are not
 * its. */
struct intel_found {
	uint64_t capabilities;
	struct intel_leaf0a leaf;
	bool records_branches; /* a last-branch stack that answers */
	struct intel_lbr lbr;
	bool traces_branches;   /* a branch trace */
	const char *no_freeze;  /* the hypervisor does not let counters freeze on an interrupt: what to call
				   it; NULL: they do */
	bool samples;           /* PEBS that answers */
	struct intel_pebs pebs; /* of that kind */
	int core;               /* intel_core() of it */
};
extern struct intel_found intel_found;

/** Whether a bit of a register stays as it is written; then it is put back. For registers that a hypervisor
 * may have read 0 and ignore writes. */
bool intel_msr_keeps(uint32_t address, uint64_t bit);

/** CPUID leaf 0AH of this CPU, with what leaf 23H says more exactly, and without what makes no sense
 * (intel_sift_leaf0a()). No register is read, so that it may be asked while counters run; what identify()
 * found to have registers is in intel_found. */
struct intel_leaf0a intel_leaf0a_here(void);

/** The register that says whose overflow reloads a counter, by the counter's bit in the global registers. */
uint32_t intel_reload_mask(unsigned bit);

/** The kind of core that this is: CPUID.1AH:EAX[31:24]; 0 where there is no such leaf. */
uint8_t intel_kind_of_core(void);

/** Whether IA32_PEBS_ENABLE exists: CPUID offers the DS area and IA32_PERF_CAPABILITIES, and
 * IA32_MISC_ENABLE does not say otherwise. SDM 18.4.4. */
bool intel_has_pebs(void);

/** Architectural PEBS: nothing samples any more, of these counters (bits as in the global registers). @return
 * false if a register faults */
bool intel_apebs_clear(uint64_t counters);

/** The last-branch stack of this CPU. */
struct intel_lbr intel_lbr_here(void);

/** PEBS of this CPU. */
struct intel_pebs intel_pebs_here(void);

/** Every PMU register that CPUID and IA32_PERF_CAPABILITIES promise, as it is now; changes none. */
void intel_snapshot(const struct pmu *pmu, struct pmu_snapshot *out);

/** Accesses that must raise #GP on this CPU, and some that must not. */
unsigned intel_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max);

/** What registers hold after power-up. */
unsigned intel_power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

/** Members of struct pmu_driver: events of Intel's own files. */
bool intel_encode(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out,
		  const char **why);
bool intel_meaning(const char *name, struct pmu_event *out);
bool intel_candidate(const struct pmu_event *e, unsigned i, struct pmu_event *out, const char **core);
const struct pmu_event *intel_disputed_event(const struct pmu *pmu, unsigned i, struct pmu_event *vendors,
					     struct pmu_event *peers);

extern const struct event_grammar intel_grammar;
extern const struct register_field intel_fields[];

/** Equations between the architectural events. */
extern const struct pmu_identity intel_identities[];

#endif
