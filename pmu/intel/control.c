#include "pmu/intel/control.h"
#include "pmu/intel/control_interrupts.h"

#include "arch/x86/cpuid.h"
#include "arch/x86/msr.h"
#include "pmu/intel/driver.h"
#include "pmu/intel/record.h"
#include "pmu/intel/registers.h"

#include <stdio.h>
#include <string.h>

#define CODE_BRANCHES     0x00c4
#define CODE_INSTRUCTIONS 0x00c0
#define CODE_SLOTS        0x01a4
#define START             1000 /* first value of a counter that must move: never 0 */

static const uint64_t NONE = ~0ull;

/* The counter of this kind and index, NONE if it is missing. */
static uint64_t find(const struct pmu *pmu, enum counter_kind kind, unsigned index)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->counter[c].kind == kind && pmu->counter[c].index == index)
			return c;
	return NONE;
}

static uint64_t top(const struct pmu *pmu, unsigned c)
{
	return pmu->counter[c].width >= 64 ? ~0ull : (1ull << pmu->counter[c].width) - 1;
}

static bool offers(const struct pmu *pmu, uint64_t code)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == code)
			return true;
	return false;
}

/* --- the last-branch stack freezes with an interrupt ------------------------------------------------ */

static bool suits_branches(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu, (void)i;
	return e->fixed < 0 && e->code == CODE_BRANCHES;
}

static bool freeze_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found.records_branches || !offers(pmu, CODE_BRANCHES) ||
	    find(pmu, COUNTER_GENERAL, 0) == NONE)
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	out->counters = 1ull << find(pmu, COUNTER_GENERAL, 0);
	out->suits = suits_branches;
	return true;
}

/* The newest records after the n-th branch of a run has raised an interrupt; @return how many there are. */
static unsigned freeze_after(struct pmu_hands *h, uint64_t n, struct pmu_record *out)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LBR), .ring = RING_ALL};
	const struct pmu_config config = {.code = CODE_BRANCHES, .ring = RING_ALL, .interrupt = true};
	unsigned c = (unsigned)find(h->pmu, COUNTER_GENERAL, 0);
	const char *why;

	control_program(h, c, &config, top(h->pmu, c) + 1 - n);
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return 0;
	h->works(h, "asking for the freeze", intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_LBRS_ON_PMI));
	h->works(h, "recording", record_start(h->pmu, &r));
	h->arm(h);
	h->run(h, 1ull << c);
	if (h->pmu->version >= 4)
		h->equal(h, "LBR_FRZ after the interrupt is", 1,
			 (control_register(h, IA32_PERF_GLOBAL_STATUS) & STATUS_LBR_FRZ) != 0);
	else
		h->equal(h, "IA32_DEBUGCTL.LBR after the interrupt is", 0,
			 control_register(h, IA32_DEBUGCTL) & DEBUGCTL_LBR);
	unsigned count = record_drain(h->pmu, &r, out, INTEL_LBR_DEPTH_MAX);
	h->equal(h, "interrupts", 1, h->interrupts(h));
	h->works(h, "stopping", record_release(h->pmu, &r));
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_LBRS_ON_PMI, 0));
	h->works(h, "acknowledging",
		 msr_write(IA32_PERF_GLOBAL_OVF_CTRL, h->pmu->version >= 4 ? STATUS_LBR_FRZ | 1 : 1));
	return count;
}

/*
 * Frozen after the first branch of the run, the newest record is of that one; frozen after the second, it is
 * the one before. Silicon takes the interrupt some branches later, so there only the freeze itself is looked
 * at.
 */
static void freeze_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	static struct pmu_record first[INTEL_LBR_DEPTH_MAX], second[INTEL_LBR_DEPTH_MAX];
	unsigned n, m;

	(void)i, (void)e;
	n = freeze_after(h, 1, first);
	m = freeze_after(h, 2, second);
	if (!h->pmu->virtual)
		return;
	if (!h->within(h, "records of a frozen stack", 2, INTEL_LBR_DEPTH_MAX, n) ||
	    !h->within(h, "records of a frozen stack", 2, INTEL_LBR_DEPTH_MAX, m))
		return;
	/* Differences: where the image lies is no result. */
	h->equal(h, "source of the branch that froze the stack, less its address", 0,
		 first[n - 1].from - second[m - 2].from);
	h->equal(h, "target of the branch that froze the stack, less its address", 0,
		 first[n - 1].to - second[m - 2].to);
}

/* --- fixed counters that overflow while an interrupt freezes ---------------------------------------- */

