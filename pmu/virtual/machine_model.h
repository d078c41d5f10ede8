/*
 * The machine model (pmu/virtual/uarch.h) behind the virtual CPU: its geometry out of the profile's identity,
 * and what it makes of an instruction that has retired. Pure C.
 */
#ifndef PMU_VIRTUAL_MACHINE_MODEL_H
#define PMU_VIRTUAL_MACHINE_MODEL_H

#include "arch/step.h"
#include "pmu/contract/model.h"
#include "pmu/virtual/uarch.h"

#define MACHINE_QUANTITIES 40

/** The quantities that it gives: common ones, and those of arch/outcomes.h. @return how many */
unsigned machine_quantities(quantity_number out[MACHINE_QUANTITIES]);

/**
 * Caches and TLBs as the profile's identity tells them (arch/geometry.h). Where it tells of none: 32 KiB, 32
 * KiB and 512 KiB; 64 entries in each first-level TLB, 1536 in the second. First-level TLBs are fully
 * associative here. What no identity tells is the same for all: ten bits of branch history, 16 return
 * addresses, 32 stores (as in a Nehalem). Caches of decoded instructions that it does not tell have a Sandy
 * Bridge's 32 sets of 8 ways.
 */
struct machine_geometry machine_geometry(const struct model_profile *profile);

#define MACHINE_TERMS 32

/**
 * Let an instruction, or iterations of one, retire.
 * @param step with what STEP_WANTS_MACHINE and STEP_WANTS_DENORMALS give
 * @return number of terms written to out
 */
unsigned machine_retired(struct uarch *machine, const struct step *step, struct qterm out[MACHINE_TERMS]);

#endif
