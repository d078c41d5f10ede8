/*
 * Filters of the CCCR: threshold, complement, edge. How many occurrences a clock brings is the CPU's own
 * business; so counters that hear the same ESCR in the same window are held against each other.
 */
#include "pmu/netburst/checks/control.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/model/uops.h"

#include <stdio.h>

/* The other counter of the pair, or in IQ of the three: it hears the same ESCRs. */
static unsigned partner(unsigned c)
{
	return c < 16 ? c ^ 1 : 2 * c - 20;
}

/* Both counters in one window, each with a filter. */
static void both(struct control_fixture *h, unsigned c, const struct pmu_event *e, uint64_t mine,
		 uint64_t others)
{
	unsigned p = partner(c);

	h->works(h, "taking counters out of use",
		 h->pmu->driver->release(h->pmu, c) && h->pmu->driver->release(h->pmu, p));
	control_set(h, p, e->code | others, LEVELS_ALL, CONTROL_START);
	control_set(h, c, e->code | mine, LEVELS_ALL, CONTROL_START);
	h->run(h, COUNTER(c) | COUNTER(p));
}

static bool is_instructions(const struct pmu_event *e)
{
	return e->terms[0].quantity == Q_INSTRUCTIONS && event_own_terms(e) == 1;
}

/* Clocks and instructions come without gaps; FLAME has neither. */
static bool filter_suits(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return control_suits_counter(pmu, c, e) &&
	       (netburst_counter[c].group == GROUP_FLAME || e->judgement == EVENT_TIME || is_instructions(e));
}

/* Some counters count the writes that start and stop them, and others do not, as the ladder found. */
static bool writes_differ(const struct pmu *pmu)
{
	return (pmu->counts_start && pmu->counts_start != UINT64_MAX) ||
	       (pmu->counts_stop && pmu->counts_stop != UINT64_MAX);
}

/* What counter c counts more than its partner in one window: the two writes at most. Which of them it is, is
 * known of counters of instructions alone. */
static uint64_t more(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	uint64_t own;

	both(h, c, e, 0, 0);
	own = control_moved(h, c) - control_moved(h, partner(c));
	if (writes_differ(h->pmu))
		h->within(h, "beside the other counter it counts at most the two writes:", 0, 4, own + 2);
	else
		h->equal(h, "beside the other counter it counts what that one does, and besides", 0, own);
	return own;
}

bool filter_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (!control_each_counter(pmu, i, out))
		return false;
	out->suits = filter_suits;
	return true;
}

void filter_check(struct control_fixture *h, unsigned c, const struct pmu_event *e)
{
	unsigned p = partner(c);
	uint64_t plain, met, clocks, low, high, own, fewer;

	if (!h->works(h, "finding an event to filter", e != NULL))
		return;
	own = more(h, c, e);
	fewer = own > INT64_MAX ? -own : 0; /* writes that it does not count, and the other one does */
	/* Whatever the rings of its ESCR, it runs only when it is enabled. */
	control_set(h, c, e->code | CONTROL_CLOCK, LEVELS_ALL, CONTROL_START);
	h->run_user(h, 0);
	h->equal(h, "with every clock passing but not enabled it moves by", 0, control_moved(h, c));
	both(h, c, e, THRESHOLD(0), 0);
	plain = control_moved(h, p);
	met = control_moved(h, c);
	h->amount(h, e, 0, &low, &high);
	h->within(h, "without a filter the other counter moves by", low - own,
		  high == UINT64_MAX ? high : high - own, plain);
	h->within(h, "above threshold 0 it moves by at most every occurrence:", 1, plain + own, met);
	both(h, c, e, THRESHOLD(15), THRESHOLD(0));
	h->equal(h, "above threshold 15 it moves by", 0, control_moved(h, c));
	both(h, c, e, CONTROL_CLOCK, THRESHOLD(0));
	clocks = control_moved(h, c);
	h->within(h, "not above threshold 15, in every clock, it moves by", control_moved(h, p) + own,
		  UINT64_MAX, clocks);
	both(h, c, e, THRESHOLD(0) | CCCR_COMPLEMENT, THRESHOLD(0));
	/* Two windows have as many clocks only where nothing varies. The WRMSR that opens the ESCR is seen by
	 * the counter that runs already, not by the one that it starts, but for one that counts its start. */
	if (h->pmu->virtual)
		h->within(h, "the clocks above threshold 0 and those not above it are together", clocks - 1,
			  clocks + fewer, control_moved(h, c) + control_moved(h, p));
	both(h, c, e, THRESHOLD(0) | CCCR_EDGE, THRESHOLD(0));
	/* Whether the write that a counter does not count is an edge to it no manual says. */
	h->within(h, "rising edges are at most as many as clocks above the threshold:", !fewer,
		  control_moved(h, p) + own, control_moved(h, c));
	/* The model retires an instruction in each clock. */
	if (e->judgement == EVENT_TIME || (h->pmu->virtual && is_instructions(e)))
		h->within(h, "rising edges of something that always is", !fewer, 1, control_moved(h, c));
	/* What passes a filter overflows the counter as anything does. */
	if (h->pmu->virtual) {
		both(h, c, e, THRESHOLD(0), 0);
		met = control_moved(h, c);
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, CONTROL_TOP - met));
		h->run(h, COUNTER(c) | COUNTER(p));
		h->equal(h, "filled to its top through a filter, its status is", false,
			 control_overflowed(h, c));
		h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, CONTROL_TOP + 1 - met));
		h->run(h, COUNTER(c) | COUNTER(p));
		h->equal(h, "filled over its top through a filter, its status is", true,
			 control_overflowed(h, c));
		h->works(h, "acknowledging", h->pmu->driver->acknowledge(h->pmu, COUNTER(c)));
	}
	both(h, c, e, 0, 0);
	h->works(h, "writing a CCCR",
		 msr_write(MSR_NETBURST_CCCR0 + c,
			   CODE_CCCR(e->code) | CCCR_EDGE | CCCR_COMPLEMENT | CCCR_THRESHOLD));
	h->run(h, COUNTER(c) | COUNTER(p));
	h->equal(h, "filters without COMPARE change nothing: it moves by what the other one does",
		 control_moved(h, p) + 2 * own, control_moved(h, c));
}

