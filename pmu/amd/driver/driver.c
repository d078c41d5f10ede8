/*
 * Driver of AMD's core counters: K7 to family 1AH, and Hygon's family 18H, which is Zen 1.
 *
 * Up to four counters by the legacy numbers, six and more by the core extension; PerfMonV2 adds a common
 * enable and overflow status. Before it an overflow shows as a counter that is below what was written to it,
 * of a negative start as a cleared bit 47.
 */
#include "arch/courage.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/x86/bracket_read.h"
#include "pmu/x86/bracket_switch.h"
#include "pmu/x86/read_counters.h"
#include "pmu/amd/amd.h"
#include "pmu/amd/driver/bracket.h"
#include "pmu/amd/driver/nodes.h"
#include "pmu/amd/driver/parts.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/driver/workarounds.h"
#include "pmu/amd/events/events.h"
#include "pmu/amd/records/record.h"
#include "pmu/amd/registers.h"
#include "pmu/events/schedule.h"
#include "pmu/x86/manual.h"

#include <stdio.h>
#include <string.h>

#define COUNTER_MASK ((1ull << AMD_WIDTH) - 1)

/* The events of one PMU. */
struct rows {
	struct pmu_event unpacked[AMD_EVENTS_MAX];
	const struct pmu_event *events[AMD_EVENTS_MAX];
};

/* In the order of enum amd_generation. */
static const char generations[][11] = {"K7",         "K8",         "family 10H", "family 11H", "family 12H",
				       "family 14H", "family 15H", "family 16H", "Zen 1",      "Zen 2",
				       "Zen 3",      "Zen 4",      "Zen 5",      "post-Zen 5"};

static uint32_t highest_extended(void)
{
	uint32_t highest = cpuid(0x80000000, 0).eax;
	return highest >= 0x80000000 ? highest : 0;
}

static bool amd_vendor(void)
{
	struct cpu_identity id;
	cpu_identify(&id);
	return !strcmp(id.vendor, "AuthenticAMD") || !strcmp(id.vendor, "HygonGenuine");
}

/* A hypervisor or emulator may show an AMD CPU without its counters: then the selector cannot be read, or
 * does not keep what is written. The four legacy counters are promised by no CPUID bit, so that is their only
 * enumeration. Where CPUID promises the counters and no hypervisor is said to be, nothing is touched to find
 * out. */
static bool swallowed(const struct pmu *pmu)
{
	uint32_t address = amd_select_msr(pmu, 0);
	uint64_t found, kept = 0;

	if (!msr_read(address, &found))
		return true;
	if ((cpu_has(CPU_PERFCTR_CORE) && !cpu_has(CPU_HYPERVISOR)) || !courage_allows(SPACE_MSR, address))
		return false;
	uint64_t probe = (found ^ CTL_USR) & ~CTL_EN;
	bool good = msr_write(address, probe) && msr_read(address, &kept) && kept == probe;
	return !msr_write(address, found) || !good;
}

/* How many of these counters there may be nothing else says. */
static void sift_uncore(struct pmu *pmu)
{
	unsigned beyond = amd_uncore_find(amd_pmu(pmu)->generation, &amd_pmu(pmu)->uncore);

	if (beyond)
		pmu_remark(pmu,
			   "CPUID declares %u counters of the data fabric more than there are registers for: "
			   "left out",
			   beyond);
}

/* It comes with PerfMonV2 (APM vol. 2, 13.2.1), and KVM has had PerfMonV2 (Linux 6.5) without it until 6.18:
 * commit 68e61f6fd656, "KVM: SVM: Emulate PERF_CNTR_GLOBAL_STATUS_SET for PerfMonV2". */
static bool finds_status_set(void)
{
	uint64_t before = 0, after = 0;
	bool there = msr_read(PERF_GLOBAL_STATUS, &before) && msr_write(PERF_GLOBAL_STATUS_SET, 1) &&
		     msr_read(PERF_GLOBAL_STATUS, &after) && after & 1;

	if (there && !(before & 1))
		msr_write(PERF_GLOBAL_STATUS_CLR, 1);
	return there;
}

