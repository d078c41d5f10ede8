#include "pmu/netburst/events/events.h"
#include "pmu/events/rows.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
const struct netburst_event netburst_event[NB_EVENTS] = {
#define GROUP(name, models, select, source, id, escr_select, escr0, escr1, flags, mask, bit)                 \
	{name, select, escr_select, {escr0, escr1}, models, flags, source},
#define EVENT(...)
#include "pmu/netburst/events/events.def"
#undef GROUP
#undef EVENT
};

/* Up to 126 instructions (of the core's: micro-operations) are in flight: SDM vol. 1, 2.2.2. */
#define IN_FLIGHT 126

#define AGAIN 1

/* What other code a misprediction or an exception lets begin, and what of the kernel itself a clear throws away. */
#define WRONG_PATHS {Q_BR_MISPRED, 0, IN_FLIGHT}, {Q_EXCEPTIONS, 0, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT}

/* Counted in ring 3 on a Pentium D: one for each fault, and for few interrupts if any. */
#define RETURNS_ONCE {Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 1}, {Q_INTERRUPTS_NMI, 0, 1}, {Q_INTERRUPTS_SW, 0, 1}
#define EACH_ONCE    {Q_EXCEPTIONS, 0, 1}, {Q_INTERRUPTS_HW, 0, 1}, {Q_INTERRUPTS_NMI, 0, 1}
static const struct event_deliveries INSTRUCTIONS_DELIVERED = {
	.text = "whether ring 3 counts the return from a handler is not said",
	.source = "V. Weaver, deater/deterministic: Pentium D",
	.kind = DELIVERED_INSTRUCTIONS,
	.user = {RETURNS_ONCE},
};
static const struct event_deliveries BRANCHES_DELIVERED = {
	.text = "whether deliveries of interrupts and exceptions count, and in ring 3 the returns from them, is not said",
	.source = "V. Weaver, deater/deterministic: Pentium D",
	.kind = DELIVERED_BRANCHES,
	.all = {EACH_ONCE},
	.user = {RETURNS_ONCE},
};

