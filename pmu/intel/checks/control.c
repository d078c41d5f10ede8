#include "pmu/contract/bits.h"
#include "pmu/contract/counter_values.h"
#include "pmu/intel/checks/control_interrupts.h"
#include "pmu/intel/checks/control_parts.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/control.h"

#include <stdio.h>

uint64_t intel_find_counter(const struct pmu *pmu, enum counter_kind kind, unsigned index)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->counter[c].kind == kind && pmu->counter[c].index == index)
			return c;
	return NO_COUNTER;
}

uint64_t intel_first_counters(const struct pmu *pmu, unsigned n)
{
	return intel_find_counter(pmu, COUNTER_GENERAL, n - 1) == n - 1 ? low_bits(n) : 0;
}

uint64_t intel_counter_top(const struct pmu *pmu, unsigned c)
{
	return counter_ones(&pmu->counter[c]);
}

bool intel_offers(const struct pmu *pmu, uint64_t code)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == code)
			return true;
	return false;
}

const struct pmu_event *intel_instructions(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == CODE_INSTRUCTIONS)
			return pmu->events[i];
	return NULL;
}

/* --- started beside a counter that runs ------------------------------------------------------------- */

static bool beside_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !pmu->has_global || !intel_instructions(pmu))
		return false;
	snprintf(out->name, sizeof out->name, "counters");
	out->counters = intel_first_counters(pmu, 2);
	return out->counters != 0;
}

/* What starts a counter is not counted by it, whether another one runs already or not. */
static void beside_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	uint64_t low, high;

	(void)i, (void)e;
	control_program(h, 0, &config, START);
	control_program(h, 1, &config, START);
	h->works(h, "starting one", h->pmu->driver->start(h->pmu, 1));
	h->run(h, 3);
	h->amount(h, intel_instructions(h->pmu), 0, &low, &high);
	h->within(h, "instructions of the counter that was started beside another", START + low,
		  high == UINT64_MAX ? high : START + high, control_value(h, 1));
	h->within(h, "instructions of the counter that ran already", START + low, UINT64_MAX,
		  control_value(h, 0));
}

/* --- writing a fixed counter near its top ----------------------------------------------------------- */

static bool each_fixed(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= pmu->n_fixed || !pmu->n_general)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[pmu->n_general + i].name);
	out->counters = 1ull << (pmu->n_general + i);
	return true;
}

/* A write is no overflow, wherever the counter stood before. Another counter runs meanwhile, so that the PMU
 * is awake. */
static void write_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.levels = LEVELS_ALL, .interrupt = true};
	const struct pmu_config other = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	unsigned c = h->pmu->n_general + i;
	uint64_t status = 0;

	(void)e;
	h->arm(h);
	control_program(h, 0, &other, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	h->equal(h, "interrupts before a write", 0, h->interrupts(h));
	for (uint64_t below = 0; below <= 0x40; below += 0x10) {
		control_program(h, c, &config, intel_counter_top(h->pmu, c) - below);
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, START));
		h->equal(h, "the counter holds", START, control_value(h, c));
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	h->works(h, "reading the overflow status", h->pmu->driver->overflowed(h->pmu, &status));
	h->equal(h, "overflow status", 0, status >> c & 1);
	h->equal(h, "interrupts of writes", 0, h->interrupts(h));
}

/* --- topdown metrics -------------------------------------------------------------------------------- */

#define METRICS      4 /* of the first level */
#define METRICS_FULL 255
#define ROUNDING     4 /* one for each byte */

static bool metrics_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !(intel_found(pmu)->capabilities & CAP_METRICS) ||
	    intel_find_counter(pmu, COUNTER_FIXED, FIXED_SLOTS) == NO_COUNTER)
		return false;
	snprintf(out->name, sizeof out->name, "PERF_METRICS");
	out->counters = 1ull << intel_find_counter(pmu, COUNTER_FIXED, FIXED_SLOTS);
	return true;
}

/* Each fraction of the second level is a part of one of the first, but for its rounding: heavy operations of
 * what retires, mispredictions of bad speculation, fetch latency of the front end, memory of the back end
 * (Linux, tools/perf/Documentation/topdown.txt). Parts without a second level have 0 there. */
