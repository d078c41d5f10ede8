/*
 * Driver of the NetBurst PMU (family 0FH). A counter takes its CCCR and an ESCR; tagging takes a second ESCR,
 * which works only while a counter of its group is enabled, and for replays two more registers. SDM vol.
 * 3, 18.15 and 18.16.
 *
 * Rules that it keeps: a CCCR is off while its counter is written, and what was written is read back (erratum
 * N15: a running counter may take a carry); OVF is written back as it is unless it is to be cleared, and only
 * while nothing can set it; CCCRs are all cleared first at reset, as those of the sibling may run.
 */
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/bracket.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/events/events.h"
#include "pmu/netburst/netburst.h"
#include "pmu/netburst/records/record.h"

#include "pmu/contract/workaround.h"
#include "pmu/x86/read_counters.h"
#include "pmu/x86/manual.h"

#include <stdio.h>
#include <string.h>

#define VALUE_MASK   ((1ull << NETBURST_COUNTER_WIDTH) - 1)
#define NOBODY       NETBURST_NOBODY
#define CPUID_DTES64 (1u << 2) /* leaf 1, ECX */

enum { WORK_N15 };
static const struct pmu_workaround workarounds[] = {
	[WORK_N15] = {"N15", "a counter is stopped while it is written, and read back", NULL},
	{NULL, NULL, NULL},
};
#define RINGS NETBURST_RINGS

/* The events of one PMU. */
struct rows {
	struct pmu_event row[NETBURST_ROWS_MAX];
	char names[NETBURST_ROWS_MAX][NETBURST_NAME];
	const struct pmu_event *events[NETBURST_ROWS_MAX];
};

static void describe(struct pmu *pmu, unsigned model, const char **why);

static bool is_known(unsigned model)
{
	return model < 8 && MODELS_ALL >> model & 1;
}

static bool identify(struct pmu *pmu, const char **why)
{
	struct cpu_identity id;
	uint64_t misc;

	if (!pmu_begin(pmu, &netburst_driver, why))
		return false;
	cpu_identify(&id);
	if (strcmp(id.vendor, "GenuineIntel") || id.family != 15) {
		*why = "not of Intel's family 0FH";
		return false;
	}
	if (!is_known(id.model)) {
		*why = pmu_reason(pmu, "family 0FH has no model %u that is known", id.model);
		return false;
	}
	if (!msr_read(MSR_MISC_ENABLE, &misc) || !(misc & MISC_ENABLE_PERFMON)) {
		*why = "MSR_MISC_ENABLE[7] says that performance monitoring is not available";
		return false;
	}

	describe(pmu, id.model, why);
	return true;
}

/* What is not of family 0FH is taken for the last model but one, which has no register that the last lacks.
 */
static bool force(struct pmu *pmu, const char **why)
{
	struct cpu_identity id;

	if (!pmu_begin(pmu, &netburst_driver, why))
		return false;
	cpu_identify(&id);
	describe(pmu, id.family == 15 && is_known(id.model) ? id.model : 4, why);
	return true;
}

