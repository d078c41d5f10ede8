/*
 * Errata of NetBurst: rows.csv, and what shows them (shows.c).
 */
#ifndef PMU_NETBURST_ERRATA_ERRATA_H
#define PMU_NETBURST_ERRATA_ERRATA_H

#include "pmu/contract/erratum.h"

extern const struct errata netburst_known_errata;

/* Generated from rows.csv (scripts/gen-errata). */
extern const char netburst_errata_numbers[];
extern const struct erratum netburst_errata_rows[];
extern const struct erratum_part netburst_errata_parts[];
extern const unsigned netburst_errata_count;

#endif
