/*
 * Checks of branch records beyond what they record, which the suite `trace` judges: freezing, what else they
 * tell, and the rules of their registers and buffers.
 */
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/records/record_ds.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

/* --- the last-branch stack freezes with an interrupt ------------------------------------------------ */

static bool suits_branches(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu, (void)i;
	return e->fixed < 0 && e->code == CODE_BRANCHES;
}

bool intel_lbr_freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found(pmu)->records_branches || !intel_offers(pmu, CODE_BRANCHES) ||
	    intel_find_counter(pmu, COUNTER_GENERAL, 0) == NO_COUNTER)
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	out->counters = 1ull << intel_find_counter(pmu, COUNTER_GENERAL, 0);
	out->suits = suits_branches;
	return true;
}

/* The newest records after the n-th branch of a run has raised an interrupt; @return how many there are. */
static unsigned freeze_after(struct control_fixture *h, uint64_t n, struct pmu_record *out)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_ALL};
	const struct pmu_config config = {.code = CODE_BRANCHES, .levels = LEVELS_ALL, .interrupt = true};
	unsigned c = (unsigned)intel_find_counter(h->pmu, COUNTER_GENERAL, 0);
	const char *why;

	control_program(h, c, &config, intel_counter_top(h->pmu, c) + 1 - n);
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return 0;
	h->works(h, "asking for the freeze", intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_LBRS_ON_PMI));
	h->works(h, "recording", record_start(h->pmu, &r));
	h->arm(h);
	h->run(h, 1ull << c);
	/* Without an interrupt nothing is to freeze. */
	h->equal(h, "interrupts", 1, h->interrupts(h));
	if (h->pmu->version >= 4)
		h->equal(h, "LBR_FRZ after the interrupt is", 1,
			 (control_register(h, IA32_PERF_GLOBAL_STATUS) & STATUS_LBR_FRZ) != 0);
	else
		h->equal(h, "IA32_DEBUGCTL.LBR after the interrupt is", 0,
			 control_register(h, IA32_DEBUGCTL) & DEBUGCTL_LBR);
	unsigned count = record_drain(h->pmu, &r, out, INTEL_LBR_DEPTH_MAX);
	h->works(h, "stopping", record_release(h->pmu, &r));
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_LBRS_ON_PMI, 0));
	h->works(h, "acknowledging",
		 msr_write(IA32_PERF_GLOBAL_OVF_CTRL, h->pmu->version >= 4 ? STATUS_LBR_FRZ | 1 : 1));
	return count;
}

static bool same_branch(const struct pmu_record *a, const struct pmu_record *b)
{
	return a->from == b->from && a->to == b->to;
}

/*
 * Frozen after the first branch of the run, the newest record is of that one; frozen after the second, it is
 * the one before. Silicon takes the interrupt some branches later, so there only the freeze itself is looked
 * at.
 */
void intel_lbr_freeze_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record first[INTEL_LBR_DEPTH_MAX], second[INTEL_LBR_DEPTH_MAX];
	unsigned n, m;

	(void)i, (void)e;
	n = freeze_after(h, 1, first);
	m = freeze_after(h, 2, second);
	if (!h->pmu->virtual)
		return;
	if (!h->within(h, "records of a frozen stack", 2, INTEL_LBR_DEPTH_MAX, n) ||
	    !h->within(h, "records of a frozen stack", 3, INTEL_LBR_DEPTH_MAX, m))
		return;
	/* Differences: where the image lies is no result. The branches before tell that it froze where it was
	 * to. */
	h->equal(h, "source of the branch before, less its address", 0,
		 first[n - 2].from - second[m - 3].from);
	h->equal(h, "target of the branch before, less its address", 0, first[n - 2].to - second[m - 3].to);
	h->equal(h, "newest record of a frozen stack that repeats the one before", false,
		 same_branch(&first[n - 1], &first[n - 2]));
	h->equal(h, "target of the branch that froze the stack, less its address", 0,
		 first[n - 1].to - second[m - 2].to);
	h->equal(h, "source of the branch that froze the stack, less its address", 0,
		 first[n - 1].from - second[m - 2].from);
}

/* --- counts in last-branch records ------------------------------------------------------------------ */

#define LOG_LOOKED_AT 8 /* of the newest records */

bool intel_lbr_log_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found(pmu)->records_branches || (intel_found(pmu)->lbr.logs & 7) != 7 ||
	    !intel_offers(pmu, CODE_BRANCHES))
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	out->counters = intel_first_counters(pmu, 3);
	return out->counters != 0;
}

