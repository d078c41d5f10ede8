/*
 * Precise event-based sampling: SDM vol. 3, 18.15.7, 18.16.3. The occurrence after the one that overflows is
 * recorded, so a counter that starts at 1 - N records every Nth.
 */
#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/bracket.h"
#include "pmu/netburst/driver/state.h"

#include <string.h>

#define VALUE_MASK   ((1ull << NETBURST_COUNTER_WIDTH) - 1)
#define PERIOD_LEAST 2
#define PERIOD_MOST  (1ull << (NETBURST_COUNTER_WIDTH - 1))

static unsigned sampler(const struct pmu *pmu)
{
	return netburst_cpu(pmu)->thread ? PEBS_COUNTER_T1 : PEBS_COUNTER_T0;
}

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	bool wide = netburst_cpu(pmu)->ds_width == 8;

	if (!netburst_has_ds(pmu, MISC_ENABLE_PEBS_ABSENT, "PEBS is", why))
		return false;
	out->name = wide ? "PEBS, NetBurst, 64-bit form" : "PEBS, NetBurst, 32-bit form";
	out->fields = RECORD_HAS_NEXT_IP | RECORD_HAS_FLAGS | RECORD_HAS_GENERAL;
	out->counters = 1ull << sampler(pmu);
	out->period_unit = 1;
	out->record_size =
		netburst_pebs_words(netburst_cpu(pmu)->ds_width) * (size_t)netburst_cpu(pmu)->ds_width;
	out->manual = "SDM 18.15.7";
	return true;
}

static enum netburst_mechanism mechanism(enum netburst_event_id e)
{
	switch (e) {
	case NB_FRONT_END_EVENT:
		return TAG_FRONT_END;
	case NB_EXECUTION_EVENT:
		return TAG_EXECUTION;
	case NB_REPLAY_EVENT:
		return TAG_REPLAY;
	default:
		return TAG_NOTHING;
	}
}

/* A counter other than c whose tags are of another mechanism; NETBURST_NOBODY if there is none. 18.15.6.1. */
static unsigned other_mechanism(const struct pmu *pmu, unsigned c, enum netburst_mechanism ours)
{
	for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
		const struct netburst_use *u = &netburst_use(pmu)[i];

		if (i == c || !u->used)
			continue;
		enum netburst_mechanism theirs = mechanism(netburst_event_of(
			u->escr, (u->escr_value & ESCR_EVENT) >> ESCR_EVENT_SHIFT, netburst_cpu(pmu)->model));
		if (theirs != TAG_NOTHING && theirs != ours)
			return i;
	}
	return NETBURST_NOBODY;
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	uint32_t code = CODE_ESCR(r->config.code), select = CODE_CCCR(r->config.code) & CCCR_SELECT;
	enum netburst_escr_id escr =
		netburst_wire(sampler(pmu), select >> CCCR_SELECT_SHIFT, netburst_cpu(pmu)->model);
	enum netburst_event_id e = NB_EVENTS;
	unsigned other;

	if (escr != ESCR_NONE)
		e = netburst_event_of(escr, (code & ESCR_EVENT) >> ESCR_EVENT_SHIFT,
				      netburst_cpu(pmu)->model);
	if (e == NB_EVENTS || !(netburst_event[e].flags & NB_PEBS)) {
		*why = pmu_reason(pmu,
				  "PEBS takes front_end_event, execution_event and replay_event alone: "
				  "memory_loads, packed_SP_retired, 1stL_cache_load_miss_retired and the "
				  "like%s%s",
				  e == NB_EVENTS ? "" : ", not ",
				  e == NB_EVENTS ? "" : netburst_event[e].name);
		return false;
	}
	if (r->loosely) {
		*why = "PEBS of NetBurst samples tagged micro-operations alone";
		return false;
	}
	if (r->counter != sampler(pmu)) {
		*why = pmu_reason(pmu, "PEBS is made by %s alone on logical processor %u",
				  pmu->counter[sampler(pmu)].name, netburst_cpu(pmu)->thread);
		return false;
	}
	other = other_mechanism(pmu, r->counter, mechanism(e));
	if (other != NETBURST_NOBODY) {
		*why = pmu_reason(pmu,
				  "with PEBS only one kind of tagging may be in use, and %s counts another: "
				  "release it, or sample an event of the same kind",
				  pmu->counter[other].name);
		return false;
	}
	return true;
}

static bool enable(uint32_t clear, uint32_t set)
{
	uint64_t value;

	return msr_read(MSR_PEBS_ENABLE, &value) &&
	       msr_write(MSR_PEBS_ENABLE, (value & ~(uint64_t)clear) | set);
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	bool off = enable(PEBS_ENABLE_MINE, 0);

	return pmu->driver->release(pmu, r->counter) && pmu->driver->acknowledge(pmu, 1ull << r->counter) &&
	       pmu->driver->write(pmu, r->counter, 0) && netburst_ds_release() && off;
}

/* OVF_PMI is set whether a threshold interrupts or not: without it there are no records. */
static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	struct pmu_config config = r->config;
	uint64_t reset = (1 - r->period) & VALUE_MASK;

	config.levels = r->levels;
	config.interrupt = true;
	if (r->period < PERIOD_LEAST || r->period > PERIOD_MOST) {
		*why = "what is recorded is the occurrence after an overflow: periods are from 2 to 2^39";
		return false;
	}
	if (!pmu->driver->program(pmu, r->counter, &config)) {
		*why = "an ESCR, or a counter to keep one awake, that the event needs is taken";
		return false;
	}
	if (!netburst_ds_setup(pmu, r, DS_PEBS_BASE, reset, why)) {
		pmu->driver->release(pmu, r->counter);
		return false;
	}
	if (pmu->driver->write(pmu, r->counter, reset) && enable(0, PEBS_ENABLE_MINE))
		return true;
	*why = "MSR_PEBS_ENABLE raised #GP";
	release(pmu, r);
	return false;
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	return pmu->driver->start(pmu, 1ull << r->counter);
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	return netburst_stop_counter(pmu, r->counter);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	return netburst_bracket_enable(pmu, 1ull << r->counter, out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	netburst_ds_state(pmu, r, DS_PEBS_BASE, out);
	return true;
}

static void translate(const struct pmu *pmu, const uint64_t *words, struct pmu_record *out)
{
	out->flags = words[PEBS_FLAGS];
	out->next_ip = words[PEBS_IP];
	out->n_general = (uint8_t)(netburst_pebs_words(netburst_cpu(pmu)->ds_width) - PEBS_GPRS);
	memcpy(out->general, &words[PEBS_GPRS], out->n_general * sizeof out->general[0]);
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	unsigned n = netburst_ds_drain(pmu, r, DS_PEBS_BASE, translate, out, max);

	pmu->driver->acknowledge(pmu, 1ull << r->counter);
	return n;
}

const struct pmu_record_kind netburst_record_pebs = {
	.describe = describe,
	.can_sample = can_sample,
	.memory = netburst_ds_memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
