/*
 * PEBS: SDM 18.4.4, 18.8.1, 18.9.4, 18.11.2, 18.13.1; adaptive records and sampling with every counter: later
 * editions.
 *
 * An overflow of a counter whose bit is set in IA32_PEBS_ENABLE arms it and sets its status bit; the next
 * occurrence of its event, in a later step, has a record written, clears the status bit and loads the counter
 * with the reset value of the DS area. So with a reset value of -n there are n + 1 occurrences from one
 * record to the next: n up to the overflow, and the one that is recorded. Counters that are hit by the same
 * step share a record. One that would pass the buffer's absolute maximum is skipped with all that goes with
 * it. The interrupt comes when the index reaches the threshold.
 *
 * An event that is not precise is recorded, where it can be sampled, by the step after the overflow, whatever
 * that does. Of a counter with PDist the record is of the step that overflows it. On profiles whose records
 * are late (model_profile.late) a counter without precise distribution lets none, one or two occurrences pass
 * after an overflow, in turn.
 *
 * Latency and source of a load are those of the machine model, told by the deepest level that it missed:
 * LATENCY_* below. Silicon watches one load at a time, chosen at random, for its load-latency event; here
 * every load is watched.
 */
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/errata/hooks.h"
#include "pmu/contract/record.h"
#include "pmu/virtual/uarch.h"
#include "pmu/x86/general.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

#define LATENCY_L1     4
#define LATENCY_L2     14
#define LATENCY_L3     42
#define LATENCY_MEMORY 210
#define LATENCY_WALK   30

#define SKIDS 3 /* none, one or two occurrences */

static uint64_t code_of(const struct intel_state *s, unsigned c)
{
	return intel_is_fixed(c) ? 0 : s->select[c] & EVTSEL_CODE;
}

unsigned intel_pebs_load_latency(const struct step *step)
{
	unsigned latency = LATENCY_L1;

	if (intel_amount(step, Q_LLC_MISS))
		latency = LATENCY_MEMORY;
	else if (intel_amount(step, Q_L2_LOAD_MISS))
		latency = LATENCY_L3;
	else if (intel_amount(step, Q_L1D_LOAD_MISS))
		latency = LATENCY_L2;
	return latency + (intel_amount(step, Q_DTLB_LOAD_MISS) ? LATENCY_WALK : 0);
}

uint64_t intel_pebs_load_source(const struct step *step)
{
	uint64_t source = PEBS_SOURCE_L1;

	if (intel_amount(step, Q_LLC_MISS))
		source = PEBS_SOURCE_MEMORY;
	else if (intel_amount(step, Q_L2_LOAD_MISS))
		source = PEBS_SOURCE_L3;
	else if (intel_amount(step, Q_L1D_LOAD_MISS))
		source = PEBS_SOURCE_L2;
	return source | (intel_amount(step, Q_DTLB_LOAD_MISS) ? PEBS_SOURCE_WALK : 0) |
	       (intel_amount(step, Q_INSN_LOCKED) ? PEBS_SOURCE_LOCKED : 0);
}

/* SDM 18.8.1.2: the load-latency event counts loads above the threshold, on a counter whose own bit of
 * IA32_PEBS_ENABLE is set, where there are such bits. */
bool intel_pebs_is_latency(const struct intel_state *s, unsigned c)
{
	const struct intel_pebs_state *p = &s->pebs;

	return p->at.latency_event && !intel_is_fixed(c) && code_of(s, c) == p->at.latency_event &&
	       (!p->at.latency_enable || p->enable >> (PEBS_LATENCY + c) & 1);
}

unsigned intel_pebs_slow_loads(const struct intel_state *s, const struct step *step)
{
	unsigned loads = intel_amount(step, Q_LOADS);
	uint64_t threshold = 0;

	for (unsigned i = 0; i < s->n_extras; i++)
		if (s->extra[i].address == MSR_PEBS_LD_LAT)
			threshold = intel_hook_latency(s, s->extra_value[i]);
	return loads && intel_pebs_load_latency(step) > threshold ? loads : 0;
}

bool intel_pebs_samples(const struct intel_state *s, unsigned c)
{
	if (s->pebs.at.architectural)
		return intel_apebs_samples(s, c);
	return s->pebs.enable & s->pebs.at.counters & intel_global_bit(c);
}

