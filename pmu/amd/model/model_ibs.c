/*
 * Instruction-based sampling: APM vol. 2, 13.3, and the families' guides.
 *
 * One operation per instruction. A fetch is the entry into an aligned block of 32 bytes, in sequence or by a
 * branch. When the count reaches the maximum, the next fetch or operation is tagged; its registers are valid
 * when it has retired, and nothing is counted until software clears the valid bit. Then the op counter begins
 * at a random number below 128, and with the random enable the low bits of the fetch counter are random, as
 * on silicon; a written count is what it is. Latencies are this machine's: whatever it does takes a cycle,
 * and as long again as it waits; a NOP does nothing. A page is as large in the TLB as in the page tables.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/amd/model/model.h"
#include "pmu/contract/bits.h"
#include "pmu/virtual/uarch.h"

#define BLOCK_SHIFT 5
#define OP_RANDOM   0x7f
#define NO_BLOCK    UINT64_MAX
#define PAGE_SHIFT  12
#define SHIFT_2M    21
#define SHIFT_1G    30

enum { LATENCY_L1 = 4, LATENCY_L2 = 14, LATENCY_L3 = 46, LATENCY_MEMORY = 200, LATENCY_WALK = 30 };

void amd_ibs_reset(struct amd_state *s, uint32_t features)
{
	struct amd_ibs *i = &s->ibs;

	i->features = features & IBS_VALID ? features : 0;
	i->random = 1;
	i->block = NO_BLOCK;
	/* Firmware sets entry 0 up; that of family 10H leaves it to software. */
	if (i->features && (s->generation != AMD_10H || amd_hook_ibs_line(s)))
		i->ctl = IBS_LVT_VALID;
}

static uint32_t draw(struct amd_ibs *i)
{
	i->random = i->random * 1103515245 + 12345;
	return i->random >> 16;
}

/* --- registers -------------------------------------------------------------------------------------- */

/* The feature without which a register does not exist. */
static uint32_t needed(uint32_t address)
{
	switch (address) {
	case IBS_FETCH_CTL:
	case IBS_FETCH_LINAD:
	case IBS_FETCH_PHYS:
		return IBS_FETCH;
	case IBS_CTL:
		return IBS_VALID;
	case IBS_BRTARGET:
		return IBS_BRANCH;
	case IBS_FETCH_EXTD:
		return IBS_FETCH_EXT;
	case IBS_OP_DATA4:
		return IBS_DATA4;
	case IBS_OP_CTL2:
	case IBS_FETCH_CTL2:
		return IBS_CONTROL2;
	default:
		return IBS_OP;
	}
}

/* Registers that a sample fills and software may write. */
static uint64_t *plain(struct amd_ibs *i, uint32_t address)
{
	return &i->plain[address - IBS_FETCH_CTL];
}

static bool is_mine(uint32_t address)
{
	return address >= IBS_FETCH_CTL && address <= IBS_FETCH_CTL2;
}

static bool is_there(const struct amd_ibs *i, uint32_t address)
{
	return i->features & needed(address);
}

enum register_answer amd_ibs_read(struct amd_state *s, uint32_t address, uint64_t *value)
{
	struct amd_ibs *i = &s->ibs;

	if (!is_mine(address))
		return REGISTER_NOT_MINE;
	if (!is_there(i, address))
		return REGISTER_FAULT;
	*value = *plain(i, address);
	if (address == IBS_FETCH_CTL)
		*value |= i->fetch_count >> 4 << FETCH_COUNT_SHIFT;
	else if (address == IBS_OP_CTL)
		*value |= i->op_count << OP_COUNT_SHIFT;
	else if (address == IBS_CTL)
		*value = i->ctl;
	return REGISTER_DONE;
}

static uint64_t fetch_bits(const struct amd_ibs *i)
{
	return FETCH_MAX | FETCH_EN | FETCH_VAL | FETCH_RAND |
	       (i->features & IBS_ZEN4 ? FETCH_L3_MISS_ONLY : 0);
}

