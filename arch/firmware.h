/*
 * What firmware does behind the harness's back while the machine is taken: interrupts of its own that nothing
 * can mask (x86: system-management interrupts; AArch64: those of EL3; Alpha: of PALcode).
 *
 * Example: was a window broken into?
 *
 *     uint32_t before, after;
 *     if (firmware_is_counted() && firmware_interrupts(&before)) {
 *             window_run(entry, &window, n);
 *             broken = firmware_interrupts(&after) && after != before;
 *     }
 */
#ifndef ARCH_FIRMWARE_H
#define ARCH_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

/** Whether the processor counts them (x86: Intel's from Nehalem and Silvermont on, MSR_SMI_COUNT, 34H; SDM
 * vol. 4, tables of those parts). */
bool firmware_is_counted(void);

/** How many came so far, modulo 2^32, where it does. @return false if reading was refused */
bool firmware_interrupts(uint32_t *count);

/** What that counter is called, for reports. */
extern const char *const firmware_counter_name;

/**
 * Have counters held during them, where the processor can (x86: where IA32_PERF_CAPABILITIES[12] says so,
 * FREEZE_WHILE_SMM of IA32_DEBUGCTL; SDM vol. 3, 17.4.1). A PMU driver's reset() puts an end to that.
 * @param before gets what firmware_let_counters() puts back
 * @return false if nothing was changed
 */
bool firmware_hold_counters(uint64_t *before);
void firmware_let_counters(uint64_t before);

#endif
