/*
 * Checks of a core's two logical processors: each has counters of its own, and a counter with AnyThread
 * counts what both do.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define OTHER_START 3000 /* first value of its counter */
#define OWN_WRITES  32   /* instructions between its two writes that belong to no turn, at most */

static const struct {
	const char *name;
	uint64_t code;
} events[] = {
	{"instructions", CODE_INSTRUCTIONS},
	{"branches", CODE_BRANCHES},
	{"D0H/81H", 0x81d0},
	{"D0H/82H", 0x82d0},
};
#define EVENTS (sizeof events / sizeof events[0])

/* A guest's other processor need not be one of its core, and its host may filter events. */
static bool has_pair(const struct pmu *pmu)
{
	return pmu->has_global && !pmu->under_hypervisor && intel_first_counters(pmu, 2);
}

static const struct pmu_event *event_of(const struct pmu *pmu, uint64_t code)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == code)
			return pmu->events[i];
	return NULL;
}

/* The i-th event that this core has, its number in events[]; EVENTS: there are no more. */
static unsigned choice(const struct pmu *pmu, unsigned i)
{
	unsigned n = 0;

	while (n < EVENTS && (!event_of(pmu, events[n].code) || i--))
		n++;
	return n;
}

bool intel_beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned n = choice(pmu, i);

	if (n == EVENTS || !has_pair(pmu))
		return false;
	snprintf(out->name, sizeof out->name, "%s", events[n].name);
	out->counters = intel_first_counters(pmu, 2);
	out->also = event_of(pmu, events[n].code);
	return true;
}

static uint64_t select_of(uint64_t code)
{
	return code | EVTSEL_EN | EVTSEL_OS | EVTSEL_USR;
}

static const struct control_other plain = {.space = SPACE_MSR, .number = IA32_PERF_GLOBAL_CTRL, .start = 1};

/* Program the other one's counter 0. */
static void program_other(struct control_fixture *h, uint64_t code)
{
	h->other_write(h, SPACE_MSR, IA32_PERF_GLOBAL_CTRL, 0);
	h->other_write(h, SPACE_MSR, IA32_PERFEVTSEL0, code ? select_of(code) : 0);
	h->other_write(h, SPACE_MSR, IA32_PMC0, OTHER_START);
}

/* By how much its counter has moved besides what its turns make of the event. */
static uint64_t others_rest(struct control_fixture *h, uint64_t each, uint64_t turns)
{
	return h->other_read(h, SPACE_MSR, IA32_PMC0) - OTHER_START - each * turns;
}

/* Counter c here, counter 0 there. @return what the other one has counted besides its turns */
static uint64_t count_both(struct control_fixture *h, unsigned c, const struct pmu_event *e, const char *what)
{
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL};
	uint64_t low, high, turns;

	control_program(h, c, &config, START);
	program_other(h, e->code);
	h->equal(h, "a counter holds what was written to it, not to the other logical processor's", START,
		 control_value(h, c));
	turns = h->run_beside(h, 1ull << c, &plain);
	h->amount(h, e, 0, &low, &high);
	h->within(h, what, START + low, high == UINT64_MAX ? high : START + high, control_value(h, c));
	return others_rest(h, h->turn(h, e, false), turns);
}

/*
 * Neither sees what the other one does, on another counter or on the same.
 *
 * What the other one counts besides its turns belongs to its start and stop, and is measured.
 */
void intel_beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *unused)
{
	const struct pmu_event *e = event_of(h->pmu, events[choice(h->pmu, i)].code);
	bool exact = e->judgement == EVENT_EXACT;
	uint64_t alone, together;

	(void)unused;
	control_program(h, 0, &(struct pmu_config){.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL},
			2 * START);
	alone = count_both(h, 1, e, "a count while the other logical processor counts");
	if (exact)
		h->within(h, "what the other logical processor counts besides its turns", 0, OWN_WRITES,
			  alone);
	together =
		count_both(h, 0, e, "a count while the same counter of the other logical processor counts");
	if (exact)
		h->equal(h, "the same, if the same counter counts here", alone, together);
	program_other(h, 0);
}

/* --- micro-operations of both --------------------------------------------------------------------------- */

/* UOPS_EXECUTED.THREAD, at least: an access of a read-modify-write is one each. The list leaves it out. */
static const struct pmu_event uops = {.code = 0x01b1, .fixed = -1, .terms = {{Q_LOADS, 1}, {Q_STORES, 2}}};

bool intel_other_uops_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	int core = intel_found(pmu)->core;

	if (i || !has_pair(pmu) || core == INTEL_NO_CORE ||
	    (core != intel_core_by_name("HSW") && core != intel_core_by_name("HSX")))
		return false;
	snprintf(out->name, sizeof out->name, "B1H/01H");
	out->counters = intel_first_counters(pmu, 1);
	out->kernel = "load_op_store";
	return true;
}

/* Each counts its own, though both work. */
void intel_other_uops_check(struct control_fixture *h, unsigned i, const struct pmu_event *unused)
{
	uint64_t low, high;

	(void)i, (void)unused;
	control_program(h, 0, &(struct pmu_config){.code = uops.code, .levels = LEVELS_ALL}, START);
	h->amount(h, &uops, 0, &low, &high);
	h->run(h, 1);
	h->within(h, "micro-operations, the other logical processor being halted", START + low, UINT64_MAX,
		  control_value(h, 0));
	control_program(h, 0, &(struct pmu_config){.code = uops.code, .levels = LEVELS_ALL}, START);
	program_other(h, uops.code);
	h->run_beside(h, 1, &plain);
	h->within(h, "micro-operations while the other logical processor executes some", START + low,
		  UINT64_MAX, control_value(h, 0));
	program_other(h, 0);
}

