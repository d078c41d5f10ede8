/*
 * What records take: the conditions of PEBS and of branch traces, one by one, whom a full buffer interrupts,
 * and what an exception leaves behind. That records are right is the business of the suites sampling and
 * trace.
 */
#include "pmu/netburst/checks/control.h"
#include "arch/memory.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/netburst.h"
#include "pmu/netburst/records/ds.h"
#include "pmu/netburst/records/record.h"

#include <stdio.h>
#include <string.h>

#define PLAIN   12 /* a counter that makes no records */
#define RECORDS 8
#define PERIOD  2

static uint8_t store[2048] __attribute__((aligned(64)));

static unsigned sampler(const struct pmu *pmu)
{
	return netburst_cpu(pmu)->thread ? PEBS_COUNTER_T1 : PEBS_COUNTER_T0;
}

static bool loads(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	(void)pmu, (void)i;
	return !strcmp(e->name, "memory_loads");
}

static bool set_up(struct control_fixture *h, enum record_kind kind, const struct pmu_event *e,
		   uint64_t period, unsigned threshold, struct pmu_recording *r)
{
	const char *why;

	*r = (struct pmu_recording){.source = record_source(h->pmu, kind),
				    .levels = LEVELS_ALL,
				    .counter = sampler(h->pmu),
				    .config = {.code = e ? e->code : 0, .levels = LEVELS_ALL},
				    .period = period,
				    .memory = store,
				    .size = sizeof store,
				    .records = RECORDS,
				    .threshold = threshold};
	return h->works(h, "finding who makes records", r->source != NULL) &&
	       h->works(h, "setting records up", record_setup(h->pmu, r, &why));
}

static uint64_t records(struct control_fixture *h, const struct pmu_recording *r)
{
	struct pmu_record_state state = {0};

	h->works(h, "asking for records", record_state(h->pmu, r, &state));
	return state.records;
}

static bool change(uint32_t address, uint64_t clear, uint64_t set)
{
	uint64_t value;

	return msr_read(address, &value) && msr_write(address, (value & ~clear) | set);
}

/* --- PEBS -------------------------------------------------------------------------------------------- */

enum { AS_DOCUMENTED, OTHER_BIT, NO_PMI, OTHER_COUNTER, OTHER_EVENT, CONDITIONS };

bool pebs_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[] = {"as documented", "bit 24 in place of bit 25", "without OVF_PMI",
					    "on IQ_COUNTER0", "of instr_retired"};

	(void)pmu;
	if (!netburst_cpu(pmu)->has_pebs || i >= CONDITIONS)
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	out->counters = COUNTER(PEBS_COUNTER_T0) | COUNTER(PLAIN);
	out->suits = loads;
	return true;
}

static void break_condition(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint32_t cccr = MSR_NETBURST_CCCR0 + sampler(h->pmu);
	uint64_t pmi = CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1;
	bool done = true;

	if (i == OTHER_BIT)
		done = change(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE | PEBS_ENABLE_OTHER, PEBS_REPLAY_TAG);
	else if (i == NO_PMI)
		done = change(cccr, pmi, 0);
	else if (i == OTHER_COUNTER)
		done = h->pmu->driver->release(h->pmu, sampler(h->pmu)) &&
		       control_set(h, PLAIN, e->code, LEVELS_ALL, CONTROL_TOP) &&
		       change(MSR_NETBURST_CCCR0 + PLAIN, 0, control_pmi(h->pmu));
	else if (i == OTHER_EVENT)
		done = control_set(h, sampler(h->pmu), control_code(NB_INSTR_RETIRED, 1), LEVELS_ALL,
				   CONTROL_TOP) &&
		       change(cccr, 0, control_pmi(h->pmu));
	h->works(h, "changing one condition", done);
}

void pebs_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct pmu_recording r;

	if (!h->works(h, "finding an event", e != NULL) || !set_up(h, RECORD_PRECISE, e, PERIOD, 0, &r))
		return;
	break_condition(h, i, e);
	h->run(h, COUNTER(i == OTHER_COUNTER ? PLAIN : sampler(h->pmu)));
	if (i == AS_DOCUMENTED)
		h->within(h, "records", 1, RECORDS, records(h, &r));
	else
		h->equal(h, "records", 0, records(h, &r));
	h->works(h, "releasing", record_release(h->pmu, &r));
}