const struct event_rule netburst_rule[RULE_COUNT] = {
	[RULE_SIBLING] = {"control only: needs the other logical processor"},
	/* SDM table 19-28: OTHER is "other agents", DMA too; DRDY_OTHER and DBSY_OTHER are data that this processor does not sample. */
	[RULE_AGENTS] = {"devices cause it, whatever the kernel does: no more than clocks, or entries in them"},
	[RULE_FIELD] = {"control only: a part of a field, which selects nothing by itself"},
	[RULE_UNTAGGED] = {"control only: counts nothing until something tags"},
	[RULE_TAGS] = {"control only: it tags, and does not advance its own counter"},
	[RULE_UC_CODE] = {"control only: no kernel runs from uncacheable memory"},
	/* The source of a program that replays virtual machines has it that retired_branch_type counts each conditional branch
	   twice; the manual says only that it may count more here. The branches of a trace that is built again; it has lines of six micro-operations (Optimization Reference Manual
	   of NetBurst). */
	[RULE_REBUILT] = {"counts more where traces are rebuilt or the pipeline is cleared", "SDM table 19-29, retired_branch_type",
			  .may = {{Q_BR_MISPRED, AGAIN, IN_FLIGHT}, {Q_CLEARS, AGAIN, IN_FLIGHT}, {Q_DECODED_MISS, AGAIN, 6}}},
	/* How often one is replayed is nowhere said: until what it needs is there. But each goes through a port again, and there is
	   one for loads and one for addresses of stores, each of which dispatches one a cycle (IA-32 Intel Architecture Optimization,
	   248966-013US, 1-18, ports 2 and 3; 1-24: "up to one load and one store may be issued for each cycle"). */
	[RULE_REPLAYED] = {"what is replayed may be replayed again, once a cycle, and wrong paths count",
			   "IA-32 Optimization Reference Manual (248966-013US), 1-18: one load and one store address a cycle",
			   .may = {WRONG_PATHS, {Q_CYCLES, AGAIN, 1}}},
	[RULE_FETCHED] = {"what is fetched and decoded on wrong paths counts too", .may = {WRONG_PATHS}},
	[RULE_WALKS] = {"walks of wrong paths and of prefetches count too",
			.may = {WRONG_PATHS, {Q_PREFETCHES, 0, 1}, {Q_OFFCORE_PREFETCHES, AGAIN, 1}}},
	[RULE_TWOFOLD] = {"reads for ownership and prefetches are reads; over and under by as much as a factor of two",
			  "SDM table 19-28, BSQ_cache_reference", .fold = 2,
			  .may = {WRONG_PATHS, {Q_STORES, 0, 2}, {Q_PREFETCHES, 0, 2}, {Q_OFFCORE_PREFETCHES, AGAIN, 2}}},
	[RULE_BOGUS_ASSISTS] = {"assists asked for on wrong paths count too", "SDM table 19-28, SSE_input_assist", .may = {WRONG_PATHS}},
	[RULE_DURATION] = {"some of the cycles of each clear, whatever its cause", "SDM table 19-29, machine_clear",
			   .may = {{Q_CYCLES, 0, 1}}},
	[RULE_RETURNS_UNTAGGED] = {"a return cannot be tagged", "SDM 18.15.6.1", .also = {{Q_BR_MISPRED_RET, -1}}},
	[RULE_TAGGED_LOADS] = {"each micro-operation of a load may be tagged", .may = {{Q_UOPS_LOAD, AGAIN, 1}}},
	[RULE_STORES_TOO] = {"those of stores too, and each micro-operation may be tagged",
			     .may = {{Q_DTLB_STORE_MISS, 0, 1}, {Q_UOPS_LOAD, AGAIN, 1}, {Q_UOPS_STORE, AGAIN, 1}}},
	[RULE_UOPS] = {"how many micro-operations an instruction has is the CPU's own"},
	/* Intel's own words (SDM table 19-29) are "more than once" for "complex flows". Measured on a Pentium D (model 6); SPEC's counts on a Xeon of model 2 show it too. */
	[RULE_RETIREMENT] = {"FLDCW, FLDENV, FRSTOR, EMMS, MASKMOVQ, SFENCE, MFENCE and, from memory, CVTPD2PI and CVTTPD2PI count twice; a REP string instruction is one",
			     "Weaver, Terpstra, Moore, ISPASS 2013: Pentium D; Weaver, McKee, IISWC 2008: Pentium 4",
			     .also = {{Q_INSN_X87_CONTROL, 1}, {Q_INSN_EMMS, 1}, {Q_INSN_MASKMOVQ, 1}, {Q_INSN_CVTPD2PI, 1}, {Q_INSN_FENCE, 1}, {Q_INSN_LFENCE, -1}},
			     .deliveries = &INSTRUCTIONS_DELIVERED},
	[RULE_COMPLETED] = {"a REP string instruction is one", .deliveries = &INSTRUCTIONS_DELIVERED},
	[RULE_BRANCHES] = {"far branches count too", .deliveries = &BRANCHES_DELIVERED},
	/* SDM table 19-28, memory_complete: not an event at retirement. */
	[RULE_WRONG_PATHS] = {"what completes on wrong paths counts too", .may = {WRONG_PATHS}},
	/* Counted on a Pentium D: 7,200,000 in code of 2,000,000 integer multiplications and 1,400,000 divisions. */
	[RULE_X87_UOPS] = {"how many micro-operations an instruction has is the CPU's own; integer multiplications and divisions have some",
			   "V. Weaver, deater/deterministic: Pentium D",
			   .unsaid = {{Q_INSN_MUL, 0, 4}, {Q_INSN_DIV, 0, 4}}},
	[RULE_RETRIED] = {"retries, code, stores and prefetches count too",
			  "SDM table 19-28, IOQ_allocation",
			  .may = {WRONG_PATHS, {Q_BUS_REQUESTS, 0, 1}}},
	[RULE_ANY_RING] = {"every clock passes the filter: rings and threads have no say"},
};

#define TERM(quantity, coefficient) {Q_##quantity, coefficient}
#define ANY_COUNTER 0 /* the wiring says which */

