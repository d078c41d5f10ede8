/*
 * Architectural PEBS: pmu/intel/records/apebs.h.
 *
 * The buffer is of whole pages. So that it is full when it holds as many records as a recording asks for, the
 * first one goes so many records in front of its end.
 */
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/records/record_pebs.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/state.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/vectors.h"
#include "pmu/x86/general.h"

#include <stdio.h>
#include <string.h>

#define GROUPS        (APEBS_AUX | APEBS_GPRS)
#define PERIOD_MOST   0x80000000u /* a reload value has 32 bits */
#define NEVER_REACHED APEBS_OFFSET

/* Groups that are asked for. r NULL: nothing more than of every record. */
static uint64_t groups_of(const struct intel_pebs *p, const struct pmu_recording *r)
{
	uint64_t groups = p->groups & GROUPS;

	if (r && r->more & RECORD_MORE_VECTORS)
		groups |= APEBS_XMM;
	if (r && r->more & RECORD_MORE_UPPER)
		groups |= APEBS_YMM;
	if (r && r->more & RECORD_MORE_BRANCHES)
		groups |= 1ull << APEBS_LBR; /* RECORD_BRANCHES */
	if (r && r->more & RECORD_MORE_INSTRUCTIONS)
		groups |= APEBS_GENERAL | APEBS_FIXED;
	return groups;
}

_Static_assert(RECORD_BRANCHES == 8, "the least that a record can have");

static size_t vectors_size(uint64_t format)
{
	return (format & APEBS_XMM ? PEBS_XMM_SIZE : 0) + (format & APEBS_YMM ? VECTORS_SIZE : 0) +
	       (format & APEBS_OPMASK ? 64 : 0) + (format & APEBS_ZMM ? 512 : 0) +
	       (format & APEBS_ZMM_HIGH ? 1024 : 0);
}

/* With the value of one counter, if any. */
static size_t record_size(const struct intel_pebs *p, const struct pmu_recording *r)
{
	uint64_t groups = groups_of(p, r);
	size_t size = sizeof(struct apebs_header) + sizeof(struct apebs_basic) +
		      (groups & APEBS_AUX ? sizeof(struct apebs_aux) : 0) +
		      (groups & APEBS_GPRS ? sizeof(struct apebs_gprs) : 0) +
		      (groups & APEBS_VECTORS ? sizeof(struct apebs_vectors) + vectors_size(groups) : 0) +
		      (groups & APEBS_LBR_FIELD
			       ? sizeof(struct apebs_lbr) + RECORD_BRANCHES * sizeof(struct pebs_branch)
			       : 0) +
		      (groups & APEBS_COUNTERS ? sizeof(struct apebs_counters) + sizeof(uint64_t) : 0);

	return (size + APEBS_UNIT - 1) / APEBS_UNIT * APEBS_UNIT;
}

static uint32_t fields(const struct intel_pebs *p)
{
	return RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK |
	       (groups_of(p, NULL) & APEBS_GPRS ? RECORD_HAS_NEXT_IP | RECORD_HAS_FLAGS | RECORD_HAS_GENERAL
						: 0);
}

/* Pages are 4 KiB << this. */
static unsigned size_code(const struct intel_pebs *p, const struct pmu_recording *r)
{
	unsigned code = 0;

	while ((uint64_t)APEBS_PAGE << code < r->records * record_size(p, r) && code < APEBS_BASE_SIZE)
		code++;
	return code;
}

/* Offset of the first record. */
static size_t first(const struct intel_pebs *p, const struct pmu_recording *r)
{
	return ((size_t)APEBS_PAGE << size_code(p, r)) - r->records * record_size(p, r);
}

static uint8_t *buffer(const struct pmu_recording *r)
{
	return (uint8_t *)(((uintptr_t)r->memory + APEBS_PAGE - 1) & ~(uintptr_t)(APEBS_PAGE - 1));
}

