/*
 * PMUv3's driver (Arm ARM, D7 and D13.4). All counters are started and stopped by one write, of
 * PMCNTENSET_EL0 and PMCNTENCLR_EL0; PMCR_EL0.E is on from reset() on.
 *
 * Counters by number: event counters first, then the cycle counter, then the instruction counter where there
 * is one.
 */
#include "pmu/armv8/armv8.h"
#include "pmu/armv8/events/events.h"
#include "pmu/armv8/registers.h"

#include "arch/courage.h"
#include "arch/register.h"
#include "pmu/contract/bits.h"
#include "pmu/contract/manual.h"
#include "pmu/contract/state.h"
#include "pmu/events/grammar.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ENABLE_OWN 2  /* instructions from the write that enables to the one that disables */
#define READ_OWN   3  /* from the first reading up to and without the second: it, and two ISBs */
#define READ_START 12 /* bytes of code for each counter */
#define READ_STOP  20

extern const uint8_t armv8_enable_start[], armv8_enable_start_end[], armv8_enable_stop[],
	armv8_enable_stop_end[];
extern const uint8_t armv8_read_start[], armv8_read_stop[];

static struct armv8_pmu *armv8_pmu(const struct pmu *pmu)
{
	return pmu->state->family;
}

static bool get(uint64_t number, uint64_t *value)
{
	return register_read(SPACE_SYSTEM, number, value);
}

static bool put(uint64_t number, uint64_t value)
{
	return register_write(SPACE_SYSTEM, number, value);
}

const struct armv8_pmu *armv8_found(const struct pmu *pmu)
{
	return armv8_pmu(pmu);
}

/* --- counters by number
 * ---------------------------------------------------------------------------------------- */

static bool is_fixed(const struct pmu *pmu, unsigned c)
{
	return c >= pmu->n_general;
}

static bool is_cycles(const struct pmu *pmu, unsigned c)
{
	return c == pmu->n_general;
}

static unsigned bit_of(const struct pmu *pmu, unsigned c)
{
	return is_fixed(pmu, c) ? ARMV8_CYCLES + c - pmu->n_general : c;
}

uint64_t armv8_bits(const struct pmu *pmu, uint64_t mask)
{
	uint64_t general = low_bits(pmu->n_general);
	uint64_t fixed = low_bits(pmu->n_fixed);

	return (mask & general) | (mask >> pmu->n_general & fixed) << ARMV8_CYCLES;
}

static uint64_t from_bits(const struct pmu *pmu, uint64_t bits)
{
	uint64_t general = low_bits(pmu->n_general);
	uint64_t fixed = low_bits(pmu->n_fixed);

	return (bits & general) | (bits >> ARMV8_CYCLES & fixed) << pmu->n_general;
}

static uint64_t every_bit(const struct pmu *pmu)
{
	return armv8_bits(pmu, UINT64_MAX);
}

uint64_t armv8_counter_register(const struct pmu *pmu, unsigned c)
{
	return !is_fixed(pmu, c) ? PMEVCNTR_EL0 + c : is_cycles(pmu, c) ? PMCCNTR_EL0 : PMICNTR_EL0;
}

uint64_t armv8_type_register(const struct pmu *pmu, unsigned c)
{
	return !is_fixed(pmu, c) ? PMEVTYPER_EL0 + c : is_cycles(pmu, c) ? PMCCFILTR_EL0 : PMICFILTR_EL0;
}

/* --- what there is
 * ---------------------------------------------------------------------------------------------- */

/* By ID_AA64DFR0_EL1.PMUVer. */
static const char minor[][3] = {"", "", "", "", "p1", "p4", "p5", "p7", "p8"};
#define MINORS (sizeof minor / sizeof minor[0])

/* What a compared counter needs (Arm ARM, PMMIR_EL1). A width of more than twelve bits is reserved: TH has no
 * more. */
static uint64_t thresholds(unsigned version, uint64_t pmmir)
{
	unsigned bits = pmmir >> PMMIR_THWIDTH & 0xf;

	if (version < PMUVER_3_8 || !bits)
		return 0;
	if (bits > TYPER_TH_BITS)
		bits = TYPER_TH_BITS;
	return low_bits(bits) << TYPER_TH | UINT64_C(7) << TYPER_TC |
	       (pmmir >> PMMIR_EDGE & 0xf ? TYPER_TE : 0);
}