static bool fixed_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->n_fixed < 2)
		return false;
	snprintf(out->name, sizeof out->name, "fixed counters");
	for (unsigned n = 0; n < 3; n++)
		if (find(pmu, COUNTER_FIXED, n) != NONE)
			out->counters |= 1ull << find(pmu, COUNTER_FIXED, n);
	return true;
}

/* All stand one below the top. Whichever has wrapped when they freeze has its status, and the others have
 * not. */
static void together_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.ring = RING_ALL, .interrupt = true};
	uint64_t mask = 0, status = 0;

	(void)i, (void)e;
	h->works(h, "asking for the freeze",
		 intel_change_msr(IA32_DEBUGCTL, 0, DEBUGCTL_FREEZE_PERFMON_ON_PMI));
	for (unsigned n = 0; n < 3; n++) {
		uint64_t c = find(h->pmu, COUNTER_FIXED, n);

		if (c == NONE)
			continue;
		control_program(h, (unsigned)c, &config, top(h->pmu, (unsigned)c));
		mask |= 1ull << c;
	}
	h->arm(h);
	h->run(h, mask);
	h->works(h, "reading the overflow status", h->pmu->driver->overflowed(h->pmu, &status));
	h->within(h, "counters with overflow status", 1, mask, status & mask);
	for (unsigned c = 0; c < h->pmu->n_counters; c++)
		if (mask >> c & 1)
			h->equal(h, "overflow status of a counter that has wrapped, or not",
				 control_value(h, c) < top(h->pmu, c), status >> c & 1);
	h->equal(h, "interrupts", 1, h->interrupts(h));
	h->works(h, "taking the freeze back",
		 intel_change_msr(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI, 0));
	if (h->pmu->version >= 4)
		h->works(h, "acknowledging", msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_CTR_FRZ));
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
static void write_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.ring = RING_ALL, .interrupt = true};
	const struct pmu_config other = {.code = CODE_INSTRUCTIONS, .ring = RING_ALL};
	unsigned c = h->pmu->n_general + i;
	uint64_t status = 0;

	(void)e;
	h->arm(h);
	control_program(h, 0, &other, 0);
	h->works(h, "starting", h->pmu->driver->start(h->pmu, 1));
	for (uint64_t below = 0; below <= 0x40; below += 0x10) {
		control_program(h, c, &config, top(h->pmu, c) - below);
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
	if (i || !(intel_found.capabilities & CAP_METRICS) || find(pmu, COUNTER_FIXED, FIXED_SLOTS) == NONE)
		return false;
	snprintf(out->name, sizeof out->name, "PERF_METRICS");
	out->counters = 1ull << find(pmu, COUNTER_FIXED, FIXED_SLOTS);
	return true;
}

/* The four fractions of the slots are all of them, and something retired. RDPMC tells the same. */
static void metrics_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.ring = RING_ALL};
	unsigned c = (unsigned)find(h->pmu, COUNTER_FIXED, FIXED_SLOTS), sum = 0;
	uint64_t metrics, again = 0;

	(void)i, (void)e;
	control_program(h, c, &config, 0);
	h->works(h, "clearing the metrics", msr_write(MSR_PERF_METRICS, 0));
	h->works(h, "enabling the metrics", msr_write(IA32_PERF_GLOBAL_CTRL, GLOBAL_METRICS));
	h->run_user(h, 1ull << c); /* start() leaves what is on */
	metrics = control_register(h, MSR_PERF_METRICS);
	for (unsigned m = 0; m < METRICS; m++)
		sum += metrics >> 8 * m & 0xff;
	h->within(h, "slots", 1, top(h->pmu, c), control_value(h, c));
	h->within(h, "slots that retired, of 255", 1, METRICS_FULL, metrics & 0xff);
	h->within(h, "sum of the four metrics", METRICS_FULL - ROUNDING, METRICS_FULL + ROUNDING, sum);
	h->works(h, "RDPMC of the metrics", pmc_read(RDPMC_METRICS, &again));
	h->equal(h, "RDPMC of the metrics reads", metrics, again);
}

/* --- comparison for equality ------------------------------------------------------------------------ */

static bool equal_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found.leaf.equal || !offers(pmu, CODE_SLOTS))
		return false;
	snprintf(out->name, sizeof out->name, "EQ");
	for (unsigned n = 0; n < 3; n++) {
		uint64_t c = find(pmu, COUNTER_GENERAL, n);

		if (c == NONE)
			return false;
		out->counters |= 1ull << c;
	}
	return true;
}