static void second_level(struct control_fixture *h, uint64_t metrics)
{
	for (unsigned m = 0; m < METRICS; m++)
		h->within(h, "a metric of the second level, beside the one that it is a part of", 0,
			  (metrics >> 8 * m & 0xff) + 1, metrics >> 8 * (METRICS + m) & 0xff);
}

/* What retires takes slots: one micro-operation for two instructions at most (macro-fusion merges two: Intel
 * 64 and IA-32 Architectures Optimization Reference Manual), and so no less than half a slot for each. */
static void retired_slots(struct control_fixture *h, uint64_t metrics, uint64_t slots,
			  uint64_t instructions_retired)
{
	h->within(h, "instructions in so many slots that retired", 0,
		  2 * (((metrics & 0xff) + 1) * slots / METRICS_FULL + 1), instructions_retired);
}

/* The four fractions of the slots are all of them, and something retired. RDPMC tells the same. */
static void metrics_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.levels = LEVELS_ALL};
	unsigned c = (unsigned)intel_find_counter(h->pmu, COUNTER_FIXED, FIXED_SLOTS), sum = 0;
	uint64_t metrics, again = 0, retired = intel_find_counter(h->pmu, COUNTER_FIXED, 0);

	(void)i, (void)e;
	control_program(h, c, &config, 0);
	if (retired != NO_COUNTER)
		control_program(h, (unsigned)retired, &config, 0);
	h->works(h, "clearing the metrics", msr_write(MSR_PERF_METRICS, 0));
	h->works(h, "enabling the metrics", msr_write(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS));
	/* start() leaves what is on. */
	h->run_user(h, 1ull << c | (retired == NO_COUNTER ? 0 : 1ull << retired));
	metrics = control_register(h, MSR_PERF_METRICS);
	for (unsigned m = 0; m < METRICS; m++)
		sum += metrics >> 8 * m & 0xff;
	h->within(h, "slots", 1, intel_counter_top(h->pmu, c), control_value(h, c));
	h->within(h, "slots that retired, of 255", 1, METRICS_FULL, metrics & 0xff);
	h->within(h, "sum of the four metrics", METRICS_FULL - ROUNDING, METRICS_FULL + ROUNDING, sum);
	second_level(h, metrics);
	if (retired != NO_COUNTER)
		retired_slots(h, metrics, control_value(h, c), control_value(h, (unsigned)retired));
	h->works(h, "RDPMC of the metrics", pmc_read(RDPMC_METRICS, &again));
	h->equal(h, "RDPMC of the metrics reads", metrics, again);
}

/* --- a threshold counts clocks ------------------------------------------------------------------------- */

static bool clocks_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const uint64_t codes[] = {CODE_INSTRUCTIONS, CODE_SLOTS};

	if (i >= sizeof codes / sizeof codes[0] || !pmu->has_global || !intel_offers(pmu, CODE_CYCLES) ||
	    !intel_offers(pmu, codes[i]))
		return false;
	snprintf(out->name, sizeof out->name, "%s", i ? "slots" : "instructions");
	out->counters = intel_first_counters(pmu, 2);
	return out->counters != 0;
}

/* However many occurrences one brings: no more clocks meet a threshold than there are. A hypervisor may let
 * slots, which CPUID does not promise, count nothing. */
static void clocks_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config counted = {
		.code = i ? CODE_SLOTS : CODE_INSTRUCTIONS, .levels = LEVELS_ALL, .cmask = 1};
	const struct pmu_config clock = {.code = CODE_CYCLES, .levels = LEVELS_ALL};

	/* A write that starts or stops counting, and is counted, has no clock of its own where a hypervisor
	 * carries it out. */
	const uint64_t writes = !i * ((h->pmu->counts_start & 1) + (h->pmu->counts_stop & 1));

	(void)e;
	control_program(h, 0, &counted, 0);
	control_program(h, 1, &clock, 0);
	h->run(h, 3);
	h->within(h, "clocks in which something occurs", !(i && h->pmu->under_hypervisor),
		  control_value(h, 1) + writes, control_value(h, 0));
}

/* --- comparison for equality ------------------------------------------------------------------------ */

static bool equal_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found(pmu)->leaf.equal || !intel_offers(pmu, CODE_SLOTS))
		return false;
	snprintf(out->name, sizeof out->name, "EQ");
	out->counters = intel_first_counters(pmu, 3);
	return out->counters != 0;
}