/* Whether counter c counts what a record can be of. */
static bool is_precise(const struct intel_state *s, unsigned c)
{
	const struct intel_pebs *at = &s->pebs.at;

	return intel_is_fixed(c) ? c == INTEL_GENERAL_MAX
				 : intel_pebs_precise(s->signature, at, s->select[c] & EVTSEL_CODE);
}

/* What a record loads the counter with. */
bool intel_pebs_reset_value(const struct intel_state *s, unsigned c, uint64_t *value)
{
	bool fixed = intel_is_fixed(c);
	unsigned i = ds_reset(s->pebs.at.format, fixed, fixed ? c - INTEL_GENERAL_MAX : c);

	if (s->pebs.at.architectural)
		*value = intel_reload_value(s, c);
	else if (!intel_ds_read(s, (unsigned)(offsetof(struct ds_area, reset) + i * sizeof *value), value))
		return false;
	*value &= s->counter[c].mask;
	return true;
}

static bool is_exact(const struct intel_state *s, unsigned c)
{
	uint64_t reset;

	return is_precise(s, c) && intel_pebs_reset_value(s, c, &reset) &&
	       intel_pebs_exact(&s->pebs.at, intel_global_bit(c), code_of(s, c),
				counter_left(reset, s->counter[c].mask));
}

void intel_pebs_overflow(struct intel_state *s, unsigned c)
{
	struct intel_pebs_state *p = &s->pebs;
	bool exact = is_exact(s, c);
	bool skids = intel_hook_skids(s, exact, !exact && p->late);

	if (exact && !skids && p->at.at_once & intel_global_bit(c)) {
		p->hit |= 1u << c;
		return;
	}
	p->arming |= 1u << c;
	intel_hook_armed(s);
	p->skid[c] = 0;
	if (skids) {
		p->skid[c] = p->overflows;
		p->overflows = (p->overflows + 1) % SKIDS;
	}
}

/* Of armed counters those whose record this step makes: it counted, or was all that was waited for. */
static uint32_t recorded(struct intel_state *s, const struct step *step, uint32_t hit)
{
	struct intel_pebs_state *p = &s->pebs;
	uint32_t waiting = p->armed & s->running & ~(step->own_write ? s->started : 0);

	if (intel_hook_pebs_off(s))
		return 0;
	for (unsigned c = 0; waiting >> c; c++) {
		if (!(waiting >> c & 1))
			continue;
		if (p->at.extended && !is_precise(s, c))
			hit = intel_hook_extended_lost(s) ? hit & ~(1u << c) : hit | 1u << c;
		else if (hit >> c & 1 && p->skid[c])
			p->skid[c]--, hit &= ~(1u << c);
	}
	return hit;
}

/* Before the instruction's own registers are lost, for parts whose records show the state before it. */
static void remember(struct intel_pebs_state *p, const struct step *step)
{
	if (step->registers && !p->at.trap)
		p->before = *step->registers;
}

bool intel_pebs_on(const struct intel_state *s)
{
	return s->pebs.enable || s->pebs.index & APEBS_ENABLE;
}

/* The step that overflows must come with all that a record tells. */
static bool samples_at_once(const struct intel_state *s)
{
	for (unsigned i = 0; s->pebs.at.at_once && intel_pebs_on(s) && i < s->n_running; i++) {
		unsigned c = s->run_list[i];

		if (s->pebs.at.at_once & intel_global_bit(c) && intel_pebs_samples(s, c) && is_exact(s, c))
			return true;
	}
	return false;
}

bool intel_pebs_recording(const struct intel_state *s)
{
	const struct intel_pebs_state *p = &s->pebs;

	if (!p->at.exists && !p->at.architectural)
		return false;
	/* What a stopped counter is armed for does not happen, but for what is injected. */
	if (p->armed & s->running || intel_hook_records_stopped(s, p->armed))
		return true;
	return (!p->at.trap && p->enable && s->n_running) || samples_at_once(s);
}

/* Events of memory accesses (CDH, D0H) have unit masks for loads and for stores; those of where loads were
 * served (D1H to D3H) use the same bit for a level of cache. */
static bool is_of_stores(uint64_t select)
{
	unsigned event = select & 0xff;

	return (event == 0xcd || event == 0xd0) && select >> 8 & 2;
}

/* The access that the record's data address is of: the first load, or the first store of an event of stores.
 */