/* The groups of three: 12, 13, 16 and 14, 15, 17. */
bool thresholds_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 2)
		return false;
	out->counters = i ? COUNTER(14) | COUNTER(15) | COUNTER(17) : COUNTER(12) | COUNTER(13) | COUNTER(16);
	snprintf(out->name, sizeof out->name, "%s", netburst_escr[CRU_ESCR0 + i].name);
	/* A store has uops of more than one kind: some clocks bring more than one of them. */
	out->suits = NULL;
	for (unsigned k = 0; k < pmu->n_events; k++) {
		const struct netburst_recipe *r = netburst_code_recipe(pmu->events[k]->code);

		if (r && r->mechanism == TAG_FRONT_END && r->source_mask == 1 << 2)
			out->also = pmu->events[k];
	}
	return true;
}

/* Every clock's occurrences are as many as the thresholds that they are above. */
void thresholds_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	static const uint8_t groups[2][3] = {{12, 13, 16}, {14, 15, 17}};
	uint64_t code = control_code(NB_UOPS_RETIRED, 1), mask = 0, sum = 0, plain = 0, above[3], last;
	const uint8_t *c = groups[i];

	(void)e;
	for (unsigned k = 0; k < 3; k++)
		mask |= COUNTER(c[k]);
	for (unsigned t = 0; t < 3; t++) {
		control_set(h, c[0], code, LEVELS_ALL, CONTROL_START);
		control_set(h, c[1], code | THRESHOLD(t), LEVELS_ALL, CONTROL_START);
		control_set(h, c[2], code | THRESHOLD(t) | CCCR_EDGE, LEVELS_ALL, CONTROL_START);
		h->run(h, mask);
		plain = control_moved(h, c[0]);
		above[t] = control_moved(h, c[1]);
		last = t ? above[t - 1] : plain;
		sum += above[t];
		h->within(h, "a higher threshold is passed less often, but by some clocks:", 1, last - 1,
			  above[t]);
		h->within(h, "and it is passed several clocks in a row, now and then: rising edges are", 1,
			  t ? above[t] : above[t] - 1, control_moved(h, c[2]));
	}
	/* Up to three uops retire in a clock. */
	if (h->pmu->virtual)
		h->equal(h, "the clocks above each threshold are together the uops", plain, sum);
}

/* --- what the lines carry ---------------------------------------------------------------------------- */

#define LINE      64
#define RESTORES  32
#define RECORD_AT 12 /* counts all, the next one the clocks with any */

static bool suits_misses(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	const struct netburst_recipe *r = netburst_code_recipe(e->code);

	(void)pmu, (void)i;
	return r && r->mechanism == TAG_REPLAY && r->term[0].quantity == Q_L2_LOAD_MISS;
}

bool lines_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	(void)pmu;
	if (i >= 1)
		return false;
	snprintf(out->name, sizeof out->name, "of many misses at once");
	out->counters = COUNTER(RECORD_AT) | COUNTER(RECORD_AT + 1);
	out->suits = suits_misses;
	return true;
}

/* An instruction that reads eight lines, none of which is in a cache. */
static __attribute__((noinline)) void miss_at_once(void)
{
	static uint8_t image[512] __attribute__((aligned(LINE)));

	for (unsigned i = 0; i < RESTORES; i++) {
		__asm__ volatile("fxsave %0" : "=m"(image));
		for (unsigned line = 0; line < sizeof image; line += LINE)
			__asm__ volatile("clflush %0" : "+m"(image[line]));
		__asm__ volatile("mfence; fxrstor %0" ::"m"(image));
	}
}

/* However much happens in a clock, an ESCR tells its counters of 15 occurrences at most; of micro-operations
 * the virtual CPU has three a clock. */
void lines_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	const struct pmu_driver *d = h->pmu->driver;
	uint64_t clocks, most = h->pmu->virtual ? UOPS_PER_CYCLE : EVENTS_PER_CYCLE;

	(void)i;
	if (!h->works(h, "finding an event", e != NULL))
		return;
	control_set(h, RECORD_AT, e->code, LEVELS_ALL, CONTROL_START);
	control_set(h, RECORD_AT + 1, e->code | THRESHOLD(0), LEVELS_ALL, CONTROL_START);
	h->works(h, "starting", d->start(h->pmu, COUNTER(RECORD_AT) | COUNTER(RECORD_AT + 1)));
	miss_at_once();
	h->works(h, "stopping", d->stop(h->pmu));
	clocks = control_moved(h, RECORD_AT + 1);
	h->within(h, "clocks with misses are", RESTORES, UINT64_MAX, clocks);
	h->within(h, "misses that were counted in these clocks are", clocks, most * clocks,
		  control_moved(h, RECORD_AT));
}