static void describe(struct pmu *pmu, unsigned model, const char **why)
{
	struct netburst_cpu *cpu = netburst_cpu(pmu);

	cpu->model = (uint8_t)model;
	cpu->ioq_in_one = (cpuid(1, 0).eax & 0xfff) < 0xf27;
	/* 17.4.9.1: by the CPU, or because IA-32e mode is active, as it is where this is 64-bit code. */
	cpu->ds_width = cpuid(1, 0).ecx & CPUID_DTES64 || sizeof(void *) == 8 ? 8 : 4;
	cpu->has_pebs = netburst_has_ds(pmu, MISC_ENABLE_PEBS_ABSENT, "PEBS is", why);
	cpu->has_bts = netburst_has_ds(pmu, MISC_ENABLE_BTS_ABSENT, "BTS is", why);
	netburst_find_thread(pmu);

	pmu->driver = &netburst_driver;
	pmu->version = model;
	pmu->has_pmi = cpu_has(CPU_APIC);
	pmu->pmi_late = true; /* SDM vol. 3, 18.15.5.8: on the next event count after the overflow */
	pmu->joint = true;
	snprintf(pmu->name, sizeof pmu->name, "NetBurst PMU, model %u%s", model,
		 cpu->hyper_threading ? ", Hyper-Threading" : "");
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		struct pmu_counter *k = &pmu->counter[c];

		*k = (struct pmu_counter){.kind = COUNTER_GENERAL,
					  .index = (uint8_t)c,
					  .width = NETBURST_COUNTER_WIDTH,
					  .write_width = NETBURST_COUNTER_WIDTH,
					  .has_status = true,
					  .has_interrupt = pmu->has_pmi,
					  .selector = c};
		snprintf(k->name, sizeof k->name, "%s", netburst_counter[c].name);
	}
	pmu->n_counters = pmu->n_general = NETBURST_COUNTERS;
}

static void list_events(struct pmu *pmu)
{
	const struct netburst_cpu *cpu = netburst_cpu(pmu);
	struct rows *rows = pmu_rows(pmu, sizeof *rows);

	pmu->n_events = rows ? netburst_rows(cpu->model, cpu->thread, rows->row, rows->names) : 0;
	for (unsigned i = 0; i < pmu->n_events; i++) {
		rows->events[i] = &rows->row[i];
		if (cpu->ioq_in_one && netburst_is_ioq_allocation(rows->row[i].code))
			rows->row[i].counters &= ~netburst_escr[FSB_ESCR1].counters;
	}
	pmu->events = rows ? rows->events : NULL;
}

static uint32_t cccr_at(unsigned c)
{
	return MSR_NETBURST_CCCR0 + c;
}

/* N15: stopped, and once more if it does not read as it was written. */
static bool write_stopped(unsigned c, uint64_t value)
{
	uint64_t cccr, back = ~value;
	bool ok = msr_read(cccr_at(c), &cccr) &&
		  (!(cccr & CCCR_ENABLE) || netburst_change_cccr(c, CCCR_ENABLE, 0));

	for (unsigned attempt = 0; ok && back != value && attempt < 2; attempt++)
		ok = msr_write(MSR_NETBURST_COUNTER0 + c, value) &&
		     msr_read(MSR_NETBURST_COUNTER0 + c, &back);
	return ok && (!(cccr & CCCR_ENABLE) || netburst_change_cccr(c, 0, CCCR_ENABLE));
}

static bool write_counter(const struct pmu *pmu, unsigned c, uint64_t value)
{
	value &= VALUE_MASK;
	return pmu_works_around(pmu, WORK_N15) ? write_stopped(c, value)
					       : msr_write(MSR_NETBURST_COUNTER0 + c, value);
}

static bool read_counter(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	(void)pmu;
	if (!msr_read(MSR_NETBURST_COUNTER0 + c, value))
		return false;
	*value &= VALUE_MASK;
	return true;
}

static uint32_t counter_register(const struct pmu *pmu, unsigned c)
{
	(void)pmu;
	return MSR_NETBURST_COUNTER0 + c;
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	return read_counters(pmu, mask, counter_register, out);
}

/* Whether another counter than c, or its tagging, needs this ESCR; *value what it has there. */
static bool escr_taken(const struct netburst_use *use, unsigned c, uint8_t escr, uint32_t *value)
{
	for (unsigned i = 0; i < NETBURST_COUNTERS; i++) {
		if (i == c || !use[i].used)
			continue;
		if (use[i].escr == escr || use[i].source == escr) {
			*value = use[i].escr == escr ? use[i].escr_value : use[i].source_value;
			return true;
		}
	}
	return false;
}

static bool free_escr(const struct netburst_use *use, unsigned c, uint8_t escr)
{
	uint32_t value;

	return escr == ESCR_NONE || escr_taken(use, c, escr, &value) || msr_write(netburst_escr[escr].msr, 0);
}

