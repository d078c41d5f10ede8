/* Which other processor is looked at besides the one that is judged. */
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

#endif
