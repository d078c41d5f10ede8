/*
 * Control logic of AMD's own: free-running counters, halted time, and a stop at a carry into the upper half.
 * Published errata are about each of them.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"
#include "arch/x86/time/tsc.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define INSTRUCTIONS 0xc0
#define CYCLES       0x76
#define UPPER        (1ull << 32)
#define TOP          ((1ull << AMD_WIDTH) - 1)
#define START        1000
#define SAMPLES      16
#define OP_RANDOM    127
#define FETCHES      1000ull /* in units of 16: more than there are in a few lines of code */
#define PAIRS        50
#define FAR_ON       (1ull << 40) /* for a counter that began at 0 */
#define HALT_US      20000
#define HALT_US_MAX  320000
#define ACTIVE_PART  8 /* of the time: waking and the handler take microseconds */
#define FASTEST      8 /* core clock to time-stamp counter, at most */

static bool set(struct control_fixture *h, unsigned c, uint64_t code, uint8_t rings, bool interrupt,
		uint64_t first)
{
	const struct pmu_config config = {.code = code, .levels = rings, .interrupt = interrupt};

	return control_program(h, c, &config, first);
}

static bool counts_instructions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return e->code == INSTRUCTIONS && pmu->driver->can_count(pmu, e, c);
}

/* --- a stop at the carry from bit 31: erratum 795 ----------------------------------------------------- */

static bool each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 1ull << i, .suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	return true;
}

static void stop_at_carry(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t mask = 1ull << c, low, high;

	if (!set(h, c, e->code, LEVELS_ALL, false, START))
		return;
	h->run(h, mask);
	h->amount(h, e, 0, &low, &high);
	for (uint64_t before = low - 1; before <= low + 1; before++) {
		if (!set(h, c, e->code, LEVELS_ALL, false, UPPER - before))
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
	if (!set(h, c, e->code, LEVELS_ALL, false, TOP))
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
		if (!set(h, 0, e->code, LEVELS_ALL, false, START) ||
		    !h->works(h, "starting", h->pmu->driver->start(h->pmu, 1)))
			return;
		took = h->halt(h, us);
		h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	}
	h->equal(h, "it halted", true, took != 0);
	h->within(h, "over a halt the core's cycles go on by", 1, took / ACTIVE_PART,
		  control_value(h, 0) - START);
}

/* --- free-running counters ---------------------------------------------------------------------------- */

static bool has_irperf(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_pmu(pmu)->has_irperf)
		return false;
	*out = (struct pmu_control_instance){.name = "compare and branch"};
	return true;
}

static uint64_t pairs(struct control_fixture *h, uint64_t turns)
{
	uint64_t control, seen;

	if (!h->works(h, "switching IRPERF on",
		      msr_read(HWCR, &control) && msr_write(HWCR, control | HWCR_IRPERF)))
		return 0;
	seen = amd_irperf_pairs(turns);
	msr_write(HWCR, control);
	return seen;
}

/* Erratum 1267. */
static void irperf(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t control, seen = 0;

	(void)instance, (void)e;
	for (unsigned i = 0; i < 3; i++)
		h->equal(h, "over pairs of compare and branch IRPERF goes on by", 4 * PAIRS * i + 7,
			 pairs(h, PAIRS * i));
	if (!h->works(h, "switching IRPERF off",
		      msr_read(HWCR, &control) && msr_write(HWCR, control & ~HWCR_IRPERF)))
		return;
	seen = amd_irperf_pairs(PAIRS);
	msr_write(HWCR, control);
	h->equal(h, "switched off, IRPERF goes on by", 0, seen);
	/* Where firmware has locked it. Before Zen 4 no guide says more than that it is read-only. */
	if (!(control & HWCR_LOCK))
		return;
	bool taken = msr_write(IRPERF, FAR_ON);

	h->equal(h, "IRPERF goes on from what was written", false, control_register(h, IRPERF) >= FAR_ON);
	if (amd_pmu(h->pmu)->generation >= AMD_ZEN4)
		h->equal(h, "a write to the locked IRPERF is taken", false, taken);
}

static bool has_aperf(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !amd_pmu(pmu)->has_aperf)
		return false;
	*out = (struct pmu_control_instance){.name = "busy"};
	return true;
}

