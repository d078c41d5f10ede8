/*
 * Events that published errata alone name, or lists leave out because of one: what they count at least, or in
 * all, of what a kernel does.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define RUNS 8

static const struct {
	const char *name, *kernel;
	const char *cores[2];
	bool least; /* the terms are the least; else all, give or take `around` */
	uint8_t around;
	struct pmu_event means;
} occurs[] = {
	/* "Checks of selectors" are one of each load. */
	{"06H/00H",
	 "segment_loads",
	 {"NHM", "WSS"},
	 false,
	 0,
	 {.code = 0x0006, .fixed = -1, .terms = {{Q_INSN_SEGMENT, 1}}}},
	/* What comes before the first one may have been either. */
	{"CCH/01H",
	 "mmx_x87_switch",
	 {"IVB", "IVT"},
	 false,
	 1,
	 {.code = 0x01cc, .fixed = -1, .terms = {{Q_INSN_EMMS, 1}}}},
	/* A load, an operation, and a store's address and data are four. */
	{"B1H/01H",
	 "load_op_store",
	 {"HSW", "HSX"},
	 true,
	 0,
	 {.code = 0x01b1, .fixed = -1, .terms = {{Q_LOADS, 1}, {Q_STORES, 3}}}},
};
#define OCCURS (sizeof occurs / sizeof occurs[0])

/* The i-th that this core has; OCCURS: there are no more. */
static unsigned row_of(const struct pmu *pmu, unsigned i)
{
	int core = intel_found(pmu)->core;
	unsigned row = 0;

	while (row < OCCURS && (core == INTEL_NO_CORE ||
				(core != intel_core_by_name(occurs[row].cores[0]) &&
				 core != intel_core_by_name(occurs[row].cores[1])) ||
				i--))
		row++;
	return row;
}

bool intel_occurs_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned row = pmu->under_hypervisor ? OCCURS : row_of(pmu, i);

	if (row == OCCURS)
		return false;
	snprintf(out->name, sizeof out->name, "%s", occurs[row].name);
	out->counters = intel_first_counters(pmu, 1);
	out->kernel = occurs[row].kernel;
	return out->counters != 0;
}

/* One that counts nothing is not there: no manual has it. */
void intel_occurs_check(struct control_fixture *h, unsigned i, const struct pmu_event *unused)
{
	unsigned row = row_of(h->pmu, i);
	const struct pmu_event *e = &occurs[row].means;
	uint64_t low, high;

	(void)unused;
	control_program(h, 0, &(struct pmu_config){.code = e->code, .levels = LEVELS_ALL}, 0);
	for (unsigned n = 0; n < RUNS; n++)
		h->run(h, 1);
	h->amount(h, e, 0, &low, &high);
	if (!control_value(h, 0))
		h->leave(h, "the event counts nothing");
	h->within(h, "an event of what occurs counts",
		  RUNS * low - (occurs[row].least ? 0 : occurs[row].around),
		  occurs[row].least ? UINT64_MAX : RUNS * high + occurs[row].around, control_value(h, 0));
}