static bool counter_busy(const struct netburst_use *use, unsigned c)
{
	if (use[c].used)
		return true;
	for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
		if (use[i].used && use[i].helper == c)
			return true;
	return false;
}

/* Whether another counter needs the registers of replay tagging, with another value than this. */
static bool replays_elsewhere(const struct netburst_use *use, unsigned c, uint64_t but)
{
	for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
		if (i != c && use[i].used && use[i].replay && use[i].replay != but)
			return true;
	return false;
}

static bool write_replay(uint64_t value)
{
	return msr_write(MSR_PEBS_MATRIX_VERT, value >> 32) && msr_write(MSR_PEBS_ENABLE, (uint32_t)value);
}

static bool release(const struct pmu *pmu, unsigned c)
{
	struct netburst_use *use = netburst_use(pmu), was = use[c];

	/* An overflow stays to be seen. */
	if (!netburst_change_cccr(c, ~CCCR_OVF, 0))
		return false;
	use[c].used = false;
	if (!was.used)
		return true;
	if (was.helper != NOBODY && !(msr_write(cccr_at(was.helper), 0) && write_counter(pmu, was.helper, 0)))
		return false;
	if (was.replay && !replays_elsewhere(use, c, 0) && !write_replay(0))
		return false;
	return free_escr(use, c, was.escr) && free_escr(use, c, was.source);
}

static bool fits(const struct netburst_use *use, unsigned c, uint8_t escr, uint32_t value)
{
	uint32_t other;

	return !escr_taken(use, c, escr, &other) || other == value;
}

/* An idle counter that can listen to an ESCR, to keep it awake; NOBODY if all are busy. */
static uint8_t find_helper(const struct netburst_use *use, uint8_t escr, unsigned but)
{
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++)
		if (c != but && netburst_escr[escr].counters >> c & 1 && !counter_busy(use, c))
			return (uint8_t)c;
	return NOBODY;
}

/* Take an ESCR as the source, if what it then has, and what counts its tags, go with what others need. */
static bool take_source(const struct pmu *pmu, unsigned c, struct netburst_use *u,
			const struct pmu_config *config, unsigned escr)
{
	const struct netburst_use *use = netburst_use(pmu);
	const struct netburst_recipe *r = u->recipe;

	u->source_value = netburst_source_value(pmu, r, escr, netburst_rings_of(config));
	u->escr_value = (u->escr_value & ~ESCR_MASK) | netburst_count_mask(r, escr) << ESCR_MASK_SHIFT;
	if (!fits(use, c, (uint8_t)escr, u->source_value) || !fits(use, c, u->escr, u->escr_value))
		return false;
	u->source = (uint8_t)escr;
	return true;
}

/* Choose the ESCR that tags, or that replay tagging needs besides, unless the scheduler has. */
static bool choose_source(const struct pmu *pmu, unsigned c, struct netburst_use *u,
			  const struct pmu_config *config)
{
	const struct netburst_use *use = netburst_use(pmu);
	const struct netburst_recipe *r = u->recipe;

	if (!r || r->source == NB_EVENTS)
		return true;
	if (config->choice) {
		u->helper = (uint8_t)CHOICE_HELPER(config->choice);
		return take_source(pmu, c, u, config, CHOICE_SOURCE(config->choice)) &&
		       (u->helper == NOBODY || !counter_busy(use, u->helper));
	}
	for (unsigned i = 0; i < 2; i++) {
		uint8_t escr = netburst_event[r->source].escr[i];

		if (escr == ESCR_NONE || (r->source_escr != ESCR_NONE && r->source_escr != escr))
			continue;
		/* The counter that counts is of the same group as the ESCR of front-end tagging. */
		if (netburst_escr[escr].group != netburst_counter[c].group) {
			u->helper = find_helper(use, escr, c);
			if (u->helper == NOBODY)
				continue;
		}
		if (take_source(pmu, c, u, config, escr))
			return true;
	}
	return false;
}

