/*
 * Event strings of NetBurst: libpfm4's names and modifiers, and those of the CCCR's other fields. A raw
 * selector has the ESCR in its upper half and the CCCR in its lower, as Linux packs them; perfex writes the
 * two apart.
 */
#include "pmu/events/grammar.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/events/events.h"

#include <stddef.h>
#include <stdio.h>

#define IN(f)   offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)
#define CODE(n) IN(code), n, 1, n

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 57, 6, 57, "event select of the ESCR"},
	{NULL, "mask", IN(code), 41, 16, 41, "event mask of the ESCR"},
	{NULL, "select", IN(code), 13, 3, 13, "ESCR_SELECT of the CCCR"},
	{NULL, "active", IN(code), 16, 2, 16, "ACTIVE_THREAD of the CCCR"},
	{NULL, "tag", IN(code), 37, 4, 37, "tag value of the ESCR"},
	{NULL, "tagging", IN(code), 36, 1, 36, "tag enable of the ESCR"},
	{"u", NULL, IN(levels), 1, 1, 34, "count in rings 1 to 3"},
	{"k", NULL, IN(levels), 0, 1, 35, "count in ring 0"},
	{"t", "any", IN(any_thread), 0, 1, 32, "count the core's other logical processor too"},
	{"o", "other", IN(other_alone), 0, 1, -1, "count the core's other logical processor alone"},
	{"e", "edge", IN(edge), 0, 1, 24, "count how often the filter's output becomes true"},
	{"cmpl", "cmpl", IN(invert), 0, 1, 19, "count cycles with at most thr occurrences"},
	{"thr", "thr", IN(cmask), 0, 4, 20, "count cycles with more than thr occurrences"},
	{"cmp", "cmp", CODE(18), "filter by the threshold, also if it is 0"},
	{"force", "force", CODE(25), "overflow with every increment"},
	{"cascade", "cascade", CODE(30), "wait for the overflow of the partner"},
	{"xcascade", "xcascade", CODE(11), "wait for the overflow of counter 16 or 17"},
	{"p4pe", "p4pe", IN(extra_value), 0, 32, -1, "value of MSR_PEBS_ENABLE, for replay tagging"},
	{"p4pmv", "p4pmv", IN(extra_value), 32, 32, -1, "value of MSR_PEBS_MATRIX_VERT, for replay tagging"},
	{NULL, NULL, 0, 0, 0, 0, -1, NULL},
};

static const struct event_alias aliases[] = {
	{"uops_type:TAGLOADS", "uop_type:TAGLOADS"},
	{"uops_type:TAGSTORES", "uop_type:TAGSTORES"},
	{"mispred_branch_retired:BOGUS", "mispred_branch_retired:NBOGUS"},
	{"cycles", "global_power_events:RUNNING"},
	{"instructions", "instr_retired:NBOGUSNTAG"},
	{NULL, NULL},
};

static const char *const names[] = {"netburst_p", "cpu", NULL};

static const struct event_mask *masks(const struct pmu *pmu, const struct pmu_event *e)
{
	struct event_mask *out = netburst_pmu(pmu)->mask;
	unsigned n;
	const struct netburst_mask *m = netburst_masks_of(e, netburst_cpu(pmu)->model, &n);

	for (unsigned i = 0; i < n && i < NETBURST_MASKS - 1; i++)
		out[i] = (struct event_mask){m[i].name, 1ull << (m[i].bit + ESCR_MASK_SHIFT + 32)};
	out[n < NETBURST_MASKS ? n : NETBURST_MASKS - 1].name = NULL;
	return m ? out : NULL;
}

#define RINGS ((uint64_t)NETBURST_RINGS << 32)
/* An event that tags counts as it does without. */
#define TAGS ((uint64_t)(ESCR_TAG_ENABLE | ESCR_TAG) << 32)

static uint8_t rings_in(uint64_t word)
{
	return (uint8_t)((CODE_ESCR(word) & ESCR_T0_OS ? LEVELS_SYSTEM : 0) |
			 (CODE_ESCR(word) & ESCR_T0_USR ? LEVELS_USER : 0));
}

