/*
 * The toy PMU's recorder: its registers, and what starts and stops it whichever place it notes branches in.
 */
#ifndef PMU_TOY_RECORDS_CONTROL_H
#define PMU_TOY_RECORDS_CONTROL_H

#include "pmu/contract/record.h"

bool toy_record_get(uint64_t number, uint64_t *value);
bool toy_record_put(uint64_t number, uint64_t value);

/* Of struct pmu_record_kind. */
bool toy_record_start(const struct pmu *pmu, const struct pmu_recording *r);
bool toy_record_stop(const struct pmu *pmu, const struct pmu_recording *r);
bool toy_record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out);

#endif