static bool field(uint64_t number, unsigned lowest, unsigned least)
{
	uint64_t value;

	return get(number, &value) && (value >> lowest & 0xf) >= least;
}

/* Where firmware traps PMICFILTR_EL0 (MDCR_EL3.EnPM2, SCR_EL3.FGTEn2, HDFGRTR2_EL2), bit F0 of masks reads as
 * zero: Arm ARM, GetPMUReadMask(). A trap to EL3 would not come back, so the bit is asked first. It is left
 * as it was. */
static bool reaches_instructions(void)
{
	const uint64_t bit = UINT64_C(1) << ARMV8_INSTRUCTIONS;
	uint64_t was, now;

	if (!get(PMCNTENSET_EL0, &was))
		return false;
	if (was & bit)
		return true;
	return put(PMCNTENSET_EL0, bit) && get(PMCNTENSET_EL0, &now) && put(PMCNTENCLR_EL0, bit) && now & bit;
}

static void look_further(struct pmu *pmu, struct armv8_pmu *own, uint64_t dfr0)
{
	if (own->version < PMUVER_3_4 || !get(PMMIR_EL1, &own->pmmir))
		own->pmmir = 0;
	own->thresholds = thresholds(own->version, own->pmmir);
	own->links = own->thresholds && (own->pmmir >> PMMIR_EDGE & 0xf) >= EDGE_LINKS;
	own->user_mask = own->version >= PMUVER_3_9;
	own->icntr = own->user_mask && field(ID_AA64DFR1_EL1, DFR1_ICNTR, 1);
	if (own->icntr && !reaches_instructions()) {
		own->icntr = own->user_mask = false;
		pmu_remark(pmu, "PMCNTENSET_EL0.F0 cannot be set though ID_AA64DFR1_EL1.PMICNTR promises it: "
				"firmware keeps PMICNTR_EL0, PMUACR_EL1 and PMZR_EL0 (MDCR_EL3.EnPM2, "
				"SCR_EL3.FGTEn2), which are left out");
	}
	own->snapshots = own->user_mask && dfr0 >> DFR0_PMSS & 0xf;
	own->el2 = field(ID_AA64PFR0_EL1, PFR0_EL2, 1);
	own->el3 = field(ID_AA64PFR0_EL1, PFR0_EL3, 1);
	own->freezes_by_profiling =
		own->version >= PMUVER_3_7 && (dfr0 >> DFR0_PMSVER & 0xf) >= PMSVER_SPE1P2;
}

static const char *const fixed_names[] = {"PMCCNTR", "PMICNTR"};

static bool identify(struct pmu *pmu, const char **why)
{
	struct armv8_pmu *own = pmu_begin(pmu, &armv8_driver, why);
	uint64_t dfr0, pmcr, midr;

	if (!own)
		return false;
	if (!get(ID_AA64DFR0_EL1, &dfr0)) {
		*why = "ID_AA64DFR0_EL1 cannot be read";
		return false;
	}
	own->version = dfr0 >> DFR0_PMUVER & 0xf;
	if (!own->version || own->version == PMUVER_OWN_KIND) {
		*why = own->version ? "ID_AA64DFR0_EL1.PMUVer says that the PMU is of a kind of its own"
				    : "ID_AA64DFR0_EL1.PMUVer says that there is no PMU";
		return false;
	}
	if (!get(PMCR_EL0, &pmcr) || !get(PMCEID0_EL0, &own->ceid[0]) || !get(PMCEID1_EL0, &own->ceid[1])) {
		*why = "ID_AA64DFR0_EL1.PMUVer promises a PMU, and its registers are undefined";
		return false;
	}
	own->core = get(MIDR_EL1, &midr) ? armv8_core_of(midr) : ARMV8_NO_CORE;
	look_further(pmu, own, dfr0);
	pmu->driver = &armv8_driver;
	pmu->version = own->version;
	snprintf(pmu->name, sizeof pmu->name, "Arm PMUv3%s",
		 own->version < MINORS ? minor[own->version] : "p9");
	pmu->perf_name = "armv8_pmuv3";
	pmu->n_general = pmcr >> PMCR_N & 0x1f;
	pmu->n_fixed = 1 + own->icntr;
	own->every = low_bits(pmu->n_general) | UINT64_C(1) << ARMV8_CYCLES |
		     (uint64_t)own->icntr << ARMV8_INSTRUCTIONS;
	if (pmu->n_general + pmu->n_fixed > PMU_COUNTERS_MAX)
		pmu->n_general = PMU_COUNTERS_MAX - pmu->n_fixed; /* the last one is left alone */
	pmu->n_counters = pmu->n_general + pmu->n_fixed;
	pmu->has_global = pmu->joint = pmu->has_pmi = true;
	pmu->most_select = own->version >= PMUVER_3_1 ? 0xffff : 0x3ff;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		struct pmu_counter *k = &pmu->counter[c];

		*k = (struct pmu_counter){
			.kind = is_fixed(pmu, c) ? COUNTER_FIXED : COUNTER_GENERAL,
			.index = (uint8_t)(is_fixed(pmu, c) ? c - pmu->n_general : c),
			.width = is_fixed(pmu, c) || own->version >= PMUVER_3_5 ? 64 : 32,
			.has_status = true,
			.has_interrupt = true,
			.selector = bit_of(pmu, c),
		};
		k->write_width = k->width;
		if (is_fixed(pmu, c))
			snprintf(k->name, sizeof k->name, "%s", fixed_names[k->index]);
		else
			snprintf(k->name, sizeof k->name, "PMEVCNTR%u", c);
	}
	return true;
}