bool pebs_interrupt_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	/* On silicon the one that runs, on the virtual CPU both. */
	if (!netburst_cpu(pmu)->has_pebs ||
	    i >= (netburst_cpu(pmu)->hyper_threading && pmu->virtual ? 2u : 1u))
		return false;
	i = pmu->virtual ? i : netburst_cpu(pmu)->thread;
	snprintf(out->name, sizeof out->name, "processor %u", i);
	out->counters = COUNTER(i ? PEBS_COUNTER_T1 : PEBS_COUNTER_T0);
	out->suits = loads;
	return true;
}

/* Its own counter, its own bit of MSR_PEBS_ENABLE, its own interrupt. */
void pebs_interrupt_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	struct netburst_cpu before = *netburst_cpu(h->pmu);
	struct pmu_recording r;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	h->place(h, i, OTHER_HALTED);
	netburst_find_thread(h->pmu);
	if (set_up(h, RECORD_PRECISE, e, PERIOD, 1, &r)) {
		h->arm(h);
		h->run(h, COUNTER(sampler(h->pmu)));
		h->within(h, "records", 1, RECORDS, records(h, &r));
		h->equal(h, "interrupts of the processor that runs", 1, h->interrupts(h));
		h->equal(h, "interrupts of the other processor", 0, h->other_interrupts(h));
		h->works(h, "releasing", record_release(h->pmu, &r));
	}
	*netburst_cpu(h->pmu) = before;
}

/* What the manual leaves open is decided by the model: a record that is due survives a pause, and ends when
 * the counter is written. */
bool pebs_due_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (!pmu->virtual || !netburst_cpu(pmu)->has_pebs || i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "survives a pause, not a write");
	out->counters = COUNTER(PEBS_COUNTER_T0);
	out->suits = loads;
	return true;
}

/* Overflow by the last occurrence of a window, and go on; records then. */
static uint64_t due(struct control_fixture *h, const struct pmu_recording *r, uint64_t occurrences,
		    bool write)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t mask = COUNTER(sampler(h->pmu)), before = records(h, r);

	h->works(h, "writing a counter", d->write(h->pmu, sampler(h->pmu), CONTROL_TOP + 1 - occurrences));
	h->run(h, mask);
	h->equal(h, "overflowed by the last occurrence, its status is", true,
		 control_overflowed(h, sampler(h->pmu)));
	h->equal(h, "and records are as many as before", before, records(h, r));
	if (write)
		h->works(h, "writing a counter", d->write(h->pmu, sampler(h->pmu), CONTROL_START));
	h->run(h, mask);
	return records(h, r) - before;
}

void pebs_due_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const uint64_t seldom = 1 << 20;
	struct pmu_recording r;
	uint64_t n;

	(void)i;
	if (!h->works(h, "finding an event", e != NULL) || !set_up(h, RECORD_PRECISE, e, seldom, 0, &r))
		return;
	/* Where the last occurrence of a window is. */
	h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, sampler(h->pmu), CONTROL_START));
	h->run(h, COUNTER(sampler(h->pmu)));
	n = control_moved(h, sampler(h->pmu));
	h->equal(h, "records after a pause", 1, due(h, &r, n, false));
	h->equal(h, "records after a pause in which the counter was written", 0, due(h, &r, n, true));
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- branches ---------------------------------------------------------------------------------------- */

bool trace_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	static const char *const names[] = {"TR and BTS", "TR alone", "BTS alone"};

	(void)pmu;
	if (!netburst_cpu(pmu)->has_bts || i >= sizeof names / sizeof names[0])
		return false;
	snprintf(out->name, sizeof out->name, "%s", names[i]);
	out->counters = COUNTER(PLAIN);
	return true;
}

