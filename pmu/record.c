#include "pmu/record.h"

const char *const record_kind_names[RECORD_KINDS] = {
	[RECORD_NONE] = "none",
	[RECORD_PMI] = "pmi",
	[RECORD_PEBS] = "pebs",
	[RECORD_IBS_OP] = "ibs-op",
	[RECORD_IBS_FETCH] = "ibs-fetch",
	[RECORD_BTS] = "bts",
	[RECORD_LBR] = "lbr",
};

enum record_unit record_unit(const struct pmu_record_source *source)
{
	return source->units >> RECORD_UNIT_FETCHES & 1      ? RECORD_UNIT_FETCHES
	       : source->units >> RECORD_UNIT_OPERATIONS & 1 ? RECORD_UNIT_OPERATIONS
							     : RECORD_UNIT_CYCLES;
}

const struct pmu_record_source *record_source(const struct pmu *pmu, enum record_kind kind)
{
	const struct pmu_record_source *source = NULL;
	unsigned n = pmu->driver->recorder ? pmu->driver->recorder->sources(pmu, &source) : 0;

	for (unsigned i = 0; i < n; i++)
		if (source[i].kind == kind)
			return &source[i];
	return NULL;
}
