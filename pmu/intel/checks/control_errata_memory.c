/*
 * What addresses make of counts and records: a breakpoint that is disabled, code that loads a segment
 * register, data in the upper half of the address space.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/memory.h"
#include "arch/x86/cpu/debug_registers.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

static _Alignas(4096) uint8_t memory[2 * 4096];

/* --- breakpoints ----------------------------------------------------------------------------------- */

#define TURNS 8

bool intel_passed_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	snprintf(out->name, sizeof out->name, "instructions");
	out->counters = intel_first_counters(pmu, 1);
	return !i && !pmu->under_hypervisor && out->counters && intel_offers(pmu, CODE_INSTRUCTIONS);
}

/* A loop of two instructions. @return its address; no turns: it is not run */
static __attribute__((noinline)) uintptr_t turn(uintptr_t turns)
{
	uintptr_t loop;

#ifdef __x86_64__
#define LOOP_ADDRESS "lea 1f(%%rip), %0\n"
#else
#define LOOP_ADDRESS "mov $1f, %0\n"
#endif
	__asm__ volatile(LOOP_ADDRESS "test %1, %1\n\tjz 2f\n1:\tdec %1\n\tjnz 1b\n2:"
			 : "=&r"(loop), "+r"(turns)::"cc");
	return loop;
}

/* Eight turns of the loop, with a breakpoint at it that is disabled if another one is enabled. */
static __attribute__((noinline)) uint64_t passing(struct control_fixture *h, bool one_enabled)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	uintptr_t none = 0, turns = TURNS;

	/* Not known to the compiler, which could make two loops of one otherwise. */
	__asm__("" : "+r"(none), "+r"(turns));
	uintptr_t loop = turn(none);

	control_program(h, 0, &config, START);
	if (one_enabled)
		debug_set((uintptr_t)memory, loop);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	turn(turns);
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	debug_clear();
	return control_value(h, 0);
}

void intel_passed_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t without = passing(h, false);

	(void)i, (void)e;
	h->within(h, "instructions of a loop", START + 2 * TURNS, UINT64_MAX, without);
	h->equal(h, "the same, at a breakpoint that is disabled", without, passing(h, true));
}

/* --- loads of SS ----------------------------------------------------------------------------------- */

#define RECORDS 32
#define PERIOD  6 /* one more than the loop has instructions, so that each has its turn */
#define LOOPS   40

bool intel_segment_sample_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct intel_found *f = intel_found(pmu);

	snprintf(out->name, sizeof out->name, "SS");
	out->counters = intel_first_counters(pmu, 1);
	return !i && !pmu->under_hypervisor && f->samples && !f->pebs.architectural && !f->pebs.adaptive &&
	       out->counters;
}

/* The loop's instructions, of two bytes each but for what ends it, that records are of. */
static unsigned sampled(struct control_fixture *h, struct pmu_recording *r, bool stack)
{
	static struct pmu_record got[RECORDS];
	uintptr_t loop, turns = LOOPS, selector;
	const char *why;
	unsigned seen = 0;

	if (!h->works(h, "setting PEBS up", record_setup(h->pmu, r, &why)) ||
	    !h->works(h, "sampling", record_start(h->pmu, r)))
		return 0;
	if (stack)
		__asm__ volatile("mov %%ss, %k2\n\t" LOOP_ADDRESS
				 "1:\tmov %k2, %%ss\n\ttest %k2, %k2\n\ttest %k2, %k2\n\tdec %1\n\tjnz 1b"
				 : "=&r"(loop), "+r"(turns), "=&r"(selector));
	else
		__asm__ volatile("mov %%ds, %k2\n\t" LOOP_ADDRESS
				 "1:\tmov %k2, %%ds\n\ttest %k2, %k2\n\ttest %k2, %k2\n\tdec %1\n\tjnz 1b"
				 : "=&r"(loop), "+r"(turns), "=&r"(selector));
	h->works(h, "stopping", record_stop(h->pmu, r));
	unsigned n = record_drain(h->pmu, r, got, RECORDS);

	h->works(h, "releasing", record_release(h->pmu, r));
	for (unsigned k = 0; k < n; k++) {
		uint64_t at = (got[k].has & RECORD_HAS_IP ? got[k].ip : got[k].next_ip) - loop;

		if (at < 16)
			seen |= 1u << at;
	}
	return (unsigned)__builtin_popcount(seen);
}

