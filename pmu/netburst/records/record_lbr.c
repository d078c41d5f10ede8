/*
 * The last-branch stack: SDM vol. 3, 17.11.2. Records are the entries from the newest back to the first that
 * is empty; so they are cleared at set-up. (The text calls them read-only, table 35-41 calls them writable.)
 */
#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/bracket.h"
#include "pmu/netburst/driver/state.h"

/* Models 0 to 2: both addresses in one register, of 32 bits each. */
static bool joint(const struct pmu *pmu)
{
	return MODELS_0_TO_2 >> netburst_cpu(pmu)->model & 1;
}

static unsigned depth(const struct pmu *pmu)
{
	return joint(pmu) ? 4 : 16;
}

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint64_t tos;

	if (!msr_read(MSR_LASTBRANCH_TOS, &tos)) {
		*why = "MSR_LASTBRANCH_TOS raises #GP";
		return false;
	}
	out->name = joint(pmu) ? "last-branch stack, addresses of 32 bits" : "last-branch stack";
	out->fields = RECORD_HAS_BRANCH;
	out->depth = depth(pmu);
	out->ends_at_debug = true; /* SDM 17.4.1 */
	out->address_bits = joint(pmu) ? 32 : 0;
	out->manual = "SDM 17.11.2";
	return true;
}

static bool read_entry(const struct pmu *pmu, unsigned i, uint64_t *from, uint64_t *to)
{
	if (joint(pmu)) {
		bool ok = msr_read(MSR_LASTBRANCH_0 + i, from);

		*to = *from >> 32;
		*from &= 0xffffffff;
		return ok;
	}
	return msr_read(MSR_LASTBRANCH_FROM_0 + i, from) && msr_read(MSR_LASTBRANCH_TO_0 + i, to);
}

static bool clear_entry(const struct pmu *pmu, unsigned i)
{
	if (joint(pmu))
		return msr_write(MSR_LASTBRANCH_0 + i, 0);
	return msr_write(MSR_LASTBRANCH_FROM_0 + i, 0) && msr_write(MSR_LASTBRANCH_TO_0 + i, 0);
}

static bool clear(const struct pmu *pmu)
{
	for (unsigned i = 0; i < depth(pmu); i++)
		if (!clear_entry(pmu, i))
			return false;
	return true;
}

/* Place of the entry that is the k-th newest. */
static unsigned place(const struct pmu *pmu, uint64_t tos, unsigned k)
{
	return (unsigned)(tos + depth(pmu) - k) % depth(pmu);
}

static unsigned count(const struct pmu *pmu, uint64_t *tos)
{
	uint64_t from, to;
	unsigned n = 0;

	if (!msr_read(MSR_LASTBRANCH_TOS, tos))
		return 0;
	while (n < depth(pmu) && read_entry(pmu, place(pmu, *tos, n), &from, &to) && (from || to))
		n++;
	return n;
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return netburst_change_debugctl(DEBUGCTLA_LBR, 0);
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	if (r->levels == LEVELS_ALL)
		return true;
	*why = "the last-branch stack takes the branches of every ring: record all rings";
	return false;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	if (stop(pmu, r) && clear(pmu))
		return true;
	*why = "a register of the last-branch stack cannot be written, so old entries could not be told from "
	       "new";
	return false;
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu, (void)r;
	return netburst_change_debugctl(0, DEBUGCTLA_LBR);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	(void)r;
	return netburst_bracket_debugctl(pmu, DEBUGCTLA_LBR, DEBUGCTLA_LBR, out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t tos;

	(void)r;
	out->records = count(pmu, &tos);
	out->full = out->records == depth(pmu);
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	uint64_t tos;
	unsigned there = count(pmu, &tos), n = 0;

	while (there && n < max) {
		unsigned i = place(pmu, tos, --there);
		struct pmu_record *record = &out[n];

		*record = (struct pmu_record){.kind = RECORD_LAST_BRANCHES, .has = r->source->fields};
		if (!read_entry(pmu, i, &record->from, &record->to) || !clear_entry(pmu, i))
			break;
		n++;
	}
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return stop(pmu, r) && clear(pmu);
}

const struct pmu_record_kind netburst_record_lbr = {
	.describe = describe,
	.can_sample = can_sample,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
