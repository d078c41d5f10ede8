/*
 * What records of PEBS have only if a recording asks for it, in both forms: XMM registers, the last branches,
 * and how many instructions there were, which a second counter counts.
 */
#include "pmu/intel/records/record_pebs.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/records/apebs.h"
#include "pmu/intel/driver/here.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/vectors.h"

#include <string.h>

#define CODE_INSTRUCTIONS 0xc0

uint8_t intel_pebs_groups_offered(const struct intel_pebs *p)
{
	const struct intel_lbr lbr = intel_lbr_here();
	bool later = p->adaptive || p->architectural, snapshots = p->adaptive && p->format >= 6;
	uint8_t more = 0;

	if (p->architectural)
		snapshots = p->groups & APEBS_ALLOW && p->groups & APEBS_FIXED && p->groups & APEBS_GENERAL;
	if (p->architectural ? p->groups & APEBS_XMM : p->adaptive)
		more |= RECORD_MORE_VECTORS;
	if (p->architectural && p->groups & APEBS_YMM)
		more |= RECORD_MORE_UPPER;
	if (later && lbr.depth >= RECORD_BRANCHES && lbr.info &&
	    (!p->architectural || p->groups & APEBS_LBR_FIELD))
		more |= RECORD_MORE_BRANCHES;
	return more | (snapshots ? RECORD_MORE_INSTRUCTIONS : 0);
}

/* The one that counts instructions: the fixed counter, unless that one samples. */
static unsigned instructions_counter(const struct pmu *pmu, const struct pmu_recording *r)
{
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (pmu->counter[c].kind == COUNTER_FIXED && !pmu->counter[c].index && c != r->counter)
			return c;
	return r->counter ? 0 : 1;
}

uint64_t intel_pebs_groups_counter(const struct pmu *pmu, const struct pmu_recording *r)
{
	return r->more & RECORD_MORE_INSTRUCTIONS ? 1ull << instructions_counter(pmu, r) : 0;
}

/* The last-branch stack, which runs all the time: what is in front of the window is older. */
static struct pmu_recording branches(const struct pmu *pmu, const struct pmu_recording *r)
{
	return (struct pmu_recording){.source = record_source(pmu, RECORD_LAST_BRANCHES),
				      .levels = r->levels};
}

bool intel_pebs_groups_setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	if (r->more & RECORD_MORE_INSTRUCTIONS) {
		const struct pmu_config config = {.code = CODE_INSTRUCTIONS, .levels = r->levels};
		unsigned c = instructions_counter(pmu, r);

		if (!intel_driver.program(pmu, c, &config) || !intel_driver.write(pmu, c, 0)) {
			*why = "the counter of instructions was refused";
			return false;
		}
	}
	if (r->more & RECORD_MORE_BRANCHES) {
		const struct pmu_recording b = branches(pmu, r);

		if (!b.source) {
			*why = "the last-branch stack does not answer";
			return false;
		}
		return intel_record_lbr.setup(pmu, &b, why) && intel_record_lbr.start(pmu, &b);
	}
	return true;
}

bool intel_pebs_groups_release(const struct pmu *pmu, const struct pmu_recording *r)
{
	bool ok = !(r->more & RECORD_MORE_INSTRUCTIONS) ||
		  intel_driver.release(pmu, instructions_counter(pmu, r));

	if (r->more & RECORD_MORE_BRANCHES) {
		const struct pmu_recording b = branches(pmu, r);

		ok = intel_record_lbr.release(pmu, &b) && ok;
	}
	return ok;
}

void intel_pebs_groups_vectors(const uint8_t *xmm, struct pmu_record *out)
{
	out->vectors = vectors_digest(xmm);
	out->more |= RECORD_MORE_VECTORS;
}

void intel_pebs_groups_branches(const struct pmu *pmu, const uint8_t *entries, unsigned n,
				struct pmu_record *out)
{
	bool hides = intel_found(pmu)->lbr.format == LBR_ARCH;

	out->more |= RECORD_MORE_BRANCHES;
	for (out->n_branches = 0; out->n_branches < n && out->n_branches < RECORD_BRANCHES;
	     out->n_branches++) {
		struct pebs_branch b;

		memcpy(&b, entries + out->n_branches * sizeof b, sizeof b);
		if (!b.from && !b.to)
			break;
		out->branch[out->n_branches].from =
			hides && b.from == LBR_HIDDEN_SOURCE ? RECORD_HIDDEN : b.from;
		out->branch[out->n_branches].to = b.to;
	}
}

void intel_pebs_groups_values(const struct pmu *pmu, const struct pmu_recording *r, uint32_t general,
			      uint32_t fixed, const uint8_t *values, struct pmu_record *out)
{
	const struct pmu_counter *k = &pmu->counter[instructions_counter(pmu, r)];
	bool is_fixed = k->kind == COUNTER_FIXED;
	uint32_t mine = is_fixed ? fixed : general, below = (1u << k->index) - 1;
	unsigned at = (unsigned)__builtin_popcount(mine & below) +
		      (is_fixed ? (unsigned)__builtin_popcount(general) : 0);

	if (!(r->more & RECORD_MORE_INSTRUCTIONS) || !(mine >> k->index & 1))
		return;
	memcpy(&out->instructions, values + at * sizeof out->instructions, sizeof out->instructions);
	out->more |= RECORD_MORE_INSTRUCTIONS;
}
