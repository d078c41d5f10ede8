/*
 * Which bits of which registers an operation of a driver sets, by family: written down from the contract
 * (pmu/contract/pmu.h, pmu/contract/record.h) and the manuals, not taken from the drivers.
 */
#ifndef TESTS_HOST_OWNED_H
#define TESTS_HOST_OWNED_H

#include "pmu/contract/record.h"

enum driver_op { PROGRAM, WRITE, LOOK, START, ACKNOWLEDGE, STOP, RELEASE, DRIVER_OPS };

enum record_op_of_driver { RECORD_SETUP, RECORD_START, RECORD_STOP, RECORD_RELEASE, RECORD_OPS };

typedef void owner(uint32_t address, uint64_t bits);

struct ownership {
	const struct pmu_driver *driver;

	/** Give overflow status, which some families let software set in a way of its own or not at all,
	 * random contents. NULL: there is none. */
	void (*scramble)(uint64_t random);

	/** Whether the event needs more than a counter, which few of the family's do. NULL: none does. */
	bool (*rare)(const struct pmu_event *e);

	/** Before an operation on counter c.
	 *  @param first what it was used for; NULL: nothing
	 *  @param config what it is to be used for, or is */
	void (*before)(const struct pmu *pmu, unsigned c, const struct pmu_config *first,
		       const struct pmu_config *config);

	/** Call own() for what the operation, which has just been carried out, sets. */
	void (*owns)(const struct pmu *pmu, enum driver_op op, unsigned c, const struct pmu_config *config,
		     owner *own);

	/** What the manual has for a configuration: the counter's selector once program() has set it (of
	 * fixed counters the control register's own field; of NetBurst the CCCR, and the ESCR above it). */
	uint64_t (*selector)(const struct pmu *pmu, unsigned c, const struct pmu_config *config);

	/** That register as it is now; 0 after release(), but for these bits. */
	uint64_t (*selected)(const struct pmu *pmu, unsigned c);
	uint64_t kept_at_release;

	/** As owns(), for a recording. NULL: the family records nothing. */
	void (*record_owns)(const struct pmu *pmu, enum record_op_of_driver op, const struct pmu_recording *r,
			    owner *own);

	/** Bits of a register that reset() leaves alone, as no counting depends on them and recordings set
	 * what they need. NULL: there are none. */
	uint64_t (*stays)(const struct pmu *pmu, uint32_t address);

	/** Registers that a recording shares with others and must find as they are, 0 ends; NULL: none. */
	const uint32_t *in_use;

	bool counts_by_itself; /* some counter runs after reset(), too */
	bool two_switches;     /* each counter has two, whether or not there is a global one */
	bool one_switch;       /* there is one for all counters and none of each */
	bool no_any_thread;    /* no counter has the bit for all threads of a core */
};

/* Each family's, by its line in pmu/families.def. */
#define PMU_FAMILY(family) extern const struct ownership family##_owned;
#include "pmu/families.def"
#undef PMU_FAMILY

/** That of the family with this driver. */
static inline const struct ownership *owned_by(const struct pmu_driver *driver)
{
#define PMU_FAMILY(family)                                                                                   \
	if (family##_owned.driver == driver)                                                                 \
		return &family##_owned;
#include "pmu/families.def"
#undef PMU_FAMILY
	return NULL;
}

#endif
