/*
 * Instruction-based sampling: APM vol. 2, 13.3, and the families' guides.
 *
 * One operation per instruction. A fetch is the entry into an aligned block of 32 bytes, in sequence or by a
 * branch. When the count reaches the maximum, the next fetch or operation is tagged; its registers are valid
 * when it has retired, and nothing is counted until software clears the valid bit. Then the op counter begins
 * at a random number below 128, and with the random enable the low bits of the fetch counter are random, as
 * on silicon; a written count is what it is. Physical addresses equal linear ones, as in the harness's pages.
 * Latencies are this machine's.
 */
#include "pmu/amd/model.h"
#include "pmu/uarch.h"

#define BLOCK_SHIFT 5
#define OP_RANDOM   0x7f
#define NO_BLOCK    UINT64_MAX

enum { LATENCY_L1 = 4, LATENCY_L2 = 14, LATENCY_L3 = 46, LATENCY_MEMORY = 200, LATENCY_WALK = 30 };

void amd_ibs_reset(struct amd_state *s, uint32_t features)
{
	struct amd_ibs *i = &s->ibs;

	i->features = features & IBS_VALID ? features : 0;
	i->random = 1;
	i->block = NO_BLOCK;
	/* Firmware sets entry 0 up; that of family 10H leaves it to software. */
	if (i->features && s->generation != AMD_10H)
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
	return address >= IBS_FETCH_CTL && address <= IBS_OP_DATA4;
}

static bool is_there(const struct amd_ibs *i, uint32_t address)
{
	return MUTANT(M_IBS_PRESENT, i->features & needed(address), i->features);
}

enum model_access amd_ibs_read(struct amd_state *s, uint32_t address, uint64_t *value)
{
	struct amd_ibs *i = &s->ibs;

	if (!is_mine(address))
		return MODEL_NOT_MINE;
	if (!is_there(i, address))
		return MODEL_FAULT;
	*value = *plain(i, address);
	if (address == IBS_FETCH_CTL)
		*value |= i->fetch_count >> 4 << FETCH_COUNT_SHIFT;
	else if (address == IBS_OP_CTL)
		*value |= i->op_count << OP_COUNT_SHIFT;
	else if (address == IBS_CTL)
		*value = i->ctl;
	return MODEL_OK;
}

static uint64_t fetch_bits(const struct amd_ibs *i)
{
	return FETCH_MAX | FETCH_EN | FETCH_VAL | FETCH_RAND |
	       (i->features & IBS_ZEN4 ? FETCH_L3_MISS_ONLY : MUTANT(M_IBS_L3_EARLY, 0, FETCH_L3_MISS_ONLY));
}

static uint64_t op_bits(const struct amd_ibs *i)
{
	return OP_MAX | OP_EN | OP_VAL | (i->features & IBS_OP_COUNT ? OP_DISPATCHED : 0) |
	       MUTANT(M_IBS_MAX_HIGH, i->features & IBS_COUNT_27 ? OP_MAX_HIGH : 0, OP_MAX_HIGH) |
	       (i->features & IBS_ZEN4 ? OP_L3_MISS_ONLY : 0);
}

static uint64_t low(unsigned bits)
{
	return (1ull << bits) - 1;
}

/* The count is loaded by the write; families 16H to 18H take it only with the enable's rising edge. */
static void write_fetch(struct amd_state *s, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_FETCH_CTL), before = *control;
	bool rises = value & FETCH_EN && !(before & FETCH_EN);
	bool keeps = s->generation & (AMD_16H | AMD_ZEN1 | AMD_ZEN2);

	*control = (value & fetch_bits(i)) | (before & FETCH_TOLD);
	if (rises || !MUTANT(M_IBS_FETCH_KEEPS, keeps, !keeps)) {
		i->fetch_count = (value & FETCH_COUNT) >> FETCH_COUNT_SHIFT << 4;
		if (value & MUTANT(M_IBS_FETCH_RANDOM, FETCH_RAND, ~0ull))
			i->fetch_count |= draw(i) & 15;
	}
	if (rises && injected(s, INJECT_E719))
		i->fetch_count = (*control & FETCH_MAX) << 4;
	i->fetch_started = rises;
	i->fetch_tagged = false;
	i->block = NO_BLOCK;
}

static void write_op(struct amd_state *s, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_OP_CTL), before = *control;

	*control = value & op_bits(i);
	if (MUTANT(M_IBS_COUNT_WRITE, i->features & IBS_RW_COUNT, true))
		i->op_count = value >> OP_COUNT_SHIFT &
			      low(MUTANT(M_IBS_COUNT_BITS, ibs_count_bits(i->features), 20));
	i->op_started = value & OP_EN && !(before & OP_EN);
	i->op_tagged = false;
	/* 10H: the request may stay unless the maximum is cleared while it is still enabled. */
	if (injected(s, INJECT_E420) && before & OP_EN && !(value & OP_EN) && before & OP_MAX)
		s->ibs_pending++;
}