static bool answers(uint32_t address)
{
	uint64_t value;

	return msr_read(address, &value);
}

/* What CPUID promises and MSRs do not have is left out, in one line, and the rest judged. @return how many
 * of n counters there are */
static unsigned with_registers(struct pmu *pmu, unsigned n)
{
	unsigned found = 0;

	if (pmu->version == AMD_LAYOUT_PERFMON_V2 && !answers(PERF_GLOBAL_CTL)) {
		pmu_remark(pmu, "PerfCntrGlobalCtl raises #GP though CPUID promises PerfMonV2: judged as if "
				"it did not");
		pmu->version = AMD_LAYOUT_EXTENDED;
	}
	if (pmu->version == AMD_LAYOUT_EXTENDED && !answers(amd_select_msr(pmu, 0))) {
		pmu_remark(pmu, "PERF_CTL0 raises #GP though CPUID promises the core extension: judged as if "
				"it did not");
		pmu->version = AMD_LAYOUT_LEGACY;
		n = AMD_LEGACY;
	}
	while (found < n && answers(amd_select_msr(pmu, found)) && answers(amd_counter_msr(pmu, found)))
		found++;
	if (found && found < n)
		pmu_remark(pmu,
			   "registers of PERF_CTR%u raise #GP though CPUID declares it: %u counters are left "
			   "out",
			   found, n - found);
	return found ? found : n;
}

static bool identify(struct pmu *pmu, const char **why)
{
	struct amd_pmu *own = pmu_begin(pmu, &amd_driver, why);

	if (!own)
		return false;
	if (!amd_vendor()) {
		*why = "the CPU's vendor is neither AMD nor Hygon";
		return false;
	}
	unsigned generation = amd_generation(cpuid(1, 0).eax);
	/* What a newer part has is known as far as CPUID says it. */
	bool known = generation && (generation != AMD_NEWER || cpu_has(CPU_PERFCTR_CORE));
	if (!known) {
		*why = pmu_reason(pmu, "no counters are known for CPUID signature %X",
				  (unsigned)cpuid(1, 0).eax);
		return false;
	}

	uint32_t top = highest_extended();
	struct cpuid_regs v2 = {0};
	unsigned n = AMD_LEGACY;
	pmu->version = AMD_LAYOUT_LEGACY;
	if (top >= 0x80000001 && cpu_has(CPU_PERFCTR_CORE)) {
		pmu->version = AMD_LAYOUT_EXTENDED;
		n = AMD_EXTENDED;
		if (top >= 0x80000022)
			v2 = cpuid(0x80000022, 0);
	}
	if (v2.eax & 1 && v2.ebx & 15) {
		pmu->version = AMD_LAYOUT_PERFMON_V2;
		n = v2.ebx & 15;
	} else if (v2.eax & 1) {
		pmu_remark(pmu,
			   "CPUID declares PerfMonV2 with no core counter at all: judged as if it did not");
	}
	n = with_registers(pmu, n);

	if (swallowed(pmu)) {
		*why = pmu_reason(pmu, "it is a %s, but PERF_CTL0 raises #GP or keeps nothing",
				  generations[__builtin_ctz(generation)]);
		return false;
	}

	own->generation = generation;
	sift_uncore(pmu);
	own->one_node = amd_one_node();
	own->merges = amd_merges(generation);
	pmu->most_select = generation & (AMD_K7 | AMD_K8) ? CTL_EVENT & 0xff : 0;
	own->has_irperf = top >= 0x80000008 && cpuid(0x80000008, 0).ebx >> 1 & 1;
	own->freezes = highest_extended() >= 0x80000022 && cpuid(0x80000022, 0).eax & 4;
	/* A stack of no depth is none. */
	own->stacks = v2.eax & 2 && v2.ebx >> 4 & 63;
	own->ibs = amd_ibs_features();
	own->has_aperf = cpuid(6, 0).ecx & 1;
	pmu->driver = &amd_driver;
	pmu->joint = pmu->has_global = pmu->version == AMD_LAYOUT_PERFMON_V2;
	own->no_status_set = pmu->has_global && cpu_has(CPU_HYPERVISOR) && !finds_status_set();
	pmu->has_pmi = cpu_has(CPU_APIC); /* the first K7 has none */
	pmu->line_stays = true;
	snprintf(pmu->name, sizeof pmu->name, "AMD %s PMU, %s", generations[__builtin_ctz(generation)],
		 pmu->version == AMD_LAYOUT_LEGACY     ? "legacy counters"
		 : pmu->version == AMD_LAYOUT_EXTENDED ? "core extension"
						       : "PerfMonV2");
	for (unsigned c = 0; c < n; c++) {
		struct pmu_counter *k = &pmu->counter[c];
		snprintf(k->name, sizeof k->name, "PERF_CTR%u", c & 31);
		k->kind = COUNTER_GENERAL;
		k->index = c;
		k->width = k->write_width = AMD_WIDTH;
		k->has_status = pmu->has_global;
		k->has_interrupt = pmu->has_pmi;
		k->selector = c;
	}
	pmu->n_counters = pmu->n_general = n;
	return true;
}

