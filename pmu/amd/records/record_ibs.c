/*
 * Instruction-based sampling: APM vol. 2, 13.3. One sample at a time, in registers, of whatever ring; nothing
 * is counted while it waits there. Counts and maxima of fetches are in units of 16, those of operations have
 * 20 or 27 bits of which the maximum's low four are 0.
 */
#include "pmu/amd/records/record.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/records/ibs.h"
#include "pmu/amd/driver/nodes.h"
#include "pmu/amd/registers.h"

#include <stdio.h>

#define UNIT       16
#define SHIFT_4K   12
#define SHIFT_2M   21
#define SHIFT_1G   30
#define PAGE_SIZES 3 /* that FETCH_PAGE_SIZE and DATA3_PAGE_SIZE tell */

#define MANUAL "APM vol. 2, 13.3"

uint32_t amd_ibs_features(void)
{
	uint32_t features = cpu_has(CPU_IBS) ? cpuid(0x8000001b, 0).eax : 0;

	return features & IBS_VALID ? features : 0;
}

uint16_t amd_ibs_entry(uint64_t n)
{
	return (uint16_t)(APIC_EXT_LVT0 + 0x10 * n);
}

/* The local APIC's entry that the samples interrupt through. */
static uint16_t line(void)
{
	uint64_t control;

	if (!msr_read(IBS_CTL, &control) || !(control & IBS_LVT_VALID))
		return OVERFLOW_NO_LINE;
	return amd_ibs_entry(control & IBS_LVT_OFFSET);
}

static bool is_absent(uint32_t feature, uint32_t address, const char **why)
{
	uint64_t value;

	if (!amd_ibs_features())
		*why = "CPUID 80000001H says that there is no IBS, or leaf 8000001BH nothing of it";
	else if (!(amd_ibs_features() & feature))
		*why = feature == IBS_OP ? "CPUID 8000001BH has no sampling of operations"
					 : "CPUID 8000001BH has no sampling of fetches";
	else if (!msr_read(address, &value))
		*why = "its registers raise #GP though CPUID promises them";
	else
		return false;
	return true;
}

static bool refuse(const struct pmu_recording *r, uint64_t most, const char **why)
{
	if (r->levels != LEVELS_ALL)
		*why = "IBS samples every ring";
	else if (!(r->source->units >> r->unit & 1))
		*why = "IBS does not count that on this CPU";
	else if (r->far_only && !r->source->far_filter)
		*why = "IBS of this CPU has no filter of last-level misses";
	else if (r->latency_above && !r->source->latency_unit)
		*why = "IBS of this CPU has no filter of latencies";
	else if (r->latency_above &&
		 (r->latency_above % r->source->latency_unit || r->latency_above > r->source->latency_most))
		*why = "the filter of latencies of IBS takes multiples of 128 cycles up to 2048";
	else if (!r->period || r->period % UNIT || r->period > most)
		*why = "periods of IBS are multiples of 16, as long as its counter is wide";
	else
		return false;
	return true;
}

/* --- operations ------------------------------------------------------------------------------------- */

static bool describe_op(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint32_t features = amd_ibs_features();

	(void)pmu;
	if (is_absent(IBS_OP, IBS_OP_CTL, why))
		return false;
	*out = (struct pmu_record_source){
		.kind = RECORD_OPERATION,
		.name = "IBS of operations",
		.fields = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_ADDRESS | RECORD_HAS_LATENCY |
			  RECORD_HAS_SOURCE | RECORD_HAS_MISPREDICTED | RECORD_HAS_WIDTH |
			  RECORD_HAS_PHYSICAL | RECORD_HAS_PAGE | RECORD_HAS_TIMES | RECORD_HAS_REFILL |
			  (features & IBS_BRANCH ? RECORD_HAS_BRANCH : 0),
		.period_unit = UNIT,
		.units = 1u << RECORD_UNIT_CYCLES |
			 (features & IBS_OP_COUNT ? 1u << RECORD_UNIT_OPERATIONS : 0),
		.line = line(),
		.one_node = amd_one_node(),
		.far_filter = features & IBS_ZEN4,
		.latency_unit = features & IBS_LATENCY ? OP_LATENCY_UNIT : 0,
		.latency_most = features & IBS_LATENCY ? OP_LATENCY_MOST : 0,
		.page_of_miss = features & IBS_PAGE_SIZE,
		.manual = MANUAL,
	};
	return true;
}

