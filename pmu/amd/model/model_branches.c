/*
 * Branch records: the last branch and the last before an interrupt (APM vol. 2, 13.1.1), the stack of LBR
 * version 2 (13.1.1.9, 13.1.8) and Zen 3's branch sampling (guide of family 19H).
 *
 * A record is made when the branch retires, before the interrupt that the same instruction may have caused
 * freezes the stack. Filters by ring look at the ring in which the branch ends. Unless DebugCtl[LBR] is set a
 * branch may be fused with the instruction before it, whose address the stack then has: here each conditional
 * branch is that follows no other branch. A debug exception ends recording, and is not recorded itself.
 * Branch sampling waits for an overflow of its counter, takes the next 16 branches and raises the counter's
 * interrupt only then.
 */
#include "pmu/amd/errata/hooks.h"
#include "pmu/amd/model/model.h"

#include <string.h>

#define TAKEN_BRANCHES  0xc4
#define DEBUG_EXCEPTION 1

void amd_branches_reset(struct amd_state *s, unsigned depth, bool brs)
{
	struct amd_branches *b = &s->branches;

	b->depth = (uint8_t)depth;
	b->brs = brs;
	if (brs)
		b->config = DBG_EXTN_ONES;
}

static unsigned entries(const struct amd_branches *b)
{
	return b->brs ? BRS_DEPTH : b->depth;
}

/* --- registers -------------------------------------------------------------------------------------- */

static uint64_t config_bits(const struct amd_branches *b)
{
	return b->brs ? DBG_EXTN_BRS | DBG_EXTN_BRS_VALID | DBG_EXTN_BRS_NEXT | DBG_EXTN_BRS_PMC
		      : DBG_EXTN_LBR;
}

static uint64_t *entry(struct amd_branches *b, uint32_t address)
{
	uint32_t offset = address - BRANCH_FROM0;

	if (offset >= 2 * entries(b))
		return NULL;
	return offset % 2 ? &b->to[offset / 2] : &b->from[offset / 2];
}

enum register_answer amd_branches_read(struct amd_state *s, uint32_t address, uint64_t *value)
{
	struct amd_branches *b = &s->branches;
	const uint64_t *e = entry(b, address);

	if (e) {
		*value = *e;
		return REGISTER_DONE;
	}
	switch (address) {
	case LAST_BRANCH_FROM:
	case LAST_BRANCH_TO:
	case LAST_EXCEPTION_FROM:
	case LAST_EXCEPTION_TO:
		*value = b->last[address - LAST_BRANCH_FROM];
		return REGISTER_DONE;
	case LBR_SELECT:
		*value = b->select;
		return b->depth ? REGISTER_DONE : REGISTER_FAULT;
	case DBG_EXTN_CFG:
		*value = b->config;
		return entries(b) ? REGISTER_DONE : REGISTER_FAULT;
	default:
		return address - BRANCH_FROM0 < 2 * BRANCHES_MAX ? REGISTER_FAULT : REGISTER_NOT_MINE;
	}
}

enum register_answer amd_branches_write(struct amd_state *s, uint32_t address, uint64_t value)
{
	struct amd_branches *b = &s->branches;
	uint64_t *e = entry(b, address), read;

	if (e) {
		*e = value;
		return REGISTER_DONE;
	}
	switch (address) {
	case LBR_SELECT:
		if (!b->depth)
			return REGISTER_FAULT;
		b->select = (uint32_t)value & LBR_SELECT_ALL;
		return REGISTER_DONE;
	case DBG_EXTN_CFG:
		if (!entries(b))
			return REGISTER_FAULT;
		/* Figure 13-6: the others must be 0. */
		if (!b->brs && value & ~config_bits(b))
			return REGISTER_FAULT;
		b->config = (value & config_bits(b)) | (b->brs ? DBG_EXTN_ONES : 0);
		b->sampling = false;
		return REGISTER_DONE;
	default: /* the others are read-only: ignored */
		return amd_branches_read(s, address, &read);
	}
}

/* --- recording -------------------------------------------------------------------------------------- */

static bool stack_runs(const struct amd_state *s)
{
	return s->branches.depth && s->branches.config & DBG_EXTN_LBR && !(s->status & STATUS_LBR_FROZEN);
}

bool amd_branches_run(const struct amd_state *s)
{
	return stack_runs(s) || s->debugctl & DEBUGCTL_LBR || s->branches.sampling;
}

bool amd_branches_armed(const struct amd_state *s)
{
	return s->branches.config & DBG_EXTN_BRS;
}

