/*
 * Control logic of AMD's own, the table of its checks: a stop at a carry into the upper half, halted time,
 * aliases and the last branch are here, the others in files of their own. Published errata are about each.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define CYCLES       0x76
#define UPPER        (1ull << 32)
#define TOP          ((1ull << AMD_WIDTH) - 1)
#define START        1000
#define HALT_US      20000
#define HALT_US_MAX  320000
#define ACTIVE_PART  8 /* of the time: waking and the handler take microseconds */

bool amd_set_counter(struct control_fixture *h, unsigned c, uint64_t code, uint8_t rings, bool interrupt,
		     uint64_t first)
{
	const struct pmu_config config = {.code = code, .levels = rings, .interrupt = interrupt};

	return control_program(h, c, &config, first);
}

bool amd_counts_instructions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return e->code == INSTRUCTIONS && pmu->driver->can_count(pmu, e, c);
}

bool amd_each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 1ull << i, .suits = amd_counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	return true;
}

/* --- a stop at the carry from bit 31: erratum 795 ----------------------------------------------------- */

static void stop_at_carry(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t mask = 1ull << c, low, high;

	if (!amd_set_counter(h, c, e->code, LEVELS_ALL, false, START))
		return;
	h->run(h, mask);
	h->amount(h, e, 0, &low, &high);
	for (uint64_t before = low - 1; before <= low + 1; before++) {
		if (!amd_set_counter(h, c, e->code, LEVELS_ALL, false, UPPER - before))
			return;
		h->run(h, mask);
		h->within(h, "stopped about a carry from bit 31, it is", UPPER - before + low,
			  UPPER - before + high, control_value(h, c));
	}
}

/* --- bits 63:48 ----------------------------------------------------------------------------------------- */

/* Drivers may well look at the lower ones only. */
static void no_upper_bits(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	if (!amd_set_counter(h, c, e->code, LEVELS_ALL, false, TOP))
		return;
	h->run(h, 1ull << c);
	h->equal(h, "behind the wrap the register's bits 63:48 read as", 0,
		 control_register(h, amd_counter_msr(h->pmu, c)) >> AMD_WIDTH);
}

/* --- halted time: erratum 794 ------------------------------------------------------------------------- */

static bool counts_cycles(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	(void)c;
	return e->code == CYCLES && pmu->driver->can_count(pmu, e, 0);
}

static bool once(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	*out = (struct pmu_control_instance){.name = "timer", .counters = 1, .suits = counts_cycles};
	return i == 0;
}

/* Little more than the way there and back. */
static void halt(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t took = 0;

	(void)instance;
	for (unsigned us = HALT_US; !took && us <= HALT_US_MAX; us *= 4) {
		if (!amd_set_counter(h, 0, e->code, LEVELS_ALL, false, START) ||
		    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 1)))
			return;
		took = h->halt(h, us);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	}
	h->equal(h, "it halted", true, took != 0);
	h->within(h, "over a halt the core's cycles go on by", 1, took / ACTIVE_PART,
		  control_value(h, 0) - START);
}

/* --- aliases ------------------------------------------------------------------------------------------ */

static bool each_alias(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= AMD_LEGACY || amd_select_msr(pmu, 0) != PERF_CTL0)
		return false;
	return amd_each_counter(pmu, i, out);
}

static void alias(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	(void)e;
	for (uint64_t value = START; value <= 2 * START; value += START) {
		h->works(h, "writing the counter", msr_write(amd_counter_msr(h->pmu, c), value + c));
		h->equal(h, "by its legacy number the counter reads", value + c,
			 control_register(h, PERF_LEGACY_CTR0 + c));
		h->works(h, "writing the selector", msr_write(PERF_LEGACY_CTL0 + c, INSTRUCTIONS + c));
		h->equal(h, "what its legacy number wrote, the selector reads as", INSTRUCTIONS + c,
			 control_register(h, amd_select_msr(h->pmu, c)));
	}
	h->works(h, "taking it out of use", msr_write(amd_select_msr(h->pmu, c), 0));
}

/* --- the last branch before an interrupt ---------- */

/* The timer's interrupt puts the last branch aside, and its handler branches on. */
static void last_exception(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t control, from = 0;

	(void)instance, (void)e;
	if (!h->works(h, "recording the last branch",
		      msr_read(DEBUGCTL, &control) && msr_write(DEBUGCTL, control | DEBUGCTL_LBR)))
		return;
	for (unsigned us = HALT_US; !h->halt(h, us) && us <= HALT_US_MAX; us *= 4)
		;
	from = control_register(h, LAST_EXCEPTION_FROM);
	h->works(h, "recording no more", msr_write(DEBUGCTL, control));
	h->equal(h, "there was a branch before the interrupt", true, from != 0);
	h->equal(h, "it was the last one", false, from == control_register(h, LAST_BRANCH_FROM));
}

