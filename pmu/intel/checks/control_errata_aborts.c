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
#include "pmu/intel/records/ds.h"
#include "pmu/intel/records/record.h"
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

/* --- branches of aborts --------------------------------------------------------------------------------- */

#define BRANCHES 32
#define OVER     3 /* bytes from a branch to where it leads */

enum { TRACED, LED, WAYS };

bool intel_abort_branches_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct intel_found *f = intel_found(pmu);

	i += !f->traces_branches;
	return i < WAYS && !pmu->under_hypervisor && f->records_branches &&
	       aborts(pmu, 0, i == TRACED ? "BTS" : "LBR", 1, out);
}

#ifdef __x86_64__
#define ADDRESS(label, to) "lea " label "(%%rip), " to "\n\t"
#else
#define ADDRESS(label, to) "mov $" label ", " to "\n\t"
#endif

/* A branch before a transaction, and one in it before the abort: a processor may abort at once. */
static __attribute__((noinline)) void abort_behind(uintptr_t branch[2])
{
	__asm__ volatile(ADDRESS("1f", "%0") ADDRESS("3f", "%1") "1:\tjmp 2f\n\tnop\n2:\txbegin 5f\n"
								 "3:\tjmp 4f\n\tnop\n4:\txabort $0\n5:"
			 : "=&r"(branch[0]), "=&r"(branch[1])
			 :
			 : "eax", "memory");
}

void intel_abort_branches_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static _Alignas(64) uint8_t memory[sizeof(struct ds_area) + BRANCHES * sizeof(struct ds_branch)];
	static struct pmu_record out[BRANCHES];
	unsigned way = i + !intel_found(h->pmu)->traces_branches, seen[2] = {0}, wrong = 0, n;
	struct pmu_recording r = {
		.source = record_source(h->pmu, way == TRACED ? RECORD_BRANCH_TRACE : RECORD_LAST_BRANCHES),
		.levels = LEVELS_ALL,
		.memory = memory,
		.size = sizeof memory,
		.records = BRANCHES};
	uintptr_t branch[2];
	const char *why;

	(void)e;
	if (!h->works(h, "recording", r.source && record_setup(h->pmu, &r, &why) && record_start(h->pmu, &r)))
		return;
	abort_behind(branch);
	/* By one write, which leaves the records of before in the stack. */
	bool stopped = msr_write(IA32_DEBUGCTL, 0);

	h->works(h, "stopping", record_stop(h->pmu, &r) && stopped);
	n = record_drain(h->pmu, &r, out, BRANCHES);
	h->works(h, "releasing", record_release(h->pmu, &r));
	for (unsigned k = 0; k < n; k++)
		for (unsigned b = 0; b < 2; b++)
			if (out[k].from == branch[b]) {
				wrong += way == TRACED ? seen[b] : out[k].to != branch[b] + OVER;
				seen[b]++;
			}
	h->within(h, "records of branches before an abort", 1, BRANCHES, seen[0] + seen[1]);
	h->equal(h,
		 way == TRACED ? "records that repeat a branch before an abort"
			       : "branches before an abort that are recorded to elsewhere",
		 0, wrong);
}

/* --- locks that are elided ------------------------------------------------------------------------------ */

static const uint16_t mixes[] = {0x08c1, 0x10c1};

bool intel_mixes_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const cores[] = {"HSW", "HSX", "BDW", "BDX"};
	int core = intel_found(pmu)->core;
	bool has = false;

	for (unsigned c = 0; c < 4; c++)
		has |= core != INTEL_NO_CORE && core == intel_core_by_name(cores[c]);
	if (!has || i >= sizeof mixes / sizeof mixes[0] || pmu->under_hypervisor)
		return false;
	snprintf(out->name, sizeof out->name, "C1H/%02XH", mixes[i] >> 8);
	out->counters = intel_first_counters(pmu, 1);
	return out->counters != 0;
}

/* Elision aborts at CPUID, and the lock is taken. */
void intel_mixes_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint32_t lock = 0, a, b, c, d;

	(void)e;
	control_program(h, 0, &(struct pmu_config){.code = mixes[i], .levels = LEVELS_ALL}, START);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	for (unsigned n = 0; n < 8; n++)
		__asm__ volatile("xacquire lock incl %4\n\txor %%eax, %%eax\n\tcpuid\n\txrelease lock decl %4"
				 : "=&a"(a), "=&b"(b), "=&c"(c), "=&d"(d), "+m"(lock));
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->equal(h, "transitions where AVX and SSE are not mixed", START, control_value(h, 0));
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

/* --- overflows about a halt ------------------------------------------------------------------------ */

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
		h->leave(h, "the processor offers no idle state below C1 in which its timer goes on");
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
