/*
 * Driver of Intel's architectural performance monitoring, versions 1 to 6 as CPUID leaves 0AH and 23H
 * describe them.
 */
#include "arch/firmware.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/counter_values.h"
#include "pmu/x86/bracket_read.h"
#include "pmu/x86/bracket_switch.h"
#include "pmu/x86/read_counters.h"
#include "pmu/intel/driver/bracket.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/driver/workarounds.h"
#include "pmu/intel/events/core_events.h"
#include "pmu/intel/events/cores.h"
#include "pmu/intel/events/events.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/events/offcore.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/manual.h"

#include <stdio.h>
#include <string.h>

#define EVENTS_MAX (INTEL_ARCH_EVENTS_MAX + INTEL_CORE_EVENTS_MAX)

/* The events of one PMU. */
struct rows {
	const struct pmu_event *events[EVENTS_MAX];
	struct pmu_event of_core[INTEL_CORE_EVENTS_MAX], excepted[INTEL_ARCH_EVENTS_MAX];
	char offcore_names[INTEL_OFFCORE_POOL];
};

/* Bit of a counter in the global registers: SDM 18.2.2, figure 18-3. */
static uint64_t global_bit(const struct pmu_counter *c)
{
	return 1ull << (c->kind == COUNTER_FIXED ? GLOBAL_FIXED_SHIFT + c->index : c->index);
}

static uint64_t global_mask(const struct pmu *pmu, uint64_t counters)
{
	uint64_t mask = 0;
	for (counters &= (1ull << pmu->n_counters) - 1; counters; counters &= counters - 1)
		mask |= global_bit(&pmu->counter[__builtin_ctzll(counters)]);
	return mask;
}

static uint32_t counter_msr(const struct pmu_counter *c)
{
	return (c->kind == COUNTER_FIXED ? IA32_FIXED_CTR0 : IA32_PMC0) + c->index;
}

static bool general(const struct pmu_counter *c)
{
	return c->kind == COUNTER_GENERAL;
}

static void add_counter(struct pmu *pmu, enum counter_kind kind, unsigned index, unsigned width,
			unsigned write_width)
{
	struct pmu_counter *c = &pmu->counter[pmu->n_counters++];

	snprintf(c->name, sizeof c->name, kind == COUNTER_FIXED ? "FIXED_CTR%u" : "PMC%u", index);
	c->kind = kind;
	c->index = index;
	c->width = width;
	c->write_width = write_width;
	c->has_status = pmu->version >= 2;
	c->has_interrupt = pmu->has_pmi;
	c->selector = kind == COUNTER_FIXED ? RDPMC_FIXED + index : index;
}

static bool answers(uint32_t address)
{
	uint64_t value;

	return msr_read(address, &value);
}

/* Of these counters those whose registers can be read; all, if none can: then the whole PMU is missing. */
static uint32_t readable(uint32_t counters, unsigned max, uint32_t first, uint32_t second)
{
	uint32_t found = 0;

	for (unsigned i = 0; i < max; i++)
		if (counters >> i & 1 && answers(first + i) && (!second || answers(second + i)))
			found |= 1u << i;
	return found ? found : counters;
}

static void left_out(struct pmu *pmu, const char *name, uint32_t counters)
{
	if (counters)
		pmu_remark(pmu,
			   "registers of %s%u raise #GP though CPUID declares it: %u counters are left out",
			   name, (unsigned)__builtin_ctz(counters), (unsigned)__builtin_popcount(counters));
}

/* What CPUID declares and MSRs do not have: those counters are left out, the others stay, and pmu gets a line
 * for each kind. */
static void leave_out_missing(struct intel_leaf0a *l, struct pmu *pmu)
{
	uint32_t general = readable(l->general, INTEL_GENERAL_MAX, IA32_PERFEVTSEL0, IA32_PMC0);
	uint32_t fixed = l->version < 2 ? l->fixed
			 : answers(IA32_FIXED_CTR_CTRL)
				 ? readable(l->fixed, INTEL_FIXED_MAX, IA32_FIXED_CTR0, 0)
				 : 0;
	uint64_t reloaded = 0;

	for (unsigned bit = 0; bit < 64; bit++)
		if (l->reloaded >> bit & 1 && answers(intel_reload_mask(bit)))
			reloaded |= 1ull << bit;
	left_out(pmu, "PMC", l->general & ~general);
	left_out(pmu, "FIXED_CTR", l->fixed & ~fixed);
	if (reloaded != l->reloaded)
		pmu_remark(pmu, "reload masks raise #GP though CPUID declares them: left out");
	l->general = general;
	l->n_general = (unsigned)__builtin_popcount(general);
	l->fixed = fixed;
	l->reloaded = reloaded;
}