#define EVENTS_MOST 512

struct rows {
	const struct pmu_event *event[EVENTS_MOST];
};

static void list_events(struct pmu *pmu)
{
	const struct armv8_pmu *own = armv8_pmu(pmu);
	struct rows *rows = pmu_rows(pmu, sizeof *rows);

	pmu->n_events = 0;
	pmu->events = rows ? rows->event : NULL;
	for (unsigned i = 0; rows && i < armv8_row_count && pmu->n_events < EVENTS_MOST; i++)
		if (armv8_has_row(&armv8_rows[i], own->ceid, own->version, own->core))
			rows->event[pmu->n_events++] = &armv8_rows[i].event;
}

static void snap(struct pmu_snapshot *out, const char *name, uint32_t number, uint64_t enable)
{
	struct pmu_snapshot_entry *e = &out->entry[out->count++];

	*e = (struct pmu_snapshot_entry){.address = number, .space = SPACE_SYSTEM};
	snprintf(e->name, sizeof e->name, "%s", name);
	e->readable = get(number, &e->value);
	e->enable = e->value & enable;
}

static void snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	char name[PMU_SNAPSHOT_NAME];
	uint64_t pmcr = 0;

	get(PMCR_EL0, &pmcr);
	out->count = 0;
	snap(out, "PMCR_EL0", PMCR_EL0, 0);
	snap(out, "PMCNTENSET_EL0", PMCNTENSET_EL0, pmcr & PMCR_E ? every_bit(pmu) : 0);
	snap(out, "PMOVSSET_EL0", PMOVSSET_EL0, 0);
	snap(out, "PMINTENSET_EL1", PMINTENSET_EL1, 0);
	snap(out, "PMUSERENR_EL0", PMUSERENR_EL0, 0);
	snap(out, "PMSELR_EL0", PMSELR_EL0, 0);
	snap(out, "PMCEID0_EL0", PMCEID0_EL0, 0);
	snap(out, "PMCEID1_EL0", PMCEID1_EL0, 0);
	for (unsigned c = 0; c < pmu->n_general; c++) {
		snprintf(name, sizeof name, "PMEVTYPER%u_EL0", c);
		snap(out, name, PMEVTYPER_EL0 + c, 0);
		snprintf(name, sizeof name, "PMEVCNTR%u_EL0", c);
		snap(out, name, PMEVCNTR_EL0 + c, 0);
	}
	snap(out, "PMCCFILTR_EL0", PMCCFILTR_EL0, 0);
	snap(out, "PMCCNTR_EL0", PMCCNTR_EL0, 0);
	if (armv8_pmu(pmu)->icntr) {
		snap(out, "PMICFILTR_EL0", PMICFILTR_EL0, 0);
		snap(out, "PMICNTR_EL0", PMICNTR_EL0, 0);
	}
	if (armv8_pmu(pmu)->user_mask)
		snap(out, "PMUACR_EL1", PMUACR_EL1, 0);
}