static uint64_t filter_of(const struct pmu_config *config)
{
	return (uint64_t)config->cmask << CCCR_THRESHOLD_SHIFT | (config->edge ? CCCR_EDGE : 0) |
	       (config->invert ? CCCR_COMPLEMENT : 0);
}

/* What is reserved on a CPU of one logical processor: SDM tables 18-64, 18-66 and 18.16.2. */
static bool fits_one_thread(uint64_t word, char *why, size_t size)
{
	uint32_t escr = CODE_ESCR(word), cccr = (uint32_t)word;

	if (escr & (ESCR_T1_OS | ESCR_T1_USR))
		snprintf(why, size,
			 "raw ESCR %08X asks for the other logical processor, and this CPU has one: clear "
			 "bits 1 and 0",
			 (unsigned)escr);
	else if ((cccr & CCCR_THREAD) != CCCR_THREAD_ANY)
		snprintf(why, size,
			 "raw CCCR %08X: bits 17 and 16 must be 11B where there is one logical processor",
			 (unsigned)cccr);
	else if (cccr & CCCR_OVF_PMI_T1)
		snprintf(why, size,
			 "raw CCCR %08X interrupts the other logical processor, and this CPU has one: clear "
			 "bit 27",
			 (unsigned)cccr);
	else
		return true;
	return false;
}

static uint64_t thread_bits(unsigned thread)
{
	return (uint64_t)(thread ? ESCR_T1_OS | ESCR_T1_USR : ESCR_T0_OS | ESCR_T0_USR) << 32;
}

static bool take_raw(const struct pmu *pmu, uint64_t word, struct pmu_config *config, char *why, size_t size)
{
	const struct netburst_cpu *cpu = netburst_cpu(pmu);
	uint32_t own = cpu->thread ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
	uint32_t pmi = (uint32_t)word & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
	uint64_t rings = word & RINGS;

	if (!cpu->hyper_threading && !fits_one_thread(word, why, size))
		return false;
	if (pmi && !(pmi & own)) {
		snprintf(why, size, "raw CCCR %08X interrupts the other logical processor alone: set bit %u",
			 (unsigned)word, cpu->thread ? 27 : 26);
		return false;
	}
	if (word & CCCR_EXTENDED_CASCADE && cpu->model < 2) {
		snprintf(why, size, "raw CCCR %08X: bit 11 is reserved on model %u", (unsigned)word,
			 cpu->model);
		return false;
	}
	if (config->levels != rings_in(word) || config->other_alone)
		rings = (uint64_t)netburst_ring_bits(pmu, netburst_rings_of(config)) << 32;
	if (!rings) {
		snprintf(why, size,
			 "raw ESCR %08X counts in no ring: set some of bits 3 to 0, or add :u or :k",
			 (unsigned)CODE_ESCR(word));
		return false;
	}
	if (filter_of(config) != (word & (CCCR_THRESHOLD | CCCR_EDGE | CCCR_COMPLEMENT)))
		config->code |= CCCR_COMPARE;
	config->code |= CODE_AS_WRITTEN | rings | pmi;
	config->levels = (uint8_t)((rings & ((uint64_t)(ESCR_T0_OS | ESCR_T1_OS) << 32) ? LEVELS_SYSTEM : 0) |
				   (rings & ((uint64_t)(ESCR_T0_USR | ESCR_T1_USR) << 32) ? LEVELS_USER : 0));
	config->other_alone = !(rings & thread_bits(cpu->thread));
	config->any_thread = !config->other_alone && rings & thread_bits(!cpu->thread);
	return true;
}

static uint64_t written(const struct pmu_config *config)
{
	return config->code & CODE_AS_WRITTEN
		       ? (config->code & ~(uint64_t)CODE_AS_WRITTEN) | filter_of(config)
		       : 0;
}

/* Which ESCRs may have the event, with their counters; and table 19-34. Lists are printed by tools of the
 * host: the image has no room for what it does not print. */