static uint64_t op_bits(const struct amd_ibs *i)
{
	return OP_MAX | OP_EN | OP_VAL | (i->features & IBS_OP_COUNT ? OP_DISPATCHED : 0) |
	       (i->features & IBS_COUNT_27 ? OP_MAX_HIGH : 0) |
	       (i->features & IBS_ZEN4 ? OP_L3_MISS_ONLY : 0) |
	       (i->features & IBS_LATENCY ? OP_LATENCY_EN | OP_LATENCY_MIN : 0);
}

static uint64_t control2_bits(const struct amd_ibs *i, bool fetch)
{
	uint32_t f = i->features;

	if (fetch)
		return (f & IBS_DISABLE ? FETCH2_DISABLE : 0) | (f & IBS_FETCH_LATENCY ? FETCH2_LATENCY : 0) |
		       (f & IBS_BIT63 ? FETCH2_NOT_LOW | FETCH2_NOT_HIGH : 0);
	return (f & IBS_DISABLE ? OP2_DISABLE : 0) | (f & IBS_BIT63 ? OP2_NOT_LOW | OP2_NOT_HIGH : 0) |
	       (f & IBS_STREAMING ? OP2_STREAMING : 0);
}

/* The count is loaded by the write; families 16H to 18H take it only with the enable's rising edge. */
static void write_fetch(struct amd_state *s, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_FETCH_CTL), before = *control;
	bool rises = value & FETCH_EN && !(before & FETCH_EN);
	bool keeps = amd_hook_fetch_keeps(s, s->generation & (AMD_16H | AMD_ZEN1 | AMD_ZEN2));

	*control = (value & fetch_bits(i)) | (before & FETCH_TOLD);
	if (rises || !keeps) {
		i->fetch_count = (value & FETCH_COUNT) >> FETCH_COUNT_SHIFT << 4;
		if (value & FETCH_RAND)
			i->fetch_count |= draw(i) & 15;
	}
	if (rises)
		amd_hook_fetch_enabled(s, (*control & FETCH_MAX) << 4);
	i->fetch_started = rises;
	i->fetch_tagged = false;
	i->block = NO_BLOCK;
}

static void write_op(struct amd_state *s, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_OP_CTL), before = *control;

	*control = value & op_bits(i);
	if (i->features & IBS_RW_COUNT)
		i->op_count = (value & OP_COUNT) >> OP_COUNT_SHIFT & low_bits(ibs_count_bits(i->features));
	i->op_started = value & OP_EN && !(before & OP_EN);
	amd_hook_op_written(s, before, value);
	i->op_tagged = false;
}

enum register_answer amd_ibs_write(struct amd_state *s, uint32_t address, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;

	if (!is_mine(address))
		return REGISTER_NOT_MINE;
	if (!is_there(i, address))
		return REGISTER_FAULT;
	if (address == IBS_FETCH_CTL)
		write_fetch(s, value);
	else if (address == IBS_OP_CTL)
		write_op(s, value);
	else if (address == IBS_OP_CTL2 || address == IBS_FETCH_CTL2)
		*plain(i, address) = value & control2_bits(i, address == IBS_FETCH_CTL2);
	else if (address != IBS_CTL)
		*plain(i, address) = value;
	return REGISTER_DONE;
}

/* --- sampling --------------------------------------------------------------------------------------- */

static bool fetch_runs(const struct amd_ibs *i)
{
	uint64_t control = i->plain[IBS_FETCH_CTL - IBS_FETCH_CTL];

	if (i->plain[IBS_FETCH_CTL2 - IBS_FETCH_CTL] & FETCH2_DISABLE)
		return false;
	return control & FETCH_EN && !(control & FETCH_VAL) && control & FETCH_MAX;
}

