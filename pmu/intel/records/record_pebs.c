/*
 * PEBS: SDM 18.4.4, 18.8.1, 18.9.4, 18.11.2, 18.13.1, and for adaptive records later editions.
 *
 * The occurrence after an overflow is recorded, and its record loads the counter with the reset value: so the
 * reset value is 1 less than the period below zero. Of a counter with PDist it is the occurrence that
 * overflows, and of an event that is not precise whatever retires next: then it is the period.
 */
#include "pmu/contract/counter_values.h"
#include "pmu/intel/records/record_pebs.h"
#include "pmu/intel/records/record_ds.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/state.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/driver/workarounds.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/records/pebs.h"
#include "pmu/intel/registers.h"
#include "pmu/x86/general.h"

#include <stdio.h>
#include <string.h>

#define GROUPS        (PEBS_CFG_MEMORY | PEBS_CFG_GPRS)
#define LEAST_LATENCY 3 /* SDM 18.8.1.2 */
#define PERIOD_MIN    2
#define CODE_STORE    0x02cd

uint64_t intel_pebs_bit(const struct pmu_counter *k)
{
	return 1ull << (k->kind == COUNTER_FIXED ? GLOBAL_FIXED_SHIFT + k->index : k->index);
}

/* Adaptive: what IA32_PEBS_DATA_CFG is told. r NULL: nothing more is asked for. */
static uint64_t groups_of(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t groups = GROUPS, instructions = r ? intel_pebs_groups_counter(pmu, r) : 0;

	if (r && r->more & RECORD_MORE_VECTORS)
		groups |= PEBS_CFG_XMM;
	if (r && r->more & RECORD_MORE_BRANCHES)
		groups |= PEBS_CFG_BRANCHES | (RECORD_BRANCHES - 1ull) << PEBS_CFG_DEPTH;
	if (instructions) {
		const struct pmu_counter *k = &pmu->counter[__builtin_ctzll(instructions)];

		groups |= PEBS_CFG_COUNTERS |
			  1ull << ((k->kind == COUNTER_FIXED ? PEBS_CFG_FIXED : PEBS_CFG_GENERAL) + k->index);
	}
	return groups;
}

static size_t record_size(const struct intel_pebs *p, const struct pmu *pmu, const struct pmu_recording *r)
{
	return p->adaptive ? intel_pebs_adaptive_size(groups_of(pmu, r)) : p->size;
}

/* What each record tells; what only those of some events do is added to the single record. */
static uint32_t fields(const struct intel_pebs *p)
{
	uint32_t registers = RECORD_HAS_FLAGS | RECORD_HAS_GENERAL;

	if (p->adaptive)
		return RECORD_HAS_IP | RECORD_HAS_NEXT_IP | registers | RECORD_HAS_COUNTERS |
		       RECORD_HAS_CLOCK;
	return registers | (p->trap ? RECORD_HAS_NEXT_IP : RECORD_HAS_IP | RECORD_HAS_BEFORE) |
	       (p->eventing_ip ? RECORD_HAS_IP : 0) |
	       (p->format >= 3 ? RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK : 0);
}

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	char *name = pmu->state->source_name[RECORD_PRECISE];
	struct intel_pebs p = intel_pebs_here();
	uint64_t value;

	if (p.architectural)
		return intel_apebs_describe(pmu, &p, out, why);
	if (!intel_ds_usable(pmu, MISC_ENABLE_NO_PEBS, why))
		return false;
	if (!p.exists || !pmu->has_global) {
		*why = "no IA32_PERF_CAPABILITIES or no global control: PEBS cannot be told";
		return false;
	}
	if (!msr_read(IA32_PEBS_ENABLE, &value) || (p.adaptive && !msr_read(IA32_PEBS_DATA_CFG, &value))) {
		*why = pmu_reason(pmu, "the PEBS registers raise #GP though CPUID promises them%s",
				  cpu_has(CPU_HYPERVISOR) ? " (the hypervisor does not pass them on)" : "");
		return false;
	}
	snprintf(name, PMU_SOURCE_NAME, "PEBS, record format %u%s", p.format, p.adaptive ? ", adaptive" : "");
	*out = (struct pmu_record_source){
		.kind = RECORD_PRECISE,
		.name = name,
		.fields = fields(&p),
		.period_unit = 1,
		.record_size = record_size(&p, pmu, NULL),
		.records_most = pmu_works_around(pmu, WORK_BIGPEBS)
					? BIGPEBS_MOST / (unsigned)record_size(&p, pmu, NULL)
					: 0,
		.more = intel_pebs_groups_offered(&p),
		.manual = "SDM 18.4.4, 18.8.1"};
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (p.counters & intel_pebs_bit(&pmu->counter[c]))
			out->counters |= 1ull << c;
	return true;
}

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;

	if (p.architectural)
		return intel_apebs_memory(&p, r);
	return intel_ds_memory(r, record_size(&p, pmu, r));
}