/* Of what misses the last level alone, or takes long besides: Zen 5 wants both bits for that. */
static uint64_t filter_bits(const struct pmu_recording *r)
{
	if (r->latency_above)
		return OP_L3_MISS_ONLY | OP_LATENCY_EN | ibs_op_latency_field(r->latency_above);
	return r->far_only ? OP_L3_MISS_ONLY : 0;
}

static bool setup_op(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	uint64_t most = (1ull << ibs_count_bits(amd_ibs_features())) - 1;

	if (refuse(r, most, why))
		return false;
	*why = "IBS_OP_CTL raised #GP";
	return amd_ibs_stop(pmu) &&
	       msr_write(IBS_OP_CTL, ibs_op_max_field(r->period) |
					     (r->unit == RECORD_UNIT_OPERATIONS ? OP_DISPATCHED : 0) |
					     filter_bits(r));
}

static bool state_op(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t control;

	(void)pmu, (void)r;
	if (!msr_read(IBS_OP_CTL, &control))
		return false;
	out->overflow = out->full = control & OP_VAL;
	out->records = out->full;
	return true;
}

static const struct {
	uint64_t told;
	uint32_t op;
} branch_ops[] = {{DATA_BRANCH, RECORD_OP_BRANCH},
		  {DATA_TAKEN, RECORD_OP_TAKEN},
		  {DATA_RETURN, RECORD_OP_RETURN}},
  access_ops[] = {{DATA3_LOAD, RECORD_OP_LOAD},
		  {DATA3_STORE, RECORD_OP_STORE},
		  {DATA3_L1TLB_MISS, RECORD_OP_TLB1_MISS},
		  {DATA3_L2TLB_MISS, RECORD_OP_DTLB_MISS},
		  {DATA3_DC_MISS, RECORD_OP_L1D_MISS},
		  {DATA3_L2_MISS, RECORD_OP_L2_MISS},
		  {DATA3_UNCACHED, RECORD_OP_UNCACHED},
		  {DATA3_LOCKED, RECORD_OP_LOCKED},
		  {DATA3_PREFETCH, RECORD_OP_PREFETCH},
		  {DATA3_MISALIGNED, RECORD_OP_MISALIGNED}};

/* "No valid status" (0) is none. Only loads have one; of what is not cached, and on Zen 3 (erratum 1293) of
 * software prefetches and of lines that had been asked for already, it is not reliable. */
static void read_source(uint64_t data2, uint64_t data3, bool extended, struct pmu_record *out)
{
	static const uint8_t brief[] = {[DATA2_LOCAL] = RECORD_FROM_CACHE,
					[DATA2_CACHE] = RECORD_FROM_CACHE,
					[DATA2_DRAM] = RECORD_FROM_MEMORY,
					[DATA2_FAR_CACHE] = RECORD_FROM_CACHE,
					[DATA2_DEVICE] = RECORD_FROM_DEVICE};
	static const uint8_t wide[32] = {
		[DATA2_LOCAL] = RECORD_FROM_CACHE,      [DATA2_CACHE] = RECORD_FROM_CACHE,
		[DATA2_DRAM] = RECORD_FROM_MEMORY,      [DATA2_FAR_CCX] = RECORD_FROM_CACHE,
		[DATA2_SLOW] = RECORD_FROM_MEMORY,      [DATA2_DEVICE] = RECORD_FROM_DEVICE,
		[DATA2_EXTENSION] = RECORD_FROM_MEMORY, [DATA2_PEER] = RECORD_FROM_MEMORY};
	unsigned code = data2 & DATA2_SOURCE;

	if (extended)
		code |= (data2 & DATA2_SOURCE_UPPER) >> 3;
	if (!code || !(data3 & DATA3_LOAD) || data3 & (DATA3_UNCACHED | DATA3_PREFETCH | DATA3_NO_MAB))
		return;
	out->has |= RECORD_HAS_SOURCE;
	out->source = data2 & (DATA2_SOURCE | (extended ? DATA2_SOURCE_UPPER : 0));
	out->from_far = data2 & DATA2_FAR;
	out->from_where = extended ? wide[code] : brief[code];
}

static const uint8_t page_shifts[PAGE_SIZES] = {SHIFT_4K, SHIFT_2M, SHIFT_1G};

/* Of the page that the first-level TLB has, if it has it and the page is a large one; with IBS_PAGE_SIZE of
 * any. */
static void read_page(uint64_t data3, uint32_t features, struct pmu_record *out)
{
	unsigned page = (data3 & DATA3_PAGE_SIZE) >> DATA3_PAGE_SHIFT;

	if (features & IBS_PAGE_SIZE ? data3 & DATA3_PHYS_VALID && page < PAGE_SIZES : page != 0) {
		out->has |= RECORD_HAS_PAGE;
		out->page_shift = data3 & DATA3_L1TLB_1G ? SHIFT_1G : page_shifts[page];
	}
}