static uint32_t filter_of(unsigned transfer)
{
	static const uint16_t filters[] = {
		[TRANSFER_CONDITIONAL] = LBR_SELECT_JCC,
		[TRANSFER_JUMP] = LBR_SELECT_JUMP,
		[TRANSFER_JUMP_INDIRECT] = LBR_SELECT_JUMP_INDIRECT,
		[TRANSFER_CALL] = LBR_SELECT_CALL,
		[TRANSFER_CALL_INDIRECT] = LBR_SELECT_CALL_INDIRECT,
		[TRANSFER_RETURN] = LBR_SELECT_RETURN,
		[TRANSFER_SYSTEM] = LBR_SELECT_FAR,
		[TRANSFER_EVENT] = LBR_SELECT_FAR,
	};

	return filters[transfer];
}

/* 13.1.1.9, BranchFromIp. */
static uint64_t source(const struct amd_state *s, const struct step *step)
{
	bool apart = s->debugctl & DEBUGCTL_LBR;

	return !apart && step->transfer == TRANSFER_CONDITIONAL && s->branches.before_next == step->ip
		       ? s->branches.before
		       : step->ip;
}

/* Entry 0 is the newest: the others move. */
static void push(struct amd_state *s, const struct step *step)
{
	struct amd_branches *b = &s->branches;
	uint32_t ring = step->level_after ? LBR_SELECT_CPL3 : LBR_SELECT_CPL0;

	if (b->select & (ring | filter_of(step->transfer)))
		return;
	if (amd_hook_lbr_lost(s))
		return;
	memmove(b->from + 1, b->from, (b->depth - 1u) * sizeof *b->from);
	memmove(b->to + 1, b->to, (b->depth - 1u) * sizeof *b->to);
	b->from[0] = (source(s, step) & BRANCH_ADDRESS) |
		     (amd_amount(step, Q_BR_MISPRED) ? BRANCH_MISPREDICTED : 0);
	b->to[0] = (step->next & BRANCH_ADDRESS) | BRANCH_VALID;
	amd_hook_lbr_made(s);
}

/* An interrupt or exception puts the last branch aside and is then the last one itself. */
static void note_last(struct amd_state *s, const struct step *step)
{
	struct amd_branches *b = &s->branches;
	bool event = step->transfer == TRANSFER_EVENT;

	if (event)
		memcpy(b->last + 2, b->last, 2 * sizeof *b->last);
	b->last[0] = step->ip;
	b->last[1] = amd_hook_last_to(s, step);
}

/* 13.1.6.1, 13.1.1.8: it ends recording and stepping by branches, and leaves the records as they are. That of
 * INT1 as well; an INT 1 of two bytes cannot be told from it here. */
static bool ends_recording(struct amd_state *s, const struct step *step)
{
	if (step->length || step->vector != DEBUG_EXCEPTION)
		return false;
	s->debugctl &= ~(uint64_t)(DEBUGCTL_LBR | DEBUGCTL_BTF);
	s->branches.config &= ~DBG_EXTN_LBR;
	return true;
}

static void sample(struct amd_state *s, const struct step *step)
{
	struct amd_branches *b = &s->branches;

	if (amd_hook_brs_lost(s))
		return;
	b->from[b->taken] = step->ip;
	b->to[b->taken] = step->next;
	b->taken++;
	b->config &= ~DBG_EXTN_BRS_NEXT;
	/* The slot that is next; 0 again when all are full. */
	b->config |= (uint64_t)(b->taken % BRS_DEPTH) << DBG_EXTN_BRS_NEXT_SHIFT;
	b->config |= DBG_EXTN_BRS_VALID;
	if (b->taken < BRS_DEPTH)
		return;
	b->sampling = false;
	s->overflowed = true;
	if (b->interrupt && !amd_hook_brs_early(s))
		amd_raise_pmi(s);
}

bool amd_branches_hold(struct amd_state *s, unsigned c)
{
	struct amd_branches *b = &s->branches;

	if (!b->brs || !(b->config & DBG_EXTN_BRS) || s->counter[c].event != TAKEN_BRANCHES ||
	    (b->config & DBG_EXTN_BRS_PMC) >> DBG_EXTN_BRS_PMC_SHIFT != c || b->sampling)
		return false;
	b->sampling = b->fresh = true;
	b->taken = 0;
	b->interrupt = s->counter[c].interrupt;
	return !amd_hook_brs_early(s);
}

void amd_branches_advance(struct amd_state *s, const struct step *step)
{
	struct amd_branches *b = &s->branches;

	/* The branch that overflows the counter is before those that are sampled. */
	bool sampling = b->sampling && !b->fresh;

	b->fresh = false;
	if (step->transfer == TRANSFER_NONE) {
		b->before = step->ip;
		b->before_next = amd_amount(step, Q_BRANCHES) ? 0 : step->next;
		return;
	}
	if (ends_recording(s, step))
		return;
	if (s->debugctl & DEBUGCTL_LBR)
		note_last(s, step);
	if (stack_runs(s))
		push(s, step);
	if (sampling)
		sample(s, step);
}