static uint32_t config_c(uint64_t bit)
{
	return intel_reload_mask((unsigned)__builtin_ctzll(bit)) + 1;
}

bool intel_apebs_clear(uint64_t counters)
{
	bool ok = msr_write(IA32_PEBS_INDEX, 0) && msr_write(IA32_PEBS_BASE, 0);

	for (; ok && counters; counters &= counters - 1)
		ok = msr_write(config_c(counters & -counters), 0);
	return ok;
}

bool intel_apebs_describe(const struct pmu *pmu, const struct intel_pebs *p, struct pmu_record_source *out,
			  const char **why)
{
	uint64_t value;

	if (!msr_read(IA32_PEBS_BASE, &value) || !msr_read(IA32_PEBS_INDEX, &value)) {
		*why = pmu_reason(pmu, "the PEBS registers raise #GP though CPUID promises them%s",
				  cpu_has(CPU_HYPERVISOR) ? " (the hypervisor does not pass them on)" : "");
		return false;
	}
	*out = (struct pmu_record_source){.kind = RECORD_PRECISE,
					  .name = "architectural PEBS",
					  .fields = fields(p),
					  .period_unit = 1,
					  .record_size = record_size(p, NULL),
					  .more = intel_pebs_groups_offered(p),
					  .manual = "CPUID.23H.4, CPUID.23H.5"};
	out->counters = intel_pebs_counter_mask(pmu, p->counters);
	return true;
}

size_t intel_apebs_memory(const struct intel_pebs *p, const struct pmu_recording *r)
{
	return ((size_t)APEBS_PAGE << size_code(p, r)) + APEBS_PAGE - 1;
}

/* IA32_PEBS_INDEX with the next record there. */
static uint64_t index_at(const struct intel_pebs *p, const struct pmu_recording *r, size_t offset)
{
	uint64_t threshold =
		r->threshold ? (first(p, r) + r->threshold * record_size(p, r)) / APEBS_UNIT : NEVER_REACHED;

	return offset / APEBS_UNIT << APEBS_WRITE | APEBS_ENABLE | threshold << APEBS_THRESHOLD;
}

bool intel_apebs_setup(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
		       const struct pmu_config *config, const char **why)
{
	const struct pmu_counter *k = &pmu->counter[r->counter];
	uint64_t bit = intel_pebs_bit(k), reset = -intel_pebs_distance(p, r, k),
		 instructions = intel_pebs_groups_counter(pmu, r);

	if (r->period > PERIOD_MOST) {
		*why = "the period is longer than a reload value can be";
		return false;
	}
	if (!r->records || r->size < intel_apebs_memory(p, r) ||
	    r->records * record_size(p, r) > (uint64_t)APEBS_PAGE << APEBS_BASE_SIZE) {
		*why = "too little memory for the records, or too much";
		return false;
	}
	if (r->threshold > r->records) {
		*why = "the threshold lies beyond the buffer";
		return false;
	}
	memset(r->memory, 0, r->size);
	if (!intel_apebs_clear(p->counters) || !intel_driver.program(pmu, r->counter, config) ||
	    !intel_driver.write(pmu, r->counter, reset) ||
	    (intel_pebs_of_latency(p, r, k) && !intel_pebs_least_latency()) ||
	    !msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_PEBS) ||
	    !msr_write(IA32_PEBS_BASE, (uintptr_t)buffer(r) | size_code(p, r)) ||
	    !msr_write(config_c(bit), (reset & CFG_C_RELOAD) | groups_of(p, r) | APEBS_ENABLED) ||
	    (instructions &&
	     !msr_write(config_c(intel_pebs_bit(&pmu->counter[__builtin_ctzll(instructions)])),
			APEBS_ALLOW)) ||
	    !msr_write(IA32_PEBS_INDEX, index_at(p, r, first(p, r)))) {
		*why = "a register of PEBS raised #GP";
		return false;
	}
	return intel_pebs_groups_setup(pmu, r, why);
}

