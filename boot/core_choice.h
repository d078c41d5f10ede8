/* Which other processors are looked at besides the one that is judged, and which need not be started for it.
 */
#ifndef BOOT_CORE_CHOICE_H
#define BOOT_CORE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The first processor of another core, or else another one of the same core, of those that firmware has
 * enabled.
 * @param number      of the processor that is judged, with its ID
 * @param thread_bits of an ID: those that tell the logical processors of a core apart
 * @return false if there is none
 */
bool core_elsewhere(unsigned number, uint32_t id, unsigned thread_bits, unsigned *other);

/** Processors that share a cache are of one type. */
struct core_clusters {
	unsigned count;
	struct {
		uint32_t id;  /* of one of its processors */
		uint8_t bits; /* of an ID: those that tell its processors apart */
	} cluster[64];
};

/** One more is known. What there is no room for is not known. */
void core_cluster_add(struct core_clusters *known, uint32_t id, uint8_t bits);

/** @return the first processor from `number` on that firmware has enabled and that is in none of the
 * clusters; processor_count() if there is none */
unsigned core_of_another_cluster(const struct core_clusters *known, unsigned number);

#endif
