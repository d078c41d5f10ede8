/*
 * What inject= can switch on: one table for all, whoever carries it out. Most are deviations of a virtual
 * CPU. Those of the machine model, of what records are made from, of premises and of hypervisors are lists
 * (.def) in pmu/virtual; those of a PMU are its model's (struct pmu_model, .injections). Faults of the
 * harness itself are rows that it joins to the table.
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
	INJECTION_HARNESS, /* injections_join() */
	INJECTION_OWNERS
};

struct injection {
	const char *name;    /* "half-the-ways"; of the harness's own, its form: "reset:PLACE[:STEP]" */
	const char *summary; /* what goes wrong, in words */
	uint8_t owner;       /* enum injection_owner */
	uint8_t bit;         /* in the owner's mask; not of the harness's own */
};

#define INJECTION_REASON 224

/** A fault of the harness itself. */
struct harness_injection {
	const char *name; /* "not-masked"; where more belongs to it, what that begins with: "reset:" */
	const char *form; /* "reset:PLACE[:STEP]" */
	const char *summary;
	/** Put it into effect. @param text as it was written, of at most INJECTION_TEXT characters
	 * @param why gets one line if it is wrong. @return whether it is right */
	bool (*apply)(const char *text, char why[INJECTION_REASON]);
};
#define INJECTION_TEXT 127

/** The table has these rows, too, from now on. @param rows name NULL ends; NULL: none */
void injections_join(const struct harness_injection *rows);

/**
 * Put those into effect that are the harness's own.
 * @param list names separated by '+'; NULL and "" are none
 * @param rest gets what is left for the virtual CPU, in the same form
 * @param why  gets one line if one is wrong. @return false then
 */
bool injections_apply(const char *list, char *rest, size_t size, char why[INJECTION_REASON]);

/** "machine", "records", "premises", "hypervisor", "PMU", "harness": by owner. */
extern const char *const injection_owner_names[INJECTION_OWNERS];

/** The i-th injection, from 0: the harness's own, then those of a virtual CPU whose PMU has this model; NULL:
 * there is none. @return false behind the last one */
bool injection_at(const struct pmu_model *model, unsigned i, struct injection *out);

/** What a list switches on. */
struct injections {
	uint32_t faults[INJECTION_COMMON]; /* by owner, a bit each */
	struct model_injected model;
	struct identity_answers answers;
};

/**
 * Understand a list.
 * @param list names separated by '+', and answers of the test's own (arch/presented.h); NULL and "" are none
 * @param why  gets one line if it is wrong: of an unknown name, which known one is the nearest
 * @return whether it is right
 */
bool injections_parse(const struct pmu_model *model, const char *list, struct injections *out,
		      char why[INJECTION_REASON]);

#endif
