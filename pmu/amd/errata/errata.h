/*
 * AMD's errata: rows.csv, and what shows them (shows.c).
 */
#ifndef PMU_AMD_ERRATA_ERRATA_H
#define PMU_AMD_ERRATA_ERRATA_H

#include "pmu/contract/erratum.h"

extern const struct errata amd_known_errata;

/* Generated from rows.csv (scripts/gen-errata). */
extern const char amd_errata_numbers[];
extern const struct erratum amd_errata_rows[];
extern const struct erratum_part amd_errata_parts[];
extern const unsigned amd_errata_count;

#endif
