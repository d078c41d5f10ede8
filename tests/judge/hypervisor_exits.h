/*
 * Instructions that a hypervisor carries out itself (step_exit_kinds of arch/step.h): whether it counts them,
 * and what may be missing of a count where it does not. Only in a virtual machine; on silicon all of this is
 * nothing.
 *
 * KVM (Linux, arch/x86/kvm): until 5.16 no counter saw them; since 5.17 kvm_skip_emulated_instruction() and
 * x86_emulate_instruction() have kvm_pmu_trigger_event() add one to the counters that are set to
 * instructions, and to those set to branches if it is one (commit 9cd803d496e7, "KVM: x86: Update vPMCs when
 * retiring instructions"), and nothing to any other. Which instructions exit depends on the hypervisor, the
 * CPU, and the register or port, so it is measured.
 */
#ifndef TESTS_JUDGE_HYPERVISOR_EXITS_H
#define TESTS_JUDGE_HYPERVISOR_EXITS_H

#include "pmu/contract/pmu.h"
#include "tests/judge/check.h"
#include "tests/kernels/kernel.h"

/** Where an event was counted. */
struct hypervisor_exits_place {
	const struct pmu *pmu;
	const struct pmu_event *event;
	const struct kernel *kernel;
	const struct pmu_bracket *bracket; /* NULL: nothing of one is in the count */
	uint8_t level;
	bool user;     /* counters saw ring 3 alone */
	bool filtered; /* by an amount, or by edges, which what a hypervisor adds passes by */
};

/**
 * How much may be missing of the count at N = n: all that the uncounted instructions contribute. Of
 * instructions that the hypervisor does count, other events than instructions may lack their share all the
 * same.
 * @param kinds gets those that are in the window, bit per row of step_exit_kinds[]
 * @return false if there is nothing, or the machine is no guest
 */
bool hypervisor_exits_missing(const struct hypervisor_exits_place *p, uint64_t n, int64_t *missing,
			      uint64_t *kinds);

/**
 * If the verdict is bad, and what is missing at every N is no more than that: skip the check, with the
 * reason; also if there is too much, where a hypervisor adds its own (hypervisor_adds()). @param o count
 * observations, with the expectations they were judged by
 * @return whether it was so; else *j is left alone
 */
bool hypervisor_exits_excuse(const struct hypervisor_exits_place *p, const struct observation *o,
			     unsigned count, struct judgement *j);

/** Likewise, of a count that may lack `missing` instructions of one kind for every N. */
bool hypervisor_exits_excuse_kind(const struct pmu *pmu, unsigned kind, int64_t each,
				  const struct observation *o, unsigned count, struct judgement *j);

/** Likewise, of a sum of counts, coefficient[i] times that at p[i]: one observation. */
bool hypervisor_exits_excuse_sum(const struct hypervisor_exits_place *p, const int8_t *coefficient,
				 unsigned n, const struct observation *o, struct judgement *j);

/** The kinds that a kernel has, in the ring and level that it is counted in. */
uint64_t hypervisor_exits_kinds(const struct hypervisor_exits_place *p);

/** Forget what was worked out about kernels: where one of them was there is another one now. */
void hypervisor_exits_forget(void);

/** In a guest, try each kind by kernels that consist of it and of instructions that count, on counter c,
 * which is exact on NOPs and whose yardstick e counts instructions. Report each, and set
 * run->pmu->hypervisor_exits_lost. */
void hypervisor_exits_try(struct run *run, unsigned c, const struct pmu_event *e);

#endif
