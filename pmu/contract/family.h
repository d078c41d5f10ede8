/*
 * A family of PMUs as the rest knows it: pmu/families.def lists them, one line each, and nothing outside of a
 * family's folder names it (tests/self/host/families.t).
 *
 * Example: pmu/toy/family.c, and its line PMU_FAMILY(toy_family) in pmu/families.def.
 *
 *     static const struct model_profile *const profiles[] = {&toy_profile, NULL};
 *     static const char *const vendors[] = {NULL};
 *
 *     const struct pmu_family toy_family = {
 *             .driver = &toy_driver, .profiles = profiles, .vendors = vendors, .default_profile = "toy",
 *     };
 */
#ifndef PMU_CONTRACT_FAMILY_H
#define PMU_CONTRACT_FAMILY_H

#include "pmu/contract/faults.h"
#include "pmu/contract/erratum.h"
#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

struct pmu_family {
	const struct pmu_driver *driver;             /* whose name is the family's: pmu=NAME */
	const struct model_profile *const *profiles; /* its virtual CPUs, NULL ends */
	const struct model_hybrid *hybrids; /* machines of several of these, name NULL ends; NULL: none */
	const char *const *vendors;         /* of its CPUs, as CPUID and the names of vendors' event files
					       spell them, NULL ends */
	bool files_have_periods;            /* these give each event a sampling period */
	const char *default_profile;        /* its virtual CPU that is judged where there is none to judge;
					       NULL: another family's */
	const struct pmu_faults *faults;    /* for the suite selftest; NULL: none */
	const struct errata *errata;        /* NULL: none are known */
};

/** The i-th family, from 0, in the order in which drivers are asked; NULL behind the last one. */
const struct pmu_family *pmu_family(unsigned i);

/** From now on the registers that may be written are those of this PMU's family (arch/courage.h); before one
 * is found, NULL, those of every family, as each driver has a look. */
void pmu_allow_registers(const struct pmu *pmu);

/** Profile of the virtual PMU that pmu=auto and pmu=virtual give: the first that a family has for it. */
const char *pmu_default_profile(void);

#endif
