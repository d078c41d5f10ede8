/*
 * Matching names that people type, listing those that there are, and putting texts together.
 */
#ifndef PMU_EVENTS_TEXT_H
#define PMU_EVENTS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn a into b, case ignored. Of longer
 * texts only the first 63 characters count.
 */
unsigned edit_distance(const char *a, const char *b);

/** Whether b is near enough to a to be what was meant: at most a third of a's length away, and at most 4. */
bool is_near(unsigned distance, const char *a);

/**
 * Whether a name is nearer than *distance to what one of several globs (separated by commas) was meant to
 * match, and near enough (is_near); *distance is then how far. Of a glob with wildcards, what stands before
 * the first one is compared with the beginning of the name; of one without a '/', the name up to its first
 * '/', too. Globs that are all wildcards mean nothing in particular.
 */
#define GLOB_FAR 99 /* farther than anything near */
bool glob_nearer(const char *globs, const char *name, unsigned *distance);

/**
 * Append " item", or ", item" behind an earlier one, to a text that ends with the list. Where it does not fit
 * into size bytes with ", ..." behind it, ", ..." ends the list instead.
 * @return false once the list has been ended: add nothing more
 */
bool text_list_add(char *text, size_t size, const char *item, bool first);

/**
 * Print behind the first `used` characters of a text in `size` bytes; what does not fit is cut.
 * @return characters that there are now
 */
size_t text_append(char *text, size_t size, size_t used, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
