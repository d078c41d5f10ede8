/*
 * Nodes: processors and the memory that is theirs. What comes from another one is far.
 */
#ifndef PMU_AMD_DRIVER_NODES_H
#define PMU_AMD_DRIVER_NODES_H

#include <stdbool.h>

/**
 * Whether this machine has one node and no more: the processor has one (CPUID 8000_001EH:ECX[10:8], APM vol.
 * 3), all processors of the firmware's list are in the same package (8000_0008H:ECX[15:12]: the low bits of
 * an APIC ID that are the package's own), and the firmware knows of one proximity domain of memory at most
 * (ACPI SRAT).
 * @return false as well where that cannot be told
 */
bool amd_one_node(void);

#endif
