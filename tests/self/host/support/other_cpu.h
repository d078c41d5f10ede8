/*
 * The answers of other CPUs, for the stepper: where manuals leave a result open, or CPUs are known to
 * disagree, each of these leaves something else than this machine's processor does. What steps kernels must
 * come to the same end with all of them.
 *
 * low, high             flags that an instruction leaves undefined are 0, or 1; the same of each bit of BSF's
 * and BSR's destination where there was none to find, of what CPUID tells, and of random numbers, of which
 * low has none (CF = 0). The upper half of RCX that REP with the address-size prefix does not count with is
 *                       cleared even where no iteration is made, or kept
 * plain                 as low; it has no feature that a kernel has to ask for, is not Intel's, and raises
 * neither SIMD floating-point exceptions nor those of alignment
 */
#ifndef TESTS_HOST_OTHER_CPU_H
#define TESTS_HOST_OTHER_CPU_H

#include <stdbool.h>

/** The environment variable that names the CPU for every program that steps: "low", "high" or "plain". */
#define OTHER_CPU "ASSAY_OTHER_CPU"

/** Answer as this CPU from now on; NULL: as the machine's own does. @return false if there is none of the
 * name */
bool other_cpu(const char *name);

/** Answer as the environment says. @return false if there is no CPU of that name */
bool other_cpu_from_environment(void);

#endif
