/*
 * Last branches: the stack of LBR version 2 (CPUID 8000_0022H:EAX[1]) where there is one, else the one branch
 * that every part keeps (APM vol. 2, 13.1.1).
 */
#include "pmu/amd/driver/state.h"
#include "pmu/amd/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/workarounds.h"
#include "pmu/amd/registers.h"
#include "pmu/contract/model.h"

#define KINDS                                                                                                \
	(1u << TRANSFER_CONDITIONAL | 1u << TRANSFER_JUMP | 1u << TRANSFER_JUMP_INDIRECT |                   \
	 1u << TRANSFER_CALL | 1u << TRANSFER_CALL_INDIRECT | 1u << TRANSFER_RETURN | 1u << TRANSFER_SYSTEM)

/* Entries of the stack; 0: there is none. */
static unsigned depth(void)
{
	struct cpuid_regs r = cpuid(0x80000022, 0);

	return r.eax & 2 ? r.ebx >> 4 & 63 : 0;
}

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	unsigned n = depth();
	uint64_t value;

	(void)pmu;
	if (n ? !msr_read(DBG_EXTN_CFG, &value) || !msr_read(BRANCH_TO0 + 2 * (n - 1), &value)
	      : !msr_read(DEBUGCTL, &value) || !msr_read(LAST_BRANCH_TO, &value)) {
		*why = "the last-branch registers raise #GP";
		return false;
	}
	*out = (struct pmu_record_source){
		.kind = RECORD_LAST_BRANCHES,
		.name = n ? "LBR version 2" : "last branch",
		.fields = RECORD_HAS_BRANCH | (n ? RECORD_HAS_MISPREDICTED : 0),
		.depth = n ? n : 1,
		.filters = n ? KINDS : 0,
		.ends_at_debug = true,     /* 13.1.6.1, 13.1.1.8 */
		.level_of_target = n != 0, /* figure 13-9 */
		.manual = n ? "APM vol. 2, 13.1.1.9 and 13.1.8" : "APM vol. 2, 13.1.6.1",
	};
	return true;
}

uint32_t amd_lbr_control(uint64_t *enable)
{
	*enable = depth() ? DBG_EXTN_LBR : DEBUGCTL_LBR;
	return depth() ? DBG_EXTN_CFG : DEBUGCTL;
}

static uint32_t selection(const struct pmu_recording *r)
{
	static const struct {
		uint8_t kind;
		uint16_t bit;
	} kinds[] = {
		{TRANSFER_CONDITIONAL, LBR_SELECT_JCC}, {TRANSFER_JUMP, LBR_SELECT_JUMP},
		{TRANSFER_CALL, LBR_SELECT_CALL},       {TRANSFER_JUMP_INDIRECT, LBR_SELECT_JUMP_INDIRECT},
		{TRANSFER_RETURN, LBR_SELECT_RETURN},   {TRANSFER_CALL_INDIRECT, LBR_SELECT_CALL_INDIRECT},
		{TRANSFER_SYSTEM, LBR_SELECT_FAR},
	};
	uint32_t select = (r->levels & LEVELS_SYSTEM ? 0 : LBR_SELECT_CPL0) |
			  (r->levels & LEVELS_USER ? 0 : LBR_SELECT_CPL3);

	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (r->without >> kinds[i].kind & 1)
			select |= kinds[i].bit;
	return select;
}

static bool clear(void)
{
	for (unsigned i = 0; i < depth(); i++)
		if (!msr_write(BRANCH_FROM0 + 2 * i, 0) || !msr_write(BRANCH_TO0 + 2 * i, 0))
			return false;
	return true;
}

/* The last branch cannot be cleared. Branches of our own, up to the return of the call that ends it. */
static bool note_own(const struct pmu *pmu)
{
	return amd_change_msr(DEBUGCTL, 0, DEBUGCTL_LBR) && amd_change_msr(DEBUGCTL, DEBUGCTL_LBR, 0) &&
	       msr_read(LAST_BRANCH_FROM, &amd_pmu(pmu)->own_from) &&
	       msr_read(LAST_BRANCH_TO, &amd_pmu(pmu)->own_to);
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	*why = "a last-branch register raised #GP";
	/* 13.1.1.9: with DebugCtl[LBR] branches are not fused with the instruction before them, whose address
	 * the record would have. */
	if (depth())
		return amd_change_msr(DEBUGCTL, 0, DEBUGCTL_LBR) && msr_write(DBG_EXTN_CFG, 0) &&
		       msr_write(LBR_SELECT, selection(r)) && clear() &&
		       (!pmu->has_global || msr_write(PERF_GLOBAL_STATUS_CLR, STATUS_LBR_FROZEN));
	if (r->levels != LEVELS_ALL) {
		*why = "the last branch is that of every ring";
		return false;
	}
	return note_own(pmu);
}

static uint64_t address(uint64_t value)
{
	return (uint64_t)((int64_t)(value << (64 - BRANCH_ADDRESS_BITS)) >> (64 - BRANCH_ADDRESS_BITS));
}

/* Entry i. @return false if there is no record in it. Erratum 1452: bit 61 marks bogus ones. */
static bool read_entry(const struct pmu *pmu, unsigned i, struct pmu_record *out)
{
	uint64_t from, to;

	*out = (struct pmu_record){.kind = RECORD_LAST_BRANCHES, .has = RECORD_HAS_BRANCH};
	if (!depth()) {
		bool good = msr_read(LAST_BRANCH_FROM, &out->from) && msr_read(LAST_BRANCH_TO, &out->to);
		return good && (out->from != amd_pmu(pmu)->own_from || out->to != amd_pmu(pmu)->own_to);
	}
	if (!msr_read(BRANCH_FROM0 + 2 * i, &from) || !msr_read(BRANCH_TO0 + 2 * i, &to) ||
	    !(to & BRANCH_VALID) || (to & BRANCH_BOGUS && pmu_works_around(pmu, AMD_WORK_1452)))
		return false;
	out->has |= RECORD_HAS_MISPREDICTED;
	out->mispredicted = from & BRANCH_MISPREDICTED;
	out->from = address(from);
	out->to = address(to);
	return true;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	struct pmu_record record;

	for (unsigned i = 0; i < r->source->depth; i++)
		out->records += read_entry(pmu, i, &record);
	out->full = out->records == r->source->depth;
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	unsigned n = 0;

	for (unsigned i = r->source->depth; i-- > 0 && n < max;) {
		if (!read_entry(pmu, i, &out[n]))
			continue;
		n++;
		if (depth())
			msr_write(BRANCH_TO0 + 2 * i, 0);
		else
			amd_pmu(pmu)->own_from = out[0].from, amd_pmu(pmu)->own_to = out[0].to;
	}
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	if (!amd_change_msr(DEBUGCTL, DEBUGCTL_LBR, 0))
		return false;
	return !depth() || (msr_write(DBG_EXTN_CFG, 0) && msr_write(LBR_SELECT, 0) && clear());
}

const struct pmu_record_kind amd_record_lbr = {
	.describe = describe,
	.setup = setup,
	.start = amd_record_start,
	.stop = amd_record_stop,
	.bracket = amd_record_bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
