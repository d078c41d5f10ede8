/*
 * The toy PMU's driver.
 */
#include "pmu/toy/registers.h"
#include "pmu/toy/toy.h"

#include "arch/register.h"
#include "arch/toy/encoding.h"
#include "pmu/contract/record.h"
#include "pmu/contract/state.h"
#include "pmu/events/grammar.h"
#include "pmu/contract/manual.h"

#include <stdio.h>

#define ALL ((1u << TOY_COUNTERS) - 1)

static bool get(uint64_t number, uint64_t *value)
{
	return register_read(SPACE_SYSTEM, number, value);
}

static bool put(uint64_t number, uint64_t value)
{
	return register_write(SPACE_SYSTEM, number, value);
}

static bool identify(struct pmu *pmu, const char **why)
{
	uint64_t id;

	if (!get(TOY_REG_ID, &id) || id != TOY_ID) {
		*why = "there is no toy PMU";
		return false;
	}
	if (!pmu_begin(pmu, &toy_driver, why))
		return false;
	pmu->driver = &toy_driver;
	snprintf(pmu->name, sizeof pmu->name, "toy PMU");
	pmu->version = TOY_ID & 0xff;
	pmu->n_counters = pmu->n_general = TOY_COUNTERS;
	pmu->has_global = pmu->joint = pmu->has_pmi = pmu->line_stays = true;
	for (unsigned c = 0; c < TOY_COUNTERS; c++) {
		struct pmu_counter *k = &pmu->counter[c];

		*k = (struct pmu_counter){
			.kind = COUNTER_GENERAL,
			.index = (uint8_t)c,
			.width = TOY_WIDTH,
			.write_width = TOY_WIDTH,
			.highest = c == TOY_COUNTERS - 1 ? TOY_HIGHEST : 0,
			.has_status = true,
			.has_interrupt = true,
		};
		snprintf(k->name, sizeof k->name, "COUNTER%u", c);
	}
	return true;
}

static void list_events(struct pmu *pmu)
{
	pmu->events = toy_events;
	pmu->n_events = toy_event_count;
}

/* --- registers ---------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t number;
	uint8_t count;
} registers[] = {
	{"START", TOY_REG_START, 1},
	{"OVERFLOW", TOY_REG_OVERFLOW, 1},
	{"ENABLE", TOY_REG_ENABLE, 1},
	{"TRACE", TOY_REG_TRACE, 1},
	{"QUEUED", TOY_REG_QUEUED, 1},
	{"BASE", TOY_REG_BASE, 1},
	{"LIMIT", TOY_REG_LIMIT, 1},
	{"NEXT", TOY_REG_NEXT, 1},
	{"LEVEL", TOY_REG_LEVEL, 1},
	{"CONFIG", TOY_REG_CONFIG, TOY_COUNTERS},
	{"COUNTER", TOY_REG_COUNTER, TOY_COUNTERS},
};

static void snapshot(const struct pmu *pmu, struct pmu_snapshot *out)
{
	(void)pmu;
	out->count = 0;
	for (unsigned r = 0; r < sizeof registers / sizeof registers[0]; r++)
		for (unsigned i = 0; i < registers[r].count; i++) {
			struct pmu_snapshot_entry *e = &out->entry[out->count];

			*e = (struct pmu_snapshot_entry){.address = registers[r].number + i};
			if (registers[r].count > 1)
				snprintf(e->name, sizeof e->name, "%s%u", registers[r].name, i);
			else
				snprintf(e->name, sizeof e->name, "%s", registers[r].name);
			e->readable = get(e->address, &e->value);
			e->enable = registers[r].number == TOY_REG_START && e->value;
			out->count++;
		}
}

static bool reset(const struct pmu *pmu, const char **why)
{
	(void)pmu;
	*why = "writing a register of the toy PMU";
	if (!put(TOY_REG_STOP, ALL) || !put(TOY_REG_TRACE, 0) || !put(TOY_REG_ENABLE, 0) ||
	    !put(TOY_REG_QUEUED, 0) || !put(TOY_REG_BASE, 0) || !put(TOY_REG_LIMIT, 0) ||
	    !put(TOY_REG_NEXT, 0) || !put(TOY_REG_LEVEL, 0))
		return false;
	for (unsigned c = 0; c < TOY_COUNTERS; c++)
		if (!put(TOY_REG_CONFIG + c, 0) || !put(TOY_REG_COUNTER + c, 0))
			return false;
	return put(TOY_REG_OVERFLOW, ALL);
}

static const struct {
	const char *name;
	uint8_t kind, faults;
	uint32_t number;
	uint64_t value;
} accesses[] = {
	{"write CONFIG0, a reserved bit", ACCESS_WRITE, ACCESS_FAULTS, TOY_REG_CONFIG, 0x400},
	{"write CONFIG0, all of it", ACCESS_WRITE, ACCESS_WORKS, TOY_REG_CONFIG, 0x3ff},
	{"write COUNTER0, above its width", ACCESS_WRITE, ACCESS_FAULTS, TOY_REG_COUNTER, TOY_ONES + 1},
	{"write COUNTER3, its highest value", ACCESS_WRITE, ACCESS_WORKS, TOY_REG_COUNTER + 3, TOY_HIGHEST},
	{"write COUNTER3, above it", ACCESS_WRITE, ACCESS_FAULTS, TOY_REG_COUNTER + 3, TOY_HIGHEST + 1},
	{"write ID", ACCESS_WRITE, ACCESS_FAULTS, TOY_REG_ID, 0},
	{"read CONFIG of no counter", ACCESS_READ, ACCESS_FAULTS, TOY_REG_CONFIG + TOY_COUNTERS, 0},
	{"read COUNTER of no counter", ACCESS_READ, ACCESS_FAULTS, TOY_REG_COUNTER + TOY_COUNTERS, 0},
	{"write NEXT, not a multiple of a message", ACCESS_WRITE, ACCESS_FAULTS, TOY_REG_NEXT,
	 TOY_MESSAGE / 2},
	{"read ID", ACCESS_READ, ACCESS_WORKS, TOY_REG_ID, 0},
};

static unsigned list_accesses(const struct pmu *pmu, struct pmu_access *out, unsigned max)
{
	unsigned n = 0;

	(void)pmu;
	for (; n < sizeof accesses / sizeof accesses[0] && n < max; n++)
		out[n] = (struct pmu_access){
			.name = accesses[n].name,
			.kind = accesses[n].kind,
			.faults = accesses[n].faults,
			.address = accesses[n].number,
			.value = accesses[n].value,
			.manual = "docs/toy.md, registers",
		};
	return n;
}

static unsigned power_up(const struct pmu *pmu, struct pmu_power_up *out, unsigned max)
{
	(void)pmu;
	if (!max)
		return 0;
	out[0] = (struct pmu_power_up){
		.name = "START", .address = TOY_REG_START, .manual = "docs/toy.md, registers"};
	return 1;
}

/* --- counters ----------------------------------------------------------------------------------------- */