/* Cycles with one slot, and those with two or more, are those with one or more. */
static void equal_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config configs[] = {{.code = CODE_SLOTS, .ring = RING_ALL, .cmask = 1},
					     {.code = CODE_SLOTS, .ring = RING_ALL, .cmask = 2},
					     {.code = CODE_SLOTS | EVTSEL_EQ, .ring = RING_ALL, .cmask = 1}};
	unsigned c[3];
	uint64_t mask = 0;

	(void)i, (void)e;
	for (unsigned n = 0; n < 3; n++) {
		c[n] = (unsigned)find(h->pmu, COUNTER_GENERAL, n);
		mask |= 1ull << c[n];
		control_program(h, c[n], &configs[n], 0);
	}
	h->run(h, mask);
	h->within(h, "cycles with a slot", 1, top(h->pmu, c[0]), control_value(h, c[0]));
	h->equal(h, "cycles with one slot and with more", control_value(h, c[0]),
		 control_value(h, c[1]) + control_value(h, c[2]));
}

/* --- counts in last-branch records ------------------------------------------------------------------ */

#define LOG_LOOKED_AT 8 /* of the newest records */

static bool log_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || !intel_found.records_branches || (intel_found.logs & 7) != 7 || !offers(pmu, CODE_BRANCHES))
		return false;
	snprintf(out->name, sizeof out->name, "LBR");
	for (unsigned n = 0; n < 3; n++) {
		uint64_t c = find(pmu, COUNTER_GENERAL, n);

		if (c == NONE)
			return false;
		out->counters |= 1ull << c;
	}
	return true;
}

/* Since the record before, there was this branch at least, and no fewer instructions than branches. A counter
 * that does not ask for it is not told, nor is one that does not run. */
static void log_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config configs[] = {{.code = CODE_BRANCHES | EVTSEL_LBR_LOG, .ring = RING_USR},
					     {.code = CODE_INSTRUCTIONS | EVTSEL_LBR_LOG, .ring = RING_USR},
					     {.code = CODE_INSTRUCTIONS, .ring = RING_USR}};
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LBR), .ring = RING_USR};
	uint64_t mask = 0;
	const char *why;

	(void)i, (void)e;
	for (unsigned n = 0; n < 3; n++) {
		unsigned c = (unsigned)find(h->pmu, COUNTER_GENERAL, n);

		mask |= 1ull << c;
		control_program(h, c, &configs[n], 0);
	}
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	h->works(h, "recording", record_start(h->pmu, &r));
	h->run_user(h, mask); /* what is around it would push its records out */
	h->works(h, "stopping", record_stop(h->pmu, &r));
	/* Where ring 3 was entered nothing had been counted there. */
	unsigned told = 0;
	for (unsigned n = 0; n < r.source->depth && told < LOG_LOOKED_AT; n++) {
		uint64_t info = control_register(h, IA32_LBR_0_INFO + n) >> LBR_INFO_LOG;
		uint64_t branches = info & LBR_LOG_MOST, instructions = info >> 2 & LBR_LOG_MOST;

		h->equal(h, "counts of counters that do not ask for it", 0, info >> 4 & 15);
		if (!branches && !instructions)
			continue;
		told += h->within(h, "branches since the record before", 1, LBR_LOG_MOST, branches);
		h->within(h, "instructions since the record before, no fewer than branches", branches,
			  LBR_LOG_MOST, instructions);
	}
	h->within(h, "records that tell counts", 2, LOG_LOOKED_AT, told);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- counters that an overflow reloads -------------------------------------------------------------- */

#define RELOAD_EVERY 16           /* instructions: a few times in a run */
#define FAR_BELOW    (1ull << 24) /* the top: more instructions than a run has, and 32 bits tell it */

static const struct pmu_event *instructions(const struct pmu *pmu)
{
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->fixed < 0 && pmu->events[i]->code == CODE_INSTRUCTIONS)
			return pmu->events[i];
	return NULL;
}

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
	uint64_t both = intel_found.leaf.reloaded & intel_found.leaf.reloads;

	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct pmu_counter *k = &pmu->counter[c];
		bool counts = k->kind == COUNTER_GENERAL || (!k->index && fixed_instructions(pmu));

		if (counts && both & bit_of(k) && !i--)
			return c;
	}
	return NONE;
}

/* Pairs of neighbours in a ring: the second one's overflow reloads both. So each is the first of a pair and
 * the second of another. */
static bool reload_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	uint64_t first = reloading(pmu, i), second = reloading(pmu, i + 1);

	if (second == NONE)
		second = reloading(pmu, 0);
	if (first == NONE || second == first || !instructions(pmu))
		return false;
	snprintf(out->name, sizeof out->name, "%s by %s", pmu->counter[first].name,
		 pmu->counter[second].name);
	out->counters = 1ull << first | 1ull << second;
	return true;
}