/* Whether a record of it is of an instruction at which the event occurred. */
static bool is_precise(const struct intel_pebs *p, const struct pmu_recording *r, const struct pmu_counter *k)
{
	return k->kind == COUNTER_FIXED ? !k->index : intel_pebs_precise(cpuid(1, 0).eax, p, r->config.code);
}

/* What follows the overflow is recorded, unless it is what overflows, or whatever comes. */
uint64_t intel_pebs_distance(const struct intel_pebs *p, const struct pmu_recording *r,
			     const struct pmu_counter *k)
{
	bool precise = is_precise(p, r, k);
	bool at_once = precise && p->at_once & intel_pebs_bit(k) &&
		       intel_pebs_exact(p, intel_pebs_bit(k), r->config.code, r->period);

	return r->period - (precise && !at_once);
}

/* Whether the period is one that an erratum tells of wrong records for, and that is worked around. */
static bool is_spoilt(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
		      const char **why)
{
	const struct pmu_counter *k = &pmu->counter[r->counter];

	if (!r->period || !p->exact_code || (r->config.code & EVTSEL_CODE) != p->exact_code ||
	    k->kind != COUNTER_GENERAL)
		return false;
	uint64_t distance = intel_pebs_distance(p, r, k);

	if (pmu_works_around(pmu, WORK_BJ103) && distance < EXACT_PERIOD_LOW) {
		*why = "erratum BJ103: precise distribution takes periods of 101 and more";
		return true;
	}
	*why = "erratum BDD53: precise distribution takes periods of a multiple of 64, and 1";
	return pmu_works_around(pmu, WORK_BDD53) && distance & 63;
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;
	const struct pmu_config *config = &r->config;

	if (r->counter >= pmu->n_counters || !(p.counters & intel_pebs_bit(&pmu->counter[r->counter]))) {
		*why = "this counter cannot sample";
		return false;
	}
	const struct pmu_counter *k = &pmu->counter[r->counter];
	bool precise = is_precise(&p, r, k);
	if (r->loosely && !p.extended) {
		*why = "this CPU samples precise events alone: it has no extended PEBS";
		return false;
	}
	if (k->kind == COUNTER_FIXED) {
		if (!precise && !r->loosely)
			*why = "of the fixed counters the one of instructions alone is precise";
		return precise || r->loosely;
	}
	if (config->edge || config->invert || config->cmask || config->any_thread) {
		*why = "PEBS takes no threshold, edge, inversion or other threads (SDM 18.11.5.1)";
		return false;
	}
	if (!precise && !r->loosely) {
		*why = "the event is not precise: its record is of some later instruction";
		return false;
	}
	if (p.exact_code && (config->code & EVTSEL_CODE) == p.exact_code && !(p.exact & intel_pebs_bit(k))) {
		*why = pmu_reason(pmu, "precise distribution is for counter %d alone",
				  __builtin_ctzll(p.exact));
		return false;
	}
	return !is_spoilt(pmu, &p, r, why);
}

static bool is_exact(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;
	const struct pmu_counter *k = &pmu->counter[r->counter];

	return is_precise(&p, r, k) &&
	       intel_pebs_exact(&p, intel_pebs_bit(k), r->config.code, intel_pebs_distance(&p, r, k));
}