void trace_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static const uint32_t bits[] = {DEBUGCTLA_TR | DEBUGCTLA_BTS, DEBUGCTLA_TR, DEBUGCTLA_BTS};
	struct pmu_recording r;

	(void)e;
	if (!set_up(h, RECORD_BRANCH_TRACE, NULL, 0, 0, &r))
		return;
	control_set(h, PLAIN, control_code(NB_INSTR_RETIRED, 1), LEVELS_ALL, CONTROL_START);
	h->works(h, "switching it on", netburst_change_debugctl(0, bits[i] | DEBUGCTLA_BTINT));
	h->run(h, COUNTER(PLAIN));
	h->works(h, "switching it off", netburst_change_debugctl(bits[i] | DEBUGCTLA_BTINT, 0));
	h->equal(h, "records", i ? 0 : RECORDS, records(h, &r));
	h->works(h, "releasing", record_release(h->pmu, &r));
}

/* --- the end of the address space: erratum P79 ----------------------------------------------------- */

#define PAGE     4096
#define FILL     0x55
#define BOTTOM   64    /* bytes behind the end that are looked at */
#define ONE_ONLY (-40) /* from here to the end are a record and 16 bytes */
#define RECORD   24
#define MAXIMUM  (-8)

bool top_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i || pmu->under_hypervisor || !netburst_cpu(pmu)->has_bts || sizeof(void *) < 8)
		return false;
	snprintf(out->name, sizeof out->name, "branch trace");
	out->counters = COUNTER(PLAIN);
	return true;
}

/* One page is the last one and, for as long as that takes, the first one. */
void top_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static uint8_t page[PAGE] __attribute__((aligned(PAGE)));
	uint64_t *ds = (uint64_t *)(void *)store;
	struct pmu_recording r;
	unsigned written = 0, changed = 0;

	(void)i, (void)e;
	if (!set_up(h, RECORD_BRANCH_TRACE, NULL, 0, 0, &r))
		return;
	memset(page, FILL, PAGE);
	ds[DS_BTS_BASE] = ds[DS_BTS_INDEX] = (uint64_t)ONE_ONLY;
	ds[DS_BTS_MAXIMUM] = ds[DS_BTS_THRESHOLD] = (uint64_t)MAXIMUM;
	bool mapped = page_also_at(-(uint64_t)PAGE, page) && page_also_at(0, page);

	if (mapped) {
		h->works(h, "recording", record_start(h->pmu, &r));
		for (volatile unsigned n = 0; n < 4; n++)
			;
		h->works(h, "stopping", record_stop(h->pmu, &r));
	}
	page_also_at(0, NULL);
	page_also_at(-(uint64_t)PAGE, NULL);
	h->works(h, "releasing", record_release(h->pmu, &r));
	if (!mapped) {
		h->leave(h, "no page of tables is left");
		return;
	}
	for (unsigned k = 0; k < RECORD; k++)
		written += page[PAGE + ONE_ONLY + k] != FILL;
	for (unsigned k = 0; k < BOTTOM; k++)
		changed += page[k] != FILL;
	h->equal(h, "a record is written below the end", true, written != 0);
	h->equal(h, "bytes behind the end of the address space that records change", 0, changed);
}

/* --- what MSR_MISC_ENABLE says is not there ---------------------------------------------------------- */

enum { NO_TRACE, NO_PEBS, ABSENT };

static bool is_absent(const struct pmu *pmu, unsigned i)
{
	return i == NO_TRACE ? !netburst_cpu(pmu)->has_bts : !netburst_cpu(pmu)->has_pebs;
}

/* The i-th of those that are absent. */
static unsigned absent(const struct pmu *pmu, unsigned i)
{
	for (unsigned k = 0; k < ABSENT; k++)
		if (is_absent(pmu, k) && i-- == 0)
			return k;
	return ABSENT;
}

bool absent_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	i = absent(pmu, i);
	if (i == ABSENT)
		return false;
	snprintf(out->name, sizeof out->name, i == NO_TRACE ? "branch trace" : "PEBS");
	out->counters = COUNTER(PEBS_COUNTER_T0);
	out->suits = loads;
	return true;
}

