/*
 * Intel's errata: rows.csv, and what shows them (shows.c).
 */
#ifndef PMU_INTEL_ERRATA_ERRATA_H
#define PMU_INTEL_ERRATA_ERRATA_H

#include "pmu/contract/erratum.h"

extern const struct errata intel_known_errata;

/* Generated from rows.csv (scripts/gen-errata). */
extern const char intel_errata_numbers[];
extern const struct erratum intel_errata_rows[];
extern const struct erratum_part intel_errata_parts[];
extern const unsigned intel_errata_count;

#endif