bool intel_pebs_of_latency(const struct intel_pebs *p, const struct pmu_recording *r,
			   const struct pmu_counter *k)
{
	return k->kind == COUNTER_GENERAL && p->latency_event &&
	       (r->config.code & EVTSEL_CODE) == p->latency_event;
}

bool intel_latency_above(const struct pmu *pmu, const struct pmu_event *e, uint32_t *cycles)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;

	*cycles = (uint32_t)(e->extra_value > LEAST_LATENCY ? e->extra_value : LEAST_LATENCY);
	return e->extra_register == MSR_PEBS_LD_LAT && p.latency_event &&
	       (e->code & EVTSEL_CODE) == p.latency_event;
}

/* Bits of IA32_PEBS_ENABLE for the recording. */
static uint64_t enable_bits(const struct intel_pebs *p, const struct pmu_recording *r,
			    const struct pmu_counter *k)
{
	uint64_t bits = intel_pebs_bit(k);

	if (intel_pebs_of_latency(p, r, k) && p->latency_enable)
		bits |= 1ull << (PEBS_LATENCY + k->index);
	if (p->precise_store && k->kind == COUNTER_GENERAL && (r->config.code & EVTSEL_CODE) == CODE_STORE)
		bits |= PEBS_PRECISE_STORE;
	return bits;
}

/* Have the counter's records take the groups of IA32_PEBS_DATA_CFG. */
static bool set_adaptive(const struct pmu_counter *k)
{
	if (k->kind == COUNTER_FIXED)
		return intel_change_msr(IA32_FIXED_CTR_CTRL, 0,
					1ull << (FIXED_ADAPTIVE_SHIFT + 4 * k->index));
	return intel_change_msr(IA32_PERFEVTSEL0 + k->index, 0, EVTSEL_ADAPTIVE);
}

bool intel_pebs_least_latency(void)
{
	uint64_t value;

	return msr_read(MSR_PEBS_LD_LAT, &value) &&
	       (value >= LEAST_LATENCY || msr_write(MSR_PEBS_LD_LAT, LEAST_LATENCY));
}

/* A counter for the event that load latency wants beside it, as a mask; 0: none is wanted. */
static uint64_t aux_counter(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t taken = 1ull << r->counter | intel_pebs_groups_counter(pmu, r);

	if (!pmu_works_around(pmu, WORK_LOADS_AUX))
		return 0;
	const struct intel_pebs p = intel_found(pmu)->pebs;

	if (!intel_pebs_of_latency(&p, r, &pmu->counter[r->counter]))
		return 0;
	return ~taken & -~taken & ((1ull << pmu->n_general) - 1);
}

static bool aux_setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	const struct pmu_config config = {.code = LOADS_AUX_CODE, .levels = LEVELS_ALL};
	uint64_t counter = aux_counter(pmu, r);

	if (!counter || intel_driver.program(pmu, (unsigned)__builtin_ctzll(counter), &config))
		return true;
	*why = "the counter beside load latency was refused";
	return false;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;
	const struct pmu_counter *k = &pmu->counter[r->counter];
	struct pmu_config config = r->config;
	uint64_t mask = counter_ones(k), reset;

	if (r->period < PERIOD_MIN) {
		*why = "what follows an overflow is recorded: a period is 2 at least";
		return false;
	}
	if (k->write_width < 64 && r->period > 1ull << (k->write_width - 1)) {
		*why = "the period is longer than a counter can be set for";
		return false;
	}
	if (is_spoilt(pmu, &p, r, why))
		return false;
	reset = -intel_pebs_distance(&p, r, k) & mask;
	config.levels = r->levels;
	config.interrupt = false;
	if (p.architectural)
		return intel_apebs_setup(pmu, &p, r, &config, why);
	if (pmu_works_around(pmu, WORK_BIGPEBS) && r->records * record_size(&p, pmu, r) > BIGPEBS_MOST) {
		*why = "erratum C2-BIGPEBS: a buffer for records is no larger than a page";
		return false;
	}
	if (!msr_write(IA32_PEBS_ENABLE, 0) || !intel_ds_setup(r, record_size(&p, pmu, r), true, why))
		return false;
	intel_ds_area(r)->reset[ds_reset(p.format, k->kind == COUNTER_FIXED, k->index)] = reset;
	if (!intel_driver.program(pmu, r->counter, &config) || !intel_driver.write(pmu, r->counter, reset) ||
	    (p.adaptive && (!set_adaptive(k) || !msr_write(IA32_PEBS_DATA_CFG, groups_of(pmu, r)))) ||
	    (intel_pebs_of_latency(&p, r, k) && !intel_pebs_least_latency()) ||
	    !msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_OVF_BUF) ||
	    !msr_write(IA32_PEBS_ENABLE, enable_bits(&p, r, k))) {
		*why = "a register of PEBS raised #GP";
		return false;
	}
	return intel_pebs_groups_setup(pmu, r, why) && aux_setup(pmu, r, why);
}

