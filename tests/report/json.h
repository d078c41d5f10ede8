/*
 * A JSON writer that appends to growing chunks: nothing is ever moved, and when memory runs out the last
 * unfinished record can be taken back, so that what was written before stays a valid document. A writer with
 * a sink keeps nothing: what is written goes there at once, in pieces of any size, and takes no memory.
 */
#ifndef TESTS_REPORT_JSON_H
#define TESTS_REPORT_JSON_H

#include "tests/report/json_mark.h"
#include "tests/report/sink.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_chunk {
	struct json_chunk *next;
	size_t used, room;
	char *text;
};

/** A sequence of members or elements; all zero is an empty one. */
struct json {
	struct json_chunk *first, *last;
	text_sink *sink; /* NULL: chunks */
	void *to;
	size_t size;
	char before; /* last character written: tells whether a comma is due */
	bool failed; /* since the last json_mark() memory ran out, or the sink refused */
};

/** Remember this point, and forget earlier failures. */
struct json_mark json_mark(struct json *j);

/** Take back everything since the mark. */
void json_rollback(struct json *j, const struct json_mark *mark);

void json_free(struct json *j);

/* Members of an object have a key; elements of an array have key NULL. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
/** UTF-8 text; bytes that are none become U+FFFD. NULL becomes null. */
void json_string(struct json *j, const char *key, const char *value);
/** Beyond 2^53, where other readers lose digits, the number becomes a string of decimal digits. */
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_signed(struct json *j, const char *key, int64_t value);
/** A string "0x1f". */
void json_hex(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
/** The contents of another writer, as they are. */
void json_append(struct json *j, const struct json *part);
/** The members or elements of another writer. */
void json_members(struct json *j, const struct json *part);
/** The contents of another writer, inside brackets of the given kind. */
void json_nest(struct json *j, const char *key, char bracket, const struct json *part);

#endif
