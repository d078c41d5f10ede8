/*
 * Branch sampling of Zen 3 (BRS): guide of family 19H. When the counter of taken branches overflows, the next
 * 16 branches are written to registers, of whatever ring, and only then does the counter interrupt.
 *
 * What starts and stops it is the counter's enable; sampling itself waits for the overflow.
 */
#include "pmu/amd/records/record.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/amd/driver/state.h"
#include "pmu/amd/registers.h"

#define COUNTER        0
#define TAKEN_BRANCHES 0xc4
#define ADDRESS_BITS   48

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	uint64_t value;

	(void)pmu;
	if (!cpu_has(CPU_BRS)) {
		*why = "CPUID 80000008H has no branch sampling";
		return false;
	}
	if (!msr_read(DBG_EXTN_CFG, &value) || !msr_read(BRANCH_TO0 + 2 * (BRS_DEPTH - 1), &value)) {
		*why = "its registers raise #GP though CPUID promises them";
		return false;
	}
	*out = (struct pmu_record_source){
		.kind = RECORD_NEXT_BRANCHES,
		.name = "branch sampling",
		.fields = RECORD_HAS_BRANCH,
		.counters = 1ull << COUNTER,
		.depth = BRS_DEPTH,
		.manual = "PPR of family 19H, branch sampling",
	};
	return true;
}

static bool can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	*why = "branch sampling listens to RETIRED_TAKEN_BRANCH_INSTRUCTIONS on PERF_CTR0 alone";
	return r->counter == COUNTER && r->config.code == TAKEN_BRANCHES && !r->config.cmask &&
	       !r->config.edge;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	struct pmu_config config = r->config;

	if (r->levels != LEVELS_ALL) {
		*why = "branches of every ring are sampled";
		return false;
	}
	if (!r->period || r->period >> (AMD_WIDTH - 1)) {
		*why = "a period is at least one branch, and fits the counter";
		return false;
	}
	amd_pmu(pmu)->brs_given = 0;
	config.interrupt = true;
	*why = "a register of branch sampling raised #GP";
	return msr_write(DBG_EXTN_CFG, DBG_EXTN_ONES) && pmu->driver->program(pmu, r->counter, &config) &&
	       pmu->driver->write(pmu, r->counter, -r->period) &&
	       msr_write(DBG_EXTN_CFG,
			 DBG_EXTN_ONES | DBG_EXTN_BRS | (uint64_t)r->counter << DBG_EXTN_BRS_PMC_SHIFT);
}

/* The slot that is next is 0 again when all are full. */
static bool recorded(unsigned *n)
{
	uint64_t config;

	if (!msr_read(DBG_EXTN_CFG, &config))
		return false;
	unsigned next = (unsigned)((config & DBG_EXTN_BRS_NEXT) >> DBG_EXTN_BRS_NEXT_SHIFT);
	*n = config & DBG_EXTN_BRS_VALID ? (next ? next : BRS_DEPTH) : 0;
	return true;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	unsigned given = amd_pmu(pmu)->brs_given, n;

	(void)r;
	if (!recorded(&n))
		return false;
	out->full = out->overflow = n == BRS_DEPTH;
	out->records = n > given ? n - given : 0;
	return true;
}

static uint64_t address(uint64_t value)
{
	return (uint64_t)((int64_t)(value << (64 - ADDRESS_BITS)) >> (64 - ADDRESS_BITS));
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	unsigned *given = &amd_pmu(pmu)->brs_given, n, taken = 0;

	(void)r;
	if (!recorded(&n))
		return 0;
	for (; *given < n && taken < max; ++*given) {
		uint64_t from, to;

		if (!msr_read(BRANCH_FROM0 + 2 * *given, &from) || !msr_read(BRANCH_TO0 + 2 * *given, &to))
			break;
		out[taken++] = (struct pmu_record){.kind = RECORD_NEXT_BRANCHES,
						   .has = RECORD_HAS_BRANCH,
						   .from = address(from),
						   .to = address(to)};
	}
	return taken;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return msr_write(DBG_EXTN_CFG, DBG_EXTN_ONES) && pmu->driver->release(pmu, r->counter);
}

const struct pmu_record_kind amd_record_brs = {
	.describe = describe,
	.can_sample = can_sample,
	.setup = setup,
	.start = amd_record_start,
	.stop = amd_record_stop,
	.bracket = amd_record_bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
