/*
 * The virtual PMU: runs harness code under the step engine and answers its register accesses from a PMU
 * model, presents the processor of a profile, and has the model's overflow interrupts delivered through the
 * overflow line (arch/overflow.h). Also the oracle, the same stepping with a quantity counter in place of a
 * model.
 *
 * The clock of this machine is the step engine's. x86: one core cycle per retired instruction, per iteration
 * of a REP string instruction and per delivered event (exception, interrupt). While the stepped code halts,
 * core cycles do not pass.
 *
 * Order: an instruction's quantities reach the model when it has retired. A register write takes effect
 * first; it is not counted by a counter that it starts or stops (pmu/contract/model.h). Reads of registers
 * and counters come before they are counted themselves. An overflow raises its request when the instruction
 * that caused it retires, so an interrupt that nothing holds back is taken before the next instruction: no
 * skid.
 *
 * Overflow interrupts: a request meets the machine's own line. Masked: lost. x86: else the mask bit of the
 * local APIC's LVT performance entry is set, as the local APIC does (SDM vol. 3, 10.5.1; some parts before
 * the Pentium M are said not to), and the interrupt is raised: an NMI at the next instruction boundary, a
 * fixed one by a self-IPI of the entry's vector, so that the real APIC's priorities, IRR, ISR and EOI hold.
 *
 * Records: while a model records (pmu/contract/model.h, recording()), every step that reaches it tells where
 * control went, registers, data addresses and the time; its records in memory go to the harness's own, by the
 * page tables in force, and only where those let ring 0 write. The time is the real time-stamp counter.
 */
#ifndef PMU_VIRTUAL_VPMU_H
#define PMU_VIRTUAL_VPMU_H

#include "arch/identity.h"
#include "arch/second_cpu.h"
#include "pmu/contract/model.h"
#include "pmu/contract/reason.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Create the virtual CPU, with injections as pmu/virtual/injections.h has them.
 * @return false with *why (one line) if the profile or an injection is unknown
 */
bool vpmu_create(const char *profile, const char *inject, struct reason *why);

/** Whether vpmu_create() would know the profile and the injections. @return false with *why */
bool vpmu_knows(const char *profile, const char *inject, struct reason *why);

/** From now on there is none: another processor is judged, perhaps by its own PMU. */
void vpmu_forget(void);

/** Switch the PMU of the virtual CPU off and on: its registers are as after power-up, injections stay. Not
 * for stepped code. */
void vpmu_power_up(void);

/** The virtual CPU's profile; NULL while there is none. */
const struct model_profile *vpmu_profile(void);

/** All that the virtual CPU tells about itself. */
identity_source vpmu_identity_details;

/** Whether RDPMC of this index (ECX) reads a counter on the virtual CPU, where it is allowed; else it raises
 * #GP. There must be a virtual CPU. May be called by stepped code. */
bool vpmu_ask_selector(uint32_t index);

/**
 * Let the machine model be cold (docs/machine-model.md) before it sees the next instruction, so that what a
 * measurement shows does not depend on those before it. May be called by stepped code.
 */
void vpmu_cool(void);

/** Tell the machine model, if there is one, which data lies in large pages: uarch_large_pages() of
 * pmu/virtual/uarch.h. */
void vpmu_large_pages(uint64_t start, uint64_t end, uint8_t shift);

/** Logical processors of the virtual CPU's core, which share its PMU: 1 or 2. */
unsigned vpmu_threads(void);

/** What the other logical processor of the core does: it causes nothing that a counter could count, but that
 * it is active, at some level. */
enum vpmu_sibling { SIBLING_HALTED, SIBLING_KERNEL, SIBLING_USER };

/**
 * From now on the code that runs on the virtual CPU runs on this logical processor, and CPUID says so. At
 * first it is 0 and the other one is halted, which may be active even if CPUID tells of none: then it makes a
 * difference to injected faults alone. May be called by stepped code.
 * @return false if there is no such processor
 */
bool vpmu_place(unsigned thread, enum vpmu_sibling sibling);

/** From now on processors of other cores are active, or are not: it makes a difference to injected faults
 * alone. */
void vpmu_others(bool active);

/**
 * Give the virtual CPU peers, processors of other cores with a PMU of their own each (pmu/virtual/peers.h),
 * until they are closed. Not for stepped code. @return how many there are
 */
unsigned vpmu_peers_open(unsigned n);
void vpmu_peers_close(void);

/** From here on a peer, or again the virtual CPU itself, executes the code that is stepped. May be called by
 * stepped code, as what follows. */
void vpmu_be_peer(unsigned i);
void vpmu_be_oneself(void);

/** Let one go through its loop while stepped code runs; have it halt. @return how often it has been through
 * the loop */
void vpmu_peer_begin(unsigned i);
uint64_t vpmu_peer_end(unsigned i);

/** Overflow interrupts that went to the other logical processor since vpmu_place(). */
unsigned vpmu_sibling_interrupts(void);

/** Whether the virtual CPU's core has another logical processor with counters of its own, as the profile has
 * it. */
bool vpmu_has_other(void);

/** Access a register of that one, which vpmu_has_other(). May be called by stepped code. @return whether it
 * is carried out, and not refused */
bool vpmu_other_access(struct register_access *a);

/** Let that one go through a loop while stepped code runs; have it halt at the end of a turn. May be called
 * by stepped code. @return how often it has been through the loop */
void vpmu_other_begin(enum second_cpu_loop loop);
uint64_t vpmu_other_end(void);

/** The same of code that has a writable alias: uarch_code_alias(). */
void vpmu_code_alias(uint64_t start, uint64_t end, uint64_t distance);

/** Run fn(arg) on the virtual CPU. State of the model lasts from call to call. */
void vpmu_call(void (*fn)(void *), void *arg);

/**
 * Run fn(arg) under the oracle and add up every quantity of the instructions that retire between the two
 * markers of oracle_bracket() that fn executes around the code of interest. The markers contribute nothing;
 * events that are delivered between them do, and so do their handlers' instructions. Architectural quantities
 * are exact; micro-architectural ones stay 0. Markers may be passed several times; the amounts add up.
 */
void oracle_call(void (*fn)(void *), void *arg, struct qvec *total);

/** The same where transactions come to their end, instead of being aborted at once (step.h, .transactions).
 */
void oracle_call_committing(void (*fn)(void *), void *arg, struct qvec *total);

/** Instructions that a hypervisor may carry out (step_exit_kinds of arch/step.h). */
struct oracle_hypervisor_exits {
	uint64_t kinds; /* of these, bit per row of step_exit_kinds[] ... */
	bool user;      /* ... in ring 3 alone */
	uint64_t met;   /* gets the kinds of those that retired, bits are added */
};

/** Until the next call, the oracle's totals are of these instructions alone, and of nothing that is
 * delivered. NULL: of all. */
void oracle_hypervisor_exits(struct oracle_hypervisor_exits *only);

/** Bracket code for composing a window that the oracle watches: start and stop are each one INT n that the
 * engine takes before it runs, legal in rings 0 and 3. Outside oracle_call() they are unexpected interrupts.
 */
struct pmu_bracket;
void oracle_bracket(struct pmu_bracket *out);

#endif