/* An architectural event, with the exception that this core makes of it, and its errata. */
static const struct pmu_event *with_exception(struct rows *rows, unsigned i, int core)
{
	rows->excepted[i] = intel_arch_events[i].event;
	return intel_of_core(core, &rows->excepted[i]) ? &rows->excepted[i] : &intel_arch_events[i].event;
}

static void add_event(struct pmu *pmu, struct rows *rows, const struct pmu_event *e)
{
	rows->events[pmu->n_events++] = e;
}

static bool is_intels(const struct cpuid_regs *head)
{
	return head->ebx == 0x756e6547 && head->edx == 0x49656e69 && head->ecx == 0x6c65746e;
}

static bool genuine(void)
{
	struct cpuid_regs head = cpuid(0, 0);

	return is_intels(&head);
}

/* SDM vol. 2, CPUID: leaf 1AH tells the cores of a hybrid CPU apart. Other vendors' CPUs with leaf 0AH number
 * their models as they like. */
static int core_of_this_cpu(void)
{
	struct cpuid_regs head = cpuid(0, 0);

	return is_intels(&head) ? intel_core(cpuid(1, 0).eax, head.eax >= 0x1a ? cpuid(0x1a, 0).eax : 0)
				: INTEL_NO_CORE;
}

/* Registers of single events that a hypervisor does without. */
static void find_missing(struct pmu *pmu)
{
	struct intel_pmu *state = intel_pmu(pmu);
	struct intel_extra extra[INTEL_EXTRAS];
	unsigned n = intel_extras(cpuid(1, 0).eax, intel_kind_of_core(), extra);

	for (unsigned i = 0; cpu_has(CPU_HYPERVISOR) && i < n; i++)
		if (!intel_msr_keeps(extra[i].address, 1))
			state->missing[state->n_missing++] = extra[i].address;
	if (state->n_missing)
		pmu_remark(pmu, "the hypervisor does not pass on MSR %XH%s: events that need it are left out",
			   (unsigned)state->missing[0],
			   state->n_missing > 1 ? " and others of its kind" : "");
}

static bool needs_missing(const struct intel_pmu *state, const struct pmu_event *e)
{
	for (unsigned i = 0; i < state->n_missing; i++)
		if (e->extra_register == state->missing[i])
			return true;
	return false;
}

/* The microarchitecture's own events that some counter here can count, but those whose names architectural
 * ones have. */
static void add_events_of_core(struct pmu *pmu, struct rows *rows, const struct intel_leaf0a *l)
{
	const struct intel_pmu *state = intel_pmu(pmu);
	unsigned n = intel_unpack(state->found.core, rows->offcore_names, rows->of_core,
				  INTEL_CORE_EVENTS_MAX),
		 architectural = pmu->n_events;
	uint32_t general = l->general;

	for (unsigned i = 0; i < n; i++) {
		const struct pmu_event *e = &rows->of_core[i];
		if (e->fixed >= 0 ? !(l->fixed >> e->fixed & 1) : !(e->counters & general))
			continue;
		if (!event_by_name(rows->events, architectural, e->name) && !needs_missing(state, e))
			add_event(pmu, rows, e);
	}
}

/* Version 2 has it (SDM 17.4.7), and there are hypervisors that refuse it. */
static const char *no_freeze(const struct pmu *pmu)
{
	bool there = !pmu->has_global || !cpu_has(CPU_HYPERVISOR) ||
		     intel_msr_keeps(IA32_DEBUGCTL, DEBUGCTL_FREEZE_PERFMON_ON_PMI);

	return there ? NULL : "freezing on an interrupt";
}

#define UNDECLARED_FIXED 3
#define UNDECLARED_WIDTH 40

/* The first Core 2 parts declare version 2 without fixed counters, and have three (Linux assumes so of every
 * version 2 outside of guests, arch/x86/events/intel/core.c). That is believed if their registers are there
 * and keep what is written. */