/* Whether another counter's front-end tags are of another kind: there is one colour. */
static bool tags_otherwise(const struct netburst_use *use, unsigned c, const struct netburst_use *u)
{
	for (unsigned i = 0; i < NETBURST_COUNTERS; i++)
		if (i != c && use[i].used && use[i].recipe && use[i].recipe->mechanism == TAG_FRONT_END &&
		    use[i].source_value != u->source_value)
			return true;
	return false;
}

static bool write_source(const struct pmu *pmu, const struct netburst_use *u)
{
	if (u->source != ESCR_NONE && !msr_write(netburst_escr[u->source].msr, u->source_value))
		return false;
	/* The helper counts: what an earlier use has left in it must not overflow now. */
	if (u->helper != NOBODY &&
	    !(write_counter(pmu, u->helper, 0) &&
	      msr_write(cccr_at(u->helper),
			CCCR_ENABLE | CCCR_THREAD_ANY |
				(uint32_t)netburst_escr[u->source].select << CCCR_SELECT_SHIFT)))
		return false;
	return !u->replay || write_replay(u->replay);
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	uint32_t cccr = CODE_CCCR(config->code);
	const struct netburst_cpu *cpu = netburst_cpu(pmu);
	struct netburst_use *use = netburst_use(pmu);
	struct netburst_use u = {.used = true, .source = ESCR_NONE, .helper = NOBODY};

	if ((config->any_thread || config->other_alone) &&
	    !cpu->hyper_threading) /* the other one's bits are reserved */
		return false;
	if (counter_busy(use, c) && !use[c].used) /* it keeps another one's tagging awake */
		return false;
	u.escr = (uint8_t)netburst_wire(c, (cccr & CCCR_SELECT) >> CCCR_SELECT_SHIFT, cpu->model);
	u.escr_value = netburst_escr_of(pmu, config);
	u.recipe = netburst_code_recipe(config->code);
	u.replay = u.recipe ? u.recipe->pebs | (uint64_t)u.recipe->pebs_vert << 32 : config->extra_value;
	u.waits = cccr & (CCCR_CASCADE | CCCR_EXTENDED_CASCADE);
	if (u.escr == ESCR_NONE || !release(pmu, c) || !choose_source(pmu, c, &u, config) ||
	    !fits(use, c, u.escr, u.escr_value) || (u.replay && replays_elsewhere(use, c, u.replay)) ||
	    (u.recipe && u.recipe->mechanism == TAG_FRONT_END && tags_otherwise(use, c, &u)))
		return false;

	cccr |= (uint32_t)config->cmask << CCCR_THRESHOLD_SHIFT & CCCR_THRESHOLD;
	cccr |= (config->edge ? CCCR_EDGE : 0) | (config->invert ? CCCR_COMPLEMENT : 0);
	/* Modifiers imply COMPARE; a word that was given has it or not. */
	if (cccr & (CCCR_EDGE | CCCR_COMPLEMENT | CCCR_THRESHOLD) && !(config->code & CODE_AS_WRITTEN))
		cccr |= CCCR_COMPARE;
	if (config->code & CODE_AS_WRITTEN && !config->interrupt)
		cccr &= ~(CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
	else if (config->interrupt && !(cccr & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
		cccr |= cpu->thread ? CCCR_OVF_PMI_T1 : CCCR_OVF_PMI_T0;
	if (!msr_write(netburst_escr[u.escr].msr, u.escr_value & ~RINGS))
		return false;
	use[c] = u;
	return write_source(pmu, &u) && write_counter(pmu, c, 0) && msr_write(cccr_at(c), cccr);
}

/* As the bracket (bracket.c) does it: ENABLE changes while the ESCR lets nothing through, so that no overflow
 * gets lost. */
static bool start(const struct pmu *pmu, uint64_t mask)
{
	const struct netburst_use *use = netburst_use(pmu);

	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1 && use[c].used &&
		    !(netburst_change_cccr(c, 0, use[c].waits ? 0 : CCCR_ENABLE) &&
		      msr_write(netburst_escr[use[c].escr].msr, use[c].escr_value)))
			return false;
	return true;
}

static bool stop(const struct pmu *pmu)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (netburst_use(pmu)[c].used && !netburst_stop_counter(pmu, c))
			return false;
	return true;
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	*mask = 0;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		uint64_t value;

		if (!msr_read(cccr_at(c), &value))
			return false;
		if (value & CCCR_OVF)
			*mask |= 1ull << c;
	}
	return true;
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1 && !netburst_change_cccr(c, CCCR_OVF, 0))
			return false;
	return true;
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return e->counters >> c & 1;
}