/* Switched on all the same, as far as registers let one, it writes nothing. */
void absent_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	bool trace = absent(h->pmu, i) == NO_TRACE;
	const uint32_t on = DEBUGCTLA_TR | DEBUGCTLA_BTS | DEBUGCTLA_BTINT;
	size_t words = trace ? BTS_WORDS : netburst_pebs_words(netburst_cpu(h->pmu)->ds_width);
	const struct pmu_record_source source = {.kind = trace ? RECORD_BRANCH_TRACE : RECORD_PRECISE,
						 .record_size = words * netburst_cpu(h->pmu)->ds_width};
	struct pmu_recording r = {
		.source = &source, .memory = store, .size = sizeof store, .records = RECORDS};
	struct pmu_record_state state = {0};
	enum netburst_ds_word base = trace ? DS_BTS_BASE : DS_PEBS_BASE;
	const char *why;
	bool there;

	if (!h->works(h, "finding an event", e != NULL))
		return;
	there = netburst_ds_setup(h->pmu, &r, base, CONTROL_TOP, &why);
	control_set(h, sampler(h->pmu), e->code, LEVELS_ALL, CONTROL_TOP - 1);
	if (trace)
		netburst_change_debugctl(0, on);
	else
		there = there && change(MSR_NETBURST_CCCR0 + sampler(h->pmu), 0, control_pmi(h->pmu)) &&
			change(MSR_PEBS_ENABLE, 0, PEBS_ENABLE_MINE);
	h->run(h, COUNTER(sampler(h->pmu)));
	if (trace)
		netburst_change_debugctl(on, 0);
	if (there)
		netburst_ds_state(h->pmu, &r, base, &state);
	h->equal(h, "records", 0, state.records);
	netburst_ds_release();
}

/* --- exceptions -------------------------------------------------------------------------------------- */

bool debug_exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i)
		return false;
	snprintf(out->name, sizeof out->name, "ends the branch stack");
	out->counters = 0;
	return true;
}

/* It is no entry, and LBR is clear afterwards. */
void debug_exception_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	bool joint = MODELS_0_TO_2 >> netburst_cpu(h->pmu)->model & 1;
	uint64_t control = 0, tos = 0, newest = 0, from;

	(void)i, (void)e;
	h->works(h, "switching it on", netburst_change_debugctl(0, DEBUGCTLA_LBR));
	from = h->debug_exception(h);
	h->works(h, "reading what it leaves",
		 msr_read(MSR_DEBUGCTLA, &control) && msr_read(MSR_LASTBRANCH_TOS, &tos) &&
			 msr_read((joint ? MSR_LASTBRANCH_0 : MSR_LASTBRANCH_FROM_0) + (uint32_t)tos,
				  &newest));
	h->works(h, "switching it off", netburst_change_debugctl(DEBUGCTLA_LBR, 0));
	h->within(h, "it comes from", 1, UINT64_MAX, from);
	h->equal(h, "LBR is then", 0, control & DEBUGCTLA_LBR);
	h->equal(h, "it is the newest entry:", false, (uint32_t)newest == (uint32_t)from);
}

bool last_exception_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i)
		return false;
	snprintf(out->name, sizeof out->name, "the call of what faults");
	out->counters = 0;
	return true;
}

/* The WRMSR of a reserved bit faults; the last branch before it is the call of the accessor, which is
 * straight-line code. */
void last_exception_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t to = 0, from = 0;

	(void)i, (void)e;
	h->works(h, "switching it on", netburst_change_debugctl(0, DEBUGCTLA_LBR));
	h->works(h, "a fault", !msr_write(MSR_DEBUGCTLA, DEBUGCTLA_LBR | 1u << 7));
	h->works(h, "reading what it leaves",
		 msr_read(MSR_LER_TO_LIP, &to) && msr_read(MSR_LER_FROM_LIP, &from));
	h->works(h, "switching it off", netburst_change_debugctl(DEBUGCTLA_LBR, 0));
	h->equal(h, "the last branch leads to what faults", true, to == (uintptr_t)msr_write);
	h->within(h, "the last branch comes from", 1, UINT64_MAX, from);
}
