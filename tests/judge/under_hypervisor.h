/*
 * What Assay may find missing or added because it runs under a hypervisor itself. (Guests, in names here and
 * in arch/step.h, are those that stepped code enters.) What a virtual machine may lack. Counters, registers
 * and events that CPUID promises are judged under a hypervisor as on silicon; what the CPU's family and model
 * alone let one expect, a hypervisor may leave out.
 */
#ifndef TESTS_JUDGE_UNDER_HYPERVISOR_H
#define TESTS_JUDGE_UNDER_HYPERVISOR_H

#include "pmu/contract/pmu.h"
#include "tests/judge/verdict.h"

/**
 * If the PMU is a virtual machine's, skip the check: a feature that was found missing and that CPUID does not
 * promise is no fault there.
 * @param what that is missing ("overflow interrupts")
 * @return whether it was so; else *j is left alone
 */
bool hypervisor_withholds(const struct pmu *pmu, struct judgement *j, const char *what);

/**
 * Whether the hypervisor is one that counts what it executes itself for the guest. VMware's does, as
 * vpmc.freezeMode says: by default ("hybrid") all events but instructions and branches retired, or ("vcpu")
 * all; only "guest" counts the guest alone (Broadcom's article 344161, "Using Virtual CPU Performance
 * Monitoring Counters").
 */
bool hypervisor_counts_itself(const struct pmu *pmu);

/** Likewise, of a count that is too large. @return whether it was so */
bool hypervisor_adds(const struct pmu *pmu, struct judgement *j);

/** Likewise, of what CPUID promises and a hypervisor may take away while it runs ("PEBS records"). @return
 * whether it was so */
bool hypervisor_takes_away(const struct pmu *pmu, struct judgement *j, const char *what);

/** Likewise, of an event that counts what the hypervisor does with its guest. @return whether it was so */
bool hypervisor_causes(const struct pmu *pmu, struct judgement *j);

/** Likewise, if reserved bits were taken that a hypervisor is known to take. @return whether it was so */
bool hypervisor_takes_reserved(const struct pmu *pmu, struct judgement *j);

/** Likewise, if an access to a register or counter that is not there did not fault: hypervisors have reads of
 * what they do not know give 0 and writes ignored (KVM's ignore_msrs). @return whether it was so */
bool hypervisor_answers(const struct pmu *pmu, struct judgement *j);

#endif
