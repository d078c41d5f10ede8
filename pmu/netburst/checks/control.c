/*
 * NetBurst's own control logic, judged: the table of checks, and what they share.
 */
#include "pmu/netburst/checks/control.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/netburst.h"

#include <stdio.h>

bool control_set(struct control_fixture *h, unsigned c, uint64_t code, unsigned rings, uint64_t first)
{
	const struct pmu_config config = {.code = code, .levels = (uint8_t)rings};

	return control_program(h, c, &config, first);
}

uint64_t control_moved(struct control_fixture *h, unsigned c)
{
	return (control_value(h, c) - CONTROL_START) & CONTROL_TOP;
}

bool control_overflowed(struct control_fixture *h, unsigned c)
{
	uint64_t cccr = 0;

	h->works(h, "reading a CCCR", msr_read(MSR_NETBURST_CCCR0 + c, &cccr));
	return cccr & CCCR_OVF;
}

void control_counts(struct control_fixture *h, const char *what, unsigned c, uint64_t mask,
		    const struct pmu_event *e)
{
	uint64_t low, high;

	h->run(h, mask);
	h->amount(h, e, 0, &low, &high);
	h->within(h, what, low, high, control_moved(h, c));
}

/* Events that need no tagging, and that a ring filter holds back. */
static bool plain(const struct pmu_event *e)
{
	return !netburst_code_recipe(e->code) && !(e->flags & EVENT_ANY_LEVEL);
}

bool control_suits_counter(const struct pmu *pmu, unsigned c, const struct pmu_event *e)
{
	return pmu->driver->can_count(pmu, e, c) && plain(e);
}

bool control_each_counter(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	if (i >= NETBURST_COUNTERS)
		return false;
	snprintf(out->name, sizeof out->name, "%s", pmu->counter[i].name);
	out->counters = COUNTER(i);
	out->suits = control_suits_counter;
	return true;
}

uint64_t control_code(enum netburst_event_id id, unsigned mask)
{
	const struct netburst_event *e = &netburst_event[id];
	uint32_t escr = (uint32_t)e->select << ESCR_EVENT_SHIFT | mask << ESCR_MASK_SHIFT;

	return (uint64_t)escr << 32 | CCCR_THREAD_ANY | (uint32_t)e->escr_select << CCCR_SELECT_SHIFT;
}

/* --- every wire from an ESCR to a counter ------------------------------------------------------------ */

struct wire {
	enum netburst_escr_id escr;
	unsigned counter, select;
};

static bool wire(const struct pmu *pmu, unsigned i, struct wire *out)
{
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
			if (netburst_escr[e].models >> netburst_cpu(pmu)->model & 1 &&
			    netburst_escr[e].counters >> c & 1 && i-- == 0) {
				*out = (struct wire){(enum netburst_escr_id)e, c, netburst_escr[e].select};
				return true;
			}
	return false;
}

static enum netburst_event_id event_on(const struct pmu *pmu, const struct wire *w, const struct pmu_event *e)
{
	unsigned select = (CODE_ESCR(e->code) & ESCR_EVENT) >> ESCR_EVENT_SHIFT;

