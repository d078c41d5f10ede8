/*
 * PMUv3: what its files give to each other, and to the family's struct.
 */
#ifndef PMU_ARMV8_ARMV8_H
#define PMU_ARMV8_ARMV8_H

#include "pmu/contract/control.h"
#include "pmu/contract/faults.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

#include <stdint.h>

extern const struct pmu_driver armv8_driver;
extern const struct pmu_control_check armv8_control[];

/** The check of what profiling freezes, likewise. */
bool armv8_has_profiling(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void armv8_freeze_by_profiling(struct control_fixture *h, unsigned instance, const struct pmu_event *e);

/** The check of snapshots, for armv8_control[]: its instances, and what it does. */
bool armv8_has_snapshots(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void armv8_snapshots(struct control_fixture *h, unsigned instance, const struct pmu_event *e);

/** Those of an overflow long ago, and of counts beside other processors, likewise. */
bool armv8_has_long_wait(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void armv8_long_wait(struct control_fixture *h, unsigned instance, const struct pmu_event *e);
bool armv8_has_others(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out);
void armv8_beside_others(struct control_fixture *h, unsigned instance, const struct pmu_event *e);
extern const struct pmu_identity armv8_identities[];

/** Of pmu_config.levels, besides enum pmu_levels: at EL2. */
#define ARMV8_LEVELS_EL2 4

/** What a driver keeps of one PMU. */
struct armv8_pmu {
	unsigned version; /* ID_AA64DFR0_EL1.PMUVer */
	uint64_t ceid[2]; /* PMCEID0_EL0 and PMCEID1_EL0: events from 0, and from 20H, in the lower halves;
			     in the upper ones those 4000H higher */
	uint32_t core;    /* whose list of events it has besides: enum armv8_core */
	uint64_t pmmir;   /* PMMIR_EL1; 0 before PMUv3p4 */
	bool icntr;       /* there is an instruction counter */
	bool user_mask;   /* PMUACR_EL1 and PMZR_EL0 can be accessed */
	uint64_t every;   /* bits of all counters in PMCNTENSET_EL0, also of one that is not taken */
	bool el2, el3;    /* these levels are implemented: so are their filters */
	bool freezes_by_profiling; /* PMCR_EL0.FZS is implemented */
	bool snapshots;            /* registers capture all counters, where firmware lets EL1 access them */
	bool links;                /* PMEVTYPER<n>_EL0.TLC of odd counters */
	uint64_t thresholds;       /* bits of PMEVTYPER<n>_EL0 that compare what a cycle counts */
};

/** What the driver keeps of a PMU; the registers of a counter, and its bit in masks, by its number. */
const struct armv8_pmu *armv8_found(const struct pmu *pmu);
uint64_t armv8_counter_register(const struct pmu *pmu, unsigned c);
uint64_t armv8_type_register(const struct pmu *pmu, unsigned c);
uint64_t armv8_bits(const struct pmu *pmu, uint64_t mask);

/** Counters c, which is even, and c + 1 as one of 64 bits (event CHAIN): the second one counts overflows of
 * the first one's 32 bits. */
bool armv8_has_pairs(const struct pmu *pmu);
bool armv8_pair_program(const struct pmu *pmu, unsigned c, const struct pmu_config *config);
bool armv8_pair_write(const struct pmu *pmu, unsigned c, uint64_t value);
bool armv8_pair_read(const struct pmu *pmu, unsigned c, uint64_t *value);

extern const struct pmu_model armv8_model;
extern const struct pmu_faults armv8_faults;
extern const struct model_profile *const armv8_profiles[];

#endif