uint64_t intel_pebs_address(const struct intel_state *s, uint32_t hit, const struct step *step)
{
	bool stores = false, has = false, latency = false;

	for (unsigned c = 0; c < INTEL_GENERAL_MAX; c++)
		if (hit >> c & 1 && intel_pebs_has_address(&s->pebs.at, s->select[c])) {
			has = true;
			latency = s->counter[c].latency;
			stores = is_of_stores(s->select[c]);
		}
	if (!has)
		return 0;
	for (unsigned i = 0; i < step->n_access; i++)
		if (step->access[i].store == stores)
			return intel_hook_address(s, latency, step->access[i].address);
	return step->n_access ? step->access[0].address : 0;
}

uint64_t intel_pebs_snapshot(const struct intel_state *s, unsigned c)
{
	return intel_hook_snapshot(s, s->counter[c].value) & s->counter[c].mask;
}

uint64_t intel_pebs_counters(const struct intel_state *s, uint32_t hit)
{
	uint64_t bits = 0;

	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (hit >> c & 1)
			bits |= intel_global_bit(c);
	return intel_hook_record_counters(s, bits);
}

/* Formats 0 to 3. @return its size */
static size_t plain(struct intel_state *s, uint32_t hit, const struct step *step, uint8_t *out)
{
	const struct intel_pebs_state *p = &s->pebs;
	const struct step_registers *regs = p->at.trap ? step->registers : &p->before;
	struct pebs_record r = {.ip = p->at.trap ? step->next : step->ip};

	if (regs) {
		r.flags = regs->flags;
		memcpy(r.general, regs->general, sizeof r.general);
	}
	r.status = p->at.format >= 3 ? intel_pebs_counters(s, hit) : s->status;
	r.address = intel_pebs_address(s, hit, step);
	if (r.address && intel_amount(step, Q_LOADS) && !intel_hook_load_untold(s)) {
		r.source = intel_pebs_load_source(step);
		r.latency = intel_pebs_load_latency(step);
	}
	r.eventing_ip = intel_hook_record_ip(s, step->ip);
	r.clock = step->clock;
	memcpy(out, &r, p->at.size);
	return p->at.size;
}

static void append(uint8_t *out, size_t *size, const void *group, size_t bytes)
{
	memcpy(out + *size, group, bytes);
	*size += bytes;
}

static bool all_adaptive(const struct intel_state *s, uint32_t hit)
{
	for (unsigned c = 0; c < INTEL_COUNTERS; c++) {
		if (!(hit >> c & 1))
			continue;
		bool adaptive =
			intel_is_fixed(c)
				? s->fixed_control >> (FIXED_ADAPTIVE_SHIFT + 4 * (c - INTEL_GENERAL_MAX)) & 1
				: s->select[c] & EVTSEL_ADAPTIVE;
		if (!adaptive)
			return false;
	}
	return true;
}

/* Format 6: values of the counters that are named. */
static void append_counters(const struct intel_state *s, uint64_t cfg, uint8_t *out, size_t *size)
{
	struct pebs_counters header = {0};
	size_t at = *size;

	if (cfg & PEBS_CFG_COUNTERS) {
		header.general = cfg >> PEBS_CFG_GENERAL & 0xffff & s->leaf.general;
		header.fixed = cfg >> PEBS_CFG_FIXED & 0xff & s->leaf.fixed;
	}
	append(out, size, &header, sizeof header);
	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (intel_is_fixed(c) ? header.fixed >> (c - INTEL_GENERAL_MAX) & 1
				      : header.general >> c & 1) {
			const uint64_t value = intel_pebs_snapshot(s, c);

			append(out, size, &value, sizeof value);
		}
	if (cfg & PEBS_CFG_METRICS) {
		const uint64_t metrics[2] = {s->counter[INTEL_GENERAL_MAX + FIXED_SLOTS].value,
					     intel_metrics_read(s)};

		header.metrics = PEBS_METRICS_THERE;
		append(out, size, metrics, sizeof metrics);
	}
	memcpy(out + at, &header, sizeof header);
}

