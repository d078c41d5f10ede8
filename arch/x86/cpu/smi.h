/*
 * Which CPUs count system-management interrupts (arch/firmware.h).
 */
#ifndef ARCH_X86_CPU_SMI_H
#define ARCH_X86_CPU_SMI_H

#include <stdbool.h>
#include <stdint.h>

#define MSR_SMI_COUNT 0x34

/** Whether a CPU has MSR_SMI_COUNT, by vendor ("GenuineIntel") and CPUID.1:EAX. */
bool smi_counted(const char *vendor, uint32_t signature);

#endif