/* Cycles with one slot, and those with two or more, are those with one or more. */
static void equal_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config configs[] = {
		{.code = CODE_SLOTS, .levels = LEVELS_ALL, .cmask = 1},
		{.code = CODE_SLOTS, .levels = LEVELS_ALL, .cmask = 2},
		{.code = CODE_SLOTS | EVTSEL_EQ, .levels = LEVELS_ALL, .cmask = 1}};

	(void)i, (void)e;
	for (unsigned c = 0; c < 3; c++)
		control_program(h, c, &configs[c], 0);
	h->run(h, 7);
	h->within(h, "cycles with a slot", 1, intel_counter_top(h->pmu, 0), control_value(h, 0));
	h->equal(h, "cycles with one slot and with more", control_value(h, 0),
		 control_value(h, 1) + control_value(h, 2));
}

/* --- counters that are kept from RDPMC outside of ring 0 -------------------------------------------- */

/* The counters that can count instructions: fixed counter 0 after the general ones. */
static bool kept_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t c = intel_find_counter(pmu, COUNTER_GENERAL, i);

	if (!intel_found(pmu)->leaf.rdpmc_user || !intel_offers(pmu, CODE_INSTRUCTIONS))
		return false;
	if (c == NO_COUNTER && i == pmu->n_general)
		c = intel_find_counter(pmu, COUNTER_FIXED, 0);
	if (c == NO_COUNTER)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[c].name);
	out->counters = 1ull << c;
	return true;
}

static void kept_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	bool general = i < h->pmu->n_general;
	unsigned c = (unsigned)(general ? intel_find_counter(h->pmu, COUNTER_GENERAL, i)
					: intel_find_counter(h->pmu, COUNTER_FIXED, 0));
	uint64_t top = intel_counter_top(h->pmu, c), value = 0;

	(void)e;
	control_program(h, c, &config, START);
	h->within(h, "ring 3 sees the counter move by", 1, top, h->read_user(h, c));
	control_program(h, c, &config, START);
	h->works(h, "keeping it from ring 3",
		 intel_change_msr(general ? IA32_PERFEVTSEL0 + i : IA32_FIXED_CTR_CTRL, 0,
				  general ? EVTSEL_RDPMC_USER : 1ull << FIXED_RDPMC_USER_SHIFT));
	h->equal(h, "kept from ring 3, that sees it move by", 0, h->read_user(h, c));
	h->within(h, "it has moved to", START + 1, top, control_value(h, c));
	h->works(h, "RDPMC in ring 0", pmc_read(h->pmu->counter[c].selector, &value));
	h->equal(h, "RDPMC in ring 0 gives", control_value(h, c), value);
	h->works(h, "releasing it", h->pmu->driver->release(h->pmu, c));
}

/* --- counters that an overflow reloads -------------------------------------------------------------- */

#define RELOAD_EVERY 16           /* instructions: a few times in a run */
#define FAR_BELOW    (1ull << 24) /* the top: more instructions than a run has, and 32 bits tell it */

static const struct pmu_event *fixed_instructions(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed == 0)
			return pmu->events[i];
	return NULL;
}

static uint64_t bit_of(const struct pmu_counter *k)
{
	return 1ull << (k->kind == COUNTER_FIXED ? GLOBAL_FIXED_SHIFT + k->index : k->index);
}

/* The i-th counter that can be reloaded, whose overflow can reload, and that can count instructions: the
 * general ones, then the fixed one. From 0. */
static uint64_t reloading(const struct pmu *pmu, unsigned i)
{
	uint64_t both = intel_found(pmu)->leaf.reloaded & intel_found(pmu)->leaf.reloads;

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct pmu_counter *k = &pmu->counter[c];
		bool counts = k->kind == COUNTER_GENERAL || (!k->index && fixed_instructions(pmu));

		if (counts && both & bit_of(k) && !i--)
			return c;
	}
	return NO_COUNTER;
}

/* Pairs of neighbours in a ring: the second one's overflow reloads both. So each is the first of a pair and
 * the second of another. */
static bool reload_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t first = reloading(pmu, i), second = reloading(pmu, i + 1);

	if (second == NO_COUNTER)
		second = reloading(pmu, 0);
	if (first == NO_COUNTER || second == first || !intel_instructions(pmu))
		return false;
	snprintf(out->name, sizeof out->name, "%s by %s", pmu->counter[first].name,
		 pmu->counter[second].name);
	out->counters = 1ull << first | 1ull << second;
	return true;
}