static bool read_op(struct pmu_record *out)
{
	uint32_t features = amd_ibs_features();
	uint64_t data, data2, data3, address, physical, target = 0;

	*out = (struct pmu_record){.kind = RECORD_OPERATION};
	if (!msr_read(IBS_OP_RIP, &out->ip) || !msr_read(IBS_OP_DATA, &data) ||
	    !msr_read(IBS_OP_DATA2, &data2) || !msr_read(IBS_OP_DATA3, &data3) ||
	    !msr_read(IBS_DC_LINAD, &address) || !msr_read(IBS_DC_PHYS, &physical) ||
	    (features & IBS_BRANCH && !msr_read(IBS_BRTARGET, &target)))
		return false;
	if (features & IBS_PAGE_SIZE && !(data3 & DATA3_PHYS_VALID))
		data3 &= ~(DATA3_L1TLB_MISS | DATA3_L2TLB_MISS);
	out->has = RECORD_HAS_OP | RECORD_HAS_TIMES;
	out->completed = data & DATA_CYCLES;
	out->tagged = data >> DATA_TAG_SHIFT & DATA_CYCLES;
	if (!(features & IBS_RIP_CHECK && data & DATA_RIP_INVALID))
		out->has |= RECORD_HAS_IP;
	for (unsigned i = 0; i < sizeof branch_ops / sizeof branch_ops[0]; i++)
		if (data & DATA_BRANCH && data & branch_ops[i].told)
			out->op |= branch_ops[i].op;
	for (unsigned i = 0; i < sizeof access_ops / sizeof access_ops[0]; i++)
		if (data3 & access_ops[i].told)
			out->op |= access_ops[i].op;
	if (data & DATA_BRANCH) {
		out->has |= RECORD_HAS_MISPREDICTED;
		out->mispredicted = data & DATA_MISPRED;
	}
	/* APM vol. 2, 13.3.4: of one that is not taken, what is behind it. */
	if (features & IBS_BRANCH && out->op & RECORD_OP_BRANCH) {
		out->has |= RECORD_HAS_BRANCH;
		out->from = out->ip;
		out->to = target;
	}
	if (data3 & DATA3_LIN_VALID) {
		out->has |= RECORD_HAS_ADDRESS;
		out->address = address;
		read_page(data3, features, out);
	}
	if (data3 & DATA3_LIN_VALID && data3 & DATA3_PHYS_VALID) {
		out->has |= RECORD_HAS_PHYSICAL;
		out->physical = physical;
	}
	if (out->op & RECORD_OP_TLB1_MISS) {
		out->has |= RECORD_HAS_REFILL;
		out->refill = data3 >> DATA3_REFILL_SHIFT & DATA3_CYCLES;
	}
	unsigned width = data3 >> DATA3_WIDTH_SHIFT & 15;
	if (data3 & DATA3_LIN_VALID && width) {
		out->has |= RECORD_HAS_WIDTH;
		out->width = 1u << (width - 1);
	}
	if (out->op & RECORD_OP_L1D_MISS) {
		out->has |= RECORD_HAS_LATENCY;
		out->latency = data3 >> DATA3_LATENCY_SHIFT & DATA3_CYCLES;
		read_source(data2, data3, features & IBS_ZEN4, out);
	}
	return true;
}

/* The count goes on from 0, where it can be written. */
static unsigned drain_op(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
			 unsigned max)
{
	uint64_t control;

	(void)pmu, (void)r;
	if (!max || !msr_read(IBS_OP_CTL, &control) || !(control & OP_VAL) || !read_op(out))
		return 0;
	return msr_write(IBS_OP_CTL,
			 control & ~OP_VAL &
				 (((1ull << OP_COUNT_SHIFT) - 1) | OP_LATENCY_EN | OP_LATENCY_MIN));
}

static bool release_op(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)r;
	return amd_ibs_stop(pmu);
}

const struct pmu_record_kind amd_record_ibs_op = {
	.describe = describe_op,
	.setup = setup_op,
	.start = amd_record_start,
	.stop = amd_record_stop,
	.bracket = amd_record_bracket,
	.state = state_op,
	.drain = drain_op,
	.release = release_op,
};

/* --- fetches ---------------------------------------------------------------------------------------- */

