/*
 * What transactions that abort leave of counters, and what halting leaves of events of the front end:
 * published errata are about each of them.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

/* --- aborts ------------------------------------------------------------------------------------------- */

static bool aborts(const struct pmu *pmu, unsigned i, const char *name, unsigned counters,
		   struct pmu_control_instance *out)
{
	snprintf(out->name, sizeof out->name, "%s", name);
	out->counters = intel_first_counters(pmu, counters);
	out->kernel = "rtm_abort";
	return !i && out->counters && intel_offers(pmu, CODE_INSTRUCTIONS);
}

bool intel_third_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return aborts(pmu, i, "the third counter", 3, out);
}

/* Two counters of one event see the same, whatever aborts. */
void intel_third_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	uint64_t low[3], high;

	(void)i, (void)e;
	for (unsigned c = 0; c < 3; c += 2) {
		control_program(h, c, &config, 0);
		h->amount(h, intel_instructions(h->pmu), 0, &low[c], &high);
	}
	h->run(h, 5);
	h->equal(h, "over aborts the third counter goes on by", control_value(h, 0) - low[0] + low[2],
		 control_value(h, 2));
}

bool intel_kept_over_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return aborts(pmu, i, "the fourth counter", 4, out);
}

void intel_kept_over_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	const uint32_t select = IA32_PERFEVTSEL0 + h->pmu->counter[3].index;

	(void)i, (void)e;
	control_program(h, 0, &config, 0);
	h->works(h, "writing what does not count",
		 h->pmu->driver->write(h->pmu, 3, START) && msr_write(select, EVTSEL_USR | CODE_BRANCHES));
	h->run(h, 1);
	h->equal(h, "over aborts the fourth selector becomes", EVTSEL_USR | CODE_BRANCHES,
		 control_register(h, select));
	h->equal(h, "over aborts the fourth counter becomes", START, control_value(h, 3));
	h->works(h, "clearing it", msr_write(select, 0));
}

/* --- halted time -------------------------------------------------------------------------------------- */

#define HALT_US     20000
#define HALT_US_MAX 320000
#define ACTIVE_PART 8 /* of the time: waking and the handler take microseconds */

static const struct {
	const char *name;
	uint16_t code;
} front[] = {{"79H/02H", 0x0279}, {"A2H/01H", 0x01a2}};

static bool is_haswell(const struct pmu *pmu)
{
	int core = intel_found(pmu)->core;

	return core != INTEL_NO_CORE &&
	       (core == intel_core_by_name("HSW") || core == intel_core_by_name("HSX"));
}

bool intel_front_halt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= sizeof front / sizeof front[0] || !is_haswell(pmu))
		return false;
	snprintf(out->name, sizeof out->name, "%s", front[i].name);
	out->counters = intel_first_counters(pmu, 1);
	return out->counters != 0;
}

void intel_front_halt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = front[i].code, .levels = LEVELS_ALL};
	uint64_t took = 0;

	(void)e;
	for (unsigned us = HALT_US; !took && us <= HALT_US_MAX; us *= 4) {
		control_program(h, 0, &config, START);
		h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
		took = h->halt(h, us);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	}
	h->equal(h, "it halted", true, took != 0);
	h->within(h, "over a halt an event of unhalted cycles goes on by", 0, took / ACTIVE_PART,
		  control_value(h, 0) - START);
}

/* --- overflows about a halt ------------------------------------------------------------------------------
 */

#define SHORT_HALT_US 2000
#define PHASES_MAX    2000

bool intel_halt_overflow_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[0].name);
	out->counters = intel_first_counters(pmu, 1);
	return !i && out->counters && intel_offers(pmu, CODE_INSTRUCTIONS);
}

/* What is counted from a start over a halt to the stop, from a first value on. */
static uint64_t over_halt(struct control_fixture *h, uint64_t first, bool *halted)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL, .interrupt = true};

	control_program(h, 0, &config, first);
	h->arm(h);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	*halted = h->halt_deeply(h, SHORT_HALT_US);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	return control_value(h, 0) - first;
}

/* The overflow is moved over all that is executed about the halt. Where an interrupt can get lost at the
 * entry to a deep idle state, it can hang the processor, too. */
void intel_halt_overflow_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	bool halted;
	uint64_t most = over_halt(h, START, &halted), top = intel_counter_top(h->pmu, 0);
	unsigned lost = 0, all = 0;

	(void)i, (void)e;
	if (!halted) {
		h->leave(h, "the processor offers no idle state below C1");
		return;
	}
	h->within(h, "instructions about a halt", 1, PHASES_MAX, most);
	for (uint64_t phase = 1; phase < most && phase < PHASES_MAX; phase++) {
		over_halt(h, top - phase + 1, &halted);
		unsigned n = h->interrupts(h);

		lost += !n;
		all += n;
		h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, 1));
	}
	h->within(h, "interrupts of overflows about halts", 1, PHASES_MAX, all);
	h->equal(h, "overflows about a halt without an interrupt", 0, lost);
}