static bool fault(const struct pmu *pmu, const char **why, const char *what)
{
	*why = pmu_reason(pmu, "%s raised #GP", what);
	return false;
}

static bool reset(const struct pmu *pmu, const char **why)
{
	memset(netburst_pmu(pmu)->use, 0, sizeof netburst_pmu(pmu)->use);
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!msr_write(cccr_at(c), 0))
			return fault(pmu, why, netburst_counter[c].cccr);
	if (!msr_write(MSR_PEBS_ENABLE, 0) || !msr_write(MSR_PEBS_MATRIX_VERT, 0))
		return fault(pmu, why, "MSR_PEBS_ENABLE or MSR_PEBS_MATRIX_VERT");
	for (unsigned e = 0; e < ESCR_COUNT; e++)
		if (netburst_escr[e].models >> netburst_cpu(pmu)->model & 1 &&
		    !msr_write(netburst_escr[e].msr, 0))
			return fault(pmu, why, netburst_escr[e].name);
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!msr_write(MSR_NETBURST_COUNTER0 + c, 0))
			return fault(pmu, why, netburst_counter[c].name);
	for (unsigned i = 0; i < NETBURST_L3_COUNTERS && netburst_has_l3(pmu); i++)
		if (!msr_write(MSR_IFSB_BUSQ0 + i, 0))
			return fault(pmu, why, "a counter of the third-level cache");
	/* Branch records would disturb; single-stepping on branches is not ours. */
	uint64_t value;
	if (msr_read(MSR_DEBUGCTLA, &value) && value & ~(uint64_t)DEBUGCTLA_BTF)
		msr_write(MSR_DEBUGCTLA, value & DEBUGCTLA_BTF);
	/* Where there is no debug store it may be absent. */
	if (msr_read(MSR_DS_AREA, &value) && value)
		msr_write(MSR_DS_AREA, 0);
	return true;
}

const struct pmu_driver netburst_driver = {
	.name = "netburst",
	.state_size = sizeof(struct netburst_pmu),
	.grammar = &netburst_grammar,
	.fields = netburst_fields,
	.registers = netburst_registers,
	.identities = netburst_identities,
	.identify = identify,
	.list_events = list_events,
	.force = force,
	.snapshot = netburst_snapshot,
	.reset = reset,
	.program = program,
	.release = release,
	.start = start,
	.stop = stop,
	.read = read_counter,
	.read_all = read_all,
	.write = write_counter,
	.overflowed = overflowed,
	.acknowledge = acknowledge,
	.bracket_enable = netburst_bracket_enable,
	.bracket_read = netburst_bracket_read,
	.bracket_mixed = netburst_bracket_mixed,
	.switch_name = {"the rings of its ESCR", "ENABLE of its CCCR"},
	.can_count = can_count,
	.accesses = netburst_accesses,
	.power_up = netburst_power_up,
	.alternatives = netburst_alternatives,
	.resource_name = netburst_resource_name,
	.cascade = netburst_cascade_to,
	.join = netburst_join,
	.control = netburst_control,
	.workarounds = workarounds,
	.manual = x86_manual,
	.recorder = &netburst_recorder,
};