static void reload(struct control_fixture *h, unsigned c, uint64_t causes, uint64_t to)
{
	uint32_t mask = intel_reload_mask((unsigned)__builtin_ctzll(bit_of(&h->pmu->counter[c])));

	h->works(h, "writing a reload value", msr_write(mask + 1, to & CFG_C_RELOAD));
	h->works(h, "writing a reload mask", msr_write(mask, causes));
}

/*
 * Both count instructions; one overflows every so many of them. What it names stands afterwards as far above
 * its reload value as there were instructions since; what it does not name has counted on. Silicon may reload
 * some instructions late.
 */
static void reload_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = LEVELS_ALL};
	unsigned c = (unsigned)reloading(h->pmu, i);
	unsigned by = (unsigned)(reloading(h->pmu, i + 1) == NO_COUNTER ? reloading(h->pmu, 0)
									: reloading(h->pmu, i + 1));
	uint64_t bit = bit_of(&h->pmu->counter[by]), below = intel_counter_top(h->pmu, by) + 1 - RELOAD_EVERY;
	uint64_t from = intel_counter_top(h->pmu, c) + 1 - FAR_BELOW, low, high, since;

	(void)e;
	for (unsigned named = 0; named < 2; named++) {
		control_program(h, c, &config, from);
		control_program(h, by, &config, below);
		reload(h, c, named ? bit : 0, from);
		reload(h, by, bit, below);
		h->run(h, 1ull << c | 1ull << by);
		h->amount(h, intel_instructions(h->pmu), 0, &low, &high);
		if (!h->within(h, "instructions of the run, enough to overflow", RELOAD_EVERY, FAR_BELOW / 2,
			       low))
			break;
		since = control_value(h, by) - below;
		h->within(h, "the counter that reloads itself, above its reload value", 0,
			  h->pmu->virtual ? RELOAD_EVERY - 1 : low - 1, since);
		if (h->pmu->virtual && low == high)
			h->equal(h, "instructions since the last overflow", low % RELOAD_EVERY, since);
		if (!named)
			h->within(h, "the counter that is not reloaded", from + low,
				  high == UINT64_MAX ? high : from + high, control_value(h, c));
		else if (h->pmu->virtual)
			h->equal(h, "the counter that is reloaded", from + since, control_value(h, c));
		else
			h->within(h, "the counter that is reloaded", from, from + low - 1,
				  control_value(h, c));
		reload(h, c, 0, 0);
		reload(h, by, 0, 0);
	}
	h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, 1ull << by));
}

/* --- last exception record -------------------------------------------------------------------------- */

#define TURNS 500

static bool exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !intel_found(pmu)->records_branches)
		return false;
	snprintf(out->name, sizeof out->name, "the call of what faults");
	out->counters = 0;
	return true;
}

/* Twice, so that the second must take the place of the first; between them is a debug exception, whose last
 * branch is another one. The last branch before a WRMSR that faults is the call of the function that has it.
 */
static void exception_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LAST_BRANCHES),
					.levels = LEVELS_ALL};
	uint64_t from, to;
	const char *why;

	(void)i, (void)e;
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	uint64_t flags = interrupts_mask(); /* one that came in would be the last exception */
	h->within(h, "address of the INT1 that was taken", 1, UINT64_MAX, h->debug_exception(h));
	to = control_register(h, MSR_LER_TO_LIP);
	h->within(h, "the last branch before INT1 leads to", 1, UINT64_MAX, to);
	h->equal(h, "the last branch before INT1 leads to what faults later", 0, to == (uintptr_t)msr_write);
	from = control_register(h, MSR_LER_FROM_LIP);
	for (volatile unsigned n = TURNS; n; n--)
		;
	h->equal(h, "the last exception record after code without an exception: as it was", true,
		 control_register(h, MSR_LER_FROM_LIP) == from && control_register(h, MSR_LER_TO_LIP) == to);
	__asm__ volatile("verr %w0" ::"r"(0) : "cc");
	h->equal(h, "the last exception record after a check of a selector that failed: as it was", true,
		 control_register(h, MSR_LER_FROM_LIP) == from && control_register(h, MSR_LER_TO_LIP) == to);
	interrupts_restore(flags);
	h->works(h, "a fault", !msr_write(IA32_DEBUGCTL, 1ull << 63));
	from = control_register(h, MSR_LER_FROM_LIP);
	to = control_register(h, MSR_LER_TO_LIP);
	h->equal(h, "bits 63:61 of the last exception record's target, other than bit 47", 0,
		 (to >> 61 ^ (to >> 47 & 1) * 7) & 7);
	if (h->equal(h, "the last branch before the fault leads to what faults", 1,
		     to == (uintptr_t)msr_write) &&
	    h->within(h, "the last branch before the fault comes from", 1, UINT64_MAX, from))
		h->equal(h, "the last branch before the fault comes from its call", 1,
			 control_call_target(from) == to);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