/* Since the record before, there was this branch at least, and no fewer instructions than branches. A counter
 * that does not ask for it is not told, nor is one that does not run. */
void intel_lbr_log_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config configs[] = {
		{.code = CODE_BRANCHES | EVTSEL_LBR_LOG, .levels = LEVELS_USER},
		{.code = CODE_INSTRUCTIONS | EVTSEL_LBR_LOG, .levels = LEVELS_USER},
		{.code = CODE_INSTRUCTIONS, .levels = LEVELS_USER}};
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_USER};
	const char *why;

	(void)i, (void)e;
	for (unsigned c = 0; c < 3; c++)
		control_program(h, c, &configs[c], 0);
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	h->works(h, "recording", record_start(h->pmu, &r));
	h->run_user(h, 7); /* what is around it would push its records out */
	h->works(h, "stopping", record_stop(h->pmu, &r));
	/* Where ring 3 was entered nothing had been counted there. */
	unsigned told = 0;
	for (unsigned n = 0; n < r.source->depth && told < LOG_LOOKED_AT; n++) {
		uint64_t info = control_register(h, IA32_LBR_0_INFO + n) >> LBR_INFO_LOG;
		uint64_t branches = info & LBR_LOG_MOST, instructions = info >> 2 & LBR_LOG_MOST;

		h->equal(h, "counts of counters that do not ask for it", 0, info >> 4 & 15);
		if (!branches && !instructions)
			continue;
		/* Every branch of the ring has a record. */
		told += h->within(h, "branches since the record before", 1,
				  h->pmu->virtual ? 1 : LBR_LOG_MOST, branches);
		h->within(h, "instructions since the record before, no fewer than branches", branches,
			  LBR_LOG_MOST, instructions);
	}
	h->within(h, "records that tell counts", 2, LOG_LOOKED_AT, told);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- the depth of the architectural stack ------------------------------------------------------------ */

bool intel_lbr_depth_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !intel_found(pmu)->records_branches || intel_found(pmu)->lbr.format != LBR_ARCH)
		return false;
	snprintf(out->name, sizeof out->name, "IA32_LBR_DEPTH");
	return true;
}

/* Writing a depth clears all records, and those beyond it cannot be read. */
void intel_lbr_depth_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct intel_lbr lbr = intel_lbr_here();
	uint64_t value = 0;

	(void)i, (void)e;
	for (unsigned k = 0; k < 8; k++) {
		unsigned depth = 8 * (k + 1);

		if (!(lbr.depths >> k & 1))
			continue;
		h->works(h, "writing a record",
			 msr_write(IA32_LBR_0_FROM_IP, START) && msr_write(IA32_LBR_0_TO_IP, START));
		h->works(h, "writing a depth that CPUID offers", msr_write(IA32_LBR_DEPTH, depth));
		h->equal(h, "the depth reads", depth, control_register(h, IA32_LBR_DEPTH));
		h->equal(h, "a record's source after a depth was written", 0,
			 control_register(h, IA32_LBR_0_FROM_IP));
		h->equal(h, "a record's target after a depth was written", 0,
			 control_register(h, IA32_LBR_0_TO_IP));
		if (depth < lbr.depth)
			h->equal(h, "reading a record beyond the depth works", false,
				 msr_read(IA32_LBR_0_FROM_IP + depth, &value));
	}
	h->works(h, "writing the greatest depth", msr_write(IA32_LBR_DEPTH, lbr.depth));
}

/* --- cycles of a record ------------------------------------------------------------------------------ */

#define CYCLES_MOST 0xffff

bool intel_lbr_cycles_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !intel_found(pmu)->records_branches || !intel_found(pmu)->lbr.cycles)
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	return true;
}

/* Longer than the field can tell without a branch: the field is full, and does not begin again. */
void intel_lbr_cycles_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record records[INTEL_LBR_DEPTH_MAX];
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_ALL};
	const struct intel_lbr lbr = intel_lbr_here();
	uintptr_t turns = CYCLES_MOST + CYCLES_MOST / 16;
	const void *from = records;
	uint32_t most = 0;
	const char *why;

	(void)i, (void)e;
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	/* A string instruction reads no faster than a byte in a cycle (LODS is never a fast string
	 * operation). */
	__asm__ volatile("rep lodsb\n\tjmp 1f\n1:" : "+c"(turns), "+S"(from) : : "eax", "memory");
	/* At once: what else record_stop() does would push the record out. */
	h->works(h, "stopping",
		 lbr.format == LBR_ARCH ? msr_write(IA32_LBR_CTL, 0)
					: intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_LBR, 0));
	for (unsigned n = record_drain(h->pmu, &r, records, INTEL_LBR_DEPTH_MAX), k = 0; k < n; k++)
		most = records[k].cycles > most ? records[k].cycles : most;
	h->equal(h, "cycles of a record that there were more of than it can tell", CYCLES_MOST, most);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- records against counters ------------------------------------------------------------------------ */

