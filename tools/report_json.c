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
