/*
 * The toy PMU's recorder: the last taken branches.
 */
#include "pmu/toy/registers.h"
#include "pmu/toy/toy.h"

#include "arch/register.h"
#include "arch/toy/encoding.h"
#include "pmu/contract/record.h"

static bool get(uint64_t number, uint64_t *value)
{
	return register_read(SPACE_SYSTEM, number, value);
}

static bool put(uint64_t number, uint64_t value)
{
	return register_write(SPACE_SYSTEM, number, value);
}

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

static uint64_t control(const struct pmu_recording *r)
{
	return (r->levels & LEVELS_SYSTEM ? TOY_TRACE_SUPERVISOR : 0) |
	       (r->levels & LEVELS_USER ? TOY_TRACE_USER : 0);
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	(void)pmu;
	(void)r;
	*why = "writing a register of the recorder was refused";
	return put(TOY_REG_TRACE, 0) && put(TOY_REG_QUEUED, 0);
}

static bool start(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return put(TOY_REG_TRACE, control(r));
}

static bool stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	(void)r;
	return put(TOY_REG_TRACE, 0);
}

static bool bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	static const uint32_t code[] = {
		TOY_INSN((uint32_t)TOY_REG, 0, 0, TOY_ARGUMENT, TOY_WRITE | TOY_REG_TRACE),
		TOY_INSN((uint32_t)TOY_REG, 0, 0, 0, TOY_WRITE | TOY_REG_TRACE),
	};

	(void)pmu;
	*out = (struct pmu_bracket){
		.start = (const uint8_t *)code,
		.start_end = (const uint8_t *)(code + 1),
		.stop = (const uint8_t *)(code + 1),
		.stop_end = (const uint8_t *)(code + 2),
		.args = {control(r)},
		.privileged = true,
	};
	return true;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	uint64_t queued;

	(void)pmu;
	(void)r;
	if (!get(TOY_REG_QUEUED, &queued))
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
	if (!get(TOY_REG_QUEUED, &queued))
		return 0;
	for (; n < (queued & (TOY_QUEUE_FULL - 1)) && n < max; n++) {
		out[n] = (struct pmu_record){.kind = RECORD_LAST_BRANCHES, .has = RECORD_HAS_BRANCH};
		if (!get(TOY_REG_FROM, &out[n].from) || !get(TOY_REG_TO, &out[n].to))
			break;
	}
	return n;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	(void)r;
	return put(TOY_REG_TRACE, 0) && put(TOY_REG_QUEUED, 0);
}

static const struct pmu_record_kind branches = {
	.describe = describe,
	.setup = setup,
	.start = start,
	.stop = stop,
	.bracket = bracket,
	.state = state,
	.drain = drain,
	.release = release,
};

const struct pmu_recorder toy_recorder = {
	.kind = {[RECORD_LAST_BRANCHES] = &branches, [RECORD_BRANCH_TRACE] = &toy_memory_records}};
