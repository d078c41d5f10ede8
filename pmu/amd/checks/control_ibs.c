/*
 * What samples of IBS tell, of a loop that is known to the byte; periods that are passed over; what a
 * sample's interrupt leaves when sampling is stopped. Published errata are about each of them.
 */
#include "pmu/amd/checks/control.h"
#include "pmu/x86/control.h"

#include "arch/overflow.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/generation.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define SAMPLES   28
#define PERIODS   7  /* in units of 16 ... */
#define SHORTEST  9  /* ... from the first that IbsOpMaxCnt does not reserve */
#define PHASES    16 /* operations that a period is shorter by, where the count can be written */
#define TURNS     35 /* seven operations each are more than the longest of them */
#define SLOW      4  /* times as many, by cycles: turns may take no more than two of them */
#define LINE      64
#define WINDOWS   8
#define LONG      512
#define STOPS     36 /* phases: turns of four cycles, up to the shortest period */
#define LENGTHS   4  /* of another loop, whose turns take one cycle more, so that phases fall between */
#define DRAINS    8
#define FETCHES   16
#define CALLS     8
#define TOLERATED 2 /* one of so many may miss: something else has used the cache */

/* --- what samples tell ---------------------------------------------------------------------------------- */

enum told {
	TOLD_AT_ALL,
	TOLD_NOWHERE,
	TOLD_LOAD_ALONE,
	TOLD_ELSEWHERE,
	TOLD_ASKED_FOR,
	TOLD_SECOND_LEVEL,
	TOLD_EARLY,
	TOLD_DEVICE,
	TOLDS
};

static const struct {
	const char *name, *what;
} told[TOLDS] = {
	[TOLD_AT_ALL] = {"samples", "samples in a loop"},
	[TOLD_NOWHERE] = {"address", "samples that are of no instruction of the loop they are in"},
	[TOLD_LOAD_ALONE] = {"kind", "samples of read-modify-write instructions marked as a load only"},
	[TOLD_ELSEWHERE] = {"target", "samples of branches that tell another target"},
	[TOLD_ASKED_FOR] = {"line",
			    "samples of loads that hit, and tell that the line was asked for already"},
	[TOLD_SECOND_LEVEL] = {"second level", "samples without a miss of the TLB's first level that tell "
					       "one of the second"},
	[TOLD_EARLY] = {"times", "samples that complete before they are tagged"},
	[TOLD_DEVICE] = {"prefetches", "samples of prefetches whose data is told to come from a device"},
};

bool amd_ibs_told_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint32_t features = amd_pmu(pmu)->ibs;

	if (pmu->under_hypervisor || !(features & IBS_OP) || i >= TOLDS)
		return false;
	*out = (struct pmu_control_instance){
		.lacking = i == TOLD_ELSEWHERE && !(features & IBS_BRANCH) ? "IBS tells no targets" : NULL};
	snprintf(out->name, sizeof out->name, "%s", told[i].name);
	return true;
}

static bool begins_one(uint64_t offset)
{
	for (const uint8_t *start = amd_mixed_starts; *start != 0xff; start++)
		if (*start == offset)
			return true;
	return false;
}

/* One sample: what of it is odd is added up. Families whose operations load and store at once tell so of each
 * that is sampled. *both: such as have told it. */