static void find_undeclared_fixed(struct intel_leaf0a *l, struct pmu *pmu)
{
	struct cpuid_regs head = cpuid(0, 0);

	if (l->version != 2 || l->fixed || l->fixed_unknown || cpu_has(CPU_HYPERVISOR) || !is_intels(&head) ||
	    !intel_msr_keeps(IA32_FIXED_CTR_CTRL, FIXED_OS))
		return;
	for (unsigned i = 0; i < UNDECLARED_FIXED; i++)
		if (!answers(IA32_FIXED_CTR0 + i))
			return;
	l->fixed = (1u << UNDECLARED_FIXED) - 1;
	l->fixed_width = UNDECLARED_WIDTH;
	pmu_remark(pmu, "CPUID leaf 0AH declares no fixed counters, but %u answer: they are judged",
		   UNDECLARED_FIXED);
}

static bool identify(struct pmu *pmu, const char **why)
{
	struct intel_pmu *state = pmu_begin(pmu, &intel_driver, why);

	if (!state)
		return false;
	if (cpuid(0, 0).eax < 0xa) {
		*why = "no CPUID leaf 0AH";
		return false;
	}
	struct intel_leaf0a l = intel_leaf0a_unsifted();
	if (!l.version) {
		*why = "CPUID leaf 0AH gives version 0: no architectural performance monitoring";
		return false;
	}
	if (!l.general && !l.fixed) {
		*why = pmu_reason(pmu, "CPUID leaf 0AH declares version %u with no counter at all",
				  l.version);
		return false;
	}
	intel_sift_leaf0a(&l, pmu->remark[0], PMU_REMARKS, PMU_REMARK_SIZE);
	if (!l.general && !l.fixed) {
		*why = pmu_reason(pmu, "%s", pmu->remark[0]);
		return false;
	}

	/* Some Core 2 parts call themselves version 2 and lack its registers. */
	uint64_t value;
	unsigned declared = l.version;
	if (l.version >= 2 && !msr_read(IA32_PERF_GLOBAL_CTRL, &value)) {
		l.version = 1;
		l.fixed = 0;
		if (!l.n_general) {
			*why = "CPUID leaf 0AH declares only fixed counters, and IA32_PERF_GLOBAL_CTRL "
			       "raises #GP";
			return false;
		}
	}

	find_undeclared_fixed(&l, pmu);
	leave_out_missing(&l, pmu);
	pmu->driver = &intel_driver;
	pmu->version = l.version;
	pmu->joint = pmu->has_global = l.version >= 2;
	pmu->has_pmi = cpu_has(CPU_APIC);
	if (l.version == declared)
		snprintf(pmu->name, sizeof pmu->name, "Intel architectural PMU version %u", l.version);
	else
		snprintf(pmu->name, sizeof pmu->name, "Intel architectural PMU version %u (says %u)",
			 l.version, declared & 0xff);

	bool full_width = intel_perf_capabilities() & CAP_FULL_WIDTH;
	for (unsigned i = 0; i < INTEL_GENERAL_MAX; i++)
		if (l.general >> i & 1)
			add_counter(pmu, COUNTER_GENERAL, i, l.general_width,
				    full_width ? l.general_width : 32);
	pmu->n_general = l.n_general;
	for (unsigned i = 0; i < INTEL_FIXED_MAX; i++)
		if (l.fixed >> i & 1)
			add_counter(pmu, COUNTER_FIXED, i, l.fixed_width, l.fixed_width);
	pmu->n_fixed = pmu->n_counters - pmu->n_general;

	find_missing(pmu);
	uint32_t kind = cpu_has(CPU_HYBRID) ? cpuid(0x1a, 0).eax >> 24 : 0;
	pmu->perf_name = kind == 0x40 ? "cpu_core" : kind == 0x20 ? "cpu_atom" : NULL;
	state->found =
		(struct intel_found){intel_perf_capabilities(),
				     l,
				     pmu->has_global && record_source(pmu, RECORD_LAST_BRANCHES) != NULL,
				     intel_lbr_here(),
				     record_source(pmu, RECORD_BRANCH_TRACE) != NULL,
				     no_freeze(pmu),
				     record_source(pmu, RECORD_PRECISE) != NULL,
				     intel_pebs_here(),
				     core_of_this_cpu(),
				     genuine(),
				     cpuid(6, 0).ecx & 1,
				     cpuid(6, 0).eax >> 7 & 1 && answers(MSR_PPERF),
				     cpuid(1, 0).edx >> 22 & 1,
				     firmware_is_counted(),
				     cpuid(7, 0).ebx >> 25 & cpuid(0x14, 0).ecx & 1};
	return true;
}

