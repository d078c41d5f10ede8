/*
 * Last-branch records: SDM 17.4 to 17.12, and the last-branch chapter of later editions. Where they lie and
 * what they hold: lbr.h.
 */
#include "pmu/intel/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/contract/state.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/model.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS_BITS 48

static bool architectural(const struct intel_lbr *lbr)
{
	return lbr->format == LBR_ARCH;
}

/* The register that turns recording on and off. */
static uint32_t control(const struct intel_lbr *lbr)
{
	return architectural(lbr) ? IA32_LBR_CTL : IA32_DEBUGCTL;
}

static uint64_t enable(const struct intel_lbr *lbr)
{
	return architectural(lbr) ? LBR_CTL_ENABLE : DEBUGCTL_LBR;
}

static bool filters_rings(const struct intel_lbr *lbr)
{
	return architectural(lbr) ? lbr->control & LBR_CTL_OS : lbr->select;
}

static bool filters_kinds(const struct intel_lbr *lbr)
{
	return architectural(lbr) ? lbr->control & LBR_CTL_ALL_KINDS : lbr->select;
}

static bool has_call_stack(const struct intel_lbr *lbr)
{
	return architectural(lbr) ? lbr->control & LBR_CTL_CALL_STACK : lbr->select & SELECT_CALL_STACK;
}

/* Of each kind of transfer: the bit of MSR_LBR_SELECT that leaves it out, and that of IA32_LBR_CTL that takes
 * it in. */
static const struct {
	uint16_t select;
	uint32_t control;
} kinds[] = {
	[TRANSFER_CONDITIONAL] = {SELECT_JCC, 1u << LBR_CTL_KINDS},
	[TRANSFER_JUMP] = {SELECT_JUMP, 2u << LBR_CTL_KINDS},
	[TRANSFER_JUMP_INDIRECT] = {SELECT_JUMP_INDIRECT, 4u << LBR_CTL_KINDS},
	[TRANSFER_CALL] = {SELECT_CALL, 8u << LBR_CTL_KINDS},
	[TRANSFER_CALL_INDIRECT] = {SELECT_CALL_INDIRECT, 16u << LBR_CTL_KINDS},
	[TRANSFER_RETURN] = {SELECT_RETURN, 32u << LBR_CTL_KINDS},
	[TRANSFER_SYSTEM] = {SELECT_FAR, 64u << LBR_CTL_KINDS},
};
#define ALL_KINDS ((2u << TRANSFER_SYSTEM) - 2)
/* What call-stack mode wants: SDM 17.11, table 17-15; all else is left out. */
#define CALL_KINDS (1u << TRANSFER_CALL | 1u << TRANSFER_CALL_INDIRECT | 1u << TRANSFER_RETURN)

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	char *name = pmu->state->source_name[RECORD_LAST_BRANCHES];
	struct intel_lbr lbr = intel_lbr_here();
	uint64_t value;

	if (!lbr.depth) {
		*why = cpu_has(CPU_ARCH_LBR) ? "CPUID leaf 1CH gives no depth of the last-branch stack"
					     : "no place of a last-branch stack is known for this model";
		return false;
	}
	if (lbr.depth > INTEL_LBR_DEPTH_MAX || !msr_read(control(&lbr), &value) ||
	    !msr_read(lbr.from + lbr.depth - 1, &value) || (lbr.to && !msr_read(lbr.to, &value)) ||
	    (lbr.info && !msr_read(lbr.info, &value))) {
		*why = pmu_reason(pmu, "the last-branch registers raise #GP%s",
				  cpu_has(CPU_HYPERVISOR) ? ": the hypervisor does not pass them on" : "");
		return false;
	}
	/* A hypervisor may have them read 0 and ignore writes. */
	if (cpu_has(CPU_HYPERVISOR) &&
	    !(intel_msr_keeps(control(&lbr), enable(&lbr)) && intel_msr_keeps(lbr.from, 1))) {
		*why = "the last-branch registers keep nothing: the hypervisor does not pass them on";
		return false;
	}
	if (architectural(&lbr))
		snprintf(name, PMU_SOURCE_NAME, "architectural LBR, %u entries", lbr.depth);
	else
		snprintf(name, PMU_SOURCE_NAME, "LBR format %u, %u entries", lbr.format, lbr.depth);
	*out = (struct pmu_record_source){
		.kind = RECORD_LAST_BRANCHES,
		.name = name,
		.fields = RECORD_HAS_BRANCH | (lbr.mispredicts ? RECORD_HAS_MISPREDICTED : 0) |
			  (lbr.cycles ? RECORD_HAS_CYCLES : 0),
		.depth = lbr.depth,
		.address_bits = lbr.to && lbr.format != LBR_32 ? 0 : 32,
		.filters = filters_kinds(&lbr) ? ALL_KINDS : 0,
		.level_of_target =
			architectural(&lbr), /* of MSR_LBR_SELECT editions differ: "occurring", "ending" */
		.hides_source = architectural(&lbr),
		.call_stack = has_call_stack(&lbr),
		.manual = architectural(&lbr) ? "SDM vol. 3, last branch records" : "SDM 17.4.8",
	};
	return true;
}

static bool clear(const struct intel_lbr *lbr)
{
	bool ok = true;

	if (architectural(lbr))
		return msr_write(IA32_LBR_DEPTH, lbr->depth); /* clears all */
	for (unsigned i = 0; i < lbr->depth; i++)
		ok = ok && msr_write(lbr->from + i, 0) && (!lbr->to || msr_write(lbr->to + i, 0)) &&
		     (!lbr->info || msr_write(lbr->info + i, 0));
	return ok;
}