static uint64_t mask_of(const struct pmu *pmu, const struct pmu_recording *r)
{
	return 1ull << r->counter | intel_pebs_groups_counter(pmu, r) | aux_counter(pmu, r);
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	return intel_driver.start(pmu, mask_of(pmu, r));
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t bits = 0;

	for (uint64_t left = mask_of(pmu, r); left; left &= left - 1)
		bits |= intel_pebs_bit(&pmu->counter[__builtin_ctzll(left)]);
	return intel_change_msr(IA32_PERF_GLOBAL_CTRL, bits, 0);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	return intel_driver.bracket_enable(pmu, mask_of(pmu, r), out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;

	if (p.architectural)
		return intel_apebs_state(&p, r, out);
	intel_ds_state(pmu, &intel_ds_area(r)->pebs, record_size(&p, pmu, r), out);
	return true;
}

uint64_t intel_pebs_counter_mask(const struct pmu *pmu, uint64_t bits)
{
	uint64_t mask = 0;

	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (bits & intel_pebs_bit(&pmu->counter[c]))
			mask |= 1ull << c;
	return mask;
}

static void set_memory(struct pmu_record *out, const uint64_t *group)
{
	out->address = group[0];
	out->source = group[1];
	out->latency = (uint32_t)group[2];
	out->has |= RECORD_HAS_ADDRESS | (out->source ? RECORD_HAS_SOURCE : 0) |
		    (out->latency ? RECORD_HAS_LATENCY : 0);
}

static void translate(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
		      const uint8_t *bytes, struct pmu_record *out)
{
	struct pebs_record raw = {0};

	memcpy(&raw, bytes, p->size);
	*out = (struct pmu_record){
		.kind = RECORD_PRECISE, .has = fields(p), .flags = raw.flags, .clock = raw.clock};
	if (p->trap)
		out->next_ip = raw.ip;
	else
		out->ip = raw.ip;
	if (p->eventing_ip)
		out->ip = raw.eventing_ip;
	memcpy(out->general, raw.general, sizeof raw.general);
	out->n_general = GPR_COUNT;
	/* Before format 3 it is the global status, which has other counters' overflows, too. */
	if (p->format >= 3)
		out->counters = intel_pebs_counter_mask(pmu, raw.status);
	if (p->format >= 1 && intel_pebs_has_address(p, r->config.code))
		set_memory(out, &raw.address);
}

/* @return its size, 0 if it is none */
static size_t translate_adaptive(const struct pmu *pmu, const struct intel_pebs *p,
				 const struct pmu_recording *r, const uint8_t *bytes, size_t room,
				 struct pmu_record *out)
{
	struct pebs_basic basic;
	struct pebs_memory m;
	struct pebs_gprs g;
	const uint8_t *next = bytes + sizeof basic;

	if (room < sizeof basic)
		return 0;
	memcpy(&basic, bytes, sizeof basic);
	size_t size = basic.format >> PEBS_SIZE_SHIFT;
	if (size > room || size < intel_pebs_adaptive_size((uint32_t)basic.format))
		return 0;
	*out = (struct pmu_record){.kind = RECORD_PRECISE,
				   .has = RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK,
				   .ip = basic.ip,
				   .counters = intel_pebs_counter_mask(pmu, basic.counters),
				   .clock = basic.clock};
	if (basic.format & PEBS_CFG_MEMORY) {
		memcpy(&m, next, sizeof m);
		next += sizeof m;
		if (intel_pebs_has_address(p, r->config.code) &&
		    pmu->counter[r->counter].kind == COUNTER_GENERAL)
			set_memory(out, &m.address);
	}
	if (basic.format & PEBS_CFG_GPRS) {
		memcpy(&g, next, sizeof g);
		const uint64_t gpr[8] = {g.ax, g.bx, g.cx, g.dx, g.si, g.di, g.bp, g.sp};
		out->has |= RECORD_HAS_NEXT_IP | RECORD_HAS_FLAGS | RECORD_HAS_GENERAL;
		out->next_ip = g.ip;
		out->flags = g.flags;
		memcpy(out->general, gpr, sizeof gpr);
		memcpy(out->general + GPR_R8, g.r8, sizeof g.r8);
		out->n_general = GPR_COUNT;
		next += sizeof g;
	}
	if (basic.format & PEBS_CFG_XMM) {
		intel_pebs_groups_vectors(next, out);
		next += PEBS_XMM_SIZE;
	}
	if (basic.format & PEBS_CFG_BRANCHES) {
		unsigned n = (basic.format >> PEBS_CFG_DEPTH & 0xff) + 1;

		intel_pebs_groups_branches(pmu, next, n, out);
		next += n * sizeof(struct pebs_branch);
	}
	if (basic.format & PEBS_CFG_COUNTERS) {
		struct pebs_counters c;

		memcpy(&c, next, sizeof c);
		next += sizeof c;
		if (next + 8 * (__builtin_popcount(c.general) + __builtin_popcount(c.fixed)) > bytes + size)
			return 0;
		intel_pebs_groups_values(pmu, r, c.general, c.fixed, next, out);
	}
	return size;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;
	volatile struct ds_buffer *b = &intel_ds_area(r)->pebs;
	uint64_t control;
	unsigned n = 0;
	size_t at = 0;

	if (p.architectural)
		return intel_apebs_drain(pmu, &p, r, out, max);

	/* In its handler it goes on: not while it is taken out. */
	if (!msr_read(IA32_PERF_GLOBAL_CTRL, &control) || (control && !msr_write(IA32_PERF_GLOBAL_CTRL, 0)))
		return 0;
	const uint8_t *bytes = (void *)(uintptr_t)b->base;
	size_t filled = b->index - b->base;
	while (n < max && at < filled) {
		size_t size = p.size;

		if (p.adaptive)
			size = translate_adaptive(pmu, &p, r, bytes + at, filled - at, &out[n]);
		else if (filled - at >= size)
			translate(pmu, &p, r, bytes + at, &out[n]);
		else
			size = 0;
		if (!size)
			break;
		at += size;
		n++;
	}
	intel_ds_taken(pmu, b, at);
	if (control)
		msr_write(IA32_PERF_GLOBAL_CTRL, control);
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_pebs p = intel_found(pmu)->pebs;

	uint64_t aux = aux_counter(pmu, r);

	if (p.architectural)
		return stop(pmu, r) && intel_apebs_release(pmu, r) && intel_pebs_groups_release(pmu, r);
	return stop(pmu, r) && (!aux || intel_driver.release(pmu, (unsigned)__builtin_ctzll(aux))) &&
	       intel_pebs_groups_release(pmu, r) && msr_write(IA32_PEBS_ENABLE, 0) &&
	       intel_driver.release(pmu, r->counter) && (!p.adaptive || msr_write(IA32_PEBS_DATA_CFG, 0)) &&
	       msr_write(IA32_DS_AREA, 0) &&
	       msr_write(IA32_PERF_GLOBAL_OVF_CTRL,
			 STATUS_OVF_BUF | intel_pebs_bit(&pmu->counter[r->counter]));
}

const struct pmu_record_kind intel_record_pebs = {
	.describe = describe,
	.can_sample = can_sample,
	.is_exact = is_exact,
	.memory = memory,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
