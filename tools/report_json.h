/*
 * Members of a report, as docs/report.schema.json has them.
 */
#ifndef TOOLS_REPORT_JSON_H
#define TOOLS_REPORT_JSON_H

#include "tests/judge/histogram.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/** A signed number: an integer, or beyond 2^53 a string of decimal digits. @return false if it is neither */
bool report_signed(const json_t *value, int64_t *out);

/** Likewise an unsigned one. */
bool report_unsigned(const json_t *value, uint64_t *out);

/** A string "0x1f". */
bool report_hex(const json_t *value, uint64_t *out);

/** A member that is a string, "" if there is none. */
const char *report_string(const json_t *object, const char *key);

/** Both of one processor, or both of the only one. */
bool report_same_processor(const json_t *a, const json_t *b);

/** What an observation says of its values, beside listing them. */
struct report_histogram {
	uint64_t total, distinct, unlisted;
	uint64_t listed; /* how many values it lists */
	int64_t min, max;
};

/** The values that an observation lists, added to *out. @return false if it is not as the schema says */
bool report_histogram(const json_t *o, struct histogram *out, struct report_histogram *said);

#endif