static void reload(struct pmu_hands *h, unsigned c, uint64_t causes, uint64_t to)
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
static void reload_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .ring = RING_ALL};
	unsigned c = (unsigned)reloading(h->pmu, i);
	unsigned by = (unsigned)(reloading(h->pmu, i + 1) == NONE ? reloading(h->pmu, 0)
								  : reloading(h->pmu, i + 1));
	uint64_t bit = bit_of(&h->pmu->counter[by]), below = top(h->pmu, by) + 1 - RELOAD_EVERY;
	uint64_t from = top(h->pmu, c) + 1 - FAR_BELOW, low, high, since;

	(void)e;
	for (unsigned named = 0; named < 2; named++) {
		control_program(h, c, &config, from);
		control_program(h, by, &config, below);
		reload(h, c, named ? bit : 0, from);
		reload(h, by, bit, below);
		h->run(h, 1ull << c | 1ull << by);
		h->amount(h, instructions(h->pmu), 0, &low, &high);
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

#define CALL      0xe8 /* CALL rel32 */
#define CALL_SIZE 5

static bool exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i || !intel_found.records_branches)
		return false;
	snprintf(out->name, sizeof out->name, "the call of what faults");
	out->counters = 0;
	return true;
}

/* Where the call at that address leads; 0: there is none. */
static uint64_t call_target(uint64_t from)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)from;
	int32_t distance;

	if (code[0] != CALL)
		return 0;
	memcpy(&distance, code + 1, sizeof distance);
	return from + CALL_SIZE + (uint64_t)(int64_t)distance;
}

/* Twice, so that the second must take the place of the first; between them is a debug exception, whose last
 * branch is another one. The last branch before a WRMSR that faults is the call of the function that has it.
 */
static void exception_check(struct pmu_hands *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_recording r = {.source = record_source(h->pmu, RECORD_LBR), .ring = RING_ALL};
	uint64_t from, to;
	const char *why;

	(void)i, (void)e;
	h->works(h, "setting the last-branch stack up", r.source && record_setup(h->pmu, &r, &why));
	if (!r.source)
		return;
	h->works(h, "recording", record_start(h->pmu, &r));
	h->within(h, "address of the INT1 that was taken", 1, UINT64_MAX, h->debug_exception(h));
	to = control_register(h, MSR_LER_TO_LIP);
	h->within(h, "the last branch before INT1 leads to", 1, UINT64_MAX, to);
	h->equal(h, "the last branch before INT1 leads to what faults later", 0, to == (uintptr_t)msr_write);
	h->works(h, "a fault", !msr_write(IA32_DEBUGCTL, 1ull << 63));
	from = control_register(h, MSR_LER_FROM_LIP);
	to = control_register(h, MSR_LER_TO_LIP);
	if (h->equal(h, "the last branch before the fault leads to what faults", 1,
		     to == (uintptr_t)msr_write) &&
	    h->within(h, "the last branch before the fault comes from", 1, UINT64_MAX, from))
		h->equal(h, "the last branch before the fault comes from its call", 1,
			 call_target(from) == to);
	h->works(h, "releasing", record_release(h->pmu, &r));
}

const struct pmu_control_check intel_control[] = {
	{"freeze on an interrupt", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, freeze_instance,
	 freeze_check},
	{"overflow together, frozen", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, fixed_instance,
	 together_check},
	{"interrupts of two overflows", "SDM 18.2.1.1, INT", PMU_CONTROL_INTERRUPT, intel_pair_instance,
	 intel_pair_check},
	{"interrupts of a frozen overflow", "SDM 17.4.7, 18.2.4.1", PMU_CONTROL_INTERRUPT, intel_frozen_instance,
	 intel_frozen_check},
	{"write near the top", "SDM 18.2.2", PMU_CONTROL_INTERRUPT, each_fixed, write_check},
	{"metrics", "SDM vol. 3, PERF_METRICS", 0, metrics_instance, metrics_check},
	{"comparison", "CPUID.23H:EBX[1]", 0, equal_instance, equal_check},
	{"counts in records", "CPUID.1CH:ECX[19:16]", 0, log_instance, log_check},
	{"last exception record", "SDM 17.4.8", 0, exception_instance, exception_check},
	{"counter reload", "CPUID.23H.2, IA32_PMC_GPn_CFG_B", 0, reload_instance, reload_check},
	{0},
};