static void aperf(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t m, a, begin = tsc_read(), took;

	(void)instance, (void)e;
	m = control_register(h, MPERF);
	a = control_register(h, APERF);
	h->run_user(h, 0);
	m = control_register(h, MPERF) - m;
	a = control_register(h, APERF) - a;
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on by no more than the time, and by", 1, took, m);
	h->within(h, "APERF goes on by", 1, took * FASTEST, a);
	begin = tsc_read();
	h->works(h, "writing MPERF and APERF", msr_write(MPERF, FAR_ON) && msr_write(APERF, FAR_ON));
	m = control_register(h, MPERF);
	a = control_register(h, APERF);
	took = tsc_read() - begin;
	h->within(h, "MPERF goes on from what was written", FAR_ON, FAR_ON + took, m);
	h->within(h, "APERF goes on from what was written", FAR_ON, FAR_ON + took * FASTEST, a);
}

/* --- merged counters ---------------------------------------------------------------------------------- */

static bool counts_additions(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return (e->code & CTL_EVENT) == EVENT_LARGE && pmu->driver->can_count(pmu, e, c) &&
	       (e->terms[0].quantity == Q_FLOPS_SP_ADD || e->terms[0].quantity == Q_FLOPS_SP);
}

/* A hypervisor may let the event of large increments count nothing. */
static bool each_pair(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	unsigned c = 2 * i;

	if (pmu->under_hypervisor || !amd_merges(amd_pmu(pmu)->generation) || c + 1 >= pmu->n_counters)
		return false;
	*out = (struct pmu_control_instance){.counters = 3ull << c};
	snprintf(out->name, sizeof out->name, "%s and %s", pmu->counter[c].name, pmu->counter[c + 1].name);
	return true;
}

static const struct pmu_event *first_that(const struct pmu *pmu, unsigned c,
					  bool (*suits)(const struct pmu *, unsigned,
							const struct pmu_event *))
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (suits(pmu, c, pmu->events[i]))
			return pmu->events[i];
	return NULL;
}

/* The upper counter takes the carry, and only where it wraps itself the pair overflows. */
static void merged(struct control_fixture *h, unsigned instance, const struct pmu_event *unused)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned c = 2 * instance;
	const struct pmu_event *e = first_that(h->pmu, c, counts_additions);
	uint64_t overflows = 0;

	(void)unused;
	if (!h->works(h, "finding an event of large increments", e != NULL))
		return;
	for (uint64_t upper = MERGE_TOP - 1; upper <= MERGE_TOP; upper++) {
		if (!set(h, c, e->code, LEVELS_ALL, false, TOP - 1) ||
		    !h->works(h, "writing the upper half",
			      msr_write(amd_counter_msr(h->pmu, c + 1), upper) &&
				      d->start(h->pmu, 1ull << c)))
			return;
		amd_flops(PAIRS);
		h->works(h, "stopping", d->stop(h->pmu));
		h->equal(h, "the lower half goes on by", 4 * PAIRS - 2, control_value(h, c));
		h->equal(h, "the upper half becomes", (upper + 1) & MERGE_TOP, control_value(h, c + 1));
		h->works(h, "reading the status", !h->pmu->has_global || d->overflowed(h->pmu, &overflows));
		if (h->pmu->has_global)
			h->equal(h, "overflows", upper == MERGE_TOP ? 1ull << c : 0, overflows);
	}
	h->works(h, "taking it out of use", d->release(h->pmu, c));
}

/* --- thresholds of what occurs more than once in a cycle ----------------------------------------------- */

/* Each turn of amd_flops() is one instruction of four operations, so no more cycles than turns have any. */
static void threshold(struct control_fixture *h, unsigned instance, const struct pmu_event *unused)
{
	const struct pmu_driver *d = h->pmu->driver;
	unsigned c = 2 * instance;
	const struct pmu_event *e = first_that(h->pmu, c, counts_additions);

	(void)unused;
	if (!h->works(h, "finding an event of large increments", e != NULL))
		return;
	const struct pmu_config config = {.code = e->code, .levels = LEVELS_ALL, .cmask = 1};
	if (!control_program(h, c, &config, START) || !h->works(h, "starting", d->start(h->pmu, 1ull << c)))
		return;
	amd_flops(PAIRS);
	h->works(h, "stopping", d->stop(h->pmu));
	h->within(h, "cycles with operations", 1, PAIRS, control_value(h, c) - START);
	h->works(h, "taking it out of use", d->release(h->pmu, c));
}