/* --- far branches of the other one --------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint16_t code;
} far_events[] = {{"C4H/40H", 0x40c4}};

bool intel_far_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct pmu_event *e = event_of(pmu, far_events[0].code);

	if (i || !e || !has_pair(pmu) || e->judgement != EVENT_EXACT)
		return false;
	snprintf(out->name, sizeof out->name, "%s", far_events[0].name);
	out->counters = intel_first_counters(pmu, 2);
	return true;
}

/* Logical processor 1 of the core counts as many as it executes. */
void intel_far_check(struct control_fixture *h, unsigned i, const struct pmu_event *unused)
{
	const struct pmu_event *e = event_of(h->pmu, far_events[i].code);
	struct control_other far = plain;
	uint64_t turns;

	(void)unused;
	far.far = true;
	control_program(h, 1, &(struct pmu_config){.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL}, START);
	program_other(h, e->code);
	turns = h->run_beside(h, 2, &far);
	h->within(h, "turns of the other logical processor", 1, UINT64_MAX, turns);
	h->equal(h, "far branches of the other logical processor", turns * h->turn(h, e, true),
		 h->other_read(h, SPACE_MSR, IA32_PMC0) - OTHER_START);
	program_other(h, 0);
}

/* --- load latency ------------------------------------------------------------------------------------- */

#define THRESHOLD 4
#define RECORDS   16

static _Alignas(4096) uint8_t memory[2 * 4096];

/* The event's first counter; NO_COUNTER: it cannot be sampled. */
uint64_t intel_slow_counter(const struct pmu *pmu)
{
	const struct intel_pebs *p = &intel_found(pmu)->pebs;

	for (unsigned i = 0; i < pmu->n_events && p->latency_event; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (e->code == p->latency_event && e->fixed < 0 && e->counters & p->counters)
			return (unsigned)__builtin_ctzll(e->counters & p->counters);
	}
	return NO_COUNTER;
}

bool intel_slow_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t c = intel_slow_counter(pmu);

	if (i || c == NO_COUNTER || !has_pair(pmu) || !intel_found(pmu)->samples ||
	    intel_found(pmu)->pebs.latency_event != CODE_LATENCY)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[c].name);
	out->counters = 1ull << c;
	out->kernel = "clflush_reload";
	return true;
}

static unsigned slow_loads(struct control_fixture *h, struct pmu_recording *r, bool beside)
{
	struct pmu_record got[RECORDS];
	const char *why;

	if (!h->works(h, "setting PEBS up", record_setup(h->pmu, r, &why)))
		return 0;
	if (beside)
		h->run_beside(h, 1ull << r->counter, &plain);
	else
		h->run(h, 1ull << r->counter);
	unsigned n = record_drain(h->pmu, r, got, RECORDS);

	h->works(h, "releasing", record_release(h->pmu, r));
	return n;
}

/* Each load of the kernel is one, whatever the other one does. */
void intel_slow_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .counter = (unsigned)intel_slow_counter(h->pmu),
				  .config = {.code = CODE_LATENCY,
					     .levels = LEVELS_ALL,
					     .extra_register = MSR_PEBS_LD_LAT,
					     .extra_value = THRESHOLD},
				  .period = 2,
				  .memory = memory,
				  .records = RECORDS};

	(void)i, (void)e;
	if (!r.source)
		return;
	r.size = record_memory(h->pmu, &r);
	program_other(h, CODE_INSTRUCTIONS);
	h->within(h, "records of slow loads, the other logical processor being halted", 1, RECORDS,
		  slow_loads(h, &r, false));
	h->within(h, "records of slow loads while the other logical processor works", 1, RECORDS,
		  slow_loads(h, &r, true));
	program_other(h, 0);
}

/* --- both threads together ------------------------------------------------------------------------------ */

#define WAKING 1000 /* instructions between its halts that it does not count itself, at most */

/* Counter 0 and fixed counter 0. */
bool intel_both_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t fixed = intel_find_counter(pmu, COUNTER_FIXED, 0);

	if (i > 1 || !has_pair(pmu) || !intel_found(pmu)->leaf.any_thread || !intel_instructions(pmu) ||
	    (i && fixed == NO_COUNTER))
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i ? fixed : 1].name);
	out->counters = 1 | (i ? 1ull << fixed : 2);
	return true;
}

/* What a counter with AnyThread counts beyond what both count by themselves. */
static uint64_t beyond(struct control_fixture *h, unsigned c, unsigned times)
{
	struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	uint64_t turns;

	control_program(h, 0, &config, START);
	config.any_thread = true;
	control_program(h, c, &config, START);
	program_other(h, CODE_INSTRUCTIONS);
	turns = h->run_around(h, 1 | 1ull << c, &plain, times);
	h->within(h, "turns of the other logical processor", 1, UINT64_MAX, turns);
	return control_value(h, c) - control_value(h, 0) -
	       (h->other_read(h, SPACE_MSR, IA32_PMC0) - OTHER_START);
}

/* It is what the other one executes outside of its own count, on its way from one halt to the next: always
 * the same. */
void intel_both_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned c = i ? (unsigned)intel_find_counter(h->pmu, COUNTER_FIXED, 0) : 1;
	uint64_t once = beyond(h, c, 1), more = beyond(h, c, 4);

	(void)e;
	h->within(h, "instructions of both, beyond those that each counts", 0, WAKING, once);
	h->equal(h, "the same, while both execute more", once, more);
	program_other(h, 0);
}
