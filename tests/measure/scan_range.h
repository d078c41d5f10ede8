/*
 * Ranges of encodings, of event selects and unit masks: scan=c4:00-ff,d0-d4 (docs/measuring.md).
 */
#ifndef TESTS_MEASURE_SCAN_RANGE_H
#define TESTS_MEASURE_SCAN_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#define SCAN_RANGES     16
#define SCAN_SELECT_MAX 0xfff
#define SCAN_MASK_MAX   0xffff

/** SELECT[-SELECT][:MASK[-MASK]] in hexadecimal. */
struct scan_range {
	uint16_t select, select_end; /* inclusive */
	uint16_t mask, mask_end;     /* inclusive */
	bool bits;                   /* of the masks 0 and single bits only: none were given, so 0 to 80H */
};

struct scan_ranges {
	unsigned n;
	struct scan_range range[SCAN_RANGES];
};

/** What a list of ranges should look like. */
extern const char scan_ranges_form[];

/** Understand a list of ranges between commas; an empty one has none. @return false if it is malformed, has
 * an end before its beginning, a number that no family has, or more than SCAN_RANGES */
bool scan_ranges_parse(const char *text, struct scan_ranges *out);

/** Whether every range lies within a family's encodings. */
bool scan_ranges_fit(const struct scan_ranges *r, uint64_t most_select, uint64_t most_mask);

/** An encoding of some range; all zero before the first. */
struct scan_code {
	bool started;
	unsigned range, select, mask;
};

/** The next encoding, each once, range after range. @return false behind the last */
bool scan_next(const struct scan_ranges *r, struct scan_code *at);

#endif