static void list_events(struct pmu *pmu)
{
	const struct amd_pmu *own = amd_pmu(pmu);
	struct rows *rows = pmu_rows(pmu, sizeof *rows);

	pmu->n_events = rows ? amd_unpack(own->generation, own->one_node, rows->unpacked, AMD_EVENTS_MAX) : 0;
	for (unsigned i = 0; i < pmu->n_events; i++)
		rows->events[i] = &rows->unpacked[i];
	pmu->events = rows ? rows->events : NULL;
}

static unsigned event_of(uint64_t code)
{
	return (unsigned)((code & 0xff) | (code >> 24 & 0xf00));
}

static bool takes_pair(const struct pmu *pmu, uint64_t code)
{
	return amd_pmu(pmu)->merges && event_of(code) == EVENT_LARGE;
}

static uint64_t with_pairs(const struct pmu *pmu, uint64_t mask)
{
	return mask | (mask & amd_pmu(pmu)->pairs) << 1;
}

/* The odd counter of a pair is all ones, so that the pair overflows where 48 bits do. */
static bool write_counter(const struct pmu *pmu, unsigned c, uint64_t value)
{
	struct amd_pmu *own = amd_pmu(pmu);

	if (own->pairs >> c & 1 && !msr_write(amd_counter_msr(pmu, c + 1), MERGE_TOP))
		return false;
	own->written[c] = value & COUNTER_MASK;
	return msr_write(amd_counter_msr(pmu, c), own->written[c]);
}

static bool read_counter(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	if (!msr_read(amd_counter_msr(pmu, c), value))
		return false;
	*value &= COUNTER_MASK;
	return true;
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	return read_counters(pmu, mask, amd_counter_msr, out);
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	struct amd_pmu *own = amd_pmu(pmu);

	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask & own->pairs & 1ull << c && !msr_write(amd_counter_msr(pmu, c + 1), MERGE_TOP))
			return false;
	if (pmu->has_global)
		return msr_write(PERF_GLOBAL_STATUS_CLR, mask & ((1ull << pmu->n_counters) - 1));
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1 && !read_counter(pmu, c, &own->written[c]))
			return false;
	return true;
}

/* Take counters out of the common enable; nothing to do before PerfMonV2. */
static bool global_off(const struct pmu *pmu, uint64_t counters)
{
	uint64_t control;
	return !pmu->has_global ||
	       (msr_read(PERF_GLOBAL_CTL, &control) && msr_write(PERF_GLOBAL_CTL, control & ~counters));
}

