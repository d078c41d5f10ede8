/*
 * Register access that survives #GP: each accessor says whether the CPU allowed it.
 * RDMSR, WRMSR, RDPMC: SDM vol. 2. All need CPL 0 except pmc_read(), which needs CPL 0 or CR4.PCE = 1.
 */
#ifndef ARCH_X86_CPU_MSR_H
#define ARCH_X86_CPU_MSR_H

#include <stdbool.h>
#include <stdint.h>

/** What an access is to ask about on its slow way. */
struct register_asks {
	bool runs_free; /* the caller rests: the CPU runs free, and step_access() is asked for registers */
	bool limited;   /* arch/courage.h */
};
extern volatile struct register_asks register_asks;

/** Read a model-specific register. @return false if it raised #GP; then *value is 0. */
bool msr_read(uint32_t address, uint64_t *value);

/** Read n registers (at least 1), in as few instructions as will do. @return false if one of them raised #GP;
 * the values behind it are not set */
bool msr_read_list(const uint32_t *address, unsigned n, uint64_t *value);

/** Write a model-specific register. @return false if it raised #GP. */
bool msr_write(uint32_t address, uint64_t value);

/** The same, of a register that is the processor's own even where it is virtual, such as the local APIC's:
 * also for a processor that waits while another one runs under the step engine. */
bool msr_read_own(uint32_t address, uint64_t *value);
bool msr_write_own(uint32_t address, uint64_t value);

/** Read a register before the vectors of the harness are there: in the first part of machine_init(). */
bool msr_read_early(uint32_t address, uint64_t *value);

/** RDPMC with ECX = index. @return false if it raised #GP; then *value is 0. */
bool pmc_read(uint32_t index, uint64_t *value);

#endif
