/*
 * Checks of what published errata are about and no other check provokes. Each must hold on every CPU; what a
 * CPU shows that has the erratum is in pmu/intel/errata/shows.c.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"

#include <stdio.h>
#include <string.h>

/* --- an inverted threshold in one ring ---------------------------------------------------------------- */

#define UNREACHED 200 /* no clock has so many instructions */
#define SLACK     64  /* clocks by which counters that one write starts may differ */

bool intel_inverted_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !intel_offers(pmu, CODE_INSTRUCTIONS))
		return false;
	snprintf(out->name, sizeof out->name, "CMASK and INV");
	out->counters = intel_first_counters(pmu, 2);
	return out->counters != 0;
}

/* Code of ring 0 has no clocks in the other rings, whether a clock has few instructions or many. */
void intel_inverted_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config other = {
		.code = CODE_INSTRUCTIONS, .levels = LEVELS_USER, .cmask = UNREACHED, .invert = true};
	const struct pmu_config own = {
		.code = CODE_INSTRUCTIONS, .levels = LEVELS_SYSTEM, .cmask = UNREACHED, .invert = true};

	const struct pmu_config plain = {.code = CODE_CYCLES, .levels = LEVELS_USER};

	(void)i, (void)e;
	control_program(h, 0, &own, 0);
	control_program(h, 1, &plain, 0);
	h->run(h, 3);
	h->equal(h, "clocks of the other ring, without a threshold", 0, control_value(h, 1));
	control_program(h, 0, &own, 0);
	control_program(h, 1, &other, 0);
	h->run(h, 3);
	uint64_t clocks = control_value(h, 0), leaked = control_value(h, 1);
	bool all = leaked && leaked + SLACK >= clocks && leaked <= clocks + SLACK;

	h->within(h, "clocks of ring 0", 1, intel_counter_top(h->pmu, 0), clocks);
	if (all)
		h->equal(h, "clocks of the other ring: all of them", 0, leaked);
	else
		h->equal(h, "clocks of the other ring: not all of them, nor none", 0, leaked);
}

/* --- a stop at an overflow ---------------------------------------------------------------------------- */

#define PHASES 8

static const struct pmu_event *counts_instructions(const struct pmu *pmu, unsigned c)
{
	for (unsigned i = 0; i < pmu->n_events; i++) {
		const struct pmu_event *e = pmu->events[i];
		bool fixed = pmu->counter[c].kind == COUNTER_FIXED;

		if (fixed ? e->fixed == (int)pmu->counter[c].index && !e->fixed
			  : e->fixed < 0 && e->code == CODE_INSTRUCTIONS)
			return e;
	}
	return NULL;
}

static unsigned counter_of(const struct pmu *pmu, unsigned i)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (counts_instructions(pmu, c) && !i--)
			return c;
	return pmu->n_counters;
}

bool intel_stop_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned c = counter_of(pmu, i);

	if (c == pmu->n_counters || !pmu->has_global)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[c].name);
	out->counters = 1ull << c;
	return true;
}

/* @return the counter's status after it was cleared */
static uint64_t left_over(struct control_fixture *h, unsigned c, uint64_t first, bool interrupt)
{
	const struct pmu_config config = {
		.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL, .interrupt = interrupt};
	uint64_t status = 0;

	control_program(h, c, &config, first);
	h->run(h, 1ull << c);
	h->works(h, "clearing the status", h->pmu->driver->acknowledge(h->pmu, 1ull << c));
	h->works(h, "reading the overflow status", h->pmu->driver->overflowed(h->pmu, &status));
	return status >> c & 1;
}

/* The interrupt stops the counter in the clock of its overflow. */
static uint64_t frozen(struct control_fixture *h, unsigned c, uint64_t first)
{
	uint64_t left;

	h->works(h, "asking for the freeze",
		 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	h->arm(h);
	left = left_over(h, c, first, true);
	h->interrupts(h);
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	if (h->pmu->version >= 4)
		h->works(h, "acknowledging", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
	return left;
}

/* Status is cleared by what clears it, however short before the stop the overflow was. */
void intel_stop_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned c = counter_of(h->pmu, i);
	uint64_t low, high;

	(void)e;
	h->equal(h, "status that stays after any overflow", 0,
		 left_over(h, c, intel_counter_top(h->pmu, c), false));
	h->amount(h, counts_instructions(h->pmu, c), 0, &low, &high);
	if (!intel_found(h->pmu)->no_freeze && !h->equal(h, "status that stays after a freeze at an overflow",
							 0, frozen(h, c, intel_counter_top(h->pmu, c))))
		return;
	for (uint64_t phase = 0; phase < PHASES; phase++)
		if (!h->equal(h, "status that stays after a stop at an overflow", 0,
			      left_over(h, c,
					(intel_counter_top(h->pmu, c) - low + 1 + phase) &
						intel_counter_top(h->pmu, c),
					false)))
			return;
}

/* --- the order of enables ------------------------------------------------------------------------------ */

bool intel_order_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t c = intel_find_counter(pmu, COUNTER_FIXED, 0);

	if (i > 1 || !pmu->has_global || c == NO_COUNTER)
		return false;
	snprintf(out->name, sizeof out->name, i ? "the driver's start" : "FIXED_CTR0");
	out->counters = 1ull << c | (i ? intel_first_counters(pmu, 1) : 0);
	return !i || (intel_offers(pmu, CODE_INSTRUCTIONS) && intel_first_counters(pmu, 1));
}

#define AGAIN 8 /* times, at several phases */

struct enable {
	uint32_t address;
	uint64_t value;
};