const struct pmu_control_check amd_control[] = {
	{"stop at a carry", "APM vol. 2, 13.2.1; revision guide 51810, erratum 795", 0, amd_each_counter,
	 stop_at_carry},
	{"upper bits", "APM vol. 2, 13.2.1", 0, amd_each_counter, no_upper_bits},
	{"two counters interrupt", "APM vol. 2, 13.2.1, INT; revision guide 55449, erratum 1023",
	 PMU_CONTROL_INTERRUPT, amd_two_instance, amd_two_check},
	{"retired", "APM vol. 2, 13.2.1; revision guides 56323 and 56683, errata 1291 and 1292", 0,
	 amd_retired_instance, amd_retired_check},
	{"dispatched", "guides of the families, PMCx0AA; revision guide 56683, erratum 1287", 0,
	 amd_dispatched_instance, amd_dispatched_check},
	{"cycles over a halt", "guides of the families, PMCx076; revision guide 51810, erratum 794",
	 PMU_CONTROL_TIMER, once, halt},
	{"IRPERF", "APM vol. 2, 13.2.1; PPR 57930, IRPerfCount; revision guide 56683, erratum 1267", 0,
	 amd_irperf_instance, amd_irperf_check},
	{"MPERF and APERF", "APM vol. 2, 17.2", 0, amd_aperf_instance, amd_aperf_check},
	{"merged counters", "PPR of family 17H, large increments", 0, amd_pair_instance, amd_merged_check},
	{"threshold", "APM vol. 2, 13.2.1, CntMask", 0, amd_pair_instance, amd_threshold_check},
	{"status", "APM vol. 2, 13.2.1", 0, amd_status_instance, amd_status_check},
	{"status set by software", "APM vol. 2, 13.2.1, PerfCntGlobalStatusSet", PMU_CONTROL_INTERRUPT,
	 amd_settable_instance, amd_settable_check},
	{"RDPMC map", "APM vol. 3, RDPMC; revision guide 51810, erratum 781", 0, amd_rdpmc_instance,
	 amd_rdpmc_check},
	{"aliases", "BKDG of family 15H, MSRC001_00[07:00]", 0, each_alias, alias},
	{"freeze", "APM vol. 2, 13.1.1 and 13.2.1", PMU_CONTROL_INTERRUPT, amd_freeze_instance,
	 amd_freeze_check},
	{"IBS", "APM vol. 2, 13.3", 0, amd_ibs_registers_instance, amd_ibs_registers_check},
	{"IBS tells", "APM vol. 2, 13.3.4", 0, amd_ibs_told_instance, amd_ibs_told_check},
	{"IBS period", "APM vol. 2, 13.3.3", 0, amd_ibs_period_instance, amd_ibs_period_check},
	{"IBS stopped", "APM vol. 2, 13.3.3; revision guide 41322, erratum 420", PMU_CONTROL_INTERRUPT,
	 amd_ibs_stop_instance, amd_ibs_stop_check},
	{"IBS fetches", "APM vol. 2, 13.3.2", 0, amd_ibs_fetch_instance, amd_ibs_fetch_check},
	{"sample over a halt", "APM vol. 2, 13.3; errata 541, 1197, 1215", PMU_CONTROL_TIMER,
	 amd_sample_halt_instance, amd_sample_halt_check},
	{"counter over a halt", "APM vol. 2, 17.2; errata 660, 1054", PMU_CONTROL_TIMER,
	 amd_free_halt_instance, amd_free_halt_check},
	{"page of a fetch", "APM vol. 2, 13.3.2; erratum 1347", 0, amd_page_instance, amd_page_check},
	{"x87 operations", "guides of the families, PMCx0C1; erratum 538", 0, amd_x87_instance,
	 amd_x87_check},
	{"beside the other thread", "APM vol. 2, 13.2", PMU_CONTROL_OTHER, amd_beside_instance,
	 amd_beside_check},
	{"tagged operations of the other thread", "guides of the families, PMCx1CF; erratum 1348",
	 PMU_CONTROL_OTHER, amd_tagged_instance, amd_tagged_check},
	{"fetches of the other core", "BKDG of family 15H, PMCx080; erratum 685", PMU_CONTROL_OTHER,
	 amd_fetches_instance, amd_fetches_check},
	{"last branch beside the other thread", "APM vol. 2, 13.1.6.1; erratum 593", PMU_CONTROL_OTHER,
	 amd_last_beside_instance, amd_last_beside_check},
	{"fetches sampled", "APM vol. 2, 13.3.2; erratum 694", 0, amd_blocks_instance, amd_blocks_check},
	{"shared counts", "BKDG of family 0FH, 10.2", 0, amd_shared_instance, amd_shared_check},
	{"last exception", "APM vol. 2, 13.1.6.1", PMU_CONTROL_TIMER, once, last_exception},
	{"last branch before a fault", "APM vol. 2, 13.1.6.1", 0, amd_last_fault_instance,
	 amd_last_fault_check},
	{"debug exception", "APM vol. 2, 13.1.6.1 and 13.1.1.8", 0, amd_debug_instance, amd_debug_check},
	{"records against counters", "APM vol. 2, 13.1.1.9", 0, amd_stack_counter_instance,
	 amd_stack_counter_check},
	{"branches alone", "APM vol. 2, 13.1.1.9; Linux, erratum 1452", 0, amd_bogus_instance,
	 amd_bogus_check},
	{"host and guest", "APM vol. 2, 13.2.1, HG_ONLY; Linux 1018faa6cf23", 0, amd_selector_instance,
	 amd_selector_check},
	{"guests", "APM vol. 2, 13.2.1, HG_ONLY", 0, amd_guest_instance, amd_guest_check},
	{0},
};