const struct pmu_control_check intel_control[] = {
	{"freeze on an interrupt", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, intel_lbr_freeze_instance,
	 intel_lbr_freeze_check},
	{"overflow together, frozen", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, intel_together_instance,
	 intel_together_check},
	{"interrupts of two overflows", "SDM 18.2.1.1, INT", PMU_CONTROL_INTERRUPT, intel_pair_instance,
	 intel_pair_check},
	{"interrupts of a frozen overflow", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT,
	 intel_frozen_instance, intel_frozen_check},
	{"frozen or not", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, intel_freeze_instance,
	 intel_freeze_check},
	{"setting status", "SDM 18.2.4.3", 0, intel_set_instance, intel_set_check},
	{"in use", "SDM 18.2.4.4, figure 18-13", 0, intel_use_instance, intel_use_check},
	{"started beside another", "SDM 18.2.2, IA32_PERF_GLOBAL_CTRL", 0, beside_instance, beside_check},
	{"write near the top", "SDM 18.2.2", PMU_CONTROL_INTERRUPT, each_fixed, write_check},
	{"metrics", "SDM vol. 3, PERF_METRICS", 0, metrics_instance, metrics_check},
	{"threshold counts clocks", "SDM 18.2.1.1, counter mask", 0, clocks_instance, clocks_check},
	{"cycles over a halt", "SDM 18.2.1.2, UnHalted Core Cycles", PMU_CONTROL_TIMER, intel_halt_instance,
	 intel_halt_check},
	{"inverted threshold in one ring", "SDM 18.2.1.1, INV", 0, intel_inverted_instance,
	 intel_inverted_check},
	{"stop at an overflow", "SDM 18.2.2, IA32_PERF_GLOBAL_OVF_CTRL", PMU_CONTROL_INTERRUPT,
	 intel_stop_instance, intel_stop_check},
	{"order of enables", "SDM 18.2.2, IA32_PERF_GLOBAL_CTRL", 0, intel_order_instance, intel_order_check},
	{"all threads", "SDM 18.2.3, AnyThread", 0, intel_any_instance, intel_any_check},
	{"beside the other thread", "SDM 18.2, 18.2.3", PMU_CONTROL_OTHER, intel_beside_instance,
	 intel_beside_check},
	{"far branches of the other thread", "SDM 18.2, 18.2.3", PMU_CONTROL_OTHER, intel_far_instance,
	 intel_far_check},
	{"load latency beside the other thread", "SDM 18.4.4", PMU_CONTROL_OTHER, intel_slow_instance,
	 intel_slow_check},
	{"micro-operations beside the other thread", "SDM 18.2, chapter 19", PMU_CONTROL_OTHER,
	 intel_other_uops_instance, intel_other_uops_check},
	{"both threads", "SDM 18.2.3, AnyThread", PMU_CONTROL_OTHER, intel_both_instance, intel_both_check},
	{"what does not occur", "SDM vol. 3, chapter 19", 0, intel_absent_instance, intel_absent_check},
	{"what occurs", "SDM vol. 3, chapter 19", 0, intel_occurs_instance, intel_occurs_check},
	{"branches of an abort", "SDM 17.4.8; vol. 1, 16.3", 0, intel_abort_branches_instance,
	 intel_abort_branches_check},
	{"transitions", "SDM vol. 1, 16.2; errata HSD56 and BDD30", 0, intel_mixes_instance,
	 intel_mixes_check},
	{"breakpoint passed by", "SDM 17.2.4", 0, intel_passed_instance, intel_passed_check},
	{"samples of a load of a segment", "SDM 18.4.4", 0, intel_segment_sample_instance,
	 intel_segment_sample_check},
	{"loads from the upper half", "SDM 18.8.1.2", 0, intel_high_instance, intel_high_check},
	{"branches frozen by a sample", "SDM 17.4.7, 18.4.4", PMU_CONTROL_INTERRUPT,
	 intel_sample_freeze_instance, intel_sample_freeze_check},
	{"branches over a change of the clock", "SDM 15.8, 17.4", 0, intel_clock_branches_instance,
	 intel_clock_branches_check},
	{"counted over aborts", "SDM 19.3.6.5", 0, intel_third_instance, intel_third_check},
	{"kept over aborts", "SDM 18.2.1.1", 0, intel_kept_over_instance, intel_kept_over_check},
	{"unhalted", "SDM vol. 3, chapter 19", PMU_CONTROL_TIMER, intel_front_halt_instance,
	 intel_front_halt_check},
	{"processor trace", "SDM vol. 3, 32.2.8, 17.4", 0, intel_pt_instance, intel_pt_check},
	{"counts of clocks", "SDM vol. 3, 15.2; vol. 4, table 2-2", PMU_CONTROL_TIMER, intel_clock_instance,
	 intel_clock_check},
	{"trace with a slow clock", "SDM 17.4.5", 0, intel_slow_trace_instance, intel_slow_trace_check},
	{"over an SMI", "SDM 17.4.1, 17.4.8", PMU_CONTROL_FIRMWARE, intel_smi_instance, intel_smi_check},
	{"programmed anew", "SDM 18.2.1.1", 0, intel_anew_instance, intel_anew_check},
	{"declared event", "SDM 18.2.1.2, table 18-1", 0, intel_declared_instance, intel_declared_check},
	{"selectors read back", "SDM 18.2.1.1", 0, intel_select_instance, intel_select_check},
	{"ring 3 alone", "SDM 18.2.1.1, USR", 0, intel_ring_instance, intel_ring_check},
	{"frozen by status", "SDM 18.2.4.1", 0, intel_still_instance, intel_still_check},
	{"source written back", "SDM 17.4.8.1", 0, intel_written_back_instance, intel_written_back_check},
	{"left at zero", "SDM 18.2.1.1, INT", PMU_CONTROL_INTERRUPT, intel_zero_instance, intel_zero_check},
	{"told of", "SDM vol. 3, PERF_METRICS", 0, intel_told_instance, intel_told_check},
	{"records of an overflow", "SDM 18.4.4", 0, intel_one_record_instance, intel_one_record_check},
	{"PEBS buffer of two pages", "SDM 18.4.4", PMU_CONTROL_DANGEROUS, intel_hanging_instance,
	 intel_big_buffer_check},
	{"PEBS switched while it counts", "SDM 18.4.4", PMU_CONTROL_DANGEROUS, intel_hanging_instance,
	 intel_switched_check},
	{"overflow about a deep halt", "SDM 18.2.1.1, INT",
	 PMU_CONTROL_DANGEROUS | PMU_CONTROL_INTERRUPT | PMU_CONTROL_TIMER, intel_halt_overflow_instance,
	 intel_halt_overflow_check},
	{"comparison", "CPUID.23H:EBX[1]", 0, equal_instance, equal_check},
	{"kept from ring 3", "CPUID.23H:EBX[2]", 0, kept_instance, kept_check},
	{"counts in records", "CPUID.1CH:ECX[19:16]", 0, intel_lbr_log_instance, intel_lbr_log_check},
	{"depth of the stack", "SDM vol. 3, last branch records", 0, intel_lbr_depth_instance,
	 intel_lbr_depth_check},
	{"long time in a record", "SDM 17.12.1, table 17-16", 0, intel_lbr_cycles_instance,
	 intel_lbr_cycles_check},
	{"records against counters", "SDM 17.7.1, 17.12.1", 0, intel_lbr_counters_instance,
	 intel_lbr_counters_check},
	{"switches of the trace", "SDM 17.4.1, 17.4.5", PMU_CONTROL_INTERRUPT, intel_bts_instance,
	 intel_bts_check},
	{"what a record has", "SDM, adaptive PEBS; CPUID.23H.4", 0, intel_pebs_groups_instance,
	 intel_pebs_groups_check},
	{"last exception record", "SDM 17.4.8", 0, exception_instance, exception_check},
	{"counter reload", "CPUID.23H.2, IA32_PMC_GPn_CFG_B", 0, reload_instance, reload_check},
	{0},
};