/* SDM tables 19-28 to 19-30. Terms are the occurrences that a program can be made to cause. */
const struct netburst_mask netburst_mask[] = {
#define GROUP(...)
#define EVENT(name, models, select, counters, judgement, rule, floor, source, id, escr_select, escr0, escr1, flags, mask, bit, ...) \
	{NB_##id, bit, EVENT_REASONED(judgement, RULE_##rule), RULE_##rule, FLOOR_##floor, #mask, {__VA_ARGS__}},
#include "pmu/netburst/events/events.def"
#undef GROUP
#undef EVENT
};
const unsigned netburst_mask_count = sizeof netburst_mask / sizeof netburst_mask[0];

/*
 * SDM tables 19-31 to 19-33. Table 19-33 lists bit 25 of MSR_PEBS_ENABLE with each metric too; for counting it stays
 * clear, as perfctr (which refuses it) and Linux have it. One tag value is as good as another: 1 is taken.
 * The last ones are those of 18.17.2, by an event of each group.
 */
const struct netburst_recipe netburst_recipe[NETBURST_RECIPES] = {
#define EVENT(name, models, selector, counters, judgement, rule, floor, source, mechanism, event, mask, tagger, escr, tags, enable, matrix, ...) \
	{name, mechanism, event, tagger, escr, mask, tags, enable, matrix, EVENT_REASONED(judgement, RULE_##rule), RULE_##rule, \
	 FLOOR_##floor, {__VA_ARGS__}, source},
#include "pmu/netburst/events/metrics.def"
#undef EVENT
};
/* clang-format on */

const struct netburst_recipe *netburst_code_recipe(uint64_t code)
{
	unsigned number = code & CODE_RECIPE;

	return number && number <= NETBURST_RECIPES ? &netburst_recipe[number - 1] : NULL;
}

static bool on_model(const struct netburst_event *e, unsigned model)
{
	return model < 8 && e->models >> model & 1;
}

enum netburst_event_id netburst_event_of(enum netburst_escr_id escr, unsigned select, unsigned model)
{
	for (unsigned i = 0; i < NB_EVENTS; i++) {
		const struct netburst_event *e = &netburst_event[i];

		if (e->select == select && (e->escr[0] == escr || e->escr[1] == escr) && on_model(e, model))
			return (enum netburst_event_id)i;
	}
	return NB_EVENTS;
}

uint32_t netburst_event_counters(enum netburst_event_id id, unsigned model)
{
	const struct netburst_event *e = &netburst_event[id];
	uint32_t counters = 0;

	for (unsigned i = 0; i < 2; i++)
		if (e->escr[i] != ESCR_NONE && on_model(e, model))
			counters |= netburst_escr[e->escr[i]].counters;
	return counters;
}

static uint64_t code_of(const struct netburst_event *e, uint16_t mask, uint32_t cccr)
{
	uint32_t escr = (uint32_t)e->select << ESCR_EVENT_SHIFT | (uint32_t)mask << ESCR_MASK_SHIFT;

	/* Without Hyper-Threading the thread field must be 11B, with it that means: whichever is active. */
	return (uint64_t)escr << 32 |
	       (cccr | CCCR_THREAD_ANY | (uint32_t)e->escr_select << CCCR_SELECT_SHIFT);
}

static struct pmu_event row(enum netburst_event_id id, uint64_t code, unsigned judgement, unsigned rule,
			    unsigned model)
{
	const struct netburst_event *e = &netburst_event[id];

	return (struct pmu_event){
		.code = code,
		.counters = netburst_event_counters(id, model),
		.fixed = -1,
		.judgement = (uint8_t)judgement,
		.flags = (uint8_t)((rule == RULE_ANY_RING ? EVENT_ANY_LEVEL : 0) |
				   (e->flags & NB_THREAD_INDEPENDENT ? EVENT_ANY_THREAD : 0)),
		/* Linux: counter 1 does not count it, or too much. */
		.errata = id == NB_BSQ_ALLOCATION ? "P4-CCCR1" : NULL,
		.source = e->document,
	};
}

static const struct event_floor floors[] = {
#define Q(quantity, times)                                                                                   \
	{                                                                                                    \
		Q_##quantity, times                                                                          \
	}
#define NETBURST_FLOOR(id, divisor, words, ...)                                                              \
	[FLOOR_##id] = {.text = words, .per = divisor, .of = {__VA_ARGS__}},
#include "pmu/netburst/events/floors.def"
#undef Q
#undef NETBURST_FLOOR
};

/* NULL: nothing must make it tick. */
static const struct event_floor *floor_of(unsigned id)
{
	return id ? &floors[id] : NULL;
}

static void follow(struct pmu_event *e, unsigned rule)
{
	event_follow(e, rule ? &netburst_rule[rule] : NULL);
}

/* TC_deliver_mode names the states of both logical processors, the first one's first: what DI is to the
 * first, ID is to the second. */
static const struct netburst_mask *meaning_on(const struct netburst_mask *m, unsigned thread)
{
	static const uint8_t exchanged[] = {0, 3, 6, 1, 4, 7, 2, 5}; /* DD BD ID DB BB IB DI BI */

	return thread && m->event == NB_TC_DELIVER_MODE ? m + exchanged[m->bit] - m->bit : m;
}

unsigned netburst_rows(unsigned model, unsigned thread, struct pmu_event *rows, char (*names)[NETBURST_NAME])
{
	unsigned n = 0;

	for (unsigned i = 0; i < netburst_mask_count; i++) {
		const struct netburst_mask *m = &netburst_mask[i];
		const struct netburst_mask *as = meaning_on(m, thread);
		const struct netburst_event *e = &netburst_event[m->event];

		if (!on_model(e, model))
			continue;
		rows[n] = row(m->event, code_of(e, 1u << m->bit, 0), as->judgement, as->rule, model);
		memcpy(rows[n].terms, as->term, sizeof as->term);
		follow(&rows[n], as->rule);
		rows[n].floor = floor_of(as->floor);
		snprintf(names[n], NETBURST_NAME, "%.27s:%.15s", e->name, m->name);
		rows[n].name = names[n];
		n++;
	}
	for (unsigned i = 0; i < NETBURST_RECIPES; i++) {
		const struct netburst_recipe *r = &netburst_recipe[i];
		uint32_t filter = CCCR_COMPARE | CCCR_COMPLEMENT | CCCR_THRESHOLD;
		uint64_t code = code_of(&netburst_event[r->count], r->count_mask,
					r->mechanism == TAG_NOTHING ? filter : 0);

		/* Whoever writes all fields of a mask means the same row. */
		bool plain = r->mechanism == TAG_WHOLE && r->source == NB_EVENTS;

		rows[n] = row(r->count, plain ? code : code | (i + 1), r->judgement, r->rule, model);
		memcpy(rows[n].terms, r->term, sizeof r->term);
		follow(&rows[n], r->rule);
		rows[n].floor = floor_of(r->floor);
		rows[n].source = r->document;
		snprintf(names[n], NETBURST_NAME, "%.31s", r->name);
		rows[n].name = names[n];
		n++;
	}
	return n;
}

const struct netburst_mask *netburst_masks_of(const struct pmu_event *row, unsigned model, unsigned *n)
{
	unsigned select = (CODE_ESCR(row->code) & ESCR_EVENT) >> ESCR_EVENT_SHIFT;
	unsigned escr_select = (CODE_CCCR(row->code) & CCCR_SELECT) >> CCCR_SELECT_SHIFT;
	const struct netburst_mask *first = NULL;
	enum netburst_event_id id = NB_EVENTS;

	*n = 0;
	for (unsigned c = 0; c < NETBURST_COUNTERS && id == NB_EVENTS; c++)
		if (row->counters >> c & 1)
			id = netburst_event_of(netburst_wire(c, escr_select, model), select, model);
	if (netburst_code_recipe(row->code))
		return NULL;
	for (unsigned i = 0; i < netburst_mask_count; i++) {
		if (netburst_mask[i].event != id)
			continue;
		if (!first)
			first = &netburst_mask[i];
		++*n;
	}
	return first;
}
