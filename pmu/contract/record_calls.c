#include "pmu/contract/record.h"

#include "pmu/contract/state.h"

const char *const record_kind_names[RECORD_KINDS] = {
	[RECORD_NONE] = "none",         [RECORD_PMI] = "pmi",           [RECORD_PRECISE] = "pebs",
	[RECORD_OPERATION] = "ibs-op",  [RECORD_FETCH] = "ibs-fetch",   [RECORD_BRANCH_TRACE] = "bts",
	[RECORD_LAST_BRANCHES] = "lbr", [RECORD_NEXT_BRANCHES] = "brs",
};

enum record_unit record_unit(const struct pmu_record_source *source)
{
	return source->units >> RECORD_UNIT_FETCHES & 1      ? RECORD_UNIT_FETCHES
	       : source->units >> RECORD_UNIT_OPERATIONS & 1 ? RECORD_UNIT_OPERATIONS
							     : RECORD_UNIT_CYCLES;
}

_Static_assert(RECORD_KINDS <= PMU_SOURCES, "a state has room for the name of each source");

unsigned record_sources(const struct pmu *pmu, const struct pmu_record_source **out)
{
	const struct pmu_recorder *recorder = pmu->counts_only ? NULL : pmu->driver->recorder;
	struct pmu_record_source *found = recorder ? pmu->state->source : NULL; /* pmu_begin() */
	const char *why;
	unsigned n = 0;

	for (unsigned k = 0; found && k < RECORD_KINDS; k++) {
		if (!recorder->kind[k])
			continue;
		found[n] = (struct pmu_record_source){.kind = (uint8_t)k};
		n += recorder->kind[k]->describe(pmu, &found[n], &why);
	}
	*out = found;
	return n;
}

const struct pmu_record_source *record_source(const struct pmu *pmu, enum record_kind kind)
{
	const struct pmu_record_source *source;
	unsigned n = record_sources(pmu, &source);

	for (unsigned i = 0; i < n; i++)
		if (source[i].kind == kind)
			return &source[i];
	return NULL;
}

const char *record_absent(const struct pmu *pmu, enum record_kind kind)
{
	const struct pmu_recorder *recorder = pmu->counts_only ? NULL : pmu->driver->recorder;
	struct pmu_record_source source = {0};
	const char *why;

	if (!recorder || !recorder->kind[kind])
		return NULL;
	return recorder->kind[kind]->describe(pmu, &source, &why) ? NULL : why;
}

static const struct pmu_record_kind *kind_of(const struct pmu *pmu, const struct pmu_recording *r)
{
	return pmu->driver->recorder->kind[r->source->kind];
}

bool record_can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	const struct pmu_record_kind *kind = kind_of(pmu, r);

	return !kind->can_sample || kind->can_sample(pmu, r, why);
}

bool record_is_exact(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct pmu_record_kind *kind = kind_of(pmu, r);

	return kind->is_exact && kind->is_exact(pmu, r);
}

size_t record_memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	const struct pmu_record_kind *kind = kind_of(pmu, r);

	return kind->memory ? kind->memory(pmu, r) : 0;
}

bool record_setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why)
{
	return record_can_sample(pmu, r, why) && kind_of(pmu, r)->setup(pmu, r, why);
}

bool record_start(const struct pmu *pmu, const struct pmu_recording *r)
{
	return kind_of(pmu, r)->start(pmu, r);
}

bool record_stop(const struct pmu *pmu, const struct pmu_recording *r)
{
	return kind_of(pmu, r)->stop(pmu, r);
}

bool record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out)
{
	return kind_of(pmu, r)->bracket(pmu, r, out);
}

bool record_state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out)
{
	*out = (struct pmu_record_state){0};
	return kind_of(pmu, r)->state(pmu, r, out);
}

unsigned record_drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max)
{
	return kind_of(pmu, r)->drain(pmu, r, out, max);
}

bool record_release(const struct pmu *pmu, const struct pmu_recording *r)
{
	return kind_of(pmu, r)->release(pmu, r);
}