static size_t adaptive(struct intel_state *s, uint32_t hit, const struct step *step, uint8_t *out)
{
	const struct intel_pebs_state *p = &s->pebs;
	uint64_t cfg = all_adaptive(s, hit) ? p->data_cfg : 0;
	struct pebs_basic basic = {.format = cfg & 0xffffffff,
				   .ip = intel_hook_record_ip(s, step->ip),
				   .counters = intel_pebs_counters(s, hit),
				   .clock = step->clock};
	size_t size = 0;

	if (p->at.format >= 5)
		basic.format |= (uint64_t)(step->cycles & 0xffff) << PEBS_RETIRE_TIME;
	append(out, &size, &basic, sizeof basic);
	if (cfg & PEBS_CFG_MEMORY) {
		struct pebs_memory m = {.address = intel_pebs_address(s, hit, step)};
		if (m.address && intel_amount(step, Q_LOADS) && !intel_hook_load_untold(s)) {
			m.source = intel_pebs_load_source(step);
			m.latency = intel_pebs_load_latency(step);
		}
		append(out, &size, &m, sizeof m);
	}
	if (cfg & PEBS_CFG_GPRS) {
		struct pebs_gprs g = {.ip = step->next};
		if (step->registers) {
			const uint64_t *r = step->registers->general;
			g = (struct pebs_gprs){step->registers->flags,
					       step->next,
					       r[GPR_RAX],
					       r[GPR_RCX],
					       r[GPR_RDX],
					       r[GPR_RBX],
					       r[GPR_RSP],
					       r[GPR_RBP],
					       r[GPR_RSI],
					       r[GPR_RDI],
					       {0}};
			memcpy(g.r8, r + GPR_R8, sizeof g.r8);
		}
		append(out, &size, &g, sizeof g);
	}
	if (cfg & PEBS_CFG_XMM) {
		if (step->vectors != NULL)
			memcpy(out + size, step->vectors, PEBS_XMM_SIZE);
		else
			memset(out + size, 0, PEBS_XMM_SIZE);
		size += PEBS_XMM_SIZE;
	}
	for (unsigned i = 0; cfg & PEBS_CFG_BRANCHES && i <= (cfg >> PEBS_CFG_DEPTH & 0xff); i++) {
		struct pebs_branch b;
		intel_lbr_recent(s, i, &b.from, &b.to, &b.info);
		append(out, &size, &b, sizeof b);
	}
	if (cfg & (PEBS_CFG_COUNTERS | PEBS_CFG_METRICS))
		append_counters(s, cfg, out, &size);
	basic.format |= (uint64_t)size << PEBS_SIZE_SHIFT;
	memcpy(out, &basic, sizeof basic);
	return size;
}

bool intel_pebs_shows_vectors(const void *state)
{
	const struct intel_state *s = state;

	return s->pebs.at.architectural ? intel_apebs_shows_vectors(s) : s->pebs.data_cfg & PEBS_CFG_XMM;
}

/* After the record: back to where the DS area or the counter's own register says, no longer armed, no
 * overflow to be seen. */
static void reload(struct intel_state *s, uint32_t hit)
{
	for (unsigned c = 0; c < INTEL_COUNTERS; c++) {
		uint64_t value;

		if (!(hit >> c & 1))
			continue;
		if (intel_pebs_reset_value(s, c, &value))
			s->counter[c].value = value;
		s->status &= ~intel_global_bit(c);
	}
	s->pebs.armed &= ~hit;
}

/* @return false if there is no room: nothing happens then */
static bool write_record(struct intel_state *s, uint32_t hit, const struct step *step)
{
	const struct step_memory *m = s->ds.memory;
	uint8_t record[sizeof(struct pebs_basic) + sizeof(struct pebs_memory) + sizeof(struct pebs_gprs) +
		       PEBS_XMM_SIZE + 256 * sizeof(struct pebs_branch) + sizeof(struct pebs_counters) +
		       (INTEL_COUNTERS + 2) * sizeof(uint64_t)];
	uint64_t index, max, threshold;

	if (s->pebs.at.architectural)
		return intel_apebs_put(s, hit, step);
	if (!intel_ds_read(s, offsetof(struct ds_area, pebs.index), &index) ||
	    !intel_ds_read(s, offsetof(struct ds_area, pebs.max), &max) ||
	    !intel_ds_read(s, offsetof(struct ds_area, pebs.threshold), &threshold))
		return false;
	size_t size = s->pebs.at.adaptive ? adaptive(s, hit, step, record) : plain(s, hit, step, record);
	if (index + size > max) {
		intel_hook_no_room(s);
		return false;
	}
	if (!m->write(m->ctx, index, record, size))
		return false;
	uint64_t next = index + size;
	intel_ds_write(s, offsetof(struct ds_area, pebs.index), next);
	bool reached = index < threshold && next >= threshold;
	if (intel_hook_threshold(s, index, size, threshold, reached) && !intel_hook_reached(s))
		intel_ds_overflow(s);
	return true;
}