static void look(struct control_fixture *h, unsigned seen[TOLDS], unsigned *both)
{
	uint64_t at = control_register(h, IBS_OP_RIP) - (uintptr_t)amd_mixed_loop,
		 data = control_register(h, IBS_OP_DATA), data2 = control_register(h, IBS_OP_DATA2),
		 data3 = control_register(h, IBS_OP_DATA3);
	const uint64_t update = DATA3_LOAD | DATA3_STORE;
	bool told_misses = !(amd_pmu(h->pmu)->ibs & IBS_PAGE_SIZE) || data3 & DATA3_PHYS_VALID;

	if (at >= (uint64_t)(amd_mixed_end - amd_mixed_loop) ||
	    (amd_pmu(h->pmu)->ibs & IBS_RIP_CHECK && data & DATA_RIP_INVALID))
		return;
	seen[TOLD_AT_ALL]++;
	seen[TOLD_NOWHERE] += !begins_one(at);
	*both += !at && (data3 & update) == update;
	seen[TOLD_LOAD_ALONE] += !at && (data3 & update) == DATA3_LOAD;
	/* The return behind the loop leads elsewhere. */
	if (amd_pmu(h->pmu)->ibs & IBS_BRANCH && data & DATA_BRANCH && data & DATA_TAKEN &&
	    !(data & DATA_RETURN))
		seen[TOLD_ELSEWHERE] += control_register(h, IBS_BRTARGET) != (uintptr_t)amd_mixed_loop;
	seen[TOLD_ASKED_FOR] += data3 & DATA3_LOAD && !(data3 & DATA3_DC_MISS) && data3 & DATA3_NO_MAB;
	seen[TOLD_SECOND_LEVEL] +=
		told_misses && data3 & update && !(data3 & DATA3_L1TLB_MISS) && data3 & DATA3_L2TLB_MISS;
	seen[TOLD_EARLY] += (data & DATA_CYCLES) > (data >> DATA_TAG_SHIFT & DATA_CYCLES);
	/* Nothing is told of where the data of a hit comes from. */
	seen[TOLD_DEVICE] +=
		data3 & DATA3_PREFETCH && data3 & DATA3_DC_MISS && (data2 & DATA2_SOURCE) == DATA2_DEVICE;
}

/* The n-th sample is of another operation than the one before. By operations, if they can be counted: how
 * many cycles a turn takes at least is not known. */
static uint64_t nth(uint32_t features, unsigned n)
{
	return (n % PERIODS + SHORTEST) | OP_EN | (features & IBS_OP_COUNT ? OP_DISPATCHED : 0) |
	       (features & IBS_RW_COUNT ? (uint64_t)(n % PHASES) << OP_COUNT_SHIFT : 0);
}

/* The register of misses holds one of the second level before each. */
void amd_ibs_told_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static struct {
		_Alignas(LINE) uint64_t word[LINE / 8];
	} data[1 + SLOW * TURNS];
	uint32_t features = amd_pmu(h->pmu)->ibs;
	unsigned seen[TOLDS] = {0}, both = 0, turns = features & IBS_OP_COUNT ? TURNS : SLOW * TURNS;

	(void)e;
	for (unsigned n = 0; n < SAMPLES; n++) {
		/* What is to be asked for must not be there. */
		for (unsigned k = 1; i == TOLD_DEVICE && k <= turns; k++)
			__asm__ volatile("clflush %0" : "+m"(data[k]));
		if (!h->works(h, "sampling",
			      msr_write(IBS_OP_CTL, 0) && msr_write(IBS_OP_DATA3, DATA3_L2TLB_MISS) &&
				      msr_write(IBS_OP_CTL, nth(features, n))))
			return;
		amd_mixed(turns, data[0].word);
		if (control_register(h, IBS_OP_CTL) & OP_VAL)
			look(h, seen, &both);
		h->works(h, "sampling no more", amd_ibs_stop(h->pmu));
	}
	/* Where loads and stores are operations of their own, each tells of itself. */
	if (!both && amd_pmu(h->pmu)->generation != AMD_10H)
		seen[TOLD_LOAD_ALONE] = 0;
	if (i == TOLD_AT_ALL)
		h->within(h, told[i].what, 1, SAMPLES, seen[i]);
	else
		h->equal(h, told[i].what, 0, seen[i]);
}

/* --- periods -------------------------------------------------------------------------------------------- */

bool amd_ibs_period_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint32_t features = amd_pmu(pmu)->ibs;

	if (pmu->under_hypervisor || !(features & IBS_OP) || i > !!(features & IBS_OP_COUNT))
		return false;
	*out = (struct pmu_control_instance){0};
	snprintf(out->name, sizeof out->name, i ? "by operations" : "by cycles");
	return true;
}

/* Additions that wait for each other: the turns of amd_flops() are two operations or three, and two cycles at
 * least. So many are more than a period, and less than two where a turn takes up to three cycles. */
