/*
 * Labels of the bracket code in bracket.S: which argument words it expects is said there.
 */
#ifndef PMU_AMD_DRIVER_BRACKET_H
#define PMU_AMD_DRIVER_BRACKET_H

#include <stdint.h>

extern const uint8_t amd_global_start[], amd_global_start_end[], amd_global_stop[], amd_global_stop_end[];
extern const uint8_t amd_single_start[], amd_single_start_end[], amd_single_stop[], amd_single_stop_end[];

extern const uint8_t amd_bits_start[], amd_bits_start_end[], amd_bits_stop[], amd_bits_stop_end[];

/* Instructions retired inside the window that are not the kernel's, by bracket: see bracket.S. */
#define AMD_ENABLE_OWN 3
#define AMD_BITS_OWN   6

#endif