/* The second write starts it: the same code either way. */
static uint64_t count_between(struct control_fixture *h, const struct enable *first,
			      const struct enable *second)
{
	uint64_t count = 0;
	bool good = msr_write(IA32_PERF_GLOBAL_CTRL, 0) && msr_write(IA32_FIXED_CTR_CTRL, 0) &&
		    msr_write(IA32_FIXED_CTR0, 0) && msr_write(first->address, first->value) &&
		    msr_write(second->address, second->value) && msr_write(IA32_PERF_GLOBAL_CTRL, 0) &&
		    msr_read(IA32_FIXED_CTR0, &count);

	h->works(h, "enabling and disabling", good);
	return count;
}

/* What a run counts besides the bracket's own instructions. */
static uint64_t beyond_own(struct control_fixture *h, unsigned c)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	struct pmu_bracket bracket = {0};

	control_program(h, c, &config, 0);
	h->run(h, 1ull << c);
	uint64_t count = control_value(h, c);

	h->works(h, "asking for the bracket", h->pmu->driver->bracket_enable(h->pmu, 1ull << c, &bracket));
	return count - (unsigned)bracket.own[0].amount;
}

/* Which of the two enables comes first makes no difference. */
void intel_order_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)e;
	if (i) {
		h->equal(h, "instructions that the driver's start adds, to those of a general counter", 0,
			 beyond_own(h, (unsigned)intel_find_counter(h->pmu, COUNTER_FIXED, 0)) -
				 beyond_own(h, 0));
		return;
	}
	const struct enable local = {IA32_FIXED_CTR_CTRL, FIXED_OS | FIXED_USR};
	const struct enable global = {IA32_PERF_GLOBAL_CTRL, 1ull << GLOBAL_FIXED_SHIFT};
	uint64_t last = count_between(h, &global, &local), first = count_between(h, &local, &global);

	for (volatile unsigned n = 0; n < AGAIN; n++) {
		h->equal(h, "instructions once more", last, count_between(h, &global, &local));
		h->equal(h, "instructions once more", first, count_between(h, &local, &global));
		for (volatile unsigned wait = n; wait; wait--)
			;
	}
	h->works(h, "disabling", msr_write(IA32_FIXED_CTR_CTRL, 0));
	h->equal(h, "instructions with the local enable first", last, first);
}

/* --- all threads of the core -------------------------------------------------------------------------- */

bool intel_any_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	out->counters = intel_first_counters(pmu, 3);
	snprintf(out->name, sizeof out->name, "instructions");
	return !i && out->counters && intel_found(pmu)->leaf.any_thread &&
	       intel_offers(pmu, CODE_INSTRUCTIONS);
}

/* What all threads retire is this one's at least. All are in ring 0, so one ring or all make no difference.
 */
void intel_any_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	/* Counters need not agree on what of a bracket they count: of each, what this thread's are on it. */
	uint64_t own[3], high;

	(void)i, (void)e;
	control_program(h, 0, &config, 0);
	h->amount(h, intel_instructions(h->pmu), 0, &own[0], &high);
	config.any_thread = true;
	control_program(h, 1, &config, 0);
	h->amount(h, intel_instructions(h->pmu), 0, &own[1], &high);
	config.levels = LEVELS_SYSTEM;
	control_program(h, 2, &config, 0);
	h->amount(h, intel_instructions(h->pmu), 0, &own[2], &high);
	h->run(h, 7);
	h->within(h, "instructions of all threads, fewer than this one's",
		  control_value(h, 0) - own[0] + own[1], UINT64_MAX, control_value(h, 1));
	h->equal(h, "instructions of all threads in one ring", control_value(h, 1) - own[1] + own[2],
		 control_value(h, 2));
}

/* --- events of what does not occur -------------------------------------------------------------------- */

static const struct {
	const char *name, *kernel;
	uint16_t code;
	const char *cores[2];
} absent[] = {
	{"05H/02H", "calls", 0x0205, {"NHM", "NHM"}},
	{"4FH/08H", "tlb_flush_page", 0x084f, {"NHM", "WSS"}},
	{"06H/01H", "forward_same", 0x0106, {"NHM", "NHM"}},
	{"03H/02H", "alias_4k", 0x0203, {"SNB", "JKT"}},
	{"C9H/40H", "rtm_abort", 0x40c9, {"HSW", "HSX"}},
};

bool intel_absent_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	int core = intel_found(pmu)->core;
	unsigned row = 0;

	/* A hypervisor may well have nested pages. */
	if (pmu->under_hypervisor || core == INTEL_NO_CORE)
		return false;
	while (row < sizeof absent / sizeof absent[0] &&
	       ((core != intel_core_by_name(absent[row].cores[0]) &&
		 core != intel_core_by_name(absent[row].cores[1])) ||
		i--))
		row++;
	if (row == sizeof absent / sizeof absent[0])
		return false;
	snprintf(out->name, sizeof out->name, "%s", absent[row].name);
	out->counters = intel_first_counters(pmu, 2);
	out->kernel = absent[row].kernel;
	return out->counters != 0;
}

/* No access of the kernel is misaligned, there are no nested pages, what is loaded is forwarded or is of
 * another page, and memory that is written back aborts no transaction. */
void intel_absent_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	struct pmu_control_instance instance;
	unsigned row = 0;

	(void)e;
	intel_absent_instance(h->pmu, i, &instance);
	while (strcmp(absent[row].name, instance.name))
		row++;
	control_program(h, 0, &config, 0);
	config.code = absent[row].code;
	control_program(h, 1, &config, 0);
	h->run(h, 3);
	h->within(h, "instructions", 1, UINT64_MAX, control_value(h, 0));
	h->equal(h, "an event of what does not occur counts", 0, control_value(h, 1));
}