/* --- host and guest ----------------------------------------------------------------------------------- */

/* A hypervisor may keep these bits to itself. */
static bool each_selector(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	return !pmu->under_hypervisor && !amd_narrow(amd_pmu(pmu)->generation) && each_counter(pmu, i, out);
}

/* We are in no guest. A counter that asks for one of the two counts only while SVM is enabled. */
static void host_and_guest(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	static const struct {
		uint64_t only;
		bool svme, counts;
		const char *what;
	} cases[] = {
		{CTL_GUEST, false, false, "without SVM, what is for guests only counts"},
		{CTL_HOST, false, false, "without SVM, what is for hosts only counts"},
		{CTL_GUEST, true, false, "in no guest, what is for guests only counts"},
		{CTL_HOST, true, true, "in no guest, what is for hosts only counts"},
		{CTL_HOST | CTL_GUEST, true, true, "in no guest, what is for both counts"},
	};
	uint64_t efer, low, high;

	if (!h->works(h, "reading EFER", msr_read(EFER, &efer)))
		return;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* Firmware may have locked SVM away. */
		if (!msr_write(EFER, cases[i].svme ? efer | EFER_SVME : efer & ~EFER_SVME))
			break;
		if (set(h, c, e->code | cases[i].only, LEVELS_ALL, false, START)) {
			h->run(h, 1ull << c);
			h->amount(h, e, 0, &low, &high);
			h->within(h, cases[i].what, cases[i].counts ? low : 0, cases[i].counts ? high : 0,
				  control_value(h, c) - START);
		}
	}
	if (h->works(h, "restoring EFER", msr_write(EFER, efer)) &&
	    set(h, c, e->code, LEVELS_ALL, false, START)) {
		h->run(h, 1ull << c);
		h->amount(h, e, 0, &low, &high);
		h->within(h, "what is for neither counts", low, high, control_value(h, c) - START);
	}
}

/* Kernels that enter guests of their own, with nothing in them and with some instructions. */
static bool each_guest(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const kernels[] = {"guest_empty", "guest_works"};

	if (pmu->under_hypervisor || amd_narrow(amd_pmu(pmu)->generation) ||
	    i >= sizeof kernels / sizeof kernels[0])
		return false;
	*out = (struct pmu_control_instance){
		.counters = 1, .suits = counts_instructions, .kernel = kernels[i]};
	snprintf(out->name, sizeof out->name, "%s", kernels[i]);
	return true;
}

static uint64_t counted(struct control_fixture *h, const struct pmu_event *e, uint64_t only)
{
	if (!set(h, 0, e->code | only, LEVELS_ALL, false, START))
		return 0;
	h->run(h, 1);
	return control_value(h, 0) - START;
}

/* Whose VMRUN itself is, is not said: here it is the host's. */
static void guest_is_told_apart(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t all, host, guest, entries, own = h->guests(h, e, &entries), low, high, efer;

	(void)instance;
	if (!h->works(h, "switching SVM on", msr_read(EFER, &efer) && msr_write(EFER, efer | EFER_SVME)))
		return;
	all = counted(h, e, 0);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "what is for neither counts host and guest", low, high, all);
	h->equal(h, "what is for both counts as many", all, counted(h, e, CTL_HOST | CTL_GUEST));
	host = counted(h, e, CTL_HOST);
	guest = counted(h, e, CTL_GUEST);
	h->within(h, "what is for guests only counts", own, h->pmu->virtual ? own : own + entries, guest);
	h->equal(h, "hosts' and guests' together are", all, host + guest);
	h->works(h, "restoring EFER", msr_write(EFER, efer));
}

/* --- overflow status ---------------------------------------------------------------------------------- */

static bool has_status(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global)
		return false;
	*out = (struct pmu_control_instance){.name = "set and clear", .lacking = amd_no_status_set(pmu)};
	return true;
}

static uint64_t set_status(struct control_fixture *h, uint64_t bits)
{
	h->works(h, "setting the status", msr_write(PERF_GLOBAL_STATUS_SET, bits));
	return control_register(h, PERF_GLOBAL_STATUS);
}