enum model_access amd_ibs_write(struct amd_state *s, uint32_t address, uint64_t value)
{
	struct amd_ibs *i = &s->ibs;

	if (!is_mine(address))
		return MODEL_NOT_MINE;
	if (!is_there(i, address))
		return MODEL_FAULT;
	if (address == IBS_FETCH_CTL)
		write_fetch(s, value);
	else if (address == IBS_OP_CTL)
		write_op(s, value);
	else if (address != IBS_CTL)
		*plain(i, address) = value;
	else if (MUTANT(M_IBS_CTL_WRITABLE, false, true))
		i->ctl = value;
	return MODEL_OK;
}

/* --- sampling --------------------------------------------------------------------------------------- */

static bool fetch_runs(const struct amd_ibs *i)
{
	uint64_t control = i->plain[IBS_FETCH_CTL - IBS_FETCH_CTL];

	return control & FETCH_EN && !(control & MUTANT(M_IBS_FETCH_VALID_RUNS, FETCH_VAL, 0)) &&
	       control & FETCH_MAX;
}

static bool op_runs(const struct amd_ibs *i)
{
	uint64_t control = i->plain[IBS_OP_CTL - IBS_FETCH_CTL];

	return control & OP_EN && !(control & MUTANT(M_IBS_OP_VALID_RUNS, OP_VAL, 0)) && ibs_op_max(control);
}

bool amd_ibs_runs(const struct amd_state *s)
{
	return fetch_runs(&s->ibs) || op_runs(&s->ibs);
}

static unsigned miss_latency(const struct model_step *step)
{
	return amd_amount(step, Q_LLC_MISS)  ? LATENCY_MEMORY
	       : amd_amount(step, Q_LLC_REF) ? LATENCY_L3
					     : LATENCY_L2;
}

static void sample_fetch(struct amd_state *s, const struct model_step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_FETCH_CTL);
	bool miss = amd_amount(step, Q_L1I_MISS), walk = amd_amount(step, Q_ITLB_MISS);
	uint64_t latency = (miss ? LATENCY_L2 : LATENCY_L1) + (walk ? LATENCY_WALK : 0);

	i->fetch_tagged = false;
	i->fetch_count = 0;
	if (*control & MUTANT(M_IBS_FETCH_FILTER, FETCH_L3_MISS_ONLY, 0) && !amd_amount(step, Q_LLC_MISS))
		return;
	*control = (*control & ~FETCH_TOLD) | FETCH_VAL | FETCH_COMP | FETCH_PHYS_VALID |
		   (miss ? FETCH_IC_MISS : 0) | (walk ? FETCH_L1TLB_MISS | FETCH_L2TLB_MISS : 0) |
		   latency << FETCH_LAT_SHIFT;
	*plain(i, IBS_FETCH_LINAD) = *plain(i, IBS_FETCH_PHYS) = step->ip;
	if (i->features & IBS_FETCH_EXT)
		*plain(i, IBS_FETCH_EXTD) = walk ? LATENCY_WALK : 0;
	s->ibs_pending += MUTANT(M_IBS_FETCH_REQUEST, 1, 0);
	s->overflowed = true;
}

/* @return whether the step is a fetch of its own */
static bool new_block(struct amd_ibs *i, const struct model_step *step)
{
	uint64_t block = step->ip >> BLOCK_SHIFT;
	bool is_new = block != i->block;

	/* What a branch leads to is fetched anew. */
	i->block = step->transfer ? NO_BLOCK : block;
	return is_new;
}

static void advance_fetch(struct amd_state *s, const struct model_step *step)
{
	struct amd_ibs *i = &s->ibs;

	if (!step->length || !new_block(i, step))
		return;
	if (i->fetch_tagged) {
		sample_fetch(s, step);
		return;
	}
	i->fetch_count++;
	i->fetch_tagged = i->fetch_count >= (*plain(i, IBS_FETCH_CTL) & FETCH_MAX) << 4;
}

static uint64_t branch_data(const struct amd_state *s, const struct model_step *step)
{
	uint64_t data = DATA_BRANCH;

	if (!amd_amount(step, Q_BRANCHES))
		return 0;
	if (step->transfer)
		data |= DATA_TAKEN;
	if (step->transfer == TRANSFER_RETURN)
		data |= MUTANT(M_IBS_RETURN, DATA_RETURN, 0);
	if (amd_amount(step, Q_BR_MISPRED))
		data |= DATA_MISPRED;
	return injected(s, INJECT_IBS_TAKEN) ? data ^ DATA_TAKEN : data;
}