/* Offset behind the last record; `first` if the register faults. */
static size_t written(const struct intel_pebs *p, const struct pmu_recording *r, bool *full)
{
	uint64_t index;

	*full = false;
	if (!msr_read(IA32_PEBS_INDEX, &index))
		return first(p, r);
	*full = index & APEBS_FULL;
	return (index >> APEBS_WRITE & APEBS_OFFSET) * APEBS_UNIT;
}

bool intel_apebs_state(const struct intel_pebs *p, const struct pmu_recording *r,
		       struct pmu_record_state *out)
{
	uint64_t status;

	if (!msr_read(IA32_PERF_GLOBAL_STATUS, &status))
		return false;
	out->overflow = status & STATUS_PEBS;
	out->records = (unsigned)((written(p, r, &out->full) - first(p, r)) / record_size(p, r));
	return true;
}

static void take_gprs(const uint8_t *group, struct pmu_record *out)
{
	struct apebs_gprs g;

	memcpy(&g, group, sizeof g);
	const uint64_t gpr[8] = {g.ax, g.bx, g.cx, g.dx, g.si, g.di, g.bp, g.sp};
	out->has |= RECORD_HAS_NEXT_IP | RECORD_HAS_FLAGS | RECORD_HAS_GENERAL;
	out->next_ip = g.ip;
	out->flags = g.flags;
	memcpy(out->general, gpr, sizeof gpr);
	memcpy(out->general + GPR_R8, g.r8, sizeof g.r8);
	out->n_general = GPR_COUNT;
}

static void take_aux(const uint8_t *group, struct pmu_record *out)
{
	struct apebs_aux aux;

	memcpy(&aux, group, sizeof aux);
	out->address = aux.address;
	out->source = aux.source;
	out->latency = (uint32_t)(aux.latency & 0xffff);
	out->has |= RECORD_HAS_ADDRESS | (out->source ? RECORD_HAS_SOURCE : 0) |
		    (out->latency ? RECORD_HAS_LATENCY : 0);
}

/* The groups behind the general registers. @return false if they do not fit in front of `end` */
static bool take_more(const struct pmu *pmu, const struct pmu_recording *r, uint64_t format,
		      const uint8_t *next, const uint8_t *end, struct pmu_record *out)
{
	size_t room = (size_t)(end - next), need;

	if (format & APEBS_VECTORS) {
		need = sizeof(struct apebs_vectors) + vectors_size(format);
		if (need > room)
			return false;
		if (format & APEBS_XMM)
			intel_pebs_groups_vectors(next + sizeof(struct apebs_vectors), out);
		if (format & APEBS_YMM) {
			out->upper = vectors_digest(next + sizeof(struct apebs_vectors) +
						    (format & APEBS_XMM ? PEBS_XMM_SIZE : 0));
			out->more |= RECORD_MORE_UPPER;
		}
		next += need;
		room -= need;
	}
	if (format & APEBS_LBR_FIELD) {
		struct apebs_lbr lbr;
		unsigned code = format >> APEBS_LBR & 3, n = 8 * code;

		if (sizeof lbr > room)
			return false;
		memcpy(&lbr, next, sizeof lbr);
		if (code == 3)
			n = lbr.depth <= INTEL_LBR_DEPTH_MAX ? (unsigned)lbr.depth : INTEL_LBR_DEPTH_MAX;
		need = sizeof lbr + n * sizeof(struct pebs_branch);
		if (need > room)
			return false;
		intel_pebs_groups_branches(pmu, next + sizeof lbr, n, out);
		next += need;
		room -= need;
	}
	if (format & APEBS_COUNTERS) {
		struct apebs_counters c;

		if (sizeof c > room)
			return false;
		memcpy(&c, next, sizeof c);
		need = sizeof c + 8 * (size_t)(__builtin_popcount(c.general) + __builtin_popcount(c.fixed));
		if (need > room)
			return false;
		intel_pebs_groups_values(pmu, r, c.general, c.fixed, next + sizeof c, out);
	}
	return true;
}