static bool filter(const struct intel_lbr *lbr, const struct pmu_recording *r)
{
	uint32_t out =
		(r->levels & LEVELS_SYSTEM ? 0 : SELECT_CPL0) | (r->levels & LEVELS_USER ? 0 : SELECT_CPL3);
	uint32_t in =
		(r->levels & LEVELS_SYSTEM ? LBR_CTL_OS : 0) | (r->levels & LEVELS_USER ? LBR_CTL_USR : 0);
	uint32_t without = r->call_stack ? ALL_KINDS & ~CALL_KINDS : r->without;

	if (r->call_stack) {
		out |= SELECT_CALL_STACK;
		in |= LBR_CTL_CALL_STACK;
	}
	for (unsigned t = TRANSFER_CONDITIONAL; t <= TRANSFER_SYSTEM; t++) {
		if (without >> t & 1)
			out |= kinds[t].select;
		else
			in |= kinds[t].control;
	}
	if (architectural(lbr))
		return msr_write(IA32_LBR_CTL, in & lbr->control);
	return !lbr->select || msr_write(MSR_LBR_SELECT, out);
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;

	if ((r->levels != LEVELS_ALL && !filters_rings(&lbr)) || (r->without && !filters_kinds(&lbr))) {
		*why = "this last-branch stack takes the branches of every ring and kind";
		return false;
	}
	if (r->call_stack && !has_call_stack(&lbr)) {
		*why = "this last-branch stack has no mode for call stacks";
		return false;
	}
	if (!intel_change_msr(control(&lbr), enable(&lbr), 0) || !filter(&lbr, r) || !clear(&lbr)) {
		*why = "a last-branch register raised #GP";
		return false;
	}
	return true;
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;

	(void)r;
	return intel_change_msr(control(&lbr), 0, enable(&lbr));
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;

	(void)r;
	return intel_change_msr(control(&lbr), enable(&lbr), 0);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;
	uint64_t value;

	(void)r;
	if (!msr_read(control(&lbr), &value))
		return false;
	intel_bracket_msr(control(&lbr), value | enable(&lbr), value & ~enable(&lbr), out);
	return true;
}

static uint64_t sign_extended(uint64_t address, unsigned bits)
{
	return (uint64_t)((int64_t)(address << (64 - bits)) >> (64 - bits));
}

/* Entry i as it stands. @return false if there is no record in it */
static bool read_entry(const struct intel_lbr *lbr, unsigned i, struct pmu_record *out)
{
	uint64_t from, to = 0, info = 0;

	if (!msr_read(lbr->from + i, &from) || (lbr->to && !msr_read(lbr->to + i, &to)) ||
	    (lbr->info && !msr_read(lbr->info + i, &info)) || (!from && !to))
		return false;
	*out = (struct pmu_record){
		.kind = RECORD_LAST_BRANCHES,
		.has = RECORD_HAS_BRANCH | (lbr->mispredicts ? RECORD_HAS_MISPREDICTED : 0) |
		       (lbr->cycles ? RECORD_HAS_CYCLES : 0),
		.mispredicted = (lbr->info ? info : from) & LBR_MISPREDICTED && lbr->mispredicts,
		.cycles = (uint32_t)(info & LBR_INFO_CYCLES),
	};
	if (!lbr->to) {
		to = from >> 32;
		from &= 0xffffffff;
	} else if (lbr->format == LBR_TIME) {
		out->cycles = (uint32_t)(to >> LBR_TO_CYCLES);
	}
	if (lbr->format >= LBR_FLAGS) {
		bool hidden = architectural(lbr) && from == LBR_HIDDEN_SOURCE;
		from = hidden ? RECORD_HIDDEN : sign_extended(from, ADDRESS_BITS);
		to = sign_extended(to, ADDRESS_BITS);
	}
	out->from = from;
	out->to = to;
	return true;
}

/* Place of the entry that is the k-th newest. */
static unsigned place(const struct intel_lbr *lbr, uint64_t tos, unsigned k)
{
	return architectural(lbr) ? k : (unsigned)((tos + lbr->depth - k) % lbr->depth);
}

/* Records are those from the newest back to the first empty entry. */
static unsigned count(const struct intel_lbr *lbr, uint64_t *tos)
{
	struct pmu_record ignored;
	unsigned n = 0;

	*tos = 0;
	if (!architectural(lbr) && !msr_read(MSR_LASTBRANCH_TOS, tos))
		return 0;
	while (n < lbr->depth && read_entry(lbr, place(lbr, *tos, n), &ignored))
		n++;
	return n;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;
	uint64_t tos;

	(void)r;
	out->records = count(&lbr, &tos);
	out->full = out->records == lbr.depth;
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;
	uint64_t tos;
	unsigned n = count(&lbr, &tos), taken = 0;

	(void)r;
	while (n && taken < max) {
		unsigned i = place(&lbr, tos, --n);

		if (!read_entry(&lbr, i, &out[taken]))
			break;
		taken++;
		msr_write(lbr.from + i, 0);
		if (lbr.to)
			msr_write(lbr.to + i, 0);
		if (lbr.info)
			msr_write(lbr.info + i, 0);
	}
	return taken;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct intel_lbr lbr = intel_found(pmu)->lbr;

	(void)r;
	return intel_change_msr(control(&lbr), enable(&lbr), 0) && clear(&lbr) &&
	       (architectural(&lbr) ? msr_write(IA32_LBR_CTL, 0)
				    : !lbr.select || msr_write(MSR_LBR_SELECT, 0));
}

const struct pmu_record_kind intel_record_lbr = {
	.describe = describe,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
