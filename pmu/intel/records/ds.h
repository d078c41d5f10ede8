/*
 * The debug store area with 64-bit fields: SDM 17.4.9, figure 17-10; its PEBS part 18.8.1.1, and of parts
 * that sample with fixed counters later editions. Shared by driver and model.
 */
#ifndef PMU_INTEL_RECORDS_DS_H
#define PMU_INTEL_RECORDS_DS_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct ds_buffer {
	uint64_t base;
	uint64_t index;     /* where the next record goes */
	uint64_t max;       /* the first byte that a record must not touch */
	uint64_t threshold; /* the interrupt comes when the index reaches it */
};

struct ds_area {
	struct ds_buffer bts, pebs;
	uint64_t reset[48]; /* what a counter is set to by its record: ds_reset() */
};

/** Where in .reset[] a counter's value is: fixed ones follow eight general ones, from record format 5 on 32
 * (as Linux has them). */
static inline unsigned ds_reset(unsigned format, bool fixed, unsigned index)
{
	return fixed ? (format < 5 ? 8 : 32) + index : index;
}

/* Branch trace record: source, target, flags. Figure 17-11. */
struct ds_branch {
	uint64_t from, to, flags;
};
#define DS_BRANCH_PREDICTED (1ull << 4)

#endif
