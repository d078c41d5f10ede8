/*
 * Which CPUs a vendor's event file is for: by its own name, by the vendor's mapfile.csv beside it, by its
 * form.
 */
#ifndef PMU_EVENTS_VENDOR_CPU_H
#define PMU_EVENTS_VENDOR_CPU_H

#include <stdbool.h>
#include <stddef.h>

struct vendor_cpu {
	const char *vendor; /* "GenuineIntel" */
	unsigned family, model, stepping;
	unsigned core_type; /* CPUID.1AH:EAX[31:24], 20H or 40H; 0: not hybrid */
};

enum vendor_fit {
	VENDOR_SAYS_NOTHING,
	VENDOR_FITS,
	VENDOR_OTHER_CPU,
};

/**
 * Whether a pattern of a mapfile fits a CPU: "GenuineIntel-6-3C", with family and model in the vendors' way
 * (Intel's and AMD's model in hexadecimal, the family in decimal), [..], (..|..) and + as perf has them, and
 * perhaps a stepping at the end.
 */
bool vendor_pattern_fits(const char *pattern, size_t length, const struct vendor_cpu *cpu);

/** What the name of a file says that begins with such a pattern: "GenuineIntel-6-3C.json",
 * "AuthenticAMD-25-21_core.json". */
enum vendor_fit vendor_name_fit(const char *file, const struct vendor_cpu *cpu);

/** What mapfile.csv says of a file, which it gives in full ("/HSW/events/haswell_core.json") or by the
 * beginning of its name ("haswell" of haswell_cache.json). */
enum vendor_fit vendor_map_fit(const char *map, size_t size, const char *file, const struct vendor_cpu *cpu);

/** What the form of the file says: Intel's have a header that names it, or sampling periods; AMD's neither.
 */
enum vendor_fit vendor_form_fit(const char *text, size_t size, const struct vendor_cpu *cpu);

#endif