/* One fragment. @return its size, 0 if it is none */
static size_t take_fragment(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
			    const uint8_t *bytes, size_t room, struct pmu_record *out, bool *more)
{
	struct apebs_header header;
	const uint8_t *next = bytes + sizeof header;

	if (room < sizeof header)
		return 0;
	memcpy(&header, bytes, sizeof header);
	size_t size = header.format & APEBS_SIZE, least = sizeof header;
	least += header.format & APEBS_ENABLED ? sizeof(struct apebs_basic) : 0;
	least += header.format & APEBS_AUX ? sizeof(struct apebs_aux) : 0;
	least += header.format & APEBS_GPRS ? sizeof(struct apebs_gprs) : 0;
	if (size > room || size < least)
		return 0;
	*more = header.format & APEBS_CONTINUED;
	if (header.format & APEBS_ENABLED) {
		struct apebs_basic basic;

		memcpy(&basic, next, sizeof basic);
		next += sizeof basic;
		out->has |= RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK;
		out->ip = basic.ip;
		out->counters = intel_pebs_counter_mask(pmu, basic.counters);
		out->clock = basic.clock;
	}
	if (header.format & APEBS_AUX) {
		if (intel_pebs_has_address(p, r->config.code) &&
		    pmu->counter[r->counter].kind == COUNTER_GENERAL)
			take_aux(next, out);
		next += sizeof(struct apebs_aux);
	}
	if (header.format & APEBS_GPRS) {
		take_gprs(next, out);
		next += sizeof(struct apebs_gprs);
	}
	return take_more(pmu, r, header.format, next, bytes + size, out) ? size : 0;
}

/* A record with all its fragments. @return their size, 0 if there is none */
static size_t take_record(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
			  const uint8_t *bytes, size_t room, struct pmu_record *out)
{
	size_t size = 0;
	bool more = true;

	*out = (struct pmu_record){.kind = RECORD_PRECISE};
	while (more) {
		size_t taken = take_fragment(pmu, p, r, bytes + size, room - size, out, &more);

		if (!taken)
			return 0;
		size += taken;
	}
	return size;
}

unsigned intel_apebs_drain(const struct pmu *pmu, const struct intel_pebs *p, const struct pmu_recording *r,
			   struct pmu_record *out, unsigned max)
{
	const size_t start = first(p, r);
	uint8_t *bytes = buffer(r);
	uint64_t control;
	unsigned n = 0;
	size_t at = start;
	bool full;

	/* In its handler it goes on: not while it is taken out. */
	if (!msr_read(IA32_PERF_GLOBAL_CTRL, &control) || (control && !msr_write(IA32_PERF_GLOBAL_CTRL, 0)))
		return 0;
	size_t end = written(p, r, &full);
	while (n < max && at < end) {
		size_t size = take_record(pmu, p, r, bytes + at, end - at, &out[n]);

		if (!size)
			break;
		at += size;
		n++;
	}
	memmove(bytes + start, bytes + at, end - at);
	msr_write(IA32_PEBS_INDEX, index_at(p, r, start + end - at));
	msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_PEBS);
	if (control)
		msr_write(IA32_PERF_GLOBAL_CTRL, control);
	return n;
}

bool intel_apebs_release(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t bit = intel_pebs_bit(&pmu->counter[r->counter]),
		 instructions = intel_pebs_groups_counter(pmu, r);

	if (instructions)
		instructions = intel_pebs_bit(&pmu->counter[__builtin_ctzll(instructions)]);
	return intel_apebs_clear(bit | instructions) && intel_driver.release(pmu, r->counter) &&
	       msr_write(IA32_PERF_GLOBAL_OVF_CTRL, STATUS_PEBS | bit);
}