static bool release(const struct pmu *pmu, unsigned c)
{
	uint64_t taken = with_pairs(pmu, 1ull << c);

	amd_pmu(pmu)->pairs &= ~(1ull << c);
	return global_off(pmu, taken) && msr_write(amd_select_msr(pmu, c), 0) &&
	       (taken == 1ull << c || msr_write(amd_select_msr(pmu, c + 1), 0));
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	if (!release(pmu, c))
		return false;
	if (takes_pair(pmu, config->code)) {
		if (c % 2 || c + 1 >= pmu->n_counters || !release(pmu, c + 1) ||
		    !msr_write(amd_select_msr(pmu, c + 1), CTL_MERGE | CTL_EN))
			return false;
		amd_pmu(pmu)->pairs |= 1ull << c;
	}
	if (!write_counter(pmu, c, 0) || !acknowledge(pmu, 1ull << c))
		return false;
	uint64_t select = config->code | (config->levels & LEVELS_SYSTEM ? CTL_OS : 0) |
			  (config->levels & LEVELS_USER ? CTL_USR : 0) | (config->interrupt ? CTL_INT : 0) |
			  (config->edge ? CTL_EDGE : 0) | (config->invert ? CTL_INV : 0) |
			  (uint64_t)config->cmask << CTL_CMASK_SHIFT;
	if (amd_retires_right(pmu, c, config))
		select |= CTL_1292;
	/* With the common enable the local one is set now; without, it is what starts the counter. */
	return msr_write(amd_select_msr(pmu, c), select | (pmu->has_global ? CTL_EN : 0));
}

/* Set or clear the local enables of the counters, one by one. */
static bool set_enables(const struct pmu *pmu, uint64_t mask, bool on)
{
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		uint32_t address = amd_select_msr(pmu, c);
		uint64_t select;
		if (mask >> c & 1 && !(msr_read(address, &select) &&
				       msr_write(address, on ? select | CTL_EN : select & ~CTL_EN)))
			return false;
	}
	return true;
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	uint64_t control;
	if (!pmu->has_global)
		return set_enables(pmu, mask, true);
	return msr_read(PERF_GLOBAL_CTL, &control) &&
	       msr_write(PERF_GLOBAL_CTL, control | with_pairs(pmu, mask));
}

static bool stop(const struct pmu *pmu)
{
	/* What counts nothing by itself may stay enabled. */
	return pmu->has_global ? msr_write(PERF_GLOBAL_CTL, 0)
			       : set_enables(pmu, ~(amd_pmu(pmu)->pairs << 1), false);
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	const struct amd_pmu *own = amd_pmu(pmu);
	uint64_t value;

	*mask = 0;
	if (pmu->has_global) {
		/* Some microcode sets status bits of counters that do not exist. */
		if (!msr_read(PERF_GLOBAL_STATUS, &value))
			return false;
		*mask = value & ((1ull << pmu->n_counters) - 1);
		return true;
	}
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (!read_counter(pmu, c, &value))
			return false;
		if (value < own->written[c] && !(own->pairs << 1 >> c & 1))
			*mask |= 1ull << c;
	}
	return true;
}

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	memset(out, 0, sizeof *out);
	out->privileged = true;
	out->own[0] = (struct qterm){Q_INSTRUCTIONS, AMD_ENABLE_OWN};
	if (pmu->has_global) {
		out->start = amd_global_start;
		out->start_end = amd_global_start_end;
		out->stop = amd_global_stop;
		out->stop_end = amd_global_stop_end;
		out->args[0] = with_pairs(pmu, mask) & ((1ull << pmu->n_counters) - 1);
		return true;
	}

	/* No common switch: one counter, by its own enable. */
	unsigned c = 0;
	uint64_t select;
	while (c < pmu->n_counters && mask != 1ull << c)
		c++;
	if (c == pmu->n_counters || !msr_read(amd_select_msr(pmu, c), &select))
		return false;
	out->start = amd_single_start;
	out->start_end = amd_single_start_end;
	out->stop = amd_single_stop;
	out->stop_end = amd_single_stop_end;
	out->args[0] = amd_select_msr(pmu, c);
	out->args[1] = select | CTL_EN;
	out->args[2] = select & ~CTL_EN;
	out->args[3] = select >> 32;
	return true;
}

static bool bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	bracket_rdpmc(pmu->counter[c].selector, COUNTER_MASK, out);
	return true;
}

static bool bracket_mixed(const struct pmu *pmu, unsigned c, enum pmu_switch start, enum pmu_switch stop,
			  struct pmu_bracket *out)
{
	uint32_t own = amd_select_msr(pmu, c);
	uint64_t on;

