/*
 * The machine model (pmu/uarch.h) behind the virtual CPU: its geometry out of the profile's CPUID leaves, and
 * what it makes of an instruction that has retired. Pure C.
 */
#ifndef PMU_MACHINE_MODEL_H
#define PMU_MACHINE_MODEL_H

#include "arch/x86/retired.h"
#include "pmu/model.h"
#include "pmu/uarch.h"

/** The quantities that it gives; Q_COUNT ends. */
extern const uint8_t machine_quantities[];

/**
 * Caches as CPUID leaf 4 of the profile has them (SDM vol. 2), sets rounded down to a power of two; where it
 * has none, 32 KiB, 32 KiB and 512 KiB. The rest is the same for all: 64 entries in each first-level TLB, 512
 * in the second, ten bits of branch history, 16 return addresses, 32 stores.
 */
struct uarch_geometry machine_geometry(const struct model_profile *profile);

#define MACHINE_TERMS 16

/**
 * Let an instruction, or iterations of one, retire.
 * @param did   with all addresses
 * @param code  its bytes
 * @param rip   its address, and that of the one that follows in time
 * @param terms what account_retired() says of it
 * @return number of terms written to out
 */
unsigned machine_retired(struct uarch *machine, const struct insn_retired *did, const uint8_t *code,
			 uint64_t rip, uint64_t next, const struct qterm *terms, unsigned n_terms,
			 struct qterm out[MACHINE_TERMS]);

#endif