void amd_ibs_period_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned missing = 0;

	(void)e;
	for (unsigned n = 0; n < WINDOWS; n++) {
		if (!h->works(h, "sampling",
			      msr_write(IBS_OP_CTL, 0) &&
				      msr_write(IBS_OP_CTL, LONG / 16 | OP_EN | (i ? OP_DISPATCHED : 0))))
			return;
		amd_flops(LONG * 7 / 12);
		missing += !(control_register(h, IBS_OP_CTL) & OP_VAL);
		h->works(h, "sampling no more", amd_ibs_stop(h->pmu));
	}
	h->equal(h, "windows of more than a period that have no sample", 0, missing);
}

/* --- stopping: erratum 420 ---------------------------------------------------------------------------- */

static uint16_t line(void)
{
	uint64_t control;

	return msr_read(IBS_CTL, &control) && control & IBS_LVT_VALID
		       ? amd_ibs_entry(control & IBS_LVT_OFFSET)
		       : OVERFLOW_NO_LINE;
}

bool amd_ibs_stop_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !(amd_pmu(pmu)->ibs & IBS_OP))
		return false;
	*out = (struct pmu_control_instance){
		.name = "operations",
		.lacking = line() == OVERFLOW_NO_LINE ? "firmware has set up no interrupt for it" : NULL};
	return true;
}

/* Turns of a loop, one cycle longer than those of amd_flops(). */
static void five_cycles(unsigned turns)
{
	__asm__ volatile("1:\tnop\n\tnop\n\tnop\n\tdec %0\n\tjnz 1b" : "+r"(turns));
}

/* A sample interrupts once, if it has been taken, at whichever phase about its tag it is stopped. */
void amd_ibs_stop_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint16_t own = line();
	unsigned once = 0, again = 0;

	(void)i, (void)e;
	for (unsigned n = 0; n < STOPS * LENGTHS; n++) {
		h->arm(h);
		h->open_line(h, own, true);
		h->works(h, "sampling",
			 msr_write(IBS_OP_CTL, 0) && msr_write(IBS_OP_CTL, SHORTEST | OP_EN));
		amd_flops(n % STOPS + 1);
		if (n / STOPS)
			five_cycles(n / STOPS);
		h->works(h, "stopping", amd_ibs_stop(h->pmu));
		unsigned first = h->interrupts(h);

		for (unsigned k = 0; k < DRAINS; k++)
			again += h->interrupts(h) != first;
		once += first;
		h->open_line(h, own, false);
	}
	h->works(h, "stopping for good", msr_write(IBS_OP_CTL, OP_EN) && msr_write(IBS_OP_CTL, 0));
	/* Where firmware has set up no line for it there are none. */
	h->within(h, "interrupts of samples", own != OVERFLOW_NO_LINE, STOPS * LENGTHS * DRAINS, once);
	h->equal(h, "interrupts of samples that were stopped, after the first one", 0, again);
}

/* --- fetches ------------------------------------------------------------------------------------------ */

bool amd_ibs_fetch_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !(amd_pmu(pmu)->ibs & IBS_FETCH))
		return false;
	*out = (struct pmu_control_instance){.name = "misses"};
	return true;
}

/* Several calls: within one, a buffer of loops may do without fetches. */
static void fetched(void)
{
	for (unsigned k = 0; k < CALLS; k++)
		amd_flops(TURNS);
}

/* The code has been there in the turns before. */
void amd_ibs_fetch_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	unsigned misses = 0, samples = 0;

	(void)i, (void)e;
	fetched();
	for (unsigned n = 0; n < FETCHES; n++) {
		h->works(h, "sampling",
			 msr_write(IBS_FETCH_CTL, 0) && msr_write(IBS_FETCH_CTL, 1 | FETCH_EN));
		fetched();
		uint64_t control = control_register(h, IBS_FETCH_CTL),
			 at = control_register(h, IBS_FETCH_LINAD) - (uintptr_t)amd_flops;
		bool is_one = control & FETCH_VAL && at < (uint64_t)(amd_flops_end - (const char *)amd_flops);

		samples += is_one;
		misses += is_one && control & FETCH_IC_MISS;
		h->works(h, "sampling no more", msr_write(IBS_FETCH_CTL, 0));
	}
	h->within(h, "samples of fetches of a loop", 1, FETCHES, samples);
	h->within(h, "fetches of a loop that are told to miss the instruction cache", 0, samples / TOLERATED,
		  misses);
}
