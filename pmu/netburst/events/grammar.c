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
	{"e", "edge", IN(edge), 0, 1, 24, "count how often the filter's output becomes true"},
	{"cmpl", "cmpl", IN(invert), 0, 1, 19, "count cycles with at most thr occurrences"},
	{"thr", "thr", IN(cmask), 0, 4, 20, "count cycles with more than thr occurrences"},
	{"cmp", "cmp", CODE(18), "filter by the threshold, also if it is 0"},
	{"force", "force", CODE(25), "overflow with every increment"},
	{"cascade", "cascade", CODE(30), "wait for the overflow of the partner"},
	{"xcascade", "xcascade", CODE(11), "wait for the overflow of counter 16 or 17"},
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

const struct event_grammar netburst_grammar = {
	.names = names,
	.aliases = aliases,
	.modifiers = modifiers,
	.raw_ignored =
		CCCR_ENABLE | CCCR_OVF | CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1 | (uint64_t)ESCR_T1_OS << 32,
	.halves = "CCCR/ESCR@counter, as perfex has it",
	.masks = masks,
};