static bool op_runs(const struct amd_ibs *i)
{
	uint64_t control = i->plain[IBS_OP_CTL - IBS_FETCH_CTL];

	if (i->plain[IBS_OP_CTL2 - IBS_FETCH_CTL] & OP2_DISABLE)
		return false;
	return control & OP_EN && !(control & OP_VAL) && ibs_op_max(control);
}

bool amd_ibs_runs(const struct amd_state *s)
{
	return fetch_runs(&s->ibs) || op_runs(&s->ibs) || s->repeats;
}

static unsigned miss_latency(const struct step *step)
{
	return amd_amount(step, Q_LLC_MISS)  ? LATENCY_MEMORY
	       : amd_amount(step, Q_LLC_REF) ? LATENCY_L3
					     : LATENCY_L2;
}

static uint64_t page_code(unsigned shift)
{
	return shift >= SHIFT_1G ? 2 : shift >= SHIFT_2M ? 1 : 0;
}

/* Where an address lies. Injected: elsewhere. */
static uint64_t physical(const struct amd_state *s, uint64_t address, unsigned *shift)
{
	uint64_t at = address;

	*shift = PAGE_SHIFT;
	if (s->memory && s->memory->translate)
		s->memory->translate(s->memory->ctx, address, &at, shift);
	return amd_hook_physical(s, at, PAGE_SHIFT);
}

/* Whether what missed the inner cache came from behind the last level. */
static bool is_far(const struct step *step, enum quantity inner)
{
	return amd_amount(step, inner) && amd_amount(step, Q_LLC_MISS);
}

/* What the filters of IBS_FETCH_CTL2 and IBS_OP_CTL2 let pass. */
static bool passes_fetch(const struct amd_ibs *i, uint64_t address, uint64_t latency)
{
	uint64_t filter = i->plain[IBS_FETCH_CTL2 - IBS_FETCH_CTL];
	uint64_t above = (filter & FETCH2_LATENCY) >> FETCH2_LATENCY_SHIFT;

	if (filter & (address >> 63 ? FETCH2_NOT_HIGH : FETCH2_NOT_LOW))
		return false;
	return !above || latency > above * 128u;
}

static bool passes_op(const struct amd_ibs *i, const struct step *step)
{
	uint64_t filter = i->plain[IBS_OP_CTL2 - IBS_FETCH_CTL];

	if (filter & (step->ip >> 63 ? OP2_NOT_HIGH : OP2_NOT_LOW))
		return false;
	return !(filter & OP2_STREAMING) || amd_amount(step, Q_STORES_NT);
}

static void sample_fetch(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_FETCH_CTL);
	bool miss = amd_amount(step, Q_L1I_MISS), walk = amd_amount(step, Q_ITLB_MISS);
	bool far = miss && amd_amount(step, Q_LLC_REF), farthest = far && amd_amount(step, Q_LLC_MISS);
	uint64_t latency = (miss ? miss_latency(step) : LATENCY_L1) + (walk ? LATENCY_WALK : 0);
	uint64_t misses = miss ? FETCH_IC_MISS : 0;
	unsigned shift;

	i->fetch_tagged = false;
	i->fetch_count = 0;
	if (*control & FETCH_L3_MISS_ONLY && !is_far(step, Q_L1I_MISS) && !amd_hook_no_filter(s))
		return;
	if (!passes_fetch(i, step->ip, latency))
		return;
	if (far && i->features & IBS_FETCH_EXT)
		misses |= FETCH_L2_MISS;
	if (farthest && i->features & IBS_ZEN4)
		misses |= FETCH_L3_MISS;
	if (walk)
		misses |= FETCH_L1TLB_MISS | FETCH_L2TLB_MISS;
	misses = amd_hook_fetch_misses(s, misses);
	*plain(i, IBS_FETCH_LINAD) = step->ip;
	*plain(i, IBS_FETCH_PHYS) = physical(s, step->ip, &shift);
	*control = (*control & ~FETCH_TOLD) | FETCH_VAL | FETCH_COMP | FETCH_PHYS_VALID | misses |
		   latency << FETCH_LAT_SHIFT | amd_hook_fetch_page(s, page_code(shift)) << FETCH_PAGE_SHIFT;
	if (i->features & IBS_FETCH_EXT)
		*plain(i, IBS_FETCH_EXTD) = walk ? LATENCY_WALK : 0;
	s->ibs_pending += 1;
	s->overflowed = true;
}