/* As many of a loop as of one that differs in the segment register alone. */
void intel_segment_sample_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .config.code = CODE_INSTRUCTIONS,
				  .period = PERIOD,
				  .memory = memory,
				  .records = RECORDS};
	const char *why = "there is no such record";

	(void)i, (void)e;
	r.size = r.source ? record_memory(h->pmu, &r) : 0;
	if (r.source && !record_can_sample(h->pmu, &r, &why))
		r.config.code = CODE_INSTRUCTIONS_PRECISE;
	if (!r.source || r.size > sizeof memory || !record_can_sample(h->pmu, &r, &why)) {
		h->leave(h, why);
		return;
	}
	unsigned data = sampled(h, &r, false);

	h->within(h, "instructions of a loop that records are of", 2, 5, data);
	h->equal(h, "the same, if it loads SS", data, sampled(h, &r, true));
}

/* --- the upper half ------------------------------------------------------------------------------------- */

#define HIGH      0xffff900000000000 /* nothing else is there */
#define LOADS     8
#define THRESHOLD 4

bool intel_high_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t c = intel_slow_counter(pmu);

	if (i || c == NO_COUNTER || sizeof(void *) < 8 || pmu->under_hypervisor || !intel_found(pmu)->samples)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[c].name);
	out->counters = 1ull << c;
	return true;
}

static void load_from(uint64_t address)
{
	uintptr_t at = (uintptr_t)address, value;

	for (unsigned n = 0; n < LOADS; n++)
		__asm__ volatile("clflush (%1)\n\tmfence\n\tmov (%1), %0"
				 : "=&r"(value)
				 : "r"(at)
				 : "memory");
}

/* Records of loads have the address that was loaded from, all of it. */
void intel_high_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static _Alignas(4096) uint8_t page[4096];
	static struct pmu_record got[LOADS];
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_PRECISE),
				  .levels = LEVELS_ALL,
				  .counter = (unsigned)intel_slow_counter(h->pmu),
				  .config = {.code = intel_found(h->pmu)->pebs.latency_event,
					     .levels = LEVELS_ALL,
					     .extra_register = MSR_PEBS_LD_LAT,
					     .extra_value = THRESHOLD},
				  .period = 2,
				  .memory = memory,
				  .records = LOADS};
	unsigned whole = 0, cut = 0;
	const char *why = "records take more memory than there is here";

	(void)i, (void)e;
	r.size = r.source ? record_memory(h->pmu, &r) : 0;
	if (!r.source || r.size > sizeof memory || !record_can_sample(h->pmu, &r, &why)) {
		h->leave(h, why);
		return;
	}
	if (!page_also_at(HIGH, page)) {
		h->leave(h, "no page of tables is left");
		return;
	}
	if (!h->works(h, "setting PEBS up", record_setup(h->pmu, &r, &why))) {
		page_also_at(HIGH, NULL);
		return;
	}
	h->works(h, "sampling", record_start(h->pmu, &r));
	load_from(HIGH);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	unsigned n = record_drain(h->pmu, &r, got, LOADS);

	h->works(h, "releasing", record_release(h->pmu, &r) && page_also_at(HIGH, NULL));
	for (unsigned k = 0; k < n; k++) {
		whole += got[k].address == HIGH;
		cut += got[k].address != HIGH && got[k].address << 16 == (uint64_t)HIGH << 16;
	}
	h->equal(h, "records of loads from the upper half, without its bits", 0, cut);
	h->within(h, "records of loads from the upper half", 1, LOADS, whole);
}