static bool reset(const struct pmu *pmu, const char **why)
{
	const struct armv8_pmu *own = armv8_pmu(pmu);
	uint64_t all = own->every, long_event = own->version >= PMUVER_3_5 ? PMCR_LP : 0;

	*why = "writing a register of the PMU";
	if (!put(PMCNTENCLR_EL0, all) || !put(PMINTENCLR_EL1, all) || !put(PMUSERENR_EL0, 0) ||
	    !put(PMSELR_EL0, 0) || (own->user_mask && !put(PMUACR_EL1, all)))
		return false;
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!put(armv8_type_register(pmu, c), 0) || !put(armv8_counter_register(pmu, c), 0))
			return false;
	return put(PMCR_EL0, PMCR_LC | long_event | PMCR_P | PMCR_C) &&
	       put(PMCR_EL0, PMCR_LC | long_event | PMCR_E) && put(PMOVSCLR_EL0, all);
}

/* --- counters
 * ---------------------------------------------------------------------------------------------------- */

static bool read_counter(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	if (!get(armv8_counter_register(pmu, c), value))
		return false;
	if (pmu->counter[c].width < 64)
		*value &= (UINT64_C(1) << pmu->counter[c].width) - 1;
	return true;
}

static bool write_counter(const struct pmu *pmu, unsigned c, uint64_t value)
{
	if (pmu->counter[c].width < 64)
		value &= (UINT64_C(1) << pmu->counter[c].width) - 1;
	return put(armv8_counter_register(pmu, c), value);
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1 && !read_counter(pmu, c, &out[c]))
			return false;
	return true;
}

static bool release(const struct pmu *pmu, unsigned c)
{
	uint64_t mine = UINT64_C(1) << bit_of(pmu, c);

	/* It counts at no level: PMCNTENSET_EL0, by which all are started, is the only enable that it has. */
	return put(PMCNTENCLR_EL0, mine) && put(PMINTENCLR_EL1, mine) &&
	       put(armv8_type_register(pmu, c), TYPER_P | TYPER_U);
}

/* What an event may set of a type register, besides the levels. */
static uint64_t type_bits(const struct pmu *pmu, unsigned c)
{
	const struct armv8_pmu *own = armv8_pmu(pmu);

	return TYPER_EVENT | own->thresholds | (own->links && c % 2 ? UINT64_C(3) << TYPER_TLC : 0);
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	uint64_t mine = UINT64_C(1) << bit_of(pmu, c);
	uint64_t code = is_fixed(pmu, c) ? 0 : config->code;
	uint64_t type = code | (config->levels & LEVELS_SYSTEM ? 0 : TYPER_P) |
			(config->levels & LEVELS_USER ? 0 : TYPER_U) |
			(config->levels & ARMV8_LEVELS_EL2 ? TYPER_NSH : 0);

	if (config->edge || config->invert || config->cmask || code & ~type_bits(pmu, c) ||
	    (config->levels & ARMV8_LEVELS_EL2 && !armv8_pmu(pmu)->el2))
		return false;
	return release(pmu, c) && put(armv8_type_register(pmu, c), type) &&
	       put(armv8_counter_register(pmu, c), 0) && put(PMOVSCLR_EL0, mine) &&
	       (!config->interrupt || put(PMINTENSET_EL1, mine));
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	return put(PMCNTENSET_EL0, armv8_bits(pmu, mask));
}

static bool stop(const struct pmu *pmu)
{
	return put(PMCNTENCLR_EL0, armv8_pmu(pmu)->every);
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	uint64_t bits;

	*mask = 0;
	if (!get(PMOVSSET_EL0, &bits))
		return false;
	*mask = from_bits(pmu, bits);
	return true;
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	return put(PMOVSCLR_EL0, armv8_bits(pmu, mask));
}

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	*out = (struct pmu_bracket){
		.start = armv8_enable_start,
		.start_end = armv8_enable_start_end,
		.stop = armv8_enable_stop,
		.stop_end = armv8_enable_stop_end,
		.args = {armv8_bits(pmu, mask)},
		.own = {{Q_INSTRUCTIONS, ENABLE_OWN}, {Q_INSN_ISB, 2}, {Q_INSN_SERIALIZING, 2}},
		.privileged = true,
	};
	memset(out->ahead, 1, sizeof out->ahead);
	return true;
}

