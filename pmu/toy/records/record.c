/*
 * The toy PMU's recorder: the last taken branches.
 */
#include "pmu/toy/records/control.h"
#include "pmu/toy/registers.h"
#include "pmu/toy/toy.h"

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	(void)pmu;
	(void)why;
	*out = (struct pmu_record_source){
		.kind = out->kind,
		.name = "last branches",
		.fields = RECORD_HAS_BRANCH,
		.depth = TOY_QUEUE,
		.line = OVERFLOW_NO_LINE,
		.manual = "docs/toy.md, recorder",
	};
	return true;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	(void)r;
	*why = "writing a register of the recorder was refused";
	return toy_record_put(TOY_REG_TRACE, 0) && toy_record_put(TOY_REG_QUEUED, 0);
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t queued;

	(void)pmu;
	(void)r;
	if (!toy_record_get(TOY_REG_QUEUED, &queued))
		return false;
	out->records = queued & (TOY_QUEUE_FULL - 1);
	return true;
}

static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	uint64_t queued;
	unsigned n = 0;

	(void)pmu;
	(void)r;
	if (!toy_record_get(TOY_REG_QUEUED, &queued))
		return 0;
	for (; n < (queued & (TOY_QUEUE_FULL - 1)) && n < max; n++) {
		out[n] = (struct pmu_record){.kind = RECORD_LAST_BRANCHES, .has = RECORD_HAS_BRANCH};
		if (!toy_record_get(TOY_REG_FROM, &out[n].from) || !toy_record_get(TOY_REG_TO, &out[n].to))
			break;
	}
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	(void)r;
	return toy_record_put(TOY_REG_TRACE, 0) && toy_record_put(TOY_REG_QUEUED, 0);
}

static const struct pmu_record_kind branches = {
	.describe = describe,
	.setup = setup,
	.start = toy_record_start,
	.stop = toy_record_stop,
	.bracket = toy_record_bracket,
	.state = state,
	.drain = drain,
	.release = release,
};

const struct pmu_recorder toy_recorder = {
	.kind = {[RECORD_LAST_BRANCHES] = &branches, [RECORD_BRANCH_TRACE] = &toy_memory_records}};
