/*
 * The toy PMU's recorder of taken branches, to memory.
 */
#include "pmu/toy/records/control.h"
#include "pmu/toy/registers.h"
#include "pmu/toy/toy.h"

#include <string.h>

struct message {
	uint64_t from, to;
};
_Static_assert(sizeof(struct message) == TOY_MESSAGE, "as the recorder writes it");

static bool describe(const struct pmu *pmu, struct pmu_record_source *out, const char **why)
{
	(void)pmu;
	(void)why;
	*out = (struct pmu_record_source){
		.kind = out->kind,
		.name = "branches in memory",
		.fields = RECORD_HAS_BRANCH,
		.record_size = TOY_MESSAGE,
		.manual = "docs/toy.md, recorder",
	};
	return true;
}

static size_t memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return (size_t)r->records * TOY_MESSAGE;
}

static uint64_t base(const struct pmu_recording *r)
{
	return (uintptr_t)r->memory;
}

static bool setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	uint64_t level = r->threshold ? base(r) + (uint64_t)r->threshold * TOY_MESSAGE : 0;

	(void)pmu;
	if (r->without || r->call_stack) {
		*why = "a branch trace takes every kind of branch";
		return false;
	}
	if (r->circular && r->threshold) {
		*why = "a circular branch trace raises no interrupt";
		return false;
	}
	*why = "writing a register of the recorder was refused";
	memset(r->memory, 0, memory(pmu, r));
	return toy_record_put(TOY_REG_TRACE, 0) && toy_record_put(TOY_REG_BASE, base(r)) &&
	       toy_record_put(TOY_REG_LIMIT, base(r) + memory(pmu, r)) &&
	       toy_record_put(TOY_REG_NEXT, base(r)) && toy_record_put(TOY_REG_LEVEL, level);
}

/* Messages from BASE up to NEXT; of a buffer that has been round, all: there is one where the next one goes.
 */
static bool count(const struct pmu_recording *r, unsigned *next, bool *round)
{
	const struct message *m = r->memory;
	uint64_t at;

	if (!toy_record_get(TOY_REG_NEXT, &at))
		return false;
	*next = (unsigned)((at - base(r)) / TOY_MESSAGE);
	*round = r->circular && (m[*next].from || m[*next].to);
	return true;
}

static bool state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	unsigned next;
	bool round;

	(void)pmu;
	if (!count(r, &next, &round))
		return false;
	out->records = round ? r->records : next;
	out->full = out->records == r->records;
	out->overflow = r->threshold && next >= r->threshold;
	return true;
}

/* The oldest one comes first: of a buffer that has been round it is the one where the next one goes. */
static unsigned drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	struct message *m = r->memory;
	unsigned next, have, taken = 0;
	bool round;

	(void)pmu;
	if (!count(r, &next, &round))
		return 0;
	have = round ? r->records : next;
	for (; taken < have && taken < max; taken++) {
		const struct message *from = &m[round ? (next + taken) % r->records : taken];

		out[taken] = (struct pmu_record){.kind = RECORD_BRANCH_TRACE,
						 .has = RECORD_HAS_BRANCH,
						 .from = from->from,
						 .to = from->to};
	}
	/* What is left begins the buffer anew. */
	for (unsigned i = 0, turn = round ? next : 0; i < turn; i++) {
		struct message first = m[0];

		memmove(m, m + 1, (r->records - 1) * sizeof *m);
		m[r->records - 1] = first;
	}
	memmove(m, m + taken, (have - taken) * sizeof *m);
	memset(m + (have - taken), 0, (r->records - (have - taken)) * sizeof *m);
	return toy_record_put(TOY_REG_NEXT, base(r) + (uint64_t)(have - taken) * TOY_MESSAGE) ? taken : 0;
}

static bool release(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	(void)r;
	return toy_record_put(TOY_REG_TRACE, 0) && toy_record_put(TOY_REG_LIMIT, 0) &&
	       toy_record_put(TOY_REG_BASE, 0) && toy_record_put(TOY_REG_NEXT, 0) &&
	       toy_record_put(TOY_REG_LEVEL, 0);
}

const struct pmu_record_kind toy_memory_records = {
	.describe = describe,
	.memory = memory,
	.setup = setup,
	.start = toy_record_start,
	.stop = toy_record_stop,
	.bracket = toy_record_bracket,
	.state = state,
	.drain = drain,
	.release = release,
};
