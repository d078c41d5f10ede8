/*
 * What checks of several x86 families do (pmu/contract/control.h).
 */
#ifndef PMU_X86_CONTROL_H
#define PMU_X86_CONTROL_H

#include "pmu/contract/control.h"

#include <stdint.h>

/** Where the call instruction (CALL rel32) at an address of the harness's code leads; 0: there is none. */
uint64_t control_call_target(uint64_t from);

/** What a model-specific register holds. */
uint64_t control_register(struct control_fixture *h, uint32_t address);

#endif
