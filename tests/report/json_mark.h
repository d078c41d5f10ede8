/*
 * A place in a JSON document that is being written (json.h).
 */
#ifndef TESTS_REPORT_JSON_MARK_H
#define TESTS_REPORT_JSON_MARK_H

#include <stddef.h>

struct json_chunk;

struct json_mark {
	struct json_chunk *last;
	size_t used, size;
	char before;
};

#endif
