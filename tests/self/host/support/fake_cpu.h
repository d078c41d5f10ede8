/*
 * A CPU for host tests: answers cpuid(), cpu_has(), cpu_identify(), msr_read(), msr_write() and pmc_read()
 * from any PMU model and profile, so that a driver runs against the model as it does under the virtual PMU.
 * Works for every family.
 *
 * What the model does not know faults, as a missing MSR does, and is counted: a driver must not touch it.
 */
#ifndef TESTS_HOST_FAKE_CPU_H
#define TESTS_HOST_FAKE_CPU_H

#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"
#include "tests/self/host/support/fake_path.h"

#include <stdbool.h>
#include <stdint.h>

/** Power up a CPU with this profile, its model attached to fake_memory; `inject` as in the option of that
 * name. Ends the test if a name is unknown. */
void fake_cpu_start(const struct model_profile *profile, const char *inject);

/** Have a driver identify this CPU and list its events.
 *  @return false, with *why and no events, if it is none of the driver's */
static inline bool fake_cpu_identify(const struct pmu_driver *driver, struct pmu *pmu, const char **why)
{
	if (!driver->identify(pmu, why))
		return false;
	driver->list_events(pmu);
	return true;
}

/** From now on the other one of two CPUs answers, as it was left; it takes a fake_cpu_start() of its own.
 * What fake_cpu_set_leaf() and its like have changed holds for both. */
void fake_cpu_switch(void);

/** Release the CPU that answers. */
void fake_cpu_stop(void);

/** The model's state, for tests that look behind the registers. */
void *fake_cpu_state(void);

/** What it runs: register accesses retire on it, and a test lets it go on (fake_path.h). */
struct fake_path *fake_cpu_path(void);

/** From now on answer this leaf so (at most 8 leaves). */
void fake_cpu_set_leaf(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
		       uint32_t edx);

/** From now on reads and writes of this MSR fault. 0: none. */
void fake_cpu_break_msr(uint32_t address);

/** From now on there is this MSR besides the model's, which is told of writes: it keeps what is written.
 * Until the next fake_cpu_start(); 0: none. */
void fake_cpu_add_msr(uint32_t address, uint64_t value);

/** From now on register accesses of msr_read(), msr_write() and pmc_read() are no instructions: nothing is
 * counted for them, and no time passes. Until the next fake_cpu_start(). */
void fake_cpu_hold(void);

/** The next write to this MSR leaves it with these bits changed, as an erratum may have it; later ones do
 * not. */
void fake_cpu_spoil_write(uint32_t address, uint64_t bits);

/** One access of msr_read() or msr_write() that did not fault. */
struct fake_access {
	bool write;
	uint32_t address;
	uint64_t value;
};

/** From now on note accesses, in order, in this room; with NULL no more. What finds no room ends the test. */
void fake_cpu_note(struct fake_access *room, unsigned size);

/** How many have been noted. */
unsigned fake_cpu_noted(void);

/** `count` instructions of the given kind retire, each a step of its own. */
void fake_cpu_run(const struct qterm *terms, unsigned n_terms, uint32_t cycles, uint8_t cpl, uint64_t count);

/** `count` NOPs at CPL 0, one cycle each. */
void fake_cpu_nops(uint64_t count);

/** Overflow interrupt requests taken since the last call. */
unsigned fake_cpu_interrupts(void);

/** Accesses to registers that are none of the model's, since the start. */
unsigned fake_cpu_strays(void);

/** Run code on the real processor, one instruction at a time, with WRMSR, RDMSR and RDPMC answered by the
 * fake CPU and every retired instruction passed to the model. R12 to R15 are loaded from regs[] before and
 * stored there after.
 *  @return RAX at its end */
uint64_t fake_cpu_execute(const uint8_t *code, unsigned size, uint64_t regs[4]);

#endif