/* @return whether the step is a fetch of its own */
static bool new_block(struct amd_ibs *i, const struct step *step)
{
	uint64_t block = step->ip >> BLOCK_SHIFT;
	bool is_new = block != i->block;

	/* What a branch leads to is fetched anew. */
	i->block = step->transfer ? NO_BLOCK : block;
	return is_new;
}

static void advance_fetch(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;

	bool led = i->block == NO_BLOCK;

	if (!step->length || !new_block(i, step) || amd_hook_fetch_passed(s, led))
		return;
	if (i->fetch_tagged) {
		sample_fetch(s, step);
		return;
	}
	i->fetch_count++;
	i->fetch_tagged = i->fetch_count >= (*plain(i, IBS_FETCH_CTL) & FETCH_MAX) << 4;
}

static uint64_t branch_data(const struct amd_state *s, const struct step *step)
{
	uint64_t data = DATA_BRANCH;

	if (!amd_amount(step, Q_BRANCHES))
		return 0;
	if (step->transfer)
		data |= DATA_TAKEN;
	if (step->transfer == TRANSFER_RETURN)
		data |= DATA_RETURN;
	if (amd_amount(step, Q_BR_MISPRED))
		data |= DATA_MISPRED;
	return amd_hook_branch(s, data);
}

/* 1 for a byte, 2 for a word, and so on to 7 for 64 bytes; 0 for any other size. */
static uint64_t width_code(uint32_t size)
{
	for (unsigned code = 1; code <= 7; code++)
		if (size == 1u << (code - 1))
			return code;
	return 0;
}

/* What a load that missed is told of its data; of what does not miss there is nothing to tell. */
static uint64_t data_source(const struct amd_state *s, const struct step *step)
{
	if (!amd_amount(step, Q_L1D_LOAD_MISS) || !amd_amount(step, Q_LLC_REF))
		return 0;
	return amd_hook_source(s, amd_amount(step, Q_LLC_MISS) ? DATA2_DRAM
				  : s->ibs.features & IBS_ZEN4 ? DATA2_LOCAL
							       : DATA2_CACHE);
}

/* @return cycles that it waited */
static unsigned sample_access(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t data = 0;
	bool walk = amd_amount(step, Q_DTLB_LOAD_MISS) || amd_amount(step, Q_DTLB_STORE_MISS);
	bool miss = amd_amount(step, Q_L1D_LOAD_MISS);
	unsigned shift;

	for (unsigned a = 0; a < step->n_access; a++)
		data |= step->access[a].store ? DATA3_STORE : DATA3_LOAD;
	if (step->n_access) {
		data |= DATA3_LIN_VALID | DATA3_PHYS_VALID |
			width_code(step->access[0].size) << DATA3_WIDTH_SHIFT;
		*plain(i, IBS_DC_LINAD) = step->access[0].address;
		*plain(i, IBS_DC_PHYS) = physical(s, step->access[0].address, &shift);
		if (!walk || i->features & IBS_PAGE_SIZE)
			data |= page_code(shift) << DATA3_PAGE_SHIFT;
	}
	if (walk)
		data |= DATA3_L1TLB_MISS | DATA3_L2TLB_MISS | (uint64_t)LATENCY_WALK << DATA3_REFILL_SHIFT;
	if (miss)
		data |= DATA3_DC_MISS | (uint64_t)miss_latency(step) << DATA3_LATENCY_SHIFT;
	if (miss && amd_amount(step, Q_L2_LOAD_MISS))
		data |= DATA3_L2_MISS;
	if (amd_amount(step, Q_LOADS_SPLIT_LINE) || amd_amount(step, Q_STORES_SPLIT_LINE))
		data |= DATA3_MISALIGNED;
	if (amd_amount(step, Q_INSN_LOCKED))
		data |= DATA3_LOCKED;
	if (amd_amount(step, Q_PREFETCHES))
		data |= DATA3_PREFETCH;
	*plain(i, IBS_OP_DATA3) = amd_hook_op_misses(s, step, data, *plain(i, IBS_OP_DATA3));
	*plain(i, IBS_OP_DATA2) = data_source(s, step);
	return (walk ? LATENCY_WALK : 0) + (miss ? miss_latency(step) : 0);
}

