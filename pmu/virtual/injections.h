/*
 * Deviations that inject= can switch on in a virtual CPU: one table for all, whoever they are handed to.
 * Those of the machine model, of what records are made from, of premises and of hypervisors are lists (.def)
 * in pmu/virtual; those of a PMU are its model's (struct pmu_model, .injections).
 *
 *     inject=half-the-ways+dropped-carry+cpuid:0a:0:eax:07ff0403
 */
#ifndef PMU_VIRTUAL_INJECTIONS_H
#define PMU_VIRTUAL_INJECTIONS_H

#include "arch/presented.h"
#include "pmu/contract/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Who carries it out. */
enum injection_owner {
	INJECTION_MACHINE, /* enum uarch_fault */
	INJECTION_STEP,    /* enum step_fault */
	INJECTION_PREMISE, /* enum premise */
	INJECTION_EXIT,    /* enum hypervisor_exit_fault */
	INJECTION_COMMON,  /* so many owners have a mask of 32 bits */
	INJECTION_MODEL = INJECTION_COMMON,
	INJECTION_OWNERS
};

struct injection {
	const char *name;    /* "half-the-ways" */
	const char *summary; /* what goes wrong, in words */
	uint8_t owner;       /* enum injection_owner */
	uint8_t bit;         /* in the owner's mask */
};

/** "machine", "records", "premises", "hypervisor", "PMU": by owner. */
extern const char *const injection_owner_names[INJECTION_OWNERS];

/** The i-th injection of a virtual CPU whose PMU has this model, from 0. @return false behind the last one */
bool injection_at(const struct pmu_model *model, unsigned i, struct injection *out);

/** What a list switches on. */
struct injections {
	uint32_t faults[INJECTION_COMMON]; /* by owner, a bit each */
	struct model_injected model;
	struct identity_answers answers;
};

#define INJECTION_REASON 200

/**
 * Understand a list.
 * @param list names separated by '+', and answers of the test's own (arch/presented.h); NULL and "" are none
 * @param why  gets one line if it is wrong: of an unknown name, which known one is the nearest
 * @return whether it is right
 */
bool injections_parse(const struct pmu_model *model, const char *list, struct injections *out,
		      char why[INJECTION_REASON]);

#endif