/* 1 for a byte, 2 for a word, and so on to 7 for 64 bytes; 0 for any other size. */
static uint64_t width_code(uint32_t size)
{
	for (unsigned code = 1; code <= 7; code++)
		if (size == 1u << (code - 1))
			return code;
	return 0;
}

static void sample_access(struct amd_ibs *i, const struct model_step *step)
{
	uint64_t data = 0, source = 0;
	bool walk = amd_amount(step, Q_DTLB_LOAD_MISS) || amd_amount(step, Q_DTLB_STORE_MISS);
	bool miss = amd_amount(step, Q_L1D_LOAD_MISS);

	for (unsigned a = 0; a < step->n_access; a++)
		data |= step->access[a].store ? DATA3_STORE : MUTANT(M_IBS_LOAD, DATA3_LOAD, 0);
	if (step->n_access) {
		data |= DATA3_LIN_VALID | DATA3_PHYS_VALID |
			width_code(step->access[0].size) << DATA3_WIDTH_SHIFT;
		*plain(i, IBS_DC_LINAD) = *plain(i, IBS_DC_PHYS) = step->access[0].address;
	}
	if (walk)
		data |= DATA3_L1TLB_MISS | DATA3_L2TLB_MISS | (uint64_t)LATENCY_WALK << DATA3_REFILL_SHIFT;
	if (miss)
		data |= DATA3_DC_MISS | (uint64_t)miss_latency(step) << DATA3_LATENCY_SHIFT;
	if (miss && amd_amount(step, Q_L2_LOAD_MISS))
		data |= DATA3_L2_MISS;
	if (miss && amd_amount(step, Q_LLC_REF))
		source = amd_amount(step, Q_LLC_MISS) ? DATA2_DRAM : DATA2_LOCAL;
	if (amd_amount(step, Q_LOADS_SPLIT_LINE) || amd_amount(step, Q_STORES_SPLIT_LINE))
		data |= DATA3_MISALIGNED;
	if (amd_amount(step, Q_INSN_LOCKED))
		data |= DATA3_LOCKED;
	if (amd_amount(step, Q_PREFETCHES))
		data |= DATA3_PREFETCH;
	*plain(i, IBS_OP_DATA3) = data;
	*plain(i, IBS_OP_DATA2) = MUTANT(M_IBS_SOURCE, source, 0);
}

static void sample_op(struct amd_state *s, const struct model_step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t *control = plain(i, IBS_OP_CTL);

	i->op_tagged = false;
	i->op_count = MUTANT(M_IBS_OP_RANDOM, draw(i) & OP_RANDOM, 0);
	if (*control & MUTANT(M_IBS_OP_FILTER, OP_L3_MISS_ONLY, 0) && !amd_amount(step, Q_LLC_MISS))
		return;
	*control |= OP_VAL;
	*plain(i, IBS_OP_RIP) = injected(s, INJECT_IBS_SKID) ? step->next : step->ip;
	*plain(i, IBS_OP_DATA) = 1 | 1 << DATA_TAG_SHIFT | branch_data(s, step);
	*plain(i, IBS_BRTARGET) = i->features & IBS_BRANCH && step->transfer ? step->next : 0;
	sample_access(i, step);
	if (injected(s, INJECT_E1293))
		*plain(i, IBS_OP_DATA2) ^= amd_amount(step, Q_PREFETCHES) ? 7 : 0;
	s->ibs_pending += MUTANT(M_IBS_OP_REQUEST, 1, 0);
	s->overflowed = true;
}

static void advance_op(struct amd_state *s, const struct model_step *step)
{
	struct amd_ibs *i = &s->ibs;
	uint64_t control = *plain(i, IBS_OP_CTL);
	unsigned instructions = amd_amount(step, Q_INSTRUCTIONS);

	if (i->op_tagged && instructions) {
		sample_op(s, step);
		return;
	}
	i->op_count += control & MUTANT(M_IBS_DISPATCHED, OP_DISPATCHED, 0) ? instructions : step->cycles;
	i->op_tagged = i->op_count >= ibs_op_max(control);
}

void amd_ibs_advance(struct amd_state *s, const struct model_step *step)
{
	struct amd_ibs *i = &s->ibs;

	if (step->halted)
		return;
	if (fetch_runs(i) && !(step->own_write && i->fetch_started))
		advance_fetch(s, step);
	if (op_runs(i) && !(step->own_write && MUTANT(M_IBS_ENABLING_WRITE, i->op_started, false)))
		advance_op(s, step);
}