	if ((CODE_CCCR(e->code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT != w->select)
		return NB_EVENTS;
	return netburst_event_of(w->escr, select, netburst_cpu(pmu)->model);
}

static bool wire_suits(const struct pmu *pmu, unsigned i, const struct pmu_event *e)
{
	struct wire w;

	(void)pmu;
	return wire(pmu, i, &w) && plain(e) && e->counters >> w.counter & 1 &&
	       event_on(pmu, &w, e) != NB_EVENTS;
}

bool wire_instance(const struct pmu *pmu, unsigned i, struct pmu_control_instance *out)
{
	struct wire w;

	if (!wire(pmu, i, &w))
		return false;
	snprintf(out->name, sizeof out->name, "%s to %s", netburst_escr[w.escr].name,
		 pmu->counter[w.counter].name);
	out->counters = COUNTER(w.counter);
	out->suits = wire_suits;
	return true;
}

/* Another wire that ends at the same counter. */
static unsigned other_select(const struct pmu *pmu, const struct wire *w)
{
	unsigned select = w->select;

	do
		select = (select + 1) % 8;
	while (netburst_wire(w->counter, select, netburst_cpu(pmu)->model) == ESCR_NONE);
	return select;
}

/*
 * The counter hears what its ESCR detects; with ESCR_SELECT at another wire it does not. Where no kernel
 * causes what an ESCR detects, the wire brings zeros, of which a filter lets every clock pass, and nothing
 * without one.
 */
void wire_check(struct control_fixture *h, unsigned i, const struct pmu_event *e)
{
	uint64_t mask, nothing, code;
	struct wire w;

	wire(h->pmu, i, &w);
	mask = COUNTER(w.counter);
	nothing = CCCR_THREAD_ANY | (uint64_t)w.select << CCCR_SELECT_SHIFT | 1ull << (32 + ESCR_EVENT_SHIFT);
	if (!e) {
		control_set(h, w.counter, nothing | CONTROL_CLOCK, LEVELS_ALL, CONTROL_START);
		h->run(h, mask);
		h->within(h, "through a filter that passes every clock it moves by", 1, UINT64_MAX,
			  control_moved(h, w.counter));
		control_set(h, w.counter, nothing, LEVELS_ALL, CONTROL_START);
		h->run(h, mask);
		h->equal(h, "without the filter it moves by", 0, control_moved(h, w.counter));
		return;
	}
	control_set(h, w.counter, e->code, LEVELS_ALL, CONTROL_START);
	control_counts(h, "listening to this ESCR it moves by", w.counter, mask, e);
	code = (CODE_CCCR(e->code) & ~(uint64_t)CCCR_SELECT) | (uint64_t)other_select(h->pmu, &w)
								       << CCCR_SELECT_SHIFT;
	control_set(h, w.counter, code, LEVELS_ALL, CONTROL_START);
	h->works(h, "writing an ESCR",
		 msr_write(netburst_escr[w.escr].msr,
			   CODE_ESCR(e->code) | netburst_ring_bits(h->pmu, LEVELS_ALL)));
	h->run(h, mask);
	h->equal(h, "listening to another ESCR it moves by", 0, control_moved(h, w.counter));
}

const struct pmu_control_check netburst_control[] = {
	{"wire", "SDM table 18-63", 0, wire_instance, wire_check},
	{"filter", "SDM 18.15.5.3, 18.15.5.4", 0, filter_instance, filter_check},
	{"thresholds add up", "SDM 18.15.5.3", 0, thresholds_instance, thresholds_check},
	{"what the lines carry", "SDM 18.15.1", 0, lines_instance, lines_check},
	{"rings and threads", "SDM 18.16.4, table 18-66", 0, rings_instance, rings_check},
	{"active threads", "SDM 18.16.2", PMU_CONTROL_THREADS, control_each_counter, active_thread_check},
	{"one processor alone", "SDM 18.15.3", 0, thread_field_instance, thread_field_check},
	{"interrupt, which processor", "SDM 18.15.5.8, 18.16.2", PMU_CONTROL_INTERRUPT, control_each_counter,
	 delivery_check},
	{"the processor's own bits", "SDM 18.16.1", PMU_CONTROL_THREADS | PMU_CONTROL_INTERRUPT,
	 identity_instance, identity_check},
	{"delivery by processor", "SDM table 19-28, TC_deliver_mode", PMU_CONTROL_THREADS,
	 delivering_instance, delivering_check},
	{"forced overflow", "SDM 18.15.3, FORCE_OVF; 18.15.5.5", PMU_CONTROL_INTERRUPT, forced_instance,
	 forced_check},
	{"no cascade", "SDM 18.15.5.5, 18.15.5.6", 0, control_each_counter, unrelated_check},
	{"cascade, at once", "SDM 18.15.5.5", 0, start_instance, start_check},
	{"interrupt of a cascade", "SDM 18.15.5.5, 18.15.5.8", PMU_CONTROL_INTERRUPT,
	 cascade_interrupt_instance, cascade_interrupt_check},
	{"RDPMC, full and fast", "SDM vol. 2, RDPMC", 0, control_each_counter, rdpmc_check},
	{"write while running", "Erratum N15/O8", 0, control_each_counter, running_write_check},
	{"the driver's write while running", "Erratum N15/O8", 0, control_each_counter, driven_write_check},
	{"read around the carry", "SDM vol. 2, RDPMC", 0, control_each_counter, carry_check},
	{"tag colours", "SDM 18.15.6.3", 0, colours_instance, colours_check},
	{"tagging", "SDM 18.15.6.3", 0, tagging_instance, tagging_check},
	{"front-end tags", "SDM 18.15.6.2", 0, front_end_instance, front_end_check},
	{"replay tags", "SDM 18.15.6.4", 0, replay_instance, replay_check},
	{"tags do not reach", "SDM 18.15.6.1", 0, untagged_instance, untagged_check},
	{"PEBS", "SDM 18.15.7, 18.16.3", 0, pebs_instance, pebs_check},
	{"PEBS, a record that is due", "SDM 18.15.7", 0, pebs_due_instance, pebs_due_check},
	{"PEBS interrupt", "SDM 18.15.7, 18.16.3", PMU_CONTROL_INTERRUPT, pebs_interrupt_instance,
	 pebs_interrupt_check},
	{"branch trace", "SDM 17.4.5, table 17-6", 0, trace_instance, trace_check},
	{"records at the end of memory", "SDM 17.4.9; erratum P79", 0, top_instance, top_check},
	{"not available", "SDM table 35-41, MSR_MISC_ENABLE[12:11]", 0, absent_instance, absent_check},
	{"debug exception", "SDM 17.4.1, 17.4.3", 0, debug_exception_instance, debug_exception_check},
	{"last exception record", "SDM 17.11.3", 0, last_exception_instance, last_exception_check},
	{0},
};