static void list_events(struct pmu *pmu)
{
	const struct intel_leaf0a *l = &intel_found(pmu)->leaf;
	struct rows *rows = pmu_rows(pmu, sizeof *rows);

	pmu->n_events = 0;
	if (!rows)
		return;
	pmu->events = rows->events;
	for (unsigned i = 0; i < intel_arch_event_count; i++) {
		const struct intel_arch_event *e = &intel_arch_events[i];
		bool offered =
			e->cpuid_bit < 0
				? e->event.fixed < INTEL_FIXED_MAX && l->fixed >> e->event.fixed & 1
				: l->n_general && intel_arch_event_available(l->eax, l->ebx, e->cpuid_bit);
		if (offered)
			add_event(pmu, rows, with_exception(rows, i, intel_found(pmu)->core));
	}
	add_events_of_core(pmu, rows, l);
}

static bool raw_write(const struct pmu_counter *c, uint64_t value)
{
	if (general(c) && c->write_width > 32)
		return msr_write(IA32_A_PMC0 + c->index, value);
	return msr_write(counter_msr(c), value);
}

static bool write_counter(const struct pmu *pmu, unsigned c, uint64_t value)
{
	const struct pmu_counter *k = &pmu->counter[c];
	value &= counter_ones(k);
	if (!raw_write(k, value))
		return false;
	/* What the counter really holds now: of a narrow write the hardware fills in the upper bits. */
	return pmu->has_global || msr_read(counter_msr(k), &intel_pmu(pmu)->written[c]);
}

static bool read_counter(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	if (!msr_read(counter_msr(&pmu->counter[c]), value))
		return false;
	*value &= counter_ones(&pmu->counter[c]);
	return true;
}

static uint32_t counter_register(const struct pmu *pmu, unsigned c)
{
	return counter_msr(&pmu->counter[c]);
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	return read_counters(pmu, mask, counter_register, out);
}

/* Change the counter's field of IA32_FIXED_CTR_CTRL and leave the others. */
static bool set_fixed_field(const struct pmu_counter *c, uint64_t field)
{
	uint64_t control, own = FIXED_FIELD << 4 * c->index;
	if (c->index < 8)
		own |= 1ull << (FIXED_ADAPTIVE_SHIFT + 4 * c->index) |
		       1ull << (FIXED_RDPMC_USER_SHIFT + 4 * c->index);
	return msr_read(IA32_FIXED_CTR_CTRL, &control) &&
	       msr_write(IA32_FIXED_CTR_CTRL, (control & ~own) | field << 4 * c->index);
}

/* Take a counter out of IA32_PERF_GLOBAL_CTRL; nothing to do before version 2. */
static bool global_off(const struct pmu *pmu, const struct pmu_counter *c)
{
	uint64_t control;
	if (!pmu->has_global)
		return true;
	return msr_read(IA32_PERF_GLOBAL_CTRL, &control) &&
	       msr_write(IA32_PERF_GLOBAL_CTRL, control & ~global_bit(c));
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	if (pmu->has_global)
		return msr_write(IA32_PERF_GLOBAL_OVF_CTRL, global_mask(pmu, mask));
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1 && !read_counter(pmu, c, &intel_pmu(pmu)->written[c]))
			return false;
	return true;
}

static bool release(const struct pmu *pmu, unsigned c)
{
	const struct pmu_counter *k = &pmu->counter[c];
	return global_off(pmu, k) &&
	       (general(k) ? msr_write(IA32_PERFEVTSEL0 + k->index, 0) : set_fixed_field(k, 0));
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	const struct pmu_counter *k = &pmu->counter[c];

	if (!release(pmu, c) || !intel_flush_selectors(pmu) || !write_counter(pmu, c, 0) ||
	    !acknowledge(pmu, 1ull << c))
		return false;
	if (!general(k)) {
		uint64_t field = (config->levels & LEVELS_SYSTEM ? FIXED_OS : 0) |
				 (config->levels & LEVELS_USER ? FIXED_USR : 0) |
				 (config->any_thread ? FIXED_ANY : 0) | (config->interrupt ? FIXED_PMI : 0);
		return set_fixed_field(k, field);
	}
	if (config->extra_register && !msr_write(config->extra_register, config->extra_value))
		return false;
	/* A counter mask that is asked for takes the place of the event's own. */
	uint64_t code = config->cmask ? config->code & ~EVTSEL_CMASK : config->code;
	uint64_t select = code | (config->levels & LEVELS_SYSTEM ? EVTSEL_OS : 0) |
			  (config->levels & LEVELS_USER ? EVTSEL_USR : 0) |
			  (config->interrupt ? EVTSEL_INT : 0) | (config->edge ? EVTSEL_E : 0) |
			  (config->invert ? EVTSEL_INV : 0) | (config->any_thread ? EVTSEL_ANY : 0) |
			  (uint64_t)config->cmask << EVTSEL_CMASK_SHIFT;
	/* With global control the local enable is set now and the global bit starts it; without, the local
	 * enable starts it. */
	return msr_write(IA32_PERFEVTSEL0 + k->index, select | (pmu->has_global ? EVTSEL_EN : 0));
}

