/*
 * Architectural PEBS (pmu/intel/records/apebs.h): its registers, and records as it writes them. When a record
 * is written, and for which counters, model_pebs.c says: it is the same for both forms.
 *
 * What the manual leaves open, and what is taken: the threshold sets its status bit and interrupts when the
 * offset reaches it, and not again while it stays above; a record that finds no room sets FULL, and nothing
 * more is written until software clears that; of counters that share a record it has the groups of all; a
 * reload value has ones above its 32 bits. Physical and linear addresses are the same here. Records are not
 * cut into fragments. Of the vector registers YMM0 to YMM15 are known, opmasks and the rest of ZMM are 0.
 */
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/errata/hooks.h"
#include "pmu/contract/record.h"
#include "pmu/contract/vectors.h"
#include "pmu/x86/general.h"

#include <string.h>

#define RECORD_MOST 4096
struct apebs_record {
	uint8_t bytes[RECORD_MOST];
	size_t size;
};

bool intel_apebs_samples(const struct intel_state *s, unsigned c)
{
	return s->pebs.index & APEBS_ENABLE && s->cfg_c[c] & APEBS_ENABLED;
}

uint64_t intel_apebs_config_bits(const struct intel_state *s, unsigned c)
{
	const struct intel_pebs *at = &s->pebs.at;

	if (!at->architectural || !(at->counters & intel_global_bit(c)))
		return 0;
	return CFG_C_RELOAD | at->groups | APEBS_ENABLED;
}

void intel_apebs_changed(struct intel_state *s)
{
	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (!intel_pebs_samples(s, c))
			s->pebs.armed &= ~(1u << c);
	intel_update_running(s);
}

enum register_answer intel_apebs_read(const struct intel_state *s, uint32_t address, uint64_t *value)
{
	*value = 0;
	if (!s->pebs.at.architectural)
		return REGISTER_FAULT;
	*value = address == IA32_PEBS_BASE ? s->pebs.base : s->pebs.index;
	return REGISTER_DONE;
}

enum register_answer intel_apebs_write(struct intel_state *s, uint32_t address, uint64_t value)
{
	bool base = address == IA32_PEBS_BASE;

	if (!s->pebs.at.architectural ||
	    intel_reserved(s, &value, base ? APEBS_BASE_SIZE | APEBS_BASE_ADDRESS : APEBS_INDEX_VALID))
		return REGISTER_FAULT;
	if (base)
		s->pebs.base = value;
	else
		s->pebs.index = value;
	intel_apebs_changed(s);
	return REGISTER_DONE;
}

/* --- records ---------------------------------------------------------------------------------------- */

static void add_group(struct apebs_record *r, const void *group, size_t bytes)
{
	memcpy(r->bytes + r->size, group, bytes);
	r->size += bytes;
}

static void add_basic(const struct intel_state *s, uint32_t hit, const struct step *step,
		      struct apebs_record *r)
{
	const struct apebs_basic basic = {
		.ip = intel_hook_record_ip(s, step->ip),
		.counters = intel_pebs_counters(s, hit),
		.clock = step->clock,
		.retire = (step->cycles & 0xffff) | APEBS_RETIRE_VALID,
	};

	add_group(r, &basic, sizeof basic);
}

static void add_aux(const struct intel_state *s, uint32_t hit, const struct step *step,
		    struct apebs_record *r)
{
	struct apebs_aux aux = {.address = intel_pebs_address(s, hit, step)};

	if (aux.address && intel_amount(step, Q_LOADS)) {
		uint64_t latency = intel_pebs_load_latency(step);

		aux.source = intel_pebs_load_source(step);
		aux.latency = latency | latency << APEBS_CACHE_LATENCY;
	}
	add_group(r, &aux, sizeof aux);
}

static void add_gprs(const struct step *step, struct apebs_record *r)
{
	struct apebs_gprs g = {.ip = step->next};

	if (step->registers) {
		const uint64_t *from = step->registers->general;

		g.flags = step->registers->flags;
		g.ax = from[GPR_RAX];
		g.cx = from[GPR_RCX];
		g.dx = from[GPR_RDX];
		g.bx = from[GPR_RBX];
		g.sp = from[GPR_RSP];
		g.bp = from[GPR_RBP];
		g.si = from[GPR_RSI];
		g.di = from[GPR_RDI];
		memcpy(g.r8, from + GPR_R8, sizeof g.r8);
	}
	add_group(r, &g, sizeof g);
}

static void add_vectors(uint64_t groups, const struct step *step, struct apebs_record *r)
{
	static const struct {
		uint64_t group;
		uint16_t size;
		uint8_t component; /* of XSAVE: SDM vol. 1, 13.1 */
	} parts[] = {{APEBS_XMM, 256, 1},
		     {APEBS_YMM, 256, 2},
		     {APEBS_OPMASK, 64, 5},
		     {APEBS_ZMM, 512, 6},
		     {APEBS_ZMM_HIGH, 1024, 7}};
	struct apebs_vectors header = {0};

	for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
		header.components |= groups & parts[i].group ? 1ull << parts[i].component : 0;
	add_group(r, &header, sizeof header);
	for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!(groups & parts[i].group))
			continue;
		memset(r->bytes + r->size, 0, parts[i].size);
		if (parts[i].group == APEBS_XMM && step->vectors)
			memcpy(r->bytes + r->size, step->vectors, parts[i].size);
		if (parts[i].group == APEBS_YMM && step->vectors)
			memcpy(r->bytes + r->size, step->vectors + VECTORS_SIZE, parts[i].size);
		r->size += parts[i].size;
	}
}