static bool suits_mispredictions(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu, (void)i;
	return e->fixed < 0 && e->code == CODE_MISPREDICTED;
}

bool intel_lbr_counters_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	const struct intel_lbr *lbr = &intel_found(pmu)->lbr;

	if (i || !intel_found(pmu)->records_branches || !lbr->mispredicts ||
	    !(lbr->select || lbr->control & LBR_CTL_OS) || !intel_offers(pmu, CODE_MISPREDICTED) ||
	    !intel_offers(pmu, CODE_CYCLES))
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	out->counters = intel_first_counters(pmu, 2);
	out->suits = suits_mispredictions;
	return out->counters != 0;
}

/*
 * Of a run in ring 3 no more records say that their branch was mispredicted as a counter
 * has counted: those that were not taken have no record, and the way into the ring may have one. All but the
 * first record together tell no more cycles than the core had.
 */
void intel_lbr_counters_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record records[INTEL_LBR_DEPTH_MAX];
	const struct pmu_config mispredicted = {.code = CODE_MISPREDICTED, .levels = LEVELS_USER};
	const struct pmu_config cycles = {.code = CODE_CYCLES, .levels = LEVELS_ALL};
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_USER};
	uint64_t told = 0, sum = 0;
	const char *why;

	(void)i, (void)e;
	control_program(h, 0, &mispredicted, 0);
	control_program(h, 1, &cycles, 0);
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	h->run_user(h, 3);
	h->works(h, "stopping", record_stop(h->pmu, &r));
	unsigned n = record_drain(h->pmu, &r, records, INTEL_LBR_DEPTH_MAX);
	for (unsigned k = 0; k < n; k++) {
		told += records[k].mispredicted;
		sum += k ? records[k].cycles : 0;
	}
	h->within(h, "records", 1, INTEL_LBR_DEPTH_MAX, n);
	h->within(h, "records that say mispredicted", 0, control_value(h, 0) + 1, told);
	h->within(h, "cycles of all records but the first", 0, control_value(h, 1), sum);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- switches of the branch trace -------------------------------------------------------------------- */

bool intel_bts_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !intel_found(pmu)->traces_branches)
		return false;
	snprintf(out->name, sizeof out->name, "BTS");
	return true;
}

static __attribute__((noinline)) void some_branches(void)
{
	for (volatile unsigned n = 0; n < 8; n++)
		;
}

/*
 * BTS alone records nothing: TR has to be set, too. Without BTINT a buffer begins again when it is full, so
 * its index is never behind its last record, and the threshold raises no interrupt.
 */
void intel_bts_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static _Alignas(64) uint8_t memory[sizeof(struct ds_area) + 2 * sizeof(struct ds_branch)];
	struct pmu_recording r = {.source = record_source(h->pmu, RECORD_BRANCH_TRACE),
				  .levels = LEVELS_ALL,
				  .memory = memory,
				  .size = sizeof memory,
				  .threshold = 1};
	volatile const struct ds_buffer *b = &intel_ds_area(&r)->bts;
	volatile const struct ds_branch *branch = (void *)(memory + sizeof(struct ds_area));
	const char *why;

	(void)i, (void)e;
	for (r.records = 1; r.source && r.records <= 2; r.records++) {
		h->works(h, "setting the trace up", record_setup(h->pmu, &r, &why));
		h->works(h, "taking BTINT back",
			 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_BTINT, DEBUGCTL_BTS));
		some_branches();
		h->equal(h, "source in the record of a trace without TR", 0, branch->from);
		h->arm(h);
		h->works(h, "tracing", record_start(h->pmu, &r));
		some_branches();
		h->works(h, "stopping", record_stop(h->pmu, &r));
		h->equal(h, "a trace with TR has a record", true, branch->from != 0);
		h->within(h, "index of the buffer, less its base", 0, (r.records - 1) * sizeof *branch,
			  b->index - b->base);
		h->equal(h, "interrupts of a trace without BTINT", 0, h->interrupts(h));
		h->works(h, "releasing", record_release(h->pmu, &r));
	}
}