/* IBS_OP_DATA[31:0]. "Equal to IbsCompToRetCtr when the tagged op is a NOP." */
static uint64_t times(struct amd_state *s, const struct step *step, unsigned waited)
{
	uint64_t completed = 1, tagged = completed + 1 + waited;

	if (amd_amount(step, Q_INSN_NOP))
		tagged = completed;
	completed = amd_hook_completed(s, completed, tagged);
	if (amd_hook_times_swapped(s))
		return completed << DATA_TAG_SHIFT | tagged;
	return completed | tagged << DATA_TAG_SHIFT;
}

/* Whether the filter by latency lets it pass: loads that missed, and took longer. */
static bool takes_long(const struct amd_state *s, const struct step *step, uint64_t control)
{
	uint32_t above = ibs_op_latency(control);

	if (!(control & OP_LATENCY_EN) || amd_hook_no_latency(s))
		return true;
	return amd_amount(step, Q_L1D_LOAD_MISS) && miss_latency(step) > above;
}

static void sample_op(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_OP_CTL);

	i->op_tagged = false;
	i->op_count = draw(i) & OP_RANDOM;
	if (*control & OP_L3_MISS_ONLY && !is_far(step, Q_L2_LOAD_MISS) && !amd_hook_no_filter(s))
		return;
	if (!takes_long(s, step, *control) || !passes_op(i, step))
		return;
	*control |= OP_VAL;
	*plain(i, IBS_OP_RIP) = amd_hook_op_address(s, step);
	*plain(i, IBS_OP_DATA) = times(s, step, sample_access(s, step)) | branch_data(s, step);
	/* 13.3.4: of a branch that is not taken, what is behind it. */
	bool led = step->transfer || amd_amount(step, Q_BRANCHES) != 0;
	*plain(i, IBS_BRTARGET) = i->features & IBS_BRANCH && led ? amd_hook_target(s, step->next) : 0;
	*plain(i, IBS_OP_DATA2) = amd_hook_op_data(s, step, *plain(i, IBS_OP_DATA2));
	if (i->features & IBS_STREAMING && amd_amount(step, Q_STORES_NT))
		*plain(i, IBS_OP_DATA2) |= DATA2_STREAMING;
	s->ibs_pending += 1;
	s->overflowed = true;
}

static void advance_op(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t control = *plain(i, IBS_OP_CTL);
	unsigned instructions = amd_amount(step, Q_INSTRUCTIONS);

	if (i->op_tagged && instructions) {
		sample_op(s, step);
		return;
	}
	i->op_count += control & OP_DISPATCHED ? instructions : step->cycles;
	i->op_tagged = i->op_count >= ibs_op_max(control);
	if (i->op_tagged && amd_hook_op_skipped(s, control)) {
		i->op_tagged = false;
		i->op_count = 0;
	}
	if (i->op_tagged)
		amd_count_tagged(s);
}

void amd_ibs_advance(struct amd_state *s, const struct step *step)
{
	struct amd_ibs *i = &s->ibs;

	if (step->halted)
		return;
	if (fetch_runs(i) && !(step->own_write && i->fetch_started))
		advance_fetch(s, step);
	if (op_runs(i) && !(step->own_write && i->op_started))
		advance_op(s, step);
}