static void add_branches(const struct intel_state *s, uint64_t groups, struct apebs_record *r)
{
	unsigned code = groups >> APEBS_LBR & 3, n = code < 3 ? 8 * code : s->lbr.depth;
	const struct apebs_lbr header = {.control = s->lbr.control,
					 .depth = s->lbr.depth,
					 .last_from = s->lbr.ler_from,
					 .last_to = s->lbr.ler_to,
					 .last_info = s->lbr.ler_info};

	add_group(r, &header, sizeof header);
	for (unsigned i = 0; i < n; i++) {
		struct pebs_branch b;

		intel_lbr_recent(s, i, &b.from, &b.to, &b.info);
		add_group(r, &b, sizeof b);
	}
}

/* Values of the counters that allow it. */
static void add_counters(const struct intel_state *s, uint64_t groups, struct apebs_record *r)
{
	struct apebs_counters header = {0};
	size_t at = r->size;

	add_group(r, &header, sizeof header);
	for (unsigned c = 0; c < INTEL_COUNTERS; c++) {
		bool fixed = intel_is_fixed(c);

		if (!s->counter[c].mask || !(groups & (fixed ? APEBS_FIXED : APEBS_GENERAL)) ||
		    !(s->cfg_c[c] & APEBS_ALLOW))
			continue;
		if (fixed)
			header.fixed |= 1u << (c - INTEL_GENERAL_MAX);
		else
			header.general |= 1u << c;
		const uint64_t value = intel_pebs_snapshot(s, c);

		add_group(r, &value, sizeof value);
	}
	if (groups & APEBS_METRICS) {
		const uint64_t metrics[2] = {s->counter[INTEL_GENERAL_MAX + FIXED_SLOTS].value,
					     intel_metrics_read(s)};

		header.metrics = APEBS_METRICS_THERE;
		add_group(r, metrics, sizeof metrics);
	}
	memcpy(r->bytes + at, &header, sizeof header);
}

static void compose(const struct intel_state *s, uint32_t hit, const struct step *step,
		    struct apebs_record *r)
{
	struct apebs_header header = {0};
	uint64_t groups = 0;

	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (hit >> c & 1)
			groups |= s->cfg_c[c] & APEBS_GROUPS & ~APEBS_ALLOW;
	r->size = 0;
	add_group(r, &header, sizeof header);
	add_basic(s, hit, step, r);
	if (groups & APEBS_AUX)
		add_aux(s, hit, step, r);
	if (groups & APEBS_GPRS)
		add_gprs(step, r);
	if (groups & APEBS_VECTORS)
		add_vectors(groups, step, r);
	if (groups & APEBS_LBR_FIELD)
		add_branches(s, groups, r);
	if (groups & APEBS_COUNTERS)
		add_counters(s, groups, r);
	memset(r->bytes + r->size, 0, APEBS_UNIT);
	r->size = (r->size + APEBS_UNIT - 1) & ~(size_t)(APEBS_UNIT - 1);
	header.format = r->size | APEBS_64BIT | groups | APEBS_ENABLED;
	memcpy(r->bytes, &header, sizeof header);
}

bool intel_apebs_shows_vectors(const struct intel_state *s)
{
	for (unsigned c = 0; c < INTEL_COUNTERS; c++)
		if (intel_apebs_samples(s, c) && s->cfg_c[c] & (APEBS_XMM | APEBS_YMM))
			return true;
	return false;
}

bool intel_apebs_put(struct intel_state *s, uint32_t hit, const struct step *step)
{
	struct intel_pebs_state *p = &s->pebs;
	const struct step_memory *m = s->ds.memory;
	uint64_t room = (uint64_t)APEBS_PAGE << (p->base & APEBS_BASE_SIZE);
	uint64_t at = (p->index >> APEBS_WRITE & APEBS_OFFSET) * APEBS_UNIT;
	uint64_t threshold = (p->index >> APEBS_THRESHOLD & APEBS_OFFSET) * APEBS_UNIT;
	struct apebs_record r;

	if (p->index & APEBS_FULL)
		return false;
	compose(s, hit, step, &r);
	if (at + r.size > intel_hook_room(s, room)) {
		p->index |= intel_hook_full(s, APEBS_FULL);
		return false;
	}
	if (!m || !m->write(m->ctx, (p->base & APEBS_BASE_ADDRESS) + at, r.bytes, r.size))
		return false;

	uint64_t next = at + r.size;
	bool reached = at < threshold && next >= threshold;

	p->index = (p->index & ~(APEBS_OFFSET << APEBS_WRITE)) | next / APEBS_UNIT << APEBS_WRITE;
	if (!intel_hook_threshold(s, at, r.size, threshold, reached))
		return true;
	s->status |= STATUS_PEBS;
	intel_raise_pmi(s);
	return true;
}