	if (!pmu->has_global || !msr_read(own, &on))
		return false;
	const struct msr_switch both[SWITCHES] = {
		[SWITCH_USUAL] = {PERF_GLOBAL_CTL, with_pairs(pmu, 1ull << c), 0},
		[SWITCH_OTHER] = {own, on, on & ~(uint64_t)CTL_EN},
	};
	return bracket_switch(both, start, stop, out);
}

/* Family 15H silently counts wrongly on a counter that the event is not wired to. */
static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	if (takes_pair(pmu, e->code) && (c % 2 || c + 1 >= pmu->n_counters))
		return false;
	return c < pmu->n_counters && e->counters >> c & 1;
}

static unsigned alternatives(const struct pmu *pmu, const struct event_request *r,
			     struct sched_alternative *out, const char **why)
{
	unsigned n = 0;
	bool pair = takes_pair(pmu, r->config.code);

	if (amd_pmu(pmu)->merges && event_of(r->config.code) == EVENT_MERGE) {
		*why = "it merges two counters, and is programmed together with the event that needs it";
		return 0;
	}
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		bool can = r->event ? can_count(pmu, r->event, c)
				    : !pair || (c % 2 == 0 && c + 1 < pmu->n_counters);
		if (can)
			out[n++] = (struct sched_alternative){
				.n_uses = pair ? 2 : 1, .use = {{(uint8_t)c, 0}, {(uint8_t)(c + 1), 0}}};
	}
	return n;
}

static bool fault(const struct pmu *pmu, const char **why, const char *what, unsigned c)
{
	*why = pmu_reason(pmu, "%s%u raised #GP though CPUID promises it", what, c);
	return false;
}

static bool reset(const struct pmu *pmu, const char **why)
{
	uint64_t value;

	amd_pmu(pmu)->pairs = 0;
	if (pmu->has_global && !msr_write(PERF_GLOBAL_CTL, 0))
		return fault(pmu, why, "PerfCntrGlobalCtl, MSR C000030", 1);
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!msr_write(amd_select_msr(pmu, c), 0))
			return fault(pmu, why, "PERF_CTL", c);
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!write_counter(pmu, c, 0))
			return fault(pmu, why, "PERF_CTR", c);
	if (!amd_record_reset(pmu)) {
		*why = "a register of IBS or of branch records raised #GP though CPUID promises it";
		return false;
	}
	/* Freezing would disturb counting, and branch records one another. Single-stepping on branches (BTF)
	 * is not ours. A hypervisor may lack the register. */
	if (msr_read(DEBUGCTL, &value) && value & ~DEBUGCTL_BTF)
		msr_write(DEBUGCTL, value & DEBUGCTL_BTF);
	if (!pmu->has_global)
		return true;
	if (!msr_read(PERF_GLOBAL_STATUS, &value))
		return fault(pmu, why, "PerfCntrGlobalStatus, MSR C000030", 0);
	if (value && !msr_write(PERF_GLOBAL_STATUS_CLR, value))
		return fault(pmu, why, "PerfCntrGlobalStatusClr, MSR C000030", 2);
	return true;
}

const struct pmu_driver amd_driver = {
	.name = "amd",
	.state_size = sizeof(struct amd_pmu),
	.grammar = &amd_grammar,
	.fields = amd_fields,
	.registers = amd_registers,
	.identities = amd_identities,
	.identify = identify,
	.list_events = list_events,
	.snapshot = amd_snapshot,
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
	.bracket_enable = bracket_enable,
	.bracket_read = bracket_read,
	.bracket_mixed = bracket_mixed,
	.switch_name = {"PerfCntrGlobalCtl", "the counter's own enable"},
	.can_count = can_count,
	.alternatives = alternatives,
	.accesses = amd_accesses,
	.power_up = amd_power_up,
	.control = amd_control,
	.manual = x86_manual,
	.recorder = &amd_recorder,
	.workarounds = amd_workarounds,
	.encode = amd_encode,
	.meaning = amd_meaning,
};