static bool describe_fetch(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint32_t features = amd_ibs_features();

	(void)pmu;
	if (is_absent(IBS_FETCH, IBS_FETCH_CTL, why))
		return false;
	*out = (struct pmu_record_source){
		.kind = RECORD_FETCH,
		.name = "IBS of fetches",
		.fields = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_LATENCY | RECORD_HAS_PHYSICAL |
			  RECORD_HAS_PAGE | (features & IBS_FETCH_EXT ? RECORD_HAS_REFILL : 0),
		.period_unit = UNIT,
		.units = 1u << RECORD_UNIT_FETCHES,
		.line = line(),
		.far_filter = features & IBS_ZEN4,
		.manual = MANUAL,
	};
	return true;
}

static bool setup_fetch(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	if (refuse(r, FETCH_MAX * UNIT, why))
		return false;
	*why = "IBS_FETCH_CTL raised #GP";
	return msr_write(IBS_FETCH_CTL, 0) &&
	       msr_write(IBS_FETCH_CTL, r->period / UNIT | (r->far_only ? FETCH_L3_MISS_ONLY : 0));
}

static bool state_fetch(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t control;

	(void)pmu, (void)r;
	if (!msr_read(IBS_FETCH_CTL, &control))
		return false;
	out->overflow = out->full = control & FETCH_VAL;
	out->records = out->full;
	return true;
}

static const struct {
	uint64_t told;
	uint32_t feature; /* without which it is not told */
	uint32_t op;
} fetch_ops[] = {{FETCH_COMP, IBS_FETCH, RECORD_OP_COMPLETE},
		 {FETCH_IC_MISS, IBS_FETCH, RECORD_OP_L1I_MISS},
		 {FETCH_L1TLB_MISS, IBS_FETCH, RECORD_OP_TLB1_MISS},
		 {FETCH_L2TLB_MISS, IBS_FETCH, RECORD_OP_ITLB_MISS},
		 {FETCH_L2_MISS, IBS_FETCH_EXT, RECORD_OP_L2_MISS},
		 {FETCH_L3_MISS, IBS_ZEN4, RECORD_OP_LLC_MISS}};

/* The page's size is that of the first-level TLB, and valid with the physical address. */
static bool read_fetch(uint64_t control, struct pmu_record *out)
{
	unsigned page = (control & FETCH_PAGE_SIZE) >> FETCH_PAGE_SHIFT;
	uint32_t features = amd_ibs_features();
	uint64_t extended = 0;

	*out = (struct pmu_record){
		.kind = RECORD_FETCH,
		.has = RECORD_HAS_IP | RECORD_HAS_OP | RECORD_HAS_LATENCY,
		.latency = (control & FETCH_LAT) >> FETCH_LAT_SHIFT,
	};
	for (unsigned i = 0; i < sizeof fetch_ops / sizeof fetch_ops[0]; i++)
		if (control & fetch_ops[i].told && features & fetch_ops[i].feature)
			out->op |= fetch_ops[i].op;
	if (!msr_read(IBS_FETCH_LINAD, &out->ip) || !msr_read(IBS_FETCH_PHYS, &out->physical) ||
	    (features & IBS_FETCH_EXT && !msr_read(IBS_FETCH_EXTD, &extended)))
		return false;
	if (features & IBS_FETCH_EXT) {
		out->has |= RECORD_HAS_REFILL;
		out->refill = extended & EXTD_REFILL;
	}
	if (control & FETCH_PHYS_VALID)
		out->has |= RECORD_HAS_PHYSICAL;
	if (control & FETCH_PHYS_VALID && page < PAGE_SIZES) {
		out->has |= RECORD_HAS_PAGE;
		out->page_shift = page_shifts[page];
	}
	return true;
}

static unsigned drain_fetch(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
			    unsigned max)
{
	uint64_t control, kept = FETCH_MAX | FETCH_L3_MISS_ONLY;

	(void)pmu, (void)r;
	if (!max || !msr_read(IBS_FETCH_CTL, &control) || !(control & FETCH_VAL) || !read_fetch(control, out))
		return 0;
	/* Families 16H to 18H take a new count with the enable's rising edge only. */
	return msr_write(IBS_FETCH_CTL, control & kept) &&
	       msr_write(IBS_FETCH_CTL, control & (kept | FETCH_EN));
}

static bool release_fetch(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return msr_write(IBS_FETCH_CTL, 0);
}

const struct pmu_record_kind amd_record_ibs_fetch = {
	.describe = describe_fetch,
	.setup = setup_fetch,
	.start = amd_record_start,
	.stop = amd_record_stop,
	.bracket = amd_record_bracket,
	.state = state_fetch,
	.drain = drain_fetch,
	.release = release_fetch,
};