/* What is set stays until it is cleared; of counters that are not there nothing is set. */
static void status(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	(void)instance, (void)e;
	h->works(h, "clearing the status", msr_write(PERF_GLOBAL_STATUS_CLR, ~0ull >> (64 - AMD_CORE_MAX)));
	h->equal(h, "the status after bit 0 was set", 1, set_status(h, 1));
	h->equal(h, "the status after bit 1 was set", 3, set_status(h, 2));
	h->equal(h, "the status after a missing counter's bit was set", 3,
		 set_status(h, 1ull << h->pmu->n_counters));
	h->equal(h, "the register that clears reads", 0, control_register(h, PERF_GLOBAL_STATUS_CLR));
	h->works(h, "clearing bit 0", msr_write(PERF_GLOBAL_STATUS_CLR, 1));
	h->equal(h, "the status after bit 0 was cleared", 2, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "writing the status", msr_write(PERF_GLOBAL_STATUS, 0));
	h->equal(h, "the status after it was written", 2, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "clearing bit 1", msr_write(PERF_GLOBAL_STATUS_CLR, 2));
}

static bool has_settable(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[] = {"overflow", "freeze"};

	if (!pmu->has_global || i >= (amd_pmu(pmu)->freezes ? 2 : 1))
		return false;
	*out = (struct pmu_control_instance){
		.counters = 1, .lacking = amd_no_status_set(pmu), .suits = counts_instructions};
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	return true;
}

/* An overflow that software sets does nothing, a freeze does what it says until it is cleared. */
static void set_by_software(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t bit = instance ? STATUS_PMC_FROZEN : 1, first, second;

	if (!set(h, 0, e->code, LEVELS_ALL, true, START))
		return;
	h->arm(h);
	h->works(h, "starting", d->start(h->pmu, 1));
	h->equal(h, "the status after it was set", bit, set_status(h, bit));
	first = control_value(h, 0);
	second = control_value(h, 0);
	h->equal(h, "the counter goes on", !instance, first != second);
	h->works(h, "clearing the status", msr_write(PERF_GLOBAL_STATUS_CLR, bit));
	first = control_value(h, 0);
	second = control_value(h, 0);
	h->works(h, "stopping", d->stop(h->pmu));
	h->equal(h, "the counter goes on after the status was cleared", true, first != second);
	h->equal(h, "interrupts", 0, h->interrupts(h));
}

/* --- aliases ------------------------------------------------------------------------------------------ */

static bool each_alias(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= AMD_LEGACY || amd_select_msr(pmu, 0) != PERF_CTL0)
		return false;
	return each_counter(pmu, i, out);
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

/* --- freezing ------------------------------------------------------------------------------------------- */

static bool has_freeze(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !amd_pmu(pmu)->freezes)
		return false;
	*out = (struct pmu_control_instance){
		.name = "on an interrupt", .counters = 1, .suits = counts_instructions};
	return true;
}

/* Where the last branch led that the stack has. */
static uint64_t newest(struct control_fixture *h)
{
	return control_register(h, BRANCH_TO0) & BRANCH_ADDRESS;
}

/* An overflow in the loop of amd_flops(), with what DebugCtl is told to freeze. Behind it the counter counts,
 * and branches are recorded, or not. */
static void freeze_with(struct control_fixture *h, const struct pmu_event *e, uint64_t bits)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t loop = (uintptr_t)amd_flops, first, second, control, seen, frozen = 0;

	if (bits & DEBUGCTL_FREEZE_PMC)
		frozen |= STATUS_PMC_FROZEN;
	if (bits & DEBUGCTL_FREEZE_LBR)
		frozen |= STATUS_LBR_FROZEN;
	if (!set(h, 0, e->code, LEVELS_ALL, true, TOP - PAIRS) ||
	    !h->works(h, "setting the freeze up",
		      msr_write(DEBUGCTL, bits) && msr_write(DBG_EXTN_CFG, DBG_EXTN_LBR)))
		return;
	h->arm(h);
	if (!h->works(h, "starting", d->start(h->pmu, 1)))
		return;
	amd_flops(PAIRS);
	first = control_value(h, 0);
	second = control_value(h, 0);
	control = control_register(h, PERF_GLOBAL_CTL);
	seen = newest(h);
	h->equal(h, "the status of what is frozen", frozen | 1, control_register(h, PERF_GLOBAL_STATUS));
	h->works(h, "stopping", d->stop(h->pmu) && msr_write(DBG_EXTN_CFG, 0));
	h->equal(h, "the counter goes on", !(bits & DEBUGCTL_FREEZE_PMC), first != second);
	h->equal(h, "the common enables", 1, control);
	h->equal(h, "branches are recorded on", !(bits & DEBUGCTL_FREEZE_LBR),
		 seen < loop || seen >= (uintptr_t)amd_flops_end);
	h->works(h, "thawing", msr_write(DEBUGCTL, 0) && msr_write(PERF_GLOBAL_STATUS_CLR, frozen | 1));
	h->equal(h, "the status after it was cleared", 0, control_register(h, PERF_GLOBAL_STATUS));
	h->equal(h, "interrupts", 1, h->interrupts(h));
}

