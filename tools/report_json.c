#include "tools/report_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool report_signed(const json_t *value, int64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return true;
	}
	if (!text || !*text)
		return false;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return !*end && !errno;
}

bool report_unsigned(const json_t *value, uint64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value)) {
		*out = (uint64_t)json_integer_value(value);
		return json_integer_value(value) >= 0;
	}
	if (!text || !strchr("0123456789", *text) || !*text)
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return !*end && !errno;
}

bool report_hex(const json_t *value, uint64_t *out)
{
	const char *text = json_string_value(value);
	char *end;

	if (!text || strncmp(text, "0x", 2) || !text[2])
		return false;
	errno = 0;
	*out = strtoull(text + 2, &end, 16);
	return !*end && !errno;
}

const char *report_string(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

bool report_same_processor(const json_t *a, const json_t *b)
{
	const json_t *one = json_object_get(a, "processor"), *other = json_object_get(b, "processor");

	return one && other ? json_equal(one, other) : one == other;
}

bool report_histogram(const json_t *o, struct histogram *out, struct report_histogram *said)
{
	const json_t *unlisted = json_object_get(o, "unlisted"), *values = json_object_get(o, "values");

	*said = (struct report_histogram){0};
	if (!report_unsigned(json_object_get(o, "total"), &said->total) ||
	    !report_unsigned(json_object_get(o, "distinct"), &said->distinct) ||
	    !report_signed(json_object_get(o, "min"), &said->min) ||
	    !report_signed(json_object_get(o, "max"), &said->max) ||
	    (unlisted && !report_unsigned(unlisted, &said->unlisted)) || said->total > UINT32_MAX ||
	    said->distinct > UINT32_MAX || said->unlisted > said->total)
		return false;
	for (size_t i = 0; i < json_array_size(values) && said->listed <= said->total; i++) {
		const json_t *pair = json_array_get(values, i);
		int64_t value;
		uint64_t times;

		if (!report_signed(json_array_get(pair, 0), &value) ||
		    !report_unsigned(json_array_get(pair, 1), &times) || times > said->total)
			return false;
		said->listed += times;
		for (; times && said->listed <= said->total; times--)
			histogram_add(out, value);
	}
	return true;
}
