/*
 * Labels of the bracket code in bracket.S: which argument words it expects is said there.
 */
#ifndef PMU_INTEL_DRIVER_BRACKET_H
#define PMU_INTEL_DRIVER_BRACKET_H

#include <stdint.h>

extern const uint8_t intel_global_start[], intel_global_start_end[], intel_global_stop[],
	intel_global_stop_end[];
extern const uint8_t intel_single_start[], intel_single_start_end[], intel_single_stop[],
	intel_single_stop_end[];

/* Instructions retired inside the window that are not the kernel's, by bracket: see bracket.S. */
#define INTEL_GLOBAL_OWN 3
#define INTEL_SINGLE_OWN 3

#endif