static void freeze(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	(void)instance;
	freeze_with(h, e, 0);
	freeze_with(h, e, DEBUGCTL_FREEZE_PMC);
	freeze_with(h, e, DEBUGCTL_FREEZE_LBR);
	freeze_with(h, e, DEBUGCTL_FREEZE_PMC | DEBUGCTL_FREEZE_LBR);
}

/* --- the last branch before an interrupt -----------------------------------------------------------------
 */

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

/* --- registers of IBS -------------------------------------------------------------------------------------
 */

static bool has_ibs(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const struct {
		const char *name;
		uint32_t feature;
	} rows[] = {{"operations", IBS_OP}, {"fetches", IBS_FETCH}};

	if (pmu->under_hypervisor || !amd_pmu(pmu)->ibs)
		return false;
	for (unsigned row = 0; row < sizeof rows / sizeof rows[0]; row++) {
		if (!(amd_pmu(pmu)->ibs & rows[row].feature) || i--)
			continue;
		*out = (struct pmu_control_instance){0};
		snprintf(out->name, sizeof out->name, "%s", rows[row].name);
		return true;
	}
	return false;
}

static uint64_t written(struct control_fixture *h, uint32_t address, uint64_t value)
{
	h->works(h, "writing a control register of IBS", msr_write(address, value));
	return control_register(h, address);
}

/* After a sample the count goes on from a random number below 128. */
static void ibs_begins_anew(struct control_fixture *h)
{
	uint64_t control, any = 0, samples = 0;

	for (unsigned i = 0; i < SAMPLES; i++) {
		if (!h->works(h, "sampling", msr_write(IBS_OP_CTL, 1) && msr_write(IBS_OP_CTL, 1 | OP_EN)))
			return;
		amd_flops(PAIRS);
		control = control_register(h, IBS_OP_CTL);
		samples += control & OP_VAL ? 1 : 0;
		any |= (control & OP_COUNT) >> OP_COUNT_SHIFT;
		h->works(h, "sampling no more", msr_write(IBS_OP_CTL, 0));
	}
	h->within(h, "samples", 1, SAMPLES, samples);
	h->within(h, "all counts after samples together", 1, OP_RANDOM, any);
}

static void ibs_op(struct control_fixture *h)
{
	uint32_t features = amd_pmu(h->pmu)->ibs;
	uint64_t high = features & IBS_COUNT_27 ? OP_MAX_HIGH : 0;

	h->equal(h, "the upper bits of the maximum, where there are any", high,
		 written(h, IBS_OP_CTL, OP_MAX_HIGH));
	h->equal(h, "the filter of latencies, where there is one",
		 features & IBS_LATENCY ? OP_LATENCY_EN | OP_LATENCY_MIN : 0,
		 written(h, IBS_OP_CTL, OP_LATENCY_EN | OP_LATENCY_MIN) & (OP_LATENCY_EN | OP_LATENCY_MIN));
	if (features & IBS_RW_COUNT) {
		h->equal(h, "the count, as wide as it is", (1ull << ibs_count_bits(features)) - 1,
			 (written(h, IBS_OP_CTL, OP_COUNT) & OP_COUNT) >> OP_COUNT_SHIFT);
		h->works(h, "clearing it", msr_write(IBS_OP_CTL, 0));
		ibs_begins_anew(h);
	}
	h->works(h, "clearing it", msr_write(IBS_OP_CTL, 0));
}

/* Up to family 15H and from Zen 3 on each write loads the count; on those between only the enable's rising
 * edge (Linux: fetch_count_reset_broken). */
