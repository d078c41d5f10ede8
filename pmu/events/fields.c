#include "pmu/contract/bits.h"
#include "pmu/events/fields.h"

#include <inttypes.h>
#include <stdio.h>

const char *register_name(const struct register_field *fields, uint32_t address, char *out, size_t size)
{
	for (const struct register_field *f = fields; f && f->name; f++) {
		if (f->width || address < f->first || address > f->last)
			continue;
		if (f->first == f->last)
			snprintf(out, size, "%s", f->name);
		else
			snprintf(out, size, "%s%" PRIu32, f->name, address - f->first);
		return out;
	}
	snprintf(out, size, "register %#" PRIx32, address);
	return out;
}

size_t register_format(const struct register_field *fields, uint32_t address, uint64_t value, char *out,
		       size_t size)
{
	uint64_t known = 0;
	size_t n = 0;

	out[0] = 0;
	for (const struct register_field *f = fields; f && f->name; f++) {
		if (!f->width || address < f->first || address > f->last)
			continue;
		for (unsigned i = 0; i < (f->repeat ? f->repeat : 1u); i++) {
			unsigned low = f->low + i * f->stride;
			uint64_t v = value >> low & low_bits(f->width);
			char name[24];

			known |= low_bits(f->width) << low;
			if (!v || n >= size)
				continue;
			if (f->repeat)
				snprintf(name, sizeof name, "%s%u", f->name, i);
			else
				snprintf(name, sizeof name, "%s", f->name);
			n += (size_t)(f->width == 1 ? snprintf(out + n, size - n, "%s%s", n ? " " : "", name)
						    : snprintf(out + n, size - n, "%s%s=%#" PRIx64,
							       n ? " " : "", name, v));
		}
	}
	if (value & ~known && n < size)
		n += (size_t)snprintf(out + n, size - n, "%s?=%#" PRIx64, n ? " " : "", value & ~known);
	return n < size ? n : size - 1;
}
