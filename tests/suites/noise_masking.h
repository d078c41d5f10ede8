/*
 * The other side of the suite `noise`: what is kept out of windows.
 */
#ifndef TESTS_SUITES_NOISE_MASKING_H
#define TESTS_SUITES_NOISE_MASKING_H

#include "tests/judge/check.h"

/** Whether the local APIC's entries are masked when it is asked for (arch/masking.h), and while a
 * pass runs.
 */
void noise_masking(struct run *run);

#endif