static void ibs_fetch(struct control_fixture *h)
{
	bool keeps = amd_pmu(h->pmu)->generation & (AMD_16H | AMD_ZEN1 | AMD_ZEN2);
	uint64_t first = FETCHES << FETCH_COUNT_SHIFT, count;

	h->equal(h, "the filter of last-level misses, where there is one",
		 amd_pmu(h->pmu)->ibs & IBS_ZEN4 ? FETCH_L3_MISS_ONLY : 0,
		 written(h, IBS_FETCH_CTL, FETCH_L3_MISS_ONLY) & FETCH_L3_MISS_ONLY);
	h->works(h, "clearing it", msr_write(IBS_FETCH_CTL, 0));
	count = written(h, IBS_FETCH_CTL, FETCH_MAX | FETCH_EN | first) & FETCH_COUNT;
	h->within(h, "the count that is loaded with the enable", first, 2 * first - 1, count);
	count = written(h, IBS_FETCH_CTL, FETCH_MAX | FETCH_EN) & FETCH_COUNT;
	h->within(h, "the count that is loaded while enabled", keeps ? first : 0,
		  keeps ? 2 * first - 1 : first - 1, count);
	h->works(h, "clearing it", msr_write(IBS_FETCH_CTL, 0));
}

static void ibs(struct control_fixture *h, unsigned instance, const struct pmu_event *e)
{
	uint64_t control = control_register(h, IBS_CTL);

	(void)e;
	h->equal(h, "IBS_CTL, which is read-only", control, written(h, IBS_CTL, control ^ IBS_LVT_OFFSET));
	h->works(h, "writing it back", msr_write(IBS_CTL, control));
	if (instance == 0 && amd_pmu(h->pmu)->ibs & IBS_OP)
		ibs_op(h);
	else
		ibs_fetch(h);
}

const struct pmu_control_check amd_control[] = {
	{"stop at a carry", "APM vol. 2, 13.2.1; revision guide 51810, erratum 795", 0, each_counter,
	 stop_at_carry},
	{"upper bits", "APM vol. 2, 13.2.1", 0, each_counter, no_upper_bits},
	{"two counters interrupt", "APM vol. 2, 13.2.1, INT; revision guide 55449, erratum 1023",
	 PMU_CONTROL_INTERRUPT, amd_two_instance, amd_two_check},
	{"retired", "APM vol. 2, 13.2.1; revision guides 56323 and 56683, errata 1291 and 1292", 0,
	 amd_retired_instance, amd_retired_check},
	{"dispatched", "guides of the families, PMCx0AA; revision guide 56683, erratum 1287", 0,
	 amd_dispatched_instance, amd_dispatched_check},
	{"cycles over a halt", "guides of the families, PMCx076; revision guide 51810, erratum 794",
	 PMU_CONTROL_TIMER, once, halt},
	{"IRPERF", "APM vol. 2, 13.2.1; PPR 57930, IRPerfCount; revision guide 56683, erratum 1267", 0,
	 has_irperf, irperf},
	{"MPERF and APERF", "APM vol. 2, 17.2", 0, has_aperf, aperf},
	{"merged counters", "PPR of family 17H, large increments", 0, each_pair, merged},
	{"threshold", "APM vol. 2, 13.2.1, CntMask", 0, each_pair, threshold},
	{"status", "APM vol. 2, 13.2.1", 0, has_status, status},
	{"status set by software", "APM vol. 2, 13.2.1, PerfCntGlobalStatusSet", PMU_CONTROL_INTERRUPT,
	 has_settable, set_by_software},
	{"RDPMC map", "APM vol. 3, RDPMC; revision guide 51810, erratum 781", 0, amd_rdpmc_instance,
	 amd_rdpmc_check},
	{"aliases", "BKDG of family 15H, MSRC001_00[07:00]", 0, each_alias, alias},
	{"freeze", "APM vol. 2, 13.1.1 and 13.2.1", PMU_CONTROL_INTERRUPT, has_freeze, freeze},
	{"IBS", "APM vol. 2, 13.3", 0, has_ibs, ibs},
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
	{"host and guest", "APM vol. 2, 13.2.1, HG_ONLY; Linux 1018faa6cf23", 0, each_selector,
	 host_and_guest},
	{"guests", "APM vol. 2, 13.2.1, HG_ONLY", 0, each_guest, guest_is_told_apart},
	{0},
};