/* Version 1: set or clear the local enables of the counters, one by one. */
static bool set_local_enables(const struct pmu *pmu, uint64_t mask, bool on)
{
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		uint32_t address = IA32_PERFEVTSEL0 + pmu->counter[c].index;
		uint64_t select;
		if (mask >> c & 1 && !(msr_read(address, &select) &&
				       msr_write(address, on ? select | EVTSEL_EN : select & ~EVTSEL_EN)))
			return false;
	}
	return true;
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	uint64_t control;
	if (!pmu->has_global)
		return set_local_enables(pmu, mask, true);
	return msr_read(IA32_PERF_GLOBAL_CTRL, &control) &&
	       msr_write(IA32_PERF_GLOBAL_CTRL, control | global_mask(pmu, mask));
}

static bool stop(const struct pmu *pmu)
{
	return pmu->has_global ? msr_write(IA32_PERF_GLOBAL_CTRL, 0) : set_local_enables(pmu, ~0ull, false);
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	uint64_t status = 0, value;

	*mask = 0;
	if (pmu->has_global && !msr_read(IA32_PERF_GLOBAL_STATUS, &status))
		return false;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (pmu->has_global) {
			if (status & global_bit(&pmu->counter[c]))
				*mask |= 1ull << c;
		} else {
			if (!read_counter(pmu, c, &value))
				return false;
			if (value < intel_pmu(pmu)->written[c])
				*mask |= 1ull << c;
		}
	}
	return true;
}

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	memset(out, 0, sizeof *out);
	out->privileged = true;
	out->own[0] = (struct qterm){Q_INSTRUCTIONS, INTEL_GLOBAL_OWN};
	if (pmu->has_global) {
		uint64_t control = global_mask(pmu, mask);
		out->start = intel_global_start;
		out->start_end = intel_global_start_end;
		out->stop = intel_global_stop;
		out->stop_end = intel_global_stop_end;
		out->args[0] = control & 0xffffffff;
		out->args[1] = control >> 32;
		return true;
	}

	/* No common switch in version 1: one counter, by its own enable. */
	unsigned c = 0;
	while (c < pmu->n_counters && mask != 1ull << c)
		c++;
	uint64_t select;
	if (c == pmu->n_counters || !msr_read(IA32_PERFEVTSEL0 + pmu->counter[c].index, &select))
		return false;
	out->start = intel_single_start;
	out->start_end = intel_single_start_end;
	out->stop = intel_single_stop;
	out->stop_end = intel_single_stop_end;
	out->args[0] = IA32_PERFEVTSEL0 + pmu->counter[c].index;
	out->args[1] = select | EVTSEL_EN;
	out->args[2] = select & ~EVTSEL_EN;
	out->own[0].amount = INTEL_SINGLE_OWN;
	return true;
}

static bool bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	bracket_rdpmc(pmu->counter[c].selector, counter_ones(&pmu->counter[c]), out);
	return true;
}

static bool bracket_mixed(const struct pmu *pmu, unsigned c, enum pmu_switch start, enum pmu_switch stop,
			  struct pmu_bracket *out)
{
	const struct pmu_counter *k = &pmu->counter[c];
	uint32_t own = general(k) ? IA32_PERFEVTSEL0 + k->index : IA32_FIXED_CTR_CTRL;
	uint64_t on;