static bool enable_interrupt(unsigned c, bool on)
{
	uint64_t enabled, mine = UINT64_C(1) << c;

	return get(TOY_REG_ENABLE, &enabled) && put(TOY_REG_ENABLE, on ? enabled | mine : enabled & ~mine);
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	uint64_t select = config->code | (config->levels & LEVELS_SYSTEM ? TOY_CONFIG_SUPERVISOR : 0) |
			  (config->levels & LEVELS_USER ? TOY_CONFIG_USER : 0);

	(void)pmu;
	return put(TOY_REG_STOP, UINT64_C(1) << c) && put(TOY_REG_CONFIG + c, select) &&
	       put(TOY_REG_COUNTER + c, 0) && put(TOY_REG_OVERFLOW, UINT64_C(1) << c) &&
	       enable_interrupt(c, config->interrupt);
}

static bool release(const struct pmu *pmu, unsigned c)
{
	(void)pmu;
	return put(TOY_REG_STOP, UINT64_C(1) << c) && put(TOY_REG_CONFIG + c, 0) &&
	       enable_interrupt(c, false);
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	return put(TOY_REG_START, mask);
}

static bool stop(const struct pmu *pmu)
{
	(void)pmu;
	return put(TOY_REG_STOP, ALL);
}

static bool read_counter(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	(void)pmu;
	return get(TOY_REG_COUNTER + c, value);
}

static bool write_counter(const struct pmu *pmu, unsigned c, uint64_t value)
{
	(void)pmu;
	return put(TOY_REG_COUNTER + c, value & TOY_ONES);
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	(void)pmu;
	for (unsigned c = 0; c < TOY_COUNTERS; c++)
		if (mask >> c & 1 && !get(TOY_REG_COUNTER + c, &out[c]))
			return false;
	return true;
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	(void)pmu;
	return get(TOY_REG_OVERFLOW, mask);
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	return put(TOY_REG_OVERFLOW, mask);
}

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	static const uint32_t code[] = {
		TOY_INSN((uint32_t)TOY_REG, 0, 0, TOY_ARGUMENT, TOY_WRITE | TOY_REG_START),
		TOY_INSN((uint32_t)TOY_REG, 0, 0, TOY_ARGUMENT, TOY_WRITE | TOY_REG_STOP),
	};

	(void)pmu;
	*out = (struct pmu_bracket){
		.start = (const uint8_t *)code,
		.start_end = (const uint8_t *)(code + 1),
		.stop = (const uint8_t *)(code + 1),
		.stop_end = (const uint8_t *)(code + 2),
		.args = {mask},
		.privileged = true,
	};
	return true;
}

static bool no_bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	(void)pmu;
	(void)c;
	(void)out;
	return false;
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return c < TOY_COUNTERS && e->counters >> c & 1;
}

static const struct pmu_identity identities[] = {
	{"loads and stores are all accesses",
	 "docs/toy.md, events",
	 IDENTITY_ZERO,
	 {{1, "ACCESSES"}, {-1, "LOADS"}, {-1, "STORES"}}},
	{"conditional branches are branches",
	 "docs/toy.md, events",
	 IDENTITY_NOT_NEGATIVE,
	 {{1, "BRANCHES"}, {-1, "BRANCHES_CONDITIONAL"}}},
	{NULL, NULL, 0, {{0, NULL}}},
};

#define IN(f) offsetof(struct pmu_config, f), sizeof(((struct pmu_config *)0)->f)

static const struct event_modifier modifiers[] = {
	{NULL, "event", IN(code), 0, 8, 0, "number of the event"},
	{"u", NULL, IN(levels), 1, 1, 9, "count at the user's levels"},
	{"k", NULL, IN(levels), 0, 1, 8, "count at the supervisor's levels"},
	{NULL, NULL, 0, 0, 0, 0, 0, NULL},
};

static const char *const names[] = {NULL};

static const struct event_grammar grammar = {.names = names, .modifiers = modifiers};

static const struct pmu_manual toy_manual[] = {
	{"wrap", "docs/toy.md, COUNTER3's highest value"},
	{NULL, "docs/toy.md, registers"},
};

const struct pmu_driver toy_driver = {
	.name = "toy",
	.grammar = &grammar,
	.identities = identities,
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
	.bracket_read = no_bracket_read,
	.can_count = can_count,
	.accesses = list_accesses,
	.power_up = power_up,
	.recorder = &toy_recorder,
	.manual = toy_manual,
};