static bool bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	unsigned bit = bit_of(pmu, c);

	*out = (struct pmu_bracket){
		.start = armv8_read_start + READ_START * bit,
		.start_end = armv8_read_start + READ_START * (bit + 1),
		.stop = armv8_read_stop + READ_STOP * bit,
		.stop_end = armv8_read_stop + READ_STOP * (bit + 1),
		.args = {0, pmu->counter[c].width < 64 ? (UINT64_C(1) << pmu->counter[c].width) - 1
						       : UINT64_MAX},
		.own_readings = 1,
		.own = {{Q_INSTRUCTIONS, READ_OWN},
			{Q_INSN_MRS, 1},
			{Q_INSN_ISB, 2},
			{Q_INSN_SERIALIZING, 2}},
	};
	return true;
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	if (c >= pmu->n_counters)
		return false;
	return is_fixed(pmu, c) ? e->fixed == (int)(c - pmu->n_general) : e->counters >> c & 1;
}

/* --- accesses that must be refused, kept or ignored
 * --------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t kind;
	uint32_t number;
	uint64_t value;
	const char *manual;
} accesses[] = {
	{"read PMCR_EL0", ACCESS_READ, PMCR_EL0, 0, "Arm ARM D13.4.7"},
	{"write PMCEID0_EL0", ACCESS_WRITE, PMCEID0_EL0, 0, "Arm ARM D13.4.2"},
	{"write PMUACR_EL1, none", ACCESS_KEPT, PMUACR_EL1, 0, "Arm ARM, PMUACR_EL1"},
	{"write PMSELR_EL0, 31", ACCESS_KEPT, PMSELR_EL0, 31, "Arm ARM D13.4.15"},
	{"write PMUSERENR_EL0, all of it", ACCESS_KEPT, PMUSERENR_EL0, 0xf, "Arm ARM D13.4.20"},
	{"write PMCCFILTR_EL0, P and U", ACCESS_KEPT, PMCCFILTR_EL0, TYPER_P | TYPER_U, "Arm ARM D13.4.1"},
	{"write PMEVTYPER0_EL0, P, U and an event", ACCESS_KEPT, PMEVTYPER_EL0,
	 TYPER_P | TYPER_U | EVENT_CPU_CYCLES, "Arm ARM D13.4.9"},
	{"write PMCCNTR_EL0, all ones", ACCESS_KEPT, PMCCNTR_EL0, UINT64_MAX, "Arm ARM D13.4.3"},
	{"write PMEVCNTR0_EL0, 32 ones", ACCESS_KEPT, PMEVCNTR_EL0, UINT32_MAX, "Arm ARM D13.4.8"},
	{"write PMCNTENCLR_EL0, all of it", ACCESS_WRITE, PMCNTENCLR_EL0, UINT32_MAX, "Arm ARM D13.4.4"},
	{"write PMOVSSET_EL0, the cycle counter", ACCESS_WRITE, PMOVSSET_EL0, UINT64_C(1) << ARMV8_CYCLES,
	 "Arm ARM D13.4.14"},
};

static unsigned list_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof accesses / sizeof accesses[0] && n < max; i++) {
		uint32_t number = accesses[i].number;

		/* UNDEFINED without event counters, or CONSTRAINED UNPREDICTABLE: D13.4.8, D13.4.9. */
		if (!pmu->n_general && (number == PMEVCNTR_EL0 || number == PMEVTYPER_EL0))
			continue;
		if (number == PMUACR_EL1 && !armv8_pmu(pmu)->user_mask)
			continue;
		out[n++] = (struct pmu_access){
			.name = accesses[i].name,
			.kind = accesses[i].kind,
			.faults = number == PMCEID0_EL0 ? ACCESS_FAULTS : ACCESS_WORKS,
			.address = number,
			.value = accesses[i].value,
			.manual = accesses[i].manual,
		};
	}
	return n;
}

/* --- words
 * ---------------------------------------------------------------------------------------------------------
 */

