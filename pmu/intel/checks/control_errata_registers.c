/*
 * Checks of what published errata tell of selectors, of registers that are written back, and of freezing:
 * each must hold on every CPU.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

#define ALL_GENERAL(pmu) ((1ull << (pmu)->n_general) - 1)

static bool one(const struct pmu *pmu, unsigned i, const char *name, uint64_t counters,
		struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !counters)
		return false;
	snprintf(out->name, sizeof out->name, "%s", name);
	out->counters = counters;
	return true;
}

/* --- programming a counter anew ------------------------------------------------------------------------- */

#define ANEW 4 /* times, each counter */

bool intel_anew_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t clock = intel_find_counter(pmu, COUNTER_FIXED, 1);

	if (clock == NO_COUNTER || !intel_offers(pmu, CODE_BRANCHES))
		return false;
	out->kernel = "dependency_chain";
	return one(pmu, i, "general counters", intel_first_counters(pmu, 1) | 1ull << clock, out);
}

/* A branch in a long while: they are neither none, nor as many as clocks. A counter that the ladder has left
 * out says nothing of its selector. */
void intel_anew_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config clocks = {.levels = LEVELS_ALL};
	const struct pmu_config branches = {.code = CODE_BRANCHES, .levels = LEVELS_ALL};
	unsigned clock = (unsigned)intel_find_counter(h->pmu, COUNTER_FIXED, 1);

	(void)i, (void)e;
	for (unsigned c = 0; c < ANEW * h->pmu->n_general; c++) {
		unsigned k = c % h->pmu->n_general;

		if (h->pmu->left_out >> k & 1)
			continue;
		control_program(h, k, &branches, 0);
		control_program(h, clock, &clocks, 0);
		h->run(h, 1ull << k | 1ull << clock);
		h->equal(h, "a counter that was programmed anew counts nothing", false, !control_value(h, k));
		h->equal(h, "a counter that was programmed anew counts clocks", false,
			 control_value(h, k) > control_value(h, clock) / 2);
		h->works(h, "releasing it", h->pmu->driver->release(h->pmu, k));
	}
}

/* --- an event that CPUID declares --------------------------------------------------------------------- */

#define CODE_REFERENCE 0x013c
/* A turn branches, so it takes a cycle at least. The slowest reference clock, a crystal of 19.2 MHz, ticks
 * once in 323 cycles of the fastest core, of 6.2 GHz (tests/kernels/x86/limits.def, BUS_RATIO): it does so
 * thrice. */
#define TURNS 1024

bool intel_declared_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return intel_offers(pmu, CODE_REFERENCE) && one(pmu, i, "3CH/01H", intel_first_counters(pmu, 1), out);
}

void intel_declared_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_REFERENCE, .levels = LEVELS_ALL};

	(void)i, (void)e;
	control_program(h, 0, &config, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	for (volatile unsigned n = 0; n < TURNS; n++)
		;
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->equal(h, "an event that CPUID leaf 0AH declares counts nothing", false, !control_value(h, 0));
}

/* --- what a selector reads ---------------------------------------------------------------------------- */

bool intel_select_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return one(pmu, i, "general counters", pmu->n_general ? 1 : 0, out);
}

void intel_select_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	(void)i, (void)e;
	for (unsigned c = 0; c < h->pmu->n_general; c++) {
		uint32_t address = IA32_PERFEVTSEL0 + h->pmu->counter[c].index;
		uint64_t value = EVTSEL_USR | CODE_INSTRUCTIONS | c << 8;

		h->works(h, "writing a selector", msr_write(address, value));
		h->equal(h,
			 h->pmu->counter[c].index < 4 ? "a selector reads"
						      : "a selector of the upper four reads",
			 value, control_register(h, address));
		h->works(h, "clearing it", msr_write(address, 0));
	}
}

/* --- one ring alone ----------------------------------------------------------------------------------- */

bool intel_ring_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return intel_offers(pmu, CODE_INSTRUCTIONS) && one(pmu, i, "general counters", ALL_GENERAL(pmu), out);
}

