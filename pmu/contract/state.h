/*
 * What a driver keeps of one PMU, from its identify() on: what it has found, and what counters were
 * programmed with. A struct pmu points to it, and copies of a struct pmu share it, since there is one set of
 * registers. Two PMUs that were identified apart have nothing in common.
 *
 * Example: a struct pmu is all zero before its first identify(). Another one takes the same state again.
 *
 *     static struct pmu pmu;
 *     pmu_find("amd", &pmu, &why);
 *     pmu_forget(&pmu);
 */
#ifndef PMU_CONTRACT_STATE_H
#define PMU_CONTRACT_STATE_H

#include "pmu/contract/pmu.h"

#include <stddef.h>

#define PMU_REASON_SIZE 256 /* longer reasons are cut */
#define PMU_SOURCES     8   /* kinds of records */
#define PMU_SOURCE_NAME 48

struct pmu_record_source;

struct pmu_state {
	const struct pmu_driver *driver;
	char reason[PMU_REASON_SIZE];                   /* of pmu_reason() */
	struct pmu_record_source *source;               /* of record_sources() */
	char source_name[PMU_SOURCES][PMU_SOURCE_NAME]; /* for those that a describe() has to put together */
	void *rows;                                     /* of pmu_rows() */
	size_t rows_size;
	void *family; /* pmu_driver.state_size bytes */
};

/**
 * For a driver's identify(), before anything else: *pmu is all zero then, but for a state whose family part
 * is all zero, too. *pmu must have been all zero, or have been through this before.
 * @return the family's part of the state; NULL with *why if there is no memory for it, or for what
 * record_sources() finds
 */
void *pmu_begin(struct pmu *pmu, const struct pmu_driver *driver, const char **why);

/** For a driver's list_events(): room for its rows, not cleared, which stays until the next list_events() of
 * that PMU.
 * @return NULL, with a remark, if there is no memory for them */
void *pmu_rows(struct pmu *pmu, size_t size);

/** Give a PMU's state back and clear *pmu. One of all zero has none. */
void pmu_forget(struct pmu *pmu);

/** A line that says why something cannot be, made as printf() does. @return it, kept until the next call for
 * the same PMU */
const char *pmu_reason(const struct pmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
