/*
 * The toy PMU: what the registry and the entry need of it.
 */
#ifndef PMU_TOY_TOY_H
#define PMU_TOY_TOY_H

#include "pmu/contract/model.h"
#include "pmu/contract/pmu.h"

extern const struct pmu_driver toy_driver;
extern const struct pmu_recorder toy_recorder;
extern const struct pmu_record_kind toy_memory_records;
extern const struct pmu_model toy_model;
extern const struct model_profile toy_profile;

/** Its events, and what they count by their selector. */
extern const struct pmu_event *const toy_events[];
extern const unsigned toy_event_count;

/** Whether an event counts a quantity. */
bool toy_event_counts(unsigned select, enum quantity q);

/** What an event adds for a step. */
uint64_t toy_event_amount(unsigned select, const struct step *s);

#endif