void intel_ring_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_USER};
	const struct pmu_config every = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};

	(void)i, (void)e;
	/* One that counts nothing at all is not one that does not count ring 3. */
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		control_program(h, c, &every, 0);
	h->run_user(h, ALL_GENERAL(h->pmu));
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		h->within(h, "instructions of all rings", 1, UINT64_MAX, control_value(h, c));
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		control_program(h, c, &config, 0);
	h->run_user(h, ALL_GENERAL(h->pmu));
	h->within(h, "instructions of ring 3 on the first counter", 1, UINT64_MAX, control_value(h, 0));
	for (unsigned c = 1; c < h->pmu->n_general; c++) {
		if (h->pmu->counter[c].index >= 4)
			h->equal(h, "one of the upper four counts nothing of ring 3", false,
				 !control_value(h, c));
		h->equal(h, "instructions of ring 3 on another counter", control_value(h, 0),
			 control_value(h, c));
	}
}

/* --- all counters stand still while CTR_FRZ is set
 * ---------------------------------------------------------- */

bool intel_still_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return pmu->version >= 4 && intel_offers(pmu, CODE_INSTRUCTIONS) &&
	       one(pmu, i, "general counters", ALL_GENERAL(pmu), out);
}

void intel_still_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};

	(void)i, (void)e;
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		control_program(h, c, &config, START);
	h->run(h, ALL_GENERAL(h->pmu));
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		h->within(h, "what nothing freezes goes on to", START + 1, UINT64_MAX, control_value(h, c));
	h->works(h, "freezing", msr_write(IA32_PERF_GLOBAL_STATUS_SET, STATUS_CTR_FRZ));
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, START));
	h->run(h, ALL_GENERAL(h->pmu));
	for (unsigned c = 0; c < h->pmu->n_general; c++)
		h->equal(h,
			 h->pmu->counter[c].index < 4 ? "a frozen counter holds"
						      : "a frozen counter of the upper four holds",
			 START, control_value(h, c));
	h->works(h, "unfreezing", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
}

/* --- a last-branch source is written as it is read ---------------------------------------------------- */

#define UPPER_HALF 0xffff800012345678

bool intel_written_back_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return intel_found(pmu)->records_branches && intel_found(pmu)->lbr.format == LBR_TSX &&
	       one(pmu, i, "LBR", 1, out);
}

/* Bits 63:61 are flags, and what is read of a branch of the upper half has none set. */
void intel_written_back_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const uint32_t first = intel_found(h->pmu)->lbr.from;

	(void)i, (void)e;
	h->equal(h, "a source of the lower half is written", true, msr_write(first, START));
	h->equal(h, "a source of the upper half is written, as it is read", true,
		 msr_write(first, UPPER_HALF & ~(7ull << 61)));
	h->works(h, "clearing it", msr_write(first, 0));
}

/* --- a counter that a handler leaves at 0 ------------------------------------------------------------- */

bool intel_zero_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return intel_offers(pmu, CODE_INSTRUCTIONS) &&
	       one(pmu, i, "general counter", intel_first_counters(pmu, 1), out);
}

void intel_zero_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL, .interrupt = true};

	(void)i, (void)e;
	control_program(h, 0, &config, intel_counter_top(h->pmu, 0));
	h->arm(h);
	h->run(h, 1);
	h->equal(h, "interrupts of an overflow", 1, h->interrupts(h));
	for (unsigned zero = 0; zero < 2; zero++) {
		h->arm(h);
		h->works(h, "starting",
			 h->pmu->driver->write(h->pmu, 0, zero ? 0 : START) &&
				 h->pmu->driver->start(h->pmu, 1) && h->pmu->driver->stop(h->pmu));
		h->equal(h, zero ? "interrupts when it is left at 0" : "interrupts when it is written", 0,
			 h->interrupts(h));
	}
	h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, 1));
}

/* --- whether metrics are told of
 * ---------------------------------------------------------------------------- */

#define FIXED_SLOTS 3

bool intel_told_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return intel_find_counter(pmu, COUNTER_FIXED, FIXED_SLOTS) != NO_COUNTER &&
	       one(pmu, i, "metrics", 1, out);
}

void intel_told_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t value;

	(void)i, (void)e;
	h->equal(h, "IA32_PERF_CAPABILITIES[15], which tells of PERF_METRICS",
		 msr_read(MSR_PERF_METRICS, &value), control_register(h, IA32_PERF_CAPABILITIES) >> 15 & 1);
}