#if __STDC_HOSTED__
static size_t restrictions_listed(const struct pmu *pmu, const struct pmu_event *row, char *out, size_t size)
{
	const struct netburst_recipe *r = netburst_code_recipe(row->code);
	const unsigned model = netburst_cpu(pmu)->model;
	unsigned select = (CODE_ESCR(row->code) & ESCR_EVENT) >> ESCR_EVENT_SHIFT;
	unsigned wire = (CODE_CCCR(row->code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT;
	enum netburst_event_id id = NB_EVENTS;
	size_t n = 0;

	for (unsigned e = 0; e < ESCR_COUNT && n < size; e++) {
		uint32_t counters = netburst_escr[e].counters & row->counters;

		enum netburst_event_id found = netburst_event_of((enum netburst_escr_id)e, select, model);

		if (netburst_escr[e].select != wire || !counters || found == NB_EVENTS)
			continue;
		id = found;
		n += (size_t)snprintf(out + n, size - n, "%s:", netburst_escr[e].name);
		for (unsigned c = 0; c < NETBURST_COUNTERS && n < size; c++)
			if (counters >> c & 1)
				n += (size_t)snprintf(out + n, size - n, " %s", netburst_counter[c].name);
		if (n < size)
			n += (size_t)snprintf(out + n, size - n, "\n");
	}
	if (r && r->source != NB_EVENTS && n < size) {
		const struct netburst_event *source = &netburst_event[r->source];

		n += (size_t)snprintf(out + n, size - n, "with %s on", source->name);
		for (unsigned i = 0; i < 2 && n < size; i++)
			if (source->escr[i] != ESCR_NONE &&
			    (r->source_escr == ESCR_NONE || r->source_escr == source->escr[i]))
				n += (size_t)snprintf(out + n, size - n, " %s",
						      netburst_escr[source->escr[i]].name);
		if (n < size)
			n += (size_t)snprintf(out + n, size - n, "\n");
	}
	if (n < size)
		n += (size_t)snprintf(out + n, size - n, "%s",
				      row->flags & EVENT_ANY_THREAD
					      ? "thread-independent (TI): counts both logical processors\n"
				      : id != NB_EVENTS && netburst_event[id].flags & NB_UNDOCUMENTED
					      ? "whether it is thread-specific is not said\n"
					      : "thread-specific (TS)\n");
	return n < size ? n : size - 1;
}
#else
#define restrictions_listed NULL
#endif

/* ACTIVE_THREAD: none, a single one, both, any; SDM vol. 3, 18.16.4. */
static bool counts_alone(uint64_t code)
{
	unsigned active = (unsigned)((code & CCCR_THREAD) / (CCCR_THREAD & -CCCR_THREAD));

	return active == 1 || active == 3;
}

const struct event_grammar netburst_grammar = {
	.names = names,
	.aliases = aliases,
	.modifiers = modifiers,
	.raw_ignored =
		CCCR_ENABLE | CCCR_OVF | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | (uint64_t)ESCR_T1_OS << 32,
	.code_written = RINGS | CODE_AS_WRITTEN | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | TAGS,
	.code_how = TAGS | RINGS | CODE_AS_WRITTEN | CCCR_EXTENDED_CASCADE | CCCR_CASCADE | CCCR_THREAD |
		    CCCR_COMPARE | CCCR_FORCE_OVF | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1,
	.code_waits = CCCR_CASCADE | CCCR_EXTENDED_CASCADE,
	.code_threads = CCCR_THREAD,
	.counts_alone = counts_alone,
	.code_compares = CCCR_COMPARE,
	.more_than = true,
	.code_overflows_always = CCCR_FORCE_OVF,
	.take_raw = take_raw,
	.written = written,
	/* Linux, arch/x86/include/asm/perf_event_p4.h: enum P4_EVENTS takes the place of the event select. */
	.perf_unlike =
		"Linux numbers NetBurst's events by a list of its own (its fields are cccr, escr and ht), "
		"so its perf takes no register values",
	.halves = "CCCR/ESCR@counter, as perfex has it",
	.masks = masks,
	.restrictions = restrictions_listed,
};