bool intel_pebs_advance(struct intel_state *s, const struct step *step)
{
	struct intel_pebs_state *p = &s->pebs;
	uint32_t hit = p->hit, arming = p->arming;
	bool changed = hit || arming;

	p->hit = p->arming = 0;
	hit = recorded(s, step, hit);
	changed |= hit != 0;
	hit = intel_hook_recorded(s, hit);
	if (hit && write_record(s, hit, step)) {
		if (intel_hook_redundant(s, hit))
			write_record(s, hit, step);
		reload(s, hit);
		intel_hook_written(s, hit);
	} else {
		arming |= hit; /* PDist's, which was not armed before */
	}
	p->armed |= arming;
	intel_hook_pebs_stepped(s, step);
	remember(p, step);
	return changed;
}

/* --- registers -------------------------------------------------------------------------------------- */

enum register_answer intel_pebs_read(struct intel_state *s, uint32_t address, uint64_t *value)
{
	*value = 0;
	switch (address) {
	case IA32_MISC_ENABLE:
		*value = s->misc_enable;
		return REGISTER_DONE;
	case IA32_DS_AREA:
		*value = s->ds.area;
		return s->ds.exists ? REGISTER_DONE : REGISTER_FAULT;
	case IA32_PEBS_ENABLE:
		*value = s->pebs.enable;
		return s->pebs.at.exists ? REGISTER_DONE : REGISTER_FAULT;
	case IA32_PEBS_BASE:
	case IA32_PEBS_INDEX:
		return intel_apebs_read(s, address, value);
	case IA32_PEBS_DATA_CFG:
		*value = s->pebs.data_cfg;
		return s->pebs.at.adaptive ? REGISTER_DONE : REGISTER_FAULT;
	}
	for (unsigned i = 0; i < s->n_extras; i++)
		if (s->extra[i].address == address) {
			*value = s->extra_value[i];
			return REGISTER_DONE;
		}
	return address == MSR_OFFCORE_RSP_0 || address == MSR_OFFCORE_RSP_1 || address == MSR_PEBS_LD_LAT ||
			       address == MSR_PEBS_FRONTEND
		       ? REGISTER_FAULT
		       : REGISTER_NOT_MINE;
}

enum register_answer intel_pebs_write(struct intel_state *s, uint32_t address, uint64_t value)
{
	struct intel_pebs_state *p = &s->pebs;
	const uint64_t read_only = MISC_ENABLE_PERFMON | MISC_ENABLE_NO_BTS | MISC_ENABLE_NO_PEBS;

	switch (address) {
	case IA32_MISC_ENABLE:
		if (value & ~s->misc_enable & (MISC_ENABLE_NO_BTS | MISC_ENABLE_NO_PEBS))
			return REGISTER_FAULT;
		s->misc_enable = (value & ~read_only) | (s->misc_enable & read_only);
		return REGISTER_DONE;
	case IA32_DS_AREA:
		if (!s->ds.exists || (value != (uint64_t)((int64_t)(value << 16) >> 16)))
			return REGISTER_FAULT;
		s->ds.area = value;
		return REGISTER_DONE;
	case IA32_PEBS_ENABLE:
		if (!p->at.exists || intel_reserved(s, &value, p->at.enable))
			return REGISTER_FAULT;
		p->enable = value;
		for (unsigned c = 0; c < INTEL_COUNTERS; c++)
			if (!intel_pebs_samples(s, c))
				p->armed &= ~(1u << c);
		intel_update_running(s);
		return REGISTER_DONE;
	case IA32_PEBS_BASE:
	case IA32_PEBS_INDEX:
		return intel_apebs_write(s, address, value);
	case IA32_PEBS_DATA_CFG:
		if (!p->at.adaptive || intel_reserved(s, &value, intel_pebs_data_cfg_bits(&p->at)))
			return REGISTER_FAULT;
		p->data_cfg = value;
		return REGISTER_DONE;
	}
	for (unsigned i = 0; i < s->n_extras; i++)
		if (s->extra[i].address == address) {
			if (intel_reserved(s, &value, s->extra[i].valid))
				return REGISTER_FAULT;
			s->extra_value[i] = value;
			for (unsigned c = 0; c < INTEL_GENERAL_MAX; c++)
				if (s->counter[c].offcore)
					intel_decode_general(s, c);
			intel_update_running(s);
			return REGISTER_DONE;
		}
	return intel_pebs_read(s, address, &value) == REGISTER_FAULT ? REGISTER_FAULT : REGISTER_NOT_MINE;
}
