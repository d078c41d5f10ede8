/*
 * The last-branch stack: SDM vol. 3, 17.11.2. Records are the entries from the newest back to the first that
 * is empty; so they are cleared at set-up. (The text calls them read-only, table 35-41 calls them writable.)
 */
#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/driver.h"

/* Models 0 to 2: both addresses in one register, of 32 bits each. */
static bool joint(void)
{
	return MODELS_0_TO_2 >> netburst_cpu.model & 1;
}

static unsigned depth(void)
{
	return joint() ? 4 : 16;
}

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint64_t tos;

	(void)pmu;
	if (!msr_read(MSR_LASTBRANCH_TOS, &tos)) {
		*why = "MSR_LASTBRANCH_TOS raises #GP";
		return false;
	}
	out->name = joint() ? "last-branch stack, addresses of 32 bits" : "last-branch stack";
	out->fields = RECORD_HAS_BRANCH;
	out->depth = depth();
	out->ends_at_debug = true; /* SDM 17.4.1 */
	out->address_bits = joint() ? 32 : 0;
	out->manual = "SDM 17.11.2";
	return true;
}

static bool read_entry(unsigned i, uint64_t *from, uint64_t *to)
{
	if (joint()) {
		bool ok = msr_read(MSR_LASTBRANCH_0 + i, from);

		*to = *from >> 32;
		*from &= 0xffffffff;
		return ok;
	}
	return msr_read(MSR_LASTBRANCH_FROM_0 + i, from) && msr_read(MSR_LASTBRANCH_TO_0 + i, to);
}

static bool clear_entry(unsigned i)
{
	if (joint())
		return msr_write(MSR_LASTBRANCH_0 + i, 0);
	return msr_write(MSR_LASTBRANCH_FROM_0 + i, 0) && msr_write(MSR_LASTBRANCH_TO_0 + i, 0);
}

static bool clear(void)
{
	for (unsigned i = 0; i < depth(); i++)
		if (!clear_entry(i))
			return false;
	return true;
}

/* Place of the entry that is the k-th newest. */
static unsigned place(uint64_t tos, unsigned k)
{
	return (unsigned)(tos + depth() - k) % depth();
}

static unsigned count(uint64_t *tos)
{
	uint64_t from, to;
	unsigned n = 0;

	if (!msr_read(MSR_LASTBRANCH_TOS, tos))
		return 0;
	while (n < depth() && read_entry(place(*tos, n), &from, &to) && (from || to))
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
	if (r->ring == RING_ALL)
		return true;
	*why = "the last-branch stack takes the branches of every ring: record all rings";
	return false;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	if (stop(pmu, r) && clear())
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
	(void)pmu, (void)r;
	return netburst_bracket_debugctl(DEBUGCTLA_LBR, DEBUGCTLA_LBR, out);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t tos;

	(void)pmu, (void)r;
	out->records = count(&tos);
	out->full = out->records == depth();
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	uint64_t tos;
	unsigned there = count(&tos), n = 0;

	(void)pmu;
	while (there && n < max) {
		unsigned i = place(tos, --there);
		struct pmu_record *record = &out[n];

		*record = (struct pmu_record){.kind = RECORD_LBR, .has = r->source->fields};
		if (!read_entry(i, &record->from, &record->to) || !clear_entry(i))
			break;
		n++;
	}
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return stop(pmu, r) && clear();
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
