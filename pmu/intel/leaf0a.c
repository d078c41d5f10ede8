/*
 * What makes no sense in CPUID leaves 0AH and 23H. A kind of counters of which they say nonsense is left out;
 * the other kind stays.
 */
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/registers.h"

#include <stdarg.h>
#include <stdio.h>

#define WIDTH_MIN  32
#define WIDTH_MAX  64
#define EVENTS_MAX 32 /* bits of EBX */

struct lines {
	char *text;
	unsigned room, count;
	size_t size;
};

static void tell(struct lines *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void tell(struct lines *t, const char *format, ...)
{
	va_list args;

	if (t->text && t->count < t->room) {
		va_start(args, format);
		vsnprintf(t->text + t->size * t->count, t->size, format, args);
		va_end(args);
	}
	t->count++;
}

static bool width_makes_sense(unsigned width)
{
	return width >= WIDTH_MIN && width <= WIDTH_MAX;
}

unsigned intel_sift_leaf0a(struct intel_leaf0a *l, char *text, unsigned room, size_t size)
{
	struct lines t = {.text = text, .room = room, .size = size};

	if (l->general >> INTEL_GENERAL_MAX)
		tell(&t, "CPUID declares %u general counters, and there are MSRs for %u: none is judged",
		     l->n_general, INTEL_GENERAL_MAX);
	else if (l->general && !width_makes_sense(l->general_width))
		tell(&t, "CPUID declares general counters of %u bits (%u to %u make sense): none is judged",
		     l->general_width, WIDTH_MIN, WIDTH_MAX);
	if (t.count) {
		l->general = l->n_general = 0;
		l->general_unknown = true;
	}

	unsigned before = t.count;
	if (l->fixed >> INTEL_FIXED_MAX)
		tell(&t,
		     "CPUID declares fixed counter %u, and there are control fields for %u: none is judged",
		     31u - (unsigned)__builtin_clz(l->fixed), INTEL_FIXED_MAX);
	else if (l->fixed && !width_makes_sense(l->fixed_width))
		tell(&t, "CPUID declares fixed counters of %u bits (%u to %u make sense): none is judged",
		     l->fixed_width, WIDTH_MIN, WIDTH_MAX);
	if (t.count != before) {
		l->fixed = 0;
		l->fixed_unknown = true;
	}

	if (!l->general && l->fixed && !l->general_unknown) {
		tell(&t,
		     "CPUID declares version %u without a general counter: the fixed ones alone are judged",
		     l->version);
		l->general_unknown = true;
	}

	if (l->eax >> 24 > EVENTS_MAX) {
		tell(&t, "CPUID declares %u architectural events in a mask of %u bits: taken for %u",
		     l->eax >> 24, EVENTS_MAX, EVENTS_MAX);
		l->eax = (l->eax & 0xffffff) | EVENTS_MAX << 24;
	}
	return t.count;
}