#define IN(f) offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 0, 16, 0, "number of the event"},
	{"u", NULL, IN(levels), 1, 1, -1, "count at EL0"},
	{"k", NULL, IN(levels), 0, 1, -1, "count at EL1"},
	{"h", NULL, IN(levels), 2, 1, -1, "count at EL2"},
	{NULL, "threshold", IN(code), TYPER_TH, TYPER_TH_BITS, -1,
	 "what a cycle counts is compared with this (PMUv3p8)"},
	{NULL, "threshold_compare", IN(code), TYPER_TC + 1, 2, -1,
	 "0: another number, 1: equal, 2: as many or more, 3: less"},
	{NULL, "threshold_count", IN(code), TYPER_TC, 1, -1, "such a cycle counts once"},
	{NULL, "threshold_edge", IN(code), TYPER_TC - 1, 1, -1, "cycles count where that begins"},
	{NULL, NULL, 0, 0, 0, 0, 0, NULL},
};

static const struct event_alias aliases[] = {
	{"cycles", "CPU_CYCLES"},   {"cpu-cycles", "CPU_CYCLES"},     {"instructions", "INST_RETIRED"},
	{"branches", "BR_RETIRED"}, {"branch-misses", "BR_MIS_PRED"}, {NULL, NULL},
};

static const char *const names[] = {"armv8_pmuv3", "armv8_pmuv3_0", "arm_v8", NULL};

static const struct event_grammar grammar = {.names = names, .aliases = aliases, .modifiers = modifiers};

static const struct pmu_manual manual[] = {
	{"wrap", "Arm ARM D7.2"},
	{"overflow status", "Arm ARM D13.4.13"},
	{"level filter", "Arm ARM D7.5"},
	{NULL, "Arm ARM D7"},
};

#define ROW(level, first, last)                                                                              \
	{                                                                                                    \
		level, SPACE_SYSTEM, first, last                                                             \
	}

static const struct register_range registers[] = {
	ROW(COURAGE_COUNT, PMCR_EL0, PMOVSCLR_EL0),
	ROW(COURAGE_COUNT, PMSWINC_EL0, PMSELR_EL0),
	ROW(COURAGE_COUNT, PMICNTR_EL0, PMICNTR_EL0),
	ROW(COURAGE_COUNT, PMICFILTR_EL0, PMICFILTR_EL0),
	ROW(COURAGE_COUNT, PMCCNTR_EL0, PMXEVCNTR_EL0),
	ROW(COURAGE_COUNT, PMZR_EL0, PMZR_EL0),
	ROW(COURAGE_COUNT, PMUACR_EL1, PMECR_EL1),
	ROW(COURAGE_COUNT, PMSSCR_EL1, PMSSCR_EL1),
	ROW(COURAGE_COUNT, PMSCR_EL1, PMSCR_EL1),
	ROW(COURAGE_COUNT, PMBLIMITR_EL1, PMBSR_EL1),
	ROW(COURAGE_COUNT, PMUSERENR_EL0, PMUSERENR_EL0),
	ROW(COURAGE_COUNT, PMEVCNTR_EL0, PMCCFILTR_EL0),
	ROW(COURAGE_COUNT, PMINTENCLR_EL1, PMINTENCLR_EL1),
	ROW(COURAGE_INTERRUPT, PMOVSSET_EL0, PMOVSSET_EL0),
	ROW(COURAGE_INTERRUPT, PMINTENSET_EL1, PMINTENSET_EL1),
	ROW(0, 0, 0),
};

const struct pmu_driver armv8_driver = {
	.name = "armv8",
	.state_size = sizeof(struct armv8_pmu),
	.grammar = &grammar,
	.identities = armv8_identities,
	.registers = registers,
	.space = SPACE_SYSTEM,
	.identify = identify,
	.list_events = list_events,
	.snapshot = snapshot,
	.reset = reset,
	.program = program,
	.release = release,
	.start = start,
	.stop = stop,
	.read = read_counter,
	.write = write_counter,
	.read_all = read_all,
	.overflowed = overflowed,
	.acknowledge = acknowledge,
	.bracket_enable = bracket_enable,
	.bracket_read = bracket_read,
	.can_count = can_count,
	.accesses = list_accesses,
	.control = armv8_control,
	.manual = manual,
};