	if (!pmu->has_global || !msr_read(own, &on))
		return false;
	uint64_t off = on & ~(general(k) ? EVTSEL_EN : (FIXED_OS | FIXED_USR) << 4 * k->index);
	const struct msr_switch both[SWITCHES] = {
		[SWITCH_USUAL] = {IA32_PERF_GLOBAL_CTRL, global_bit(k), 0},
		[SWITCH_OTHER] = {own, on, off},
	};
	return bracket_switch(both, start, stop, out);
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	const struct pmu_counter *k = &pmu->counter[c];
	return general(k) ? e->counters >> k->index & 1 : e->fixed == k->index;
}

static bool fault(const struct pmu *pmu, const char **why, const char *what)
{
	*why = pmu_reason(pmu, "%s raised #GP though CPUID promises it", what);
	return false;
}

bool intel_lend(const struct pmu *pmu, uint32_t address)
{
	struct intel_pmu *state = intel_pmu(pmu);
	uint64_t value;

	if (state->n_kept == INTEL_KEPT || !msr_read(address, &value))
		return false;
	state->kept[state->n_kept].address = address;
	state->kept[state->n_kept++].value = value;
	return true;
}

bool intel_give_back(const struct pmu *pmu)
{
	struct intel_pmu *state = intel_pmu(pmu);
	bool good = true;

	while (state->n_kept) {
		state->n_kept--;
		good &= msr_write(state->kept[state->n_kept].address, state->kept[state->n_kept].value);
	}
	return good;
}

static bool reset(const struct pmu *pmu, const char **why)
{
	const struct intel_found *found = intel_found(pmu);
	uint64_t value;

	intel_give_back(pmu);
	if (pmu->has_global && !msr_write(IA32_PERF_GLOBAL_CTRL, 0))
		return fault(pmu, why, "IA32_PERF_GLOBAL_CTRL");
	if (pmu->n_fixed && !msr_write(IA32_FIXED_CTR_CTRL, 0))
		return fault(pmu, why, "IA32_FIXED_CTR_CTRL");
	if (intel_has_pebs())
		msr_write(IA32_PEBS_ENABLE,
			  0); /* if it faults, records are missing, and that is told there */
	else if (found->leaf.pebs_counters)
		intel_apebs_clear(found->leaf.pebs_counters); /* likewise */
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (general(&pmu->counter[c]) && !msr_write(IA32_PERFEVTSEL0 + pmu->counter[c].index, 0))
			return fault(pmu, why, "IA32_PERFEVTSELx");

	for (unsigned bit = 0; bit < 64; bit++)
		if (found->leaf.reloaded >> bit & 1 && !msr_write(intel_reload_mask(bit), 0))
			return fault(pmu, why, "IA32_PMC_GPn_CFG_B");

	/* Branch records, traces and freezing would disturb counting. Single-stepping on branches (BTF) is
	 * not ours. A hypervisor may lack the register. */
	if (msr_read(IA32_DEBUGCTL, &value) && value & ~DEBUGCTL_BTF)
		msr_write(IA32_DEBUGCTL, value & DEBUGCTL_BTF);
	if (cpu_has(CPU_ARCH_LBR))
		msr_write(IA32_LBR_CTL, 0);

	if (!intel_flush_selectors(pmu))
		return fault(pmu, why, "the sequence that erratum AAJ91 asks for");

	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (!write_counter(pmu, c, 0))
			return fault(pmu, why, pmu->counter[c].name);

	if (pmu->has_global) {
		if (!msr_read(IA32_PERF_GLOBAL_STATUS, &value))
			return fault(pmu, why, "IA32_PERF_GLOBAL_STATUS");
		if (value && !msr_write(IA32_PERF_GLOBAL_OVF_CTRL, value))
			return fault(pmu, why, "IA32_PERF_GLOBAL_OVF_CTRL");
	}
	return true;
}

const struct pmu_driver intel_driver = {
	.name = "intel",
	.state_size = sizeof(struct intel_pmu),
	.grammar = &intel_grammar,
	.fields = intel_fields,
	.registers = intel_registers,
	.identities = intel_identities,
	.identify = identify,
	.list_events = list_events,
	.snapshot = intel_snapshot,
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
	.switch_name = {"IA32_PERF_GLOBAL_CTRL", "the counter's own enable"},
	.can_count = can_count,
	.accesses = intel_accesses,
	.power_up = intel_power_up,
	.control = intel_control,
	.manual = x86_manual,
	.recorder = &intel_recorder,
	.workarounds = intel_workarounds,
	.encode = intel_encode,
	.meaning = intel_meaning,
	.candidate = intel_candidate,
	.disputed = intel_disputed_event,
};
